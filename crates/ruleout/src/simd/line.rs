//! The items of a key in its 64-byte line: looked at and set all at once with AVX2, one by one without.
//!
//! A line is `LINE` items of 512 / `LINE` bits: 512 bits, or 128 counters of four bits. Either way its sixteen words
//! of 32 bits are chosen by a probe's top four bits, and the item of the word by the bits below.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub(crate) mod scalar;
#[cfg(test)]
mod tests;

use super::cpu::with_avx2;
use super::{Vectors, prefetch_read, prefetch_write};
use crate::batch::{set_ahead, test_ahead};
use crate::bits::{Mask, scale};

/// A cache line of most machines.
pub(crate) type Line = [u8; 64];

/// The line of a hash.
#[inline(always)]
pub(crate) fn line_of(hash: u64, lines: usize) -> usize {
    scale(hash, lines as u64) as usize
}

#[inline(always)]
fn line(lines: &[Line], hash: u64) -> &Line {
    &lines[line_of(hash, lines.len())]
}

/// Whether every one of the key's items is above zero.
#[inline(always)]
pub(crate) fn test<const LINE: u32>(cpu: Vectors, lines: &[Line], hash: u64, probes: u32) -> bool {
    // Indexed by the kernel: its callers have better use for their registers.
    with_avx2!(
        cpu,
        |cpu| avx2::test::<LINE>(cpu, lines, hash, probes),
        scalar::test::<LINE>(line(lines, hash), hash, probes)
    )
}

/// [`test`] of every hash.
pub(crate) fn test_many<const LINE: u32>(
    cpu: Vectors,
    lines: &[Line],
    hashes: &[u64],
    probes: u32,
    hits: &mut Mask,
) {
    with_avx2!(
        cpu,
        |cpu| avx2::test_many::<LINE>(cpu, lines, hashes, probes, hits),
        test_each(lines, hashes, hits, |line, hash| scalar::test::<LINE>(line, hash, probes))
    );
}

/// Sets every bit of the key in its line of 512 bits; whether one of them was clear.
#[inline(always)]
pub(crate) fn set(cpu: Vectors, lines: &mut [Line], hash: u64, probes: u32) -> bool {
    let at = line_of(hash, lines.len());
    let line = &mut lines[at];
    with_avx2!(cpu, |cpu| avx2::set(cpu, line, hash, probes), scalar::set(line, hash, probes))
}

/// [`set`] of every hash; gives how many had a clear bit.
pub(crate) fn set_many(cpu: Vectors, lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
    with_avx2!(
        cpu,
        |cpu| avx2::set_many(cpu, lines, hashes, probes),
        set_each(lines, hashes, |line, hash| scalar::set(line, hash, probes))
    )
}

/// Adds one to every counter of the key in its line of 128 counters, but for those at 15; whether one was 0.
#[inline(always)]
pub(crate) fn increment(cpu: Vectors, lines: &mut [Line], hash: u64, probes: u32) -> bool {
    let at = line_of(hash, lines.len());
    let line = &mut lines[at];
    with_avx2!(cpu, |cpu| avx2::increment(cpu, line, hash, probes), scalar::increment(line, hash, probes))
}

/// [`increment`] of every hash; gives how many had a counter at 0.
pub(crate) fn increment_many(cpu: Vectors, lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
    with_avx2!(
        cpu,
        |cpu| avx2::increment_many(cpu, lines, hashes, probes),
        set_each(lines, hashes, |line, hash| scalar::increment(line, hash, probes))
    )
}

#[inline(always)]
fn set_each(lines: &mut [Line], hashes: &[u64], set: impl Fn(&mut Line, u64) -> bool) -> usize {
    let count = lines.len();
    let at = |hash| line_of(hash, count);
    let fetch = |lines: &[Line], hash| prefetch_write(lines, at(hash));
    set_ahead(lines, hashes, fetch, |lines, hash| set(&mut lines[at(hash)], hash))
}

#[inline(always)]
fn test_each(lines: &[Line], hashes: &[u64], hits: &mut Mask, test: impl Fn(&Line, u64) -> bool) {
    let at = |hash| line_of(hash, lines.len());
    let fetch = |hash| prefetch_read(lines, at(hash));
    test_ahead(hashes, hits, fetch, |hash| test(line(lines, hash), hash));
}

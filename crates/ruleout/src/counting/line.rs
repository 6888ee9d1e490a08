//! A line of counters: two to a byte, the even one in the low half.

use super::probe::Positions;
use crate::math::counting::STICKY_AT;
pub(super) use crate::simd::line::Line;

/// A key's counters in one word of a line.
///
/// The line is eight words of sixteen counters. Whether a counter has come up before is kept in a bit for each.
struct Counter {
    word: usize,
    shift: u32,
    first: bool,
}

/// The counters of a key, in the order of its probes.
#[inline(always)]
fn counters(hash: u64, probes: u32) -> impl Iterator<Item = Counter> {
    let mut seen = 0u128;
    Positions::in_line(hash, probes).map(move |at| {
        let first = seen >> at & 1 == 0;
        seen |= 1 << at;
        Counter { word: (at / 16) as usize, shift: (at % 16 * 4) as u32, first }
    })
}

#[inline(always)]
fn word(line: &Line, index: usize) -> u64 {
    u64::from_le_bytes(line.as_chunks().0[index])
}

/// Adds `change` where a counter of the key is below 15, once for each counter.
#[inline(always)]
fn change(line: &mut Line, hash: u64, probes: u32, change: impl Fn(u64, u64) -> u64) -> bool {
    let mut fresh = false;
    for Counter { word: at, shift, first } in counters(hash, probes) {
        let old = word(line, at);
        let value = old >> shift & 0xf;
        fresh |= first & (value == 0);
        let one = u64::from(first & (value < u64::from(STICKY_AT))) << shift;
        line.as_chunks_mut().0[at] = change(old, one).to_le_bytes();
    }
    fresh
}

/// Counts one more key at each of its counters; whether one of them was 0. A counter at 15 stays there.
#[inline(always)]
pub(super) fn increment(line: &mut Line, hash: u64, probes: u32) -> bool {
    change(line, hash, probes, |word, one| word + one)
}

/// Counts one key less at each of its counters, unless one of them is 0: whether that was so. A counter that
/// has reached 15 may stand for more keys than it can say, and stays there for ever.
pub(super) fn decrement(line: &mut Line, hash: u64, probes: u32) -> bool {
    if least(line, hash, probes) == 0 {
        return false;
    }
    change(line, hash, probes, |word, one| word - one);
    true
}

/// The least of the key's counters.
pub(super) fn least(line: &Line, hash: u64, probes: u32) -> u8 {
    let values = counters(hash, probes).map(|at| (word(line, at.word) >> at.shift & 0xf) as u8);
    values.min().unwrap_or(STICKY_AT)
}

/// Adds `from` to `into`, counter by counter, up to 15.
pub(super) fn add(into: &mut Line, from: &Line) {
    for (a, b) in into.iter_mut().zip(from) {
        let low = ((*a & 0xf) + (b & 0xf)).min(STICKY_AT);
        let high = ((*a >> 4) + (b >> 4)).min(STICKY_AT);
        *a = low | high << 4;
    }
}

/// The set of counters above 0: bit `i` stands for counter `i`.
pub(super) fn nonzero(line: &Line) -> u128 {
    line.iter().enumerate().fold(0, |set, (i, byte)| {
        let pair = u128::from(byte & 0xf != 0) | u128::from(byte >> 4 != 0) << 1;
        set | pair << (2 * i)
    })
}

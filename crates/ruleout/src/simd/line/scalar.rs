//! The twin that runs everywhere.

use super::Line;
use crate::bits::LinePositions;

/// The lowest bit of every counter of a word.
const ONES: u64 = 0x1111_1111_1111_1111;

/// The lowest bit of each of the key's items, as the line's eight words of 64 bits. An item that comes up twice is
/// there once.
#[inline(always)]
pub(crate) fn mask<const LINE: u32>(hash: u64, probes: u32) -> [u64; 8] {
    let mut mask = [0; 8];
    for item in LinePositions::<LINE>::in_line(hash, probes) {
        let bit = item * u64::from(512 / LINE);
        mask[(bit / 64) as usize] |= 1 << (bit % 64);
    }
    mask
}

/// The counters of a word that are 0, and those that are 15, each by its lowest bit.
#[inline(always)]
pub(crate) fn zero_and_full(word: u64) -> (u64, u64) {
    let any = word | word >> 1 | word >> 2 | word >> 3;
    let all = word & word >> 1 & word >> 2 & word >> 3;
    (!any & ONES, all & ONES)
}

#[inline(always)]
pub(crate) fn set(line: &mut Line, hash: u64, probes: u32) -> bool {
    let mut fresh = 0;
    for (word, mask) in line.as_chunks_mut().0.iter_mut().zip(mask::<512>(hash, probes)) {
        let old = u64::from_le_bytes(*word);
        fresh |= mask & !old;
        *word = (old | mask).to_le_bytes();
    }
    fresh != 0
}

#[inline(always)]
pub(crate) fn increment(line: &mut Line, hash: u64, probes: u32) -> bool {
    let mut fresh = 0;
    for (word, mask) in line.as_chunks_mut().0.iter_mut().zip(mask::<128>(hash, probes)) {
        let old = u64::from_le_bytes(*word);
        let (zero, full) = zero_and_full(old);
        fresh |= mask & zero;
        *word = (old + (mask & !full)).to_le_bytes();
    }
    fresh != 0
}

#[inline(always)]
pub(crate) fn test<const LINE: u32>(line: &Line, hash: u64, probes: u32) -> bool {
    let width = 512 / LINE;
    LinePositions::<LINE>::in_line(hash, probes).all(|item| {
        let bit = item as u32 * width;
        line[(bit / 8) as usize] >> (bit % 8) & ((1u16 << width) - 1) as u8 != 0
    })
}

//! A line of counters: two to a byte, the even one in the low half.

use super::probe::Positions;
use crate::math::counting::{LINE_COUNTERS, STICKY_AT};
pub(super) use crate::simd::line::Line;
use crate::simd::line::scalar::{mask, zero_and_full};

/// Counts one key less at each of its counters, unless one of them is 0: whether that was so. A counter that
/// has reached 15 may stand for more keys than it can say, and stays there for ever.
pub(super) fn decrement(line: &mut Line, hash: u64, probes: u32) -> bool {
    let mask = mask::<LINE_COUNTERS>(hash, probes);
    let words = line.as_chunks_mut().0;
    if words.iter().zip(mask).any(|(word, mask)| mask & zero_and_full(u64::from_le_bytes(*word)).0 != 0) {
        return false;
    }
    for (word, mask) in words.iter_mut().zip(mask) {
        let old = u64::from_le_bytes(*word);
        *word = (old - (mask & !zero_and_full(old).1)).to_le_bytes();
    }
    true
}

/// The least of the key's counters.
pub(super) fn least(line: &Line, hash: u64, probes: u32) -> u8 {
    let values = Positions::in_line(hash, probes).map(|at| line[(at / 2) as usize] >> (at % 2 * 4) & 0xf);
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

//! Bits and bytes: the aligned buffer, the answer mask, positions.

mod buf;
mod line;
mod mask;

pub use buf::Buf;
pub(crate) use line::{GROUP, LinePositions, MULTIPLIERS, STEP, group_word};
pub use mask::Mask;

/// The high 64 bits of `hash · range`: maps a uniform 64-bit hash to a uniform position below `range`.
///
/// This is the multiply-shift of Lemire, "Fast Random Integer Generation in an Interval" (2019), §4: no
/// division, any range up to 2^64 − 1, a bias below range · 2^-64.
#[inline(always)]
pub(crate) fn scale(hash: u64, range: u64) -> u64 {
    ((u128::from(hash) * u128::from(range)) >> 64) as u64
}

/// The number of set bits in `bytes`.
pub(crate) fn count_ones(bytes: &[u8]) -> u64 {
    let (words, tail) = bytes.as_chunks::<8>();
    let whole: u64 = words.iter().map(|w| u64::from(u64::from_le_bytes(*w).count_ones())).sum();
    whole + tail.iter().map(|b| u64::from(b.count_ones())).sum::<u64>()
}

/// ORs `from` into `into`, byte by byte; the lengths are equal.
pub(crate) fn or_into(into: &mut [u8], from: &[u8]) {
    debug_assert_eq!(into.len(), from.len());
    for (a, b) in into.iter_mut().zip(from) {
        *a |= b;
    }
}

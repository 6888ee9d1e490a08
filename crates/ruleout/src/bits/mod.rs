//! Bits and bytes: the aligned buffer, the answer mask, positions.

mod buf;
mod count;
mod line;
mod mask;

pub use buf::Buf;
pub(crate) use count::{count_lines, count_ones};
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

/// [`scale`], and the low 64 bits of the product: where in its position the hash lies, uniform and independent of
/// it.
#[inline(always)]
pub(crate) fn scale_with_rest(hash: u64, range: u64) -> (u64, u64) {
    let product = u128::from(hash) * u128::from(range);
    ((product >> 64) as u64, product as u64)
}

/// ORs `from` into `into`, byte by byte; the lengths are equal.
pub(crate) fn or_into(into: &mut [u8], from: &[u8]) {
    debug_assert_eq!(into.len(), from.len());
    for (a, b) in into.iter_mut().zip(from) {
        *a |= b;
    }
}

//! Where a key's line is, and its counters there.

use crate::bitmap::LinePositions;
use crate::bits::scale;
use crate::math::counting::LINE_COUNTERS;

/// The counters of one key, all in the line that the high bits of the hash choose; one may come up twice.
pub(super) type Positions = LinePositions<LINE_COUNTERS>;

/// The line of a key, and the set of its counters there: bit `i` stands for counter `i`.
#[inline(always)]
pub(super) fn counters(hash: u64, lines: u64, probes: u32) -> (u64, u128) {
    let set = LinePositions::<LINE_COUNTERS>::in_line(hash, probes).fold(0, |set, at| set | 1u128 << at);
    (scale(hash, lines), set)
}

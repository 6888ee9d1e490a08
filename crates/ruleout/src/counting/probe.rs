//! Where a key's line is, and its counters there.

use crate::bits::LinePositions;
use crate::math::counting::LINE_COUNTERS;

/// The counters of one key, all in the line that the high bits of the hash choose; one may come up twice.
pub(super) type Positions = LinePositions<LINE_COUNTERS>;

//! Where a key's line is, and its bits there.

use crate::bits::LinePositions;
use crate::math::blocked::LINE_BITS;

/// The positions of one key: all in the line that the high bits of the hash choose.
pub(super) type Positions = LinePositions<LINE_BITS>;

//! The line before the blocks: what is in the table, counted.

use super::block::{set_u64_at, u64_at};

/// The bytes of the line that hold a count; the rest are zero.
pub(super) const USED_BYTES: usize = 24;

/// What the control line says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Control {
    /// The slots in use.
    pub(super) used: u64,
    /// The distinct fingerprints.
    pub(super) distinct: u64,
    /// The copies of all fingerprints.
    pub(super) copies: u64,
}

impl Control {
    #[inline(always)]
    pub(super) fn read(payload: &[u8]) -> Self {
        Self { used: u64_at(payload, 0), distinct: u64_at(payload, 8), copies: u64_at(payload, 16) }
    }

    #[inline(always)]
    pub(super) fn write(self, payload: &mut [u8]) {
        set_u64_at(payload, 0, self.used);
        set_u64_at(payload, 8, self.distinct);
        set_u64_at(payload, 16, self.copies);
    }
}

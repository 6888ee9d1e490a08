//! Going through a table in order.

use super::block::{SLOTS, Shape, Table};

/// The fingerprints of a quotient filter in ascending order, each with its number of copies; see
/// [`Native::fingerprints`](crate::Native::fingerprints).
#[derive(Clone)]
pub struct Fingerprints<'a> {
    table: Table<'a>,
    /// The block whose quotients are gone through, and those of them still to come.
    block: u64,
    occupieds: u64,
    /// The quotient whose run is being read.
    quotient: Option<u64>,
    /// The next slot to read.
    slot: u64,
}

impl<'a> Fingerprints<'a> {
    pub(super) fn new(shape: Shape, payload: &'a [u8]) -> Self {
        let table = Table::new(shape, payload);
        Self { table, block: 0, occupieds: table.occupieds(0), quotient: None, slot: 0 }
    }

    fn next_quotient(&mut self) -> Option<u64> {
        while self.occupieds == 0 {
            self.block += 1;
            if self.block >= self.table.shape.blocks() {
                return None;
            }
            self.occupieds = self.table.occupieds(self.block);
        }
        let quotient = self.block * SLOTS + u64::from(self.occupieds.trailing_zeros());
        self.occupieds &= self.occupieds - 1;
        Some(quotient)
    }
}

impl Iterator for Fingerprints<'_> {
    type Item = (u64, u64);

    #[inline]
    fn next(&mut self) -> Option<(u64, u64)> {
        let quotient = match self.quotient {
            Some(quotient) => quotient,
            None => {
                let quotient = self.next_quotient()?;
                self.slot = self.slot.max(quotient);
                quotient
            }
        };
        let shape = self.table.shape;
        if self.slot >= shape.physical_slots() {
            // Marks that no writer makes: more runs than the slots have room for.
            self.occupieds = 0;
            self.block = shape.blocks();
            return None;
        }
        let entry = self.table.entry(self.slot);
        self.slot = entry.next;
        self.quotient = (!entry.ends_run).then_some(quotient);
        Some((quotient << shape.bits | entry.remainder, entry.count))
    }
}

impl core::iter::FusedIterator for Fingerprints<'_> {}

impl core::fmt::Debug for Fingerprints<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Fingerprints").field("slot", &self.slot).finish_non_exhaustive()
    }
}

//! Writing a table from its fingerprints in ascending order: one sequential pass, no shifting.

use super::block::{SLOTS, Shape, TableMut};
use super::control::Control;
use super::entry::{slots_needed, slots_of};
use super::insert::{NoRoom, insert, insert_many};
use crate::error::{BatchError, InsertError};
use crate::traits::Inserted;

/// Appends to an empty table.
pub(super) struct Writer<'a> {
    table: TableMut<'a>,
    control: Control,
    /// The quotient of the last run, with the slot after it.
    last: Option<(u64, u64)>,
    /// The first block whose offset is not written yet.
    block: u64,
}

impl<'a> Writer<'a> {
    /// A writer of the table in `payload`, which is all zero.
    pub(super) fn new(shape: Shape, payload: &'a mut [u8]) -> Self {
        Self { table: TableMut::new(shape, payload), control: Control::default(), last: None, block: 1 }
    }

    /// Appends `count` copies of a fingerprint above all those before it.
    ///
    /// # Errors
    /// [`NoRoom`] when they do not fit; the table is then as it was.
    #[inline]
    pub(super) fn append(&mut self, fingerprint: u64, count: u64) -> Result<(), NoRoom> {
        let shape = self.table.shape;
        let (quotient, remainder) = shape.split(fingerprint);
        let needed = slots_needed(count, shape.bits);
        let used = self.control.used + needed;
        let copies = self.control.copies.checked_add(count).ok_or(NoRoom)?;
        let (last, end) = self.last.map_or((None, 0), |(quotient, end)| (Some(quotient), end));
        let start = end.max(quotient);
        if used > shape.limit() || start + needed > shape.physical_slots() {
            return Err(NoRoom);
        }
        if last == Some(quotient) {
            self.table.set_run_end(end - 1, false);
        } else {
            self.write_offsets(quotient / SLOTS, end);
            self.table.set_occupied(quotient, true);
        }
        if count == 1 {
            self.table.set_remainder(start, remainder);
        } else {
            for (slot, value) in (start..).zip(slots_of(remainder, count, shape.bits)) {
                self.table.set_remainder(slot, value);
            }
        }
        self.table.set_run_end(start + needed - 1, true);
        self.last = Some((quotient, start + needed));
        self.control = Control { used, distinct: self.control.distinct + 1, copies };
        Ok(())
    }

    /// Writes what is known only now that nothing follows.
    pub(super) fn finish(mut self) {
        if let Some((_, end)) = self.last {
            self.write_offsets(end.div_ceil(SLOTS) - 1, end);
        }
        self.control.write(self.table.payload());
    }

    /// Writes the offsets of all blocks up to `block`, before the first of which the runs so far end at `end`.
    #[inline(always)]
    fn write_offsets(&mut self, block: u64, end: u64) {
        while self.block <= block {
            self.table.set_offset(self.block, end.saturating_sub(self.block * SLOTS));
            self.block += 1;
        }
    }
}

/// Inserts ascending hashes into an empty table, up to the first refused; gives the number of new ones.
pub(super) fn fill(
    shape: Shape,
    payload: &mut [u8],
    hashes: impl Iterator<Item = u64>,
    full: impl Fn(&[u8]) -> InsertError,
) -> Result<usize, BatchError> {
    let mut hashes = hashes.peekable();
    let (mut applied, mut new) = (0, 0);
    let mut writer = Writer::new(shape, payload);
    while let Some(first) = hashes.next() {
        let fingerprint = shape.fingerprint(first);
        let mut count = 1;
        while hashes.next_if(|&hash| shape.fingerprint(hash) == fingerprint).is_some() {
            count += 1;
        }
        if writer.append(fingerprint, count).is_ok() {
            applied += count as usize;
            new += 1;
            continue;
        }
        // Not all copies fit, but some may.
        writer.finish();
        for hash in core::iter::repeat_n(first, count as usize).chain(hashes) {
            match insert(&shape, payload, hash) {
                Ok(inserted) => new += usize::from(inserted == Inserted::New),
                Err(NoRoom) => return Err(BatchError { applied, source: full(payload) }),
            }
            applied += 1;
        }
        return Ok(new);
    }
    writer.finish();
    Ok(new)
}

/// Inserts hashes in any order, up to the first refused; gives the number of new ones.
pub(super) fn insert_batch(
    shape: Shape,
    payload: &mut [u8],
    hashes: &[u64],
    full: impl Fn(&[u8]) -> InsertError,
) -> Result<usize, BatchError> {
    if Control::read(payload) == Control::default() && hashes.is_sorted() {
        fill(shape, payload, hashes.iter().copied(), full)
    } else {
        insert_many(shape, payload, hashes, full)
    }
}

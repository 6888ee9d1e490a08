//! Whether a payload is one that some multiset of fingerprints has.
//!
//! There is exactly one for each, so all that is left to chance is the multiset: everything else in the bytes is
//! checked, in one pass and without memory.

use super::block::{CONTROL_BYTES, SATURATED, SLOTS, Shape, Table, below};
use super::control::{Control, USED_BYTES};
use super::entry::{Entry, PLAIN, slots_of};
use crate::error::OpenError;

/// Refuses any other payload.
pub(super) fn check(shape: Shape, payload: &[u8]) -> Result<(), OpenError> {
    let found = Control::read(payload);
    let rest = &payload[USED_BYTES..CONTROL_BYTES];
    if let Some(&byte) = rest.iter().find(|&&byte| byte != 0) {
        return Err(invalid("control byte", u64::from(byte), "0 in the reserved part"));
    }
    let counted = Walk { table: Table::new(shape, payload), slot: 0, counted: Control::default() }.walk()?;
    for (field, found, counted) in [
        ("number of slots in use", found.used, counted.used),
        ("number of distinct fingerprints", found.distinct, counted.distinct),
        ("number of copies", found.copies, counted.copies),
    ] {
        if found != counted {
            return Err(invalid(field, found, "what the slots hold"));
        }
    }
    if counted.used > shape.limit() {
        return Err(invalid("number of slots in use", counted.used, "at most the limit"));
    }
    Ok(())
}

struct Walk<'a> {
    table: Table<'a>,
    /// The slot after the last run.
    slot: u64,
    counted: Control,
}

impl Walk<'_> {
    fn walk(mut self) -> Result<Control, OpenError> {
        let shape = self.table.shape;
        for block in 0..shape.blocks() {
            let offset = self.table.offset(block);
            if offset != self.slot.saturating_sub(block * SLOTS).min(SATURATED) {
                return Err(invalid("offset", offset, "the slots that earlier runs take"));
            }
            let mut occupieds = self.table.occupieds(block);
            let own = below(shape.slots.saturating_sub(block * SLOTS).min(SLOTS) as u32);
            if occupieds & !own != 0 {
                return Err(invalid("quotient mark", occupieds & !own, "0 past the last quotient"));
            }
            while occupieds != 0 {
                let quotient = block * SLOTS + u64::from(occupieds.trailing_zeros());
                occupieds &= occupieds - 1;
                self.skip_free(quotient)?;
                self.walk_run()?;
            }
        }
        self.skip_free(shape.physical_slots())?;
        Ok(self.counted)
    }

    /// Goes on to `slot`, over slots that no run takes.
    fn skip_free(&mut self, slot: u64) -> Result<(), OpenError> {
        while self.slot < slot {
            let remainder = self.table.remainder(self.slot);
            if remainder != 0 {
                return Err(invalid("remainder", remainder, "0 in a free slot"));
            }
            if self.table.is_run_end(self.slot) {
                return Err(invalid("run end", self.slot, "no mark at a free slot"));
            }
            self.slot += 1;
        }
        Ok(())
    }

    /// Goes over one run.
    fn walk_run(&mut self) -> Result<(), OpenError> {
        let slots = self.table.shape.physical_slots();
        let mut last = None;
        loop {
            if self.slot >= slots {
                return Err(invalid("run", slots, "an end before the last slot's"));
            }
            let entry = self.table.entry(self.slot);
            if last.is_some_and(|last| last >= entry.remainder) {
                return Err(invalid("remainder", entry.remainder, "more than the one before it in the run"));
            }
            self.check_entry(&entry)?;
            self.counted.used += entry.next - self.slot;
            self.counted.distinct += 1;
            let copies = self.counted.copies.checked_add(entry.count);
            self.counted.copies = copies.ok_or(invalid("count", entry.count, "copies that 64 bits count"))?;
            self.slot = entry.next;
            last = Some(entry.remainder);
            if entry.ends_run {
                // The last slot ends a run whether it says so or not.
                return if self.table.is_run_end(entry.next - 1) {
                    Ok(())
                } else {
                    Err(invalid("run", entry.next, "an end before the last slot's"))
                };
            }
        }
    }

    /// Refuses a count that is not written in the one way there is to write it.
    fn check_entry(&self, entry: &Entry) -> Result<(), OpenError> {
        // One or two copies can be written in no other way.
        let slots = self.slot..entry.next;
        let found = slots.map(|slot| self.table.remainder(slot));
        if entry.count >= PLAIN && !slots_of(entry.remainder, entry.count, self.table.shape.bits).eq(found) {
            return Err(invalid(
                "count",
                entry.count,
                "the shortest digits, all of them, and 64 bits at most",
            ));
        }
        Ok(())
    }
}

fn invalid(field: &'static str, value: u64, allowed: &'static str) -> OpenError {
    OpenError::Invalid { field, value, allowed }
}

//! Removing a fingerprint.

use super::block::{SATURATED, SLOTS, Shape, TableMut};
use super::control::Control;
use super::entry::{Entry, PLAIN};
use super::probe::Place;
use crate::simd::{Kernel, WordOps, run};

/// Takes out one copy of the fingerprint of `hash`; `false`, and nothing changes, when there is none.
pub(super) fn remove(shape: &Shape, payload: &mut [u8], hash: u64) -> bool {
    struct Remove<'a>(&'a Shape, u64);
    impl<'a> Kernel for Remove<'a> {
        type Data = &'a mut [u8];
        type Output = bool;

        #[inline(always)]
        fn run(self, payload: &'a mut [u8], ops: impl WordOps) -> bool {
            let Self(&shape, hash) = self;
            TableMut::new(shape, payload).remove(shape.fingerprint(hash), ops)
        }
    }
    run(Remove(shape, hash), payload)
}

impl TableMut<'_> {
    #[inline(always)]
    fn remove(&mut self, fingerprint: u64, ops: impl WordOps) -> bool {
        let quotient = self.shape.split(fingerprint).0;
        let Place::Found { slot, entry, run_start } = self.read().seek(fingerprint, ops) else {
            return false;
        };
        let mut freed = 1;
        match entry.count {
            1 | 2 => self.take(quotient, slot, run_start, ops),
            3 => {
                self.take(quotient, entry.next - 1, run_start, ops);
                self.take(quotient, slot, run_start, ops);
                freed = 2;
            }
            _ => freed = self.take_copy(quotient, slot, entry, run_start, ops),
        }
        let mut control = Control::read(self.payload());
        control.used = control.used.saturating_sub(freed);
        control.distinct = control.distinct.saturating_sub(u64::from(entry.count == 1));
        control.copies = control.copies.saturating_sub(1);
        control.write(self.payload());
        true
    }

    /// Takes one off an entry with digits that say more than 0; gives the number of slots that became free.
    #[cold]
    fn take_copy(&mut self, quotient: u64, slot: u64, entry: Entry, start: u64, ops: impl WordOps) -> u64 {
        let more = 1 << (self.shape.bits - 1);
        let (first, top) = (slot + PLAIN, entry.next - 1);
        // Zeros below the lowest digit that is not: they borrow from it.
        let mut digit = first;
        while digit < top && self.read().remainder(digit) & (more - 1) == 0 {
            self.set_remainder(digit, more | (more - 1));
            digit += 1;
        }
        let value = self.read().remainder(digit).saturating_sub(1);
        self.set_remainder(digit, value);
        if value > 0 || digit < top || top <= first {
            return 0;
        }
        // The top digit became 0, and is not the only one.
        self.take(quotient, top, start, ops);
        let value = self.read().remainder(top - 1);
        self.set_remainder(top - 1, value & (more - 1));
        1
    }

    /// Takes a slot out of the run of `quotient` and moves what was pushed up by it back down.
    #[inline(always)]
    fn take(&mut self, quotient: u64, slot: u64, run_start: u64, ops: impl WordOps) {
        let last = self.read().end_of_shifted(slot, ops).min(self.shape.physical_slots()) - 1;
        if self.read().is_run_end(slot) {
            if slot > run_start {
                self.set_run_end(slot - 1, true);
            } else {
                self.set_occupied(quotient, false);
            }
        }
        let mut low = (slot % SLOTS) as u32;
        for block in slot / SLOTS..last / SLOTS {
            self.shift_down_in(block, low, (SLOTS - 1) as u32);
            let carried = (block + 1) * SLOTS;
            let (remainder, is_end) = (self.read().remainder(carried), self.read().is_run_end(carried));
            self.set_remainder(carried - 1, remainder);
            self.set_run_end(carried - 1, is_end);
            low = 0;
        }
        self.shift_down_in(last / SLOTS, low, (last % SLOTS) as u32);
        self.set_remainder(last, 0);
        self.set_run_end(last, false);
        self.lower_offsets(quotient / SLOTS + 1, last / SLOTS, ops);
    }

    /// Lowers the offsets of the blocks `first` to `last` by one.
    #[inline(always)]
    fn lower_offsets(&mut self, first: u64, last: u64, ops: impl WordOps) {
        let mut before = None;
        for block in first..=last {
            let stored = self.read().offset(block);
            let offset = match (stored, before) {
                // What is stored may be less than what is so: it has to be counted anew.
                (SATURATED, None) => self.read().exact_offset(block, ops),
                (SATURATED, Some(before)) => self.read().next_offset(block - 1, before, ops),
                (stored, _) => stored.saturating_sub(1),
            };
            self.set_offset(block, offset);
            before = Some(offset);
        }
    }
}

//! Looking a fingerprint up.

use super::block::{REMAINDERS, SLOTS, Shape, Table};
use super::entry::Entry;
use crate::bits::Mask;
use crate::simd::{Kernel, WordOps, prefetch_read, prefetch_write, run};

/// How many keys ahead a batch asks for memory.
pub(super) const AHEAD: usize = 12;

impl Table<'_> {
    /// Whether the fingerprint is in the table.
    #[inline(always)]
    fn contains(&self, fingerprint: u64, ops: impl WordOps) -> bool {
        let (quotient, remainder) = self.shape.split(fingerprint);
        match self.contains_near(quotient, remainder, ops) {
            Some(found) => found,
            None => self.contains_far(quotient, remainder, ops),
        }
    }

    /// Whether the remainder is in the run of `quotient`, which there is.
    #[inline(always)]
    fn contains_far(&self, quotient: u64, remainder: u64, ops: impl WordOps) -> bool {
        let slots = self.shape.physical_slots();
        let mut slot = self.run_start(quotient, ops);
        while slot < slots {
            let found = self.remainder(slot);
            if found >= remainder {
                return found == remainder;
            }
            let entry = self.entry(slot);
            if entry.ends_run {
                break;
            }
            slot = entry.next;
        }
        false
    }

    /// Where the fingerprint is or would be.
    #[inline(always)]
    pub(super) fn seek(&self, fingerprint: u64, ops: impl WordOps) -> Place {
        let (quotient, remainder) = self.shape.split(fingerprint);
        let start = self.run_start(quotient, ops);
        if !self.is_occupied(quotient) {
            return Place::NewRun { slot: start };
        }
        let slots = self.shape.physical_slots();
        let mut slot = start;
        while slot < slots {
            let entry = self.entry(slot);
            if entry.remainder == remainder {
                return Place::Found { slot, entry, run_start: start };
            }
            if entry.remainder > remainder {
                return Place::Before { slot };
            }
            slot = entry.next;
            if entry.ends_run {
                break;
            }
        }
        Place::AfterRun { slot }
    }
}

/// Where a fingerprint is or would be.
pub(super) enum Place {
    /// Its quotient has no run, which would start at `slot`.
    NewRun { slot: u64 },
    /// Its run holds larger remainders from `slot` on.
    Before { slot: u64 },
    /// Its run, with smaller remainders only, ends before `slot`.
    AfterRun { slot: u64 },
    /// Its entry is at `slot` in the run that starts at `run_start`.
    Found { slot: u64, entry: Entry, run_start: u64 },
}

/// Whether the fingerprint of `hash` is in the table.
#[inline]
pub(super) fn contains(shape: Shape, payload: &[u8], hash: u64) -> bool {
    struct Contains<'a>(Table<'a>, u64);
    impl Kernel for Contains<'_> {
        type Output = bool;

        #[inline(always)]
        fn run(self, ops: impl WordOps) -> bool {
            self.0.contains(self.1, ops)
        }
    }
    let fingerprint = shape.fingerprint(hash);
    // The remainders are asked for along with the marks that say which of them to read.
    prefetch_read(payload, shape.likely_remainder(fingerprint));
    run(Contains(Table::new(shape, payload), fingerprint))
}

/// [`contains`] of each hash, with the memory of later ones asked for ahead.
pub(super) fn contains_many(shape: Shape, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
    struct ContainsMany<'a>(Shape, &'a [u8], &'a [u64], &'a mut Mask);
    impl Kernel for ContainsMany<'_> {
        type Output = ();

        #[inline(always)]
        fn run(self, ops: impl WordOps) {
            let Self(shape, payload, hashes, hits) = self;
            let table = Table::new(shape, payload);
            hashes
                .iter()
                .take(AHEAD)
                .for_each(|&hash| ask_ahead(shape, hash, |at| prefetch_read(payload, at)));
            hits.reset(hashes.len());
            // No closure around the probe: it would be compiled without the instructions for `ops`.
            for (i, &hash) in hashes.iter().enumerate() {
                if let Some(&hash) = hashes.get(i + AHEAD) {
                    ask_ahead(shape, hash, |at| prefetch_read(payload, at));
                }
                hits.set(i, table.contains(shape.fingerprint(hash), ops));
            }
        }
    }
    run(ContainsMany(shape, payload, hashes, hits));
}

/// How many copies of the fingerprint of `hash` the table holds.
pub(super) fn count(shape: Shape, payload: &[u8], hash: u64) -> u64 {
    struct Count<'a>(Table<'a>, u64);
    impl Kernel for Count<'_> {
        type Output = u64;

        #[inline(always)]
        fn run(self, ops: impl WordOps) -> u64 {
            match self.0.seek(self.1, ops) {
                Place::Found { entry, .. } => entry.count,
                _ => 0,
            }
        }
    }
    run(Count(Table::new(shape, payload), shape.fingerprint(hash)))
}

/// Asks for the memory an insertion of `hash` is about to change.
#[inline(always)]
pub(super) fn prefetch_insert(shape: Shape, payload: &[u8], hash: u64) {
    ask_ahead(shape, hash, |at| prefetch_write(payload, at));
}

/// Asks for the marks of the hash's block, and for the likely remainders.
#[inline(always)]
fn ask_ahead(shape: Shape, hash: u64, ask: impl Fn(usize)) {
    let fingerprint = shape.fingerprint(hash);
    ask(shape.block_start(shape.split(fingerprint).0 / SLOTS));
    ask(shape.likely_remainder(fingerprint));
}

impl Shape {
    /// A byte of the payload in or near the run the fingerprint would be in: a little behind its quotient's own slot.
    #[inline(always)]
    pub(super) fn likely_remainder(self, fingerprint: u64) -> usize {
        let quotient = self.split(fingerprint).0;
        let slot = (quotient % SLOTS) as usize + 4;
        self.block_start(quotient / SLOTS) + REMAINDERS + slot * self.bits as usize / 8
    }
}

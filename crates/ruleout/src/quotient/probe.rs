//! Looking a fingerprint up.

use core::marker::PhantomData;

use super::block::{REMAINDERS, SLOTS, Shape, Table};
use super::entry::Entry;
use crate::bits::Mask;
use crate::simd::{Kernel, WordOps, prefetch_read, prefetch_write, run};

/// How many keys ahead a batch asks for memory.
pub(super) const AHEAD: usize = 12;

/// Whether the fingerprint of `hash` is in the table.
#[inline(always)]
fn is_in(shape: &Shape, payload: &[u8], fingerprint: u64, ops: impl WordOps) -> bool {
    let (quotient, remainder) = shape.split(fingerprint);
    match Table::new(*shape, payload).contains_near(quotient, remainder, ops) {
        Some(found) => found,
        None => ops.apart(ContainsFar(shape, fingerprint), payload),
    }
}

impl Table<'_> {
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

/// Whether a fingerprint is there, when its quotient has a run.
struct ContainsFar<'a>(&'a Shape, u64);

impl<'a> Kernel for ContainsFar<'a> {
    type Data = &'a [u8];
    type Output = bool;

    #[inline(always)]
    fn run(self, payload: &'a [u8], ops: impl WordOps) -> bool {
        let (quotient, remainder) = self.0.split(self.1);
        Table::new(*self.0, payload).contains_far(quotient, remainder, ops)
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
pub(super) fn contains(shape: &Shape, payload: &[u8], hash: u64) -> bool {
    struct Contains<'a>(&'a Shape, u64);
    impl<'a> Kernel for Contains<'a> {
        type Data = &'a [u8];
        type Output = bool;

        #[inline(always)]
        fn run(self, payload: &'a [u8], ops: impl WordOps) -> bool {
            let Self(shape, hash) = self;
            let fingerprint = shape.fingerprint(hash);
            is_in(shape, payload, fingerprint, ops)
        }
    }
    run(Contains(shape, hash), payload)
}

/// [`contains`] of each hash, with the memory of later ones asked for ahead.
pub(super) fn contains_many(shape: Shape, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
    struct ContainsMany<'a>(Shape, &'a [u64], &'a mut Mask);
    impl<'a> Kernel for ContainsMany<'a> {
        type Data = &'a [u8];
        type Output = ();

        #[inline(always)]
        fn run(self, payload: &'a [u8], ops: impl WordOps) {
            let Self(shape, hashes, hits) = self;
            hashes
                .iter()
                .take(AHEAD)
                .for_each(|&hash| ask_ahead(shape, hash, |at| prefetch_read(payload, at)));
            let words = hits.reset_words(hashes.len());
            // No closure around the probe: it would be compiled without the instructions for `ops`.
            for (w, (word, part)) in words.iter_mut().zip(hashes.chunks(64)).enumerate() {
                let ahead = hashes.get(w * 64 + AHEAD..).unwrap_or_default();
                for (i, &hash) in part.iter().enumerate() {
                    if let Some(&hash) = ahead.get(i) {
                        ask_ahead(shape, hash, |at| prefetch_read(payload, at));
                    }
                    *word |= u64::from(is_in(&shape, payload, shape.fingerprint(hash), ops)) << i;
                }
            }
        }
    }
    run(ContainsMany(shape, hashes, hits), payload);
}

/// How many copies of the fingerprint of `hash` the table holds.
pub(super) fn count(shape: Shape, payload: &[u8], hash: u64) -> u64 {
    struct Count<'a>(Shape, PhantomData<&'a [u8]>);
    impl<'a> Kernel for Count<'a> {
        type Data = (&'a [u8], u64);
        type Output = u64;

        #[inline(always)]
        fn run(self, (payload, hash): Self::Data, ops: impl WordOps) -> u64 {
            match Table::new(self.0, payload).seek(self.0.fingerprint(hash), ops) {
                Place::Found { entry, .. } => entry.count,
                _ => 0,
            }
        }
    }
    run(Count(shape, PhantomData), (payload, hash))
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

//! Inserting a fingerprint.

use core::marker::PhantomData;

use super::block::{SATURATED, SLOTS, Shape, TableMut};
use super::control::Control;
use super::entry::{Entry, PLAIN};
use super::near::Tried;
use super::probe::{AHEAD, Place, prefetch_insert};
use crate::error::{BatchError, InsertError};
use crate::simd::{Kernel, WordOps, prefetch_write, run};
use crate::traits::Inserted;

/// Why a key was not inserted: there is no room, and nothing changed.
pub(super) struct NoRoom;

/// Inserts one copy of the fingerprint of `hash`.
#[inline]
pub(super) fn insert(shape: &Shape, payload: &mut [u8], hash: u64) -> Result<Inserted, NoRoom> {
    struct Insert<'a>(&'a Shape, u64);
    impl<'a> Kernel for Insert<'a> {
        type Data = &'a mut [u8];
        type Output = Result<Inserted, NoRoom>;

        #[inline(always)]
        fn run(self, payload: &'a mut [u8], ops: impl WordOps) -> Self::Output {
            let Self(&shape, hash) = self;
            let fingerprint = shape.fingerprint(hash);
            prefetch_write(payload, shape.likely_remainder(fingerprint));
            TableMut::new(shape, payload).insert(fingerprint, ops)
        }
    }
    run(Insert(shape, hash), payload)
}

/// [`insert`] of each, up to the first refused, with the memory of later ones asked for ahead.
pub(super) fn insert_many(
    shape: Shape,
    payload: &mut [u8],
    hashes: &[u64],
    full: impl Fn(&[u8]) -> InsertError,
) -> Result<usize, BatchError> {
    struct InsertMany<'a, F>(Shape, &'a [u64], F);
    impl<'a, F: Fn(&[u8]) -> InsertError> Kernel for InsertMany<'a, F> {
        type Data = &'a mut [u8];
        type Output = Result<usize, BatchError>;

        #[inline(always)]
        fn run(self, payload: &'a mut [u8], ops: impl WordOps) -> Self::Output {
            let Self(shape, hashes, full) = self;
            hashes.iter().take(AHEAD).for_each(|&hash| prefetch_insert(shape, payload, hash));
            let mut new = 0;
            // No closure around the insertion: it would be compiled without the instructions for `ops`.
            for (applied, &hash) in hashes.iter().enumerate() {
                if let Some(&hash) = hashes.get(applied + AHEAD) {
                    prefetch_insert(shape, payload, hash);
                }
                match TableMut::new(shape, payload).insert(shape.fingerprint(hash), ops) {
                    Ok(inserted) => new += usize::from(inserted == Inserted::New),
                    Err(NoRoom) => return Err(BatchError { applied, source: full(payload) }),
                }
            }
            Ok(new)
        }
    }
    run(InsertMany(shape, hashes, full), payload)
}

/// [`TableMut::insert_far`].
struct InsertFar<'a>(Shape, u64, PhantomData<&'a mut [u8]>);

impl<'a> Kernel for InsertFar<'a> {
    type Data = &'a mut [u8];
    type Output = Result<Inserted, NoRoom>;

    #[inline(always)]
    fn run(self, payload: &'a mut [u8], ops: impl WordOps) -> Self::Output {
        TableMut::new(self.0, payload).insert_far(self.1, ops)
    }
}

/// Puts a new fingerprint into a slot of its block when no slot is free up to the block's end.
struct Spill<'a> {
    shape: Shape,
    fingerprint: u64,
    slot: u64,
    last: bool,
    payload: PhantomData<&'a mut [u8]>,
}

impl<'a> Kernel for Spill<'a> {
    type Data = &'a mut [u8];
    type Output = Result<(), NoRoom>;

    #[inline(always)]
    fn run(self, payload: &'a mut [u8], ops: impl WordOps) -> Self::Output {
        let mut table = TableMut::new(self.shape, payload);
        let (quotient, remainder) = self.shape.split(self.fingerprint);
        let role = match (self.last, table.read().is_occupied(quotient)) {
            (false, _) => Role::Inner,
            (true, true) => Role::Last,
            (true, false) => Role::Only,
        };
        let free = table.free_slot((quotient / SLOTS + 1) * SLOTS, ops)?;
        table.put(quotient, self.slot, free, remainder, role);
        Ok(())
    }
}

/// What a slot put into a run is to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The whole of it.
    Only,
    /// Its new last slot.
    Last,
    /// Another slot of it follows.
    Inner,
}

impl TableMut<'_> {
    #[inline(always)]
    fn insert(&mut self, fingerprint: u64, ops: impl WordOps) -> Result<Inserted, NoRoom> {
        let (quotient, remainder) = self.shape.split(fingerprint);
        let Ok(mut control) = self.count_in(1) else {
            return ops.apart(InsertFar(self.shape, fingerprint, PhantomData), self.payload());
        };
        match self.insert_near(quotient, remainder, ops) {
            Tried::Done => {}
            Tried::Spills { slot, last } => {
                ops.apart(
                    Spill { shape: self.shape, fingerprint, slot, last, payload: PhantomData },
                    self.payload(),
                )?;
            }
            Tried::Unsure => {
                return ops.apart(InsertFar(self.shape, fingerprint, PhantomData), self.payload());
            }
        }
        control.distinct = control.distinct.saturating_add(1);
        control.write(self.payload());
        Ok(Inserted::New)
    }

    /// Inserts a fingerprint, wherever it goes and whether or not it is there.
    #[inline(always)]
    fn insert_far(&mut self, fingerprint: u64, ops: impl WordOps) -> Result<Inserted, NoRoom> {
        let (quotient, remainder) = self.shape.split(fingerprint);
        let control = self.count_in(1);
        let (slot, role) = match self.read().seek(fingerprint, ops) {
            Place::NewRun { slot } => (slot, Role::Only),
            Place::Before { slot } => (slot, Role::Inner),
            Place::AfterRun { slot } => (slot, Role::Last),
            Place::Found { slot, entry, .. } => return self.add_copy(quotient, slot, entry, ops),
        };
        let mut control = control?;
        let free = self.free_slot(slot, ops)?;
        self.put(quotient, slot, free, remainder, role);
        control.distinct = control.distinct.saturating_add(1);
        control.write(self.payload());
        Ok(Inserted::New)
    }

    /// Adds one to the count of an entry that is there.
    #[cold]
    fn add_copy(
        &mut self,
        quotient: u64,
        slot: u64,
        entry: Entry,
        ops: impl WordOps,
    ) -> Result<Inserted, NoRoom> {
        let Entry { remainder, count, next, ends_run } = entry;
        let role = if ends_run { Role::Last } else { Role::Inner };
        let control = match count {
            1 => {
                let control = self.count_in(1)?;
                let free = self.free_slot(slot, ops)?;
                self.put(quotient, slot, free, remainder, Role::Inner);
                control
            }
            2 => {
                let control = self.count_in(2)?;
                let free = self.free_slot(slot, ops)?;
                let second_free = self.free_slot(free + 1, ops)?;
                self.put(quotient, slot, free, remainder, Role::Inner);
                // The third copy, written out, and no digit but 0 beyond it.
                self.put(quotient, next + 1, second_free, 0, role);
                control
            }
            _ => {
                let more = 1 << (self.shape.bits - 1);
                let digits = (slot + PLAIN).min(next)..next;
                let table = self.read();
                let below_max = digits.clone().find(|&digit| table.remainder(digit) & (more - 1) != more - 1);
                let control = if let Some(digit) = below_max {
                    let control = self.count_in(0)?;
                    let value = self.read().remainder(digit);
                    self.set_remainder(digit, value + 1);
                    control
                } else {
                    let control = self.count_in(1)?;
                    let free = self.free_slot(next, ops)?;
                    self.put(quotient, next, free, 1, role);
                    control
                };
                (digits.start..below_max.unwrap_or(next)).for_each(|digit| self.set_remainder(digit, more));
                control
            }
        };
        control.write(self.payload());
        Ok(Inserted::MaybeSeen)
    }

    /// The control line with one more copy in `needed` more slots, if that is allowed.
    #[inline(always)]
    fn count_in(&mut self, needed: u64) -> Result<Control, NoRoom> {
        let mut control = Control::read(self.payload());
        let used = control.used.checked_add(needed).filter(|&used| used <= self.shape.limit());
        control.used = used.ok_or(NoRoom)?;
        control.copies = control.copies.checked_add(1).ok_or(NoRoom)?;
        Ok(control)
    }

    /// The first free slot from `slot` on.
    #[inline(always)]
    fn free_slot(&self, slot: u64, ops: impl WordOps) -> Result<u64, NoRoom> {
        let free = self.read().first_free(slot, ops);
        if free < self.shape.physical_slots() { Ok(free) } else { Err(NoRoom) }
    }

    /// Puts one more slot into the run of `quotient`: moves what lies from `slot` to before `free` up by one.
    #[inline(always)]
    fn put(&mut self, quotient: u64, slot: u64, free: u64, remainder: u64, role: Role) {
        match role {
            Role::Only => self.set_occupied(quotient, true),
            Role::Last => self.set_run_end(slot - 1, false),
            Role::Inner => {}
        }
        let (first, last) = (slot / SLOTS, free / SLOTS);
        let mut block = last;
        let mut high = (free % SLOTS) as u32;
        while block > first {
            self.shift_up_in(block, 0, high);
            let carried = block * SLOTS - 1;
            let (remainder, is_end) = (self.read().remainder(carried), self.read().is_run_end(carried));
            self.set_remainder(carried + 1, remainder);
            self.set_run_end(carried + 1, is_end);
            block -= 1;
            high = (SLOTS - 1) as u32;
        }
        self.shift_up_in(first, (slot % SLOTS) as u32, high);
        self.set_remainder(slot, remainder);
        self.set_run_end(slot, role != Role::Inner);
        for block in quotient / SLOTS + 1..=last {
            let offset = self.read().offset(block);
            self.set_offset(block, (offset + 1).min(SATURATED));
        }
    }
}

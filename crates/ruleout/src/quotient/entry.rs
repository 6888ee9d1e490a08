//! Entries: how a run holds a remainder and its number of copies.
//!
//! A run holds its entries by ascending remainder. One copy of x is the slot `x`; two are `x x`; three or more are
//! `x x x` and then the number beyond three in digits of r − 1 bits, the lowest first, a slot each, of which the top bit says
//! that another follows. A slot that equals the one before can be nothing but a copy, because remainders ascend; so an
//! entry's end is known without looking behind it, for every r from 2 up.

use super::block::Table;

/// The copies that are written out.
pub(super) const PLAIN: u64 = 3;

/// An entry as it lies in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The remainder.
    pub(super) remainder: u64,
    /// How many copies of it there are; at least 1.
    pub(super) count: u64,
    /// The slot after the entry's last.
    pub(super) next: u64,
    /// Whether that is also the run's last slot.
    pub(super) ends_run: bool,
}

impl Table<'_> {
    /// The entry at `slot`, which is in range.
    ///
    /// An entry that is cut short ends where its run or the table does; a number that is too large is 2^64 − 1.
    #[inline(always)]
    pub(super) fn entry(&self, slot: u64) -> Entry {
        let remainder = self.remainder(slot);
        let ends_run = self.ends_here(slot);
        if ends_run || self.remainder(slot + 1) != remainder {
            return Entry { remainder, count: 1, next: slot + 1, ends_run };
        }
        self.entry_of_copies(slot, remainder)
    }

    /// The entry at `slot` when the slot after it is a copy.
    #[cold]
    fn entry_of_copies(&self, slot: u64, remainder: u64) -> Entry {
        let mut last = slot + 1;
        if self.ends_here(last) || self.remainder(last + 1) != remainder {
            return Entry { remainder, count: 2, next: last + 1, ends_run: self.ends_here(last) };
        }
        last += 1;
        let digit_bits = self.shape.bits - 1;
        let (mut beyond, mut shift, mut more) = (0u64, 0u32, true);
        while more && !self.ends_here(last) {
            last += 1;
            let slot = self.remainder(last);
            more = slot >> digit_bits == 1;
            let digit = slot & !(1 << digit_bits);
            if digit != 0 {
                let shifted = digit.checked_shl(shift).filter(|shifted| shifted >> shift == digit);
                beyond |= shifted.unwrap_or(u64::MAX);
            }
            shift = shift.saturating_add(digit_bits);
        }
        let count = beyond.saturating_add(PLAIN);
        Entry { remainder, count, next: last + 1, ends_run: self.ends_here(last) }
    }

    /// Whether a run ends with `slot`, as it must with the last one there is.
    #[inline(always)]
    pub(super) fn ends_here(&self, slot: u64) -> bool {
        self.is_run_end(slot) || slot + 1 >= self.shape.physical_slots()
    }
}

/// The slots that hold `count` copies of `remainder`, one after the other.
pub(super) fn slots_of(remainder: u64, count: u64, bits: u32) -> impl Iterator<Item = u64> {
    let plain = core::iter::repeat_n(remainder, count.min(PLAIN) as usize);
    let mut beyond = count.checked_sub(PLAIN);
    let digit_bits = bits - 1;
    plain.chain(core::iter::from_fn(move || {
        let rest = beyond?;
        let digit = rest & ((1 << digit_bits) - 1);
        let above = rest >> digit_bits;
        beyond = (above > 0).then_some(above);
        Some(digit | u64::from(above > 0) << digit_bits)
    }))
}

/// How many slots hold `count` copies of a remainder of `bits` bits.
pub(super) fn slots_needed(count: u64, bits: u32) -> u64 {
    match count.checked_sub(PLAIN) {
        None => count,
        Some(beyond) => {
            let length = u64::BITS - beyond.leading_zeros();
            PLAIN + u64::from(length.div_ceil(bits - 1).max(1))
        }
    }
}

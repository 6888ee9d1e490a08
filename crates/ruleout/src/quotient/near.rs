//! The common case: a run, and the free slot behind it, that lie in their quotient's own block.
//!
//! Everything then comes from three words of the block and one window of eight bytes of its remainders, with hardly a
//! branch. What does not fit is left to the general code, which gives the same answers.

use super::block::{REMAINDERS, SLOTS, Shape, Table, TableMut, below, set_u64_at, shift_up, u64_at};
use crate::simd::WordOps;

/// The longest run that surely holds no digits, only remainders.
const NO_DIGITS: u32 = 3;

/// What a window of fields of some width is compared with.
#[derive(Clone, Copy)]
struct Fields {
    /// A one in the lowest bit of every field.
    ones: u64,
    /// All bits of the fields that surely hold no digits.
    no_digits: u64,
}

/// For each width; more than there are, so that the lowest bits of one are always the number of one.
const FIELDS: [Fields; 64] = {
    let mut fields = [Fields { ones: 0, no_digits: 0 }; 64];
    let mut width = 1;
    while width <= 32 {
        let mut bit = 0;
        while bit < u64::BITS {
            fields[width as usize].ones |= 1 << bit;
            bit += width;
        }
        fields[width as usize].no_digits = below(NO_DIGITS * width);
        width += 1;
    }
    fields
};

/// The marks of a block whose offset lies in it.
#[derive(Clone, Copy)]
struct Near {
    occupieds: u64,
    ends: u64,
    /// Bit i: a run of this block could start at i, since the one before it ends there, were its quotient small enough.
    starts: u64,
}

impl Near {
    #[inline(always)]
    fn read(block: &[u8]) -> Option<Self> {
        let (occupieds, ends, offset) = (u64_at(block, 0), u64_at(block, 8), block[16]);
        if offset >= SLOTS as u8 {
            return None;
        }
        let starts = (ends & (u64::MAX << offset)) << 1 | 1 << offset;
        Some(Self { occupieds, ends, starts })
    }

    /// The slot after the runs of the first `runs` occupied quotients; 64 when it is not in the block.
    #[inline(always)]
    fn after(&self, runs: u32, ops: impl WordOps) -> u32 {
        ops.select(self.starts, runs)
    }

    /// Where the run of `quotient` starts or would start; 64 when that is not in the block.
    #[inline(always)]
    fn run_start(&self, quotient: u32, ops: impl WordOps) -> u32 {
        self.after(ops.low(self.occupieds, quotient).count_ones(), ops).max(quotient)
    }

    /// The first slot from `slot` on that no run takes; 64 when it is not in the block.
    #[inline(always)]
    fn first_free(&self, mut slot: u32, ops: impl WordOps) -> u32 {
        // The first steps, which change nothing once at a free slot, are cheaper than a branch foretold wrong.
        for _ in 0..2 {
            slot = slot.max(self.after(ops.low(self.occupieds, slot + 1).count_ones(), ops));
        }
        while slot < SLOTS as u32 {
            let end = self.after(ops.low(self.occupieds, slot + 1).count_ones(), ops);
            if end <= slot {
                break;
            }
            slot = end;
        }
        slot
    }
}

/// What became of an insertion that looked at one block only.
pub(super) enum Tried {
    /// It is done.
    Done,
    /// No slot is free up to the block's end. Everything else is known: the slot to put the remainder in, and whether it
    /// is then the last of its run.
    Spills { slot: u64, last: bool },
    /// The fingerprint may be there, or its run is not short and in this block.
    Unsure,
}

impl Table<'_> {
    /// Whether the fingerprint is in the table; `None` when its quotient has a run and it takes more than a look at
    /// one block to tell.
    ///
    /// Nearly without branches: which quotients have a run, and how long it is, no predictor can know, and a branch
    /// foretold wrong waits for the memory it hangs on.
    #[inline(always)]
    pub(super) fn contains_near(&self, quotient: u64, remainder: u64, ops: impl WordOps) -> Option<bool> {
        let bits = self.shape.bits;
        let from_block = self.payload_from(quotient / SLOTS)?;
        let quotient = (quotient % SLOTS) as u32;
        let occupied = u64_at(from_block, 0) >> quotient & 1;
        let otherwise = if occupied == 1 { None } else { Some(false) };
        let Some(marks) = Near::read(from_block) else { return otherwise };
        let start = marks.run_start(quotient, ops);
        let bit = start % SLOTS as u32 * bits;
        // Eight bytes from the run's first slot on, if need be beyond the block, but not beyond the payload.
        let at = REMAINDERS + (bit / 8) as usize;
        let Some(window) = from_block.get(at..at + 8) else { return otherwise };
        let shift = bit % 8;
        let fields = u64_at(window, 0) >> shift;
        let Fields { ones, no_digits } = FIELDS[bits as usize % FIELDS.len()];
        // The run's end and those behind it; none when it starts or ends in another block.
        let ends = if start < SLOTS as u32 { marks.ends >> start } else { 0 };
        // The top bits of the fields that are whole.
        let tops = if ends == 0 { 0 } else { ones << (bits - 1) << shift >> shift };
        // A field of zeros borrows from its own top bit; the lowest to do so was zero, those above may not have been.
        let differ = fields ^ remainder.wrapping_mul(ones);
        let equal = differ.wrapping_sub(ones) & !differ & tops;
        let end = ops.lowest_to_field(ends, tops, bits);
        // What comes first decides, but behind the third slot a digit may be what is equal.
        let both = equal | end;
        let first = both & both.wrapping_neg();
        let sure = first & (!equal | no_digits);
        // Bits and no comparisons, of which the compiler would make branches.
        let unsure = occupied & is_zero(sure);
        if unsure != 0 { None } else { Some((occupied != 0) & (first & equal != 0)) }
    }
}

impl TableMut<'_> {
    /// Inserts a fingerprint that is new, if its run and a free slot lie in its block; changes nothing otherwise.
    #[inline(always)]
    pub(super) fn insert_near(&mut self, quotient: u64, remainder: u64, ops: impl WordOps) -> Tried {
        let shape = self.shape;
        let bits = shape.bits;
        let block_slot = quotient / SLOTS * SLOTS;
        let Some(from_block) = self.payload_from(quotient / SLOTS) else { return Tried::Unsure };
        let quotient = (quotient % SLOTS) as u32;
        let Some(marks) = Near::read(from_block) else { return Tried::Unsure };
        let start = marks.run_start(quotient, ops);
        let occupied = marks.occupieds >> quotient & 1;
        let Some(found) = place(shape, from_block, &marks, start, remainder, occupied, ops) else {
            return Tried::Unsure;
        };
        let (slot, last) = (start + found.smaller, found.last);
        let free = marks.first_free(start + found.len, ops);
        if free >= SLOTS as u32 {
            return Tried::Spills { slot: block_slot + u64::from(slot), last: last == 1 };
        }
        let bit = slot * bits;
        let at = REMAINDERS + (bit / 8) as usize;
        let shift = bit % 8;
        let moved = (free - slot) * bits;
        if shift + moved + bits <= u64::BITS
            && let Some(window) = from_block.get_mut(at..at + 8)
        {
            let word = u64_at(window, 0);
            let slots = ops.low(word >> shift, moved) << bits | remainder;
            // The free slot behind those that move is zero.
            let kept = word ^ ops.low(word, shift + moved) | ops.low(word, shift);
            set_u64_at(window, 0, kept | slots << shift);
        } else {
            // Many slots move: the words of the block one after the other.
            shift_up(shape, from_block, slot, free);
            self.set_remainder(block_slot + u64::from(slot), remainder);
        }
        let from_block = self.payload_from(block_slot / SLOTS).unwrap_or_default();
        // Doubled, the marks from the new slot to the free one, which has none, move up by one. The same moves the mark
        // of a run's end to the new slot behind it; where there was no run its mark is new.
        let doubled = ops.low(marks.ends, free).wrapping_sub(ops.low(marks.ends, slot));
        let end = last << (u64::from(slot).wrapping_sub(occupied) % SLOTS);
        set_u64_at(from_block, 8, marks.ends.wrapping_add(doubled).wrapping_add(end));
        set_u64_at(from_block, 0, marks.occupieds | 1 << quotient);
        Tried::Done
    }
}

/// The place of a new remainder in its run, which may be empty.
struct InRun {
    /// How many of the run's remainders are smaller.
    smaller: u32,
    /// How many remainders the run has.
    len: u32,
    /// 1 when all are smaller, 0 otherwise.
    last: u64,
}

/// Where a remainder goes in the run from `start` on; `None` when it may be there, or the run is not short and in this
/// block.
#[inline(always)]
fn place(
    shape: Shape,
    from_block: &[u8],
    marks: &Near,
    start: u32,
    remainder: u64,
    occupied: u64,
    ops: impl WordOps,
) -> Option<InRun> {
    let bits = shape.bits;
    let bit = start % SLOTS as u32 * bits;
    let at = REMAINDERS + (bit / 8) as usize;
    let window = from_block.get(at..at + 8)?;
    let shift = bit % 8;
    let fields = u64_at(window, 0) >> shift;
    let Fields { ones, no_digits } = FIELDS[bits as usize % FIELDS.len()];
    let all_tops = ones << (bits - 1);
    let tops = all_tops << shift >> shift & no_digits;
    let ends = marks.ends >> (start % SLOTS as u32);
    let end = ops.lowest_to_field(ends, tops, bits);
    let wanted = remainder.wrapping_mul(ones);
    let differ = fields ^ wanted;
    // In each field's top bit whether it is at least what is wanted: by the top bits where they differ, else by those
    // below, from which nothing borrows.
    let rest = (fields | all_tops).wrapping_sub(wanted & !all_tops);
    let not_smaller = (fields & !wanted | !differ & rest) & tops;
    let equal = differ.wrapping_sub(ones) & !differ & tops;
    let both = not_smaller | end;
    let first = both & both.wrapping_neg();
    // Bits and no comparisons, of which the compiler would make branches.
    let unsure = is_zero(end) | (1 - is_zero(first & equal));
    if u64::from(start >> 6) | occupied & unsure != 0 {
        return None;
    }
    let last = is_zero(first & not_smaller);
    let smaller = u64::from((tops & first.wrapping_sub(1)).count_ones()) + last;
    let len = u64::from(ends.trailing_zeros()) + 1;
    let run = occupied.wrapping_neg();
    Some(InRun { smaller: (smaller & run) as u32, len: (len & run) as u32, last: last | !run & 1 })
}

/// 1 for 0, and 0 for anything else.
#[inline(always)]
const fn is_zero(word: u64) -> u64 {
    !(word | word.wrapping_neg()) >> 63
}

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
        self.after((self.occupieds & below(quotient)).count_ones(), ops).max(quotient)
    }

    /// The first slot from `slot` on that no run takes; 64 when it is not in the block.
    #[inline(always)]
    fn first_free(&self, mut slot: u32, ops: impl WordOps) -> u32 {
        // The first steps, which change nothing once at a free slot, are cheaper than a branch foretold wrong.
        for _ in 0..2 {
            slot = slot.max(self.after((self.occupieds & below(slot + 1)).count_ones(), ops));
        }
        while slot < SLOTS as u32 {
            let end = self.after((self.occupieds & below(slot + 1)).count_ones(), ops);
            if end <= slot {
                break;
            }
            slot = end;
        }
        slot
    }
}

/// A window on the remainders from one slot on.
struct Window {
    /// Where its eight bytes are in the block.
    at: usize,
    word: u64,
    /// The first slot's lowest bit.
    shift: u32,
}

impl Window {
    #[inline(always)]
    fn at(shape: Shape, block: &[u8], slot: u32) -> Self {
        let bit = slot * shape.bits;
        let byte = (bit / 8).min(8 * shape.bits - 8);
        let at = REMAINDERS + byte as usize;
        Self { at, word: u64_at(block, at), shift: bit - 8 * byte }
    }

    /// Whether the first `len` slots are in it.
    #[inline(always)]
    fn holds(&self, shape: Shape, len: u32) -> bool {
        self.shift + len * shape.bits <= u64::BITS
    }
}

/// A place for a new remainder.
#[derive(Clone, Copy)]
struct Gap {
    slot: u32,
    /// The slot after its run's last; where the run would start when there is none.
    run_end: u32,
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
        let unsure = occupied & !((sure | sure.wrapping_neg()) >> 63);
        if unsure != 0 { None } else { Some((occupied != 0) & (first & equal != 0)) }
    }
}

impl TableMut<'_> {
    /// Inserts a fingerprint that is new; `false`, and nothing changes, when it may not be or it takes more than
    /// one block to do.
    #[inline(always)]
    pub(super) fn insert_near(&mut self, quotient: u64, remainder: u64, ops: impl WordOps) -> bool {
        let shape = self.shape;
        let block = self.block(quotient / SLOTS);
        let quotient = (quotient % SLOTS) as u32;
        let Some(mut marks) = Near::read(block) else { return false };
        let Some(Gap { slot, run_end }) = gap(shape, block, &marks, quotient, remainder, ops) else {
            return false;
        };
        let free = marks.first_free(run_end, ops);
        if free >= SLOTS as u32 {
            return false;
        }
        let window = Window::at(shape, block, slot);
        if window.holds(shape, free - slot + 1) {
            let moved = window.word >> window.shift & below((free - slot) * shape.bits);
            set_window(shape, block, &window, free - slot + 1, moved << shape.bits | remainder);
        } else {
            // Many slots move: the words of the block one after the other.
            shift_up(shape, block, slot, free);
            set_window(shape, block, &Window::at(shape, block, slot), 1, remainder);
        }
        // The marks of the slots before `free` move up by one. The new slot ends its run if none of it is behind, and
        // the one that did so until now, if there is one, does no more.
        let moved = below(free + 1) & !below(slot);
        let last = u64::from(slot == run_end);
        let ended = last & marks.occupieds >> quotient & 1;
        let ends = marks.ends & !moved | marks.ends << 1 & moved & !(1 << slot);
        marks.ends = ends & !(ended << (slot.saturating_sub(1))) | last << slot;
        set_u64_at(block, 8, marks.ends);
        set_u64_at(block, 0, marks.occupieds | 1 << quotient);
        true
    }
}

/// Where a new remainder goes; `None` when it may be there, or its run is not short and in this block.
#[inline(always)]
fn gap(
    shape: Shape,
    block: &[u8],
    marks: &Near,
    quotient: u32,
    remainder: u64,
    ops: impl WordOps,
) -> Option<Gap> {
    let start = marks.run_start(quotient, ops);
    let in_block = start < SLOTS as u32;
    let start = start & (SLOTS - 1) as u32;
    let occupied = (marks.occupieds >> quotient & 1) as u32;
    let len = ((marks.ends >> start).trailing_zeros() + 1) * occupied;
    let window = Window::at(shape, block, start);
    let mut fields = window.word >> window.shift;
    let (mut smaller, mut equal) = (0, false);
    for i in 0..NO_DIGITS {
        let field = fields & shape.remainder_mask();
        equal |= (i < len) & (field == remainder);
        smaller += u32::from((i < len) & (field < remainder));
        fields >>= shape.bits;
    }
    let sure = in_block & (len <= NO_DIGITS) & window.holds(shape, len) & !equal;
    if sure { Some(Gap { slot: start + smaller, run_end: start + len }) } else { None }
}

/// Writes the first `len` slots of a window.
#[inline(always)]
fn set_window(shape: Shape, block: &mut [u8], window: &Window, len: u32, slots: u64) {
    let mask = below(len * shape.bits) << window.shift;
    set_u64_at(block, window.at, window.word & !mask | slots << window.shift & mask);
}

//! Where the runs lie: rank and select over the blocks' marks.
//!
//! The k-th occupied quotient's run ends at the k-th run end. An offset lets the counting start at the quotient's own
//! block. A slot handed in is in range; one that comes out may be [`Shape::physical_slots`](super::block::Shape),
//! which means "past the last".

use super::block::{SATURATED, SLOTS, Table, below};
use crate::simd::WordOps;

/// Where to count runs from.
#[derive(Clone, Copy)]
struct Base {
    /// The first slot that no run before the counted ones takes.
    slot: u64,
    /// How many runs to count.
    runs: u64,
}

impl<'a> Table<'a> {
    /// The end, exclusive, of the runs of all quotients up to `quotient`; at or below it when they end before.
    #[inline(always)]
    pub(super) fn end_through(&self, quotient: u64, ops: impl WordOps) -> u64 {
        let (block, bit) = (quotient / SLOTS, (quotient % SLOTS) as u32);
        self.end_of(block, self.occupieds(block) & below(bit + 1), ops)
    }

    /// The end, exclusive, of the runs of all quotients below `quotient`, not below `quotient`'s own slot: where its
    /// run starts or would start.
    #[inline(always)]
    pub(super) fn run_start(&self, quotient: u64, ops: impl WordOps) -> u64 {
        let (block, bit) = (quotient / SLOTS, (quotient % SLOTS) as u32);
        self.end_of(block, self.occupieds(block) & below(bit), ops).max(quotient)
    }

    /// The end of the runs before `block` and of those of its quotients in `occupieds`.
    #[inline(always)]
    fn end_of(&self, block: u64, occupieds: u64, ops: impl WordOps) -> u64 {
        let runs = u64::from(occupieds.count_ones());
        let base = match self.offset(block) {
            SATURATED => {
                let base = self.distant_base(block);
                Base { slot: base.slot, runs: base.runs + runs }
            }
            offset => Base { slot: block * SLOTS + offset, runs },
        };
        if base.runs == 0 { base.slot } else { self.nth_end(base, ops) }
    }

    /// The slot after the last of the base's runs.
    #[inline(always)]
    fn nth_end(&self, base: Base, ops: impl WordOps) -> u64 {
        let Base { slot, mut runs } = base;
        let blocks = self.shape.blocks();
        let mut block = slot / SLOTS;
        if block >= blocks {
            return blocks * SLOTS;
        }
        let mut ends = self.run_ends(block) & !below((slot % SLOTS) as u32);
        loop {
            let bit = ops.select(ends, (runs - 1).min(SLOTS) as u32);
            if bit < u64::BITS {
                return block * SLOTS + u64::from(bit) + 1;
            }
            runs -= u64::from(ends.count_ones());
            block += 1;
            if block == blocks {
                return blocks * SLOTS;
            }
            ends = self.run_ends(block);
        }
    }

    /// The base for a block whose own offset is too large to be stored: that of the nearest block before it with
    /// one that is, with the runs of the blocks from there on to be counted.
    ///
    /// At most one step a block: the first block's offset is zero, and is not looked at.
    #[cold]
    fn distant_base(&self, block: u64) -> Base {
        let (mut at, mut runs) = (block, 0);
        while at > 0 {
            at -= 1;
            runs += u64::from(self.occupieds(at).count_ones());
            match self.offset(at) {
                SATURATED => {}
                offset => return Base { slot: at * SLOTS + offset, runs },
            }
        }
        Base { slot: 0, runs }
    }

    /// The exact offset of a block, however large.
    pub(super) fn exact_offset(&self, block: u64, ops: impl WordOps) -> u64 {
        self.end_of(block, 0, ops).saturating_sub(block * SLOTS)
    }

    /// The exact offset of the block after `block`, whose exact offset is `offset`.
    pub(super) fn next_offset(&self, block: u64, offset: u64, ops: impl WordOps) -> u64 {
        let base = Base { slot: block * SLOTS + offset, runs: u64::from(self.occupieds(block).count_ones()) };
        let end = if base.runs == 0 { base.slot } else { self.nth_end(base, ops) };
        end.saturating_sub((block + 1) * SLOTS)
    }

    /// The first slot from `slot` on that no run takes.
    #[inline(always)]
    pub(super) fn first_free(&self, mut slot: u64, ops: impl WordOps) -> u64 {
        let slots = self.shape.physical_slots();
        if slot >= slots {
            return slot;
        }
        let mut end = self.end_through(slot, ops);
        while end > slot {
            if end >= slots {
                return end;
            }
            let further = self.end_further(slot, end, end, ops);
            (slot, end) = (end, further);
        }
        slot
    }

    /// The first slot after `slot` that is free or the own slot of the quotient whose run starts there: what lies
    /// from it on does not move when `slot` is taken out.
    #[inline(always)]
    pub(super) fn end_of_shifted(&self, slot: u64, ops: impl WordOps) -> u64 {
        let slots = self.shape.physical_slots();
        let (mut quotient, mut next) = (slot, slot + 1);
        let mut end = if next < slots { self.end_through(quotient, ops) } else { next };
        while end > next {
            next = end;
            if next >= slots {
                break;
            }
            end = self.end_further(quotient, end, next - 1, ops);
            quotient = next - 1;
        }
        next
    }

    /// [`end_through`](Self::end_through) of `quotient`, where that of `known`, which is not above it, is `end`.
    #[inline(always)]
    fn end_further(&self, known: u64, end: u64, quotient: u64, ops: impl WordOps) -> u64 {
        match self.offset(quotient / SLOTS) {
            SATURATED => self.end_counted_on(known, end, quotient, ops),
            _ => self.end_through(quotient, ops),
        }
    }

    /// [`end_further`](Self::end_further) by counting on from `end`.
    ///
    /// Where offsets are too large to be stored, the way back to one that is not would be gone for every step, and a
    /// long cluster take quadratic time.
    #[cold]
    fn end_counted_on(&self, known: u64, end: u64, quotient: u64, ops: impl WordOps) -> u64 {
        let (first, last) = ((known + 1) / SLOTS, quotient / SLOTS);
        let mut runs = 0;
        for block in first..=last {
            let mut occupieds = self.occupieds(block);
            if block == first {
                occupieds &= !below(((known + 1) % SLOTS) as u32);
            }
            if block == last {
                occupieds &= below((quotient % SLOTS) as u32 + 1);
            }
            runs += u64::from(occupieds.count_ones());
        }
        if runs == 0 { end } else { self.nth_end(Base { slot: end, runs }, ops) }
    }
}

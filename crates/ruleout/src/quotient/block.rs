//! The bytes of the table: a control line, then blocks of 64 slots.

use crate::bits::scale;
use crate::math::quotient;

/// The slots of a block, and the quotients whose runs it marks.
pub(super) const SLOTS: u64 = quotient::BLOCK_SLOTS;
/// The length of the line before the blocks.
pub(super) const CONTROL_BYTES: usize = 64;
/// The largest offset that is stored as it is; this one and all above it are stored as it.
pub(super) const SATURATED: u64 = u8::MAX as u64;

const OCCUPIEDS: usize = 0;
const RUN_ENDS: usize = 8;
const OFFSET: usize = 16;
pub(super) const REMAINDERS: usize = 17;

/// The geometry of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of quotients.
    pub(super) slots: u64,
    /// The bits of a remainder, 2 to 32.
    pub(super) bits: u32,
}

impl Shape {
    /// The number of blocks: room for the quotients' own slots, and for the last cluster to end in.
    ///
    /// With a share a < 1 of the slots in use, the last cluster overruns the last quotient's slot by more than x
    /// with a probability near e^(−2(1−a)x/a): a queue with Poisson arrivals and a fixed service time. At the design
    /// load 128 slots, or as many as there are in a small table, leave less than 10^-11.
    #[inline(always)]
    pub(super) const fn blocks(self) -> u64 {
        quotient::blocks(self.slots)
    }

    /// The number of slots there are bytes for.
    #[inline(always)]
    pub(super) const fn physical_slots(self) -> u64 {
        self.blocks() * SLOTS
    }

    /// The most slots that may be in use: 95 % of the quotients, and 16 more, without which a table of a handful
    /// of slots could not take a handful of keys.
    ///
    /// Clusters grow with 1 / (1 − a)², and with them the time of an insertion.
    #[inline(always)]
    pub(super) const fn limit(self) -> u64 {
        self.slots - self.slots / 20 + 16
    }

    /// The length of a block in bytes.
    #[inline(always)]
    pub(super) const fn block_bytes(self) -> usize {
        REMAINDERS + 8 * self.bits as usize
    }

    /// The number of fingerprints there are.
    #[inline(always)]
    pub(super) const fn universe(self) -> u64 {
        self.slots << self.bits
    }

    /// The fingerprint of a hash: its high bits, as it were, so that fingerprints are ordered as hashes are.
    #[inline(always)]
    pub(super) fn fingerprint(self, hash: u64) -> u64 {
        scale(hash, self.universe())
    }

    /// The quotient and the remainder of a fingerprint.
    #[inline(always)]
    pub(super) const fn split(self, fingerprint: u64) -> (u64, u64) {
        (fingerprint >> self.bits, fingerprint & self.remainder_mask())
    }

    #[inline(always)]
    pub(super) const fn remainder_mask(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// The byte of the payload at which a block starts.
    #[inline(always)]
    pub(super) fn block_start(self, block: u64) -> usize {
        CONTROL_BYTES + block as usize * self.block_bytes()
    }

    /// Where in the block a slot's remainder is read from: a byte from which eight lie in the block, and a shift.
    #[inline(always)]
    fn place(self, slot: u64) -> (usize, u32) {
        let bit = (slot % SLOTS) as u32 * self.bits;
        let byte = (bit / 8).min(8 * self.bits - 8);
        (REMAINDERS + byte as usize, bit - 8 * byte)
    }
}

/// A table to read. Slots and blocks handed to it are in range.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) shape: Shape,
    payload: &'a [u8],
}

impl<'a> Table<'a> {
    #[inline(always)]
    pub(super) fn new(shape: Shape, payload: &'a [u8]) -> Self {
        Self { shape, payload }
    }

    #[inline(always)]
    pub(super) fn block(&self, block: u64) -> &'a [u8] {
        &self.payload[self.shape.block_start(block)..][..self.shape.block_bytes()]
    }

    /// The payload from a block on, if there is at least what the block begins with.
    #[inline(always)]
    pub(super) fn payload_from(&self, block: u64) -> Option<&'a [u8]> {
        self.payload.get(self.shape.block_start(block)..).filter(|from| from.len() >= REMAINDERS)
    }

    /// Bit i: whether quotient 64 · block + i has a run.
    #[inline(always)]
    pub(super) fn occupieds(&self, block: u64) -> u64 {
        u64_at(self.block(block), OCCUPIEDS)
    }

    /// Bit i: whether slot 64 · block + i is the last of a run.
    #[inline(always)]
    pub(super) fn run_ends(&self, block: u64) -> u64 {
        u64_at(self.block(block), RUN_ENDS)
    }

    /// How many slots, from the block's first on, belong to runs of quotients before the block's; at most 255.
    #[inline(always)]
    pub(super) fn offset(&self, block: u64) -> u64 {
        u64::from(self.block(block)[OFFSET])
    }

    #[inline(always)]
    pub(super) fn remainder(&self, slot: u64) -> u64 {
        let (at, shift) = self.shape.place(slot);
        u64_at(self.block(slot / SLOTS), at) >> shift & self.shape.remainder_mask()
    }

    #[inline(always)]
    pub(super) fn is_occupied(&self, quotient: u64) -> bool {
        self.occupieds(quotient / SLOTS) >> (quotient % SLOTS) & 1 == 1
    }

    #[inline(always)]
    pub(super) fn is_run_end(&self, slot: u64) -> bool {
        self.run_ends(slot / SLOTS) >> (slot % SLOTS) & 1 == 1
    }
}

/// A table to change, one field at a time.
pub(super) struct TableMut<'a> {
    pub(super) shape: Shape,
    payload: &'a mut [u8],
}

impl<'a> TableMut<'a> {
    #[inline(always)]
    pub(super) fn new(shape: Shape, payload: &'a mut [u8]) -> Self {
        Self { shape, payload }
    }

    #[inline(always)]
    pub(super) fn read(&self) -> Table<'_> {
        Table::new(self.shape, self.payload)
    }

    #[inline(always)]
    pub(super) fn payload(&mut self) -> &mut [u8] {
        self.payload
    }

    #[inline(always)]
    pub(super) fn block(&mut self, block: u64) -> &mut [u8] {
        &mut self.payload[self.shape.block_start(block)..][..self.shape.block_bytes()]
    }

    /// The payload from a block on, if there is at least what the block begins with.
    #[inline(always)]
    pub(super) fn payload_from(&mut self, block: u64) -> Option<&mut [u8]> {
        self.payload.get_mut(self.shape.block_start(block)..).filter(|from| from.len() >= REMAINDERS)
    }

    #[inline(always)]
    pub(super) fn set_occupied(&mut self, quotient: u64, yes: bool) {
        let block = self.block(quotient / SLOTS);
        let word = with_bit(u64_at(block, OCCUPIEDS), quotient % SLOTS, yes);
        set_u64_at(block, OCCUPIEDS, word);
    }

    #[inline(always)]
    pub(super) fn set_run_end(&mut self, slot: u64, yes: bool) {
        let block = self.block(slot / SLOTS);
        let word = with_bit(u64_at(block, RUN_ENDS), slot % SLOTS, yes);
        set_u64_at(block, RUN_ENDS, word);
    }

    /// Stores an offset, or that it is 255 or more.
    #[inline(always)]
    pub(super) fn set_offset(&mut self, block: u64, offset: u64) {
        self.block(block)[OFFSET] = offset.min(SATURATED) as u8;
    }

    #[inline(always)]
    pub(super) fn set_remainder(&mut self, slot: u64, remainder: u64) {
        let (at, shift) = self.shape.place(slot);
        let mask = self.shape.remainder_mask();
        let block = self.block(slot / SLOTS);
        let word = u64_at(block, at) & !(mask << shift) | (remainder & mask) << shift;
        set_u64_at(block, at, word);
    }

    /// Moves the slots `low` to `high` − 1 of a block, counted in it, up by one. What `low` holds then is void.
    #[inline(always)]
    pub(super) fn shift_up_in(&mut self, block: u64, low: u32, high: u32) {
        let shape = self.shape;
        let bytes = self.block(block);
        let ends = u64_at(bytes, RUN_ENDS);
        // The bits `low` + 1 to `high` come from one below, the others stay.
        let moved = below(high + 1) & !below(low + 1);
        set_u64_at(bytes, RUN_ENDS, ends & !moved | ends << 1 & moved);

        shift_up(shape, bytes, low, high);
    }

    /// Moves the slots `low` + 1 to `high` of a block, counted in it, down by one. What `high` holds then is void.
    #[inline(always)]
    pub(super) fn shift_down_in(&mut self, block: u64, low: u32, high: u32) {
        let bits = self.shape.bits;
        let bytes = self.block(block);
        let ends = u64_at(bytes, RUN_ENDS);
        let moved = below(high) & !below(low);
        set_u64_at(bytes, RUN_ENDS, ends & !moved | ends >> 1 & moved);

        let words = bytes[REMAINDERS..].as_chunks_mut::<8>().0;
        let (from, to) = (low * bits, (high + 1) * bits);
        let (first, last) = ((from / 64) as usize, ((to - 1) / 64) as usize);
        let kept_above = !below(to - 64 * last as u32);
        let words = &mut words[first..=last];
        let mut word = u64::from_le_bytes(words[0]);
        let mut keep = below(from % 64);
        for i in 1..words.len() {
            let next = u64::from_le_bytes(words[i]);
            let shifted = word >> bits | next << (64 - bits);
            words[i - 1] = (shifted & !keep | word & keep).to_le_bytes();
            (word, keep) = (next, 0);
        }
        keep |= kept_above;
        let last = words.len() - 1;
        words[last] = (word >> bits & !keep | word & keep).to_le_bytes();
    }
}

/// The lowest `bits` bits, 0 to 64.
#[inline(always)]
pub(super) const fn below(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

#[inline(always)]
fn with_bit(word: u64, bit: u64, yes: bool) -> u64 {
    word & !(1 << bit) | u64::from(yes) << bit
}

#[inline(always)]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

#[inline(always)]
pub(super) fn set_u64_at(bytes: &mut [u8], at: usize, word: u64) {
    bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

/// Moves the remainders of the slots `low` to `high` − 1 of a block up by one. What `low` holds then is void.
#[inline(always)]
pub(super) fn shift_up(shape: Shape, block: &mut [u8], low: u32, high: u32) {
    let bits = shape.bits;
    let words = block[REMAINDERS..].as_chunks_mut::<8>().0;
    let (from, to) = (low * bits, (high + 1) * bits);
    let (first, last) = ((from / 64) as usize, ((to - 1) / 64) as usize);
    let kept_below = below(from % 64);
    let words = &mut words[first..=last];
    let mut word = u64::from_le_bytes(words[words.len() - 1]);
    let mut keep = !below(to - 64 * last as u32);
    for i in (1..words.len()).rev() {
        let next = u64::from_le_bytes(words[i - 1]);
        let shifted = word << bits | next >> (64 - bits);
        words[i] = (shifted & !keep | word & keep).to_le_bytes();
        (word, keep) = (next, 0);
    }
    keep |= kept_below;
    words[0] = (word << bits & !keep | word & keep).to_le_bytes();
}

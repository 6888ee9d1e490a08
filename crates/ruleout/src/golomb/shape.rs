//! The numbers that shape a coded set, and where things are in its payload.

use core::ops::Range;

use crate::bits::{scale, scale_with_rest};
use crate::math::golomb::GolombSize;

/// The fraction bits of the step from one bucket's even place to the next.
const STEP_BITS: u32 = 8;

/// The validated numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub size: GolombSize,
    /// The bits of all codes.
    pub code_bits: u64,
    /// The bits of an entry of the index.
    pub offset_bits: u32,
    /// How far before its even place a bucket begins whose entry is 0.
    pub offset_bias: u64,
    /// `⌊2^8 · code_bits / buckets⌋`
    step: u64,
}

impl Shape {
    /// The most bits of codes: a thousand terabytes of them, whose even places 64 bits can count.
    pub const MAX_CODE_BITS: u64 = 1 << 54;
    /// The most bits of an entry: a word at any bit has as many.
    pub const MAX_OFFSET_BITS: u32 = 56;

    /// No more codes than [`Self::MAX_CODE_BITS`], and one bucket at least.
    pub const fn new(size: GolombSize, code_bits: u64, offset_bits: u32, offset_bias: u64) -> Self {
        Self { size, code_bits, offset_bits, offset_bias, step: (code_bits << STEP_BITS) / size.buckets }
    }

    /// The bits of index and codes, which are less than 2^63 in validated parameters.
    #[inline(always)]
    pub const fn bits(&self) -> u64 {
        self.index_bits() + self.code_bits
    }

    /// The bits of the index, behind which the codes begin: every bucket but the first has an entry.
    #[inline(always)]
    pub const fn index_bits(&self) -> u64 {
        (self.size.buckets - 1) * self.offset_bits as u64
    }

    /// The bucket of a hash, and its value in there. A later hash has the same or a later one.
    #[inline(always)]
    pub fn place(&self, hash: u64) -> (u64, u64) {
        let (bucket, rest) = scale_with_rest(hash, self.size.buckets);
        (bucket, scale(rest, self.size.width))
    }

    /// Where a bucket's codes would begin, counted in bits from the first code, if all buckets were alike.
    #[inline(always)]
    pub const fn even(&self, bucket: u64) -> u64 {
        // At most 2^8 · code_bits.
        (bucket * self.step) >> STEP_BITS
    }

    /// Where in the payload a bucket's codes are, in bits; within the codes, whatever the index says.
    #[inline(always)]
    pub fn codes(&self, payload: &[u8], bucket: u64) -> Range<u64> {
        let start = if bucket == 0 { 0 } else { self.start(payload, bucket) };
        let end =
            if bucket + 1 == self.size.buckets { self.code_bits } else { self.start(payload, bucket + 1) };
        let first = self.index_bits();
        first + start..first + end
    }

    /// Where the codes of a bucket that is not the first begin, counted from the first code.
    #[inline(always)]
    fn start(&self, payload: &[u8], bucket: u64) -> u64 {
        let entry = self.entry(payload, bucket);
        (self.even(bucket) + entry).saturating_sub(self.offset_bias).min(self.code_bits)
    }

    /// What the index says of a bucket that is not the first.
    #[inline(always)]
    pub fn entry(&self, payload: &[u8], bucket: u64) -> u64 {
        bits_at(payload, (bucket - 1) * u64::from(self.offset_bits), self.offset_bits)
    }
}

/// The bits of a word that [`word_at`] has for sure.
pub(super) const WORD_BITS: u32 = 56;

/// The word that begins with bit `at`; up to 7 bits are missing at its high end, and all behind the payload's.
#[inline(always)]
pub(super) fn word_at(payload: &[u8], at: u64) -> u64 {
    // A bit of a payload in memory lies in a byte that `usize` counts.
    let byte = (at / 8) as usize;
    match payload.get(byte..).and_then(|rest| rest.first_chunk()) {
        Some(word) => u64::from_le_bytes(*word) >> (at % 8),
        None => last_word(payload, byte) >> (at % 8),
    }
}

#[cold]
fn last_word(payload: &[u8], byte: usize) -> u64 {
    payload.get(byte..).unwrap_or_default().iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The number of at most [`WORD_BITS`] bits that begins with bit `at`.
#[inline(always)]
pub(super) fn bits_at(payload: &[u8], at: u64, bits: u32) -> u64 {
    word_at(payload, at) & ((1 << bits) - 1)
}

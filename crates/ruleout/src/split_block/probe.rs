//! Where a key's block is, and its bits there.

use core::iter::Zip;
use core::ops::Range;
use core::slice::Iter;

use crate::math::split_block::{BLOCK_BITS, WORD_BITS};
use crate::simd::split_block::{SALTS, block_of};

/// The positions of one key: one in each word of the block that the high half of the hash chooses.
///
/// Kept to what Parquet prescribes: the block from the high 32 bits, the bits from the low 32, each by a
/// multiplication of its own.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    hash: u32,
    /// The position of the block's first bit.
    block: u64,
    words: Zip<Range<u64>, Iter<'static, u32>>,
}

impl Positions {
    #[inline(always)]
    pub(super) fn new(hash: u64, blocks: u64) -> Self {
        // Parameters hold fewer than 2^32 blocks, whatever a `usize` is.
        let block = block_of(hash, blocks as usize) as u64 * u64::from(BLOCK_BITS);
        Self { hash: hash as u32, block, words: (0..8).zip(&SALTS) }
    }
}

impl Iterator for Positions {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        let (word, &salt) = self.words.next()?;
        let bit = self.hash.wrapping_mul(salt) >> (u32::BITS - WORD_BITS.trailing_zeros());
        Some(self.block + word * u64::from(WORD_BITS) + u64::from(bit))
    }
}

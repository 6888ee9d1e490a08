//! The shape of a split-block Bloom filter.

use crate::bitmap::BitLayout;
use crate::bits::{Mask, count_ones};
use crate::error::{ConfigError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Invalid, Layout, Params, Tally, with_collisions};
use crate::math::split_block;
use crate::simd::split_block::Block;
use crate::simd::{Vectors, split_block as kernel};
use crate::traits::Inserted;

use super::probe::Positions;

/// The most blocks, 1 GiB: with more, the 32 bits that choose one would no longer choose evenly. At this many
/// the rate is off by less than 0.05 % of itself.
const MAX_BLOCKS: u64 = 1 << 25;

/// The validated shape of a [`SplitBlock`](super::SplitBlock) filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitBlockParams {
    capacity: u64,
    blocks: u64,
    cpu: Vectors,
}

impl SplitBlockParams {
    /// A filter of `blocks` blocks of 32 bytes, meant for `capacity` keys.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for no blocks, or more than 2^25.
    pub fn new(capacity: u64, blocks: u64) -> Result<Self, ConfigError> {
        Ok(Self::validated(capacity, blocks)?)
    }

    fn validated(capacity: u64, blocks: u64) -> Result<Self, Invalid> {
        if !(1..=MAX_BLOCKS).contains(&blocks) {
            return Err(Invalid { field: Field::Blocks.name(), value: blocks, allowed: "1 to 2^25" });
        }
        Ok(Self { capacity, blocks, cpu: Vectors::detect() })
    }

    /// The number of blocks of 32 bytes.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }
}

impl Params for SplitBlockParams {
    const FAMILY: Family = Family::SplitBlock;

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        let blocks = match goal {
            Goal::Fpr(fpr) => {
                let fpr = Goal::check_fpr(fpr, capacity)?;
                split_block::size(capacity, fpr).ok_or(ConfigError::TooLarge { what: "bits", capacity })?
            }
            // A small filter has one block at least, even where the bits per key make less.
            Goal::BitsPerKey(bits_per_key) => {
                (Goal::check_bits(bits_per_key, capacity)? / u64::from(split_block::BLOCK_BITS)).max(1)
            }
            Goal::SizeBytes(bytes) => Goal::check_bytes(bytes, size_of::<Block>() as u64)?,
        };
        Self::new(capacity, blocks)
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn payload_bytes(&self) -> u64 {
        self.blocks * size_of::<Block>() as u64
    }

    fn probes(&self) -> u32 {
        split_block::WORDS
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        with_collisions(split_block::fpr(self.blocks, keys), keys)
    }
}

impl Layout for SplitBlockParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        let [blocks] = header.integers_of([Field::Blocks])?;
        Ok(Self::validated(header.capacity(), blocks)?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Bitmap, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        [(Field::Blocks, self.blocks.into())].into_iter()
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        let ones = count_ones(payload);
        Tally {
            fill: ones as f64 / (self.blocks * u64::from(split_block::BLOCK_BITS)) as f64,
            fpr: split_block::fpr_of_blocks(blocks(payload).iter().map(ones_per_word)),
            keys: split_block::estimate_keys(ones, self.blocks),
        }
    }

    fn check(&self, _payload: &[u8]) -> Result<(), OpenError> {
        // Every bit belongs to a block: any pattern of them is the union of some keys' bits, or close to it.
        Ok(())
    }

    #[inline(always)]
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        kernel::test(self.cpu, blocks(payload), hash)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        kernel::test_many(self.cpu, blocks(payload), hashes, hits);
    }
}

impl BitLayout for SplitBlockParams {
    const QUERY_PREFETCH: usize = 1;
    const INSERT_PREFETCH: usize = 1;

    fn positions(&self, hash: u64) -> impl Iterator<Item = u64> + core::fmt::Debug + Clone {
        Positions::new(hash, self.blocks)
    }

    #[inline(always)]
    fn set_bits(&self, payload: &mut [u8], hash: u64) -> Inserted {
        Inserted::new_if(kernel::set(self.cpu, blocks_mut(payload), hash))
    }

    fn set_bits_many(&self, payload: &mut [u8], hashes: &[u64]) -> usize {
        kernel::set_many(self.cpu, blocks_mut(payload), hashes)
    }
}

#[inline(always)]
pub(super) fn blocks(payload: &[u8]) -> &[Block] {
    payload.as_chunks().0
}

#[inline(always)]
pub(super) fn blocks_mut(payload: &mut [u8]) -> &mut [Block] {
    payload.as_chunks_mut().0
}

/// How many bits are set in each of a block's words.
pub(super) fn ones_per_word(block: &Block) -> [u32; 8] {
    let words = block.as_chunks::<4>().0;
    core::array::from_fn(|i| u32::from_le_bytes(words[i]).count_ones())
}

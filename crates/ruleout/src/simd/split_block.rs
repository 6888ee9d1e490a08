//! One bit in each of a block's eight words: compared or set in one step with AVX2, word by word without.
#![allow(unsafe_code)]

use super::cpu::with_avx2;
use super::{Vectors, prefetch_read, prefetch_write};
use crate::batch::{set_ahead, test_ahead};
use crate::bits::Mask;

/// A block: eight little-endian words of 32 bits.
pub(crate) type Block = [u8; 32];

/// The odd multiplier of each word: those of the Parquet format, so that its filters are ours.
///
/// Source: Apache Parquet format, "Parquet Bloom Filter", §Technical Approach.
pub(crate) const SALTS: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// The block of a hash: its high 32 bits, scaled to the number of blocks.
#[inline(always)]
pub(crate) fn block_of(hash: u64, blocks: usize) -> usize {
    (((hash >> 32) * blocks as u64) >> 32) as usize
}

/// Whether every bit of the key is set in its block.
#[inline(always)]
pub(crate) fn test(cpu: Vectors, blocks: &[Block], hash: u64) -> bool {
    // Indexed by the kernel: its callers have better use for their registers.
    with_avx2!(cpu, |cpu| avx2::test(cpu, blocks, hash), scalar::test(block(blocks, hash), hash))
}

#[inline(always)]
fn block(blocks: &[Block], hash: u64) -> &Block {
    &blocks[block_of(hash, blocks.len())]
}

/// [`test`] of every hash.
pub(crate) fn test_many(cpu: Vectors, blocks: &[Block], hashes: &[u64], hits: &mut Mask) {
    with_avx2!(
        cpu,
        |cpu| avx2::test_many(cpu, blocks, hashes, hits),
        test_each(blocks, hashes, hits, scalar::test)
    );
}

/// Sets every bit of the key in its block; whether one of them was clear.
#[inline(always)]
pub(crate) fn set(cpu: Vectors, blocks: &mut [Block], hash: u64) -> bool {
    let at = block_of(hash, blocks.len());
    let block = &mut blocks[at];
    with_avx2!(cpu, |cpu| avx2::set(cpu, block, hash), scalar::set(block, hash))
}

/// [`set`] of every hash; gives how many had a clear bit.
pub(crate) fn set_many(cpu: Vectors, blocks: &mut [Block], hashes: &[u64]) -> usize {
    with_avx2!(cpu, |cpu| avx2::set_many(cpu, blocks, hashes), set_each(blocks, hashes, scalar::set))
}

#[inline(always)]
fn test_each(blocks: &[Block], hashes: &[u64], hits: &mut Mask, test: impl Fn(&Block, u64) -> bool) {
    let at = |hash| block_of(hash, blocks.len());
    let fetch = |hash| prefetch_read(blocks, at(hash));
    test_ahead(hashes, hits, fetch, |hash| test(block(blocks, hash), hash));
}

#[inline(always)]
fn set_each(blocks: &mut [Block], hashes: &[u64], set: impl Fn(&mut Block, u64) -> bool) -> usize {
    let count = blocks.len();
    let at = |hash| block_of(hash, count);
    let fetch = |blocks: &[Block], hash| prefetch_write(blocks, at(hash));
    set_ahead(blocks, hashes, fetch, |blocks, hash| set(&mut blocks[at(hash)], hash))
}

/// The twin that runs everywhere.
pub(crate) mod scalar {
    use super::{Block, SALTS};

    /// The one bit of word `i`.
    #[inline(always)]
    fn bit(hash: u64, i: usize) -> u32 {
        1 << ((hash as u32).wrapping_mul(SALTS[i]) >> 27)
    }

    #[inline(always)]
    pub(crate) fn test(block: &Block, hash: u64) -> bool {
        let words = block.as_chunks::<4>().0;
        // Without an early exit: eight words are compared faster than a branch is mispredicted.
        let missing = (0..8).fold(0, |missing, i| missing | (bit(hash, i) & !u32::from_le_bytes(words[i])));
        missing == 0
    }

    #[inline(always)]
    pub(crate) fn set(block: &mut Block, hash: u64) -> bool {
        let words = block.as_chunks_mut::<4>().0;
        let mut fresh = 0;
        for (i, word) in words.iter_mut().enumerate() {
            let (old, bit) = (u32::from_le_bytes(*word), bit(hash, i));
            fresh |= bit & !old;
            *word = (old | bit).to_le_bytes();
        }
        fresh != 0
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use core::arch::x86_64::{
        __m256i, _mm256_loadu_si256, _mm256_mullo_epi32, _mm256_or_si256, _mm256_set1_epi32,
        _mm256_setr_epi32, _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_storeu_si256, _mm256_testc_si256,
    };

    use super::super::cpu::Avx2;
    use super::{Block, Mask, SALTS, block, set_each, test_each};

    /// The key's bit of every word.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(hash: u64) -> __m256i {
        let [a, b, c, d, e, f, g, h] = SALTS.map(u32::cast_signed);
        let products =
            _mm256_mullo_epi32(_mm256_set1_epi32(hash as i32), _mm256_setr_epi32(a, b, c, d, e, f, g, h));
        _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<27>(products))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(block: &Block) -> __m256i {
        // SAFETY: the load reads the 32 bytes of `block`, at any alignment.
        unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn test_block(block: &Block, hash: u64) -> bool {
        _mm256_testc_si256(load(block), bits(hash)) != 0
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn set_block(block: &mut Block, hash: u64) -> bool {
        let (old, bits) = (load(block), bits(hash));
        // SAFETY: the store writes the 32 bytes of `block`, at any alignment.
        unsafe { _mm256_storeu_si256(block.as_mut_ptr().cast(), _mm256_or_si256(old, bits)) };
        _mm256_testc_si256(old, bits) == 0
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn test_one(blocks: &[Block], hash: u64) -> bool {
        test_block(block(blocks, hash), hash)
    }

    #[target_feature(enable = "avx2")]
    fn test_blocks(blocks: &[Block], hashes: &[u64], hits: &mut Mask) {
        test_each(blocks, hashes, hits, |block, hash| test_block(block, hash));
    }

    #[target_feature(enable = "avx2")]
    fn set_blocks(blocks: &mut [Block], hashes: &[u64]) -> usize {
        set_each(blocks, hashes, |block, hash| set_block(block, hash))
    }

    #[inline(always)]
    pub(super) fn test(_: Avx2, blocks: &[Block], hash: u64) -> bool {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { test_one(blocks, hash) }
    }

    pub(super) fn test_many(_: Avx2, blocks: &[Block], hashes: &[u64], hits: &mut Mask) {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { test_blocks(blocks, hashes, hits) }
    }

    #[inline(always)]
    pub(super) fn set(_: Avx2, block: &mut Block, hash: u64) -> bool {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { set_block(block, hash) }
    }

    pub(super) fn set_many(_: Avx2, blocks: &mut [Block], hashes: &[u64]) -> usize {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { set_blocks(blocks, hashes) }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    /// Whatever kernel runs here, it sets and finds the bits its portable twin does.
    #[test]
    fn the_kernel_equals_its_twin() {
        let mut ours = vec![[0; 32]; 37];
        let mut twin = ours.clone();
        let mut hash = 1u64;
        for _ in 0..2000 {
            hash = hash.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x9e37_79b9_7f4a_7c15);
            let at = block_of(hash, twin.len());
            assert_eq!(test(Vectors::detect(), &ours, hash), scalar::test(&twin[at], hash));
            if hash.is_multiple_of(5) {
                assert_eq!(set(Vectors::detect(), &mut ours, hash), scalar::set(&mut twin[at], hash));
            }
        }
        assert_eq!(ours, twin);
    }
}

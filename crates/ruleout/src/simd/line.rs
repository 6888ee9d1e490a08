//! Whether the items of a key are set in its 64-byte line: eight probes at once with AVX2, one by one without.
//!
//! A line is `LINE` items of 512 / `LINE` bits: 512 bits, or 128 counters of four bits. Either way its sixteen words
//! of 32 bits are chosen by a probe's top four bits, and the item of the word by the bits below.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::cpu::Avx2;
use super::prefetch_read;
use crate::batch::test_ahead;
use crate::bits::{Mask, scale};

/// A cache line of most machines.
pub(crate) type Line = [u8; 64];

/// The line of a hash.
#[inline(always)]
pub(crate) fn line_of(hash: u64, lines: usize) -> usize {
    scale(hash, lines as u64) as usize
}

/// Whether every one of the key's items is above zero.
#[inline(always)]
pub(crate) fn test<const LINE: u32>(lines: &[Line], hash: u64, probes: u32) -> bool {
    let line = &lines[line_of(hash, lines.len())];
    #[cfg(target_arch = "x86_64")]
    if let Some(cpu) = Avx2::detect() {
        return avx2::test::<LINE>(cpu, line, hash, probes);
    }
    scalar::test::<LINE>(line, hash, probes)
}

/// [`test`] of every hash.
pub(crate) fn test_many<const LINE: u32>(lines: &[Line], hashes: &[u64], probes: u32, hits: &mut Mask) {
    #[cfg(target_arch = "x86_64")]
    if let Some(cpu) = Avx2::detect() {
        return avx2::test_many::<LINE>(cpu, lines, hashes, probes, hits);
    }
    test_each(lines, hashes, hits, |line, hash| scalar::test::<LINE>(line, hash, probes));
}

#[inline(always)]
fn test_each(lines: &[Line], hashes: &[u64], hits: &mut Mask, test: impl Fn(&Line, u64) -> bool) {
    let at = |hash| line_of(hash, lines.len());
    let fetch = |hash| prefetch_read(lines.as_flattened(), at(hash) * size_of::<Line>());
    test_ahead(hashes, hits, fetch, |hash| test(&lines[at(hash)], hash));
}

/// The twin that runs everywhere.
pub(crate) mod scalar {
    use super::Line;
    use crate::bits::LinePositions;

    #[inline(always)]
    pub(crate) fn test<const LINE: u32>(line: &Line, hash: u64, probes: u32) -> bool {
        let width = 512 / LINE;
        LinePositions::<LINE>::in_line(hash, probes).all(|item| {
            let bit = item as u32 * width;
            line[(bit / 8) as usize] >> (bit % 8) & ((1u16 << width) - 1) as u8 != 0
        })
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use core::arch::x86_64::{
        __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_blendv_ps, _mm256_castps_si256,
        _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32, _mm256_loadu_si256, _mm256_mullo_epi32,
        _mm256_permutevar8x32_epi32, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_si256,
        _mm256_slli_epi32, _mm256_srl_epi32, _mm256_srli_epi32, _mm256_srlv_epi32, _mm256_testz_si256,
    };

    use super::{Avx2, Line, Mask, test_each};
    use crate::bits::{GROUP, MULTIPLIERS, STEP, group_word};

    /// The factor from a group's word to each of its probes: STEP^0 … STEP^7.
    const FACTORS: [i32; GROUP as usize] = {
        let mut factors = [1u32; GROUP as usize];
        let mut i = 1;
        while i < factors.len() {
            factors[i] = factors[i - 1].wrapping_mul(STEP);
            i += 1;
        }
        let mut signed = [0; GROUP as usize];
        let mut i = 0;
        while i < signed.len() {
            signed[i] = factors[i].cast_signed();
            i += 1;
        }
        signed
    };

    #[inline]
    #[target_feature(enable = "avx2")]
    fn lanes([a, b, c, d, e, f, g, h]: [i32; 8]) -> __m256i {
        _mm256_setr_epi32(a, b, c, d, e, f, g, h)
    }

    /// Whether the items of one group of probes are all above zero; `left` of its eight probes count.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn test_group<const LINE: u32>(low: __m256i, high: __m256i, word: u32, left: u32) -> bool {
        let width = 512 / LINE;
        let probes = _mm256_mullo_epi32(_mm256_set1_epi32(word.cast_signed()), lanes(FACTORS));
        // The top four bits choose the word: three within a half of the line, and the sign bit the half.
        let index = _mm256_srli_epi32::<28>(probes);
        let (in_low, in_high) =
            (_mm256_permutevar8x32_epi32(low, index), _mm256_permutevar8x32_epi32(high, index));
        let words = _mm256_castps_si256(_mm256_blendv_ps(
            _mm256_castsi256_ps(in_low),
            _mm256_castsi256_ps(in_high),
            _mm256_castsi256_ps(probes),
        ));
        // The bits below choose the item of the word: five of them for bits, three for counters, times the width.
        let item_bits = (LINE / 16).trailing_zeros().cast_signed();
        let item = _mm256_srl_epi32(_mm256_slli_epi32::<4>(probes), _mm_cvtsi32_si128(32 - item_bits));
        let shift = _mm256_mullo_epi32(item, _mm256_set1_epi32(width.cast_signed()));
        let items = _mm256_and_si256(_mm256_srlv_epi32(words, shift), _mm256_set1_epi32((1i32 << width) - 1));
        let zero = _mm256_cmpeq_epi32(items, _mm256_setzero_si256());
        let counted =
            _mm256_cmpgt_epi32(_mm256_set1_epi32(left.cast_signed()), lanes([0, 1, 2, 3, 4, 5, 6, 7]));
        _mm256_testz_si256(zero, counted) != 0
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn test_line<const LINE: u32>(line: &Line, hash: u64, probes: u32) -> bool {
        // SAFETY: the two loads read the 64 bytes of `line`, at any alignment.
        let (low, high) = unsafe {
            (_mm256_loadu_si256(line.as_ptr().cast()), _mm256_loadu_si256(line[32..].as_ptr().cast()))
        };
        let mut left = probes;
        for multiplier in MULTIPLIERS {
            if !test_group::<LINE>(low, high, group_word(hash, multiplier), left) {
                return false;
            }
            if left <= GROUP {
                break;
            }
            left -= GROUP;
        }
        true
    }

    #[target_feature(enable = "avx2")]
    fn test_lines<const LINE: u32>(lines: &[Line], hashes: &[u64], probes: u32, hits: &mut Mask) {
        test_each(lines, hashes, hits, |line, hash| test_line::<LINE>(line, hash, probes));
    }

    #[inline(always)]
    pub(super) fn test<const LINE: u32>(_: Avx2, line: &Line, hash: u64, probes: u32) -> bool {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { test_line::<LINE>(line, hash, probes) }
    }

    pub(super) fn test_many<const LINE: u32>(
        _: Avx2,
        lines: &[Line],
        hashes: &[u64],
        probes: u32,
        hits: &mut Mask,
    ) {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { test_lines::<LINE>(lines, hashes, probes, hits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever kernel runs here answers as its portable twin, for every number of probes and every fill.
    fn the_kernel_equals_its_twin<const LINE: u32>() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x9e37_79b9_7f4a_7c15);
            state ^ state >> 32
        };
        let mut found = [0u32; 2];
        for probes in 1..=32 {
            for fill in [0u8, 1, 3, 7, 15, 31, 63, 127, 254] {
                let mut lines = [[0u8; 64]; 3];
                for byte in lines.as_flattened_mut() {
                    *byte = if random() as u8 <= fill { 0 } else { random() as u8 | 0x11 };
                }
                for _ in 0..200 {
                    let hash = random();
                    let twin = scalar::test::<LINE>(&lines[line_of(hash, 3)], hash, probes);
                    assert_eq!(test::<LINE>(&lines, hash, probes), twin, "{probes} probes");
                    found[usize::from(twin)] += 1;
                }
            }
        }
        assert!(found.iter().all(|&times| times > 1000), "both answers were compared: {found:?}");
    }

    #[test]
    fn bits() {
        the_kernel_equals_its_twin::<512>();
    }

    #[test]
    fn counters() {
        the_kernel_equals_its_twin::<128>();
    }
}

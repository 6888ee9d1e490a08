//! The items of a key in its 64-byte line: looked at and set all at once with AVX2, one by one without.
//!
//! A line is `LINE` items of 512 / `LINE` bits: 512 bits, or 128 counters of four bits. Either way its sixteen words
//! of 32 bits are chosen by a probe's top four bits, and the item of the word by the bits below.
#![allow(unsafe_code)]

use super::cpu::with_avx2;
use super::{prefetch_read, prefetch_write};
use crate::batch::{set_ahead, test_ahead};
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
    with_avx2!(|cpu| avx2::test::<LINE>(cpu, line, hash, probes), scalar::test::<LINE>(line, hash, probes))
}

/// [`test`] of every hash.
pub(crate) fn test_many<const LINE: u32>(lines: &[Line], hashes: &[u64], probes: u32, hits: &mut Mask) {
    with_avx2!(
        |cpu| avx2::test_many::<LINE>(cpu, lines, hashes, probes, hits),
        test_each(lines, hashes, hits, |line, hash| scalar::test::<LINE>(line, hash, probes))
    );
}

/// Sets every bit of the key in its line of 512 bits; whether one of them was clear.
#[inline(always)]
pub(crate) fn set(lines: &mut [Line], hash: u64, probes: u32) -> bool {
    let at = line_of(hash, lines.len());
    let line = &mut lines[at];
    with_avx2!(|cpu| avx2::set(cpu, line, hash, probes), scalar::set(line, hash, probes))
}

/// [`set`] of every hash; gives how many had a clear bit.
pub(crate) fn set_many(lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
    with_avx2!(
        |cpu| avx2::set_many(cpu, lines, hashes, probes),
        set_each(lines, hashes, |line, hash| scalar::set(line, hash, probes))
    )
}

/// Adds one to every counter of the key in its line of 128 counters, but for those at 15; whether one was 0.
#[inline(always)]
pub(crate) fn increment(lines: &mut [Line], hash: u64, probes: u32) -> bool {
    let at = line_of(hash, lines.len());
    let line = &mut lines[at];
    with_avx2!(|cpu| avx2::increment(cpu, line, hash, probes), scalar::increment(line, hash, probes))
}

/// [`increment`] of every hash; gives how many had a counter at 0.
pub(crate) fn increment_many(lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
    with_avx2!(
        |cpu| avx2::increment_many(cpu, lines, hashes, probes),
        set_each(lines, hashes, |line, hash| scalar::increment(line, hash, probes))
    )
}

#[inline(always)]
fn set_each(lines: &mut [Line], hashes: &[u64], set: impl Fn(&mut Line, u64) -> bool) -> usize {
    let count = lines.len();
    let at = |hash| line_of(hash, count);
    let fetch = |lines: &[Line], hash| prefetch_write(lines.as_flattened(), at(hash) * size_of::<Line>());
    set_ahead(lines, hashes, fetch, |lines, hash| set(&mut lines[at(hash)], hash))
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

    /// The lowest bit of every counter of a word.
    const ONES: u64 = 0x1111_1111_1111_1111;

    /// The lowest bit of each of the key's items, as the line's eight words of 64 bits. An item that comes up twice is
    /// there once.
    #[inline(always)]
    pub(crate) fn mask<const LINE: u32>(hash: u64, probes: u32) -> [u64; 8] {
        let mut mask = [0; 8];
        for item in LinePositions::<LINE>::in_line(hash, probes) {
            let bit = item * u64::from(512 / LINE);
            mask[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        mask
    }

    /// The counters of a word that are 0, and those that are 15, each by its lowest bit.
    #[inline(always)]
    pub(crate) fn zero_and_full(word: u64) -> (u64, u64) {
        let any = word | word >> 1 | word >> 2 | word >> 3;
        let all = word & word >> 1 & word >> 2 & word >> 3;
        (!any & ONES, all & ONES)
    }

    #[inline(always)]
    pub(crate) fn set(line: &mut Line, hash: u64, probes: u32) -> bool {
        let mut fresh = 0;
        for (word, mask) in line.as_chunks_mut().0.iter_mut().zip(mask::<512>(hash, probes)) {
            let old = u64::from_le_bytes(*word);
            fresh |= mask & !old;
            *word = (old | mask).to_le_bytes();
        }
        fresh != 0
    }

    #[inline(always)]
    pub(crate) fn increment(line: &mut Line, hash: u64, probes: u32) -> bool {
        let mut fresh = 0;
        for (word, mask) in line.as_chunks_mut().0.iter_mut().zip(mask::<128>(hash, probes)) {
            let old = u64::from_le_bytes(*word);
            let (zero, full) = zero_and_full(old);
            fresh |= mask & zero;
            *word = (old + (mask & !full)).to_le_bytes();
        }
        fresh != 0
    }

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
        __m256i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
        _mm256_blendv_ps, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32,
        _mm256_loadu_si256, _mm256_mullo_epi32, _mm256_or_si256, _mm256_permutevar8x32_epi32,
        _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srl_epi32,
        _mm256_srli_epi32, _mm256_srli_epi64, _mm256_srlv_epi32, _mm256_storeu_si256, _mm256_testc_si256,
        _mm256_testz_si256,
    };

    use super::super::cpu::Avx2;
    use super::{Line, Mask, set_each, test_each};
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

    /// The two halves of a line.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(line: &Line) -> [__m256i; 2] {
        // SAFETY: the two loads read the 64 bytes of `line`, at any alignment.
        unsafe { [_mm256_loadu_si256(line.as_ptr().cast()), _mm256_loadu_si256(line[32..].as_ptr().cast())] }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(line: &mut Line, [low, high]: [__m256i; 2]) {
        // SAFETY: the two stores write the 64 bytes of `line`, at any alignment.
        unsafe {
            _mm256_storeu_si256(line.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(line[32..].as_mut_ptr().cast(), high);
        }
    }

    /// The lowest bit of each of the key's items, as the halves of a line.
    ///
    /// Built in registers: a word stored and read back as part of a wider one would wait for the store.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn mask<const LINE: u32>(hash: u64, probes: u32) -> [__m256i; 2] {
        let mut mask = [_mm256_setzero_si256(); 2];
        let indices = [lanes([0, 1, 2, 3, 4, 5, 6, 7]), lanes([8, 9, 10, 11, 12, 13, 14, 15])];
        let item_bits = (LINE / 16).trailing_zeros();
        let mut left = probes;
        for multiplier in MULTIPLIERS {
            let mut word = group_word(hash, multiplier);
            for _ in 0..left.min(GROUP) {
                let item = (word << 4) >> (32 - item_bits);
                let bit = _mm256_set1_epi32((1u32 << (item * (512 / LINE))).cast_signed());
                let index = _mm256_set1_epi32((word >> 28).cast_signed());
                for (mask, indices) in mask.iter_mut().zip(indices) {
                    *mask = _mm256_or_si256(*mask, _mm256_and_si256(bit, _mm256_cmpeq_epi32(index, indices)));
                }
                word = word.wrapping_mul(STEP);
            }
            if left <= GROUP {
                break;
            }
            left -= GROUP;
        }
        mask
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn set_line(line: &mut Line, hash: u64, probes: u32) -> bool {
        let (old, mask) = (load(line), mask::<512>(hash, probes));
        store(line, [_mm256_or_si256(old[0], mask[0]), _mm256_or_si256(old[1], mask[1])]);
        _mm256_testc_si256(old[0], mask[0]) & _mm256_testc_si256(old[1], mask[1]) == 0
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn increment_line(line: &mut Line, hash: u64, probes: u32) -> bool {
        let (mut half, mask) = (load(line), mask::<128>(hash, probes));
        let mut seen = 1;
        for (half, mask) in half.iter_mut().zip(mask) {
            let old = *half;
            let (one, two, three) =
                (_mm256_srli_epi64::<1>(old), _mm256_srli_epi64::<2>(old), _mm256_srli_epi64::<3>(old));
            // In the lowest bit of every counter: whether it is above 0, and whether it is 15.
            let any = _mm256_or_si256(_mm256_or_si256(old, one), _mm256_or_si256(two, three));
            let all = _mm256_and_si256(_mm256_and_si256(old, one), _mm256_and_si256(two, three));
            seen &= _mm256_testc_si256(any, mask);
            *half = _mm256_add_epi64(old, _mm256_andnot_si256(all, mask));
        }
        store(line, half);
        seen == 0
    }

    #[target_feature(enable = "avx2")]
    fn set_lines(lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
        set_each(lines, hashes, |line, hash| set_line(line, hash, probes))
    }

    #[target_feature(enable = "avx2")]
    fn increment_lines(lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
        set_each(lines, hashes, |line, hash| increment_line(line, hash, probes))
    }

    #[inline(always)]
    pub(super) fn set(_: Avx2, line: &mut Line, hash: u64, probes: u32) -> bool {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { set_line(line, hash, probes) }
    }

    pub(super) fn set_many(_: Avx2, lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { set_lines(lines, hashes, probes) }
    }

    #[inline(always)]
    pub(super) fn increment(_: Avx2, line: &mut Line, hash: u64, probes: u32) -> bool {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { increment_line(line, hash, probes) }
    }

    pub(super) fn increment_many(_: Avx2, lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
        // SAFETY: the token proves that the CPU has AVX2.
        unsafe { increment_lines(lines, hashes, probes) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn test_line<const LINE: u32>(line: &Line, hash: u64, probes: u32) -> bool {
        let [low, high] = load(line);
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

    /// Whatever kernel runs here changes a line as its portable twin does, and answers the same.
    fn the_setter_equals_its_twin(
        set: impl Fn(&mut [Line], u64, u32) -> bool,
        set_many: impl Fn(&mut [Line], &[u64], u32) -> usize,
        twin: impl Fn(&mut Line, u64, u32) -> bool,
    ) {
        for probes in 1..=32 {
            let mut lines = [[0u8; 64]; 5];
            let (mut batched, mut twins) = (lines, lines);
            let hashes: alloc::vec::Vec<u64> =
                (1..400u64).map(|i| (i / 3).wrapping_mul(0xd134_2543_de82_ef95)).collect();
            let mut new = 0;
            for &hash in &hashes {
                let fresh = twin(&mut twins[line_of(hash, 5)], hash, probes);
                assert_eq!(set(&mut lines, hash, probes), fresh, "{probes} probes");
                assert_eq!(lines, twins, "{probes} probes");
                new += usize::from(fresh);
            }
            assert_eq!(set_many(&mut batched, &hashes, probes), new);
            assert_eq!(batched, twins);
        }
    }

    #[test]
    fn setting_bits() {
        the_setter_equals_its_twin(set, set_many, scalar::set);
    }

    #[test]
    fn incrementing_counters() {
        the_setter_equals_its_twin(increment, increment_many, scalar::increment);
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

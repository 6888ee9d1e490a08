//! All of a key's items at once.
#![allow(unsafe_code)]

use core::arch::x86_64::{
    __m256i, _mm_or_si128, _mm_setr_epi8, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_blend_epi16, _mm256_blendv_ps, _mm256_broadcastsi128_si256, _mm256_castps_si256,
    _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_mullo_epi32, _mm256_or_si256,
    _mm256_permutevar8x32_epi32, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_sllv_epi32, _mm256_srli_epi16,
    _mm256_srli_epi32, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_sub_epi32, _mm256_testc_ps,
    _mm256_testc_si256, _mm256_testz_si256,
};

use super::{Line, Mask, line, set_each, test_each};
use crate::bits::{GROUP, MULTIPLIERS, STEP, group_word};
use crate::simd::cpu::Avx2;

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

/// The multipliers of a key's groups, each with the number of probes left for it.
#[inline(always)]
fn groups(probes: u32) -> impl Iterator<Item = (u64, u32)> {
    let left = (0..probes).step_by(GROUP as usize).map(move |before| probes - before);
    MULTIPLIERS.into_iter().zip(left)
}

#[inline]
#[target_feature(enable = "avx2")]
fn lanes([a, b, c, d, e, f, g, h]: [i32; 8]) -> __m256i {
    _mm256_setr_epi32(a, b, c, d, e, f, g, h)
}

/// The probes of one group: the item of each in its top bits, the line's word first.
#[inline]
#[target_feature(enable = "avx2")]
fn group(hash: u64, multiplier: u64) -> __m256i {
    let word = group_word(hash, multiplier).cast_signed();
    _mm256_mullo_epi32(_mm256_set1_epi32(word), lanes(FACTORS))
}

/// All ones where a probe of a group counts: `left` of its eight do.
#[inline]
#[target_feature(enable = "avx2")]
fn counted(left: u32) -> __m256i {
    _mm256_cmpgt_epi32(_mm256_set1_epi32(left.cast_signed()), lanes([0, 1, 2, 3, 4, 5, 6, 7]))
}

/// Whether the items of one group of probes are all above zero; `left` of its eight probes count.
#[inline]
#[target_feature(enable = "avx2")]
fn test_group<const LINE: u32>([low, high]: [__m256i; 2], hash: u64, multiplier: u64, left: u32) -> bool {
    let probes = group(hash, multiplier);
    // The top four bits choose the word: three within a half of the line, and the sign bit the half.
    let index = _mm256_srli_epi32::<28>(probes);
    let words = _mm256_blendv_ps(
        _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, index)),
        _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, index)),
        _mm256_castsi256_ps(probes),
    );
    let words = _mm256_castps_si256(words);
    // The five bits below are the bit of the word.
    let bit = _mm256_srli_epi32::<23>(probes);
    if LINE == 512 {
        // It is shifted to the sign, which is all that the test looks at.
        let to_sign = _mm256_andnot_si256(bit, _mm256_set1_epi32(31));
        let signs = _mm256_castsi256_ps(_mm256_sllv_epi32(words, to_sign));
        _mm256_testc_ps(signs, _mm256_castsi256_ps(counted(left))) != 0
    } else {
        let (width, full) = ((512 / LINE).cast_signed(), (1i32 << (512 / LINE)) - 1);
        let first = _mm256_and_si256(bit, _mm256_set1_epi32(32 - width));
        let item = _mm256_and_si256(words, _mm256_sllv_epi32(_mm256_set1_epi32(full), first));
        let zero = _mm256_cmpeq_epi32(item, _mm256_setzero_si256());
        _mm256_testz_si256(zero, counted(left)) != 0
    }
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

/// The bits of one group, as the halves of a line: each probe's number is set against those of all words at once.
///
/// Built in registers: a word stored and read back as part of a wider one would wait for the store.
#[inline]
#[target_feature(enable = "avx2")]
fn group_bits(hash: u64, multiplier: u64, left: u32) -> [__m256i; 2] {
    // Of every word, the number of its first bit.
    let firsts =
        [lanes([0, 32, 64, 96, 128, 160, 192, 224]), lanes([256, 288, 320, 352, 384, 416, 448, 480])];
    let bits = only_counted(_mm256_srli_epi32::<23>(group(hash, multiplier)), left);
    let mut mask = [_mm256_setzero_si256(); 2];
    for i in 0..GROUP.cast_signed() {
        let bit = _mm256_permutevar8x32_epi32(bits, _mm256_set1_epi32(i));
        for (mask, first) in mask.iter_mut().zip(firsts) {
            *mask = _mm256_or_si256(*mask, bit_of_word(bit, first));
        }
    }
    mask
}

/// The lowest bit of each counter of two maps, as the halves of a line.
#[inline]
#[target_feature(enable = "avx2")]
fn counters(maps: __m256i) -> [__m256i; 2] {
    let map = _mm_or_si128(_mm256_castsi256_si128(maps), _mm256_extracti128_si256::<1>(maps));
    let map = _mm256_broadcastsi128_si256(map);
    // A byte of the map is a word of the line: two of its bits for each of the word's bytes.
    let bytes =
        lanes([0, 0x0101_0101, 0x0202_0202, 0x0303_0303, 0x0404_0404, 0x0505_0505, 0x0606_0606, 0x0707_0707]);
    let bytes = [bytes, _mm256_or_si256(bytes, _mm256_set1_epi8(8))];
    bytes.map(|bytes| spread(_mm256_shuffle_epi8(map, bytes)))
}

/// The counters of one group: two maps of a bit for each of 128, for the two halves of the group.
///
/// There are few enough counters for maps, which take two probes in one step and are spread at the end.
#[inline]
#[target_feature(enable = "avx2")]
fn group_maps(hash: u64, multiplier: u64, left: u32) -> __m256i {
    let firsts = lanes([0, 32, 64, 96, 0, 32, 64, 96]);
    let items = only_counted(_mm256_srli_epi32::<25>(group(hash, multiplier)), left);
    let pairs = [
        _mm256_shuffle_epi32::<0b00_00_00_00>(items),
        _mm256_shuffle_epi32::<0b01_01_01_01>(items),
        _mm256_shuffle_epi32::<0b10_10_10_10>(items),
        _mm256_shuffle_epi32::<0b11_11_11_11>(items),
    ];
    let mut maps = _mm256_setzero_si256();
    for pair in pairs {
        maps = _mm256_or_si256(maps, bit_of_word(pair, firsts));
    }
    maps
}

/// Of words each of which is a byte four times over, the byte's bits, each as the lowest of four.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(words: __m256i) -> __m256i {
    // Two of the bits to each byte of the word: at its bottom, or above by two.
    let nibbles = _mm256_blend_epi16::<0b1010_1010>(words, _mm256_srli_epi16::<4>(words));
    let pairs = _mm256_and_si256(nibbles, _mm256_set1_epi32(0x0c03_0c03));
    // By the pair, wherever it is, to the bottom of both halves of the byte.
    let apart = _mm_setr_epi8(0, 0x01, 0x10, 0x11, 0x01, 0, 0, 0, 0x10, 0, 0, 0, 0x11, 0, 0, 0);
    _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(apart), pairs)
}

/// `items` with all bits set in those that do not count: `left` of the eight do.
#[inline]
#[target_feature(enable = "avx2")]
fn only_counted(items: __m256i, left: u32) -> __m256i {
    let last = _mm256_set1_epi32(left.cast_signed() - 1);
    _mm256_or_si256(items, _mm256_cmpgt_epi32(lanes([0, 1, 2, 3, 4, 5, 6, 7]), last))
}

/// Of a bit given by its number, what lies in the words with these first numbers: nothing where it is in another, for
/// a shift by 32 or more gives nothing.
#[inline]
#[target_feature(enable = "avx2")]
fn bit_of_word(bit: __m256i, firsts: __m256i) -> __m256i {
    _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_sub_epi32(bit, firsts))
}

#[inline]
#[target_feature(enable = "avx2")]
fn set_line(line: &mut Line, hash: u64, probes: u32) -> bool {
    if probes > GROUP { set_groups(line, hash, probes) } else { set_one_group(line, hash, probes) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn set_one_group(line: &mut Line, hash: u64, probes: u32) -> bool {
    set_bits(line, group_bits(hash, MULTIPLIERS[0], probes))
}

/// For many probes: apart, to leave the registers to few.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn set_groups(line: &mut Line, hash: u64, probes: u32) -> bool {
    let mut bits = [_mm256_setzero_si256(); 2];
    for (multiplier, left) in groups(probes) {
        let [low, high] = group_bits(hash, multiplier, left);
        bits = [_mm256_or_si256(bits[0], low), _mm256_or_si256(bits[1], high)];
    }
    set_bits(line, bits)
}

#[inline]
#[target_feature(enable = "avx2")]
fn set_bits(line: &mut Line, bits: [__m256i; 2]) -> bool {
    let old = load(line);
    store(line, [_mm256_or_si256(old[0], bits[0]), _mm256_or_si256(old[1], bits[1])]);
    _mm256_testc_si256(old[0], bits[0]) & _mm256_testc_si256(old[1], bits[1]) == 0
}

#[inline]
#[target_feature(enable = "avx2")]
fn increment_line(line: &mut Line, hash: u64, probes: u32) -> bool {
    if probes > GROUP {
        increment_groups(line, hash, probes)
    } else {
        increment_one_group(line, hash, probes)
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn increment_one_group(line: &mut Line, hash: u64, probes: u32) -> bool {
    increment_counters(line, counters(group_maps(hash, MULTIPLIERS[0], probes)))
}

/// For many probes: apart, as [`set_groups`].
#[inline(never)]
#[target_feature(enable = "avx2")]
fn increment_groups(line: &mut Line, hash: u64, probes: u32) -> bool {
    let mut maps = _mm256_setzero_si256();
    for (multiplier, left) in groups(probes) {
        maps = _mm256_or_si256(maps, group_maps(hash, multiplier, left));
    }
    increment_counters(line, counters(maps))
}

#[inline]
#[target_feature(enable = "avx2")]
fn increment_counters(line: &mut Line, counters: [__m256i; 2]) -> bool {
    let mut half = load(line);
    let mut seen = 1;
    for (half, lowest) in half.iter_mut().zip(counters) {
        let old = *half;
        // In the lowest bit of every counter: whether it is above 0, and whether it is 15.
        let next = _mm256_srli_epi64::<1>(old);
        let (any, all) = (_mm256_or_si256(old, next), _mm256_and_si256(old, next));
        let any = _mm256_or_si256(any, _mm256_srli_epi64::<2>(any));
        let all = _mm256_and_si256(all, _mm256_srli_epi64::<2>(all));
        seen &= _mm256_testc_si256(any, lowest);
        *half = _mm256_add_epi64(old, _mm256_andnot_si256(all, lowest));
    }
    store(line, half);
    seen == 0
}

#[target_feature(enable = "avx2")]
fn set_lines(lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
    // Asked outside the loop, which then is one without a call.
    if probes > GROUP {
        set_each(lines, hashes, |line, hash| set_groups(line, hash, probes))
    } else {
        set_each(lines, hashes, |line, hash| set_one_group(line, hash, probes))
    }
}

#[target_feature(enable = "avx2")]
fn increment_lines(lines: &mut [Line], hashes: &[u64], probes: u32) -> usize {
    if probes > GROUP {
        set_each(lines, hashes, |line, hash| increment_groups(line, hash, probes))
    } else {
        set_each(lines, hashes, |line, hash| increment_one_group(line, hash, probes))
    }
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
fn test_line<const LINE: u32>(lines: &[Line], hash: u64, probes: u32) -> bool {
    let line = line(lines, hash);
    if probes > GROUP {
        test_groups::<LINE>(line, hash, probes)
    } else {
        test_one_group::<LINE>(line, hash, probes)
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn test_one_group<const LINE: u32>(line: &Line, hash: u64, probes: u32) -> bool {
    test_group::<LINE>(load(line), hash, MULTIPLIERS[0], probes)
}

/// For many probes: apart, as [`set_groups`]. Stops at the first group that is not above zero.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn test_groups<const LINE: u32>(line: &Line, hash: u64, probes: u32) -> bool {
    let half = load(line);
    groups(probes).all(|(multiplier, left)| test_group::<LINE>(half, hash, multiplier, left))
}

#[target_feature(enable = "avx2")]
fn test_lines<const LINE: u32>(lines: &[Line], hashes: &[u64], probes: u32, hits: &mut Mask) {
    if probes > GROUP {
        test_each(lines, hashes, hits, |line, hash| test_groups::<LINE>(line, hash, probes));
    } else {
        test_each(lines, hashes, hits, |line, hash| test_one_group::<LINE>(line, hash, probes));
    }
}

#[inline(always)]
pub(super) fn test<const LINE: u32>(_: Avx2, lines: &[Line], hash: u64, probes: u32) -> bool {
    // SAFETY: the token proves that the CPU has AVX2.
    unsafe { test_line::<LINE>(lines, hash, probes) }
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

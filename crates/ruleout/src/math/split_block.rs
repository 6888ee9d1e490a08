//! Split-block Bloom filters: one bit in each of the eight words of a 256-bit block.
//!
//! A block is chosen uniformly among `L`, then one bit uniformly in each of its eight 32-bit words. Given the
//! `j` keys of a block, a word has a given bit unset with probability `(31/32)^j`, and the words are independent.
//! With `J` for the keys of the block met by an absent key,
//!
//! ```text
//! rate  =  E[ Q(J) ],     J ~ Binomial(n, 1/L),     Q(j) = (1 − (31/32)^j)^8
//! ```
//!
//! exactly. The layout is that of Apache Parquet, Impala and Kudu ("Parquet Bloom Filter", section *Algorithm*, in the
//! repository `apache/parquet-format`); the words are those of Putze, Sanders and Singler, WEA 2007, §3.1.
//! Expanding the power gives the closed form `Σ_i (−1)^i C(8,i) E[(31/32)^(iJ)]`, whose terms cancel; the sum over
//! `J` has positive terms only. At low rates eight probes are too few and below 10 bits a key too many, so this
//! layout costs more than the 512-bit lines of [`blocked`](super::blocked) with their free number of probes.
//!
//! # Example
//!
//! ```
//! use ruleout::math::split_block;
//!
//! // 1 % costs 10.529 bits a key.
//! assert!((split_block::bits_per_key(0.01).unwrap() - 10.529).abs() < 1e-3);
//! let blocks = split_block::size(1_000_000, 0.01).unwrap();
//! assert_eq!(blocks, 41_130);
//! // Half the blocks, as after folding, have the rate of twice the keys.
//! assert!((split_block::fpr(blocks / 2, 1_000_000) - 0.153).abs() < 1e-3);
//! ```
//!
//! # Limits
//!
//! In Parquet's layout all eight bits of a key come from 32 bits of its hash, so keys that agree in those and in
//! the block agree in all. That adds about `λ·2⁻³²` with `λ` keys a block, which these functions leave out: a share
//! of the rate of `3·10⁻⁶` at 16 bits a key, a thousandth at 64, a tenth at 256.

use super::bloom::ln_unset;
use super::elementary::{ceil, exp_m1, ln_1p, pow, powi};
use super::mixture::{self, LineRate};
use super::search;

/// Bits in a block.
pub const BLOCK_BITS: u32 = WORDS * WORD_BITS;

/// Words in a block, in each of which a key sets one bit.
pub const WORDS: u32 = 8;

/// Bits in a word.
pub const WORD_BITS: u32 = 32;

/// Keys from which on a block counts as full.
///
/// The probability that one of 8 given bits is still unset is `8·(31/32)^1300 < 10⁻¹⁷`, less than half a unit
/// in the last place of 1.
const FULL_AT: u64 = 1300;

/// The exact expected false-positive rate of `keys` distinct keys in `blocks` blocks.
///
/// Without keys it is 0; with keys but without blocks it is 1.
///
/// # Complexity
///
/// `O(λ + √λ)` time with `λ = n/L` keys a block, but never more than some tens of microseconds: a block is full
/// after 1,300 keys. No allocation.
pub fn fpr(blocks: u64, keys: u64) -> f64 {
    mixture::binomial(&mut BlockRates, blocks, keys)
}

/// The false-positive rate of one built filter: the mean over its blocks of `Π_w ones_w / 32`.
///
/// An item holds the number of bits set in each word of one block; more than 32 are taken as 32. This is
/// conditional on the fill and so free of the noise between builds. A filter without blocks holds nothing: 0.
///
/// # Complexity
///
/// Eight multiplications a block; the sum is exact.
pub fn fpr_of_blocks(ones_per_word: impl IntoIterator<Item = [u32; WORDS as usize]>) -> f64 {
    let (mut hits, mut blocks) = (0_u128, 0_u64);
    for ones in ones_per_word {
        // At most 32^8 = 2^40.
        hits += u128::from(ones.iter().map(|&ones| u64::from(ones.min(WORD_BITS))).product::<u64>());
        blocks += 1;
    }
    if blocks == 0 {
        return 0.0;
    }
    hits as f64 / (blocks as f64 * powi(f64::from(WORD_BITS), WORDS))
}

/// The fewest bits per key that reach `fpr`, for many blocks.
///
/// With many blocks `J` becomes Poisson with mean `λ = 256/b`; the largest `λ` with `E[Q(J)] ≤ p` is found by
/// bisection to full precision. `None` if `fpr` is not strictly between 0 and 1.
///
/// # Complexity
///
/// Some 60 evaluations of the rate, below a millisecond.
pub fn bits_per_key(fpr: f64) -> Option<f64> {
    if !(fpr > 0.0 && fpr < 1.0) {
        return None;
    }
    // An even spread of the keys over the blocks is the best case, so λ is at most that.
    let mean = mixture::largest_mean(&mut BlockRates, fpr, 0.0, even_spread(fpr));
    (mean > 0.0).then(|| f64::from(BLOCK_BITS) / mean)
}

/// The fewest blocks in which `keys` keys have an exact expected rate of at most `fpr`.
///
/// No keys are treated as one. `None` if `fpr` is not strictly between 0 and 1, or if the blocks would hold more
/// than `u64::MAX` bits.
///
/// # Complexity
///
/// Some 80 evaluations of [`fpr`]: about a millisecond.
pub fn size(keys: u64, fpr: f64) -> Option<u64> {
    let bits_per_key = bits_per_key(fpr)?;
    let keys = keys.max(1);
    let most = u64::MAX / u64::from(BLOCK_BITS);
    let guess = ceil(keys as f64 * bits_per_key / f64::from(BLOCK_BITS)) as u64;
    search::smallest(guess.min(most), |blocks| self::fpr(blocks, keys) <= fpr)
        .filter(|&blocks| blocks <= most)
}

/// The largest number of keys whose exact expected rate in `blocks` blocks is at most `fpr`.
///
/// The inverse of [`fpr`] in the keys. 0 where not even one key fits; `u64::MAX` if `fpr ≥ 1`, since any
/// filter keeps that. A rate that is negative or NaN counts as 0.
///
/// # Complexity
///
/// Some tens of evaluations of [`fpr`], below a millisecond.
pub fn capacity(blocks: u64, fpr: f64) -> u64 {
    if fpr >= 1.0 {
        return u64::MAX;
    }
    if blocks == 0 || fpr.is_nan() || fpr < 0.0 {
        return 0;
    }
    let guess = blocks as f64 * even_spread(fpr);
    search::largest(guess as u64, |keys| self::fpr(blocks, keys) <= fpr)
}

/// An estimate of the distinct keys inserted, from the `ones` bits set in all of the `blocks` blocks.
///
/// Every key sets a given bit with probability `1/(32·L)`, independently of the others, so the expected fill
/// has a closed form; the estimate is the `n` whose expected fill is the one seen (the method of moments):
///
/// ```text
/// E[X] / 256L = 1 − (1 − 1/(32·L))^n          n = ln(1 − X/256L) / ln(1 − 1/(32·L))
/// ```
///
/// It looks at the total only, so full blocks are no obstacle. `None` when every bit is set, or when there are no
/// blocks.
///
/// # Complexity
///
/// Constant.
pub fn estimate_keys(ones: u64, blocks: u64) -> Option<f64> {
    // More blocks than 64 bits can count the bits of do not exist.
    let bits = blocks.saturating_mul(u64::from(BLOCK_BITS));
    if ones >= bits {
        return None;
    }
    if ones == 0 {
        return Some(0.0);
    }
    Some(ln_unset(ones, bits) / ln_1p(-1.0 / (f64::from(WORD_BITS) * blocks as f64)))
}

/// Keys per block at which `Q` is `fpr`.
fn even_spread(fpr: f64) -> f64 {
    ln_1p(-pow(fpr, 1.0 / f64::from(WORDS))) / ln_bit_missed()
}

/// `ln(31/32)`: a key misses one given bit of its block.
fn ln_bit_missed() -> f64 {
    ln_1p(-1.0 / f64::from(WORD_BITS))
}

/// `Q(j)`.
struct BlockRates;

impl LineRate for BlockRates {
    fn full_at(&self) -> u64 {
        FULL_AT
    }

    fn rate(&mut self, keys: u64) -> f64 {
        powi(-exp_m1(keys as f64 * ln_bit_missed()), WORDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_arguments() {
        assert_eq!(fpr(0, 0), 0.0);
        assert_eq!(fpr(0, 1), 1.0);
        assert_eq!(fpr(9, 0), 0.0);
        assert_eq!(fpr_of_blocks([]), 0.0);
        assert_eq!(fpr_of_blocks([[0; 8], [u32::MAX; 8]]), 0.5);
        for rate in [0.0, -1.0, 1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(bits_per_key(rate), None);
            assert_eq!(size(10, rate), None);
        }
        assert_eq!(size(u64::MAX, 0.01), None);
        assert_eq!(capacity(0, 0.5), 0);
        assert_eq!(capacity(9, f64::NAN), 0);
        assert_eq!(capacity(9, 1.0), u64::MAX);
        assert_eq!(estimate_keys(0, 0), None);
        assert_eq!(estimate_keys(0, 3), Some(0.0));
        assert_eq!(estimate_keys(768, 3), None);
        assert!(estimate_keys(u64::MAX - 1, u64::MAX).unwrap() > 0.0);
        for blocks in [1, 2, 1 << 40, u64::MAX] {
            for keys in [1, 1 << 20, 1 << 63, u64::MAX] {
                assert!((0.0..=1.0).contains(&fpr(blocks, keys)), "{blocks} {keys}");
            }
        }
        assert!(bits_per_key(1e-300).unwrap().is_finite());
    }

    #[test]
    fn one_key_by_hand() {
        // One key in one block sets one bit of each word.
        assert!((fpr(1, 1) / powi(1.0 / 32.0, 8) - 1.0).abs() < 1e-14);
        assert_eq!(fpr_of_blocks([[1; 8]]), powi(1.0 / 32.0, 8));
        assert!((estimate_keys(8, 1).unwrap() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn capacity_inverts_the_rate() {
        for (blocks, rate) in [(1, 0.01), (41_129, 0.01), (1 << 30, 1e-4), (7, 0.9)] {
            let keys = capacity(blocks, rate);
            assert!(fpr(blocks, keys) <= rate && fpr(blocks, keys + 1) > rate, "{keys}");
        }
    }
}

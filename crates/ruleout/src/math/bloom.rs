//! Bloom filters over any number of bits.
//!
//! Each of `n` keys sets `k` bits of `m`, drawn uniformly with replacement; an absent key is a false positive
//! when its own `k` bits are all set. The exact expected rate is that of [`occupancy`] with
//! `t = k·n`.
//!
//! # Example
//!
//! ```
//! use ruleout::math::bloom;
//!
//! // A million keys at 1 %: 9.593 bits a key and 7 probes.
//! let size = bloom::size(1_000_000, 0.01).unwrap();
//! assert_eq!((size.bits, size.probes), (9_592_957, 7));
//! assert!(bloom::fpr(size.bits, size.probes, 1_000_000) <= 0.01);
//!
//! // Twice the keys, and the rate is 15.7 times as high.
//! assert!((bloom::fpr(size.bits, size.probes, 2_000_000) - 0.157).abs() < 1e-3);
//! ```
//!
//! # Limits
//!
//! The rate is an expectation over hash functions. One built filter differs with its own fill, by a relative
//! standard deviation of some 4 % at a thousand keys and 0.1 % at a million; [`fpr_of_fill`] is the rate of
//! that filter.

use super::elementary::{ceil, exp_m1, ln, ln_1p, pow, powi};
use super::{occupancy, search};

/// The largest number of probes; more are treated as this many.
///
/// 64 probes are optimal at a rate of 2⁻⁶⁴, where 64-bit hashes end (see [`collision`](super::collision)).
pub const MAX_PROBES: u32 = occupancy::MAX_PROBES;

/// Bits per key that reach a rate, with the probes that do it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BitsPerKey {
    /// Bits of filter for each key.
    pub bits_per_key: f64,
    /// Probes for each key.
    pub probes: u32,
}

/// The size of a Bloom filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BloomSize {
    /// Bits of filter.
    pub bits: u64,
    /// Probes for each key.
    pub probes: u32,
}

/// The exact expected false-positive rate of `keys` distinct keys in `bits` bits with `probes` probes each.
///
/// `E[(X/m)^k]`, with `X` for the bits set. Without keys it is 0: an empty filter says no to everything. With
/// keys but without bits or probes it is 1.
///
/// # Complexity
///
/// Tens of microseconds at most, whatever the arguments; no allocation.
pub fn fpr(bits: u64, probes: u32, keys: u64) -> f64 {
    let probes = probes.min(MAX_PROBES);
    if keys > 0 && probes == 0 {
        return 1.0;
    }
    occupancy::all_occupied(bits, u128::from(probes) * u128::from(keys), probes)
}

/// The false-positive rate of one built filter with `ones` of its `bits` set: `(ones/bits)^probes`.
///
/// This is conditional on the fill and so free of the noise between builds. It is 0 for a filter of no bits.
///
/// # Complexity
///
/// Constant.
pub fn fpr_of_fill(ones: u64, bits: u64, probes: u32) -> f64 {
    if ones == 0 {
        return 0.0;
    }
    powi((ones as f64 / bits as f64).min(1.0), probes)
}

/// The expected share of bits set, between 0 and 1: `1 − (1 − 1/m)^(kn)`.
///
/// Without keys or probes it is 0; otherwise, for one bit or none, 1.
///
/// # Complexity
///
/// Constant.
pub fn expected_fill(bits: u64, probes: u32, keys: u64) -> f64 {
    let throws = f64::from(probes.min(MAX_PROBES)) * keys as f64;
    if throws == 0.0 {
        return 0.0;
    }
    if bits <= 1 {
        return 1.0;
    }
    -exp_m1(throws * ln_1p(-1.0 / bits as f64))
}

/// The expected number of probes that a lookup of an absent key makes before it can answer.
///
/// It stops at the first bit that is not set, so with a share `f` of bits set it makes
/// `1 + f + f² + … + f^(k−1) = (1 − f^k)/(1 − f)`: about 2 at half fill. `fill` is clamped to `[0, 1]`.
///
/// # Complexity
///
/// `O(k)` time.
pub fn expected_negative_probes(fill: f64, probes: u32) -> f64 {
    let fill = if fill > 0.0 { fill.min(1.0) } else { 0.0 };
    // The sum, not the quotient: it has no pole at a full filter.
    (0..probes.min(MAX_PROBES)).fold(0.0, |sum, _| 1.0 + fill * sum)
}

/// The fewest bits per key at which some whole number of probes reaches `fpr`, for many keys.
///
/// `min_k −k / ln(1 − p^(1/k))` over `k ≤ 64`, the limit of [`size`] for large `n`. The popular
/// `log2(1/p)/ln 2` is the same with a real `k`, which no filter has: at 1 % it gives 9.585, where 9.593 are
/// needed. A rate of 1 or more costs no bits (and 1 probe); a rate of 0, below, or NaN an infinite number.
///
/// # Complexity
///
/// 64 evaluations, a few microseconds.
pub fn bits_per_key(fpr: f64) -> BitsPerKey {
    if fpr >= 1.0 {
        return BitsPerKey { bits_per_key: 0.0, probes: 1 };
    }
    let mut best = BitsPerKey { bits_per_key: f64::INFINITY, probes: MAX_PROBES };
    if fpr > 0.0 {
        for probes in 1..=MAX_PROBES {
            let bits_per_key = f64::from(probes) / throws_per_bit(fpr, probes);
            if bits_per_key < best.bits_per_key {
                best = BitsPerKey { bits_per_key, probes };
            }
        }
    }
    best
}

/// `c = kn/m` at which the rate of a large filter is `fpr`: `−ln(1 − p^(1/k))`.
pub(super) fn throws_per_bit(fpr: f64, probes: u32) -> f64 {
    -ln_1p(-pow(fpr, 1.0 / f64::from(probes)))
}

/// The number of probes with the lowest exact rate for `keys` keys in `bits` bits; the smaller one on a tie.
///
/// No keys are treated as one.
///
/// # Complexity
///
/// 64 evaluations of [`fpr`], below a millisecond.
pub fn best_probes(bits: u64, keys: u64) -> u32 {
    let mut best = (f64::INFINITY, 1);
    for probes in 1..=MAX_PROBES {
        let rate = fpr(bits, probes, keys.max(1));
        if rate < best.0 {
            best = (rate, probes);
        }
    }
    best.1
}

/// The fewest bits in which `keys` keys have an exact expected rate of at most `fpr`, and the probes for it.
///
/// The minimum is over every whole number of bits and every `k ≤ 64`, so one bit fewer fails with any `k`.
/// Where several `k` do, it is the smallest. No keys are treated as one. `None` if `fpr` is not strictly
/// between 0 and 1, or if the bits would exceed `u64::MAX`.
///
/// Past some 10¹³ keys a single bit changes the rate by less than its rounding error; the result then is
/// minimal to about 14 digits.
///
/// # Complexity
///
/// Some 150 evaluations of [`fpr`]: about a millisecond; no allocation.
pub fn size(keys: u64, fpr: f64) -> Option<BloomSize> {
    if !(fpr > 0.0 && fpr < 1.0) {
        return None;
    }
    let keys = keys.max(1);
    let reaches = |bits: u64, probes: u32| self::fpr(bits, probes, keys) <= fpr;

    // The rate falls with every bit, so for each k there is one boundary. Starting from the k that wins for
    // many keys, any other k is dismissed by one evaluation, unless it does with fewer bits.
    let large = bits_per_key(fpr);
    let mut best =
        search::smallest(ceil(keys as f64 * large.bits_per_key) as u64, |m| reaches(m, large.probes));
    for probes in 1..=MAX_PROBES {
        let limit = best.map_or(u64::MAX, |bits| bits - 1);
        if limit > 0 && reaches(limit, probes) {
            best = search::smallest(limit, |bits| reaches(bits, probes));
        }
    }
    let bits = best?;
    let probes = (1..=MAX_PROBES).find(|&probes| reaches(bits, probes))?;
    Some(BloomSize { bits, probes })
}

/// The largest number of keys whose exact expected rate in `bits` bits with `probes` probes is at most `fpr`.
///
/// The inverse of [`fpr`] in the keys. 0 where not even one key fits; `u64::MAX` if `fpr ≥ 1`, since any
/// filter keeps that. A rate that is negative or NaN counts as 0.
///
/// # Complexity
///
/// At most some 130 evaluations of [`fpr`], usually 20.
pub fn capacity(bits: u64, probes: u32, fpr: f64) -> u64 {
    if fpr >= 1.0 {
        return u64::MAX;
    }
    let probes = probes.min(MAX_PROBES);
    if bits == 0 || probes == 0 || fpr.is_nan() || fpr < 0.0 {
        return 0;
    }
    let large = bits as f64 * throws_per_bit(fpr, probes) / f64::from(probes);
    search::largest(large as u64, |keys| self::fpr(bits, probes, keys) <= fpr)
}

/// An estimate of the distinct keys inserted, from the `ones` of `bits` bits that are set.
///
/// `ln(1 − X/m) / (k · ln(1 − 1/m))`, the number of keys whose expected fill is the one seen; the finite form
/// of `−m/k · ln(1 − X/m)` in Swamidass and Baldi, "Mathematical correction for fingerprint similarity
/// measures to improve chemical retrieval", Journal of Chemical Information and Modeling 47 (2007). Its
/// relative standard deviation is about `√((e^c − 1 − c)/m) / c`. `None` when every bit is set (any number of
/// keys may have done that), when there are no bits or no probes.
///
/// # Complexity
///
/// Constant.
pub fn estimate_keys(ones: u64, bits: u64, probes: u32) -> Option<f64> {
    if ones >= bits || probes == 0 {
        return None;
    }
    if ones == 0 {
        return Some(0.0);
    }
    // Here bits ≥ 2.
    Some(ln_unset(ones, bits) / (f64::from(probes.min(MAX_PROBES)) * ln_1p(-1.0 / bits as f64)))
}

/// `ln(1 − ones/bits)` for `ones < bits`; it keeps its digits at either end.
pub(super) fn ln_unset(ones: u64, bits: u64) -> f64 {
    let unset = (bits - ones) as f64 / bits as f64;
    if unset < 0.5 { ln(unset) } else { ln_1p(-(ones as f64 / bits as f64)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_arguments() {
        assert_eq!(fpr(0, 3, 0), 0.0);
        assert_eq!(fpr(0, 3, 1), 1.0);
        assert_eq!(fpr(8, 0, 0), 0.0);
        assert_eq!(fpr(8, 0, 1), 1.0);
        assert_eq!(fpr_of_fill(0, 0, 3), 0.0);
        assert_eq!(fpr_of_fill(9, 0, 3), 1.0);
        assert_eq!(expected_fill(0, 0, 0), 0.0);
        assert_eq!(expected_fill(1, 1, 1), 1.0);
        assert_eq!(expected_negative_probes(f64::NAN, 4), 1.0);
        assert_eq!(expected_negative_probes(1.0, 4), 4.0);
        assert_eq!(expected_negative_probes(0.5, 0), 0.0);
        assert_eq!(bits_per_key(1.0).bits_per_key, 0.0);
        assert_eq!(bits_per_key(f64::NAN).bits_per_key, f64::INFINITY);
        assert_eq!(best_probes(0, 0), 1);
        for rate in [0.0, -1.0, 1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert_eq!(size(10, rate), None);
        }
        assert_eq!(size(u64::MAX, 0.01), None);
        assert_eq!(capacity(100, 3, 1.0), u64::MAX);
        assert_eq!(capacity(100, 3, f64::NAN), 0);
        assert_eq!(capacity(0, 3, 0.5), 0);
        assert_eq!(estimate_keys(0, 0, 3), None);
        assert_eq!(estimate_keys(5, 5, 3), None);
        assert_eq!(estimate_keys(0, 1, 3), Some(0.0));
    }

    #[test]
    fn capacity_inverts_the_rate() {
        for (bits, probes, rate) in [(64, 4, 0.1), (9_592_955, 7, 0.01), (1 << 40, 10, 1e-3), (100, 1, 0.999)]
        {
            let keys = capacity(bits, probes, rate);
            assert!(fpr(bits, probes, keys) <= rate && fpr(bits, probes, keys + 1) > rate, "{keys}");
        }
    }

    #[test]
    fn estimate_inverts_the_fill() {
        for (bits, keys) in [(100, 7), (9_592_955, 1_000_000), (1 << 36, 1 << 33)] {
            let ones = libm::round(expected_fill(bits, 7, keys) * bits as f64) as u64;
            let estimate = estimate_keys(ones, bits, 7).unwrap();
            assert!((estimate / keys as f64 - 1.0).abs() < 0.02, "{keys}: {estimate}");
        }
    }
}

//! Blocked Bloom filters: all probes of a key stay in one 512-bit line.
//!
//! A line is chosen uniformly among `L`, then `k` bits in it, uniformly with replacement. A lookup costs one
//! cache line; the price is that lines fill unevenly. With `J` for the keys of the line met by an absent key,
//!
//! ```text
//! rate  =  E[ Q(J) ],     J ~ Binomial(n, 1/L),     Q(j) = E[(X/512)^k] after k·j throws into 512 bins
//! ```
//!
//! an idea of Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", WEA 2007, with
//! the exact [`occupancy`](super::occupancy) of a line in place of their approximation. The sum has positive
//! terms only.
//!
//! # Example
//!
//! ```
//! use ruleout::math::blocked;
//!
//! // 1 % costs 9.918 bits a key and 6 probes, against 9.593 and 7 for the plain filter.
//! let need = blocked::bits_per_key(0.01).unwrap();
//! assert_eq!(need.probes, 6);
//! assert!((need.bits_per_key - 9.918).abs() < 1e-3);
//! ```

use super::bloom::BitsPerKey;
use super::line::{self, Line};

/// Bits in a line: one cache line of 64 bytes.
pub const LINE_BITS: u32 = 512;

/// The largest number of probes; more are treated as this many.
///
/// Bits of one line are too few for more to pay: even at a rate of 10⁻⁹ the best number stays below.
pub const MAX_PROBES: u32 = line::MAX_PROBES;

const LINE: Line = Line { bins: LINE_BITS };

/// The size of a blocked Bloom filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedSize {
    /// Lines of 512 bits.
    pub lines: u64,
    /// Probes for each key.
    pub probes: u32,
}

/// The exact expected false-positive rate of `keys` distinct keys in `lines` lines with `probes` probes each.
///
/// Without keys it is 0; with keys but without lines or probes it is 1.
///
/// # Complexity
///
/// `O(k²·(λ + √λ))` time with `λ = n/L` keys a line, but never more than a few milliseconds: a line is full
/// after 21,504 throws. Allocates 8 bytes for each key of the fullest line considered.
pub fn fpr(lines: u64, probes: u32, keys: u64) -> f64 {
    LINE.fpr(lines, probes, keys)
}

/// The false-positive rate of one built filter, from its lines: `Σ_i h_i (i/512)^k / Σ_i h_i`.
///
/// `ones_per_line[i]` is the number `h_i` of lines with exactly `i` bits set. A filter without lines holds
/// nothing: 0. A line without bits set answers no even where `probes` is 0.
///
/// # Complexity
///
/// 512 powers, a few microseconds.
pub fn fpr_of_lines(ones_per_line: &[u64; 513], probes: u32) -> f64 {
    LINE.fpr_of_lines(ones_per_line, probes)
}

/// The number of probes with the lowest exact rate for `keys` keys in `lines` lines; on a tie the
/// smaller one.
///
/// No keys are treated as one. The answer lies below `ln 2` times the bits per key: 6 at 10 bits, 9 at 16.
///
/// # Complexity
///
/// 32 evaluations of [`fpr`]: a few milliseconds.
pub fn best_probes(lines: u64, keys: u64) -> u32 {
    LINE.best_probes(lines, keys)
}

/// The fewest bits per key at which some `k ≤ 32` reaches `fpr`, for many lines.
///
/// With many lines `J` becomes Poisson with mean `λ = 512/b`. For each `k` the largest `λ` with
/// `E[Q(J)] ≤ p` is found by bisection to full precision. `None` if `fpr` is not strictly between 0 and 1.
///
/// # Complexity
///
/// A few milliseconds.
pub fn bits_per_key(fpr: f64) -> Option<BitsPerKey> {
    LINE.bins_per_key(fpr).map(|need| BitsPerKey { bits_per_key: need.bins_per_key, probes: need.probes })
}

/// The fewest lines in which `keys` keys have an exact expected rate of at most `fpr`, and the probes for it.
///
/// The minimum is over every whole number of lines and every `k ≤ 32`, so one line fewer fails with any `k`.
/// Where several `k` do, it is the smallest. No keys are treated as one. `None` if `fpr` is not strictly
/// between 0 and 1, or if the lines would hold more than `u64::MAX` bits.
///
/// # Complexity
///
/// A few milliseconds; allocates a few kilobytes.
pub fn size(keys: u64, fpr: f64) -> Option<BlockedSize> {
    LINE.size(keys, fpr).map(|(lines, probes)| BlockedSize { lines, probes })
}

/// The largest number of keys whose exact expected rate in `lines` lines with `probes` probes is at most
/// `fpr`.
///
/// The inverse of [`fpr`] in the keys. 0 where not even one key fits; `u64::MAX` if `fpr ≥ 1`, since any
/// filter keeps that. A rate that is negative or NaN counts as 0.
///
/// # Complexity
///
/// Some tens of evaluations that share one table: below a millisecond.
pub fn capacity(lines: u64, probes: u32, fpr: f64) -> u64 {
    LINE.capacity(lines, probes, fpr)
}

/// An estimate of the distinct keys inserted, from the fill of the lines.
///
/// `ones_per_line[i]` is the number of lines with exactly `i` bits set. Summed over all `L` lines, a given
/// bit is unset with probability `E[(511/512)^(kJ)]`, which the generating function of the Binomial gives in
/// closed form; the estimate is the `n` whose expected total fill is the `X` bits seen:
///
/// ```text
/// E[X] / 512L = 1 − (1 − (1 − a)/L)^n,   a = (511/512)^k      n = ln(1 − X/512L) / ln(1 − (1 − a)/L)
/// ```
///
/// It looks at the total only, so full lines are no obstacle, where estimates line by line would be infinite,
/// and the bias of a logarithm of few bits does not add up over the lines. `None` when every bit is set, when
/// there are no lines or no probes.
///
/// # Complexity
///
/// 513 additions.
pub fn estimate_keys(ones_per_line: &[u64; 513], probes: u32) -> Option<f64> {
    LINE.estimate_keys(ones_per_line, probes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::bloom;

    #[test]
    fn degenerate_arguments() {
        assert_eq!(fpr(0, 4, 0), 0.0);
        assert_eq!(fpr(0, 4, 1), 1.0);
        assert_eq!(fpr(9, 0, 1), 1.0);
        assert_eq!(fpr(9, 4, 0), 0.0);
        assert_eq!(fpr_of_lines(&[0; 513], 4), 0.0);
        assert_eq!(estimate_keys(&[0; 513], 4), None);
        let mut empty = [0; 513];
        empty[0] = 3;
        assert_eq!(fpr_of_lines(&empty, 0), 0.0);
        assert_eq!(estimate_keys(&empty, 4), Some(0.0));
        let mut full = [0; 513];
        full[512] = u64::MAX;
        assert_eq!(fpr_of_lines(&full, 4), 1.0);
        assert_eq!(estimate_keys(&full, 4), None);
        for rate in [0.0, -1.0, 1.0, f64::NAN] {
            assert_eq!(bits_per_key(rate), None);
            assert_eq!(size(10, rate), None);
        }
        assert_eq!(size(u64::MAX, 0.01), None);
        assert_eq!(capacity(0, 4, 0.5), 0);
        assert_eq!(capacity(5, 4, 1.0), u64::MAX);
        assert_eq!(best_probes(0, 0), 1);
    }

    #[test]
    fn one_line_is_a_plain_filter() {
        for keys in [1, 50, 1000, 1 << 40, u64::MAX] {
            let (line, plain) = (fpr(1, 6, keys), bloom::fpr(512, 6, keys));
            assert!((line / plain - 1.0).abs() < 1e-11, "{keys}: {line} {plain}");
        }
    }

    #[test]
    fn heavy_overfill_returns_at_once() {
        for probes in [1, 6, 32] {
            for keys_per_line in [1_000, 5_000, 20_000, 25_000, 1_000_000, 1 << 50] {
                let rate = fpr(1000, probes, keys_per_line * 1000);
                assert!(rate > 0.8 && rate <= 1.0, "{probes} probes, {keys_per_line} keys a line: {rate}");
            }
        }
    }

    #[test]
    fn capacity_inverts_the_rate() {
        for (lines, probes, rate) in [(1, 6, 0.01), (19_371, 6, 0.01), (1 << 30, 9, 1e-3), (7, 1, 0.9)] {
            let keys = capacity(lines, probes, rate);
            assert!(fpr(lines, probes, keys) <= rate && fpr(lines, probes, keys + 1) > rate, "{keys}");
        }
    }
}

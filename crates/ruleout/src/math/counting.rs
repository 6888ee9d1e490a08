//! Counting Bloom filters: 4-bit counters, those of one key in one 64-byte line of 128.
//!
//! A line is chosen uniformly among `L`, then `k` of its counters uniformly with replacement; a key adds one to
//! every *distinct* counter among them, and a lookup asks whether all are above 0. So membership is that of a
//! [`blocked`](super::blocked) filter whose lines have 128 bins:
//!
//! ```text
//! rate  =  E[ Q(J) ],     J ~ Binomial(n, 1/L),     Q(j) = E[(X/128)^k] after k·j throws into 128 bins
//! ```
//!
//! A counter that has reached 15 stays there for ever, for nobody knows any more what it should read. That leaves
//! no key out, but the counters it keeps above 0 after removals add false positives; [`sticky`] says how rare
//! they are. Counting filters are due to Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web
//! cache sharing protocol", IEEE/ACM Transactions on Networking 8 (2000), §V.C.
//!
//! # Example
//!
//! ```
//! use ruleout::math::counting;
//!
//! // 1 % costs 43.4 bits a key, over four times what a filter that cannot remove costs.
//! let size = counting::size(1_000_000, 0.01).unwrap();
//! assert_eq!((size.lines, size.probes), (84_745, 6));
//! // That no counter of the eleven million is stuck is all but certain; five times the keys, and about two are.
//! let stuck = |keys| counting::sticky(size.lines, size.probes, keys) * 128.0 * size.lines as f64;
//! assert!(stuck(1_000_000) < 1e-9);
//! assert!((stuck(5_000_000) - 2.1).abs() < 0.1);
//! ```

use super::binomial;
use super::bloom::BitsPerKey;
use super::elementary::powi;
use super::line::{self, Line};

/// Counters in a line of 64 bytes.
pub const LINE_COUNTERS: u32 = 128;

/// Bits of a counter.
pub const COUNTER_BITS: u32 = 4;

/// The highest value of a counter, which it never leaves.
pub const STICKY_AT: u8 = 15;

/// The largest number of probes; more are treated as this many.
///
/// Counters of one line are too few for more to pay: even at a rate of 10⁻⁹ the best number stays below.
pub const MAX_PROBES: u32 = line::MAX_PROBES;

const LINE: Line = Line { bins: LINE_COUNTERS };

/// The size of a counting filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountingSize {
    /// Lines of 128 counters, 64 bytes each.
    pub lines: u64,
    /// Probes for each key.
    pub probes: u32,
}

/// The exact expected false-positive rate of `keys` distinct keys in `lines` lines with `probes` probes each.
///
/// Keys that were removed do not count, as long as no counter is stuck. Without keys it is 0; with keys but
/// without lines or probes it is 1.
///
/// # Complexity
///
/// `O(k²·(λ + √λ))` time with `λ = n/L` keys a line, but never more than a few milliseconds: a line is full
/// after 5,376 throws. Allocates 8 bytes for each key of the fullest line considered.
pub fn fpr(lines: u64, probes: u32, keys: u64) -> f64 {
    LINE.fpr(lines, probes, keys)
}

/// The false-positive rate of one built filter, from its lines: `Σ_i h_i (i/128)^k / Σ_i h_i`.
///
/// `nonzero_per_line[i]` is the number `h_i` of lines with exactly `i` counters above 0. A filter without lines
/// holds nothing: 0. A line without such counters answers no even where `probes` is 0.
///
/// # Complexity
///
/// 128 powers, about a microsecond.
pub fn fpr_of_lines(nonzero_per_line: &[u64; 129], probes: u32) -> f64 {
    LINE.fpr_of_lines(nonzero_per_line, probes)
}

/// The number of probes with the lowest exact rate for `keys` keys in `lines` lines; on a tie the
/// smaller one.
///
/// No keys are treated as one.
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
    let need = LINE.bins_per_key(fpr)?;
    Some(BitsPerKey { bits_per_key: f64::from(COUNTER_BITS) * need.bins_per_key, probes: need.probes })
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
pub fn size(keys: u64, fpr: f64) -> Option<CountingSize> {
    LINE.size(keys, fpr).map(|(lines, probes)| CountingSize { lines, probes })
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

/// An estimate of the distinct keys that the filter holds, from the counters above 0.
///
/// `nonzero_per_line[i]` is the number of lines with exactly `i` counters above 0. The estimate is the `n` whose
/// expected total is the `X` such counters seen (the method of moments):
///
/// ```text
/// E[X] / 128L = 1 − (1 − (1 − a)/L)^n,   a = (127/128)^k      n = ln(1 − X/128L) / ln(1 − (1 − a)/L)
/// ```
///
/// Copies of a key count once, and a key that was removed as often as it was inserted does not count, as long as
/// no counter is stuck. `None` when no counter is 0, when there are no lines or no probes.
///
/// # Complexity
///
/// 129 additions.
pub fn estimate_keys(nonzero_per_line: &[u64; 129], probes: u32) -> Option<f64> {
    LINE.estimate_keys(nonzero_per_line, probes)
}

/// The probability that one given counter has reached 15 and is stuck, after `keys` distinct keys.
///
/// A key adds to a given counter, once, with probability `q = (1 − (127/128)^k)/L`, independently of the other keys:
///
/// ```text
/// P(counter ≥ 15) = P(B ≥ 15),     B ~ Binomial(n, q)
/// ```
///
/// exactly. Times `128·L` it is the expected number of stuck counters. (The bound of Fan et al. on the fullest of
/// `m` counters at half fill, `m·(e·ln 2/15)^15` for 15, is 20 times higher.) Copies of a key are not
/// covered: fifteen copies of one key always get its counters stuck.
///
/// Without keys it is 0; with 15 keys or more but without lines it is 1, without probes 0.
///
/// # Complexity
///
/// A few hundred multiplications at most.
pub fn sticky(lines: u64, probes: u32, keys: u64) -> f64 {
    let missed = powi(1.0 - 1.0 / f64::from(LINE_COUNTERS), probes.min(MAX_PROBES));
    let chance = if lines == 0 && probes > 0 { 1.0 } else { (1.0 - missed) / lines as f64 };
    binomial::upper_tail(keys, chance, STICKY_AT)
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
        assert_eq!(fpr_of_lines(&[0; 129], 4), 0.0);
        assert_eq!(estimate_keys(&[0; 129], 4), None);
        let mut full = [0; 129];
        full[128] = u64::MAX;
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
        assert_eq!(sticky(0, 4, 0), 0.0);
        assert_eq!(sticky(0, 4, 15), 1.0);
        assert_eq!(sticky(0, 0, 15), 0.0);
        assert_eq!(sticky(9, 0, u64::MAX), 0.0);
        assert_eq!(sticky(9, 4, 14), 0.0);
        assert_eq!(sticky(9, 4, u64::MAX), 1.0);
    }

    #[test]
    fn one_line_is_a_plain_filter() {
        for keys in [1, 12, 50, 1000, 1 << 40, u64::MAX] {
            let (line, plain) = (fpr(1, 6, keys), bloom::fpr(128, 6, keys));
            assert!((line / plain - 1.0).abs() < 1e-11, "{keys}: {line} {plain}");
        }
    }

    #[test]
    fn capacity_inverts_the_rate() {
        for (lines, probes, rate) in [(1, 6, 0.01), (85_142, 6, 0.01), (1 << 30, 9, 1e-3), (7, 1, 0.9)] {
            let keys = capacity(lines, probes, rate);
            assert!(fpr(lines, probes, keys) <= rate && fpr(lines, probes, keys + 1) > rate, "{keys}");
        }
    }
}

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

use alloc::vec::Vec;

use super::bloom::{self, BitsPerKey, throws_per_bit};
use super::elementary::{ceil, ln, ln_1p, powi, sqrt};
use super::{occupancy::Chain, search};

/// Bits in a line: one cache line of 64 bytes.
pub const LINE_BITS: u32 = 512;

/// The largest number of probes; more are treated as this many.
///
/// Bits of one line are too few for more to pay: even at a rate of 10⁻⁹ the best number stays below.
pub const MAX_PROBES: u32 = 32;

/// Throws after which a line counts as full.
///
/// The probability that one of 32 given bits is still unset is at most `32·(511/512)^21504 < 2·10⁻¹⁷`, less
/// than half a unit in the last place of 1.
const FULL_THROWS: u32 = 42 * LINE_BITS;

/// Terms below this share of the sum so far are dropped; they fall off geometrically.
const NEGLIGIBLE: f64 = 1e-18;

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
    LineRates::new(probes).binomial(lines, keys)
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
    let probes = probes.min(MAX_PROBES);
    let (mut hits, mut lines) = (0.0, 0.0);
    for (ones, &count) in ones_per_line.iter().enumerate() {
        lines += count as f64;
        if ones > 0 {
            hits += count as f64 * powi(ones as f64 / f64::from(LINE_BITS), probes);
        }
    }
    if lines > 0.0 { hits / lines } else { 0.0 }
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
    let mut best = (f64::INFINITY, 1);
    for probes in 1..=MAX_PROBES {
        let rate = fpr(lines, probes, keys.max(1));
        if rate < best.0 {
            best = (rate, probes);
        }
    }
    best.1
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
    if !(fpr > 0.0 && fpr < 1.0) {
        return None;
    }
    // The best number of a plain filter is close, so it goes first; most others then end with their first
    // evaluation.
    let likely = bloom::bits_per_key(fpr).probes.min(MAX_PROBES);
    let mut best = (0.0, 1);
    for probes in [likely].into_iter().chain(1..=MAX_PROBES) {
        let mut rates = LineRates::new(probes);
        if rates.poisson(best.0) > fpr {
            continue;
        }
        // An even spread of the keys over the lines is the best case, so λ is at most that of a plain filter.
        let (mut low, mut high) = (best.0, even_spread(fpr, probes));
        while high > low {
            let middle = low + 0.5 * (high - low);
            if middle <= low || middle >= high {
                break;
            }
            if rates.poisson(middle) <= fpr {
                low = middle;
            } else {
                high = middle;
            }
        }
        if low > best.0 {
            best = (low, probes);
        }
    }
    (best.0 > 0.0).then(|| BitsPerKey { bits_per_key: f64::from(LINE_BITS) / best.0, probes: best.1 })
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
    let large = bits_per_key(fpr)?;
    let keys = keys.max(1);
    let most = u64::MAX / u64::from(LINE_BITS);
    let guess = ceil(keys as f64 * large.bits_per_key / f64::from(LINE_BITS)) as u64;
    let mut first = LineRates::new(large.probes);
    let mut best = search::smallest(guess.min(most), |lines| first.binomial(lines, keys) <= fpr);
    let mut fewest = large.probes;
    for probes in 1..=MAX_PROBES {
        let mut rates = LineRates::new(probes);
        let mut reaches = |lines: u64| rates.binomial(lines, keys) <= fpr;
        let limit = best.map_or(u64::MAX, |lines| lines - 1);
        if limit > 0 && reaches(limit) {
            (best, fewest) = (search::smallest(limit, reaches), probes);
        } else if probes < fewest && best.is_some_and(reaches) {
            fewest = probes;
        }
    }
    best.filter(|&lines| lines <= most).map(|lines| BlockedSize { lines, probes: fewest })
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
    if fpr >= 1.0 {
        return u64::MAX;
    }
    if lines == 0 || probes == 0 || fpr.is_nan() || fpr < 0.0 {
        return 0;
    }
    let mut rates = LineRates::new(probes);
    let guess = lines as f64 * even_spread(fpr, rates.probes);
    search::largest(guess as u64, |keys| rates.binomial(lines, keys) <= fpr)
}

/// Keys per line at which a plain filter of that density has the rate `fpr`.
fn even_spread(fpr: f64, probes: u32) -> f64 {
    f64::from(LINE_BITS) * throws_per_bit(fpr, probes) / f64::from(probes)
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
    let line_bits = f64::from(LINE_BITS);
    let (mut ones, mut lines) = (0_u128, 0_u128);
    for (i, &count) in ones_per_line.iter().enumerate() {
        ones += i as u128 * u128::from(count);
        lines += u128::from(count);
    }
    let bits = lines * u128::from(LINE_BITS);
    if ones >= bits || probes == 0 {
        return None;
    }
    let unset_by_key = powi(1.0 - 1.0 / line_bits, probes.min(MAX_PROBES));
    let ln_unset = ln((bits - ones) as f64 / bits as f64);
    // The sign of a zero is of no interest to the caller.
    Some((ln_unset / ln_1p(-(1.0 - unset_by_key) / lines as f64)).max(0.0))
}

/// `Q(j)` for one number of probes, tabulated as far as it was asked for.
struct LineRates {
    probes: u32,
    chain: Chain,
    table: Vec<f64>,
}

impl LineRates {
    fn new(probes: u32) -> Self {
        let probes = probes.min(MAX_PROBES);
        Self { probes, chain: Chain::new(u64::from(LINE_BITS), probes), table: Vec::new() }
    }

    /// Keys from which on a line counts as full.
    fn full_at(&self) -> u64 {
        u64::from(FULL_THROWS.div_ceil(self.probes.max(1)))
    }

    /// `Q(keys)`: the rate within one line that holds this many keys.
    fn rate(&mut self, keys: u64) -> f64 {
        if keys >= self.full_at() {
            return 1.0;
        }
        while self.table.len() as u64 <= keys {
            if !self.table.is_empty() {
                for _ in 0..self.probes {
                    self.chain.throw();
                }
            }
            self.table.push(self.chain.all_occupied());
        }
        self.table[keys as usize]
    }

    /// `E[Q(J)]` for `J ~ Binomial(keys, 1/lines)`.
    fn binomial(&mut self, lines: u64, keys: u64) -> f64 {
        if keys == 0 {
            return 0.0;
        }
        if lines == 0 || self.probes == 0 {
            return 1.0;
        }
        let (n, others) = (keys as f64, (lines - 1) as f64);
        let mode = ((u128::from(keys) + 1) / u128::from(lines)).min(u128::from(keys)) as u64;
        self.mean(n / lines as f64, mode, |j| (n - j).max(0.0) / ((j + 1.0) * others), |j| j == keys)
    }

    /// `E[Q(J)]` for `J ~ Poisson(mean)`.
    fn poisson(&mut self, mean: f64) -> f64 {
        self.mean(mean, mean as u64, |j| mean / (j + 1.0), |_| false)
    }

    /// `E[Q(J)]` for a distribution with this `mean` and `mode`, where `ratio(j) = P(j+1)/P(j)` and nothing
    /// lies above the `j` that `ends`.
    ///
    /// Weights start as 1 at the mode, are multiplied outwards, and are normalised by their sum at the end.
    fn mean(&mut self, mean: f64, mode: u64, ratio: impl Fn(f64) -> f64, ends: impl Fn(u64) -> bool) -> f64 {
        // Nine standard deviations below the mean every line is full: so is every other that matters.
        if mean - 9.0 * sqrt(mean) > self.full_at() as f64 {
            return 1.0;
        }
        let (mut total, mut sum) = (1.0, self.rate(mode));
        let (mut weight, mut j) = (1.0, mode);
        while !ends(j) {
            weight *= ratio(j as f64);
            j += 1;
            let term = weight * self.rate(j);
            total += weight;
            sum += term;
            // Where Q rises steeply the terms grow beyond the mode, so the weight alone does not tell.
            if weight <= NEGLIGIBLE * total && term <= NEGLIGIBLE * sum {
                break;
            }
        }
        (weight, j) = (1.0, mode);
        while j > 0 && weight > NEGLIGIBLE * total {
            j -= 1;
            weight /= ratio(j as f64);
            total += weight;
            sum += weight * self.rate(j);
        }
        (sum / total).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

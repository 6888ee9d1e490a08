//! Lines of any number of bins: the mathematics that [`blocked`](super::blocked) and
//! [`counting`](super::counting) share.
//!
//! A key chooses one of `L` lines uniformly, then `k` of the line's `B` bins (bits, or counters) uniformly with
//! replacement. An absent key is a false positive when all its bins are occupied:
//!
//! ```text
//! rate  =  E[ Q(J) ],     J ~ Binomial(n, 1/L),     Q(j) = E[(X/B)^k] after k·j throws into B bins
//! ```

use alloc::vec::Vec;
use core::f64::consts::LN_2;

use super::bloom::{self, throws_per_bit};
use super::elementary::{ceil, ln, ln_1p, powi};
use super::mixture::{self, LineRate};
use super::{occupancy::Chain, search};

/// Bits in a line, whatever its bins are: one cache line of 64 bytes.
const LINE_BITS: u64 = 512;

/// The largest number of probes; more are treated as this many.
pub(super) const MAX_PROBES: u32 = 32;

/// Throws per bin after which a line counts as full.
///
/// The probability that one of 32 given bins is still empty is then at most
/// `32·(1 − 1/B)^(42·B) < 32·e^(−42) < 2·10⁻¹⁷`, less than half a unit in the last place of 1.
const FULL_THROWS_PER_BIN: u32 = 42;

/// The shape of one line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Bins of the line.
    pub(super) bins: u32,
}

/// The least space that reaches a rate with many lines.
pub(super) struct BinsPerKey {
    pub(super) bins_per_key: f64,
    pub(super) probes: u32,
}

impl Line {
    pub(super) fn fpr(self, lines: u64, probes: u32, keys: u64) -> f64 {
        LineRates::new(self, probes).binomial(lines, keys)
    }

    /// `Σ_i h_i (i/B)^k / Σ_i h_i`, where `h_i` counts the lines with `i` bins occupied.
    pub(super) fn fpr_of_lines(self, lines_by_occupied: &[u64], probes: u32) -> f64 {
        let probes = probes.min(MAX_PROBES);
        let (mut hits, mut lines) = (0.0, 0.0);
        for (occupied, &count) in lines_by_occupied.iter().enumerate() {
            lines += count as f64;
            if occupied > 0 {
                hits += count as f64 * powi(occupied as f64 / f64::from(self.bins), probes);
            }
        }
        if lines > 0.0 { hits / lines } else { 0.0 }
    }

    pub(super) fn best_probes(self, lines: u64, keys: u64) -> u32 {
        // A plain filter of that density is best at bins · ln 2 probes for each key; lines of uneven load, at fewer.
        let bins_per_key = lines as f64 * f64::from(self.bins) / keys.max(1) as f64;
        let most = (ceil(LN_2 * bins_per_key) + 1.0).min(f64::from(MAX_PROBES)) as u32;
        let mut best = (f64::INFINITY, 1);
        for probes in 1..=most.max(1) {
            let rate = self.fpr(lines, probes, keys.max(1));
            if rate < best.0 {
                best = (rate, probes);
            }
        }
        best.1
    }

    pub(super) fn bins_per_key(self, fpr: f64) -> Option<BinsPerKey> {
        if !(fpr > 0.0 && fpr < 1.0) {
            return None;
        }
        // The best number of a plain filter is close, so it goes first; most others then end with their first
        // evaluation.
        let likely = most_probes(fpr) - 1;
        let mut best = (0.0, 1);
        for probes in [likely].into_iter().chain(1..=likely + 1) {
            let mut rates = LineRates::new(self, probes);
            if mixture::poisson(&mut rates, best.0) > fpr {
                continue;
            }
            // An even spread of the keys over the lines is the best case, so λ is at most that of a plain filter.
            let mean = mixture::largest_mean(&mut rates, fpr, best.0, self.even_spread(fpr, probes));
            if mean > best.0 {
                best = (mean, probes);
            }
        }
        (best.0 > 0.0).then(|| BinsPerKey { bins_per_key: f64::from(self.bins) / best.0, probes: best.1 })
    }

    /// The fewest lines and the fewest probes for them.
    pub(super) fn size(self, keys: u64, fpr: f64) -> Option<(u64, u32)> {
        let large = self.bins_per_key(fpr)?;
        let keys = keys.max(1);
        let most = u64::MAX / LINE_BITS;
        let guess = ceil(keys as f64 * large.bins_per_key / f64::from(self.bins)) as u64;
        let mut first = LineRates::new(self, large.probes);
        let mut best = search::smallest(guess.min(most), |lines| first.binomial(lines, keys) <= fpr);
        let mut fewest = large.probes;
        for probes in 1..=most_probes(fpr) {
            let mut rates = LineRates::new(self, probes);
            let mut reaches = |lines: u64| rates.binomial(lines, keys) <= fpr;
            let limit = best.map_or(u64::MAX, |lines| lines - 1);
            if limit > 0 && reaches(limit) {
                (best, fewest) = (search::smallest(limit, reaches), probes);
            } else if probes < fewest && best.is_some_and(reaches) {
                fewest = probes;
            }
        }
        best.filter(|&lines| lines <= most).map(|lines| (lines, fewest))
    }

    pub(super) fn capacity(self, lines: u64, probes: u32, fpr: f64) -> u64 {
        if fpr >= 1.0 {
            return u64::MAX;
        }
        if lines == 0 || probes == 0 || fpr.is_nan() || fpr < 0.0 {
            return 0;
        }
        let mut rates = LineRates::new(self, probes);
        let guess = lines as f64 * self.even_spread(fpr, rates.probes);
        search::largest(guess as u64, |keys| rates.binomial(lines, keys) <= fpr)
    }

    /// `n = ln(1 − X/BL) / ln(1 − (1 − a)/L)` with `a = (1 − 1/B)^k`, where `X` bins are occupied of all lines.
    pub(super) fn estimate_keys(self, lines_by_occupied: &[u64], probes: u32) -> Option<f64> {
        let (mut occupied, mut lines) = (0_u128, 0_u128);
        for (i, &count) in lines_by_occupied.iter().enumerate() {
            occupied += i as u128 * u128::from(count);
            lines += u128::from(count);
        }
        let bins = lines * u128::from(self.bins);
        if occupied >= bins || probes == 0 {
            return None;
        }
        let empty_by_key = powi(1.0 - 1.0 / f64::from(self.bins), probes.min(MAX_PROBES));
        let ln_empty = ln((bins - occupied) as f64 / bins as f64);
        // The sign of a zero is of no interest to the caller.
        Some((ln_empty / ln_1p(-(1.0 - empty_by_key) / lines as f64)).max(0.0))
    }

    /// Keys per line at which a plain filter of that density has the rate `fpr`.
    fn even_spread(self, fpr: f64, probes: u32) -> f64 {
        f64::from(self.bins) * throws_per_bit(fpr, probes) / f64::from(probes)
    }
}

/// One more than the best number of probes of a plain filter with the rate `fpr`: lines, whose loads differ, are best at no
/// more than that number.
///
/// Each probe more makes those with more dear: lines with more than their share of keys are the fuller for it. The
/// test `no_more_probes_are_better` watches over it.
fn most_probes(fpr: f64) -> u32 {
    bloom::bits_per_key(fpr).probes.min(MAX_PROBES - 1) + 1
}

/// `Q(j)` for one number of probes, tabulated as far as it was asked for.
struct LineRates {
    probes: u32,
    full_at: u64,
    chain: Chain,
    table: Vec<f64>,
}

impl LineRates {
    fn new(line: Line, probes: u32) -> Self {
        let probes = probes.min(MAX_PROBES);
        let full_at = u64::from((FULL_THROWS_PER_BIN * line.bins).div_ceil(probes.max(1)));
        Self { probes, full_at, chain: Chain::new(u64::from(line.bins), probes), table: Vec::new() }
    }

    /// `E[Q(J)]` for `J ~ Binomial(keys, 1/lines)`.
    fn binomial(&mut self, lines: u64, keys: u64) -> f64 {
        if keys > 0 && self.probes == 0 {
            return 1.0;
        }
        mixture::binomial(self, lines, keys)
    }
}

impl LineRate for LineRates {
    fn full_at(&self) -> u64 {
        self.full_at
    }

    fn rate(&mut self, keys: u64) -> f64 {
        if keys >= self.full_at {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beyond the numbers of probes that the searches try, the rate is higher.
    #[test]
    fn no_more_probes_are_better() {
        for bins in [128, 512] {
            let line = Line { bins };
            for (lines, keys) in [(1, 1), (1, 9), (3, 40), (7, 7), (50, 900), (1000, 9000), (1000, 90_000)] {
                let rates: Vec<f64> = (1..=MAX_PROBES).map(|probes| line.fpr(lines, probes, keys)).collect();
                let lowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(rates[line.best_probes(lines, keys) as usize - 1], lowest, "{lines}, {keys}");
            }
            for fpr in [0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6] {
                for keys in [1, 10, 300, 20_000] {
                    let (lines, probes) = line.size(keys, fpr).unwrap();
                    let enough = |lines: u64, probes| line.fpr(lines, probes, keys) <= fpr;
                    assert!(enough(lines, probes), "{keys} at {fpr}");
                    for more in 1..=MAX_PROBES {
                        assert!(lines == 1 || !enough(lines - 1, more), "{keys} at {fpr}: {more} probes");
                    }
                }
            }
        }
    }
}

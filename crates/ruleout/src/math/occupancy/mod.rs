//! Throws into bins: the probability from which every Bloom rate is made.
//!
//! Throw `t` balls into `m` bins, each uniformly and independently; then throw `k` more. [`all_occupied`] is
//! the probability that each of the `k` lands in a bin that was already occupied. With `X` for the number of
//! occupied bins it is
//!
//! ```text
//! E[(X/m)^k]  =  Σ_i  D(k,i) · A(i,t)          i = 1 … min(k, m)
//!
//! D(k,i)   the k probes meet exactly i distinct bins         D(k,i) = S(k,i) · m(m−1)…(m−i+1) / m^k
//! A(i,t)   i given bins are all occupied after t throws      A(i,t) = Σ_j (−1)^j C(i,j) (1 − j/m)^t
//! ```
//!
//! where `S` are the Stirling numbers of the second kind. This is the exact rate of a Bloom filter: Bose,
//! Guo, Kranakis, Maheshwari, Morin, Morrison, Smid and Tang, "On the false-positive rate of Bloom filters",
//! Information Processing Letters 108 (2008); Christensen, Roginsky and Jimeno, "A new analysis of the
//! false-positive rate of a Bloom filter", same journal, 110 (2010).
//!
//! The alternating sum is useless in `f64`: at half fill its terms are `3^i` times larger than the result, at
//! 1 % fill `200^i` times. Two ways around it are used, neither of which subtracts large numbers:
//!
//! - [`Chain`] follows `A(i, ·)` throw by throw. Every term is positive; the cost is `k` steps a throw.
//! - `contour` reads `A` from its generating function by an integral through the saddle point, where
//!   the integrand is a bell curve. The cost does not depend on `t` or `m`.
//!
//! The first is taken up to [`CHAIN_THROWS`] throws, the second above.

mod chain;
mod contour;

pub use chain::Chain;

use super::elementary::exp;

/// The largest number of probes that these functions distinguish; more are treated as this many.
pub const MAX_PROBES: u32 = 64;

/// Up to this many throws the chain is followed step by step.
///
/// At 512 throws and 64 probes that takes 32,768 steps, some tens of microseconds. The contour needs far more
/// throws than probes, so that its integrand is narrow; eight times [`MAX_PROBES`] is ample
/// (`tests::switch`).
pub const CHAIN_THROWS: u128 = 512;

/// Less than half of the distance from 1 to the next smaller `f64`, `2⁻⁵³`.
const CERTAIN: f64 = 5e-17;

/// One entry for every number of distinct bins from 0 to [`MAX_PROBES`].
type PerBins = [f64; MAX_PROBES as usize + 1];

/// The probability that `probes` throws all meet bins occupied by `throws` earlier ones, among `bins` bins.
///
/// `E[(X/m)^k]`, exact up to rounding: the relative error stays below `10⁻¹¹` for every `m`, `t` and `k ≤
/// 64`. No throws leave nothing occupied, so the answer is 0; otherwise without bins or without probes it is
/// 1. Results below the smallest positive `f64` are 0.
///
/// # Complexity
///
/// `O(k·min(t, 512) + k²)` time, at most tens of microseconds; no allocation.
pub fn all_occupied(bins: u64, throws: u128, probes: u32) -> f64 {
    if throws == 0 {
        return 0.0;
    }
    if bins <= 1 || probes == 0 {
        return 1.0;
    }
    // Of k given bins one is still empty with probability at most k·e^(−c): below half a unit in the last
    // place, it is nothing. Saying so keeps the noise of rounding away from a rate of 1.
    let per_bin = throws as f64 / bins as f64;
    if f64::from(probes.min(MAX_PROBES)) * exp(-per_bin) < CERTAIN {
        return 1.0;
    }
    if throws <= CHAIN_THROWS {
        let mut chain = Chain::new(bins, probes);
        for _ in 0..throws {
            chain.throw();
        }
        chain.all_occupied()
    } else {
        contour::all_occupied(bins, throws as f64, &distinct_bins(bins, probes))
    }
}

/// `D(k,i)` for every `i`: the probability that `probes` throws meet exactly `i` distinct bins.
///
/// The last throw of `k` either repeats one of `i` bins or meets a new one, so
/// `D(k,i) = D(k−1,i)·i/m + D(k−1,i−1)·(m−i+1)/m`: positive terms only, and no number ever exceeds 1.
fn distinct_bins(bins: u64, probes: u32) -> PerBins {
    let m = bins as f64;
    let mut chance = [0.0; MAX_PROBES as usize + 1];
    chance[0] = 1.0;
    for _ in 0..probes.min(MAX_PROBES) {
        for i in (1..chance.len()).rev() {
            let unmet = bins.saturating_sub(i as u64 - 1) as f64;
            chance[i] = chance[i] * (i as f64 / m) + chance[i - 1] * (unmet / m);
        }
        chance[0] = 0.0;
    }
    chance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_bins_are_a_distribution() {
        for (bins, probes) in [(2, 5), (7, 7), (512, 32), (1 << 40, 64), (3, 64)] {
            let chance = distinct_bins(bins, probes);
            let total: f64 = chance.iter().sum();
            assert!((total - 1.0).abs() < 1e-13, "{bins} bins, {probes} probes: {total}");
            assert!(chance.iter().enumerate().all(|(i, &p)| p == 0.0 || i as u64 <= bins));
        }
        // Two throws into two bins meet one bin or two, equally often.
        assert_eq!(distinct_bins(2, 2)[..3], [0.0, 0.5, 0.5]);
    }

    #[test]
    fn switch() {
        // Either method must give the same number, on both sides of the switch and at any fill.
        let mut worst: f64 = 0.0;
        for bins in [2, 8, 64, 100, 512, 5_000, 51_200, 1 << 20, 1 << 30] {
            for probes in [1, 2, 7, 13, 32, 64] {
                let mut chain = Chain::new(bins, probes);
                for throws in 1..=2_u32 * 512 {
                    chain.throw();
                    if throws < 512 || throws % 64 > 1 {
                        continue;
                    }
                    let stepped = chain.all_occupied();
                    let weights = distinct_bins(bins, probes);
                    let integrated = contour::all_occupied(bins, f64::from(throws), &weights);
                    if stepped > f64::MIN_POSITIVE {
                        worst = worst.max((integrated / stepped - 1.0).abs());
                    }
                }
            }
        }
        assert!(worst < 1e-12, "relative difference {worst:e}");
    }

    #[test]
    fn edges() {
        assert_eq!(all_occupied(0, 0, 0), 0.0);
        assert_eq!(all_occupied(0, 1, 3), 1.0);
        assert_eq!(all_occupied(1, 1, 3), 1.0);
        assert_eq!(all_occupied(9, 5, 0), 1.0);
        assert_eq!(all_occupied(u64::MAX, 0, 64), 0.0);
        for bins in [2, 3, 64, 1 << 53, u64::MAX] {
            for throws in [1, 2, 512, 513, 1 << 40, u128::from(u64::MAX) * 64] {
                for probes in [1, 2, 64, 65, u32::MAX] {
                    let chance = all_occupied(bins, throws, probes);
                    assert!((0.0..=1.0).contains(&chance), "{bins} {throws} {probes}: {chance}");
                }
            }
        }
    }
}

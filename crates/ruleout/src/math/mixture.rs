//! Means over lines that fill unevenly.
//!
//! Where `n` keys choose among `L` lines, one given line holds `J ~ Binomial(n, 1/L)` of them; with many lines
//! `J` is Poisson. The rate of the filter is then the mean of the rates `Q(J)` of one line, a sum of positive
//! terms.

use super::elementary::sqrt;

/// Terms below this share of the sum so far are dropped; they fall off geometrically.
const NEGLIGIBLE: f64 = 1e-18;

/// `Q(j)`, the rate within one line that holds `j` keys.
///
/// It rises with `j`. The functions may keep a table, hence `&mut`.
pub(super) trait LineRate {
    /// Keys from which on a line counts as full: its rate is 1.
    fn full_at(&self) -> u64;

    /// `Q(keys)`.
    fn rate(&mut self, keys: u64) -> f64;
}

/// `E[Q(J)]` for `J ~ Binomial(keys, 1/lines)`; 0 without keys, 1 with keys but without lines.
pub(super) fn binomial(rates: &mut impl LineRate, lines: u64, keys: u64) -> f64 {
    if keys == 0 {
        return 0.0;
    }
    if lines == 0 {
        return 1.0;
    }
    let (n, others) = (keys as f64, (lines - 1) as f64);
    let mode = ((u128::from(keys) + 1) / u128::from(lines)).min(u128::from(keys)) as u64;
    mean_rate(rates, n / lines as f64, mode, |j| (n - j).max(0.0) / ((j + 1.0) * others), |j| j == keys)
}

/// `E[Q(J)]` for `J ~ Poisson(mean)`.
pub(super) fn poisson(rates: &mut impl LineRate, mean: f64) -> f64 {
    mean_rate(rates, mean, mean as u64, |j| mean / (j + 1.0), |_| false)
}

/// The largest `λ` between `low` and `high` with `E[Q(J)] ≤ fpr` for `J ~ Poisson(λ)`, by bisection to full
/// precision; `low` must be such a `λ`.
pub(super) fn largest_mean(rates: &mut impl LineRate, fpr: f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    while high > low {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            break;
        }
        if poisson(rates, middle) <= fpr {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// `E[Q(J)]` for a distribution with this `mean` and `mode`, where `ratio(j) = P(j+1)/P(j)` and nothing
/// lies above the `j` that `ends`.
///
/// Weights start as 1 at the mode, are multiplied outwards, and are normalised by their sum at the end.
fn mean_rate(
    rates: &mut impl LineRate,
    mean: f64,
    mode: u64,
    ratio: impl Fn(f64) -> f64,
    ends: impl Fn(u64) -> bool,
) -> f64 {
    // Nine standard deviations below the mean every line is full: so is every other that matters.
    if mean - 9.0 * sqrt(mean) > rates.full_at() as f64 {
        return 1.0;
    }
    let (mut total, mut sum) = (1.0, rates.rate(mode));
    let (mut weight, mut j) = (1.0, mode);
    while !ends(j) {
        weight *= ratio(j as f64);
        j += 1;
        let term = weight * rates.rate(j);
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
        sum += weight * rates.rate(j);
    }
    (sum / total).min(1.0)
}

//! Acceptance intervals for measured rates, computed exactly.
//!
//! A test that asks a filter `N` absent keys counts false positives. For a correct build the count is
//! Binomial(N, p). [`Acceptance`] states between which counts the build is accepted, such that
//!
//! - a correct build falls outside with probability at most [`REJECT_CORRECT`], half of it on either side;
//! - a build whose rate is 10 % higher falls inside with probability at most [`ACCEPT_WORSE`].
//!
//! With fixed keys a test gives the same count in every run; the interval keeps a *changed* but correct hash
//! or layout from failing by bad luck. `p` should be the rate of the filter as built, which is free of the
//! noise between builds: `(ones/bits)^k` for a Bloom filter.
//!
//! Tails are summed from the probabilities themselves: no normal approximation and no gamma function.

use std::ops::RangeInclusive;

/// The probability that a correct build is rejected, at most: 10⁻⁴.
pub const REJECT_CORRECT: f64 = 1e-4;

/// The probability that a build with a 10 % higher rate is accepted, at most: 10⁻³.
pub const ACCEPT_WORSE: f64 = 1e-3;

/// How much higher the rate is that must be noticed.
const WORSE: f64 = 1.1;

/// Probabilities below this share of the mode are left out; they fall off faster than a geometric series.
const NEGLIGIBLE: f64 = 1e-25;

/// The counts that a Binomial(`trials`, `p`) variable stays within, with at most `alpha / 2` below and above.
///
/// The smallest such interval: its lower end is the largest `lo` with `P(X < lo) ≤ alpha/2`, its upper end
/// the smallest `hi` with `P(X > hi) ≤ alpha/2`.
///
/// # Complexity
///
/// Time and memory `O(√(N·p))`: the 20 standard deviations around the mode.
///
/// # Panics
///
/// Unless `0 ≤ p ≤ 1` and `0 < alpha < 1`.
pub fn binomial_interval(trials: u64, p: f64, alpha: f64) -> RangeInclusive<u64> {
    assert!((0.0..=1.0).contains(&p), "a probability lies in [0, 1], unlike {p}");
    assert!(alpha > 0.0 && alpha < 1.0, "alpha lies in (0, 1), unlike {alpha}");
    let pmf = Pmf::new(trials, p);
    let limit = 0.5 * alpha;
    let (mut low, mut tail) = (pmf.first, 0.0);
    for weight in &pmf.weights {
        tail += weight;
        if tail > limit {
            break;
        }
        low += 1;
    }
    let (mut high, mut tail) = (pmf.last(), 0.0);
    for weight in pmf.weights.iter().rev() {
        tail += weight;
        if tail > limit {
            break;
        }
        high -= 1;
    }
    low..=high
}

/// The probability that a Binomial(`trials`, `p`) variable lies within `range`.
///
/// # Complexity
///
/// Time and memory `O(√(N·p))`.
///
/// # Panics
///
/// Unless `0 ≤ p ≤ 1`.
pub fn binomial_probability(trials: u64, p: f64, range: &RangeInclusive<u64>) -> f64 {
    assert!((0.0..=1.0).contains(&p), "a probability lies in [0, 1], unlike {p}");
    let pmf = Pmf::new(trials, p);
    (pmf.first..).zip(&pmf.weights).filter(|(count, _)| range.contains(count)).map(|(_, weight)| weight).sum()
}

/// How many absent keys to ask so that a build with a 10 % higher rate than `p` is noticed.
///
/// The smallest number of two significant digits for which the interval of [`binomial_interval`] at
/// [`REJECT_CORRECT`] accepts such a build with probability at most [`ACCEPT_WORSE`]: about `5,100/p`.
///
/// # Complexity
///
/// Some tens of intervals: milliseconds.
///
/// # Panics
///
/// Unless `10⁻¹² ≤ p ≤ 0.9`; above, a rate 10 % higher is hardly one, and below, nobody could count that far.
pub fn trials_for(p: f64) -> u64 {
    assert!((1e-12..=0.9).contains(&p), "the rate {p} is not in 1e-12 ..= 0.9");
    let notices = |trials: u64| {
        let range = binomial_interval(trials, p, REJECT_CORRECT);
        binomial_probability(trials, (WORSE * p).min(1.0), &range) <= ACCEPT_WORSE
    };
    // Far below the answer even at large p, where the variance, and with it the answer, shrinks by 1 − p.
    let mut trials = two_digits((2_000.0 * (1.0 - p) / p) as u64 + 10);
    while !notices(trials) {
        trials = two_digits(trials + 1);
    }
    trials
}

/// The smallest number of at most two significant digits that is not below `x`.
fn two_digits(x: u64) -> u64 {
    let mut unit = 1;
    while x.div_ceil(unit) > 99 {
        unit *= 10;
    }
    x.div_ceil(unit) * unit
}

/// What a measured rate must satisfy.
///
/// # Example
///
/// ```
/// use ruleout_testkit::stats::Acceptance;
///
/// let test = Acceptance::of(0.01);
/// assert_eq!(test.trials, 510_000);
/// assert_eq!(test.range, 4826..=5379);
/// test.assert_accepts(5100);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptance {
    /// The rate of a correct build.
    pub rate: f64,
    /// The absent keys to ask.
    pub trials: u64,
    /// The false positives that are accepted.
    pub range: RangeInclusive<u64>,
}

impl Acceptance {
    /// The test for this `rate`, with as many trials as [`trials_for`] says.
    ///
    /// # Panics
    ///
    /// As [`trials_for`].
    pub fn of(rate: f64) -> Self {
        Self::with_trials(rate, trials_for(rate))
    }

    /// The test for this `rate` with a given number of trials.
    ///
    /// A correct build passes as surely as ever; with fewer trials than [`trials_for`] a worse one may pass
    /// too.
    ///
    /// # Panics
    ///
    /// Unless `0 ≤ rate ≤ 1`.
    pub fn with_trials(rate: f64, trials: u64) -> Self {
        Self { rate, trials, range: binomial_interval(trials, rate, REJECT_CORRECT) }
    }

    /// Asserts that `hits` false positives in [`trials`](Self::trials) are what the rate makes likely.
    ///
    /// # Panics
    ///
    /// If `hits` is outside the [`range`](Self::range); the message has the rate asked, the one measured, the
    /// counts.
    #[track_caller]
    pub fn assert_accepts(&self, hits: u64) {
        let Self { rate, trials, range } = self;
        let measured = hits as f64 / *trials as f64;
        assert!(
            range.contains(&hits),
            "asked for a rate of {rate:.6e}, measured {measured:.6e}: \
             {hits} hits in {trials} trials, accepted are {} to {}",
            range.start(),
            range.end(),
        );
    }
}

/// The probabilities of a Binomial variable, as far as they matter.
struct Pmf {
    /// The count that `weights[0]` belongs to.
    first: u64,
    /// Probabilities of consecutive counts; they add up to 1.
    weights: Vec<f64>,
}

impl Pmf {
    /// Ratios of neighbours, multiplied outwards from 1 at the mode, then divided by their sum.
    fn new(trials: u64, p: f64) -> Self {
        let (n, odds) = (trials as f64, p / (1.0 - p));
        let mode = if p == 1.0 { trials } else { (((n + 1.0) * p) as u64).min(trials) };
        let (mut first, mut weight) = (mode, 1.0);
        let mut weights = vec![weight];
        while first > 0 {
            weight *= first as f64 / ((trials - first + 1) as f64 * odds);
            if weight < NEGLIGIBLE {
                break;
            }
            weights.push(weight);
            first -= 1;
        }
        weights.reverse();
        weight = 1.0;
        for count in mode..trials {
            weight *= (trials - count) as f64 / (count + 1) as f64 * odds;
            if weight < NEGLIGIBLE {
                break;
            }
            weights.push(weight);
        }
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        Self { first, weights }
    }

    fn last(&self) -> u64 {
        self.first + (self.weights.len() as u64 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn small_cases_by_hand() {
        assert_eq!(binomial_interval(0, 0.3, 0.1), 0..=0);
        assert_eq!(binomial_interval(9, 0.0, 0.1), 0..=0);
        assert_eq!(binomial_interval(9, 1.0, 0.1), 9..=9);
        // Ten coins: P(0) = 1/1024, P(≤ 1) = 11/1024, P(≤ 2) = 56/1024.
        assert_eq!(binomial_interval(10, 0.5, 0.05), 2..=8);
        assert_eq!(binomial_interval(10, 0.5, 0.0001), 0..=10);
        assert!((binomial_probability(10, 0.5, &(2..=8)) - 1002.0 / 1024.0).abs() < 1e-15);
    }

    #[test]
    fn the_table_is_reproduced() {
        let table: Value = serde_json::from_str(include_str!("../tests/data/tolerance.json")).unwrap();
        let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
        let count = |row: &Value, name: &str| row[name].as_u64().unwrap();
        for kind in ["ten_percent_worse", "twentyfive_percent_worse"] {
            for row in table[kind].as_array().unwrap() {
                let (p, trials) = (number(row, "p"), count(row, "N"));
                let range = binomial_interval(trials, p, REJECT_CORRECT);
                assert_eq!(range, count(row, "accept_lo")..=count(row, "accept_hi"), "{row}");
                let accepted = binomial_probability(trials, number(row, "worse") * p, &range);
                assert!(
                    (accepted / number(row, "P_10pct_worse_accepted") - 1.0).abs() < 1e-6,
                    "{accepted}: {row}"
                );
                if kind == "ten_percent_worse" {
                    // The table came from a coarser search: in one row it asks one step of the second digit
                    // more.
                    let ours = trials_for(p);
                    assert!(ours == trials || two_digits(ours + 1) == trials, "{ours} trials: {row}");
                }
            }
        }
    }

    #[test]
    fn two_significant_digits() {
        let pairs = [(1, 1), (99, 99), (100, 100), (101, 110), (990, 990), (991, 1000), (4_801, 4_900)];
        for (x, rounded) in pairs {
            assert_eq!(two_digits(x), rounded, "{x}");
        }
    }

    #[test]
    #[should_panic(expected = "asked for a rate of 1.000000e-2, measured")]
    fn a_worse_build_is_named() {
        Acceptance::of(0.01).assert_accepts(5_610);
    }
}

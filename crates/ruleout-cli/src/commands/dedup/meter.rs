//! What false positives have cost so far.
//!
//! A new key is dropped with the probability f of a false positive, and passes with 1 − f: for each that passed, f / (1 − f)
//! were dropped, on average. The sum over all that passed is the expected number. f is read from the bits now and then: for
//! what came in between, the mean of the rates at both ends is taken for the estimate, and the higher one for the bound.
//! What was dropped is a sum of independent events, of which Bernstein's inequality bounds the number: above an
//! expectation of Λ by t or more with probability exp(−t² / (2 Λ + 2 t / 3)) at the most.

use std::f64::consts::LN_10;

use super::seen::Seen;
use crate::{human, messages};

/// How certain the bound is.
pub const CERTAINTY: f64 = 0.999;
/// −ln(1 − [`CERTAINTY`]).
const DOUBT: f64 = 3.0 * LN_10;

/// A rate above the one asked for by this factor is not due to chance.
const EXCESS: f64 = 1.1;

/// Adds up what was lost.
pub struct Meter {
    /// Sightings between two looks at the bits.
    every: u64,
    since: u64,
    /// Keys that passed since the last look.
    passed: u64,
    /// The rate at the last look.
    rate: f64,
    expected: f64,
    expected_at_most: f64,
    warned: bool,
}

/// New lines that were dropped.
pub struct Lost {
    pub expected: f64,
    pub at_most: u64,
}

impl Meter {
    /// A look costs a pass over all bits: it is taken when the filter has been told of a good part of what it has room for.
    pub fn new(seen: &Seen, capacity: u64) -> Self {
        let every = (capacity / 32).max(256);
        Self {
            every,
            since: 0,
            passed: 0,
            rate: seen.fpr(),
            expected: 0.0,
            expected_at_most: 0.0,
            warned: false,
        }
    }

    /// Counts a batch of sightings, `repeats` of which were dropped.
    pub fn add(&mut self, sightings: usize, repeats: usize, seen: &Seen) {
        self.since += sightings as u64;
        self.passed += (sightings - repeats) as u64;
        if self.since >= self.every {
            self.look(seen);
        }
    }

    fn look(&mut self, seen: &Seen) {
        let now = seen.fpr();
        if self.passed > 0 {
            let lost = |rate: f64| self.passed as f64 * rate / (1.0 - rate).max(f64::MIN_POSITIVE);
            self.expected += lost((self.rate + now) / 2.0);
            self.expected_at_most += lost(self.rate.max(now));
        }
        (self.rate, self.passed, self.since) = (now, 0, 0);
        self.warn(now, seen.fpr_at_capacity());
    }

    fn warn(&mut self, rate: f64, asked: f64) {
        if rate > asked * EXCESS && !self.warned {
            self.warned = true;
            messages::warning(format_args!(
                "more distinct keys than --capacity says: of lines that are new, {} are lost from here on, in place of {}",
                human::rate(rate),
                human::rate(asked)
            ));
        }
    }

    /// How many new lines were lost among `dropped`.
    pub fn lost(&mut self, seen: &Seen, dropped: u64) -> Lost {
        self.look(seen);
        let most = self.expected_at_most;
        // The chance that there is one at all is no higher than the number expected.
        let above = if most <= 1.0 - CERTAINTY { 0.0 } else { deviation(most) };
        Lost { expected: self.expected.min(dropped as f64), at_most: ((most + above) as u64).min(dropped) }
    }
}

/// By how much a sum of events exceeds its expectation with probability 1 − [`CERTAINTY`] at the most.
fn deviation(expected: f64) -> f64 {
    // t² = DOUBT · (2 Λ + 2 t / 3), solved for t.
    let third = DOUBT / 3.0;
    third + (third * third + 2.0 * DOUBT * expected).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the exact tail of a Poisson distribution, which a sum of rare events has.
    #[test]
    fn the_bound_holds_and_is_not_far() {
        for (expected, quantile) in
            [(0.01, 1.0), (1.0, 5.0), (10.0, 21.0), (100.0, 132.0), (10_000.0, 10_311.0)]
        {
            let bound = expected + deviation(expected);
            assert!(bound >= quantile, "{bound} of {expected}");
            assert!(bound <= quantile * 1.3 + 4.0, "{bound} of {expected}");
        }
    }
}

//! What false positives have cost so far.
//!
//! A new key is dropped with the probability f of a false positive, and passes with 1 − f: for each that passed, f / (1 − f)
//! were dropped, on average. The sum over all that passed is the expected number, with f read from the bits as they were
//! at the time. It is a sum of independent events, of which Bernstein's inequality bounds the number: above an expectation
//! of Λ by t or more with probability exp(−t² / (2 Λ + 2 t / 3)) at the most.

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
        Self { every, since: 0, passed: 0, rate: seen.fpr(), expected: 0.0, warned: false }
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
        // Between two looks keys come, and are forgotten at most: the higher rate is nearer the truth.
        let rate = self.rate.max(now);
        if self.passed > 0 {
            self.expected += self.passed as f64 * rate / (1.0 - rate).max(f64::MIN_POSITIVE);
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
        let expected = self.expected.min(dropped as f64);
        // The chance that there is one at all is no higher than the number expected.
        if expected <= 1.0 - CERTAINTY {
            return Lost { expected, at_most: 0 };
        }
        // t² = DOUBT · (2 Λ + 2 t / 3), solved for t.
        let third = DOUBT / 3.0;
        let above = third + (third * third + 2.0 * DOUBT * expected).sqrt();
        Lost { expected, at_most: ((expected + above) as u64).min(dropped) }
    }
}

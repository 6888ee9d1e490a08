//! Rounds of turns, and their medians.

use cpu_time::ThreadTime;
use ruleout_testkit::keys;
use std::hint::black_box;

use crate::engine::{Built, Group};

/// What an engine showed; times are nanoseconds per key, medians over the rounds.
pub struct Figures {
    pub build: f64,
    pub present: f64,
    pub absent: f64,
    /// As `present` and `absent`, by the batch call.
    pub batch: Option<(f64, f64)>,
    pub bits_per_key: f64,
    /// Measured on as many absent keys as there are members.
    pub fpr: f64,
}

/// Lets the engines of a group take turns at `keys` keys.
///
/// # Panics
/// When an engine loses a key, or answers a batch otherwise than single keys.
pub fn measure(group: &Group, keys: usize, fpr: f64, rounds: usize) -> Vec<Figures> {
    let members: Vec<u64> = keys::members(keys as u64).collect();
    let others: Vec<u64> = keys::probes(keys as u64).collect();
    // Asked in another order than inserted: neighbours in time must not be neighbours in memory.
    let asked: Vec<u64> = (0..keys).map(|i| members[(i as u64 * 48_271 % keys as u64) as usize]).collect();
    let mut samples: Vec<Samples> = group.engines.iter().map(|_| Samples::default()).collect();
    for _ in 0..rounds {
        for (engine, samples) in group.engines.iter().zip(&mut samples) {
            let (build, filter) = timed(keys, || engine.build(&members, fpr));
            samples.build.push(build);
            samples.ask(engine.name(), &*filter, &asked, &others);
        }
    }
    samples.into_iter().map(|samples| samples.figures(keys)).collect()
}

#[derive(Default)]
struct Samples {
    build: Vec<f64>,
    present: Vec<f64>,
    absent: Vec<f64>,
    batch_present: Vec<f64>,
    batch_absent: Vec<f64>,
    bytes: usize,
    false_positives: usize,
}

impl Samples {
    fn ask(&mut self, name: &str, filter: &dyn Built, members: &[u64], others: &[u64]) {
        let (present, found) = timed(members.len(), || filter.hits(members));
        assert_eq!(found, members.len(), "{name} lost keys");
        let (absent, false_positives) = timed(others.len(), || filter.hits(others));
        self.present.push(present);
        self.absent.push(absent);
        let (present, found) = timed(members.len(), || filter.hits_in_batches(members));
        if let Some(found) = found {
            assert_eq!(found, members.len(), "{name} lost keys in a batch");
            let (absent, hits) = timed(others.len(), || filter.hits_in_batches(others));
            assert_eq!(hits, Some(false_positives), "{name} answers batches otherwise");
            self.batch_present.push(present);
            self.batch_absent.push(absent);
        }
        (self.bytes, self.false_positives) = (filter.bytes(), false_positives);
    }

    fn figures(mut self, keys: usize) -> Figures {
        Figures {
            build: median(&mut self.build),
            present: median(&mut self.present),
            absent: median(&mut self.absent),
            batch: (!self.batch_present.is_empty())
                .then(|| (median(&mut self.batch_present), median(&mut self.batch_absent))),
            bits_per_key: self.bytes as f64 * 8.0 / keys as f64,
            fpr: self.false_positives as f64 / keys as f64,
        }
    }
}

/// Nanoseconds for each of `keys`, and the result.
///
/// Time of this thread on a core, not of the clock: another process that takes the core does not count.
fn timed<T>(keys: usize, run: impl FnOnce() -> T) -> (f64, T) {
    let start = ThreadTime::now();
    let result = black_box(run());
    (start.elapsed().as_nanos() as f64 / keys as f64, result)
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    samples[samples.len() / 2]
}

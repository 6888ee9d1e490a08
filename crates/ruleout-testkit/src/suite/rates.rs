//! The rate asked for is the rate obtained.
//!
//! Each measurement is held against the rate the filter itself expects as filled as it is, within limits that a
//! correct build passes and a 10 % worse one does not ([`Acceptance`]); and that rate against the formula.

use ruleout::{Filter, Goal, HashFilter};

use super::{as_any, built, false_positives};
use crate::keys::{member, members, probe};
use crate::stats::Acceptance;
use crate::{Recipe, Subject};

/// How far the rate of one build may be from the mean of all builds: above five standard deviations from 10^5
/// keys on (`math/tolerance.json`: 0.4 % each).
const BUILD_NOISE: f64 = 0.02;

/// A filter as full as it is made for has the rate of the formula, and the measured rate is that.
fn measure<S: Subject>(recipe: &Recipe) {
    let hashes: Vec<u64> = members(recipe.capacity).collect();
    let filter = built::<S>(recipe, &hashes);
    let file = S::save(&filter);
    let formula = as_any(&file, recipe).params().fpr_at(recipe.capacity);
    if let Goal::Fpr(asked) = recipe.goal {
        assert!(formula <= asked, "{formula} expected, {asked} asked for");
    }
    let built = filter.expected_fpr();
    assert!((built / formula - 1.0).abs() < BUILD_NOISE, "{built} as built, {formula} by the formula");

    let test = Acceptance::of(built);
    let hits = false_positives(&filter, test.trials);
    println!(
        "{:>8} {:>9} keys, {:?}: formula {formula:.4e}, as built {built:.4e}, measured {:.4e}: {hits} in {:?}",
        filter.family().name(),
        recipe.capacity,
        recipe.goal,
        hits as f64 / test.trials as f64,
        test.range,
    );
    test.assert_accepts(hits);
}

/// One in a hundred.
pub fn one_percent<S: Subject>() {
    measure::<S>(&Recipe::fpr(100_000, 0.01));
}

/// One in a thousand.
pub fn one_in_a_thousand<S: Subject>() {
    measure::<S>(&Recipe::fpr(100_000, 0.001));
}

/// Ten bits per key.
pub fn ten_bits_per_key<S: Subject>() {
    measure::<S>(&Recipe::new(100_000, Goal::BitsPerKey(10.0)));
}

/// Numbers of keys at which others' rates jumped: B042, B028.
pub fn awkward_numbers_of_keys<S: Subject>() {
    for capacity in [218_793, 1_100_000] {
        measure::<S>(&Recipe::fpr(capacity, 0.01));
    }
}

/// From ten keys on, and at every size, the rate is that of the theory: B028, B039.
///
/// Small filters differ from build to build, so that many are built.
pub fn small_filters<S: Subject>() {
    for keys in [10, 100, 1000, 10_000] {
        for bits in [8.0, 12.0, 16.0] {
            let recipe = Recipe::new(keys, Goal::BitsPerKey(bits));
            let builds = (20_000 / keys).clamp(10, 400);
            let probes = 1_000_000 / builds;
            let (mut hits, mut rates, mut formula) = (0, Vec::new(), 0.0);
            for build in 0..builds {
                let hashes: Vec<u64> = (build * keys..(build + 1) * keys).map(member).collect();
                let filter = built::<S>(&recipe, &hashes);
                // Of each, for one that is built once has a shape for its own keys.
                formula += as_any(&S::save(&filter), &recipe).params().fpr_at(keys) / builds as f64;
                let asked = (build * probes..(build + 1) * probes).map(probe);
                hits += asked.filter(|&hash| filter.may_contain_hash(hash)).count() as u64;
                rates.push(filter.expected_fpr());
            }
            let mean = rates.iter().sum::<f64>() / builds as f64;
            let spread = rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>();
            let error_of_mean = spread.sqrt() / builds as f64;
            // And what one key of all counts for: where two are seldom alike, they may be in none of the builds.
            let allowed = 5.0 * error_of_mean + mean / (builds * keys) as f64;
            assert!((mean - formula).abs() < allowed, "{recipe:?}: {mean} and {formula}");
            Acceptance::with_trials(mean, builds * probes).assert_accepts(hits);
        }
    }
}

/// No size in a sweep has a rate out of line: B042.
pub fn no_size_is_out_of_line<S: Subject>() {
    for keys in (1_000..10_000).step_by(97) {
        let filter = built::<S>(&Recipe::fpr(keys, 0.01), &members(keys).collect::<Vec<_>>());
        let hits = false_positives(&filter, 20_000);
        assert!(hits <= 300, "{keys} keys: {hits} in 20,000");
    }
}

/// Keys that are patterns, as against hashes, fare no worse: consecutive integers in both byte orders: B041.
pub fn patterned_keys<S: Subject>() {
    const KEYS: u64 = 50_000;
    for identity in crate::hashers::identities() {
        let recipe = identity.apply(&Recipe::fpr(KEYS, 0.01));
        for encode in [u64::to_le_bytes, u64::to_be_bytes] {
            let hash = |i| recipe.hasher.hash(&encode(i));
            let filter = built::<S>(&recipe, &(0..KEYS).map(hash).collect::<Vec<_>>());
            let built = filter.expected_fpr();
            assert!(built < 0.01 * (1.0 + 2.0 * BUILD_NOISE), "{built} at {}", recipe.hasher.id());
            let trials = 500_000;
            let hits = (KEYS..KEYS + trials).filter(|&i| filter.may_contain_hash(hash(i))).count();
            Acceptance::with_trials(built, trials).assert_accepts(hits as u64);
        }
    }
}

//! Recipes from the ordinary to the absurd: each gives a filter that works, or an error.

use ruleout::{BuildError, ConfigError, Goal};

use super::{assert_finds_all, built, false_positives};
use crate::keys::{members, probe};
use crate::{Recipe, Subject};

/// The number of absent keys that an empty filter is asked for.
const PROBES: u64 = 10_000;

fn recipes() -> impl Iterator<Item = Recipe> {
    let goals = [0.99, 0.5, 0.01, 1e-6, 1e-9, 1e-15]
        .map(Goal::Fpr)
        .into_iter()
        .chain([0.001, 0.499, 1.0, 9.7, 64.0, 4096.0].map(Goal::BitsPerKey))
        .chain([1, 7, 63, 64, 65, 100, 1001].map(Goal::SizeBytes));
    goals.flat_map(|goal| [0, 1, 2, 3, 63, 1000].map(|capacity| Recipe::new(capacity, goal)))
}

/// No recipe panics, hangs, or makes a filter that loses a key or is empty and says maybe: B086, B089, B091, B093,
/// B094, B096, B099.
pub fn every_recipe_works_or_is_refused<S: Subject>() {
    let mut refused = Vec::new();
    for recipe in recipes() {
        let empty = match S::build(&recipe, &[]) {
            Ok(empty) => empty,
            Err(error) => {
                refused.push((recipe, error));
                continue;
            }
        };
        assert_eq!(false_positives(&empty, PROBES), 0, "an empty filter of {recipe:?}");
        let file = S::save(&empty);
        let view = S::open(&file[..], &recipe.options().verify(true)).expect("an empty filter's file opens");
        assert_eq!(false_positives(&view, PROBES), 0, "a reopened empty filter of {recipe:?}");

        // As many keys as it is made for, and one where it is made for none.
        let hashes: Vec<u64> = members(recipe.capacity.max(1)).collect();
        match S::build(&recipe, &hashes) {
            // What is built once has the shape for the keys it gets, for which a size that no key needs may be too small.
            Err(BuildError::Config(ConfigError::TooSmall { .. })) if recipe.capacity == 0 => (),
            filter => assert_finds_all(&filter.expect("made for them"), &hashes),
        }
    }
    // A family may refuse a rate it cannot have or a size without room for it, never an ordinary one.
    for (recipe, error) in refused {
        match (recipe.goal, &error) {
            (Goal::Fpr(fpr), _) if fpr < 1e-9 => (),
            (Goal::SizeBytes(asked), BuildError::Config(ConfigError::TooSmall { bytes, least })) => {
                assert!(asked == *bytes && asked < *least, "{recipe:?}: {error}");
                built::<S>(&Recipe::new(recipe.capacity, Goal::SizeBytes(*least)), &[]);
            }
            _ => panic!("{recipe:?}: {error}"),
        }
    }
}

/// Rates and sizes that are no numbers, or no such numbers, are refused by name.
pub fn senseless_numbers_are_refused<S: Subject>() {
    let senseless = [0.0, -0.01, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let goals = (senseless.map(Goal::BitsPerKey).into_iter())
        .chain(senseless.map(Goal::Fpr))
        .chain([1.0, 5.0].map(Goal::Fpr))
        .chain([Goal::BitsPerKey(4097.0), Goal::SizeBytes(0)]);
    for goal in goals {
        assert!(S::build(&Recipe::new(1000, goal), &[]).is_err(), "{goal:?}");
    }
    let Err(BuildError::Config(error)) = S::build(&Recipe::fpr(1000, 5.0), &[]) else { panic!() };
    assert!(matches!(error, ConfigError::OutOfRange { given: 5.0, .. }), "{error:?}");
    assert!(error.to_string().contains("is 5, allowed is"), "{error}");
}

/// What cannot be held is refused with the bytes it would need and without touching memory: B063, B071, B104.
pub fn sizes_beyond_memory_are_refused<S: Subject>() {
    for capacity in [10u64.pow(15), 10u64.pow(18), u64::MAX] {
        let Err(BuildError::Config(error)) = S::build(&Recipe::fpr(capacity, 0.01), &[]) else {
            panic!("{capacity} keys fit in memory?")
        };
        match error {
            ConfigError::OutOfMemory(refused) => {
                assert!(refused.bytes > capacity / 2, "{capacity} keys in {} bytes", refused.bytes);
            }
            ConfigError::TooLarge { capacity: stated, .. }
            | ConfigError::BelowHashLimit { capacity: stated, .. } => {
                assert_eq!(stated, S::capacity(&Recipe::fpr(capacity, 0.01)));
            }
            // A family whose format has a limit names that.
            ConfigError::OutOfRange { given, .. } => assert!(given > capacity as f64 / 100.0, "{given}"),
            error => panic!("{error:?}"),
        }
    }
}

/// For one key and one in a billion, no absent key of a million is taken for it: B049.
pub fn tiny_filters_keep_their_rate<S: Subject>() {
    let recipe = Recipe::fpr(1, 1e-9);
    let unhex = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
    };
    let there = unhex("d39bafed5f63e8e85c4bbcf171e3a7bb4f8542dc4237cd94d0e0ff7c08e5c685");
    let absent = unhex("8854e4a0a9b78632e8de91ffb973336a7a4f1b9a89520149ae311416de42d162");
    let filter = built::<S>(&recipe, &[recipe.hasher.hash(&there)]);
    assert!(ruleout::Filter::may_contain(&filter, &there) && !ruleout::Filter::may_contain(&filter, &absent));
    let hits: u64 =
        (0..1000).map(|i| false_positives(&built::<S>(&recipe, &[probe(1 << 40 | i)]), 1000)).sum();
    assert_eq!(hits, 0);
}

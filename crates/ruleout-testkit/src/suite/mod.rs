//! The tests every filter passes, one module per capability, one function per property.
//!
//! Each function makes its own filters, from fixed keys; it panics when the property does not hold.

pub mod bitmap;
pub mod concurrent;
pub mod damage;
pub mod files;
pub mod hostile;
pub mod inserts;
pub mod merges;
pub mod queries;
pub mod rates;
pub mod recipes;

use ruleout::{AnyFilter, HashFilter, Mask};

use crate::{Recipe, Subject};

/// How many keys small filters are made for.
const KEYS: u64 = 2_000;

/// The smallest, the largest and many usual hashes, all distinct.
fn member_hashes(keys: u64) -> Vec<u64> {
    // `member(0)` is 0, a corner already.
    crate::keys::CORNERS.into_iter().chain((1..).map(crate::keys::member)).take(keys as usize).collect()
}

/// A small filter with [`KEYS`] members.
fn small_recipe() -> Recipe {
    Recipe::fpr(KEYS, 0.01)
}

#[track_caller]
fn built<S: Subject>(recipe: &Recipe, hashes: &[u64]) -> S::Owned {
    S::build(recipe, hashes).unwrap_or_else(|error| panic!("{recipe:?}: {error}"))
}

/// The file as a filter of whichever family, which can tell what not every filter's type can.
#[track_caller]
fn as_any<'a>(file: &'a [u8], recipe: &Recipe) -> AnyFilter<&'a [u8]> {
    AnyFilter::open_with(file, &recipe.options()).expect("a sound file")
}

#[track_caller]
fn assert_finds_all(filter: &impl HashFilter, hashes: &[u64]) {
    for &hash in hashes {
        assert!(filter.may_contain_hash(hash), "{hash:#018x} was inserted and is not found");
    }
    let mut hits = Mask::new();
    filter.may_contain_hashes(hashes, &mut hits);
    assert_eq!(hits.count_ones(), hashes.len(), "a batch misses members");
}

/// How many of the first `probes` keys that are no members a filter takes for one.
fn false_positives(filter: &impl HashFilter, probes: u64) -> u64 {
    let mut hits = Mask::new();
    let mut count = 0;
    let mut next = 0;
    while next < probes {
        let end = probes.min(next + 4096);
        let batch: Vec<u64> = (next..end).map(crate::keys::probe).collect();
        filter.may_contain_hashes(&batch, &mut hits);
        count += hits.count_ones() as u64;
        next = end;
    }
    count
}

//! Filters from which keys can be removed.

use std::collections::HashMap;

use ruleout::{HashFilter, Insert, OpenOptions, Remove};

use super::{KEYS, assert_finds_all, built, small_recipe};
use crate::keys::{member, members, mix, probe, probes};
use crate::stats::{REJECT_CORRECT, binomial_interval};
use crate::{Recipe, Subject};

/// How many operations [`random_operations`] does; the environment variable `RULEOUT_ORACLE_STEPS` says otherwise.
const STEPS: u64 = 400_000;

/// What was taken out is gone, at the filter's rate; what was not is there: B006, B010, B120.
pub fn what_is_removed_is_gone<S: Subject<Owned: Remove>>() {
    let hashes: Vec<u64> = members(KEYS).collect();
    let mut filter = built::<S>(&small_recipe(), &hashes);
    let (out, kept) = hashes.split_at(hashes.len() / 2);
    for &hash in out {
        assert!(filter.remove_hash(hash), "{hash:#x} is there to be removed");
    }
    assert_finds_all(&filter, kept);
    let found = out.iter().filter(|&&hash| filter.may_contain_hash(hash)).count() as u64;
    assert!(
        found <= *binomial_interval(out.len() as u64, 0.01, REJECT_CORRECT).end(),
        "{found} are still found"
    );
    // In again, and all out: nothing is left, and nothing is found.
    filter.try_insert_hashes(out).expect("room for what was there before");
    assert_finds_all(&filter, &hashes);
    for &hash in hashes.iter().rev() {
        assert!(filter.remove_hash(hash), "{hash:#x} is there to be removed");
    }
    assert!(
        hashes
            .iter()
            .chain(probes(KEYS).collect::<Vec<_>>().iter())
            .all(|&hash| !filter.may_contain_hash(hash))
    );
    assert!(super::as_any(&S::save(&filter), &small_recipe()).is_empty());
}

/// A key that is visibly absent is not removed, and nothing changes.
pub fn removing_the_absent_is_refused<S: Subject<Owned: Remove>>() {
    let hashes: Vec<u64> = members(KEYS).collect();
    let mut filter = built::<S>(&small_recipe(), &hashes);
    let before = S::save(&filter);
    let absent: Vec<u64> =
        (0..).map(probe).filter(|&hash| !filter.may_contain_hash(hash)).take(5000).collect();
    for hash in absent {
        assert!(!filter.remove_hash(hash), "{hash:#x} is not there");
    }
    assert_eq!(S::save(&filter), before);
}

/// A key is removed by its hash.
pub fn keys_are_removed_by_their_hash<S: Subject<Owned: Remove>>() {
    let recipe = small_recipe();
    let mut filter = built::<S>(&recipe, &[]);
    let empty = S::save(&filter);
    for key in [&b""[..], b"a", b"a longer key than any block of a hash function", &[0; 200]] {
        filter.try_insert(key).expect("room");
        assert!(filter.remove(key));
        assert!(!filter.remove(key));
        filter.try_insert_hash(recipe.hasher.hash(key)).expect("room");
        assert!(filter.remove(key));
    }
    assert_eq!(S::save(&filter), empty);
}

/// Random insertions, removals, savings and reopenings against a multiset that forgets nothing: no key in it is
/// ever called absent, one that is there can be removed, and what is refused changes no byte.
///
/// `merge_one` puts a key in by another way than insertion, and does what else the family can; it says whether the
/// key is in now. The number of keys swings between few and more than the filter takes.
pub fn random_operations<S: Subject<Owned: Remove>>(mut merge_one: impl FnMut(&mut S::Owned, u64) -> bool) {
    let steps = std::env::var("RULEOUT_ORACLE_STEPS").map_or(STEPS, |steps| steps.parse().expect("a number"));
    for recipe in [
        Recipe::fpr(3, 0.1),
        Recipe::fpr(40, 0.001),
        Recipe::fpr(64, 0.01),
        Recipe::fpr(500, 0.02),
        Recipe::fpr(700, 1e-6),
    ] {
        Trial::<S>::new(recipe).run(steps / 5, &mut merge_one);
    }
}

/// A filter, and what must be in it.
struct Trial<S: Subject> {
    recipe: Recipe,
    filter: S::Owned,
    copies: HashMap<u64, u32>,
    /// Every key with as many entries as it has copies, to draw from.
    held: Vec<u64>,
    refused: u64,
}

impl<S: Subject<Owned: Remove>> Trial<S> {
    fn new(recipe: Recipe) -> Self {
        let filter = built::<S>(&recipe, &[]);
        Self { recipe, filter, copies: HashMap::new(), held: Vec::new(), refused: 0 }
    }

    fn run(mut self, steps: u64, merge_one: &mut impl FnMut(&mut S::Owned, u64) -> bool) {
        for step in 0..steps {
            let random = mix(step.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.recipe.capacity << 40);
            // Ten tides: the filter fills up to where it refuses, and nearly empties.
            let rising = (step * 20 / steps).is_multiple_of(2);
            match random % 100 {
                0 => self.reopen(),
                1..4 => {
                    let hash = self.draw_any(random);
                    if merge_one(&mut self.filter, hash) {
                        self.note(hash);
                    }
                }
                choice if (choice < 70) == rising => self.insert(random, step),
                _ => self.remove(random),
            }
            if step.is_multiple_of(4096) {
                self.check_all();
            }
        }
        self.check_all();
        while let Some(hash) = self.held.pop() {
            assert!(self.filter.remove_hash(hash), "{hash:#x} is there to be removed");
        }
        assert!(super::as_any(&S::save(&self.filter), &self.recipe).is_empty());
    }

    /// One of about half as many keys again as the filter is made for: so that some come several times.
    fn draw_any(&self, random: u64) -> u64 {
        member(random / 100 % (self.recipe.capacity * 3 / 2 + 1))
    }

    fn note(&mut self, hash: u64) {
        *self.copies.entry(hash).or_default() += 1;
        self.held.push(hash);
        assert!(self.filter.may_contain_hash(hash), "{hash:#x} was just inserted");
    }

    fn insert(&mut self, random: u64, step: u64) {
        let hash = self.draw_any(random);
        // Every 16th only, for what it costs.
        let before = step.is_multiple_of(16).then(|| S::save(&self.filter));
        match self.filter.try_insert_hash(hash) {
            Ok(_) => self.note(hash),
            Err(error) => {
                self.refused += 1;
                if let Some(before) = before {
                    assert_eq!(S::save(&self.filter), before, "refused, and changed: {error}");
                }
            }
        }
    }

    fn remove(&mut self, random: u64) {
        if self.held.is_empty() {
            return;
        }
        let at = (random / 100) as usize % self.held.len();
        let hash = self.held.swap_remove(at);
        assert!(self.filter.remove_hash(hash), "{hash:#x} is there to be removed");
        let copies = self.copies.get_mut(&hash).expect("it is held");
        *copies -= 1;
        if *copies > 0 {
            assert!(self.filter.may_contain_hash(hash), "{copies} copies of {hash:#x} are left");
        }
    }

    fn reopen(&mut self) {
        let file = S::save(&self.filter);
        let view = S::open(&file[..], &OpenOptions::new().verify(true)).expect("what was saved opens");
        self.filter = S::copy(&view).expect("memory");
        assert_eq!(S::save(&self.filter), file);
    }

    fn check_all(&self) {
        assert_finds_all(&self.filter, &self.held);
    }
}

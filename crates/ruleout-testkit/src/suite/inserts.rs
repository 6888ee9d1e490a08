//! Filters that take keys one after the other.

use ruleout::{Insert, Inserted};

use super::queries::BATCHES;
use super::{KEYS, assert_finds_all, built, member_hashes, small_recipe};
use crate::hashers::identities;
use crate::keys::{member, members};
use crate::stats::{REJECT_CORRECT, binomial_interval};
use crate::{Recipe, Subject};

/// Batches of every size leave the bytes that single insertions leave, and count the same as new.
pub fn batches_insert_as_single_keys<S: Subject<Owned: Insert>>() {
    let recipe = small_recipe();
    let hashes = member_hashes(KEYS);
    let mut single = built::<S>(&recipe, &[]);
    let is_new = |&&hash: &&u64| single.try_insert_hash(hash) == Ok(Inserted::New);
    let new = hashes.iter().filter(is_new).count();
    let expected = S::save(&single);
    for size in BATCHES.into_iter().filter(|&size| size > 0) {
        let mut batched = built::<S>(&recipe, &[]);
        let insert = |batch: &[u64]| batched.try_insert_hashes(batch).expect("there is room");
        assert_eq!(hashes.chunks(size).map(insert).sum::<usize>(), new, "batches of {size}");
        assert_eq!(batched.try_insert_hashes(&[]), Ok(0));
        assert_eq!(S::save(&batched), expected, "batches of {size}");
    }
}

/// A key is inserted by its hash, under every identity: any bytes, none at all included.
pub fn keys_are_inserted_by_their_hash<S: Subject<Owned: Insert>>() {
    for identity in identities() {
        let recipe = identity.apply(&small_recipe());
        let (mut by_key, mut by_hash) = (built::<S>(&recipe, &[]), built::<S>(&recipe, &[]));
        for len in 0..=255u8 {
            let key: Vec<u8> = (0..len).rev().collect();
            let hash = recipe.hasher.hash(&key);
            assert_eq!(by_key.try_insert(&key), by_hash.try_insert_hash(hash));
        }
        assert_eq!(S::save(&by_key), S::save(&by_hash));
    }
}

/// "New" is answered truly: always for the first key, never for one that was found, else at the filter's rate:
/// B053.
pub fn new_means_not_found_before<S: Subject<Owned: Insert>>() {
    // Every key comes twice, and a copy may take the room of a key.
    let mut filter = built::<S>(&Recipe::fpr(2000, 0.01), &[]);
    let mut new = 0;
    for hash in members(1000) {
        let found = ruleout::HashFilter::may_contain_hash(&filter, hash);
        let inserted = filter.try_insert_hash(hash).expect("there is room");
        assert_eq!(inserted == Inserted::New, !found, "{hash:#x}");
        new += u64::from(inserted == Inserted::New);
    }
    // The rate is 1 % only at the end; it is far lower on the way.
    let lost = *binomial_interval(1000, 0.01, REJECT_CORRECT).end();
    assert!(new >= 985.min(1000 - lost), "{new} of 1000 are new");
}

/// A filter saved half-way and reopened goes on as the one that was not: the same answers to the same insertions, and the
/// same bytes in the end, past its capacity too: B143, B146.
pub fn a_reopened_filter_goes_on_the_same<S: Subject<Owned: Insert>>() {
    let recipe = Recipe::fpr(500, 0.01);
    for half in [0, 1, 300, 560] {
        let mut straight = built::<S>(&recipe, &[]);
        let first: Vec<_> = members(half).map(|hash| straight.try_insert_hash(hash)).collect();
        let file = S::save(&straight);
        let view = S::open(&file[..], &recipe.options().verify(true)).expect("what was saved opens");
        let mut reopened = S::copy(&view).expect("memory");
        for hash in (half / 2..900).map(member) {
            assert_eq!(reopened.try_insert_hash(hash), straight.try_insert_hash(hash), "after {half}");
        }
        assert_eq!(S::save(&reopened), S::save(&straight), "after {half}");
        // Another process that sees the same keys has the same bytes.
        let mut replica = built::<S>(&recipe, &[]);
        assert!(members(half).map(|hash| replica.try_insert_hash(hash)).eq(first));
        assert_eq!(S::save(&replica), file);
    }
}

/// A key that is there is never new again, however often it comes; a filter that refuses a further copy does so
/// loudly: B133.
pub fn the_same_key_is_never_new_again<S: Subject<Owned: Insert>>() {
    // Room for the copies of filters that keep them.
    let mut filter = built::<S>(&Recipe::fpr(6000, 0.01), &[]);
    for hash in members(1000) {
        filter.try_insert_hash(hash).expect("there is room");
        assert_ne!(filter.try_insert_hash(hash), Ok(Inserted::New));
    }
    for _ in 0..10_000 {
        assert_ne!(filter.try_insert_hash(member(7)), Ok(Inserted::New));
    }
    let all: Vec<u64> = members(1000).collect();
    assert_finds_all(&filter, &all);
}

/// Made for n keys, it takes n keys, at the lowest rate too: B107.
pub fn what_it_is_made_for_fits<S: Subject<Owned: Insert>>() {
    for (capacity, fpr) in [(100_000, 1e-9), (500_000, 0.01)] {
        let mut filter = built::<S>(&Recipe::fpr(capacity, fpr), &[]);
        let hashes: Vec<u64> = members(capacity).collect();
        filter.try_insert_hashes(&hashes).expect("room for what it is made for");
        assert_finds_all(&filter, &hashes);
    }
}

/// Past its capacity a filter takes a key or is as it was, byte for byte; nothing inserted is ever lost: B008, B101.
pub fn a_refused_key_changes_nothing<S: Subject<Owned: Insert>>() {
    let recipe = Recipe::fpr(200, 0.01);
    let mut filter = built::<S>(&recipe, &[]);
    let mut inside = Vec::new();
    for hash in (0..4000).map(member) {
        let before = S::save(&filter);
        match filter.try_insert_hash(hash) {
            Ok(_) => inside.push(hash),
            Err(_) => assert_eq!(S::save(&filter), before, "a refused key left a trace"),
        }
    }
    assert_finds_all(&filter, &inside);
}

/// The number of keys in the header follows every insertion.
pub fn keys_are_counted<S: Subject<Owned: Insert>>() {
    let recipe = small_recipe();
    let mut filter = built::<S>(&recipe, &[]);
    let len = |filter: &S::Owned| super::as_any(&S::save(filter), &recipe).len();
    assert_eq!(len(&filter), ruleout::Len::Exact(0));
    filter.try_insert_hash(7).expect("room");
    assert_eq!(len(&filter), ruleout::Len::Exact(1));
    filter.try_insert_hashes(&member_hashes(100)).expect("room");
    assert_eq!(len(&filter).bound(), Some(101));
}

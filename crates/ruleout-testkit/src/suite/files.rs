//! Saving and opening: what went in is found, by whatever way it comes back.

use bytes::Bytes;
use ruleout::{AnyFilter, Filter, HashFilter, Header, inspect};

use super::{KEYS, as_any, assert_finds_all, built, member_hashes, small_recipe};
use crate::frame::payload;
use crate::hashers::identities;
use crate::keys::probes;
use crate::{Recipe, Subject};

/// Recipes of payloads with and without a ragged end: one for each identity, and one for each of some sizes.
fn recipes() -> Vec<Recipe> {
    let identities = identities().into_iter().map(|identity| identity.apply(&small_recipe()));
    identities.chain([1, 2, 7, 77, 301].map(|capacity| Recipe::fpr(capacity, 0.003))).collect()
}

/// Members are found in memory and through every way of opening, under every hash identity: B006, B142.
pub fn members_are_found_however_opened<S: Subject>() {
    for recipe in recipes() {
        let hashes = member_hashes(recipe.capacity);
        let filter = built::<S>(&recipe, &hashes);
        assert_finds_all(&filter, &hashes);
        let file = S::save(&filter);
        let (fast, sure) = (recipe.options(), recipe.options().verify(true));

        for options in [fast, sure] {
            let view = S::open(&file[..], &options).expect("its own file");
            assert_finds_all(&view, &hashes);
            assert_finds_all(&S::open(Bytes::from(file.clone()), &options).expect("from `Bytes`"), &hashes);
            assert_finds_all(&S::open(file.clone(), &options).expect("from a vector"), &hashes);
            assert_finds_all(&S::copy(&view).expect("an undamaged view"), &hashes);
        }
    }
}

/// Members are found by a program that opens filters of whichever family.
pub fn members_are_found_by_whoever_opens_it<S: Subject>() {
    for recipe in recipes() {
        let hashes = member_hashes(recipe.capacity);
        let file = S::save(&built::<S>(&recipe, &hashes));
        for options in [recipe.options(), recipe.options().verify(true)] {
            let any = AnyFilter::open_with(&file[..], &options).expect("of whichever family");
            assert_finds_all(&any, &hashes);
            assert_finds_all(&any.to_owned().expect("an undamaged view"), &hashes);
        }
    }
}

/// Keys, as against hashes, are found under every hash identity, and the identity comes back: B138, B142.
pub fn keys_are_found_under_every_hash<S: Subject>() {
    let keys: Vec<String> = (0..KEYS).map(|i| format!("key {i}")).collect();
    for identity in identities() {
        let recipe = identity.apply(&small_recipe());
        let hashes: Vec<u64> = keys.iter().map(|key| identity.hasher.hash(key.as_bytes())).collect();
        let file = S::save(&built::<S>(&recipe, &hashes));
        let view = S::open(&file[..], &recipe.options()).expect("its own file");
        assert_eq!(view.hash_id(), identity.hasher.id());
        assert!(keys.iter().all(|key| view.may_contain(key.as_bytes())), "{}", identity.hasher.id());
    }
}

/// A filter works at every alignment in memory.
pub fn every_alignment_gives_the_same_answers<S: Subject>() {
    let recipe = small_recipe();
    let hashes = member_hashes(KEYS);
    let filter = built::<S>(&recipe, &hashes);
    let file = S::save(&filter);
    let asked: Vec<u64> = probes(10_000).collect();
    let expected: Vec<bool> = asked.iter().map(|&hash| filter.may_contain_hash(hash)).collect();
    for shift in 0..8 {
        let mut shifted = vec![0xff; shift];
        shifted.extend(&file);
        let view = S::open(&shifted[shift..], &recipe.options().verify(true)).expect("its own file");
        assert_finds_all(&view, &hashes);
        assert!(
            asked.iter().map(|&hash| view.may_contain_hash(hash)).eq(expected.iter().copied()),
            "{shift}"
        );
        assert_eq!(view.expected_fpr(), filter.expected_fpr());
    }
}

/// Saving what was opened gives the same bytes, in one piece or through a writer: B140, B149.
pub fn saved_again_gives_the_same_bytes<S: Subject>() {
    for recipe in recipes() {
        let filter = built::<S>(&recipe, &member_hashes(recipe.capacity));
        let file = S::save(&filter);
        let mut written = Vec::new();
        S::write(&filter, &mut written).expect("a vector takes all");
        assert_eq!(written, file);
        let view = S::open(&file[..], &recipe.options()).expect("its own file");
        assert_eq!(S::save(&S::copy(&view).expect("undamaged")), file);

        let any = as_any(&file, &recipe).to_owned().expect("undamaged");
        assert_eq!(any.to_bytes(), file);
        written.clear();
        any.write_to(&mut written).expect("a vector takes all");
        assert_eq!(written, file);
    }
}

/// A writer's error is handed on.
pub fn a_full_disk_is_reported<S: Subject>() {
    let filter = built::<S>(&small_recipe(), &[]);
    let mut room = [0; 100];
    assert!(S::write(&filter, &mut &mut room[..]).is_err());
}

/// The order of insertion leaves no trace, nor does anything else that is not in the set: B146.
pub fn equal_sets_give_equal_bytes<S: Subject>() {
    let recipe = small_recipe();
    let mut hashes = member_hashes(KEYS);
    let file = S::save(&built::<S>(&recipe, &hashes));
    hashes.reverse();
    assert_eq!(S::save(&built::<S>(&recipe, &hashes)), file, "reversed");
    hashes.sort_unstable();
    assert_eq!(S::save(&built::<S>(&recipe, &hashes)), file, "sorted");
}

/// What the header and the inspection say of a file is so.
pub fn the_header_tells_the_truth<S: Subject>() {
    for recipe in recipes() {
        let hashes = member_hashes(recipe.capacity);
        let filter = built::<S>(&recipe, &hashes);
        let file = S::save(&filter);
        let header = Header::read(&file).expect("its own header");
        assert_eq!(header.family(), filter.family());
        assert_eq!(header.hash_id(), recipe.hasher.id());
        assert_eq!(header.capacity(), S::capacity(&recipe));
        assert_eq!(header.len().bound(), Some(hashes.len() as u64));
        assert_eq!(header.file_len(), file.len() as u64);
        assert_eq!(header.payload_len(), filter.size_bytes() as u64);
        assert_eq!(payload(&file).len(), filter.size_bytes());

        let found = inspect(&file).expect("its own file");
        let any = as_any(&file, &recipe);
        assert_eq!((found.params.clone(), found.len, found.tally), (any.params(), header.len(), any.tally()));
        assert_eq!(found.params.capacity(), S::capacity(&recipe));
        assert_eq!(found.params.payload_bytes(), filter.size_bytes() as u64);
    }
}

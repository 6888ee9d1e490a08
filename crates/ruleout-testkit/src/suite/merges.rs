//! Unions: everything of both sets, or a loud refusal that changes nothing.

use std::collections::BTreeSet;

use ruleout::{AnyFilter, Goal, HashFilter, Merge, MergeError, OpenError};

use super::{KEYS, as_any, assert_finds_all, built, small_recipe};
use crate::frame::header_len;
use crate::hashers::identities;
use crate::keys::{member, members};
use crate::{Recipe, Subject};

/// Both halves are found in the union, which is the filter of both: B116, B119.
pub fn the_union_holds_both<S: Subject<Owned: Merge>>() {
    for identity in identities() {
        let recipe = identity.apply(&small_recipe());
        // They overlap in a third of the keys.
        let hashes: Vec<u64> = members(KEYS).collect();
        let (head, tail) = (&hashes[..1400], &hashes[700..]);
        let mut union = built::<S>(&recipe, head);
        let other = built::<S>(&recipe, tail);
        let before = S::save(&other);
        union.merge_from(&other).expect("they are alike");
        assert_finds_all(&union, &hashes);
        assert_eq!(S::save(&other), before);

        let file = S::save(&union);
        let any = as_any(&file, &recipe);
        let bound = any.len().bound().expect("a bound is known");
        assert!((KEYS..=2700).contains(&bound), "{bound}");
        // The rate now is that of a filter with all the keys, and no other.
        let whole = built::<S>(&recipe, &hashes);
        let (rate, direct) = (ruleout::Filter::expected_fpr(&union), ruleout::Filter::expected_fpr(&whole));
        assert!((rate / direct - 1.0).abs() < 1e-9, "{rate} and {direct}");
    }
}

/// The union with nothing is the same filter, both ways.
pub fn the_empty_set_adds_nothing<S: Subject<Owned: Merge>>() {
    let hashes: Vec<u64> = members(KEYS).collect();
    let full = built::<S>(&small_recipe(), &hashes);
    let empty = built::<S>(&small_recipe(), &[]);
    let (mut into_full, mut into_empty) = (full.clone(), empty.clone());
    into_full.merge_from(&empty).expect("they are alike");
    into_empty.merge_from(&full).expect("they are alike");
    assert_eq!(S::save(&into_full), S::save(&full));
    assert_eq!(S::save(&into_empty), S::save(&full));
}

/// A merge that is refused leaves both filters as they were, byte for byte; gives the error: B090.
#[track_caller]
fn refused<S: Subject<Owned: Merge>>(ours: &Recipe, theirs: &Recipe) -> MergeError {
    let hashes: Vec<u64> = members(20).collect();
    let (mut into, other) = (built::<S>(ours, &hashes), built::<S>(theirs, &[member(77)]));
    let before = (S::save(&into), S::save(&other));
    let error = into.merge_from(&other).expect_err("they differ");
    assert_eq!((S::save(&into), S::save(&other)), before, "{error}");
    error
}

/// Another algorithm, seed or key is refused, and named with both values: B117.
pub fn another_hash_is_refused<S: Subject<Owned: Merge>>() {
    let recipes: Vec<Recipe> = identities().iter().map(|identity| identity.apply(&small_recipe())).collect();
    for (i, ours) in recipes.iter().enumerate() {
        for theirs in recipes.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, theirs)| theirs) {
            let error = refused::<S>(ours, theirs);
            let ids = [ours, theirs].map(|recipe| recipe.hasher.id());
            assert_eq!(error, MergeError::Hash { ours: ids[0], theirs: ids[1] });
            assert_ne!(ids[0].to_string(), ids[1].to_string());
            for id in ids {
                assert!(error.to_string().contains(&id.to_string()), "{error}");
            }
        }
    }
}

/// Another shape is refused, and the number that differs named with both values: B109, B111. Gives the fields
/// that were named, whichever of `shapes` differ.
pub fn other_shapes_are_refused<S: Subject<Owned: Merge>>(shapes: &[Recipe]) -> BTreeSet<&'static str> {
    let fields = |recipe| as_any(&S::save(&built::<S>(recipe, &[])), recipe).params().fields();
    let mut named = BTreeSet::new();
    for ours in shapes {
        for theirs in shapes {
            let (our_fields, their_fields) = (fields(ours), fields(theirs));
            if our_fields == their_fields {
                continue;
            }
            let MergeError::Layout { field, ours: a, theirs: b } = refused::<S>(ours, theirs) else {
                panic!("{ours:?} and {theirs:?}")
            };
            assert_ne!(a, b, "{field}");
            assert!(
                our_fields.contains(&(field, a.clone())) && their_fields.contains(&(field, b.clone())),
                "{field}: {a}, {b}"
            );
            let shown = MergeError::Layout { field, ours: a.clone(), theirs: b.clone() }.to_string();
            assert!(
                shown.contains(field) && shown.contains(&a.to_string()) && shown.contains(&b.to_string())
            );
            named.insert(field);
        }
    }
    named
}

/// Shapes of which some differ in nothing but one number: of a size, or of a capacity that leads to other numbers.
pub fn shapes() -> [Recipe; 4] {
    [(1000, 1280), (100, 1280), (1000, 1344), (62_500, 1280)]
        .map(|(capacity, bytes)| Recipe::new(capacity, Goal::SizeBytes(bytes)))
}

/// What was not verified is verified before it is merged.
pub fn damaged_bytes_are_not_merged<S: Subject<Owned: Merge>>() {
    let recipe = small_recipe();
    let hashes: Vec<u64> = members(KEYS).collect();
    let mut damaged = S::save(&built::<S>(&recipe, &hashes));
    let first = header_len(&damaged);
    damaged[first] ^= 1;
    let sound = S::save(&built::<S>(&recipe, &hashes[..100]));
    let mut into = as_any(&sound, &recipe).to_owned().expect("sound");
    let view = AnyFilter::open(&damaged[..]).expect("the payload was not looked at");
    let error = into.merge_view(&view).expect_err("damaged");
    assert!(matches!(error, MergeError::Damaged(OpenError::Checksum { part: "payload", .. })), "{error}");
    assert_eq!(into.to_bytes(), sound);
    assert_eq!(into.hash_id(), view.hash_id());
}

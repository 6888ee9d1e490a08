//! Filters that are a bitmap: every bit reachable, none ever cleared, the fill tells the number of keys.

use ruleout::{Filter, Goal, Insert, Len, Merge};

use super::merges::{other_shapes_are_refused, shapes};
use super::{KEYS, as_any, assert_finds_all, built, member_hashes, small_recipe};
use crate::frame::payload;
use crate::keys::{member, members};
use crate::{Recipe, Subject};

/// One key many times is one key, and leaves the bits of one: B001, and the kind of B003.
pub fn a_key_again_changes_no_bit<S: Subject<Owned: Insert>>() {
    for hash in member_hashes(9) {
        let one = built::<S>(&small_recipe(), &[hash]);
        let many = built::<S>(&small_recipe(), &[hash; 500]);
        assert_finds_all(&many, &[hash]);
        assert_eq!(payload(&S::save(&one)), payload(&S::save(&many)), "{hash:#x}");
    }
    let hashes = member_hashes(KEYS);
    let mut filter = built::<S>(&small_recipe(), &hashes);
    let before = S::save(&filter);
    assert_eq!(filter.try_insert_hashes(&hashes), Ok(0), "none is new");
    assert_eq!(payload(&S::save(&filter)), payload(&before));
}

/// The union is the filter of both sets, bit for bit; the other's capacity is of no account.
pub fn the_union_is_the_or<S: Subject<Owned: Merge>>() {
    let hashes: Vec<u64> = members(600).collect();
    let (ours, theirs) = (Recipe::new(1000, Goal::SizeBytes(1280)), Recipe::new(1001, Goal::SizeBytes(1280)));
    let mut union = built::<S>(&ours, &hashes[..400]);
    union.merge_from(&built::<S>(&theirs, &hashes[300..])).expect("the same shape");
    let file = S::save(&union);
    assert_eq!(payload(&file), payload(&S::save(&built::<S>(&ours, &hashes))));
    let any = as_any(&file, &ours);
    assert_eq!((any.params().capacity(), any.len()), (1000, Len::AtMost(700)));
}

/// Every number that shapes a bitmap is compared before a merge.
pub fn another_shape_is_refused<S: Subject<Owned: Merge>>() {
    let shapes = shapes();
    let fields = as_any(&S::save(&built::<S>(&shapes[0], &[])), &shapes[0]).params().fields();
    let named = other_shapes_are_refused::<S>(&shapes);
    assert!(
        named
            .into_iter()
            .eq(fields.into_iter().map(|(field, _)| field).collect::<std::collections::BTreeSet<_>>())
    );
}

/// Insertions reach every bit of small filters, and so every byte of them: B051, B052.
pub fn every_bit_is_used<S: Subject>() {
    for bytes in [64, 24 * 64, 192 / 8, 193] {
        let recipe = Recipe::new(100, Goal::SizeBytes(bytes));
        let Ok(filter) = S::build(&recipe, &members(50_000).collect::<Vec<_>>()) else {
            assert!(bytes < 64, "{bytes} bytes are refused");
            continue;
        };
        let tally = as_any(&S::save(&filter), &recipe).tally();
        assert_eq!(tally.fill, 1.0, "{bytes} bytes");
        assert_eq!(tally.keys, None, "a full bitmap tells nothing");
        assert_eq!(filter.expected_fpr(), 1.0);
    }
    let recipe = Recipe::fpr(1000, 0.01);
    let file = S::save(&built::<S>(&recipe, &members(30).collect::<Vec<_>>()));
    let ones: u32 = payload(&file).iter().map(|byte| byte.count_ones()).sum();
    assert!(ones > 64, "30 keys in {ones} bits: no more than one word is used");
}

/// The fill tells the number of distinct keys within 2 %, from a tenth of the capacity to twice as much.
pub fn the_fill_tells_the_number_of_keys<S: Subject<Owned: Insert>>() {
    for goal in [Goal::Fpr(0.01), Goal::Fpr(0.001), Goal::BitsPerKey(5.0)] {
        let recipe = Recipe::new(100_000, goal);
        let mut filter = built::<S>(&recipe, &[]);
        let mut inside = 0;
        for keys in [10_000, 50_000, 100_000, 200_000] {
            let more: Vec<u64> = (inside..keys).map(member).collect();
            // Copies do not count.
            filter.try_insert_hashes(&more).expect("a bitmap takes all");
            filter.try_insert_hashes(&more).expect("a bitmap takes all");
            inside = keys;
            let estimate = as_any(&S::save(&filter), &recipe).tally().keys.expect("not full");
            let error = estimate / keys as f64 - 1.0;
            assert!(error.abs() < 0.02, "{estimate} for {keys} keys, {goal:?}");
        }
    }
}

/// Far past its capacity a filter says so: its rate, its fill, its number of keys: B059, B060.
pub fn overfull_is_shown<S: Subject<Owned: Insert>>() {
    let recipe = Recipe::fpr(5_000, 0.01);
    let mut filter = built::<S>(&recipe, &members(6_250).collect::<Vec<_>>());
    let rate = |filter: &S::Owned, keys| {
        let file = S::save(filter);
        let any = as_any(&file, &recipe);
        assert_eq!(any.len().bound(), Some(keys));
        assert!(any.len().bound() > Some(any.params().capacity()));
        (any.expected_fpr(), any.params().fpr_at(keys))
    };
    // A quarter more than it was made for: about three times the rate.
    let (now, formula) = rate(&filter, 6_250);
    assert!(now > 0.02 && (now / formula - 1.0).abs() < 0.15, "{now} and {formula}");
    filter.try_insert_hashes(&(6_250..100_000).map(member).collect::<Vec<_>>()).expect("a bitmap takes all");
    let (now, formula) = rate(&filter, 100_000);
    assert!(now > 0.99 && formula > 0.99, "{now} and {formula}");
}

/// Emptied, it is as new.
pub fn a_cleared_filter_is_empty<P: ruleout::Changing>()
where
    ruleout::Native<P>: Insert,
{
    let recipe = small_recipe();
    let params = P::for_goal(recipe.capacity, recipe.goal).expect("an ordinary recipe");
    let mut filter = ruleout::Native::new(params, recipe.hasher).expect("it is small");
    let new = filter.to_bytes();
    filter.try_insert_hashes(&member_hashes(KEYS)).expect("room");
    assert_ne!(filter.to_bytes(), new);
    filter.clear();
    assert_eq!(filter.to_bytes(), new);
    assert!(filter.is_empty());
}

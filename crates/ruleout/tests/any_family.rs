//! Files of several families side by side.

use ruleout::{
    AnyFilter, AnyParams, Blocked, Bloom, ConfigError, DistinctHashes, Family, Filter, Goal, Hasher, Insert,
    InsertError, Len, Merge, MergeError, OpenError,
};
use ruleout_testkit::keys::members;

fn filter(family: Family) -> AnyFilter {
    let hashes: DistinctHashes = members(500).chain(members(100)).collect();
    AnyFilter::from_distinct(family, Goal::Fpr(0.01), Hasher::default(), hashes).expect("an ordinary recipe")
}

/// Another family's file is refused by name, not read as something else: B021.
#[test]
fn another_family_is_refused() {
    let (bloom, blocked) = (filter(Family::Bloom).to_bytes(), filter(Family::Blocked).to_bytes());
    let wrong = |expected, found| Some(OpenError::WrongFamily { expected, found });
    assert_eq!(Bloom::open(&blocked[..]).err(), wrong(Family::Bloom, Family::Blocked));
    assert_eq!(Blocked::open(&bloom[..]).err(), wrong(Family::Blocked, Family::Bloom));
}

/// Filters of two families are not merged; both stay as they were: B090, B111.
#[test]
fn families_do_not_merge() {
    for &ours in AnyParams::FAMILIES {
        for &theirs in AnyParams::FAMILIES.iter().filter(|&&theirs| theirs != ours) {
            let (mut into, other) = (filter(ours), filter(theirs));
            let before = (into.to_bytes(), other.to_bytes());
            let error = into.merge_from(&other).expect_err("they differ");
            assert_eq!(error, MergeError::Family { ours, theirs });
            assert!(error.to_string().contains(ours.name()) && error.to_string().contains(theirs.name()));
            assert_eq!((into.to_bytes(), other.to_bytes()), before);
        }
    }
}

/// Sized for the distinct keys collected, whatever the repeats, and the same in any order: B060.
#[test]
fn made_for_the_distinct_keys() {
    for &family in AnyParams::FAMILIES {
        let made = filter(family);
        assert_eq!((made.len(), made.params().capacity()), (Len::Exact(500), 500));
        assert!(made.params().fpr_at(500) <= 0.01);
        assert!(members(500).all(|hash| made.may_contain_hash(hash)));
        let reversed: DistinctHashes = members(500).rev().collect();
        let again = AnyFilter::from_distinct(family, Goal::Fpr(0.01), Hasher::default(), reversed);
        assert_eq!(again.expect("an ordinary recipe").to_bytes(), made.to_bytes());

        let none = DistinctHashes::new();
        let empty = AnyFilter::from_distinct(family, Goal::Fpr(0.01), Hasher::default(), none);
        let empty = empty.expect("an empty set has a filter");
        assert!(empty.is_empty() && members(10_000).all(|hash| !empty.may_contain_hash(hash)));
    }
}

/// What a recipe leads to is the same by name and by type.
#[test]
fn a_family_by_name() {
    for &family in AnyParams::FAMILIES {
        assert_eq!(family.name().parse(), Ok(family));
        let params = AnyParams::for_goal(family, 1000, Goal::Fpr(0.01)).expect("an ordinary recipe");
        assert_eq!((params.family(), params.capacity()), (family, 1000));
        assert!(params.fpr_at(1000) <= 0.01);
        match AnyFilter::new(params.clone(), Hasher::default()) {
            Ok(empty) => {
                assert_eq!((empty.family(), empty.params()), (family, params.clone()));
                assert_eq!(params.payload_bytes(), empty.size_bytes() as u64);
            }
            // It is built once.
            Err(error) => {
                assert_eq!(error, ConfigError::Needs { family, what: "all its keys at once" });
                let mut made = filter(family);
                let refused = InsertError::Unsupported { family };
                assert_eq!(made.try_insert(b"one more"), Err(refused));
            }
        }
    }
}

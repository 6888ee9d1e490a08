//! What only fuse filters have: geometry, seeds, shards, unused bits.

use alloc::vec::Vec;

use super::probe::{mixed, reseeded};
use super::{Fuse, Fuse4, FuseConfig, FuseParams};
use crate::collect::DistinctHashes;
use crate::error::{BuildError, ConfigError, OpenError};
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::layout::{Layout as _, Params, Static};
use crate::math::fuse::{Geometry, fpr, geometry};
use crate::native::Native;

/// Hashes of which those with other `set`s have none.
fn hashes(set: u64, n: u64) -> impl Iterator<Item = u64> {
    (set << 32..(set << 32) + n).map(|i| reseeded(i, 77))
}

fn build<P: Static>(bits: u32, hashes: impl Iterator<Item = u64>) -> Native<P> {
    let goal = Goal::Fpr(fpr(bits) * 1.0001);
    Native::from_distinct(goal, Hasher::default(), hashes.collect()).expect("an ordinary set")
}

fn holds_all<P: Params>(filter: &Native<P>, hashes: impl Iterator<Item = u64>) -> bool {
    hashes.into_iter().all(|hash| filter.may_contain_hash(hash))
}

/// Every number of keys in `keys`, with `sets` sets for each, of hashes that are random and of keys that are numbered: both
/// families are built and hold them all.
fn no_build_fails(keys: impl Iterator<Item = u64>, sets: u64) {
    let hasher = Hasher::default();
    for n in keys {
        for set in 0..sets {
            let random: Vec<u64> = hashes(n * 1000 + set, n).collect();
            let numbered: Vec<u64> = (set..set + n).map(|key| hasher.hash_u64(key)).collect();
            for hashes in [random, numbered] {
                let hashes = || hashes.iter().copied();
                assert!(holds_all(&build::<FuseParams<3>>(8, hashes()), hashes()), "{n} keys, set {set}");
                assert!(holds_all(&build::<FuseParams<4>>(8, hashes()), hashes()), "{n} keys, set {set}");
            }
        }
    }
}

/// The numbers of keys up to `most` at which the array changes its segments' length, and those before.
fn edges(most: u64) -> impl Iterator<Item = u64> {
    let bits = |n| geometry(n, 3).segment_bits;
    (2..=most).filter(move |&n| bits(n) != bits(n - 1)).flat_map(|n| [n - 1, n, n + 1])
}

/// B129, B130, B132.
#[test]
fn no_build_of_a_sample_of_sizes_fails() {
    no_build_fails((0..=300).chain((300..20_000).step_by(1117)), 1);
    no_build_fails((11_400..=11_550).step_by(50), 5);
    no_build_fails(edges(200_000), 1);
}

#[test]
#[ignore = "half an hour: cargo test --release -p ruleout --lib -- --ignored no_build_fails"]
fn no_build_fails_at_any_size() {
    no_build_fails(0..=20_000, 20);
    no_build_fails((11_400..=11_550).step_by(10), 300);
    no_build_fails(edges(1_000_000).chain([500_000, 1_000_000]), 20);
}

/// Sets of one size need few seeds: so few that 256 are never used up.
#[test]
fn most_sets_need_few_seeds() {
    for n in [3, 10, 33, 100, 333, 1000, 3333, 10_000, 100_000] {
        let sets = (200_000 / n).clamp(5, 300);
        let mut seeds = [0; 256];
        for set in 0..sets {
            let filter = build::<FuseParams<3>>(8, hashes(set, n));
            seeds[filter.payload()[filter.params().table_bytes() as usize] as usize] += 1;
            let filter = build::<FuseParams<4>>(8, hashes(set, n));
            seeds[filter.payload()[filter.params().table_bytes() as usize] as usize] += 1;
        }
        let most = seeds.iter().rposition(|&sets| sets > 0).unwrap_or(0);
        assert!(seeds[0] * 3 >= sets && most <= 32, "{n} keys: {} of {} at once, {most}", seeds[0], 2 * sets);
    }
}

#[test]
fn every_width_holds_its_keys_and_keeps_its_rate() {
    for bits in 1..=32 {
        let filter = build::<FuseParams<3>>(bits, hashes(1, 5000));
        assert_eq!(filter.params().fingerprint_bits(), bits);
        assert!(holds_all(&filter, hashes(1, 5000)));
        let trials = 200_000u64;
        let found = hashes(2, trials).filter(|&hash| filter.may_contain_hash(hash)).count() as f64;
        let expected = trials as f64 * fpr(bits);
        assert!((found - expected).abs() <= 5.0 * expected.sqrt() + 2.0, "{bits} bits: {found}, {expected}");
    }
}

/// Several shards, one of which is solved under another seed than 0, and more.
#[test]
fn shards_are_solved_each_for_itself() {
    let n = 60_000;
    let geometry = Geometry { shards: 13, ..geometry(n / 13, 3) };
    let params = FuseParams::<3>::with_geometry(n, 9, geometry).unwrap();
    let filter = Native::of_shape(params, Hasher::default(), hashes(1, n).collect()).unwrap();
    assert!(holds_all(&filter, hashes(1, n)));
    let found = hashes(2, 100_000).filter(|&hash| filter.may_contain_hash(hash)).count();
    assert!((130..=270).contains(&found), "{found}, 195 expected");
    let seeds = &filter.payload()[params.table_bytes() as usize..][..13];
    assert!(seeds.iter().any(|&seed| seed > 0), "{seeds:?}");
    let view = filter.to_bytes();
    assert!(holds_all(&Fuse::open_verified(&view[..]).unwrap().to_owned().unwrap(), hashes(1, n)));
}

#[test]
fn hashes_that_are_not_uniform_are_solved_or_refused() {
    let config = |hashes: DistinctHashes| {
        (
            Fuse::from_distinct(Goal::Fpr(0.01), Hasher::default(), hashes.clone()),
            Fuse4::from_distinct(Goal::Fpr(0.01), Hasher::default(), hashes),
        )
    };
    // In one shard any seed but 0 makes them look uniform: those that ascend, and those whose high bits alone differ.
    for stride in [1, 1 << 20, 1 << 44] {
        let (three, four) = config((0..10_000u64).map(|i| i * stride).collect());
        assert!(holds_all(&three.unwrap(), (0..10_000u64).map(|i| i * stride)));
        assert!(holds_all(&four.unwrap(), (0..10_000u64).map(|i| i * stride)));
    }
    // Of several shards one gets them all.
    let n = 100_000;
    let params = FuseParams::<3>::with_geometry(n, 8, Geometry { shards: 4, ..geometry(n / 4, 3) }).unwrap();
    let refused = Native::of_shape(params, Hasher::default(), (0..n).collect());
    assert!(matches!(refused, Err(BuildError::Skewed { keys: 100_000, .. })), "{refused:?}");
}

#[test]
fn the_hash_0_and_keys_that_come_again_are_nothing_special() {
    for hashes in [&[][..], &[0], &[0, 0], &[7, 7, 7], &[0, u64::MAX, 0], &[1, 2, 3]] {
        let filter = build::<FuseParams<3>>(8, hashes.iter().copied());
        let distinct: DistinctHashes = hashes.iter().copied().collect();
        assert_eq!(filter.capacity(), distinct.clone().len());
        assert!(holds_all(&filter, hashes.iter().copied()));
        assert_eq!(filter.is_empty(), hashes.is_empty());
        assert_eq!(filter.payload().is_empty(), hashes.is_empty());
    }
    let (once, twice) = (hashes(3, 500), hashes(3, 500).chain(hashes(3, 500)));
    assert_eq!(build::<FuseParams<4>>(8, once).to_bytes(), build::<FuseParams<4>>(8, twice).to_bytes());
}

#[test]
fn what_is_no_slot_is_zero() {
    let filter = build::<FuseParams<3>>(7, hashes(1, 5));
    let slots = filter.params().geometry().shard_slots(3) * 7;
    assert!(slots % 8 != 0, "some bits are unused");
    for at in [filter.params().table_bytes() as usize - 1, filter.payload().len() - 1] {
        let mut payload = filter.payload().to_vec();
        payload[at] ^= 0x80;
        let checked = filter.params().check(&payload);
        assert!(matches!(checked, Err(OpenError::Invalid { field: "unused bits", .. })), "{at}");
    }
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let shape = |capacity, bits, shards, segment_bits, segments| {
        FuseParams::<3>::with_geometry(capacity, bits, Geometry { shards, segment_bits, segments })
    };
    shape(1, 1, 1, 0, 1).unwrap();
    shape(1, 32, 1, 14, (1 << 17) - 2).unwrap();
    for (refused, what) in [
        (shape(1, 0, 1, 0, 1), "fingerprint_bits"),
        (shape(1, 33, 1, 0, 1), "fingerprint_bits"),
        (shape(1, 8, 0, 0, 1), "shards"),
        (shape(1, 8, u64::MAX, 0, 1), "shards"),
        (shape(1, 8, 1, 15, 1), "segment_bits"),
        (shape(1, 8, 1, 0, 0), "segments"),
        (shape(1, 8, 1, 14, (1 << 17) - 1), "segments"),
        (shape(0, 8, 1, 0, 0), "shards"),
        (shape(0, 8, 0, 1, 0), "segment_bits"),
        (shape(0, 8, 0, 0, 1), "segments"),
    ] {
        let Err(ConfigError::OutOfRange { what: field, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(field, what);
    }
}

#[test]
fn budgets_are_kept() {
    for n in [50u64, 100, 10_000, 1_000_000, 3_000_000] {
        for bits in [9.1, 10.0, 16.5, 40.0] {
            let params = FuseConfig::bits_per_key(bits).params(n).unwrap();
            assert!(params.payload_bytes() as f64 * 8.0 <= bits * n as f64, "{n} {bits}");
            let size = FuseConfig::size_bytes(params.payload_bytes()).params(n).unwrap();
            assert_eq!(size, params);
        }
    }
    assert!(FuseConfig::fpr(1e-10).params(1000).is_err());
    assert_eq!(FuseConfig::fpr(1.0 / 256.0 + 1e-9).params(1000).unwrap().fingerprint_bits(), 8);
    assert_eq!(FuseConfig::fpr(1.0 / 256.0 - 1e-9).params(1000).unwrap().fingerprint_bits(), 9);
    assert_ne!(mixed(1), mixed(2));
}

//! The quotient filter through its public face: rates, sizes, files, growth.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ruleout::{
    AnyFilter, DistinctHashes, Family, Filter, Goal, Hasher, InsertError, Len, Mask, Params, Quotient,
    QuotientConfig, QuotientParams, inspect,
};
use ruleout_testkit::keys::{members, mix, probes};
use ruleout_testkit::stats::{Acceptance, trials_for};

fn built(keys: u64, fpr: f64) -> Quotient {
    let hashes: DistinctHashes = members(keys).collect();
    Quotient::from_distinct(Goal::Fpr(fpr), Hasher::default(), hashes).unwrap()
}

#[test]
fn the_measured_rate_is_that_of_the_formula() {
    for (keys, fpr) in [(1_000_000, 0.01), (1_100_000, 0.01), (1_000_000, 0.001), (1000, 0.2)] {
        let filter = built(keys, fpr);
        assert!(members(keys).all(|hash| filter.may_contain_hash(hash)));
        let rate = filter.tally().fpr;
        assert!((rate / filter.params().fpr_at(keys) - 1.0).abs() < 0.01 || keys < 10_000);
        assert!(filter.params().fpr_at(keys) <= fpr);
        let trials = trials_for(rate);
        let asked: Vec<u64> = probes(trials).collect();
        let mut hits = Mask::new();
        filter.may_contain_hashes(&asked, &mut hits);
        Acceptance::with_trials(rate, trials).assert_accepts(hits.count_ones() as u64);
        let estimate = filter.tally().keys.unwrap();
        assert!((estimate / keys as f64 - 1.0).abs() < 0.002 || keys < 10_000, "{estimate}");
    }
}

#[test]
fn sizes_keep_to_their_bounds_and_never_jump() {
    let bits = |keys, fpr| {
        let params = QuotientConfig::fpr(keys, fpr).params().unwrap();
        params.payload_bytes() as f64 * 8.0 / keys as f64
    };
    for keys in [1_000_000, 1_100_000, (1 << 20) - 1, (1 << 20) + 1, 10_000_000, 1 << 40] {
        assert!(bits(keys, 0.01) <= 10.16, "{}", bits(keys, 0.01));
        assert!(bits(keys, 0.001) <= 13.49, "{}", bits(keys, 0.001));
    }
    for keys in (100_000..300_000).step_by(997) {
        assert!((bits(keys, 0.01) / bits(keys + 997, 0.01) - 1.0).abs() < 0.002, "{keys}");
    }
    for (bits_per_key, keys) in [(10.2, 1_000_000), (8.0, 10_000), (40.0, 1_000_000), (5.0, 1_000_000)] {
        let params = QuotientConfig::bits_per_key(keys, bits_per_key).params().unwrap();
        assert!(params.payload_bytes() as f64 * 8.0 <= bits_per_key * keys as f64);
        assert!(params.payload_bytes() as f64 * 8.0 > (bits_per_key - 0.2) * keys as f64);
        assert!(params.slots() * 9 / 10 >= keys);
    }
    QuotientConfig::bits_per_key(1_000_000, 4.0).params().unwrap_err();
    QuotientConfig::size_bytes(1_000_000, 1000).params().unwrap_err();
    for goal in [0.0, 1.0, -1.0, f64::NAN, 1e-18] {
        QuotientConfig::fpr(1_000_000, goal).params().unwrap_err();
    }
    QuotientConfig::fpr(u64::MAX, 0.5).params().unwrap_err();
}

#[test]
fn exactly_the_capacity_fits_at_every_rate_and_size() {
    for keys in [0, 1, 2, 3, 10, 57, 100, 1000, 11_520, 100_000] {
        for fpr in [0.9, 0.2, 0.05, 0.01, 1e-4, 1e-9] {
            let mut filter = QuotientConfig::fpr(keys, fpr).build().unwrap();
            assert!(!filter.may_contain(b"boom"));
            members(keys).try_for_each(|hash| filter.try_insert_hash(hash).map(|_| ())).unwrap();
            assert!(members(keys).all(|hash| filter.may_contain_hash(hash)));
        }
    }
}

#[test]
fn a_full_filter_says_so_and_stays() {
    let mut filter = QuotientConfig::fpr(1000, 0.01).build().unwrap();
    let mut inserted = 0;
    let refused = members(100_000).find_map(|hash| match filter.try_insert_hash(hash) {
        Ok(_) => {
            inserted += 1;
            None
        }
        Err(refused) => Some(refused),
    });
    assert_eq!(refused, Some(InsertError::Full { capacity: 1000, len: inserted }));
    assert!(inserted > 1000);
    let before = filter.to_bytes();
    assert!(filter.try_insert_hashes(&[mix(1 << 60)]).is_err());
    assert_eq!(filter.to_bytes(), before);
    // Growing makes room, and nothing is forgotten.
    filter.grow().unwrap();
    let more = members(1900).skip(inserted as usize).collect::<Vec<_>>();
    filter.try_insert_hashes(&more).unwrap();
    assert!(members(1900).all(|hash| filter.may_contain_hash(hash)));
}

#[test]
fn files_open_where_they_lie() {
    let filter = built(10_000, 0.001);
    let file = filter.to_bytes();
    let view = Quotient::open_verified(&file[..]).unwrap();
    assert_eq!((view.params(), view.len()), (filter.params(), Len::Exact(10_000)));
    assert!(view.fingerprints().eq(filter.fingerprints()));
    assert_eq!(view.to_owned().unwrap().to_bytes(), file);
    let any = AnyFilter::open_verified(&file[..]).unwrap();
    assert_eq!((any.family(), any.size_bytes()), (Family::Quotient, view.size_bytes()));
    assert!(members(10_000).all(|hash| any.may_contain_hash(hash)));
    assert_eq!(inspect(&file).unwrap().tally, filter.tally());
    let mut shifted = vec![0; file.len() + 3];
    shifted[3..].copy_from_slice(&file);
    assert!(Quotient::open(&shifted[3..]).unwrap().fingerprints().eq(filter.fingerprints()));
    let mut merged = QuotientConfig::fpr(10_000, 0.001).build().unwrap();
    merged.merge_view(&view).unwrap();
    assert_eq!(merged.to_bytes()[64..], file[64..]);
}

#[test]
fn many_copies_and_many_keys_are_counted_exactly() {
    let mut filter = QuotientConfig::fpr(50_000, 1e-6).build().unwrap();
    let mut oracle = HashMap::new();
    for step in 0..400_000u64 {
        // A few keys most of the time, and many once.
        let key = mix(step) % [10, 100, 9000][(step % 3) as usize];
        let hash = mix(key);
        let count = oracle.entry(hash).or_insert(0u64);
        if mix(step ^ 0x5555).is_multiple_of(3) {
            assert_eq!(filter.remove_hash(hash), *count > 0);
            *count = count.saturating_sub(1);
        } else {
            filter.try_insert_hash(hash).unwrap();
            *count += 1;
        }
        assert_eq!(filter.count_hash(hash), *count);
    }
    let file = filter.to_bytes();
    let view = Quotient::open_verified(&file[..]).unwrap();
    assert!(oracle.iter().all(|(&hash, &count)| view.count_hash(hash) == count));
    assert_eq!(view.fingerprints().map(|(_, copies)| copies).sum::<u64>(), oracle.values().sum());
}

#[test]
fn hashes_chosen_to_collide_stay_correct_and_end() {
    // All of one quotient, the last: the slots behind it are the only ones that can take them.
    let params = QuotientParams::new(10_000, 10_000, 20).unwrap();
    let mut filter = Quotient::new(params, Hasher::default()).unwrap();
    let last: Vec<u64> = (0..1000).map(|i| u64::MAX - (i << 31)).collect();
    let done = filter.try_insert_hashes(&last).unwrap_err();
    assert!(done.applied >= 128 && last[..done.applied].iter().all(|&hash| filter.may_contain_hash(hash)));
    // All of the first ones: one cluster of thousands of slots.
    let first: Vec<u64> = (0..5000).map(|i| mix(i) >> 12).collect();
    let start = Instant::now();
    filter.try_insert_hashes(&first).unwrap();
    assert!(first.iter().all(|&hash| filter.may_contain_hash(hash)));
    assert!(start.elapsed() < Duration::from_secs(20));
    Quotient::open_verified(&filter.to_bytes()[..]).unwrap();
}

#[test]
fn a_cluster_of_millions_of_slots_takes_linear_time() {
    let params = QuotientParams::new(4_000_000, 4_000_000, 10).unwrap();
    let hash_of =
        |fingerprint: u64| (u128::from(fingerprint) << 64).div_ceil(params.universe().into()) as u64;
    // The first run pushes all others 600 slots up, so that no offset behind it can be stored.
    let mut hashes: Vec<u64> = (0..600).map(hash_of).collect();
    hashes.extend((1..3_700_000).map(|quotient| hash_of((quotient << 10) + quotient % 1000)));
    let mut filter = Quotient::new(params, Hasher::default()).unwrap();
    filter.try_insert_hashes(&hashes).unwrap();
    let start = Instant::now();
    for i in 0..20 {
        assert!(filter.try_insert_hash(hash_of(1023 - i)).is_ok() && filter.remove_hash(hash_of(i)));
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(hashes[20..].iter().step_by(9973).all(|&hash| filter.may_contain_hash(hash)));
    Quotient::open_verified(&filter.to_bytes()[..]).unwrap();
}

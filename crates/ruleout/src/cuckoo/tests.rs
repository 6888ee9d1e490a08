//! What the shared suite cannot see: the table's invariants, refusals byte for byte, damaged tables.

use alloc::vec::Vec;
use std::collections::HashMap;

use ruleout_testkit::keys::{member, members, mix, probe as absent, probes};
use ruleout_testkit::stats::Acceptance;

use super::probe::{Entry, holds};
use super::*;
use crate::error::{BuildError, ConfigError, InsertError, OpenError};
use crate::goal::Goal;
use crate::layout::{Insertable, Layout, Params, Removable, with_collisions};
use crate::{DistinctHashes, Hasher, Inserted, Len, Mask};

const WIDTHS: [u32; 9] = [4, 5, 8, 9, 13, 16, 28, 29, 32];

fn params(capacity: u64, slots: u64, fingerprint_bits: u32) -> CuckooParams {
    CuckooParams::new(capacity, slots, fingerprint_bits).unwrap()
}

fn empty(params: CuckooParams) -> Cuckoo {
    Native::new(params, Hasher::default()).unwrap()
}

fn payload_of(params: &CuckooParams) -> Vec<u8> {
    alloc::vec![0; params.payload_bytes() as usize]
}

fn insert(filter: &mut Cuckoo, hash: u64) {
    filter.try_insert_hash(hash).unwrap();
}

/// Fills a filter until a key is refused for want of room; gives the keys in it.
fn fill(filter: &mut Cuckoo, from: u64) -> Vec<u64> {
    let mut inside = Vec::new();
    for i in from.. {
        match filter.try_insert_hash(member(i)) {
            Ok(_) => inside.push(member(i)),
            Err(InsertError::Full { .. }) => break,
            Err(_) => {}
        }
    }
    inside
}

#[test]
fn each_window_leads_to_the_other() {
    for bits in WIDTHS {
        for slots in [3, 4, 5, 17, 64, 1001, 1 << 20, (1 << 31) - 5] {
            let params = params(1, slots, bits);
            for hash in members(200).chain([0, 1, u64::MAX]) {
                let entry = params.entry(hash);
                let [first, second] = entry.windows;
                assert!((1..=params.fingerprints()).contains(&entry.fingerprint));
                assert!(first < params.windows() && second < params.windows());
                assert_eq!(params.entry_from(entry.fingerprint, second).windows, [second, first]);
                for slot in entry.slots() {
                    assert!(slot < slots && entry.tag_in(slot).is_some());
                }
                let mut distinct: Vec<u64> = entry.slots().collect();
                distinct.dedup();
                assert_eq!(distinct.len(), 2 + first.abs_diff(second).min(2) as usize);
                assert_ne!(first, second);
            }
        }
    }
}

#[test]
fn slots_are_packed_and_apart() {
    for bits in 4..=32 {
        let params = params(1, 101, bits);
        let mut payload = payload_of(&params);
        let mut tags = [0; 101];
        for i in 0..2000 {
            let (slot, tag) = (absent(i) % 101, member(i) >> (64 - bits));
            params.set_tag(&mut payload, slot, tag);
            tags[slot as usize] = tag;
        }
        for (slot, &tag) in (0..).zip(&tags) {
            assert_eq!(params.tag(&payload, slot), tag, "{bits} bits");
            // The page on the format says so: bit i of slot s is bit (s · bits + i) of the table.
            for bit in 0..u64::from(bits) {
                let at = slot * u64::from(bits) + bit;
                assert_eq!(u64::from(payload[64 + (at / 8) as usize]) >> (at % 8) & 1, tag >> bit & 1);
            }
        }
        assert!(payload[..64].iter().all(|&byte| byte == 0));
        assert!(payload[payload.len() - 8..].iter().all(|&byte| byte == 0));
    }
}

#[test]
fn all_four_slots_at_once_is_one_after_the_other() {
    for bits in WIDTHS {
        let params = params(1, 40, bits);
        let mut payload = payload_of(&params);
        let mut found = 0;
        for round in 0..60 {
            for slot in 0..40 {
                // Few fingerprints, so that many are met, in the right and in the wrong slot of a window.
                let tag = (mix(round * 40 + slot) % 16)
                    | if slot % 7 == 0 { params.fingerprints() << 1 } else { 0 };
                params.set_tag(&mut payload, slot, tag);
            }
            for fingerprint in [1, 2, 3, 5, 7, params.fingerprints()] {
                for window in 0..params.windows() {
                    let entry = params.entry_from(fingerprint, window);
                    let naive = entry.windows.iter().any(|window| {
                        (0..2).any(|place| params.tag(&payload, window + place) == fingerprint << 1 | place)
                    });
                    assert_eq!(holds(&params, &payload, &entry), naive, "{bits} bits, {entry:?}");
                    found += u32::from(naive);
                }
            }
        }
        assert!(found > 1000);
    }
}

/// Every key that is in according to a plain map is found, after every kind of operation, and what is refused
/// changes nothing.
#[test]
fn a_map_that_counts_agrees() {
    for (bits, slots) in [(4, 3), (4, 60), (5, 300), (9, 4), (9, 97), (12, 1000), (29, 500), (32, 64)] {
        let mut filter = empty(params(slots, slots, bits));
        let mut inside: HashMap<u64, u64> = HashMap::new();
        let mut refused = 0;
        for step in 0..100_000u64 {
            let dice = mix(step ^ slots << 40 ^ u64::from(bits) << 56);
            let hash = member(dice % (slots * 5 / 4));
            // Phases of growth and of decline, so that the table is full at times and nearly empty at others.
            let grow = if step / 5000 % 2 == 0 { 12 } else { 6 };
            match dice >> 60 {
                choice if choice < grow => {
                    let before = filter.payload().to_vec();
                    let seen = filter.may_contain_hash(hash);
                    match filter.try_insert_hash(hash) {
                        Ok(Inserted::New) => assert!(!seen),
                        Ok(Inserted::MaybeSeen) => assert!(seen),
                        Err(_) => {
                            assert_eq!(filter.payload(), before);
                            refused += 1;
                            continue;
                        }
                    }
                    *inside.entry(hash).or_default() += 1;
                }
                _ => match inside.get_mut(&hash) {
                    Some(copies) => {
                        *copies -= 1;
                        if *copies == 0 {
                            inside.remove(&hash);
                        }
                        assert!(filter.remove_hash(hash));
                    }
                    None if !filter.may_contain_hash(hash) => {
                        let before = filter.payload().to_vec();
                        assert!(!filter.remove_hash(hash));
                        assert_eq!(filter.payload(), before);
                    }
                    None => {}
                },
            }
            if step % 64 == 0 {
                assert!(inside.keys().all(|&hash| filter.may_contain_hash(hash)));
                assert_eq!(filter.tally().keys, Some(inside.values().sum::<u64>() as f64));
                filter.params().check(filter.payload()).unwrap();
            }
            if step % 1000 == 0 {
                let file = filter.to_bytes();
                filter = Cuckoo::open_verified(&file[..]).unwrap().to_owned().unwrap();
            }
        }
        assert!(refused > 100, "{refused} refused with {slots} slots");
        for (hash, copies) in inside {
            (0..copies).for_each(|_| assert!(filter.remove_hash(hash)));
        }
        assert!(filter.payload().iter().all(|&byte| byte == 0));
    }
}

#[test]
fn a_full_filter_refuses_and_loses_nothing() {
    for (bits, slots) in [(6, 5), (9, 100), (9, 20_000), (30, 3000)] {
        let mut filter = empty(params(slots * 9 / 10, slots, bits));
        let inside = fill(&mut filter, 0);
        let before = filter.payload().to_vec();
        let len = inside.len() as u64;
        let mut refused = 0;
        for i in 0..200 {
            let hash = absent(i);
            if filter.may_contain_hash(hash) {
                continue;
            }
            let mut tried = filter.clone();
            match tried.try_insert_hash(hash) {
                Ok(_) => assert!(inside.iter().all(|&hash| tried.may_contain_hash(hash))),
                Err(problem) => {
                    assert_eq!(problem, InsertError::Full { capacity: slots * 9 / 10, len });
                    assert_eq!(tried.payload(), before);
                    assert_eq!(tried.len(), filter.len());
                    refused += 1;
                }
            }
        }
        assert!(refused > 0);
        // Even the key that the search found no slot for is there, and can go again.
        assert!(inside.iter().all(|&hash| filter.may_contain_hash(hash)));
        assert!(inside.iter().all(|&hash| filter.remove_hash(hash)));
        assert_eq!(filter.len(), Len::EMPTY);
    }
}

#[test]
fn nineteen_of_twenty_slots_fill_and_empty_again() {
    for (bits, slots) in [(8, 100_000), (12, 100_000), (16, 1_000_000)] {
        let keys = slots * 19 / 20;
        let mut filter = empty(params(keys, slots, bits));
        members(keys).for_each(|hash| insert(&mut filter, hash));
        filter.params().check(filter.payload()).unwrap();
        assert!(members(keys).all(|hash| filter.may_contain_hash(hash)));
        assert!(members(keys).all(|hash| filter.remove_hash(hash)));
        assert_eq!(filter.tally().keys, Some(0.0));
        assert!(filter.payload().iter().all(|&byte| byte == 0));
    }
}

#[test]
fn one_key_for_ever_costs_four_slots_and_blocks_nobody() {
    let mut filter = CuckooConfig::fpr(1000, 0.01).build().unwrap();
    let others = 900;
    members(others).for_each(|hash| insert(&mut filter, hash));
    let hash = absent(3);
    let mut taken = 0;
    for _ in 0..10_000 {
        match filter.try_insert_hash(hash) {
            Ok(_) => taken += 1,
            Err(problem) => assert_eq!(problem, InsertError::TooManyCopies { copies: 4 }),
        }
    }
    assert_eq!(taken, 4);
    assert_eq!(table::victim_words(filter.payload()), (0, 0));
    (others..1000).for_each(|i| insert(&mut filter, member(i)));
    assert!((0..4).all(|_| filter.remove_hash(hash)));
    assert!(members(1000).all(|hash| filter.may_contain_hash(hash)));

    // In a full table, too, the copies of a key leave the victim slot alone.
    let mut filter = empty(params(90, 100, 12));
    let hash = absent(0);
    for i in 0.. {
        let seen = filter.may_contain_hash(hash);
        let before = filter.payload().to_vec();
        let victim = table::victim_words(&before);
        match filter.try_insert_hash(hash) {
            Ok(_) => assert!(!seen || victim == table::victim_words(filter.payload())),
            Err(_) => assert_eq!(filter.payload(), before),
        }
        if filter.try_insert_hash(member(i)).is_err() {
            break;
        }
    }
}

#[test]
fn two_keys_that_look_the_same_are_two_copies() {
    for bits in WIDTHS {
        let mut filter = empty(params(100, 128, bits));
        let (first, second) = (member(5), member(5) ^ 1);
        assert_eq!(filter.params().entry(first), filter.params().entry(second));
        assert_eq!(filter.try_insert_hash(first), Ok(Inserted::New));
        assert_eq!(filter.try_insert_hash(second), Ok(Inserted::MaybeSeen));
        assert!(filter.remove_hash(first));
        assert!(filter.may_contain_hash(second));
        assert!(filter.remove_hash(second));
        assert!(!filter.may_contain_hash(second) && !filter.remove_hash(second));
    }
}

#[test]
fn removing_and_inserting_again_loses_no_other_key() {
    let mut filter = CuckooConfig::fpr(30_000, 0.01).build().unwrap();
    let ours: Vec<u64> = members(15_000).collect();
    let others: Vec<u64> = probes(15_000).collect();
    assert!(filter.try_insert_hashes(&ours).is_ok() && filter.try_insert_hashes(&others).is_ok());
    for _ in 0..3 {
        assert!(others.iter().all(|&hash| filter.remove_hash(hash)));
        assert!(ours.iter().all(|&hash| filter.may_contain_hash(hash)));
        filter.try_insert_hashes(&others).unwrap();
    }
    assert!(ours.iter().chain(&others).all(|&hash| filter.may_contain_hash(hash)));
}

#[test]
fn the_same_operations_give_the_same_bytes_across_a_reload() {
    let mut original = empty(params(5000, 5100, 10));
    fill(&mut original, 0);
    assert!(members(40).all(|hash| original.remove_hash(hash)));
    let file = original.to_bytes();
    let mut reloaded = Cuckoo::open_verified(&file[..]).unwrap().to_owned().unwrap();
    for i in 0..3000 {
        assert_eq!(original.try_insert_hash(absent(i)), reloaded.try_insert_hash(absent(i)));
        if i % 3 == 0 {
            assert_eq!(original.remove_hash(member(100 + i)), reloaded.remove_hash(member(100 + i)));
        }
    }
    assert_eq!(original.to_bytes(), reloaded.to_bytes());
}

#[test]
fn a_batch_is_its_keys_one_after_the_other() {
    for bits in [9, 30] {
        let (mut single, mut batch) = (empty(params(1000, 1000, bits)), empty(params(1000, 1000, bits)));
        let hashes: Vec<u64> = members(2000).collect();
        let (mut new, mut applied) = (0, 0);
        let refused = loop {
            match single.try_insert_hash(hashes[applied]) {
                Ok(inserted) => new += usize::from(inserted == Inserted::New),
                Err(refused) => break refused,
            }
            applied += 1;
        };
        assert!(new > 0);
        let stopped = batch.try_insert_hashes(&hashes).unwrap_err();
        assert_eq!((stopped.applied, stopped.source), (applied, refused));
        assert_eq!(single.to_bytes(), batch.to_bytes());
        let mut hits = Mask::new();
        batch.may_contain_hashes(&hashes, &mut hits);
        assert!(hashes.iter().zip(hits.iter()).all(|(&hash, hit)| hit == single.may_contain_hash(hash)));
    }
}

#[test]
fn the_rate_is_the_one_the_formula_gives_and_at_most_the_one_asked_for() {
    for (keys, asked) in [(1_000_000, 0.01), (1_100_000, 0.01), (1_000_000, 0.001), (1_100_000, 0.001)] {
        let filter = {
            let mut filter = CuckooConfig::fpr(keys, asked).build().unwrap();
            filter.try_insert_hashes(&members(keys).collect::<Vec<_>>()).unwrap();
            filter
        };
        let (tally, expected) = (filter.tally(), filter.params().fpr_at(keys));
        assert!(expected <= asked);
        assert!((with_collisions(tally.fpr, keys) / expected - 1.0).abs() < 0.002, "{tally:?}, {expected}");
        let test = Acceptance::of(tally.fpr);
        let hits = probes(test.trials).filter(|&hash| filter.may_contain_hash(hash)).count() as u64;
        test.assert_accepts(hits);
        let measured = hits as f64 / test.trials as f64;
        let bits_per_key = filter.params().payload_bytes() as f64 * 8.0 / keys as f64;
        let floor = -libm::log2(measured) + core::f64::consts::LOG2_E;
        std::println!(
            "{keys} keys at {asked}: {measured:.6}, {bits_per_key:.3} bits per key, {:.4} of the floor",
            bits_per_key / floor
        );
        assert!(bits_per_key <= 1.15 * floor, "{bits_per_key} bits per key, the floor is {floor}");
    }
}

#[test]
fn the_formula_holds_for_few_fingerprints_and_for_repeated_keys() {
    for bits in [4, 5, 6, 8] {
        let (slots, keys) = (20_000, 15_000);
        let mut filter = empty(params(keys, slots, bits));
        let inside = members(keys).filter(|&hash| filter.try_insert_hash(hash).is_ok()).count() as u64;
        let tally = filter.tally();
        assert!((tally.fpr / filter.params().fpr_at(inside) - 1.0).abs() < 0.02, "{bits}: {tally:?}");
        let hits = probes(1_000_000).filter(|&hash| filter.may_contain_hash(hash)).count() as u64;
        Acceptance::with_trials(tally.fpr, 1_000_000).assert_accepts(hits);
    }
    // A second copy of every key adds nothing to the rate, though it fills slots.
    let mut filter = empty(params(10_000, 40_000, 9));
    members(10_000).for_each(|hash| insert(&mut filter, hash));
    let once = filter.tally();
    members(10_000).for_each(|hash| insert(&mut filter, hash));
    let twice = filter.tally();
    assert!((twice.fpr / once.fpr - 1.0).abs() < 1e-9 && twice.fill == 2.0 * once.fill);
}

#[test]
fn every_small_set_finds_room() {
    // Seventeen keys at 4 % (bug B005), and other small numbers, under many seeds.
    for (keys, seeds) in [(17, 1000), (1, 200), (2, 200), (5, 200), (64, 200), (300, 100)] {
        for seed in 0..seeds {
            let hashes: DistinctHashes = (0..keys).map(|i| mix(seed << 32 | i)).collect();
            let filter = Cuckoo::from_distinct(Goal::Fpr(0.04), Hasher::default(), hashes).unwrap();
            assert!((0..keys).all(|i| filter.may_contain_hash(mix(seed << 32 | i))));
            assert_eq!(filter.len(), Len::Exact(keys));
        }
    }
}

#[test]
fn a_set_that_one_shape_refuses_gets_another() {
    let goal = Goal::Fpr(0.01);
    let params = CuckooParams::for_goal(1005, goal).unwrap();
    let set = |window: u64| -> DistinctHashes {
        // Five keys with the first fingerprint in one window, and so with one partner.
        let start = ((u128::from(window) << 64).div_ceil(u128::from(params.windows()))) as u64;
        let step = u64::MAX / (params.windows() * params.fingerprints()) / 6;
        let alike = (0..5).map(|i| start + step * i);
        assert!(alike.clone().all(|hash| params.entry(hash) == params.entry(start)));
        members(1000).chain(alike).collect()
    };
    let built = Cuckoo::from_distinct(goal, Hasher::default(), set(777)).unwrap();
    assert!(built.params().slots() > params.slots());
    assert!(built.params().fpr_at(1005) <= 0.01);
    // The first window begins at 0 in every shape: there the five stay together.
    let refused = |goal| match Cuckoo::from_distinct(goal, Hasher::default(), set(0)) {
        Err(BuildError::Insert(refused)) => refused.source,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(goal), InsertError::TooManyCopies { copies: 4 });
    assert_eq!(refused(Goal::BitsPerKey(10.5)), InsertError::TooManyCopies { copies: 4 });
}

#[test]
fn sizes_keep_to_their_goal() {
    for keys in [0, 1, 2, 10, 1000, 12_345, 1_000_000, 1_100_000, 1 << 40] {
        for fpr in [0.9, 0.3, 0.05, 0.01, 0.001, 1e-6, 1e-9] {
            match CuckooParams::for_goal(keys, Goal::Fpr(fpr)) {
                Ok(params) => assert!(params.fpr_at(keys) <= fpr, "{params:?}"),
                Err(problem) => {
                    assert!(keys == 1 << 40 && fpr < 1e-5, "{keys} {fpr} {problem}");
                }
            }
        }
        for bytes in [200, 1000, 20_000, 1_500_000] {
            if let Ok(params) = CuckooParams::for_goal(keys, Goal::SizeBytes(bytes)) {
                assert!(params.payload_bytes() <= bytes && params.slots() > keys);
            }
        }
        for bits in [5.0, 10.0, 16.5, 33.0] {
            let params = CuckooParams::for_goal(keys, Goal::BitsPerKey(bits));
            if keys >= 1000 {
                let params = params.unwrap();
                let used = params.payload_bytes() as f64 * 8.0 / keys as f64;
                assert!(used <= bits || keys == 1000 && bits <= 5.0, "{keys} {bits} {used}");
            }
        }
    }
    // No jump at a power of two, or anywhere else.
    let bits_per_key =
        |keys| CuckooConfig::fpr(keys, 0.01).params().unwrap().payload_bytes() as f64 / keys as f64;
    let mut keys = 10_000;
    while keys < 30_000_000 {
        assert!(bits_per_key(keys * 21 / 20) < bits_per_key(keys) * 1.001, "{keys}");
        keys = keys * 21 / 20;
    }
    for (slots, bits) in [(2, 9), (0, 9), (1 << 55, 9), (100, 3), (100, 33), (1 << 31 | 1, 32)] {
        assert!(matches!(CuckooParams::new(10, slots, bits), Err(ConfigError::OutOfRange { .. })));
    }
    assert!(CuckooParams::for_goal(u64::MAX, Goal::Fpr(0.5)).is_err());
}

/// Whatever the payload, every operation ends and stays inside; what verification accepts is consistent.
#[test]
fn no_payload_makes_an_operation_panic_or_run_on() {
    for bits in WIDTHS {
        for slots in [3, 4, 7, 64, 1000] {
            let params = params(1, slots, bits);
            for round in 0..20u64 {
                let mut payload = payload_of(&params);
                let density = round % 4;
                for (i, byte) in (0..).zip(payload.iter_mut()) {
                    let dice = mix(i ^ round << 32 ^ slots << 40 ^ u64::from(bits) << 56);
                    // Dense, sparse, and all ones; the control line with small numbers, too.
                    *byte = match density {
                        0 => dice as u8,
                        1 => (dice & dice >> 8 & dice >> 16) as u8,
                        2 => 0xff,
                        _ => (dice | dice >> 8 | dice >> 16) as u8,
                    };
                    if round % 3 == 0 && i < 24 && i % 8 > 0 {
                        *byte = 0;
                    }
                }
                let _ = params.check(&payload);
                let tally = params.tally(&payload);
                assert!((0.0..=1.0).contains(&tally.fpr) && (0.0..=1.0).contains(&tally.fill));
                for hash in members(30).chain([0, u64::MAX]) {
                    let inserted = params.insert(&mut payload, hash);
                    assert!(inserted.is_err() || params.probe(&payload, hash));
                    params.remove(&mut payload, absent(hash >> 1));
                    params.remove(&mut payload, hash);
                }
            }
        }
    }
}

#[test]
fn verification_refuses_what_no_operation_makes() {
    let params = params(90, 101, 9);
    let mut filter = empty(params);
    fill(&mut filter, 0);
    let good = filter.payload().to_vec();
    params.check(&good).unwrap();
    let victim = params.victim(&good).unwrap();
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bad = good.clone();
        change(&mut bad);
        match params.check(&bad) {
            Err(OpenError::Invalid { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    };
    let last = good.len() - 1;
    assert_eq!(refused(&|bad| bad[24] = 1), "padding");
    assert_eq!(refused(&|bad| bad[63] = 1), "padding");
    assert_eq!(refused(&|bad| bad[last] = 1), "padding");
    assert_eq!(refused(&|bad| bad[last - 7] = 1), "padding");
    assert_eq!(refused(&|bad| bad[last - 8] |= 0x80), "last byte");
    assert_eq!(refused(&|bad| bad[16] ^= 1), "number of keys");
    assert_eq!(refused(&|bad| params.set_tag(bad, 50, 1)), "tag");
    // The first slot is no window's second, the last no window's first.
    assert_eq!(refused(&|bad| params.set_tag(bad, 0, 5)), "tag");
    assert_eq!(refused(&|bad| params.set_tag(bad, 100, 4)), "tag");
    assert_eq!(refused(&|bad| params.set_tag(bad, victim.windows[1], 0)), "victim slot");
    assert_eq!(
        refused(&|bad| table::set_victim(bad, &Entry { fingerprint: 0, windows: [3, 3] })),
        "victim slot"
    );
    assert_eq!(
        refused(&|bad| table::set_victim(bad, &Entry { fingerprint: 256, windows: [3, 3] })),
        "victim slot"
    );
    assert_eq!(
        refused(&|bad| table::set_victim(bad, &Entry { fingerprint: 1, windows: [100, 100] })),
        "victim slot"
    );
    assert_eq!(refused(&|bad| table::clear_victim(bad)), "number of keys");
}

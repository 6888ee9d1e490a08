//! Tests.

use alloc::vec::Vec;
use std::collections::{BTreeSet, HashMap};

use super::line::{self, Line};
use super::probe::Positions;
use super::*;
use crate::hash::Hasher;
use crate::simd::Vectors;
use crate::simd::line::increment;

/// A short pseudo-random sequence: Knuth's multiplier, high bits.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state ^ (*state >> 29)
}

fn tiny(lines: u64, probes: u32) -> Counting {
    Counting::new(CountingParams::new(10, lines, probes).unwrap(), Hasher::default()).unwrap()
}

/// B011: a counter that says 15 may stand for more, so the key stays, however often it is taken out.
#[test]
fn a_counter_that_was_full_is_never_counted_down() {
    for copies in 1..40u32 {
        let mut filter = tiny(3, 4);
        for _ in 0..copies {
            filter.insert(b"key");
        }
        assert_eq!(u32::from(filter.count(b"key")), copies.min(15));
        for removed in 1..copies {
            assert!(filter.remove(b"key"));
            assert!(filter.may_contain(b"key"), "{removed} of {copies} removed");
        }
        filter.remove(b"key");
        assert_eq!(filter.may_contain(b"key"), copies >= 15);
    }
}

/// What was taken out leaves no trace while no counter was full.
#[test]
fn removing_all_leaves_nothing() {
    let mut filter = tiny(50, 6);
    let keys: Vec<[u8; 8]> = (0..200u64).map(u64::to_le_bytes).collect();
    filter.insert_keys(&keys);
    for key in &keys {
        assert!(filter.remove(key));
    }
    assert!(filter.payload().iter().all(|&byte| byte == 0));
    assert!(filter.is_empty());
}

/// A removal refused changes no byte.
#[test]
fn removing_what_is_visibly_absent_is_refused() {
    let mut filter = tiny(20, 5);
    (0..60u64).for_each(|i| {
        filter.insert(&i.to_le_bytes());
    });
    let before = filter.to_bytes();
    let absent: Vec<u64> = (1000..3000u64).filter(|i| !filter.may_contain(&i.to_le_bytes())).collect();
    assert!(absent.len() > 100);
    for i in absent {
        assert!(!filter.remove(&i.to_le_bytes()));
    }
    assert_eq!(filter.to_bytes(), before);
}

/// Random insertions, removals and merges against a multiset: no key that is in is ever called absent, and no
/// count is too low.
#[test]
fn a_multiset_is_never_underrated() {
    let mut state = 7;
    for (lines, probes) in [(1, 1), (1, 8), (2, 3), (40, 6), (301, 5), (3, 32)] {
        let mut filter = tiny(lines, probes);
        let mut held: HashMap<u64, u64> = HashMap::new();
        for _ in 0..4000 {
            let hash = (random(&mut state) % 97).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            match random(&mut state) % 20 {
                0..10 => {
                    filter.insert_hash(hash);
                    *held.entry(hash).or_default() += 1;
                }
                10..19 => {
                    if held.get(&hash).is_some_and(|&count| count > 0) {
                        assert!(filter.remove_hash(hash));
                        *held.get_mut(&hash).unwrap() -= 1;
                    }
                }
                _ => {
                    let mut other = tiny(lines, probes);
                    other.insert_hash(hash);
                    filter.merge_view(&other).unwrap();
                    *held.entry(hash).or_default() += 1;
                }
            }
        }
        for (&hash, &count) in &held {
            assert!(u64::from(filter.count_hash(hash)) >= count.min(15));
        }
    }
}

/// Two filters added are the filter of both multisets, counters that overflow included.
#[test]
fn merging_adds_up_to_fifteen() {
    let (mut a, mut b, mut both) = (tiny(2, 4), tiny(2, 4), tiny(2, 4));
    for i in 0..300u64 {
        let filter = if i % 3 == 0 { &mut a } else { &mut b };
        filter.insert(&(i % 40).to_le_bytes());
        both.insert(&(i % 40).to_le_bytes());
    }
    a.merge_view(&b).unwrap();
    assert_eq!(a.payload(), both.payload());
    assert!(a.payload().iter().any(|byte| byte & 0xf == 15 || byte >> 4 == 15));
}

/// A snapshot answers as the filter does, for members and for others, and says so in a file.
#[test]
fn a_snapshot_gives_the_same_answers() {
    let mut filter = CountingConfig::fpr(2000, 0.05).build().unwrap();
    (0..2000u64).for_each(|i| {
        filter.insert(&i.to_le_bytes());
    });
    let file = filter.snapshot().unwrap().to_bytes();
    let snapshot = CountingBits::open_verified(&file[..]).unwrap();
    let found = |i: &u64| filter.may_contain(&i.to_le_bytes());
    assert!((0..50_000u64).all(|i| snapshot.may_contain(&i.to_le_bytes()) == found(&i)));
    assert!((2000..50_000u64).filter(found).count() > 1000, "the answers of others are compared too");
    assert_eq!(snapshot.tally(), filter.tally());
    assert_eq!(snapshot.payload().len() * 4, filter.payload().len());
}

/// A line of packed counters does what an array of counters does, to each distinct counter of a key once.
#[test]
fn lines_count_as_arrays_do() {
    let mut state = 3;
    let mut packed: Line = [0; 64];
    let mut plain = [0u8; 128];
    for round in 0..5000 {
        let (hash, probes) = (random(&mut state), 1 + round % 32);
        let members: BTreeSet<u64> = Positions::in_line(hash, probes).collect();
        let members: Vec<usize> = members.into_iter().map(|at| at as usize).collect();
        let least = members.iter().map(|&i| plain[i]).min().unwrap();
        assert_eq!(line::least(&packed, hash, probes), least);
        let down = random(&mut state).is_multiple_of(3);
        if down {
            assert_eq!(line::decrement(&mut packed, hash, probes), least > 0);
        } else {
            assert_eq!(
                increment(Vectors::detect(), core::slice::from_mut(&mut packed), hash, probes),
                least == 0
            );
        }
        for &i in &members {
            match plain[i] {
                15 => (),
                _ if down => plain[i] -= u8::from(least > 0),
                _ => plain[i] += 1,
            }
        }
        assert!((0..128).all(|i| packed[i / 2] >> (i % 2 * 4) & 0xf == plain[i]));
        let nonzero = line::nonzero(&packed);
        assert!((0..128).all(|i| (nonzero >> i & 1 == 1) == (plain[i] > 0)));
    }
}

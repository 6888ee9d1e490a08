//! Codes, index and sizes, against sets and sorted lists.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::vec::Vec;

use ruleout_testkit::keys::{CORNERS, member, mix};

use super::codes::Values;
use super::{Golomb, GolombConfig, GolombParams};
use crate::bits::Mask;
use crate::build::{Progress, Watch};
use crate::collect::DistinctHashes;
use crate::error::{BuildError, ConfigError, OpenError};
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::layout::{Layout, Params};
use crate::math::golomb::GolombSize;
use crate::traits::Builder;

fn built(goal: Goal, hashes: impl IntoIterator<Item = u64>) -> Golomb {
    Golomb::from_distinct(goal, Hasher::default(), hashes.into_iter().collect()).unwrap()
}

/// A filter in this shape of buckets, width and Rice bits, whatever would be best.
fn shaped(buckets: u64, width: u64, rice_bits: u32, hashes: &[u64]) -> Golomb {
    let size = GolombSize { buckets, width, rice_bits };
    let mut sorted = hashes.iter().copied().collect::<DistinctHashes>().into_sorted();
    let params = super::build::measured(hashes.len() as u64, size, &mut sorted).unwrap();
    Golomb::of_shape(params, Hasher::default(), hashes.iter().copied().collect()).unwrap()
}

/// Bucket and value of each hash.
fn places(params: &GolombParams, hashes: &[u64]) -> BTreeSet<(u64, u64)> {
    hashes.iter().map(|&hash| params.shape().place(hash)).collect()
}

/// What a payload holds.
fn values<'a>(params: &'a GolombParams, payload: &'a [u8]) -> impl Iterator<Item = (u64, u64)> + 'a {
    let shape = params.shape();
    (0..shape.size.buckets).flat_map(move |bucket| {
        let values = Values::new(payload, shape.codes(payload, bucket), shape.size.rice_bits);
        values.map(move |held| (bucket, held.value))
    })
}

fn held(filter: &Golomb) -> Vec<(u64, u64)> {
    values(filter.params(), filter.payload()).collect()
}

/// The least hash of a bucket and value.
fn hash_of(params: &GolombParams, (bucket, value): (u64, u64)) -> u64 {
    let rest = (u128::from(value) << 64).div_ceil(u128::from(params.size().width));
    let hash = ((u128::from(bucket) << 64) + rest).div_ceil(u128::from(params.buckets())) as u64;
    assert_eq!(params.shape().place(hash), (bucket, value));
    hash
}

fn assert_sound(filter: &Golomb) {
    filter.params().check(filter.payload()).unwrap();
    let file = filter.to_bytes();
    assert_eq!(Golomb::open_verified(&file[..]).unwrap().params(), filter.params());
}

/// Hashes that are spread, that pile up at either end, that are the same but for a few bits.
fn some_sets() -> Vec<Vec<u64>> {
    let mut sets: Vec<Vec<u64>> =
        [0, 1, 2, 3, 4, 255, 256, 257, 1000, 5000].map(|n| (0..n).map(member).collect()).into();
    sets.push(CORNERS.to_vec());
    sets.push(std::vec![0]);
    sets.push(std::vec![u64::MAX]);
    sets.push(std::vec![0, u64::MAX]);
    sets.push((0..3000).collect());
    sets.push((0..3000).map(|i| u64::MAX - i).collect());
    sets.push((0..3000).map(|i| (1 << 63) | i << 20).collect());
    sets.push((0..3000).map(|i| if i % 2 == 0 { mix(i) } else { mix(i) >> 30 }).collect());
    sets
}

#[test]
fn what_goes_in_is_what_is_held() {
    for hashes in some_sets() {
        for goal in [0.9, 0.3, 0.01, 1e-5, 1e-12].map(Goal::Fpr) {
            let filter = built(goal, hashes.iter().copied());
            let expected = places(filter.params(), &hashes);
            assert!(held(&filter).into_iter().eq(expected.iter().copied()), "{goal:?} {:?}", filter.params());
            assert_sound(&filter);
            let asked = hashes.iter().copied().chain((0..2000).map(mix)).chain(CORNERS);
            for hash in asked {
                let place = filter.params().shape().place(hash);
                assert_eq!(filter.may_contain_hash(hash), expected.contains(&place), "{hash:#x}");
            }
            assert_eq!(filter.tally().fpr, expected.len() as f64 / filter.params().universe() as f64);
        }
    }
}

#[test]
fn every_parameter_and_every_number_of_buckets_works() {
    for rice_bits in (0..=20).chain([31, 32, 33, 48, 55, 56]) {
        for (buckets, n) in [(1, 5), (2, 40), (7, 300), (64, 300), (1000, 100)] {
            // From a value that is everything to distances of some 2^(r + 3).
            for width in [1, 3, 1 << rice_bits.min(50), (100 << rice_bits.min(44)) / buckets + 1] {
                let hashes: Vec<u64> = (0..n).map(|i| mix(i ^ u64::from(rice_bits) << 32)).collect();
                // Quotients are written in unary: no more of them than there is memory for.
                if width >> rice_bits > 1 << 20 {
                    continue;
                }
                let filter = shaped(buckets, width, rice_bits, &hashes);
                assert!(held(&filter).into_iter().eq(places(filter.params(), &hashes)));
                assert_sound(&filter);
                assert!(hashes.iter().all(|&hash| filter.may_contain_hash(hash)));
            }
        }
    }
}

/// Keys that come again, and keys that share a value, take no room: B135.
#[test]
fn duplicates_leave_no_trace() {
    let (a, b) = (mix(1), mix(2));
    assert_eq!(built(Goal::Fpr(0.01), [a, a, b]).to_bytes(), built(Goal::Fpr(0.01), [a, b]).to_bytes());
    assert_eq!(built(Goal::Fpr(0.01), [a; 1000]).to_bytes(), built(Goal::Fpr(0.01), [a]).to_bytes());
    let half = (0..1000).map(|i| member(i / 2));
    assert_eq!(
        built(Goal::Fpr(0.01), half).to_bytes(),
        built(Goal::Fpr(0.01), (0..500).map(member)).to_bytes()
    );
    // Of two hashes with one value the set has one.
    let alike = built(Goal::Fpr(0.01), [a, a ^ 1]);
    assert_eq!(held(&alike).len(), 1);
    assert_sound(&alike);
}

/// No keys make no payload, and no answer but no: B136.
#[test]
fn nothing_says_no() {
    for goal in [Goal::Fpr(0.01), Goal::BitsPerKey(9.0), Goal::SizeBytes(100), Goal::Fpr(0.999)] {
        let filter = built(goal, []);
        assert_eq!((filter.size_bytes(), filter.is_empty(), filter.expected_fpr()), (0, true, 0.0));
        assert!(CORNERS.into_iter().chain((0..1000).map(mix)).all(|hash| !filter.may_contain_hash(hash)));
        assert_sound(&filter);
    }
    assert_eq!(GolombConfig::fpr(0.5).build(None::<&str>).unwrap().size_bytes(), 0);
}

#[test]
fn batches_of_any_size_and_order_agree_with_single_queries() {
    for hashes in some_sets() {
        for goal in [0.5, 0.01].map(Goal::Fpr) {
            let filter = built(goal, hashes.iter().copied());
            let buckets = filter.params().buckets() as usize;
            for n in [0, 1, 63, 64, 65, 2 * buckets - 1, 2 * buckets, 8 * buckets + 5, 40_000] {
                let mut asked: Vec<u64> =
                    hashes.iter().copied().chain((0..).map(mix)).chain(CORNERS).take(n).collect();
                asked.rotate_left(n / 3);
                asked.extend_from_within(n / 2..);
                for sorted in [false, true] {
                    if sorted {
                        asked.sort_unstable();
                    }
                    let mut hits = Mask::new();
                    filter.may_contain_hashes(&asked, &mut hits);
                    assert!(hits.iter().eq(asked.iter().map(|&hash| filter.may_contain_hash(hash))));
                }
            }
        }
    }
}

/// Whatever the set, and however its hashes lie: no byte more than was asked for.
#[test]
fn a_size_is_never_exceeded() {
    let mut sets = some_sets();
    sets.extend((1..60).map(|n| (n * 1000..n * 1000 + n * n).map(mix).collect()));
    for hashes in sets {
        let keys = hashes.iter().collect::<BTreeSet<_>>().len() as u64;
        for bytes in [1, 2, 3, 10, 31, 32, 33, 100, 1000, 10_000] {
            let goal = Goal::SizeBytes(bytes);
            let planned = GolombParams::for_goal(keys, goal).unwrap();
            assert!(planned.payload_bytes() <= bytes, "{keys} keys in {bytes} bytes: {planned:?}");
            let filter = built(goal, hashes.iter().copied());
            assert!(
                filter.size_bytes() as u64 <= bytes,
                "{keys} keys in {bytes} bytes: {:?}",
                filter.params()
            );
            assert!(hashes.iter().all(|&hash| filter.may_contain_hash(hash)));
            assert_sound(&filter);
        }
        for bits_per_key in [0.5, 3.0, 9.7, 21.3, 60.0] {
            let filter = built(Goal::BitsPerKey(bits_per_key), hashes.iter().copied());
            let room = (bits_per_key * keys as f64).max(8.0);
            assert!(filter.size_bytes() as f64 * 8.0 <= room, "{keys} keys: {:?}", filter.params());
        }
    }
    let refused = GolombParams::for_goal(10, Goal::SizeBytes(0));
    assert_eq!(refused, Err(ConfigError::TooSmall { bytes: 0, least: 1 }));
}

/// A size is used: what is left free is little, and the rate is what so many bits give.
#[test]
fn a_size_is_used() {
    for (keys, free) in [(100, 0.35), (1000, 0.12), (100_000, 0.025)] {
        for bits_per_key in [4.0, 8.0, 11.3, 20.0] {
            let filter = built(Goal::BitsPerKey(bits_per_key), (0..keys).map(member));
            let used = filter.size_bytes() as f64 * 8.0 / keys as f64;
            assert!(used > bits_per_key - free, "{keys} keys, {bits_per_key} bits: {used}");
            let over = used + libm::log2(filter.params().fpr_at(keys));
            assert!(over < 1.65, "{keys} keys, {bits_per_key} bits: {over}");
        }
    }
}

#[test]
fn a_build_is_watched_and_can_be_ended() {
    let hashes: DistinctHashes = (0..100_000).map(member).collect();
    let mut heard = Vec::new();
    let mut hear = |progress: Progress| {
        heard.push(progress);
        ControlFlow::Continue(())
    };
    let (goal, hasher) = (Goal::Fpr(0.01), Hasher::default());
    Golomb::from_sorted(goal, hasher.clone(), hashes.clone().into_sorted(), &mut Watch::new(&mut hear))
        .unwrap();
    assert!(heard.len() > 10 && heard.is_sorted_by(|a, b| a.done <= b.done), "{}", heard.len());
    assert_eq!(heard.last(), Some(&Progress { done: 100_000, total: 100_000 }));
    let mut end = |_| ControlFlow::Break(());
    let ended = Golomb::from_sorted(goal, hasher, hashes.into_sorted(), &mut Watch::new(&mut end));
    assert_eq!(ended.err(), Some(BuildError::Cancelled));
}

#[test]
fn a_builder_takes_keys_and_hashes() {
    let config = GolombConfig::fpr(0.01);
    let mut builder = config.builder();
    builder.push_key(b"a");
    builder.push(Hasher::default().hash(b"b"));
    builder.extend([Hasher::default().hash(b"a")]);
    assert_eq!(builder.pushed(), 3);
    assert_eq!(builder.finish().unwrap().to_bytes(), config.build(["b", "a"]).unwrap().to_bytes());
}

/// A payload is the only one of its values: what a flip makes is refused, or is the payload of other values.
#[test]
fn check_refuses_every_changed_bit_but_those_that_make_another_set() {
    let hashes: Vec<u64> = (0..700).map(member).collect();
    let filter = built(Goal::Fpr(0.03), hashes.iter().copied());
    let (params, sound) = (*filter.params(), filter.payload().to_vec());
    let (size, index) = (params.size(), params.shape().index_bits() as usize);
    assert!(params.buckets() == 3 && index > 10);
    let mut accepted = 0;
    for bit in 0..sound.len() * 8 {
        let mut changed = sound.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        match params.check(&changed) {
            Err(OpenError::Invalid { .. }) => {}
            Err(other) => panic!("{other}"),
            Ok(()) => {
                assert!((index..params.bits() as usize).contains(&bit), "bit {bit} is of no code");
                let hashes: Vec<u64> =
                    values(&params, &changed).map(|place| hash_of(&params, place)).collect();
                let again = shaped(params.buckets(), size.width, size.rice_bits, &hashes);
                assert_eq!(again.payload(), changed, "bit {bit}: these values have another payload");
                accepted += 1;
            }
        }
    }
    // Most are low bits of a distance, which move later values within their bucket.
    assert!(accepted > 1000, "{accepted}");
}

/// Numbers of the index that say the same in more bits, or with more bias, are refused.
#[test]
fn an_index_has_one_form() {
    let filter = built(Goal::Fpr(0.03), (0..2000).map(member));
    let params = *filter.params();
    let (shape, payload) = (params.shape(), filter.payload());
    let forms = [(1, 0), (0, 1), (1, 1), (0, 0)].map(|(more_bits, more_bias)| {
        let (bits, bias) = (shape.offset_bits + more_bits, shape.offset_bias + more_bias);
        let other = GolombParams::new(2000, shape.size, shape.code_bits, bits, bias).unwrap();
        let mut bytes = std::vec![0; other.payload_bytes() as usize];
        let mut at = 0;
        let mut push = |number: u64, count: u32| {
            for bit in 0..count {
                bytes[at / 8] |= ((number >> bit & 1) as u8) << (at % 8);
                at += 1;
            }
        };
        for bucket in 1..shape.size.buckets {
            push(shape.entry(payload, bucket) + more_bias, bits);
        }
        for bit in shape.index_bits()..shape.bits() {
            push(u64::from(payload[(bit / 8) as usize]) >> (bit % 8), 1);
        }
        other.check(&bytes).is_ok()
    });
    assert_eq!(forms, [false, false, false, true]);
}

#[test]
fn no_payload_makes_an_operation_panic_or_hang() {
    for round in 0..3000u64 {
        let random = |i: u64| mix(round << 20 | i);
        let buckets = [1, 2, 1 + random(0) % 50][(round % 3) as usize];
        let width = 1 + random(1) % [3, 1000, GolombParams::MAX_UNIVERSE / buckets][(round / 3 % 3) as usize];
        let size = GolombSize { buckets, width, rice_bits: (random(2) % 57) as u32 };
        let offset_bits = if buckets > 1 { 1 + (random(4) % 56) as u32 } else { 0 };
        let code_bits = random(3) % 20_000;
        let bias = if buckets > 1 { random(5) % (code_bits + 1) } else { 0 };
        let params = GolombParams::new(1, size, code_bits, offset_bits, bias).unwrap();
        let payload: Vec<u8> = (0..params.payload_bytes())
            .map(|i| match round % 4 {
                0 => 0xff,
                1 => 0,
                2 => (random(i + 9) & random(i + 10) & random(i + 11)) as u8,
                _ => random(i + 9) as u8,
            })
            .collect();
        let hashes: Vec<u64> = (0..200).map(random).chain(CORNERS).collect();
        let mut hits = Mask::new();
        params.probe_many(&payload, &hashes, &mut hits);
        for (&hash, hit) in hashes.iter().zip(hits.iter()) {
            assert_eq!(params.probe(&payload, hash), hit);
        }
        let tally = params.tally(&payload);
        assert!((0.0..=1.0).contains(&tally.fpr), "{tally:?}");
        let _ = params.check(&payload);
    }
}

/// An index that leads back and forth has no code counted twice, which would take the square of the time.
#[test]
fn a_scan_reads_every_code_once() {
    let (buckets, code_bits, offset_bits) = (1001, 4096, 13);
    let size = GolombSize { buckets, width: 1 << 40, rice_bits: 0 };
    let params = GolombParams::new(1, size, code_bits, offset_bits, code_bits).unwrap();
    let mut payload = std::vec![0; params.payload_bytes() as usize];
    let shape = params.shape();
    for bit in shape.index_bits()..shape.bits() {
        payload[(bit / 8) as usize] |= 1 << (bit % 8);
    }
    // Odd buckets begin at 0, even ones, with the bias undone, at the end.
    for bucket in (2..buckets).step_by(2) {
        let first = (bucket - 1) * u64::from(offset_bits);
        (first..first + 13).for_each(|bit| payload[(bit / 8) as usize] |= 1 << (bit % 8));
    }
    assert_eq!(super::check::count(shape, &payload), code_bits);
    assert!(params.check(&payload).is_err());
}

/// Every number of keys builds, in order or at random, with repeats and without, and holds them all: B125, B127, B129,
/// B130, B132.
#[test]
fn every_number_of_keys_builds() {
    let numbers = (0..600).chain((600..12_000).step_by(487)).chain([11_500, 11_501, 11_511, 100_000]);
    for n in numbers {
        let hash = |i: u64| Hasher::default().hash(&i.to_le_bytes());
        let sequential: Vec<u64> = (0..n).map(hash).collect();
        let repeated: Vec<u64> = (0..n).map(|i| mix(i / 2)).collect();
        for hashes in [sequential, repeated] {
            let filter = built(Goal::Fpr(0.01), hashes.iter().copied());
            let mut hits = Mask::new();
            filter.may_contain_hashes(&hashes, &mut hits);
            assert_eq!(hits.count_ones() as u64, n);
            assert!(hashes.iter().all(|&hash| filter.may_contain_hash(hash)), "{n}");
        }
    }
}

/// A quotient that leaves 64 bits when it is put before its low bits is refused, and not taken for a small one.
#[test]
fn a_quotient_that_wraps_around_is_refused() {
    let size = GolombSize { buckets: 1, width: 1 << 60, rice_bits: 56 };
    for (zeros, sound) in [(15, true), (16, false), (256, false)] {
        let params = GolombParams::new(1, size, zeros + 1 + 56, 0, 0).unwrap();
        let mut payload = std::vec![0; params.payload_bytes() as usize];
        payload[(zeros / 8) as usize] |= 1 << (zeros % 8);
        assert_eq!(params.check(&payload).is_ok(), sound, "{zeros}");
    }
}

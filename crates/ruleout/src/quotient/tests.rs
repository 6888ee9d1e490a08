//! Random operations against a map, the one form of every multiset, and payloads nobody wrote.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use ruleout_testkit::keys::{member, mix};

use super::{GrowError, Quotient, QuotientParams};
use crate::Mask;
use crate::error::{InsertError, MergeError, OpenError};
use crate::hash::Hasher;
use crate::layout::{Layout, Params};
use crate::traits::{Inserted, Merge};

/// An endless deterministic source of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        mix(self.0)
    }

    fn below(&mut self, end: u64) -> u64 {
        crate::bits::scale(self.next(), end)
    }
}

fn empty(slots: u64, bits: u32) -> Quotient {
    Quotient::new(QuotientParams::new(slots, slots, bits).unwrap(), Hasher::default()).unwrap()
}

/// A hash with this fingerprint.
fn hash_of(params: &QuotientParams, fingerprint: u64) -> u64 {
    // The smallest one: ⌈fingerprint · 2^64 / universe⌉.
    let hash = (u128::from(fingerprint) << 64).div_ceil(u128::from(params.universe())) as u64;
    assert_eq!(params.shape().fingerprint(hash), fingerprint);
    hash
}

fn insert_all(filter: &mut Quotient, mut hashes: impl Iterator<Item = u64>) {
    hashes.try_for_each(|hash| filter.try_insert_hash(hash).map(|_| ())).unwrap();
}

fn assert_sound(filter: &Quotient) {
    filter.params().check(filter.payload()).unwrap();
}

/// What the filter should hold.
type Oracle = BTreeMap<u64, u64>;

fn assert_same(filter: &Quotient, oracle: &Oracle) {
    assert_sound(filter);
    assert!(filter.fingerprints().eq(oracle.iter().map(|(&f, &c)| (f, c))));
}

/// The filter of these fingerprints, made another way.
fn of(params: QuotientParams, oracle: &Oracle) -> Quotient {
    let mut filter = Quotient::new(params, Hasher::default()).unwrap();
    for (&fingerprint, &count) in oracle.iter().rev() {
        for _ in 0..count {
            filter.try_insert_hash(hash_of(&params, fingerprint)).unwrap();
        }
    }
    filter
}

/// Random insertions and removals of fingerprints that `draw` gives; gives the largest offset seen.
fn run_random(slots: u64, bits: u32, draw: impl Fn(&mut Random, u64) -> u64) -> u64 {
    let mut random = Random(slots << 32 | u64::from(bits));
    let mut filter = empty(slots, bits);
    let params = *filter.params();
    let mut oracle = Oracle::new();
    let (mut refused, mut widest) = (0, 0);
    for step in 0..slots * 3 + 1200 {
        let fingerprint = draw(&mut random, params.universe());
        let hash = hash_of(&params, fingerprint);
        let had = oracle.get(&fingerprint).copied().unwrap_or(0);
        assert_eq!(filter.count_hash(hash), had);
        assert_eq!(filter.may_contain_hash(hash), had > 0);
        // Until it is full once; then phases that empty and phases that fill.
        let inserts = if refused == 0 { 9 } else { [3, 7][(step / 300 % 2) as usize] };
        let before = filter.payload().to_vec();
        if random.below(10) < inserts {
            match filter.try_insert_hash(hash) {
                Ok(inserted) => {
                    assert_eq!(inserted == Inserted::MaybeSeen, had > 0);
                    *oracle.entry(fingerprint).or_default() += 1;
                }
                Err(InsertError::Full { capacity, len }) => {
                    assert_eq!((capacity, len), (slots, oracle.values().sum()));
                    assert_eq!(filter.payload(), before, "refused and changed");
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        } else {
            assert_eq!(filter.remove_hash(hash), had > 0);
            match had {
                0 => assert_eq!(filter.payload(), before, "refused and changed"),
                1 => drop(oracle.remove(&fingerprint)),
                _ => *oracle.get_mut(&fingerprint).unwrap() -= 1,
            }
        }
        if step % 37 == 0 {
            assert_same(&filter, &oracle);
            let table = super::block::Table::new(params.shape(), filter.payload());
            widest = (0..params.shape().blocks())
                .map(|block| table.offset(block))
                .max()
                .max(Some(widest))
                .unwrap();
        }
    }
    assert_same(&filter, &oracle);
    assert_eq!(filter.payload(), of(params, &oracle).payload(), "not the one form; refused {refused}");
    for (&fingerprint, &count) in &oracle {
        for _ in 0..count {
            assert!(filter.remove_hash(hash_of(&params, fingerprint)));
        }
    }
    assert!(filter.payload().iter().all(|&byte| byte == 0), "not empty");
    widest
}

#[test]
fn random_operations_agree_with_a_map() {
    for bits in 2..=32 {
        for slots in [1, 2, 3, 17, 63, 64, 65, 100, 127, 128, 129, 200, 1000] {
            let limit = slots + slots / 4 + 8;
            // From a pool a little larger than the table, so that it fills up, with some repeats.
            run_random(slots, bits, |random, universe| {
                crate::bits::scale(mix(random.below(limit)), universe)
            });
        }
    }
}

#[test]
fn random_operations_on_skewed_fingerprints_agree_with_a_map() {
    for bits in [2, 3, 7, 8, 9, 17, 32] {
        for slots in [5, 130, 1000, 1500] {
            // All in a few quotients: runs and clusters of hundreds of slots, offsets beyond 255.
            let widest = run_random(slots, bits, |random, _| {
                let quotient = random.below(3) * 70 % slots;
                (quotient << bits) + random.below(1 << bits.min(12))
            });
            assert!(widest == 255 || bits < 8 || slots < 1000, "{slots} {bits}: {widest}");
            // Many copies of few.
            run_random(slots, bits, |random, universe| random.below(6).min(universe - 1));
        }
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_order_nor_on_the_way() {
    for (slots, bits) in [(1000, 7), (777, 2), (64, 5), (5000, 12)] {
        let params = QuotientParams::new(slots, slots, bits).unwrap();
        let hashes: Vec<u64> = (0..slots * 8 / 10).map(|i| member(i * 7 % (slots * 3 / 4))).collect();
        let mut single = empty(slots, bits);
        let new = hashes.iter().filter(|&&hash| single.try_insert_hash(hash) == Ok(Inserted::New)).count();
        let mut batch = empty(slots, bits);
        assert_eq!(batch.try_insert_hashes(&hashes), Ok(new));
        let mut sorted = hashes.clone();
        sorted.sort_unstable();
        let mut ascending = empty(slots, bits);
        assert_eq!(ascending.try_insert_hashes(&sorted), Ok(new));
        let mut two = empty(slots, bits);
        let (low, high) = sorted.split_at(sorted.len() / 3);
        assert_eq!(two.try_insert_hashes(high).unwrap() + two.try_insert_hashes(low).unwrap(), new);
        sorted.reverse();
        let mut descending = empty(slots, bits);
        assert_eq!(descending.try_insert_hashes(&sorted), Ok(new));
        for other in [&batch, &ascending, &two, &descending] {
            assert_eq!(single.payload(), other.payload());
        }
        assert_sound(&single);
        assert_eq!(params, *single.params());
        let mut hits = Mask::new();
        let asked: Vec<u64> = (0..3000).map(mix).collect();
        single.may_contain_hashes(&asked, &mut hits);
        assert!(asked.iter().zip(hits.iter()).all(|(&hash, hit)| single.may_contain_hash(hash) == hit));
    }
}

#[test]
fn a_batch_stops_at_the_first_refused_as_one_by_one_does() {
    for bits in [2, 6, 20] {
        let params = QuotientParams::new(100, 100, bits).unwrap();
        for repeats in [1, 2, 5, 40] {
            let mut hashes: Vec<u64> = (0..300).map(|i| member(i / repeats)).collect();
            for sorted in [false, true] {
                if sorted {
                    hashes.sort_unstable();
                }
                let mut single = Quotient::new(params, Hasher::default()).unwrap();
                let applied = hashes.iter().position(|&hash| single.try_insert_hash(hash).is_err());
                let mut batch = Quotient::new(params, Hasher::default()).unwrap();
                let done = batch.try_insert_hashes(&hashes);
                assert_eq!(done.err().map(|stopped| stopped.applied), applied);
                assert_eq!(single.payload(), batch.payload());
                assert_sound(&batch);
            }
        }
    }
}

#[test]
fn a_million_copies_of_one_key_take_a_handful_of_slots() {
    for bits in [2, 7, 32] {
        let mut filter = empty(64, bits);
        for _ in 0..1_000_000 {
            filter.try_insert_hash(1 << 63).unwrap();
        }
        assert_eq!(filter.count_hash(1 << 63), 1_000_000);
        assert_sound(&filter);
        assert!(filter.tally().fill < 0.5);
        for _ in 0..1_000_000 {
            assert!(filter.remove_hash(1 << 63));
        }
        assert!(!filter.remove_hash(1 << 63));
        assert!(filter.payload().iter().all(|&byte| byte == 0));
    }
}

#[test]
fn merging_is_inserting_all() {
    for (slots, bits, ours, theirs) in [(1000, 7, 300, 400), (100, 9, 90, 90), (50, 12, 48, 1), (1, 8, 9, 8)]
    {
        let mut a = empty(slots, bits);
        // The same fingerprints, in more slots of fewer bits.
        let mut b = empty(slots * 4, bits - 2);
        insert_all(&mut a, (0..ours).map(member));
        insert_all(&mut b, (ours / 2..ours + theirs).map(member));
        let (before_a, before_b) = (a.payload().to_vec(), b.payload().to_vec());
        let mut merged = a.clone();
        merged.merge_from(&b).unwrap();
        let mut all = Quotient::new(*merged.params(), Hasher::default()).unwrap();
        insert_all(&mut all, (0..ours).map(member));
        insert_all(&mut all, (ours / 2..ours + theirs).map(member));
        assert_eq!(merged.payload(), all.payload());
        assert_sound(&merged);
        assert_eq!(merged.params().universe(), a.params().universe());
        // Merging nothing changes nothing, merging into nothing copies.
        a.merge_from(&empty(slots, bits)).unwrap();
        assert_eq!((a.payload(), b.payload()), (&before_a[..], &before_b[..]));
        let mut copy = empty(slots, bits);
        copy.merge_from(&a).unwrap();
        assert_eq!(copy.payload(), before_a);
    }
}

#[test]
fn a_merge_that_cannot_be_is_refused_with_its_reason() {
    let mut a = empty(100, 4);
    insert_all(&mut a, (0..90).map(member));
    let before = a.payload().to_vec();
    let mut b = a.clone();
    // 180 keys with 1600 fingerprints fit 400 slots of 2 bits, and 450 more do not.
    let mut c = empty(400, 2);
    insert_all(&mut c, (90..440).map(member));
    b.merge_view(&c).unwrap_err();
    assert_eq!(b.merge_view(&c), Err(MergeError::Full { slots: 400, remainder_bits: 2 }));
    assert_eq!((b.payload(), b.params()), (&before[..], a.params()));
    let d = empty(101, 4);
    let differ =
        MergeError::Layout { field: "fingerprint universes", ours: 1600u64.into(), theirs: 1616u64.into() };
    assert_eq!(a.merge_view(&d), Err(differ));
    let e = Quotient::new(*a.params(), Hasher::xxh3(1)).unwrap();
    assert!(matches!(a.merge_view(&e), Err(MergeError::Hash { .. })));
    assert_eq!(a.payload(), before);
}

#[test]
fn hashes_that_pile_up_make_a_merge_full_and_not_a_table_of_all_fingerprints() {
    // Both end in as many of the last fingerprints as fit; doubled to the end it would be a table of 2^24 · 400 bits.
    let mut a = empty(100, 24);
    let params = *a.params();
    let last = |i: u64| hash_of(&params, params.universe() - 1 - i);
    let mut b = a.clone();
    insert_all(&mut a, (0..110).map(|i| last(2 * i)));
    insert_all(&mut b, (0..110).map(|i| last(2 * i + 1)));
    let before = a.payload().to_vec();
    let Err(MergeError::Full { slots, remainder_bits }) = a.merge_view(&b) else { panic!("it fits") };
    assert_eq!((slots << remainder_bits, a.payload()), (params.universe(), &before[..]));
    assert!(slots <= 1600, "{slots}");
}

#[test]
fn counts_end_at_64_bits() {
    let mut a = empty(100, 32);
    a.try_insert_hash(5).unwrap();
    for power in 1..64 {
        a.merge_from(&a.clone()).unwrap();
        assert_eq!(a.count_hash(5), 1 << power);
    }
    assert!(matches!(a.merge_from(&a.clone()), Err(MergeError::Full { .. })));
    assert_eq!(a.count_hash(5), 1 << 63);
    assert_sound(&a);
    // All that 64 bits hold takes three digits of 31 bits, and three could say more.
    let mut b = empty(100, 32);
    b.try_insert_hash(5).unwrap();
    for _ in 0..62 {
        let double = b.clone();
        b.merge_from(&double).unwrap();
        b.try_insert_hash(5).unwrap();
    }
    a.merge_from(&b).unwrap();
    assert_eq!(a.count_hash(5), u64::MAX);
    assert!(a.try_insert_hash(5).is_err() && a.try_insert_hash(u64::MAX).is_err());
    assert_sound(&a);
    let mut payload = a.payload().to_vec();
    let mut table = super::block::TableMut::new(a.params().shape(), &mut payload);
    let (top, digit) = (5, table.read().remainder(5));
    assert_eq!(digit, 3);
    table.set_remainder(top, 7);
    a.params().check(&payload).unwrap_err();
}

#[test]
fn growing_keeps_every_answer() {
    for slots in [1, 3, 64, 100, 1000] {
        let mut filter = empty(slots, 9);
        let keys = slots * 9 / 10;
        insert_all(&mut filter, (0..keys).map(member));
        insert_all(&mut filter, (0..keys / 3).map(|_| member(0)));
        let held: Vec<_> = filter.fingerprints().collect();
        let answers: Vec<bool> = (0..5000).map(|i| filter.may_contain_hash(mix(i))).collect();
        let rate = filter.tally().fpr;
        for bits in (2..9).rev() {
            let growth = filter.grow().unwrap();
            assert_eq!((growth.remainder_bits, growth.slots), (bits, slots << (9 - bits)));
            assert_eq!(growth.fpr, rate);
            assert!(growth.fpr_at_old_capacity < growth.fpr_at_new_capacity);
            assert_eq!(filter.capacity(), growth.slots);
            assert_sound(&filter);
            assert!(filter.fingerprints().eq(held.iter().copied()));
            assert!(answers.iter().zip(0..).all(|(&answer, i)| answer == filter.may_contain_hash(mix(i))));
        }
        let before = filter.payload().to_vec();
        let end = GrowError::OutOfBits { slots: slots << 7, remainder_bits: 2 };
        assert_eq!(filter.grow(), Err(end));
        assert_eq!(filter.payload(), before);
    }
}

#[test]
fn no_payload_makes_an_operation_panic_or_hang() {
    let mut random = Random(99);
    for round in 0..3000u64 {
        let (slots, bits) = (1 + random.below(400), 2 + random.below(31) as u32);
        let mut filter = empty(slots, bits);
        let params = *filter.params();
        if round % 3 == 0 {
            // Noise in place of something that was sound.
            insert_all(&mut filter, (0..slots * 8 / 10).map(|i| mix(i * round)));
        }
        let mut payload = filter.payload().to_vec();
        let density = random.below(9);
        let damages = if round % 3 == 0 { 1 + random.below(8) } else { payload.len() as u64 };
        for i in 0..damages {
            let at = if round % 3 == 0 { random.below(payload.len() as u64) } else { i } as usize;
            payload[at] = match density {
                0 => 0xff,
                1..=4 => (random.next() & random.next()) as u8,
                _ => (random.next() | random.next() >> 8) as u8,
            };
        }
        let hashes: Vec<u64> = (0..60).map(|_| random.next()).collect();
        let mut hits = Mask::new();
        params.probe_many(&payload, &hashes, &mut hits);
        for (&hash, hit) in hashes.iter().zip(hits.iter()) {
            assert_eq!(params.probe(&payload, hash), hit);
            super::probe::count(params.shape(), &payload, hash);
        }
        let taken = super::Fingerprints::new(params.shape(), &payload).count() as u64;
        assert!(taken <= params.shape().physical_slots());
        let tally = params.tally(&payload);
        assert!((0.0..=1.0).contains(&tally.fpr) && (0.0..=1.0).contains(&tally.fill));
        let _ = params.check(&payload);
        // Not promised, since only verified payloads change, but so it is.
        use crate::layout::{Insertable, Removable};
        for &hash in &hashes {
            let _ = params.insert(&mut payload, hash);
            params.remove(&mut payload, hash.rotate_left(7));
        }
    }
}

#[test]
fn check_refuses_every_changed_bit_but_those_that_make_another_multiset() {
    let params = QuotientParams::new(150, 150, 5).unwrap();
    let mut filter = Quotient::new(params, Hasher::default()).unwrap();
    insert_all(&mut filter, (0..100).map(|i| member(i * i / 90)));
    let sound = filter.payload().to_vec();
    params.check(&sound).unwrap();
    let mut accepted = 0;
    for bit in 0..sound.len() * 8 {
        let mut changed = sound.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        match params.check(&changed) {
            Err(OpenError::Invalid { .. }) => {}
            Err(other) => panic!("{other}"),
            Ok(()) => {
                // It must then be what its own fingerprints make.
                accepted += 1;
                let oracle: Oracle = super::Fingerprints::new(params.shape(), &changed).collect();
                assert_eq!(of(params, &oracle).payload(), changed, "bit {bit}");
            }
        }
    }
    // Only remainders may be another's.
    assert!(accepted > 0 && accepted < 100 * 5, "{accepted}");
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (slots, bits) in [(0, 7), (1, 1), (1, 33), (1 << 61, 3), (u64::MAX, 2), ((1 << 61) + 1, 2)] {
        QuotientParams::new(1, slots, bits).unwrap_err();
    }
    let largest = QuotientParams::new(1, 1 << 61, 2).unwrap();
    assert!(Quotient::new(largest, Hasher::default()).is_err());
    assert!(largest.payload_bytes() > 1 << 59);
}

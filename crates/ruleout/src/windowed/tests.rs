//! The bounds hold a tick either side of every rotation, whatever time does; files go on where they were.

use std::collections::HashMap;
use std::println;
use std::string::ToString;
use std::vec::Vec;

use ruleout_testkit::frame::{at, forged, header_len, integer_param};
use ruleout_testkit::keys::{member, members, mix, probe, probes};
use ruleout_testkit::stats::Acceptance;

use super::{Windowed, WindowedConfig};
use crate::{
    AnyFilter, ConfigError, DistinctHashes, Family, Goal, Hasher, Insert, InsertError, Inserted, Len, Mask,
    OpenError, OpenOptions, Params, SecretKey, inspect,
};

const BASES: [Family; 2] = [Family::Bloom, Family::Blocked];

/// A rate at which no false positive is met.
const TINY: f64 = 1e-9;

fn window(base: Family, window: u64, step: u64, fpr: f64) -> Windowed {
    WindowedConfig::fpr(window, step, 1000, fpr).base(base).build().expect("an ordinary recipe")
}

/// 15 minutes in steps of five, in milliseconds, at a millisecond either side of every rotation: B175, B177.
#[test]
fn the_bounds_hold_at_every_rotation() {
    const MINUTE: u64 = 60_000;
    const STEP: u64 = 5 * MINUTE;
    const WINDOW: u64 = 15 * MINUTE;
    for base in BASES {
        for start in [0, 7, 1_000 * STEP, 1_000 * STEP + 7, u64::MAX - 40 * MINUTE] {
            for offset in [0, 1, STEP / 2, STEP - 1] {
                let first = start - start % STEP + offset;
                let mut seen = window(base, WINDOW, STEP, TINY);
                assert_eq!(seen.observe_hash(member(1), first), Inserted::New);
                let around = |rotation: u64| {
                    let edge = (first / STEP + rotation) * STEP;
                    [edge - 1, edge, edge + 1]
                };
                let ends = [first + WINDOW - 1, first + WINDOW, first + WINDOW + STEP];
                let mut times: Vec<u64> = (1..=5).flat_map(around).chain(ends).collect();
                times.sort_unstable();
                for time in times {
                    seen.advance(time);
                    let found = seen.may_contain_hash(member(1));
                    let later = time - first;
                    assert!(found || later >= WINDOW, "forgotten after {later}");
                    assert!(!found || later < WINDOW + STEP, "remembered after {later}");
                }
            }
        }
    }
}

/// Asking as of a later time gives what letting that time pass would, and changes nothing.
#[test]
fn asking_ahead_changes_nothing() {
    for base in BASES {
        let mut seen = window(base, 40, 10, TINY);
        for i in 0..200 {
            seen.observe_hash(member(i), i);
        }
        let bytes = seen.to_bytes();
        for time in [0, 100, 199, 200, 209, 210, 229, 230, 239, 240, 249, 250, 1000, u64::MAX] {
            let mut later = seen.clone();
            later.advance(time);
            for hash in members(250) {
                assert_eq!(seen.may_contain_hash_at(hash, time), later.may_contain_hash(hash), "{time}");
            }
        }
        assert_eq!(seen.to_bytes(), bytes);
    }
}

/// Against the last time of each key, with times that go back and that leap: B175, B177.
#[test]
fn a_stream_agrees_with_an_exact_oracle() {
    for base in BASES {
        for (steps, step) in [(1, 1), (1, 7), (3, 10), (6, 100), (31, 3)] {
            let (width, mut clock) = (steps * step, 0u64);
            let mut seen = window(base, width, step, TINY);
            let mut last: HashMap<u64, u64> = HashMap::new();
            let mut out = [0u32; 3];
            for i in 0..20_000 {
                let random = mix(i);
                let time = match random % 100 {
                    // Behind the clock, which counts as the clock.
                    0..20 => clock.saturating_sub(random >> 8 & 0xff),
                    // Far ahead: all is forgotten.
                    20 if random >> 8 & 7 == 0 => clock + width * 5,
                    _ => clock + (random >> 8) % (width / 50 + 2),
                };
                clock = clock.max(time);
                let key = (random >> 32) % 300;
                let age = last.insert(key, clock).map(|before| clock - before);
                let answer = seen.observe_hash(member(key), time) == Inserted::MaybeSeen;
                match age {
                    Some(age) if age < width => {
                        assert!(answer, "a key {age} old passes in a window of {width}");
                        out[0] += 1;
                    }
                    Some(age) if age < width + step => out[1] += 1,
                    _ => {
                        assert!(!answer, "a new key, or one older than window and step, is dropped");
                        out[2] += 1;
                    }
                }
                assert_eq!(seen.params().clock(), clock);
            }
            assert!(out.iter().all(|&count| count > 0), "{steps} × {step}: {out:?}");
        }
    }
}

#[test]
fn batches_observe_as_single_sightings() {
    for base in BASES {
        let (mut one, mut many) = (window(base, 60, 10, 0.2), window(base, 60, 10, 0.2));
        let mut seen = Mask::new();
        for round in 0..60 {
            let time = round * 3;
            // Repeats within the batch, of earlier ones, and new ones.
            let batch: Vec<u64> = (0..300).map(|i| member(mix(round * 300 + i) % 2000)).collect();
            many.observe_hashes(&batch, time, &mut seen);
            assert_eq!(seen.len(), batch.len());
            for (i, &hash) in batch.iter().enumerate() {
                assert_eq!(one.observe_hash(hash, time) == Inserted::MaybeSeen, seen.get(i), "{round}, {i}");
            }
            assert_eq!(one.to_bytes(), many.to_bytes());
            let mut hits = Mask::new();
            many.may_contain_hashes(&batch, &mut hits);
            assert_eq!(hits.count_ones(), batch.len());
        }
        many.observe_hashes(&[], 1 << 40, &mut seen);
        assert!(many.is_empty() && seen.is_empty());
    }
}

/// A sighting changes the bucket of its tick and no other, and a rotation the one it empties: of two filters side by side, as
/// B124 had it, one is left alone.
#[test]
fn a_sighting_touches_one_bucket() {
    for base in BASES {
        let mut seen = window(base, 30, 10, 0.01);
        for time in 0..200 {
            let before: Vec<Vec<u8>> = (0..4).map(|slot| bucket(&seen, slot).to_vec()).collect();
            assert_eq!(seen.observe_hash(member(time), time), Inserted::New);
            let changed = (0..4).filter(|&slot| bucket(&seen, slot) != before[slot]);
            assert!(changed.eq([(time / 10 % 4) as usize]), "at {time}");
        }
        let before: Vec<Vec<u8>> = (0..4).map(|slot| bucket(&seen, slot).to_vec()).collect();
        assert_eq!(seen.advance(219), 2);
        for (slot, before) in before.iter().enumerate() {
            let emptied = slot == 20 % 4 || slot == 21 % 4;
            assert!(before.iter().any(|&byte| byte != 0));
            assert!(bucket(&seen, slot).iter().all(|&byte| byte == 0) == emptied);
            assert!(emptied || bucket(&seen, slot) == before);
        }
    }
}

fn bucket(filter: &Windowed, slot: usize) -> &[u8] {
    &filter.payload()[filter.params().place(slot)]
}

/// The last tick there is, and steps from the shortest to the longest: nothing wraps, and what is seen at the end of time is
/// remembered there.
#[test]
fn time_ends() {
    for (width, step) in [(1, 1), (1024, 1), (3, 3), (u64::MAX, u64::MAX), (u64::MAX - 1, (u64::MAX - 1) / 2)]
    {
        let mut seen = window(Family::Blocked, width, step, TINY);
        assert_eq!(seen.observe_hash(member(1), 0), Inserted::New);
        assert_eq!(seen.observe_hash(member(1), width - 1), Inserted::MaybeSeen);
        assert_eq!(seen.observe_hash(member(2), u64::MAX), Inserted::New);
        assert_eq!(
            seen.may_contain_hash(member(1)),
            u64::MAX / step - (width - 1) / step < seen.params().lens.len() as u64
        );
        for time in [0, 1, u64::MAX - 1, u64::MAX] {
            assert!(seen.may_contain_hash_at(member(2), time));
            assert_eq!(seen.advance(time), 0);
            assert_eq!(seen.observe_hash(member(2), time), Inserted::MaybeSeen);
        }
        let (newest, sightings) = seen.params().steps().last().expect("one that has begun");
        assert_eq!((newest, sightings), (u64::MAX / step * step, 5));
        let file = seen.to_bytes();
        let again = Windowed::open_verified(&file[..]).expect("its own file");
        assert!(again.may_contain_hash(member(2)) && again.params().clock() == u64::MAX);
    }
}

/// Every bucket as full as it may be: the rate of the whole is at most the one asked for, and the one measured is it.
#[test]
fn full_buckets_keep_the_rate() {
    for base in BASES {
        for (asked, steps) in [(0.01, 6), (0.001, 1), (0.01, 60)] {
            const KEYS: u64 = 2000;
            let recipe = WindowedConfig::fpr(steps * 10, 10, KEYS, asked).base(base);
            let mut filter = recipe.build().expect("an ordinary recipe");
            let mut seen = Mask::new();
            // Twice round, so that what is measured are buckets that were emptied.
            for tick in 0..2 * steps + 3 {
                let batch: Vec<u64> = (tick * KEYS..(tick + 1) * KEYS).map(member).collect();
                filter.observe_hashes(&batch, tick * 10 + 5, &mut seen);
            }
            let built = filter.expected_fpr();
            assert!(built <= asked * 1.02, "{built} as built, {asked} asked for");
            assert!(filter.params().fpr_at(filter.capacity()) <= asked);
            let test = Acceptance::of(built);
            let (mut hits, mut count) = (Mask::new(), 0);
            for batch in probes(test.trials).collect::<Vec<_>>().chunks(4096) {
                filter.may_contain_hashes(batch, &mut hits);
                count += hits.count_ones() as u64;
            }
            println!("{base} × {steps}: asked {asked}, built {built:.4e}, {count} of {}", test.trials);
            test.assert_accepts(count);
        }
    }
}

/// Saved in the midst of a window and reopened, it goes on as what was never saved; the same stream, the same bytes.
#[test]
fn files_go_on_where_they_were() {
    let key = SecretKey::new(*b"sixteen bytes ok");
    let stream = |filter: &mut Windowed, range: std::ops::Range<u64>| {
        range.map(|i| filter.observe_hash(member(mix(i) % 500), i / 3)).collect::<Vec<_>>()
    };
    for base in BASES {
        for (hasher, options) in
            [(Hasher::xxh64(7), OpenOptions::new()), (Hasher::siphash13(&key), OpenOptions::new().key(&key))]
        {
            let recipe = WindowedConfig::fpr(90, 30, 50, 0.02).base(base).hasher(hasher);
            let mut whole = recipe.build().expect("an ordinary recipe");
            let answers = stream(&mut whole, 0..3000);
            let mut replayed = recipe.build().expect("an ordinary recipe");
            assert_eq!(stream(&mut replayed, 0..3000), answers);
            assert_eq!(replayed.to_bytes(), whole.to_bytes());

            for stop in [0, 1, 89, 90, 91, 270, 1234, 2999] {
                let mut first = recipe.build().expect("an ordinary recipe");
                let before = stream(&mut first, 0..stop);
                let file = first.to_bytes();
                let mut written = Vec::new();
                first.write_to(&mut written).expect("a vector takes all");
                assert_eq!(written, file);
                let view = Windowed::open_with(&file[..], &options.verify(true)).expect("its own file");
                assert_eq!((view.params(), view.tally()), (first.params(), first.tally()));
                let mut again = view.to_owned().expect("undamaged");
                assert_eq!(again.to_bytes(), file);
                assert_eq!([before, stream(&mut again, stop..3000)].concat(), answers);
                assert_eq!(again.to_bytes(), whole.to_bytes());
                let any = AnyFilter::open_with(&file[..], &options).expect("of whichever family");
                assert_eq!((any.family(), any.tally()), (Family::Windowed, first.tally()));
                assert_eq!(inspect(&file).expect("its own file").params, any.params());
            }
        }
    }
}

/// The rate at a number of keys is that of the buckets, each with its share of them, one more in some.
#[test]
fn keys_are_spread_evenly() {
    let params = WindowedConfig::fpr(20, 10, 100, 0.1).params().expect("an ordinary recipe");
    let of = |shares: [u64; 3]| {
        1.0 - shares.iter().map(|&keys| 1.0 - params.bucket().fpr_at(keys)).product::<f64>()
    };
    for (keys, shares) in [(0, [0, 0, 0]), (1, [1, 0, 0]), (200, [67, 67, 66]), (300, [100, 100, 100])] {
        assert!((params.fpr_at(keys) - of(shares)).abs() < 1e-9, "{keys}");
    }
    assert!(params.fpr_at(u64::MAX) <= 1.0);
}

/// What is kept of the steps adds up, and a cleared filter is as new.
#[test]
fn steps_are_counted() {
    let mut seen = window(Family::Blocked, 30, 10, 0.01);
    assert_eq!((seen.len(), seen.params().steps().collect::<Vec<_>>()), (Len::Exact(0), [(0, 0)].to_vec()));
    for (time, key) in [(5, 1), (7, 1), (12, 2), (38, 3), (39, 4), (2, 5)] {
        seen.observe_hash(member(key), time);
    }
    assert_eq!(seen.params().steps().collect::<Vec<_>>(), [(0, 2), (10, 1), (20, 0), (30, 3)]);
    assert_eq!(seen.len(), Len::AtMost(6));
    assert_eq!(seen.advance(40), 1);
    assert_eq!(seen.advance(39), 0);
    assert_eq!((seen.len(), seen.params().clock()), (Len::AtMost(4), 40));
    assert_eq!(seen.advance(u64::MAX), 4);
    assert!(seen.is_empty());
    seen.observe_hash(member(9), 0);
    seen.clear();
    assert_eq!(seen.to_bytes(), window(Family::Blocked, 30, 10, 0.01).to_bytes());
}

#[test]
fn senseless_recipes_are_refused() {
    let refused = |window, step| {
        WindowedConfig::fpr(window, step, 10, 0.01).params().expect_err("senseless").to_string()
    };
    assert_eq!(refused(3700, 600), "a window of 3700 is no whole number of steps of 600; 3600 and 4200 are");
    assert_eq!(refused(5, 10), "a window of 5 is no whole number of steps of 10; 10 is");
    assert_eq!(refused(0, 10), "a window of 0 is no whole number of steps of 10; 10 is");
    let beyond = u64::MAX - 1;
    assert!(refused(u64::MAX, 1 << 60).contains("; 17293822569102704640 is"));
    assert!(refused(10, 0).contains("at least 1") && refused(1025, 1).contains("1 to 1024 steps"));
    assert!(WindowedConfig::fpr(1024, 1, 10, 0.01).params().is_ok());
    assert!(WindowedConfig::fpr(beyond, beyond, 10, 0.01).build().is_ok());
    for capacity in [1 << 62, u64::MAX] {
        assert!(WindowedConfig::fpr(10, 1, capacity, 0.01).params().is_err());
    }
    for fpr in [0.0, -1.0, 1.0, f64::NAN] {
        assert!(WindowedConfig::fpr(10, 1, 10, fpr).params().is_err());
    }
    for base in [Family::Cuckoo, Family::Quotient, Family::Windowed, Family::Counting] {
        let needs = WindowedConfig::fpr(10, 1, 10, 0.01).base(base).params().expect_err("not a base");
        assert!(matches!(needs, ConfigError::Needs { family, .. } if family == base), "{needs}");
    }
    // A size is one of the whole.
    for bytes in [448, 1000, 1 << 20] {
        let params = WindowedConfig::size_bytes(60, 10, 100, bytes).params().expect("room for a line each");
        assert!(params.payload_bytes() <= bytes && params.payload_bytes() > bytes / 2);
    }
    let least = WindowedConfig::size_bytes(60, 10, 100, 447).params().expect_err("too small");
    assert_eq!(least, ConfigError::TooSmall { bytes: 447, least: 448 });
    assert!(WindowedConfig::fpr(10, 1, 0, 0.01).build().is_ok());
}

/// Of whichever family it is opened, but takes no keys without a time.
#[test]
fn no_key_goes_in_without_a_time() {
    let mut any = AnyFilter::Windowed(window(Family::Blocked, 10, 1, 0.01));
    let refused = InsertError::Unsupported { family: Family::Windowed };
    assert_eq!(any.try_insert_hash(7), Err(refused));
    assert_eq!(any.try_insert(b"key"), Err(refused));
    assert_eq!(any.try_insert_hashes(&[7]).expect_err("none").source, refused);
    let made =
        AnyFilter::from_distinct(Family::Windowed, Goal::Fpr(0.01), Hasher::default(), DistinctHashes::new());
    assert!(made.expect_err("no window").to_string().contains("needs a window and a step"));
}

fn small_file(base: Family) -> Vec<u8> {
    let mut filter = WindowedConfig::fpr(20, 10, 4, 0.05).base(base).build().expect("an ordinary recipe");
    for (i, hash) in members(8).enumerate() {
        filter.observe_hash(hash, 90 + i as u64 * 4);
    }
    filter.to_bytes()
}

#[test]
fn every_damage_is_refused() {
    for base in BASES {
        let file = small_file(base);
        assert!(Windowed::open_verified(&file[..]).is_ok());
        for bit in 0..file.len() * 8 {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Windowed::open_verified(&flipped[..]).is_err(), "bit {bit}");
            let opened = Windowed::open(&flipped[..]);
            assert_eq!(opened.is_ok(), bit / 8 >= header_len(&file), "bit {bit}");
            assert!(opened.is_err() || opened.is_ok_and(|view| view.to_owned().is_err()), "bit {bit}");
        }
        for end in 0..file.len() {
            assert!(Windowed::open(&file[..end]).is_err(), "truncated to {end}");
        }
        assert!(Windowed::open(&[&file[..], &[0]].concat()[..]).is_err());
    }
}

/// Among them as many buckets as a file likes to say: B077.
#[test]
fn forged_numbers_do_no_harm() {
    const LENS: u64 = 35;
    const CLOCK: u64 = 38;
    let hard = [0, 1, 2, 3, 4, 5, 9, 20, 30, 1023, 1024, 1025, 1 << 32, 1 << 55, 1 << 60, 1 << 63, u64::MAX];
    for base in BASES {
        let file = small_file(base);
        let in_params =
            (0..100).filter_map(|code| integer_param(&file, code)).flat_map(|value| value.step_by(8));
        for at in in_params.chain([at::CAPACITY, at::LEN, at::SEED]) {
            for value in hard {
                let file = forged(&file, at, &u64::to_le_bytes(value));
                let Ok(view) = Windowed::open(&file[..]) else { continue };
                let mut hits = Mask::new();
                view.may_contain_hashes(&members(100).collect::<Vec<_>>(), &mut hits);
                assert!((0.0..=1.0).contains(&view.expected_fpr()));
                assert!(!view.may_contain_hash_at(probe(1), u64::MAX) || view.params().clock() > 1 << 60);
                let Ok(mut copy) = view.to_owned() else { continue };
                assert_eq!(copy.to_bytes(), file, "{value} at {at} is passed over");
                for time in [0, 100, 1 << 62, u64::MAX] {
                    copy.observe_hashes(&members(20).collect::<Vec<_>>(), time, &mut hits);
                    assert!(members(20).all(|hash| copy.may_contain_hash(hash)));
                }
            }
        }
        // A bucket that is said to have no sighting is asked by nobody, singly or in a batch; verification sees its bits.
        let lens = integer_param(&file, LENS).expect("it has them");
        let lying = forged(&file, lens.start + 8, &[0; 8]);
        assert!(Windowed::open_verified(&lying[..]).is_err());
        let view = Windowed::open(&lying[..]).expect("nobody looked");
        let mut hits = Mask::new();
        view.may_contain_hashes(&members(8).collect::<Vec<_>>(), &mut hits);
        assert!(hits.count_ones() < 8 && hits.iter().eq(members(8).map(|hash| view.may_contain_hash(hash))));
        // Nor are there sightings in ticks to come: at time 19, in the third bucket.
        let clock = integer_param(&file, CLOCK).expect("it has one").start;
        for (time, allowed) in [(0, false), (9, false), (19, false), (20, true), (29, true)] {
            let early = Windowed::open(forged(&file, clock, &u64::to_le_bytes(time)));
            assert_eq!(early.is_ok(), allowed, "{time}");
        }
        // As many buckets as it likes to say.
        for len in [0, 7, 8, 16, 32, 8 * 1024, 8 * 1025, 1 << 31, u32::MAX - 7, u32::MAX] {
            let forged = forged(&file, lens.start - 4, &len.to_le_bytes());
            assert!(Windowed::open(&forged[..]).is_err(), "{len} bytes of counts");
        }
        for count in 0..8 {
            for at in [at::PARAMS, at::SECTIONS] {
                let forged = forged(&file, at, &u16::to_le_bytes(count));
                assert!(forged == file || Windowed::open(&forged[..]).is_err());
            }
        }
    }
    let plain = crate::BloomConfig::fpr(10, 0.01).build().expect("ordinary").to_bytes();
    let wrong = OpenError::WrongFamily { expected: Family::Windowed, found: Family::Bloom };
    assert_eq!(Windowed::open(&plain[..]).err(), Some(wrong));
}

/// The bytes that `docs/format.md` describes, as first written.
#[test]
fn bytes_are_pinned() {
    let sum = |base| Hasher::xxh64(0).hash(&small_file(base));
    assert_eq!(
        [sum(Family::Bloom), sum(Family::Blocked)],
        [15_663_274_633_650_739_100, 18_021_739_906_503_876_295]
    );
}

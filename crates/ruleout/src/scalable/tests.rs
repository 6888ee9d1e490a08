//! Growth: the rate holds, nothing is lost, the bound is a bound; and files, whole, damaged and forged.

use std::collections::HashSet;
use std::println;
use std::string::ToString;
use std::vec::Vec;

use ruleout_testkit::frame::{at, forged, header_len, integer_param};
use ruleout_testkit::keys::{member, members, probes};
use ruleout_testkit::stats::Acceptance;

use super::{LayerParams, MAX_LAYERS, Scalable, ScalableConfig, ScalableParams};
use crate::base::BaseParams;
use crate::{
    BloomParams, ConfigError, CuckooParams, Family, Hasher, Header, InsertError, Inserted, Len, Mask,
    OpenError, OpenOptions, Params, SecretKey,
};

const BASES: [Family; 3] = [Family::Bloom, Family::Blocked, Family::Cuckoo];

/// Runs a test for each base family.
macro_rules! for_each_base {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => { $(
        $(#[$doc])*
        #[test]
        fn $name() {
            BASES.into_iter().for_each(cases::$name);
        }
    )+ };
}

fn config(base: Family, first: u64, fpr: f64, growth: u32) -> ScalableConfig {
    ScalableConfig::fpr(first, fpr).base(base).growth(growth)
}

/// A filter grown from `first` keys to `keys` members.
fn grown(base: Family, first: u64, fpr: f64, growth: u32, keys: u64) -> Scalable {
    let mut filter = config(base, first, fpr, growth).build().expect("an ordinary recipe");
    filter.try_insert_hashes(&members(keys).collect::<Vec<_>>()).expect("it grows");
    filter
}

fn finds_all<D: AsRef<[u8]>>(filter: &Scalable<D>, keys: u64) -> bool {
    members(keys).all(|hash| filter.may_contain_hash(hash))
}

/// The rate as built is at most the one asked for, and the one measured is it.
fn measure(filter: &Scalable, asked: f64) {
    let built = filter.expected_fpr();
    assert!(built <= asked, "{built} as built, {asked} asked for");
    let test = Acceptance::of(built);
    let mut hits = Mask::new();
    let mut count = 0;
    for batch in probes(test.trials).collect::<Vec<_>>().chunks(4096) {
        filter.may_contain_hashes(batch, &mut hits);
        count += hits.count_ones() as u64;
    }
    println!(
        "{:>8} × {}: {} layers, {:.2} bits/key of capacity, asked {asked:.1e}, built {built:.4e}, measured {:.4e}",
        filter.params().base().name(),
        filter.params().growth(),
        filter.layers().len(),
        filter.size_bytes() as f64 * 8.0 / filter.capacity() as f64,
        count as f64 / test.trials as f64,
    );
    test.assert_accepts(count);
    assert!(count as f64 <= asked * test.trials as f64, "{count} of {} at {asked}", test.trials);
}

mod cases {
    use super::*;

    pub fn a_thousandfold_growth_keeps_the_rate(base: Family) {
        const KEYS: u64 = 1_000_000;
        for growth in [2, 4] {
            let filter = grown(base, KEYS / 1000, 0.01, growth, KEYS);
            assert!(finds_all(&filter, KEYS));
            measure(&filter, 0.01);
        }
    }

    pub fn full_layers_keep_the_rate(base: Family) {
        for (first, growth, asked) in [(100, 2, 0.01), (1000, 4, 0.001)] {
            let mut filter = config(base, first, asked, growth).build().expect("an ordinary recipe");
            let mut keys = 0;
            // The last key into the fifth layer is the one after which a sixth would be needed.
            while filter.layers().len() < 5
                || filter.params().layers.last().is_some_and(LayerParams::has_room)
            {
                filter.try_insert_hash(member(keys)).expect("it grows");
                keys += 1;
            }
            assert_eq!(filter.layers().len(), 5);
            for layer in filter.layers() {
                assert!(layer.keys() <= layer.params().capacity());
                assert!(layer.params().fpr_at(layer.params().capacity()) <= layer.fpr());
            }
            assert!(finds_all(&filter, keys));
            measure(&filter, asked);
        }
    }

    pub fn what_is_seen_is_not_inserted_again(base: Family) {
        let mut filter = grown(base, 100, 0.01, 2, 1000);
        let (layers, inserted) = (filter.layers().len(), filter.params().inserted());
        let before: Vec<Vec<u8>> = filter.layers().map(|layer| layer.payload.to_vec()).collect();
        for round in 0..50 {
            for hash in members(1000) {
                assert_eq!(filter.try_insert_hash(hash), Ok(Inserted::MaybeSeen), "round {round}");
            }
        }
        assert_eq!((filter.layers().len(), filter.params().inserted()), (layers, inserted));
        assert!(filter.layers().map(|layer| layer.payload).eq(before.iter().map(|bytes| &bytes[..])));
        assert_eq!(filter.len(), Len::AtMost(51_000));
    }

    pub fn each_key_counts_and_touches_one_layer(base: Family) {
        // A rate at which no key is taken for another.
        let mut filter = config(base, 50, 1e-6, 2).build().expect("an ordinary recipe");
        for keys in 0..2000 {
            let before: Vec<Vec<u8>> = filter.layers().map(|layer| layer.payload.to_vec()).collect();
            assert_eq!(filter.try_insert_hash(member(keys)), Ok(Inserted::New), "key {keys}");
            assert_eq!(filter.params().inserted(), keys + 1);
            let changed = filter
                .layers()
                .enumerate()
                .filter(|(i, layer)| before.get(*i).is_none_or(|before| before != layer.payload));
            let newest = filter.layers().len() - 1;
            assert!(changed.map(|(i, _)| i).eq([newest]), "key {keys}");
        }
        assert!(filter.layers().len() >= 6 && finds_all(&filter, 2000));
    }

    pub fn places_are_numbers_of_64_bits(base: Family) {
        let mut params = ScalableParams::new(base, 1 << 32, 0.01, 2, MAX_LAYERS).expect("a number alone");
        let refused = loop {
            match params.next_layer() {
                Ok(layer) => params.layers.push(LayerParams { keys: layer.params.capacity(), ..layer }),
                Err(refused) => break refused,
            }
        };
        assert!(matches!(refused, InsertError::Full { .. }), "{refused:?}");
        assert!(params.layers.len() > 10 && params.payload_bytes() > 1 << 43, "{}", params.layers.len());
        for (i, pair) in params.layers.windows(2).enumerate() {
            let [older, newer] = pair else { unreachable!("two at a time") };
            assert_eq!(newer.params.capacity(), 1 << (33 + i));
            assert!(newer.params.payload_bytes() / 19 > older.params.payload_bytes() / 10);
            assert_eq!(newer.start, (older.start + older.params.payload_bytes()).next_multiple_of(64));
        }
        assert!(params.fpr_at(params.capacity()) <= 0.01);
    }

    pub fn every_layer_is_asked(base: Family) {
        let filter = grown(base, 10, 0.01, 2, 5000);
        let asked: Vec<u64> = members(5000).zip(probes(5000)).flat_map(|(a, b)| [a, b]).collect();
        let file = filter.to_bytes();
        let view = Scalable::open(&file[..]).expect("its own file");
        let mut hits = Mask::new();
        for size in [1, 63, 64, 65, 1000, 10_000] {
            for batch in asked.chunks(size) {
                view.may_contain_hashes(batch, &mut hits);
                assert!(hits.iter().eq(batch.iter().map(|&hash| filter.may_contain_hash(hash))));
            }
        }
        filter.may_contain_hashes(&[], &mut hits);
        assert!(hits.is_empty());
    }

    pub fn the_bound_is_a_bound(base: Family) {
        let recipe = config(base, 10, 0.01, 2).most_layers(3);
        let mut filter = recipe.build().expect("an ordinary recipe");
        let mut inside = Vec::new();
        let refused = loop {
            let hash = member(inside.len() as u64);
            match filter.try_insert_hash(hash) {
                Ok(_) => inside.push(hash),
                Err(refused) => break refused,
            }
            assert!(inside.len() < 200, "no bound");
        };
        let InsertError::Full { capacity: 70, len } = refused else { panic!("{refused:?}") };
        assert!(len <= 70 && len == filter.params().inserted());
        assert_eq!(refused.to_string(), std::format!("full: {len} keys inserted, made for 70"));
        // Reopened, it has the same bound.
        let file = filter.to_bytes();
        let mut again = Scalable::open(&file[..]).and_then(|view| view.to_owned()).expect("undamaged");
        for filter in [&mut filter, &mut again] {
            for hash in probes(50).filter(|&hash| !again_seen(&file, hash)) {
                assert!(filter.try_insert_hash(hash).is_err());
                assert_eq!(filter.to_bytes(), file, "a refused key left a trace");
            }
            // What it may have seen is no new key, and is taken.
            assert_eq!(filter.try_insert_hash(inside[0]), Ok(Inserted::MaybeSeen));
            assert!(inside.iter().all(|&hash| filter.may_contain_hash(hash)));
        }
    }

    fn again_seen(file: &[u8], hash: u64) -> bool {
        Scalable::open(file).is_ok_and(|view| view.may_contain_hash(hash))
    }

    pub fn files_come_back(base: Family) {
        let key = SecretKey::new(*b"sixteen bytes ok");
        for (hasher, options) in
            [(Hasher::xxh64(7), OpenOptions::new()), (Hasher::siphash13(&key), OpenOptions::new().key(&key))]
        {
            for keys in [0, 1, 10, 11, 100, 3000] {
                let mut filter =
                    config(base, 10, 0.02, 2).hasher(hasher.clone()).build().expect("an ordinary recipe");
                for hash in members(keys) {
                    filter.try_insert_hash(hash).expect("it grows");
                }
                let file = filter.to_bytes();
                let mut written = Vec::new();
                filter.write_to(&mut written).expect("a vector takes all");
                assert_eq!(written, file);
                let header = Header::read(&file).expect("its own header");
                assert_eq!((header.family(), header.len()), (Family::Scalable, filter.len()));
                assert_eq!(header.capacity(), filter.capacity());
                for options in [options, options.verify(true)] {
                    let view = Scalable::open_with(&file[..], &options).expect("its own file");
                    assert_eq!((view.params(), view.tally()), (filter.params(), filter.tally()));
                    assert!(finds_all(&view, keys));
                    assert_eq!(view.to_owned().expect("undamaged").to_bytes(), file);
                }
                // What is reopened grows on as what was never saved.
                let view = Scalable::open_with(&file[..], &options).expect("its own file");
                let mut again = view.to_owned().expect("undamaged");
                for hash in probes(500) {
                    assert_eq!(again.try_insert_hash(hash), filter.try_insert_hash(hash));
                }
                assert_eq!(again.to_bytes(), filter.to_bytes());
            }
        }
    }

    pub fn every_damage_is_refused(base: Family) {
        let file = grown(base, 4, 0.05, 2, 20).to_bytes();
        assert!(Scalable::open_verified(&file[..]).is_ok());
        for bit in 0..file.len() * 8 {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Scalable::open_verified(&flipped[..]).is_err(), "bit {bit}");
            let opened = Scalable::open(&flipped[..]);
            assert_eq!(opened.is_ok(), bit / 8 >= header_len(&file), "bit {bit}");
            // No fresh checksum for bytes that nobody verified.
            assert!(opened.is_err() || opened.is_ok_and(|view| view.to_owned().is_err()), "bit {bit}");
        }
        for end in 0..file.len() {
            assert!(Scalable::open(&file[..end]).is_err(), "truncated to {end}");
        }
        assert!(Scalable::open(&[&file[..], &[0]].concat()[..]).is_err());
    }

    pub fn forged_numbers_do_no_harm(base: Family) {
        let filter = grown(base, 4, 0.05, 2, 40);
        let file = filter.to_bytes();
        let hard = [0, 1, 2, 3, 4, 5, 16, 17, 48, 49, 1 << 32, 1 << 55, 1 << 60, 1 << 63, u64::MAX];
        let in_params =
            (0..100).filter_map(|code| integer_param(&file, code)).flat_map(|value| value.step_by(8));
        let places: Vec<usize> = in_params.chain([at::CAPACITY, at::LEN, at::SEED]).collect();
        assert!(places.len() > 4 + 4 * filter.layers().len());
        for at in places {
            for value in hard {
                let file = forged(&file, at, &u64::to_le_bytes(value));
                if let Ok(view) = Scalable::open(&file[..]) {
                    let mut hits = Mask::new();
                    view.may_contain_hashes(&members(100).collect::<Vec<_>>(), &mut hits);
                    assert!((0.0..=1.0).contains(&view.expected_fpr()));
                    if let Ok(mut copy) = view.to_owned() {
                        assert_eq!(copy.to_bytes(), file, "{value} at {at} is passed over");
                        for hash in members(200) {
                            let _ = copy.try_insert_hash(hash);
                        }
                    }
                }
            }
        }
        for count in 0..6 {
            for at in [at::PARAMS, at::SECTIONS] {
                let forged = forged(&file, at, &u16::to_le_bytes(count));
                assert!(forged == file || Scalable::open(&forged[..]).is_err());
            }
        }
        // Lists that are shorter or longer than the file has layers, up to 2^32 bytes of them.
        for list in (0..100).filter_map(|code| integer_param(&file, code)) {
            for len in [0, 7, 8, 16, 32, 40, 48, 384, 392, 1 << 16, 1 << 31, u32::MAX - 7, u32::MAX] {
                let forged = forged(&file, list.start - 4, &len.to_le_bytes());
                assert!(forged == file || Scalable::open(&forged[..]).is_err(), "{len} bytes");
            }
        }
    }

    pub fn a_cleared_filter_is_empty(base: Family) {
        let mut filter = grown(base, 10, 0.01, 2, 1000);
        filter.clear();
        assert!(filter.is_empty() && probes(1000).chain(members(1000)).all(|h| !filter.may_contain_hash(h)));
        assert_eq!(filter.to_bytes(), config(base, 10, 0.01, 2).build().expect("ordinary").to_bytes());
    }

    pub fn senseless_recipes_are_refused(base: Family) {
        let built = |config: ScalableConfig| config.build().map(|_| ());
        for fpr in [0.0, -0.01, 1.0, 5.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(built(config(base, 10, fpr, 2)), Err(ConfigError::OutOfRange { .. })), "{fpr}");
        }
        for growth in [0, 1, 17, u32::MAX] {
            assert!(matches!(built(config(base, 10, 0.01, growth)), Err(ConfigError::OutOfRange { .. })));
        }
        for layers in [0, 49, u32::MAX] {
            assert!(built(config(base, 10, 0.01, 2).most_layers(layers)).is_err());
        }
        for capacity in [1 << 50, u64::MAX] {
            assert!(built(config(base, capacity, 0.01, 2)).is_err());
        }
        built(config(base, 0, 0.01, 2)).expect("a first layer for nobody has room for one");
        assert_eq!(grown(base, 0, 0.01, 2, 5000).layers().len(), 13);
    }
}

for_each_base! {
    /// From n/1000 to n, by 2 and by 4: B034, B036.
    a_thousandfold_growth_keeps_the_rate,
    /// Five layers, each as full as it may be: B035, B038.
    full_layers_keep_the_rate,
    what_is_seen_is_not_inserted_again,
    /// Past the first layer too, a distinct key is new, counts, and changes no other layer: B061, B124.
    each_key_counts_and_touches_one_layer,
    /// A series of more than 2^32 keys is followed as far as 64-bit hashes go: B061.
    places_are_numbers_of_64_bits,
    every_layer_is_asked,
    /// The key for which there is no room is refused, and changes nothing: B101.
    the_bound_is_a_bound,
    files_come_back,
    every_damage_is_refused,
    /// Numbers and lists of layers that the file does not have: B077.
    forged_numbers_do_no_harm,
    a_cleared_filter_is_empty,
    /// No growth at all among them: B101.
    senseless_recipes_are_refused,
}

/// 100 keys at first, 100,000 in the end, a million absent ones asked: B034. No key of the first half is lost when the
/// second is inserted, and again: what B006 and B122 lost by removing cannot be written here.
#[test]
fn nothing_is_lost_on_the_way() {
    let mut filter = grown(Family::Cuckoo, 100, 0.01, 2, 50_000);
    for _ in 0..2 {
        for hash in members(100_000).skip(50_000) {
            filter.try_insert_hash(hash).expect("it grows");
        }
        assert!(finds_all(&filter, 100_000));
    }
    let hits = probes(1_000_000).filter(|&hash| filter.may_contain_hash(hash)).count();
    assert!(hits <= 10_000, "{hits} in a million");
}

/// A cuckoo table that refuses a key within its capacity is done, and a further layer takes the key.
#[test]
fn a_table_that_refuses_is_followed_by_another() {
    let mut params = ScalableParams::new(Family::Cuckoo, 1000, 0.01, 2, MAX_LAYERS).expect("ordinary");
    params.layers[0].params = BaseParams::Cuckoo(CuckooParams::new(1000, 15, 12).expect("a sound shape"));
    let mut filter = Scalable::new(params, Hasher::default()).expect("it is small");
    for hash in members(1500) {
        filter.try_insert_hash(hash).expect("it grows");
    }
    let first = filter.layers().next().expect("there is one").keys();
    assert!((10..=16).contains(&first), "{first} keys in 15 slots");
    assert_eq!(filter.layers().len(), 2);
    assert!(finds_all(&filter, 1500));
    let file = filter.to_bytes();
    assert!(finds_all(&Scalable::open_verified(&file[..]).expect("its own file"), 1500));
}

/// A series that 64-bit hashes cannot follow further ends with an error, and not with a rate above the one asked for.
#[test]
fn a_rate_out_of_reach_is_the_end() {
    const FPR: f64 = 1e-15;
    let mut filter = config(Family::Bloom, 1, FPR, 2).build().expect("the first layer's rate is in reach");
    let mut refused = |keys: u64| filter.try_insert_hash(member(keys)).err();
    let (keys, refused) =
        (0..100_000).find_map(|keys| Some((keys, refused(keys)?))).expect("the hashes' limit");
    assert!(matches!(refused, InsertError::Full { .. }), "{refused:?}");
    assert!(filter.layers().len() < MAX_LAYERS as usize && finds_all(&filter, keys));
    assert!(filter.expected_fpr() <= FPR);
}

/// A file that claims another rate than its layers have gets no further layer that is out of all proportion.
#[test]
fn a_forged_rate_asks_for_no_leap_of_memory() {
    const RATE: u64 = 32;
    let file = grown(Family::Cuckoo, 4, 0.05, 2, 40).to_bytes();
    let at = integer_param(&file, RATE).expect("it has a rate").start;
    let mut refused = 0;
    for rate in [1u64 << 10, 1 << 21, 1 << 30, 1 << 50] {
        let file = forged(&file, at, &rate.to_le_bytes());
        let view = Scalable::open_verified(&file[..]).expect("sound but for its claim");
        let mut copy = view.to_owned().expect("memory");
        let newest = |filter: &Scalable| filter.layers().last().map_or(0, |layer| layer.size_bytes());
        for hash in members(1000) {
            let before = newest(&copy);
            refused += u64::from(copy.try_insert_hash(hash).is_err());
            assert!(newest(&copy) <= 4 * 2 * (before + 1024) + 8, "{before} to {}", newest(&copy));
        }
    }
    assert!(refused > 0, "the rule was put to the test");
}

/// However many layers, their rates add up to no more than was asked for.
#[test]
fn rates_add_up_to_less() {
    for fpr in [0.5, 0.01, 1e-6] {
        let params = ScalableParams::new(Family::Bloom, 1, fpr, 2, MAX_LAYERS).expect("ordinary");
        let sum: f64 = (0..MAX_LAYERS).map(|layer| params.layer_fpr(layer)).sum();
        assert!(sum < fpr && sum > 0.99 * fpr, "{sum} of {fpr}");
        let distinct: HashSet<u64> = (0..MAX_LAYERS).map(|layer| params.layer_fpr(layer).to_bits()).collect();
        assert_eq!(distinct.len(), MAX_LAYERS as usize);
    }
}

/// Other families, and parts that no composition has, are refused by name.
#[test]
fn another_base_is_refused() {
    const BASE: u64 = 30;
    let file = grown(Family::Bloom, 10, 0.01, 2, 100).to_bytes();
    let at = integer_param(&file, BASE).expect("it has a base").start;
    for base in [0, 2, 3, 4, 5, 8, 9, 77, u64::MAX] {
        assert!(Scalable::open(&forged(&file, at, &base.to_le_bytes())[..]).is_err(), "{base}");
    }
    let plain = crate::BloomConfig::fpr(10, 0.01).build().expect("ordinary").to_bytes();
    let wrong = OpenError::WrongFamily { expected: Family::Scalable, found: Family::Bloom };
    assert_eq!(Scalable::open(&plain[..]).err(), Some(wrong));
    let needs = config(Family::Quotient, 10, 0.01, 2).params().err();
    assert!(matches!(needs, Some(ConfigError::Needs { family: Family::Quotient, .. })), "{needs:?}");
}

/// The longest header, of 48 layers, is far below the limit of 64 KiB, and opens.
#[test]
fn the_longest_header_is_short() {
    let mut params = ScalableParams::new(Family::Bloom, 1, 0.5, 2, MAX_LAYERS).expect("ordinary");
    for layer in 1..MAX_LAYERS {
        // Of the right capacity, and too small for it: no reader needs to know the series.
        let capacity = params.layer_capacity(layer).expect("2^47 at most");
        let shape = BaseParams::Bloom(BloomParams::new(capacity, 9, 1).expect("a sound shape"));
        let start = params.payload_bytes().next_multiple_of(64);
        params.layers.push(LayerParams { params: shape, keys: 1, start });
    }
    let filter = Scalable::new(params, Hasher::default()).expect("small");
    let file = filter.to_bytes();
    assert!(header_len(&file) < 4096);
    assert_eq!(Scalable::open_verified(&file[..]).expect("sound").layers().len(), 48);
}

/// The bytes that `docs/format.md` describes, as first written: a change would lose the keys of every file. The numbers
/// of absent keys answered "maybe" are those that `docs/reader.py` counted in these files.
#[test]
fn bytes_are_pinned() {
    fn file(base: Family) -> (u64, usize) {
        let filter = grown(base, 20, 0.05, 2, 300);
        let hits = probes(4096).filter(|&hash| filter.may_contain_hash(hash)).count();
        (Hasher::xxh64(0).hash(&filter.to_bytes()), hits)
    }
    assert_eq!(file(Family::Bloom), (6_827_198_707_190_370_174, 61));
    assert_eq!(file(Family::Blocked), (14_560_843_710_956_747_303, 78));
    assert_eq!(file(Family::Cuckoo), (13_130_106_738_538_695_899, 62));
}

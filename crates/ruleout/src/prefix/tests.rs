//! No beginning of a key is ever called absent, whatever the extractor; contracts are checked; files come back.

use std::collections::BTreeSet;
use std::string::ToString;
use std::vec::Vec;

use ruleout_testkit::frame::{at, forged, header_len, integer_param};
use ruleout_testkit::keys::mix;
use ruleout_testkit::stats::Acceptance;

use super::{Extractor, MAX_NAME, Prefix, PrefixConfig, PrefixError};
use crate::{
    AnyFilter, ConfigError, Family, Hasher, Insert, InsertError, Inserted, Len, Mask, OpenError, OpenOptions,
    Params, SecretKey, inspect,
};

const BASES: [Family; 2] = [Family::Bloom, Family::Blocked];

/// A length in the first byte, and another in the byte behind that.
fn counted() -> Extractor {
    let rule = |key: &[u8]| {
        let first = 1 + usize::from(*key.first()? % 4);
        let second = first + 1 + usize::from(*key.get(first)? % 3);
        (key.len() >= second).then_some(second)
    };
    Extractor::custom("counted-twice", rule).expect("a sound name")
}

fn extractors() -> Vec<Extractor> {
    let fixed = [0, 1, 2, 3, 7].map(Extractor::fixed);
    let up_to = [1, 2, 3].map(|nth| Extractor::up_to_nth(b'/', nth));
    fixed.into_iter().chain(up_to).chain([Extractor::up_to(0), counted()]).collect()
}

/// Extractors that break the contract, some for few keys only.
fn broken() -> Vec<Extractor> {
    let last = |key: &[u8]| key.iter().rposition(|&byte| byte == b'/').map(|at| at + 1);
    let before = |key: &[u8]| Some(key.iter().position(|&byte| byte == b'/').unwrap_or(key.len()));
    let parity = |key: &[u8]| Some(key.len() % 2).filter(|&len| len <= key.len());
    [
        Extractor::custom("all-but-2", |key: &[u8]| key.len().checked_sub(2)),
        Extractor::custom("up-to-the-last", last),
        Extractor::custom("before-the-first", before),
        Extractor::custom("half", |key: &[u8]| Some(key.len() / 2)),
        Extractor::custom("beyond", |key: &[u8]| Some(key.len() + 1)),
        Extractor::custom("far-beyond", |_: &[u8]| Some(usize::MAX)),
        Extractor::custom("parity", parity),
    ]
    .map(|extractor| extractor.expect("a sound name"))
    .to_vec()
}

/// Short random keys of few different bytes, the empty key among them.
fn random_key(i: u64) -> Vec<u8> {
    let random = mix(i);
    let len = random % 9;
    (0..len).map(|at| b"/ab\0\x01/c"[(mix(random ^ at) % 7) as usize]).collect()
}

/// Whether a key of the set begins with `start`.
fn begins(set: &BTreeSet<Vec<u8>>, start: &[u8]) -> bool {
    set.range(start.to_vec()..).next().is_some_and(|key| key.starts_with(start))
}

/// Puts random keys into `filter`, and asks for everything: B022, B025, B026. Gives how many keys were refused, and how
/// many answers were "absent".
fn agrees_with_a_sorted_set(mut filter: Prefix) -> (u32, u32) {
    let (mut set, mut refused, mut absent) = (BTreeSet::new(), 0, 0);
    for i in 0..150 {
        let (key, before) = (random_key(i), filter.to_bytes());
        match filter.insert(&key) {
            Ok(_) => drop(set.insert(key)),
            Err(PrefixError::Contract { .. }) => {
                assert_eq!(filter.to_bytes(), before, "a refused key left a trace");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    let beginnings = set.iter().flat_map(|key| (0..=key.len()).map(|len| key[..len].to_vec()));
    let elsewhere = (1000..1500).map(|i| [b"\x02x/x/x/", &random_key(i)[..]].concat());
    let asked: Vec<Vec<u8>> = beginnings.chain((1000..3000).map(random_key)).chain(elsewhere).collect();
    let (mut starts, mut keys) = (Mask::new(), Mask::new());
    filter.may_contain_prefixes(&asked, &mut starts);
    filter.may_contain_keys(&asked, &mut keys);
    for (i, start) in asked.iter().enumerate() {
        let answer = filter.may_contain_prefix(start);
        assert_eq!(answer, starts.get(i));
        assert!(answer || !begins(&set, start), "{} begins a key", start.escape_ascii());
        let whole = filter.may_contain(start);
        assert_eq!(whole, keys.get(i));
        assert!(whole || !set.contains(start), "{} is a key", start.escape_ascii());
        absent += u32::from(!answer) + u32::from(!whole);
    }
    (refused, absent)
}

#[test]
fn no_beginning_of_a_key_is_called_absent() {
    for base in BASES {
        for extractor in extractors() {
            let recipe = PrefixConfig::fpr(extractor.clone(), 300, 0.001).base(base);
            for recipe in [recipe.clone(), recipe.prefixes_only()] {
                let (refused, absent) = agrees_with_a_sorted_set(recipe.build().expect("ordinary"));
                assert_eq!(refused, 0, "{extractor:?}");
                // All keys have the empty prefix.
                assert!(absent > 100 || extractor.name() == "fixed:0", "{extractor:?}: {absent}");
            }
        }
    }
}

/// Nor of a long key of any bytes, under extractors whose prefixes are long or reach over many delimiters.
#[test]
fn long_keys_are_found_by_their_beginnings() {
    let key = |i: u64| -> Vec<u8> { (0..mix(i) % 300).map(|at| mix(i << 32 | at) as u8).collect() };
    let extractors = [Extractor::fixed(200), Extractor::up_to(0x80), Extractor::up_to_nth(0, 2), counted()];
    for extractor in extractors {
        let mut filter = PrefixConfig::fpr(extractor.clone(), 600, 1e-4).build().expect("ordinary");
        (0..300).for_each(|i| assert!(filter.insert(&key(i)).is_ok()));
        let mut absent = 0;
        for i in 0..600 {
            let (key, known) = (key(i), i < 300);
            let mut starts = (0..=key.len()).map(|len| filter.may_contain_prefix(&key[..len]));
            assert!(!known || starts.by_ref().all(|found| found), "{extractor:?}");
            assert!(!known || filter.may_contain(&key));
            absent += u32::from(starts.any(|found| !found));
        }
        assert!(absent > 20, "{extractor:?}: {absent} rule something out");
    }
}

/// Not even by an extractor that breaks its contract: what it breaks it at does not go in.
#[test]
fn broken_contracts_are_refused() {
    for extractor in broken() {
        let recipe = PrefixConfig::fpr(extractor.clone(), 300, 0.001);
        for recipe in [recipe.clone(), recipe.prefixes_only()] {
            let (refused, _) = agrees_with_a_sorted_set(recipe.build().expect("ordinary"));
            assert!(refused > 10, "{extractor:?}: {refused}");
        }
    }
    let mut filter = PrefixConfig::fpr(broken().swap_remove(0), 10, 0.01).build().expect("ordinary");
    let error = filter.insert(b"20240131120000").expect_err("it cuts what is cut");
    let expected = "the extractor \"all-but-2\" breaks its contract: a key of 14 bytes has a prefix of 12 bytes, its \
                    first 2 bytes have a prefix of 0 bytes";
    assert_eq!(error.to_string(), expected);
}

/// The bare beginning of two tenants' names is outside the domain, and both are found by it: B025.
#[test]
fn a_bare_beginning_is_found() {
    let mut filter = PrefixConfig::fpr(Extractor::up_to(b'/'), 10, 1e-6).build().expect("ordinary");
    for key in [&b"123:example.com/blog"[..], b"123:example.com.my/john"] {
        assert_eq!(filter.insert(key), Ok(Inserted::New));
        assert_eq!(filter.insert(key), Ok(Inserted::MaybeSeen));
        assert!((0..=key.len()).all(|len| filter.may_contain_prefix(&key[..len])));
    }
    assert!(filter.may_contain_prefix(b"123:example.com"));
    assert!(!filter.may_contain_prefix(b"123:example.org/") && !filter.may_contain_prefix(b"/"));
    // A key is not taken for a prefix, nor a prefix for a key.
    assert!(!filter.may_contain(b"123:example.com/"));
    filter.insert(b"lone").expect("a key without a prefix");
    assert!(filter.may_contain(b"lone") && !filter.may_contain_prefix(b"lone/"));
    assert_eq!(filter.len(), Len::AtMost(5));
}

/// A scan that leaves out the runs a filter rules out finds what a scan of all finds, in both directions, from keys at the
/// edges of a run and beyond its last: B022, B024.
#[test]
fn scans_that_skip_runs_miss_nothing() {
    let seeks =
        ["P1", "P1/", "P1/K1", "P1/K3", "P2/K0", "P2/K1", "P2/K9", "P3/K1", "P3/K2", "P3/K9", "P4/", "Q"];
    // As B024 has them, and keys before and behind.
    let runs: [&[&str]; 4] = [&["P1/K1", "P1/K2"], &["P2/K1", "P3/K1"], &["P3/K2"], &["P5/K1", "lone"]];
    for extractor in [Extractor::up_to(b'/'), Extractor::fixed(2), Extractor::fixed(5)] {
        let filters = runs.iter().map(|run| {
            let recipe = PrefixConfig::fpr(extractor.clone(), 10, 1e-6).prefixes_only();
            let mut filter = recipe.build().expect("ordinary");
            run.iter().for_each(|key| assert!(filter.insert(key.as_bytes()).is_ok()));
            filter
        });
        let filters: Vec<Prefix> = filters.collect();
        let mut skipped = 0;
        for from in seeks {
            let kept = |&(run, _): &(usize, &str)| filters[run].may_contain_prefix(from.as_bytes());
            let Some(prefix) = extractor.prefix(from.as_bytes()) else {
                assert!((0..runs.len()).all(|run| kept(&(run, ""))), "{from} is outside the domain");
                continue;
            };
            let keys =
                || runs.iter().enumerate().flat_map(|(run, keys)| keys.iter().map(move |&key| (run, key)));
            let within = |&(_, key): &(usize, &str)| key.as_bytes().starts_with(prefix);
            let (next, before) = (|key: &&str| *key >= from, |key: &&str| *key <= from);
            let all = || keys().filter(within).map(|(_, key)| key);
            let some = || keys().filter(kept).filter(within).map(|(_, key)| key);
            assert_eq!(some().find(next), all().find(next), "{from}, {extractor:?}");
            assert_eq!(some().rfind(before), all().rfind(before), "{from}, {extractor:?}");
            skipped += (0..runs.len()).filter(|&run| !kept(&(run, ""))).count();
        }
        assert!(skipped > 10, "{extractor:?} skips {skipped} runs");
    }
}

#[test]
fn the_rate_is_that_of_the_filter_beneath() {
    const TENANTS: u64 = 5000;
    for base in BASES {
        let recipe = PrefixConfig::fpr(Extractor::fixed(8), 3 * TENANTS, 0.01).base(base);
        let mut filter = recipe.build().expect("ordinary");
        let key = |tenant: u64, order: u64| [mix(tenant).to_be_bytes(), order.to_be_bytes()].concat();
        for tenant in 0..TENANTS {
            for order in 0..2 {
                filter.insert(&key(2 * tenant, order)).expect("it is known");
            }
        }
        let test = Acceptance::of(filter.expected_fpr());
        let starts: Vec<[u8; 8]> = (0..test.trials).map(|i| mix(2 * i + 1).to_be_bytes()).collect();
        let (mut hits, mut count) = (Mask::new(), 0);
        for batch in starts.chunks(4096) {
            filter.may_contain_prefixes(batch, &mut hits);
            count += hits.count_ones() as u64;
        }
        test.assert_accepts(count);
        assert!(filter.expected_fpr() <= 0.0102 && filter.params().fpr_at(filter.capacity()) <= 0.01);
    }
}

fn small_file(base: Family, extractor: Extractor) -> Vec<u8> {
    let mut filter = PrefixConfig::fpr(extractor, 12, 0.02).base(base).build().expect("ordinary");
    for key in ["acme/1", "acme/2", "bolt/1", "bare"] {
        filter.insert(key.as_bytes()).expect("a known extractor");
    }
    filter.to_bytes()
}

#[test]
fn files_come_back() {
    let key = SecretKey::new(*b"sixteen bytes ok");
    for (hasher, options) in
        [(Hasher::xxh64(7), OpenOptions::new()), (Hasher::siphash13(&key), OpenOptions::new().key(&key))]
    {
        for extractor in extractors() {
            let recipe = PrefixConfig::fpr(extractor.clone(), 40, 0.02).hasher(hasher.clone());
            for recipe in [recipe.clone(), recipe.prefixes_only()] {
                let mut filter = recipe.build().expect("ordinary");
                (0..30).for_each(|i| assert!(filter.insert(&random_key(i)).is_ok()));
                let file = filter.to_bytes();
                let mut written = Vec::new();
                filter.write_to(&mut written).expect("a vector takes all");
                assert_eq!(written, file);
                let view = Prefix::open_with(&file[..], &options.verify(true)).expect("its own file");
                assert_eq!((view.params(), view.tally()), (filter.params(), filter.tally()));
                let built_in = extractor.name() != "counted-twice";
                assert_eq!(view.params().extractor().is_known(), built_in);
                // Until it is given an extractor, prefixes are answered "maybe".
                assert!((0..999).all(|i| {
                    let start = random_key(i);
                    built_in || view.may_contain_prefix(&start)
                }));
                let mut again = view.to_owned().expect("undamaged");
                assert_eq!(again.to_bytes(), file);
                assert_eq!(again.insert(b"another").is_ok(), built_in);
                let mut again =
                    view.with_extractor(extractor.clone()).expect("its own").to_owned().expect("undamaged");
                for i in 0..999 {
                    let start = random_key(i);
                    assert_eq!(again.may_contain_prefix(&start), filter.may_contain_prefix(&start));
                    assert_eq!(again.may_contain(&start), filter.may_contain(&start));
                }
                again.insert(b"another").expect("known");
                filter.insert(b"another").expect("known");
                assert_eq!(again.to_bytes(), filter.to_bytes());

                let any = AnyFilter::open_with(&file[..], &options).expect("of whichever family");
                assert_eq!(any.family(), Family::Prefix);
                assert_eq!(inspect(&file).expect("its own file").params, any.params());
                assert!((0..30).all(|i| any.may_contain(&random_key(i))));
            }
        }
    }
}

#[test]
fn another_extractor_is_refused() {
    let file = small_file(Family::Bloom, Extractor::up_to(b'/'));
    for other in [Extractor::up_to(b':'), Extractor::up_to_nth(b'/', 2), Extractor::fixed(4), counted()] {
        let refused = Prefix::open(&file[..]).expect("its own file").with_extractor(other.clone());
        let error = refused.expect_err("another").to_string();
        assert!(error.contains("up-to:2f:1") && error.contains(other.name()), "{error}");
    }
    let file = small_file(Family::Bloom, counted());
    let mut copy = Prefix::open(&file[..]).and_then(|view| view.to_owned()).expect("its own file");
    let unknown = PrefixError::Unknown { name: "counted-twice".into() };
    assert_eq!(copy.insert(b"key").expect_err("not given"), unknown);
    assert_eq!(copy.to_bytes(), file);
    for name in ["", "fixed:7", "fixed:x", "up-to:2f:1", "up-to:", &"x".repeat(MAX_NAME + 1)] {
        let refused = Extractor::custom(name, |_| None).expect_err("a name that is taken");
        assert_eq!(refused, PrefixError::Name { name: name.into() });
    }
    assert!(Extractor::custom(&"x".repeat(MAX_NAME), |_| None).is_ok());
}

/// One name for one extractor; what no writer gives is not taken for something like it.
#[test]
fn names_come_back() {
    for extractor in [Extractor::fixed(u32::MAX), Extractor::up_to_nth(0xff, u32::MAX), Extractor::up_to(0)] {
        let again = Extractor::named(extractor.name().as_bytes()).expect("its own name");
        assert!(again == extractor && again.is_known());
    }
    for name in [
        "fixed:",
        "fixed:08",
        "fixed:+8",
        "fixed:4294967296",
        "fixed:-1",
        "up-to:2f",
        "up-to:2F:1",
        "up-to:f:1",
        "up-to:2f:0",
        "up-to:2f:01",
        "up-to:100:1",
        "up-to:2f:1:1",
        "",
    ] {
        assert!(Extractor::named(name.as_bytes()).is_none(), "{name}");
    }
    assert!(Extractor::named(b"\xff").is_none());
    assert!(Extractor::named(b"mine").is_some_and(|extractor| !extractor.is_known()));
}

#[test]
fn senseless_recipes_are_refused() {
    for base in [Family::Cuckoo, Family::Quotient, Family::Scalable, Family::Prefix] {
        let needs =
            PrefixConfig::fpr(Extractor::fixed(1), 10, 0.01).base(base).params().expect_err("no base");
        assert!(matches!(needs, ConfigError::Needs { family, .. } if family == base), "{needs}");
    }
    for fpr in [0.0, 1.0, f64::NAN] {
        assert!(PrefixConfig::fpr(Extractor::fixed(1), 10, fpr).params().is_err());
    }
    let mut any =
        AnyFilter::Prefix(PrefixConfig::fpr(Extractor::fixed(1), 10, 0.01).build().expect("ordinary"));
    let refused = InsertError::Unsupported { family: Family::Prefix };
    assert_eq!(any.try_insert(b"key"), Err(refused));
}

#[test]
fn every_damage_is_refused() {
    for base in BASES {
        for extractor in [Extractor::up_to(b'/'), counted()] {
            let file = small_file(base, extractor);
            for bit in 0..file.len() * 8 {
                let mut flipped = file.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert!(Prefix::open_verified(&flipped[..]).is_err(), "bit {bit}");
                let opened = Prefix::open(&flipped[..]);
                assert_eq!(opened.is_ok(), bit / 8 >= header_len(&file), "bit {bit}");
                assert!(opened.is_err() || opened.is_ok_and(|view| view.to_owned().is_err()), "bit {bit}");
            }
            for end in 0..file.len() {
                assert!(Prefix::open(&file[..end]).is_err(), "truncated to {end}");
            }
        }
    }
}

#[test]
fn forged_numbers_do_no_harm() {
    const WHOLE_KEYS: u64 = 40;
    let hard = [0, 1, 2, 5, 64, 65, 1 << 32, 1 << 55, 1 << 60, u64::MAX];
    for base in BASES {
        let file = small_file(base, Extractor::up_to(b'/'));
        let in_params = (0..100).filter_map(|code| integer_param(&file, code)).map(|value| value.start);
        for at in in_params.chain([at::CAPACITY, at::LEN, at::SEED]) {
            for value in hard {
                let file = forged(&file, at, &u64::to_le_bytes(value));
                let Ok(view) = Prefix::open(&file[..]) else { continue };
                let mut hits = Mask::new();
                view.may_contain_prefixes(&[&b"acme/"[..], b"", b"x"], &mut hits);
                assert!((0.0..=1.0).contains(&view.expected_fpr()));
                let Ok(mut copy) = view.to_owned() else { continue };
                assert_eq!(copy.to_bytes(), file, "{value} at {at} is passed over");
                assert!(copy.insert(b"new/1").is_err() || copy.may_contain_prefix(b"new/"));
            }
        }
        // Without whole keys in it, nothing is known of one: another flag loses none.
        let at = integer_param(&file, WHOLE_KEYS).expect("it says").start;
        let without = forged(&file, at, &[0]);
        assert!(Prefix::open(&without[..]).expect("sound").may_contain(b"bare"));
        assert!(Prefix::open(&forged(&file, at, &[2])[..]).is_err());
    }
    let plain = crate::BloomConfig::fpr(10, 0.01).build().expect("ordinary").to_bytes();
    let wrong = OpenError::WrongFamily { expected: Family::Prefix, found: Family::Bloom };
    assert_eq!(Prefix::open(&plain[..]).err(), Some(wrong));
}

/// The bytes that `docs/format.md` describes, as first written.
#[test]
fn bytes_are_pinned() {
    let sum = |base| Hasher::xxh64(0).hash(&small_file(base, Extractor::up_to(b'/')));
    assert_eq!(
        [sum(Family::Bloom), sum(Family::Blocked)],
        [11_666_351_625_092_250_512, 3_223_056_252_176_247_382]
    );
}

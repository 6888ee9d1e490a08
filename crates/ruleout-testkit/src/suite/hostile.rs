//! Files made to do harm: whatever the bytes, opening gives a filter or an error, and a filter answers.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use ruleout::{AnyFilter, AnyParams, HashFilter, Header, Mask, inspect};

use super::{built, member_hashes};
use crate::frame::{at, forged, header_len, integer_param, reseal};
use crate::hashers::identities;
use crate::keys::{CORNERS, members};
use crate::{Recipe, Subject};

/// How many files are forged; the same in every run.
const CASES: u32 = 4_000;

/// One change to a file.
#[derive(Clone, Debug)]
enum Edit {
    /// Flips a bit.
    Flip(usize),
    /// Overwrites a byte.
    Byte(usize, u8),
    /// Overwrites one of the header's 8-byte fields.
    Word(usize, u64),
    /// Adds a little to one of the header's 8-byte fields, so that it stays plausible.
    Nudge(usize, i8),
    /// Cuts the file.
    Cut(usize),
    /// Lengthens the file.
    Extend(Vec<u8>),
}

impl Edit {
    fn apply(&self, file: &mut Vec<u8>) {
        // Positions are taken modulo what there is, so that every edit does something.
        let words = file.len().min(256) / 8;
        match *self {
            Self::Flip(bit) if !file.is_empty() => {
                let bit = bit % (file.len() * 8);
                file[bit / 8] ^= 1 << (bit % 8);
            }
            Self::Byte(at, byte) if !file.is_empty() => {
                let len = file.len();
                file[at % len] = byte;
            }
            Self::Word(at, value) if words > 0 => {
                file[at % words * 8..][..8].copy_from_slice(&value.to_le_bytes());
            }
            Self::Nudge(at, by) if words > 0 => {
                let word = &mut file[at % words * 8..][..8];
                let value = word.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
                word.copy_from_slice(&value.wrapping_add_signed(by.into()).to_le_bytes());
            }
            Self::Cut(len) => file.truncate(len % (file.len() + 1)),
            Self::Extend(ref bytes) => file.extend(bytes),
            _ => {}
        }
    }
}

/// Numbers at which others' readers broke: B071, B080, B082, B083.
fn hard_numbers() -> impl Strategy<Value = u64> {
    prop_oneof![
        prop::sample::select(vec![0, 1, 63, 64, 65, (1 << 31) - 1, 1 << 32, 1 << 55, 1 << 60, (1 << 63) + 1]),
        (u64::MAX - 70..=u64::MAX),
        (0..u64::from(u16::MAX)),
        any::<u64>(),
    ]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        4 => any::<usize>().prop_map(Edit::Flip),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        4 => (any::<usize>(), hard_numbers()).prop_map(|(at, value)| Edit::Word(at, value)),
        4 => (any::<usize>(), any::<i8>()).prop_map(|(at, by)| Edit::Nudge(at, by)),
        1 => any::<usize>().prop_map(Edit::Cut),
        1 => vec(any::<u8>(), 0..70).prop_map(Edit::Extend),
    ];
    vec(edit, 1..5)
}

/// Mutated files, most with right checksums over the damage: B074, B076, B079, B080, B082, B083, B087.
pub fn forged_files_do_no_harm<S: Subject>() {
    let files: Vec<(Recipe, Vec<u8>)> =
        (identities().iter().map(|identity| (identity.apply(&Recipe::fpr(20, 0.05)), 20)))
            .chain([(Recipe::fpr(1, 0.5), 1), (Recipe::fpr(0, 0.01), 0), (Recipe::fpr(500, 0.01), 500)])
            .map(|(recipe, keys)| {
                let file = S::save(&built::<S>(&recipe, &member_hashes(keys)));
                (recipe, file)
            })
            .collect();
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    // The generator's seed is a constant of proptest.
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let opened = Cell::new(0);
    let strategy = (prop::sample::select(files), edits(), prop::bool::weighted(0.8));
    let outcome = runner.run(&strategy, |((recipe, mut file), edits, repair)| {
        edits.iter().for_each(|edit| edit.apply(&mut file));
        if repair {
            reseal(&mut file);
        }
        opened.set(opened.get() + u32::from(exercise::<S>(&recipe, &file)));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let opened = opened.get();
    // Or else the forger is no good and nothing was tested. Of compositions, whose numbers have to agree, fewer open.
    assert!(opened > CASES / 20, "only {opened} of {CASES} forged files opened");
}

/// Does everything that can be done with outside bytes; gives whether they opened as `S`.
fn exercise<S: Subject>(recipe: &Recipe, file: &[u8]) -> bool {
    let (fast, sure) = (recipe.options(), recipe.options().verify(true));
    let header = Header::read(file);
    if let Ok(header) = &header {
        let _ = header.check_file_len(file.len() as u64);
        if let Ok(params) = AnyParams::read(header) {
            let now = params.fpr_now(header.len()).unwrap_or(0.0);
            for rate in [params.fpr_at(header.len().bound().unwrap_or(params.capacity())), now] {
                assert!((0.0..=1.0).contains(&rate), "{params:?} has the rate {rate}");
            }
        }
    }
    let inspected = inspect(file);
    let verified = S::open(file, &sure).ok();
    if let Some(filter) = &verified {
        assert!(inspected.is_ok());
        answer(filter);
        // What is accepted is in every byte what would have been written: nothing is passed over.
        assert_eq!(S::save(&S::copy(filter).expect("verified")), file);
    }
    if let Ok(any) = AnyFilter::open_with(file, &fast) {
        answer(&any);
        let _ = any.to_owned();
    }
    let view = S::open(file, &fast);
    if let Ok(filter) = &view {
        answer(filter);
        assert_eq!(S::copy(filter).is_ok(), verified.is_some());
    }
    assert!(view.is_ok() || verified.is_none(), "verified, yet not opened");
    assert!(header.is_ok() || view.is_err());
    view.is_ok()
}

fn answer(filter: &impl HashFilter) {
    let hashes: Vec<u64> = CORNERS.into_iter().chain(members(64)).collect();
    let mut hits = Mask::new();
    filter.may_contain_hashes(&hashes, &mut hits);
    assert!(hits.iter().eq(hashes.iter().map(|&hash| filter.may_contain_hash(hash))));
    let rate = filter.expected_fpr();
    assert!((0.0..=1.0).contains(&rate), "a rate of {rate}");
    filter.may_contain(b"key");
}

/// Each integer parameter at each hard value is refused, or makes a filter that answers; none allocates: B080,
/// B082, B083.
pub fn senseless_parameters_do_no_harm<S: Subject>() {
    let recipe = Recipe::fpr(100, 0.01);
    let file = S::save(&built::<S>(&recipe, &member_hashes(100)));
    let hard = [0, 1, 65, 1 << 31, 1 << 32, 1 << 55, 1 << 60, 1 << 61, 1 << 63, (1 << 63) + 1, u64::MAX];
    let places: Vec<usize> = (0..100)
        .filter_map(|code| integer_param(&file, code))
        .map(|value| value.start)
        .chain([at::CAPACITY, at::LEN, at::SEED, header_len(&file) - 8])
        .collect();
    assert!(places.len() > 4, "no parameter was found");
    for at in places {
        for value in hard {
            exercise::<S>(&recipe, &forged(&file, at, &value.to_le_bytes()));
        }
    }
}

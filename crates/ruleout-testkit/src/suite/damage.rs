//! Damaged files: truncated, flipped, foreign, newer, of the wrong key.

use ruleout::{AnyFilter, HashFilter, Header, KeyError, OpenError, OpenOptions, SecretKey, inspect};

use super::{KEYS, as_any, built, member_hashes, small_recipe};
use crate::frame::{at, forged, header_len, payload};
use crate::hashers::identities;
use crate::{Recipe, Subject};

/// Files small enough to flip every bit of: one with a keyed hash, and one that holds no key.
fn files<S: Subject>() -> Vec<(Recipe, Vec<u8>)> {
    let keyed = identities().into_iter().find(|identity| identity.key.is_some()).expect("there is one");
    let recipes = [keyed.apply(&Recipe::fpr(30, 0.02)), Recipe::fpr(30, 0.02), Recipe::fpr(3, 0.5)];
    let save = |recipe: Recipe, keys| {
        let file = S::save(&built::<S>(&recipe, &member_hashes(keys)));
        (recipe, file)
    };
    recipes.into_iter().zip([30, 30, 0]).map(|(recipe, keys)| save(recipe, keys)).collect()
}

fn flips(file: &[u8], bytes: usize) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    (0..bytes * 8).map(|bit| {
        let mut flipped = file.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        (bit, flipped)
    })
}

/// `open` refuses every truncation, every wrong length and every flip of a header's bit: B076, B079, B080.
pub fn open_refuses_every_damage_to_the_header<S: Subject>() {
    for (recipe, file) in files::<S>() {
        let options = recipe.options();
        let refused =
            |file: &[u8]| S::open(file, &options).is_err() && AnyFilter::open_with(file, &options).is_err();
        for end in 0..file.len() {
            assert!(refused(&file[..end]), "truncated to {end} of {} bytes", file.len());
            if end < header_len(&file) {
                assert!(Header::read(&file[..end]).is_err(), "a header truncated to {end} bytes");
            }
        }
        for (bit, flipped) in flips(&file, header_len(&file)) {
            assert!(refused(&flipped), "bit {bit} of the header");
            assert!(Header::read(&flipped).is_err(), "bit {bit} of the header");
        }
        let longer = [&file[..], &[0]].concat();
        let (expected, found) = (file.len() as u64, longer.len() as u64);
        assert_eq!(S::open(&longer[..], &options).err(), Some(OpenError::WrongLength { expected, found }));
        assert!(S::open(&file[..], &options).is_ok());
        // Where the machine has 32 bits no file is that long; the header's lengths are refused all the same.
        assert!(refused(&[1, 1]));
    }
}

/// `open_verified` and `inspect` refuse every flip of any bit, and every truncation.
pub fn verification_refuses_every_damage<S: Subject>() {
    for (recipe, file) in files::<S>() {
        let options = recipe.options().verify(true);
        let refused = |file: &[u8]| {
            S::open(file, &options).is_err()
                && AnyFilter::open_with(file, &options).is_err()
                && inspect(file).is_err()
        };
        for (bit, flipped) in flips(&file, file.len()) {
            assert!(refused(&flipped), "bit {bit} of {}", file.len() * 8);
        }
        for end in 0..file.len() {
            assert!(refused(&file[..end]), "truncated to {end} of {} bytes", file.len());
        }
        assert!(S::open(&file[..], &options).is_ok() && inspect(&file).is_ok());
    }
}

/// What this release cannot read it names: B018, B021, B144.
pub fn what_is_unknown_is_named<S: Subject>() {
    let recipe = small_recipe();
    let file = S::save(&built::<S>(&recipe, &member_hashes(KEYS)));
    let error =
        |at, bytes: &[u8]| S::open(forged(&file, at, bytes), &recipe.options()).err().expect("refused");
    assert_eq!(error(at::VERSION, &[2, 0]), OpenError::UnsupportedVersion { found: 2, newest: 1 });
    assert_eq!(error(at::FAMILY, &[0xff, 0x7f]), OpenError::UnknownFamily { code: 0x7fff });
    assert_eq!(error(at::HASH, &[0xfe, 0x7f]), OpenError::UnknownHash { code: 0x7ffe });
    assert_eq!(S::open(&b"PK\x03\x04 and so on"[..], &recipe.options()).err(), Some(OpenError::NotAFilter));

    // Every other family's code, this release's and those to come.
    for code in (0..100u16).map(u16::to_le_bytes).filter(|code| code != &file[at::FAMILY..][..2]) {
        let refused = error(at::FAMILY, &code);
        assert!(
            matches!(refused, OpenError::WrongFamily { .. } | OpenError::UnknownFamily { .. }),
            "{refused}"
        );
    }
}

/// The key fits, or the error shows both check values and no secret.
pub fn a_wrong_key_is_refused<S: Subject>() {
    let another = SecretKey::new([0x55; 16]);
    for identity in identities() {
        let recipe = identity.apply(&small_recipe());
        let file = S::save(&built::<S>(&recipe, &[1]));
        let id = identity.hasher.id();
        let refused = |options: &OpenOptions<'_>| match S::open(&file[..], options) {
            Err(OpenError::Key(problem)) => problem,
            _ => panic!("{id} opened"),
        };
        let with_another = refused(&OpenOptions::new().key(&another));
        if identity.key.is_none() {
            assert_eq!(with_another, KeyError::Unused { id });
            continue;
        }
        assert_eq!(refused(&OpenOptions::new()), KeyError::Missing { id });
        let KeyError::Wrong { file: needed, given } = with_another else { panic!("{with_another:?}") };
        assert_eq!(needed, id);
        let shown = with_another.to_string();
        for check in [needed, given].map(|id| id.key_check().expect("keyed")) {
            assert!(shown.contains(&format!("{check:016x}")), "{shown}");
        }
        assert!(!file.windows(16).any(|window| window == crate::hashers::KEY), "the secret is in the file");
        inspect(&file).expect("an inspection needs no key");
    }
}

/// A view of a damaged payload opens, since nobody looked; no fresh checksum is ever made for it.
pub fn nothing_is_made_of_damaged_bytes<S: Subject>() {
    let recipe = small_recipe();
    let mut file = S::save(&built::<S>(&recipe, &member_hashes(KEYS)));
    let middle = header_len(&file) + payload(&file).len() / 2;
    file[middle] ^= 0x10;
    let is_checksum = |error| matches!(error, OpenError::Checksum { part: "payload", .. });
    let view = S::open(&file[..], &recipe.options()).expect("the payload was not looked at");
    assert!(S::copy(&view).err().is_some_and(is_checksum));
    assert!(as_any(&file, &recipe).to_owned().err().is_some_and(is_checksum));
}

/// A count in the header that is wrong, under right checksums, loses no member: B074.
pub fn a_wrong_count_loses_nothing<S: Subject>() {
    let recipe = small_recipe();
    let hashes = member_hashes(KEYS);
    let file = S::save(&built::<S>(&recipe, &hashes));
    for (kind, len) in [(0, 0), (1, 0), (2, 0), (0, 1), (0, u64::MAX), (1, u64::MAX)] {
        let counted = forged(&forged(&file, at::LEN_KIND, &[kind]), at::LEN, &u64::to_le_bytes(len));
        let Ok(view) = S::open(&counted[..], &recipe.options().verify(true)) else { continue };
        super::assert_finds_all(&view, &hashes);
        let copy = S::copy(&view).expect("verified");
        super::assert_finds_all(&copy, &hashes);
        let rate = ruleout::Filter::expected_fpr(&copy);
        assert!((0.0..=1.0).contains(&rate), "{rate}");
        assert_eq!(view.hash_id(), copy.hash_id());
    }
}

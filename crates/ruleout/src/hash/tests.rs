//! Known answers, and the key check.

use super::*;
use crate::error::KeyError;

const KEY: SecretKey = SecretKey::new(*b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f");

#[test]
fn an_integer_is_its_little_endian_bytes() {
    let hasher = Hasher::xxh3(5);
    assert_eq!(hasher.hash_u64(0x0102), hasher.hash(&[2, 1, 0, 0, 0, 0, 0, 0]));
}

#[test]
fn a_key_opens_its_own_files_and_no_others() {
    let other = SecretKey::new([7; 16]);
    for id in [Hasher::siphash13(&KEY).id(), Hasher::siphash24(&KEY).id()] {
        assert_eq!(Hasher::for_id(id, Some(&KEY)).unwrap().id(), id);
        assert_eq!(Hasher::for_id(id, None).unwrap_err(), KeyError::Missing { id });
        let Err(KeyError::Wrong { file, given }) = Hasher::for_id(id, Some(&other)) else { panic!() };
        assert_eq!(file, id);
        assert_ne!(given.key_check(), id.key_check());
    }
    let id = Hasher::xxh3(0).id();
    assert_eq!(Hasher::for_id(id, Some(&KEY)).unwrap_err(), KeyError::Unused { id });
}

#[test]
fn the_secret_is_never_shown() {
    use alloc::format;
    let key = SecretKey::new(*b"0123456789abcdef");
    let shown = format!("{key:?} {:?} {:?}", Hasher::siphash24(&key), Hasher::siphash13(&key).id());
    for part in ["0123", "cdef", "48, 49", "30, 31"] {
        assert!(!shown.contains(part), "{shown}");
    }
}

#[test]
fn names_are_parsed_as_they_are_printed() {
    use alloc::string::ToString;
    for &algorithm in HashAlgorithm::ALL {
        assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
    }
    let error = "md5".parse::<HashAlgorithm>().unwrap_err();
    assert_eq!(error.to_string(), "unknown hash algorithm; known are xxh3, xxh64, siphash13, siphash24");
}

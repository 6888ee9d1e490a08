//! The half that can hash.

use alloc::vec::Vec;
use core::fmt;

use siphasher::sip::{SipHasher13, SipHasher24};
use xxhash_rust::xxh3::xxh3_64_with_seed;
use xxhash_rust::xxh64::xxh64;

use super::{HashAlgorithm, HashId};
use crate::error::KeyError;

/// The message whose hash under a secret key is the key check value.
const CHECK_MESSAGE: &[u8] = b"ruleout key check value, version 1";

/// A 128-bit secret for the keyed hash functions.
///
/// It never reaches a file, an error or `Debug`. Use 16 bytes from the system's random source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SecretKey([u8; 16]);

impl SecretKey {
    /// Takes the 16 bytes as the key.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

/// Turns keys into 64-bit hashes under one [`HashId`].
///
/// Keys are bytes. Text is hashed as its UTF-8 bytes, an integer as its 8 little-endian bytes
/// ([`Hasher::hash_u64`]).
///
/// ```
/// use ruleout::{Hasher, SecretKey};
/// assert_eq!(Hasher::xxh64(0).hash(b"abc"), 0x44bc_2cf5_ad77_0999);
/// let ours = Hasher::siphash13(&SecretKey::new(*b"sixteen bytes ok"));
/// let theirs = Hasher::siphash13(&SecretKey::new(*b"another 16 bytes"));
/// assert_ne!(ours.id(), theirs.id());
/// assert!(!format!("{ours:?}").contains("sixteen"));
/// ```
#[derive(Clone)]
pub struct Hasher {
    id: HashId,
    function: Function,
}

#[derive(Clone, Copy)]
enum Function {
    Xxh3(u64),
    Xxh64(u64),
    SipHash13(SipHasher13),
    SipHash24(SipHasher24),
}

impl Hasher {
    /// XXH3 (64-bit output) with `seed`.
    pub const fn xxh3(seed: u64) -> Self {
        Self { id: HashId::new(HashAlgorithm::Xxh3, seed), function: Function::Xxh3(seed) }
    }

    /// XXH64 with `seed`.
    pub const fn xxh64(seed: u64) -> Self {
        Self { id: HashId::new(HashAlgorithm::Xxh64, seed), function: Function::Xxh64(seed) }
    }

    /// SipHash-1-3 under `key`.
    pub fn siphash13(key: &SecretKey) -> Self {
        let sip = SipHasher13::new_with_key(&key.0);
        Self {
            id: HashId::new(HashAlgorithm::SipHash13, sip.hash(CHECK_MESSAGE)),
            function: Function::SipHash13(sip),
        }
    }

    /// SipHash-2-4 under `key`.
    pub fn siphash24(key: &SecretKey) -> Self {
        let sip = SipHasher24::new_with_key(&key.0);
        Self {
            id: HashId::new(HashAlgorithm::SipHash24, sip.hash(CHECK_MESSAGE)),
            function: Function::SipHash24(sip),
        }
    }

    /// The hasher that a file's identity asks for.
    ///
    /// # Errors
    /// [`KeyError`] when the identity is keyed and `key` is missing or is another key. A key given for an
    /// identity without one is an error too: the caller believes in a protection that is not there.
    pub fn for_id(id: HashId, key: Option<&SecretKey>) -> Result<Self, KeyError> {
        let hasher = match (id.algorithm(), key) {
            (HashAlgorithm::Xxh3, None) => return Ok(Self::xxh3(id.word())),
            (HashAlgorithm::Xxh64, None) => return Ok(Self::xxh64(id.word())),
            (HashAlgorithm::SipHash13, Some(key)) => Self::siphash13(key),
            (HashAlgorithm::SipHash24, Some(key)) => Self::siphash24(key),
            (HashAlgorithm::SipHash13 | HashAlgorithm::SipHash24, None) => {
                return Err(KeyError::Missing { id });
            }
            (HashAlgorithm::Xxh3 | HashAlgorithm::Xxh64, Some(_)) => return Err(KeyError::Unused { id }),
        };
        if hasher.id == id { Ok(hasher) } else { Err(KeyError::Wrong { file: id, given: hasher.id }) }
    }

    /// The public identity of these hashes.
    pub const fn id(&self) -> HashId {
        self.id
    }

    /// The hash of `key`.
    #[inline]
    pub fn hash(&self, key: &[u8]) -> u64 {
        match &self.function {
            Function::Xxh3(seed) => xxh3_64_with_seed(key, *seed),
            _ => self.hash_otherwise(key),
        }
    }

    /// [`Hasher::hash`] by another function than XXH3, which is so left small enough to be inlined where keys are short.
    #[inline(never)]
    fn hash_otherwise(&self, key: &[u8]) -> u64 {
        match &self.function {
            Function::Xxh3(seed) => xxh3_64_with_seed(key, *seed),
            Function::Xxh64(seed) => xxh64(key, *seed),
            Function::SipHash13(sip) => sip.hash(key),
            Function::SipHash24(sip) => sip.hash(key),
        }
    }

    /// The hashes of many keys.
    pub fn hash_all<K: AsRef<[u8]>>(&self, keys: &[K]) -> Vec<u64> {
        keys.iter().map(|key| self.hash(key.as_ref())).collect()
    }

    /// The hash of an integer key: of its 8 little-endian bytes.
    #[inline]
    pub fn hash_u64(&self, key: u64) -> u64 {
        self.hash(&key.to_le_bytes())
    }
}

impl Default for Hasher {
    /// XXH3 with seed 0.
    fn default() -> Self {
        Self::xxh3(0)
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hasher({})", self.id)
    }
}

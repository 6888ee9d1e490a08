//! The public half of a hash identity.

use core::fmt;

use crate::names::named;

named! {
    /// A hash function from bytes to 64 bits.
    ///
    /// Which to take: XXH3 for keys nobody can choose to hurt you; SipHash with a secret key where an attacker
    /// picks the keys, since with a public hash anyone can compute keys that are false positives. XXH64 is what
    /// Parquet prescribes.
    pub enum HashAlgorithm: "hash algorithm" {
        /// XXH3, 64-bit output, with a seed.
        Xxh3 = "xxh3",
        /// XXH64 with a seed.
        Xxh64 = "xxh64",
        /// SipHash-1-3 under a 128-bit secret key: fast and, as far as is known, safe against chosen keys.
        SipHash13 = "siphash13",
        /// SipHash-2-4 under a 128-bit secret key: the designers' conservative choice.
        SipHash24 = "siphash24",
    }
}

impl HashAlgorithm {
    /// Whether the function needs a secret key.
    pub const fn is_keyed(self) -> bool {
        matches!(self, Self::SipHash13 | Self::SipHash24)
    }
}

/// Which hash function, with which public seed or under which secret key, a filter's hashes come from.
///
/// For a keyed function it holds the *key check value*, the hash of a fixed message under the key: enough to tell
/// two keys apart, useless for hashing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HashId {
    algorithm: HashAlgorithm,
    /// The seed, or the key check value.
    word: u64,
}

impl HashId {
    pub(crate) const fn new(algorithm: HashAlgorithm, word: u64) -> Self {
        Self { algorithm, word }
    }

    /// The hash function.
    pub const fn algorithm(self) -> HashAlgorithm {
        self.algorithm
    }

    /// The public seed; `None` for a keyed function.
    pub const fn seed(self) -> Option<u64> {
        if self.algorithm.is_keyed() { None } else { Some(self.word) }
    }

    /// The key check value; `None` for a function without a key.
    pub const fn key_check(self) -> Option<u64> {
        if self.algorithm.is_keyed() { Some(self.word) } else { None }
    }

    /// The seed or the key check value, as the file holds it.
    pub(crate) const fn word(self) -> u64 {
        self.word
    }
}

impl fmt::Display for HashId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key_check() {
            Some(check) => write!(f, "{} under the key with check value {check:016x}", self.algorithm),
            None => write!(f, "{} with seed {}", self.algorithm, self.word),
        }
    }
}

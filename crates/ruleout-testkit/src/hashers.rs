//! One hash identity of every kind.

use ruleout::{Hasher, SecretKey};

use crate::subject::Recipe;

/// A public seed that is neither 0 nor a pattern.
pub const SEED: u64 = 0x5eed_0123_4567_89ab;

/// The secret of every keyed hash in the tests and the golden files: no secret at all.
pub const KEY: [u8; 16] = *b"ruleout test key";

/// A hash identity, and the secret that opens its files.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Hashes keys.
    pub hasher: Hasher,
    /// The secret, where there is one.
    pub key: Option<SecretKey>,
}

impl Identity {
    /// The recipe, under this identity.
    pub fn apply(&self, recipe: &Recipe) -> Recipe {
        Recipe { hasher: self.hasher.clone(), key: self.key, ..recipe.clone() }
    }
}

/// Identities of which any two differ: in the algorithm, the seed, or the key.
pub fn identities() -> Vec<Identity> {
    let open = |hasher| Identity { hasher, key: None };
    let keyed = |hash: fn(&SecretKey) -> Hasher, key| {
        let key = SecretKey::new(key);
        Identity { hasher: hash(&key), key: Some(key) }
    };
    let other = *b"ruleout Test key";
    vec![
        open(Hasher::xxh3(0)),
        open(Hasher::xxh3(SEED)),
        open(Hasher::xxh64(0)),
        open(Hasher::xxh64(SEED)),
        keyed(Hasher::siphash13, KEY),
        keyed(Hasher::siphash13, other),
        keyed(Hasher::siphash24, KEY),
        keyed(Hasher::siphash24, other),
    ]
}

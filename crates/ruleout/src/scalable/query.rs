//! Asking: the newest layer first, which has most of the keys.

use crate::bits::Mask;
use crate::family::Family;
use crate::hash::HashId;
use crate::layout::with_collisions;
use crate::traits::{Filter, HashFilter};

use super::{Base, Scalable};

impl<P: Base, D: AsRef<[u8]>> Scalable<P, D> {
    /// Whether `key` may be in the set: `false` is certain, `true` is "maybe".
    pub fn may_contain(&self, key: &[u8]) -> bool {
        self.may_contain_hash(self.hasher.hash(key))
    }

    /// Whether a key with this hash may be in the set.
    ///
    /// The hash must come from [`Scalable::hasher`]; any other gives a wrong "absent".
    ///
    /// # Complexity
    /// A query of each layer, from the newest to the first that answers "maybe".
    pub fn may_contain_hash(&self, hash: u64) -> bool {
        self.payloads().rev().any(|(layer, payload)| layer.params.probe(payload, hash))
    }

    /// Asks for many keys at once: the batch is hashed first, and memory is asked for ahead of its use.
    pub fn may_contain_keys<K: AsRef<[u8]>>(&self, keys: &[K], hits: &mut Mask) {
        self.may_contain_hashes(&self.hasher.hash_all(keys), hits);
    }
}

impl<P: Base, D: AsRef<[u8]>> Filter for Scalable<P, D> {
    fn family(&self) -> Family {
        Family::Scalable
    }

    fn size_bytes(&self) -> usize {
        self.layers().map(|layer| layer.size_bytes()).sum()
    }

    fn expected_fpr(&self) -> f64 {
        with_collisions(self.tally().fpr, self.inserted())
    }

    fn may_contain(&self, key: &[u8]) -> bool {
        Scalable::may_contain(self, key)
    }
}

impl<P: Base, D: AsRef<[u8]>> HashFilter for Scalable<P, D> {
    fn hash_id(&self) -> HashId {
        self.hasher.id()
    }

    fn may_contain_hash(&self, hash: u64) -> bool {
        Scalable::may_contain_hash(self, hash)
    }

    fn may_contain_hashes(&self, hashes: &[u64], hits: &mut Mask) {
        hits.reset(hashes.len());
        let mut of_layer = Mask::new();
        for (layer, payload) in self.payloads().rev() {
            layer.params.probe_many(payload, hashes, &mut of_layer);
            hits.or(&of_layer);
        }
    }
}

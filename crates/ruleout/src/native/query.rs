//! Asking a filter.

use super::Native;
use crate::bits::Mask;
use crate::family::Family;
use crate::hash::HashId;
use crate::layout::{Params, with_collisions};
use crate::traits::{Filter, HashFilter};

impl<P: Params, D: AsRef<[u8]>> Native<P, D> {
    /// Whether `key` may be in the set: `false` is certain, `true` is "maybe".
    #[inline]
    pub fn may_contain(&self, key: &[u8]) -> bool {
        self.params.probe_key(self.payload(), &self.hasher, key)
    }

    /// Whether a key with this hash may be in the set.
    ///
    /// The hash must come from [`Native::hasher`]; any other gives a wrong "absent".
    #[inline]
    pub fn may_contain_hash(&self, hash: u64) -> bool {
        self.params.probe(self.payload(), hash)
    }

    /// Asks for many hashes at once, which hides the latency of memory. `hits` is resized to the batch.
    pub fn may_contain_hashes(&self, hashes: &[u64], hits: &mut Mask) {
        self.params.probe_many(self.payload(), hashes, hits);
    }

    /// Asks for many keys at once: the batch is hashed first, and memory is asked for ahead of its use.
    pub fn may_contain_keys<K: AsRef<[u8]>>(&self, keys: &[K], hits: &mut Mask) {
        self.params.probe_keys(self.payload(), &self.hasher, keys, hits);
    }

    /// The size of the payload in bytes.
    pub fn size_bytes(&self) -> usize {
        self.payload().len()
    }

    /// The expected false-positive rate of this filter, 0 to 1, as full as it is now.
    ///
    /// # Complexity
    /// Scans the filter.
    pub fn expected_fpr(&self) -> f64 {
        let tally = self.tally();
        // What the bits cannot show: another key with the very hash of one inserted.
        let keys = self.len.bound().or(tally.keys.map(|keys| keys as u64)).unwrap_or(self.capacity());
        with_collisions(tally.fpr, keys)
    }
}

impl<P: Params, D: AsRef<[u8]>> Filter for Native<P, D> {
    fn family(&self) -> Family {
        P::FAMILY
    }

    fn size_bytes(&self) -> usize {
        Native::size_bytes(self)
    }

    fn expected_fpr(&self) -> f64 {
        Native::expected_fpr(self)
    }

    fn may_contain(&self, key: &[u8]) -> bool {
        Native::may_contain(self, key)
    }
}

impl<P: Params, D: AsRef<[u8]>> HashFilter for Native<P, D> {
    fn hash_id(&self) -> HashId {
        self.hasher.id()
    }

    fn may_contain_hash(&self, hash: u64) -> bool {
        Native::may_contain_hash(self, hash)
    }

    fn may_contain_hashes(&self, hashes: &[u64], hits: &mut Mask) {
        Native::may_contain_hashes(self, hashes, hits);
    }
}

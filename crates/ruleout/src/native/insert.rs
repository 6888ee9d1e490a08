//! Inserting into a bitmap: it always succeeds.

use alloc::vec::Vec;

use super::Native;
use crate::bitmap::{self, BitLayout};
use crate::collect::DistinctHashes;
use crate::config::Goal;
use crate::error::{BatchError, ConfigError, InsertError};
use crate::frame::Len;
use crate::hash::Hasher;
use crate::traits::{Insert, Inserted, hash_all};

impl<P: BitLayout> Native<P> {
    /// A filter made for exactly the hashes collected, with all of them in it.
    ///
    /// # Errors
    /// [`ConfigError`] when no filter for that many keys reaches `goal`, or memory runs out.
    pub fn from_distinct(
        goal: Goal,
        hasher: Hasher,
        mut hashes: DistinctHashes,
    ) -> Result<Self, ConfigError> {
        let keys = hashes.len();
        let mut filter = Self::new(P::for_goal(keys, goal)?, hasher)?;
        for part in hashes.into_sorted_parts() {
            bitmap::set_many(&filter.params, filter.data.as_mut(), &part);
        }
        filter.len = Len::Exact(keys);
        Ok(filter)
    }

    /// Inserts a key.
    #[inline]
    pub fn insert(&mut self, key: &[u8]) -> Inserted {
        self.insert_hash(self.hasher.hash(key))
    }

    /// Inserts the key with this hash, which must come from [`Native::hasher`].
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) -> Inserted {
        self.len = self.len.plus(1);
        bitmap::set(&self.params, self.data.as_mut(), hash)
    }

    /// Inserts many and gives the number of those that were [`Inserted::New`].
    pub fn insert_hashes(&mut self, hashes: &[u64]) -> usize {
        self.len = self.len.plus(hashes.len() as u64);
        bitmap::set_many(&self.params, self.data.as_mut(), hashes)
    }

    /// Inserts many keys and gives the number of those that were [`Inserted::New`].
    pub fn insert_keys<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> usize {
        let mut hashes = Vec::with_capacity(keys.len());
        hash_all(keys, &self.hasher, &mut hashes);
        self.insert_hashes(&hashes)
    }
}

impl<P: BitLayout> Insert for Native<P> {
    fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError> {
        Ok(self.insert_hash(hash))
    }

    fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError> {
        Ok(self.insert(key))
    }

    fn try_insert_hashes(&mut self, hashes: &[u64]) -> Result<usize, BatchError> {
        Ok(self.insert_hashes(hashes))
    }
}

//! Inserting keys, and removing them again.

use super::Native;
use crate::bits::Mask;
use crate::error::{BatchError, InsertError};
use crate::layout::{Endless, Insertable, Removable};
use crate::traits::{Insert, Inserted, Remove};

impl<P: Insertable> Native<P> {
    /// Inserts a key.
    ///
    /// # Errors
    /// [`InsertError`] when there is no room; the filter is then as it was, byte for byte. Families that never refuse
    /// a key have an `insert` as well.
    #[inline]
    pub fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError> {
        self.try_insert_hash(self.hasher.hash(key))
    }

    /// Inserts the key with this hash, which must come from [`Native::hasher`].
    ///
    /// # Errors
    /// As [`Native::try_insert`].
    #[inline]
    pub fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError> {
        let inserted = self.params.insert(self.data.as_mut(), hash)?;
        self.len = self.len.plus(1);
        Ok(inserted)
    }

    /// Inserts many and gives the number of those that were [`Inserted::New`].
    ///
    /// # Errors
    /// [`BatchError`] at the first key refused: those before it are in, it and those behind are not.
    pub fn try_insert_hashes(&mut self, hashes: &[u64]) -> Result<usize, BatchError> {
        let done = self.params.insert_many(self.data.as_mut(), hashes);
        let applied = done.as_ref().map_or_else(|stopped| stopped.applied, |_| hashes.len());
        self.len = self.len.plus(applied as u64);
        done
    }

    /// Inserts many keys and gives the number of those that were [`Inserted::New`].
    ///
    /// # Errors
    /// As [`Native::try_insert_hashes`].
    pub fn try_insert_keys<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> Result<usize, BatchError> {
        self.try_insert_hashes(&self.hasher.hash_all(keys))
    }
}

impl<P: Endless> Native<P> {
    /// Inserts a key.
    #[inline]
    pub fn insert(&mut self, key: &[u8]) -> Inserted {
        self.insert_hash(self.hasher.hash(key))
    }

    /// Inserts the key with this hash, which must come from [`Native::hasher`].
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) -> Inserted {
        self.len = self.len.plus(1);
        self.params.set(self.data.as_mut(), hash)
    }

    /// Inserts many and gives the number of those that were [`Inserted::New`].
    pub fn insert_hashes(&mut self, hashes: &[u64]) -> usize {
        self.len = self.len.plus(hashes.len() as u64);
        self.params.set_many(self.data.as_mut(), hashes)
    }

    /// Inserts many in order, and marks in `seen` those for which the answer was "maybe" before, also by one earlier in
    /// the batch. `seen` is resized to the batch.
    pub fn observe_hashes(&mut self, hashes: &[u64], seen: &mut Mask) {
        seen.reset(hashes.len());
        self.len = self.len.plus(hashes.len() as u64);
        self.params.observe(self.data.as_mut(), hashes, seen);
    }

    /// Inserts many keys and gives the number of those that were [`Inserted::New`].
    pub fn insert_keys<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> usize {
        self.insert_hashes(&self.hasher.hash_all(keys))
    }
}

impl<P: Removable> Native<P> {
    /// Only for keys you inserted: takes out one copy of the key, and gives whether there was one.
    ///
    /// Removing a key that was never inserted can remove another key that looks the same, which then answers
    /// "absent". A key that is visibly absent is refused: `false`, and nothing changes.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        self.remove_hash(self.hasher.hash(key))
    }

    /// Only for keys you inserted: as [`Native::remove`], for the key with this hash.
    pub fn remove_hash(&mut self, hash: u64) -> bool {
        let removed = self.params.remove(self.data.as_mut(), hash);
        if removed {
            self.len = self.len.minus_one();
        }
        removed
    }
}

impl<P: Insertable> Insert for Native<P> {
    #[inline]
    fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError> {
        Native::<P>::try_insert_hash(self, hash)
    }

    #[inline]
    fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError> {
        Native::<P>::try_insert(self, key)
    }

    fn try_insert_hashes(&mut self, hashes: &[u64]) -> Result<usize, BatchError> {
        Native::<P>::try_insert_hashes(self, hashes)
    }
}

impl<P: Removable> Remove for Native<P> {
    fn remove_hash(&mut self, hash: u64) -> bool {
        Native::remove_hash(self, hash)
    }

    fn remove(&mut self, key: &[u8]) -> bool {
        Native::remove(self, key)
    }
}

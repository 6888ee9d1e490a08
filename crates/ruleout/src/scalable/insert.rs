//! Inserting, and growing.

use crate::batch::insert_each;
use crate::bits::Buf;
use crate::build::Watch;
use crate::collect::SortedHashes;
use crate::error::{BatchError, BuildError, ConfigError, InsertError};
use crate::frame::ALIGN;
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::layout::{Collected, Params};
use crate::traits::{Insert, Inserted};

use super::layer::LayerParams;
use super::{Scalable, ScalableParams};

/// How many times as large as the series foresees a layer may be: a cuckoo table of whole bits is up to two.
const LEAP: u64 = 4;
/// A size in bytes below which layers follow no rule.
const SMALL: u64 = 1024;

impl Collected for ScalableParams {
    /// The first layer is made for all of them.
    fn collect(
        goal: Goal,
        mut hashes: SortedHashes,
        watch: &mut Watch<'_>,
    ) -> Result<(Self, Buf), BuildError> {
        let mut filter = Scalable::new(Self::for_goal(hashes.len(), goal)?, Hasher::default())?;
        hashes.each(|some| Ok(filter.try_insert_hashes(some).map(drop)?))?;
        watch.step(hashes.len())?;
        let (params, _, _, payload) = filter.into_parts();
        Ok((params, payload))
    }
}

impl Scalable {
    /// Inserts a key, unless the filter answers "maybe" for it already: it will for ever.
    ///
    /// # Errors
    /// [`InsertError::Full`] when there are as many layers as there may be and the newest is full, or a further one
    /// could not keep its rate; [`InsertError::OutOfMemory`] when it cannot be allocated. The filter is then as it was,
    /// byte for byte.
    pub fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError> {
        self.try_insert_hash(self.hasher().hash(key))
    }

    /// Inserts the key with this hash, which must come from [`Native::hasher`](crate::Native::hasher).
    ///
    /// # Errors
    /// As [`Scalable::try_insert`](crate::Native::try_insert).
    pub fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError> {
        let new = !self.may_contain_hash(hash);
        if new {
            self.insert_new(hash)?;
        }
        let len = self.parts_mut().2;
        *len = len.plus(1);
        Ok(Inserted::new_if(new))
    }

    /// Inserts many and gives the number of those that were [`Inserted::New`].
    ///
    /// # Errors
    /// [`BatchError`] at the first key refused: those before it are in, it and those behind are not.
    pub fn try_insert_hashes(&mut self, hashes: &[u64]) -> Result<usize, BatchError> {
        insert_each(hashes, |hash| self.try_insert_hash(hash))
    }

    /// Inserts many keys and gives the number of those that were [`Inserted::New`].
    ///
    /// # Errors
    /// As [`Scalable::try_insert_hashes`](crate::Native::try_insert_hashes).
    pub fn try_insert_keys<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> Result<usize, BatchError> {
        self.try_insert_hashes(&self.hasher().hash_all(keys))
    }

    /// Puts a hash that no layer answers "maybe" for into the newest layer, or into one layer more.
    fn insert_new(&mut self, hash: u64) -> Result<(), InsertError> {
        let (params, data, _) = self.parts_mut();
        if let Some(newest) = params.layers.last_mut().filter(|newest| newest.has_room())
            // A cuckoo table may refuse a key within its capacity. It is then as full as it gets and stays so.
            && newest.params.insert(&mut data.as_mut()[newest.place()], hash).is_ok()
        {
            newest.keys += 1;
            return Ok(());
        }
        let mut layer = params.next_layer()?;
        let before = data.as_ref().len();
        data.grow(layer.place().end).map_err(InsertError::OutOfMemory)?;
        if let Err(refused) = layer.params.insert(&mut data.as_mut()[layer.place()], hash) {
            data.truncate(before);
            return Err(refused);
        }
        layer.keys = 1;
        params.layers.push(layer);
        Ok(())
    }
}

impl ScalableParams {
    /// The layer after the newest, empty and not yet part of the filter.
    pub(super) fn next_layer(&self) -> Result<LayerParams, InsertError> {
        let full = InsertError::Full { capacity: self.capacity(), len: self.inserted() };
        let layers = self.layers.len() as u32;
        if layers >= self.most_layers() {
            return Err(full);
        }
        let params = self.layer(layers).map_err(|problem| match problem {
            ConfigError::OutOfMemory(refused) => InsertError::OutOfMemory(refused),
            // No filter of the family keeps the layer's rate with so many keys: this is as far as the series goes.
            _ => full,
        })?;
        // In a series that was made here a layer is about `growth` times the one before. A file may claim another rate
        // than its layers have, and must not thereby ask for memory without bound.
        let newest = self.layers.last().map_or(0, |layer| layer.params.payload_bytes());
        let start = self.payload_bytes().next_multiple_of(ALIGN as u64);
        let layer = LayerParams { params, keys: 0, start };
        let fits = usize::try_from(layer.end()).is_ok();
        if !fits || params.payload_bytes() / LEAP > u64::from(self.growth()) * (newest + SMALL) {
            return Err(full);
        }
        Ok(layer)
    }
}

impl Insert for Scalable {
    fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError> {
        Scalable::try_insert_hash(self, hash)
    }

    fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError> {
        Scalable::try_insert(self, key)
    }
}

//! Inserting, and growing.

use crate::error::{ConfigError, InsertError};
use crate::traits::{Insert, Inserted};

use super::layer::Stored;
use super::{Base, Scalable};

/// How many times as large as the series foresees a layer may be: a cuckoo table of whole bits is up to two.
const LEAP: u64 = 4;
/// A size in bytes below which layers follow no rule.
const SMALL: u64 = 1024;

impl<P: Base> Scalable<P> {
    /// Puts a hash that no layer answers "maybe" for into the newest layer, or into one layer more.
    fn insert_new(&mut self, hash: u64) -> Result<(), InsertError> {
        if let (Some(newest), Some(payload)) = (self.layers.last_mut(), self.parts.last_mut())
            && newest.has_room()
            // A cuckoo table may refuse a key within its capacity. It is then as full as it gets and stays so.
            && newest.params.insert(payload.as_mut(), hash).is_ok()
        {
            newest.keys += 1;
            return Ok(());
        }
        let (mut layer, mut payload) = self.next_layer()?;
        layer.params.insert(payload.as_mut(), hash)?;
        layer.keys = 1;
        self.layers.push(layer);
        self.parts.push(payload);
        Ok(())
    }

    /// The layer after the newest, empty and not yet part of the filter.
    fn next_layer(&self) -> Result<(Stored<P>, crate::bits::Buf), InsertError> {
        let full = InsertError::Full { capacity: self.capacity(), len: self.inserted() };
        let layers = self.layers.len() as u32;
        if layers >= self.params.most_layers() {
            return Err(full);
        }
        // In a series that was made here a layer is about `growth` times the one before. A file may claim another rate
        // than its layers have, and must not thereby ask for memory without bound.
        let next = self.params.layer::<P>(layers).map_err(|_| full)?.payload_bytes();
        let newest = self.parts.last().map_or(0, |payload| payload.as_ref().len() as u64);
        if next / LEAP > u64::from(self.params.growth()) * (newest + SMALL) {
            return Err(full);
        }
        Stored::empty(&self.params, layers).map_err(|problem| match problem {
            ConfigError::OutOfMemory(refused) => InsertError::OutOfMemory(refused),
            // No filter of the family keeps the layer's rate with so many keys: this is as far as the series goes.
            _ => full,
        })
    }
}

impl<P: Base> Insert for Scalable<P> {
    /// Inserts the key with this hash, unless the filter answers "maybe" for it already: it will for ever.
    ///
    /// # Errors
    /// [`InsertError::Full`] when there are as many layers as there may be and the newest is full, or a further one
    /// could not keep its rate; [`InsertError::OutOfMemory`] when it cannot be allocated.
    fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError> {
        let new = !self.may_contain_hash(hash);
        if new {
            self.insert_new(hash)?;
        }
        self.len = self.len.plus(1);
        Ok(Inserted::new_if(new))
    }

    fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError> {
        self.try_insert_hash(self.hasher.hash(key))
    }
}

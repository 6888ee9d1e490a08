//! ruleout: XXH3 of the key's eight bytes, then the family.

use std::marker::PhantomData;

use ruleout::{Builder as _, Changing, Config, Hasher, Insert, Mask, Native, Params, Static, StaticConfig};

use crate::engine::{Built, Engine};

/// How many keys a batch has: enough to hide memory behind, few enough for the first-level cache.
const BATCH: usize = 1024;

pub struct Ruleout<P>(PhantomData<P>);

impl<P> Ruleout<P> {
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P: Changing + 'static> Engine for Ruleout<P>
where
    Native<P>: Insert,
{
    fn name(&self) -> &'static str {
        "ruleout"
    }

    fn build(&self, keys: &[u64], fpr: f64) -> Box<dyn Built> {
        let mut filter = Config::<P>::fpr(keys.len() as u64, fpr).build().expect("a filter of that size");
        let mut hashes = Vec::with_capacity(BATCH);
        for batch in keys.chunks(BATCH) {
            hash_batch(filter.hasher().clone(), batch, &mut hashes);
            filter.try_insert_hashes(&hashes).expect("room for the keys it is made for");
        }
        Box::new(filter)
    }
}

/// A family that is built once.
pub struct BuiltOnce<P>(&'static str, PhantomData<P>);

impl<P> BuiltOnce<P> {
    pub fn new(name: &'static str) -> Self {
        Self(name, PhantomData)
    }
}

impl<P: Static + 'static> Engine for BuiltOnce<P> {
    fn name(&self) -> &'static str {
        self.0
    }

    fn build(&self, keys: &[u64], fpr: f64) -> Box<dyn Built> {
        let hasher = Hasher::default();
        let mut builder = StaticConfig::<P>::fpr(fpr).builder();
        builder.extend(keys.iter().map(|&key| hasher.hash_u64(key)));
        Box::new(builder.finish().expect("a filter of that size"))
    }
}

fn hash_batch(hasher: Hasher, keys: &[u64], hashes: &mut Vec<u64>) {
    hashes.clear();
    hashes.extend(keys.iter().map(|&key| hasher.hash_u64(key)));
}

impl<P: Params> Built for Native<P> {
    fn hits(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|&&key| self.may_contain_hash(self.hasher().hash_u64(key))).count()
    }

    fn hits_in_batches(&self, keys: &[u64]) -> Option<usize> {
        let (mut hashes, mut hits) = (Vec::with_capacity(BATCH), Mask::new());
        let count = |batch| {
            hash_batch(self.hasher().clone(), batch, &mut hashes);
            self.may_contain_hashes(&hashes, &mut hits);
            hits.count_ones()
        };
        Some(keys.chunks(BATCH).map(count).sum())
    }

    fn bytes(&self) -> usize {
        self.size_bytes()
    }
}

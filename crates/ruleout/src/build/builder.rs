//! Collecting the keys of a static filter.

use super::{StaticConfig, Watch};
use crate::collect::DistinctHashes;
use crate::error::BuildError;
use crate::layout::Static;
use crate::native::Native;
use crate::traits::Builder;

/// Collects keys, then builds a static filter of them.
///
/// Comes from [`StaticConfig::builder`].
#[derive(Clone, Debug)]
pub struct StaticBuilder<P> {
    config: StaticConfig<P>,
    hashes: DistinctHashes,
}

impl<P: Static> StaticBuilder<P> {
    pub(super) fn new(config: StaticConfig<P>) -> Self {
        let mut hashes = DistinctHashes::new();
        hashes.set_threads(config.threads);
        Self { config, hashes }
    }

    /// Takes one more key.
    pub fn push_key(&mut self, key: &[u8]) {
        self.hashes.push(self.config.hasher.hash(key));
    }

    /// How many keys were taken, repeats included.
    pub fn pushed(&self) -> u64 {
        self.hashes.pushed()
    }

    /// [`Builder::finish`], watched: `watch` hears how far it is, and can end it.
    ///
    /// # Errors
    /// As [`Builder::finish`], and [`BuildError::Cancelled`].
    pub fn finish_watched(self, watch: &mut Watch<'_>) -> Result<Native<P>, BuildError> {
        let StaticConfig { goal, hasher, .. } = self.config;
        Native::from_sorted(goal, hasher, self.hashes.into_sorted(), watch)
    }
}

impl<P: Static> Builder for StaticBuilder<P> {
    type Filter = Native<P>;

    fn push(&mut self, hash: u64) {
        self.hashes.push(hash);
    }

    fn finish(self) -> Result<Native<P>, BuildError> {
        self.finish_watched(&mut Watch::none())
    }
}

impl<P: Static> Extend<u64> for StaticBuilder<P> {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, hashes: I) {
        self.hashes.extend(hashes);
    }
}

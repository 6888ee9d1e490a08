//! Recipes for filters of a set that does not change.

use core::marker::PhantomData;
use core::num::NonZeroUsize;

use super::StaticBuilder;
use crate::error::{BuildError, ConfigError};
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::layout::Static;
use crate::native::Native;
use crate::traits::Builder as _;

/// A recipe for a static filter of the family whose parameters are `P`: what to aim for. How many keys there are, the
/// keys say.
///
/// Use it by the name of the family's alias.
#[derive(Clone, Debug)]
pub struct StaticConfig<P> {
    pub(super) goal: Goal,
    pub(super) hasher: Hasher,
    pub(super) threads: NonZeroUsize,
    params: PhantomData<P>,
}

impl<P: Static> StaticConfig<P> {
    /// A filter that reaches `goal`, under XXH3 with seed 0.
    pub fn new(goal: Goal) -> Self {
        Self { goal, hasher: Hasher::default(), threads: NonZeroUsize::MIN, params: PhantomData }
    }

    /// The smallest filter with at most this false-positive rate (0 to 1).
    pub fn fpr(fpr: f64) -> Self {
        Self::new(Goal::Fpr(fpr))
    }

    /// The lowest rate within `bits_per_key` bits for each distinct key.
    pub fn bits_per_key(bits_per_key: f64) -> Self {
        Self::new(Goal::BitsPerKey(bits_per_key))
    }

    /// The lowest rate within `bytes` bytes of payload.
    pub fn size_bytes(bytes: u64) -> Self {
        Self::new(Goal::SizeBytes(bytes))
    }

    /// Takes another hash identity.
    pub fn hasher(mut self, hasher: Hasher) -> Self {
        self.hasher = hasher;
        self
    }

    /// Builds on so many threads; see [`DistinctHashes::set_threads`](crate::DistinctHashes::set_threads).
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// The validated parameters for this many distinct keys; allocates nothing.
    ///
    /// # Errors
    /// [`ConfigError`] when a number is out of range or no filter can reach the goal.
    pub fn params(&self, keys: u64) -> Result<P, ConfigError> {
        P::for_goal(keys, self.goal)
    }

    /// Collects keys one after the other.
    pub fn builder(&self) -> StaticBuilder<P> {
        StaticBuilder::new(self.clone())
    }

    /// A filter of these keys; those that come again count once.
    ///
    /// # Errors
    /// [`BuildError`] when no filter for that many keys reaches the goal, or memory runs out.
    ///
    /// # Complexity
    /// Holds 8 bytes a key until it is done.
    pub fn build<K: AsRef<[u8]>>(&self, keys: impl IntoIterator<Item = K>) -> Result<Native<P>, BuildError> {
        let mut builder = self.builder();
        keys.into_iter().for_each(|key| builder.push_key(key.as_ref()));
        builder.finish()
    }
}

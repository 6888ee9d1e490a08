//! Recipes: how many keys, and what to aim for.

use core::marker::PhantomData;

use crate::error::ConfigError;
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::layout::{Changing, Params};
use crate::native::Native;

/// A recipe for a filter of the family whose parameters are `P`.
///
/// Use it by the name of the family's alias, [`BloomConfig`](crate::BloomConfig) for one.
///
/// ```
/// use ruleout::{BloomConfig, Hasher, SecretKey};
/// let mut seen = BloomConfig::fpr(1_000_000, 0.01)
///     .hasher(Hasher::siphash13(&SecretKey::new(*b"sixteen bytes ok")))
///     .build()?;
/// seen.insert(b"https://example.com/");
/// assert!(seen.may_contain(b"https://example.com/"));
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config<P> {
    capacity: u64,
    goal: Goal,
    hasher: Hasher,
    params: PhantomData<P>,
}

impl<P: Params> Config<P> {
    /// A filter for `capacity` keys that reaches `goal`, under XXH3 with seed 0.
    pub fn new(capacity: u64, goal: Goal) -> Self {
        Self { capacity, goal, hasher: Hasher::default(), params: PhantomData }
    }

    /// The smallest filter with at most this false-positive rate (0 to 1) at `capacity` keys.
    pub fn fpr(capacity: u64, fpr: f64) -> Self {
        Self::new(capacity, Goal::Fpr(fpr))
    }

    /// The lowest rate within `bits_per_key` bits for each of `capacity` keys.
    pub fn bits_per_key(capacity: u64, bits_per_key: f64) -> Self {
        Self::new(capacity, Goal::BitsPerKey(bits_per_key))
    }

    /// The lowest rate for `capacity` keys within `bytes` bytes of payload.
    pub fn size_bytes(capacity: u64, bytes: u64) -> Self {
        Self::new(capacity, Goal::SizeBytes(bytes))
    }

    /// Takes another hash identity.
    pub fn hasher(mut self, hasher: Hasher) -> Self {
        self.hasher = hasher;
        self
    }

    /// The validated parameters this recipe leads to; allocates nothing.
    ///
    /// # Errors
    /// [`ConfigError`] when a number is out of range or no filter can reach the goal.
    pub fn params(&self) -> Result<P, ConfigError> {
        P::for_goal(self.capacity, self.goal)
    }
}

impl<P: Changing> Config<P> {
    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError`] as for [`Config::params`], and when memory runs out.
    pub fn build(&self) -> Result<Native<P>, ConfigError> {
        Native::new(self.params()?, self.hasher.clone())
    }
}

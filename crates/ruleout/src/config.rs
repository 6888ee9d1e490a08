//! Recipes: how many keys, and what to aim for.

use core::marker::PhantomData;

use crate::error::ConfigError;
use crate::hash::Hasher;
use crate::layout::Params;
use crate::math::collision::hash_collision_fpr;
use crate::native::Native;

/// What a filter is sized for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Goal {
    /// The smallest filter whose expected false-positive rate, at its capacity, is at or below this (0 to 1).
    Fpr(f64),
    /// The lowest rate within this many bits for each key of the capacity.
    BitsPerKey(f64),
    /// The lowest rate within this many bytes of payload.
    SizeBytes(u64),
}

impl Goal {
    /// The rate the family's own formula may have, so that hash collisions do not lift the whole above `fpr`.
    ///
    /// # Errors
    /// A rate that is not between 0 and 1, or is within a factor of 16 of what equal 64-bit hashes alone cost.
    pub(crate) fn check_fpr(fpr: f64, capacity: u64) -> Result<f64, ConfigError> {
        // Written so that NaN is refused too.
        if !(fpr > 0.0 && fpr < 1.0) {
            return Err(ConfigError::OutOfRange {
                what: "the false-positive rate",
                given: fpr,
                allowed: "more than 0 and less than 1",
            });
        }
        let collisions = hash_collision_fpr(capacity);
        let lowest = 16.0 * collisions;
        if fpr < lowest {
            return Err(ConfigError::BelowHashLimit { fpr, capacity, lowest });
        }
        Ok(fpr - collisions)
    }

    /// How many units of `unit` bytes fit `bytes`.
    ///
    /// # Errors
    /// A size without room for one.
    pub(crate) fn check_bytes(bytes: u64, unit: u64) -> Result<u64, ConfigError> {
        match bytes / unit {
            0 => Err(ConfigError::TooSmall { bytes, least: unit }),
            units => Ok(units),
        }
    }

    /// The whole number of bits that `bits_per_key` gives `capacity` keys.
    ///
    /// # Errors
    /// A number that is not above 0 and at most 4096, or more bits than 64 bits can count.
    pub(crate) fn check_bits(bits_per_key: f64, capacity: u64) -> Result<u64, ConfigError> {
        if !(bits_per_key > 0.0 && bits_per_key <= 4096.0) {
            return Err(ConfigError::OutOfRange {
                what: "the number of bits per key",
                given: bits_per_key,
                allowed: "more than 0 and at most 4096",
            });
        }
        let bits = libm::floor(bits_per_key * capacity.max(1) as f64);
        // 2^63 is exact as a float; anything below converts without saturating.
        if bits < 9_223_372_036_854_775_808.0 {
            Ok((bits as u64).max(1))
        } else {
            Err(ConfigError::TooLarge { what: "bits", capacity })
        }
    }
}

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

    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError`] as for [`Config::params`], and when memory runs out.
    pub fn build(&self) -> Result<Native<P>, ConfigError> {
        Native::new(self.params()?, self.hasher.clone())
    }
}

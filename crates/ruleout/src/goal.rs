//! What a filter is sized for.

use crate::error::ConfigError;
use crate::math::collision::hash_collision_fpr;

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

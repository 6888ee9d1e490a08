//! The shape of a standard Bloom filter.

use crate::bitmap::{self, BitLayout};
use crate::bits::{Mask, count_ones};
use crate::error::{ConfigError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Invalid, Layout, Params, Tally, with_collisions};
use crate::math::bloom;

use super::probe::Positions;

/// The validated shape of a [`Bloom`](super::Bloom) filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BloomParams {
    capacity: u64,
    bits: u64,
    probes: u32,
}

impl BloomParams {
    /// A filter of `bits` bits with `probes` positions per key, meant for `capacity` keys.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for no bits, no probes, or more than [`bloom::MAX_PROBES`].
    pub fn new(capacity: u64, bits: u64, probes: u32) -> Result<Self, ConfigError> {
        Ok(Self::validated(capacity, bits, u64::from(probes))?)
    }

    pub(crate) fn validated(capacity: u64, bits: u64, probes: u64) -> Result<Self, Invalid> {
        if bits == 0 {
            return Err(Invalid { field: Field::Bits.name(), value: bits, allowed: "at least 1" });
        }
        match u32::try_from(probes) {
            Ok(probes @ 1..=bloom::MAX_PROBES) => Ok(Self { capacity, bits, probes }),
            _ => Err(Invalid { field: Field::Probes.name(), value: probes, allowed: "1 to 64" }),
        }
    }

    /// The number of bits.
    pub const fn bits(&self) -> u64 {
        self.bits
    }
}

impl Params for BloomParams {
    const FAMILY: Family = Family::Bloom;

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        let bits = match goal {
            Goal::Fpr(fpr) => {
                let fpr = Goal::check_fpr(fpr, capacity)?;
                let size =
                    bloom::size(capacity, fpr).ok_or(ConfigError::TooLarge { what: "bits", capacity })?;
                return Self::new(capacity, size.bits, size.probes);
            }
            Goal::BitsPerKey(bits_per_key) => Goal::check_bits(bits_per_key, capacity)?,
            Goal::SizeBytes(bytes) => {
                let bytes = Goal::check_bytes(bytes, 1)?;
                bytes.checked_mul(8).ok_or(ConfigError::TooLarge { what: "bits", capacity })?
            }
        };
        Self::new(capacity, bits, bloom::best_probes(bits, capacity))
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn payload_bytes(&self) -> u64 {
        self.bits.div_ceil(8)
    }

    fn probes(&self) -> u32 {
        self.probes
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        with_collisions(bloom::fpr(self.bits, self.probes, keys), keys)
    }
}

impl Layout for BloomParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        let [bits, probes] = header.integers_of([Field::Bits, Field::Probes])?;
        Ok(Self::validated(header.capacity(), bits, probes)?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Bitmap, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        [(Field::Bits, self.bits.into()), (Field::Probes, self.probes.into())].into_iter()
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        let ones = count_ones(payload);
        Tally {
            fill: ones as f64 / self.bits as f64,
            fpr: bloom::fpr_of_fill(ones, self.bits, self.probes),
            keys: bloom::estimate_keys(ones, self.bits, self.probes),
        }
    }

    fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        let spare = payload.len() as u64 * 8 - self.bits;
        let last = payload.last().copied().unwrap_or(0);
        if u64::from(last).leading_zeros() - 56 < spare as u32 {
            return Err(OpenError::Invalid {
                field: "last byte",
                value: u64::from(last),
                allowed: "zero past the last bit",
            });
        }
        Ok(())
    }

    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        bitmap::test(self, payload, hash)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        bitmap::test_many(self, payload, hashes, hits);
    }
}

impl BitLayout for BloomParams {
    // At half fill an absent key is ruled out after two probes on average.
    const QUERY_PREFETCH: usize = 2;
    const INSERT_PREFETCH: usize = usize::MAX;

    fn positions(&self, hash: u64) -> impl Iterator<Item = u64> + core::fmt::Debug + Clone {
        Positions::new(hash, self.bits, self.probes)
    }
}

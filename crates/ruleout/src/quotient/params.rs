//! The shape of a quotient filter.

use super::block::{CONTROL_BYTES, Shape};
use super::control::Control;
use super::insert::{self, NoRoom};
use super::writer::{fill, insert_batch};
use super::{check, probe, remove};
use crate::bits::Mask;
use crate::collect::SortedHashes;
use crate::error::{BatchError, BuildError, ConfigError, InsertError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Insertable, Invalid, Layout, Params, Removable, Tally, with_collisions};
use crate::math::quotient::{self, QuotientSize};
use crate::traits::Inserted;

/// The most keys of a filter that is made even where the bits per key make less: most of it is no table.
const SMALL: u64 = 4096;

/// The validated shape of a [`Quotient`](super::Quotient) filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotientParams {
    capacity: u64,
    shape: Shape,
}

impl QuotientParams {
    /// The fewest remainder bits a filter may have.
    pub const MIN_REMAINDER_BITS: u32 = quotient::MIN_REMAINDER_BITS;
    /// The most remainder bits a filter may have.
    pub const MAX_REMAINDER_BITS: u32 = quotient::MAX_REMAINDER_BITS;
    /// The most fingerprints there may be.
    const MAX_UNIVERSE: u64 = 1 << 63;

    /// A filter of `slots` slots with remainders of `remainder_bits` bits, meant for `capacity` keys.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for no slots or a number of bits that is not 2 to 32, or more than 2^63
    /// fingerprints in all.
    pub fn new(capacity: u64, slots: u64, remainder_bits: u32) -> Result<Self, ConfigError> {
        Ok(Self::validated(capacity, slots, u64::from(remainder_bits))?)
    }

    fn validated(capacity: u64, slots: u64, remainder_bits: u64) -> Result<Self, Invalid> {
        let Ok(bits @ Self::MIN_REMAINDER_BITS..=Self::MAX_REMAINDER_BITS) = u32::try_from(remainder_bits)
        else {
            let field = Field::RemainderBits.name();
            return Err(Invalid { field, value: remainder_bits, allowed: "2 to 32" });
        };
        if !(1..=Self::MAX_UNIVERSE >> bits).contains(&slots) {
            let allowed = "1 to 2^63 / 2^remainder bits";
            return Err(Invalid { field: Field::Slots.name(), value: slots, allowed });
        }
        Ok(Self { capacity, shape: Shape { slots, bits } })
    }

    /// The number of quotients, and of slots but for the room behind the last quotient's.
    pub const fn slots(&self) -> u64 {
        self.shape.slots
    }

    /// The bits of a fingerprint that a slot holds.
    pub const fn remainder_bits(&self) -> u32 {
        self.shape.bits
    }

    /// The number of fingerprints there are: `slots · 2^remainder_bits`. Filters with the same universe have the
    /// same fingerprints and can be merged.
    pub const fn universe(&self) -> u64 {
        self.shape.universe()
    }

    pub(super) const fn shape(&self) -> Shape {
        self.shape
    }

    /// The same fingerprints in twice the slots, for twice the keys; `None` when no bit can be spared.
    pub(super) fn doubled(&self) -> Option<Self> {
        let Shape { slots, bits } = self.shape;
        Self::validated(self.capacity.saturating_mul(2), slots.checked_mul(2)?, u64::from(bits) - 1).ok()
    }

    fn of_size(capacity: u64, size: QuotientSize) -> Option<Self> {
        Self::validated(capacity, size.slots, u64::from(size.remainder_bits)).ok()
    }

    /// The shape with the lowest rate for `capacity` keys in a payload of `bytes`; `None` when there is no room for
    /// so many.
    fn within(capacity: u64, bytes: u64) -> Option<Self> {
        let table = bytes.checked_sub(CONTROL_BYTES as u64)?;
        quotient::fit(table.saturating_mul(8), capacity).and_then(|size| Self::of_size(capacity, size))
    }

    /// The smallest shape for `capacity` keys, whatever its rate.
    fn smallest(capacity: u64) -> Option<Self> {
        let size =
            QuotientSize { slots: quotient::slots(capacity)?, remainder_bits: Self::MIN_REMAINDER_BITS };
        Self::of_size(capacity, size)
    }

    fn full(&self, payload: &[u8]) -> InsertError {
        InsertError::Full { capacity: self.capacity, len: Control::read(payload).copies }
    }
}

impl Params for QuotientParams {
    const FAMILY: Family = Family::Quotient;

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        let too_large = ConfigError::TooLarge { what: "fingerprints", capacity };
        let (bytes, forgiving) = match goal {
            Goal::Fpr(fpr) => {
                let fpr = Goal::check_fpr(fpr, capacity)?;
                let size = quotient::size(capacity, fpr);
                return size.and_then(|size| Self::of_size(capacity, size)).ok_or(too_large);
            }
            // A small filter has its least size, even where the bits per key make less.
            Goal::BitsPerKey(bits_per_key) => {
                (Goal::check_bits(bits_per_key, capacity)? / 8, capacity <= SMALL)
            }
            Goal::SizeBytes(bytes) => (bytes, false),
        };
        let smallest = Self::smallest(capacity).ok_or(too_large)?;
        match Self::within(capacity, bytes) {
            Some(params) => Ok(params),
            None if forgiving => Ok(smallest),
            None => Err(ConfigError::TooSmall { bytes, least: smallest.payload_bytes() }),
        }
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn payload_bytes(&self) -> u64 {
        CONTROL_BYTES as u64 + self.shape.blocks() * self.shape.block_bytes() as u64
    }

    fn probes(&self) -> u32 {
        1
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        with_collisions(quotient::fpr(self.slots(), self.remainder_bits(), keys), keys)
    }
}

impl Layout for QuotientParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        let [slots, bits] = header.integers_of([Field::Slots, Field::RemainderBits])?;
        Ok(Self::validated(header.capacity(), slots, bits)?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Quotient, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        let bits = self.shape.bits.into();
        [(Field::Slots, self.shape.slots.into()), (Field::RemainderBits, bits)].into_iter()
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        let Control { used, distinct, .. } = Control::read(payload);
        // A payload that was not verified may say anything.
        let (slots, bits, distinct) = (self.slots(), self.remainder_bits(), distinct.min(self.universe()));
        Tally {
            fill: (used as f64 / slots as f64).min(1.0),
            fpr: quotient::fpr_of_fingerprints(slots, bits, distinct),
            keys: quotient::estimate_keys(slots, bits, distinct),
        }
    }

    fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        check::check(self.shape, payload)
    }

    #[inline]
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        probe::contains(&self.shape, payload, hash)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        probe::contains_many(self.shape, payload, hashes, hits);
    }
}

impl Insertable for QuotientParams {
    #[inline]
    fn insert(&self, payload: &mut [u8], hash: u64) -> Result<Inserted, InsertError> {
        insert::insert(&self.shape, payload, hash).map_err(|NoRoom| self.full(payload))
    }

    fn insert_many(&self, payload: &mut [u8], hashes: &[u64]) -> Result<usize, BatchError> {
        insert_batch(self.shape, payload, hashes, |payload| self.full(payload))
    }

    fn insert_sorted(&self, payload: &mut [u8], hashes: &mut SortedHashes) -> Result<(), BuildError> {
        hashes.read_through(|hashes| fill(self.shape, payload, hashes, |payload| self.full(payload)))??;
        Ok(())
    }
}

impl Removable for QuotientParams {
    fn remove(&self, payload: &mut [u8], hash: u64) -> bool {
        remove::remove(&self.shape, payload, hash)
    }
}

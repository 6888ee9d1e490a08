//! The families that layers can be of.

use crate::blocked::BlockedParams;
use crate::bloom::BloomParams;
use crate::cuckoo::CuckooParams;
use crate::frame::Field;
use crate::layout::{Insertable, Invalid};

/// The parameters of a family whose filters can be layers: [`BloomParams`], [`BlockedParams`], [`CuckooParams`].
///
/// Implemented by no type outside this crate.
pub trait Base: Shape {}

/// How a layer's integers become its parameters.
///
/// Public for the bounds of public types and not exported.
pub trait Shape: Insertable + Copy {
    /// The integers that shape a layer, in the order of their codes.
    const FIELDS: [Field; 2];

    /// The parameters of a layer for `capacity` keys that has these integers.
    fn of_layer(capacity: u64, values: [u64; 2]) -> Result<Self, Invalid>;

    /// The inverse of [`Shape::of_layer`].
    fn values(&self) -> [u64; 2] {
        let mut values = self.fields().map(|(_, value)| value);
        // Each of these families has two.
        [values.next().unwrap_or(0), values.next().unwrap_or(0)]
    }
}

impl Base for BloomParams {}
impl Base for BlockedParams {}
impl Base for CuckooParams {}

impl Shape for BloomParams {
    const FIELDS: [Field; 2] = [Field::Bits, Field::Probes];

    fn of_layer(capacity: u64, [bits, probes]: [u64; 2]) -> Result<Self, Invalid> {
        Self::validated(capacity, bits, probes)
    }
}

impl Shape for BlockedParams {
    const FIELDS: [Field; 2] = [Field::Probes, Field::Lines];

    fn of_layer(capacity: u64, [probes, lines]: [u64; 2]) -> Result<Self, Invalid> {
        Self::validated(capacity, lines, probes)
    }
}

impl Shape for CuckooParams {
    const FIELDS: [Field; 2] = [Field::FingerprintBits, Field::Slots];

    fn of_layer(capacity: u64, [bits, slots]: [u64; 2]) -> Result<Self, Invalid> {
        Self::validated(capacity, slots, bits)
    }
}

//! The shape of a binary fuse filter.

use crate::batch::test_found_ahead;
use crate::bits::{Buf, Mask};
use crate::build::{Sink, Watch, solved};
use crate::collect::SortedHashes;
use crate::error::{BuildError, ConfigError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Collected, Invalid, Layout, Params, Static, Tally, with_collisions};
use crate::math::fuse::{self, Geometry};

use super::build;
use super::probe::{Lookup, PADDING, holds};
use super::width::with_width;

/// A filter of fewer slots is made even where the bits per key make less.
const SMALL: u64 = 4096;

/// The most slots of a shard: their numbers, and the places of their bits, are far from overflow.
const MAX_SHARD_SLOTS: u64 = 1 << 31;

/// The validated shape of a [`Fuse`](super::Fuse) or a [`Fuse4`](super::Fuse4) filter, by the number of its probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FuseParams<const ARITY: usize> {
    capacity: u64,
    fingerprint_bits: u32,
    geometry: Geometry,
    /// The bytes that a shard's slots take: they follow from the rest, and every query needs them.
    shard_bytes: u64,
}

impl<const ARITY: usize> FuseParams<ARITY> {
    /// A filter of `capacity` keys with fingerprints of `fingerprint_bits` bits.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for no bits or more than 32, [`ConfigError::TooLarge`] for more bytes than 64 bits can
    /// count.
    pub fn new(capacity: u64, fingerprint_bits: u32) -> Result<Self, ConfigError> {
        Self::with_geometry(capacity, fingerprint_bits, fuse::geometry(capacity, ARITY as u32))
    }

    /// A filter of `capacity` keys in an array of another shape than [`fuse::geometry`] gives.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for a shape that no filter has: no shards and keys, or shards and no keys; segments of
    /// more than 2^14 slots; no segments, or more than 2^31 slots in a shard.
    pub fn with_geometry(
        capacity: u64,
        fingerprint_bits: u32,
        geometry: Geometry,
    ) -> Result<Self, ConfigError> {
        let bits = u64::from(geometry.segment_bits);
        let shape = [fingerprint_bits.into(), geometry.shards, bits, geometry.segments];
        Ok(Self::validated(capacity, shape)?)
    }

    fn validated(
        capacity: u64,
        [fingerprint_bits, shards, segment_bits, segments]: [u64; 4],
    ) -> Result<Self, Invalid> {
        let invalid = |field: Field, value, allowed| Invalid { field: field.name(), value, allowed };
        let Ok(width @ 1..=fuse::MAX_FINGERPRINT_BITS) = u32::try_from(fingerprint_bits) else {
            return Err(invalid(Field::FingerprintBits, fingerprint_bits, "1 to 32"));
        };
        if capacity == 0 {
            let nothing = Geometry { shards: 0, segment_bits: 0, segments: 0 };
            let fields =
                [(Field::Shards, shards), (Field::SegmentBits, segment_bits), (Field::Segments, segments)];
            return match fields.into_iter().find(|&(_, value)| value != 0) {
                None => Ok(Self { capacity, fingerprint_bits: width, geometry: nothing, shard_bytes: 0 }),
                Some((field, value)) => Err(invalid(field, value, "0 for no keys")),
            };
        }
        let Ok(segment_bits @ 0..=fuse::MAX_SEGMENT_BITS) = u32::try_from(segment_bits) else {
            return Err(invalid(Field::SegmentBits, segment_bits, "0 to 14"));
        };
        let most = (MAX_SHARD_SLOTS >> segment_bits) + 1 - ARITY as u64;
        if !(1..=most).contains(&segments) {
            return Err(invalid(Field::Segments, segments, "1 to 2^31 slots of a shard"));
        }
        let geometry = Geometry { shards, segment_bits, segments };
        let shard_bytes = (geometry.shard_slots(ARITY as u32) * u64::from(width)).div_ceil(8);
        // A filter of more bytes than any address space is refused by the field that makes it so.
        let most_shards = ((1 << 63) - PADDING) / (shard_bytes + 1);
        if !(1..=most_shards).contains(&shards) {
            return Err(invalid(Field::Shards, shards, "1 to 2^63 bytes of payload"));
        }
        Ok(Self { capacity, fingerprint_bits: width, geometry, shard_bytes })
    }

    /// The number of bits of a fingerprint.
    pub const fn fingerprint_bits(&self) -> u32 {
        self.fingerprint_bits
    }

    /// The shape of the array.
    pub const fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The number of slots of a shard.
    pub(super) const fn shard_slots(&self) -> u64 {
        self.geometry.shard_slots(ARITY as u32)
    }

    /// The bytes that a shard's slots take.
    pub(super) const fn shard_bytes(&self) -> u64 {
        self.shard_bytes
    }

    /// The bytes of all shards' slots, behind which come the seeds.
    pub(super) const fn table_bytes(&self) -> u64 {
        self.geometry.shards * self.shard_bytes
    }

    /// The filter with the lowest rate in at most `bytes` bytes.
    fn within(capacity: u64, bytes: u64, least_bits: u32) -> Result<Self, ConfigError> {
        let smallest = Self::new(capacity, 1)?;
        let geometry = smallest.geometry;
        let table = bytes.saturating_sub(geometry.shards + PADDING);
        let shard_bits = u128::from(table / geometry.shards.max(1)) * 8;
        let width = shard_bits / u128::from(smallest.shard_slots().max(1));
        let width = (width.min(fuse::MAX_FINGERPRINT_BITS.into()) as u32).max(least_bits);
        if width == 0 {
            return Err(ConfigError::TooSmall { bytes, least: smallest.payload_bytes() });
        }
        Self::new(capacity, width)
    }
}

impl<const ARITY: usize> Params for FuseParams<ARITY> {
    const FAMILY: Family = match ARITY {
        3 => Family::Fuse,
        4 => Family::Fuse4,
        _ => panic!("a fuse filter has three probes or four"),
    };

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        match goal {
            Goal::Fpr(asked) => {
                let fpr = Goal::check_fpr(asked, capacity)?;
                let allowed = "at least 2^-32, the rate of the widest fingerprints";
                let what = "the false-positive rate";
                let bits = fuse::fingerprint_bits(fpr);
                let bits = bits.ok_or(ConfigError::OutOfRange { what, given: asked, allowed })?;
                Self::new(capacity, bits)
            }
            Goal::BitsPerKey(bits_per_key) => {
                let bytes = Goal::check_bits(bits_per_key, capacity)? / 8;
                let slots = fuse::geometry(capacity, ARITY as u32).shard_slots(ARITY as u32);
                Self::within(capacity, bytes, u32::from(slots <= SMALL))
            }
            Goal::SizeBytes(0) => Err(ConfigError::TooSmall { bytes: 0, least: 1 }),
            Goal::SizeBytes(bytes) => Self::within(capacity, bytes, u32::from(capacity == 0)),
        }
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn payload_bytes(&self) -> u64 {
        if self.capacity == 0 { 0 } else { self.table_bytes() + self.geometry.shards + PADDING }
    }

    fn probes(&self) -> u32 {
        ARITY as u32
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        if keys == 0 { 0.0 } else { with_collisions(fuse::fpr(self.fingerprint_bits), keys) }
    }
}

impl<const ARITY: usize> Layout for FuseParams<ARITY> {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        let fields = [Field::FingerprintBits, Field::Shards, Field::SegmentBits, Field::Segments];
        Ok(Self::validated(header.capacity(), header.integers_of(fields)?)?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Fingerprints, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        let Geometry { shards, segment_bits, segments } = self.geometry;
        [
            (Field::FingerprintBits, self.fingerprint_bits.into()),
            (Field::Shards, shards.into()),
            (Field::SegmentBits, segment_bits.into()),
            (Field::Segments, segments.into()),
        ]
        .into_iter()
    }

    fn tally(&self, _payload: &[u8]) -> Tally {
        let keys = self.capacity;
        let fpr = if keys == 0 { 0.0 } else { fuse::fpr(self.fingerprint_bits) };
        Tally { fill: f64::from(u8::from(keys > 0)), fpr, keys: Some(keys as f64) }
    }

    fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        // Any fingerprints are the solution of some keys, under any seeds; what is no slot and no seed is zero.
        self.unused_bits(payload)
            .find(|&bits| bits != 0)
            .map_or(Ok(()), |value| Err(OpenError::Invalid { field: "unused bits", value, allowed: "0" }))
    }

    #[inline(always)]
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        self.geometry.shards > 0
            && with_width!(self, width => holds(width, payload, &self.find(width, payload, hash)))
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        if self.geometry.shards == 0 {
            return hits.fill_with(hashes, |_| false);
        }
        with_width!(self, width => {
            test_found_ahead(hashes, hits, &Lookup { params: self, width, payload });
        });
    }
}

impl<const ARITY: usize> Collected for FuseParams<ARITY> {
    fn collect(goal: Goal, hashes: SortedHashes, watch: &mut Watch<'_>) -> Result<(Self, Buf), BuildError> {
        solved(goal, hashes, watch)
    }
}

impl<const ARITY: usize> Static for FuseParams<ARITY> {
    fn solve(
        &self,
        hashes: SortedHashes,
        payload: &mut Sink<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), BuildError> {
        build::solve(self, hashes, payload, watch)
    }
}

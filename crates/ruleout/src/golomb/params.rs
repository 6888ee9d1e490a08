//! The shape of a Golomb-coded set.

use super::shape::Shape;
use super::{build, check, probe};
use crate::bits::{Buf, Mask};
use crate::build::{Sink, Watch, solved};
use crate::collect::SortedHashes;
use crate::error::{BuildError, ConfigError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Collected, Invalid, Layout, Params, Static, Tally, with_collisions};
use crate::math::golomb::{self, GolombBits, GolombSize};

/// The validated shape of a [`Golomb`](super::Golomb) filter.
///
/// How long the codes are depends on the keys. What a recipe leads to has the length that is expected for so many
/// keys, a filter that was built its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GolombParams {
    capacity: u64,
    shape: Shape,
}

impl GolombParams {
    /// The most values there may be.
    pub const MAX_UNIVERSE: u64 = golomb::MAX_UNIVERSE;
    /// The most low bits of a distance that are written as they are.
    pub const MAX_RICE_BITS: u32 = golomb::MAX_RICE_BITS;

    /// The most bits of an index.
    const MAX_INDEX_BITS: u64 = 1 << 62;

    fn validated(capacity: u64, numbers: [u64; 6]) -> Result<Self, Invalid> {
        let [buckets, width, rice_bits, code_bits, offset_bits, offset_bias] = numbers;
        let invalid = |field: Field, value, allowed| Err(Invalid { field: field.name(), value, allowed });
        if !(1..=Self::MAX_UNIVERSE).contains(&buckets) {
            return invalid(Field::Buckets, buckets, "1 to 2^61");
        }
        if !(1..=Self::MAX_UNIVERSE / buckets).contains(&width) {
            return invalid(Field::Width, width, "1 to 2^61 / buckets");
        }
        if rice_bits > Self::MAX_RICE_BITS.into() {
            return invalid(Field::RiceBits, rice_bits, "0 to 56");
        }
        if code_bits > Shape::MAX_CODE_BITS {
            return invalid(Field::CodeBits, code_bits, "0 to 2^54");
        }
        // An entry has a bit at least, so that a file is as long as its number of buckets is high.
        let entries = if buckets > 1 { 1..=u64::from(Shape::MAX_OFFSET_BITS) } else { 0..=0 };
        if !entries.contains(&offset_bits) {
            return invalid(Field::OffsetBits, offset_bits, "1 to 56, and 0 for one bucket");
        }
        if offset_bias > code_bits || (buckets == 1 && offset_bias > 0) {
            return invalid(Field::OffsetBias, offset_bias, "0 to code bits, and 0 for one bucket");
        }
        if (buckets - 1).checked_mul(offset_bits).is_none_or(|bits| bits > Self::MAX_INDEX_BITS) {
            return invalid(Field::Buckets, buckets, "1 and at most 2^62 / offset bits more");
        }
        // Both were checked to be small.
        let (rice_bits, offset_bits) = (rice_bits as u32, offset_bits as u32);
        let size = GolombSize { buckets, width, rice_bits };
        Ok(Self { capacity, shape: Shape::new(size, code_bits, offset_bits, offset_bias) })
    }

    /// The shape of `size` for `capacity` keys, with codes of `code_bits` bits in all and an index that has `offset_bits` for
    /// each bucket but the first: how far its codes begin behind their even place less `offset_bias`.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for no buckets or no values in them, more than 2^61 values in all, more than 56 Rice
    /// bits, 2^54 bits of codes, 56 bits of an entry or 2^62 of the index, an index of no bits or for one bucket, or a bias
    /// beyond all codes.
    pub fn new(
        capacity: u64,
        size: GolombSize,
        code_bits: u64,
        offset_bits: u32,
        offset_bias: u64,
    ) -> Result<Self, ConfigError> {
        let GolombSize { buckets, width, rice_bits } = size;
        let numbers = [buckets, width, rice_bits.into(), code_bits, offset_bits.into(), offset_bias];
        Ok(Self::validated(capacity, numbers)?)
    }

    /// As [`Self::new`], of numbers that a recipe leads to: they may be, but for those of more codes than there can be.
    pub(super) fn of_recipe(
        capacity: u64,
        size: GolombSize,
        code_bits: u64,
        (offset_bits, offset_bias): (u32, u64),
    ) -> Result<Self, ConfigError> {
        Self::new(capacity, size, code_bits, offset_bits, offset_bias)
            .map_err(|_| ConfigError::TooLarge { what: "bits of codes", capacity })
    }

    /// The number of values there may be: `buckets · width`.
    pub const fn universe(&self) -> u64 {
        self.shape.size.universe()
    }

    /// The number of buckets, each of which the index leads to.
    pub const fn buckets(&self) -> u64 {
        self.shape.size.buckets
    }

    /// The low bits of a distance that are written as they are: the divisor of the Golomb code is `2^rice_bits`.
    pub const fn rice_bits(&self) -> u32 {
        self.shape.size.rice_bits
    }

    #[cfg(test)]
    pub(super) const fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(super) const fn size(&self) -> GolombSize {
        self.shape.size
    }

    /// The bits of index and codes.
    pub(super) const fn bits(&self) -> u64 {
        self.shape.bits()
    }

    /// The bits that `goal` leaves, if it says: whole bytes, one at least.
    pub(super) fn room(goal: Goal, keys: u64) -> Result<Option<u64>, ConfigError> {
        match goal {
            Goal::Fpr(_) => Ok(None),
            Goal::BitsPerKey(bits_per_key) => {
                Ok(Some((Goal::check_bits(bits_per_key, keys)? / 8).max(1) * 8))
            }
            Goal::SizeBytes(bytes) => Ok(Some(Goal::check_bytes(bytes, 1)?.saturating_mul(8))),
        }
    }
}

impl Params for GolombParams {
    const FAMILY: Family = Family::Golomb;

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        let too_large = ConfigError::TooLarge { what: "values", capacity };
        let (size, bits) = match (Self::room(goal, capacity)?, goal) {
            (None, Goal::Fpr(fpr)) => {
                let fpr = Goal::check_fpr(fpr, capacity)?;
                let size = golomb::size(capacity, fpr).ok_or(too_large)?;
                (size, golomb::expected(size, capacity))
            }
            (room, _) => {
                let size = golomb::fit(room.unwrap_or(1), capacity).ok_or(too_large)?;
                (size, golomb::fitted(size, capacity))
            }
        };
        let GolombBits { code_bits, offset_bits, .. } = bits;
        match capacity {
            // Of no keys there is nothing to write.
            0 => Self::of_recipe(0, GolombSize { buckets: 1, ..size }, 0, (0, 0)),
            _ => Self::of_recipe(capacity, size, code_bits, (offset_bits, 0)),
        }
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn payload_bytes(&self) -> u64 {
        self.bits().div_ceil(8)
    }

    fn probes(&self) -> u32 {
        1
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        with_collisions(golomb::fpr(self.universe(), keys), keys)
    }
}

impl Layout for GolombParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        let numbers = header.integers_of([
            Field::Buckets,
            Field::Width,
            Field::RiceBits,
            Field::CodeBits,
            Field::OffsetBits,
            Field::OffsetBias,
        ])?;
        Ok(Self::validated(header.capacity(), numbers)?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Codes, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        let Shape {
            size: GolombSize { buckets, width, rice_bits }, code_bits, offset_bits, offset_bias, ..
        } = self.shape;
        [
            (Field::Buckets, buckets.into()),
            (Field::Width, width.into()),
            (Field::RiceBits, rice_bits.into()),
            (Field::CodeBits, code_bits.into()),
            (Field::OffsetBits, offset_bits.into()),
            (Field::OffsetBias, offset_bias.into()),
        ]
        .into_iter()
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        let values = check::count(&self.shape, payload);
        Tally {
            fill: if self.bits() > 0 { 1.0 } else { 0.0 },
            fpr: golomb::fpr_of_values(self.universe(), values),
            keys: golomb::estimate_keys(self.universe(), values),
        }
    }

    fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        check::check(&self.shape, payload)
    }

    #[inline]
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        probe::contains(&self.shape, payload, hash)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        probe::contains_many(&self.shape, payload, hashes, hits);
    }
}

impl Collected for GolombParams {
    fn collect(goal: Goal, hashes: SortedHashes, watch: &mut Watch<'_>) -> Result<(Self, Buf), BuildError> {
        solved(goal, hashes, watch)
    }
}

impl Static for GolombParams {
    fn plan(goal: Goal, hashes: &mut SortedHashes) -> Result<Self, BuildError> {
        build::plan(goal, hashes)
    }

    fn solve(
        &self,
        hashes: SortedHashes,
        payload: &mut Sink<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), BuildError> {
        build::solve(&self.shape, hashes, payload, watch)
    }
}

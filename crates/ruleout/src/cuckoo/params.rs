//! The shape of a cuckoo filter.

use core::ops::RangeInclusive;

use crate::batch::{insert_ahead, test_found_ahead};
use crate::bits::Mask;
use crate::error::{BatchError, ConfigError, InsertError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Insertable, Invalid, Layout, Params, Removable, Tally, with_collisions};
use crate::math::cuckoo;
use crate::simd::prefetch_write;
use crate::traits::Inserted;

use super::{insert, probe, remove, scan, table};

/// The widths a slot may have.
const FINGERPRINT_BITS: RangeInclusive<u32> = cuckoo::MIN_TAG_BITS..=cuckoo::MAX_TAG_BITS;

/// A filter of fewer slots is made even where the bits per key make less: most of it is no table.
const SMALL: u64 = 4096;

/// A window is chosen by the hash's high bits, a fingerprint by what they leave: together they take fewer than all.
const HASH_BITS: u32 = 63;

/// The validated shape of a [`Cuckoo`](super::Cuckoo) filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CuckooParams {
    capacity: u64,
    slots: u64,
    fingerprint_bits: u32,
}

impl CuckooParams {
    /// A filter of `slots` slots of `fingerprint_bits` bits, meant for `capacity` keys.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for fewer than 4 bits or more than 32, for fewer than 3 slots, and for more
    /// than 2^(63 − `fingerprint_bits`).
    pub fn new(capacity: u64, slots: u64, fingerprint_bits: u32) -> Result<Self, ConfigError> {
        Ok(Self::validated(capacity, slots, u64::from(fingerprint_bits))?)
    }

    pub(crate) fn validated(capacity: u64, slots: u64, bits: u64) -> Result<Self, Invalid> {
        let fingerprint_bits = u32::try_from(bits)
            .ok()
            .filter(|bits| FINGERPRINT_BITS.contains(bits))
            .ok_or(Invalid { field: Field::FingerprintBits.name(), value: bits, allowed: "4 to 32" })?;
        if !(cuckoo::MIN_SLOTS..=Self::most_slots(fingerprint_bits)).contains(&slots) {
            let allowed = "3 to 2^(63 - fingerprint bits)";
            return Err(Invalid { field: Field::Slots.name(), value: slots, allowed });
        }
        Ok(Self { capacity, slots, fingerprint_bits })
    }

    const fn most_slots(fingerprint_bits: u32) -> u64 {
        1 << (HASH_BITS - fingerprint_bits)
    }

    /// The number of slots.
    pub const fn slots(&self) -> u64 {
        self.slots
    }

    /// The number of bits of a slot: a fingerprint, and which slot of its window it is in.
    pub const fn fingerprint_bits(&self) -> u32 {
        self.fingerprint_bits
    }

    /// The shape with the lowest rate whose table has at most `bytes` bytes; `None` when that has no room for so many
    /// keys.
    fn within(capacity: u64, bytes: u64) -> Option<Self> {
        let size = cuckoo::fit(bytes.saturating_mul(8), capacity)?;
        let slots = size.slots.min(Self::most_slots(size.tag_bits));
        Self::new(capacity, slots, size.tag_bits).ok()
    }

    /// The smallest shape for `capacity` keys, whatever its rate.
    fn smallest(capacity: u64) -> Result<Self, ConfigError> {
        let too_large = ConfigError::TooLarge { what: "slots", capacity };
        let slots = cuckoo::slots(capacity).ok_or(too_large.clone())?;
        Self::new(capacity, slots, cuckoo::MIN_TAG_BITS).map_err(|_| too_large)
    }
}

impl Params for CuckooParams {
    const FAMILY: Family = Family::Cuckoo;

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        let (bytes, smallest) = match goal {
            Goal::Fpr(fpr) => {
                let fpr = Goal::check_fpr(fpr, capacity)?;
                let too_large = ConfigError::TooLarge { what: "slots", capacity };
                let size = cuckoo::size(capacity, fpr).ok_or(too_large.clone())?;
                return Self::new(capacity, size.slots, size.tag_bits).map_err(|_| too_large);
            }
            Goal::BitsPerKey(bits_per_key) => {
                let bytes = Goal::check_bits(bits_per_key, capacity)? / 8;
                (bytes, Self::smallest(capacity)?)
            }
            Goal::SizeBytes(bytes) => (bytes, Self::smallest(capacity)?),
        };
        let fits = bytes.checked_sub(table::OVERHEAD).and_then(|bytes| Self::within(capacity, bytes));
        fits.or((SMALL >= smallest.slots && matches!(goal, Goal::BitsPerKey(_))).then_some(smallest))
            .ok_or(ConfigError::TooSmall { bytes, least: smallest.payload_bytes() })
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn payload_bytes(&self) -> u64 {
        // At most 2^59 slots of 4 bits: far from overflow.
        (self.slots * u64::from(self.fingerprint_bits)).div_ceil(8) + table::OVERHEAD
    }

    fn probes(&self) -> u32 {
        2
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        // More keys than slots, and one, it does not take.
        let keys = keys.min(self.slots + 1);
        with_collisions(cuckoo::fpr(self.slots, self.fingerprint_bits, keys), keys)
    }
}

impl Layout for CuckooParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        let [bits, slots] = header.integers_of([Field::FingerprintBits, Field::Slots])?;
        Ok(Self::validated(header.capacity(), slots, bits)?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Table, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        let bits = self.fingerprint_bits.into();
        [(Field::FingerprintBits, bits), (Field::Slots, self.slots.into())].into_iter()
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        scan::tally(self, payload)
    }

    fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        scan::check(self, payload)
    }

    #[inline(always)]
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        probe::holds(self, payload, &self.entry(hash))
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        test_found_ahead(hashes, hits, &probe::Lookup { params: self, payload });
    }
}

impl Insertable for CuckooParams {
    fn insert(&self, payload: &mut [u8], hash: u64) -> Result<Inserted, InsertError> {
        insert::insert(self, payload, &self.entry(hash))
    }

    fn insert_many(&self, payload: &mut [u8], hashes: &[u64]) -> Result<usize, BatchError> {
        let fetch = |payload: &[u8], hash| {
            for window in self.entry(hash).windows {
                prefetch_write(payload, self.byte_of(window));
            }
        };
        insert_ahead(payload, hashes, fetch, |payload, hash| self.insert(payload, hash))
    }

    fn roomier(&self, goal: Goal) -> Option<Self> {
        // Another number of slots lays the windows anew; a smaller one would not keep to the rate.
        let slots = self.slots.checked_add(self.slots / 128 + 1)? | 1;
        let enough = cuckoo::slots(self.capacity)?.saturating_mul(9) / 8;
        let within_goal = matches!(goal, Goal::Fpr(_)) && slots <= enough;
        within_goal.then(|| Self::validated(self.capacity, slots, u64::from(self.fingerprint_bits)).ok())?
    }
}

impl Removable for CuckooParams {
    fn remove(&self, payload: &mut [u8], hash: u64) -> bool {
        remove::remove(self, payload, &self.entry(hash))
    }
}

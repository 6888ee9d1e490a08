//! The filters that compositions are made of.

use crate::bits::Mask;
use crate::blocked::BlockedParams;
use crate::bloom::BloomParams;
use crate::cuckoo::CuckooParams;
use crate::error::{ConfigError, InsertError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Endless, Insertable, Invalid, Layout, Params, Tally};
use crate::traits::Inserted;

/// The parameters of a filter that is part of a composition: of one of the families that can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BaseParams {
    /// Those of a standard Bloom filter.
    Bloom(BloomParams),
    /// Those of a blocked Bloom filter.
    Blocked(BlockedParams),
    /// Those of a cuckoo filter.
    Cuckoo(CuckooParams),
}

/// Runs `$body` with the family's own parameters as `$params`.
macro_rules! each {
    ($base:expr, $params:ident => $body:expr) => {
        match $base {
            Self::Bloom($params) => $body,
            Self::Blocked($params) => $body,
            Self::Cuckoo($params) => $body,
        }
    };
}

impl BaseParams {
    /// The family.
    pub fn family(&self) -> Family {
        match self {
            Self::Bloom(_) => Family::Bloom,
            Self::Blocked(_) => Family::Blocked,
            Self::Cuckoo(_) => Family::Cuckoo,
        }
    }

    /// The design number of keys.
    pub fn capacity(&self) -> u64 {
        each!(self, params => Params::capacity(params))
    }

    /// The size of the payload in bytes.
    pub fn payload_bytes(&self) -> u64 {
        each!(self, params => params.payload_bytes())
    }

    /// The size of the payload in bits for each key of the capacity.
    pub fn bits_per_key(&self) -> f64 {
        self.payload_bytes() as f64 * 8.0 / self.capacity().max(1) as f64
    }

    /// How many places of the payload one key looks at.
    pub fn probes(&self) -> u32 {
        each!(self, params => Params::probes(params))
    }

    /// The expected false-positive rate, 0 to 1, with `keys` distinct keys inserted, from the exact formula.
    pub fn fpr_at(&self, keys: u64) -> f64 {
        each!(self, params => params.fpr_at(keys))
    }

    /// The parameters of `family` for `capacity` keys that reach `goal`.
    pub(crate) fn for_goal(family: Family, capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        match family {
            Family::Bloom => BloomParams::for_goal(capacity, goal).map(Self::Bloom),
            Family::Blocked => BlockedParams::for_goal(capacity, goal).map(Self::Blocked),
            Family::Cuckoo => CuckooParams::for_goal(capacity, goal).map(Self::Cuckoo),
            family => Err(ConfigError::Needs { family, what: "to stand alone: no other is made of such" }),
        }
    }

    /// The two numbers that shape a filter of `family`, in the order of their codes; `None` when nothing is made of such.
    pub(crate) fn fields_of(family: Family) -> Option<[Field; 2]> {
        match family {
            Family::Bloom => Some([Field::Bits, Field::Probes]),
            Family::Blocked => Some([Field::Probes, Field::Lines]),
            Family::Cuckoo => Some([Field::FingerprintBits, Field::Slots]),
            _ => None,
        }
    }

    /// The parameters of `family` for `capacity` keys with these numbers.
    pub(crate) fn of_values(family: Family, capacity: u64, values: [u64; 2]) -> Result<Self, Invalid> {
        let [first, second] = values;
        match family {
            Family::Bloom => BloomParams::validated(capacity, first, second).map(Self::Bloom),
            Family::Blocked => BlockedParams::validated(capacity, second, first).map(Self::Blocked),
            Family::Cuckoo => CuckooParams::validated(capacity, second, first).map(Self::Cuckoo),
            _ => Err(not_a_base(u64::from(family.code()))),
        }
    }

    /// The numbers that shape it, by the order of [`BaseParams::fields_of`].
    pub(crate) fn values(&self) -> [u64; 2] {
        let numbers = |mut fields: [Option<Value>; 2]| {
            // Each of these families has two fields, both integers.
            [0, 1].map(|i| fields[i].take().and_then(|value| value.integer()).unwrap_or(0))
        };
        each!(self, params => {
            let mut fields = params.fields().map(|(_, value)| value);
            numbers([fields.next(), fields.next()])
        })
    }

    /// What its payload is in a file.
    pub(crate) fn section(&self) -> Section {
        match self {
            Self::Bloom(_) | Self::Blocked(_) => Section::Bitmap,
            Self::Cuckoo(_) => Section::Table,
        }
    }

    pub(crate) fn tally(&self, payload: &[u8]) -> Tally {
        each!(self, params => params.tally(payload))
    }

    pub(crate) fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        each!(self, params => params.check(payload))
    }

    #[inline]
    pub(crate) fn probe(&self, payload: &[u8], hash: u64) -> bool {
        each!(self, params => params.probe(payload, hash))
    }

    pub(crate) fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        each!(self, params => params.probe_many(payload, hashes, hits));
    }

    /// Inserts each hash, and marks those for which the answer was "maybe" before.
    pub(crate) fn observe(&self, payload: &mut [u8], hashes: &[u64], seen: &mut Mask) {
        match self {
            Self::Bloom(params) => params.observe(payload, hashes, seen),
            Self::Blocked(params) => params.observe(payload, hashes, seen),
            // Fingerprints are stored again for every insertion: no windows are made of them.
            Self::Cuckoo(params) => params.probe_many(payload, hashes, seen),
        }
    }

    pub(crate) fn insert(&self, payload: &mut [u8], hash: u64) -> Result<Inserted, InsertError> {
        each!(self, params => params.insert(payload, hash))
    }
}

/// The family of a composition's parts, from its header.
pub(crate) fn read_base(header: &Header<'_>) -> Result<Family, OpenError> {
    let code = header.integer(Field::Base)?;
    let family = u16::try_from(code).ok().and_then(Family::from_code);
    Ok(family.filter(|&family| BaseParams::fields_of(family).is_some()).ok_or(not_a_base(code))?)
}

fn not_a_base(value: u64) -> Invalid {
    Invalid { field: Field::Base.name(), value, allowed: "the code of a family that others are made of" }
}

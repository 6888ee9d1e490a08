//! What a family adds to the shape that all native filters share.
//!
//! A family is validated integers and pure functions over bytes. Opening, saving, hashing, batching and the
//! traits are written once, in [`crate::native`], over these functions.

use core::fmt::Debug;
use core::ops::Range;

use crate::batch::{insert_each, observe_ahead};
use crate::bits::{Buf, Mask};
use crate::build::{Sink, Watch};
use crate::collect::SortedHashes;
use crate::error::{BatchError, BuildError, ConfigError, InsertError, OpenError};
use crate::family::Family;
use crate::frame::{ALIGN, Field, Header, Len, Section, Value};
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::math::collision::hash_collision_fpr;
use crate::traits::Inserted;

/// The validated parameters of a family: what is known of a filter before it holds a key.
///
/// Implemented by each family's `XParams`, and by no type outside this crate.
///
/// ```
/// use ruleout::{BlockedConfig, Params};
/// let params = BlockedConfig::fpr(1_000_000, 0.01).params()?;
/// assert!(params.fpr_at(1_000_000) <= 0.01 && params.fpr_at(2_000_000) > 0.10);
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
pub trait Params: Layout {
    /// The family.
    const FAMILY: Family;

    /// The parameters for `capacity` keys that reach `goal`.
    ///
    /// # Errors
    /// [`ConfigError`] when a number is out of range or no filter can reach the goal.
    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError>;

    /// The design number of keys.
    fn capacity(&self) -> u64;

    /// The length of the payload in bytes.
    fn payload_bytes(&self) -> u64;

    /// How many places of the payload one key looks at.
    fn probes(&self) -> u32;

    /// The expected false-positive rate, 0 to 1, with `keys` distinct keys inserted, from the exact formula.
    fn fpr_at(&self, keys: u64) -> f64;

    /// A payload of zeros.
    ///
    /// # Errors
    /// [`ConfigError::OutOfMemory`] when the allocator refuses, [`ConfigError::TooLarge`] when it is larger than the
    /// address space.
    #[doc(hidden)]
    fn empty(&self) -> Result<Buf, ConfigError> {
        let bytes = usize::try_from(self.payload_bytes())
            .map_err(|_| ConfigError::TooLarge { what: "bytes", capacity: self.capacity() })?;
        Ok(Buf::zeroed(bytes)?)
    }
}

/// What the code shared by all families needs of one: its bytes.
///
/// Public for the bounds of public types and not exported, which keeps it, and so [`Params`], to this crate.
///
/// A payload handed to these functions has [`Params::payload_bytes`] bytes. Its content may be anything: no
/// function panics, loops or reads outside it.
pub trait Layout: Clone + PartialEq + Debug {
    /// The parameters a header holds, validated.
    fn read(header: &Header<'_>) -> Result<Self, OpenError>;

    /// The parts of the payload in order, with their lengths in bytes; each begins at a multiple of 64.
    fn sections(&self) -> impl Iterator<Item = (Section, u64)>;

    /// What shapes the payload, in the order of the codes: what a file records beside the capacity, and what two
    /// filters must share to be merged.
    fn fields(&self) -> impl Iterator<Item = (Field, Value)>;

    /// The shape of the filter when every key is forgotten, whose payload is the beginning of this one's.
    fn emptied(&self) -> Self {
        self.clone()
    }

    /// The expected false-positive rate with `len` keys in it, or a bound of it, as far as that can be told without the
    /// payload.
    fn fpr_of_len(&self, len: Len) -> Option<f64>
    where
        Self: Params,
    {
        len.bound().map(|keys| self.fpr_at(keys))
    }

    /// What a scan of the payload shows.
    fn tally(&self, payload: &[u8]) -> Tally;

    /// Refuses a payload that no sequence of insertions makes.
    fn check(&self, payload: &[u8]) -> Result<(), OpenError>;

    /// Whether a key with this hash may have been inserted.
    fn probe(&self, payload: &[u8], hash: u64) -> bool;

    /// [`Layout::probe`] of every hash, with the memory of later ones fetched ahead.
    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask);

    /// Whether this key may have been inserted: where more of a key goes in than its hash.
    #[inline(always)]
    fn probe_key(&self, payload: &[u8], hasher: &Hasher, key: &[u8]) -> bool {
        self.probe(payload, hasher.hash(key))
    }

    /// [`Layout::probe_key`] of every key, with the memory of later ones fetched ahead.
    fn probe_keys<K: AsRef<[u8]>>(&self, payload: &[u8], hasher: &Hasher, keys: &[K], hits: &mut Mask) {
        self.probe_many(payload, &hasher.hash_all(keys), hits);
    }
}

/// A family whose filters begin empty and change.
///
/// Those of another, a [`Static`] one, are built once: they have no `new` and no `insert`.
pub trait Changing: Params {}

/// A family of which a goal and a set of hashes make a filter.
pub trait Collected: Params {
    /// A filter made for exactly these hashes, with all of them in it: its shape and its payload.
    fn collect(goal: Goal, hashes: SortedHashes, watch: &mut Watch<'_>) -> Result<(Self, Buf), BuildError>;
}

/// A family whose filters are built once, from all their keys, and never change.
///
/// A filter of no keys has a payload of no bytes, so that it says no to everything.
pub trait Static: Collected {
    /// The shape for exactly these hashes.
    fn plan(goal: Goal, hashes: &mut SortedHashes) -> Result<Self, BuildError> {
        Ok(Self::for_goal(hashes.len(), goal)?)
    }

    /// Writes the payload of the filter of these hashes, in order.
    fn solve(
        &self,
        hashes: SortedHashes,
        payload: &mut Sink<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), BuildError>;
}

/// A family whose filters take keys one after the other.
pub trait Insertable: Changing {
    /// Inserts the key with this hash; leaves the payload as it was, byte for byte, when it refuses.
    fn insert(&self, payload: &mut [u8], hash: u64) -> Result<Inserted, InsertError>;

    /// [`Insertable::insert`] of each, up to the first refused, with the memory of later ones fetched ahead.
    /// Gives the number of new ones.
    fn insert_many(&self, payload: &mut [u8], hashes: &[u64]) -> Result<usize, BatchError> {
        insert_each(hashes, |hash| self.insert(payload, hash))
    }

    /// The shape to build with next, after one of this shape refused a key of a set it was made for; `None` when
    /// `goal` leaves no room for another, or enough were tried.
    fn roomier(&self, _goal: Goal) -> Option<Self> {
        None
    }

    /// [`Insertable::insert_many`] of all of them into an empty payload.
    fn insert_sorted(&self, payload: &mut [u8], hashes: &mut SortedHashes) -> Result<(), BuildError> {
        let mut applied = 0;
        hashes.each(|some| {
            let done = self.insert_many(payload, some);
            done.map_err(|stopped| BatchError { applied: applied + stopped.applied, ..stopped })?;
            applied += some.len();
            Ok(())
        })
    }
}

impl<P: Insertable> Collected for P {
    /// A family that may refuse a key gets another shape then, and again, while `goal` leaves room for one.
    fn collect(
        goal: Goal,
        mut hashes: SortedHashes,
        watch: &mut Watch<'_>,
    ) -> Result<(Self, Buf), BuildError> {
        let mut params = P::for_goal(hashes.len(), goal)?;
        loop {
            let mut payload = params.empty()?;
            match params.insert_sorted(payload.as_mut(), &mut hashes) {
                Ok(()) => {
                    watch.step(hashes.len())?;
                    return Ok((params, payload));
                }
                Err(BuildError::Insert(refused)) => params = params.roomier(goal).ok_or(refused)?,
                Err(other) => return Err(other),
            }
        }
    }
}

/// A family whose insertion cannot fail.
pub trait Endless: Changing {
    /// Inserts the key with this hash.
    fn set(&self, payload: &mut [u8], hash: u64) -> Inserted;

    /// [`Endless::set`] of each, with the memory of later ones fetched ahead. Gives the number of new ones.
    fn set_many(&self, payload: &mut [u8], hashes: &[u64]) -> usize;

    /// [`Endless::set`] of each in order, which marks those that were not new; the mask has their number, and keeps what
    /// is marked in it.
    fn observe(&self, payload: &mut [u8], hashes: &[u64], seen: &mut Mask) {
        observe_ahead(payload, hashes, seen, |_, _| {}, |payload, hash| self.set(payload, hash));
    }
}

impl<P: Endless> Insertable for P {
    #[inline(always)]
    fn insert(&self, payload: &mut [u8], hash: u64) -> Result<Inserted, InsertError> {
        Ok(self.set(payload, hash))
    }

    fn insert_many(&self, payload: &mut [u8], hashes: &[u64]) -> Result<usize, BatchError> {
        Ok(self.set_many(payload, hashes))
    }
}

/// A family whose filters forget a key again.
pub trait Removable: Insertable {
    /// Takes out one copy of the key with this hash; `false`, and nothing changes, when it is visibly absent.
    fn remove(&self, payload: &mut [u8], hash: u64) -> bool;
}

/// A family in which two payloads of one shape become one by going through both.
pub trait Mergeable: Params {
    /// Makes `ours` the payload of the union; the lengths are equal.
    fn merge(&self, ours: &mut [u8], theirs: &[u8]);
}

/// Where in the payload each section is.
///
/// # Panics
/// When the payload is longer than an address space: never for parameters of a filter in memory.
pub(crate) fn places<L: Layout>(params: &L) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    params.sections().map(move |(_, len)| {
        let start: usize = usize::next_multiple_of(end, ALIGN);
        end = start + usize::try_from(len).expect("a payload in memory");
        start..end
    })
}

/// What a scan of a filter's payload shows, whatever its header says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    /// The fraction of the payload in use, 0 to 1.
    pub fill: f64,
    /// The expected false-positive rate of this very filter, 0 to 1.
    pub fpr: f64,
    /// The number of distinct keys, estimated; `None` when the filter is too full to tell.
    pub keys: Option<f64>,
}

/// The rate of a family's own formula, and what keys with the very hash of one of `keys` members add to it.
pub fn with_collisions(fpr: f64, keys: u64) -> f64 {
    fpr + (1.0 - fpr) * hash_collision_fpr(keys)
}

/// A value that a field may not have; becomes an error of the operation that met it.
pub struct Invalid {
    pub field: &'static str,
    pub value: u64,
    pub allowed: &'static str,
}

impl From<Invalid> for OpenError {
    fn from(invalid: Invalid) -> Self {
        let Invalid { field, value, allowed } = invalid;
        Self::Invalid { field, value, allowed }
    }
}

impl From<Invalid> for ConfigError {
    fn from(invalid: Invalid) -> Self {
        Self::OutOfRange { what: invalid.field, given: invalid.value as f64, allowed: invalid.allowed }
    }
}

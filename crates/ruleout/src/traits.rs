//! What filters can do, one trait per capability.

use crate::batch::insert_each;
use crate::bits::Mask;
use crate::error::{BatchError, BuildError, InsertError, MergeError};
use crate::family::Family;
use crate::hash::HashId;

/// What every filter can do, foreign ones included.
pub trait Filter {
    /// The kind of filter.
    fn family(&self) -> Family;

    /// The size of the filter's payload in bytes.
    fn size_bytes(&self) -> usize;

    /// The expected false-positive rate of this filter, 0 to 1, as full as it is now.
    ///
    /// # Complexity
    /// Scans the filter.
    fn expected_fpr(&self) -> f64;

    /// Whether `key` may be in the set: `false` is certain, `true` is "maybe".
    fn may_contain(&self, key: &[u8]) -> bool;
}

/// A filter over 64-bit hashes: all native families.
pub trait HashFilter: Filter {
    /// The hash identity under which keys become hashes.
    fn hash_id(&self) -> HashId;

    /// Whether a key with this hash may be in the set.
    ///
    /// The hash must come from [`HashFilter::hash_id`]; any other gives a wrong "absent".
    fn may_contain_hash(&self, hash: u64) -> bool;

    /// Asks for many hashes at once, which hides the latency of memory. `hits` is resized to the batch.
    fn may_contain_hashes(&self, hashes: &[u64], hits: &mut Mask) {
        hits.fill_with(hashes, |&hash| self.may_contain_hash(hash));
    }
}

/// Whether an insertion told the filter anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The key was certainly not in the filter before.
    New,
    /// The filter already answered "maybe" for this key before the insertion.
    MaybeSeen,
}

impl Inserted {
    #[inline(always)]
    pub(crate) fn new_if(new: bool) -> Self {
        if new { Self::New } else { Self::MaybeSeen }
    }
}

/// A filter that takes keys one after the other.
pub trait Insert: HashFilter {
    /// Inserts the key with this hash.
    ///
    /// # Errors
    /// [`InsertError`] when there is no room; the filter is then as it was, byte for byte.
    fn try_insert_hash(&mut self, hash: u64) -> Result<Inserted, InsertError>;

    /// Inserts a key.
    ///
    /// # Errors
    /// As [`Insert::try_insert_hash`].
    fn try_insert(&mut self, key: &[u8]) -> Result<Inserted, InsertError>;

    /// Inserts many and gives the number of those that were [`Inserted::New`].
    ///
    /// # Errors
    /// [`BatchError`] at the first key refused: those before it are in, it and those behind are not.
    fn try_insert_hashes(&mut self, hashes: &[u64]) -> Result<usize, BatchError> {
        insert_each(hashes, |hash| self.try_insert_hash(hash))
    }
}

/// A filter from which keys can be removed again.
pub trait Remove: Insert {
    /// Only for keys you inserted: removes one copy of the key with this hash, and gives whether there was one.
    ///
    /// Removing a key that was never inserted can remove another key that looks the same, which then answers
    /// "absent". A key that is visibly absent is refused: `false`, and nothing changes.
    fn remove_hash(&mut self, hash: u64) -> bool;

    /// Only for keys you inserted: as [`Remove::remove_hash`].
    fn remove(&mut self, key: &[u8]) -> bool;
}

/// A filter that can take in another of the same shape.
pub trait Merge: HashFilter {
    /// Makes this the filter of the union of both sets.
    ///
    /// # Errors
    /// [`MergeError`] naming the first difference in shape or hash identity, with both values; neither filter
    /// changes.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError>;
}

/// Collects hashes for a filter that is built once, from all of them.
pub trait Builder {
    /// The filter that is built.
    type Filter;

    /// Takes one more hash; equal ones count once.
    fn push(&mut self, hash: u64);

    /// Builds the filter.
    ///
    /// # Errors
    /// [`BuildError`] when it cannot be built as asked.
    fn finish(self) -> Result<Self::Filter, BuildError>;
}

//! Merging two filters of one shape.

use super::Native;
use crate::error::MergeError;
use crate::layout::{Mergeable, Params};
use crate::traits::Merge;

impl<P: Mergeable> Native<P> {
    /// Makes this the filter of the union of both sets, without copying `other`.
    ///
    /// The capacity stays as it is, and so may be exceeded: see [`Native::len`], an upper bound from here on, and
    /// [`Native::tally`] for the rate.
    ///
    /// # Errors
    /// [`MergeError`] naming the first difference in shape or hash identity, with both values, or the damage in
    /// `other` if it was opened without verification. This filter is then as it was.
    pub fn merge_view<D: AsRef<[u8]>>(&mut self, other: &Native<P, D>) -> Result<(), MergeError> {
        self.check_mergeable(other)?;
        other.ensure_verified().map_err(MergeError::Damaged)?;
        self.params.merge(self.data.as_mut(), other.payload());
        self.len = self.len.union(other.len);
        Ok(())
    }
}

impl<P: Params, E: AsRef<[u8]>> Native<P, E> {
    /// Refuses any difference that would make a merge lose keys.
    pub(crate) fn check_mergeable<D: AsRef<[u8]>>(&self, other: &Native<P, D>) -> Result<(), MergeError> {
        self.check_same_hash(other)?;
        for ((field, ours), (_, theirs)) in self.params.fields().zip(other.params.fields()) {
            if ours != theirs {
                return Err(MergeError::Layout { field: field.name(), ours, theirs });
            }
        }
        Ok(())
    }

    /// Refuses hashes of another identity.
    pub(crate) fn check_same_hash<D: AsRef<[u8]>>(&self, other: &Native<P, D>) -> Result<(), MergeError> {
        let (ours, theirs) = (self.hasher.id(), other.hasher.id());
        if ours == theirs { Ok(()) } else { Err(MergeError::Hash { ours, theirs }) }
    }
}

impl<P: Mergeable> Merge for Native<P> {
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.merge_view(other)
    }
}

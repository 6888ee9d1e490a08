//! A filter of a whole set at once.

use super::Native;
use crate::build::{Watch, solution};
use crate::collect::{DistinctHashes, SortedHashes};
use crate::error::BuildError;
use crate::frame::Len;
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::layout::{Collected, Static};

impl<P: Collected> Native<P> {
    /// A filter made for exactly the hashes collected, with all of them in it.
    ///
    /// # Errors
    /// [`BuildError`] when no filter for that many keys reaches `goal`, memory runs out, or a key is refused.
    pub fn from_distinct(goal: Goal, hasher: Hasher, hashes: DistinctHashes) -> Result<Self, BuildError> {
        Self::from_sorted(goal, hasher, hashes.into_sorted(), &mut Watch::none())
    }

    /// [`Native::from_distinct`], watched: `watch` hears how far it is, and can end it.
    ///
    /// # Errors
    /// As [`Native::from_distinct`], and [`BuildError::Cancelled`].
    pub fn from_sorted(
        goal: Goal,
        hasher: Hasher,
        hashes: SortedHashes,
        watch: &mut Watch<'_>,
    ) -> Result<Self, BuildError> {
        let keys = hashes.len();
        let (params, payload) = P::collect(goal, hashes, watch)?;
        Ok(Self::from_parts(params, hasher, Len::Exact(keys), payload))
    }
}

impl<P: Static> Native<P> {
    /// The filter of these hashes in this very shape, which theirs must be: for files that are kept, whatever shape a
    /// later release would choose.
    ///
    /// # Errors
    /// [`BuildError`] when memory runs out.
    ///
    /// # Panics
    /// When the payload of these hashes has another length than the shape says.
    #[doc(hidden)]
    pub fn of_shape(params: P, hasher: Hasher, hashes: DistinctHashes) -> Result<Self, BuildError> {
        let hashes = hashes.into_sorted();
        let keys = hashes.len();
        let payload = solution(&params, hashes, &mut Watch::none())?;
        Ok(Self::from_parts(params, hasher, Len::Exact(keys), payload))
    }
}

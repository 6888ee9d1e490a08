//! A filter of a whole set at once.

use super::Native;
use crate::build::Watch;
use crate::collect::{DistinctHashes, SortedHashes};
use crate::error::BuildError;
use crate::frame::Len;
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::layout::Collected;

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

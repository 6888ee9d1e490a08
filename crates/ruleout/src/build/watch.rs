//! Telling how far a build is, and ending it.

use core::ops::ControlFlow;

use crate::error::BuildError;

/// How far a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The keys that are in the filter.
    pub done: u64,
    /// All of them.
    pub total: u64,
}

/// The one who watches a build.
///
/// ```
/// use std::ops::ControlFlow;
/// use ruleout::{Blocked, BuildError, DistinctHashes, Goal, Hasher, Watch};
/// let mut heard = 0;
/// let mut hear = |progress: ruleout::Progress| {
///     heard = progress.done;
///     ControlFlow::Continue(())
/// };
/// let hashes: DistinctHashes = (1..=1000).collect();
/// Blocked::from_sorted(Goal::Fpr(0.01), Hasher::default(), hashes.into_sorted(), &mut Watch::new(&mut hear))?;
/// assert_eq!(heard, 1000);
/// # Ok::<(), BuildError>(())
/// ```
pub struct Watch<'w> {
    hear: Option<&'w mut dyn FnMut(Progress) -> ControlFlow<()>>,
    progress: Progress,
}

impl<'w> Watch<'w> {
    /// `hear` is called from time to time, and ends the build with [`ControlFlow::Break`].
    pub fn new(hear: &'w mut dyn FnMut(Progress) -> ControlFlow<()>) -> Self {
        Self { hear: Some(hear), progress: Progress { done: 0, total: 0 } }
    }

    /// Nobody watches.
    pub fn none() -> Self {
        Self { hear: None, progress: Progress { done: 0, total: 0 } }
    }

    /// A build of `total` keys begins.
    pub(crate) fn begin(&mut self, total: u64) {
        self.progress = Progress { done: 0, total };
    }

    /// `keys` more are in the filter.
    ///
    /// # Errors
    /// [`BuildError::Cancelled`] when the build is to end.
    pub(crate) fn step(&mut self, keys: u64) -> Result<(), BuildError> {
        self.progress.done += keys;
        let heard = self.hear.as_mut().map_or(ControlFlow::Continue(()), |hear| hear(self.progress));
        if heard.is_break() { Err(BuildError::Cancelled) } else { Ok(()) }
    }
}

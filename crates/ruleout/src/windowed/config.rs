//! Recipes.

use crate::error::ConfigError;
use crate::family::Family;
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::native::Native;

use super::{Windowed, WindowedParams};

/// A recipe for a [`Windowed`] filter.
///
/// ```
/// use ruleout::WindowedConfig;
/// // An hour in steps of ten minutes, in seconds; 20,000 distinct keys in each.
/// let params = WindowedConfig::fpr(3600, 600, 20_000, 0.001).params()?;
/// assert_eq!((params.window(), params.step(), params.buckets()), (3600, 600, 7));
/// let refused = WindowedConfig::fpr(3700, 600, 20_000, 0.001).params().unwrap_err();
/// assert_eq!(refused.to_string(), "a window of 3700 is no whole number of steps of 600; 3600 and 4200 are");
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WindowedConfig {
    base: Family,
    window: u64,
    step: u64,
    capacity: u64,
    goal: Goal,
    hasher: Hasher,
}

impl WindowedConfig {
    /// A window of `window` in steps of `step`, both in any one unit of time, with room for `capacity` distinct keys in
    /// each step, that reaches `goal`; of blocked filters, under XXH3 with seed 0.
    pub fn new(window: u64, step: u64, capacity: u64, goal: Goal) -> Self {
        Self { base: Family::Blocked, window, step, capacity, goal, hasher: Hasher::default() }
    }

    /// The smallest filter with at most this false-positive rate (0 to 1) when every step had `capacity` distinct keys.
    pub fn fpr(window: u64, step: u64, capacity: u64, fpr: f64) -> Self {
        Self::new(window, step, capacity, Goal::Fpr(fpr))
    }

    /// The lowest rate when every step has `capacity` distinct keys within `bytes` bytes in all.
    pub fn size_bytes(window: u64, step: u64, capacity: u64, bytes: u64) -> Self {
        Self::new(window, step, capacity, Goal::SizeBytes(bytes))
    }

    /// The family of the buckets: bloom or blocked; blocked otherwise.
    pub fn base(mut self, family: Family) -> Self {
        self.base = family;
        self
    }

    /// Takes another hash identity.
    pub fn hasher(mut self, hasher: Hasher) -> Self {
        self.hasher = hasher;
        self
    }

    /// The validated parameters this recipe leads to; allocates a few bytes for each bucket.
    ///
    /// # Errors
    /// [`ConfigError`] as [`WindowedParams::new`] has it.
    pub fn params(&self) -> Result<WindowedParams, ConfigError> {
        WindowedParams::new(self.base, self.window, self.step, self.capacity, self.goal)
    }

    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError`] as for [`WindowedConfig::params`], and when memory runs out.
    pub fn build(&self) -> Result<Windowed, ConfigError> {
        Native::new(self.params()?, self.hasher.clone())
    }
}

//! Recipes.

use crate::error::ConfigError;
use crate::family::Family;
use crate::goal::Goal;
use crate::hash::Hasher;
use crate::native::Native;

use super::{Extractor, Prefix, PrefixParams};

/// A recipe for a [`Prefix`] filter.
///
/// ```
/// use ruleout::{Extractor, PrefixConfig};
/// // 100,000 keys of at most 2,000 tenants, both to be asked for.
/// let mut filter = PrefixConfig::fpr(Extractor::up_to(b'/'), 102_000, 0.01).build()?;
/// filter.insert(b"acme/orders/17")?;
/// assert!(filter.may_contain_prefix(b"acme/") && filter.may_contain(b"acme/orders/17"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PrefixConfig {
    base: Family,
    extractor: Extractor,
    whole_keys: bool,
    capacity: u64,
    goal: Goal,
    hasher: Hasher,
}

impl PrefixConfig {
    /// A filter for `capacity` entries, whole keys and distinct prefixes counted together, that reaches `goal`; a blocked
    /// one, under XXH3 with seed 0.
    pub fn new(extractor: Extractor, capacity: u64, goal: Goal) -> Self {
        let hasher = Hasher::default();
        Self { base: Family::Blocked, extractor, whole_keys: true, capacity, goal, hasher }
    }

    /// The smallest filter with at most this false-positive rate (0 to 1) at `capacity` entries.
    pub fn fpr(extractor: Extractor, capacity: u64, fpr: f64) -> Self {
        Self::new(extractor, capacity, Goal::Fpr(fpr))
    }

    /// Leaves whole keys out: smaller, and a key is asked for by its prefix alone.
    pub fn prefixes_only(mut self) -> Self {
        self.whole_keys = false;
        self
    }

    /// The family of the filter beneath: bloom or blocked; blocked otherwise.
    pub fn base(mut self, family: Family) -> Self {
        self.base = family;
        self
    }

    /// Takes another hash identity.
    pub fn hasher(mut self, hasher: Hasher) -> Self {
        self.hasher = hasher;
        self
    }

    /// The validated parameters this recipe leads to.
    ///
    /// # Errors
    /// [`ConfigError`] as [`PrefixParams::new`] has it.
    pub fn params(&self) -> Result<PrefixParams, ConfigError> {
        PrefixParams::new(self.base, self.extractor.clone(), self.whole_keys, self.capacity, self.goal)
    }

    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError`] as for [`PrefixConfig::params`], and when memory runs out.
    pub fn build(&self) -> Result<Prefix, ConfigError> {
        Native::new(self.params()?, self.hasher.clone())
    }
}

//! Recipes.

use crate::error::ConfigError;
use crate::family::Family;
use crate::hash::Hasher;

use super::params::MAX_LAYERS;
use super::{Scalable, ScalableParams};

/// A recipe for a [`Scalable`] filter.
///
/// ```
/// use ruleout::{Family, ScalableConfig};
/// let config = ScalableConfig::fpr(1000, 0.001).base(Family::Cuckoo).growth(4);
/// assert_eq!(config.params()?.layer_capacity(3), Some(64_000));
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScalableConfig {
    base: Family,
    capacity: u64,
    fpr: f64,
    growth: u32,
    most_layers: u32,
    hasher: Hasher,
}

impl ScalableConfig {
    /// A first blocked layer for `capacity` keys, layers that double, and a false-positive rate (0 to 1) below `fpr`
    /// however far it grows; under XXH3 with seed 0.
    pub fn fpr(capacity: u64, fpr: f64) -> Self {
        Self {
            base: Family::Blocked,
            capacity,
            fpr,
            growth: 2,
            most_layers: MAX_LAYERS,
            hasher: Hasher::default(),
        }
    }

    /// The family of the layers: bloom, blocked or cuckoo; blocked otherwise.
    pub fn base(mut self, family: Family) -> Self {
        self.base = family;
        self
    }

    /// How many times the capacity of a layer the next one has, 2 to 16; 2 otherwise.
    ///
    /// Larger steps mean fewer layers to ask, and more memory at once, not yet filled.
    pub fn growth(mut self, growth: u32) -> Self {
        self.growth = growth;
        self
    }

    /// The most layers there may be, 1 to 48; 48 otherwise. It bounds the memory.
    pub fn most_layers(mut self, layers: u32) -> Self {
        self.most_layers = layers;
        self
    }

    /// Takes another hash identity.
    pub fn hasher(mut self, hasher: Hasher) -> Self {
        self.hasher = hasher;
        self
    }

    /// The validated parameters this recipe leads to; allocates nothing.
    ///
    /// # Errors
    /// [`ConfigError`] when a number is out of range, no filter is made of such layers, or none of them has the first layer's rate.
    pub fn params(&self) -> Result<ScalableParams, ConfigError> {
        ScalableParams::new(self.base, self.capacity, self.fpr, self.growth, self.most_layers)
    }

    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError`] as for [`ScalableConfig::params`], and when memory runs out.
    pub fn build(&self) -> Result<Scalable, ConfigError> {
        Scalable::new(self.params()?, self.hasher.clone())
    }
}

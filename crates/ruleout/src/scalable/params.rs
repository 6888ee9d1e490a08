//! The series of layers: how large each is, and which rate it gets.

use crate::error::ConfigError;
use crate::frame::Field;
use crate::goal::Goal;
use crate::layout::Invalid;
use crate::math::scalable::{DIVISOR, fpr_of_rate, layer_rate, rate_of_fpr};

use super::Base;

/// The most layers of any filter. Layers that double reach every number of keys that 64-bit hashes tell apart.
pub const MAX_LAYERS: u32 = 48;

/// How many times the capacity of a layer the next one may have, at most.
pub const MAX_GROWTH: u32 = 16;

/// The validated numbers that every layer of a [`Scalable`](super::Scalable) filter follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalableParams {
    capacity: u64,
    growth: u32,
    rate: u64,
    most_layers: u32,
}

impl ScalableParams {
    /// A first layer for `capacity` keys, each next one for `growth` times as many, `most_layers` of them at most,
    /// and a false-positive rate below `fpr` (0 to 1) of all together. A `capacity` of 0 counts as 1.
    ///
    /// # Errors
    /// [`ConfigError`] when `growth` is not 2 to [`MAX_GROWTH`], `most_layers` not 1 to [`MAX_LAYERS`], or the
    /// rate cannot be had with that many keys.
    pub fn new(capacity: u64, fpr: f64, growth: u32, most_layers: u32) -> Result<Self, ConfigError> {
        // What is below the limit of 64-bit hashes is refused under the rate that was asked for.
        Goal::check_fpr(fpr, capacity)?;
        Ok(Self::validated(capacity.max(1), growth.into(), rate_of_fpr(fpr), most_layers.into())?)
    }

    pub(super) fn validated(
        capacity: u64,
        growth: u64,
        rate: u64,
        most_layers: u64,
    ) -> Result<Self, Invalid> {
        let invalid = |field: Field, value, allowed| Invalid { field: field.name(), value, allowed };
        if capacity == 0 {
            return Err(invalid(Field::Capacities, capacity, "at least 1"));
        }
        if rate == 0 {
            return Err(invalid(Field::Rate, rate, "at least 1"));
        }
        let growth = (u32::try_from(growth).ok())
            .filter(|growth| (2..=MAX_GROWTH).contains(growth))
            .ok_or(invalid(Field::Growth, growth, "2 to 16"))?;
        let most_layers = (u32::try_from(most_layers).ok())
            .filter(|layers| (1..=MAX_LAYERS).contains(layers))
            .ok_or(invalid(Field::MostLayers, most_layers, "1 to 48"))?;
        Ok(Self { capacity, growth, rate, most_layers })
    }

    /// The design number of keys of the first layer.
    pub const fn first_capacity(&self) -> u64 {
        self.capacity
    }

    /// How many times the capacity of a layer the next one has.
    pub const fn growth(&self) -> u32 {
        self.growth
    }

    /// The most layers there may be.
    pub const fn most_layers(&self) -> u32 {
        self.most_layers
    }

    /// The false-positive rate, 0 to 1, that all layers together stay below.
    pub fn fpr(&self) -> f64 {
        fpr_of_rate(self.rate)
    }

    /// The same in units of 2^-64, as a file has it.
    pub(super) const fn rate(&self) -> u64 {
        self.rate
    }

    /// The design number of keys of layer `layer`, counted from 0; `None` when 64 bits cannot count them.
    pub fn layer_capacity(&self, layer: u32) -> Option<u64> {
        u64::from(self.growth).checked_pow(layer)?.checked_mul(self.capacity)
    }

    /// The false-positive rate, 0 to 1, that layer `layer`, counted from 0, stays below.
    pub fn layer_fpr(&self, layer: u32) -> f64 {
        fpr_of_rate(layer_rate(self.rate, DIVISOR, layer))
    }

    /// The shape of layer `layer`, counted from 0.
    ///
    /// # Errors
    /// [`ConfigError`] when no filter of the family reaches that rate for so many keys.
    pub fn layer<P: Base>(&self, layer: u32) -> Result<P, ConfigError> {
        let capacity = self.layer_capacity(layer);
        let capacity = capacity.ok_or(ConfigError::TooLarge { what: "keys", capacity: self.capacity })?;
        P::for_goal(capacity, Goal::Fpr(self.layer_fpr(layer)))
    }
}

//! The series of layers: how large each is, which rate it gets, and those there are.

use alloc::vec::Vec;

use crate::base::BaseParams;
use crate::error::ConfigError;
use crate::family::Family;
use crate::frame::Field;
use crate::goal::Goal;
use crate::layout::{Invalid, Params, with_collisions};
use crate::math::scalable::{DIVISOR, fpr_of_rate, layer_rate, rate_of_fpr, union_fpr};

use super::layer::LayerParams;

/// The most layers of any filter. Layers that double reach every number of keys that 64-bit hashes tell apart.
pub const MAX_LAYERS: u32 = 48;

/// How many times the capacity of a layer the next one may have, at most.
pub const MAX_GROWTH: u32 = 16;

/// The shape of a [`Scalable`](super::Scalable) filter: the numbers that every layer follows from, and the layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalableParams {
    pub(super) series: Series,
    /// The oldest first; at least one.
    pub(super) layers: Vec<LayerParams>,
}

impl ScalableParams {
    /// A first layer of family `base` for `capacity` keys, each next one for `growth` times as many, `most_layers` of
    /// them at most, and a false-positive rate below `fpr` (0 to 1) of all together. A `capacity` of 0 counts as 1.
    ///
    /// # Errors
    /// [`ConfigError`] when `growth` is not 2 to [`MAX_GROWTH`], `most_layers` not 1 to [`MAX_LAYERS`], no scalable
    /// filter is made of `base`, or the rate cannot be had with that many keys.
    pub fn new(
        base: Family,
        capacity: u64,
        fpr: f64,
        growth: u32,
        most_layers: u32,
    ) -> Result<Self, ConfigError> {
        // What is below the limit of 64-bit hashes is refused under the rate that was asked for.
        Goal::check_fpr(fpr, capacity)?;
        let numbers = [capacity.max(1), growth.into(), rate_of_fpr(fpr), most_layers.into()];
        let series = Series::validated(base, numbers)?;
        let layers = alloc::vec![LayerParams { params: series.layer(0)?, keys: 0, start: 0 }];
        Ok(Self { series, layers })
    }

    /// The family of the layers.
    pub const fn base(&self) -> Family {
        self.series.base
    }

    /// The design number of keys of the first layer.
    pub const fn first_capacity(&self) -> u64 {
        self.series.capacity
    }

    /// How many times the capacity of a layer the next one has.
    pub const fn growth(&self) -> u32 {
        self.series.growth
    }

    /// The most layers there may be.
    pub const fn most_layers(&self) -> u32 {
        self.series.most_layers
    }

    /// The false-positive rate, 0 to 1, that all layers together stay below.
    pub fn fpr(&self) -> f64 {
        fpr_of_rate(self.series.rate)
    }

    /// The design number of keys of layer `layer`, counted from 0; `None` when 64 bits cannot count them.
    pub fn layer_capacity(&self, layer: u32) -> Option<u64> {
        self.series.layer_capacity(layer)
    }

    /// The false-positive rate, 0 to 1, that layer `layer`, counted from 0, stays below.
    pub fn layer_fpr(&self, layer: u32) -> f64 {
        self.series.layer_fpr(layer)
    }

    /// The shape of layer `layer`, counted from 0: of one that there is, or of one to come.
    ///
    /// # Errors
    /// [`ConfigError`] when no filter of the family reaches that rate for so many keys.
    pub fn layer(&self, layer: u32) -> Result<BaseParams, ConfigError> {
        match self.layers.get(layer as usize) {
            Some(there) => Ok(there.params),
            None => self.series.layer(layer),
        }
    }

    /// The layers there are, the oldest first.
    pub fn layers(&self) -> &[LayerParams] {
        &self.layers
    }

    /// How many keys are in the layers.
    pub(super) fn inserted(&self) -> u64 {
        self.layers.iter().fold(0, |sum, layer| sum.saturating_add(layer.keys))
    }
}

/// The numbers that every layer follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Series {
    pub(super) base: Family,
    pub(super) capacity: u64,
    pub(super) growth: u32,
    /// The rate of the whole in units of 2^-64.
    pub(super) rate: u64,
    pub(super) most_layers: u32,
}

impl Series {
    pub(super) fn validated(
        base: Family,
        [capacity, growth, rate, most_layers]: [u64; 4],
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
        Ok(Self { base, capacity, growth, rate, most_layers })
    }

    pub(super) fn layer_capacity(&self, layer: u32) -> Option<u64> {
        u64::from(self.growth).checked_pow(layer)?.checked_mul(self.capacity)
    }

    fn layer_fpr(&self, layer: u32) -> f64 {
        fpr_of_rate(layer_rate(self.rate, DIVISOR, layer))
    }

    fn layer(&self, layer: u32) -> Result<BaseParams, ConfigError> {
        let capacity = self.layer_capacity(layer);
        let capacity = capacity.ok_or(ConfigError::TooLarge { what: "keys", capacity: self.capacity })?;
        BaseParams::for_goal(self.base, capacity, Goal::Fpr(self.layer_fpr(layer)))
    }
}

impl Params for ScalableParams {
    const FAMILY: Family = Family::Scalable;

    /// As [`ScalableConfig::fpr`](super::ScalableConfig::fpr) has it.
    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        match goal {
            Goal::Fpr(fpr) => Self::new(Family::Blocked, capacity, fpr, 2, MAX_LAYERS),
            _ => Err(ConfigError::Needs {
                family: Family::Scalable,
                what: "a false-positive rate, not a size",
            }),
        }
    }

    fn capacity(&self) -> u64 {
        self.layers.iter().fold(0, |sum, layer| sum.saturating_add(layer.params.capacity()))
    }

    fn payload_bytes(&self) -> u64 {
        self.layers.last().map_or(0, LayerParams::end)
    }

    fn probes(&self) -> u32 {
        self.layers.iter().map(|layer| layer.params.probes()).sum()
    }

    /// The keys fill one layer after the other, and the newest beyond its capacity.
    fn fpr_at(&self, keys: u64) -> f64 {
        let mut rest = keys;
        let newest = self.layers.len() - 1;
        let rates = self.layers.iter().enumerate().map(|(i, layer)| {
            let here = if i == newest { rest } else { rest.min(layer.params.capacity()) };
            rest -= here;
            layer.params.fpr_at(here)
        });
        with_collisions(union_fpr(rates), keys)
    }
}

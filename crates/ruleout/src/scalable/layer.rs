//! One layer: a filter of the base family, and the keys that went into it.

use core::ops::Range;

use crate::base::BaseParams;
use crate::layout::Tally;

/// The shape of a layer, and how many keys it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerParams {
    pub(super) params: BaseParams,
    /// How many keys were inserted: never one that was answered "maybe".
    pub(super) keys: u64,
    /// Where in the filter's payload that of the layer begins.
    pub(super) start: u64,
}

impl LayerParams {
    /// The parameters.
    pub const fn params(&self) -> &BaseParams {
        &self.params
    }

    /// How many keys were inserted into this layer, all of them distinct.
    pub const fn keys(&self) -> u64 {
        self.keys
    }

    /// Whether another key may go in.
    pub(super) fn has_room(&self) -> bool {
        self.keys < self.params.capacity()
    }

    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.params.payload_bytes())
    }

    /// Where in a payload, which is in memory, that of the layer is.
    pub(super) fn place(&self) -> Range<usize> {
        self.start as usize..self.end() as usize
    }
}

/// A layer of a [`Scalable`](super::Scalable) filter, to look at.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    pub(super) shape: &'a LayerParams,
    pub(super) fpr: f64,
    pub(super) payload: &'a [u8],
}

impl Layer<'_> {
    /// The parameters.
    pub fn params(&self) -> &BaseParams {
        &self.shape.params
    }

    /// How many keys were inserted into this layer, all of them distinct.
    pub fn keys(&self) -> u64 {
        self.shape.keys
    }

    /// The false-positive rate, 0 to 1, that the series gives it: an upper bound at its capacity.
    pub fn fpr(&self) -> f64 {
        self.fpr
    }

    /// The size of the payload in bytes.
    pub fn size_bytes(&self) -> usize {
        self.payload.len()
    }

    /// What a scan of the payload shows.
    ///
    /// # Complexity
    /// Reads the whole payload.
    pub fn tally(&self) -> Tally {
        self.shape.params.tally(self.payload)
    }
}

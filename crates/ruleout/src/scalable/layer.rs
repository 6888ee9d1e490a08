//! One layer: a filter of the base family, and the keys that went into it.

use core::ops::Range;

use crate::bits::Buf;
use crate::error::ConfigError;
use crate::layout::Tally;

use super::{Base, ScalableParams};

/// What is known of a layer beside its bytes.
#[derive(Clone, Debug)]
pub(super) struct Stored<P> {
    pub(super) params: P,
    /// How many keys were inserted: never one that was answered "maybe".
    pub(super) keys: u64,
    /// Which of the filter's parts the payload lies in, and where in it.
    pub(super) part: usize,
    pub(super) place: Range<usize>,
}

impl<P: Base> Stored<P> {
    /// Layer `layer` of the series, empty, and its payload, which is to be part `layer`.
    pub(super) fn empty(series: &ScalableParams, layer: u32) -> Result<(Self, Buf), ConfigError> {
        let params: P = series.layer(layer)?;
        let bytes = usize::try_from(params.payload_bytes())
            .map_err(|_| ConfigError::TooLarge { what: "bytes", capacity: params.capacity() })?;
        let payload = Buf::zeroed(bytes)?;
        Ok((Self { params, keys: 0, part: layer as usize, place: 0..bytes }, payload))
    }

    /// Whether another key may go in.
    pub(super) fn has_room(&self) -> bool {
        self.keys < self.params.capacity()
    }
}

/// A layer of a [`Scalable`](super::Scalable) filter, to look at.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a, P> {
    pub(super) params: &'a P,
    pub(super) keys: u64,
    pub(super) fpr: f64,
    pub(super) payload: &'a [u8],
}

impl<P: Base> Layer<'_, P> {
    /// The parameters.
    pub fn params(&self) -> &P {
        self.params
    }

    /// How many keys were inserted into this layer, all of them distinct.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// The false-positive rate, 0 to 1, that the series gives it: an upper bound at its capacity.
    pub fn fpr(&self) -> f64 {
        self.fpr
    }

    /// The size of the payload in bytes.
    pub fn size_bytes(&self) -> usize {
        self.payload.len()
    }

    /// The size of the payload in bits for each key of the capacity.
    pub fn bits_per_key(&self) -> f64 {
        self.payload.len() as f64 * 8.0 / self.params.capacity() as f64
    }

    /// What a scan of the payload shows.
    ///
    /// # Complexity
    /// Reads the whole payload.
    pub fn tally(&self) -> Tally {
        self.params.tally(self.payload)
    }
}

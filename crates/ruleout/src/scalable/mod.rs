//! Scalable filter: layers of another family, each larger than the one before.
//!
//! # When to choose it
//! When nobody can say how many keys will come, and each must be answered from the first on. It takes a rate, which
//! it keeps however far it grows, and a first capacity, which is only where it starts.
//!
//! Not when the number of keys is known, even within a factor of two: one filter of that size takes three fifths of the
//! bits, and a query asks it alone, not one layer after the other. Nor when keys are removed: a layer's false positive
//! is a key that was never inserted. Where the keys can be read again, build anew once and be done;
//! [`quotient`](crate::quotient) filters grow without keys, at a rate that grows with them.
//!
//! # One lookup
//! ```text
//!              hash (64 bits), the same for every layer
//!               │
//!               ▼  newest first: it has the most keys
//!   layer 3  ┌───────────────────────────────────────────────┐  capacity 8c, rate p₃     maybe ──► maybe present
//!            └───────────────────────────────────────────────┘
//!               ▼ absent
//!   layer 2  ┌───────────────────────┐                          capacity 4c, rate p₂     maybe ──► maybe present
//!            └───────────────────────┘
//!               ▼ absent
//!   layer 1  ┌───────────┐                                      capacity 2c, rate p₁     maybe ──► maybe present
//!            └───────────┘
//!               ▼ absent
//!   layer 0  ┌─────┐                                            capacity c, rate p₀      maybe ──► maybe present
//!            └─────┘
//!               ▼ absent: surely absent
//! ```
//! An insertion asks first. What is answered "maybe" is not inserted again: it will be answered so for ever, and
//! layers fill with distinct keys alone. Any other key goes to the newest layer; if that has as many as it was made
//! for, or is a cuckoo table that refuses one, to a new layer.
//!
//! # The rate
//! Every layer gets an eighth of the rate that those before it left: pᵢ = p/8 · (7/8)^i. The sum of them all stays
//! below p, and with it the rate of the whole, 1 − Π(1 − pᵢ), by the union bound. [`math::scalable`](crate::math::scalable)
//! says why an eighth. [`Filter::expected_fpr`](crate::Filter::expected_fpr) gives the rate of the layers as full as
//! they are. Grown a thousandfold at 1 %, from 1000 keys to ten layers for 1,023,000, this takes 16.1 bits a key:
//!
//! ```
//! use ruleout::{BloomParams, Params, ScalableConfig};
//! let series = ScalableConfig::<BloomParams>::fpr(1000, 0.01).params()?;
//! let (mut bits, mut keys, mut sum) = (0, 0, 0.0);
//! for i in 0..10 {
//!     let layer: BloomParams = series.layer(i)?;
//!     assert!(layer.fpr_at(layer.capacity()) <= series.layer_fpr(i));
//!     (bits, keys, sum) = (bits + layer.bits(), keys + layer.capacity(), sum + series.layer_fpr(i));
//! }
//! assert_eq!(keys, 1_023_000);
//! assert!((bits as f64 / keys as f64 - 16.2).abs() < 0.1);
//! assert!((sum - 0.01 * (1.0 - f64::powi(0.875, 10))).abs() < 1e-12);
//! # Ok::<(), ruleout::ConfigError>(())
//! ```
//!
//! # Limits
//! - Keys cannot be removed, and two filters cannot be merged.
//! - At most [`MAX_LAYERS`] layers, fewer if [asked for](ScalableConfig::most_layers). After that, and where 64-bit hashes
//!   leave no room for a further layer's rate, a new key is refused with
//!   [`InsertError::Full`](crate::InsertError::Full), and nothing changes.
//! - [`cuckoo`](crate::cuckoo) tables have rates in steps of two: a layer is up to two times as good as it has to be, and
//!   takes up to a bit per key for it. Layers' rates below 10⁻⁹ are had with more slots alone, at twice the bits for half
//!   the rate: take one of the others then.
//! - The newest layer is allocated whole: for a moment most of it is empty.
//!
//! Source: P. S. Almeida, C. Baquero, N. Preguiça, D. Hutchison, "Scalable Bloom Filters", Information Processing
//! Letters 101(6), 2007, §3: growth by s, here `growth`, and tightening by r, here 7/8.

mod base;
mod config;
mod insert;
mod layer;
mod open;
mod params;
mod query;
mod save;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::fmt;

pub use base::Base;
pub use config::ScalableConfig;
pub use layer::Layer;
pub use open::base_of;
pub use params::{MAX_GROWTH, MAX_LAYERS, ScalableParams};

use crate::bits::Buf;
use crate::error::ConfigError;
use crate::frame::Len;
use crate::hash::Hasher;
use crate::layout::Tally;
use crate::math::scalable::union_fpr;

use layer::Stored;

/// A scalable filter of layers of the family whose parameters are `P`; see [the module](self).
///
/// ```
/// use ruleout::{BlockedParams, Insert, Inserted, Scalable, ScalableConfig};
/// let mut seen = ScalableConfig::<BlockedParams>::fpr(100, 0.01).build()?;
/// for i in 0..100_000u64 {
///     seen.try_insert(&i.to_le_bytes())?;
/// }
/// assert_eq!(seen.layers().count(), 10);
/// let file = seen.to_bytes();
/// let view = Scalable::<BlockedParams, _>::open_verified(&file[..])?;
/// assert!((0..100_000u64).all(|i| view.may_contain(&i.to_le_bytes())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A view has no way to insert:
///
/// ```compile_fail,E0599
/// # use ruleout::{BlockedParams, Insert, Scalable};
/// # let file: Vec<u8> = Vec::new();
/// let mut view = Scalable::<BlockedParams, _>::open(&file[..]).unwrap();
/// view.try_insert(b"key"); // no such method: the bytes are borrowed
/// ```
#[derive(Clone)]
pub struct Scalable<P, D = Buf> {
    params: ScalableParams,
    hasher: Hasher,
    len: Len,
    /// The oldest first.
    layers: Vec<Stored<P>>,
    /// What the layers' payloads lie in: a whole file, or a buffer for each.
    parts: Vec<D>,
    /// Whether the payloads were built here or their checksums were found right.
    verified: bool,
}

impl<P: Base> Scalable<P> {
    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError`] when no filter of the family has the first layer's rate, and when memory runs out.
    pub fn new(params: ScalableParams, hasher: Hasher) -> Result<Self, ConfigError> {
        let (layer, payload) = Stored::empty(&params, 0)?;
        let (layers, parts) = (alloc::vec![layer], alloc::vec![payload]);
        Ok(Self { params, hasher, len: Len::EMPTY, layers, parts, verified: true })
    }

    /// Forgets every key; the first layer's memory is kept.
    pub fn clear(&mut self) {
        self.layers.truncate(1);
        self.parts.truncate(1);
        self.layers.iter_mut().for_each(|layer| layer.keys = 0);
        self.parts.iter_mut().for_each(|payload| payload.as_mut().fill(0));
        self.len = Len::EMPTY;
    }
}

impl<P: Base, D: AsRef<[u8]>> Scalable<P, D> {
    /// The parameters.
    pub fn params(&self) -> &ScalableParams {
        &self.params
    }

    /// The hasher, which may hold a secret.
    pub fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// The number of keys in the filter.
    pub fn len(&self) -> Len {
        self.len
    }

    /// Whether surely nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.len == Len::EMPTY
    }

    /// The design number of keys of the layers there are.
    pub fn capacity(&self) -> u64 {
        self.layers.iter().fold(0, |sum, layer| sum.saturating_add(layer.params.capacity()))
    }

    /// The layers, the oldest first.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = Layer<'_, P>> + ExactSizeIterator {
        self.payloads().enumerate().map(|(i, (layer, payload))| Layer {
            params: &layer.params,
            keys: layer.keys,
            fpr: self.params.layer_fpr(i as u32),
            payload,
        })
    }

    /// What a scan of all layers shows: fill, rate of this very filter, estimated number of keys.
    ///
    /// # Complexity
    /// Reads the whole payload.
    pub fn tally(&self) -> Tally {
        let (mut fill, mut bytes, mut keys) = (0.0, 0.0, Some(0.0));
        let fpr = union_fpr(self.layers().map(|layer| {
            let tally = layer.tally();
            fill += tally.fill * layer.size_bytes() as f64;
            bytes += layer.size_bytes() as f64;
            keys = keys.zip(tally.keys).map(|(sum, keys)| sum + keys);
            tally.fpr
        }));
        Tally { fill: fill / bytes, fpr, keys }
    }

    /// How many keys are in the layers.
    fn inserted(&self) -> u64 {
        self.layers.iter().fold(0, |sum, layer| sum.saturating_add(layer.keys))
    }

    /// Every layer with its payload, the oldest first.
    fn payloads(&self) -> impl DoubleEndedIterator<Item = (&Stored<P>, &[u8])> + ExactSizeIterator {
        self.layers.iter().map(|layer| {
            let part = self.parts[layer.part].as_ref();
            (layer, &part[layer.place.clone()])
        })
    }
}

impl<P: Base, D: AsRef<[u8]>> fmt::Debug for Scalable<P, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("scalable")
            .field("base", &P::FAMILY)
            .field("params", &self.params)
            .field("hasher", &self.hasher)
            .field("len", &self.len)
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}

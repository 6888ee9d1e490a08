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
//! use ruleout::{Family, ScalableConfig};
//! let series = ScalableConfig::fpr(1000, 0.01).base(Family::Bloom).params()?;
//! let (mut bits, mut keys, mut sum) = (0, 0, 0.0);
//! for i in 0..10 {
//!     let layer = series.layer(i)?;
//!     assert!(layer.fpr_at(layer.capacity()) <= series.layer_fpr(i));
//!     (bits, keys, sum) = (bits + 8 * layer.payload_bytes(), keys + layer.capacity(), sum + series.layer_fpr(i));
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
//! - The newest layer is allocated whole: for a moment most of it is empty. The payload is one allocation that grows.
//!   Where the system cannot extend it in place or move it by its page tables, as Linux does, both are in memory meanwhile.
//!
//! Source: P. S. Almeida, C. Baquero, N. Preguiça, D. Hutchison, "Scalable Bloom Filters", Information Processing
//! Letters 101(6), 2007, §3: growth by s, here `growth`, and tightening by r, here 7/8.

mod config;
mod insert;
mod layer;
mod params;
mod probe;
#[cfg(test)]
mod tests;

pub use config::ScalableConfig;
pub use layer::{Layer, LayerParams};
pub use params::{MAX_GROWTH, MAX_LAYERS, ScalableParams};

use crate::bits::Buf;
use crate::native::Native;

/// A scalable filter; see [the module](self).
///
/// ```
/// use ruleout::{Family, Inserted, Scalable, ScalableConfig};
/// let mut seen = ScalableConfig::fpr(100, 0.01).base(Family::Bloom).build()?;
/// for i in 0..100_000u64 {
///     seen.try_insert(&i.to_le_bytes())?;
/// }
/// assert_eq!(seen.layers().count(), 10);
/// let file = seen.to_bytes();
/// let view = Scalable::open_verified(&file[..])?;
/// assert!((0..100_000u64).all(|i| view.may_contain(&i.to_le_bytes())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A view has no way to insert:
///
/// ```compile_fail,E0599
/// # use ruleout::Scalable;
/// # let file: Vec<u8> = Vec::new();
/// let mut view = Scalable::open(&file[..]).unwrap();
/// view.try_insert(b"key"); // no such method: the bytes are borrowed
/// ```
pub type Scalable<D = Buf> = Native<ScalableParams, D>;

impl<D: AsRef<[u8]>> Scalable<D> {
    /// The layers, the oldest first.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = Layer<'_>> + ExactSizeIterator {
        let params = self.params();
        params.parts(self.payload()).enumerate().map(|(i, (shape, payload))| Layer {
            shape,
            fpr: params.layer_fpr(i as u32),
            payload,
        })
    }
}

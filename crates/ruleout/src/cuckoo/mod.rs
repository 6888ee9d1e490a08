//! Cuckoo filter: fingerprints that can be taken out again.
//!
//! # When to choose it
//! For a set from which keys are removed, and whose size is known. Below a rate of 1 % it also needs fewer bits than
//! [`bloom`](crate::bloom), and two cache misses for each query whatever the rate.
//!
//! Not for a set that grows without end: when it is full, it refuses keys. Nor for a stream in which the same keys
//! come again and again: each insertion takes a slot of its own. It cannot be merged. Where keys are never removed,
//! [`blocked`](crate::blocked) is faster.
//!
//! # One lookup
//! A key is a *fingerprint* and two *windows* of two neighbouring slots. Windows overlap: every slot but the last
//! begins one.
//! ```text
//!                      hash (64 bits)
//!                       │ high bits             │ the rest
//!                       ▼                       ▼
//!                  first window            fingerprint 1 … V ──► offset
//!                       │                       │                  │
//!                       │    second window = offset − first window (modulo their number)
//!        ┌──────┬──────┬▼─────┬──────┬──────┬──────┬──────┬▼─────┬──────┬──────┐
//! slots  │      │      │ 77·0 │ 31·1 │      │      │ 12·1 │ 31·0 │ 45·0 │      │
//!        └──────┴──────┴──────┴──────┴──────┴──────┴──────┴──────┴──────┴──────┘
//!                       └─ window ──┘                      └─ window ──┘
//!   sought: fingerprint 31, as 31·0 in the first slot of a window or 31·1 in its second: here in both windows
//! ```
//! One bit of a slot says whether it is its window's first or second. So a fingerprint is found only from the window
//! that it belongs to, though each slot lies in two. And since each window is the other's partner by the fingerprint
//! alone, a fingerprint can move without its key: an insertion that finds all four slots taken moves others along
//! the shortest path to a free slot.
//!
//! A key for which there is no such path goes to the *victim slot*. While that is taken, a further such key is
//! refused with [`InsertError::Full`](crate::InsertError::Full), and nothing changes. A key whose own fingerprint
//! already fills its four slots is refused with [`TooManyCopies`](crate::InsertError::TooManyCopies).
//!
//! # The rate
//! With f bits in a slot there are V = 2^(f−1) − 1 fingerprints, with an odd number s of slots W = s − 1 windows. An
//! absent key is answered "maybe" when one of n keys shares its fingerprint and its pair of windows:
//! ε = 1 − (1 − 2/(V·W))^n, exactly ([`math::cuckoo`](crate::math::cuckoo)), and about 4 · load · 2^−f. Filters are
//! sized for a load of 94 % of the slots, small ones for less; f is whole, so rates come in steps of two.
//!
//! ```
//! use ruleout::{CuckooConfig, Params};
//! let params = CuckooConfig::fpr(1_000_000, 0.01).params()?;
//! assert_eq!((params.slots(), params.fingerprint_bits()), (1_065_331, 9)); // 9.59 bits per key
//! let (v, w) = (255.0, 1_065_330.0);
//! let rate = 1.0 - f64::exp(-2.0 * 1_000_000.0 / (v * w));
//! assert!((rate - 0.007_335).abs() < 1e-6 && (params.fpr_at(1_000_000) - rate).abs() < 1e-8);
//! # Ok::<(), ruleout::ConfigError>(())
//! ```
//!
//! # Limits
//! - [`Remove`](crate::Remove) only keys you inserted: another key can look the same, and would go in its place.
//! - At most four copies of a key. Two copies of every key fill it at 70 % of the slots,
//!   three at 35 %.
//! - Some distinct keys look like copies. Of n keys, n · (2·load/V)^4 / 120 are refused for it: 0.00003 of a million
//!   at 1 %. Sizes for a rate are chosen such that it is at most 0.001 of all keys together;
//!   [`Native::from_distinct`] tries other sizes then. Sizes for a number of bits or bytes make no such promise: at 4 or
//!   5 bits a slot a filter of some thousand keys may well refuse one.
//! - Otherwise, sized for a rate of 10 % or less, about one filter in 10^6 refuses a key within its capacity.
//!
//! Sources: B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom",
//! CoNEXT 2014, §3; J. Schmitz, J. Zentgraf, S. Rahmann, "Smaller and More Flexible Cuckoo Filters",
//! arXiv:2505.05847, 2025, on overlapping windows and the partner by subtraction.

mod insert;
mod params;
mod probe;
mod remove;
mod scan;
mod search;
mod table;
#[cfg(test)]
mod tests;

pub use params::CuckooParams;

use crate::bits::Buf;
use crate::config::Config;
use crate::native::Native;

/// A cuckoo filter; see [the module](self).
///
/// ```
/// use ruleout::{CuckooConfig, Inserted};
/// let mut open_orders = CuckooConfig::fpr(1_000_000, 0.01).build()?;
/// assert_eq!(open_orders.try_insert(b"order 17")?, Inserted::New);
/// assert!(open_orders.may_contain(b"order 17"));
/// // Only because order 17 was inserted:
/// assert!(open_orders.remove(b"order 17"));
/// assert!(!open_orders.may_contain(b"order 17"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Cuckoo<D = Buf> = Native<CuckooParams, D>;

/// A recipe for a [`Cuckoo`] filter.
pub type CuckooConfig = Config<CuckooParams>;

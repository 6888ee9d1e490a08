//! Blocked Bloom filter: every key in one cache line.
//!
//! # When to choose it
//! The default for a set that takes inserts: a query or an insertion costs one cache miss, whatever the rate. At
//! 1 % it needs 0.33 bits per key more than [`bloom`](crate::bloom), at 0.1 % 1.2 more, at 0.01 % 2.9 more: below
//! that take another family.
//!
//! # One lookup
//! ```text
//!             hash (64 bits)
//!              │ high bits                      │ all bits, mixed: 9 for each probe
//!              ▼ choose the line                ▼ choose bits of that line
//!   line 0 ┌────────┬────────┬────────┐   ┌──────────────────────────────────────┐
//!          │ 64 B   │ 64 B ◄─┼────────┼── │ 0 1 0 0 1 … 512 bits … 0 0 1 0 1 0 0 │
//!          └────────┴────────┴────────┘   └──────────────────────────────────────┘
//!                       lines − 1           all set: maybe present; one clear: surely absent
//! ```
//!
//! # The rate
//! A line holds a binomial number of keys: lines that got more than their share answer "maybe" more often. The
//! rate is the mean over that number of E\[(X/512)^k\], exactly ([`math::blocked`](crate::math::blocked)). The best
//! number of probes is lower than a standard Bloom filter's: 6 at 10 bits per key, 9 at 16.
//!
//! ```
//! use ruleout::Params;
//! let params = ruleout::BlockedConfig::bits_per_key(10_000_000, 10.0).params()?;
//! assert_eq!((params.lines(), params.probes()), (195_312, 6));
//! assert!((params.fpr_at(10_000_000) - 0.009664).abs() < 1e-5);
//! # Ok::<(), ruleout::ConfigError>(())
//! ```
//!
//! # Limits
//! Keys cannot be removed. Past its capacity the filter goes on, and its rate rises fast.
//!
//! Source: F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", WEA 2007, §3.

mod params;
mod probe;
#[cfg(test)]
mod tests;

pub use params::BlockedParams;

use crate::bitmap::Atomic;
use crate::bits::Buf;
use crate::config::Config;
use crate::native::Native;

/// A blocked Bloom filter; see [the module](self).
///
/// ```
/// use ruleout::{BlockedConfig, Inserted};
/// let mut seen = BlockedConfig::fpr(1_000_000, 0.01).build()?;
/// assert_eq!(seen.insert(b"order 17"), Inserted::New);
/// assert_eq!(seen.insert(b"order 17"), Inserted::MaybeSeen);
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
pub type Blocked<D = Buf> = Native<BlockedParams, D>;

/// A recipe for a [`Blocked`] filter.
pub type BlockedConfig = Config<BlockedParams>;

/// A [`Blocked`] filter that many threads insert into.
pub type AtomicBlocked = Atomic<BlockedParams>;

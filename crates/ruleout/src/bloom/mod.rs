//! Standard Bloom filter.
//!
//! # When to choose it
//! When memory matters more than speed, or the filter fits in cache: it meets a rate with the fewest bits of all
//! filters that are a plain bitmap (1.4427 · log2(1/p) bits per key), at any number of bits, and merges by OR. A
//! query for an absent key reads about two cache lines, for a present one as many as there are probes; once the
//! filter is larger than the cache, take [`blocked`](crate::blocked).
//!
//! # One lookup
//! ```text
//!            hash (64 bits)
//!              │ position 1      remix, position 2     remix, position 3
//!              ▼                   ▼                     ▼
//!   bit  0 ┌───────────────────────────────────────────────────┐ bits − 1
//!          │ 0 1 0 1 1 0 0 1 0 1 1 0 1 0 0 1 0 1 0 0 1 1 0 1 0 │
//!          └───────────────────────────────────────────────────┘
//!            all set: maybe present           one clear: surely absent, and the lookup stops there
//! ```
//!
//! # The rate
//! With m bits, k probes and n keys, the expected rate is E\[(X/m)^k\], X being the number of distinct bits that
//! k·n uniform throws set ([`math::bloom`](crate::math::bloom)); close to (1 − e^(−kn/m))^k. Sizing takes the
//! smallest m for which some whole k has that at or below the rate asked for. For a million keys at 1 % that is
//! 9,592,957 bits and 7 probes:
//!
//! ```
//! use ruleout::Params;
//! let params = ruleout::BloomConfig::fpr(1_000_000, 0.01).params()?;
//! assert_eq!((params.bits(), params.probes()), (9_592_957, 7));
//! # Ok::<(), ruleout::ConfigError>(())
//! ```
//!
//! # Limits
//! Keys cannot be removed. Past its capacity the filter goes on, and its rate rises fast: twice the keys make 1 %
//! into 16 %. [`Native::tally`](crate::Native::tally) tells.
//!
//! Source: B. H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", CACM 13(7), 1970, method 2.

mod params;
mod probe;
#[cfg(test)]
mod tests;

pub use params::BloomParams;

use crate::bitmap::Atomic;
use crate::bits::Buf;
use crate::config::Config;
use crate::native::Native;

/// A standard Bloom filter; see [the module](self).
///
/// ```
/// use ruleout::{Bloom, BloomConfig};
/// let mut months = BloomConfig::fpr(12, 0.001).build()?;
/// months.insert_keys(&["january", "february", "march"]);
/// let file = months.to_bytes();
/// let view = Bloom::open_verified(&file[..])?;
/// assert!(view.may_contain(b"march") && !view.may_contain(b"smarch"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Bloom<D = Buf> = Native<BloomParams, D>;

/// A recipe for a [`Bloom`] filter.
pub type BloomConfig = Config<BloomParams>;

/// A [`Bloom`] filter that many threads insert into.
pub type AtomicBloom = Atomic<BloomParams>;

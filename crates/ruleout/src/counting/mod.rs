//! Counting Bloom filter: four-bit counters in place of bits, so that keys can be removed.
//!
//! # When to choose it
//! Seldom. Take it where keys come and go, one cache miss per operation matters, and a filter that is too full must
//! still take keys: it never refuses one. It costs 43 bits per key at 1 %; [`cuckoo`](crate::cuckoo) and
//! [`quotient`](crate::quotient) remove keys at a fifth of that, and refuse keys when full.
//!
//! # One lookup
//! ```text
//!             hash (64 bits)
//!              │ high bits                      │ all bits, mixed: 7 for each probe
//!              ▼ choose the line                ▼ choose counters of that line
//!   line 0 ┌────────┬────────┬────────┐   ┌──────────────────────────────────────┐
//!          │ 64 B   │ 64 B ◄─┼────────┼── │ 0 2 0 0 1 … 128 counters … 0 0 3 0 1 │
//!          └────────┴────────┴────────┘   └──────────────────────────────────────┘
//!                       lines − 1           all above 0: maybe present; one 0: surely absent
//! ```
//!
//! A key counts once at each of its distinct counters. A counter that reaches 15 is **sticky**: it may stand for more
//! keys than it can say, so it is never counted down, and removing keys can leave bits set but never loses one.
//!
//! # The rate
//! That of a blocked Bloom filter with lines of 128 bits ([`math::counting`](crate::math::counting)). At capacity
//! a counter is sticky with a probability below 10^-16 when keys are distinct.
//!
//! ```
//! use ruleout::Params;
//! let params = ruleout::CountingConfig::fpr(1_000_000, 0.01).params()?;
//! assert_eq!((params.lines(), params.probes()), (84_745, 6));
//! # Ok::<(), ruleout::ConfigError>(())
//! ```
//!
//! # Limits
//! Remove only what you inserted: removing another key that looks present takes counts from those that are. Merging
//! adds counts. [`Counting::snapshot`] keeps one bit per counter, for readers.
//!
//! Source: L. Fan, P. Cao, J. Almeida, A. Z. Broder, "Summary Cache", IEEE/ACM Trans. Networking 8(3), 2000, §V;
//! a line per key as in F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007.

mod line;
mod params;
mod probe;
mod snapshot;
#[cfg(test)]
mod tests;

pub use params::CountingParams;
pub use snapshot::CountingBitsParams;

use crate::bitmap::Atomic;
use crate::bits::Buf;
use crate::config::Config;
use crate::native::Native;

/// A counting Bloom filter; see [the module](self).
///
/// ```
/// use ruleout::CountingConfig;
/// let mut online = CountingConfig::fpr(1000, 0.01).build()?;
/// online.insert(b"ada");
/// online.insert(b"ada");
/// assert_eq!(online.count(b"ada"), 2);
/// assert!(online.remove(b"ada") && online.may_contain(b"ada"));
/// assert!(online.remove(b"ada") && !online.may_contain(b"ada"));
/// assert!(!online.remove(b"ada")); // visibly absent: refused
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
pub type Counting<D = Buf> = Native<CountingParams, D>;

/// A recipe for a [`Counting`] filter.
pub type CountingConfig = Config<CountingParams>;

/// The bits of a counting filter: [`Counting::snapshot`] makes it.
///
/// It is a bitmap with lines of 128 bits, and can do what the other bitmaps can.
///
/// ```
/// use ruleout::{CountingBits, CountingConfig};
/// let mut online = CountingConfig::fpr(1000, 0.01).build()?;
/// online.insert(b"ada");
/// let file = online.snapshot()?.to_bytes();
/// assert!(CountingBits::open(&file[..])?.may_contain(b"ada"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type CountingBits<D = Buf> = Native<CountingBitsParams, D>;

/// A [`CountingBits`] filter that many threads insert into.
pub type AtomicCountingBits = Atomic<CountingBitsParams>;

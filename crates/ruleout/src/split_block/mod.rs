//! Split-block Bloom filter: eight bits of one 32-byte block, and Parquet's bytes.
//!
//! # When to choose it
//! When the bits must be readable as a Parquet bloom filter (take XXH64 with seed 0), or for the fastest insertion:
//! one multiplication and one OR of a 256-bit register. The number of probes is 8 whatever the size, so it is at
//! its best near 10 to 12 bits per key, and costs more bits than [`blocked`](crate::blocked) everywhere: 0.6 more
//! at 1 %, 1.3 more at 0.1 %. It can be made smaller after the fact: [`SplitBlock::fold_to_fpr`].
//!
//! # One lookup
//! ```text
//!             hash (64 bits)
//!              │ high 32 bits                   │ low 32 bits · 8 odd salts, 5 bits of each
//!              ▼ choose the block               ▼ choose a bit of every word
//!  block 0 ┌────────┬────────┬────────┐   ┌────────┬────────┬───┬────────┐
//!          │ 32 B   │ 32 B ◄─┼────────┼── │ 0…1…00 │ 00…1…0 │ … │ 1…0000 │ 8 words of 32 bits
//!          └────────┴────────┴────────┘   └────────┴────────┴───┴────────┘
//!                      blocks − 1           all eight set: maybe present; one clear: surely absent
//! ```
//!
//! # The rate
//! With j keys in its block, a key that is not there finds all eight bits set with probability
//! (1 − (31/32)^j)^8; the rate is the mean of that over the binomial number of keys in a block, exactly
//! ([`math::split_block`](crate::math::split_block)).
//!
//! ```
//! use ruleout::Params;
//! let params = ruleout::SplitBlockConfig::bits_per_key(1_000_000, 10.0).params()?;
//! assert_eq!(params.blocks(), 39_062);
//! assert!((params.fpr_at(1_000_000) - 0.01265).abs() < 1e-4);
//! # Ok::<(), ruleout::ConfigError>(())
//! ```
//!
//! # Limits
//! 1 GiB: the block comes from 32 bits of the hash. Keys cannot be removed. Past its capacity the filter goes on,
//! and its rate rises fast.
//!
//! Source: Apache Parquet format, "Parquet Bloom Filter"; the idea of the eight words is J. Apple's, "Split block
//! Bloom filters", arXiv 2101.01719, 2021.

mod fold;
mod params;
mod probe;
#[cfg(test)]
mod tests;

pub use params::SplitBlockParams;

use crate::bitmap::Atomic;
use crate::bits::Buf;
use crate::config::Config;
use crate::native::Native;

/// A split-block Bloom filter; see [the module](self).
///
/// ```
/// use ruleout::{Hasher, SplitBlock, SplitBlockConfig};
/// let mut column = SplitBlockConfig::fpr(10_000, 0.01).hasher(Hasher::xxh64(0)).build()?;
/// column.insert(b"a value");
/// let file = column.to_bytes();
/// assert!(SplitBlock::open(&file[..])?.may_contain(b"a value"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type SplitBlock<D = Buf> = Native<SplitBlockParams, D>;

/// A recipe for a [`SplitBlock`] filter.
pub type SplitBlockConfig = Config<SplitBlockParams>;

/// A [`SplitBlock`] filter that many threads insert into.
pub type AtomicSplitBlock = Atomic<SplitBlockParams>;

//! Binary fuse filters: for sets that do not change, three or four probes and few bits.
//!
//! # When to choose it
//! When all keys are there before the first question and none comes later: block lists, tables written once, the build side of
//! a join. A [`Fuse`] filter takes 22 % fewer bits than a [`bloom`](crate::bloom) filter at 0.4 %, a [`Fuse4`] filter 26 %,
//! and the difference grows as the rate falls. [`Fuse4`] looks at four places where [`Fuse`] looks at three.
//!
//! Not for sets that grow: it is built anew for every change, and there is no `insert`. Not where the rate is to be met closely:
//! fingerprints are whole bits, so that a rate is met by the next power of two below it. Below a thousand keys it takes
//! a third more bits than from a million on.
//!
//! # One lookup
//! ```text
//!              hash (64 bits)
//!              │ · shards        the shard
//!              │ rest · segments │ the first segment        │ rest · odd: a place in each, and the fingerprint
//!              ▼                 ▼                          ▼
//!  shard 0 ┌─────────┬─────────┬─────────┬─────────┬─────────┬─── … ───┬─────────┐
//!        1 │    0    │    1  ■ │ ■  2    │   3 ■   │    4    │         │ s+a − 2 │  segments of 2^b slots
//!          └─────────┴───────┼─┴─┼───────┴─────┼───┴─────────┴─── … ───┴─────────┘
//!                            └───┴──── XOR ────┘  equal to the fingerprint: maybe present; else surely absent
//! ```
//!
//! # The rate
//! 2^−w for fingerprints of w bits, whatever the keys: the XOR of slots that a key which is not there happens to look at
//! has nothing to do with its fingerprint. The sizes are in [`math::fuse`](crate::math::fuse).
//!
//! # Building
//! Hashes are sorted and cut into shards of some 1.7·10^6, and each is solved in the order of the array, which keeps what is
//! worked on in cache. A shard that cannot be solved is tried again under another seed, of which it has one byte. A key that comes
//! again counts once.
//!
//! There is nothing to insert into:
//!
//! ```compile_fail,E0599
//! # let mut filter = ruleout::FuseConfig::fpr(0.01).build([b"a"]).unwrap();
//! filter.insert(b"key"); // no such method
//! ```
//!
//! Source: T. M. Graf, D. Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", ACM Journal of Experimental
//! Algorithmics 27, 2022.

mod build;
mod params;
mod probe;
#[cfg(test)]
mod tests;
mod width;

pub use params::FuseParams;

use crate::bits::Buf;
use crate::build::StaticConfig;
use crate::native::Native;

/// A binary fuse filter with three probes; see [the module](self).
///
/// ```
/// use ruleout::{Fuse, FuseConfig};
/// let blocked = FuseConfig::fpr(0.001).build(["ads.example", "tracker.example"])?;
/// let file = blocked.to_bytes();
/// let view = Fuse::open_verified(&file[..])?;
/// assert!(view.may_contain(b"ads.example"));
/// assert!(!view.may_contain(b"docs.example"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Fuse<D = Buf> = Native<FuseParams<3>, D>;

/// A recipe for a [`Fuse`] filter.
pub type FuseConfig = StaticConfig<FuseParams<3>>;

/// A binary fuse filter with four probes, and 5 % fewer bits; see [the module](self).
pub type Fuse4<D = Buf> = Native<FuseParams<4>, D>;

/// A recipe for a [`Fuse4`] filter.
pub type Fuse4Config = StaticConfig<FuseParams<4>>;

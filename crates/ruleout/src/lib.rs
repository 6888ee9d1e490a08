//! Approximate-membership filters: "definitely absent" or "maybe present".
//!
//! A filter stands in front of something expensive (a disk read, a network hop, a join, a cache write) and rules
//! it out. It errs on one side only: it may say "maybe" for a key that was never inserted, at a rate you choose; it
//! never says "absent" for one that was. So "maybe" means *go and look*, never *yes*.
//!
//! ```
//! use ruleout::{Blocked, BlockedConfig};
//!
//! // Sized for a million keys at a false-positive rate of 1 %.
//! let mut seen = BlockedConfig::fpr(1_000_000, 0.01).build()?;
//! seen.insert(b"https://example.com/");
//! assert!(seen.may_contain(b"https://example.com/"));
//! assert!(!seen.may_contain(b"https://example.org/"));
//!
//! // What is in memory is what is on disk: open it from a slice, `bytes::Bytes` or a memory map.
//! let file = seen.to_bytes();
//! let view = Blocked::open_verified(&file[..])?;
//! assert!(view.may_contain(b"https://example.com/"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which filter?
//!
//! | you need | take | bits per key at 1 % / 0.1 %, a million keys |
//! |---|---|---|
//! | inserts, and speed | [`blocked`]: one cache miss per key | 9.92 / 15.55 |
//! | inserts, and the fewest bits; or it fits in cache | [`bloom`] | 9.59 / 14.38 |
//! | inserts from many threads | [`AtomicBlocked`], [`AtomicBloom`] | the same |
//! | Parquet's bytes, or a filter to be made smaller later | [`split_block`] | 10.53 / 16.89 |
//! | removal, in few bits | [`cuckoo`]: two cache misses per key | 9.59 / 12.78 |
//! | removal, without ever being full | [`counting`] | 43.4 / 76.0 |
//! | removals, counts, merging or growth without keys | [`quotient`] | 10.14 / 13.47 |
//! | inserts, and nobody knows how many | [`scalable`]: layers of bloom, blocked or cuckoo | 16 after growing 1000 × |
//! | "seen within the last hour?" | [`windowed`]: a bucket of bloom or blocked for each step | that of all buckets |
//! | "may a key begin like this?" | [`prefix`]: prefixes, and whole keys, in one filter | that of the filter beneath |
//! | a set that never changes, and speed | [`fuse`]: built once, three cache misses per key, or four | 7.94 / 11.35, or 7.48 / 10.69 |
//! | a small set that never changes, or one that is asked in bulk | [`golomb`]: built once, slow for single keys | 8.11 / 11.54 |
//! | to read files of any family | [`AnyFilter`] | |
//!
//! From some 5·10^7 keys on, and at rates of 3 % and above, [`quotient`] needs fewer bits than [`cuckoo`].
//!
//! # What holds everywhere
//! - **Never a false negative.** What could make one is an error, or has no method to write it with.
//! - **The rate asked for is the rate obtained.** Sizes come from exact formulas ([`math`]).
//! - **A pinned hash.** A key becomes 64 bits under a [`HashId`] that every file records. The functions that take
//!   a `hash` take one from the filter's own [`Hasher`].
//! - **Bytes from outside are safe.** Whatever they are, opening them gives a filter or an [`OpenError`]. `open` reads the
//!   header alone and takes the payload as it is: damage there can give a wrong answer, and nothing worse. Use
//!   `open_verified` for bytes that may be damaged.
//!
//! # Features
//! `std` (default): writing to `std::io::Write`, and asking the CPU at run time which instructions it has. Without it the
//! library needs `alloc` only, and uses the instructions that the build was told of (`-C target-cpu`). Bytes and answers
//! are the same.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![deny(unsafe_code)]

/// The README's example, tested.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod any;
mod base;
mod batch;
mod bitmap;
mod bits;
pub mod blocked;
pub mod bloom;
mod build;
mod collect;
mod config;
pub mod counting;
pub mod cuckoo;
mod error;
mod family;
mod frame;
pub mod fuse;
mod goal;
pub mod golomb;
mod hash;
mod layout;
pub mod math;
mod names;
mod native;
pub mod prefix;
pub mod quotient;
pub mod scalable;
mod simd;
pub mod split_block;
mod traits;
pub mod windowed;

pub use any::{AnyFilter, AnyParams, Inspection, inspect};
pub use base::BaseParams;
pub use bitmap::Atomic;
pub use bits::{Buf, Mask};
pub use blocked::{AtomicBlocked, Blocked, BlockedConfig, BlockedParams};
pub use bloom::{AtomicBloom, Bloom, BloomConfig, BloomParams};
pub use build::{Progress, StaticBuilder, StaticConfig, Watch};
pub use collect::{DistinctHashes, SortedHashes};
pub use config::Config;
pub use counting::{
    AtomicCountingBits, Counting, CountingBits, CountingBitsParams, CountingConfig, CountingParams,
};
pub use cuckoo::{Cuckoo, CuckooConfig, CuckooParams};
pub use error::{
    AllocError, BatchError, BuildError, ConfigError, InsertError, KeyError, MergeError, OpenError,
    UnknownName,
};
pub use family::Family;
pub use frame::{Header, Len, Value};
pub use fuse::{Fuse, Fuse4, Fuse4Config, FuseConfig, FuseParams};
pub use goal::Goal;
pub use golomb::{Golomb, GolombConfig, GolombParams};
pub use hash::{HashAlgorithm, HashId, Hasher, SecretKey};
pub use layout::{Changing, Collected, Params, Static, Tally};
pub use native::{Native, OpenOptions};
pub use prefix::{Extractor, Prefix, PrefixConfig, PrefixError, PrefixParams};
pub use quotient::{Fingerprints, GrowError, Growth, Quotient, QuotientConfig, QuotientParams};
pub use scalable::{Scalable, ScalableConfig, ScalableParams};
pub use split_block::{AtomicSplitBlock, SplitBlock, SplitBlockConfig, SplitBlockParams};
pub use traits::{Builder, Filter, HashFilter, Insert, Inserted, Merge, Remove};
pub use windowed::{Windowed, WindowedConfig, WindowedParams};

//! Golomb-coded set: a set that does not change, in few bits; built once.
//!
//! # When to choose it
//! When a set is sent or stored more often than it is asked, or asked for many keys at once: it needs 8.1 bits per key
//! at 1 % and 11.5 at 0.1 %, from sets of a few keys on, where [`bloom`](crate::bloom) needs 9.6 and 14.4. Any rate costs
//! what it should, not only powers of two. A build takes no memory but that of the sorted hashes. Two sorted lists are joined at
//! the speed of reading: a batch of hashes that come in ascending order takes some nanoseconds for each where it is about as
//! long as the list.
//!
//! Take another family when single keys are asked for and time counts: one takes 0.2 to 0.5 µs, ten times what
//! [`blocked`](crate::blocked) does. For large sets [`fuse`](crate::fuse) is as fast as that and mostly smaller as well: with
//! four probes it needs fewer bits from some 50,000 keys on at 1 % and 0.1 %, from a million on at one in a million. For smaller
//! sets, and at one in a billion for those too, this one needs fewer. At rates of 10 % and above
//! [`bloom`](crate::bloom) is as small. And take one that changes where keys come one after the other: here all have to be there
//! when it is built, and there is no `insert`:
//!
//! ```compile_fail,E0599
//! let mut revoked = ruleout::GolombConfig::fpr(0.01).build([b"serial 17"]).unwrap();
//! revoked.insert(b"serial 18"); // no such method: it was built of all its keys
//! ```
//! ```compile_fail,E0599
//! let mut revoked = ruleout::GolombConfig::fpr(0.01).build([b"serial 17"]).unwrap();
//! revoked.try_insert(b"serial 18"); // nor this one
//! ```
//!
//! # One lookup
//! A key's hash becomes a value below `U`: its high part chooses a bucket, of which there is one for some 256 keys, what is
//! left a value in there. The index has where the bucket's codes begin, as the difference from where they would if all
//! buckets were alike. The codes are the distances from value to value: the low `r` bits of each, and the rest in unary.
//! ```text
//!   hash ──▶ bucket 2, value 137                      r = 5: the low 5 bits of a distance are written as they are
//!                │
//!   index        ▼
//!   ┌─────┬─────┬─────┬─ … ─┐
//!   │ −31 │ +12 │ +40 │     │       begins 40 bits behind its even place
//!   └─────┴─────┴──│──┴─ … ─┘
//!                  ▼
//!   codes … ┌──────┬───┬──────┬────┬─ … ─┬────┬────┬────┬────┐
//!           │ 0 0 1│ 1 │ 0 1  │ 1  │     │  4 │ 29 │  7 │ 11 │
//!           └──────┴───┴──────┴────┴─ … ─┴────┴────┴────┴────┘
//!             2      0   1      0     ⟶ ⟵  4th  3rd  2nd  1st
//!   values    75     83  145                                     137 would have come before 145: absent
//! ```
//! So a lookup reads one place of the index, a few lines of codes that lie side by side, and adds up half a bucket of
//! distances. Of a batch with two hashes or more for each bucket, the hashes are sorted first, and codes and hashes gone
//! through side by side; one that ascends already is not sorted.
//!
//! # The rate
//! A key that is not in the set answers "maybe" when its value is one of the n keys': exactly 1 − (1 − 1/U)^n, about n/U. The
//! smallest U is chosen for which that is at or below the rate asked for.
//!
//! ```
//! use ruleout::{Builder, GolombConfig, Params};
//! let mut builder = GolombConfig::fpr(0.01).builder();
//! (0..1_000_000_u64).for_each(|key| builder.push_key(&key.to_le_bytes()));
//! let set = builder.finish()?;
//! // 1 − (1 − 1/99499663)^1000000
//! assert!((set.params().fpr_at(1_000_000) - 0.01).abs() < 1e-6);
//! assert_eq!(set.params().rice_bits(), 6);
//! let bits_per_key = set.size_bytes() as f64 * 8.0 / 1e6;
//! assert!(bits_per_key < 8.13, "{bits_per_key}"); // log2(100) + 1.48
//! # Ok::<(), ruleout::BuildError>(())
//! ```
//!
//! # The size
//! log2(1/rate) and 1.47 to 1.56 bits per key for the codes, depending on where U/n lies between powers of two, and 0.05 to
//! 0.07 for the index: [`math::golomb`](crate::math::golomb). How long exactly depends on the keys. A recipe for a size
//! keeps room for all sets but one in 30,000, and takes fewer values for that one: the size asked for is never exceeded.
//!
//! # Limits
//! - Bits of different keys depend on each other: filters cannot be merged, and nothing is added or removed.
//! - Hashes that an attacker chose pile up in one bucket and make lookups there linear: hash keys of strangers under a secret.
//!   In a file that was opened without verification, any lookup may be.
//! - U is at most 2^61, and all codes together have at most 2^54 bits.
//!
//! # Complexity
//! A build goes three times through the sorted hashes and keeps, beside them and the payload, 8 bytes for each bucket. A
//! batch that is sorted takes 16 bytes for each hash, of no more at a time than 16 for each bucket, and 8 for each bucket.
//!
//! Sources: S. Golomb, "Run-length encodings", IEEE Transactions on Information Theory 12 (1966); R. Rice, "Some practical
//! universal noiseless coding techniques", JPL Publication 79-22 (1979); F. Putze, P. Sanders, J. Singler, "Cache-, hash- and
//! space-efficient Bloom filters", ACM Journal of Experimental Algorithmics 14 (2009), §4 (the coded set as a filter, with an
//! index). There the index has places of codes as they are and codes lie one behind the other; here it has what they
//! differ from even ones, in half the bits, and quotients are apart from low bits, so that no step waits for the one before.

mod build;
mod check;
mod codes;
mod params;
mod probe;
mod shape;
#[cfg(test)]
mod tests;

pub use params::GolombParams;

use crate::bits::Buf;
use crate::build::StaticConfig;
use crate::native::Native;

/// A Golomb-coded set; see [the module](self).
///
/// ```
/// use ruleout::{Golomb, GolombConfig, Mask};
/// let revoked = GolombConfig::fpr(0.001).build(["serial 17", "serial 23", "serial 17"])?;
/// assert!(revoked.may_contain(b"serial 17") && !revoked.may_contain(b"serial 18"));
///
/// let file = revoked.to_bytes();
/// let view = Golomb::open_verified(&file[..])?;
/// let mut hits = Mask::new();
/// view.may_contain_keys(&["serial 22", "serial 23"], &mut hits);
/// assert_eq!(hits.ones().collect::<Vec<_>>(), [1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Golomb<D = Buf> = Native<GolombParams, D>;

/// A recipe for a [`Golomb`] filter.
pub type GolombConfig = StaticConfig<GolombParams>;

//! Quotient filter: removal, exact counts, merging and growth without keys.
//!
//! # When to choose it
//! When the set changes after it is built: keys come and go, some come many times, filters of parts are merged, or
//! the number of keys is not known in advance. At 1 % it needs 10.1 bits per key, 0.2 more than
//! [`blocked`](crate::blocked); at 0.1 % 13.5, two fewer. Merging and growing need none of its keys.
//!
//! Take another family when keys only ever come in, and speed counts: an insertion moves what lies behind it, and
//! costs several times what [`blocked`](crate::blocked) asks.
//!
//! # One lookup
//! A key's hash becomes a fingerprint below `U = slots · 2^r`. Its high part, the *quotient*, is the slot it would
//! like; its low part, the *remainder* of r bits, is what a slot holds. Remainders of one quotient lie side by side and
//! ascending, a *run*; runs lie in the order of their quotients, and where one is in the way the next is pushed up.
//! ```text
//!   hash ──▶ fingerprint = ⌊hash · U / 2^64⌋ ──▶ quotient 3, remainder 25
//!
//!   quotient     0    1    2    3    4    5    6    7
//!   occupied     0    1    0    1    1    0    0    1      has this quotient a run?
//!                     │         │    ╰────╮         │
//!                     ▼         ▼         ▼         ▼
//!             ┌────┬─────────┬─────────┬────┬────┬────┐
//!   slots     │  0 │  9   40 │ 25   80 │ 17 │  0 │ 61 │
//!             └────┴─────────┴─────────┴────┴────┴────┘
//!   run end      0    0    1    0    1    1    0    1      is this the last slot of a run?
//! ```
//! The run of the n-th occupied quotient ends at the n-th run end. Quotient 3 is the second that is occupied; the run
//! that ends at the second run end holds 25: maybe present. Counting starts at the block: 64 slots with their marks,
//! and how far the runs before reach into it. So a lookup reads two or three cache lines that lie side by side.
//!
//! # Copies
//! Inserting a key again counts it: [`Native::count`](crate::Native::count) gives the exact number of copies of a
//! fingerprint, and it takes that many removals until the key is gone. One copy takes one slot, two take two, and any
//! number c from three on takes three and one for each r − 1 bits of c − 3: a million copies at r = 7 take seven.
//!
//! # The rate
//! A key that was not inserted answers "maybe" when its fingerprint is one of the n inserted: exactly
//! 1 − (1 − 1/U)^n, about n/U. The load, used slots by slots, does not enter; it decides time and size. A filter at its
//! capacity has nine of ten slots in use, each of r + 2.125 bits:
//!
//! ```
//! use ruleout::{Params, QuotientConfig, QuotientParams};
//! let params = QuotientParams::new(1_000_000, 1_111_112, 7)?;
//! assert_eq!(params.universe(), 1_111_112 << 7);
//! // 1 − (1 − 1/142222336)^1000000
//! assert!((params.fpr_at(1_000_000) - 0.0070066).abs() < 1e-7);
//! // Which is what a recipe for 1 % leads to: with r = 6 the same rate takes 12.6 bits per key.
//! let recipe = QuotientConfig::fpr(1_000_000, 0.01).params()?;
//! assert_eq!((recipe.slots(), recipe.remainder_bits()), (1_111_112, 7));
//! # Ok::<(), ruleout::ConfigError>(())
//! ```
//!
//! # Merging and growing
//! Filters with equal universes have the same fingerprints, whatever their slots. Two of them become one by going
//! through both in order. Twice the slots with one remainder bit less are the same universe, so that a filter grows
//! without a key, and every answer stays as it is. That is no free lunch: the rate goes on rising with the number of keys,
//! so that twice the capacity has twice the rate, and each doubling takes a remainder bit. Give a filter that
//! shall grow d times 2^d lower a rate to begin with.
//!
//! # Limits
//! - Removing a key that was never inserted can remove one that looks the same.
//! - 95 % of the slots may be in use, and sixteen more; beyond it an insertion is refused as full. Distinct
//!   keys up to the capacity fit, but for less than one filter in 10^10. Copies of a key take slots too: a capacity
//!   for keys that all come twice is twice their number.
//! - Time rises with the load: the keys that an insertion moves are 1/(1 − load)^2 or so. Hashes that an attacker
//!   chose pile up in one place and make every operation there linear: hash keys of strangers under a secret.
//! - U is at most 2^63, so that the rate cannot be below 2^−63 for each key.
//!
//! Sources: M. Bender et al., "Don't Thrash: How to Cache Your Hash on Flash", VLDB 2012, §3 (quotienting, merging,
//! growth); P. Pandey, M. Bender, R. Johnson, R. Patro, "A General-Purpose Counting Filter: Making Every Bit Count",
//! SIGMOD 2017, §4.2 (blocks, offsets, rank and select). That paper's counters use digits below the remainder; ours
//! need no special case for a remainder of 0 or for r = 2. The tables here are not a power of two: the fingerprint is scaled,
//! not cut, to its universe.

mod block;
mod check;
mod control;
mod entry;
mod insert;
mod iter;
mod near;
mod params;
mod probe;
mod rebuild;
mod remove;
mod runs;
#[cfg(test)]
mod tests;
mod writer;

pub use iter::Fingerprints;
pub use params::QuotientParams;
pub use rebuild::{GrowError, Growth};

use crate::bits::Buf;
use crate::config::Config;
use crate::native::Native;

/// A quotient filter; see [the module](self).
///
/// ```
/// use ruleout::{Inserted, QuotientConfig};
/// let mut open = QuotientConfig::fpr(1_000_000, 0.01).build()?;
/// assert_eq!(open.try_insert(b"order 17")?, Inserted::New);
/// assert_eq!(open.try_insert(b"order 17")?, Inserted::MaybeSeen);
/// assert_eq!(open.count(b"order 17"), 2);
/// assert!(open.remove(b"order 17") && open.remove(b"order 17"));
/// assert!(!open.may_contain(b"order 17") && !open.remove(b"order 17"));
///
/// let mut other = QuotientConfig::fpr(1_000_000, 0.01).build()?;
/// other.try_insert(b"order 18")?;
/// open.merge_view(&other)?;
/// assert_eq!(open.fingerprints().count(), 1);
/// let growth = open.grow()?;
/// assert_eq!((growth.slots, growth.remainder_bits), (2_222_224, 6));
/// assert!(open.may_contain(b"order 18"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Quotient<D = Buf> = Native<QuotientParams, D>;

/// A recipe for a [`Quotient`] filter.
pub type QuotientConfig = Config<QuotientParams>;

impl<D: AsRef<[u8]>> Native<QuotientParams, D> {
    /// How many copies of the key's fingerprint there are: never fewer than of the key.
    ///
    /// ```
    /// use ruleout::QuotientConfig;
    /// let mut seen = QuotientConfig::fpr(1000, 0.001).build()?;
    /// (0..70).try_for_each(|_| seen.try_insert(b"again").map(drop))?;
    /// assert_eq!((seen.count(b"again"), seen.count(b"never")), (70, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count(&self, key: &[u8]) -> u64 {
        self.count_hash(self.hasher().hash(key))
    }

    /// As [`Native::count`], for the key with this hash, which must come from [`Native::hasher`].
    pub fn count_hash(&self, hash: u64) -> u64 {
        probe::count(self.params().shape(), self.payload(), hash)
    }

    /// All fingerprints in ascending order, each with its number of copies.
    ///
    /// ```
    /// use ruleout::QuotientConfig;
    /// let mut seen = QuotientConfig::fpr(1000, 0.001).build()?;
    /// seen.try_insert_hashes(&[7 << 40, 9 << 50, 7 << 40])?;
    /// let copies: Vec<u64> = seen.fingerprints().map(|(_fingerprint, copies)| copies).collect();
    /// assert_eq!(copies, [2, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    /// Reads the whole payload once, in order; allocates nothing.
    pub fn fingerprints(&self) -> Fingerprints<'_> {
        Fingerprints::new(self.params().shape(), self.payload())
    }
}

//! Prefix filter: may there be a key that begins like this?
//!
//! # When to choose it
//! Where keys are asked for by their beginnings: all orders of a tenant, all rows of a partition, a scan below a path. A
//! filter of whole keys cannot rule such a scan out; one of prefixes can, at one query for each run or file.
//!
//! Not for ranges that no one prefix covers, and not where most scans find something: a filter rules out what is absent.
//!
//! # One lookup
//! ```text
//!   insert "acme/orders/17"                              extractor: up to and with the first '/'
//!        ├─ "acme/orders/17" ── hash ──────────────►  ┌──────────────────────────┐
//!        └─ "acme/" ─────────── hash, marked ──────►  │ one filter: whole keys   │
//!   may_contain("acme/orders/18")          ── hash ─► │ and prefixes             │ ─► absent, or maybe
//!   may_contain_prefix("acme/orders/2024") ── "acme/", hash, marked ─►            │ ─► absent, or maybe
//!   may_contain_prefix("ac")               ── outside the extractor's domain ───────► maybe
//!                                                     └──────────────────────────┘
//! ```
//! A prefix's hash is marked, so that the key `acme/` is not taken for the prefix `acme/`.
//!
//! # Which extractor
//! A prefix has to show where it ends. `up-to` takes the delimiter in: `acme/`, and not `acme`, for keys of `acme.org/`
//! begin with that too, and a scan for `acme` must find them. It is outside the domain, and answered "maybe". An extractor
//! of your own keeps to the same [contract](Extractor), or the first key at which it does not is refused:
//!
//! ```
//! use ruleout::{Extractor, PrefixConfig, PrefixError};
//! // All but the last two bytes: the prefix of "abcd" is "ab", that of "ab" is "".
//! let cut = Extractor::custom("all-but-2", |key| key.len().checked_sub(2))?;
//! let mut filter = PrefixConfig::fpr(cut, 1000, 0.01).build()?;
//! assert!(matches!(filter.insert(b"abcd"), Err(PrefixError::Contract { .. })));
//! assert!(filter.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The rate
//! That of the filter beneath, for what it was made for: distinct prefixes, and whole keys unless
//! [left out](PrefixConfig::prefixes_only). What is outside the extractor's domain is not in it: it is always "maybe".
//!
//! # Limits
//! - A file records the extractor's name. One that is not built in is given again [after
//!   opening](crate::Native::with_extractor); until then prefixes are answered "maybe".
//! - The capacity counts entries, prefixes and whole keys; [`len`](crate::Native::len) counts the keys they come from.
//! - Without whole keys, a key's hash says nothing: `may_contain_hash` is always "maybe"; `may_contain` asks for the prefix.

mod config;
mod error;
mod extractor;
mod insert;
mod params;
#[cfg(test)]
mod tests;

pub use config::PrefixConfig;
pub use error::PrefixError;
pub use extractor::{Extractor, MAX_NAME};
pub use params::PrefixParams;

use crate::bits::Buf;
use crate::native::Native;

/// A prefix filter; see [the module](self).
///
/// ```
/// use ruleout::{Extractor, Prefix, PrefixConfig};
/// let mut filter = PrefixConfig::fpr(Extractor::fixed(4), 2000, 0.01).prefixes_only().build()?;
/// for year in 1900..2000 {
///     filter.insert(format!("{year}-12-31").as_bytes())?;
/// }
/// let file = filter.to_bytes();
/// let view = Prefix::open_verified(&file[..])?;
/// assert!(view.may_contain_prefix(b"1999") && !view.may_contain_prefix(b"2001-"));
/// assert!(view.may_contain_prefix(b"20")); // outside the domain
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Prefix<D = Buf> = Native<PrefixParams, D>;

//! Quotient filter.
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
pub type Quotient<D = Buf> = Native<QuotientParams, D>;

/// A recipe for a [`Quotient`] filter.
pub type QuotientConfig = Config<QuotientParams>;

impl<D: AsRef<[u8]>> Native<QuotientParams, D> {
    /// How many copies of the key's fingerprint there are: never fewer than of the key.
    pub fn count(&self, key: &[u8]) -> u64 {
        self.count_hash(self.hasher().hash(key))
    }

    /// As [`Native::count`], for the key with this hash, which must come from [`Native::hasher`].
    pub fn count_hash(&self, hash: u64) -> u64 {
        probe::count(self.params().shape(), self.payload(), hash)
    }

    /// All fingerprints in ascending order, each with its number of copies.
    pub fn fingerprints(&self) -> Fingerprints<'_> {
        Fingerprints::new(self.params().shape(), self.payload())
    }
}

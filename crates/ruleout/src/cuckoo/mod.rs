//! Cuckoo filter.
mod insert;
mod params;
mod probe;
mod remove;
mod scan;
mod search;
mod sizing;
mod table;
#[cfg(test)]
mod tests;

pub use params::CuckooParams;

use crate::bits::Buf;
use crate::config::Config;
use crate::native::Native;

/// A cuckoo filter; see [the module](self).
pub type Cuckoo<D = Buf> = Native<CuckooParams, D>;

/// A recipe for a [`Cuckoo`] filter.
pub type CuckooConfig = Config<CuckooParams>;

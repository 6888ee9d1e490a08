//! The families of filters.

use crate::names::named;

named! {
    /// A kind of filter.
    pub enum Family: "family" {
        /// Standard Bloom filter: any number of bits, exact rate, up to `probes` cache lines per query.
        Bloom = "bloom",
        /// Blocked Bloom filter: one 64-byte line per key, so one cache miss per query.
        Blocked = "blocked",
        /// Quotient filter: insert, remove, exact counts, merge and growth without keys.
        Quotient = "quotient",
    }
}

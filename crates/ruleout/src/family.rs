//! The families of filters.

use crate::names::named;

named! {
    /// A kind of filter.
    pub enum Family: "family" {
        /// Standard Bloom filter: any number of bits, exact rate, up to `probes` cache lines per query.
        Bloom = "bloom",
        /// Blocked Bloom filter: one 64-byte line per key, so one cache miss per query.
        Blocked = "blocked",
        /// Split-block Bloom filter: one 32-byte block per key, eight probes; Parquet's.
        SplitBlock = "split_block",
        /// Counting Bloom filter: four-bit counters in one 64-byte line per key, so that keys can be removed.
        Counting = "counting",
        /// One bit for every counter of a counting filter: its snapshot, for shipping.
        CountingBits = "counting_bits",
        /// Cuckoo filter: fingerprints in overlapping windows of two slots; keys can be removed.
        Cuckoo = "cuckoo",
        /// Quotient filter: insert, remove, exact counts, merge and growth without keys.
        Quotient = "quotient",
        /// Filters of another family, each larger than the one before: grows as keys come.
        Scalable = "scalable",
        /// Filters of another family, one for each step of a window of time: forgets what is older.
        Windowed = "windowed",
        /// A filter of another family over the prefixes of keys: may a key begin so?
        Prefix = "prefix",
        /// Binary fuse filter with three probes: built once, of all its keys.
        Fuse = "fuse",
        /// Binary fuse filter with four probes: fewer bits.
        Fuse4 = "fuse4",
        /// Golomb–Rice coded set: built once, few bits, microseconds for a single key.
        Golomb = "golomb",
    }
}

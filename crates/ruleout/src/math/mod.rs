//! Pure functions: rates, sizes and inversions.
//!
//! Everything here is arithmetic on numbers: no filter, no bits, no state. Nothing outside this folder is
//! used. Every function is total: no input makes it panic, hang or allocate more than a few hundred
//! kilobytes. Arguments outside a formula's meaning have the answer that their documentation states.
//!
//! | module | answers |
//! |---|---|
//! | [`bloom`] | rate, size, capacity and fill of a Bloom filter over any number of bits |
//! | [`blocked`] | the same when all probes of a key stay in one 512-bit line |
//! | [`split_block`] | the same with one bit in each word of a 256-bit block |
//! | [`counting`] | the same with counters for bits, and how often one overflows |
//! | [`cuckoo`] | rate and size of a table of fingerprints, and how full it may get |
//! | [`quotient`] | rate, size and growth of a sorted set of fingerprints |
//! | [`fuse`] | the array of a binary fuse filter, and its rate |
//! | [`golomb`] | rate and size of a coded set, its parameter and index |
//! | [`scalable`] | how a rate is shared out among the layers of a filter that grows |
//! | [`collision`] | the floor under every rate: two keys with one 64-bit hash |
//! | [`occupancy`] | the probability both are made of: further throws meet only occupied bins |
//! | [`elementary`] | logarithms and friends, rounded alike in every build |
//!
//! # Symbols
//!
//! Formulas write `m` for the bits (or bins), `n` for the keys, `k` for the probes of one key, `t = k·n` for
//! all throws, `c = t / m` for throws per bin, and `p` for a false-positive rate between 0 and 1. Tables of
//! fingerprints have `S` slots.
//!
//! # Accuracy
//!
//! Rates are the *exact* expectations of the random model (uniform hash values), not the textbook
//! `(1 − e^(−kn/m))^k`, which lies below them: by 15 % at `m = 8`, 1.4 % in a 512-bit line, `10⁻⁶` at ten
//! million bits. `tests/math.rs` and `tests/math_dynamic.rs` hold them to a relative error of `10⁻¹¹` against
//! multiple-precision values.

mod binomial;
pub mod blocked;
pub mod bloom;
pub mod collision;
pub mod counting;
pub mod cuckoo;
pub mod elementary;
pub mod fuse;
pub mod golomb;
mod line;
mod mixture;
pub mod occupancy;
pub mod quotient;
pub mod scalable;
mod search;
pub mod split_block;
pub mod windowed;

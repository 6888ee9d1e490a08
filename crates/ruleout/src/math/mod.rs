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
//! | [`collision`] | the floor under every rate: two keys with one 64-bit hash |
//! | [`occupancy`] | the probability both are made of: further throws meet only occupied bins |
//! | [`elementary`] | logarithms and friends, rounded alike in every build |
//!
//! # Symbols
//!
//! Formulas write `m` for the bits (or bins), `n` for the keys, `k` for the probes of one key, `t = k·n` for
//! all throws, `c = t / m` for throws per bin, and `p` for a false-positive rate between 0 and 1.
//!
//! # Accuracy
//!
//! Rates are the *exact* expectations of the random model (uniform hash values), not the textbook
//! `(1 − e^(−kn/m))^k`, which lies below them: by 15 % at `m = 8`, 1.4 % in a 512-bit line, `10⁻⁶` at ten
//! million bits. `tests/math.rs` holds them to a relative error of `10⁻¹¹` against multiple-precision values.

pub mod blocked;
pub mod bloom;
pub mod collision;
pub mod elementary;
pub mod occupancy;
mod search;

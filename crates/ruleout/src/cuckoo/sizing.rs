//! How many slots and fingerprint bits a number of keys needs.
//!
//! PLACEHOLDER for `math::cuckoo`: arithmetic only, to be replaced by it.

use crate::math::elementary::{exp_m1, ln_1p};

use super::params::FINGERPRINT_BITS;

/// Of this share of the slots the search for a free one still finds one, and quickly: measured, at every number of
/// keys up to 10^7 and every width. At 0.965 no placement of the keys exists.
const LOAD: (u128, u128) = (47, 50);

/// Slots beyond the load, for small tables, in which a few keys that crowd together have no way out: measured, so
/// that less than one table in 10^6 refuses one of the keys it is made for.
const SPARE_SLOTS: u64 = 24;

/// How many of the keys of one filter may, on average, be refused because four others share their fingerprint and
/// their windows.
const REFUSALS: f64 = 1e-3;

/// The slots for `keys` keys, or `None` when 64 bits cannot count them.
pub(super) fn slots(keys: u64) -> Option<u64> {
    let loaded = (u128::from(keys) * LOAD.1).div_ceil(LOAD.0);
    u64::try_from(loaded).ok()?.checked_add(SPARE_SLOTS)
}

/// The fewest fingerprint bits with which `keys` keys in `slots` slots have at most this rate and are not too
/// likely to be refused; `None` when even the most do not reach that.
pub(super) fn fingerprint_bits(slots: u64, keys: u64, fpr: f64) -> Option<u32> {
    FINGERPRINT_BITS
        .into_iter()
        .find(|&bits| self::fpr(slots, bits, keys) <= fpr && refusals(slots, bits, keys) <= REFUSALS)
}

/// The expected false-positive rate with `keys` distinct keys in the table.
///
/// A key is a fingerprint, one of V, and a pair of windows, which one of W windows chooses. The V·W possibilities
/// are equally likely. An absent key is answered "maybe" when one of the n present is the same but for the choice
/// between the two windows of the pair: 1 − (1 − 2/(V·W))^n. One in W pairs is of a window with itself.
pub(super) fn fpr(slots: u64, fingerprint_bits: u32, keys: u64) -> f64 {
    let windows = (slots - 1) as f64;
    let same = 1.0 / (fingerprints(fingerprint_bits) * windows);
    let met = |share: f64| -exp_m1(keys as f64 * ln_1p(-share));
    met(2.0 * same) * (1.0 - 1.0 / windows) + met(same) / windows
}

/// The expected number of keys refused because the four slots of their windows hold their fingerprint already.
///
/// Of the V·W/2 fingerprints with a pair, each is met by λ = 2·n/(V·W) keys on average, and by five of them with
/// probability λ^5/120.
pub(super) fn refusals(slots: u64, fingerprint_bits: u32, keys: u64) -> f64 {
    let mean = 2.0 * keys as f64 / (fingerprints(fingerprint_bits) * (slots - 1) as f64);
    keys as f64 * (mean * mean) * (mean * mean) / 120.0
}

fn fingerprints(fingerprint_bits: u32) -> f64 {
    (1u64 << (fingerprint_bits - 1)) as f64 - 1.0
}

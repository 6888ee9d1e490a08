//! The floor under every rate: two keys that share their 64-bit hash.
//!
//! A filter never sees a key, only its hash. If an absent key has the same 64-bit hash as a member, each
//! probe and each fingerprint of the two is the same, and no filter can tell them apart, whatever its size.

use super::elementary::{exp_m1, ln_1p};

/// 2⁻⁶⁴, the probability that two given keys share a hash.
const SAME_HASH: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// The probability that an absent key shares its 64-bit hash with at least one of `keys` members.
///
/// `1 − (1 − 2⁻⁶⁴)^n`, about `n·2⁻⁶⁴`: 5.4·10⁻¹¹ for a billion keys. A rate near it or below it cannot be
/// reached by any filter over 64-bit hashes.
///
/// # Complexity
///
/// Constant.
pub fn hash_collision_fpr(keys: u64) -> f64 {
    -exp_m1(keys as f64 * ln_1p(-SAME_HASH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_full() {
        assert_eq!(hash_collision_fpr(0), 0.0);
        assert_eq!(hash_collision_fpr(1), SAME_HASH);
        assert!((hash_collision_fpr(1_000_000_000) / 5.421010862427522e-11 - 1.0).abs() < 1e-9);
        // All 2^64 hashes drawn at random leave a share 1/e of them unused.
        assert!((hash_collision_fpr(u64::MAX) - 0.632_120_558_828_557_7).abs() < 1e-12);
    }
}

//! The rate of each bucket of a filter that is a row of them.
//!
//! A filter of `b` buckets answers "maybe" when one of them does. If each does so for an absent key with probability
//! `p'`, independently, the whole does with `1 − (1 − p')^b`: so a whole of rate `p` takes buckets of
//! `p' = 1 − (1 − p)^(1/b)`, a little above `p / b`.

use super::elementary::{exp_m1, ln_1p};

/// The rate of each of `buckets` buckets that together have the rate `fpr`, both 0 to 1.
///
/// ```
/// use ruleout::math::windowed::bucket_fpr;
/// let p = bucket_fpr(0.01, 7);
/// assert!(p > 0.01 / 7.0 && (1.0 - f64::powi(1.0 - p, 7) - 0.01).abs() < 1e-15);
/// ```
pub fn bucket_fpr(fpr: f64, buckets: u32) -> f64 {
    -exp_m1(ln_1p(-fpr) / f64::from(buckets.max(1)))
}

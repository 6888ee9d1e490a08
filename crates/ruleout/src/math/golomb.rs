//! Golomb–Rice coded sets: the keys' values in ascending order, each as its distance from the one before.
//!
//! A key's value is one of `U`, chosen uniformly, and the filter holds exactly the keys' values. So an absent key is a
//! false positive when one of `n` keys has its value:
//!
//! ```text
//! rate  =  1 − (1 − 1/U)^n          about n/U
//! ```
//!
//! exactly, and any rate can be met by the choice of `U`.
//!
//! # Size
//!
//! Of all values the share `ρ` that is held is that same rate, so the number of values passed over from one held
//! value to the next is geometric: `g` with probability `ρ·(1 − ρ)^g`. A Rice code of parameter `r` writes `⌊g/2^r⌋` in
//! unary, with one bit to end it, and the low `r` bits of `g`:
//!
//! ```text
//! r + 1 + Σ_{j≥1} P(g ≥ j·2^r)  =  r + 1/(1 − y),     y = (1 − ρ)^(2^r)
//! ```
//!
//! bits for each value. One more bit of `r` is worth it while `y > (√5 − 1)/2`, as `1/(1 − y) − 1/(1 − y²) = y/(1 − y²)`
//! shows: Kiely, "Selecting the Golomb parameter in Rice coding", JPL IPN Progress Report 42-159 (2004), §III. With the best
//! `r` that is `log2(1/rate)` and between 1.470 bits (at `U/n = 1.497·2^r`, where BIP 158 is) and 1.563; no code of the
//! exact set of values needs fewer than 1.443 bits more. Golomb's code with divisors that are no powers of two would save up
//! to 0.09 bits of them; but remainders would have two lengths, so that their places are known only by decoding all before.
//!
//! # Buckets
//!
//! To be found without reading all codes before them, values are cut into buckets of [`BUCKET_VALUES`] on average, and
//! an index says where each begins: as what its place differs from where it would be if all buckets had the same length.
//! That is a Brownian bridge, which after `√n` keys' bits each way needs some 15 to 17 bits for ten million keys: less than
//! 0.07 bits for each.
//!
//! # Example
//!
//! ```
//! use ruleout::math::golomb;
//!
//! // 1 % of a million keys: 8.11 bits for each of 995,000 values, and 0.05 for the index.
//! let size = golomb::size(1_000_000, 0.01).unwrap();
//! assert_eq!(size.rice_bits, 6);
//! assert!(golomb::fpr(size.universe(), 1_000_000) <= 0.01);
//! let plan = golomb::expected(size, 1_000_000);
//! assert!((plan.bits() as f64 / 1e6 - 8.12).abs() < 0.01);
//! ```

use super::bloom::{self, expected_fill};
use super::elementary::{ceil, exp, exp_m1, ln_1p, pow, sqrt};
use super::search;

/// The most bits of a Rice parameter; more are treated as this many.
pub const MAX_RICE_BITS: u32 = 56;

/// The most values there may be: from twice as many on, hashes of 64 bits are spread unevenly over them.
pub const MAX_UNIVERSE: u64 = 1 << 61;

/// Values in a bucket, on average. A query decodes half of them: some 200 ns. Fewer would make the index dearer.
pub const BUCKET_VALUES: u64 = 256;

/// What [`fit`] keeps free: so many standard deviations of the length of the codes. One set in 30,000 needs more.
const DEVIATIONS: f64 = 4.0;

/// From the highest to the lowest point of a Brownian bridge, on average and in all but one of 10^6 cases: Kuiper,
/// "Tests concerning random points on a circle", Indagationes Mathematicae 63 (1960).
const BRIDGE_RANGE: (f64, f64) = (1.2533, 3.0);

/// The shape of a coded set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GolombSize {
    /// Buckets of values.
    pub buckets: u64,
    /// Values there may be in each bucket.
    pub width: u64,
    /// The low bits of a distance that are written as they are.
    pub rice_bits: u32,
}

impl GolombSize {
    /// The number of values there may be: buckets times width; so many and more than 64 bits count are `u64::MAX`.
    pub const fn universe(self) -> u64 {
        self.buckets.saturating_mul(self.width)
    }

    /// The shape with about `universe` values for `keys` keys: never fewer, and at most one more for each bucket.
    fn of_universe(universe: u64, keys: u64) -> Self {
        let density = fpr(universe, keys);
        let values = universe as f64 * density;
        let buckets = (ceil(values / BUCKET_VALUES as f64) as u64).clamp(1, universe.max(1));
        Self { buckets, width: universe.div_ceil(buckets), rice_bits: rice_bits(density) }
    }
}

/// How long codes and index are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GolombBits {
    /// The bits of all codes.
    pub code_bits: u64,
    /// The bits of the index for each bucket but the first.
    pub offset_bits: u32,
    buckets: u64,
}

impl GolombBits {
    /// The bits of codes and index together.
    pub const fn bits(self) -> u128 {
        self.code_bits as u128 + self.offset_bits as u128 * self.buckets.saturating_sub(1) as u128
    }
}

/// The exact expected false-positive rate of `keys` distinct keys whose values are among `universe`.
///
/// Copies of a key change nothing. Without keys it is 0; with keys but without values it is 1.
///
/// # Complexity
///
/// Constant.
pub fn fpr(universe: u64, keys: u64) -> f64 {
    expected_fill(universe, 1, keys)
}

/// The false-positive rate of one built filter that holds `values` different values: their share of all.
///
/// # Complexity
///
/// Constant.
pub fn fpr_of_values(universe: u64, values: u64) -> f64 {
    bloom::fpr_of_fill(values, universe, 1)
}

/// An estimate of the distinct keys, from the number of different `values` held.
///
/// `None` when every value is held, or when there are none.
///
/// # Complexity
///
/// Constant.
pub fn estimate_keys(universe: u64, values: u64) -> Option<f64> {
    bloom::estimate_keys(values, universe, 1)
}

/// The largest number of keys with an exact expected rate of at most `fpr`.
///
/// 0 for a rate that is negative or NaN or without values; `u64::MAX` from 1 on.
///
/// # Complexity
///
/// Some tens of evaluations of [`fpr`].
pub fn capacity(universe: u64, fpr: f64) -> u64 {
    if universe == 0 || fpr.is_nan() || fpr <= 0.0 {
        return 0;
    }
    if fpr >= 1.0 {
        return u64::MAX;
    }
    let guess = ln_1p(-fpr) / ln_1p(-1.0 / universe as f64);
    search::largest(guess as u64, |keys| self::fpr(universe, keys) <= fpr)
}

/// The expected bits of the code of one value, when the share `density` of all values is held: `r + 1/(1 − y)`.
///
/// Infinite when none is.
///
/// # Complexity
///
/// Constant.
pub fn bits_per_value(density: f64, rice_bits: u32) -> f64 {
    let rice_bits = rice_bits.min(MAX_RICE_BITS);
    f64::from(rice_bits) - 1.0 / exp_m1(ln_y(density, rice_bits))
}

/// The Rice parameter with the fewest [`bits_per_value`].
///
/// # Complexity
///
/// Some tens of multiplications.
pub fn rice_bits(density: f64) -> u32 {
    /// ln((√5 − 1)/2)
    const LN_GOLDEN: f64 = -0.481_211_825_059_603_4;
    (0..MAX_RICE_BITS).find(|&rice_bits| ln_y(density, rice_bits) <= LN_GOLDEN).unwrap_or(MAX_RICE_BITS)
}

/// `ln y`, the logarithm of the share of distances from `2^r` on.
fn ln_y(density: f64, rice_bits: u32) -> f64 {
    ln_1p(-density) * (1_u64 << rice_bits) as f64
}

/// How long codes and index of `keys` distinct keys are, on average.
///
/// # Complexity
///
/// Constant.
pub fn expected(size: GolombSize, keys: u64) -> GolombBits {
    planned(size, keys, 0.0, BRIDGE_RANGE.0)
}

/// How long codes and index are with that many standard deviations more than expected, and that range of the bridge.
fn planned(size: GolombSize, keys: u64, deviations: f64, bridge: f64) -> GolombBits {
    let GolombSize { buckets, width, rice_bits } = size;
    let rice_bits = rice_bits.min(MAX_RICE_BITS);
    let nothing = GolombBits { code_bits: 0, offset_bits: 0, buckets };
    let (universe, density) = (size.universe() as f64, fpr(size.universe(), keys));
    if density <= 0.0 {
        return nothing;
    }
    let values = universe * density;
    // What a value more costs, where the distances add up to the same: a code without the share of the distances that is
    // cut off below 2^r.
    let y = exp(ln_y(density, rice_bits));
    let cut = (1.0 - density) / density / (1_u64 << rice_bits) as f64 - y / (1.0 - y);
    let dearer = f64::from(rice_bits) + 1.0 - 1.0 / (1_u64 << rice_bits) as f64 - cut;
    // Different values of n keys that are drawn: Johnson and Kotz, "Urn models and their application" (1977), §3.2.
    let load = keys as f64 / universe;
    let missing = exp(-load);
    let spread = universe * missing * (1.0 - (1.0 + load) * missing).max(0.0);
    // What is cut off is spread over less than a bit: its variance is 1/12 at most; the ends of buckets add to it.
    let of_cut = if rice_bits > 0 { values / 8.0 } else { 0.0 };
    let deviation = sqrt(spread * dearer * dearer + of_cut);
    let likely = ceil(values * bits_per_value(density, rice_bits) + deviations * deviation);
    // All values in it, and all distances as long as can be: what there is room for in any case.
    let most_values = keys.min(size.universe());
    let most = u128::from(most_values) * u128::from(rice_bits + 1)
        + u128::from(buckets) * u128::from((width.saturating_sub(1)) >> rice_bits);
    let code_bits = u64::try_from((likely as u128).min(most)).unwrap_or(u64::MAX);
    let range = bridge * sqrt(values * (1.0 - density)) * dearer + (buckets as f64 / 256.0);
    let offset_bits = if buckets > 1 { bits_of(ceil(range) as u64).max(1) } else { 0 };
    GolombBits { code_bits, offset_bits, buckets }
}

/// The bits that numbers from 0 to `most` need.
pub(crate) const fn bits_of(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// The shape with the fewest values, and so the fewest bits, whose exact expected rate with `keys` keys is at most
/// `fpr`.
///
/// No keys are treated as one. `None` if `fpr` is not strictly between 0 and 1, or if that takes more than
/// [`MAX_UNIVERSE`] values.
///
/// # Complexity
///
/// Some tens of evaluations of [`fpr`].
pub fn size(keys: u64, fpr: f64) -> Option<GolombSize> {
    if !(fpr > 0.0 && fpr < 1.0) {
        return None;
    }
    let keys = keys.max(1);
    // 1 − (1 − 1/U)^n = p, solved for U.
    let guess = -1.0 / exp_m1(ln_1p(-fpr) / keys as f64);
    let universe = search::smallest(guess as u64, |universe| self::fpr(universe, keys) <= fpr)?;
    let size = GolombSize::of_universe(universe, keys);
    (size.universe() <= MAX_UNIVERSE).then_some(size)
}

/// The shape with the lowest rate for `keys` keys in `bits` bits altogether.
///
/// The length depends on the keys: room is kept for all sets but one in 30,000, which [`fit`] with fewer bits has a shape
/// for. No keys are treated as one. `None` if there are no bits.
///
/// # Complexity
///
/// Some hundreds of evaluations of [`fpr`].
pub fn fit(bits: u64, keys: u64) -> Option<GolombSize> {
    let keys = keys.max(1);
    let fits = |universe: u64| {
        let size = GolombSize::of_universe(universe, keys);
        size.universe() <= MAX_UNIVERSE
            && planned(size, keys, DEVIATIONS, BRIDGE_RANGE.1).bits() <= u128::from(bits)
    };
    // log2(U/n) and 1.5 bits for each key.
    let guess = keys as f64 * pow(2.0, (bits as f64 / keys as f64 - 1.5).clamp(-60.0, 60.0));
    let universe = search::largest((guess as u64).min(MAX_UNIVERSE), fits);
    (universe > 0).then(|| GolombSize::of_universe(universe, keys))
}

/// What [`fit`] has room for.
pub fn fitted(size: GolombSize, keys: u64) -> GolombBits {
    planned(size, keys.max(1), DEVIATIONS, BRIDGE_RANGE.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_arguments() {
        assert_eq!((fpr(0, 0), fpr(9, 0), fpr(0, 1), fpr(1, 1)), (0.0, 0.0, 1.0, 1.0));
        assert_eq!(estimate_keys(0, 0), None);
        assert_eq!((estimate_keys(4, 0), estimate_keys(4, 4)), (Some(0.0), None));
        assert_eq!(
            (capacity(0, 0.5), capacity(9, 0.0), capacity(9, f64::NAN), capacity(9, 1.0)),
            (0, 0, 0, u64::MAX)
        );
        assert_eq!((rice_bits(0.0), rice_bits(1.0)), (MAX_RICE_BITS, 0));
        assert_eq!((bits_per_value(0.0, 3), bits_per_value(1.0, 0)), (f64::INFINITY, 1.0));
        assert_eq!(bits_per_value(0.1, 99), bits_per_value(0.1, MAX_RICE_BITS));
        for rate in [0.0, -1.0, 1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(size(10, rate), None);
        }
        assert_eq!((size(u64::MAX, 0.01), size(10, 1e-30)), (None, None));
        assert_eq!(size(0, 0.01), size(1, 0.01));
        assert_eq!(size(1, 0.01), Some(GolombSize { buckets: 1, width: 100, rice_bits: 6 }));
        assert_eq!(fit(0, 10), None);
        for keys in [0, 1, 1000, u64::MAX] {
            assert_eq!(fit(1, keys), Some(GolombSize { buckets: 1, width: 1, rice_bits: 0 }));
            let most = fit(u64::MAX, keys).unwrap();
            assert!(most.universe() <= MAX_UNIVERSE && most.universe() > MAX_UNIVERSE / 2, "{most:?}");
        }
        for (buckets, width, rice_bits) in [(0, 0, 0), (u64::MAX, u64::MAX, u32::MAX), (1, 1, 56), (7, 1, 0)]
        {
            for keys in [0, 1, u64::MAX] {
                let _ = expected(GolombSize { buckets, width, rice_bits }, keys).bits();
            }
        }
        assert_eq!((bits_of(0), bits_of(1), bits_of(255), bits_of(256)), (0, 1, 8, 9));
    }

    #[test]
    fn the_best_parameter_is_best() {
        for i in 1..4000 {
            let density = pow(2.0, -f64::from(i) / 100.0);
            let best = rice_bits(density);
            let bits = bits_per_value(density, best);
            for other in [best.saturating_sub(1), best + 1] {
                assert!(bits <= bits_per_value(density, other), "{density}: {best}");
            }
        }
    }

    #[test]
    fn capacity_inverts_the_rate() {
        for (universe, rate) in [(1_000, 0.003), (1 << 50, 1e-4), (100, 0.9)] {
            let keys = capacity(universe, rate);
            assert!(fpr(universe, keys) <= rate && fpr(universe, keys + 1) > rate, "{keys}");
        }
    }
}

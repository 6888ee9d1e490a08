//! Rates of filters that are asked one after the other, and how a rate is shared out among them.
//!
//! A filter that grows is a row of layers, and answers "maybe" when one of them does. If layer `i` does so for an
//! absent key with probability `pᵢ`, the whole does with `1 − Π(1 − pᵢ) ≤ Σ pᵢ`, the union bound, whatever the
//! layers have in common. So the rate `p` asked for is shared out: every layer gets `1/d` of what those before it
//! left, `pᵢ = (p/d) · (1 − 1/d)^i`. Their sum stays below `p` however many follow, which integers show without
//! rounding: a share is taken *out of* the rest.
//!
//! # Which `d`
//! A Bloom filter's layer of `nᵢ` keys takes `nᵢ · log2(1/pᵢ) / ln 2` bits. Bits per key at 1 %, grown to `G` times
//! the first layer's capacity by layers that double, and that quadruple:
//!
//! | series | G = 1 | 10, ×2 | 100, ×2 | 1000, ×2 | 10⁶, ×2 | 1000, ×4 |
//! |---|---|---|---|---|---|---|
//! | d = 2 | 11.03 | 14.30 | 18.32 | 22.58 | 37.00 | 17.76 |
//! | d = 4 | 12.47 | 13.83 | 15.50 | 17.27 | 23.25 | 15.27 |
//! | **d = 8** | 13.91 | 14.54 | 15.32 | **16.14** | 18.92 | **15.21** |
//! | d = 10 | 14.38 | 14.87 | 15.49 | 16.13 | 18.32 | 15.40 |
//! | d = 16 | 15.36 | 15.66 | 16.03 | 16.43 | 17.77 | 15.98 |
//! | pᵢ ~ 1/(i+1)² | 10.62 | 15.30 | 17.98 | 19.70 | 22.86 | 17.81 |
//!
//! [`DIVISOR`] is 8: within 0.02 bits of the best after a growth of 1000 by doubling, 0.12 by quadrupling, and the first layer, in which a filter
//! that never grows stays, pays half a bit less than with the best. The quadratic series is cheap to begin with and
//! dear from the third layer on, where nearly all keys are.
//!
//! P. S. Almeida, C. Baquero, N. Preguiça, D. Hutchison, "Scalable Bloom Filters", Information Processing Letters
//! 101(6), 2007, §3, whose `r` is `1 − 1/d`.

use super::elementary::{exp_m1, ln_1p};

/// Every layer gets one part in so many of the rate that those before it left.
pub const DIVISOR: u64 = 8;

/// 2⁶⁴, as which a rate of 1 counts.
const ONE: f64 = 18_446_744_073_709_551_616.0;

/// The largest integer rate, in units of 2⁻⁶⁴, that is not above `fpr`; 0 for what is not between 0 and 1.
pub fn rate_of_fpr(fpr: f64) -> u64 {
    // Multiplying by a power of two is exact, and the conversion rounds towards 0.
    if fpr > 0.0 && fpr < 1.0 { (fpr * ONE) as u64 } else { 0 }
}

/// The rate, 0 to 1, that an integer in units of 2⁻⁶⁴ stands for.
///
/// Exact for all that [`rate_of_fpr`] gives.
pub fn fpr_of_rate(rate: u64) -> f64 {
    rate as f64 / ONE
}

/// The share of layer `layer`, counted from 0, in `rate`: `1/divisor` of what the layers before it left.
///
/// The shares of any number of layers add up to at most `rate`. All of it is the first one's when `divisor` is 0 or 1.
pub fn layer_rate(rate: u64, divisor: u64, layer: u32) -> u64 {
    let divisor = divisor.max(1);
    let mut rest = rate;
    for _ in 0..layer {
        let share = rest / divisor;
        // From here on all shares are the same, and nothing.
        if share == 0 {
            return 0;
        }
        rest -= share;
    }
    rest / divisor
}

/// `1 − Π(1 − pᵢ)`: the rate of filters of these rates, one "maybe" of which is enough.
pub fn union_fpr(rates: impl IntoIterator<Item = f64>) -> f64 {
    let misses: f64 = rates.into_iter().map(|rate| ln_1p(-rate.clamp(0.0, 1.0))).sum();
    -exp_m1(misses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_exceed_the_whole() {
        for rate in [0, 1, 7, 8, 1 << 20, rate_of_fpr(0.01), u64::MAX] {
            for divisor in [1, 2, 3, DIVISOR, 10, 1000] {
                let shares = (0..200).map(|layer| u128::from(layer_rate(rate, divisor, layer)));
                assert!(shares.sum::<u128>() <= u128::from(rate), "{rate} by {divisor}");
            }
        }
    }

    #[test]
    fn rates_come_back() {
        for fpr in [0.5, 0.01, 1e-3, 1e-6, 1e-9] {
            let rate = rate_of_fpr(fpr);
            assert!(fpr_of_rate(rate) <= fpr && fpr_of_rate(rate) > fpr * (1.0 - 1e-9));
            assert_eq!(rate_of_fpr(fpr_of_rate(rate)), rate);
        }
        for senseless in [0.0, -0.1, 1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert_eq!(rate_of_fpr(senseless), 0);
        }
    }

    #[test]
    fn certain_layers_make_a_certain_whole() {
        assert_eq!(union_fpr([]), 0.0);
        assert_eq!(union_fpr([0.1, 1.0]), 1.0);
        assert!((union_fpr([0.1, 0.2]) - 0.28).abs() < 1e-15);
    }
}

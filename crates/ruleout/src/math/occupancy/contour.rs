//! The occupancy probability from its generating function, for many throws.
//!
//! `i` given bins are occupied by `t` labelled throws in as many ways as the exponential generating function
//! `e^((m−i)z) (e^z − 1)^i` has at `z^t`. Weighted with `D(k,i)` and divided by all `m^t` ways:
//!
//! ```text
//! E[(X/m)^k]  =  t!/m^t · [z^t]  e^(mz) · P(1 − e^(−z)),        P(w) = Σ_i D(k,i) w^i
//! ```
//!
//! For small `z` the factor `P` behaves like a power `z^s`, and how many powers it is worth near `z = t/m` is
//! known: `s`, the logarithmic derivative, rounded. Taking these `s` out leaves `N = t − s` to be read from
//! `e^(mz)·P/z^s`, whose second factor is all but flat. By Cauchy's formula on the circle of radius
//! `r = N/m`, the saddle point of `e^(mz)/z^N`,
//!
//! ```text
//! E[(X/m)^k]  =  Π_{j<s} (t−j)/N  ·  N! e^N / (2π N^N)  ·  ∫ e^(N(e^(iθ) − 1 − iθ)) · P(w) · e^(−isθ) dθ
//!
//! with w = 1 − e^(−r e^(iθ))
//! ```
//!
//! The integrand is a bell curve of width `1/√N` with a gently turning phase, so nothing cancels, and the
//! trapezoidal rule converges geometrically (Trefethen and Weideman, "The exponentially convergent
//! trapezoidal rule", SIAM Review 56 (2014), §5): with steps of half a width the error of the rule is near
//! `e^(−8π²)`.

use core::f64::consts::PI;

use super::PerBins;
use crate::math::elementary::{exp, exp_m1, round, sin_cos, sqrt};

/// Steps of the trapezoidal rule per width `1/√N` of the bell curve.
const STEPS_PER_WIDTH: f64 = 2.0;

/// Steps to either side of the saddle: 10 widths, where the bell has fallen to `e^(−50)`.
const STEPS: u32 = 20;

/// `E[(X/m)^k]` for the given `D(k,i)`; wants several times more throws than probes.
pub(super) fn all_occupied(bins: u64, throws: f64, weights: &PerBins) -> f64 {
    let m = bins as f64;
    let powers = worth_in_powers(throws / m, weights);
    let n = throws - powers;
    let radius = n / m;

    // Re Σ integrand; it is even in θ, so the positive half counts twice.
    let mut sum = evaluate(weights, Complex { re: -exp_m1(-radius), im: 0.0 }).re;
    let step = 1.0 / (STEPS_PER_WIDTH * sqrt(n));
    for j in 1..=STEPS {
        let theta = f64::from(j) * step;
        let (sin, cos) = sin_cos(theta);
        let (half_sin, _) = sin_cos(0.5 * theta);
        // e^(N(e^(iθ) − 1 − iθ)) · e^(−isθ); cos θ − 1 = −2 sin²(θ/2) keeps its digits.
        let size = exp(-2.0 * n * half_sin * half_sin);
        let (phase_sin, phase_cos) = sin_cos(n * sin_minus_angle(theta) - powers * theta);
        let value = evaluate(weights, one_minus_exp_neg(Complex { re: radius * cos, im: radius * sin }));
        sum += 2.0 * size * (phase_cos * value.re - phase_sin * value.im);
    }

    let mut falling = 1.0;
    for j in 0..powers as u32 {
        falling *= (throws - f64::from(j)) / n;
    }
    (falling * sqrt(n / (2.0 * PI)) * exp(stirling_error(n)) * step * sum).clamp(0.0, 1.0)
}

/// How many powers of `z` the factor `P(1 − e^(−z))` is worth at `z`: `z · d/dz ln P`, to the nearest
/// integer.
fn worth_in_powers(z: f64, weights: &PerBins) -> f64 {
    let w = -exp_m1(-z);
    let (mut value, mut slope) = (0.0, 0.0);
    for &weight in weights.iter().rev() {
        slope = slope * w + value;
        value = value * w + weight;
    }
    // A value of 0 has underflowed, and so will the result.
    if value > 0.0 { round(z * exp(-z) * slope / value) } else { 0.0 }
}

/// `ln(N! e^N / N^N) − ½ ln(2πN)` by Stirling's series; below 10⁻²⁰ in error for `N > 400`.
fn stirling_error(n: f64) -> f64 {
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * n * n)) / (n * n)) / n
}

/// `sin θ − θ` by its Taylor series, for `|θ| < 1/2`; the difference itself would lose all digits.
fn sin_minus_angle(theta: f64) -> f64 {
    let square = theta * theta;
    let mut tail = 0.0;
    for j in (1..=6_u32).rev() {
        let j = f64::from(j);
        tail = square / (2.0 * j * (2.0 * j + 1.0)) * (1.0 - tail);
    }
    -theta * tail
}

/// A complex number; the little arithmetic needed here.
#[derive(Clone, Copy)]
struct Complex {
    re: f64,
    im: f64,
}

/// `1 − e^(−z)` without cancellation near 0.
fn one_minus_exp_neg(z: Complex) -> Complex {
    let (sin, cos) = sin_cos(z.im);
    let (half_sin, _) = sin_cos(0.5 * z.im);
    Complex { re: 2.0 * half_sin * half_sin - exp_m1(-z.re) * cos, im: exp(-z.re) * sin }
}

/// `P(w)` by Horner's rule.
fn evaluate(weights: &PerBins, w: Complex) -> Complex {
    let mut value = Complex { re: 0.0, im: 0.0 };
    for &weight in weights.iter().rev() {
        value =
            Complex { re: value.re * w.re - value.im * w.im + weight, im: value.re * w.im + value.im * w.re };
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_series() {
        for theta in [0.05, 0.3, 0.5] {
            let exact = sin_cos(theta).0 - theta;
            assert!((sin_minus_angle(theta) / exact - 1.0).abs() < 1e-12, "{theta}");
        }
    }

    #[test]
    fn stirling_at_ten() {
        // ln(10!·e^10/10^10) − ½ ln(20π), from log-gamma tables.
        assert!((stirling_error(10.0) - 0.008_330_563_433_362_87).abs() < 1e-10);
    }
}

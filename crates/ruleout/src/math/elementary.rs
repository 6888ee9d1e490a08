//! Elementary functions over `f64`, the same in every build.
//!
//! `std` calls the platform's library, which rounds differently from one system to the next. A size derived
//! from such a logarithm would differ too, and with it the bytes of a filter. All of [`math`](super)
//! therefore goes through these wrappers of `libm`, a portable implementation in plain Rust.

/// Natural logarithm of `x`; NaN below 0, −∞ at 0.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `ln(1 + x)`, accurate for small `x`.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// `e^x`.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// `e^x − 1`, accurate for small `x`.
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// `x^y` for real `y`.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// `x^n` for a whole `n`, by repeated squaring.
///
/// The relative error is at most about `2n` units in the last place.
///
/// # Complexity
///
/// At most 64 multiplications.
pub fn powi(x: f64, n: u32) -> f64 {
    let (mut square, mut left, mut product) = (x, n, 1.0);
    while left > 0 {
        if left & 1 == 1 {
            product *= square;
        }
        square *= square;
        left >>= 1;
    }
    product
}

/// Square root of `x`; NaN below 0.
pub fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// The smallest whole number not below `x`.
pub fn ceil(x: f64) -> f64 {
    libm::ceil(x)
}

/// The whole number nearest to `x`, halves away from zero.
pub fn round(x: f64) -> f64 {
    libm::round(x)
}

/// Sine and cosine of `x` radians.
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_agree() {
        assert_eq!(powi(0.5, 0), 1.0);
        assert_eq!(powi(0.0, 0), 1.0);
        assert_eq!(powi(0.5, 10), 1.0 / 1024.0);
        for n in 0..200 {
            let (whole, real) = (powi(0.93, n), pow(0.93, f64::from(n)));
            assert!((whole / real - 1.0).abs() < 1e-13, "{n}: {whole} {real}");
        }
        assert_eq!(powi(0.999, u32::MAX), 0.0);
    }
}

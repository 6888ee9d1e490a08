//! Parsers of what people type: rates, counts, sizes, seeds, delimiters.
//!
//! Numbers are read exactly: `0.1e10` is 10^9, never the nearest float.

use std::time::Duration;

use jiff::{Span, SpanRelativeTo};

use crate::human;
use crate::keys::Delimiter;

/// A false-positive rate: `1%`, `0.01`, `1e-3`.
pub fn rate(text: &str) -> Result<f64, String> {
    let (number, percent) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim_end(), true),
        None => (text.trim(), false),
    };
    let value: f64 = number.parse().map_err(|_| "a rate is written 1% or 0.01".to_owned())?;
    // Shifting the point in the text makes 1% the same float as 0.01, whatever division would round to.
    let shifted = || format!("{number}e-2").parse().unwrap_or(value / 100.0);
    let rate = if percent { shifted() } else { value };
    if rate > 0.0 && rate < 1.0 {
        return Ok(rate);
    }
    let hint = if !percent && (1.0..100.0).contains(&value) {
        format!("; did you mean {number}%?")
    } else {
        String::new()
    };
    Err(format!("a rate lies above 0 and below 1 (100%){hint}"))
}

/// A number of keys: `1000000`, `10_000_000`, `1e9`, `10M`, `1.5k`.
pub fn count(text: &str) -> Result<u64, String> {
    const SUFFIXES: [(&str, u128); 4] =
        [("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000), ("t", 1_000_000_000_000)];
    let form = "a count is written 1000000, 10_000_000, 1e6, 500k, 10M, 2G or 1T";
    let (number, unit) = split_unit(text, &SUFFIXES).ok_or(form)?;
    match number.times(unit) {
        Some(Product { value, exact: true }) => Ok(value),
        Some(_) => Err("a count is a whole number".to_owned()),
        None => Err(format!("a count is at most {}", human::count(u64::MAX))),
    }
}

/// A size in bytes: `1024`, `512MiB`, `1GB`, `1.5G`.
///
/// As for `sort -S` and `head -c`, a bare letter is binary and `GB` is decimal.
pub fn size(text: &str) -> Result<u64, String> {
    const SUFFIXES: [(&str, u128); 13] = [
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
        ("tib", 1 << 40),
        ("kb", 1_000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("tb", 1_000_000_000_000),
        ("k", 1 << 10),
        ("m", 1 << 20),
        ("g", 1 << 30),
        ("t", 1 << 40),
        ("b", 1),
    ];
    let form = "a size is written 1048576, 512MiB, 1GiB or 1GB";
    let (number, unit) = split_unit(text, &SUFFIXES).ok_or(form)?;
    match number.times(unit) {
        Some(Product { value: 0, .. }) => Err("a size is at least 1 byte".to_owned()),
        Some(Product { value, .. }) => Ok(value),
        None => Err(format!("a size is at most {}", human::counted(u64::MAX, "byte"))),
    }
}

/// A length of time above 0: `90s`, `10m`, `1h 30m`, `7d`; a day has 24 hours.
pub fn duration(text: &str) -> Result<Duration, String> {
    let span: Span = text.parse().map_err(|_| "a duration is written 90s, 10m, 1h30m or 7d".to_owned())?;
    let of_a_calendar = |_| "a duration is in weeks, days and smaller units".to_owned();
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(of_a_calendar)?;
    Duration::try_from(duration)
        .ok()
        .filter(|&duration| duration > Duration::ZERO)
        .ok_or("a duration is above 0".to_owned())
}

/// Bits per key: a finite number above 0.
pub fn bits_per_key(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(bits) if bits > 0.0 && bits.is_finite() => Ok(bits),
        Ok(_) => Err("bits per key lie above 0".to_owned()),
        Err(_) => Err("bits per key are written 10 or 9.6".to_owned()),
    }
}

/// A seed: decimal, or hexadecimal after `0x`.
pub fn seed(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed
        .map_err(|_| format!("a seed is a number from 0 to {}, or 0x and hex digits", human::count(u64::MAX)))
}

/// A delimiter: one byte, one of `\t`, `\\`, `\xHH`, or `whitespace`.
pub fn delimiter(text: &str) -> Result<Delimiter, String> {
    let byte = match text.as_bytes() {
        b"whitespace" => return Ok(Delimiter::Whitespace),
        [byte] => *byte,
        b"\\t" => b'\t',
        b"\\\\" => b'\\',
        [b'\\', b'x', hex @ ..] if hex.len() == 2 => {
            let mut byte = Vec::with_capacity(1);
            crate::keys::hex::decode_into(hex, &mut byte).map_err(|e| e.to_string())?;
            byte[0]
        }
        _ => return Err("a delimiter is one byte, such as : or , or \\t or \\x1f, or whitespace".to_owned()),
    };
    Ok(Delimiter::Byte(byte))
}

/// A decimal number, exactly: `digits · 10^exponent`.
struct Decimal {
    digits: u128,
    exponent: i32,
}

/// A product rounded down, and whether nothing was lost by it.
struct Product {
    value: u64,
    exact: bool,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: u128 = 0;
        let mut any = false;
        for c in whole.chars().chain(fraction.chars()).filter(|&c| c != '_') {
            any = true;
            digits = digits.checked_mul(10)?.checked_add(u128::from(c.to_digit(10)?))?;
        }
        let places = fraction.chars().filter(|&c| c != '_').count();
        let exponent = exponent.checked_sub(i32::try_from(places).ok()?)?;
        any.then_some(Self { digits, exponent })
    }

    /// This number times `unit`; `None` when it is above `u64::MAX`.
    fn times(&self, unit: u128) -> Option<Product> {
        if self.digits == 0 {
            return Some(Product { value: 0, exact: true });
        }
        let power = 10u128.checked_pow(self.exponent.unsigned_abs());
        let (value, exact) = if self.exponent >= 0 {
            (self.digits.checked_mul(power?)?.checked_mul(unit)?, true)
        } else {
            let product = self.digits.checked_mul(unit)?;
            // A divisor past 128 bits exceeds every product.
            power.map_or((0, false), |power| (product / power, product % power == 0))
        };
        Some(Product { value: u64::try_from(value).ok()?, exact })
    }
}

/// Takes a number and the unit behind it apart; without a unit it is 1.
fn split_unit(text: &str, suffixes: &[(&str, u128)]) -> Option<(Decimal, u128)> {
    let lower = text.trim().to_ascii_lowercase();
    let found = suffixes.iter().find_map(|&(suffix, unit)| Some((lower.strip_suffix(suffix)?, unit)));
    let (number, unit) = found.unwrap_or((&lower, 1));
    Some((Decimal::parse(number.trim_end())?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_fractions_or_per_cent() {
        for (text, value) in
            [("1%", 0.01), ("0.01", 0.01), ("1e-3", 0.001), ("0.1 %", 0.001), ("99.9%", 0.999)]
        {
            assert_eq!(rate(text), Ok(value), "{text}");
        }
        for (text, hint) in
            [("5", "did you mean 5%?"), ("1", "did you mean 1%?"), ("2.5", "did you mean 2.5%?")]
        {
            assert!(rate(text).unwrap_err().contains(hint), "{text}");
        }
        for text in ["0", "-1", "-0.0", "100", "100%", "0%", "NaN", "inf", "1e-400", "", "%", "x"] {
            let error = rate(text).unwrap_err();
            assert!(!error.contains("did you mean"), "{text}: {error}");
        }
    }

    #[test]
    fn counts_are_exact() {
        let cases = [
            ("0", 0),
            ("1000000", 1_000_000),
            ("10_000_000", 10_000_000),
            ("1e9", 1_000_000_000),
            ("1E15", 1_000_000_000_000_000),
            ("0.1e10", 1_000_000_000),
            ("10M", 10_000_000),
            ("1.5k", 1500),
            ("2G", 2_000_000_000),
            ("18446744073709551615", u64::MAX),
            ("10e-1", 1),
            ("0e999999999", 0),
        ];
        for (text, value) in cases {
            assert_eq!(count(text), Ok(value), "{text}");
        }
        for text in
            ["", "k", "x", "-1", "1.5", "1e-1", "18446744073709551616", "1e20", "1e999999999", "1MiB", "1 0"]
        {
            assert!(count(text).is_err(), "{text}");
        }
        assert!(count("1e-2147483648").is_err());
        assert!(count(&"9".repeat(10_000)).is_err());
    }

    #[test]
    fn sizes_take_binary_and_decimal_units() {
        let cases = [
            ("1024", 1024),
            ("512MiB", 512 << 20),
            ("1GB", 1_000_000_000),
            ("1 GiB", 1 << 30),
            ("1.5G", 3 << 29),
            ("64k", 64 << 10),
            ("100b", 100),
            ("0.1KiB", 102),
            ("1e3", 1000),
        ];
        for (text, value) in cases {
            assert_eq!(size(text), Ok(value), "{text}");
        }
        for text in ["", "0", "0.1", "MiB", "-1", "1XB", "16777216TiB", "1e-400"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_have_units() {
        for (text, seconds) in [
            ("90s", 90.0),
            ("10m", 600.0),
            ("1h", 3600.0),
            ("1h 30m", 5400.0),
            ("7d", 604_800.0),
            ("1.5s", 1.5),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for text in ["", "0s", "-1h", "3600", "1 month", "1y", "x", "99999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_rest() {
        assert_eq!(bits_per_key("9.6"), Ok(9.6));
        for text in ["0", "-1", "NaN", "inf", "x"] {
            assert!(bits_per_key(text).is_err(), "{text}");
        }
        assert_eq!((seed("7"), seed("0xff")), (Ok(7), Ok(255)));
        assert!(seed("-1").is_err() && seed("0x").is_err() && seed("99999999999999999999").is_err());
        let bytes =
            [(":", b':'), ("\\t", b'\t'), ("\\x1f", 0x1f), ("\t", b'\t'), ("\\", b'\\'), ("\\\\", b'\\')];
        for (text, byte) in bytes {
            assert_eq!(delimiter(text), Ok(Delimiter::Byte(byte)), "{text}");
        }
        assert_eq!(delimiter("whitespace"), Ok(Delimiter::Whitespace));
        assert!(delimiter("").is_err() && delimiter("::").is_err() && delimiter("\\xzz").is_err());
    }
}

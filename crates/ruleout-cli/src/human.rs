//! Numbers as people read them.

/// A count with thousands separated: `1,198,132,352`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size in binary units with three significant digits: `1.12 GiB`.
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if value < 1024 {
        return format!("{value} B");
    }
    let mut scaled = value as f64 / 1024.0;
    let mut unit = 0;
    // 999.5 and above would print as four digits.
    while scaled >= 999.5 {
        scaled /= 1024.0;
        unit += 1;
    }
    let decimals = if scaled < 9.995 { 2 } else { usize::from(scaled < 99.95) };
    format!("{scaled:.decimals$} {}", UNITS[unit])
}

/// A size in both ways: `1.12 GiB (1,198,132,352 bytes)`.
pub fn bytes_exactly(value: u64) -> String {
    if value < 1024 {
        return format!("{value} byte{}", if value == 1 { "" } else { "s" });
    }
    format!("{} ({} bytes)", bytes(value), count(value))
}

/// A rate in per cent with four significant digits, or as a power of ten when it is tiny: `0.9998 %`, `1.2e-9`.
pub fn rate(value: f64) -> String {
    if value == 0.0 {
        return "0 %".to_owned();
    }
    if value < 1e-6 {
        return format!("{value:.3e}");
    }
    let percent = value * 100.0;
    // The exponent after rounding to four digits says how many of them stand behind the point.
    let rounded = format!("{percent:.3e}");
    let exponent: i32 = rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let decimals = usize::try_from(3 - exponent).unwrap_or(0);
    format!("{percent:.decimals$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        for (value, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(value), text);
        }
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn sizes_have_three_digits() {
        let cases = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (10_235, "10.0 KiB"),
            (102_350, "100 KiB"),
            (1_023_999, "0.98 MiB"),
            (1 << 20, "1.00 MiB"),
            (1_198_132_352, "1.12 GiB"),
            (u64::MAX, "16.0 EiB"),
        ];
        for (value, text) in cases {
            assert_eq!(bytes(value), text, "{value}");
        }
    }

    #[test]
    fn rates_are_in_per_cent_until_they_are_tiny() {
        let cases = [
            (0.0, "0 %"),
            (1.0, "100.0 %"),
            (0.123_456, "12.35 %"),
            (0.01, "1.000 %"),
            (0.009_998, "0.9998 %"),
            (0.009_999_99, "1.000 %"),
            (0.001, "0.1000 %"),
            (0.000_1, "0.01000 %"),
            (1e-6, "0.0001000 %"),
            (1e-9, "1.000e-9"),
        ];
        for (value, text) in cases {
            assert_eq!(rate(value), text, "{value}");
        }
    }
}

//! Numbers as people read them, and words as shells do.

use std::time::Duration;

use jiff::SignedDuration;

/// A count with thousands separated: `1,198,132,352`.
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A count and what is counted, one or many: `1 key`, `2,000 keys`.
pub fn counted(value: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(value), if value == 1 { "" } else { "s" })
}

/// A number with so many decimals, and thousands separated: `1,285.348`.
pub fn decimals(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let whole = text.find('.').unwrap_or(text.len());
    grouped(&text[..whole]) + &text[whole..]
}

fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && !text.ends_with('-') {
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
        return format!("{} B", count(value));
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
        return counted(value, "byte");
    }
    format!("{} ({})", bytes(value), counted(value, "byte"))
}

/// A rate in per cent with four significant digits: `0.9998 %`, `1.200e-7 %`.
pub fn rate(value: f64) -> String {
    if value == 0.0 { "0 %".to_owned() } else { significant(value * 100.0) + " %" }
}

/// A number with four significant digits, and a power of ten when it is tiny or huge: `9.123`, `1,285`, `1.200e-7`.
pub fn significant(value: f64) -> String {
    // The exponent after rounding to four digits says how many of them stand behind the point.
    let rounded = format!("{value:.3e}");
    let exponent: i32 = rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    match exponent {
        -4..=6 => decimals(value, usize::try_from(3 - exponent).unwrap_or(0)),
        _ => rounded,
    }
}

/// A length of time: `1h 30m`, `250ms`.
pub fn duration(value: Duration) -> String {
    SignedDuration::try_from(value).map_or_else(|_| format!("{value:?}"), |value| format!("{value:#}"))
}

/// Text as a POSIX shell takes it for one word.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/:,@%+=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        for (millis, text) in [(250, "250ms"), (5_400_000, "1h 30m"), (604_800_000, "168h"), (0, "0s")] {
            assert_eq!(duration(Duration::from_millis(millis)), text);
        }
        assert!(!duration(Duration::MAX).is_empty());
    }

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
            (1023, "1,023 B"),
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
    fn numbers_agree_with_what_they_count() {
        assert_eq!((counted(1, "key"), counted(0, "key")), ("1 key".to_owned(), "0 keys".to_owned()));
        assert_eq!(counted(2000, "key"), "2,000 keys");
        assert_eq!((decimals(1_285.348, 3), decimals(9.5, 0)), ("1,285.348".to_owned(), "10".to_owned()));
        for (value, text) in [
            (9.123_456_789, "9.123"),
            (10.0, "10.00"),
            (12_345.6, "12,346"),
            (-123.4, "-123.4"),
            (1e300, "1.000e300"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn words_survive_a_shell() {
        for (text, word) in
            [("a.rlo", "a.rlo"), (" ", "' '"), ("", "''"), ("it's", r"'it'\''s'"), (r"\t", r"'\t'")]
        {
            assert_eq!(quoted(text), word);
        }
    }

    #[test]
    fn rates_are_always_in_per_cent() {
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
            (4.902e-7, "4.902e-5 %"),
            (1e-9, "1.000e-7 %"),
        ];
        for (value, text) in cases {
            assert_eq!(rate(value), text, "{value}");
        }
    }
}

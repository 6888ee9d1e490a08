//! The time a record tells.

use std::fmt;
use std::num::NonZeroUsize;

use jiff::Timestamp;

use super::Delimiter;
use super::extract::{RecordError, field};

/// The field that holds the time, counted from 1, and the unit of times that are numbers.
#[derive(Clone, Copy, Debug)]
pub struct TimeField {
    pub number: NonZeroUsize,
    pub delimiter: Delimiter,
    pub unit: TimeUnit,
}

/// The unit of a number that stands for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

impl TimeUnit {
    /// Every unit and its symbol.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Seconds, "s"),
        (Self::Milliseconds, "ms"),
        (Self::Microseconds, "us"),
        (Self::Nanoseconds, "ns"),
    ];

    /// Digits behind the point down to a nanosecond.
    const fn places(self) -> u32 {
        match self {
            Self::Seconds => 9,
            Self::Milliseconds => 6,
            Self::Microseconds => 3,
            Self::Nanoseconds => 0,
        }
    }

    fn symbol(self) -> &'static str {
        Self::ALL.iter().find(|(unit, _)| *unit == self).map_or("", |(_, symbol)| symbol)
    }
}

/// Why a field holds no time.
#[derive(Debug, PartialEq, Eq)]
pub struct TimeError {
    /// The field, cut short.
    text: String,
    why: Why,
}

#[derive(Debug, PartialEq, Eq)]
enum Why {
    Malformed,
    BeforeEpoch,
    TooLate { unit: TimeUnit },
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, why } = self;
        match why {
            Why::Malformed => {
                write!(f, "'{text}' is no time: times are numbers, or RFC 3339 as in 2026-12-07T09:30:00Z")
            }
            Why::BeforeEpoch => write!(f, "'{text}' is a time before 1970"),
            Why::TooLate { unit } => {
                write!(
                    f,
                    "'{text}' is a time beyond the year 2554, in {}: --time-unit says which",
                    unit.symbol()
                )
            }
        }
    }
}

impl TimeField {
    /// The time that `record` tells, in nanoseconds since 1970, UTC; parts of a nanosecond are dropped.
    pub fn of(&self, record: &[u8]) -> Result<u64, RecordError> {
        let text = field(record, self.number.get(), self.delimiter)?.trim_ascii();
        self.parse(text).map_err(|why| {
            let shown = text.iter().take(40).flat_map(|byte| byte.escape_ascii()).map(char::from).collect();
            RecordError::Time(TimeError { text: shown, why })
        })
    }

    fn parse(&self, text: &[u8]) -> Result<u64, Why> {
        match number(text, self.unit) {
            Err(Why::Malformed) => date(text),
            parsed => parsed,
        }
    }
}

/// A decimal number of `unit`.
fn number(text: &[u8], unit: TimeUnit) -> Result<u64, Why> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let point = memchr::memchr(b'.', digits).unwrap_or(digits.len());
    let (whole, fraction) = (&digits[..point], digits.get(point + 1..).unwrap_or_default());
    let all_digits = whole.iter().chain(fraction).all(u8::is_ascii_digit);
    if !all_digits || (whole.is_empty() && fraction.is_empty()) {
        return Err(Why::Malformed);
    }
    if digits.len() < text.len() {
        return Err(Why::BeforeEpoch);
    }
    let kept = fraction.iter().copied().chain(std::iter::repeat(b'0')).take(unit.places() as usize);
    let time = whole
        .iter()
        .copied()
        .chain(kept)
        .try_fold(0u64, |time, digit| time.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    time.ok_or(Why::TooLate { unit })
}

/// A date, a time of day and an offset from UTC.
fn date(text: &[u8]) -> Result<u64, Why> {
    let text = std::str::from_utf8(text).map_err(|_| Why::Malformed)?;
    let time: Timestamp = text.parse().map_err(|_| Why::Malformed)?;
    let nanoseconds = time.as_nanosecond();
    u64::try_from(nanoseconds).map_err(|_| {
        if nanoseconds < 0 { Why::BeforeEpoch } else { Why::TooLate { unit: TimeUnit::Nanoseconds } }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn parse(text: &str, unit: TimeUnit) -> Result<u64, Why> {
        TimeField { number: NonZeroUsize::MIN, delimiter: Delimiter::Whitespace, unit }.parse(text.as_bytes())
    }

    #[test]
    fn numbers_are_exact_in_every_unit() {
        for (text, time) in [
            ("0", 0),
            ("1765072294", 1_765_072_294 * SECOND),
            ("1765072294.123456789", 1_765_072_294_123_456_789),
            ("1.5", 3 * SECOND / 2),
            (".25", SECOND / 4),
            ("7.", 7 * SECOND),
            ("0.0000000009", 0),
            ("18446744073.709551615", u64::MAX),
        ] {
            assert_eq!(parse(text, TimeUnit::Seconds), Ok(time), "{text}");
        }
        for (unit, time) in
            [(TimeUnit::Milliseconds, 1_500_000), (TimeUnit::Microseconds, 1500), (TimeUnit::Nanoseconds, 1)]
        {
            assert_eq!(parse("1.5", unit), Ok(time));
        }
        for (text, why) in [
            ("18446744073.709551616", Why::TooLate { unit: TimeUnit::Seconds }),
            // Milliseconds taken for seconds do not pass.
            ("1765072294123", Why::TooLate { unit: TimeUnit::Seconds }),
            ("-1", Why::BeforeEpoch),
            ("", Why::Malformed),
            (".", Why::Malformed),
            ("-", Why::Malformed),
            ("1.2.3", Why::Malformed),
            ("1e9", Why::Malformed),
            ("+1", Why::Malformed),
            ("noon", Why::Malformed),
        ] {
            assert_eq!(parse(text, TimeUnit::Seconds), Err(why), "{text}");
        }
    }

    #[test]
    fn dates_need_no_unit() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2025-12-07T01:51:34Z", 1_765_072_294),
            ("2025-12-07 02:51:34+01:00", 1_765_072_294),
            ("2025-12-06T20:51:34-05:00", 1_765_072_294),
        ] {
            for (unit, _) in TimeUnit::ALL {
                assert_eq!(parse(text, unit), Ok(seconds * SECOND), "{text}");
            }
        }
        assert_eq!(parse("2025-12-07T01:51:34.5Z", TimeUnit::Seconds), Ok(1_765_072_294_500_000_000));
        assert_eq!(parse("1969-12-31T23:59:59Z", TimeUnit::Seconds), Err(Why::BeforeEpoch));
        assert!(matches!(parse("9999-01-01T00:00:00Z", TimeUnit::Seconds), Err(Why::TooLate { .. })));
        // Nobody knows when that was.
        assert_eq!(parse("2025-12-07T01:51:34", TimeUnit::Seconds), Err(Why::Malformed));
    }

    #[test]
    fn the_field_is_found_and_errors_are_readable() {
        let times = TimeField {
            number: NonZeroUsize::new(2).unwrap(),
            delimiter: Delimiter::Byte(b','),
            unit: TimeUnit::Seconds,
        };
        assert_eq!(times.of(b"a, 3 ,b"), Ok(3 * SECOND));
        assert_eq!(times.of(b"a,3\r"), Ok(3 * SECOND));
        let error = |record: &[u8]| times.of(record).unwrap_err().to_string();
        assert!(error(b"a").contains("field 2 is missing"));
        assert!(error(b"a,\xffx").starts_with("'\\xffx' is no time: "));
        assert!(error(format!("a,{}", "9".repeat(1000)).as_bytes()).contains("in s: --time-unit"));
        assert!(error(&[b"a,", &[b'x'; 1000][..]].concat()).len() < 150);
    }
}

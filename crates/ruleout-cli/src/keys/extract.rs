//! From a record to the key in it.

use std::fmt;
use std::num::NonZeroUsize;

use memchr::memchr_iter;

use super::hex::{self, HexError};
use super::time::TimeError;

/// What lies between two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// Each such byte ends a field, so that two in a row have an empty one between them.
    Byte(u8),
    /// Runs of spaces and tabs; those before the first field and behind the last are none, as awk has it.
    Whitespace,
}

impl Delimiter {
    /// Whether people who align columns would repeat it.
    pub fn is_one_blank(self) -> bool {
        matches!(self, Self::Byte(byte) if is_blank(byte))
    }
}

/// As it is typed.
impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Whitespace => f.write_str("whitespace"),
            Self::Byte(b'\t') => f.write_str("\\t"),
            Self::Byte(byte) if byte == b' ' || byte.is_ascii_graphic() => write!(f, "{}", char::from(byte)),
            Self::Byte(byte) => write!(f, "\\x{byte:02x}"),
        }
    }
}

/// What a record holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Found<'a> {
    Key(&'a [u8]),
    /// An empty record or a comment, skipped as everybody expects.
    Nothing,
    /// A record whose field is empty, skipped as few expect.
    EmptyField,
}

/// Which part of a record is the key, and which records have none.
pub struct Extractor {
    /// Ends of lines are LF or CR LF, so that one CR before the LF goes.
    pub drop_cr: bool,
    /// Empty records and empty fields are keys too.
    pub keep_empty: bool,
    /// Records whose first non-blank byte is `#` are skipped.
    pub comments: bool,
    /// The key is this field, counted from 1, between these delimiters.
    pub field: Option<(NonZeroUsize, Delimiter)>,
    /// The key is written in hex.
    pub hex: bool,
    /// Bytes of the key decoded last.
    pub decoded: Vec<u8>,
}

/// Why a record has no key although it should.
#[derive(Debug, PartialEq, Eq)]
pub enum RecordError {
    MissingField { wanted: usize, found: usize, delimiter: Delimiter },
    Hex(HexError),
    Time(TimeError),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingField { wanted, found, delimiter: Delimiter::Byte(byte) } => {
                write!(f, "field {wanted} is missing: '{}' separates {found}", byte.escape_ascii())
            }
            Self::MissingField { wanted, found, delimiter: Delimiter::Whitespace } => {
                write!(f, "field {wanted} is missing: blanks separate {found}")
            }
            Self::Hex(error) => write!(f, "not a key in hex: {error}"),
            Self::Time(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecordError {}

impl Extractor {
    /// The key in `record`, which comes without its terminator.
    #[inline]
    pub fn key<'a>(&'a mut self, record: &'a [u8]) -> Result<Found<'a>, RecordError> {
        let mut key = record;
        if self.drop_cr {
            key = key.strip_suffix(b"\r").unwrap_or(key);
        }
        let skip_empty = !self.keep_empty;
        if (skip_empty && key.is_empty()) || (self.comments && is_comment(key)) {
            return Ok(Found::Nothing);
        }
        if let Some((number, delimiter)) = self.field {
            // A line of blanks alone has no field for awk: it is as empty as an empty one.
            if skip_empty && delimiter == Delimiter::Whitespace && key.iter().all(|&byte| is_blank(byte)) {
                return Ok(Found::Nothing);
            }
            key = field(key, number.get(), delimiter)?;
            if skip_empty && key.is_empty() {
                return Ok(Found::EmptyField);
            }
        }
        if self.hex {
            self.decoded.clear();
            hex::decode_into(key, &mut self.decoded).map_err(RecordError::Hex)?;
            key = &self.decoded;
        }
        Ok(Found::Key(key))
    }
}

fn is_comment(record: &[u8]) -> bool {
    record.trim_ascii_start().first() == Some(&b'#')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Field `wanted` of a record.
pub fn field(record: &[u8], wanted: usize, delimiter: Delimiter) -> Result<&[u8], RecordError> {
    let taken = match delimiter {
        Delimiter::Byte(byte) => nth_between_bytes(record, wanted, byte),
        Delimiter::Whitespace => nth_between_blanks(record, wanted),
    };
    taken.map_err(|found| RecordError::MissingField { wanted, found, delimiter })
}

/// Field `wanted`, or how many there are.
fn nth_between_bytes(record: &[u8], wanted: usize, delimiter: u8) -> Result<&[u8], usize> {
    let mut start = 0;
    let mut found = 1;
    for end in memchr_iter(delimiter, record) {
        if found == wanted {
            return Ok(&record[start..end]);
        }
        start = end + 1;
        found += 1;
    }
    if found == wanted { Ok(&record[start..]) } else { Err(found) }
}

/// Field `wanted`, or how many there are; nothing but blanks is one empty field, as an empty record is elsewhere.
fn nth_between_blanks(record: &[u8], wanted: usize) -> Result<&[u8], usize> {
    let mut found = 0;
    for field in record.split(|&byte| is_blank(byte)).filter(|field| !field.is_empty()) {
        found += 1;
        if found == wanted {
            return Ok(field);
        }
    }
    if found == 0 && wanted == 1 { Ok(&[]) } else { Err(found.max(1)) }
}

#[cfg(test)]
mod tests {
    use super::Found::{EmptyField, Key, Nothing};
    use super::*;

    fn plain() -> Extractor {
        Extractor {
            drop_cr: true,
            keep_empty: false,
            comments: false,
            field: None,
            hex: false,
            decoded: Vec::new(),
        }
    }

    #[test]
    fn one_carriage_return_goes() {
        let mut lines = plain();
        assert_eq!(lines.key(b"a\r"), Ok(Key(&b"a"[..])));
        assert_eq!(lines.key(b"a\r\r"), Ok(Key(&b"a\r"[..])));
        assert_eq!(lines.key(b"\r"), Ok(Nothing));
        lines.drop_cr = false;
        assert_eq!(lines.key(b"\r"), Ok(Key(&b"\r"[..])));
        lines.keep_empty = true;
        assert_eq!(lines.key(b""), Ok(Key(&b""[..])));
    }

    #[test]
    fn comments_are_skipped_only_when_asked() {
        let mut lines = plain();
        assert_eq!(lines.key(b"# x"), Ok(Key(&b"# x"[..])));
        lines.comments = true;
        assert_eq!(lines.key(b"# x"), Ok(Nothing));
        assert_eq!(lines.key(b" \t# x"), Ok(Nothing));
        assert_eq!(lines.key(b"x # y"), Ok(Key(&b"x # y"[..])));
        assert_eq!(lines.key(b"  "), Ok(Key(&b"  "[..])));
    }

    #[test]
    fn fields_are_counted_from_one() {
        let mut lines = plain();
        for (number, expected) in [(1, &b"a"[..]), (2, b"bc"), (4, b"d")] {
            lines.field = NonZeroUsize::new(number).map(|n| (n, Delimiter::Byte(b':')));
            assert_eq!(lines.key(b"a:bc::d\r"), Ok(Key(expected)));
        }
        lines.field = NonZeroUsize::new(3).map(|n| (n, Delimiter::Byte(b':')));
        assert_eq!(lines.key(b"a:bc::d"), Ok(EmptyField));
        let missing = RecordError::MissingField { wanted: 3, found: 2, delimiter: Delimiter::Byte(b':') };
        assert_eq!(lines.key(b"a:b"), Err(missing));
    }

    #[test]
    fn runs_of_blanks_are_one_delimiter() {
        let mut lines = plain();
        lines.field = NonZeroUsize::new(2).map(|n| (n, Delimiter::Whitespace));
        for record in
            [&b"0.0.0.0 a"[..], b"0.0.0.0   a\r", b"0.0.0.0\ta", b" \t0.0.0.0 \t a \t", b"0.0.0.0 a # b"]
        {
            assert_eq!(lines.key(record), Ok(Key(&b"a"[..])), "{}", record.escape_ascii());
        }
        assert_eq!(lines.key(b" \t "), Ok(Nothing), "as an empty line");
        let missing = RecordError::MissingField { wanted: 2, found: 1, delimiter: Delimiter::Whitespace };
        assert_eq!(lines.key(b"  0.0.0.0  "), Err(missing));
        lines.field = NonZeroUsize::new(1).map(|n| (n, Delimiter::Whitespace));
        lines.keep_empty = true;
        assert_eq!(lines.key(b"  "), Ok(Key(&b""[..])));
    }

    #[test]
    fn hex_is_decoded() {
        let mut lines = plain();
        lines.hex = true;
        assert_eq!(lines.key(b"FF006b\r"), Ok(Key(&b"\xff\0k"[..])));
        assert_eq!(lines.key(b"00"), Ok(Key(&b"\0"[..])));
        assert_eq!(lines.key(b"0"), Err(RecordError::Hex(HexError::Odd { digits: 1 })));
    }
}

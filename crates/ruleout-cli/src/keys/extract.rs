//! From a record to the key in it.

use std::fmt;
use std::num::NonZeroUsize;

use memchr::memchr_iter;

use super::hex::{self, HexError};

/// Which part of a record is the key, and which records have none.
pub struct Extractor {
    /// Ends of lines are LF or CR LF, so that one CR before the LF goes.
    pub drop_cr: bool,
    /// Empty records and empty fields are keys too.
    pub keep_empty: bool,
    /// Records whose first non-blank byte is `#` are skipped.
    pub comments: bool,
    /// The key is this field, counted from 1, of fields that end in this byte.
    pub field: Option<(NonZeroUsize, u8)>,
    /// The key is written in hex.
    pub hex: bool,
    /// Bytes of the key decoded last.
    pub decoded: Vec<u8>,
}

/// Why a record has no key although it should.
#[derive(Debug, PartialEq, Eq)]
pub enum RecordError {
    MissingField { wanted: usize, found: usize, delimiter: u8 },
    Hex(HexError),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingField { wanted, found, delimiter } => {
                let delimiter = delimiter.escape_ascii();
                write!(f, "field {wanted} is missing: '{delimiter}' separates {found}")
            }
            Self::Hex(error) => write!(f, "not a key in hex: {error}"),
        }
    }
}

impl std::error::Error for RecordError {}

impl Extractor {
    /// The key in `record`, which comes without its terminator; `None` for one to skip.
    #[inline]
    pub fn key<'a>(&'a mut self, record: &'a [u8]) -> Result<Option<&'a [u8]>, RecordError> {
        let mut key = record;
        if self.drop_cr {
            key = key.strip_suffix(b"\r").unwrap_or(key);
        }
        let skip_empty = !self.keep_empty;
        if (skip_empty && key.is_empty()) || (self.comments && is_comment(key)) {
            return Ok(None);
        }
        if let Some((number, delimiter)) = self.field {
            key = field(key, number, delimiter)?;
            if skip_empty && key.is_empty() {
                return Ok(None);
            }
        }
        if self.hex {
            self.decoded.clear();
            hex::decode_into(key, &mut self.decoded).map_err(RecordError::Hex)?;
            key = &self.decoded;
        }
        Ok(Some(key))
    }
}

fn is_comment(record: &[u8]) -> bool {
    record.trim_ascii_start().first() == Some(&b'#')
}

fn field(record: &[u8], number: NonZeroUsize, delimiter: u8) -> Result<&[u8], RecordError> {
    let mut start = 0;
    let mut found = 1;
    for end in memchr_iter(delimiter, record) {
        if found == number.get() {
            return Ok(&record[start..end]);
        }
        start = end + 1;
        found += 1;
    }
    if found == number.get() {
        Ok(&record[start..])
    } else {
        Err(RecordError::MissingField { wanted: number.get(), found, delimiter })
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(lines.key(b"a\r"), Ok(Some(&b"a"[..])));
        assert_eq!(lines.key(b"a\r\r"), Ok(Some(&b"a\r"[..])));
        assert_eq!(lines.key(b"\r"), Ok(None));
        lines.drop_cr = false;
        assert_eq!(lines.key(b"\r"), Ok(Some(&b"\r"[..])));
        lines.keep_empty = true;
        assert_eq!(lines.key(b""), Ok(Some(&b""[..])));
    }

    #[test]
    fn comments_are_skipped_only_when_asked() {
        let mut lines = plain();
        assert_eq!(lines.key(b"# x"), Ok(Some(&b"# x"[..])));
        lines.comments = true;
        assert_eq!(lines.key(b"# x"), Ok(None));
        assert_eq!(lines.key(b" \t# x"), Ok(None));
        assert_eq!(lines.key(b"x # y"), Ok(Some(&b"x # y"[..])));
        assert_eq!(lines.key(b"  "), Ok(Some(&b"  "[..])));
    }

    #[test]
    fn fields_are_counted_from_one() {
        let mut lines = plain();
        for (number, expected) in [(1, &b"a"[..]), (2, b"bc"), (4, b"d")] {
            lines.field = NonZeroUsize::new(number).map(|n| (n, b':'));
            assert_eq!(lines.key(b"a:bc::d\r"), Ok(Some(expected)));
        }
        lines.field = NonZeroUsize::new(3).map(|n| (n, b':'));
        assert_eq!(lines.key(b"a:bc::d"), Ok(None));
        let missing = RecordError::MissingField { wanted: 3, found: 2, delimiter: b':' };
        assert_eq!(lines.key(b"a:b"), Err(missing));
    }

    #[test]
    fn hex_is_decoded() {
        let mut lines = plain();
        lines.hex = true;
        assert_eq!(lines.key(b"FF006b\r"), Ok(Some(&b"\xff\0k"[..])));
        assert_eq!(lines.key(b"00"), Ok(Some(&b"\0"[..])));
        assert_eq!(lines.key(b"0"), Err(RecordError::Hex(HexError::Odd { digits: 1 })));
    }
}

//! Hexadecimal digits to bytes.

use std::fmt;

/// Why text is not hex.
#[derive(Debug, PartialEq, Eq)]
pub enum HexError {
    /// The byte at this position, counted from 1, is no hex digit.
    Digit { position: usize, byte: u8 },
    /// The number of digits is odd.
    Odd { digits: usize },
}

impl fmt::Display for HexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digit { position, byte } => {
                write!(f, "'{}' at position {position} is not a hex digit", byte.escape_ascii())
            }
            Self::Odd { digits } => write!(f, "the number of hex digits is odd: {digits}"),
        }
    }
}

impl std::error::Error for HexError {}

/// Appends the bytes that `digits` stand for to `bytes`.
pub fn decode_into(digits: &[u8], bytes: &mut Vec<u8>) -> Result<(), HexError> {
    let value = |index: usize| {
        let byte = digits[index];
        let digit = char::from(byte).to_digit(16).ok_or(HexError::Digit { position: index + 1, byte })?;
        Ok(digit as u8)
    };
    for index in (0..digits.len() / 2 * 2).step_by(2) {
        bytes.push(value(index)? << 4 | value(index + 1)?);
    }
    if digits.len().is_multiple_of(2) { Ok(()) } else { Err(HexError::Odd { digits: digits.len() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_cases_and_every_fault() {
        let mut bytes = Vec::new();
        decode_into(b"fF006b", &mut bytes).unwrap();
        assert_eq!(bytes, [0xff, 0, 0x6b]);
        assert_eq!(decode_into(b"abc", &mut bytes), Err(HexError::Odd { digits: 3 }));
        let error = decode_into(b"ab\xffc", &mut bytes).unwrap_err();
        assert_eq!(error.to_string(), "'\\xff' at position 3 is not a hex digit");
    }
}

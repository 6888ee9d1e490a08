//! Secret keys kept in files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use ruleout::SecretKey;

/// Length of a raw key.
const RAW: usize = 16;

/// Reads a key: 16 raw bytes or 32 hex digits, either with or without a newline at the end.
///
/// # Errors
/// When the file cannot be read or holds something else. The message never shows what it holds.
pub fn read(path: &Path) -> Result<SecretKey> {
    let mut bytes = Vec::new();
    // One byte more than the longest valid content (hex, CR, LF) is enough to see that it is too long.
    let limit = 2 * RAW as u64 + 3;
    File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read the key file {}", path.display()))?;
    match parse(&bytes) {
        Some(key) => Ok(SecretKey::new(key)),
        None => bail!("{}: a key file holds 16 raw bytes or 32 hex digits", path.display()),
    }
}

fn parse(bytes: &[u8]) -> Option<[u8; RAW]> {
    // Raw bytes first: a key may end in a newline's byte.
    if let Ok(raw) = bytes.try_into() {
        return Some(raw);
    }
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if let Ok(raw) = line.try_into() {
        return Some(raw);
    }
    let mut key = Vec::with_capacity(RAW);
    crate::keys::hex::decode_into(line, &mut key).ok()?;
    key.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_with_and_without_a_newline() {
        let key = *b"0123456789abcde\n";
        assert_eq!(parse(&key), Some(key));
        assert_eq!(parse(b"0123456789abcdef\n"), Some(*b"0123456789abcdef"));
        for hex in ["30313233343536373839616263646566", "30313233343536373839616263646566\r\n"] {
            assert_eq!(parse(hex.as_bytes()), Some(*b"0123456789abcdef"), "{hex:?}");
        }
        for wrong in ["", "short", "3031323334353637383961626364656", "3031323334353637383961626364656x\n"] {
            assert_eq!(parse(wrong.as_bytes()), None, "{wrong:?}");
        }
    }
}

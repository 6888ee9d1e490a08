//! A file's fields, to damage them: written from `docs/format.md`, not from the library's reader.
//!
//! A forger knows the checksums. [`reseal`] makes them right again after a change, so that a test reaches what
//! lies behind them.

use std::ops::Range;

use ruleout::Hasher;

/// Offsets of the prelude's fields.
pub mod at {
    /// The format version, 2 bytes.
    pub const VERSION: usize = 8;
    /// The family, 2 bytes.
    pub const FAMILY: usize = 10;
    /// The hash algorithm, 2 bytes.
    pub const HASH: usize = 12;
    /// What kind of number `LEN` is, 1 byte.
    pub const LEN_KIND: usize = 14;
    /// The seed or the key check value, 8 bytes.
    pub const SEED: usize = 16;
    /// The design number of keys, 8 bytes.
    pub const CAPACITY: usize = 24;
    /// The number of keys, 8 bytes.
    pub const LEN: usize = 32;
    /// The length of the header, 4 bytes.
    pub const HEADER_LEN: usize = 40;
    /// The number of parameters, 2 bytes.
    pub const PARAMS: usize = 44;
    /// The number of sections, 2 bytes.
    pub const SECTIONS: usize = 46;
    /// The header's checksum, 8 bytes.
    pub const CHECKSUM: usize = 56;
    /// Where the parameters begin.
    pub const REST: usize = 64;
}

/// Length of a section's row, and where in it the length and the checksum are.
const ROW: usize = 24;
const ROW_LEN: usize = 8;
const ROW_CHECKSUM: usize = 16;

/// The length of a sound file's header.
pub fn header_len(file: &[u8]) -> usize {
    integer_at::<4>(file, at::HEADER_LEN).expect("a file has a prelude") as usize
}

/// The payload of a sound file.
pub fn payload(file: &[u8]) -> &[u8] {
    &file[header_len(file)..]
}

/// Where the value of an integer parameter is; `None` when the file has no such parameter.
pub fn integer_param(file: &[u8], code: u64) -> Option<Range<usize>> {
    params(file).find(|(at, _)| integer_at::<2>(file, *at) == Some(code)).map(|(_, value)| value)
}

/// Puts right checksums over whatever the file says, as far as it can be followed.
pub fn reseal(file: &mut [u8]) {
    let sum = Hasher::xxh64(0);
    let Some(header_len) = integer_at::<4>(file, at::HEADER_LEN).map(|len| len as usize) else { return };
    let table = params(file).last().map_or(at::REST, |(_, value)| value.end.next_multiple_of(8));
    let sections = integer_at::<2>(file, at::SECTIONS).unwrap_or(0) as usize;
    let mut start = header_len;
    for row in (0..sections).map(|i| table.saturating_add(i * ROW)) {
        let Some(len) = integer_at::<8>(file, row.saturating_add(ROW_LEN)) else { break };
        let end = start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
        let Some(content) = file.get(start..end) else { break };
        let checksum = sum.hash(content);
        put(file, row + ROW_CHECKSUM, &checksum.to_le_bytes());
        start = end.next_multiple_of(64);
    }
    if file.get(..header_len).is_some_and(|header| header.len() >= at::REST) {
        put(file, at::CHECKSUM, &[0; 8]);
        let checksum = sum.hash(&file[..header_len]);
        put(file, at::CHECKSUM, &checksum.to_le_bytes());
    }
}

/// A copy of `file` with `bytes` at `at` and right checksums.
pub fn forged(file: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    put(&mut file, at, bytes);
    reseal(&mut file);
    file
}

/// Every parameter: where it begins, and where its value is.
fn params(file: &[u8]) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
    let mut left = integer_at::<2>(file, at::PARAMS).unwrap_or(0);
    let mut at = at::REST;
    std::iter::from_fn(move || {
        left = left.checked_sub(1)?;
        let start = at;
        let value = start + 8..start + 8 + integer_at::<4>(file, start + 4)? as usize;
        at = value.end.next_multiple_of(8);
        Some((start, value))
    })
}

/// The integer of `N` bytes at `at`.
fn integer_at<const N: usize>(file: &[u8], at: usize) -> Option<u64> {
    let bytes = file.get(at..at.checked_add(N)?)?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

fn put(file: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = file.get_mut(at..at.saturating_add(bytes.len())) {
        place.copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruleout::{AnyFilter, BloomConfig};

    #[test]
    fn a_resealed_file_is_a_sound_file() {
        let mut filter = BloomConfig::fpr(100, 0.01).build().unwrap();
        filter.insert(b"key");
        let file = filter.to_bytes();
        let mut copy = file.clone();
        reseal(&mut copy);
        assert_eq!(copy, file);

        let last = file.len() - 1;
        assert!(AnyFilter::open_verified(&forged(&file, last - 5, &[0xff])).is_ok());
        let bits = integer_param(&file, 1).unwrap();
        assert_eq!(bits.len(), 8);
        assert_eq!(file[bits], filter.params().bits().to_le_bytes());
        assert_eq!(integer_param(&file, 77), None);
    }

    #[test]
    fn senseless_files_are_followed_nowhere() {
        for len in [0, 7, 63, 64, 65, 200] {
            for byte in [0, 1, 0x7f, 0xff] {
                reseal(&mut vec![byte; len]);
            }
        }
    }
}

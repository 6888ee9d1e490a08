//! Headers, whole and damaged; and the headers of families to come, so that version 1 can carry them.

use alloc::vec::Vec;

use super::codes::ANCILLARY;
use super::header::{Param, ParamKind};
use super::*;
use crate::error::OpenError;
use crate::family::Family;
use crate::hash::Hasher;

fn writer() -> HeaderWriter {
    HeaderWriter::new(Family::Bloom.code())
}

fn finish(writer: HeaderWriter) -> Vec<u8> {
    writer.finish(Hasher::xxh3(9).id(), 77, Len::AtMost(5))
}

fn small() -> Vec<u8> {
    let mut header = writer();
    header.value(Field::Bits.code(), &Value::from(24u64));
    header.value(Field::Probes.code(), &Value::from(3u64));
    header.section(Section::Bitmap.code(), &[1, 2, 3]);
    finish(header)
}

/// Puts a right checksum over whatever the header says.
fn resealed(mut header: Vec<u8>) -> Vec<u8> {
    header[56..64].fill(0);
    let sum = checksum(&header);
    header[56..64].copy_from_slice(&sum.to_le_bytes());
    header
}

fn with(at: usize, bytes: &[u8]) -> Result<(), OpenError> {
    let mut header = small();
    header[at..at + bytes.len()].copy_from_slice(bytes);
    Header::read(&resealed(header)).map(|_| ())
}

#[test]
fn what_is_written_is_read() {
    let bytes = small();
    let header = Header::read(&bytes).unwrap();
    assert_eq!((header.version(), header.family()), (1, Family::Bloom));
    assert_eq!(header.hash_id(), Hasher::xxh3(9).id());
    assert_eq!((header.capacity(), header.len()), (77, Len::AtMost(5)));
    assert_eq!((header.header_len(), header.payload_len(), header.file_len()), (128, 3, 131));
    assert_eq!(header.integers_of([Field::Probes, Field::Bits]).unwrap(), [3, 24]);
    header.check_sections_are([(Section::Bitmap, 3)].into_iter()).unwrap();
}

#[test]
fn every_flip_and_every_truncation_is_refused() {
    let bytes = small();
    for end in 0..bytes.len() {
        assert!(Header::read(&bytes[..end]).is_err(), "truncated to {end}");
    }
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Header::read(&flipped).is_err(), "bit {bit}");
    }
}

#[test]
fn what_is_unknown_is_named() {
    assert_eq!(with(8, &[2, 0]), Err(OpenError::UnsupportedVersion { found: 2, newest: 1 }));
    assert_eq!(with(8, &[0, 0]), Err(OpenError::UnsupportedVersion { found: 0, newest: 1 }));
    assert_eq!(with(10, &[0x39, 0x30]), Err(OpenError::UnknownFamily { code: 12345 }));
    assert_eq!(with(12, &[99, 0]), Err(OpenError::UnknownHash { code: 99 }));
    assert_eq!(Header::read(b"PK\x03\x04").unwrap_err(), OpenError::NotAFilter);
    assert_eq!(Header::read(b"").unwrap_err(), OpenError::NotAFilter);
    // Sent in text mode: the carriage return is gone, or the high bit.
    assert_eq!(Header::read(b"\x89RLO\n\x1a\n\x01\x00").unwrap_err(), OpenError::TextMode);
    assert_eq!(Header::read(b"\x09RLO\r\n\x1a\n\x01\x00").unwrap_err(), OpenError::TextMode);
}

#[test]
fn a_sound_checksum_does_not_excuse_a_senseless_header() {
    let refused = |at, bytes: &[u8]| assert!(with(at, bytes).is_err(), "{bytes:?} at {at}");
    refused(14, &[3]); // no such kind of length
    refused(14, &[2]); // unknown length, and yet a number
    refused(15, &[1]); // reserved
    refused(40, &[0; 4]); // no header
    refused(40, &[127, 0, 0, 0]); // not a multiple of 64
    refused(40, &[0, 0, 0, 0xff]); // longer than any
    refused(44, &[3]); // one parameter more than there is
    refused(44, &[1]); // one fewer: the second is read as a section
    refused(44, &[255, 255]);
    refused(46, &[0]); // no section for the payload
    refused(46, &[255, 255]);
    refused(48, &[4]); // payload longer than its section
    refused(48, &[255; 8]);
    refused(64, &[2]); // parameters out of order
    refused(66, &[0]); // no such kind of value
    refused(66, &[4]);
    refused(68, &[7]); // an integer of seven bytes
    refused(68, &[255; 4]);
    refused(96 + 8, &[255; 8]); // a section of 2^64 - 1 bytes
    refused(96 + 2, &[1]); // a section code beyond 16 bits
    refused(127, &[1]); // padding
}

#[test]
fn a_length_is_compared_before_anything_is_read() {
    let mut file = small();
    let header_len = file.len();
    file.extend([1, 2, 3]);
    for len in (header_len..file.len()).chain([file.len() + 1]) {
        file.resize(len, 0);
        let header = Header::read(&file).unwrap();
        let wrong = OpenError::WrongLength { expected: 131, found: len as u64 };
        assert_eq!(header.check_file_len(len as u64), Err(wrong.clone()));
        assert_eq!(header.check_payload(&file), Err(wrong));
        file.truncate(header_len);
        file.extend([1, 2, 3]);
    }
    Header::read(&file).unwrap().check_payload(&file).unwrap();
}

#[test]
fn an_unknown_parameter_is_refused_unless_it_only_describes() {
    let header = |code| {
        let mut header = writer();
        header.value(Field::Bits.code(), &Value::from(24u64));
        header.value(code, &Value::from(1u64));
        header.section(Section::Bitmap.code(), &[]);
        finish(header)
    };
    let read = |bytes: &[u8]| Header::read(bytes).unwrap().integers_of([Field::Bits]);
    assert_eq!(read(&header(900)), Err(OpenError::UnknownField { kind: "parameter", code: 900 }));
    assert_eq!(read(&header(900 | ANCILLARY)), Ok([24]));
    assert_eq!(
        Header::read(&header(900)).unwrap().integers_of([Field::Lines]).unwrap_err(),
        OpenError::UnknownField { kind: "parameter", code: 1 }
    );
}

/// A ribbon filter has many integers.
#[test]
fn the_frame_carries_a_ribbon() {
    let mut header = writer();
    for code in 0..40 {
        header.value(100 + code, &Value::from(u64::from(code) << 40));
    }
    let (solution, bumped) = (alloc::vec![7; 1000], alloc::vec![9; 130]);
    assert_eq!(header.section(10, &solution), 0);
    assert_eq!(header.section(11, &bumped), 1024);
    let bytes = finish(header);
    let header = Header::read(&bytes).unwrap();
    let values = header.params().map(|param| u64::from_le_bytes(param.value.try_into().unwrap()));
    assert!(values.eq((0..40).map(|i| i << 40)));
    assert_eq!(header.payload_len(), 1024 + 130);

    let mut file = bytes.clone();
    file.extend(&solution);
    file.resize(bytes.len() + 1024, 0);
    file.extend(&bumped);
    let check = |file: &[u8]| Header::read(file).unwrap().check_payload(file);
    check(&file).unwrap();
    for at in bytes.len()..file.len() {
        file[at] ^= 0x10;
        assert!(check(&file).is_err(), "byte {at}, between the sections or in them");
        file[at] ^= 0x10;
    }
}

/// A prefix filter records the name of its extractor.
#[test]
fn the_frame_carries_a_prefix_filter() {
    let mut header = writer();
    header.value(Field::Bits.code(), &Value::from(64u64));
    header.value(20, &Value::Bytes(b"up-to:/".to_vec()));
    header.section(Section::Bitmap.code(), &[0; 8]);
    let bytes = finish(header);
    let params: Vec<Param<'_>> = Header::read(&bytes).unwrap().params().collect();
    assert_eq!((params[1].code, params[1].kind, params[1].value), (20, ParamKind::Bytes, &b"up-to:/"[..]));
}

/// A scalable filter has a payload for every layer, and a list of each layer's numbers.
#[test]
fn the_frame_carries_a_scalable_filter() {
    let layers: Vec<u64> = (0..48).map(|i| 1000 << i).collect();
    let mut header = writer();
    header.value(30, &Value::Integers(layers.to_vec()));
    header.value(31, &Value::Integers(alloc::vec![7; 48]));
    for i in 0..48u8 {
        header.section(Section::Bitmap.code(), &alloc::vec![i; 100 + usize::from(i)]);
    }
    let bytes = finish(header);
    let header = Header::read(&bytes).unwrap();
    let first = header.params().next().unwrap();
    assert_eq!(first.kind, ParamKind::Integers);
    let read: Vec<u64> = first.value.chunks(8).map(|v| u64::from_le_bytes(v.try_into().unwrap())).collect();
    assert_eq!(read, layers);
    assert!(header.section_rows().map(|row| row.len).eq(100..148));
}

#[test]
fn lengths_add_up_without_a_claim_too_many() {
    use Len::{AtMost, Exact, Unknown};
    assert_eq!(Len::EMPTY.plus(1), Exact(1));
    assert_eq!(Len::EMPTY.plus(2), AtMost(2)); // two keys, or one twice
    assert_eq!(Exact(4).plus(0), Exact(4));
    assert_eq!(Exact(4).plus(1), AtMost(5));
    assert_eq!(AtMost(u64::MAX).plus(1), Unknown);
    assert_eq!(Len::EMPTY.union(Exact(9)), Exact(9));
    assert_eq!(Exact(9).union(Len::EMPTY), Exact(9));
    assert_eq!(Exact(9).union(Exact(9)), AtMost(18)); // they may be the same nine
    assert_eq!(Unknown.union(Exact(9)), Unknown);
    assert_eq!(AtMost(1).union(Unknown), Unknown);
}

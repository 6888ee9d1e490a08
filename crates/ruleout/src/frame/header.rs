//! Reading a header.

use super::codes::{ANCILLARY, MAGIC};
use super::{ALIGN, Field, Len, MAX_HEADER, Section, VERSION, checksum};
use crate::error::OpenError;
use crate::family::Family;
use crate::hash::{HashAlgorithm, HashId};

/// The length of the fixed part.
const PRELUDE: usize = 64;
/// The length of a parameter's code, kind and length.
const PARAM_HEAD: usize = 8;
/// The length of a section's row.
const SECTION_ROW: usize = 24;

/// How a parameter's value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum ParamKind {
    /// One 64-bit integer.
    Integer = 1,
    /// A list of 64-bit integers.
    Integers = 2,
    /// A string of bytes.
    Bytes = 3,
}

/// The header of a filter's file, checked and read in place.
///
/// Needs only the first bytes of a file, 64 KiB at the most, and no secret key.
///
/// ```
/// use ruleout::{BloomConfig, Header};
/// let file = BloomConfig::fpr(1000, 0.01).build()?.to_bytes();
/// let header = Header::read(&file)?;
/// assert_eq!(header.capacity(), 1000);
/// assert_eq!(header.file_len(), file.len() as u64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    family: Family,
    hash: HashId,
    capacity: u64,
    len: Len,
    header_len: usize,
    payload_len: u64,
    params: &'a [u8],
    sections: &'a [u8],
}

impl<'a> Header<'a> {
    /// Reads the header at the start of `bytes`, which may end where the header ends.
    ///
    /// # Errors
    /// Every damage to the header, every truncation of it, and every version, family or hash that this release
    /// does not know.
    ///
    /// # Complexity
    /// Linear in the header, which is at most 64 KiB; nothing is allocated.
    pub fn read(bytes: &'a [u8]) -> Result<Self, OpenError> {
        check_magic(bytes)?;
        let prelude = prefix(bytes, PRELUDE)?;
        let version = u16_at(prelude, 8);
        if version == 0 || version > VERSION {
            return Err(OpenError::UnsupportedVersion { found: version, newest: VERSION });
        }
        let header_len = u32_at(prelude, 40) as usize;
        if !(PRELUDE..=MAX_HEADER).contains(&header_len) || !header_len.is_multiple_of(ALIGN) {
            return Err(OpenError::Invalid {
                field: "header length",
                value: header_len as u64,
                allowed: "a multiple of 64 from 64 to 65536",
            });
        }
        let header = prefix(bytes, header_len)?;
        check_sum(header)?;

        let family = u16_at(prelude, 10);
        let family = Family::from_code(family).ok_or(OpenError::UnknownFamily { code: family })?;
        let algorithm = u16_at(prelude, 12);
        let algorithm =
            HashAlgorithm::from_code(algorithm).ok_or(OpenError::UnknownHash { code: algorithm })?;
        let (len_kind, keys) = (prelude[14], u64_at(prelude, 32));
        let len = Len::from_fields(len_kind, keys).ok_or(OpenError::Invalid {
            field: "kind of length",
            value: u64::from(len_kind),
            allowed: "0, 1, or 2 with a length of 0",
        })?;
        if prelude[15] != 0 {
            return Err(OpenError::Invalid {
                field: "reserved byte",
                value: u64::from(prelude[15]),
                allowed: "0",
            });
        }
        let param_count = u16_at(prelude, 44);
        let section_count = u16_at(prelude, 46);
        let payload_len = u64_at(prelude, 48);

        let rest = &header[PRELUDE..];
        let params_len = walk_params(rest, param_count)?;
        let (params, rest) = rest.split_at(params_len);
        let sections_len = usize::from(section_count) * SECTION_ROW;
        let Some((sections, padding)) = rest.split_at_checked(sections_len) else {
            return Err(OpenError::Invalid {
                field: "number of sections",
                value: u64::from(section_count),
                allowed: "what the header has room for",
            });
        };
        if padding.len() >= ALIGN || padding.iter().any(|&b| b != 0) {
            return Err(OpenError::Invalid {
                field: "header padding",
                value: padding.len() as u64,
                allowed: "fewer than 64 zero bytes",
            });
        }
        let header = Self {
            family,
            hash: HashId::new(algorithm, u64_at(prelude, 16)),
            capacity: u64_at(prelude, 24),
            len,
            header_len,
            payload_len,
            params,
            sections,
        };
        header.check_sections()?;
        Ok(header)
    }

    /// The format version; this release writes and reads version 1.
    pub fn version(&self) -> u16 {
        VERSION
    }

    /// The family of the filter.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The hash identity the filter was built under.
    pub fn hash_id(&self) -> HashId {
        self.hash
    }

    /// The design number of keys.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The number of keys in the filter.
    pub fn len(&self) -> Len {
        self.len
    }

    /// Whether the filter surely holds no key.
    pub fn is_empty(&self) -> bool {
        self.len == Len::EMPTY
    }

    /// The length of the header in bytes: where the payload starts.
    pub fn header_len(&self) -> usize {
        self.header_len
    }

    /// The length of the payload in bytes.
    pub fn payload_len(&self) -> u64 {
        self.payload_len
    }

    /// The length of the whole file in bytes.
    pub fn file_len(&self) -> u64 {
        self.header_len as u64 + self.payload_len
    }

    /// Refuses a file of any other length than the header says.
    ///
    /// # Errors
    /// [`OpenError::WrongLength`] with both lengths.
    pub fn check_file_len(&self, found: u64) -> Result<(), OpenError> {
        let expected = self.file_len();
        if found == expected { Ok(()) } else { Err(OpenError::WrongLength { expected, found }) }
    }

    /// Verifies the checksum of every section of `file`, and that the bytes between sections are zero.
    ///
    /// # Errors
    /// The first damage found.
    pub(crate) fn check_payload(&self, file: &[u8]) -> Result<(), OpenError> {
        self.check_file_len(file.len() as u64)?;
        let mut end = self.header_len;
        for row in self.section_rows() {
            // The lengths add up to that of the file, as `read` and the line above made sure.
            let start = end.next_multiple_of(ALIGN);
            let content = &file[start..start + row.len as usize];
            let computed = checksum(content);
            if computed != row.checksum {
                return Err(OpenError::Checksum { part: "payload", stored: row.checksum, computed });
            }
            if let Some(&byte) = file[end..start].iter().find(|&&b| b != 0) {
                return Err(OpenError::Invalid {
                    field: "byte between sections",
                    value: u64::from(byte),
                    allowed: "0",
                });
            }
            end = start + content.len();
        }
        Ok(())
    }

    /// The parameters as `N` integers, one for each of `fields`, and no other that shapes the filter.
    pub(crate) fn integers_of<const N: usize>(&self, fields: [Field; N]) -> Result<[u64; N], OpenError> {
        let values = self.values_of(fields.map(|field| (field, ParamKind::Integer)))?;
        Ok(values.map(|value| u64_at(value, 0)))
    }

    /// The integer `field`, whatever the others are.
    pub(crate) fn integer(&self, field: Field) -> Result<u64, OpenError> {
        let is_it = |param: &Param<'_>| param.code == field.code() && param.kind == ParamKind::Integer;
        let found = self.params().find(is_it).map(|param| u64_at(param.value, 0));
        found.ok_or(OpenError::Missing { field: field.name() })
    }

    /// The values of `N` parameters, each of its kind, and no other that shapes the filter.
    pub(crate) fn values_of<const N: usize>(
        &self,
        fields: [(Field, ParamKind); N],
    ) -> Result<[&'a [u8]; N], OpenError> {
        let mut values = [None; N];
        for param in self.params() {
            let known = fields.iter().position(|(field, _)| field.code() == param.code);
            match known {
                Some(at) if fields[at].1 == param.kind => values[at] = Some(param.value),
                None if param.code & ANCILLARY != 0 => {}
                _ => return Err(OpenError::UnknownField { kind: "parameter", code: param.code }),
            }
        }
        let mut found: [&[u8]; N] = [&[]; N];
        for ((slot, value), (field, _)) in found.iter_mut().zip(values).zip(fields) {
            *slot = value.ok_or(OpenError::Missing { field: field.name() })?;
        }
        Ok(found)
    }

    /// Checks that the payload is made of `sections`, each of that many bytes, and of no other.
    pub(crate) fn check_sections_are(
        &self,
        sections: impl Iterator<Item = (Section, u64)>,
    ) -> Result<(), OpenError> {
        let mut rows = self.section_rows();
        for (section, expected) in sections {
            let row = rows.next().ok_or(OpenError::Missing { field: "payload" })?;
            if row.code != section.code() {
                return Err(OpenError::UnknownField { kind: "section", code: row.code });
            }
            if row.len != expected {
                return Err(OpenError::Invalid {
                    field: "payload length",
                    value: row.len,
                    allowed: "what the parameters need",
                });
            }
        }
        match rows.next() {
            None => Ok(()),
            Some(row) => Err(OpenError::UnknownField { kind: "section", code: row.code }),
        }
    }

    /// The parameters in order.
    pub(crate) fn params(&self) -> impl Iterator<Item = Param<'a>> + use<'a> {
        let mut rest = self.params;
        core::iter::from_fn(move || {
            // `read` walked over these bytes and found them well formed.
            let (param, tail) = split_param(rest).ok()?;
            rest = tail;
            Some(param)
        })
    }

    /// The rows of the section table in order.
    pub(crate) fn section_rows(&self) -> impl Iterator<Item = SectionRow> + use<'a> {
        self.sections.chunks_exact(SECTION_ROW).map(|row| SectionRow {
            code: u16_at(row, 0),
            len: u64_at(row, 8),
            checksum: u64_at(row, 16),
        })
    }

    /// Checks that the sections, each at a multiple of 64, add up to the payload.
    fn check_sections(&self) -> Result<(), OpenError> {
        let mut end = 0u64;
        for row in self.sections.chunks_exact(SECTION_ROW) {
            let code = u64_at(row, 0);
            if code > u64::from(u16::MAX) {
                return Err(OpenError::Invalid {
                    field: "section code",
                    value: code,
                    allowed: "at most 65535",
                });
            }
            let start = end.checked_next_multiple_of(ALIGN as u64);
            end = start.and_then(|start| start.checked_add(u64_at(row, 8))).ok_or(OpenError::Invalid {
                field: "section length",
                value: u64_at(row, 8),
                allowed: "what the payload has room for",
            })?;
        }
        if end != self.payload_len || self.payload_len > u64::MAX - MAX_HEADER as u64 {
            return Err(OpenError::Invalid {
                field: "payload length",
                value: self.payload_len,
                allowed: "the sum of the sections",
            });
        }
        Ok(())
    }
}

/// The integers of a parameter that is one or a list of them.
pub(crate) fn integers(value: &[u8]) -> impl ExactSizeIterator<Item = u64> + '_ {
    value.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes))
}

/// One parameter.
pub(crate) struct Param<'a> {
    pub(crate) code: u16,
    pub(crate) kind: ParamKind,
    pub(crate) value: &'a [u8],
}

/// One row of the section table.
pub(crate) struct SectionRow {
    pub(crate) code: u16,
    pub(crate) len: u64,
    pub(crate) checksum: u64,
}

fn check_magic(bytes: &[u8]) -> Result<(), OpenError> {
    let start = &bytes[..bytes.len().min(MAGIC.len())];
    if start == MAGIC {
        Ok(())
    } else if !start.is_empty() && MAGIC.starts_with(start) {
        Err(OpenError::Truncated { needed: PRELUDE as u64, found: bytes.len() as u64 })
    } else if bytes.len() >= 4 && bytes[1..4] == MAGIC[1..4] && bytes[0] & 0x7f == MAGIC[0] & 0x7f {
        Err(OpenError::TextMode)
    } else {
        Err(OpenError::NotAFilter)
    }
}

/// The header's own checksum, over its bytes with the checksum field as zero.
fn check_sum(header: &[u8]) -> Result<(), OpenError> {
    let mut sum = xxhash_rust::xxh64::Xxh64::new(0);
    sum.update(&header[..56]);
    sum.update(&[0; 8]);
    sum.update(&header[64..]);
    let (stored, computed) = (u64_at(header, 56), sum.digest());
    if stored == computed { Ok(()) } else { Err(OpenError::Checksum { part: "header", stored, computed }) }
}

/// Walks over `count` parameters with ascending codes and gives their length in bytes.
fn walk_params(bytes: &[u8], count: u16) -> Result<usize, OpenError> {
    let mut rest = bytes;
    let mut last = None;
    for _ in 0..count {
        let (param, tail) = split_param(rest)?;
        if last.is_some_and(|last| last >= param.code) {
            return Err(OpenError::Invalid {
                field: "parameter code",
                value: u64::from(param.code),
                allowed: "more than the one before",
            });
        }
        last = Some(param.code);
        rest = tail;
    }
    Ok(bytes.len() - rest.len())
}

/// Splits the first parameter off.
fn split_param(bytes: &[u8]) -> Result<(Param<'_>, &[u8]), OpenError> {
    let head = prefix(bytes, PARAM_HEAD)?;
    let (code, kind, len) = (u16_at(head, 0), u16_at(head, 2), u32_at(head, 4));
    let invalid = |field, value, allowed| OpenError::Invalid { field, value: u64::from(value), allowed };
    let kind = match (kind, len) {
        (1, 8) => ParamKind::Integer,
        (2, len) if len.is_multiple_of(8) => ParamKind::Integers,
        (3, _) => ParamKind::Bytes,
        (1 | 2, _) => return Err(invalid("parameter length", len, "8, or a multiple of 8 for a list")),
        _ => return Err(invalid("parameter kind", u32::from(kind), "1, 2 or 3")),
    };
    let rest = &bytes[PARAM_HEAD..];
    let Some(value) = rest.get(..len as usize) else {
        return Err(invalid("parameter length", len, "what the header has room for"));
    };
    let padded = value.len().next_multiple_of(8);
    match rest.split_at_checked(padded) {
        Some((whole, tail)) if whole[value.len()..].iter().all(|&b| b == 0) => {
            Ok((Param { code, kind, value }, tail))
        }
        _ => Err(invalid("parameter padding", len, "zero bytes up to a multiple of 8")),
    }
}

fn prefix(bytes: &[u8], needed: usize) -> Result<&[u8], OpenError> {
    bytes.get(..needed).ok_or(OpenError::Truncated { needed: needed as u64, found: bytes.len() as u64 })
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array_at(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}

/// `N` bytes of a slice whose length the caller has checked.
fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}

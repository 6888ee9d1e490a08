//! Writing a header.

use alloc::vec::Vec;

use super::codes::{MAGIC, VERSION};
use super::{ALIGN, Len, MAX_HEADER, ParamKind, Value, checksum};
use crate::hash::HashId;

/// Collects parameters and sections, then gives the bytes of the header.
pub(crate) struct HeaderWriter {
    family: u16,
    params: Vec<u8>,
    param_count: u16,
    sections: Vec<u8>,
    section_count: u16,
    payload_len: u64,
}

impl HeaderWriter {
    pub(crate) fn new(family: u16) -> Self {
        Self {
            family,
            params: Vec::new(),
            param_count: 0,
            sections: Vec::new(),
            section_count: 0,
            payload_len: 0,
        }
    }

    /// Adds a parameter. They are added in the order of their codes.
    pub(crate) fn value(&mut self, code: u16, value: &Value) {
        match value {
            Value::Integer(value) => self.param(code, ParamKind::Integer, &value.to_le_bytes()),
            Value::Integers(values) => {
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                self.param(code, ParamKind::Integers, &bytes);
            }
            Value::Bytes(bytes) => self.param(code, ParamKind::Bytes, bytes),
        }
    }

    fn param(&mut self, code: u16, kind: ParamKind, value: &[u8]) {
        self.params.extend(code.to_le_bytes());
        self.params.extend((kind as u16).to_le_bytes());
        self.params.extend((value.len() as u32).to_le_bytes());
        self.params.extend(value);
        self.params.resize(self.params.len().next_multiple_of(8), 0);
        self.param_count += 1;
    }

    /// Adds a part of the payload; `content` was verified or made here. Gives where it starts in the payload.
    pub(crate) fn section(&mut self, code: u16, content: &[u8]) -> u64 {
        let start = self.payload_len.next_multiple_of(ALIGN as u64);
        self.sections.extend(u64::from(code).to_le_bytes());
        self.sections.extend((content.len() as u64).to_le_bytes());
        self.sections.extend(checksum(content).to_le_bytes());
        self.section_count += 1;
        self.payload_len = start + content.len() as u64;
        start
    }

    /// The bytes of the header.
    ///
    /// # Panics
    /// When the parameters and sections exceed the longest header; families bound theirs when they are made.
    pub(crate) fn finish(self, hash: HashId, capacity: u64, len: Len) -> Vec<u8> {
        let (len_kind, keys) = len.to_fields();
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.family.to_le_bytes());
        bytes.extend(hash.algorithm().code().to_le_bytes());
        bytes.extend([len_kind, 0]);
        bytes.extend(hash.word().to_le_bytes());
        bytes.extend(capacity.to_le_bytes());
        bytes.extend(keys.to_le_bytes());
        let header_len = (64 + self.params.len() + self.sections.len()).next_multiple_of(ALIGN);
        assert!(header_len <= MAX_HEADER, "a header of {header_len} bytes, the longest is {MAX_HEADER}");
        bytes.extend((header_len as u32).to_le_bytes());
        bytes.extend(self.param_count.to_le_bytes());
        bytes.extend(self.section_count.to_le_bytes());
        bytes.extend(self.payload_len.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(self.params);
        bytes.extend(self.sections);
        bytes.resize(header_len, 0);
        let sum = checksum(&bytes);
        bytes[56..64].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

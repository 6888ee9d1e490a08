//! The file: a checked header, then the payload exactly as it lies in memory.
//!
//! This is the only home of codes and versions. The bytes are described, normatively, in `docs/format.md`.
//! Reading borrows: a [`Header`] points into the bytes it was read from. No float is ever written.

mod codes;
mod header;
mod len;
#[cfg(test)]
mod tests;
mod value;
mod write;

pub(crate) use codes::{Field, Section, VERSION};
pub use header::Header;
pub(crate) use header::{ParamKind, integers};
pub use len::Len;
pub use value::Value;
pub(crate) use write::HeaderWriter;

/// Every section begins at a multiple of this many bytes, counted from the start of the file.
pub(crate) const ALIGN: usize = 64;

/// The longest header.
pub(crate) const MAX_HEADER: usize = 64 * 1024;

/// The checksum of the format: XXH64 with seed 0.
///
/// Short to write in any language, fast enough to run at the speed of memory.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh64::xxh64(bytes, 0)
}

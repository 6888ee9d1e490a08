//! The one type behind every native family: parameters over bytes.
//!
//! `Native<BloomParams, D>` is a Bloom filter, `Native<BlockedParams, D>` a blocked one; each family names its
//! own by an alias. What they share is written here once: opening, saving, querying, merging.

mod collect;
mod insert;
mod merge;
mod open;
mod query;
mod save;

use core::fmt;

pub use open::OpenOptions;
pub(crate) use open::{check_file, read_params};

use crate::bits::Buf;
use crate::error::ConfigError;
use crate::frame::Len;
use crate::hash::Hasher;
use crate::layout::{Changing, Params, Tally};

/// A filter: the validated parameters `P` of its family over the bytes `D`.
///
/// Use it by the name of the family's alias, [`Bloom`](crate::Bloom) for one. `D` is [`Buf`] for a filter that was
/// built here and can change; any `AsRef<[u8]>` for one that was opened where its bytes lie: a slice,
/// `bytes::Bytes`, a memory map. A view has no `insert`:
///
/// ```compile_fail,E0599
/// # let file: Vec<u8> = Vec::new();
/// let mut view = ruleout::Bloom::open(&file[..]).unwrap();
/// view.insert(b"key"); // no such method: the bytes are borrowed
/// ```
#[derive(Clone)]
pub struct Native<P, D = Buf> {
    params: P,
    hasher: Hasher,
    len: Len,
    /// A whole file, or a payload alone.
    data: D,
    /// Where the payload starts in `data`.
    start: usize,
    /// Whether the payload was built here or its checksum was found right.
    verified: bool,
}

impl<P: Changing> Native<P> {
    /// An empty filter.
    ///
    /// # Errors
    /// [`ConfigError::OutOfMemory`] when the allocator refuses, [`ConfigError::TooLarge`] when the filter is
    /// larger than the address space.
    pub fn new(params: P, hasher: Hasher) -> Result<Self, ConfigError> {
        let data = params.empty()?;
        Ok(Self::from_parts(params, hasher, Len::EMPTY, data))
    }

    /// Forgets every key; the memory is kept.
    pub fn clear(&mut self) {
        self.params = self.params.emptied();
        // What the first layers of a larger filter took, a smaller one has.
        self.data.truncate(self.params.payload_bytes() as usize);
        self.data.as_mut().fill(0);
        self.len = Len::EMPTY;
    }
}

impl<P: Params> Native<P> {
    /// A filter of a payload that was built here or verified.
    pub(crate) fn from_parts(params: P, hasher: Hasher, len: Len, data: Buf) -> Self {
        debug_assert_eq!(data.as_ref().len() as u64, params.payload_bytes());
        Self { params, hasher, len, data, start: 0, verified: true }
    }

    pub(crate) fn into_parts(self) -> (P, Hasher, Len, Buf) {
        (self.params, self.hasher, self.len, self.data)
    }

    /// All that changes when a filter grows.
    pub(crate) fn parts_mut(&mut self) -> (&mut P, &mut Buf, &mut Len) {
        (&mut self.params, &mut self.data, &mut self.len)
    }
}

impl<P: Params, D: AsRef<[u8]>> Native<P, D> {
    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// The hasher, which may hold a secret.
    pub fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// The number of keys in the filter.
    pub fn len(&self) -> Len {
        self.len
    }

    /// Whether surely nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.len == Len::EMPTY
    }

    /// The design number of keys.
    pub fn capacity(&self) -> u64 {
        self.params.capacity()
    }

    /// What a scan of the payload shows: fill, rate of this very filter, estimated number of keys.
    ///
    /// # Complexity
    /// Reads the whole payload.
    pub fn tally(&self) -> Tally {
        self.params.tally(self.payload())
    }

    pub(crate) fn params_mut(&mut self) -> &mut P {
        &mut self.params
    }

    /// The payload.
    #[inline]
    pub(crate) fn payload(&self) -> &[u8] {
        let bytes = self.data.as_ref();
        // `open` made sure the file ends where the payload does; a payload of its own starts at 0.
        &bytes[self.start..]
    }
}

impl<P: Params, D: AsRef<[u8]>> fmt::Debug for Native<P, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(P::FAMILY.name())
            .field("params", &self.params)
            .field("hasher", &self.hasher)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

//! Opening a filter where its bytes lie.

use super::Native;
use crate::bits::Buf;
use crate::error::OpenError;
use crate::frame::Header;
use crate::hash::{Hasher, SecretKey};
use crate::layout::Params;

/// How to open a filter: with which key, verified or not.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions<'k> {
    pub(crate) key: Option<&'k SecretKey>,
    pub(crate) verify: bool,
}

impl<'k> OpenOptions<'k> {
    /// No key, no verification of the payload.
    pub const fn new() -> Self {
        Self { key: None, verify: false }
    }

    /// Opens a filter whose hashes are keyed.
    pub const fn key(mut self, key: &'k SecretKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Also reads the whole payload and refuses any damage to it.
    pub const fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }
}

impl<P: Params, D: AsRef<[u8]>> Native<P, D> {
    /// Opens a filter without copying or reading its payload.
    ///
    /// # Errors
    /// [`OpenError`] for any damage to the header, any wrong length, another family, and a keyed hash. Damage to
    /// the payload is not noticed here; it can give wrong answers and nothing worse.
    ///
    /// # Complexity
    /// Linear in the header, at most 64 KiB. Nothing is allocated, but that filters made of filters copy their lists and
    /// names, a few times the header at most.
    pub fn open(data: D) -> Result<Self, OpenError> {
        Self::open_with(data, &OpenOptions::new())
    }

    /// [`Native::open`], and any damage to the payload is refused too.
    ///
    /// # Errors
    /// [`OpenError`] as for [`Native::open`], and when a checksum does not match or the payload is one that no
    /// sequence of insertions makes.
    ///
    /// # Complexity
    /// Reads the whole file once.
    pub fn open_verified(data: D) -> Result<Self, OpenError> {
        Self::open_with(data, &OpenOptions::new().verify(true))
    }

    /// Opens a filter as `options` say.
    ///
    /// # Errors
    /// [`OpenError`] as for [`Native::open`] or [`Native::open_verified`], and when the key does not fit.
    pub fn open_with(data: D, options: &OpenOptions<'_>) -> Result<Self, OpenError> {
        let file = data.as_ref();
        let header = Header::read(file)?;
        header.check_file_len(file.len() as u64)?;
        let params = read_params::<P>(&header)?;
        let hasher = Hasher::for_id(header.hash_id(), options.key)?;
        let (len, start) = (header.len(), header.header_len());
        let mut filter = Self { params, hasher, len, data, start, verified: false };
        if options.verify {
            filter.verify()?;
            filter.verified = true;
        }
        Ok(filter)
    }

    /// An owned copy of the payload, which can change and be saved.
    ///
    /// # Errors
    /// [`OpenError`] when the filter was opened without verification and turns out to be damaged: no fresh
    /// checksum is ever made for bytes that were not verified. Or when memory runs out.
    pub fn to_owned(&self) -> Result<Native<P>, OpenError> {
        self.ensure_verified()?;
        let data = Buf::copy_of(self.payload())?;
        Ok(Native::from_parts(self.params.clone(), self.hasher.clone(), self.len, data))
    }

    /// Verifies the payload unless that was done before.
    pub(crate) fn ensure_verified(&self) -> Result<(), OpenError> {
        if self.verified { Ok(()) } else { self.verify() }
    }

    fn verify(&self) -> Result<(), OpenError> {
        let file = self.data.as_ref();
        check_file::<P>(&Header::read(file)?, &self.params, file)
    }
}

/// The parameters a header holds, if it is one of this family.
pub(crate) fn read_params<P: Params>(header: &Header<'_>) -> Result<P, OpenError> {
    if header.family() != P::FAMILY {
        return Err(OpenError::WrongFamily { expected: P::FAMILY, found: header.family() });
    }
    let params = P::read(header)?;
    header.check_sections_are(params.sections())?;
    Ok(params)
}

/// Refuses any damage to the payload of `file`.
pub(crate) fn check_file<P: Params>(header: &Header<'_>, params: &P, file: &[u8]) -> Result<(), OpenError> {
    header.check_payload(file)?;
    params.check(&file[header.header_len()..])
}

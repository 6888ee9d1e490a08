//! Opening the filters that commands are given.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context as _, Error, Result, anyhow};
use memmap2::Mmap;
use ruleout::{AnyFilter, Header, KeyError, OpenError, OpenOptions};

use crate::args::OpenArgs;
use crate::secret;

/// The bytes of a file: mapped, or read where there is nothing to map.
pub enum FileBytes {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}

/// The bytes of the file `path`, all of them at hand.
///
/// # Errors
/// When the file cannot be read; the message names it.
pub fn bytes(path: &Path) -> Result<FileBytes> {
    open_bytes(path).with_context(|| unreadable(path))
}

fn open_bytes(path: &Path) -> io::Result<FileBytes> {
    let mut file = open_file(path)?;
    if file.metadata()?.is_file() {
        return map(&file).map(FileBytes::Mapped);
    }
    // A pipe, as in <(command). It may have no end, so a header comes first, and then no more is read than the
    // header claims and one byte, which shows that there is more. Memory grows with what arrives, not by the claim.
    let mut bytes = read_header(&mut file)?;
    if let Ok(file_len) = Header::read(&bytes).map(|header| header.file_len()) {
        let rest = file_len.saturating_sub(bytes.len() as u64).saturating_add(1);
        file.take(rest).read_to_end(&mut bytes)?;
    }
    Ok(FileBytes::Read(bytes))
}

fn open_file(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    // Opening a directory succeeds; only reading it would fail, and less clearly.
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is only read, as bytes whose every value is valid, and the library bounds every access by
    // the length mapped. What remains is another process that shortens the file in place: that ends this process
    // with a signal, as it does any reader of maps. This command never does that: it replaces files by renaming.
    unsafe { Mmap::map(file) }
}

/// Opens the filter in `path` as `args` say.
///
/// # Errors
/// When it cannot be read, is no sound filter, or the key does not fit; the message names the file.
pub fn open(path: &Path, args: &OpenArgs) -> Result<AnyFilter<FileBytes>> {
    let key = args.key_file.as_deref().map(secret::read).transpose()?;
    let mut options = OpenOptions::new().verify(!args.no_verify);
    if let Some(key) = &key {
        options = options.key(key);
    }
    AnyFilter::open_with(bytes(path)?, &options).map_err(|refused| refusal(path, refused))
}

/// The library's refusal of a file, with the file's name and what to do about it.
pub fn refusal(path: &Path, refused: OpenError) -> Error {
    let hint = match refused {
        OpenError::Key(KeyError::Missing { .. }) => "; give it with --key-file",
        OpenError::Key(KeyError::Unused { .. }) => "; leave out --key-file",
        _ => "",
    };
    anyhow!("{}: {refused}{hint}", path.display())
}

/// The bytes of a file's header and the length of the file, by two short reads.
pub struct HeaderBytes {
    pub bytes: Vec<u8>,
    /// `None` when the file is a pipe, whose length nobody knows.
    pub file_len: Option<u64>,
}

/// Reads the header of the file `path` and nothing behind it.
///
/// # Errors
/// When it cannot be read.
pub fn header_bytes(path: &Path) -> Result<HeaderBytes> {
    let read = || {
        let mut file = open_file(path)?;
        let meta = file.metadata()?;
        let bytes = read_header(&mut file)?;
        Ok::<_, io::Error>(HeaderBytes { bytes, file_len: meta.is_file().then_some(meta.len()) })
    };
    read().with_context(|| unreadable(path))
}

/// Reads a header, or as much as shows that there is none.
fn read_header(file: &mut File) -> io::Result<Vec<u8>> {
    /// Enough of every header to say how long it is.
    const PRELUDE: u64 = 64;
    let mut bytes = Vec::new();
    file.take(PRELUDE).read_to_end(&mut bytes)?;
    // The library bounds this length: a header has 64 KiB at the most.
    if let Err(OpenError::Truncated { needed, found }) = Header::read(&bytes) {
        file.take(needed.saturating_sub(found)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn unreadable(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

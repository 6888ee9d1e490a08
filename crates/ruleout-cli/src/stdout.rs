//! What goes to standard output: results and nothing else.

use std::io::{self, Write};

use anyhow::{Error, Result};

/// Writes `bytes` through to standard output.
///
/// # Errors
/// When it cannot be written; [`reader_has_gone`] tells a closed pipe from the rest.
pub fn print(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(failed)
}

/// Makes what was printed safe from a power cut, where standard output is a file.
///
/// # Errors
/// When it cannot be done.
pub fn sync() -> Result<()> {
    #[cfg(unix)]
    {
        let out = io::stdout();
        let is_file = rustix::fs::fstat(&out)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file());
        if is_file {
            rustix::fs::fsync(&out).map_err(|error| failed(error.into()))?;
        }
    }
    Ok(())
}

/// [`print`] of what does not decide the outcome: when nobody reads it any more, the work goes on all the same.
///
/// # Errors
/// As [`print`], but for a closed pipe.
pub fn offer(bytes: &[u8]) -> Result<()> {
    match print(bytes) {
        Err(error) if reader_has_gone(&error) => Ok(()),
        printed => printed,
    }
}

/// Prints a JSON value and a newline.
///
/// # Errors
/// As [`print`].
pub fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&json_text(value))
}

/// A JSON value and a newline.
pub fn json_text(value: &serde_json::Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}

/// Wraps a failure to write to standard output.
pub fn failed(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Error::new(ReaderHasGone);
    }
    Error::new(error).context("cannot write to standard output")
}

/// Whether `error` says that nobody reads our standard output any more: the end of the work, not a failure.
pub fn reader_has_gone(error: &Error) -> bool {
    error.is::<ReaderHasGone>()
}

/// The reading end of standard output is closed.
#[derive(Debug)]
struct ReaderHasGone;

impl std::fmt::Display for ReaderHasGone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("standard output is closed")
    }
}

impl std::error::Error for ReaderHasGone {}

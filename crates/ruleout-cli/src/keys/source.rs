//! Where keys come from: files and standard input, compressed or not.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, IsTerminal as _, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A file to read, or standard input.
#[derive(Clone, Debug)]
pub enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The inputs that `paths` name: `-` is standard input, and so is no path at all.
    pub fn list(paths: &[PathBuf]) -> Vec<Self> {
        if paths.is_empty() {
            return vec![Self::Stdin];
        }
        let named =
            |path: &PathBuf| if path == Path::new("-") { Self::Stdin } else { Self::File(path.clone()) };
        paths.iter().map(named).collect()
    }

    /// Bytes to read, compressed ones as they are; `None` when only reading will tell.
    pub fn len(&self) -> Option<u64> {
        let Self::File(path) = self else { return None };
        path.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len())
    }

    /// Whether somebody has to type the keys.
    pub fn is_typed(&self) -> bool {
        matches!(self, Self::Stdin) && io::stdin().is_terminal()
    }

    /// Opens the input, counting the bytes taken from it in `taken`.
    pub fn open(&self, decompress: bool, taken: &Rc<Cell<u64>>) -> io::Result<Source> {
        let file: Box<dyn Read> = match self {
            Self::Stdin => Box::new(io::stdin().lock()),
            Self::File(path) => {
                let file = File::open(path)?;
                // Opening a directory succeeds; only reading it would fail, and less clearly.
                if file.metadata()?.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                Box::new(file)
            }
        };
        let raw = Counted { inner: file, taken: Rc::clone(taken) };
        if decompress {
            Source::decompressed(raw)
        } else {
            Ok(Source { bytes: Box::new(raw), encoding: None })
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The bytes of an input, decompressed.
pub struct Source {
    pub bytes: Box<dyn Read>,
    /// The compression taken off, by name.
    pub encoding: Option<&'static str>,
}

const GZIP: &[u8] = &[0x1f, 0x8b, 8];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Frames to skip, with which parallel and seekable zstd files may begin: the first byte is 0x50 to 0x5f.
const ZSTD_SKIPPABLE: [[u8; 4]; 16] = {
    let mut magics = [[0x50, 0x2a, 0x4d, 0x18]; 16];
    let mut i = 0;
    while i < magics.len() {
        magics[i][0] += i as u8;
        i += 1;
    }
    magics
};
const BOM: &[u8] = &[0xef, 0xbb, 0xbf];

impl Source {
    fn decompressed(mut raw: impl Read + 'static) -> io::Result<Self> {
        let mut magics = vec![GZIP, ZSTD];
        magics.extend(ZSTD_SKIPPABLE.iter().map(|magic| &magic[..]));
        let start = peek(&mut raw, &magics)?;
        let gzip = start.starts_with(GZIP);
        let zstd = magics[1..].iter().any(|magic| start.starts_with(magic));
        let whole = Cursor::new(start).chain(raw);
        Ok(if gzip {
            let members = flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(128 << 10, whole));
            Self { bytes: Box::new(members), encoding: Some("gzip") }
        } else if zstd {
            Self { bytes: Box::new(zstd::Decoder::new(whole)?), encoding: Some("zstd") }
        } else {
            Self { bytes: Box::new(whole), encoding: None }
        })
    }

    /// Drops a byte order mark, and says whether there was one.
    pub fn drop_bom(&mut self) -> io::Result<bool> {
        let start = peek(&mut self.bytes, &[BOM])?;
        if start == BOM {
            return Ok(true);
        }
        let rest = std::mem::replace(&mut self.bytes, Box::new(io::empty()));
        self.bytes = Box::new(Cursor::new(start).chain(rest));
        Ok(false)
    }
}

/// Reads until it is clear whether the source begins with one of `magics`, and no byte past the longest.
///
/// A pipe that gives one line and waits is not made to wait for a second.
fn peek(source: &mut impl Read, magics: &[&[u8]]) -> io::Result<Vec<u8>> {
    let longest = magics.iter().map(|magic| magic.len()).max().unwrap_or(0);
    let mut start = vec![0; longest];
    let mut filled = 0;
    while magics.iter().any(|magic| filled < magic.len() && magic.starts_with(&start[..filled])) {
        match source.read(&mut start[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    start.truncate(filled);
    Ok(start)
}

/// Counts the bytes read through it.
struct Counted<R> {
    inner: R,
    taken: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.taken.set(self.taken.get() + read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peeking_reads_no_further_than_it_must() {
        let mut short = &b"a\n"[..];
        assert_eq!(peek(&mut short, &[GZIP, ZSTD]).unwrap(), b"a\n");
        let mut long = &b"\xef\xbb\xbfabc"[..];
        assert_eq!(peek(&mut long, &[BOM]).unwrap(), BOM);
        assert_eq!(long, b"abc");
        assert_eq!(peek(&mut &b""[..], &[BOM]).unwrap(), b"");
        assert_eq!(peek(&mut &b"\xef\xbb"[..], &[BOM]).unwrap(), b"\xef\xbb");
    }
}

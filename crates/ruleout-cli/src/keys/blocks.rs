//! Big reads cut at the end of a record.

use std::io::{self, Read};

use memchr::memrchr;

/// The longest record, without its terminator.
pub const LONGEST_RECORD: usize = 64 << 20;

/// Room to begin with: large enough to make reads cheap, small enough to stay in the second-level cache.
const FIRST_ROOM: usize = 256 << 10;

/// Reads a source in blocks that hold whole records.
pub struct Blocks<R> {
    source: R,
    terminator: u8,
    buffer: Vec<u8>,
    /// Bytes at the front of the buffer that the last call lent out.
    lent: usize,
    /// Bytes in the buffer, the lent ones included.
    filled: usize,
    ended: bool,
}

/// Why there is no next block.
#[derive(Debug)]
pub enum BlockError {
    /// The source cannot be read.
    Read(io::Error),
    /// A record is longer than [`LONGEST_RECORD`].
    TooLong,
}

impl<R: Read> Blocks<R> {
    /// Will read `source`, whose records end in `terminator`.
    pub fn new(source: R, terminator: u8) -> Self {
        Self { source, terminator, buffer: vec![0; FIRST_ROOM], lent: 0, filled: 0, ended: false }
    }

    /// The next whole records, each with its terminator; the very last may lack it. `None` at the end.
    ///
    /// It waits for one whole record, not for a full buffer, so that a slow pipe is answered as it comes.
    pub fn next(&mut self) -> Result<Option<&[u8]>, BlockError> {
        self.buffer.copy_within(self.lent..self.filled, 0);
        self.filled -= self.lent;
        self.lent = 0;
        // What was carried over holds no terminator, or it would have been lent.
        let mut searched = self.filled;
        while !self.ended {
            if self.filled == self.buffer.len() {
                self.grow()?;
            }
            let read = match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(BlockError::Read(error)),
            };
            self.ended = read == 0;
            self.filled += read;
            if let Some(last) = memrchr(self.terminator, &self.buffer[searched..self.filled]) {
                self.lent = searched + last + 1;
                return Ok(Some(&self.buffer[..self.lent]));
            }
            searched = self.filled;
        }
        if self.filled > LONGEST_RECORD {
            return Err(BlockError::TooLong);
        }
        self.lent = self.filled;
        Ok(Some(&self.buffer[..self.lent]).filter(|block| !block.is_empty()))
    }

    fn grow(&mut self) -> Result<(), BlockError> {
        let most = LONGEST_RECORD + 1;
        if self.buffer.len() >= most {
            return Err(BlockError::TooLong);
        }
        self.buffer.resize((self.buffer.len() * 2).min(most), 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that gives `step` bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(into.len());
            into[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn all(source: impl Read) -> Vec<Vec<u8>> {
        let mut blocks = Blocks::new(source, b'\n');
        let mut found = Vec::new();
        while let Some(block) = blocks.next().unwrap() {
            found.push(block.to_vec());
        }
        assert!(blocks.next().unwrap().is_none(), "the end stays the end");
        found
    }

    #[test]
    fn nothing_is_lost_whatever_the_reads() {
        let text: Vec<u8> =
            (0..2000).flat_map(|i| format!("{}\n", "x".repeat(i % 37)).into_bytes()).collect();
        for text in [&text[..], &text[..text.len() - 1], b"", b"\n", b"one", b"\n\n"] {
            for step in [1, 2, 3, 7, 1000, usize::MAX] {
                let found = all(Drip(text, step));
                assert_eq!(found.concat(), text);
                let (last, whole) = found.split_last().map_or((None, &found[..]), |(l, w)| (Some(l), w));
                assert!(whole.iter().all(|block| block.ends_with(b"\n")));
                assert!(last.is_none_or(|block| !block.is_empty()));
            }
        }
    }

    #[test]
    fn a_record_longer_than_the_first_room_is_whole() {
        let mut text = vec![b'x'; 3 * FIRST_ROOM + 17];
        text.extend(b"\nshort\nlast");
        assert_eq!(all(&text[..]).concat(), text);
    }

    #[test]
    fn the_longest_record_passes_and_a_longer_one_does_not() {
        let longest = io::repeat(b'x').take(LONGEST_RECORD as u64);
        assert_eq!(all(longest.chain(&b"\n"[..])).concat().len(), LONGEST_RECORD + 1);
        for end in [&b"x"[..], b"x\n"] {
            let longest = io::repeat(b'x').take(LONGEST_RECORD as u64);
            let error = Blocks::new(longest.chain(end), b'\n').next().map(|_| ()).unwrap_err();
            assert!(matches!(error, BlockError::TooLong));
        }
    }
}

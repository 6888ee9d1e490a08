//! The buffer of an owned filter.

use alloc::vec::Vec;
use core::fmt;

use crate::error::AllocError;
use crate::simd;

/// A cache line in bytes; every payload starts at a multiple of it, in memory as in a file.
const LINE: usize = 64;
const WORD: usize = size_of::<u64>();

/// An owned, zero-initialised byte buffer that starts on a cache line.
///
/// A blocked filter touches one cache line per key only when its lines are the machine's. The allocation is a
/// few words longer than asked, and the bytes begin at its first 64-byte boundary.
///
/// Only this crate makes one, so that a filter over a `Buf` is one that was built here or verified: it can change and
/// be saved. Bytes from outside give a view, and [`Native::to_owned`](crate::Native::to_owned) the way from there.
///
/// ```compile_fail,E0624
/// let bytes = ruleout::Buf::zeroed(64).unwrap(); // private: nobody can fill one with bytes and open it
/// ```
pub struct Buf {
    /// Whole words, so that a buffer can become atomic words and come back without a copy.
    words: Vec<u64>,
    /// Index of the first word in use.
    start: usize,
    /// Length in bytes.
    len: usize,
}

impl Buf {
    /// Allocates `len` zero bytes.
    ///
    /// # Errors
    /// [`AllocError`] when the allocator refuses; nothing is allocated then.
    pub(crate) fn zeroed(len: usize) -> Result<Self, AllocError> {
        let refused = AllocError { bytes: len as u64 };
        let words_needed = len.div_ceil(WORD).checked_add(LINE / WORD - 1).ok_or(refused)?;
        let mut words = Vec::new();
        words.try_reserve_exact(words_needed).map_err(|_| refused)?;
        words.resize(words_needed, 0);
        Ok(Self::from_words(words, len))
    }

    /// A copy of `bytes`.
    ///
    /// # Errors
    /// [`AllocError`] when the allocator refuses.
    pub(crate) fn copy_of(bytes: &[u8]) -> Result<Self, AllocError> {
        let mut buf = Self::zeroed(bytes.len())?;
        buf.as_mut().copy_from_slice(bytes);
        Ok(buf)
    }

    /// Makes it `len` bytes long; bytes it gains are zero.
    ///
    /// A large allocation is extended by the system where it lies or moved by its page tables: no second copy of it is
    /// in memory meanwhile.
    ///
    /// # Errors
    /// [`AllocError`] when the allocator refuses; nothing has changed then.
    pub(crate) fn grow(&mut self, len: usize) -> Result<(), AllocError> {
        let refused = AllocError { bytes: len as u64 };
        let words_needed = len.div_ceil(WORD).checked_add(LINE / WORD - 1).ok_or(refused)?;
        let more = words_needed.saturating_sub(self.words.len());
        self.words.try_reserve_exact(more).map_err(|_| refused)?;
        self.words.resize(self.words.len() + more, 0);
        let (start, used) = (aligned_start(&self.words, len), self.len.div_ceil(WORD));
        if start != self.start {
            // The allocation moved to where cache lines begin elsewhere in it.
            self.words.copy_within(self.start..self.start + used, start);
            self.words[start + used..].fill(0);
            self.start = start;
        }
        self.len = len;
        Ok(())
    }

    /// Makes it no longer than `len` bytes; the memory is kept.
    pub(crate) fn truncate(&mut self, len: usize) {
        if let Some(rest) = self.as_mut().get_mut(len..) {
            // Zero, so that they are when it grows again.
            rest.fill(0);
            self.len = len;
        }
    }

    fn from_words(words: Vec<u64>, len: usize) -> Self {
        let start = aligned_start(&words, len);
        Self { words, start, len }
    }

    /// Takes the words apart: all of them, the index of the first in use, the length in bytes.
    pub(crate) fn into_parts(self) -> (Vec<u64>, usize, usize) {
        (self.words, self.start, self.len)
    }

    /// Puts a buffer together from what [`Buf::into_parts`] gave.
    pub(crate) fn from_parts(words: Vec<u64>, start: usize, len: usize) -> Self {
        debug_assert!(start * WORD + len <= words.len() * WORD);
        Self { words, start, len }
    }
}

/// The first index at which `len` bytes of `words` begin on a cache line.
fn aligned_start(words: &[u64], len: usize) -> usize {
    let spare = words.len() - len.div_ceil(WORD);
    // `align_offset` may decline to answer; an unaligned buffer is slower, never wrong.
    match words.as_ptr().align_offset(LINE) {
        offset if offset <= spare => offset,
        _ => 0,
    }
}

impl AsRef<[u8]> for Buf {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &simd::as_bytes(&self.words)[self.start * WORD..][..self.len]
    }
}

impl AsMut<[u8]> for Buf {
    #[inline]
    fn as_mut(&mut self) -> &mut [u8] {
        &mut simd::as_bytes_mut(&mut self.words)[self.start * WORD..][..self.len]
    }
}

impl Clone for Buf {
    /// # Panics
    /// Aborts like any `Vec` when memory runs out; a copy of a view reports it instead.
    fn clone(&self) -> Self {
        let mut copy = Self::from_words(alloc::vec![0; self.words.len()], self.len);
        copy.as_mut().copy_from_slice(self.as_ref());
        copy
    }
}

impl fmt::Debug for Buf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buf({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_zero_aligned_and_exact() {
        for len in 0..300 {
            let mut buf = Buf::zeroed(len).unwrap();
            assert_eq!(buf.as_ref(), alloc::vec![0; len]);
            assert_eq!(buf.as_ref().as_ptr() as usize % LINE, 0);
            buf.as_mut().fill(7);
            let copy = buf.clone();
            assert_eq!(copy.as_ref(), buf.as_ref());
            assert_eq!(copy.as_ref().as_ptr() as usize % LINE, 0);
        }
    }

    #[test]
    fn growing_keeps_the_bytes_and_adds_zeros() {
        let mut buf = Buf::zeroed(0).unwrap();
        let mut expected = Vec::new();
        for step in 0..200 {
            let len = expected.len() + step * step % 97;
            buf.grow(len).unwrap();
            expected.resize(len, 0);
            assert_eq!(buf.as_ref(), expected);
            assert_eq!(buf.as_ref().as_ptr() as usize % LINE, 0);
            buf.as_mut().iter_mut().chain(&mut expected).for_each(|byte| *byte = step as u8 | 1);
            if step % 7 == 0 {
                buf.truncate(len / 2);
                expected.truncate(len / 2);
            }
        }
        let before = buf.as_ref().to_vec();
        assert_eq!(buf.grow(usize::MAX).unwrap_err(), AllocError { bytes: u64::MAX });
        assert_eq!(buf.as_ref(), before);
    }

    #[test]
    fn a_size_no_machine_has_is_refused_not_wrapped() {
        for len in [usize::MAX, usize::MAX / 4, usize::MAX - 63, isize::MAX as usize - 8] {
            assert_eq!(Buf::zeroed(len).unwrap_err(), AllocError { bytes: len as u64 });
        }
    }
}

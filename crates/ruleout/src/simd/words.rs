//! Words seen as the bytes they are made of.
#![allow(unsafe_code)]

/// The bytes of `words`, in memory order.
#[inline]
pub(crate) fn as_bytes(words: &[u64]) -> &[u8] {
    // SAFETY: `u64` has no padding and every bit pattern of it is eight valid bytes; the pointer and the length
    // in bytes are those of `words`, whose borrow the result keeps.
    unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// The bytes of `words`, in memory order, to write to.
#[inline]
pub(crate) fn as_bytes_mut(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: as in `as_bytes`; any bytes written make valid words, and the exclusive borrow is kept.
    unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

//! Asking for a cache line before it is needed.
#![allow(unsafe_code)]

/// Asks for the cache line of `bytes[at]` for reading; does nothing when `at` is out of range.
#[inline(always)]
pub(crate) fn prefetch_read(bytes: &[u8], at: usize) {
    prefetch::<false>(bytes, at);
}

/// Asks for the cache line of `bytes[at]` for writing; does nothing when `at` is out of range.
#[inline(always)]
pub(crate) fn prefetch_write(bytes: &[u8], at: usize) {
    prefetch::<true>(bytes, at);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch<const WRITE: bool>(bytes: &[u8], at: usize) {
    use core::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
    if let Some(byte) = bytes.get(at) {
        let address = core::ptr::from_ref(byte).cast::<i8>();
        // SAFETY: a prefetch reads nothing the program can see, and `address` points into `bytes`. SSE is part
        // of the x86-64 baseline; a CPU without PREFETCHW executes the hint as a no-op.
        unsafe {
            if WRITE {
                _mm_prefetch::<_MM_HINT_ET0>(address);
            } else {
                _mm_prefetch::<_MM_HINT_T0>(address);
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch<const WRITE: bool>(_bytes: &[u8], _at: usize) {}

//! Asking for a cache line before it is needed.
#![allow(unsafe_code)]

/// Asks for the cache line in which `items[at]` begins, for reading; does nothing when `at` is out of range.
#[inline(always)]
pub(crate) fn prefetch_read<T>(items: &[T], at: usize) {
    prefetch::<T, false>(items, at);
}

/// Asks for the cache line in which `items[at]` begins, for writing; does nothing when `at` is out of range.
#[inline(always)]
pub(crate) fn prefetch_write<T>(items: &[T], at: usize) {
    prefetch::<T, true>(items, at);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch<T, const WRITE: bool>(items: &[T], at: usize) {
    use core::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
    if let Some(item) = items.get(at) {
        let address = core::ptr::from_ref(item).cast::<i8>();
        // SAFETY: a prefetch reads nothing the program can see, and `address` points into `items`. SSE is part
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
fn prefetch<T, const WRITE: bool>(_items: &[T], _at: usize) {}

//! Asking for one hash, and for many by going through them and the codes side by side.

use alloc::vec::Vec;
use core::ops::Range;

use super::codes::Values;
use super::shape::Shape;
use crate::batch::test_found_ahead;
use crate::bits::Mask;
use crate::simd::{Kernel, WordOps, prefetch_read, run};

/// From so many hashes for each bucket on, sorting them costs less than reading codes again for each.
const WORTH_SORTING: u64 = 2;

/// So many hashes for each bucket are sorted at once: 16 bytes each, half a byte for each key of the filter.
const SORTED_AT_ONCE: u64 = 8;

/// A hash's value and the codes of its bucket.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: u64,
    end: u64,
    value: u64,
}

impl Place {
    #[inline(always)]
    fn of(shape: &Shape, payload: &[u8], hash: u64) -> Self {
        let (bucket, value) = shape.place(hash);
        let Range { start, end } = shape.codes(payload, bucket);
        Self { start, end, value }
    }

    /// Whether the value is in the bucket.
    #[inline(always)]
    fn is_in(self, shape: &Shape, payload: &[u8]) -> bool {
        for held in Values::new(payload, self.start..self.end, shape.size.rice_bits) {
            if held.value >= self.value {
                return held.value == self.value;
            }
        }
        false
    }

    /// Asks for the codes, from both ends on.
    #[inline(always)]
    fn prefetch(&self, payload: &[u8]) {
        const LINE: usize = 64;
        let (start, end) = ((self.start / 8) as usize, (self.end / 8) as usize);
        for line in 0..3 {
            prefetch_read(payload, start + line * LINE);
            prefetch_read(payload, end.saturating_sub(line * LINE));
        }
    }
}

/// Whether the value of `hash` is in the set.
#[inline]
pub(super) fn contains(shape: &Shape, payload: &[u8], hash: u64) -> bool {
    struct Contains<'a>(&'a Shape, u64);
    impl<'a> Kernel for Contains<'a> {
        type Data = &'a [u8];
        type Output = bool;

        // Of the word operations none is used: it is compiled to the instructions.
        #[inline(always)]
        fn run(self, payload: &'a [u8], _: impl WordOps) -> bool {
            Place::of(self.0, payload, self.1).is_in(self.0, payload)
        }
    }
    run(Contains(shape, hash), payload)
}

/// [`contains`] of each hash.
pub(super) fn contains_many(shape: &Shape, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
    if hashes.is_sorted() {
        hits.reset(hashes.len());
        merge(shape, payload, hashes.iter().copied().enumerate(), hits);
    } else if hashes.len() as u64 / WORTH_SORTING >= shape.size.buckets {
        hits.reset(hashes.len());
        let at_once =
            usize::try_from(shape.size.buckets.saturating_mul(SORTED_AT_ONCE)).unwrap_or(usize::MAX);
        let mut sorted = Vec::with_capacity(at_once.min(hashes.len()));
        let mut rest = hashes.iter().copied().enumerate();
        while rest.len() > 0 {
            sorted.clear();
            sorted.extend(rest.by_ref().take(at_once));
            sorted.sort_unstable_by_key(|&(_, hash)| hash);
            merge(shape, payload, sorted.iter().copied(), hits);
        }
    } else {
        test_found_ahead(
            hashes,
            hits,
            |hash| {
                let place = Place::of(shape, payload, hash);
                place.prefetch(payload);
                place
            },
            |place| place.is_in(shape, payload),
        );
    }
}

/// Marks in `hits` those of the hashes, which ascend, whose values are in the set; each comes with its index.
fn merge(shape: &Shape, payload: &[u8], hashes: impl Iterator<Item = (usize, u64)>, hits: &mut Mask) {
    let mut bucket = None;
    let mut values = Values::new(payload, 0..0, 0);
    let mut held = None;
    for (index, hash) in hashes {
        let (its_bucket, value) = shape.place(hash);
        if bucket != Some(its_bucket) {
            bucket = Some(its_bucket);
            values = Values::new(payload, shape.codes(payload, its_bucket), shape.size.rice_bits);
            held = values.next();
        }
        while held.is_some_and(|held| held.value < value) {
            held = values.next();
        }
        if held.is_some_and(|held| held.value == value) {
            hits.set(index, true);
        }
    }
}

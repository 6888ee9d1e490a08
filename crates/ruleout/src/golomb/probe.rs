//! Asking for one hash, and for many by going through them and the codes side by side.

use alloc::vec::Vec;
use core::ops::Range;

use super::codes::{Value, Values};
use super::shape::Shape;
use crate::bits::Mask;
use crate::simd::{Kernel, WordOps, prefetch_read, run};

/// From so many hashes for each bucket on, sorting them costs less than reading codes again for each.
const WORTH_SORTING: u64 = 2;

/// So many hashes for each bucket are sorted at once, or so many where there are few buckets: 16 bytes for each, a byte for
/// each key of the filter.
const SORTED_AT_ONCE: (u64, u64) = (16, 1 << 14);

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
    fn is_in(&self, shape: &Shape, payload: &[u8]) -> bool {
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
    hits.reset(hashes.len());
    if hashes.is_sorted() {
        run(Merge(shape, hashes.iter().copied().enumerate(), hits), payload);
    } else if hashes.len() as u64 / WORTH_SORTING >= shape.size.buckets {
        // No more buckets than hashes, so both counts are of things in memory.
        let at_once = (shape.size.buckets * SORTED_AT_ONCE.0).max(SORTED_AT_ONCE.1) as usize;
        let mut sorter = Sorter::default();
        for (part, first) in hashes.chunks(at_once).zip((0..).step_by(at_once)) {
            let sorted = sorter.sort(shape, part, first).iter().copied();
            run(Merge(shape, sorted, hits), payload);
        }
    } else {
        run(Each(shape, hashes, hits), payload);
    }
}

/// Puts hashes in ascending order, each with its index in the batch: dealt out to their buckets first.
#[derive(Default)]
struct Sorter {
    /// Where the next hash of a bucket goes; in the end, where the next bucket's begin.
    ends: Vec<usize>,
    sorted: Vec<(usize, u64)>,
}

impl Sorter {
    fn sort(&mut self, shape: &Shape, hashes: &[u64], first: usize) -> &[(usize, u64)] {
        let Self { ends, sorted } = self;
        let bucket = |hash| shape.place(hash).0 as usize;
        ends.clear();
        ends.resize(shape.size.buckets as usize + 1, 0);
        hashes.iter().for_each(|&hash| ends[bucket(hash) + 1] += 1);
        ends.iter_mut().fold(0, |sum, end| {
            *end += sum;
            *end
        });
        sorted.resize(hashes.len(), (0, 0));
        for (&hash, index) in hashes.iter().zip(first..) {
            let end = &mut ends[bucket(hash)];
            sorted[*end] = (index, hash);
            *end += 1;
        }
        let mut start = 0;
        for &end in &*ends {
            sorted[start..end].sort_unstable_by_key(|&(_, hash)| hash);
            start = end;
        }
        sorted
    }
}

/// Each for itself, with the memory of later ones asked for ahead.
struct Each<'a>(&'a Shape, &'a [u64], &'a mut Mask);

impl<'a> Kernel for Each<'a> {
    type Data = &'a [u8];
    type Output = ();

    #[inline(always)]
    fn run(self, payload: &'a [u8], _: impl WordOps) {
        const AHEAD: usize = 8;
        let Self(shape, hashes, hits) = self;
        let mut places = [Place::default(); AHEAD];
        // No closure around the probe: it would be compiled without the instructions.
        for i in 0..hashes.len() + AHEAD {
            let place = &mut places[i % AHEAD];
            if let Some(asked) = i.checked_sub(AHEAD)
                && place.is_in(shape, payload)
            {
                hits.set(asked, true);
            }
            if let Some(&hash) = hashes.get(i) {
                *place = Place::of(shape, payload, hash);
                place.prefetch(payload);
            }
        }
    }
}

/// Those of an ascending sequence side by side with the codes, each of which is read once; a hash comes with its index.
struct Merge<'a, I>(&'a Shape, I, &'a mut Mask);

impl<'a, I: Iterator<Item = (usize, u64)>> Kernel for Merge<'a, I> {
    type Data = &'a [u8];
    type Output = ();

    #[inline(always)]
    fn run(self, payload: &'a [u8], _: impl WordOps) {
        let Self(shape, hashes, hits) = self;
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
            while let Some(Value { value: behind, .. }) = held {
                if behind >= value {
                    break;
                }
                held = values.next();
            }
            if held.is_some_and(|held| held.value == value) {
                hits.set(index, true);
            }
        }
    }
}

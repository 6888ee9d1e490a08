//! Sorting hashes.

use alloc::vec::Vec;

use super::Part;

/// The counters of so many buckets leave room for the hashes in a second-level cache.
const MAX_BUCKET_BITS: u32 = 16;
/// With more hashes than this in a bucket they are not uniform.
const CROWD: u32 = 64;

/// Sorts parts of the hashes, and drops what is there twice.
///
/// Hashes are uniform, so that the bits after those which all of a part share tell nearly where each belongs: one pass
/// over them deals the hashes into as many buckets, of which most get one hash or two, and then each has a few places to
/// go. Hashes that are not uniform take longer, and no longer than any sort.
#[derive(Default)]
pub(super) struct Sorter {
    dealt: Vec<u64>,
    ends: Vec<u32>,
}

impl Sorter {
    /// Sorts the hashes of a part, which have their `shared` high bits in common.
    pub(super) fn sort(&mut self, part: &mut Part, shared: u32) {
        if self.deal(part, shared) {
            insertion_sort(&mut self.dealt);
        } else {
            self.dealt.clear();
            part.chunks().for_each(|chunk| self.dealt.extend_from_slice(chunk));
            self.dealt.sort_unstable();
        }
        self.dealt.dedup();
        part.refill(&self.dealt);
    }

    /// Deals the hashes into buckets, in order; `false` when they are too many or too crowded for that.
    fn deal(&mut self, part: &Part, shared: u32) -> bool {
        let len = part.len();
        let bits = len.checked_ilog2().map_or(0, |bits| bits.min(MAX_BUCKET_BITS));
        // In two steps, for without bits it would be a shift by all 64.
        let bucket_of = |hash: u64| (((hash << shared) >> 1) >> (u64::BITS - 1 - bits)) as usize;
        if len >> bits > u64::from(CROWD / 2) {
            return false;
        }
        self.ends.clear();
        self.ends.resize(1 << bits, 0);
        for chunk in part.chunks() {
            chunk.iter().for_each(|&hash| self.ends[bucket_of(hash)] += 1);
        }
        let (mut start, mut most) = (0, 0);
        for end in &mut self.ends {
            most = most.max(*end);
            start += core::mem::replace(end, start);
        }
        if most > CROWD {
            return false;
        }
        self.dealt.clear();
        self.dealt.resize(len as usize, 0);
        for chunk in part.chunks() {
            for &hash in chunk {
                // What was a bucket's start is its end when all are dealt.
                let end = &mut self.ends[bucket_of(hash)];
                self.dealt[*end as usize] = hash;
                *end += 1;
            }
        }
        true
    }
}

/// Sorts what is nearly sorted.
fn insertion_sort(hashes: &mut [u64]) {
    for i in 1..hashes.len() {
        let hash = hashes[i];
        let mut place = i;
        while place > 0 && hashes[place - 1] > hash {
            hashes[place] = hashes[place - 1];
            place -= 1;
        }
        hashes[place] = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform, all equal, equal in the bits that deal, ascending: against the standard library.
    #[test]
    fn parts_are_sorted_and_each_hash_is_there_once() {
        let mut sorter = Sorter::default();
        let mut mixed = 1u64;
        let mut next = || {
            mixed = mixed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            mixed
        };
        for len in [0, 1, 2, 31, 32, 33, 1000, 40_000, 3_000_000] {
            let kinds: [&mut dyn FnMut(u64) -> u64; 5] =
                [&mut |_| next() >> 8, &mut |_| 7, &mut |i| i % 100, &mut |i| i << 40, &mut |i| {
                    ((i % 50) << 48) | (i % 3)
                }];
            for kind in kinds {
                let mut part = Part::default();
                (0..len).map(kind).for_each(|hash| part.push(hash));
                let mut expected: Vec<u64> = part.chunks().flatten().copied().collect();
                assert_eq!(expected.len() as u64, len);
                expected.sort_unstable();
                expected.dedup();
                sorter.sort(&mut part, 8);
                assert_eq!(part.chunks().flatten().copied().collect::<Vec<_>>(), expected, "{len}");
            }
        }
    }
}

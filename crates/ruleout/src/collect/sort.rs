//! Sorting hashes.

use alloc::vec::Vec;

use super::Part;

/// How many hashes a bucket gets, about: few enough for an insertion sort.
const PER_BUCKET: usize = 4;
/// The counters of so many buckets leave room for the hashes in a second-level cache.
const MAX_BUCKET_BITS: u32 = 14;

/// Sorts parts of the hashes, and drops what is there twice.
///
/// Hashes are uniform, so that the bits after those which all of a part share tell nearly where each belongs: one pass
/// over them deals the hashes into buckets of a few, which are sorted one by one. Hashes that are not uniform take
/// longer, and no longer than any sort.
#[derive(Default)]
pub(super) struct Sorter {
    dealt: Vec<u64>,
    ends: Vec<usize>,
}

impl Sorter {
    /// Sorts the hashes of a part, which have their `shared` high bits in common.
    pub(super) fn sort(&mut self, part: &mut Part, shared: u32) {
        let len = part.hashes().count();
        let bits = (len / PER_BUCKET).checked_ilog2().map_or(0, |bits| bits.min(MAX_BUCKET_BITS));
        // In two steps, for without bits it would be a shift by all 64.
        let bucket_of = |hash: u64| (((hash << shared) >> 1) >> (u64::BITS - 1 - bits)) as usize;
        self.ends.clear();
        self.ends.resize(1 << bits, 0);
        part.hashes().for_each(|hash| self.ends[bucket_of(hash)] += 1);
        let mut start = 0;
        for end in &mut self.ends {
            start += core::mem::replace(end, start);
        }
        self.dealt.clear();
        self.dealt.resize(len, 0);
        for hash in part.hashes() {
            // What was a bucket's start is its end when all are dealt.
            let end = &mut self.ends[bucket_of(hash)];
            self.dealt[*end] = hash;
            *end += 1;
        }
        let mut start = 0;
        for &end in &self.ends {
            self.dealt[start..end].sort_unstable();
            start = end;
        }
        self.dealt.dedup();
        part.refill(&self.dealt);
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
        for len in [0, 1, 2, 31, 32, 33, 1000, 40_000] {
            let kinds: [&mut dyn FnMut(u64) -> u64; 5] =
                [&mut |_| next() >> 8, &mut |_| 7, &mut |i| i % 100, &mut |i| i << 40, &mut |i| {
                    ((i % 50) << 48) | (i % 3)
                }];
            for kind in kinds {
                let mut part = Part::default();
                (0..len).map(kind).for_each(|hash| part.push(hash));
                let mut expected: Vec<u64> = part.hashes().collect();
                assert_eq!(expected.len() as u64, len);
                expected.sort_unstable();
                expected.dedup();
                sorter.sort(&mut part, 8);
                assert_eq!(part.hashes().collect::<Vec<_>>(), expected, "{len}");
            }
        }
    }
}

//! Hashes gathered before a filter is sized for them.

mod part;
mod sort;
mod sorted;

use alloc::vec::Vec;
use core::num::NonZeroUsize;

use part::Part;
use sort::Sorter;
pub use sorted::SortedHashes;

/// How many of a hash's high bits choose its part: parts of 10^7 hashes then fit a second-level cache.
const PART_BITS: u32 = 8;

/// Collects 64-bit hashes and gives back each distinct one once, in ascending order.
///
/// Hashes are kept in 256 parts by their high bits, so that each part is sorted in cache and no single buffer
/// of all of them is ever grown or copied.
///
/// # Complexity
/// 8 bytes a hash, repeats included, until [`DistinctHashes::len`] or a build sorts them: O(n) where they are uniform,
/// as hashes are, O(n log n) where not.
///
/// ```
/// use ruleout::DistinctHashes;
/// let mut hashes: DistinctHashes = [3, 1 << 63, 3, 2].into_iter().collect();
/// assert_eq!(hashes.pushed(), 4);
/// assert_eq!(hashes.len(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct DistinctHashes {
    parts: Vec<Part>,
    pushed: u64,
    sorted: bool,
    threads: NonZeroUsize,
}

impl DistinctHashes {
    /// No hashes.
    pub fn new() -> Self {
        let parts = alloc::vec![Part::default(); 1 << PART_BITS];
        Self { parts, pushed: 0, sorted: true, threads: NonZeroUsize::MIN }
    }

    /// Sorts them, and solves the shards of a filter that is built once, on so many threads; one, if this is never
    /// called. What is built is the same. Without the feature `std` it is always one.
    pub fn set_threads(&mut self, threads: NonZeroUsize) {
        self.threads = threads;
    }

    /// Takes one hash.
    #[inline]
    pub fn push(&mut self, hash: u64) {
        self.parts[(hash >> (u64::BITS - PART_BITS)) as usize].push(hash);
        self.pushed += 1;
        self.sorted = false;
    }

    /// How many hashes were taken, repeats included.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// How many distinct hashes there are; sorts what has come since the last call.
    pub fn len(&mut self) -> u64 {
        self.sort();
        self.parts.iter().map(Part::len).sum()
    }

    /// Whether no hash was taken.
    pub fn is_empty(&self) -> bool {
        self.pushed == 0
    }

    /// The distinct hashes, in ascending order.
    pub fn into_sorted(mut self) -> SortedHashes {
        self.sort();
        SortedHashes::new(self.parts.into_iter().flat_map(Part::into_chunks).collect(), self.threads)
    }

    fn sort(&mut self) {
        if core::mem::replace(&mut self.sorted, true) {
            return;
        }
        let sort = |parts: &mut [Part]| {
            let mut sorter = Sorter::default();
            parts.iter_mut().for_each(|part| sorter.sort(part, PART_BITS));
        };
        #[cfg(feature = "std")]
        if self.threads.get() > 1 {
            let each = self.parts.len().div_ceil(self.threads.get());
            return std::thread::scope(|scope| {
                for parts in self.parts.chunks_mut(each) {
                    scope.spawn(move || sort(parts));
                }
            });
        }
        sort(&mut self.parts);
    }
}

impl Default for DistinctHashes {
    fn default() -> Self {
        Self::new()
    }
}

impl Extend<u64> for DistinctHashes {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, hashes: I) {
        hashes.into_iter().for_each(|hash| self.push(hash));
    }
}

impl FromIterator<u64> for DistinctHashes {
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        let mut all = Self::new();
        all.extend(hashes);
        all
    }
}

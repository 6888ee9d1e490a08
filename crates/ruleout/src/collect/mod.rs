//! Hashes gathered before a filter is sized for them.

mod sort;
mod sorted;

use alloc::vec::Vec;

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
/// 8 bytes a hash, repeats included, until [`DistinctHashes::len`] or a build sorts them: O(n log n).
///
/// ```
/// use ruleout::DistinctHashes;
/// let mut hashes: DistinctHashes = [3, 1 << 63, 3, 2].into_iter().collect();
/// assert_eq!(hashes.pushed(), 4);
/// assert_eq!(hashes.len(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct DistinctHashes {
    parts: Vec<Vec<u64>>,
    pushed: u64,
    sorted: bool,
}

impl DistinctHashes {
    /// No hashes.
    pub fn new() -> Self {
        Self { parts: alloc::vec![Vec::new(); 1 << PART_BITS], pushed: 0, sorted: true }
    }

    /// Takes one hash.
    #[inline]
    pub fn push(&mut self, hash: u64) {
        let part = &mut self.parts[(hash >> (u64::BITS - PART_BITS)) as usize];
        if part.len() == part.capacity() {
            // By a quarter, not twofold: at most a quarter of the memory stands empty.
            part.reserve_exact(part.len() / 4 + 8);
        }
        part.push(hash);
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
        self.parts.iter().map(|part| part.len() as u64).sum()
    }

    /// Whether no hash was taken.
    pub fn is_empty(&self) -> bool {
        self.pushed == 0
    }

    /// The distinct hashes, in ascending order.
    pub fn into_sorted(mut self) -> SortedHashes {
        self.sort();
        SortedHashes::new(self.parts)
    }

    fn sort(&mut self) {
        if !core::mem::replace(&mut self.sorted, true) {
            let mut sorter = Sorter::default();
            for part in &mut self.parts {
                sorter.sort(part, PART_BITS);
            }
        }
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

//! Hashes in ascending order, each of them once.

use alloc::vec::Vec;
use core::num::NonZeroUsize;

use crate::bits::scale;
use crate::error::BuildError;

/// Distinct hashes in ascending order: what a filter is built of.
///
/// Comes from [`DistinctHashes::into_sorted`](super::DistinctHashes::into_sorted).
#[derive(Clone, Debug)]
pub struct SortedHashes {
    /// None is empty.
    parts: Vec<Vec<u64>>,
    len: u64,
    threads: NonZeroUsize,
}

impl SortedHashes {
    /// Hashes ascending from the first part's first to the last part's last.
    pub(super) fn new(parts: Vec<Vec<u64>>, threads: NonZeroUsize) -> Self {
        let len = parts.iter().map(|part| part.len() as u64).sum();
        Self { parts, len, threads }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many threads may work on them.
    #[cfg_attr(not(feature = "std"), allow(dead_code))]
    pub(crate) fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    /// Gives all of them to `take`, a few at a time, in order.
    ///
    /// # Errors
    /// Those of `take`, after which it is not called again.
    pub fn each(&mut self, mut take: impl FnMut(&[u64]) -> Result<(), BuildError>) -> Result<(), BuildError> {
        self.parts.iter().try_for_each(|part| take(part))
    }

    /// Gives all of them, in order, to `read` as one iterator; gives what it gives.
    ///
    /// # Errors
    /// None as long as the hashes are in memory.
    pub(crate) fn read_through<R>(
        &mut self,
        read: impl FnOnce(&mut dyn Iterator<Item = u64>) -> R,
    ) -> Result<R, BuildError> {
        Ok(read(&mut self.parts.iter().flatten().copied()))
    }

    /// The hashes of one shard, in order: those hashes `h` with `⌊h · shards / 2^64⌋ = shard`.
    pub(crate) fn shard(&self, shard: u64, shards: u64) -> Vec<&[u64]> {
        let of = |hash: &u64| scale(*hash, shards);
        let first = self.parts.partition_point(|part| part.last().is_some_and(|last| of(last) < shard));
        let parts = self.parts[first..].iter();
        parts
            .take_while(|part| part.first().is_some_and(|first| of(first) <= shard))
            .map(|part| {
                let start = part.partition_point(|hash| of(hash) < shard);
                let end = part.partition_point(|hash| of(hash) <= shard);
                &part[start..end]
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::DistinctHashes;

    fn hashes(n: u64) -> DistinctHashes {
        (0..n).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).chain([0, u64::MAX, 0]).collect()
    }

    #[test]
    fn shards_have_every_hash_once_and_in_its_place() {
        for n in [0, 1, 255, 10_000, 600_000] {
            for (shards, threads) in [(1, 1), (2, 2), (3, 3), (255, 1), (256, 300), (257, 2), (1000, 1)] {
                let mut distinct = hashes(n);
                distinct.set_threads(NonZeroUsize::new(threads).unwrap());
                let mut sorted = distinct.into_sorted();
                let (mut all, len) = (Vec::new(), sorted.len());
                let mut take = |some: &[u64]| {
                    all.extend_from_slice(some);
                    Ok(())
                };
                sorted.each(&mut take).unwrap();
                assert!(all.is_sorted_by(|a, b| a < b) && all.len() as u64 == len);
                let mut of_shards = Vec::new();
                for shard in 0..shards {
                    for hashes in sorted.shard(shard, shards) {
                        assert!(hashes.iter().all(|&hash| scale(hash, shards) == shard));
                        of_shards.extend_from_slice(hashes);
                    }
                }
                assert_eq!(of_shards, all, "{n} {shards}");
            }
        }
    }
}

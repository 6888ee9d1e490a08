//! Hashes in ascending order, each of them once.

use alloc::vec::Vec;

use crate::error::BuildError;

/// Distinct hashes in ascending order: what a filter is built of.
///
/// Comes from [`DistinctHashes::into_sorted`](super::DistinctHashes::into_sorted).
#[derive(Clone, Debug)]
pub struct SortedHashes {
    parts: Vec<Vec<u64>>,
    len: u64,
}

impl SortedHashes {
    /// Hashes ascending from the first part's first to the last part's last.
    pub(super) fn new(parts: Vec<Vec<u64>>) -> Self {
        let len = parts.iter().map(|part| part.len() as u64).sum();
        Self { parts, len }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
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

    /// All of them, one shard after the other: shard `s` of `shards` has the hashes `h` with
    /// `⌊h · shards / 2^64⌋ = s`. Their memory is freed on the way.
    ///
    /// # Panics
    /// When `shards` is 0.
    pub fn into_shards(self, shards: u64) -> impl Iterator<Item = Result<Vec<u64>, BuildError>> {
        assert!(shards > 0, "no shards");
        let mut parts = self.parts.into_iter();
        // What of a part belongs to later shards.
        let mut rest = parts.next().unwrap_or_default();
        (0..shards).map(move |shard| {
            let mut hashes = Vec::new();
            loop {
                let here = rest.partition_point(|&hash| shard_of(hash, shards) <= shard);
                if here < rest.len() {
                    let later = rest.split_off(here);
                    append(&mut hashes, core::mem::replace(&mut rest, later));
                    return Ok(hashes);
                }
                append(&mut hashes, core::mem::take(&mut rest));
                match parts.next() {
                    Some(part) => rest = part,
                    None => return Ok(hashes),
                }
            }
        })
    }
}

/// The shard of a hash; a later hash has the same or a later one.
#[inline(always)]
pub(crate) fn shard_of(hash: u64, shards: u64) -> u64 {
    ((u128::from(hash) * u128::from(shards)) >> 64) as u64
}

fn append(all: &mut Vec<u64>, more: Vec<u64>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.extend(more);
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
        for n in [0, 1, 255, 10_000] {
            for shards in [1, 2, 3, 255, 256, 257, 1000] {
                let mut sorted = hashes(n).into_sorted();
                let (mut all, len) = (Vec::new(), sorted.len());
                let mut take = |some: &[u64]| {
                    all.extend_from_slice(some);
                    Ok(())
                };
                sorted.each(&mut take).unwrap();
                assert!(all.is_sorted_by(|a, b| a < b) && all.len() as u64 == len);
                let mut of_shards = Vec::new();
                for (shard, hashes) in sorted.into_shards(shards).enumerate() {
                    let hashes = hashes.unwrap();
                    assert!(hashes.iter().all(|&hash| shard_of(hash, shards) == shard as u64));
                    of_shards.extend(hashes);
                }
                assert_eq!(of_shards, all, "{n} {shards}");
            }
        }
    }
}

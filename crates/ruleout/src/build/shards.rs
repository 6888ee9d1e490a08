//! Going through the shards of a set.

use alloc::vec::Vec;

use super::{Sink, Watch};
use crate::collect::SortedHashes;
use crate::error::BuildError;

/// Solves every shard, and writes the solutions one behind the other; gives what else each solution gave.
///
/// `solve` gets the number of a shard, its hashes in ascending order, zeros to write the solution to, and memory that
/// it may keep from one shard to the next. Shards are those of
/// [`SortedHashes::into_shards`](crate::collect::SortedHashes::into_shards).
pub(crate) fn solve_shards<S: Default, R>(
    hashes: SortedHashes,
    shards: u64,
    shard_bytes: usize,
    payload: &mut Sink<'_>,
    watch: &mut Watch<'_>,
    solve: impl Fn(u64, &[u64], &mut [u8], &mut S) -> Result<R, BuildError>,
) -> Result<Vec<R>, BuildError> {
    let mut scratch = S::default();
    let mut solution = alloc::vec![0; shard_bytes];
    let mut results = Vec::new();
    for (shard, hashes) in (0..).zip(hashes.into_shards(shards)) {
        let hashes = hashes?;
        solution.fill(0);
        results.push(solve(shard, &hashes, &mut solution, &mut scratch)?);
        payload.write(&solution)?;
        watch.step(hashes.len() as u64)?;
    }
    Ok(results)
}

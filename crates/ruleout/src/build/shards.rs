//! Going through the shards of a set.

use alloc::vec::Vec;

use super::{Sink, Watch};
use crate::collect::SortedHashes;
use crate::error::BuildError;

/// Solves every shard, and writes the solutions one behind the other; gives what else each solution gave.
///
/// `solve` gets the hashes of a shard ([`SortedHashes::shard`]) in ascending order, zeros to write the solution to, and
/// memory that it may keep from one shard to the next. It is called on as many threads as the hashes allow.
pub(crate) fn solve_shards<S: Default, R: Send>(
    hashes: &SortedHashes,
    shards: u64,
    shard_bytes: usize,
    payload: &mut Sink<'_>,
    watch: &mut Watch<'_>,
    solve: impl Fn(&[&[u64]], &mut [u8], &mut S) -> Result<R, BuildError> + Sync,
) -> Result<Vec<R>, BuildError> {
    #[cfg(feature = "std")]
    if hashes.threads().get() > 1 && shards > 1 {
        return threaded::solve_shards(hashes, shards, shard_bytes, payload, watch, solve);
    }
    let (mut scratch, mut solution) = (S::default(), alloc::vec![0; shard_bytes]);
    let mut results = Vec::new();
    for shard in 0..shards {
        let hashes = hashes.shard(shard, shards);
        solution.fill(0);
        results.push(solve(&hashes, &mut solution, &mut scratch)?);
        payload.write(&solution)?;
        watch.step(count(&hashes))?;
    }
    Ok(results)
}

fn count(hashes: &[&[u64]]) -> u64 {
    hashes.iter().map(|some| some.len() as u64).sum()
}

#[cfg(feature = "std")]
mod threaded {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::mpsc::sync_channel;
    use std::thread;

    use super::*;

    /// The threads solve; this one, which alone may hear of progress, puts solutions in order and writes them.
    pub(super) fn solve_shards<S: Default, R: Send>(
        hashes: &SortedHashes,
        shards: u64,
        shard_bytes: usize,
        payload: &mut Sink<'_>,
        watch: &mut Watch<'_>,
        solve: impl Fn(&[&[u64]], &mut [u8], &mut S) -> Result<R, BuildError> + Sync,
    ) -> Result<Vec<R>, BuildError> {
        let threads = hashes.threads().get().min(usize::try_from(shards).unwrap_or(usize::MAX));
        let next = AtomicU64::new(0);
        let (next, solve) = (&next, &solve);
        // The channel ends with this closure, before the threads are waited for: they stop at their next solution.
        thread::scope(|scope| {
            let (send, solved) = sync_channel(threads);
            for _ in 0..threads {
                let send = send.clone();
                scope.spawn(move || {
                    let mut scratch = S::default();
                    loop {
                        let shard = next.fetch_add(1, Relaxed);
                        if shard >= shards {
                            break;
                        }
                        let hashes = hashes.shard(shard, shards);
                        let mut solution = alloc::vec![0; shard_bytes];
                        let result = solve(&hashes, &mut solution, &mut scratch);
                        if send.send((shard, count(&hashes), result.map(|more| (solution, more)))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(send);
            let mut results = Vec::new();
            let mut early = BTreeMap::new();
            for (shard, keys, result) in solved {
                early.insert(shard, (keys, result?));
                while let Some((keys, (solution, more))) = early.remove(&(results.len() as u64)) {
                    payload.write(&solution)?;
                    results.push(more);
                    watch.step(keys)?;
                }
            }
            Ok(results)
        })
    }
}

//! Batches that ask for memory some keys before they need it.

use crate::bits::Mask;

/// How many keys ahead a batch asks for memory: enough requests to fill a core's miss buffers, few enough that
/// the lines are still in the first-level cache when their turn comes.
const AHEAD: usize = 16;

/// Answers every hash by `test`, after `fetch` of the one some keys later.
#[inline(always)]
pub(crate) fn test_ahead(hashes: &[u64], hits: &mut Mask, fetch: impl Fn(u64), test: impl Fn(u64) -> bool) {
    hashes.iter().take(AHEAD).for_each(|&hash| fetch(hash));
    hits.fill_with(hashes.len(), |i| {
        if let Some(&hash) = hashes.get(i + AHEAD) {
            fetch(hash);
        }
        test(hashes[i])
    });
}

/// Applies `set` to every hash, after `fetch` of the one some keys later; gives how often it was true.
#[inline(always)]
pub(crate) fn set_ahead<T: ?Sized>(
    payload: &mut T,
    hashes: &[u64],
    fetch: impl Fn(&T, u64),
    set: impl Fn(&mut T, u64) -> bool,
) -> usize {
    hashes.iter().take(AHEAD).for_each(|&hash| fetch(payload, hash));
    let mut count = 0;
    for (i, &hash) in hashes.iter().enumerate() {
        if let Some(&hash) = hashes.get(i + AHEAD) {
            fetch(payload, hash);
        }
        count += usize::from(set(payload, hash));
    }
    count
}

//! Batches: memory is asked for some keys ahead of its use.

use crate::bits::Mask;
use crate::traits::Inserted;

/// How many keys ahead a batch asks for memory: enough requests to fill a core's miss buffers, few enough that
/// the lines are still in the first-level cache when their turn comes.
const AHEAD: usize = 16;

/// Answers every hash by `test`, for which `fetch` has asked for memory some keys before.
#[inline(always)]
pub(crate) fn test_ahead(
    hashes: &[u64],
    hits: &mut Mask,
    fetch: impl Fn(u64),
    mut test: impl FnMut(u64) -> bool,
) {
    hashes.iter().take(AHEAD).for_each(|&hash| fetch(hash));
    hits.fill_with(hashes.len(), |i| {
        if let Some(&hash) = hashes.get(i + AHEAD) {
            fetch(hash);
        }
        test(hashes[i])
    });
}

/// Inserts every hash by `insert`, for which `fetch` has asked for memory some keys before; gives the number of
/// new ones, or the number inserted before the first refused and its error.
#[inline(always)]
pub(crate) fn insert_ahead<E>(
    payload: &mut [u8],
    hashes: &[u64],
    fetch: impl Fn(&[u8], u64),
    mut insert: impl FnMut(&mut [u8], u64) -> Result<Inserted, E>,
) -> Result<usize, (usize, E)> {
    hashes.iter().take(AHEAD).for_each(|&hash| fetch(payload, hash));
    let mut new = 0;
    for (i, &hash) in hashes.iter().enumerate() {
        if let Some(&hash) = hashes.get(i + AHEAD) {
            fetch(payload, hash);
        }
        let inserted = insert(payload, hash).map_err(|refused| (i, refused))?;
        new += usize::from(inserted == Inserted::New);
    }
    Ok(new)
}

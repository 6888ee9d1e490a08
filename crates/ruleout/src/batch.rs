//! Batches: stopping at the first key refused, asking for memory some keys before it is needed.

use crate::bits::Mask;
use crate::error::{BatchError, InsertError};
use crate::traits::Inserted;

/// How many keys ahead a batch asks for memory: enough requests to fill a core's miss buffers, few enough that
/// the lines are still in the first-level cache when their turn comes.
const AHEAD: usize = 16;

/// The hashes whose memory is asked for before all, and the others, each of which is so when the one `AHEAD` of it is
/// answered.
#[inline(always)]
fn split(hashes: &[u64]) -> (&[u64], &[u64]) {
    hashes.split_at(hashes.len().min(AHEAD))
}

/// Answers every hash by `test`, after `fetch` of the one some keys later.
#[inline(always)]
pub(crate) fn test_ahead(hashes: &[u64], hits: &mut Mask, fetch: impl Fn(u64), test: impl Fn(u64) -> bool) {
    let (first, later) = split(hashes);
    first.iter().for_each(|&hash| fetch(hash));
    let mut later = later.iter();
    hits.fill_with(hashes, |&hash| {
        if let Some(&hash) = later.next() {
            fetch(hash);
        }
        test(hash)
    });
}

/// A lookup in two steps, for families whose places cost more to find than to remember.
///
/// Methods and not closures, so that they can be `#[inline(always)]`: a closure that is called in two places may become a
/// function, with which a batch in cache took half as long again.
pub(crate) trait FoundAhead {
    /// What there is to remember of a hash.
    type Found: Copy + Default;

    /// Finds the places of a hash, and asks for their memory.
    fn find(&self, hash: u64) -> Self::Found;

    /// Answers by what is there.
    fn test(&self, found: Self::Found) -> bool;
}

/// Answers every hash by what was found of it some keys before.
#[inline(always)]
pub(crate) fn test_found_ahead<L: FoundAhead>(hashes: &[u64], hits: &mut Mask, lookup: &L) {
    let (first, later) = split(hashes);
    let mut found = [L::Found::default(); AHEAD];
    for (found, &hash) in found.iter_mut().zip(first) {
        *found = lookup.find(hash);
    }
    let mut later = later.iter();
    let mut turn = 0;
    hits.fill_with(hashes, |_| {
        let found = &mut found[turn % AHEAD];
        turn += 1;
        let next = later.next().map_or(*found, |&hash| lookup.find(hash));
        lookup.test(core::mem::replace(found, next))
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

/// Applies `set` to every hash, after `fetch` of the one some keys later; marks those that were not new.
#[inline(always)]
pub(crate) fn observe_ahead(
    payload: &mut [u8],
    hashes: &[u64],
    seen: &mut Mask,
    fetch: impl Fn(&[u8], u64),
    set: impl Fn(&mut [u8], u64) -> Inserted,
) {
    hashes.iter().take(AHEAD).for_each(|&hash| fetch(payload, hash));
    for (i, &hash) in hashes.iter().enumerate() {
        if let Some(&hash) = hashes.get(i + AHEAD) {
            fetch(payload, hash);
        }
        if set(payload, hash) == Inserted::MaybeSeen {
            seen.set(i, true);
        }
    }
}

/// Applies `insert` to every hash up to the first refused, after `fetch` of the one some keys later; gives the number
/// of new ones.
#[inline(always)]
pub(crate) fn insert_ahead(
    payload: &mut [u8],
    hashes: &[u64],
    fetch: impl Fn(&[u8], u64),
    insert: impl Fn(&mut [u8], u64) -> Result<Inserted, InsertError>,
) -> Result<usize, BatchError> {
    hashes.iter().take(AHEAD).for_each(|&hash| fetch(payload, hash));
    let mut new = 0;
    for (applied, &hash) in hashes.iter().enumerate() {
        if let Some(&hash) = hashes.get(applied + AHEAD) {
            fetch(payload, hash);
        }
        let inserted = insert(payload, hash).map_err(|source| BatchError { applied, source })?;
        new += usize::from(inserted == Inserted::New);
    }
    Ok(new)
}

/// Applies `insert` to each hash up to the first refused; gives the number of new ones.
pub(crate) fn insert_each(
    hashes: &[u64],
    mut insert: impl FnMut(u64) -> Result<Inserted, InsertError>,
) -> Result<usize, BatchError> {
    let mut new = 0;
    for (applied, &hash) in hashes.iter().enumerate() {
        match insert(hash) {
            Ok(inserted) => new += usize::from(inserted == Inserted::New),
            Err(source) => return Err(BatchError { applied, source }),
        }
    }
    Ok(new)
}

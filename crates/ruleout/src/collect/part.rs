//! Hashes that begin alike, as they came.

use alloc::vec::Vec;

/// The hashes of the first chunk; each later one has twice as many, until they have the most.
const FIRST: usize = 16;
/// 16 KiB: what of it stands empty is little beside a large part, and allocating it costs little beside filling it.
const MOST: usize = 2048;

/// Some hashes, in chunks that never move: a buffer that grew as one would be copied over and over, and be half empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// None is empty, and all but the last are full.
    chunks: Vec<Vec<u64>>,
}

impl Part {
    #[inline]
    pub(super) fn push(&mut self, hash: u64) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < last.capacity() => last.push(hash),
            _ => self.push_first(hash),
        }
    }

    /// Begins a chunk.
    #[cold]
    fn push_first(&mut self, hash: u64) {
        let hashes = self.chunks.last().map_or(FIRST, |last| (2 * last.capacity()).min(MOST));
        let mut chunk = Vec::with_capacity(hashes);
        chunk.push(hash);
        self.chunks.push(chunk);
    }

    /// All of them, as they came.
    pub(super) fn chunks(&self) -> impl Iterator<Item = &[u64]> {
        self.chunks.iter().map(Vec::as_slice)
    }

    pub(super) fn len(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.len() as u64).sum()
    }

    /// Puts these, no more than there were, in place of all.
    pub(super) fn refill(&mut self, mut hashes: &[u64]) {
        for chunk in &mut self.chunks {
            let (here, later) = hashes.split_at(hashes.len().min(chunk.capacity()));
            chunk.clear();
            chunk.extend_from_slice(here);
            hashes = later;
        }
        debug_assert!(hashes.is_empty(), "more hashes than there were");
        self.chunks.retain(|chunk| !chunk.is_empty());
    }

    pub(super) fn into_chunks(self) -> Vec<Vec<u64>> {
        self.chunks
    }
}

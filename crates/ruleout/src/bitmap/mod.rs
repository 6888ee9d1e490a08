//! What the families made of bits share: a key is some positions in a bitmap, all of them set.

mod atomic;

use core::fmt::Debug;

pub use atomic::Atomic;

use crate::batch::{observe_ahead, set_ahead, test_ahead};
use crate::bits::{Mask, or_into};
use crate::layout::{Changing, Endless, Mergeable};
use crate::simd::{prefetch_read, prefetch_write};
use crate::traits::Inserted;

/// A family whose payload is a bitmap: bit `p` is bit `p % 8` of byte `p / 8`.
pub trait BitLayout: Changing {
    /// How many of a key's positions a batch query fetches ahead.
    const QUERY_PREFETCH: usize;
    /// How many of a key's positions a batch insertion fetches ahead.
    const INSERT_PREFETCH: usize;

    /// The positions of the key with this hash, each below the number of bits of the payload.
    fn positions(&self, hash: u64) -> impl Iterator<Item = u64> + Debug + Clone;

    /// Sets every position; [`Inserted::New`] when one of them was not set.
    #[inline(always)]
    fn set_bits(&self, payload: &mut [u8], hash: u64) -> Inserted {
        set(self, payload, hash)
    }

    /// [`BitLayout::set_bits`] of every hash, with the memory of later ones fetched ahead; gives the number of
    /// new ones.
    fn set_bits_many(&self, payload: &mut [u8], hashes: &[u64]) -> usize {
        let fetch = |payload: &[u8], hash| fetch_for_writing(self, payload, hash);
        set_ahead(payload, hashes, fetch, |payload, hash| set(self, payload, hash) == Inserted::New)
    }
}

/// Asks for the memory of a key that will be inserted.
#[inline(always)]
fn fetch_for_writing<P: BitLayout>(params: &P, payload: &[u8], hash: u64) {
    for position in params.positions(hash).take(P::INSERT_PREFETCH) {
        prefetch_write(payload, place(position).0);
    }
}

impl<P: BitLayout> Endless for P {
    #[inline(always)]
    fn set(&self, payload: &mut [u8], hash: u64) -> Inserted {
        self.set_bits(payload, hash)
    }

    fn set_many(&self, payload: &mut [u8], hashes: &[u64]) -> usize {
        self.set_bits_many(payload, hashes)
    }

    fn observe(&self, payload: &mut [u8], hashes: &[u64], seen: &mut Mask) {
        let fetch = |payload: &[u8], hash| fetch_for_writing(self, payload, hash);
        observe_ahead(payload, hashes, seen, fetch, |payload, hash| self.set_bits(payload, hash));
    }
}

/// The union of two sets is the OR of their bits.
impl<P: BitLayout> Mergeable for P {
    fn merge(&self, ours: &mut [u8], theirs: &[u8]) {
        or_into(ours, theirs);
    }
}

/// The byte of a position, and its bit there.
#[inline(always)]
fn place(position: u64) -> (usize, u8) {
    // A position lies in a payload, whose length is a `usize`.
    ((position / 8) as usize, 1 << (position % 8))
}

/// Whether every position is set; stops at the first that is not.
#[inline(always)]
pub(crate) fn test<P: BitLayout>(params: &P, payload: &[u8], hash: u64) -> bool {
    params.positions(hash).all(|position| {
        let (byte, bit) = place(position);
        payload[byte] & bit != 0
    })
}

/// [`test`] of every hash, with the memory of later ones fetched ahead.
pub(crate) fn test_many<P: BitLayout>(params: &P, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
    let fetch = |hash| {
        for position in params.positions(hash).take(P::QUERY_PREFETCH) {
            prefetch_read(payload, place(position).0);
        }
    };
    test_ahead(hashes, hits, fetch, |hash| test(params, payload, hash));
}

/// Sets every position; [`Inserted::New`] when one of them was not set.
#[inline(always)]
fn set<P: BitLayout>(params: &P, payload: &mut [u8], hash: u64) -> Inserted {
    let mut fresh = 0;
    for position in params.positions(hash) {
        let (byte, bit) = place(position);
        fresh |= !payload[byte] & bit;
        payload[byte] |= bit;
    }
    Inserted::new_if(fresh != 0)
}

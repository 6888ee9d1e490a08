//! Where a key looks, and whether what is there is its own.
//!
//! ```text
//!  ┌─────────────────────────┬─────────────────────────┬─ … ─┬──────────────────┬───────────┐
//!  │ slots of shard 0, w     │ slots of shard 1        │     │ a seed for each  │ 7 zeros   │
//!  │ bits each, then zeros   │                         │     │ shard, 1 byte    │           │
//!  └─────────────────────────┴─────────────────────────┴─ … ─┴──────────────────┴───────────┘
//! ```

use crate::batch::FoundAhead;
use crate::bits::{MULTIPLIERS, scale, scale_with_rest};
use crate::math::fuse;
use crate::simd::prefetch_read;

use super::params::FuseParams;
use super::width::Width;

/// Zero bytes at the end: eight bytes can be read at every slot.
pub(super) const PADDING: u64 = 7;

/// How many bits of a key's mixed hash are used. With the segment, which is known by other bits, they are as good as all
/// 64; and solving has room for a counter beside them.
pub(super) const MIXED_BITS: u32 = 57;

/// Where a key looks, and what it looks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<const ARITY: usize> {
    places: [u64; ARITY],
    fingerprint: u64,
}

impl<const ARITY: usize> Default for Found<ARITY> {
    fn default() -> Self {
        Self { places: [0; ARITY], fingerprint: 0 }
    }
}

/// The hash that a shard's `seed` makes of a key's rest, what is left of its hash when the shard is known.
///
/// Seed 0 leaves it as it is: rests ascend in the order of the array, so that solving walks along it. Any other seed
/// makes a number that looks unrelated, and that no other rest becomes: the finalizer of D. Stafford's "mix 13"
/// ("Better Bit Mixing", 2011) after an odd step.
#[inline(always)]
pub(super) fn reseeded(rest: u64, seed: u8) -> u64 {
    if seed == 0 {
        return rest;
    }
    let mut mixed = rest.wrapping_add(u64::from(seed).wrapping_mul(MULTIPLIERS[2]));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The bits that give the places within segments and the fingerprint. Where shards are many, low bits of a rest are
/// zero: all bits take part in all.
#[inline(always)]
pub(super) fn mixed(hash: u64) -> u64 {
    let product = hash.wrapping_mul(MULTIPLIERS[0]);
    (product ^ product >> 32) & ((1 << MIXED_BITS) - 1)
}

impl<const ARITY: usize> FuseParams<ARITY> {
    /// The first segment of a key, by what its shard's seed made of its hash.
    #[inline(always)]
    pub(super) fn segment(&self, hash: u64) -> u64 {
        scale(hash, self.geometry().segments)
    }

    /// A key's slots in its shard.
    #[inline(always)]
    pub(super) fn slots(&self, segment: u64, mixed: u64) -> [u64; ARITY] {
        let bits = self.geometry().segment_bits;
        let mask = (1 << bits) - 1;
        core::array::from_fn(|i| {
            ((segment + i as u64) << bits) + (mixed >> (i as u32 * fuse::MAX_SEGMENT_BITS) & mask)
        })
    }

    /// Where the key with this hash looks; there are shards.
    #[inline(always)]
    pub(super) fn find(&self, width: impl Width, payload: &[u8], hash: u64) -> Found<ARITY> {
        let (shard, rest) = scale_with_rest(hash, self.geometry().shards);
        let hash = reseeded(rest, payload[(self.table_bytes() + shard) as usize]);
        let mixed = mixed(hash);
        let start = shard * self.shard_bytes();
        let places = self.slots(self.segment(hash), mixed).map(|slot| width.place(start, slot));
        Found { places, fingerprint: fingerprint(width, mixed) }
    }

    /// The bits that are no slot and no seed.
    pub(super) fn unused_bits<'a>(&self, payload: &'a [u8]) -> impl Iterator<Item = u64> + use<'a, ARITY> {
        let used = self.shard_slots() * u64::from(self.fingerprint_bits());
        let whole = used.is_multiple_of(8);
        let (shard_bytes, shards) = (self.shard_bytes() as usize, self.geometry().shards as usize);
        let last_bytes = (1..=shards).filter(move |_| !whole).map(move |end| payload[end * shard_bytes - 1]);
        let padding = &payload[payload.len().saturating_sub(PADDING as usize)..];
        last_bytes.map(move |byte| byte >> (used % 8)).chain(padding.iter().copied()).map(u64::from)
    }
}

/// A key's fingerprint.
#[inline(always)]
pub(super) fn fingerprint(width: impl Width, mixed: u64) -> u64 {
    width.top(mixed.wrapping_mul(MULTIPLIERS[1]))
}

/// Whether there is what a key looks for.
#[inline(always)]
pub(super) fn holds<const ARITY: usize>(width: impl Width, payload: &[u8], found: &Found<ARITY>) -> bool {
    let xor = found.places.iter().fold(found.fingerprint, |xor, &place| xor ^ width.read(payload, place));
    width.is_zero(xor)
}

/// Lookups in a payload that has shards.
pub(super) struct Lookup<'a, W, const ARITY: usize> {
    pub(super) params: &'a FuseParams<ARITY>,
    pub(super) width: W,
    pub(super) payload: &'a [u8],
}

impl<W: Width, const ARITY: usize> FoundAhead for Lookup<'_, W, ARITY> {
    type Found = Found<ARITY>;

    #[inline(always)]
    fn find(&self, hash: u64) -> Found<ARITY> {
        let found = self.params.find(self.width, self.payload, hash);
        found.places.iter().for_each(|&place| prefetch_read(self.payload, self.width.byte(place)));
        found
    }

    #[inline(always)]
    fn test(&self, found: Found<ARITY>) -> bool {
        holds(self.width, self.payload, &found)
    }
}

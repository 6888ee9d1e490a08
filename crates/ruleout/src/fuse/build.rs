//! Solving: fingerprints in slots, so that the slots of every key XOR to its own.

use alloc::vec::Vec;

use crate::bits::scale;
use crate::build::{Sink, Watch, solve_shards};
use crate::collect::SortedHashes;
use crate::error::BuildError;
use crate::math::fuse::Geometry;
use crate::simd::{prefetch_read, prefetch_write};

use super::params::FuseParams;
use super::probe::{MIXED_BITS, PADDING, fingerprint, mixed, reseeded};
use super::width::{Width, with_width};

/// Writes the payload of the filter of these hashes.
pub(super) fn solve<const ARITY: usize>(
    params: &FuseParams<ARITY>,
    hashes: SortedHashes,
    payload: &mut Sink<'_>,
    watch: &mut Watch<'_>,
) -> Result<(), BuildError> {
    let shards = params.geometry().shards;
    if shards == 0 {
        return Ok(());
    }
    let bytes = params.shard_bytes() as usize;
    let seeds = solve_shards(&hashes, shards, bytes, payload, watch, |hashes, solution, scratch| {
        solve_shard(params, hashes, solution, scratch)
    })?;
    payload.write(&seeds)?;
    payload.write(&[0; PADDING as usize])
}

/// What solving a shard needs: 12 bytes a slot, and the slots themselves.
#[derive(Default)]
pub(super) struct Scratch {
    slots: Vec<u64>,
    /// The slots to look at, and before them those that were taken, in the order in which they were.
    queue: Vec<u32>,
    table: Vec<u8>,
}

/// What a key adds to a slot's counter. While keys are taken away, a slot holds from the highest bit on how many keys are left
/// in it, the XOR of which of their slots it is, and the XOR of their mixed hashes: with one key left, those are its own.
const ONE_KEY: u64 = 1 << (MIXED_BITS + 2);

/// Slots looked at before those are followed up that have one key left: enough that many can be worked on at once,
/// few enough that they, and their neighbours, are still in the second-level cache.
const STRETCH: usize = 1 << 15;

/// How many slots ahead their memory is asked for.
const AHEAD: usize = 32;

/// Finds a seed under which the shard can be solved, and solves it.
fn solve_shard<const ARITY: usize>(
    params: &FuseParams<ARITY>,
    hashes: &[&[u64]],
    solution: &mut [u8],
    scratch: &mut Scratch,
) -> Result<u8, BuildError> {
    // More keys than the thresholds of `math::fuse` allow, and so far more than the shard was made for: the hashes are not
    // uniform, and no seed would do.
    let keys = hashes.iter().map(|some| some.len() as u64).sum();
    let room = params.shard_slots() / 50 * if ARITY == 4 { 49 } else { 46 };
    if keys > room && params.geometry().shards > 1 {
        return Err(BuildError::Skewed { keys, room });
    }
    for seed in 0..=u8::MAX {
        if let Some(taken) = peel(params, hashes, keys, seed, scratch) {
            with_width!(params, width => assign(params, width, taken, scratch));
            solution.copy_from_slice(&scratch.table[..solution.len()]);
            return Ok(seed);
        }
    }
    Err(BuildError::Unsolvable { keys })
}

/// Takes away keys that have a slot to themselves until none are left, and gives how many that was; `None` when those that
/// are left share all their slots.
fn peel<const ARITY: usize>(
    params: &FuseParams<ARITY>,
    hashes: &[&[u64]],
    keys: u64,
    seed: u8,
    scratch: &mut Scratch,
) -> Option<usize> {
    let shards = params.geometry().shards;
    let Scratch { slots, queue, .. } = scratch;
    slots.clear();
    slots.resize(params.shard_slots() as usize, 0);
    // A slot gets into the queue once at most, when one key is left in it; at its end is written to and not taken.
    queue.resize(slots.len() + 1, 0);
    let Geometry { segment_bits, segments, .. } = params.geometry();
    let (segment_slots, ahead) = (segments << segment_bits, (ARITY as u64) << segment_bits);
    for &hash in hashes.iter().copied().flatten() {
        // The low half of hash · shards, whose high half is the shard.
        let hash = reseeded(hash.wrapping_mul(shards), seed);
        let mixed = mixed(hash);
        // Hashes ascend, unless they are mixed anew: this is where the segments behind those of this key begin.
        prefetch_write(slots, (ahead + scale(hash, segment_slots)) as usize);
        for (which, slot) in params.slots(params.segment(hash), mixed).into_iter().enumerate() {
            let slot = &mut slots[slot as usize];
            *slot = slot.wrapping_add(ONE_KEY) ^ of_key(which, mixed);
        }
    }
    // A counter goes up to 31. More keys than that in a slot are no accident: it would look as if they were fewer.
    let counted: u64 = slots.iter().map(|slot| slot / ONE_KEY).sum();
    if counted != keys * ARITY as u64 {
        return None;
    }
    let mut taken = 0;
    for start in (0..slots.len()).step_by(STRETCH) {
        let (mut next, mut end) = (taken, taken);
        for (i, slot) in slots.iter().enumerate().skip(start).take(STRETCH) {
            queue[end] = i as u32;
            end += usize::from(slot / ONE_KEY == 1);
        }
        while next < end {
            let slot = queue[next];
            next += 1;
            let key = slots[slot as usize];
            if key / ONE_KEY != 1 {
                continue;
            }
            queue[taken] = slot;
            taken += 1;
            let (segment, mixed) = key_in(params, slot, key);
            for (which, slot) in params.slots(segment, mixed).into_iter().enumerate() {
                let left = &mut slots[slot as usize];
                *left = left.wrapping_sub(ONE_KEY) ^ of_key(which, mixed);
                queue[end] = slot as u32;
                end += usize::from(*left / ONE_KEY == 1);
            }
            // No key is left here; which it was is asked for once more.
            slots[slot as usize] = key - ONE_KEY;
        }
    }
    (taken as u64 == keys).then_some(taken)
}

/// What a key adds to its slots beside one to the count.
#[inline(always)]
fn of_key(which: usize, mixed: u64) -> u64 {
    mixed | (which as u64) << MIXED_BITS
}

/// The segment and the mixed hash of the one key in a slot.
#[inline(always)]
fn key_in<const ARITY: usize>(params: &FuseParams<ARITY>, slot: u32, key: u64) -> (u64, u64) {
    let which = key >> MIXED_BITS & 3;
    let segment = (u64::from(slot) >> params.geometry().segment_bits) - which;
    (segment, key & ((1 << MIXED_BITS) - 1))
}

/// Gives the slots that were taken their fingerprints, the last first: those before it have a say in no slot of its
/// key but its own.
fn assign<const ARITY: usize>(
    params: &FuseParams<ARITY>,
    width: impl Width,
    taken: usize,
    scratch: &mut Scratch,
) {
    let Scratch { slots, queue, table } = scratch;
    table.clear();
    table.resize((params.shard_bytes() + PADDING) as usize, 0);
    let taken = &queue[..taken];
    for (i, &slot) in taken.iter().enumerate().rev() {
        // By now the cache has forgotten it.
        prefetch_read(slots, taken[i.saturating_sub(AHEAD)] as usize);
        let (segment, mixed) = key_in(params, slot, slots[slot as usize]);
        let places = params.slots(segment, mixed).map(|slot| width.place(0, slot));
        // Its own slot is zero.
        let xor = places.iter().fold(fingerprint(width, mixed), |xor, &place| xor ^ width.read(table, place));
        width.write(table, width.place(0, slot.into()), xor);
    }
}

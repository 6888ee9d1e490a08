//! The shortest way to a free slot.

use super::params::CuckooParams;
use super::probe::Entry;

/// How many slots a first search looks into, which nearly always suffices.
const QUICK: usize = 64;
/// How many slots a search looks into before it gives up. Between 93 and 94 % load no search of 10^5 got further
/// than half of it; between 94.5 and 95 % three of 50,000 found no way in it.
const THOROUGH: usize = 2048;

/// Marks a node that has no parent.
const ROOT: u16 = u16::MAX;

/// Puts the entry into the table, moving others along the shortest path to a free slot; `false`, and nothing
/// changes, when none is found.
///
/// Breadth first, so that the payload is not written to before a path is known. A random walk, which moves as it
/// goes, would have to be undone, and needs as many looks into memory for the same load.
pub(super) fn place(params: &CuckooParams, payload: &mut [u8], entry: &Entry) -> bool {
    if let Some(slot) = entry.slots().find(|&slot| params.tag(payload, slot) == 0) {
        put(params, payload, entry, slot);
        return true;
    }
    Search::<QUICK>::place(params, payload, entry) || Search::<THOROUGH>::place(params, payload, entry)
}

fn put(params: &CuckooParams, payload: &mut [u8], entry: &Entry, slot: u64) {
    // `slot` is one of the entry's own.
    if let Some(tag) = entry.tag_in(slot) {
        params.set_tag(payload, slot, tag);
    }
}

/// A tree of taken slots: what is in a slot may move to any of its children.
struct Search<const NODES: usize> {
    slots: [u64; NODES],
    parents: [u16; NODES],
    len: usize,
    /// 16 bits a node: one is set for every slot in the tree. Two slots may share one, and the second is then left
    /// out, which may cost a path and never makes a wrong one.
    visited: [u16; NODES],
}

impl<const NODES: usize> Search<NODES> {
    fn place(params: &CuckooParams, payload: &mut [u8], entry: &Entry) -> bool {
        let mut search = Self { slots: [0; NODES], parents: [ROOT; NODES], len: 0, visited: [0; NODES] };
        for slot in entry.slots() {
            search.push(slot, ROOT);
        }
        let mut node = 0;
        while node < search.len {
            let slot = search.slots[node];
            // A tag of a damaged table that belongs to no window stays where it is.
            if let Some(stored) = params.stored(payload, slot) {
                for next in stored.slots() {
                    if params.tag(payload, next) == 0 {
                        search.shift(params, payload, node, next);
                        put(params, payload, entry, search.root_of(node));
                        return true;
                    }
                    search.push(next, node as u16);
                }
            }
            node += 1;
        }
        false
    }

    /// Adds a slot to the tree, if it is not there and the tree has room.
    fn push(&mut self, slot: u64, parent: u16) {
        let bit = slot.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - (16 * NODES).ilog2());
        let (word, mark) = ((bit / 16) as usize, 1 << (bit % 16));
        if self.visited[word] & mark == 0 && self.len < NODES {
            self.visited[word] |= mark;
            self.slots[self.len] = slot;
            self.parents[self.len] = parent;
            self.len += 1;
        }
    }

    /// Moves what is in each slot from the root down to `node` one further, the last into the slot `free`.
    fn shift(&self, params: &CuckooParams, payload: &mut [u8], node: usize, mut free: u64) {
        let mut node = node as u16;
        while node != ROOT {
            let slot = self.slots[usize::from(node)];
            if let Some(stored) = params.stored(payload, slot) {
                put(params, payload, &stored, free);
            }
            free = slot;
            node = self.parents[usize::from(node)];
        }
    }

    /// The slot of the root above `node`.
    fn root_of(&self, mut node: usize) -> u64 {
        while self.parents[node] != ROOT {
            node = usize::from(self.parents[node]);
        }
        self.slots[node]
    }
}

//! What the filter keeps of a key, where that may lie, and whether it is there.

use crate::bits::scale;

use super::params::CuckooParams;
use super::table::{self, SLOTS_PER_WINDOW};

/// Turns the hash so that its low bits, which the choice of a window leaves, make its high bits: 2^64/φ, odd.
const FINGERPRINT: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads a fingerprint over 64 bits: degski's mixer. One multiplication alone lays the offsets of neighbouring
/// fingerprints at equal distances, and tables of few fingerprints then fill less well.
const OFFSET: u64 = 0xd6e8_feb8_6659_fd93;

/// All that the filter keeps of a key: a fingerprint, and the two windows it may be in, which may be one.
///
/// Two keys with one fingerprint and one pair of windows are the same to the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) fingerprint: u64,
    pub(super) windows: [u64; 2],
}

impl Entry {
    /// The slots of its two windows, in the order in which they are tried: 4, but 3 where the windows overlap and
    /// 2 where they are one.
    pub(super) fn slots(&self) -> impl Iterator<Item = u64> + use<> {
        let [first, second] = self.windows;
        let others = [second, second + 1].into_iter();
        [first, first + 1]
            .into_iter()
            .chain(others.filter(move |slot| slot.wrapping_sub(first) >= SLOTS_PER_WINDOW))
    }

    /// Whether the filter cannot tell the two apart.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint && other.windows.contains(&self.windows[0])
    }

    /// Its tag in `slot`, if that is in one of its windows.
    pub(super) fn tag_in(&self, slot: u64) -> Option<u64> {
        let place = self.windows.map(|window| slot.wrapping_sub(window));
        place.into_iter().find(|&place| place < SLOTS_PER_WINDOW).map(|place| self.fingerprint << 1 | place)
    }
}

impl CuckooParams {
    /// Windows overlap: every slot but the last begins one.
    #[inline(always)]
    pub(super) const fn windows(&self) -> u64 {
        self.slots() - 1
    }

    /// Fingerprints are 1 to this; 0 is an empty slot.
    #[inline(always)]
    pub(super) const fn fingerprints(&self) -> u64 {
        (1 << (self.fingerprint_bits() - 1)) - 1
    }

    /// What the filter keeps of the key with this hash.
    #[inline(always)]
    pub(super) fn entry(&self, hash: u64) -> Entry {
        let fingerprint = 1 + scale(hash.wrapping_mul(FINGERPRINT), self.fingerprints());
        self.entry_from(fingerprint, scale(hash, self.windows()))
    }

    /// The entry with this fingerprint, one of whose windows is `window`.
    ///
    /// The other is (offset − window) modulo the number of windows: so each leads to the other, whatever that
    /// number is.
    #[inline(always)]
    pub(super) fn entry_from(&self, fingerprint: u64, window: u64) -> Entry {
        let windows = self.windows();
        let mixed = fingerprint.wrapping_mul(FINGERPRINT);
        let offset = scale((mixed ^ (mixed >> 32)).wrapping_mul(OFFSET), windows);
        let partner = offset.wrapping_sub(window);
        let partner = if offset < window { partner.wrapping_add(windows) } else { partner };
        Entry { fingerprint, windows: [window, partner] }
    }

    /// The entry in a slot; `None` when it is empty or holds a tag that no insertion writes there.
    pub(super) fn stored(&self, payload: &[u8], slot: u64) -> Option<Entry> {
        let tag = self.tag(payload, slot);
        let (fingerprint, window) = (tag >> 1, slot.wrapping_sub(tag & 1));
        (fingerprint != 0 && window < self.windows()).then(|| self.entry_from(fingerprint, window))
    }
}

/// Whether the table, or the victim slot, holds this entry.
///
/// All four slots are compared at once: each window is a word of two tags, and what is sought, with 0 for the
/// window's first slot and 1 for its second, is taken from both tags by XOR. A tag that becomes zero is found.
#[inline(always)]
pub(super) fn holds(params: &CuckooParams, payload: &[u8], entry: &Entry) -> bool {
    let bits = params.fingerprint_bits();
    let sought = entry.fingerprint << 1;
    let both = sought | (sought | 1) << bits;
    let ones = 1 | 1 << bits;
    let [first, second] = entry.windows.map(|window| {
        let rest = params.window(payload, window) ^ both;
        // The top bit of the lowest tag that is zero; above it, of others perhaps.
        rest.wrapping_sub(ones) & !rest
    });
    let found = (first | second) & ones << (bits - 1) != 0;
    found | table::is_victim(payload, entry)
}

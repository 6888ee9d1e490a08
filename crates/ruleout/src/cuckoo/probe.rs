//! What the filter keeps of a key, where that may lie, and whether it is there.

use crate::batch::FoundAhead;
use crate::bits::{scale, scale_with_rest};
use crate::math::cuckoo;
use crate::simd::prefetch_read;

use super::params::CuckooParams;
use super::table::{self, SLOTS_PER_WINDOW};

/// Spreads the squares of fingerprints over 64 bits: 2^64/φ, odd.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// All that the filter keeps of a key: a fingerprint, and the two windows it may be in.
///
/// Two keys with one fingerprint and one pair of windows are the same to the filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) fingerprint: u64,
    pub(super) windows: [u64; 2],
}

impl Entry {
    /// The slots of its two windows, in the order in which they are tried: 4, but 3 where the windows overlap.
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
    /// The number of windows: every slot but the last begins one, or but the last two, for it is even.
    #[inline(always)]
    pub(super) const fn windows(&self) -> u64 {
        cuckoo::windows(self.slots())
    }

    /// Fingerprints are 1 to this; 0 is an empty slot.
    #[inline(always)]
    pub(super) const fn fingerprints(&self) -> u64 {
        cuckoo::fingerprints(self.fingerprint_bits())
    }

    /// What the filter keeps of the key with this hash.
    ///
    /// The high bits choose the window; the low half of that product, which is the hash's place within its window,
    /// the fingerprint. So the two are independent, whatever the number of windows.
    #[inline(always)]
    pub(super) fn entry(&self, hash: u64) -> Entry {
        let (window, rest) = scale_with_rest(hash, self.windows());
        self.entry_from(1 + scale(rest, self.fingerprints()), window)
    }

    /// The entry with this fingerprint, one of whose windows is `window`.
    ///
    /// The other is (offset − window) modulo the number of windows: so each leads to the other, whatever that
    /// number is. It is even and offsets are odd, so that they are two. Without the square, offsets of neighbouring
    /// fingerprints would lie at equal distances, and tables of few fingerprints would not fill as well.
    #[inline(always)]
    pub(super) fn entry_from(&self, fingerprint: u64, window: u64) -> Entry {
        let windows = self.windows();
        let spread = fingerprint.wrapping_mul(fingerprint).wrapping_mul(MULTIPLIER);
        let offset = scale(spread, windows / 2) << 1 | 1;
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
#[inline(always)]
pub(super) fn holds(params: &CuckooParams, payload: &[u8], entry: &Entry) -> bool {
    let Entry { fingerprint, windows: [first, second] } = *entry;
    let in_table = if params.window_in_a_word() {
        let windows = [params.word_from(payload, first), params.word_from(payload, second)];
        holds_any(params, fingerprint, windows)
    } else {
        holds_wide(params, payload, fingerprint, first, second)
    };
    in_table || table::is_victim(payload, entry)
}

/// The same for wide tags: a function of its own, and without a reference to the entry, to leave the registers to the
/// narrow ones.
#[inline(never)]
fn holds_wide(params: &CuckooParams, payload: &[u8], fingerprint: u64, first: u64, second: u64) -> bool {
    holds_any(params, fingerprint, [first, second].map(|window| params.wide_window(payload, window)))
}

/// Whether one of two windows, each a word of two tags, holds the entry.
///
/// All four tags are compared at once: what is sought, with 0 for a window's first slot and 1 for its second, is taken
/// from them by XOR, and a tag that becomes zero is found.
#[inline(always)]
fn holds_any(params: &CuckooParams, fingerprint: u64, [first, second]: [u64; 2]) -> bool {
    let second_slot = 1 << params.fingerprint_bits();
    let ones = second_slot | 1;
    let sought = (fingerprint * (ones << 1)) | second_slot;
    let (first, second) = (first ^ sought, second ^ sought);
    // The subtraction borrows through the lowest tag that is zero, and so sets its top bit, which was clear; above
    // it, others may follow.
    let borrowed = first.wrapping_sub(ones) & !first | second.wrapping_sub(ones) & !second;
    borrowed & ones << (params.fingerprint_bits() - 1) != 0
}

/// Lookups in a payload.
pub(super) struct Lookup<'a> {
    pub(super) params: &'a CuckooParams,
    pub(super) payload: &'a [u8],
}

impl FoundAhead for Lookup<'_> {
    type Found = Entry;

    #[inline(always)]
    fn find(&self, hash: u64) -> Entry {
        let entry = self.params.entry(hash);
        for window in entry.windows {
            prefetch_read(self.payload, self.params.byte_of(window));
        }
        entry
    }

    #[inline(always)]
    fn test(&self, entry: Entry) -> bool {
        holds(self.params, self.payload, &entry)
    }
}

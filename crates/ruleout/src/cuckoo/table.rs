//! The bytes: a control line, then slots side by side, bit after bit.
//!
//! ```text
//!   0         8         16       24         64            slots of fingerprint_bits bits
//!   ┌─────────┬─────────┬────────┬──────────┬────┬────┬────┬────┬────┬── … ──┬───────────────┐
//!   │ victim's│ victim's│ number │    0     │ 0  │ 1  │ 2  │ 3  │    │       │ 0 … (8 bytes) │
//!   │ fingerp.│ window  │ of keys│          │    │    │    │    │    │       │               │
//!   └─────────┴─────────┴────────┴──────────┴────┴────┴────┴────┴────┴── … ──┴───────────────┘
//! ```

use super::params::CuckooParams;
use super::probe::Entry;

/// The slots of a window.
pub(super) const SLOTS_PER_WINDOW: u64 = 2;

/// The length of the control line, a cache line: the table starts on one, too.
const CONTROL: usize = 64;
/// Zero bytes behind the table: eight bytes can be read at every slot.
const PADDING: usize = 8;
/// The bytes of a payload that are no slots.
pub(super) const OVERHEAD: u64 = (CONTROL + PADDING) as u64;

const VICTIM_FINGERPRINT: usize = 0;
const VICTIM_WINDOW: usize = 8;
const KEYS: usize = 16;
const RESERVED: usize = 24;

#[inline(always)]
fn word(payload: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&payload[at..at + 8]);
    u64::from_le_bytes(bytes)
}

fn set_word(payload: &mut [u8], at: usize, value: u64) {
    payload[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

impl CuckooParams {
    #[inline(always)]
    const fn tag_mask(&self) -> u64 {
        (1 << self.fingerprint_bits()) - 1
    }

    /// The byte in which a slot begins.
    #[inline(always)]
    pub(super) const fn byte_of(&self, slot: u64) -> usize {
        // A slot lies in a payload, whose length is a `usize`.
        CONTROL + (slot * self.fingerprint_bits() as u64 / 8) as usize
    }

    /// The bit of that byte at which it begins.
    #[inline(always)]
    const fn shift_of(&self, slot: u64) -> u32 {
        (slot * self.fingerprint_bits() as u64 % 8) as u32
    }

    /// The word that begins with this slot; up to 7 bits are missing at its high end.
    #[inline(always)]
    pub(super) fn word_from(&self, payload: &[u8], slot: u64) -> u64 {
        word(payload, self.byte_of(slot)) >> self.shift_of(slot)
    }

    /// Whether the two tags of every window lie in one word.
    #[inline(always)]
    pub(super) const fn window_in_a_word(&self) -> bool {
        self.fingerprint_bits() <= (u64::BITS - 7) / 2
    }

    /// The two tags of a window that may lie in two words.
    #[inline(always)]
    pub(super) fn wide_window(&self, payload: &[u8], window: u64) -> u64 {
        self.tag(payload, window) | self.tag(payload, window + 1) << self.fingerprint_bits()
    }

    /// The tag in a slot; 0 is an empty one.
    #[inline(always)]
    pub(super) fn tag(&self, payload: &[u8], slot: u64) -> u64 {
        self.word_from(payload, slot) & self.tag_mask()
    }

    /// Writes the tag of a slot.
    pub(super) fn set_tag(&self, payload: &mut [u8], slot: u64, tag: u64) {
        let (at, shift) = (self.byte_of(slot), self.shift_of(slot));
        let others = word(payload, at) & !(self.tag_mask() << shift);
        set_word(payload, at, others | tag << shift);
    }

    /// The key in the victim slot, if there is one and it is one that an insertion may have put there.
    pub(super) fn victim(&self, payload: &[u8]) -> Option<Entry> {
        let (fingerprint, window) = victim_words(payload);
        let valid = (1..=self.fingerprints()).contains(&fingerprint) && window < self.windows();
        valid.then(|| self.entry_from(fingerprint, window))
    }

    /// The bytes behind the last slot, and how many bits of the byte before them are no slot's.
    pub(super) fn padding<'a>(&self, payload: &'a [u8]) -> (&'a [u8], u32) {
        let used = self.slots() * u64::from(self.fingerprint_bits());
        (&payload[payload.len() - PADDING..], (used.next_multiple_of(8) - used) as u32)
    }
}

/// The fingerprint and the window of the victim slot; both 0 when it is empty.
pub(super) fn victim_words(payload: &[u8]) -> (u64, u64) {
    (word(payload, VICTIM_FINGERPRINT), word(payload, VICTIM_WINDOW))
}

/// Whether the victim slot holds this entry.
#[inline(always)]
pub(super) fn is_victim(payload: &[u8], entry: &Entry) -> bool {
    let (fingerprint, window) = victim_words(payload);
    fingerprint == entry.fingerprint && entry.windows.contains(&window)
}

pub(super) fn set_victim(payload: &mut [u8], entry: &Entry) {
    set_word(payload, VICTIM_FINGERPRINT, entry.fingerprint);
    set_word(payload, VICTIM_WINDOW, entry.windows[0]);
}

pub(super) fn clear_victim(payload: &mut [u8]) {
    payload[VICTIM_FINGERPRINT..KEYS].fill(0);
}

/// The number of keys in the filter, that in the victim slot included.
pub(super) fn keys(payload: &[u8]) -> u64 {
    word(payload, KEYS)
}

pub(super) fn set_keys(payload: &mut [u8], keys: u64) {
    set_word(payload, KEYS, keys);
}

/// The part of the control line without a meaning.
pub(super) fn reserved(payload: &[u8]) -> &[u8] {
    &payload[RESERVED..CONTROL]
}

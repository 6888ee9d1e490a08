//! A line that the hash chooses, and positions in it.

use super::scale;

/// How many probes one 32-bit word gives: as many as a 256-bit register holds words.
pub(crate) const GROUP: u32 = 8;

/// An odd multiplier for each group of probes, which turns the hash into that group's word: 2^64/φ, then the
/// fractional parts of √3, √5 and √7 (odd as they are; nothing up the sleeve).
pub(crate) const MULTIPLIERS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1];

/// From one probe's word to the next: 2^32/φ, odd. The product's top bits depend on all of the word's.
pub(crate) const STEP: u32 = 0x9e37_79b9;

/// The word from which a group's probes come.
#[inline(always)]
pub(crate) fn group_word(hash: u64, multiplier: u64) -> u32 {
    (hash.wrapping_mul(multiplier) >> 32) as u32
}

/// The positions of one key: all in the line of `LINE` that the high bits of the hash choose. `LINE` is a power
/// of two of at most 2^16.
///
/// Eight probes come from one 32-bit word, each a fresh multiplication, which costs 0.1 % of the rate against
/// independent probes where double hashing costs 20 % (at 10 bits per key; 10 × the rate at 20). The word takes in
/// the whole hash, so that it is uniform among the keys of one line. A fresh word for every eight probes keeps the
/// rate from having a floor: keys of one line that share 32 bits would otherwise share all probes.
#[derive(Clone, Debug)]
pub(crate) struct LinePositions<const LINE: u32> {
    hash: u64,
    /// The line's first position.
    line: u64,
    word: u32,
    next: u32,
    probes: u32,
}

impl<const LINE: u32> LinePositions<LINE> {
    /// The word's top bits that choose one of the line's positions.
    const SHIFT: u32 = u32::BITS - LINE.trailing_zeros();

    #[inline(always)]
    pub(crate) fn new(hash: u64, lines: u64, probes: u32) -> Self {
        Self { line: scale(hash, lines) * u64::from(LINE), ..Self::in_line(hash, probes) }
    }

    /// The positions counted from the start of the line, whichever that is.
    #[inline(always)]
    pub(crate) fn in_line(hash: u64, probes: u32) -> Self {
        Self { hash, line: 0, word: 0, next: 0, probes }
    }
}

impl<const LINE: u32> Iterator for LinePositions<LINE> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.next == self.probes {
            return None;
        }
        self.word = if self.next.is_multiple_of(GROUP) {
            group_word(self.hash, MULTIPLIERS[(self.next / GROUP) as usize])
        } else {
            self.word.wrapping_mul(STEP)
        };
        self.next += 1;
        Some(self.line + u64::from(self.word >> Self::SHIFT))
    }
}

//! Where a key's bits are.

use crate::bits::scale;

/// The multiplier of the remix: degski's 64-bit mixer, found by search for even avalanche.
const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;
/// The addend of the remix, 2^64/φ: keeps the hash 0 from being its own successor.
const ADDEND: u64 = 0x9e37_79b9_7f4a_7c15;

/// The positions of one key: each the high bits of the hash, remixed before the next.
///
/// Double hashing (h1 + i·h2) would save a multiplication a probe and cost a higher rate, and its step has values
/// that reach few positions. Remixing is a bijection of the 64-bit hash, so that two hashes never share all later
/// positions because they shared one.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    hash: u64,
    bits: u64,
    left: u32,
}

impl Positions {
    #[inline(always)]
    pub(super) fn new(hash: u64, bits: u64, probes: u32) -> Self {
        Self { hash, bits, left: probes }
    }
}

impl Iterator for Positions {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let position = scale(self.hash, self.bits);
        // The shift brings the high bits, which chose the position, down to where the multiplication spreads them.
        self.hash = (self.hash ^ (self.hash >> 32)).wrapping_mul(MULTIPLIER).wrapping_add(ADDEND);
        Some(position)
    }
}

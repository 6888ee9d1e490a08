//! Slots of a width, and what is in them.

/// Fingerprints of a width.
///
/// Those of whole bytes, most filters', are read as such: a kernel is compiled for each of them, and one for all other
/// widths.
pub(super) trait Width: Copy {
    /// The place of a slot in a shard that begins at byte `start`.
    fn place(self, start: u64, slot: u64) -> u64;

    /// The byte of a place.
    fn byte(self, place: u64) -> usize;

    /// What the slot there holds, and maybe more above it.
    fn read(self, payload: &[u8], place: u64) -> u64;

    /// Puts a fingerprint into the slot there, which is zero; higher bits are dropped.
    fn write(self, payload: &mut [u8], place: u64, fingerprint: u64);

    /// Whether these bits, of what [`Width::read`] gave, are zero.
    fn is_zero(self, bits: u64) -> bool;

    /// The highest bits of a word, as many as a fingerprint has.
    fn top(self, word: u64) -> u64;
}

/// Fingerprints of 8, 16 or 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Whole<const BYTES: usize>;

impl<const BYTES: usize> Width for Whole<BYTES> {
    #[inline(always)]
    fn place(self, start: u64, slot: u64) -> u64 {
        start + slot * BYTES as u64
    }

    #[inline(always)]
    fn byte(self, place: u64) -> usize {
        place as usize
    }

    #[inline(always)]
    fn read(self, payload: &[u8], place: u64) -> u64 {
        let mut bytes = [0; 8];
        bytes[..BYTES].copy_from_slice(&payload[place as usize..][..BYTES]);
        u64::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn write(self, payload: &mut [u8], place: u64, fingerprint: u64) {
        payload[place as usize..][..BYTES].copy_from_slice(&fingerprint.to_le_bytes()[..BYTES]);
    }

    #[inline(always)]
    fn is_zero(self, bits: u64) -> bool {
        bits << (u64::BITS - 8 * BYTES as u32) == 0
    }

    #[inline(always)]
    fn top(self, word: u64) -> u64 {
        word >> (u64::BITS - 8 * BYTES as u32)
    }
}

/// Fingerprints of any number of bits, 1 to 57; places are bits.
#[derive(Clone, Copy)]
pub(super) struct Packed(pub(super) u32);

impl Width for Packed {
    #[inline(always)]
    fn place(self, start: u64, slot: u64) -> u64 {
        start * 8 + slot * u64::from(self.0)
    }

    #[inline(always)]
    fn byte(self, place: u64) -> usize {
        (place / 8) as usize
    }

    #[inline(always)]
    fn read(self, payload: &[u8], place: u64) -> u64 {
        Whole::<8>.read(payload, place / 8) >> (place % 8)
    }

    #[inline(always)]
    fn write(self, payload: &mut [u8], place: u64, fingerprint: u64) {
        let own = fingerprint & (u64::MAX >> (u64::BITS - self.0));
        let there = Whole::<8>.read(payload, place / 8);
        Whole::<8>.write(payload, place / 8, there | own << (place % 8));
    }

    #[inline(always)]
    fn is_zero(self, bits: u64) -> bool {
        bits << (u64::BITS - self.0) == 0
    }

    #[inline(always)]
    fn top(self, word: u64) -> u64 {
        word >> (u64::BITS - self.0)
    }
}

/// Runs `$body` with the width of `$params` as `$width`.
macro_rules! with_width {
    ($params:expr, $width:ident => $body:expr) => {
        match $params.fingerprint_bits() {
            8 => {
                let $width = $crate::fuse::width::Whole::<1>;
                $body
            }
            16 => {
                let $width = $crate::fuse::width::Whole::<2>;
                $body
            }
            32 => {
                let $width = $crate::fuse::width::Whole::<4>;
                $body
            }
            bits => {
                let $width = $crate::fuse::width::Packed(bits);
                $body
            }
        }
    };
}
pub(super) use with_width;

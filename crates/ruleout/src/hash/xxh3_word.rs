//! XXH3 of a key of eight bytes, small enough to be inlined.
//!
//! The whole function is not, and a call and its choice of the length cost as much as these few instructions.
//!
//! Source: xxHash specification, "XXH3 Algorithm Overview", inputs of 4 to 8 bytes.

/// Bytes 8 to 15 of the default secret, and bytes 16 to 23.
const SECRET: [u64; 2] = [0x1cad_21f7_2c81_017c, 0xdb97_9083_e96d_d4de];
/// The specification's PRIME_MX2.
const PRIME: u64 = 0x9fb2_1c65_1e98_df25;

/// What the function makes of a seed before it sees such a key.
#[derive(Clone, Copy)]
pub(super) struct WordSeed(u64);

impl WordSeed {
    pub(super) const fn new(seed: u64) -> Self {
        let seed = seed ^ ((seed as u32).swap_bytes() as u64) << 32;
        Self((SECRET[0] ^ SECRET[1]).wrapping_sub(seed))
    }
}

/// XXH3 of the eight little-endian bytes of `word`.
#[inline(always)]
pub(super) fn xxh3_of_word(word: u64, seed: WordSeed) -> u64 {
    let mut hash = word.rotate_left(32) ^ seed.0;
    hash ^= hash.rotate_left(49) ^ hash.rotate_left(24);
    hash = hash.wrapping_mul(PRIME);
    hash = (hash ^ ((hash >> 35) + size_of::<u64>() as u64)).wrapping_mul(PRIME);
    hash ^ hash >> 28
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    use super::*;

    #[test]
    fn it_is_the_whole_function() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x9e37_79b9_7f4a_7c15);
            random ^ random >> 29
        };
        let mut words = alloc::vec![0, 1, u64::MAX, 1 << 63, 0xffff_ffff, !0xffff_ffff];
        words.extend((0..200).map(|_| next()));
        for &word in &words {
            for &seed in &words {
                assert_eq!(
                    xxh3_of_word(word, WordSeed::new(seed)),
                    xxh3_64_with_seed(&word.to_le_bytes(), seed),
                    "{word:#x} {seed:#x}"
                );
            }
        }
    }
}

//! Two disjoint endless families of pseudo-random keys.
//!
//! A test inserts [`members`] and asks for [`probes`]. Both are images of integers under one bijection, even
//! and odd ones, so that no probe is ever a member, no key repeats, and every run sees the same keys.

/// Hashes that a filter may find hard: the extremes, single bits, and halves that are zero.
pub const CORNERS: [u64; 8] = [0, 1, u64::MAX, 1 << 63, 1 << 32, 1 << 31, u64::MAX << 32, u64::MAX >> 32];

/// The finaliser of SplitMix64: a bijection of the 64-bit integers that scatters neighbours.
///
/// Each of its steps can be undone: `x ^ (x >> s)` with `s > 0`, and multiplication by an odd constant. Hence
/// different inputs have different outputs. Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014, with the constants of Stafford's "Mix13" variant as in Vigna's `splitmix64.c`.
/// `mix(0)` is 0.
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The `i`-th member: `mix(2i)`.
///
/// # Panics
///
/// In debug builds, if `i ≥ 2⁶³`, where the family would repeat.
pub const fn member(i: u64) -> u64 {
    debug_assert!(i < 1 << 63);
    mix(i << 1)
}

/// The `i`-th probe, a key that is not a member: `mix(2i + 1)`.
///
/// # Panics
///
/// In debug builds, if `i ≥ 2⁶³`, where the family would repeat.
pub const fn probe(i: u64) -> u64 {
    debug_assert!(i < 1 << 63);
    mix((i << 1) | 1)
}

/// The first `n` members.
pub fn members(n: u64) -> impl DoubleEndedIterator<Item = u64> + Clone {
    (0..n).map(member)
}

/// The first `n` probes.
pub fn probes(n: u64) -> impl DoubleEndedIterator<Item = u64> + Clone {
    (0..n).map(probe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The inverse of [`mix`], which proves it a bijection where it is checked.
    fn unmix(x: u64) -> u64 {
        fn unshift(mut x: u64, shift: u32) -> u64 {
            let y = x;
            for _ in 0..64 / shift {
                x = y ^ (x >> shift);
            }
            x
        }
        let x = unshift(x, 31).wrapping_mul(0x3196_42b2_d24d_8ec3);
        let x = unshift(x, 27).wrapping_mul(0x96de_1b17_3f11_9089);
        unshift(x, 30)
    }

    #[test]
    fn mix_is_a_bijection() {
        // The inverse multipliers first: unmix undoes mix step by step.
        assert_eq!(0xbf58_476d_1ce4_e5b9_u64.wrapping_mul(0x96de_1b17_3f11_9089), 1);
        assert_eq!(0x94d0_49bb_1331_11eb_u64.wrapping_mul(0x3196_42b2_d24d_8ec3), 1);
        for x in (0..10_000).chain([1 << 63, u64::MAX]) {
            assert_eq!(unmix(mix(x)), x);
        }
    }

    #[test]
    fn the_families_are_pinned_and_disjoint() {
        // The first output of splitmix64 seeded with 0 is the mix of its increment.
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0xe220_a839_7b1d_cdaf);
        let all: HashSet<u64> = members(50_000).chain(probes(50_000)).collect();
        assert_eq!(all.len(), 100_000);
    }
}

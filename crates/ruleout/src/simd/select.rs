//! Finding the k-th set bit of a word, and running a kernel with the instructions for it.
#![allow(unsafe_code)]

/// The word operations a [`Kernel`] is written over.
pub(crate) trait WordOps: Copy {
    /// The position of the set bit that has `rank` set bits below it; 64 when there is none. A rank is below 256.
    fn select(self, word: u64, rank: u32) -> u32;

    /// The lowest `bits` bits of a word, and zeros above them. There are fewer than 256.
    fn low(self, word: u64, bits: u32) -> u64;

    /// A word in which, for the lowest set bit of `word`, that bit of `tops` is set which has as many set bits below
    /// it; those above it may be anything, and all are zero when there is no such bit.
    ///
    /// `tops` holds the top bits of fields of `width` bits, the lowest field's on, and maybe not of all there is room for.
    fn lowest_to_field(self, word: u64, tops: u64, width: u32) -> u64;

    /// Runs `kernel` with these instructions and in a function of its own, which leaves the registers to the caller: for
    /// what is seldom needed.
    fn apart<K: Kernel>(self, kernel: K, data: K::Data) -> K::Output;
}

/// Code that is compiled once for every set of word operations.
///
/// `run` and what it calls should be `#[inline(always)]`: only what is inlined is compiled with the instructions.
/// A kernel and its data of at most two words each are handed over in registers, which a single lookup shows.
pub(crate) trait Kernel {
    /// What it works on.
    type Data;
    /// What it gives.
    type Output;

    /// Runs it.
    fn run(self, data: Self::Data, ops: impl WordOps) -> Self::Output;
}

/// Runs `kernel` on `data` with the best instructions of this CPU.
#[inline(always)]
pub(crate) fn run<K: Kernel>(kernel: K, data: K::Data) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(cpu) = super::cpu::Bmi2::detect() {
        return bmi2::run(cpu, kernel, data);
    }
    run_portable(kernel, data)
}

/// Not inlined: it would take registers and stack from the way past it.
#[inline(never)]
fn run_portable<K: Kernel>(kernel: K, data: K::Data) -> K::Output {
    kernel.run(data, Portable)
}

/// Word operations for any CPU.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

/// A one in every byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The top bit of every byte.
const TOPS: u64 = 0x8080_8080_8080_8080;

impl WordOps for Portable {
    /// Vigna, "Broadword Implementation of Rank/Select Queries", WEA 2008, algorithm 2: the byte by comparing all
    /// prefix sums at once, then the bit in the byte the same way.
    #[inline(always)]
    fn select(self, word: u64, rank: u32) -> u32 {
        let rank = u64::from(rank);
        let mut sums = word - (word >> 1 & 0x5555_5555_5555_5555);
        sums = (sums & 0x3333_3333_3333_3333) + (sums >> 2 & 0x3333_3333_3333_3333);
        sums = ((sums + (sums >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES);
        if rank >= sums >> 56 {
            return u64::BITS;
        }
        let place = at_most(sums, rank) * 8;
        let in_byte = rank - ((sums << 8) >> place & 0xff);
        // Bit i of the byte, and nothing else, in byte i; then ones for the bits that are set.
        let spread = (word >> place & 0xff).wrapping_mul(ONES) & 0x8040_2010_0804_0201;
        let bits = (spread | ((spread | TOPS) - ONES)) & TOPS;
        place + at_most((bits >> 7).wrapping_mul(ONES), in_byte)
    }

    #[inline(always)]
    fn low(self, word: u64, bits: u32) -> u64 {
        if bits < u64::BITS { word & ((1 << bits) - 1) } else { word }
    }

    #[inline(always)]
    fn lowest_to_field(self, word: u64, tops: u64, width: u32) -> u64 {
        1u64.checked_shl((word.trailing_zeros() + 1) * width - 1).unwrap_or(0) & tops
    }

    #[inline(always)]
    fn apart<K: Kernel>(self, kernel: K, data: K::Data) -> K::Output {
        run_portable(kernel, data)
    }
}

/// How many bytes of `bytes`, none above 127, are at most `limit`, which is below 128.
#[inline(always)]
fn at_most(bytes: u64, limit: u64) -> u32 {
    ((limit.wrapping_mul(ONES) | TOPS).wrapping_sub(bytes) & TOPS).count_ones()
}

#[cfg(target_arch = "x86_64")]
mod bmi2 {
    use core::arch::x86_64::{_bzhi_u64, _pdep_u64};

    use super::super::cpu::Bmi2;
    use super::{Kernel, WordOps};

    impl WordOps for Bmi2 {
        #[inline(always)]
        fn select(self, word: u64, rank: u32) -> u32 {
            // All from the n-th on, of which the n-th is the lowest.
            let from_nth = !self.low(u64::MAX, rank);
            // SAFETY: the token proves that the CPU has BMI2.
            unsafe { _pdep_u64(from_nth, word) }.trailing_zeros()
        }

        #[inline(always)]
        fn low(self, word: u64, bits: u32) -> u64 {
            // SAFETY: the token proves that the CPU has BMI2.
            unsafe { _bzhi_u64(word, bits) }
        }

        #[inline(always)]
        fn lowest_to_field(self, word: u64, tops: u64, _width: u32) -> u64 {
            // SAFETY: the token proves that the CPU has BMI2.
            unsafe { _pdep_u64(word, tops) }
        }

        #[inline(always)]
        fn apart<K: Kernel>(self, kernel: K, data: K::Data) -> K::Output {
            // SAFETY: the token proves that the CPU has all four features.
            unsafe { run_apart(self, kernel, data) }
        }
    }

    #[inline(always)]
    pub(super) fn run<K: Kernel>(cpu: Bmi2, kernel: K, data: K::Data) -> K::Output {
        // SAFETY: the token proves that the CPU has all four features.
        unsafe { run_with_bmi2(cpu, kernel, data) }
    }

    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    fn run_with_bmi2<K: Kernel>(ops: Bmi2, kernel: K, data: K::Data) -> K::Output {
        kernel.run(data, ops)
    }

    #[cold]
    #[inline(never)]
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    fn run_apart<K: Kernel>(ops: Bmi2, kernel: K, data: K::Data) -> K::Output {
        kernel.run(data, ops)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(word: u64, rank: u32) -> u32 {
        (0..64).filter(|bit| word >> bit & 1 == 1).nth(rank as usize).unwrap_or(64)
    }

    struct Select(u32);

    impl Kernel for Select {
        type Data = u64;
        type Output = u32;

        fn run(self, word: u64, ops: impl WordOps) -> u32 {
            ops.select(word, self.0)
        }
    }

    #[test]
    fn every_way_to_select_finds_the_naive_bit() {
        let mut word = 0x9e37_79b9_7f4a_7c15u64;
        let mut words = alloc::vec![0, 1, 1 << 63, u64::MAX, u64::MAX - 1, u64::MAX >> 1, ONES, TOPS];
        for i in 0..2000 {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
            // Sparse, even and dense ones.
            words.push([word & word >> 9, word, word | word >> 11][i % 3]);
        }
        for word in words {
            for rank in 0..66 {
                assert_eq!(Portable.select(word, rank), naive(word, rank), "{word:#x} {rank}");
                assert_eq!(run(Select(rank), word), naive(word, rank), "{word:#x} {rank}");
            }
        }
    }
}

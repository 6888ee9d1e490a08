//! Counting set bits, with the CPU's own instruction where it has one.

use crate::simd::{Kernel, WordOps, run};

/// The number of set bits in `bytes`.
pub(crate) fn count_ones(bytes: &[u8]) -> u64 {
    run(CountOnes(bytes), ())
}

/// Adds one to `with[i]` for every line with `i` set bits; `with` has a place for each number there can be.
pub(crate) fn count_lines<const BYTES: usize>(lines: &[[u8; BYTES]], with: &mut [u64]) {
    run(CountLines(lines, with), ());
}

// Of what they are run with they use no operation, but are compiled to its instructions.

struct CountOnes<'a>(&'a [u8]);

impl Kernel for CountOnes<'_> {
    type Data = ();
    type Output = u64;

    #[inline(always)]
    fn run(self, (): (), _: impl WordOps) -> u64 {
        ones(self.0)
    }
}

struct CountLines<'a, const BYTES: usize>(&'a [[u8; BYTES]], &'a mut [u64]);

impl<const BYTES: usize> Kernel for CountLines<'_, BYTES> {
    type Data = ();
    type Output = ();

    #[inline(always)]
    fn run(self, (): (), _: impl WordOps) {
        for line in self.0 {
            self.1[ones(line) as usize] += 1;
        }
    }
}

#[inline(always)]
fn ones(bytes: &[u8]) -> u64 {
    let (words, tail) = bytes.as_chunks::<8>();
    let whole: u64 = words.iter().map(|w| u64::from(u64::from_le_bytes(*w).count_ones())).sum();
    whole + tail.iter().map(|b| u64::from(b.count_ones())).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_counts_once() {
        for len in [0, 1, 7, 8, 9, 64, 100] {
            for stride in [1, 3, 7] {
                let mut bytes = alloc::vec![0u8; len];
                let set = (0..len * 8).step_by(stride).map(|bit| bytes[bit / 8] |= 1 << (bit % 8)).count();
                assert_eq!(count_ones(&bytes), set as u64);
            }
        }
        let mut with = [0; 17];
        count_lines(&[[0xff, 0], [0, 0x0f], [0xff, 0xff], [1, 2], [0x80, 0x7f]], &mut with);
        assert_eq!(with, [0, 0, 1, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
    }
}

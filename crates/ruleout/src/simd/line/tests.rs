//! Kernels against their twins.

use super::*;

/// Whatever kernel runs here answers as its portable twin, for every number of probes and every fill.
fn the_kernel_equals_its_twin<const LINE: u32>() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state ^ state >> 32
    };
    let mut found = [0u32; 2];
    for probes in 1..=32 {
        for fill in [0u8, 1, 3, 7, 15, 31, 63, 127, 254] {
            let mut lines = [[0u8; 64]; 3];
            for byte in lines.as_flattened_mut() {
                *byte = if random() as u8 <= fill { 0 } else { random() as u8 | 0x11 };
            }
            for _ in 0..200 {
                let hash = random();
                let twin = scalar::test::<LINE>(&lines[line_of(hash, 3)], hash, probes);
                assert_eq!(test::<LINE>(Vectors::detect(), &lines, hash, probes), twin, "{probes} probes");
                found[usize::from(twin)] += 1;
            }
        }
    }
    assert!(found.iter().all(|&times| times > 1000), "both answers were compared: {found:?}");
}

/// Whatever kernel runs here changes a line as its portable twin does, and answers the same.
fn the_setter_equals_its_twin(
    set: impl Fn(Vectors, &mut [Line], u64, u32) -> bool,
    set_many: impl Fn(Vectors, &mut [Line], &[u64], u32) -> usize,
    twin: impl Fn(&mut Line, u64, u32) -> bool,
) {
    for probes in 1..=32 {
        let mut lines = [[0u8; 64]; 5];
        let (mut batched, mut twins) = (lines, lines);
        let hashes: alloc::vec::Vec<u64> =
            (1..400u64).map(|i| (i / 3).wrapping_mul(0xd134_2543_de82_ef95)).collect();
        let mut new = 0;
        for &hash in &hashes {
            let fresh = twin(&mut twins[line_of(hash, 5)], hash, probes);
            assert_eq!(set(Vectors::detect(), &mut lines, hash, probes), fresh, "{probes} probes");
            assert_eq!(lines, twins, "{probes} probes");
            new += usize::from(fresh);
        }
        assert_eq!(set_many(Vectors::detect(), &mut batched, &hashes, probes), new);
        assert_eq!(batched, twins);
    }
}

#[test]
fn setting_bits() {
    the_setter_equals_its_twin(set, set_many, scalar::set);
}

#[test]
fn incrementing_counters() {
    the_setter_equals_its_twin(increment, increment_many, scalar::increment);
}

#[test]
fn bits() {
    the_kernel_equals_its_twin::<512>();
}

#[test]
fn counters() {
    the_kernel_equals_its_twin::<128>();
}

//! Where a key's bits are: uniform, distinct, beyond 32 bits.

use std::collections::HashSet;
use std::vec::Vec;

use ruleout_testkit::frame::{at, forged, header_len};
use ruleout_testkit::keys::{CORNERS, mix};

use super::probe::Positions;
use super::{Bloom, BloomParams};
use crate::{Hasher, Native, OpenError};

fn positions(hash: u64, bits: u64, probes: u32) -> Vec<u64> {
    Positions::new(hash, bits, probes).collect()
}

fn distinct(positions: &[u64]) -> usize {
    positions.iter().collect::<HashSet<_>>().len()
}

/// Each third of 3·2^29 bits gets a third of each probe's positions; 3 · 2^29 is where a 31-bit hash modulo the
/// size favours some: B030.
#[test]
fn every_probe_is_uniform() {
    const KEYS: u64 = 200_000;
    for bits in [3 << 29, (1 << 40) + 7, 1000] {
        let mut thirds = [[0u64; 3]; 12];
        for i in 0..KEYS {
            for (counts, position) in thirds.iter_mut().zip(Positions::new(mix(i), bits, 12)) {
                counts[(position * 3 / bits) as usize] += 1;
            }
        }
        for counts in thirds {
            for count in counts {
                // Five standard deviations; 1 % of a third is 667.
                let off = (count as f64 - KEYS as f64 / 3.0).abs();
                assert!(
                    off < 5.0 * (KEYS as f64 * 2.0 / 9.0).sqrt() + 2.0 * KEYS as f64 / bits as f64,
                    "{counts:?}"
                );
            }
        }
    }
}

/// The probes of one key fall on as many different bits as independent ones would, whatever divides the size: B044,
/// B046, B047.
#[test]
fn probes_are_distinct() {
    const KEYS: u64 = 50_000;
    for (bits, probes) in [(1024, 30), (720_720, 7), (720_720, 30), (1 << 20, 10), (997, 13)] {
        let mut sum = 0;
        for i in 0..KEYS {
            let count = distinct(&positions(mix(i), bits, probes));
            assert!(count >= probes as usize / 2, "{count} of {probes} in {bits}");
            sum += count;
        }
        let (m, k) = (bits as f64, f64::from(probes));
        let expected = m * -libm::expm1(k * libm::log1p(-1.0 / m));
        let mean = sum as f64 / KEYS as f64;
        assert!((mean - expected).abs() < 0.02, "{mean} of {probes} in {bits}, {expected} expected");
    }
    for hash in CORNERS {
        let all = positions(hash, 1 << 40, 16);
        assert!(distinct(&all) >= 15, "{hash:#x}: {all:?}");
        assert_eq!(distinct(&positions(hash, 1 << 20, 7)), 7, "{hash:#x}");
    }
}

/// No probe but the first of two keys is the same because another was: a step derived from part of the hash would
/// make it so: B028, B039.
#[test]
fn half_a_hash_decides_nothing() {
    let bits = 1 << 40;
    for i in 1..10_000 {
        let hash = mix(i);
        for other in [hash ^ 1, hash ^ 1 << 31, hash ^ 1 << 32, hash ^ 1 << 63] {
            let (ours, theirs) = (positions(hash, bits, 8), positions(other, bits, 8));
            let same = ours.iter().zip(&theirs).skip(2).filter(|(a, b)| a == b).count();
            assert_eq!(same, 0, "{hash:#x} and {other:#x}: {ours:?}, {theirs:?}");
        }
    }
}

/// Positions are 64 bits wide and below the size, whatever it is: B031, B033, B064.
#[test]
fn positions_go_as_far_as_the_bits() {
    for bits in [1, 2, 7, (1 << 31) + 1, 3_354_773_503, 1 << 32, (1 << 32) + 1, 1 << 40, u64::MAX] {
        let all = || (0..20_000).map(mix).chain(CORNERS).flat_map(|hash| Positions::new(hash, bits, 7));
        assert!(all().all(|position| position < bits));
        let top = all().max().expect("there are some");
        assert!(top >= bits - 1 - bits / 5_000, "{bits} bits are used up to {top}");
    }
}

/// The remix is that of `docs/format.md`: a change of it would lose the keys of every file.
#[test]
fn positions_are_pinned() {
    assert_eq!(positions(0, 1_000_000, 4), [0, 618_033, 711_715, 233_092]);
    assert_eq!(positions(u64::MAX, 1_000_000, 4), [999_999, 218_223, 809_657, 28_424]);
}

/// Bits past the last are no filter's, under right checksums too; a merge would carry them on: B090, B150.
#[test]
fn bits_past_the_last_are_refused() {
    for bits in [1, 7, 8, 9, 1001, 1024] {
        let params = BloomParams::new(3, bits, 2).expect("a sound shape");
        let file = Native::new(params, Hasher::default()).expect("it is small").to_bytes();
        let last = file.len() - 1;
        for bit in 0..8 {
            let bytes = forged(&file, last, &[1 << bit]);
            let position = (last - header_len(&file)) as u64 * 8 + bit;
            match Bloom::open_verified(&bytes[..]) {
                Ok(_) => assert!(position < bits, "bit {position} of {bits}"),
                Err(OpenError::Invalid { field: "last byte", value, .. }) => {
                    assert!(position >= bits && value == 1 << bit, "bit {position} of {bits}");
                }
                Err(error) => panic!("bit {position} of {bits}: {error}"),
            }
        }
        assert_eq!(forged(&file, at::CAPACITY, &[3]), file);
    }
}

//! Where a key's line and bits are: uniform, distinct, beyond 32 bits.

use std::collections::HashSet;
use std::vec::Vec;

use ruleout_testkit::keys::{CORNERS, mix};

use super::probe::Positions;

const LINE: u64 = 512;

fn positions(hash: u64, lines: u64, probes: u32) -> Vec<u64> {
    Positions::new(hash, lines, probes).collect()
}

/// Every probe stays in the line that the hash's high bits choose, and the lines go as far as they are many: B031,
/// B033, B064.
#[test]
fn all_probes_are_in_one_line() {
    for lines in [1, 2, 7, (1 << 22) + 1, 1 << 32, (1 << 55) - 1] {
        let mut top = 0;
        for hash in (0..20_000).map(mix).chain(CORNERS) {
            let line = ((u128::from(hash) * u128::from(lines)) >> 64) as u64;
            assert!(positions(hash, lines, 32).iter().all(|position| position / LINE == line), "{hash:#x}");
            top = top.max(line);
        }
        assert!(top >= lines - 1 - lines / 5_000, "{lines} lines are used up to {top}");
    }
}

/// Each probe of the keys of one line reaches all its bits alike: B030, B051.
#[test]
fn every_probe_is_uniform_in_the_line() {
    const KEYS: u64 = 512 * 400;
    // The keys of one line share the high bits of their hashes: so do these.
    let hashes = (0..KEYS).map(|i| 0xabcd << 48 | mix(i) >> 16);
    let mut counts = [[0u64; LINE as usize]; 32];
    for hash in hashes {
        for (counts, position) in counts.iter_mut().zip(Positions::new(hash, 1 << 16, 32)) {
            counts[(position % LINE) as usize] += 1;
        }
    }
    for (probe, counts) in counts.iter().enumerate() {
        let chi: f64 = counts.iter().map(|&count| count as f64 - 400.0).map(|off| off * off / 400.0).sum();
        // 511 degrees of freedom: the mean is 511, the standard deviation 32.
        assert!(chi < 511.0 + 6.0 * 32.0, "probe {probe}: chi-square {chi}");
    }
}

/// The probes of one key fall on about as many bits as independent ones would: B044, B046, B047.
///
/// A hash whose word is 0, one in 2^32, has one bit for all eight probes: it is found, and an absent key like it
/// is taken for a member as often as the line is full, which adds less than 2^-32 to a rate.
#[test]
fn probes_are_distinct() {
    const KEYS: u64 = 50_000;
    for probes in [4, 6, 8, 9, 16, 32] {
        let mut sum = 0;
        for i in 1..=KEYS {
            let count = positions(mix(i), 1000, probes).into_iter().collect::<HashSet<_>>().len();
            assert!(count >= probes as usize / 2, "{count} of {probes}");
            sum += count;
        }
        let expected = 512.0 * -libm::expm1(f64::from(probes) * libm::log1p(-1.0 / 512.0));
        let mean = sum as f64 / KEYS as f64;
        assert!(
            (mean - expected).abs() < 0.02 * f64::from(probes),
            "{mean} of {probes}, {expected} expected"
        );
    }
}

/// The groups of eight probes are words of their own: two keys that agree in one group differ in the others.
#[test]
fn groups_are_independent() {
    let mut seen = std::collections::HashMap::new();
    let mut pairs = 0;
    for hash in (0..300_000).map(|i| mix(i) >> 1) {
        let all = positions(hash, 1, 32);
        // Three probes of 512 bits: some pairs of 300,000 keys agree by chance.
        if let Some(other) = seen.insert(all[..3].to_vec(), all.clone()) {
            pairs += 1;
            let same = all[8..].iter().zip(&other[8..]).filter(|(a, b)| a == b).count();
            assert!(same <= 8, "{same} of 24 further probes agree");
        }
    }
    assert!(pairs > 100, "only {pairs} pairs");
}

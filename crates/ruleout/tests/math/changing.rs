//! The rates and sizes of the families that change after they are built: split-block, counting, cuckoo, quotient.
//!
//! `blocked_fpr`, `cuckoo_quotient` and `counting_overflow` are tables of the project; `dynamic_rates.json` says in
//! its note how it was made. The design
//! load of a cuckoo table has no formula: simulation found it, and a smaller simulation here watches over it.

use ruleout::math::elementary::ln;
use ruleout::math::{counting, cuckoo, quotient, split_block};
use serde_json::Value;

use crate::random::Random;
use crate::tables::{TOLERANCE, close, real, rows, small, table, whole};

fn exact() -> Value {
    table(include_str!("../data/dynamic_rates.json"))
}

/// Compares `found` with the column `column` of every row that has one.
#[track_caller]
fn compare(name: &str, column: &str, found: impl Fn(&Value) -> f64) {
    let (table, mut worst) = (exact(), 0.0_f64);
    for row in rows(&table, name).iter().filter(|row| !row[column].is_null()) {
        worst = worst.max(close(found(row), real(&row[column]), TOLERANCE, row));
    }
    println!("{name}, {column}: worst relative error {worst:e}");
}

/// `log2(1/ε) + 1.443`: bits per key that no filter with inserts and deletes can do without.
fn dynamic_floor(fpr: f64) -> f64 {
    -ln(fpr) / core::f64::consts::LN_2 + 1.443
}

// ---------------------------------------------------------------------------------------------- split block

#[test]
fn split_block_rates_are_exact() {
    compare("split_block", "exact", |row| split_block::fpr(whole(&row["blocks"]), whole(&row["n"])));

    let table = table(include_str!("../data/blocked_fpr.json"));
    // These rows are the limit of many blocks: with 2^35 of them the two differ by less than 10^-8.
    let blocks = 1_u64 << 35;
    for row in rows(&table, "split_block_8x32") {
        let keys = (blocks as f64 * 256.0 / real(&row["bits_per_key"])).round() as u64;
        close(split_block::fpr(blocks, keys), real(&row["fpr"]), 1e-8, row);
    }
    for row in rows(&table, "finite").iter().filter(|row| !row["split_block"].is_null()) {
        let rate = split_block::fpr(whole(&row["blocks"]), whole(&row["n"]));
        close(rate, real(&row["split_block"]), TOLERANCE, row);
    }
    for row in rows(&table, "split_block_bits_needed") {
        let bits_per_key = split_block::bits_per_key(real(&row["p"])).unwrap();
        close(bits_per_key, real(&row["bits_per_key"]), 1e-10, row);
    }
}

#[test]
fn split_block_sizes_are_minimal() {
    for row in rows(&exact(), "split_block_sizes") {
        let blocks = split_block::size(whole(&row["n"]), real(&row["p"]));
        assert_eq!(blocks, Some(whole(&row["blocks"])), "{row}");
    }
    for rate in [0.9, 0.1, 0.01, 1e-3, 1e-6] {
        for keys in [1, 60, 5_000, 1_000_000_000_000] {
            let blocks = split_block::size(keys, rate).unwrap();
            assert!(split_block::fpr(blocks, keys) <= rate, "{keys} at {rate}: {blocks}");
            assert!(split_block::fpr(blocks - 1, keys) > rate, "{keys} at {rate}: {blocks}");
        }
    }
    assert_eq!(split_block::size(0, 0.01), split_block::size(1, 0.01));
}

#[test]
fn split_block_estimates_and_rates_of_simulated_filters() {
    let blocks = 4_000;
    let mut random = Random(1);
    // From nearly empty to ten times the design load of 1 %.
    for keys_per_block in [1, 8, 24, 100, 240] {
        let keys = blocks * keys_per_block;
        let mut filter = vec![[0_u32; 8]; blocks as usize];
        for _ in 0..keys {
            let block = &mut filter[random.below(blocks) as usize];
            for word in block {
                *word |= 1 << random.below(32);
            }
        }
        let ones: u64 = filter.iter().flatten().map(|word| u64::from(word.count_ones())).sum();
        let estimate = split_block::estimate_keys(ones, blocks).unwrap();
        let error = estimate / keys as f64 - 1.0;
        assert!(error.abs() < 0.01, "{keys} keys: estimated {estimate}");

        // The built filter's own rate scatters around the expectation.
        let built = split_block::fpr_of_blocks(filter.iter().map(|block| block.map(u32::count_ones)));
        let expected = split_block::fpr(blocks, keys);
        assert!((built / expected - 1.0).abs() < 0.2, "{keys} keys: {built} against {expected}");
    }
}

// ------------------------------------------------------------------------------------------------- counting

#[test]
fn counting_rates_are_exact() {
    compare("counting", "exact", |row| {
        counting::fpr(whole(&row["lines"]), small(&row["k"]), whole(&row["n"]))
    });
}

#[test]
fn sticky_counters_are_exact() {
    compare("sticky", "exact", |row| {
        counting::sticky(whole(&row["lines"]), small(&row["k"]), whole(&row["n"]))
    });
}

#[test]
fn counting_sizes_are_minimal() {
    for rate in [0.9, 0.1, 0.01, 1e-3, 1e-6] {
        for keys in [0, 1, 60, 5_000, 1_000_000, 1_000_000_000_000] {
            let size = counting::size(keys, rate).unwrap();
            let keys = keys.max(1);
            assert!(counting::fpr(size.lines, size.probes, keys) <= rate, "{keys} keys at {rate}: {size:?}");
            for k in 1..=counting::MAX_PROBES {
                let less = counting::fpr(size.lines - 1, k, keys);
                assert!(less > rate, "{keys} keys at {rate}: {size:?}, but {k} probes");
            }
            if keys >= 1_000_000 {
                let need = counting::bits_per_key(rate).unwrap();
                let found = size.lines as f64 * 512.0 / keys as f64;
                assert!(
                    (found / need.bits_per_key - 1.0).abs() < 1e-3,
                    "{keys} at {rate}: {found}, {need:?}"
                );
            }
        }
    }
}

#[test]
fn counting_estimates_and_rates_of_simulated_filters() {
    let (lines, k) = (4_000, 6);
    let mut random = Random(2);
    for keys_per_line in [3, 6, 12, 40, 100] {
        let keys = lines * keys_per_line;
        let mut filter = vec![[0_u8; 128]; lines as usize];
        for _ in 0..keys {
            let line = &mut filter[random.below(lines) as usize];
            let set = (0..k).fold(0_u128, |set, _| set | 1 << random.below(128));
            for (i, counter) in line.iter_mut().enumerate() {
                *counter = (*counter + (set >> i & 1) as u8).min(counting::STICKY_AT);
            }
        }
        let mut nonzero_per_line = [0; 129];
        for line in &filter {
            nonzero_per_line[line.iter().filter(|&&counter| counter > 0).count()] += 1;
        }
        let estimate = counting::estimate_keys(&nonzero_per_line, k).unwrap();
        let error = estimate / keys as f64 - 1.0;
        assert!(error.abs() < 0.01, "{keys} keys: estimated {estimate}");

        let (built, expected) = (counting::fpr_of_lines(&nonzero_per_line, k), counting::fpr(lines, k, keys));
        assert!((built / expected - 1.0).abs() < 0.2, "{keys} keys: {built} against {expected}");

        let stuck = filter.iter().flatten().filter(|&&counter| counter == counting::STICKY_AT).count();
        let expected = counting::sticky(lines, k, keys) * lines as f64 * 128.0;
        // Counters of one line are stuck together: the variance is several times that of independent ones.
        let tolerance = 3.0 + 15.0 * expected.sqrt();
        assert!(
            (stuck as f64 - expected).abs() < tolerance,
            "{keys} keys: {stuck} stuck, expected {expected}"
        );
    }
}

// --------------------------------------------------------------------------------------------------- cuckoo

#[test]
fn cuckoo_rates_are_exact() {
    compare("cuckoo", "exact", |row| cuckoo::fpr(whole(&row["slots"]), small(&row["t"]), whole(&row["n"])));
    compare("cuckoo", "refusals", |row| {
        cuckoo::refusals(whole(&row["slots"]), small(&row["t"]), whole(&row["n"]))
    });

    // The project's table has aligned buckets and takes their slots as independent; two buckets of two slots compare
    // as many tags as two windows do. It does not know classes: the two differ by a share of load·2^-f / 2.
    let table = table(include_str!("../data/cuckoo_quotient.json"));
    let slots = (1_u64 << 40) + 1;
    for row in rows(&table, "cuckoo").iter().filter(|row| row["b"] == 2) {
        let (f, load) = (small(&row["f"]), real(&row["load"]));
        let rate = cuckoo::fpr_of_values(slots, 1 << (f - 1), (load * slots as f64) as u64);
        let share = load / f64::from(1 << f) / 2.0;
        let independent = real(&row["fpr_mean"]);
        close(independent / rate - 1.0, share, 0.2, row);
        assert!(rate < real(&row["bound_2b_over_2f"]));
    }
}

/// A table of tags, as plain as can be: `(fingerprint, window)` in each slot.
struct Windows {
    slots: Vec<Option<(u64, u64)>>,
    /// The sum of a fingerprint's two windows, odd.
    sums: Vec<u64>,
    windows: u64,
    random: Random,
}

impl Windows {
    fn new(size: cuckoo::CuckooSize, seed: u64) -> Self {
        let mut random = Random(seed);
        let windows = cuckoo::windows(size.slots);
        let sums = (0..cuckoo::fingerprints(size.tag_bits)).map(|_| random.below(windows) | 1).collect();
        Self { slots: vec![None; size.slots as usize], sums, windows, random }
    }

    fn key(&mut self) -> (u64, u64) {
        (self.random.below(self.sums.len() as u64), self.random.below(self.windows))
    }

    /// The windows and slots of a key.
    fn places(&self, (fingerprint, window): (u64, u64)) -> [(u64, u64); 4] {
        let partner = (self.sums[fingerprint as usize] + self.windows - window) % self.windows;
        [(window, window), (window, window + 1), (partner, partner), (partner, partner + 1)]
    }

    fn contains(&self, key: (u64, u64)) -> bool {
        self.places(key).iter().any(|&(window, slot)| self.slots[slot as usize] == Some((key.0, window)))
    }

    /// Moves tags at random; returns how many, or `None` after too many.
    fn insert(&mut self, key: (u64, u64)) -> Option<u32> {
        let (mut key, mut left) = (key, None);
        for moves in 0..=cuckoo::MAX_MOVES {
            let places = self.places(key);
            if let Some(&(window, slot)) =
                places.iter().find(|(_, slot)| self.slots[*slot as usize].is_none())
            {
                self.slots[slot as usize] = Some((key.0, window));
                return Some(moves);
            }
            let (window, slot) = loop {
                let place = places[self.random.below(4) as usize];
                if left != Some(place.1) {
                    break place;
                }
            };
            left = Some(slot);
            key = self.slots[slot as usize].replace((key.0, window)).expect("an occupied slot");
        }
        None
    }
}

#[test]
fn cuckoo_rates_of_simulated_tables() {
    // Short tags and a small table, where the formula differs from that of independent slots by 1.5 %.
    let (size, keys) = (cuckoo::CuckooSize { slots: 2_001, tag_bits: 5 }, 1_700);
    let (mut hits, mut tables, queries) = (0_u64, 0, 20_000);
    for seed in 0..100 {
        let mut table = Windows::new(size, seed);
        let inserted = (0..keys).all(|_| {
            let key = table.key();
            table.insert(key).is_some()
        });
        if !inserted {
            continue;
        }
        tables += 1;
        for _ in 0..queries {
            let key = table.key();
            hits += u64::from(table.contains(key));
        }
    }
    let trials = f64::from(tables * queries);
    let (found, expected) = (hits as f64 / trials, cuckoo::fpr(size.slots, size.tag_bits, keys));
    let deviation = (expected * (1.0 - expected) / trials).sqrt();
    println!("{tables} tables: {found}, expected {expected}, standard deviation {deviation}");
    assert!(tables >= 60, "{tables}");
    assert!((found - expected).abs() < 5.0 * deviation, "{found} instead of {expected} ± {deviation}");
}

#[test]
fn cuckoo_design_load_is_reached() {
    // Of every size some tables; all must take the keys they are planned for.
    for (keys, tables) in [
        (1, 2_000),
        (2, 2_000),
        (3, 2_000),
        (5, 2_000),
        (10, 2_000),
        (30, 2_000),
        (100, 1_000),
        (200, 500),
        (300, 500),
        (500, 300),
        (1_000, 200),
        (3_000, 60),
        (10_000, 20),
        (50_000, 5),
        (300_000, 1),
    ] {
        let slots = cuckoo::slots(keys).unwrap();
        for tag_bits in [9, 12] {
            let (mut most, mut sum) = (0, 0);
            for seed in 0..tables {
                let mut table = Windows::new(cuckoo::CuckooSize { slots, tag_bits }, seed << 32 | keys);
                for _ in 0..keys {
                    let key = table.key();
                    let moves = table.insert(key);
                    assert!(moves.is_some(), "{keys} keys in {slots} slots, table {seed}");
                    most = most.max(moves.unwrap());
                    sum += u64::from(moves.unwrap());
                }
            }
            let mean = sum as f64 / (keys * tables) as f64;
            println!("{keys} keys in {slots} slots: {mean:.2} moves for each key, {most} at most");
            assert!(mean < 3.0 && most < cuckoo::MAX_MOVES / 2, "{keys} keys: {mean} moves, {most} at most");
        }
    }
}

#[test]
fn cuckoo_refuses_as_often_as_expected() {
    // Four bits of tag: a class holds 2·0.95/7 keys on average.
    let (slots, keys, tables) = (4_001, 3_800, 400);
    let mut refused = 0;
    for seed in 0..tables {
        let mut table = Windows::new(cuckoo::CuckooSize { slots, tag_bits: 4 }, seed);
        let mut classes = std::collections::HashMap::new();
        for _ in 0..keys {
            let key = table.key();
            let [(window, _), _, (partner, _), _] = table.places(key);
            *classes.entry((key.0, window.min(partner), window.max(partner))).or_insert(0) += 1;
        }
        refused += classes
            .iter()
            .filter(|((_, low, high), copies)| **copies > if high - low == 1 { 3 } else { 4 })
            .count();
    }
    let expected = cuckoo::refusals(slots, 4, keys) * tables as f64;
    println!("{refused} refused, expected {expected}");
    assert!(
        (refused as f64 - expected).abs() < 5.0 * expected.sqrt(),
        "{refused} refused, expected {expected}"
    );
}

#[test]
fn cuckoo_sizes() {
    // The overhead promised, at a million keys and at an awkward number.
    for keys in [1_000_000, 1_100_000, 10_000_000] {
        for (rate, tag_bits) in [(0.01, 9), (0.001, 12)] {
            let size = cuckoo::size(keys, rate).unwrap();
            let reached = cuckoo::fpr(size.slots, size.tag_bits, keys);
            let bits_per_key = size.bits() as f64 / keys as f64;
            let overhead = bits_per_key / dynamic_floor(reached);
            println!(
                "{keys} at {rate}: {size:?}, {bits_per_key:.3} bits, rate {reached:e}, overhead {overhead:.4}"
            );
            assert_eq!(size.tag_bits, tag_bits);
            assert!(reached <= rate && overhead < 1.13, "{keys} at {rate}: {size:?}, {overhead}");
        }
    }
    // No tag and no smaller number of slots does it with fewer bits.
    for rate in [0.9, 0.1, 0.01, 1e-3, 1e-6, 1e-8] {
        for keys in [1, 7, 100, 5_000, 1_000_000, 1_000_000_000] {
            let size = cuckoo::size(keys, rate).unwrap();
            let enough = |size: cuckoo::CuckooSize| {
                size.slots >= cuckoo::slots(keys).unwrap()
                    && cuckoo::fpr(size.slots, size.tag_bits, keys) <= rate
                    && cuckoo::refusals(size.slots, size.tag_bits, keys) <= cuckoo::MAX_REFUSALS
            };
            assert!(enough(size), "{keys} at {rate}: {size:?}");
            for tag_bits in cuckoo::MIN_TAG_BITS..=cuckoo::MAX_TAG_BITS {
                let slots = ((size.bits() - 1) / u128::from(tag_bits)) as u64;
                let smaller = cuckoo::CuckooSize { slots, tag_bits };
                assert!(!enough(smaller), "{keys} at {rate}: {size:?}, but {smaller:?}");
            }
        }
    }
    // Slots grow with the keys, without jumps.
    let mut before = 0;
    for keys in (1..5_000).chain((5_000..5_000_000).step_by(999)) {
        let slots = cuckoo::slots(keys).unwrap();
        assert!(
            slots >= before && slots <= before + 1_100.max(before / 2 + 24),
            "{keys}: {slots} after {before}"
        );
        before = slots;
    }
}

// ------------------------------------------------------------------------------------------------- quotient

#[test]
fn quotient_rates_are_exact() {
    compare("quotient", "exact", |row| {
        quotient::fpr(whole(&row["slots"]), small(&row["r"]), whole(&row["n"]))
    });
    let table = table(include_str!("../data/cuckoo_quotient.json"));
    for row in rows(&table, "quotient") {
        let (slots, r) = (1 << whole(&row["log2_slots"]), small(&row["r"]));
        close(quotient::fpr(slots, r, whole(&row["n"])), real(&row["fpr"]), TOLERANCE, row);
        let bits = quotient::QuotientSize { slots, remainder_bits: r }.bits() as f64;
        // The table divides by the load, not by the whole number of keys, and has no spare slots.
        let all_slots = (slots + quotient::SPARE_SLOTS) as f64;
        let bits_per_key = bits / all_slots / real(&row["load"]);
        close(bits_per_key, real(&row["bits_per_key_cqf_2_125"]), TOLERANCE, row);
    }
}

#[test]
fn quotient_sizes() {
    // The size promised: at most 11 bits a key at 1 %.
    for keys in [1_000_000, 1_100_000, 10_000_000] {
        for (rate, bits) in [(0.01, 10.15), (0.001, 13.49)] {
            let size = quotient::size(keys, rate).unwrap();
            let bits_per_key = size.bits() as f64 / keys as f64;
            println!("{keys} at {rate}: {size:?}, {bits_per_key:.3} bits");
            assert!(bits_per_key <= bits, "{keys} at {rate}: {size:?}, {bits_per_key} bits");
        }
    }
    for rate in [0.9, 0.1, 0.01, 1e-3, 1e-6, 1e-9] {
        for keys in [1, 7, 100, 5_000, 1_000_000, 1_000_000_000] {
            let size = quotient::size(keys, rate).unwrap();
            let enough = |slots: u64, r: u32| {
                slots >= quotient::slots(keys).unwrap() && quotient::fpr(slots, r, keys) <= rate
            };
            assert!(enough(size.slots, size.remainder_bits), "{keys} at {rate}: {size:?}");
            let eighths = u128::from(size.slots) * u128::from(8 * size.remainder_bits + 17);
            for r in quotient::MIN_REMAINDER_BITS..=quotient::MAX_REMAINDER_BITS {
                let fewer = ((eighths - 1) / u128::from(8 * r + 17)) as u64;
                assert!(!enough(fewer, r), "{keys} at {rate}: {size:?}, but {fewer} slots and {r} bits");
            }
        }
    }
    // 64-bit hashes carry a universe of 2^64 at most.
    assert_eq!(quotient::size(1 << 40, 1e-8), None);
    assert!(quotient::size(1 << 40, 1e-6).is_some());
}

#[test]
fn quotient_estimates_of_simulated_filters() {
    let (slots, r) = (1_000, 5);
    let universe = quotient::universe(slots, r);
    let mut random = Random(3);
    for keys in [10, 300, 950, 10_000] {
        let fingerprints: std::collections::HashSet<u64> =
            (0..keys).map(|_| random.below(universe)).collect();
        let fingerprints = fingerprints.len() as u64;
        let estimate = quotient::estimate_keys(slots, r, fingerprints).unwrap();
        assert!((estimate / keys as f64 - 1.0).abs() < 0.02, "{keys} keys: estimated {estimate}");
        let built = quotient::fpr_of_fingerprints(slots, r, fingerprints);
        assert!((built / quotient::fpr(slots, r, keys) - 1.0).abs() < 0.02, "{keys} keys: {built}");
    }
}

#[test]
fn quotient_inserts_and_offsets_at_the_design_load() {
    // Only how many remainders belong to each slot matters for where they lie.
    let slots = 1_000_000;
    let keys = quotient::max_keys(slots);
    let mut random = Random(4);
    let mut of_slot = vec![0_u32; slots as usize];
    for _ in 0..keys {
        of_slot[random.below(slots) as usize] += 1;
    }
    // `end`: the first slot behind all runs so far.
    let (mut end, mut most) = (0, 0);
    let mut occupied = vec![false; slots as usize + 1_000];
    for (slot, &count) in of_slot.iter().enumerate() {
        most = most.max(end.max(slot) - slot);
        for _ in 0..count {
            end = end.max(slot);
            occupied[end] = true;
            end += 1;
        }
    }
    println!(
        "the farthest run begins {most} slots behind its own; {} behind the last",
        end.saturating_sub(slots as usize)
    );
    assert!(most < 256, "an offset of {most} does not fit 8 bits");
    // What an insert at the design load moves, from its own slot to the next free one: ½ + ½/(1 − α)².
    let (mut distance, mut sum) = (0, 0_u64);
    for slot in (0..slots as usize).rev() {
        distance = if occupied[slot] { distance + 1 } else { 0 };
        sum += distance + 1;
    }
    let mean = sum as f64 / slots as f64;
    let free = 1.0 - quotient::MAX_LOAD;
    let expected = 0.5 + 0.5 / (free * free);
    println!("an insert looks at {mean} slots, expected {expected}");
    assert!((mean / expected - 1.0).abs() < 0.05, "{mean} instead of {expected}");
}

//! The rates and sizes of the standard and the blocked Bloom filter.
//!
//! `bloom_sizing`, `bloom_standard_fpr`, `overfill` and `blocked_fpr` are tables of the project;
//! `exact_rates.json` says in its note how it was made.

use ruleout::math::{blocked, bloom};

use crate::random::Random;
use crate::tables::{TOLERANCE, close, real, rows, small, table, whole};

#[test]
fn bloom_rates_are_exact() {
    let grid = table(include_str!("../data/exact_rates.json"));
    let standard = table(include_str!("../data/bloom_standard_fpr.json"));
    let mut worst: f64 = 0.0;
    for row in rows(&grid, "rows").iter().chain(rows(&standard, "rows")) {
        let rate = bloom::fpr(whole(&row["m"]), small(&row["k"]), whole(&row["n"]));
        worst = worst.max(close(rate, real(&row["exact"]), TOLERANCE, row));
    }
    for row in rows(&standard, "rows") {
        let fill = bloom::expected_fill(whole(&row["m"]), small(&row["k"]), whole(&row["n"]));
        worst = worst.max(close(fill, real(&row["expected_fill"]), TOLERANCE, row));
    }
    println!("worst relative error {worst:e}");
}

#[test]
fn overfilled_bloom() {
    // This table holds the textbook limits (1 − e^(−c))^k and 1 − e^(−c). At ten million bits the exact
    // values differ from them by about a millionth, and always upwards.
    let table = table(include_str!("../data/overfill.json"));
    let (bits, k) = (whole(&table["m"]), small(&table["k"]));
    for row in rows(&table, "rows") {
        let keys = whole(&row["n"]);
        for (bits, name) in [(bits, "fpr"), (9_590_000, "fpr_at_m_9_59M")] {
            let (rate, limit) = (bloom::fpr(bits, k, keys), real(&row[name]));
            close(rate, limit, 2e-6, row);
            assert!(rate >= limit * (1.0 - TOLERANCE), "{rate} below {limit}: {row}");
        }
        let fill = real(&row["fill"]);
        close(bloom::expected_fill(bits, k, keys), fill, 1e-7, row);
        let lookups = bloom::expected_negative_probes(fill, k);
        close(lookups, real(&row["expected_probes_per_negative_lookup"]), TOLERANCE, row);
    }
}

#[test]
fn bloom_bits_per_key() {
    let table = table(include_str!("../data/bloom_sizing.json"));
    for row in rows(&table, "per_p") {
        let need = bloom::bits_per_key(real(&row["p"]));
        close(need.bits_per_key, real(&row["bits_per_key_integer_k"]), TOLERANCE, row);
        assert_eq!(need.probes, small(&row["k_integer"]), "{row}");
    }
    for row in rows(&table, "per_n_p") {
        let (keys, rate) = (whole(&row["n"]), real(&row["p"]));
        let bits = (keys as f64 * bloom::bits_per_key(rate).bits_per_key).ceil() as u64;
        assert_eq!(bits, whole(&row["m_integer_k_ceil"]), "{row}");
        let k = small(&row["k"]);
        close(bloom::fpr(bits, k, keys), real(&row["exact_fpr_integer_k_m"]), TOLERANCE, row);
        let textbook = bloom::fpr(whole(&row["m_textbook_ceil"]), k, keys);
        close(textbook, real(&row["exact_fpr_textbook_m"]), TOLERANCE, row);
    }
    for row in rows(&table, "per_bpk") {
        // The table is the limit of many keys.
        let keys = 1 << 40;
        let k = bloom::best_probes((real(&row["bits_per_key"]) * keys as f64) as u64, keys);
        assert_eq!(k, small(&row["best_integer_k"]), "{row}");
    }
}

/// `fpr(bits) ≤ p < min_k fpr(bits − 1)`.
#[track_caller]
fn assert_smallest(keys: u64, rate: f64) -> bloom::BloomSize {
    let size = bloom::size(keys, rate).expect("a size");
    assert!(bloom::fpr(size.bits, size.probes, keys) <= rate, "{keys} keys at {rate}: {size:?}");
    for k in 1..=bloom::MAX_PROBES {
        assert!(bloom::fpr(size.bits - 1, k, keys) > rate, "{keys} keys at {rate}: {size:?}, but {k} probes");
    }
    size
}

#[test]
fn bloom_sizes_are_minimal() {
    for row in rows(&table(include_str!("../data/exact_rates.json")), "sizes") {
        let size = assert_smallest(whole(&row["n"]), real(&row["p"]));
        assert_eq!(
            size,
            bloom::BloomSize { bits: whole(&row["bits"]), probes: small(&row["probes"]) },
            "{row}"
        );
    }
    for rate in [0.99, 0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-9, 1e-15] {
        for keys in [1, 2, 5, 100, 10_000, 1_000_000, 10_000_000_000] {
            let size = assert_smallest(keys, rate);
            let limit = keys as f64 * bloom::bits_per_key(rate).bits_per_key;
            assert!(keys < 10_000 || size.bits as f64 <= 1.002 * limit + 1.0, "{keys} at {rate}: {size:?}");
        }
    }
}

#[test]
fn tiny_bloom_sizes_by_brute_force() {
    for keys in 1..=4 {
        for rate in [0.99, 0.5, 0.1, 0.01] {
            let fits = |bits: &u64| (1..=bloom::MAX_PROBES).any(|k| bloom::fpr(*bits, k, keys) <= rate);
            assert_eq!((1..).find(fits), bloom::size(keys, rate).map(|size| size.bits), "{keys} at {rate}");
        }
    }
}

#[test]
fn bloom_sizes_grow_with_the_keys() {
    // Doubling the keys must about double the bits, on either side of 2^32 bits.
    for rate in [0.01, 1e-3] {
        let mut before = bloom::size(1 << 21, rate).unwrap();
        for power in 22..=50 {
            let size = bloom::size(1 << power, rate).unwrap();
            let growth = size.bits as f64 / before.bits as f64;
            assert!((1.999..2.001).contains(&growth), "2^{power}: {size:?} after {before:?}");
            before = size;
        }
        for keys in 1..300 {
            assert!(
                bloom::size(keys, rate).unwrap().bits <= bloom::size(keys + 1, rate).unwrap().bits,
                "{keys}"
            );
        }
    }
    assert!(bloom::size(1_000_000_000_000_000, 0.01).is_some());
    assert_eq!(bloom::size(u64::MAX / 2, 0.01), None);
}

#[test]
fn sizes_that_went_wrong_elsewhere() {
    // B063: ten billion keys at 10^-7.
    let size = bloom::size(10_000_000_000, 1e-7).unwrap();
    assert!((size.bits as f64 / 3.355e11 - 1.0).abs() < 1e-3, "{size:?}");
    // B067: ten million at 10^-3, 143.78 million bits.
    let size = bloom::size(10_000_000, 1e-3).unwrap();
    assert!((size.bits as f64 / 143.78e6 - 1.0).abs() < 1e-4, "{size:?}");
    // B054: 20,000 at 1 % within 2 % of the formula.
    let size = bloom::size(20_000, 0.01).unwrap();
    assert!(size.bits as f64 <= 1.02 * 20_000.0 * 9.585, "{size:?}");
    // B091: no keys, or one, and no run-away number of probes.
    for rate in [1e-3, 1e-9] {
        for keys in [0, 1] {
            let size = bloom::size(keys, rate).unwrap();
            assert!(size.bits >= 1 && size.bits < 5_000 && size.probes <= bloom::MAX_PROBES, "{size:?}");
            assert!(bloom::fpr(size.bits, size.probes, 1) <= rate);
        }
    }
    // B099: a rate near 1 still has a bit.
    assert!(bloom::size(3, 0.99).unwrap().bits >= 1);
}

#[test]
fn statistics_beyond_32_bits() {
    // B031: rates of a filter of more than 2^31 bits stay in [0, 1].
    let bits = 2_876_000_000;
    for keys in [0, 1, 75_000_000, 150_000_000, u64::MAX] {
        let rate = bloom::fpr(bits, 13, keys);
        assert!((0.0..=1.0).contains(&rate), "{keys}: {rate}");
        let ones = (bloom::expected_fill(bits, 13, keys) * bits as f64) as u64;
        assert!((0.0..=1.0).contains(&bloom::fpr_of_fill(ones, bits, 13)));
    }
    // B056: an estimate above 2^32 keys.
    let (bits, keys) = (1_u64 << 37, 13_000_000_000_u64);
    let ones = (bloom::expected_fill(bits, 7, keys) * bits as f64).round() as u64;
    let estimate = bloom::estimate_keys(ones, bits, 7).unwrap();
    assert!((estimate / keys as f64 - 1.0).abs() < 1e-9, "{estimate}");
    assert!(bloom::estimate_keys(u64::MAX - 1, u64::MAX, 7).unwrap() > 1e19);
}

#[test]
fn blocked_rates_are_exact() {
    let table_512 = table(include_str!("../data/blocked_fpr.json"));
    // Poisson rows are the limit of many lines: with 2^34 of them the two differ by less than 10^-8.
    let lines = 1_u64 << 34;
    for row in rows(&table_512, "rows").iter().filter(|row| row["block_bits"] == 512) {
        let keys = (lines as f64 * 512.0 / real(&row["bits_per_key"])).round() as u64;
        for (k, rate) in row["fpr_by_k"].as_object().expect("rates by probes") {
            close(blocked::fpr(lines, k.parse().unwrap(), keys), real(rate), 1e-8, row);
        }
        assert_eq!(blocked::best_probes(lines, keys), small(&row["best_k"]), "{row}");
    }
    let finite = rows(&table_512, "finite").iter().filter(|row| row["B"] == 512);
    let grid = table(include_str!("../data/exact_rates.json"));
    let mut worst: f64 = 0.0;
    for (row, lines, rate) in finite
        .map(|row| (row, "blocks", "fpr"))
        .chain(rows(&grid, "blocked").iter().map(|row| (row, "lines", "exact")))
    {
        let found = blocked::fpr(whole(&row[lines]), small(&row["k"]), whole(&row["n"]));
        worst = worst.max(close(found, real(&row[rate]), TOLERANCE, row));
    }
    println!("worst relative error {worst:e}");
    for row in rows(&table_512, "bits_needed").iter().filter(|row| row["block_bits"] == 512) {
        let need = blocked::bits_per_key(real(&row["p"])).unwrap();
        close(need.bits_per_key, real(&row["bits_per_key"]), 1e-10, row);
        assert_eq!(need.probes, small(&row["k"]), "{row}");
    }
}

#[test]
fn blocked_sizes_are_minimal() {
    for rate in [0.9, 0.1, 0.01, 1e-3, 1e-6] {
        for keys in [0, 1, 60, 5_000, 1_000_000, 1_000_000_000_000] {
            let size = blocked::size(keys, rate).unwrap();
            let keys = keys.max(1);
            assert!(blocked::fpr(size.lines, size.probes, keys) <= rate, "{keys} keys at {rate}: {size:?}");
            for k in 1..=blocked::MAX_PROBES {
                let less = blocked::fpr(size.lines - 1, k, keys);
                assert!(less > rate, "{keys} keys at {rate}: {size:?}, but {k} probes");
            }
        }
    }
}

#[test]
fn blocked_estimates_and_rates_of_simulated_filters() {
    let (lines, k) = (2_000, 6);
    let mut random = Random(1);
    // From nearly empty to sixteen times the design load of 1 %, where a good part of the lines is full.
    for keys_per_line in [1, 10, 51, 200, 800] {
        let keys = lines * keys_per_line;
        let mut filter = vec![[0_u64; 8]; lines as usize];
        for _ in 0..keys {
            let line = &mut filter[random.below(lines) as usize];
            for _ in 0..k {
                let bit = random.below(512) as usize;
                line[bit / 64] |= 1 << (bit % 64);
            }
        }
        let mut ones_per_line = [0; 513];
        for line in &filter {
            ones_per_line[line.iter().map(|word| word.count_ones() as usize).sum::<usize>()] += 1;
        }
        let estimate = blocked::estimate_keys(&ones_per_line, k).unwrap();
        let error = estimate / keys as f64 - 1.0;
        assert!(error.abs() < 0.01, "{keys} keys: estimated {estimate}");

        // The built filter's own rate scatters around the expectation.
        let (built, expected) = (blocked::fpr_of_lines(&ones_per_line, k), blocked::fpr(lines, k, keys));
        assert!((built / expected - 1.0).abs() < 0.2, "{keys} keys: {built} against {expected}");
    }
}

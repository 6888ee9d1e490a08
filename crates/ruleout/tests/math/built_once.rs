//! The rates and sizes of the families that are built once: Golomb-coded sets.
//!
//! `gcs` is a table of the project.

use ruleout::math::elementary::{exp_m1, ln};
use ruleout::math::golomb;
use ruleout::{GolombConfig, Params};
use serde_json::Value;

use crate::random::Random;
use crate::tables::{close, real, rows, small, table};

/// The table has 15 or 16 digits.
const TOLERANCE: f64 = 1e-14;

fn log2(x: f64) -> f64 {
    ln(x) / core::f64::consts::LN_2
}

/// The share of values held when they are so many apart on average and fall anywhere.
fn density(mean_distance: f64) -> f64 {
    -exp_m1(-1.0 / mean_distance)
}

#[test]
fn golomb_codes_have_the_bits_of_the_table() {
    let table = table(include_str!("../data/gcs.json"));
    for row in rows(&table, "rows") {
        let bits = |mean: &str| golomb::bits_per_value(density(real(&row[mean])), small(&row["P"]));
        close(bits("M_pow2"), real(&row["bits_M_eq_2P"]), TOLERANCE, row);
        close(bits("M_opt"), real(&row["bits_M_opt"]), TOLERANCE, row);
        let over = bits("M_opt") - log2(real(&row["M_opt"]));
        close(over, real(&row["overhead_opt"]), 1e-13, row);
        assert_eq!(golomb::rice_bits(density(real(&row["M_opt"]))), small(&row["P"]), "{row}");
        // At the power of two itself, which is often taken with that parameter, one less is better by 0.04 bits.
        assert_eq!(golomb::rice_bits(density(real(&row["M_pow2"]))), small(&row["P"]) - 1, "{row}");
    }
    // BIP 158 has distances that are whole numbers, of that mean.
    let row: &Value = &table["bip158"];
    let (mean, parameter) = (real(&row["M"]), small(&row["P"]));
    close(golomb::bits_per_value(density(mean), parameter), real(&row["bits_per_key_cont"]), TOLERANCE, row);
    close(
        golomb::bits_per_value(1.0 / (mean + 1.0), parameter),
        real(&row["bits_per_key_discrete"]),
        1e-13,
        row,
    );
    assert_eq!(golomb::rice_bits(density(mean)), parameter);
    close(golomb::fpr(784_931 * 1000, 1000), real(&row["fpr"]), 1e-6, row);
}

/// Between 1.470 and 1.563 bits over log2(1/rate), wherever the rate lies between powers of two.
#[test]
fn golomb_codes_are_near_the_floor_at_every_rate() {
    let (mut least, mut most) = (f64::MAX, 0.0_f64);
    for step in 0..2000 {
        let mean = 1e5 * f64::from(step).mul_add(0.001, 1.0);
        let density = density(mean);
        let over = golomb::bits_per_value(density, golomb::rice_bits(density)) - log2(mean);
        (least, most) = (least.min(over), most.max(over));
    }
    assert!((least - 1.4702).abs() < 1e-4 && (most - 1.5628).abs() < 1e-4, "{least} to {most}");
}

#[test]
fn golomb_sizes_are_minimal() {
    for rate in [0.9, 0.1, 0.01, 1e-3, 1e-6, 1e-9] {
        for keys in [1, 7, 100, 5_000, 1_000_000, 1_000_000_000] {
            let size = golomb::size(keys, rate).unwrap();
            assert!(golomb::fpr(size.universe(), keys) <= rate, "{keys} at {rate}: {size:?}");
            // Buckets are alike, so up to one value for each is there to even them out.
            let fewer = size.universe() - size.buckets;
            assert!(golomb::fpr(fewer, keys) > rate, "{keys} at {rate}: {size:?}, but {fewer} values");
        }
    }
    assert_eq!(golomb::size(1 << 40, 1e-9), None);
}

/// Codes and index of sets that are drawn have the bits expected, and those of one in 30,000 more than [`golomb::fit`] has
/// room for: here none of 400.
#[test]
fn golomb_bits_of_simulated_sets() {
    let mut random = Random(5);
    for (keys, rate) in [(300, 0.3), (300, 1e-3), (5_000, 0.05), (50_000, 0.00725)] {
        let size = golomb::size(keys, rate).unwrap();
        let (expected, room) = (golomb::expected(size, keys), golomb::fitted(size, keys));
        let sets = 100;
        let (mut sum, mut widest) = (0, 0);
        for _ in 0..sets {
            let mut values: Vec<u64> = (0..keys).map(|_| random.below(size.universe())).collect();
            values.sort_unstable();
            values.dedup();
            let (mut bits, mut bucket, mut next) = (0_u64, 0, 0);
            let (mut lowest, mut highest) = (0_i64, 0_i64);
            for value in values {
                while value >= (bucket + 1) * size.width {
                    bucket += 1;
                    next = bucket * size.width;
                    let even = bucket * expected.code_bits / size.buckets;
                    lowest = lowest.min(bits as i64 - even as i64);
                    highest = highest.max(bits as i64 - even as i64);
                }
                bits += ((value - next) >> size.rice_bits) + 1 + u64::from(size.rice_bits);
                next = value + 1;
            }
            assert!(bits <= room.code_bits, "{keys} at {rate}: {bits} bits, {room:?}");
            assert!(
                highest - lowest < 1 << room.offset_bits,
                "{keys} at {rate}: {lowest} to {highest}, {room:?}"
            );
            (sum, widest) = (sum + bits, widest.max(highest - lowest));
        }
        let mean = sum as f64 / f64::from(sets);
        println!("{keys} at {rate}: {mean} bits, {expected:?}, {room:?}, deviations of {widest}");
        // Behind the last value of a bucket nothing is written, so they are a little shorter than by the formula.
        let share = mean / expected.code_bits as f64;
        assert!((0.992..1.001).contains(&share), "{keys} at {rate}: {mean} bits, {expected:?}");
    }
}

/// The size promised: log2(1/ε) and at most 1.65 bits per key, index included.
#[test]
fn golomb_filters_have_the_size_promised() {
    for power in 3..=6 {
        let keys = 10_u64.pow(power);
        for rate in [0.05, 0.01, 0.007_25, 1.0 / 256.0, 1e-3, 1e-6] {
            let filter = GolombConfig::fpr(rate).build((0..keys).map(u64::to_le_bytes)).unwrap();
            let bits_per_key = filter.size_bytes() as f64 * 8.0 / keys as f64;
            let over = bits_per_key + log2(filter.params().fpr_at(keys));
            println!("{keys} at {rate}: {bits_per_key:.4} bits per key, log2(1/ε) + {over:.4}");
            assert!(over <= 1.6, "{keys} at {rate}: {over}");
            assert!(filter.params().fpr_at(keys) <= rate);
        }
    }
}

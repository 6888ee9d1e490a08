//! Sizes and statistics as numbers alone: nothing here allocates what it speaks of.

use ruleout::math::{blocked, bloom};
use ruleout::{BlockedConfig, BlockedParams, BloomConfig, BloomParams, ConfigError, Params};

/// A filter is as large as the theory asks for and hardly larger: B054, B067.
#[test]
fn no_more_memory_than_needed() {
    for (keys, fpr) in [(20_000, 0.01), (10_000_000, 0.001), (1_000_000, 1e-4)] {
        let bits = BloomConfig::fpr(keys, fpr).params().expect("an ordinary recipe").bits();
        let theory = bloom::bits_per_key(fpr).bits_per_key * keys as f64;
        assert!(bits as f64 <= 1.002 * theory, "{bits} bits, {theory} in theory");

        let params = BlockedConfig::fpr(keys, fpr).params().expect("an ordinary recipe");
        let theory = blocked::bits_per_key(fpr).expect("a rate that it reaches").bits_per_key * keys as f64;
        let bits = params.payload_bytes() as f64 * 8.0;
        assert!(bits <= 1.002 * theory + 512.0, "{bits} bits, {theory} in theory");
    }
    assert!(BloomConfig::fpr(10_000_000, 0.001).params().expect("an ordinary recipe").bits() < 143_900_000);
}

/// More keys never need fewer bytes: no sum wraps at 2^32 or anywhere: B063, B065.
#[test]
fn more_keys_need_more_bytes() {
    let mut before = (0, 0);
    for power in 1..=44 {
        let bloom = BloomConfig::fpr(1 << power, 0.001).params().expect("a number of bits below 2^64");
        let blocked = BlockedConfig::fpr(1 << power, 0.001).params().expect("a number of bits below 2^64");
        let bytes = (bloom.payload_bytes(), blocked.payload_bytes());
        assert!(bytes.0 > before.0 && bytes.1 >= before.1, "2^{power} keys: {bytes:?}");
        before = bytes;
    }
    let bits = BloomConfig::fpr(10_000_000_000, 1e-7).params().expect("it is only a number").bits();
    assert!((3.35e11..3.37e11).contains(&(bits as f64)), "{bits}");
}

/// Statistics count in 64 bits: B031, B056.
#[test]
fn statistics_beyond_32_bits() {
    let estimate = bloom::estimate_keys(1 << 39, 1 << 40, 7).expect("half full");
    let expected = (1u64 << 40) as f64 * std::f64::consts::LN_2 / 7.0;
    assert!((estimate / expected - 1.0).abs() < 1e-6, "{estimate}, {expected} expected");
    let rate = bloom::fpr_of_fill(1 << 39, 1 << 40, 7);
    assert!((rate - 1.0 / 128.0).abs() < 1e-9, "{rate}");

    let mut lines = [0u64; 513];
    lines[256] = 1 << 34;
    let estimate = blocked::estimate_keys(&lines, 6).expect("half full");
    let expected = (1u64 << 34) as f64 * 512.0 * std::f64::consts::LN_2 / 6.0;
    assert!((estimate / expected - 1.0).abs() < 0.01, "{estimate}, {expected} expected");
    assert!((blocked::fpr_of_lines(&lines, 6) - 1.0 / 64.0).abs() < 1e-9);
}

/// Shapes no filter has are refused, with what was given and what is allowed: B082, B083, B109.
#[test]
fn impossible_shapes_are_refused() {
    let refused = |error: Option<ConfigError>, shown: &str| {
        assert_eq!(error.expect("refused").to_string(), shown);
    };
    refused(BloomParams::new(1, 0, 1).err(), "bits is 0, allowed is at least 1");
    refused(BloomParams::new(1, 8, 0).err(), "probes is 0, allowed is 1 to 64");
    refused(BloomParams::new(1, 8, 65).err(), "probes is 65, allowed is 1 to 64");
    refused(BlockedParams::new(1, 0, 1).err(), "lines is 0, allowed is 1 to 2^55 - 1");
    refused(BlockedParams::new(1, 1, 33).err(), "probes is 33, allowed is 1 to 32");
    assert!(BlockedParams::new(1, 1 << 55, 1).is_err());
    assert!(BloomParams::new(1, u64::MAX, 64).is_ok(), "a number, which nobody allocated");
    assert!(matches!(
        BloomConfig::fpr(1 << 40, 1e-9).params(),
        Err(ConfigError::BelowHashLimit { capacity, .. }) if capacity == 1 << 40
    ));
}

/// Eight bits a byte do not wrap: the size asked for is refused or had, as far as 64 bits go: B071.
#[test]
fn bytes_become_bits_without_wrapping() {
    for bytes in [u64::MAX, u64::MAX / 4, 1 << 61, (1 << 61) + 1] {
        let huge = |bytes: Option<u64>| bytes.is_none_or(|bytes| bytes >= 1 << 60);
        assert!(huge(BloomConfig::size_bytes(1, bytes).params().ok().map(|params| params.payload_bytes())));
        assert!(huge(BlockedConfig::size_bytes(1, bytes).params().ok().map(|params| params.payload_bytes())));
    }
}

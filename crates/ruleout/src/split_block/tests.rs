//! Tests.

use std::format;

use super::*;
use crate::bitmap::BitLayout;
use crate::hash::Hasher;
use crate::layout::{Layout, Params};
use crate::{Mask, bitmap};

/// A bitset that parquet-mr wrote of `key-0` … `key-<n - 1>`, and which of `absent-0` … it finds first.
struct Written {
    keys: u64,
    bits: &'static [u8],
    found: &'static [u64],
}

macro_rules! written {
    ($keys:literal, $name:literal, $found:expr) => {
        Written {
            keys: $keys,
            bits: include_bytes!(concat!("../../../../testdata/foreign/parquet/sbbf_", $name, ".bits")),
            found: &$found,
        }
    };
}

/// The false positives are those that parquet-mr counted over `absent-0` … `absent-99999`.
const BY_PARQUET_MR: [Written; 7] = [
    written!(1, "n1_p0.01", []),
    written!(10, "n10_p0.01", [29008, 46323]),
    written!(100, "n100_p0.03", [203, 260, 400, 639]),
    written!(100, "n100_p0.01", [9565, 11795, 15955, 17970]),
    written!(1000, "n1000_p0.03", [41, 61, 62, 87]),
    written!(1000, "n1000_p0.01", [2050, 3329, 3355, 5902]),
    written!(10000, "n10000_p0.01", [544, 607, 948, 1365]),
];

#[test]
fn the_bits_are_parquets() {
    for Written { keys, bits, found } in BY_PARQUET_MR {
        let params = SplitBlockParams::new(keys, bits.len() as u64 / 32).unwrap();
        let mut ours = SplitBlock::new(params, Hasher::xxh64(0)).unwrap();
        for i in 0..keys {
            ours.insert(format!("key-{i}").as_bytes());
        }
        assert_eq!(ours.payload(), bits, "{keys} keys in {} bytes", bits.len());
        let ours_found = (0..100_000u64).filter(|i| ours.may_contain(format!("absent-{i}").as_bytes()));
        assert!(ours_found.take(found.len()).eq(found.iter().copied()));
    }
}

/// The kernels and the positions that the concurrent twin works by are the same bits.
#[test]
fn the_kernels_set_the_positions() {
    let params = SplitBlockParams::new(100, 7).unwrap();
    let hashes: alloc::vec::Vec<u64> =
        (0..200u64).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let mut filter = SplitBlock::new(params, Hasher::default()).unwrap();
    let mut by_position = alloc::vec![0u8; 7 * 32];
    for &hash in &hashes {
        filter.insert_hash(hash);
        assert_eq!(params.positions(hash).count(), 8);
        for position in params.positions(hash) {
            by_position[position as usize / 8] |= 1 << (position % 8);
        }
        assert_eq!(filter.payload(), by_position);
    }
    let mut hits = Mask::new();
    filter.may_contain_hashes(&hashes, &mut hits);
    assert!(hits.iter().eq(hashes.iter().map(|&hash| bitmap::test(&params, &by_position, hash))));
}

/// Halving loses no key, costs the rate it says, and stops where the next halving would cost too much: B162.
#[test]
fn folding_keeps_every_key_and_the_rate() {
    for blocks in [1u64, 2, 3, 64, 96, 1000, 1024, 4096] {
        let params = SplitBlockParams::new(1_000_000, blocks).unwrap();
        let mut filter = SplitBlock::new(params, Hasher::default()).unwrap();
        let keys = blocks; // 256 bits a key: oversized by far
        for i in 0..keys {
            filter.insert(&i.to_le_bytes());
        }
        let before = filter.clone();
        let times = filter.fold_to_fpr(0.02).unwrap();
        assert_eq!(filter.params().blocks(), blocks >> times);
        assert!((0..keys).all(|i| filter.may_contain(&i.to_le_bytes())));
        assert_eq!(filter.len().bound(), before.len().bound());
        assert!(filter.expected_fpr() <= 0.02);
        let halved_once_more = filter.clone().fold_to_fpr(0.999_999).unwrap() > 0;
        assert_eq!(halved_once_more, filter.params().blocks().is_multiple_of(2));
        assert_eq!(filter.fold_to_fpr(0.02).unwrap(), 0, "{blocks} blocks");
        if times > 0 {
            assert_eq!(filter.capacity(), keys);
        } else {
            assert_eq!(filter.payload(), before.payload());
        }
    }
}

/// Folding gives the very filter that inserting into the smaller one gives.
#[test]
fn a_folded_filter_is_the_smaller_filter() {
    let build = |blocks: u64| {
        let params = SplitBlockParams::new(500, blocks).unwrap();
        let mut filter = SplitBlock::new(params, Hasher::default()).unwrap();
        (0..500u64).for_each(|i| {
            filter.insert(&i.to_le_bytes());
        });
        filter
    };
    let mut wide = build(40 << 5);
    let times = wide.fold_to_fpr(0.001).unwrap();
    assert!(times > 0);
    assert_eq!(wide.payload(), build((40 << 5) >> times).payload());
}

#[test]
fn a_senseless_rate_to_fold_to_is_refused() {
    let mut filter = SplitBlockConfig::fpr(100, 0.01).build().unwrap();
    for fpr in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(filter.fold_to_fpr(fpr).is_err(), "{fpr}");
    }
}

/// The tally of a filter whose bits are known: one word of one block full, the others half full.
#[test]
fn the_tally_is_the_mean_of_the_blocks() {
    let params = SplitBlockParams::new(10, 2).unwrap();
    let mut payload = [0u8; 64];
    payload[..4].fill(0xff);
    payload[4..32].fill(0x0f);
    let tally = params.tally(&payload);
    assert!((tally.fpr - 0.5f64 * 0.5 * 0.5 * 0.5 * 0.5 * 0.5 * 0.5 / 2.0).abs() < 1e-15);
    assert!((tally.fill - (32.0 + 7.0 * 16.0) / 512.0).abs() < 1e-15);
    assert_eq!(params.probes(), 8);
}

//! The golden files of format version 1: see `testdata/golden/README.md`.

use std::path::Path;

use ruleout::{AnyParams, BlockedParams, BloomParams, Hasher, SecretKey};
use ruleout_testkit::golden::{Case, check_all};
use ruleout_testkit::hashers::{Identity, KEY, SEED};

fn open(hasher: Hasher) -> Identity {
    Identity { hasher, key: None }
}

fn keyed(hasher: fn(&SecretKey) -> Hasher) -> Identity {
    let key = SecretKey::new(KEY);
    Identity { hasher: hasher(&key), key: Some(key) }
}

fn bloom(capacity: u64, bits: u64, probes: u32) -> AnyParams {
    AnyParams::Bloom(BloomParams::new(capacity, bits, probes).expect("a sound shape"))
}

fn blocked(capacity: u64, lines: u64, probes: u32) -> AnyParams {
    AnyParams::Blocked(BlockedParams::new(capacity, lines, probes).expect("a sound shape"))
}

fn case(name: &'static str, params: AnyParams, identity: Identity, keys: u64) -> Case {
    Case { name, params, identity, keys: 0..keys }
}

/// What another process wrote, long ago, is made again and answers the same: B138, B140, B149, B150, B154.
///
/// Most are so full that about a third of the pinned hashes are answered with "maybe": an answer says more then.
#[test]
fn version_1() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/v1");
    check_all(
        &directory,
        &[
            case("bloom-xxh3", bloom(300, 2877, 7), open(Hasher::xxh3(0)), 300),
            case("bloom-xxh3-seeded", bloom(1000, 4001, 3), open(Hasher::xxh3(SEED)), 1500),
            case("bloom-xxh64-seeded", bloom(1000, 4096, 2), open(Hasher::xxh64(SEED)), 1500),
            case("bloom-siphash13", bloom(1000, 3000, 2), keyed(Hasher::siphash13), 1200),
            case("bloom-siphash24", bloom(1000, 3000, 2), keyed(Hasher::siphash24), 1200),
            case("bloom-empty", bloom(1000, 9593, 7), open(Hasher::xxh3(0)), 0),
            case("bloom-one-key", bloom(1, 45, 31), open(Hasher::xxh3(0)), 1),
            case("bloom-one-bit", bloom(1, 1, 1), open(Hasher::xxh3(0)), 1),
            case("bloom-all-probes", bloom(100, 8887, 64), open(Hasher::xxh3(0)), 500),
            case("blocked-xxh3", blocked(300, 6, 5), open(Hasher::xxh3(0)), 300),
            case("blocked-xxh3-seeded", blocked(1000, 8, 3), open(Hasher::xxh3(SEED)), 1500),
            case("blocked-xxh64-seeded", blocked(1000, 7, 2), open(Hasher::xxh64(SEED)), 1500),
            case("blocked-siphash13", blocked(1000, 6, 2), keyed(Hasher::siphash13), 1200),
            case("blocked-siphash24", blocked(1000, 6, 2), keyed(Hasher::siphash24), 1200),
            case("blocked-empty", blocked(1000, 20, 6), open(Hasher::xxh3(0)), 0),
            case("blocked-one-line", blocked(50, 1, 9), open(Hasher::xxh3(0)), 60),
            case("blocked-all-probes", blocked(100, 13, 32), open(Hasher::xxh3(0)), 600),
        ],
    );
}

//! The golden files of format version 1: see `testdata/golden/README.md`.

use std::ops::Range;
use std::path::Path;

use ruleout::math::fuse::Geometry;
use ruleout::math::golomb::GolombSize;
use ruleout::{
    AnyParams, BaseParams, BlockedParams, BloomParams, CountingBitsParams, CountingParams, CuckooParams,
    Extractor, Family, FuseParams, GolombParams, Hasher, PrefixParams, QuotientParams, ScalableParams,
    SecretKey, SplitBlockParams, WindowedParams,
};
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

fn split_block(capacity: u64, blocks: u64) -> AnyParams {
    AnyParams::SplitBlock(SplitBlockParams::new(capacity, blocks).expect("a sound shape"))
}

fn counting(capacity: u64, lines: u64, probes: u32) -> CountingParams {
    CountingParams::new(capacity, lines, probes).expect("a sound shape")
}

fn counting_bits(capacity: u64, lines: u64, probes: u32) -> AnyParams {
    AnyParams::CountingBits(CountingBitsParams::of(counting(capacity, lines, probes)))
}

fn cuckoo(capacity: u64, slots: u64, fingerprint_bits: u32) -> AnyParams {
    AnyParams::Cuckoo(CuckooParams::new(capacity, slots, fingerprint_bits).expect("a sound shape"))
}

fn quotient(capacity: u64, slots: u64, remainder_bits: u32) -> AnyParams {
    AnyParams::Quotient(QuotientParams::new(capacity, slots, remainder_bits).expect("a sound shape"))
}

fn golomb(
    capacity: u64,
    [buckets, width]: [u64; 2],
    rice_bits: u32,
    code_bits: u64,
    offset_bits: u32,
    bias: u64,
) -> AnyParams {
    let size = GolombSize { buckets, width, rice_bits };
    AnyParams::Golomb(GolombParams::new(capacity, size, code_bits, offset_bits, bias).expect("a sound shape"))
}

fn fuse<const ARITY: usize>(capacity: u64, bits: u32, shape: [u64; 3]) -> FuseParams<ARITY> {
    let [shards, segment_bits, segments] = shape;
    let geometry = Geometry { shards, segment_bits: segment_bits as u32, segments };
    FuseParams::with_geometry(capacity, bits, geometry).expect("a sound shape")
}

fn fuse3(capacity: u64, bits: u32, shape: [u64; 3]) -> AnyParams {
    AnyParams::Fuse(fuse(capacity, bits, shape))
}

fn fuse4(capacity: u64, bits: u32, shape: [u64; 3]) -> AnyParams {
    AnyParams::Fuse4(fuse(capacity, bits, shape))
}

fn scalable(base: Family, first: u64, fpr: f64, growth: u32) -> AnyParams {
    AnyParams::Scalable(ScalableParams::new(base, first, fpr, growth, 48).expect("an ordinary series"))
}

fn windowed(bucket: AnyParams, window: u64, step: u64) -> AnyParams {
    AnyParams::Windowed(WindowedParams::of(base(bucket), window, step).expect("a sound shape"))
}

fn prefix(beneath: AnyParams, extractor: Extractor, whole_keys: bool) -> AnyParams {
    AnyParams::Prefix(PrefixParams::of(base(beneath), extractor, whole_keys).expect("a sound shape"))
}

fn base(params: AnyParams) -> BaseParams {
    match params {
        AnyParams::Bloom(params) => BaseParams::Bloom(params),
        AnyParams::Blocked(params) => BaseParams::Blocked(params),
        other => panic!("nothing is made of {other:?}"),
    }
}

fn case(name: &'static str, params: AnyParams, identity: Identity, keys: u64) -> Case {
    case_of(name, params, identity, 0..keys)
}

fn case_of(name: &'static str, params: AnyParams, identity: Identity, keys: Range<u64>) -> Case {
    Case { name, params, identity, keys }
}

/// What another process wrote, long ago, is made again and answers the same: B138, B140, B149, B150, B154.
///
/// Most are so full that about a third of the pinned hashes are answered with "maybe": an answer says more then.
#[test]
fn version_1() {
    use Family::{Blocked, Bloom, Cuckoo};
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
            case("split_block-xxh64", split_block(300, 10), open(Hasher::xxh64(0)), 300),
            case("split_block-xxh3-seeded", split_block(1000, 31), open(Hasher::xxh3(SEED)), 1500),
            case("split_block-siphash24", split_block(1000, 24), keyed(Hasher::siphash24), 1200),
            case("split_block-one-block", split_block(20, 1), open(Hasher::xxh3(0)), 30),
            case("split_block-empty", split_block(100, 5), open(Hasher::xxh3(0)), 0),
            case("counting-xxh3", AnyParams::Counting(counting(300, 9, 3)), open(Hasher::xxh3(0)), 600),
            case(
                "counting-siphash13",
                AnyParams::Counting(counting(90, 5, 6)),
                keyed(Hasher::siphash13),
                100,
            ),
            case("counting-sticky", AnyParams::Counting(counting(90, 1, 2)), open(Hasher::xxh3(SEED)), 700),
            case("counting-empty", AnyParams::Counting(counting(90, 7, 32)), open(Hasher::xxh64(SEED)), 0),
            case("counting_bits-xxh3", counting_bits(300, 9, 3), open(Hasher::xxh3(0)), 600),
            case("counting_bits-all-probes", counting_bits(30, 9, 32), open(Hasher::xxh3(0)), 200),
            case("cuckoo-xxh3", cuckoo(300, 401, 4), open(Hasher::xxh3(0)), 300),
            case("cuckoo-even-slots", cuckoo(400, 450, 5), open(Hasher::xxh3(SEED)), 400),
            case("cuckoo-siphash24", cuckoo(300, 501, 7), keyed(Hasher::siphash24), 300),
            case("cuckoo-wide", cuckoo(50, 101, 32), open(Hasher::xxh64(SEED)), 50),
            case("cuckoo-three-slots", cuckoo(1, 3, 13), open(Hasher::xxh3(0)), 1),
            case("quotient-xxh3", quotient(300, 350, 2), open(Hasher::xxh3(0)), 300),
            case("quotient-seeded", quotient(900, 1000, 3), open(Hasher::xxh64(SEED)), 900),
            case("quotient-siphash13", quotient(300, 321, 3), keyed(Hasher::siphash13), 300),
            case("quotient-wide", quotient(50, 64, 32), open(Hasher::xxh3(SEED)), 50),
            case("quotient-counts", quotient(50, 40, 2), open(Hasher::xxh3(0)), 44),
            case("quotient-one-slot", quotient(1, 1, 7), open(Hasher::xxh3(0)), 1),
            case("quotient-empty", quotient(9, 10, 9), open(Hasher::xxh3(0)), 0),
            case("golomb-xxh3", golomb(300, [1, 900], 0, 899, 0, 0), open(Hasher::xxh3(0)), 300),
            case("golomb-seeded", golomb(1000, [4, 700], 1, 2482, 4, 17), open(Hasher::xxh64(SEED)), 1000),
            case("golomb-siphash13", golomb(300, [3, 300], 2, 862, 5, 0), keyed(Hasher::siphash13), 300),
            case("golomb-siphash24", golomb(700, [9, 170], 3, 2279, 7, 30), keyed(Hasher::siphash24), 700),
            case("golomb-wide", golomb(50, [5, 1 << 40], 36, 1898, 8, 145), open(Hasher::xxh3(SEED)), 50),
            case("golomb-one-key", golomb(1, [1, 100], 6, 7, 0, 0), open(Hasher::xxh3(0)), 1),
            case("golomb-empty", golomb(0, [1, 900], 6, 0, 0, 0), open(Hasher::xxh3(0)), 0),
            case("fuse-xxh3", fuse3(300, 2, [1, 5, 12]), open(Hasher::xxh3(0)), 300),
            case("fuse-shards", fuse3(1000, 1, [3, 5, 14]), open(Hasher::xxh64(SEED)), 1000),
            case("fuse-siphash13", fuse3(300, 8, [1, 5, 13]), keyed(Hasher::siphash13), 300),
            case("fuse-other-seeds", fuse3(900, 3, [8, 4, 8]), open(Hasher::xxh3(SEED)), 900),
            case("fuse-wide", fuse3(50, 32, [1, 3, 9]), open(Hasher::xxh3(SEED)), 50),
            case("fuse-one-key", fuse3(1, 7, [1, 0, 1]), open(Hasher::xxh3(0)), 1),
            case("fuse-empty", fuse3(0, 8, [0, 0, 0]), open(Hasher::xxh3(0)), 0),
            case("fuse4-xxh3", fuse4(300, 2, [1, 5, 11]), open(Hasher::xxh3(0)), 300),
            case("fuse4-shards", fuse4(1000, 1, [3, 5, 13]), open(Hasher::xxh3(SEED)), 1000),
            case("fuse4-siphash24", fuse4(300, 5, [1, 5, 11]), keyed(Hasher::siphash24), 300),
            case("fuse4-wide", fuse4(50, 31, [1, 3, 8]), open(Hasher::xxh64(SEED)), 50),
            case("fuse4-empty", fuse4(0, 1, [0, 0, 0]), open(Hasher::xxh3(0)), 0),
            case("cuckoo-empty", cuckoo(9, 41, 29), open(Hasher::xxh3(0)), 0),
            case("scalable-bloom", scalable(Bloom, 20, 0.35, 2), open(Hasher::xxh3(0)), 600),
            case("scalable-blocked", scalable(Blocked, 30, 0.35, 4), open(Hasher::xxh64(SEED)), 600),
            case("scalable-cuckoo", scalable(Cuckoo, 20, 0.45, 2), open(Hasher::xxh3(SEED)), 300),
            case("scalable-siphash13", scalable(Cuckoo, 1, 0.2, 16), keyed(Hasher::siphash13), 250),
            case("scalable-empty", scalable(Blocked, 100, 0.01, 2), open(Hasher::xxh3(0)), 0),
            case("windowed-bloom", windowed(bloom(100, 509, 3), 300, 100), open(Hasher::xxh3(0)), 950),
            case("windowed-blocked", windowed(blocked(50, 1, 4), 400, 100), open(Hasher::xxh3(SEED)), 777),
            case("windowed-siphash24", windowed(blocked(200, 2, 2), 150, 150), keyed(Hasher::siphash24), 200),
            // The end of time, and time that leapt there.
            case_of(
                "windowed-late",
                windowed(bloom(15, 64, 3), 60, 20),
                open(Hasher::xxh64(SEED)),
                u64::MAX - 500..u64::MAX,
            ),
            case("windowed-empty", windowed(blocked(15, 1, 9), 20, 10), open(Hasher::xxh3(0)), 0),
            case_of(
                "prefix-fixed",
                prefix(blocked(800, 6, 3), Extractor::fixed(3), true),
                open(Hasher::xxh3(0)),
                300..700,
            ),
            case(
                "prefix-up-to",
                prefix(bloom(400, 1201, 3), Extractor::up_to(b'5'), true),
                open(Hasher::xxh3(SEED)),
                300,
            ),
            case(
                "prefix-second",
                prefix(blocked(900, 4, 2), Extractor::up_to_nth(b'1', 2), true),
                open(Hasher::xxh64(SEED)),
                800,
            ),
            case_of(
                "prefix-only",
                prefix(bloom(100, 300, 2), Extractor::fixed(4), false),
                keyed(Hasher::siphash13),
                950..1100,
            ),
            case(
                "prefix-empty",
                prefix(blocked(9, 2, 6), Extractor::fixed(0), true),
                open(Hasher::xxh64(0)),
                0,
            ),
        ],
    );
}

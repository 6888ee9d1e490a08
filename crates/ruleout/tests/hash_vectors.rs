//! The hash functions against vectors of their authors, which lie outside this repository, and against SipHash as
//! its paper has it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ruleout::{Hasher, SecretKey};
use serde_json::Value;

/// Where other projects' data are, on machines that have them.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/public/hash")
}

fn table(name: &str) -> Value {
    let text = fs::read_to_string(directory().join(name)).expect("the directory has this table");
    serde_json::from_str(&text).expect("it is JSON")
}

/// A number of 64 bits in hexadecimal.
fn hash_of(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().expect("a string"), 16).expect("hexadecimal")
}

/// The hash of `input`, wherever in memory it starts: the hashes read whole words.
fn hash_everywhere(hasher: &Hasher, input: &[u8]) -> u64 {
    let hash = hasher.hash(input);
    for shift in 1..8 {
        let shifted = [&[0xa5; 8][..shift], input].concat();
        assert_eq!(hasher.hash(&shifted[shift..]), hash, "{} bytes at {shift}, {}", input.len(), hasher.id());
    }
    hash
}

/// B019, B144, B152.
#[test]
fn vectors_of_the_authors() {
    if !directory().is_dir() {
        // Past the capture of the test's output.
        let line = "hash_vectors: skipped, ../shared/golden/public/hash is not there";
        writeln!(std::io::stderr(), "{line}").expect("stderr is there");
        return;
    }
    let xxhash = table("xxhash_sanity_vectors.json");
    let rows = |name: &str| xxhash[name].as_array().expect("a list").clone();
    // As the table's `buffer_rule` has it.
    let mut state = 2_654_435_761_u64;
    let buffer: Vec<u8> = std::iter::repeat_with(|| {
        let byte = (state >> 56) as u8;
        state = state.wrapping_mul(11_400_714_785_074_694_797);
        byte
    })
    .take(1 << 16)
    .collect();
    let mut checked = 0;
    for (name, hasher) in [("xxh64", Hasher::xxh64 as fn(u64) -> Hasher), ("xxh3_64", Hasher::xxh3)] {
        for row in rows(name) {
            let hasher = hasher(row["seed"].as_str().and_then(|seed| seed.parse().ok()).expect("a seed"));
            let input = &buffer[..row["len"].as_u64().expect("a length") as usize];
            assert_eq!(hash_everywhere(&hasher, input), hash_of(&row["hash_hex"]), "{name}: {row}");
            checked += 1;
        }
    }
    let siphash = table("siphash_vectors.json");
    let hasher = Hasher::siphash24(&KEY);
    let input: Vec<u8> = (0..64).collect();
    for (len, expected) in siphash["siphash24_64_hex"].as_array().expect("a list").iter().enumerate() {
        // "Bytes as emitted", so the number is their reverse.
        let hash = hash_everywhere(&hasher, &input[..len]);
        assert_eq!(hash.swap_bytes(), hash_of(expected), "siphash24 of {len} bytes");
        checked += 1;
    }
    assert!(checked > 90, "only {checked} vectors were found");
}

/// The key of the SipHash paper's test vector.
const KEY: SecretKey = SecretKey::new([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

/// SipHash-c-d as in J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012, §2.
fn siphash(c: u32, d: u32, key: [u64; 2], input: &[u8]) -> u64 {
    fn rounds(v: &mut [u64; 4], count: u32) {
        for _ in 0..count {
            v[0] = v[0].wrapping_add(v[1]);
            v[2] = v[2].wrapping_add(v[3]);
            v[1] = v[1].rotate_left(13) ^ v[0];
            v[3] = v[3].rotate_left(16) ^ v[2];
            v[0] = v[0].rotate_left(32);
            v[2] = v[2].wrapping_add(v[1]);
            v[0] = v[0].wrapping_add(v[3]);
            v[1] = v[1].rotate_left(17) ^ v[2];
            v[3] = v[3].rotate_left(21) ^ v[0];
            v[2] = v[2].rotate_left(32);
        }
    }
    let [k0, k1] = key;
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    let mut padded = input.to_vec();
    padded.resize(input.len() / 8 * 8 + 7, 0);
    padded.push(input.len() as u8);
    for word in padded.chunks_exact(8) {
        let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
        v[3] ^= word;
        rounds(&mut v, c);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    rounds(&mut v, d);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

#[test]
fn siphash_is_that_of_the_paper() {
    let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
    let input: Vec<u8> = (0..200).collect();
    // The paper's own example, appendix A.
    assert_eq!(siphash(2, 4, key, &input[..15]), 0xa129_ca61_49be_45e5);
    for len in 0..input.len() {
        let input = &input[..len];
        assert_eq!(
            hash_everywhere(&Hasher::siphash13(&KEY), input),
            siphash(1, 3, key, input),
            "{len} bytes"
        );
        assert_eq!(
            hash_everywhere(&Hasher::siphash24(&KEY), input),
            siphash(2, 4, key, input),
            "{len} bytes"
        );
    }
}

/// The seed and every bit of the key reach the hash: B117, B142.
#[test]
fn seeds_and_keys_matter() {
    for input in [&b""[..], b"k", b"sixteen bytes ok", &[7; 300]] {
        assert_ne!(Hasher::xxh3(0).hash(input), Hasher::xxh3(1).hash(input));
        assert_ne!(Hasher::xxh64(0).hash(input), Hasher::xxh64(1).hash(input));
        for bit in 0..128 {
            let mut key = [0; 16];
            key[bit / 8] ^= 1 << (bit % 8);
            let (key, zero) = (SecretKey::new(key), SecretKey::new([0; 16]));
            assert_ne!(Hasher::siphash13(&key).hash(input), Hasher::siphash13(&zero).hash(input), "{bit}");
            assert_ne!(Hasher::siphash24(&key).id(), Hasher::siphash24(&zero).id(), "{bit}");
        }
    }
}

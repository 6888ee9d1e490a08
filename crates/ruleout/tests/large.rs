//! Filters of more than 2^31 bits: the sizes at which 32-bit arithmetic gave out elsewhere.
//!
//! One at a time: each takes some hundred megabytes.

use std::io::Write;
use std::sync::Mutex;

use ruleout::{AnyFilter, BlockedConfig, BloomConfig, HashFilter, Header, Inserted, Len, OpenOptions};
use ruleout_testkit::keys::{member, probe};
use ruleout_testkit::stats::Acceptance;

/// Held by the one test that may have its memory now.
static MEMORY: Mutex<()> = Mutex::new(());

/// Keeps a file's bytes, and nothing twice.
struct File(Vec<u8>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Made for 350 million keys, 3.3 billion bits: empty it says no, with two keys it holds those two, it is saved,
/// opened and asked again, and its statistics are right: B031, B033, B064.
#[test]
fn beyond_two_to_the_31_bits() {
    let _alone = MEMORY.lock();
    let recipe = BloomConfig::fpr(350_000_000, 0.01);
    let params = recipe.params().expect("an ordinary recipe");
    assert!(params.bits() > 3_300_000_000, "{params:?}");
    let mut filter = recipe.build().expect("400 MB");
    assert_eq!(filter.insert(b"asdf"), Inserted::New);
    assert_eq!(filter.insert(b"somethingelse"), Inserted::New);
    let absent = |filter: &dyn HashFilter| (0..10_000).all(|i| !filter.may_contain_hash(probe(i)));
    assert!(absent(&filter));
    let tally = filter.tally();
    assert_eq!((tally.fill * params.bits() as f64).round(), f64::from(2 * ruleout::Params::probes(&params)));
    assert!((tally.keys.expect("hardly full") - 2.0).abs() < 0.01);
    assert!(filter.expected_fpr() < 1e-18);

    let mut file = File(Vec::new());
    filter.write_to(&mut file).expect("memory takes all");
    drop(filter);
    let header = Header::read(&file.0).expect("its own header");
    assert!(header.payload_len() > 412_000_000 && header.len() == Len::AtMost(2));
    let view = AnyFilter::open_with(&file.0[..], &OpenOptions::new().verify(true)).expect("its own file");
    assert!(view.may_contain(b"asdf") && view.may_contain(b"somethingelse") && absent(&view));
}

/// Ten million integers in 2^28 bits, 27 bits per key: the rate of the theory, where one drawn from 32 bits of hash
/// has another: B028.
#[test]
fn large_and_well_filled() {
    let _alone = MEMORY.lock();
    let keys = 10_000_000;
    let mut filter = BlockedConfig::size_bytes(keys, 1 << 25).build().expect("32 MiB");
    for start in (0..keys).step_by(1 << 16) {
        let part: Vec<u64> = (start..keys.min(start + (1 << 16))).map(member).collect();
        filter.insert_hashes(&part);
    }
    assert!((0..keys).step_by(97).all(|i| filter.may_contain_hash(member(i))));
    let rate = filter.expected_fpr();
    assert!(rate < 0.001, "{rate}");
    let trials = 2_000_000;
    let hits = (0..trials).filter(|&i| filter.may_contain_hash(probe(i))).count();
    Acceptance::with_trials(rate, trials).assert_accepts(hits as u64);
}

//! `ruleout demo`: the whole round trip, measured, with no input.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use ruleout::{AnyFilter, AnyParams, DistinctHashes, Family, Filter as _, Goal, Hasher, Mask};
use serde_json::{Value, json};

use super::{refusals, summary};
use crate::args::{DemoArgs, OpenArgs};
use crate::output::Target;
use crate::{FAILURE, filter_file, human, memory, messages, stdout, text_table};

/// Keys asked for at once.
const BATCH: u64 = 4096;

/// Runs the round trip for each family and prints what was measured.
pub fn run(args: &DemoArgs) -> Result<ExitCode> {
    let families = args.family.as_ref().map_or(AnyParams::FAMILIES, std::slice::from_ref);
    let mut trials = Vec::new();
    for &family in families {
        trials.push(trial(family, args)?);
    }
    if args.json {
        let trials = trials.iter().map(|trial| trial.json(args)).collect();
        stdout::offer(&stdout::json_text(&Value::Array(trials)))?;
    } else {
        let headings =
            ["family", "bits/key", "bytes", "rate asked", "rate as built", "rate measured", "keys lost"];
        let rows: Vec<Vec<String>> = trials.iter().map(|trial| trial.row(args)).collect();
        let keys = human::counted(args.keys, "key");
        let absent = human::counted(args.keys, "absent key");
        let title = format!("{keys} built, saved, reopened, found again; {absent} probed\n\n");
        stdout::offer((title + &text_table::columns(&headings, &rows)).as_bytes())?;
    }
    let lost: u64 = trials.iter().map(|trial| trial.lost).sum();
    if lost > 0 {
        messages::note(format_args!(
            "{} lost: this is a defect, please report it",
            human::counted(lost, "key")
        ));
        return Ok(ExitCode::from(FAILURE));
    }
    Ok(ExitCode::SUCCESS)
}

/// What was measured.
struct Trial {
    params: AnyParams,
    expected: f64,
    false_positives: u64,
    lost: u64,
}

fn trial(family: Family, args: &DemoArgs) -> Result<Trial> {
    let goal = Goal::Fpr(args.fpr);
    let params = refusals::params(family, args.keys, goal)?;
    let hashes_bytes = args.keys.saturating_mul(size_of::<u64>() as u64);
    memory::ensure_available(hashes_bytes.saturating_add(params.payload_bytes()), "the demonstration")?;
    let hasher = Hasher::default();
    let mut hashes = DistinctHashes::new();
    each_batch("key", args.keys, &hasher, |batch| hashes.extend(batch.iter().copied()));
    let built = AnyFilter::from_distinct(family, goal, hasher.clone(), hashes)?;

    let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
    let path = directory.path().join("demo.rlo");
    Target::resolve(&path, false)?.write(|out| built.write_to(out))?;
    drop(built);
    let filter = filter_file::open(&path, &OpenArgs { key_file: None, no_verify: false })?;

    let mut hits = Mask::new();
    let (mut found, mut false_positives) = (0, 0);
    each_batch("key", args.keys, &hasher, |batch| {
        filter.may_contain_hashes(batch, &mut hits);
        found += hits.count_ones() as u64;
    });
    each_batch("absent", args.keys, &hasher, |batch| {
        filter.may_contain_hashes(batch, &mut hits);
        false_positives += hits.count_ones() as u64;
    });
    Ok(Trial {
        params: filter.params(),
        expected: filter.expected_fpr(),
        false_positives,
        lost: args.keys - found,
    })
}

/// Hashes the keys `<kind>-00000000`, `<kind>-00000001` and so on, a batch at a time.
fn each_batch(kind: &str, keys: u64, hasher: &Hasher, mut take: impl FnMut(&[u64])) {
    let mut hashes = Vec::with_capacity(BATCH as usize);
    for first in (0..keys).step_by(BATCH as usize) {
        hashes.clear();
        let batch = first..keys.min(first + BATCH);
        hashes.extend(batch.map(|number| hasher.hash(format!("{kind}-{number:08}").as_bytes())));
        take(&hashes);
    }
}

impl Trial {
    fn measured(&self, args: &DemoArgs) -> f64 {
        self.false_positives as f64 / args.keys.max(1) as f64
    }

    fn row(&self, args: &DemoArgs) -> Vec<String> {
        vec![
            self.params.family().to_string(),
            summary::bits_per_key_text(&self.params),
            human::count(self.params.payload_bytes()),
            human::rate(args.fpr),
            human::rate(self.expected),
            human::rate(self.measured(args)),
            human::count(self.lost),
        ]
    }

    fn json(&self, args: &DemoArgs) -> Value {
        json!({
            "family": self.params.family().name(),
            "keys": args.keys,
            "bits_per_key": summary::bits_per_key(&self.params),
            "size_bytes": self.params.payload_bytes(),
            "fpr_asked": args.fpr,
            "fpr_expected": self.expected,
            "fpr_measured": self.measured(args),
            "false_positives": self.false_positives,
            "keys_lost": self.lost,
        })
    }
}

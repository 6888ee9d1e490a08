//! `ruleout merge`: the union of filters.

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use ruleout::{AnyParams, Filter as _, MergeError};
use serde_json::json;

use super::parts;
use super::summary::{self, OverCapacity, Summary};
use crate::args::MergeArgs;
use crate::filter_file;
use crate::output::Target;
use crate::{human, memory, messages};

/// Merges, writes, and says what came out.
pub fn run(args: &MergeArgs) -> Result<ExitCode> {
    let target = Target::resolve(&args.output.path, args.output.force)?;
    summary::refuse_mixed_stdout(&target, args.json)?;
    target.refuse_key_file(args.open.key_file.as_deref())?;
    let (first_path, others) = args.filters.split_first().ok_or_else(|| anyhow!("no filter was given"))?;
    let first = filter_file::open(first_path, &args.open)?;
    memory::ensure_available(first.params().payload_bytes(), "the union")?;
    let mut union = first.to_owned().map_err(|refused| filter_file::refusal(first_path, refused))?;
    drop(first);
    let before = union.params();
    for path in others {
        let other = filter_file::open(path, &args.open)?;
        union.merge_view(&other).map_err(|refused| match refused {
            MergeError::Damaged(damage) => filter_file::refusal(path, damage),
            differs => {
                let why = why(&differs, &union.params(), &other.params());
                anyhow!("cannot merge {} and {}: {why}", first_path.display(), path.display())
            }
        })?;
    }
    target.write(|out| union.write_to(out))?;

    let tally = union.tally();
    let fpr = union.expected_fpr();
    let params = union.params();
    // Sets may overlap, so the sum of their keys says little; the bits show how many there are.
    let keys = summary::estimate_text(&tally);
    let over = summary::shows_over_capacity(&tally, union.len(), params.capacity());
    if over {
        let (path, rate) = (&args.output.path, &human::rate(fpr));
        OverCapacity { path, params: &params, keys: &keys, rate, certain: true }.warn();
    }
    let grew = growth(&before, &params);
    if let Some(grew) = grew.filter(|_| !args.quiet) {
        messages::note(format_args!("{} {grew}", args.output.path.display()));
    }
    let summary = Summary { filter: &union, output: &args.output.path, fpr };
    summary.warn_if_useless();
    let merged = human::counted(args.filters.len() as u64, "filter");
    let line = format!("{merged} merged, {keys}; {}", summary.line());
    let mut fields = summary.json();
    fields.insert("merged".to_owned(), json!(args.filters.len()));
    fields.insert("estimated_keys".to_owned(), json!(tally.keys));
    fields.insert("over_capacity".to_owned(), json!(over));
    summary::report(&line, fields, args.quiet, args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// How a union that made itself room differs from the first filter: who planned with that one should know.
fn growth(before: &AnyParams, after: &AnyParams) -> Option<String> {
    let rate = human::rate(after.fpr_at(after.capacity()));
    let grew = if before.capacity() != after.capacity() {
        format!("from {} to {}", human::count(before.capacity()), human::counted(after.capacity(), "key"))
    } else if before.payload_bytes() != after.payload_bytes() {
        format!("from {} to {}", human::bytes(before.payload_bytes()), human::bytes(after.payload_bytes()))
    } else {
        return None;
    };
    Some(format!("grew {grew}; expected rate at capacity now {rate}"))
}

/// Why two filters cannot be merged: what differs, with both values, and what would make them alike.
fn why(refused: &MergeError, ours: &AnyParams, theirs: &AnyParams) -> String {
    let MergeError::Layout { .. } = refused else { return refused.to_string() };
    // The library names the first field in the order of the format. What people chose is the capacity, and the
    // fields follow from it: all that differ are shown.
    let fields =
        |params: &AnyParams| [vec![("capacity", params.capacity().into())], params.fields()].concat();
    let pairs = fields(ours).into_iter().zip(fields(theirs));
    let differing: Vec<String> = pairs
        .filter(|(ours, theirs)| ours != theirs)
        .map(|((name, ours), (_, theirs))| {
            format!("{name} {} and {}", parts::value_text(&ours), parts::value_text(&theirs))
        })
        .collect();
    format!("they differ: {}; build both with one --capacity and one rate", differing.join(", "))
}

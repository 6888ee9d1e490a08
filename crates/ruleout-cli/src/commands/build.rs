//! `ruleout build`: keys to a filter.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::{Context as _, Result};
use ruleout::{AnyFilter, AnyParams, DistinctHashes, Filter as _, Goal, Hasher, Insert as _};
use serde_json::json;

use super::refusals;
use super::summary::{self, OverCapacity, Summary};
use crate::args::BuildArgs;
use crate::keys::{Batch, Input, Reading};
use crate::output::Target;
use crate::progress::Progress;
use crate::{human, memory, messages};

/// Builds, writes, and says what was built.
pub fn run(args: &BuildArgs) -> Result<ExitCode> {
    let reading = args.keys.reading(args.quiet)?;
    let target = Target::resolve(&args.output.path, args.output.force)?;
    summary::refuse_mixed_stdout(&target, args.json)?;
    let inputs = Input::list(&args.inputs);
    target.refuse_inputs(&inputs)?;
    target.refuse_key_file(args.hash.key_file.as_deref())?;
    let hasher = args.hash.hasher()?;
    check_goal(args)?;

    let built = match args.capacity {
        Some(capacity) => stream(args, reading, &inputs, hasher, capacity)?,
        None => collect(args, reading, &inputs, hasher)?,
    };
    target.write(|out| built.filter.write_to(out))?;
    built.report(args)?;
    Ok(ExitCode::SUCCESS)
}

/// A filter and what went into it.
struct Built {
    filter: AnyFilter,
    /// Keys read, repeats included.
    read: u64,
    /// Distinct keys: exact when they were collected, else those that were certainly new.
    distinct: u64,
}

impl Built {
    fn is_over_capacity(&self, capacity: u64) -> bool {
        // In a filter that is far too full few keys look new, so the bits are asked as well.
        self.read > capacity && (self.distinct > capacity || self.shows_over_capacity(capacity))
    }

    fn shows_over_capacity(&self, capacity: u64) -> bool {
        summary::shows_over_capacity(&self.filter.tally(), self.filter.len(), capacity)
    }

    fn report(&self, args: &BuildArgs) -> Result<()> {
        let Self { filter, read, distinct } = self;
        let (read, distinct) = (*read, *distinct);
        let params = filter.params();
        let fpr = filter.expected_fpr();
        if read == 0 {
            messages::note("no keys were read: the filter is empty and says no to everything");
        }
        let over = self.is_over_capacity(params.capacity());
        if over {
            let keys = format!(
                "{}, {} or more of them distinct,",
                human::counted(read, "key"),
                human::count(distinct)
            );
            let (path, rate) = (&args.output.path, &human::rate(fpr));
            OverCapacity { path, params: &params, keys: &keys, rate, certain: true }.warn();
        }
        let summary = Summary { filter, output: &args.output.path, fpr };
        summary.warn_if_useless();
        let least = if args.capacity.is_some() { "at least " } else { "" };
        let line = format!(
            "{} read, {least}{} distinct; {}{}",
            human::counted(read, "key"),
            human::count(distinct),
            summary.line(),
            how_to_ask(args)
        );
        let mut fields = summary.json();
        fields.insert("keys_read".to_owned(), json!(read));
        fields.insert("keys_distinct".to_owned(), json!(distinct));
        fields.insert("keys_distinct_is_exact".to_owned(), json!(args.capacity.is_none()));
        fields.insert("over_capacity".to_owned(), json!(over));
        summary::report(&line, fields, args.quiet, args.json)
    }
}

/// The command that reads keys as this one did, when that takes flags: without them it would call keys absent.
fn how_to_ask(args: &BuildArgs) -> String {
    let flags = args.keys.typed();
    if flags.is_empty() {
        return String::new();
    }
    let path = args.output.path.to_string_lossy();
    // What went to standard output has no name yet.
    let filter = if path == "-" { "FILTER".to_owned() } else { human::quoted(&path) };
    let key = args
        .hash
        .key_file
        .as_ref()
        .map(|key| format!("--key-file {}", human::quoted(&key.to_string_lossy())));
    let words: Vec<String> = [filter].into_iter().chain(key).chain(flags).collect();
    format!("; ask with: ruleout check {}", words.join(" "))
}

/// Keeps the hashes, then sizes a filter for exactly the distinct ones.
fn collect(args: &BuildArgs, reading: Reading, inputs: &[Input], hasher: Hasher) -> Result<Built> {
    /// Hashes between two looks at the memory left.
    const LOOK: u64 = 1 << 22;
    let mut hashes = DistinctHashes::new();
    hashes.set_threads(args.threads.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN));
    let mut look = LOOK;
    each_batch(args, reading, inputs, &hasher, |batch| {
        hashes.extend(batch.hashes.iter().copied());
        if hashes.pushed() >= look {
            look += LOOK;
            let what = format!("holding the hashes of {} and more", human::counted(hashes.pushed(), "key"));
            memory::ensure_available(4 * LOOK * size_of::<u64>() as u64, &what)
                .context("--capacity N streams keys instead of holding them")?;
        }
        Ok(())
    })?;
    let (read, distinct) = (hashes.pushed(), hashes.len());
    let goal = args.goal.goal();
    ensure_room(&refusals::params(args.family, distinct, goal)?)?;
    let filter = AnyFilter::from_distinct(args.family, goal, hasher, hashes)?;
    Ok(Built { filter, read, distinct })
}

/// Inserts keys as they come into a filter made for `capacity`.
fn stream(
    args: &BuildArgs,
    reading: Reading,
    inputs: &[Input],
    hasher: Hasher,
    capacity: u64,
) -> Result<Built> {
    let params = refusals::params(args.family, capacity, args.goal.goal())?;
    ensure_room(&params)?;
    let mut filter =
        AnyFilter::new(params.clone(), hasher.clone()).map_err(|refused| refusals::unstreamed(&refused))?;
    let (mut read, mut distinct) = (0, 0);
    each_batch(args, reading, inputs, &hasher, |batch| {
        let new = filter.try_insert_hashes(batch.hashes);
        distinct += new.map_err(|refused| refusals::streamed(&params, read, &refused))? as u64;
        read += batch.hashes.len() as u64;
        Ok(())
    })?;
    Ok(Built { filter, read, distinct })
}

fn each_batch(
    args: &BuildArgs,
    mut reading: Reading,
    inputs: &[Input],
    hasher: &Hasher,
    mut take: impl FnMut(&Batch<'_>) -> Result<()>,
) -> Result<()> {
    let mut progress = Progress::new(inputs, !args.quiet);
    for input in inputs {
        // Breaking off is for those who have seen enough; a build never has.
        let _: ControlFlow<()> = reading.keys(input, hasher, &mut progress, |batch| {
            take(batch)?;
            Ok(ControlFlow::Continue(()))
        })?;
    }
    progress.finish();
    Ok(())
}

/// Refuses a goal that no number of keys can have, rather than read a long list first.
fn check_goal(args: &BuildArgs) -> Result<()> {
    match args.goal.goal() {
        Goal::SizeBytes(bytes) => memory::ensure_available(bytes, "a filter of the size asked for"),
        goal => {
            refusals::params(args.family, 1, goal)?;
            Ok(())
        }
    }
}

fn ensure_room(params: &AnyParams) -> Result<()> {
    let what = format!("a {} filter for {}", params.family(), human::counted(params.capacity(), "key"));
    memory::ensure_available(params.payload_bytes(), &what)
}

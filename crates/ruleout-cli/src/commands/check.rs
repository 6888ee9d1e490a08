//! `ruleout check`: the lines that may be in a set, or surely are not.

use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::Result;
use ruleout::{AnyFilter, Mask};

use super::NOTHING_SELECTED;
use crate::args::CheckArgs;
use crate::filter_file::{self, FileBytes};
use crate::keys::{Batch, Input};
use crate::progress::Progress;
use crate::{FAILURE, messages, stdout};

/// Selects lines, and says by the exit status whether there were any.
pub fn run(args: &CheckArgs) -> Result<ExitCode> {
    let mut reading = args.keys.reading(args.quiet)?;
    let filter = filter_file::open(&args.filter, &args.open)?;
    let inputs = Input::list(&args.inputs);
    // Lines on a terminal would be drawn over.
    let silent = args.count || args.quiet || !std::io::IsTerminal::is_terminal(&std::io::stdout());
    let mut progress = Progress::new(&inputs, silent);
    let hasher = filter.hasher().clone();
    let mut selection = Selection::new(&filter, args, reading.terminator);
    let mut failed = false;
    for input in &inputs {
        match reading.keys(input, &hasher, &mut progress, |batch| selection.take(batch)) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return Ok(ExitCode::SUCCESS),
            Err(error) if stdout::reader_has_gone(&error) => return Err(error),
            // Like grep: the other inputs are still read, and the exit status tells.
            Err(error) => {
                progress.finish();
                messages::error(&error);
                failed = true;
            }
        }
    }
    progress.finish();
    if args.count && !args.quiet {
        stdout::print(format!("{}\n", selection.selected).as_bytes())?;
    }
    Ok(match (failed, selection.selected) {
        (true, _) => ExitCode::from(FAILURE),
        (false, 0) => ExitCode::from(NOTHING_SELECTED),
        (false, _) => ExitCode::SUCCESS,
    })
}

/// What was selected so far.
struct Selection<'a> {
    filter: &'a AnyFilter<FileBytes>,
    args: &'a CheckArgs,
    terminator: u8,
    hits: Mask,
    lines: Vec<u8>,
    selected: u64,
}

impl<'a> Selection<'a> {
    fn new(filter: &'a AnyFilter<FileBytes>, args: &'a CheckArgs, terminator: u8) -> Self {
        Self { filter, args, terminator, hits: Mask::new(), lines: Vec::new(), selected: 0 }
    }

    /// Selects from a batch; breaks off when the exit status is all that is wanted and is known.
    fn take(&mut self, batch: &Batch<'_>) -> Result<ControlFlow<()>> {
        self.filter.may_contain_hashes(batch.hashes, &mut self.hits);
        let maybe = self.hits.count_ones();
        let wanted = if self.args.absent { batch.hashes.len() - maybe } else { maybe };
        self.selected += wanted as u64;
        if self.args.quiet {
            return Ok(if wanted > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        }
        if !self.args.count && wanted > 0 {
            self.print(batch)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Prints the selected lines of a batch at once, so that a slow pipe is answered as it comes.
    fn print(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.lines.clear();
        for (key, record) in batch.records() {
            if key.is_some_and(|key| self.hits.get(key) != self.args.absent) {
                self.lines.extend_from_slice(record);
                self.lines.push(self.terminator);
            }
        }
        stdout::print(&self.lines)
    }
}

//! The commands, one file each.

mod build;
mod check;
mod dedup;
mod demo;
mod diff;
mod documents;
mod info;
mod merge;
mod parts;
mod refusals;
mod size;
mod summary;
mod verify;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::Command;

/// Exit status when nothing was selected, as grep has it.
const NOTHING_SELECTED: u8 = 1;

/// Exit status when something differs, as diff has it.
const DIFFERENT: u8 = 1;

/// Runs one command.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Build(args) => build::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Dedup(args) => dedup::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Size(args) => size::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Completions(args) => documents::completions(&args),
        Command::Man(args) => documents::man(&args),
    }
}

//! `ruleout completions` and `ruleout man`: what can be made of the definition of the flags.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::stdout;

/// Prints a completion script.
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ruleout", &mut script);
    stdout::print(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the man page of the whole command, or writes it and one of each command.
pub fn man(args: &ManArgs) -> Result<ExitCode> {
    match &args.out {
        Some(directory) => {
            fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), directory))
                .with_context(|| format!("cannot write man pages to {}", directory.display()))?;
        }
        None => {
            let mut page = Vec::new();
            Man::new(Cli::command()).render(&mut page)?;
            stdout::print(&page)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

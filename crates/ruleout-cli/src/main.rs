//! The `ruleout` command: builds, queries, inspects, verifies and merges membership filters.
//!
//! `args` says what may be typed, `commands` does it, `keys` reads lists of keys, `output` writes files that are
//! whole or absent. Results go to standard output and everything else to standard error. The exit status is
//! grep's: 0 when something was selected or done, 1 when nothing was selected, 2 on an error.

mod args;
mod commands;
mod filter_file;
mod human;
mod keys;
mod memory;
mod messages;
mod output;
mod progress;
mod secret;
mod signals;
mod stdout;
mod text_table;

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;

/// Exit status of an error, as grep has it.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(refused) => return usage(&refused),
    };
    match commands::run(cli.command) {
        Ok(exit) => exit,
        // Whoever read our results has read enough.
        Err(error) if stdout::reader_has_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            messages::error(&error);
            ExitCode::from(FAILURE)
        }
    }
}

/// Prints help or version to standard output, and a refusal in the shape of every other error.
fn usage(refused: &clap::Error) -> ExitCode {
    if refused.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        messages::raw(&refused.to_string());
        return ExitCode::from(FAILURE);
    }
    if refused.use_stderr() {
        let text = refused.to_string();
        messages::raw(&format!("ruleout: {}", text.strip_prefix("error: ").unwrap_or(&text)));
        return ExitCode::from(FAILURE);
    }
    // clap knows whether standard output takes colour; a reader that has gone is no error here either.
    let _ = refused.print();
    ExitCode::SUCCESS
}

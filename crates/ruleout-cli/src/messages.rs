//! What goes to standard error.
//!
//! A closed standard error must not turn into a panic, so nothing here uses `eprintln!`.

use std::fmt::Display;
use std::io::Write as _;

/// One error, with its causes, on one line.
pub fn error(error: &anyhow::Error) {
    note(format_args!("{error:#}"));
}

/// Something the user should know although the work goes on.
pub fn warning(message: impl Display) {
    note(format_args!("warning: {message}"));
}

/// A line of information.
pub fn note(message: impl Display) {
    raw(&format!("ruleout: {message}\n"));
}

/// Text as it is.
pub fn raw(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

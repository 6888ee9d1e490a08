//! The flags that say how keys are read.

use std::num::NonZeroUsize;

use anyhow::{Result, bail};
use clap::Args;

use super::values;
use crate::human::quoted;
use crate::keys::{Delimiter, Extractor, Reading, TimeField};

/// How keys are found in the inputs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Keys")]
pub struct KeyArgs {
    /// Keys end in NUL, not in newline, and are taken byte for byte: no CR and no byte order mark is dropped
    #[arg(short = '0', long)]
    pub null: bool,

    /// The key is field N of each line, counted from 1; a line without it is an error, an empty field is skipped
    #[arg(long, value_name = "N")]
    pub field: Option<NonZeroUsize>,

    /// The byte between fields, such as : or \t or \x1f; or whitespace, for runs of spaces and tabs as awk takes
    /// them [default: tab]
    #[arg(short, long, value_name = "C", value_parser = values::delimiter)]
    pub delimiter: Option<Delimiter>,

    /// Keys are written in hex, of either case, and stand for the bytes
    #[arg(long)]
    pub hex: bool,

    /// Skip lines whose first non-blank byte is #
    #[arg(long)]
    pub comments: bool,

    /// Keep empty lines and fields as the empty key instead of skipping them
    #[arg(long)]
    pub keep_empty: bool,

    /// Keep a CR before the newline as part of the key instead of dropping one
    #[arg(long)]
    pub keep_cr: bool,

    /// Keep a UTF-8 byte order mark at the start of a file instead of dropping it
    #[arg(long)]
    pub keep_bom: bool,

    /// Take gzip and zstd inputs as they are
    #[arg(long)]
    pub no_decompress: bool,
}

impl KeyArgs {
    /// How to read inputs under these flags.
    ///
    /// # Errors
    /// When they do not fit each other.
    pub fn reading(&self, quiet: bool) -> Result<Reading> {
        // Not left to clap, which would say that a required argument is missing, and not what requires it.
        if self.delimiter.is_some() && self.field.is_none() {
            bail!("--delimiter says what lies between fields, and no field is asked for: give --field N too");
        }
        Ok(self.reading_times(quiet, None))
    }

    /// What is between fields.
    pub fn delimiter(&self) -> Delimiter {
        self.delimiter.unwrap_or(Delimiter::Byte(b'\t'))
    }

    /// How to read inputs under these flags, whose records tell their times.
    pub fn reading_times(&self, quiet: bool, time: Option<TimeField>) -> Reading {
        Reading {
            terminator: if self.null { 0 } else { b'\n' },
            decompress: !self.no_decompress,
            drop_bom: !(self.null || self.keep_bom),
            quiet,
            extractor: Extractor {
                drop_cr: !(self.null || self.keep_cr),
                keep_empty: self.keep_empty,
                comments: self.comments,
                field: self.field.map(|number| (number, self.delimiter())),
                hex: self.hex,
                decoded: Vec::new(),
            },
            time,
            without_key: "skipped",
        }
    }

    /// The flags that decide what of an input is a key, as one would type them: who asks needs the same.
    ///
    /// `--no-decompress` is not one of them: it is about one file and not about keys.
    pub fn typed(&self) -> Vec<String> {
        let switches = [
            (self.null, "--null"),
            (self.hex, "--hex"),
            (self.comments, "--comments"),
            (self.keep_empty, "--keep-empty"),
            (self.keep_cr, "--keep-cr"),
            (self.keep_bom, "--keep-bom"),
        ];
        let mut flags: Vec<String> =
            switches.iter().filter(|(on, _)| *on).map(|(_, flag)| (*flag).to_owned()).collect();
        flags.extend(self.field.map(|number| format!("--field {number}")));
        flags.extend(
            self.delimiter.map(|delimiter| format!("--delimiter {}", quoted(&delimiter.to_string()))),
        );
        flags
    }
}

//! What may be typed. Each flag is defined once, here; help, man pages and completions follow from it.

pub mod values;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand};
use ruleout::{Family, Goal, HashAlgorithm, Hasher};

use crate::keys::{Extractor, Reading};
use crate::secret;

/// The rate when nothing is asked for.
const DEFAULT_FPR: f64 = 0.01;

/// Approximate-membership filters: rule out what is definitely not in a set.
///
/// A filter answers "definitely absent" or "maybe present", and is some ten bits per key large. It never calls a
/// key absent that was put in; how often it says "maybe" of others is the false-positive rate, which is yours to
/// choose.
#[derive(Debug, Parser)]
#[command(name = "ruleout", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  ruleout build words.txt -o words.rlo          a filter at 1 %
  ruleout check words.rlo candidates.txt        the candidates that may be words
  ruleout check --absent words.rlo < new.txt    the lines that surely are not
  ruleout size -n 1e9 -p 0.1%                   what a filter would cost
  ruleout demo                                  build, save, reopen and measure, with no input

Exit status: 0 when something was selected or done, 1 when nothing was selected, 2 on an error.")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Build(BuildArgs),
    Check(CheckArgs),
    Info(InfoArgs),
    Verify(VerifyArgs),
    Merge(MergeArgs),
    Size(SizeArgs),
    Demo(DemoArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Build a filter from lists of keys
///
/// Every line is a key. Without FILE, or where FILE is -, keys come from standard input. gzip and zstd inputs are
/// decompressed. Duplicates cost nothing: the filter is sized for the distinct keys.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout build words.txt -o words.rlo
  zcat urls.gz | ruleout build -p 0.1% -o urls.rlo
  ruleout build --field 1 --delimiter : pwned.txt -o pwned.rlo    HASH:count lists
  ruleout build --capacity 1e9 --memory 1GiB big.txt -o big.rlo   in the memory of the filter
  ruleout build --key-file secret.key users.txt -o users.rlo      safe against chosen keys
  ruleout build --hex ids.txt -o ids.rlo                          binary keys
  find . -print0 | ruleout build -0 -o names.rlo                  keys that may hold newlines")]
pub struct BuildArgs {
    /// Lists of keys; - is standard input
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub output: OutputArgs,

    #[command(flatten)]
    pub goal: GoalArgs,

    /// Kind of filter: bloom (smallest at its rate) or blocked (one cache miss per query, a little larger)
    #[arg(long, value_name = "NAME", default_value_t = Family::Blocked)]
    pub family: Family,

    /// Size for N distinct keys and stream, instead of holding 8 bytes per key until all are read
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub capacity: Option<u64>,

    #[command(flatten)]
    pub hash: HashArgs,

    /// Say nothing on standard error but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub json: bool,

    // Last, since its heading holds for every flag behind it.
    #[command(flatten)]
    pub keys: KeyArgs,
}

/// Print the lines that may be in the set
///
/// Lines are printed as they came, in order. "Maybe" is not "yes": of the lines that are not in the set, the
/// false-positive rate are printed too. Those that --absent prints are surely not in the set. Lines without a key
/// (empty ones, comments) are neither. Give the flags on keys that the filter was built with.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout check words.rlo candidates.txt
  ruleout check --absent seen.rlo today.log > new.log
  ruleout check --count blocked.rlo hosts.txt
  echo hello | ruleout check --quiet words.rlo && echo maybe
  printf 'FF006B\\n' | ruleout check --hex ids.rlo

Exit status: 0 when a line was selected, 1 when none was, 2 on an error.")]
pub struct CheckArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,

    /// Lists of keys; - is standard input
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// Select the lines that are definitely not in the set
    #[arg(short = 'v', long)]
    pub absent: bool,

    /// Print only how many lines were selected
    #[arg(short, long)]
    pub count: bool,

    /// Print nothing and stop at the first selected line
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    pub open: OpenArgs,

    #[command(flatten)]
    pub keys: KeyArgs,
}

/// Show what a filter is, from its header alone
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout info words.rlo
  ruleout info --json words.rlo | jq .bits_per_key")]
pub struct InfoArgs {
    /// The filter
    #[arg(value_name = "FILE")]
    pub filter: PathBuf,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Check that filters are whole: checksums, structure, fill
///
/// Reads every byte. Needs no secret key.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout verify words.rlo
  ruleout verify --json *.rlo

Exit status: 0 when every filter is sound, 2 when one is not.")]
pub struct VerifyArgs {
    /// The filters
    #[arg(value_name = "FILE", required = true)]
    pub filters: Vec<PathBuf>,

    /// Print JSON: an array with one object per file
    #[arg(long)]
    pub json: bool,
}

/// Write the union of filters
///
/// Filters can be merged when family, hash, seed or key, and size are the same: build them with one --capacity,
/// one rate and one --seed. Every key of every input is in the result. The result gets fresh checksums, so no input
/// goes into it unverified, --no-verify or not.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout build --capacity 1e6 mon.txt -o mon.rlo
  ruleout build --capacity 1e6 tue.txt -o tue.rlo
  ruleout merge mon.rlo tue.rlo -o both.rlo
  ruleout merge both.rlo wed.rlo -o both.rlo --force")]
pub struct MergeArgs {
    /// The filters
    #[arg(value_name = "FILTER", required = true, num_args = 1..)]
    pub filters: Vec<PathBuf>,

    #[command(flatten)]
    pub output: OutputArgs,

    #[command(flatten)]
    pub open: OpenArgs,

    /// Say nothing on standard error but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// Show how large filters would be
///
/// From the number of keys and one of a rate, bits per key, or a size in bytes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout size -n 1e9 -p 1%
  ruleout size -n 1e9 --memory 1GiB
  ruleout size -n 10M --bits-per-key 12 --json")]
pub struct SizeArgs {
    /// Number of keys: 1000000, 1e6, 10M
    #[arg(short = 'n', long = "keys", value_name = "N", value_parser = values::count)]
    pub keys: u64,

    #[command(flatten)]
    pub goal: GoalArgs,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Build, save, reopen and measure filters of made-up keys
///
/// Needs no input. For each family it makes keys, builds a filter, saves it, reopens it with its checksums
/// verified, checks that every key is found, and probes as many absent keys to measure the false-positive rate.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout demo
  ruleout demo -n 10M -p 0.1% --family bloom

Exit status: 0 when no key was lost, 2 otherwise.")]
pub struct DemoArgs {
    /// Number of keys, and of absent keys to probe
    #[arg(short = 'n', long = "keys", value_name = "N", default_value = "1000000", value_parser = values::count)]
    pub keys: u64,

    /// False-positive rate to ask for
    #[arg(short = 'p', long, value_name = "RATE", default_value = "1%", value_parser = values::rate)]
    #[arg(allow_negative_numbers = true)]
    pub fpr: f64,

    /// Only this family
    #[arg(long, value_name = "NAME")]
    pub family: Option<Family>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout completions bash > ~/.local/share/bash-completion/completions/ruleout
  ruleout completions zsh > ~/.zfunc/_ruleout")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Print the man page, or write one for every command
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ruleout man | man -l -
  ruleout man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write ruleout.1 and one page per command into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Where a filter is written.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// Where the filter goes, whole or not at all; - is standard output
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub path: PathBuf,

    /// Replace OUT if it exists
    #[arg(short, long)]
    pub force: bool,
}

/// How large or how exact a filter is to be.
#[derive(Args, Debug)]
pub struct GoalArgs {
    /// False-positive rate, such as 1% or 0.01 [default: 1%]
    #[arg(short = 'p', long, value_name = "RATE", value_parser = values::rate)]
    #[arg(allow_negative_numbers = true, conflicts_with_all = ["bits_per_key", "memory"])]
    pub fpr: Option<f64>,

    /// Size as bits per key, in place of a rate
    #[arg(long, value_name = "BITS", value_parser = values::bits_per_key)]
    #[arg(allow_negative_numbers = true, conflicts_with = "memory")]
    pub bits_per_key: Option<f64>,

    /// Size as bytes, such as 512MiB or 1GB, in place of a rate
    #[arg(long, value_name = "SIZE", value_parser = values::size, allow_negative_numbers = true)]
    pub memory: Option<u64>,
}

impl GoalArgs {
    /// What the library is asked for.
    pub fn goal(&self) -> Goal {
        match (self.memory, self.bits_per_key) {
            (Some(bytes), _) => Goal::SizeBytes(bytes),
            (None, Some(bits)) => Goal::BitsPerKey(bits),
            (None, None) => Goal::Fpr(self.fpr.unwrap_or(DEFAULT_FPR)),
        }
    }
}

/// The hash function of a new filter.
#[derive(Args, Debug)]
pub struct HashArgs {
    /// Hash function: xxh3, xxh64, or with --key-file siphash13, siphash24 [default: xxh3, siphash24 with a key]
    #[arg(long, value_name = "NAME")]
    pub hash: Option<HashAlgorithm>,

    /// Seed of the hash, public and kept in the file [default: 0]
    #[arg(long, value_name = "SEED", value_parser = values::seed, conflicts_with = "key_file")]
    pub seed: Option<u64>,

    /// File with a secret key of 16 raw bytes or 32 hex digits: nobody without it can make up false positives
    #[arg(long, value_name = "KEYFILE")]
    pub key_file: Option<PathBuf>,
}

impl HashArgs {
    /// The hasher these flags ask for.
    ///
    /// # Errors
    /// When hash, seed and key do not fit each other, or the key cannot be read.
    pub fn hasher(&self) -> Result<Hasher> {
        let key = self.key_file.as_deref().map(secret::read).transpose()?;
        let seed = self.seed.unwrap_or(0);
        // SipHash-2-4 is what its designers recommend; a secret is worth the few nanoseconds more.
        let usual = if key.is_some() { HashAlgorithm::SipHash24 } else { HashAlgorithm::Xxh3 };
        match (self.hash.unwrap_or(usual), key) {
            (HashAlgorithm::Xxh3, None) => Ok(Hasher::xxh3(seed)),
            (HashAlgorithm::Xxh64, None) => Ok(Hasher::xxh64(seed)),
            (HashAlgorithm::SipHash13, Some(key)) => Ok(Hasher::siphash13(&key)),
            (HashAlgorithm::SipHash24, Some(key)) => Ok(Hasher::siphash24(&key)),
            (hash, None) => bail!("--hash {hash} needs a secret key: give --key-file"),
            (hash, Some(_)) => bail!("--hash {hash} takes no secret key: leave --key-file or take siphash24"),
        }
    }
}

/// How a filter is opened.
#[derive(Args, Debug)]
pub struct OpenArgs {
    /// File with the secret key that the filter was built under
    #[arg(long, value_name = "KEYFILE")]
    pub key_file: Option<PathBuf>,

    /// Skip the scan that proves the filter undamaged
    #[arg(long)]
    pub no_verify: bool,
}

/// How keys are found in the inputs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Keys")]
pub struct KeyArgs {
    /// Records end in NUL, not in newline, and are taken byte for byte: no CR and no byte order mark goes
    #[arg(short = '0', long)]
    pub null: bool,

    /// The key is field N of each line, counted from 1; a line without it is an error
    #[arg(long, value_name = "N")]
    pub field: Option<NonZeroUsize>,

    /// The byte between fields, such as : or \t or \x1f [default: tab]
    #[arg(short, long, value_name = "C", value_parser = values::delimiter, requires = "field")]
    pub delimiter: Option<u8>,

    /// Keys are written in hex and stand for bytes
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
    pub fn reading(&self, quiet: bool) -> Reading {
        Reading {
            terminator: if self.null { 0 } else { b'\n' },
            decompress: !self.no_decompress,
            drop_bom: !(self.null || self.keep_bom),
            quiet,
            extractor: Extractor {
                drop_cr: !(self.null || self.keep_cr),
                keep_empty: self.keep_empty,
                comments: self.comments,
                field: self.field.map(|number| (number, self.delimiter.unwrap_or(b'\t'))),
                hex: self.hex,
                decoded: Vec::new(),
            },
        }
    }
}

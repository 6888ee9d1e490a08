//! What may be typed. Each flag is defined once, here; help, man pages and completions follow from it.

mod dedup;
mod keys;
mod named;
pub mod values;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand};
use ruleout::{Family, Goal, HashAlgorithm, Hasher};

pub use self::dedup::{DedupArgs, ReportFormat};
pub use self::keys::KeyArgs;
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
  See it work, with no input: build, save, reopen and measure
    ruleout demo
  A filter of the lines of words.txt, at a rate of 1 %
    ruleout build words.txt -o words.rlo
  The lines of candidates.txt that may be words, and those that surely are not
    ruleout check words.rlo candidates.txt
    ruleout check --absent words.rlo candidates.txt
  Each line the first time it comes, in memory that does not grow
    ruleout dedup --capacity 10M access.log
  What a filter of a billion keys would cost
    ruleout size -n 1e9 -p 0.1%

Exit status: 0 when something was selected or done, 1 when nothing was selected or something differs, 2
on an error.")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Build(BuildArgs),
    Check(CheckArgs),
    Dedup(DedupArgs),
    Info(InfoArgs),
    Diff(DiffArgs),
    Verify(VerifyArgs),
    Merge(MergeArgs),
    Size(SizeArgs),
    Demo(DemoArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Build a filter from lists of keys
///
/// Every line is a key: any bytes, without the LF or CR LF at its end. gzip and zstd inputs are decompressed. The
/// filter is sized for the distinct keys, or with --capacity for a number you give, so duplicates take no room. OUT
/// appears when it is complete and safely on disk; until then what was there stays as it was.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  A filter at a rate of 1 %, and one at 0.1 % of a compressed list
    ruleout build words.txt -o words.rlo
    ruleout build -p 0.1% urls.txt.gz -o urls.rlo
  What a command prints, in the memory of the filter alone
    seq 1000000 | ruleout build --capacity 1e6 -o numbers.rlo
  A password list of the form HASH:count, each hash as the bytes it stands for
    ruleout build --field 1 --delimiter : --hex pwned.txt -o pwned.rlo
  The names of a hosts file, whatever the blanks between address and name
    ruleout build --field 2 --delimiter whitespace --comments hosts.txt -o hosts.rlo
  Keys that may hold newlines
    find . -print0 | ruleout build -0 -o names.rlo
  A filter nobody can make up false positives for without the secret key
    head -c 16 /dev/urandom > secret.key
    ruleout build --key-file secret.key users.txt -o users.rlo")]
pub struct BuildArgs {
    /// Lists of keys; - or none is standard input
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub output: OutputArgs,

    #[command(flatten)]
    pub goal: GoalArgs,

    /// Kind of filter; `ruleout size` compares them
    ///
    /// This command puts keys in and never removes any: that is for programs, through the library.
    #[arg(long, value_name = "NAME", value_parser = named::family(), default_value_t = Family::Blocked)]
    pub family: Family,

    /// Size for N distinct keys and insert as they come, instead of holding 8 bytes per key until all are read
    ///
    /// Some families (cuckoo, quotient) store repeats too and refuse keys when full: N counts the repeats for them.
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub capacity: Option<u64>,

    #[command(flatten)]
    pub hash: HashArgs,

    /// Sort, and solve the shards of a fuse filter, on N threads; all processors if not given
    ///
    /// What is built is the same.
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

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
/// Lines are printed as they came, in order. "Maybe" is not "yes": of the lines that are not in the set, a share is
/// printed too, the false-positive rate of the filter. Lines that --absent prints are surely not in the set. Lines
/// without a key (empty ones, and comments under --comments) are not selected either way. A key is its bytes: read
/// it the way it was read for the filter, with the same --hex, --keep-cr and so on.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  The lines that may be words, how many there are, and the lines that surely are none
    ruleout check words.rlo candidates.txt
    ruleout check --count words.rlo candidates.txt
    ruleout check --absent words.rlo candidates.txt > new.txt
  One key, by the exit status: 0 it may be a word, 1 it surely is none
    echo hello | ruleout check --quiet words.rlo; echo $?
  A filter of HASH:count lines built with --field 1 --delimiter : --hex, asked for a hash alone
    echo 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8 | ruleout check --hex pwned.rlo
  The lines of one hosts file whose names are surely not in another, of which hosts.rlo was built
    ruleout check --absent --field 2 -d whitespace --comments hosts.rlo more-hosts.txt

Exit status: 0 when a line was selected, 1 when none was, 2 on an error.")]
pub struct CheckArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,

    /// Lists of keys to look up; - or none is standard input
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
///
/// Family, hash, shape, capacity, number of keys and expected rate: whatever the size of the file, this is instant.
/// Whether the rest of the file is whole is for verify to find out.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    ruleout info words.rlo
    ruleout info --json words.rlo")]
pub struct InfoArgs {
    /// The filter
    #[arg(value_name = "FILE")]
    pub filter: PathBuf,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Show what changed from one filter to another
///
/// Compares the headers, whose checksums tell whether the content is the same, too: whatever the size of the files, this
/// is instant. Whether either file is whole is for verify to find out.
///
/// Exit status: 0 when nothing differs, 1 when something does, 2 on an error.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    ruleout diff monday.rlo tuesday.rlo
    ruleout diff --json monday.rlo tuesday.rlo")]
pub struct DiffArgs {
    /// The filter as it was
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The filter as it is
    #[arg(value_name = "NEW")]
    pub new: PathBuf,

    /// Print JSON: each field that differs, with both values
    #[arg(long)]
    pub json: bool,
}

/// Check that filters are whole: checksums, structure, fill
///
/// Reads every byte of each. The bits also show how many keys there are, about, and at which rate the filter gives
/// false positives. Needs no secret key.
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
/// Every key of every input is in the result. Filters can be merged when family, hash, seed or key, and size are the
/// same: build them with one --family, one --capacity, large enough for the union, and one rate. Quotient filters grow
/// when the union needs more room than the first has, and what they grew to is said. Cuckoo and scalable filters cannot be
/// merged.
/// The result gets fresh checksums, so even with --no-verify no input goes into it unverified.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  One filter a day, for a million keys in all
    ruleout build --capacity 1e6 monday.txt -o monday.rlo
    ruleout build --capacity 1e6 tuesday.txt -o tuesday.rlo
    ruleout merge monday.rlo tuesday.rlo -o week.rlo
  Another day into the union
    ruleout build --capacity 1e6 wednesday.txt -o wednesday.rlo
    ruleout merge week.rlo wednesday.rlo -o week.rlo --force")]
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
/// From the number of keys and one of a rate, bits per key, or a size in bytes: a row for each family.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  How large for a rate, and which rate for a size
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
    #[arg(long, value_name = "NAME", value_parser = named::family())]
    pub family: Option<Family>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc
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
    /// False-positive rate, such as 1% or 0.01 [default: 1%, for dedup 0.01%]
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
        self.goal_or(DEFAULT_FPR)
    }

    /// [`Self::goal`] where another rate is usual.
    pub fn goal_or(&self, fpr: f64) -> Goal {
        match (self.memory, self.bits_per_key) {
            (Some(bytes), _) => Goal::SizeBytes(bytes),
            (None, Some(bits)) => Goal::BitsPerKey(bits),
            (None, None) => Goal::Fpr(self.fpr.unwrap_or(fpr)),
        }
    }
}

/// The hash function of a new filter.
#[derive(Args, Debug)]
pub struct HashArgs {
    /// Hash function [default: xxh3, or siphash24 with --key-file]
    #[arg(long, value_name = "NAME", value_parser = named::hash())]
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

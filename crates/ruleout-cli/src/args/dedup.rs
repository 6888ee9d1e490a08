//! The flags of `ruleout dedup`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{GoalArgs, HashArgs, KeyArgs, values};
use crate::keys::{TimeField, TimeUnit};

/// Print each line the first time it comes
///
/// Lines are printed as they came, in order, without those whose key was seen before: ever, or within a --window. The
/// memory it takes is fixed by --capacity and the rate, and is printed at the start; it does not grow, however long the
/// stream is. Lines without a key (empty ones, and comments under --comments) pass as they are.
///
/// No line that was seen within the window passes again. The price is false positives: of the lines that are new, a share
/// is dropped as if seen before, at most the false-positive rate while no more than --capacity distinct keys have come.
/// Such a line is lost, and so are its repeats. --report tells how many that were; a lower rate is a little more memory.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  The distinct lines of a log, in their order; about 1 in 10,000 of them is lost
    ruleout dedup --capacity 10M access.log > distinct.log
  What was not seen in the hour before, as it comes
    tail -f events.log | ruleout dedup --capacity 1M --window 1h --step 10m
  The same by the times in the log, in its third column, with the event in its first
    ruleout dedup --capacity 1M --window 1h --step 10m --field 1 --time-field 3 -d , events.csv
  Going on after a restart where it was, and how many lines it cost
    ruleout dedup --capacity 10M --state seen.rlo --report today.log >> distinct.log")]
pub struct DedupArgs {
    /// Lists of lines; - or none is standard input
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// Distinct keys there is room for: in all, or with --window in each step
    ///
    /// With more of them the false-positive rate rises, and more lines that are new are dropped: a warning says so.
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub capacity: u64,

    #[command(flatten)]
    pub goal: GoalArgs,

    /// Forget keys that were not seen for so long, such as 90s, 1h or 7d
    ///
    /// A key seen again is remembered anew.
    #[arg(long, value_name = "DURATION", value_parser = values::duration, requires = "step")]
    pub window: Option<Duration>,

    /// How exactly: a key may be remembered for one step longer than the window, a whole number of steps
    ///
    /// The filter of each step is asked for each line: few steps are faster, and 1,024 the most.
    #[arg(long, value_name = "DURATION", value_parser = values::duration, requires = "window")]
    pub step: Option<Duration>,

    /// Take the time of a line from its field N, counted from 1, instead of when it comes
    ///
    /// A time is a number since 1970 (--time-unit), or a date as RFC 3339 has it: 2026-12-07T09:30:00Z. A line earlier
    /// than one before it counts as seen at the time of that one.
    #[arg(long, value_name = "N", requires = "window")]
    pub time_field: Option<NonZeroUsize>,

    /// Unit of times that are numbers: s, ms, us or ns; fractions may follow
    #[arg(long, value_name = "UNIT", value_parser = time_unit(), default_value = "s", hide_possible_values = true)]
    pub time_unit: TimeUnit,

    /// How far the time of a line may be ahead of this machine's clock; what is further ahead is passed over
    ///
    /// Such a line counts as seen at the latest time before it, and a warning tells how many there were. A wrong time far in the future would let everything before be forgotten, and hold time still until then.
    #[arg(long, value_name = "DURATION", value_parser = values::duration, default_value = "1h")]
    pub max_ahead: Duration,

    /// Go on from the filter in FILE, if it exists, and keep it there
    ///
    /// It is saved when the input ends, on an interrupt or a termination, and every --save-every; always whole, and
    /// only of lines that were written. After a crash, lines since the last save can pass once more; none is lost.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// How often the state is saved
    #[arg(long, value_name = "DURATION", value_parser = values::duration, default_value = "1m")]
    pub save_every: Duration,

    /// Say on standard error at the end how many lines passed, and how many that were new were lost: about, and with
    /// 99.9 % certainty at the most
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub report: Option<ReportFormat>,

    /// Say nothing on standard error but warnings, errors and the report
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    pub hash: HashArgs,

    // Last, since its heading holds for every flag behind it.
    #[command(flatten)]
    pub keys: KeyArgs,
}

impl DedupArgs {
    /// Where lines tell their times, if they do.
    pub fn time(&self) -> Option<TimeField> {
        let (delimiter, unit) = (self.keys.delimiter(), self.time_unit);
        self.time_field.map(|number| TimeField { number, delimiter, unit })
    }
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// A line for people
    Text,
    /// An object for programs
    Json,
}

fn time_unit() -> impl TypedValueParser<Value = TimeUnit> {
    let unit_of = |text: String| {
        TimeUnit::ALL
            .into_iter()
            .find(|(_, symbol)| *symbol == text)
            .map(|(unit, _)| unit)
            .ok_or("no such unit")
    };
    PossibleValuesParser::new(TimeUnit::ALL.map(|(_, symbol)| symbol)).try_map(unit_of)
}

//! Times ruleout's families and their peers, in one run on the same keys, and checks what they answer.
//!
//! Every engine takes the same `u64` keys and hashes them itself, as it is meant to be used. The engines of a group
//! take turns, round after round, so that a slow moment of the machine falls on all of them; a figure is the
//! median of its rounds. What one engine gains over another is told as a ratio within the run, never from run to
//! run. Every member must be found in every round.

mod engine;
mod engines;
mod measure;
mod report;
mod sizes;

use clap::Parser;

/// Times ruleout's families and their peers in one run.
#[derive(Parser)]
struct Args {
    /// Keys in each filter.
    #[arg(long, value_delimiter = ',', default_value = "1000000,10000000")]
    keys: Vec<usize>,

    /// False-positive rate asked for, 0 to 1.
    #[arg(long, default_value_t = 0.01)]
    fpr: f64,

    /// Rounds; a figure is the median over them.
    #[arg(long, default_value_t = 7)]
    rounds: usize,

    /// Only groups whose name contains this.
    #[arg(long, default_value = "")]
    group: String,

    /// Print how many bits filters that are built once take, beside the fewest there can be; nothing is timed.
    #[arg(long)]
    sizes: bool,

    /// A quick run that checks answers and that everything works; its figures mean nothing.
    #[arg(long)]
    smoke: bool,
}

fn main() {
    let mut args = Args::parse();
    if args.smoke {
        (args.keys, args.rounds) = (vec![10_000], 1);
    }
    if args.sizes {
        return sizes::print();
    }
    report::header();
    for &keys in &args.keys {
        for group in engines::groups() {
            if group.name.contains(&args.group) {
                let fpr = group.fpr.unwrap_or(args.fpr);
                report::rows(&group, keys, &measure::measure(&group, keys, fpr, args.rounds));
            }
        }
    }
}

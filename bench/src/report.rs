//! The table, under what it was measured with.

use std::process::Command;

use crate::engine::Group;
use crate::measure::Figures;

/// Commit, compiler and CPU of this run: what a record cannot do without.
pub fn header() {
    println!("commit   {}", output("git", &["describe", "--always", "--dirty"]));
    println!("compiler {}; release, thin LTO, default target", output("rustc", &["--version"]));
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(" unknown");
    println!("cpu      {}", model.trim_start_matches([' ', '\t', ':']));
    println!();
    println!("ns per key, medians; in brackets the peer's time over ours");
    println!(
        "{:<12} {:>9} {:<28} {:>15} {:>15} {:>15} {:>15} {:>15} {:>9} {:>9}",
        "group",
        "keys",
        "engine",
        "build",
        "present",
        "absent",
        "batch present",
        "batch absent",
        "bits/key",
        "rate"
    );
}

pub fn rows(group: &Group, keys: usize, figures: &[Figures]) {
    let ours = &figures[0];
    // A peer without a batch call is asked one at a time: that is the fastest it can be asked.
    let batch = |figures: &Figures| figures.batch.unwrap_or((figures.present, figures.absent));
    for (engine, theirs) in group.engines.iter().zip(figures) {
        let cell = |theirs: f64, ours: f64| format!("{theirs:.1} ({:.2})", theirs / ours);
        println!(
            "{:<12} {:>9} {:<28} {:>15} {:>15} {:>15} {:>15} {:>15} {:>9.2} {:>7.4} %",
            group.name,
            keys,
            engine.name(),
            cell(theirs.build, ours.build),
            cell(theirs.present, ours.present),
            cell(theirs.absent, ours.absent),
            cell(batch(theirs).0, batch(ours).0),
            cell(batch(theirs).1, batch(ours).1),
            theirs.bits_per_key,
            theirs.fpr * 100.0,
        );
    }
}

/// What a command prints, or why it does not.
fn output(command: &str, args: &[&str]) -> String {
    match Command::new(command).args(args).output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(error) => format!("unknown: {error}"),
    }
}

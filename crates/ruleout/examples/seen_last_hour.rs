//! "Seen this event in the last hour?": drops repeats from a log, by the times it tells.
//!
//! ```text
//! cargo run --release --example seen_last_hour -- events.txt [STATE]
//! ```
//!
//! Each line is a time in seconds, a blank, and an event. Lines whose event was not seen in the hour before go to standard
//! output. With STATE, what was seen is read from that file if it exists, and written to it at the end.

use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Write};

use ruleout::{Inserted, Windowed, WindowedConfig};

const HOUR: u64 = 3600;
const STEP: u64 = 600;
/// Distinct events in ten minutes.
const CAPACITY: u64 = 100_000;
/// A false positive is an event lost: one new event in a thousand at the most.
const FPR: f64 = 0.001;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let events = args.next().ok_or("usage: seen_last_hour EVENTS [STATE]")?;
    let events = BufReader::new(fs::File::open(events)?);
    drop_repeats(events, args.next().as_deref(), &mut BufWriter::new(io::stdout().lock()))
}

/// Copies the lines whose event was not seen in the hour before.
pub fn drop_repeats(
    events: impl BufRead,
    state: Option<&str>,
    out: &mut impl Write,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut seen = match state.map(fs::read) {
        // What was saved goes on where it was; a damaged file is refused.
        Some(Ok(file)) => Windowed::open_verified(&file[..])?.to_owned()?,
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => WindowedConfig::fpr(HOUR, STEP, CAPACITY, FPR).build()?,
    };
    eprintln!("{} buckets, {} bytes, whatever comes", seen.params().buckets(), seen.size_bytes());

    let (mut passed, mut dropped) = (0u64, 0u64);
    for line in events.lines() {
        let line = line?;
        let (time, event) = line.split_once(' ').ok_or("a line is a time, a blank and an event")?;
        match seen.observe(event.as_bytes(), time.parse()?) {
            Inserted::New => {
                passed += 1;
                writeln!(out, "{line}")?;
            }
            Inserted::MaybeSeen => dropped += 1,
        }
    }
    // First what was passed, then that it was: whoever ends this in between loses nothing.
    out.flush()?;
    if let Some(state) = state {
        // Whole or not at all.
        let new = format!("{state}.new");
        fs::write(&new, seen.to_bytes())?;
        fs::rename(new, state)?;
    }
    let rate = 100.0 * seen.expected_fpr();
    eprintln!("{passed} passed, {dropped} dropped; of new events {rate:.4} % are dropped with them");
    Ok(())
}

//! `ruleout dedup`: each line the first time it comes.
//!
//! A [`Session`] takes batches of lines and prints those that are new; [`seen`] is the filter behind it, [`state`] where
//! it is kept from run to run, [`meter`] what false positives have cost.

mod meter;
mod seen;
mod state;

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use ruleout::Mask;

use self::meter::Meter;
use self::seen::{Seen, Shape, Times};
use self::state::State;
use crate::args::{DedupArgs, ReportFormat};
use crate::keys::{Batch, Input, Reading};
use crate::progress::Progress;
use crate::{FAILURE, human, memory, messages, signals, stdout};

/// Passes new lines on until the inputs end.
pub fn run(args: &DedupArgs) -> Result<ExitCode> {
    let mut reading = reading(args)?;
    let inputs = Input::list(&args.inputs);
    let hasher = args.hash.hasher()?;
    let shape = Shape::of(args)?;
    let state = args.state.as_deref().map(|path| State::resolve(path, &inputs, args)).transpose()?;
    memory::ensure_available(shape.payload_bytes(), "what was seen")?;
    let seen = match state.as_ref().map(|state| state.load(&shape, &hasher, args)).transpose()?.flatten() {
        Some(seen) => seen,
        None => Seen::new(&shape, hasher.clone())?,
    };
    if !args.quiet {
        messages::note(shape.description(args));
    }
    let session = Arc::new(Mutex::new(Session::new(seen, state, args, reading.terminator)));
    if args.state.is_some() {
        keep(&session, args.save_every);
    }

    // Lines on a terminal would be drawn over.
    let silent = args.quiet || !std::io::IsTerminal::is_terminal(&std::io::stdout());
    let mut progress = Progress::new(&inputs, silent);
    let mut failed = false;
    for input in &inputs {
        let taken = reading.keys(input, &hasher, &mut progress, |batch| {
            lock(&session).take(batch)?;
            Ok(ControlFlow::Continue(()))
        });
        match taken {
            Ok(_) => {}
            Err(error) if stdout::reader_has_gone(&error) => return Err(error),
            // The other inputs are still read, and the exit status tells.
            Err(error) => {
                progress.finish();
                messages::error(&error);
                failed = true;
            }
        }
    }
    progress.finish();
    // Kept to the end: nothing is saved behind this.
    let mut session = lock(&session);
    session.save()?;
    session.report(args);
    Ok(if failed { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS })
}

fn reading(args: &DedupArgs) -> Result<Reading> {
    let mut reading = match args.time() {
        Some(time) => args.keys.reading_times(args.quiet, Some(time)),
        None => args.keys.reading(args.quiet)?,
    };
    if args.keys.null && args.time_field.is_some() && args.keys.delimiter() == crate::keys::Delimiter::Byte(0)
    {
        bail!("NUL ends records under --null, and cannot lie between their fields");
    }
    reading.without_key = "passed on";
    Ok(reading)
}

/// Saves the state at times, and before a signal ends the process.
fn keep(session: &Arc<Mutex<Session>>, every: Duration) {
    let at_end = Arc::clone(session);
    // A session that a panic broke may hold what was never written.
    let save = |session: &Mutex<Session>| {
        if let Ok(Err(error)) = session.lock().map(|mut session| session.save()) {
            messages::warning(format_args!("{error:#}"));
        }
    };
    signals::before_end(move || save(&at_end));
    let now_and_then = Arc::clone(session);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(every);
            save(&now_and_then);
        }
    });
}

fn lock(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nanoseconds since 1970; later than a file's time can be after the year 2554.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    nanoseconds(since)
}

/// A length of time in the unit of all times here.
fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// What has come so far.
struct Session {
    seen: Seen,
    state: Option<State>,
    /// Whether the state on disk is behind.
    unsaved: bool,
    /// Whether the filter holds keys whose lines were not written: then it must not be saved.
    unwritten: bool,
    meter: Meter,
    times: Times,
    repeats: Mask,
    lines: Vec<u8>,
    terminator: u8,
    read: u64,
    passed: u64,
}

impl Session {
    fn new(seen: Seen, state: Option<State>, args: &DedupArgs, terminator: u8) -> Self {
        Self {
            meter: Meter::new(&seen, args.capacity),
            seen,
            state,
            unsaved: false,
            unwritten: false,
            times: Times::new(args.max_ahead),
            repeats: Mask::new(),
            lines: Vec::new(),
            terminator,
            read: 0,
            passed: 0,
        }
    }

    /// Prints the lines of a batch that are new at once, so that a slow pipe is answered as it comes.
    fn take(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.unwritten = true;
        self.seen.observe(batch.hashes, batch.times, &mut self.times, &mut self.repeats);
        self.meter.add(batch.hashes.len(), self.repeats.count_ones(), &self.seen);
        self.lines.clear();
        for (key, record) in batch.records() {
            self.read += 1;
            if key.is_none_or(|key| !self.repeats.get(key)) {
                self.passed += 1;
                self.lines.extend_from_slice(record);
                self.lines.push(self.terminator);
            }
        }
        stdout::print(&self.lines)?;
        self.unwritten = false;
        self.unsaved |= !batch.hashes.is_empty();
        Ok(())
    }

    fn save(&mut self) -> Result<()> {
        if let Some(state) = self.state.as_ref().filter(|_| self.unsaved && !self.unwritten) {
            // What a power cut leaves of the output must not be less than what the state says was written.
            stdout::sync()?;
            state.save(&self.seen)?;
            self.unsaved = false;
        }
        Ok(())
    }

    fn report(&mut self, args: &DedupArgs) {
        self.times.warn(args.max_ahead);
        let dropped = self.read - self.passed;
        let lost = self.meter.lost(&self.seen, dropped);
        match args.report {
            None => {}
            Some(ReportFormat::Text) => messages::note(format_args!(
                "{} read: {} passed, {} dropped; of those about {} were new, and at most {} with 99.9 % certainty",
                human::counted(self.read, "line"),
                human::count(self.passed),
                human::count(dropped),
                human::decimals(lost.expected, 1),
                human::count(lost.at_most)
            )),
            Some(ReportFormat::Json) => {
                let fields = serde_json::json!({
                    "lines_read": self.read,
                    "lines_passed": self.passed,
                    "lines_dropped": dropped,
                    "new_lines_dropped_expected": lost.expected,
                    "new_lines_dropped_at_most": lost.at_most,
                    "certainty": meter::CERTAINTY,
                    "lines_late": self.times.late,
                    "lines_too_far_ahead": self.times.ahead,
                    "fpr_now": self.seen.fpr(),
                    "size_bytes": self.seen.size_bytes(),
                });
                messages::raw(&format!("{fields}\n"));
            }
        }
    }
}

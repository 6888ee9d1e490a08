//! What was seen, kept from one run to the next.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use jiff::Timestamp;
use ruleout::Hasher;

use super::seen::{Seen, Shape};
use super::{nanoseconds, now};
use crate::args::{DedupArgs, OpenArgs};
use crate::keys::Input;
use crate::output::Target;
use crate::{filter_file, human, messages};

/// A file with a filter in it, or to be.
pub struct State {
    path: PathBuf,
    target: Target,
}

impl State {
    /// Finds out where `path` leads.
    ///
    /// # Errors
    /// When it is no regular file, cannot be written, or is one of the inputs or the key.
    pub fn resolve(path: &Path, inputs: &[Input], args: &DedupArgs) -> Result<Self> {
        if path == Path::new("-") {
            bail!("--state names a file, to be read and replaced");
        }
        let target = Target::resolve(path, true)?;
        if !target.is_file() {
            bail!("{} is no regular file, and cannot keep the state", path.display());
        }
        target.refuse_inputs(inputs)?;
        target.refuse_key_file(args.hash.key_file.as_deref())?;
        Ok(Self { path: path.to_path_buf(), target })
    }

    /// What was saved, unless there is no file yet.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or is not what the flags ask for.
    pub fn load(&self, shape: &Shape, hasher: &Hasher, args: &DedupArgs) -> Result<Option<Seen>> {
        let (path, name) = (&self.path, self.path.display());
        if !path.try_exists()? {
            return Ok(None);
        }
        let open = OpenArgs { key_file: args.hash.key_file.clone(), no_verify: false };
        let filter = filter_file::open(path, &open)?
            .to_owned()
            .map_err(|refused| filter_file::refusal(path, refused))?;
        let (family, capacity) = (filter.family(), filter.params().capacity());
        let Some(seen) = shape.take(filter) else {
            bail!(
                "{name} keeps another state, a {family} filter for {}: give the --capacity, rate, --window and --step it \
                 was made with, or another --state",
                human::counted(capacity, "key")
            );
        };
        if seen.hash_id() != hasher.id() {
            bail!("{name} keeps a state under another hash: give the --hash and --seed it was made with");
        }
        self.check_clock(&seen, args.max_ahead)?;
        if !args.quiet {
            let until = seen.clock().map(|clock| format!(", seen until {}", date(clock))).unwrap_or_default();
            messages::note(format_args!("goes on from {name}{until}"));
        }
        Ok(Some(seen))
    }

    /// A clock that is ahead would hold time still until then.
    fn check_clock(&self, seen: &Seen, max_ahead: Duration) -> Result<()> {
        let (clock, limit) = (seen.clock().unwrap_or(0), now().saturating_add(nanoseconds(max_ahead)));
        if clock > limit {
            bail!(
                "{} keeps a state of {}, more than {} ahead of this machine's clock: set the clock right, or raise \
                 --max-ahead",
                self.path.display(),
                date(clock),
                human::duration(max_ahead)
            );
        }
        Ok(())
    }

    /// Replaces the file.
    ///
    /// # Errors
    /// When it cannot be written; what was there is then as it was.
    pub fn save(&self, seen: &Seen) -> Result<()> {
        self.target.write(|out| seen.write_to(out))
    }
}

/// A time in nanoseconds since 1970 as a date.
fn date(time: u64) -> impl Display {
    // Nanoseconds in 64 bits end in 2554, dates in 9999.
    Timestamp::from_nanosecond(time.into()).unwrap_or(Timestamp::MAX)
}

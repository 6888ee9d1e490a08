//! Taking temporary files away when a signal ends the process.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::signals;

static DEBRIS: Mutex<Option<PathBuf>> = Mutex::new(None);
static HANDLER: Once = Once::new();

/// While this lives, an interrupt, hang-up or termination removes the file.
pub struct Guard(());

/// Makes a temporary file by `create`, and arranges for it to be removed when a signal ends the process.
///
/// The guard comes first, and so is dropped after the file.
///
/// The handler is installed with the first file that needs it. Until then signals do what they always do, and an
/// unnamed file needs no help to vanish.
pub fn guarded<T: AsRef<Path>>(create: impl FnOnce() -> io::Result<T>) -> io::Result<(Guard, T)> {
    HANDLER.call_once(|| signals::before_end(clean_up));
    // A signal that comes while the file is made waits for its name.
    let mut debris = debris();
    let file = create()?;
    *debris = Some(file.as_ref().to_path_buf());
    Ok((Guard(()), file))
}

impl Drop for Guard {
    fn drop(&mut self) {
        *debris() = None;
    }
}

fn debris() -> MutexGuard<'static, Option<PathBuf>> {
    DEBRIS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the file, and lets no other be made: the process ends.
fn clean_up() {
    let mut debris = debris();
    if let Some(path) = debris.take() {
        let _ = fs::remove_file(path);
    }
    std::mem::forget(debris);
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    const DIRECTORY: &str = "RULEOUT_TEST_DIRECTORY";

    fn names(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    /// The process that the test below ends.
    #[test]
    #[ignore = "not a test of its own: `end_child`, below, runs it as the process that is ended"]
    fn child() {
        let Ok(directory) = std::env::var(DIRECTORY) else { return };
        let _guarded = guarded(|| tempfile::NamedTempFile::new_in(directory)).unwrap();
        sleep(Duration::from_secs(60));
    }

    fn end_child(shell: &str, signal: &str) -> (Option<i32>, usize) {
        let directory = tempfile::tempdir().unwrap();
        let this = std::env::current_exe().unwrap();
        let script = format!("{shell} exec \"$0\" --ignored --exact output::interrupt::tests::child");
        let mut child = Command::new("sh");
        child.args(["-c", &script]).arg(this).env(DIRECTORY, directory.path()).stdout(Stdio::null());
        let mut child = child.spawn().unwrap();
        while names(directory.path()) == 0 {
            sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        let kill = |signal: &str| {
            assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        };
        kill(signal);
        if shell.is_empty() {
            return (child.wait().unwrap().signal(), names(directory.path()));
        }
        // The signal was ignored: the file is still there, and another signal ends the process.
        sleep(Duration::from_millis(100));
        assert!(child.try_wait().unwrap().is_none() && names(directory.path()) == 1);
        kill("-TERM");
        (child.wait().unwrap().signal(), names(directory.path()))
    }

    #[test]
    fn a_signal_removes_the_file_and_ends_the_process_as_it_does() {
        for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
            assert_eq!(end_child("", signal), (Some(number), 0), "{signal}");
        }
        assert_eq!(end_child("trap '' HUP;", "-HUP"), (Some(15), 0), "nohup stays in force");
    }
}

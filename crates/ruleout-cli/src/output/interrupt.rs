//! Taking temporary files away when a signal ends the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

/// The exit status of a process that Ctrl-C ended, as shells report it.
const INTERRUPTED: i32 = 130;

static DEBRIS: Mutex<Option<PathBuf>> = Mutex::new(None);
static HANDLER: Once = Once::new();

/// While this lives, an interrupt, hang-up or termination removes the file.
pub struct Guard(());

/// Arranges for `path` to be removed when a signal ends the process.
///
/// The handler is installed with the first file that needs it. Until then signals do what they always do, and an
/// unnamed file needs no help to vanish.
pub fn remove_on_signal(path: &Path) -> Guard {
    set(Some(path.to_path_buf()));
    HANDLER.call_once(|| {
        // Not installed where a signal is already ignored or handled: `nohup` stays in force.
        let _ = ctrlc::try_set_handler(|| {
            if let Some(path) = DEBRIS.lock().unwrap_or_else(PoisonError::into_inner).take() {
                let _ = fs::remove_file(path);
            }
            std::process::exit(INTERRUPTED);
        });
    });
    Guard(())
}

impl Drop for Guard {
    fn drop(&mut self) {
        set(None);
    }
}

fn set(path: Option<PathBuf>) {
    *DEBRIS.lock().unwrap_or_else(PoisonError::into_inner) = path;
}

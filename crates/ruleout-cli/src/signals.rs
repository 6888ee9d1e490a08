//! What is done before a signal ends the process.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

type Reaction = Box<dyn FnOnce() + Send>;

static REACTIONS: Mutex<VecDeque<Reaction>> = Mutex::new(VecDeque::new());
static HANDLER: Once = Once::new();

/// Has `reaction` called, after those given before it, when an interrupt, a hang-up or a termination comes; the signal then
/// does what it does by default. A second one does so at once.
///
/// The handler is installed with the first reaction. Until then signals do what they always do.
pub fn before_end(reaction: impl FnOnce() + Send + 'static) {
    reactions().push_back(Box::new(reaction));
    HANDLER.call_once(handler::install);
}

fn reactions() -> MutexGuard<'static, VecDeque<Reaction>> {
    REACTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn react() {
    // None runs under the lock: it may add another.
    let next = || reactions().pop_front();
    while let Some(reaction) = next() {
        reaction();
    }
}

#[cfg(unix)]
mod handler {
    use std::mem::MaybeUninit;
    use std::os::raw::c_int;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{ptr, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::register_conditional_default;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// Lets the reactions run at each of the three signals, and then the signal do what it does by default.
    pub fn install() {
        // One that is ignored stays so: `nohup` ignores hang-ups, a shell the interrupts of background jobs.
        let ending: Vec<c_int> =
            [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal)).collect();
        let asked = Arc::new(AtomicBool::new(false));
        for &signal in &ending {
            // Whoever asks twice does not want to wait.
            let _ = register_conditional_default(signal, Arc::clone(&asked));
        }
        if let Ok(mut signals) = Signals::new(ending) {
            thread::spawn(move || {
                for signal in signals.forever() {
                    asked.store(true, Ordering::SeqCst);
                    super::react();
                    drop(emulate_default_handler(signal));
                }
            });
        }
    }

    #[allow(unsafe_code)]
    fn is_ignored(signal: c_int) -> bool {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action this only writes the present one to `action`, a plain structure of integers
        // for which zeros are a value too.
        let action = unsafe {
            libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
            action.assume_init()
        };
        action.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(unix))]
mod handler {
    /// The exit status of a process that Ctrl-C ended, as shells report it.
    const INTERRUPTED: i32 = 130;

    pub fn install() {
        let _ = ctrlc::set_handler(|| {
            super::react();
            std::process::exit(INTERRUPTED);
        });
    }
}

//! How far the reading has come, on a terminal and only when it takes long.

use std::cell::Cell;
use std::io::{IsTerminal as _, stderr};
use std::rc::Rc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::keys::Input;

/// Reading that ends sooner than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(800);

/// A progress bar that appears late or never.
pub struct Progress {
    taken: Rc<Cell<u64>>,
    total: Option<u64>,
    started: Instant,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For reading all of `inputs`; it stays away unless `wanted` and standard error is a terminal.
    pub fn new(inputs: &[Input], wanted: bool) -> Self {
        Self {
            taken: Rc::default(),
            total: inputs.iter().map(Input::len).sum(),
            started: Instant::now(),
            wanted: wanted && stderr().is_terminal(),
            bar: None,
        }
    }

    /// The counter of bytes taken from the inputs.
    pub fn taken(&self) -> &Rc<Cell<u64>> {
        &self.taken
    }

    /// Brings the bar up to date.
    pub fn tick(&mut self) {
        if self.wanted && (self.bar.is_some() || self.started.elapsed() > PATIENCE) {
            let total = self.total;
            self.bar.get_or_insert_with(|| bar(total)).set_position(self.taken.get());
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "{wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta}",
        None => "{spinner} {binary_bytes} {binary_bytes_per_sec}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr()).with_style(style)
}

//! Records without a key because the field that should hold it is empty.

use std::num::NonZeroUsize;

use super::{Delimiter, Input};
use crate::human;

/// How many, and where they begin.
#[derive(Default)]
pub struct Skipped {
    count: u64,
    first: u64,
}

impl Skipped {
    /// Takes record `number` down.
    pub fn add(&mut self, number: u64) {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
    }

    /// What to say of it, if anything: keys that silently stay out would be called absent.
    ///
    /// Numbers of lines stay without separators, so that they can be given to an editor.
    pub fn message(
        &self,
        input: &Input,
        unit: &str,
        field: Option<(NonZeroUsize, Delimiter)>,
        fate: &str,
    ) -> Option<String> {
        let (number, delimiter) = field.filter(|_| self.count > 0)?;
        let first = self.first;
        let what = if self.count == 1 {
            format!("{unit} {first} of {input} has an empty field {number} and was {fate}")
        } else {
            let count = human::count(self.count);
            format!(
                "{count} {unit}s of {input} have an empty field {number} and were {fate}, first {unit} {first}"
            )
        };
        let remedy = if delimiter.is_one_blank() {
            "; --delimiter whitespace takes runs of blanks as one"
        } else {
            ""
        };
        Some(what + remedy)
    }
}

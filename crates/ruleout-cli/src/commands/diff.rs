//! `ruleout diff`: what changed in the header.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::DIFFERENT;
use super::info::About;
use crate::args::DiffArgs;
use crate::{filter_file, stdout, text_table};

/// Prints what differs.
pub fn run(args: &DiffArgs) -> Result<ExitCode> {
    let files = [filter_file::header_bytes(&args.old)?, filter_file::header_bytes(&args.new)?];
    let (old, new) = (About::read(&args.old, &files[0])?, About::read(&args.new, &files[1])?);
    let header_of = |about: &About<'_>, file: usize| files[file].bytes[..about.header.header_len()].to_vec();
    // A header has the checksums of all content.
    let same = header_of(&old, 0) == header_of(&new, 1);
    if args.json {
        stdout::print_json(&json!({ "same": same, "changed": changed(&old.json(), &new.json()) }))?;
    } else if !same {
        stdout::print(text(&old, &new).as_bytes())?;
    }
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

/// A table of the rows that differ.
fn text(old: &About<'_>, new: &About<'_>) -> String {
    let pairs = old.rows().into_iter().zip(new.rows());
    let rows: Vec<Vec<String>> = pairs
        .filter(|((_, old), (_, new))| old != new)
        .map(|((name, old), (_, new))| vec![name.to_owned(), old, new])
        .collect();
    if rows.is_empty() {
        return "the content differs, and nothing else\n".to_owned();
    }
    text_table::columns(&["", "old", "new"], &rows)
}

/// The fields that differ, with both values; one that only one filter has is null in the other.
fn changed(old: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let value = |fields: &Map<String, Value>, name: &String| fields.get(name).cloned().unwrap_or(Value::Null);
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    let changes = names.map(|name| (name.clone(), value(old, name), value(new, name)));
    changes
        .filter(|(_, old, new)| old != new)
        .map(|(name, old, new)| (name, json!({ "old": old, "new": new })))
        .collect()
}

//! `ruleout verify`: whether filters are whole.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ruleout::Inspection;
use serde_json::{Map, Value, json};

use super::summary::{self, OverCapacity};
use crate::args::VerifyArgs;
use crate::{FAILURE, filter_file, human, messages, stdout, text_table};

/// Verifies every file; one that is not sound does not keep the others from being looked at.
pub fn run(args: &VerifyArgs) -> Result<ExitCode> {
    let mut reports = Vec::new();
    let mut failed = false;
    for path in &args.filters {
        match verify(path) {
            Ok(found) => {
                if args.json {
                    reports.push(found.json());
                } else {
                    // Whoever reads this may leave; the exit status speaks of every file all the same.
                    stdout::offer(found.text().as_bytes())?;
                }
                found.warn();
            }
            Err(error) => {
                reports.push(
                    json!({ "file": path.to_string_lossy(), "sound": false, "error": format!("{error:#}") }),
                );
                messages::error(&error);
                failed = true;
            }
        }
    }
    if args.json {
        stdout::offer(&stdout::json_text(&Value::Array(reports)))?;
    }
    Ok(if failed { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS })
}

/// A filter found sound.
struct Sound<'a> {
    path: &'a Path,
    inspection: Inspection,
    file_bytes: usize,
}

fn verify(path: &Path) -> Result<Sound<'_>> {
    let bytes = filter_file::bytes(path)?;
    let bytes = bytes.as_ref();
    let inspection = ruleout::inspect(bytes).map_err(|refused| filter_file::refusal(path, refused))?;
    Ok(Sound { path, inspection, file_bytes: bytes.len() })
}

impl Sound<'_> {
    fn is_over_capacity(&self) -> bool {
        let Inspection { params, len, tally, .. } = &self.inspection;
        summary::shows_over_capacity(tally, *len, params.capacity())
    }

    fn warn(&self) {
        let Inspection { params, tally, .. } = &self.inspection;
        if self.is_over_capacity() {
            let (keys, rate) = (&summary::estimate_text(tally), &human::rate(tally.fpr));
            OverCapacity { path: self.path, params, keys, rate, certain: true }.warn();
        }
    }

    fn text(&self) -> String {
        let Inspection { params, hash_id, len, tally } = &self.inspection;
        let rows = [
            ("  family", params.family().to_string()),
            ("  hash", hash_id.to_string()),
            ("  size", human::bytes_exactly(params.payload_bytes())),
            ("  capacity", human::counted(params.capacity(), "key")),
            ("  len", summary::len_text(*len)),
            ("  len from the fill", summary::estimate_text(tally)),
            ("  fill", format!("{:.2} %", tally.fill * 100.0)),
            ("  rate from the fill", human::rate(tally.fpr)),
        ];
        format!("{}: sound\n{}", self.path.display(), text_table::fields(&rows))
    }

    fn json(&self) -> Value {
        let Inspection { params, hash_id, len, tally } = &self.inspection;
        let mut fields = Map::new();
        fields.insert("file".to_owned(), json!(self.path.to_string_lossy()));
        fields.insert("sound".to_owned(), json!(true));
        fields.insert("family".to_owned(), json!(params.family().name()));
        fields.append(&mut summary::hash_json(*hash_id));
        fields.insert("capacity".to_owned(), json!(params.capacity()));
        fields.append(&mut summary::len_json(*len));
        fields.insert("size_bytes".to_owned(), json!(params.payload_bytes()));
        fields.insert("file_bytes".to_owned(), json!(self.file_bytes));
        fields.insert("fill".to_owned(), json!(tally.fill));
        fields.insert("fpr_now".to_owned(), json!(tally.fpr));
        fields.insert("estimated_keys".to_owned(), json!(tally.keys));
        fields.insert("over_capacity".to_owned(), json!(self.is_over_capacity()));
        Value::Object(fields)
    }
}

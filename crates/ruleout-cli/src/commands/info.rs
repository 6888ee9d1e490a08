//! `ruleout info`: what a header says.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ruleout::{AnyParams, Family, Header, Len};
use serde_json::{Map, Value, json};

use super::parts;
use super::summary::{self, OverCapacity};
use crate::args::InfoArgs;
use crate::{filter_file, human, stdout, text_table};

/// Prints what the header says.
pub fn run(args: &InfoArgs) -> Result<ExitCode> {
    let file = filter_file::header_bytes(&args.filter)?;
    let about = About::read(&args.filter, &file)?;
    if args.json {
        let mut fields = Map::new();
        fields.insert("file".to_owned(), json!(args.filter.to_string_lossy()));
        fields.append(&mut about.json());
        stdout::print_json(&Value::Object(fields))?;
    } else {
        let parts = parts::table(&about.params).map_or(String::new(), |table| format!("\n{table}"));
        stdout::print((text_table::fields(&about.rows()) + &parts).as_bytes())?;
    }
    let (header, params) = (&about.header, &about.params);
    if about.is_over_capacity() {
        let warning = OverCapacity {
            path: &args.filter,
            params,
            keys: &summary::len_text(header.len()),
            rate: &rate_text(header.len(), params.fpr_now(header.len())),
            certain: matches!(header.len(), Len::Exact(_)),
        };
        warning.warn();
    }
    Ok(ExitCode::SUCCESS)
}

/// What a header says.
pub struct About<'a> {
    pub header: Header<'a>,
    params: AnyParams,
}

impl<'a> About<'a> {
    /// Reads a header, and holds the length of the file against it.
    pub fn read(path: &Path, file: &'a filter_file::HeaderBytes) -> Result<Self> {
        let refusal = |refused| filter_file::refusal(path, refused);
        let header = Header::read(&file.bytes).map_err(refusal)?;
        if let Some(len) = file.file_len {
            header.check_file_len(len).map_err(refusal)?;
        }
        let params = AnyParams::read(&header).map_err(refusal)?;
        Ok(Self { header, params })
    }

    fn is_over_capacity(&self) -> bool {
        // The capacity of a prefix filter is not one of the keys that its length counts.
        let counted = self.header.len().bound().filter(|_| self.header.family() != Family::Prefix);
        counted.is_some_and(|keys| keys > self.params.capacity())
    }

    /// As text, under the same names for every filter.
    pub fn rows(&self) -> [(&'static str, String); 10] {
        let Self { header, params } = self;
        let capacity = params.capacity();
        [
            ("family", header.family().to_string()),
            ("format version", header.version().to_string()),
            ("hash", header.hash_id().to_string()),
            ("params", parts::shape_text(params)),
            ("capacity", human::counted(capacity, "key")),
            ("len", summary::len_text(header.len())),
            ("size", human::bytes_exactly(params.payload_bytes())),
            ("bits per key of capacity", summary::bits_per_key_text(params)),
            ("expected rate at capacity", human::rate(params.fpr_at(capacity))),
            ("expected rate now", rate_text(header.len(), params.fpr_now(header.len()))),
        ]
    }

    /// As JSON.
    pub fn json(&self) -> Map<String, Value> {
        let Self { header, params } = self;
        let mut fields = Map::new();
        fields.insert("format_version".to_owned(), json!(header.version()));
        fields.insert("family".to_owned(), json!(header.family().name()));
        fields.append(&mut summary::hash_json(header.hash_id()));
        fields.insert("capacity".to_owned(), json!(params.capacity()));
        fields.append(&mut summary::len_json(header.len()));
        fields.insert("params".to_owned(), parts::shape_json(params));
        fields.append(&mut parts::json(params));
        fields.insert("size_bytes".to_owned(), json!(params.payload_bytes()));
        fields.insert("file_bytes".to_owned(), json!(header.file_len()));
        fields.insert("bits_per_key".to_owned(), json!(summary::bits_per_key(params)));
        fields.insert("fpr_at_capacity".to_owned(), json!(params.fpr_at(params.capacity())));
        fields.insert("fpr_now".to_owned(), json!(params.fpr_now(header.len())));
        fields.insert("over_capacity".to_owned(), json!(self.is_over_capacity()));
        fields
    }
}

fn rate_text(len: Len, fpr: Option<f64>) -> String {
    match (len, fpr) {
        (Len::Exact(_), Some(fpr)) => human::rate(fpr),
        (_, Some(fpr)) => format!("at most {}", human::rate(fpr)),
        (_, None) => "unknown; verify reads it off the bits".to_owned(),
    }
}

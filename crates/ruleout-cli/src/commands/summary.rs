//! What is said of a filter that was just made.

use std::path::Path;

use anyhow::{Result, bail};
use ruleout::{AnyFilter, AnyParams, HashFilter as _, HashId, Len, Tally};
use serde_json::{Map, Value, json};

use crate::output::Target;
use crate::{human, messages, stdout};

/// From this rate on, asking a filter is hardly worth it.
const USELESS: f64 = 0.5;

/// A filter that was made, and where it went.
pub struct Summary<'a> {
    pub filter: &'a AnyFilter,
    pub output: &'a Path,
    /// Its false-positive rate as it is now.
    pub fpr: f64,
}

impl Summary<'_> {
    /// Warns of a filter that cannot rule much out, even with no more keys than it was made for.
    pub fn warn_if_useless(&self) {
        let params = self.filter.params();
        let fpr = params.fpr_at(params.capacity());
        if fpr >= USELESS {
            messages::warning(format_args!(
                "{} rules out little: at capacity it says maybe to {} of the keys it does not hold; a lower rate or \
                 more bits would help",
                self.output.display(),
                human::rate(fpr)
            ));
        }
    }

    /// The line for people.
    pub fn line(&self) -> String {
        let params = self.filter.params();
        format!(
            "{}: {}, {}, {} bits/key, {}, expected rate {} at capacity; as built {}",
            self.output.display(),
            self.filter.family(),
            human::bytes_exactly(params.payload_bytes()),
            bits_per_key_text(&params),
            human::counted(params.probes().into(), "probe"),
            human::rate(params.fpr_at(params.capacity())),
            human::rate(self.fpr)
        )
    }

    /// The fields for programs.
    pub fn json(&self) -> Map<String, Value> {
        let params = self.filter.params();
        let mut fields = Map::new();
        fields.insert("output".to_owned(), json!(self.output.to_string_lossy()));
        fields.insert("family".to_owned(), json!(self.filter.family().name()));
        fields.append(&mut hash_json(self.filter.hash_id()));
        fields.insert("capacity".to_owned(), json!(params.capacity()));
        fields.append(&mut len_json(self.filter.len()));
        fields.insert("size_bytes".to_owned(), json!(params.payload_bytes()));
        fields.insert("bits_per_key".to_owned(), json!(bits_per_key(&params)));
        fields.insert("probes".to_owned(), json!(params.probes()));
        fields.insert("fpr_at_capacity".to_owned(), json!(params.fpr_at(params.capacity())));
        fields.insert("fpr_now".to_owned(), json!(self.fpr));
        fields
    }
}

/// Bits of payload per key of the capacity; a filter for no keys has no such number.
pub fn bits_per_key(params: &AnyParams) -> Option<f64> {
    (params.capacity() > 0).then(|| params.bits_per_key())
}

/// [`bits_per_key`] in words.
pub fn bits_per_key_text(params: &AnyParams) -> String {
    bits_per_key(params).map_or("-".to_owned(), |bits| human::decimals(bits, 3))
}

/// Whether a filter shows more keys than it was made for.
pub fn shows_over_capacity(tally: &Tally, len: Len, capacity: u64) -> bool {
    match len {
        Len::Exact(keys) => keys > capacity,
        // An estimate scatters: a filter filled just to its capacity must not warn half the time.
        _ => tally.keys.is_none_or(|keys| keys > capacity as f64 * 1.01),
    }
}

/// The hash identity as JSON fields.
pub fn hash_json(id: HashId) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("hash".to_owned(), json!(id.algorithm().name()));
    match id.key_check() {
        // All 64 bits matter, and many readers of JSON keep 53: a string keeps them.
        Some(check) => fields.insert("key_check".to_owned(), json!(format!("{check:016x}"))),
        None => fields.insert("seed".to_owned(), json!(id.seed())),
    };
    fields
}

/// The number of keys and how surely it is known, as JSON fields.
pub fn len_json(len: Len) -> Map<String, Value> {
    let kind = match len {
        Len::Exact(_) => "exact",
        Len::AtMost(_) => "at_most",
        Len::Unknown => "unknown",
    };
    let mut fields = Map::new();
    fields.insert("len".to_owned(), json!(len.bound()));
    fields.insert("len_kind".to_owned(), json!(kind));
    fields
}

/// The number of keys that the payload shows, in words.
pub fn estimate_text(tally: &Tally) -> String {
    let keys = tally.keys.map(|keys| human::counted(keys.round() as u64, "key"));
    keys.map_or("far too many keys to tell".to_owned(), |keys| format!("about {keys}"))
}

/// The number of keys in words.
pub fn len_text(len: Len) -> String {
    match len {
        Len::Exact(keys) => human::counted(keys, "key"),
        Len::AtMost(keys) => format!("at most {}", human::counted(keys, "key")),
        _ => "unknown; verify estimates it".to_owned(),
    }
}

/// A filter that holds more keys than it was made for, or may.
pub struct OverCapacity<'a> {
    pub path: &'a Path,
    pub params: &'a AnyParams,
    /// How many keys it holds, in words.
    pub keys: &'a str,
    /// Its false-positive rate as it is now, in words.
    pub rate: &'a str,
    /// Whether more than a bound says so.
    pub certain: bool,
}

impl OverCapacity<'_> {
    /// Warns, with the rate now and the rate there could be.
    pub fn warn(&self) {
        let Self { path, params, keys, rate, certain } = self;
        let capacity = params.capacity();
        messages::warning(format_args!(
            "{}over capacity: {}: {keys} in a filter made for {}; its false-positive rate is {rate} now, {} at capacity",
            if *certain { "" } else { "perhaps " },
            path.display(),
            human::count(capacity),
            human::rate(params.fpr_at(capacity))
        ));
    }
}

/// Refuses to mix JSON and a filter on standard output.
pub fn refuse_mixed_stdout(target: &Target, json: bool) -> Result<()> {
    if json && target.is_stdout() {
        bail!("the filter and --json cannot both go to standard output: give -o FILE");
    }
    Ok(())
}

/// Says `line` on standard error unless `quiet`, and prints `fields` when JSON is wanted.
pub fn report(line: &str, fields: Map<String, Value>, quiet: bool, json: bool) -> Result<()> {
    if !quiet && !json {
        messages::note(line);
    }
    if json { stdout::print_json(&Value::Object(fields)) } else { Ok(()) }
}

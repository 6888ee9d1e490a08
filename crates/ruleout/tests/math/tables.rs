//! Reading a table, and comparing with a row of it.
//!
//! Numbers in quotes carry 15 digits or more and are compared as `f64`.

use serde_json::Value;

/// The relative error allowed against exact values; the formulas are a hundred times better.
pub const TOLERANCE: f64 = 1e-11;

pub fn table(text: &str) -> Value {
    serde_json::from_str(text).expect("a table of this repository")
}

pub fn rows<'a>(table: &'a Value, name: &str) -> &'a [Value] {
    let rows = table[name].as_array().expect("a list of rows");
    assert!(!rows.is_empty(), "{name} is empty");
    rows
}

/// A number, with or without quotes.
pub fn real(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().and_then(|s| s.parse().ok()).expect("a number"))
}

pub fn whole(value: &Value) -> u64 {
    value.as_u64().expect("an integer")
}

pub fn small(value: &Value) -> u32 {
    u32::try_from(whole(value)).expect("a small integer")
}

/// Asserts closeness and returns the relative error.
#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64, what: &Value) -> f64 {
    let error = if found == expected { 0.0 } else { (found / expected - 1.0).abs() };
    assert!(error <= tolerance, "{found:e} instead of {expected:e}, off by {error:e}: {what}");
    error
}

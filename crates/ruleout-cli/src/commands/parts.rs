//! What a filter is made of: its parameters, and the layers or steps of a composition.

use ruleout::{AnyParams, Family, ScalableParams, Value, WindowedParams};
use serde_json::{Map, Value as Json, json};

use crate::{human, text_table};

/// Rows of a table beyond which the older ones are left out.
const MOST_ROWS: usize = 50;

/// The parameters in a line; lists have a table of their own.
pub fn shape_text(params: &AnyParams) -> String {
    let shown = params.fields().into_iter().filter_map(|(name, value)| match (named(params, name), &value) {
        (Some(text), _) => Some(format!("{name} {text}")),
        (None, Value::Integers(_)) => None,
        (None, value) => Some(format!("{name} {}", value_text(value))),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// A value as people read it.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Integer(value) => human::count(*value),
        other => other.to_string(),
    }
}

/// The parameters as a JSON object.
pub fn shape_json(params: &AnyParams) -> Json {
    let fields = params.fields().into_iter().map(|(name, value)| {
        let value = match value {
            Value::Integer(value) => json!(value),
            Value::Integers(values) => json!(values),
            other => json!(other.to_string()),
        };
        (name.to_owned(), value)
    });
    Json::Object(fields.collect())
}

/// A number of the format that stands for something people have a word for.
fn named(params: &AnyParams, name: &str) -> Option<String> {
    match (params, name) {
        (AnyParams::Scalable(params), "rate") => Some(format!("below {}", human::rate(params.fpr()))),
        (_, "base") => base(params).map(|family| family.to_string()),
        (AnyParams::Prefix(params), "whole_keys") => {
            Some(if params.has_whole_keys() { "yes" } else { "no" }.to_owned())
        }
        _ => None,
    }
}

/// The family that a composition is made of.
fn base(params: &AnyParams) -> Option<Family> {
    match params {
        AnyParams::Scalable(params) => Some(params.base()),
        AnyParams::Windowed(params) => Some(params.bucket().family()),
        AnyParams::Prefix(params) => Some(params.base().family()),
        _ => None,
    }
}

/// The parts of a composition, a row for each; `None` for a filter that has none.
pub fn table(params: &AnyParams) -> Option<String> {
    match params {
        AnyParams::Scalable(params) => Some(layers_table(params)),
        AnyParams::Windowed(params) => Some(steps_table(params)),
        _ => None,
    }
}

/// The parts of a composition as JSON fields; none for a filter that has none.
pub fn json(params: &AnyParams) -> Map<String, Json> {
    let parts = match params {
        AnyParams::Scalable(params) => {
            vec![("fpr_at_most", json!(params.fpr())), ("layers", Json::Array(layers_json(params)))]
        }
        AnyParams::Windowed(params) => vec![("steps", Json::Array(steps_json(params)))],
        _ => return Map::new(),
    };
    parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn layers_table(params: &ScalableParams) -> String {
    let headings = ["layer", "keys", "capacity", "bits/key", "size", "rate at most", "rate now"];
    let rows: Vec<Vec<String>> = (0..)
        .zip(params.layers())
        .map(|(i, layer)| {
            let shape = layer.params();
            vec![
                i.to_string(),
                human::count(layer.keys()),
                human::count(shape.capacity()),
                human::decimals(shape.bits_per_key(), 3),
                human::bytes(shape.payload_bytes()),
                human::rate(params.layer_fpr(i)),
                human::rate(shape.fpr_at(layer.keys())),
            ]
        })
        .collect();
    text_table::columns(&headings, &rows)
}

fn layers_json(params: &ScalableParams) -> Vec<Json> {
    let layers = (0..).zip(params.layers()).map(|(i, layer)| {
        let shape = layer.params();
        json!({
            "keys": layer.keys(),
            "capacity": shape.capacity(),
            "bits_per_key": shape.bits_per_key(),
            "size_bytes": shape.payload_bytes(),
            "fpr_at_most": params.layer_fpr(i),
            "fpr_now": shape.fpr_at(layer.keys()),
        })
    });
    layers.collect()
}

fn steps_table(params: &WindowedParams) -> String {
    let rows: Vec<Vec<String>> = params
        .steps()
        .rev()
        .take(MOST_ROWS)
        .map(|(begin, sightings)| vec![human::count(begin), human::count(sightings)])
        .collect();
    let more = params.steps().count().saturating_sub(rows.len());
    let more = if more > 0 {
        format!("... and {} more\n", human::counted(more as u64, "step"))
    } else {
        String::new()
    };
    text_table::columns(&["step from", "sightings"], &rows) + &more
}

fn steps_json(params: &WindowedParams) -> Vec<Json> {
    params.steps().map(|(begin, sightings)| json!({ "begin": begin, "sightings": sightings })).collect()
}

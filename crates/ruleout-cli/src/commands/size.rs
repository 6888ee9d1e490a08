//! `ruleout size`: what filters would cost.

use std::f64::consts::LN_2;
use std::process::ExitCode;

use anyhow::Result;
use ruleout::math::elementary::ln;
use ruleout::{AnyParams, Family, Goal};
use serde_json::{Value, json};

use super::summary;
use crate::args::SizeArgs;
use crate::{human, stdout, text_table};

/// Prints a row for each family.
pub fn run(args: &SizeArgs) -> Result<ExitCode> {
    let goal = args.goal.goal();
    let mut sizes = Vec::new();
    for &family in Family::ALL {
        sizes.push(AnyParams::for_goal(family, args.keys, goal)?);
    }
    if args.json {
        let rows: Vec<Value> = sizes.iter().map(json_row).collect();
        let value = json!({ "keys": args.keys, "goal": goal_json(goal), "families": rows });
        stdout::print_json(&value)?;
    } else {
        let headings =
            ["family", "bits/key", "size", "bytes", "probes", "rate", "floor bits/key", "over floor"];
        let rows: Vec<Vec<String>> = sizes.iter().map(row).collect();
        let title = format!("{} keys, {}\n\n", human::count(args.keys), goal_text(goal));
        let legend = "\nThe floor is log2(1/rate): no filter of a fixed set takes fewer bits per key.\n";
        stdout::print((title + &text_table::columns(&headings, &rows) + legend).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn row(params: &AnyParams) -> Vec<String> {
    let fpr = params.fpr_at(params.capacity());
    let floor = floor(fpr);
    vec![
        params.family().to_string(),
        summary::bits_per_key_text(params),
        human::bytes(params.payload_bytes()),
        human::count(params.payload_bytes()),
        params.probes().to_string(),
        human::rate(fpr),
        floor.map_or("-".to_owned(), |floor| format!("{floor:.3}")),
        floor.map_or("-".to_owned(), |floor| format!("{:.2} x", params.bits_per_key() / floor)),
    ]
}

fn json_row(params: &AnyParams) -> Value {
    let fpr = params.fpr_at(params.capacity());
    json!({
        "family": params.family().name(),
        "bits_per_key": summary::bits_per_key(params),
        "size_bytes": params.payload_bytes(),
        "probes": params.probes(),
        "fpr": fpr,
        "floor_bits_per_key": floor(fpr),
    })
}

/// The bits per key below which no filter of a fixed set can go at this rate; a filter for no keys has no rate.
fn floor(fpr: f64) -> Option<f64> {
    (fpr > 0.0 && fpr < 1.0).then(|| -ln(fpr) / LN_2)
}

fn goal_text(goal: Goal) -> String {
    match goal {
        Goal::Fpr(fpr) => format!("a rate of {} or less", human::rate(fpr)),
        Goal::BitsPerKey(bits) => format!("{bits} bits per key"),
        Goal::SizeBytes(bytes) => human::bytes_exactly(bytes),
        _ => format!("{goal:?}"),
    }
}

fn goal_json(goal: Goal) -> Value {
    match goal {
        Goal::Fpr(fpr) => json!({ "fpr": fpr }),
        Goal::BitsPerKey(bits) => json!({ "bits_per_key": bits }),
        Goal::SizeBytes(bytes) => json!({ "size_bytes": bytes }),
        _ => Value::Null,
    }
}

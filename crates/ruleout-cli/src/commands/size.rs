//! `ruleout size`: what filters would cost.

use std::f64::consts::LN_2;
use std::process::ExitCode;

use anyhow::{Result, bail};
use ruleout::math::elementary::ln;
use ruleout::{AnyParams, ConfigError, Family, Goal};
use serde_json::{Value, json};

use super::{refusals, summary};
use crate::args::SizeArgs;
use crate::{human, stdout, text_table};

/// Prints a row for each family; one that cannot do what is asked says why and does not keep the others away.
pub fn run(args: &SizeArgs) -> Result<ExitCode> {
    let goal = args.goal.goal();
    let sizes: Vec<Size> = AnyParams::FAMILIES
        .iter()
        .map(|&family| (family, AnyParams::for_goal(family, args.keys, goal)))
        .collect();
    refuse_if_none(&sizes)?;
    if args.json {
        let rows: Vec<Value> = sizes.iter().map(json_row).collect();
        let value = json!({ "keys": args.keys, "goal": goal_json(goal), "families": rows });
        stdout::print_json(&value)?;
    } else {
        let title = format!("{}, {}\n\n", human::counted(args.keys, "key"), goal_text(goal));
        let rows: Vec<Vec<String>> = sizes.iter().map(row).collect();
        let reasons: Vec<String> = sizes.iter().filter_map(reason).map(|reason| reason + "\n").collect();
        let reasons = if reasons.is_empty() { String::new() } else { format!("\n{}", reasons.concat()) };
        let legend = "\nThe floor is log2(1/rate): no filter of a fixed set takes fewer bits per key.\n";
        stdout::print(
            (title + &text_table::columns(&HEADINGS, &rows) + &reasons + &steps(&sizes, goal) + legend)
                .as_bytes(),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The share of the rate asked for that makes people wonder.
const FAR_BELOW: f64 = 0.8;

/// A family and its parameters, or why it has none.
type Size = (Family, Result<AnyParams, ConfigError>);

const HEADINGS: [&str; 8] =
    ["family", "bits/key", "size", "bytes", "probes", "rate", "floor bits/key", "over floor"];

fn reason((family, sized): &Size) -> Option<String> {
    sized.as_ref().err().map(|refused| format!("{family} is not possible: {}", refusals::config(refused)))
}

/// Why families whose rates come in steps keep so much less than the rate asked for.
fn steps(sizes: &[Size], goal: Goal) -> String {
    let Goal::Fpr(asked) = goal else { return String::new() };
    let far_below = |(family, sized): &&Size| {
        // Any family is far below when it is at its smallest; that is nothing a footnote would explain.
        matches!(family, Family::Cuckoo | Family::Quotient | Family::Fuse | Family::Fuse4)
            && sized.as_ref().is_ok_and(|params| params.fpr_at(params.capacity()) < FAR_BELOW * asked)
    };
    let scalable = sizes.iter().any(|(family, sized)| *family == Family::Scalable && sized.is_ok());
    let first = "\nscalable: its first layer, with room for all the keys; the rest of the rate is kept for layers to come.\n";
    let first = if scalable { first } else { "" };
    let names: Vec<&str> = sizes.iter().filter(far_below).map(|(family, _)| family.name()).collect();
    if names.is_empty() {
        return first.to_owned();
    }
    let bits = "fingerprints have whole bits, each of which halves the rate: it is the next one below what was asked";
    format!("\n{}: {bits}.\n{first}", names.join(", "))
}

/// An error when there is nothing to show; said once where every family says the same.
fn refuse_if_none(sizes: &[Size]) -> Result<()> {
    let refusals: Vec<&ConfigError> = sizes.iter().filter_map(|(_, sized)| sized.as_ref().err()).collect();
    match refusals[..] {
        _ if refusals.len() < sizes.len() => Ok(()),
        [first, ref others @ ..] if others.iter().all(|other| *other == first) => {
            bail!(refusals::config(first))
        }
        _ => bail!("{}", sizes.iter().filter_map(reason).collect::<Vec<_>>().join("; ")),
    }
}

fn row((family, sized): &Size) -> Vec<String> {
    let mut cells = vec![family.to_string()];
    match sized {
        Ok(params) => cells.extend(figures(params)),
        Err(_) => cells.resize(HEADINGS.len(), "-".to_owned()),
    }
    cells
}

fn figures(params: &AnyParams) -> [String; HEADINGS.len() - 1] {
    let fpr = params.fpr_at(params.capacity());
    let floor = floor(fpr);
    [
        summary::bits_per_key_text(params),
        human::bytes(params.payload_bytes()),
        human::count(params.payload_bytes()),
        params.probes().to_string(),
        human::rate(fpr),
        floor.map_or("-".to_owned(), |floor| human::decimals(floor, 3)),
        floor.map_or("-".to_owned(), |floor| human::decimals(params.bits_per_key() / floor, 2) + " x"),
    ]
}

fn json_row((family, sized): &Size) -> Value {
    let params = match sized {
        Ok(params) => params,
        Err(refused) => return json!({ "family": family.name(), "error": refused.to_string() }),
    };
    let fpr = params.fpr_at(params.capacity());
    json!({
        "family": family.name(),
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
        Goal::BitsPerKey(bits) => format!("{} bits per key", human::significant(bits)),
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

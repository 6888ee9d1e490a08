//! The library's refusals, with numbers as people read them and what to do about it.

use anyhow::{Error, Result, anyhow};
use ruleout::{AnyParams, BatchError, ConfigError, Family, Goal, InsertError};

use crate::human;

/// The parameters of a filter, or why there are none.
///
/// # Errors
/// When no such filter can be.
pub fn params(family: Family, capacity: u64, goal: Goal) -> Result<AnyParams> {
    AnyParams::for_goal(family, capacity, goal).map_err(|refused| anyhow!(config(&refused)))
}

/// Why a filter cannot be as it was asked for.
pub fn config(refused: &ConfigError) -> String {
    match *refused {
        ConfigError::TooSmall { bytes, least } => format!(
            "a size of {} is too small: the smallest filter has {}",
            human::counted(bytes, "byte"),
            human::count(least)
        ),
        ConfigError::BelowHashLimit { capacity, lowest, .. } if lowest >= 1.0 => {
            format!("{} are too many for 64-bit hashes to tell apart", human::counted(capacity, "key"))
        }
        ConfigError::BelowHashLimit { fpr, capacity, lowest } => format!(
            "a false-positive rate of {} cannot be reached with {}: 64-bit hashes allow no less than {}",
            human::rate(fpr),
            human::counted(capacity, "key"),
            human::rate(lowest)
        ),
        ConfigError::TooLarge { what, capacity } => {
            format!(
                "a filter for {} needs more {what} than 64 bits can count",
                human::counted(capacity, "key")
            )
        }
        ConfigError::OutOfRange { what, given, allowed } => {
            // Most of these numbers are counts, which floats hold exactly up to 2^53.
            let whole = given.fract() == 0.0 && (0.0..9e15).contains(&given);
            let given = if whole { human::count(given as u64) } else { human::significant(given) };
            format!("{what} is {given}, allowed is {allowed}")
        }
        ConfigError::OutOfMemory(refused) => {
            format!("could not allocate {}", human::bytes_exactly(refused.bytes))
        }
        ref other => other.to_string(),
    }
}

/// Why keys cannot go into an empty filter as they come.
pub fn unstreamed(refused: &ConfigError) -> Error {
    let remedy = match refused {
        ConfigError::Needs { .. } => ": leave out --capacity, so that keys are held until all are read",
        _ => "",
    };
    anyhow!("{}{remedy}", config(refused))
}

/// Why a filter refused a key in the midst of a stream, after the batches before had brought `taken` keys.
pub fn streamed(params: &AnyParams, taken: u64, refused: &BatchError) -> Error {
    let taken = taken + refused.applied as u64;
    // Room for more keys is no room for more copies of one: each key has few places.
    let (why, remedy) = match refused.source {
        InsertError::TooManyCopies { copies } => {
            (format!("holds one key {copies} times, as often as it can"), "")
        }
        _ => ("is full".to_owned(), ", or raise it"),
    };
    anyhow!(
        "the {} filter {why}: it took {} and was made for {}, and repeats take room in it; leave out --capacity, so \
         that distinct keys are counted first{remedy}",
        params.family(),
        human::counted(taken, "key"),
        human::count(params.capacity())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_refusals_are_readable() {
        let of = |what, given| config(&ConfigError::OutOfRange { what, given, allowed: "less" });
        assert_eq!(of("blocks", 41_178_497.0), "blocks is 41,178,497, allowed is less");
        assert_eq!(of("bits", 1.0 / 3.0), "bits is 0.3333, allowed is less");
        assert_eq!(of("bits", 1e300), "bits is 1.000e300, allowed is less");
        let limit =
            ConfigError::BelowHashLimit { fpr: 1e-30, capacity: 1000, lowest: 5.421_010_862_427_522e-17 };
        let expected = "a false-positive rate of 1.000e-28 % cannot be reached with 1,000 keys: 64-bit hashes allow \
                        no less than 5.421e-15 %";
        assert_eq!(config(&limit), expected);
    }
}

//! The value of a parameter.

use alloc::vec::Vec;
use core::fmt;

/// What a file says of one parameter of a filter.
///
/// ```
/// use ruleout::{AnyParams, Family, Goal, Value};
/// let params = AnyParams::for_goal(Family::Bloom, 1000, Goal::Fpr(0.01))?;
/// assert_eq!(params.fields()[1], ("probes", Value::Integer(7)));
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// One integer.
    Integer(u64),
    /// A list of integers: one for each part of a composition.
    Integers(Vec<u64>),
    /// A name.
    Bytes(Vec<u8>),
}

impl Value {
    /// The integer, if it is one.
    pub const fn integer(&self) -> Option<u64> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Integer(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Integers(values) => {
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { " " })?;
                }
                Ok(())
            }
            Self::Bytes(bytes) => bytes.escape_ascii().fmt(f),
        }
    }
}

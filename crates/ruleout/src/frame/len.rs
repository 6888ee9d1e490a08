//! How many keys a filter holds, and how surely that is known.

use core::fmt;

/// The number of distinct keys in a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Len {
    /// Exactly this many distinct keys.
    Exact(u64),
    /// At most this many: so many were inserted, and some may have been the same.
    AtMost(u64),
    /// Unknown; estimate it from the fill.
    Unknown,
}

impl Len {
    pub(crate) const EMPTY: Self = Self::Exact(0);

    /// The number, or the bound, where there is one.
    pub const fn bound(self) -> Option<u64> {
        match self {
            Self::Exact(keys) | Self::AtMost(keys) => Some(keys),
            Self::Unknown => None,
        }
    }

    /// The length after `keys` more insertions, which may repeat what is there and each other.
    pub(crate) const fn plus(self, keys: u64) -> Self {
        match self {
            Self::Exact(0) if keys <= 1 => Self::Exact(keys),
            Self::Exact(len) if keys == 0 => Self::Exact(len),
            Self::Exact(len) | Self::AtMost(len) => match len.checked_add(keys) {
                Some(sum) => Self::AtMost(sum),
                None => Self::Unknown,
            },
            Self::Unknown => Self::Unknown,
        }
    }

    /// The length after one key that is in the filter was taken out: one copy of it, others may be left.
    pub(crate) const fn minus_one(self) -> Self {
        match self {
            Self::Exact(0) | Self::AtMost(0 | 1) => Self::EMPTY,
            // A count is exact while no key can have been inserted twice.
            Self::Exact(len) => Self::Exact(len - 1),
            Self::AtMost(len) => Self::AtMost(len - 1),
            Self::Unknown => Self::Unknown,
        }
    }

    /// The length of the union with a set of `other`'s length: the sum bounds it.
    pub(crate) const fn union(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exact(0), len) | (len, Self::Exact(0)) => len,
            (_, Self::Unknown) => Self::Unknown,
            (len, Self::Exact(keys) | Self::AtMost(keys)) => len.plus(keys).at_most(),
        }
    }

    const fn at_most(self) -> Self {
        match self {
            Self::Exact(keys) => Self::AtMost(keys),
            len => len,
        }
    }

    /// The two fields of the header: kind and number.
    pub(crate) const fn to_fields(self) -> (u8, u64) {
        match self {
            Self::Exact(keys) => (0, keys),
            Self::AtMost(keys) => (1, keys),
            Self::Unknown => (2, 0),
        }
    }

    pub(crate) const fn from_fields(kind: u8, keys: u64) -> Option<Self> {
        match (kind, keys) {
            (0, _) => Some(Self::Exact(keys)),
            (1, _) => Some(Self::AtMost(keys)),
            (2, 0) => Some(Self::Unknown),
            _ => None,
        }
    }
}

impl fmt::Display for Len {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(keys) => write!(f, "{keys}"),
            Self::AtMost(keys) => write!(f, "at most {keys}"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

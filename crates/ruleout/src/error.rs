//! What can go wrong, one enumeration per kind of operation.
//!
//! Every variant carries the value that was refused and what would have been accepted. A failed operation changes
//! nothing.

use core::fmt;

use crate::family::Family;
use crate::frame::Value;
use crate::hash::HashId;

/// A name that no variant has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was to be named.
    pub kind: &'static str,
    /// The names there are.
    pub known: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {}; known are", self.kind)?;
        for (i, name) in self.known.iter().enumerate() {
            write!(f, "{} {name}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// Memory that could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocError {
    /// How many bytes were asked for.
    pub bytes: u64,
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not allocate {} bytes", self.bytes)
    }
}

/// A recipe that no filter can follow.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// A number is outside the values it may take.
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What was given.
        given: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The rate cannot be had with 64-bit hashes: two of the keys' hashes are too likely to be equal.
    BelowHashLimit {
        /// The rate asked for.
        fpr: f64,
        /// The design number of keys.
        capacity: u64,
        /// The lowest rate at that number of keys.
        lowest: f64,
    },
    /// The size has no room for the smallest filter of the family.
    TooSmall {
        /// The size asked for, in bytes.
        bytes: u64,
        /// The smallest size, in bytes.
        least: u64,
    },
    /// The filter would be larger than any address space or any file.
    TooLarge {
        /// Which number is too large for any size.
        what: &'static str,
        /// The design number of keys.
        capacity: u64,
    },
    /// A window of time that is not a whole number of steps.
    Window {
        /// The window.
        window: u64,
        /// The step.
        step: u64,
        /// The nearest shorter window that is.
        below: Option<u64>,
        /// The nearest longer one.
        above: Option<u64>,
    },
    /// A capacity and that goal do not make a filter of the family.
    Needs {
        /// The family.
        family: Family,
        /// What it needs.
        what: &'static str,
    },
    /// The allocator refused.
    OutOfMemory(AllocError),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { what, given, allowed } => write!(f, "{what} is {given}, allowed is {allowed}"),
            Self::TooSmall { bytes, least } => {
                write!(f, "a size of {bytes} bytes is too small: the smallest filter has {least}")
            }
            Self::BelowHashLimit { capacity, lowest, .. } if *lowest >= 1.0 => {
                write!(f, "{capacity} keys are too many for 64-bit hashes to tell apart")
            }
            Self::BelowHashLimit { fpr, capacity, lowest } => write!(
                f,
                "a false-positive rate of {fpr:e} cannot be reached with {capacity} keys: 64-bit hashes allow no \
                 less than {lowest:e}"
            ),
            Self::TooLarge { what, capacity } => {
                write!(f, "a filter for {capacity} keys needs more {what} than 64 bits can count")
            }
            Self::Window { window, step, below, above } => {
                write!(f, "a window of {window} is no whole number of steps of {step}")?;
                match (below, above) {
                    (Some(below), Some(above)) => write!(f, "; {below} and {above} are"),
                    (Some(nearest), None) | (None, Some(nearest)) => write!(f, "; {nearest} is"),
                    (None, None) => Ok(()),
                }
            }
            Self::Needs { family, what } => write!(f, "a {family} filter needs {what}"),
            Self::OutOfMemory(refused) => refused.fmt(f),
        }
    }
}

impl From<AllocError> for ConfigError {
    fn from(refused: AllocError) -> Self {
        Self::OutOfMemory(refused)
    }
}

/// A hash identity and a secret key that do not fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The hashes are keyed and no key was given.
    Missing {
        /// The identity, with the check value of the key that is needed.
        id: HashId,
    },
    /// The key given is not the one the filter was built under.
    Wrong {
        /// The identity in the file.
        file: HashId,
        /// The identity of the key given.
        given: HashId,
    },
    /// A key was given for hashes that have none.
    Unused {
        /// The identity in the file.
        id: HashId,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { id } => write!(f, "the secret key is missing: the hashes are {id}"),
            Self::Wrong { file, given } => {
                write!(
                    f,
                    "the secret key is another: the filter's hashes are {file}, the one given is {given}"
                )
            }
            Self::Unused { id } => {
                write!(f, "a secret key was given, and the hashes are {id}, without a key")
            }
        }
    }
}

/// Bytes that are not a filter this version can use.
///
/// Whatever the bytes, opening neither panics nor allocates more than they hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// The bytes do not start as a ruleout file does.
    NotAFilter,
    /// The first bytes are those of a ruleout file changed by a text-mode transfer.
    TextMode,
    /// The bytes end inside the header.
    Truncated {
        /// How many bytes the header needs, as far as it could be read.
        needed: u64,
        /// How many there are.
        found: u64,
    },
    /// The file is longer or shorter than its header says.
    WrongLength {
        /// The length the header says, in bytes.
        expected: u64,
        /// The length found, in bytes.
        found: u64,
    },
    /// A format version this release cannot read.
    UnsupportedVersion {
        /// The version in the file.
        found: u16,
        /// The newest version this release reads.
        newest: u16,
    },
    /// A family code this release does not know.
    UnknownFamily {
        /// The code in the file.
        code: u16,
    },
    /// Another family than the one asked for.
    WrongFamily {
        /// The family asked for.
        expected: Family,
        /// The family in the file.
        found: Family,
    },
    /// A hash code this release does not know.
    UnknownHash {
        /// The code in the file.
        code: u16,
    },
    /// A checksum does not match: the bytes are damaged.
    Checksum {
        /// Which part is damaged.
        part: &'static str,
        /// The checksum in the file.
        stored: u64,
        /// The checksum of the bytes.
        computed: u64,
    },
    /// A field has a value that no writer gives it.
    Invalid {
        /// Which field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A parameter or a section that the family needs is not there.
    Missing {
        /// Its name.
        field: &'static str,
    },
    /// A parameter or section that the family does not have, or not of this form, as far as this release knows.
    UnknownField {
        /// What it is.
        kind: &'static str,
        /// Its code.
        code: u16,
    },
    /// The secret key is missing, wrong, or unused.
    Key(KeyError),
    /// The copy could not be allocated.
    OutOfMemory(AllocError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFilter => f.write_str("not a ruleout filter"),
            Self::TextMode => {
                f.write_str("a ruleout filter damaged by a transfer in text mode; transfer it as binary")
            }
            Self::Truncated { needed, found } => {
                write!(f, "truncated: the header needs {needed} bytes, there are {found}")
            }
            Self::WrongLength { expected, found } => {
                let how = if found < expected { "truncated" } else { "too long" };
                write!(f, "{how}: the header says {expected} bytes, there are {found}")
            }
            Self::UnsupportedVersion { found, newest } => {
                write!(
                    f,
                    "format version {found} is not supported; this release reads up to version {newest}"
                )
            }
            Self::UnknownFamily { code } => {
                write!(f, "unknown filter family with code {code}; a newer release may know it")
            }
            Self::WrongFamily { expected, found } => write!(f, "a {found} filter, not a {expected} filter"),
            Self::UnknownHash { code } => {
                write!(f, "unknown hash algorithm with code {code}; a newer release may know it")
            }
            Self::Checksum { part, stored, computed } => {
                write!(f, "damaged {part}: its checksum is {computed:016x}, the file says {stored:016x}")
            }
            Self::Invalid { field, value, allowed } => {
                write!(f, "invalid {field}: {value}, allowed is {allowed}")
            }
            Self::Missing { field } => write!(f, "the header has no {field}"),
            Self::UnknownField { kind, code } => {
                write!(f, "unexpected {kind} with code {code} in this family; a newer release may know it")
            }
            Self::Key(problem) => problem.fmt(f),
            Self::OutOfMemory(refused) => refused.fmt(f),
        }
    }
}

impl From<KeyError> for OpenError {
    fn from(problem: KeyError) -> Self {
        Self::Key(problem)
    }
}

impl From<AllocError> for OpenError {
    fn from(refused: AllocError) -> Self {
        Self::OutOfMemory(refused)
    }
}

/// Two filters that cannot be merged; neither was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// The families differ.
    Family {
        /// The family of the filter merged into.
        ours: Family,
        /// The family of the other.
        theirs: Family,
    },
    /// The hash functions, seeds or keys differ.
    Hash {
        /// The hash identity of the filter merged into.
        ours: HashId,
        /// The hash identity of the other.
        theirs: HashId,
    },
    /// A number that shapes the filter differs.
    Layout {
        /// Which number.
        field: &'static str,
        /// Its value in the filter merged into.
        ours: Value,
        /// Its value in the other.
        theirs: Value,
    },
    /// Filters of this family cannot be merged.
    Unsupported {
        /// The family.
        family: Family,
    },
    /// The other filter was opened without verification and turned out to be damaged.
    Damaged(OpenError),
    /// The union does not fit, and more slots cannot be had or are no use.
    Full {
        /// The slots that are not enough.
        slots: u64,
        /// The bits of a remainder.
        remainder_bits: u32,
    },
    /// The memory for the union could not be had.
    OutOfMemory(AllocError),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Family { ours, theirs } => write!(f, "family differs: {ours} and {theirs}"),
            Self::Hash { ours, theirs } => write!(f, "hash differs: {ours} and {theirs}"),
            Self::Layout { field, ours, theirs } => write!(f, "{field} differ: {ours} and {theirs}"),
            Self::Unsupported { family } => write!(f, "{family} filters cannot be merged"),
            Self::Damaged(problem) => problem.fmt(f),
            Self::Full { slots, remainder_bits } => write!(
                f,
                "full: both do not fit in {slots} slots with remainders of {remainder_bits} bits, nor in more that can be had"
            ),
            Self::OutOfMemory(refused) => refused.fmt(f),
        }
    }
}

/// A key that could not be inserted; the filter is as it was, byte for byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertError {
    /// There is no room for another key.
    Full {
        /// The design number of keys.
        capacity: u64,
        /// The keys inserted so far.
        len: u64,
    },
    /// Every place this key may take already holds its fingerprint.
    TooManyCopies {
        /// How many copies there are.
        copies: u64,
    },
    /// Keys do not go into filters of this family by their hash alone, one after the other.
    Unsupported {
        /// The family.
        family: Family,
    },
    /// The filter would have to grow, and the memory for that could not be had.
    OutOfMemory(AllocError),
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { capacity, len } => write!(f, "full: {len} keys inserted, made for {capacity}"),
            Self::TooManyCopies { copies } => write!(f, "{copies} copies of this key are all that fit"),
            Self::Unsupported { family } => write!(f, "a {family} filter does not take keys by their hash"),
            Self::OutOfMemory(refused) => refused.fmt(f),
        }
    }
}

/// A batch that stopped at a key that could not be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchError {
    /// How many keys of the batch were inserted: all before the one refused.
    pub applied: usize,
    /// Why the next one was refused.
    pub source: InsertError,
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {} keys of the batch were inserted", self.source, self.applied)
    }
}

/// A filter that could not be built from a set of keys.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The recipe cannot be followed for the keys collected.
    Config(ConfigError),
    /// A key was refused.
    Insert(BatchError),
    /// No seed of all that there are solves the equations of this many keys: for the hashes of a hash function that
    /// has a probability too small to happen.
    Unsolvable {
        /// The number of distinct keys, or of those of one shard.
        keys: u64,
    },
    /// More hashes begin alike than those of a hash function do: they did not come from the filter's hasher.
    Skewed {
        /// How many of the hashes fell into one shard.
        keys: u64,
        /// How many it has room for.
        room: u64,
    },
    /// The one who watches ended the build.
    Cancelled,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(problem) => problem.fmt(f),
            Self::Insert(refused) => refused.fmt(f),
            Self::Unsolvable { keys } => write!(f, "no seed solves the equations of these {keys} keys"),
            Self::Skewed { keys, room } => write!(
                f,
                "{keys} hashes fell into a shard for {room}: they are not spread as those of a hash function are"
            ),
            Self::Cancelled => f.write_str("the build was cancelled"),
        }
    }
}

impl From<AllocError> for BuildError {
    fn from(refused: AllocError) -> Self {
        Self::Config(ConfigError::OutOfMemory(refused))
    }
}

impl From<BatchError> for BuildError {
    fn from(refused: BatchError) -> Self {
        Self::Insert(refused)
    }
}

impl From<ConfigError> for BuildError {
    fn from(problem: ConfigError) -> Self {
        Self::Config(problem)
    }
}

impl core::error::Error for BuildError {}
impl core::error::Error for UnknownName {}
impl core::error::Error for AllocError {}
impl core::error::Error for ConfigError {}
impl core::error::Error for KeyError {}
impl core::error::Error for OpenError {}
impl core::error::Error for MergeError {}
impl core::error::Error for InsertError {}
impl core::error::Error for BatchError {}

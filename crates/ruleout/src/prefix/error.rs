//! What can go wrong with prefixes.

use alloc::string::String;
use core::fmt;

/// An extractor that cannot be used, or not for this key; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PrefixError {
    /// A name that no extractor of your own can have.
    Name {
        /// The name.
        name: String,
    },
    /// The file's extractor is not built in, and was not given.
    Unknown {
        /// The name that the file records.
        name: String,
    },
    /// Another extractor than the file's.
    Mismatch {
        /// The name that the file records.
        recorded: String,
        /// The name of the one given.
        given: String,
    },
    /// The extractor breaks its contract at this key: a query could miss it.
    Contract {
        /// The extractor's name.
        name: String,
        /// The length of the key.
        key_len: usize,
        /// The length of the key's prefix, if it has one.
        prefix_len: Option<usize>,
        /// The length of the beginning of the key at which the contract is broken.
        beginning: usize,
        /// The length of that beginning's prefix, if it has one.
        its_prefix_len: Option<usize>,
    },
}

impl fmt::Display for PrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |len: &Option<usize>| match len {
            Some(len) => alloc::format!("a prefix of {len} bytes"),
            None => "no prefix".into(),
        };
        match self {
            Self::Name { name } => write!(
                f,
                "an extractor cannot have the name {name:?}: allowed are 1 to 255 bytes that do not begin with fixed: or up-to:"
            ),
            Self::Unknown { name } => {
                write!(f, "the extractor {name:?} is not built in; give it with with_extractor")
            }
            Self::Mismatch { recorded, given } => {
                write!(f, "the filter was made with the extractor {recorded:?}, not with {given:?}")
            }
            Self::Contract { name, key_len, prefix_len, beginning, its_prefix_len } => write!(
                f,
                "the extractor {name:?} breaks its contract: a key of {key_len} bytes has {}, its first {beginning} bytes \
                 have {}",
                of(prefix_len),
                of(its_prefix_len)
            ),
        }
    }
}

impl core::error::Error for PrefixError {}

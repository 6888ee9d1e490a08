//! What of a key is its prefix.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use super::PrefixError;

/// The longest name of an extractor, in bytes.
pub const MAX_NAME: usize = 255;

/// How names of the extractors that are built in begin; no other name does.
const FIXED: &str = "fixed:";
const UP_TO: &str = "up-to:";

/// What of a key is its prefix, under a name that files record.
///
/// A prefix is the first bytes of a key, or there is none: the key is outside the extractor's domain. **The contract**: when
/// the prefix of `k` is its first `n` bytes, then it is the first `n` bytes of everything that begins with them. So
/// everything that begins with `k` has the prefix of `k`, and `prefix(prefix(k)) = prefix(k)`. The extractors that are built
/// in keep to it. Of others it is checked for every key that goes into a filter.
///
/// ```
/// use ruleout::Extractor;
/// let tenant = Extractor::up_to(b'/');
/// assert_eq!(tenant.prefix(b"acme/orders/17"), Some(&b"acme/"[..]));
/// assert_eq!(tenant.prefix(b"acme"), None); // not whole: "acme.org/" begins so too
/// assert_eq!(tenant.name(), "up-to:2f:1");
/// ```
#[derive(Clone)]
pub struct Extractor {
    name: String,
    rule: Rule,
}

#[derive(Clone)]
enum Rule {
    Fixed(usize),
    UpTo {
        delimiter: u8,
        nth: u32,
    },
    Custom(Arc<PrefixLen>),
    /// Of a file whose extractor this program was not given.
    Unknown,
}

/// Gives the length of the prefix, or none.
type PrefixLen = dyn Fn(&[u8]) -> Option<usize> + Send + Sync;

impl Extractor {
    /// The first `len` bytes. Shorter keys are outside the domain.
    pub fn fixed(len: u32) -> Self {
        Self { name: format!("{FIXED}{len}"), rule: Rule::Fixed(len as usize) }
    }

    /// Everything up to and with the first `delimiter`. Keys without one are outside the domain.
    pub fn up_to(delimiter: u8) -> Self {
        Self::up_to_nth(delimiter, 1)
    }

    /// Everything up to and with the `nth` `delimiter`, counted from 1; 0 counts as 1. Keys with fewer are outside the
    /// domain.
    pub fn up_to_nth(delimiter: u8, nth: u32) -> Self {
        let nth = nth.max(1);
        Self { name: format!("{UP_TO}{delimiter:02x}:{nth}"), rule: Rule::UpTo { delimiter, nth } }
    }

    /// What `prefix_len` gives as the length of a key's prefix, under a name of your own, which must change whenever the
    /// function does.
    ///
    /// The function must keep to [the contract](Extractor) and depend on nothing but the key.
    ///
    /// # Errors
    /// [`PrefixError::Name`] for an empty name, one above [`MAX_NAME`] bytes, and one that begins as those of the
    /// extractors that are built in.
    ///
    /// ```
    /// use ruleout::Extractor;
    /// // A length in the first byte.
    /// let counted = Extractor::custom("counted-1", |key| {
    ///     let len = 1 + usize::from(*key.first()?);
    ///     (key.len() >= len).then_some(len)
    /// })?;
    /// assert_eq!(counted.prefix(b"\x02abcd"), Some(&b"\x02ab"[..]));
    /// # Ok::<(), ruleout::PrefixError>(())
    /// ```
    pub fn custom(
        name: &str,
        prefix_len: impl Fn(&[u8]) -> Option<usize> + Send + Sync + 'static,
    ) -> Result<Self, PrefixError> {
        if name.is_empty() || name.len() > MAX_NAME || is_reserved(name) {
            return Err(PrefixError::Name { name: name.to_owned() });
        }
        Ok(Self { name: name.to_owned(), rule: Rule::Custom(Arc::new(prefix_len)) })
    }

    /// The extractor of a file: one that is built in, or one to be given later; `None` when no writer gives such a name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        let name = core::str::from_utf8(name).ok().filter(|name| (1..=MAX_NAME).contains(&name.len()))?;
        if !is_reserved(name) {
            return Some(Self { name: name.to_owned(), rule: Rule::Unknown });
        }
        let built_in = if let Some(len) = name.strip_prefix(FIXED) {
            Self::fixed(len.parse().ok()?)
        } else {
            let (delimiter, nth) = name.strip_prefix(UP_TO)?.split_once(':')?;
            Self::up_to_nth(u8::from_str_radix(delimiter, 16).ok()?, nth.parse().ok()?)
        };
        // One number has one name.
        (built_in.name == name).then_some(built_in)
    }

    /// The name, as files record it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it can extract: not when it is that of a file, custom, and was not given since.
    pub fn is_known(&self) -> bool {
        !matches!(self.rule, Rule::Unknown)
    }

    /// The prefix of `key`; `None` when the key is outside the domain, or the extractor is not known.
    pub fn prefix<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        key.get(..self.prefix_len(key)?)
    }

    fn prefix_len(&self, key: &[u8]) -> Option<usize> {
        match &self.rule {
            Rule::Fixed(len) => Some(*len).filter(|&len| len <= key.len()),
            Rule::UpTo { delimiter, nth } => {
                let mut places = key.iter().enumerate().filter(|(_, byte)| *byte == delimiter);
                places.nth(*nth as usize - 1).map(|(at, _)| at + 1)
            }
            Rule::Custom(prefix_len) => prefix_len(key),
            Rule::Unknown => None,
        }
    }

    /// The prefix of a key that goes into a filter.
    ///
    /// A query that the key answers is one of the key's first bytes. So the contract holds for this key when each of its
    /// beginnings has the key's prefix, or none.
    ///
    /// # Errors
    /// [`PrefixError::Unknown`], or [`PrefixError::Contract`] when the extractor does not keep to the contract.
    pub(super) fn checked_prefix<'k>(&self, key: &'k [u8]) -> Result<Option<&'k [u8]>, PrefixError> {
        let Rule::Custom(prefix_len) = &self.rule else {
            return if self.is_known() { Ok(self.prefix(key)) } else { Err(self.unknown()) };
        };
        let of_key = prefix_len(key);
        let broken = |len: usize| PrefixError::Contract {
            name: self.name.clone(),
            key_len: key.len(),
            prefix_len: of_key,
            beginning: len,
            its_prefix_len: key.get(..len).and_then(&**prefix_len),
        };
        let prefix = match of_key {
            Some(len) => Some(key.get(..len).ok_or_else(|| broken(key.len()))?),
            None => None,
        };
        for len in 0..=key.len() {
            let its = prefix_len(&key[..len]);
            if its != of_key && (its.is_some() || of_key == Some(len)) {
                return Err(broken(len));
            }
        }
        Ok(prefix)
    }

    pub(super) fn unknown(&self) -> PrefixError {
        PrefixError::Unknown { name: self.name.clone() }
    }
}

fn is_reserved(name: &str) -> bool {
    name.starts_with(FIXED) || name.starts_with(UP_TO)
}

/// The name is what it is known by.
impl PartialEq for Extractor {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Extractor {}

impl fmt::Debug for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = if self.is_known() { "" } else { ", not known" };
        write!(f, "Extractor({:?}{known})", self.name)
    }
}

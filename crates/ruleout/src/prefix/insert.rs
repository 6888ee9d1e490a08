//! Putting keys in, and asking for what begins like something.

use crate::bits::Mask;
use crate::traits::Inserted;

use super::params::marked;
use super::{Extractor, Prefix, PrefixError};

impl Prefix {
    /// Inserts the prefix of a key, if it has one, and the key itself where whole keys go in.
    ///
    /// [`Inserted::New`] when something of it was not in the filter before.
    ///
    /// # Errors
    /// [`PrefixError`] when the extractor is not known, or breaks its contract at this key; the filter is then as it was.
    ///
    /// # Complexity
    /// Two insertions. A custom extractor is called for each beginning of the key, to check it: one that reads all it is
    /// given takes time in the square of a key's length. Bound the keys that strangers send.
    pub fn insert(&mut self, key: &[u8]) -> Result<Inserted, PrefixError> {
        let prefix = self.params().extractor.checked_prefix(key)?;
        let prefix = prefix.map(|prefix| marked(self.hasher().hash(prefix)));
        let whole = self.params().whole_keys.then(|| self.hasher().hash(key));
        let (params, data, len) = self.parts_mut();
        let mut new = false;
        for hash in whole.into_iter().chain(prefix) {
            // The families beneath take every key.
            new |= params.base.insert(data.as_mut(), hash) == Ok(Inserted::New);
        }
        *len = len.plus(1);
        Ok(Inserted::new_if(new))
    }
}

impl<D: AsRef<[u8]>> Prefix<D> {
    /// Whether a key that begins with `start` may be in the set: `false` is certain, `true` is "maybe".
    ///
    /// Outside the extractor's domain, and with an extractor that is not known, the answer is "maybe".
    pub fn may_contain_prefix(&self, start: &[u8]) -> bool {
        let hash = self.params().hash_of_prefix(self.hasher(), start);
        hash.is_none_or(|hash| self.params().base.probe(self.payload(), hash))
    }

    /// [`Prefix::may_contain_prefix`](crate::Native::may_contain_prefix) of many, with memory asked for ahead of its use.
    /// `hits` is resized to the batch.
    pub fn may_contain_prefixes<K: AsRef<[u8]>>(&self, starts: &[K], hits: &mut Mask) {
        let asked = starts.iter().map(|start| self.params().hash_of_prefix(self.hasher(), start.as_ref()));
        self.params().probe_some(self.payload(), asked, hits);
    }

    /// Gives a filter that was opened the extractor it was made with, which a file records by its name alone.
    ///
    /// # Errors
    /// [`PrefixError::Mismatch`] when it has another name.
    pub fn with_extractor(mut self, extractor: Extractor) -> Result<Self, PrefixError> {
        let recorded = &self.params().extractor;
        if *recorded != extractor {
            let (recorded, given) = (recorded.name().into(), extractor.name().into());
            return Err(PrefixError::Mismatch { recorded, given });
        }
        self.params_mut().extractor = extractor;
        Ok(self)
    }
}

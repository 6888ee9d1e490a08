//! The answers of a batch, one bit per key.

use alloc::vec::Vec;

/// The answers of a batch query: bit `i` is set when key `i` may be in the set.
///
/// A mask is reused from batch to batch without allocating again.
///
/// ```
/// use ruleout::{BloomConfig, Mask};
/// let mut filter = BloomConfig::fpr(100, 0.01).build()?;
/// filter.insert_hashes(&[7 << 40, 9 << 40]);
/// let mut hits = Mask::new();
/// filter.may_contain_hashes(&[7 << 40, 8 << 60, 9 << 40], &mut hits);
/// assert_eq!(hits.iter().collect::<Vec<_>>(), [true, false, true]);
/// assert_eq!(hits.ones().collect::<Vec<_>>(), [0, 2]);
/// # Ok::<(), ruleout::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    words: Vec<u64>,
    len: usize,
}

impl Mask {
    /// An empty mask.
    pub const fn new() -> Self {
        Self { words: Vec::new(), len: 0 }
    }

    /// The number of answers.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no answers.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes room for `len` answers, all "absent".
    pub fn reset(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
        self.len = len;
    }

    /// [`Mask::reset`], and the words to set the answers in.
    #[inline]
    pub(crate) fn reset_words(&mut self, len: usize) -> &mut [u64] {
        self.reset(len);
        &mut self.words
    }

    /// The answer for key `index`.
    ///
    /// # Panics
    /// When `index` is not below [`Mask::len`].
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len, "index {index} of a mask of {}", self.len);
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// Sets the answer for key `index`.
    ///
    /// # Panics
    /// When `index` is not below [`Mask::len`].
    pub fn set(&mut self, index: usize, answer: bool) {
        assert!(index < self.len, "index {index} of a mask of {}", self.len);
        let bit = 1 << (index % 64);
        if answer {
            self.words[index / 64] |= bit;
        } else {
            self.words[index / 64] &= !bit;
        }
    }

    /// The number of keys that may be in the set.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The answers in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|i| self.get(i))
    }

    /// The indices of the keys that may be in the set, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(w, &word)| {
            let mut rest = word;
            core::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    w * 64 + bit
                })
            })
        })
    }

    /// The answers as words of 64, least significant bit first; bits past the end are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Sets what `other`, of the same length, has set.
    pub(crate) fn or(&mut self, other: &Self) {
        debug_assert_eq!(self.len, other.len);
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Fills the mask with the answer for each of `keys`, a word at a time: no bounds check and no branch per key.
    #[inline(always)]
    pub(crate) fn fill_with<K>(&mut self, keys: &[K], mut answer: impl FnMut(&K) -> bool) {
        self.reset(keys.len());
        for (word, keys) in self.words.iter_mut().zip(keys.chunks(64)) {
            let answers = keys.iter().zip(0u32..);
            *word = answers.fold(0, |word, (key, bit)| word | u64::from(answer(key)) << bit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_back_as_they_went_in() {
        let mut mask = Mask::new();
        for len in [0, 1, 63, 64, 65, 1000] {
            mask.fill_with(&(0..len).collect::<Vec<_>>(), |i| i % 3 == 0);
            assert_eq!(mask.len(), len);
            assert!(mask.iter().enumerate().all(|(i, a)| a == (i % 3 == 0)));
            assert_eq!(mask.count_ones(), len.div_ceil(3));
            assert!(mask.ones().eq((0..len).step_by(3)));
        }
        mask.set(1, true);
        mask.set(0, false);
        assert!(mask.get(1) && !mask.get(0));
    }
}

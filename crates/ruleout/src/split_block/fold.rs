//! Making an oversized filter smaller, without its keys.

use core::array::from_fn;

use super::params::{SplitBlockParams, blocks, blocks_mut, ones_per_word};
use crate::bits::Buf;
use crate::error::ConfigError;
use crate::goal::Goal;
use crate::math::split_block::fpr_of_blocks;
use crate::native::Native;
use crate::simd::split_block::Block;

impl Native<SplitBlockParams> {
    /// Halves the filter as often as its rate, as full as it is, stays at or below `fpr` (0 to 1); gives how many
    /// times. Its capacity becomes the number of keys in it, as far as that is known.
    ///
    /// For a filter that was made for more keys than came. The choice of a block by its hash's high bits keeps
    /// neighbours together: block i of half as many is the union of blocks 2i and 2i + 1, so no key is needed and
    /// none is lost. A filter of an odd number of blocks cannot be halved: start from a multiple of a power of
    /// two where folding is planned.
    ///
    /// ```
    /// use ruleout::{Filter, SplitBlock, SplitBlockParams, Hasher};
    /// let mut wide = SplitBlock::new(SplitBlockParams::new(1_000_000, 40_960)?, Hasher::default())?;
    /// wide.insert_keys(&["a", "few", "keys"]);
    /// assert_eq!(wide.fold_to_fpr(0.01)?, 13);
    /// assert_eq!(wide.params().blocks(), 5);
    /// assert!(wide.may_contain(b"few") && wide.expected_fpr() <= 0.01);
    /// # Ok::<(), ruleout::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for a rate that is not between 0 and 1, [`ConfigError::OutOfMemory`]; the
    /// filter is then as it was.
    ///
    /// # Complexity
    /// Reads the filter once for every halving tried; allocates the result.
    pub fn fold_to_fpr(&mut self, fpr: f64) -> Result<u32, ConfigError> {
        Goal::check_fpr(fpr, 0)?;
        let before = blocks(self.payload());
        let mut times = 0;
        while before.len().is_multiple_of(2 << times) && folded_fpr(before, times + 1) <= fpr {
            times += 1;
        }
        if times > 0 {
            let keys = self.len().bound().or(self.tally().keys.map(|keys| libm::ceil(keys) as u64));
            let capacity = keys.unwrap_or(self.capacity());
            let params = SplitBlockParams::new(capacity, (before.len() >> times) as u64)?;
            let mut data = Buf::zeroed(size_of_val(before) >> times)?;
            for (to, from) in blocks_mut(data.as_mut()).iter_mut().zip(folded(before, times)) {
                *to = from;
            }
            *self = Self::from_parts(params, self.hasher().clone(), self.len(), data);
        }
        Ok(times)
    }
}

/// The blocks of the filter halved `times` times.
fn folded(blocks: &[Block], times: u32) -> impl Iterator<Item = Block> + '_ {
    blocks.chunks_exact(1 << times).map(|group| {
        group.iter().fold([0; size_of::<Block>()], |all, block| from_fn(|byte| all[byte] | block[byte]))
    })
}

fn folded_fpr(blocks: &[Block], times: u32) -> f64 {
    fpr_of_blocks(folded(blocks, times).map(|block| ones_per_word(&block)))
}

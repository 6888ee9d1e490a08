//! The bits of a counting filter: whether each counter is above 0.

use crate::bitmap::{self, BitLayout};
use crate::bits::{Buf, Mask};
use crate::error::{ConfigError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Layout, Params, Tally};
use crate::native::Native;

use super::params::{CountingParams, lines, tally};
use super::probe::Positions;
use super::{Counting, CountingBits, line};

/// The length of a line of bits in bytes.
const LINE_BYTES: usize = size_of::<u128>();

/// The validated shape of a [`CountingBits`] filter: that of the counting filter it is the snapshot of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountingBitsParams(CountingParams);

impl CountingBitsParams {
    /// The snapshot of a counting filter of this shape.
    pub const fn of(counting: CountingParams) -> Self {
        Self(counting)
    }

    /// The number of lines of 128 bits.
    pub const fn lines(&self) -> u64 {
        self.0.lines()
    }
}

impl Params for CountingBitsParams {
    const FAMILY: Family = Family::CountingBits;

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        CountingParams::sized(capacity, goal, LINE_BYTES as u64).map(Self)
    }

    fn capacity(&self) -> u64 {
        self.0.capacity()
    }

    fn payload_bytes(&self) -> u64 {
        self.lines() * LINE_BYTES as u64
    }

    fn probes(&self) -> u32 {
        self.0.probes()
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        self.0.fpr_at(keys)
    }
}

impl Layout for CountingBitsParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        CountingParams::read(header).map(Self)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Bitmap, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        self.0.fields()
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        let lines = payload.as_chunks::<LINE_BYTES>().0;
        tally(lines.iter().map(|line| u128::from_le_bytes(*line)), self.probes())
    }

    fn check(&self, _payload: &[u8]) -> Result<(), OpenError> {
        Ok(())
    }

    #[inline(always)]
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        bitmap::test(self, payload, hash)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        bitmap::test_many(self, payload, hashes, hits);
    }
}

impl BitLayout for CountingBitsParams {
    const QUERY_PREFETCH: usize = 1;
    const INSERT_PREFETCH: usize = 1;

    fn positions(&self, hash: u64) -> impl Iterator<Item = u64> + core::fmt::Debug + Clone {
        Positions::new(hash, self.lines(), self.probes())
    }
}

impl<D: AsRef<[u8]>> Counting<D> {
    /// The filter with one bit in place of each counter: a quarter of the size, the same answers, no removal.
    ///
    /// For shipping to where only questions are asked.
    ///
    /// # Errors
    /// [`OpenError`] when this filter was opened without verification and turns out to be damaged, or when memory
    /// runs out.
    pub fn snapshot(&self) -> Result<CountingBits, OpenError> {
        self.ensure_verified()?;
        let params = CountingBitsParams::of(*self.params());
        let mut data = Buf::zeroed(lines(self.payload()).len() * LINE_BYTES)?;
        for (bits, counters) in data.as_mut().as_chunks_mut().0.iter_mut().zip(lines(self.payload())) {
            *bits = line::nonzero(counters).to_le_bytes();
        }
        Ok(Native::from_parts(params, self.hasher().clone(), self.len(), data))
    }

    /// How often the key with this hash was inserted and not removed, at most: 15 stands for 15 or more.
    ///
    /// An upper bound: others can have counted at the same counters.
    pub fn count_hash(&self, hash: u64) -> u8 {
        self.params().count(self.payload(), hash)
    }

    /// How often `key` was inserted and not removed, at most: 15 stands for 15 or more.
    pub fn count(&self, key: &[u8]) -> u8 {
        self.count_hash(self.hasher().hash(key))
    }
}

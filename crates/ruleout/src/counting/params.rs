//! The shape of a counting Bloom filter.

use crate::bits::Mask;
use crate::error::{ConfigError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Endless, Invalid, Layout, Mergeable, Params, Removable, Tally, with_collisions};
use crate::math::counting;
use crate::simd::Vectors;
use crate::simd::line::{self as kernel, line_of};
use crate::traits::Inserted;

use super::line::{self, Line};

/// The most lines whose counters 64 bits can count.
const MAX_LINES: u64 = u64::MAX / counting::LINE_COUNTERS as u64;

/// The validated shape of a [`Counting`](super::Counting) filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountingParams {
    capacity: u64,
    lines: u64,
    probes: u32,
    cpu: Vectors,
}

impl CountingParams {
    /// A filter of `lines` lines of 128 counters with `probes` counters per key, meant for `capacity` keys.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for no lines or no probes, or too many.
    pub fn new(capacity: u64, lines: u64, probes: u32) -> Result<Self, ConfigError> {
        Ok(Self::validated(capacity, lines, u64::from(probes))?)
    }

    pub(super) fn validated(capacity: u64, lines: u64, probes: u64) -> Result<Self, Invalid> {
        if !(1..=MAX_LINES).contains(&lines) {
            return Err(Invalid { field: Field::Lines.name(), value: lines, allowed: "1 to 2^57 - 1" });
        }
        match u32::try_from(probes) {
            Ok(probes @ 1..=counting::MAX_PROBES) => {
                Ok(Self { capacity, lines, probes, cpu: Vectors::detect() })
            }
            _ => Err(Invalid { field: Field::Probes.name(), value: probes, allowed: "1 to 32" }),
        }
    }

    /// The shape that reaches `goal` with `line_bytes` bytes for each line.
    pub(super) fn sized(capacity: u64, goal: Goal, line_bytes: u64) -> Result<Self, ConfigError> {
        let lines = match goal {
            Goal::Fpr(fpr) => {
                let fpr = Goal::check_fpr(fpr, capacity)?;
                let size = counting::size(capacity, fpr)
                    .ok_or(ConfigError::TooLarge { what: "counters", capacity })?;
                return Self::new(capacity, size.lines, size.probes);
            }
            // A small filter has one line at least, even where the bits per key make less.
            Goal::BitsPerKey(bits_per_key) => {
                (Goal::check_bits(bits_per_key, capacity)? / (8 * line_bytes)).max(1)
            }
            Goal::SizeBytes(bytes) => Goal::check_bytes(bytes, line_bytes)?,
        };
        Self::new(capacity, lines, counting::best_probes(lines, capacity))
    }

    /// The number of lines of 128 counters.
    pub const fn lines(&self) -> u64 {
        self.lines
    }

    /// How often the key with this hash may have been inserted.
    pub(super) fn count(&self, payload: &[u8], hash: u64) -> u8 {
        let lines = lines(payload);
        line::least(&lines[line_of(hash, lines.len())], hash, self.probes)
    }
}

#[inline(always)]
pub(super) fn lines(payload: &[u8]) -> &[Line] {
    payload.as_chunks().0
}

#[inline(always)]
fn lines_mut(payload: &mut [u8]) -> &mut [Line] {
    payload.as_chunks_mut().0
}

impl Params for CountingParams {
    const FAMILY: Family = Family::Counting;

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        Self::sized(capacity, goal, size_of::<Line>() as u64)
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn payload_bytes(&self) -> u64 {
        self.lines * size_of::<Line>() as u64
    }

    fn probes(&self) -> u32 {
        self.probes
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        with_collisions(counting::fpr(self.lines, self.probes, keys), keys)
    }
}

impl Layout for CountingParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        let [probes, lines] = header.integers_of([Field::Probes, Field::Lines])?;
        Ok(Self::validated(header.capacity(), lines, probes)?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Counters, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        [(Field::Probes, self.probes.into()), (Field::Lines, self.lines.into())].into_iter()
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        tally(lines(payload).iter().map(line::nonzero), self.probes)
    }

    fn check(&self, _payload: &[u8]) -> Result<(), OpenError> {
        // Every nibble is a counter, and any value of one can be reached.
        Ok(())
    }

    #[inline(always)]
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        kernel::test::<{ counting::LINE_COUNTERS }>(self.cpu, lines(payload), hash, self.probes)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        kernel::test_many::<{ counting::LINE_COUNTERS }>(self.cpu, lines(payload), hashes, self.probes, hits);
    }
}

impl Endless for CountingParams {
    #[inline(always)]
    fn set(&self, payload: &mut [u8], hash: u64) -> Inserted {
        Inserted::new_if(kernel::increment(self.cpu, lines_mut(payload), hash, self.probes))
    }

    fn set_many(&self, payload: &mut [u8], hashes: &[u64]) -> usize {
        kernel::increment_many(self.cpu, lines_mut(payload), hashes, self.probes)
    }
}

impl Removable for CountingParams {
    fn remove(&self, payload: &mut [u8], hash: u64) -> bool {
        let lines = lines_mut(payload);
        let at = line_of(hash, lines.len());
        line::decrement(&mut lines[at], hash, self.probes)
    }
}

/// The multiset of both: each counter the sum of both, sticky at 15.
impl Mergeable for CountingParams {
    fn merge(&self, ours: &mut [u8], theirs: &[u8]) {
        for (ours, theirs) in lines_mut(ours).iter_mut().zip(lines(theirs)) {
            line::add(ours, theirs);
        }
    }
}

/// What the sets of counters above 0, one for each line, show.
pub(super) fn tally(nonzero: impl Iterator<Item = u128>, probes: u32) -> Tally {
    let mut lines_with = [0u64; counting::LINE_COUNTERS as usize + 1];
    let (mut lines, mut ones) = (0u64, 0u64);
    for set in nonzero {
        lines_with[set.count_ones() as usize] += 1;
        ones += u64::from(set.count_ones());
        lines += 1;
    }
    Tally {
        fill: ones as f64 / (lines * u64::from(counting::LINE_COUNTERS)) as f64,
        fpr: counting::fpr_of_lines(&lines_with, probes),
        keys: counting::estimate_keys(&lines_with, probes),
    }
}

//! The shape of a blocked Bloom filter.

use crate::bitmap::BitLayout;
use crate::bits::{Mask, count_lines};
use crate::error::{ConfigError, OpenError};
use crate::family::Family;
use crate::frame::{Field, Header, Section, Value};
use crate::goal::Goal;
use crate::layout::{Invalid, Layout, Params, Tally, with_collisions};
use crate::math::blocked;
use crate::simd::{Vectors, line as kernel};
use crate::traits::Inserted;

use super::probe::Positions;

/// The length of a line in bytes: a cache line of most machines.
const LINE_BYTES: usize = blocked::LINE_BITS as usize / 8;
/// The most lines whose bits 64 bits can count.
const MAX_LINES: u64 = u64::MAX / blocked::LINE_BITS as u64;

/// The validated shape of a [`Blocked`](super::Blocked) filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedParams {
    capacity: u64,
    lines: u64,
    probes: u32,
    cpu: Vectors,
}

impl BlockedParams {
    /// A filter of `lines` lines of 512 bits with `probes` positions per key, meant for `capacity` keys.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for no lines or no probes, or too many.
    pub fn new(capacity: u64, lines: u64, probes: u32) -> Result<Self, ConfigError> {
        Ok(Self::validated(capacity, lines, u64::from(probes))?)
    }

    pub(crate) fn validated(capacity: u64, lines: u64, probes: u64) -> Result<Self, Invalid> {
        if !(1..=MAX_LINES).contains(&lines) {
            return Err(Invalid { field: Field::Lines.name(), value: lines, allowed: "1 to 2^55 - 1" });
        }
        match u32::try_from(probes) {
            Ok(probes @ 1..=blocked::MAX_PROBES) => {
                Ok(Self { capacity, lines, probes, cpu: Vectors::detect() })
            }
            _ => Err(Invalid { field: Field::Probes.name(), value: probes, allowed: "1 to 32" }),
        }
    }

    /// The number of lines of 512 bits.
    pub const fn lines(&self) -> u64 {
        self.lines
    }
}

impl Params for BlockedParams {
    const FAMILY: Family = Family::Blocked;

    fn for_goal(capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        let lines = match goal {
            Goal::Fpr(fpr) => {
                let fpr = Goal::check_fpr(fpr, capacity)?;
                let size =
                    blocked::size(capacity, fpr).ok_or(ConfigError::TooLarge { what: "bits", capacity })?;
                return Self::new(capacity, size.lines, size.probes);
            }
            // A small filter has one line at least, even where the bits per key make less.
            Goal::BitsPerKey(bits_per_key) => {
                (Goal::check_bits(bits_per_key, capacity)? / u64::from(blocked::LINE_BITS)).max(1)
            }
            Goal::SizeBytes(bytes) => Goal::check_bytes(bytes, LINE_BYTES as u64)?,
        };
        Self::new(capacity, lines, blocked::best_probes(lines, capacity))
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn payload_bytes(&self) -> u64 {
        self.lines * LINE_BYTES as u64
    }

    fn probes(&self) -> u32 {
        self.probes
    }

    fn fpr_at(&self, keys: u64) -> f64 {
        with_collisions(blocked::fpr(self.lines, self.probes, keys), keys)
    }
}

impl Layout for BlockedParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        let [probes, lines] = header.integers_of([Field::Probes, Field::Lines])?;
        Ok(Self::validated(header.capacity(), lines, probes)?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        core::iter::once((Section::Bitmap, self.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        [(Field::Probes, self.probes.into()), (Field::Lines, self.lines.into())].into_iter()
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        let mut lines_with = [0u64; blocked::LINE_BITS as usize + 1];
        count_lines(payload.as_chunks::<LINE_BYTES>().0, &mut lines_with);
        let ones: u64 = lines_with.iter().zip(0..).map(|(lines, ones)| lines * ones).sum();
        Tally {
            fill: ones as f64 / (self.lines * u64::from(blocked::LINE_BITS)) as f64,
            fpr: blocked::fpr_of_lines(&lines_with, self.probes),
            keys: blocked::estimate_keys(&lines_with, self.probes),
        }
    }

    fn check(&self, _payload: &[u8]) -> Result<(), OpenError> {
        // Every bit belongs to a line: any pattern of them is the union of some keys' bits, or close to it.
        Ok(())
    }

    #[inline(always)]
    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        kernel::test::<{ blocked::LINE_BITS }>(self.cpu, payload.as_chunks().0, hash, self.probes)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        kernel::test_many::<{ blocked::LINE_BITS }>(
            self.cpu,
            payload.as_chunks().0,
            hashes,
            self.probes,
            hits,
        );
    }
}

impl BitLayout for BlockedParams {
    const QUERY_PREFETCH: usize = 1;
    const INSERT_PREFETCH: usize = 1;

    fn positions(&self, hash: u64) -> impl Iterator<Item = u64> + core::fmt::Debug + Clone {
        Positions::new(hash, self.lines, self.probes)
    }

    #[inline(always)]
    fn set_bits(&self, payload: &mut [u8], hash: u64) -> Inserted {
        Inserted::new_if(kernel::set(self.cpu, payload.as_chunks_mut().0, hash, self.probes))
    }

    fn set_bits_many(&self, payload: &mut [u8], hashes: &[u64]) -> usize {
        kernel::set_many(self.cpu, payload.as_chunks_mut().0, hashes, self.probes)
    }
}

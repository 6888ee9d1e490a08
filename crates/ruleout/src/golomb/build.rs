//! From hashes in ascending order to codes.

use alloc::vec::Vec;

use super::params::GolombParams;
use super::shape::Shape;
use crate::build::{Sink, Watch};
use crate::collect::SortedHashes;
use crate::error::{BuildError, ConfigError};
use crate::goal::Goal;
use crate::layout::Params;
use crate::math::golomb::{self, GolombSize, bits_of};

/// The shape of the filter of these hashes: its length is known when all distances are.
///
/// A size to stay within is met by a shape with fewer values, where the hashes come out longer than planned.
pub(super) fn plan(goal: Goal, hashes: &mut SortedHashes) -> Result<GolombParams, BuildError> {
    let keys = hashes.len();
    let planned = GolombParams::for_goal(keys, goal)?;
    if keys == 0 {
        return Ok(planned);
    }
    let mut params = measured(keys, planned.size(), hashes)?;
    let Some(room) = GolombParams::room(goal, keys)? else { return Ok(params) };
    let mut bits = room;
    let mut less = 1;
    while params.bits() > room {
        // Hashes that pile up may have an index far longer than planned: each time at least twice as much less.
        bits = bits.saturating_sub((params.bits() - room).min(bits / 2).max(less)).max(1);
        less *= 2;
        let size = golomb::fit(bits, keys).ok_or(ConfigError::TooSmall { bytes: room / 8, least: 1 })?;
        params = measured(keys, size, hashes)?;
    }
    Ok(params)
}

/// The shape of this size for these hashes.
pub(super) fn measured(
    keys: u64,
    size: GolombSize,
    hashes: &mut SortedHashes,
) -> Result<GolombParams, BuildError> {
    let shape = Shape::new(size, 0, 0, 0);
    let mut starts = Vec::new();
    let mut code_bits = 0;
    each_bucket(&shape, hashes, &mut Watch::none(), |values| {
        starts.push(code_bits);
        code_bits += bits_of_codes(values, size.rice_bits);
        Ok(())
    })?;
    let index = index_of(size, code_bits, starts.into_iter());
    Ok(GolombParams::of_recipe(keys, size, code_bits, index)?)
}

/// The bits of an entry and the bias, both as small as can be, for buckets that begin at these bits.
pub(super) fn index_of(size: GolombSize, code_bits: u64, starts: impl Iterator<Item = u64>) -> (u32, u64) {
    let shape = Shape::new(size, code_bits, 0, 0);
    // At most 2^54 either way.
    let behind_even = (0..).zip(starts).map(|(bucket, start)| start as i64 - shape.even(bucket) as i64);
    let (least, most) = behind_even
        .skip(1)
        .fold((0, i64::MIN), |(least, most), behind| (least.min(behind), most.max(behind)));
    if size.buckets == 1 {
        return (0, 0);
    }
    // One bit at least, so that no index has more entries than bits.
    (bits_of(most.abs_diff(least)).max(1), least.unsigned_abs())
}

/// Writes index and codes.
pub(super) fn solve(
    shape: &Shape,
    mut hashes: SortedHashes,
    payload: &mut Sink<'_>,
    watch: &mut Watch<'_>,
) -> Result<(), BuildError> {
    if hashes.is_empty() {
        return Ok(());
    }
    let mut writer = BitWriter::new(payload);
    let (mut bucket, mut start) = (0, 0);
    each_bucket(shape, &mut hashes, &mut Watch::none(), |values| {
        if bucket > 0 {
            writer.push((start + shape.offset_bias) - shape.even(bucket), shape.offset_bits)?;
        }
        start += bits_of_codes(values, shape.size.rice_bits);
        bucket += 1;
        Ok(())
    })?;
    each_bucket(shape, &mut hashes, watch, |values| write_codes(&mut writer, values, shape.size.rice_bits))?;
    writer.finish()
}

/// Gives the values of each bucket to `take`, ascending, each once.
fn each_bucket(
    shape: &Shape,
    hashes: &mut SortedHashes,
    watch: &mut Watch<'_>,
    mut take: impl FnMut(&[u64]) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let (mut bucket, mut values) = (0, Vec::new());
    hashes.each(|some| {
        for &hash in some {
            let (its_bucket, value) = shape.place(hash);
            while bucket < its_bucket {
                take(&values)?;
                values.clear();
                bucket += 1;
            }
            if values.last() != Some(&value) {
                values.push(value);
            }
        }
        watch.step(some.len() as u64)
    })?;
    while bucket < shape.size.buckets {
        take(&values)?;
        values.clear();
        bucket += 1;
    }
    Ok(())
}

/// What is passed over before each value.
fn distances(values: &[u64]) -> impl DoubleEndedIterator<Item = u64> {
    let before = |i: usize| i.checked_sub(1).map_or(0, |i| values[i] + 1);
    values.iter().enumerate().map(move |(i, value)| value - before(i))
}

fn bits_of_codes(values: &[u64], rice_bits: u32) -> u64 {
    let quotients: u64 = distances(values).map(|distance| distance >> rice_bits).sum();
    quotients + values.len() as u64 * (1 + u64::from(rice_bits))
}

fn write_codes(writer: &mut BitWriter<'_, '_>, values: &[u64], rice_bits: u32) -> Result<(), BuildError> {
    for distance in distances(values) {
        let mut zeros = distance >> rice_bits;
        while zeros >= u64::from(BitWriter::MOST) {
            writer.push(0, BitWriter::MOST)?;
            zeros -= u64::from(BitWriter::MOST);
        }
        writer.push(1 << zeros, zeros as u32 + 1)?;
    }
    let low = (1 << rice_bits) - 1;
    distances(values).rev().try_for_each(|distance| writer.push(distance & low, rice_bits))
}

/// Puts numbers side by side, least significant bit first.
struct BitWriter<'w, 's> {
    payload: &'w mut Sink<'s>,
    bytes: Vec<u8>,
    /// Bits that make no word yet.
    bits: u64,
    count: u32,
}

impl<'w, 's> BitWriter<'w, 's> {
    /// The most bits of a number.
    const MOST: u32 = 56;
    /// So many bytes are handed on at once.
    const BYTES: usize = 1 << 16;

    fn new(payload: &'w mut Sink<'s>) -> Self {
        Self { payload, bytes: Vec::with_capacity(Self::BYTES), bits: 0, count: 0 }
    }

    /// Appends a number of `bits` bits.
    #[inline]
    fn push(&mut self, number: u64, bits: u32) -> Result<(), BuildError> {
        self.bits |= number << self.count;
        self.count += bits;
        if self.count >= u64::BITS {
            self.bytes.extend(self.bits.to_le_bytes());
            self.count -= u64::BITS;
            self.bits = number >> (bits - self.count);
            if self.bytes.len() == Self::BYTES {
                self.payload.write(&self.bytes)?;
                self.bytes.clear();
            }
        }
        Ok(())
    }

    /// Hands on what is left, and zeros up to a whole byte.
    fn finish(mut self) -> Result<(), BuildError> {
        self.bytes.extend(&self.bits.to_le_bytes()[..self.count.div_ceil(8) as usize]);
        self.payload.write(&self.bytes)
    }
}

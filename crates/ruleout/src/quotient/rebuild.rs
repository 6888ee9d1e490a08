//! Merging and growing: a new table from fingerprints in order.

use core::cmp::Ordering;
use core::fmt;
use core::iter::Peekable;

use super::block::Shape;
use super::control::Control;
use super::insert::NoRoom;
use super::iter::Fingerprints;
use super::writer::Writer;
use super::{Quotient, QuotientParams};
use crate::bits::Buf;
use crate::error::{AllocError, MergeError};
use crate::layout::{Params, Tally};
use crate::native::Native;
use crate::traits::Merge;

impl Native<QuotientParams> {
    /// Makes this the filter of both multisets, without copying `other` and without any key.
    ///
    /// Allowed when both have the same fingerprints: an equal hash identity and an equal
    /// [universe](QuotientParams::universe), whatever their slots. The result has this filter's slots when it fits;
    /// otherwise, each time it does not, twice the slots, a remainder bit less and twice the capacity, which leaves
    /// the fingerprints as they are. Counts add up. What [`Native::len`] says is an upper bound from here on.
    ///
    /// # Errors
    /// [`MergeError`] naming the first difference, with both values; the damage in `other` if it was opened without
    /// verification; or that there is no room, and no remainder bit left or no use in more slots: where hashes pile up
    /// in one place it would take far more than both have. This filter is then as it was.
    ///
    /// # Complexity
    /// Reads both once, in order, and writes a third: O(n + m) time, and the memory of the result.
    pub fn merge_view<D: AsRef<[u8]>>(&mut self, other: &Quotient<D>) -> Result<(), MergeError> {
        self.check_same_hash(other)?;
        let (ours, theirs) = (self.params().universe(), other.params().universe());
        if ours != theirs {
            let (ours, theirs) = (ours.into(), theirs.into());
            return Err(MergeError::Layout { field: "fingerprint universes", ours, theirs });
        }
        other.ensure_verified().map_err(MergeError::Damaged)?;
        // What 64 bits hold when all of it is added up, they hold of each fingerprint.
        let copies = [Control::read(self.payload()).copies, Control::read(other.payload()).copies];
        copies[0].checked_add(copies[1]).ok_or(NoBits::of(*self.params())).map_err(Refused::Bits)?;
        let most = most_bytes(self.payload().len() + other.payload().len());
        let (params, data) = rebuild(*self.params(), most, || Union {
            ours: self.fingerprints().peekable(),
            theirs: other.fingerprints().peekable(),
        })?;
        let len = self.len().union(other.len());
        *self = Self::from_parts(params, self.hasher().clone(), len, data);
        Ok(())
    }

    /// Doubles the slots and the capacity, without any key: a bit of every remainder becomes one of the quotient.
    ///
    /// Every fingerprint and every answer stay as they are, and so does the rate at the same number of keys. What it
    /// costs is in the result: the rate at the new capacity is twice that at the old one, and one remainder bit is
    /// gone.
    ///
    /// # Errors
    /// [`GrowError`] when no remainder bit is left to take, or memory runs out. The filter is then as it was.
    ///
    /// # Complexity
    /// Reads the filter once and writes a new one: O(n) time, and the memory of the result.
    pub fn grow(&mut self) -> Result<Growth, GrowError> {
        let before = *self.params();
        let doubled = before.doubled().ok_or(NoBits::of(before))?;
        let (after, data) = rebuild(doubled, most_bytes(self.payload().len()), || self.fingerprints())?;
        *self = Self::from_parts(after, self.hasher().clone(), self.len(), data);
        let Tally { fpr, .. } = self.tally();
        Ok(Growth {
            slots: after.slots(),
            remainder_bits: after.remainder_bits(),
            fpr,
            fpr_at_old_capacity: before.fpr_at(before.capacity()),
            fpr_at_new_capacity: after.fpr_at(after.capacity()),
        })
    }
}

impl Merge for Quotient {
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.merge_view(other)
    }
}

/// What growing made of a filter, and what it cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The slots there are now.
    pub slots: u64,
    /// The remainder bits that are left; growing takes one, and [`QuotientParams::MIN_REMAINDER_BITS`] must stay.
    pub remainder_bits: u32,
    /// The expected false-positive rate of this very filter, 0 to 1: the same after as before.
    pub fpr: f64,
    /// The rate when the capacity it had is reached: the same after as before.
    pub fpr_at_old_capacity: f64,
    /// The rate when the capacity it has now is reached: close to twice as high.
    pub fpr_at_new_capacity: f64,
}

/// A filter that could not grow; it is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrowError {
    /// Twice the slots need a remainder bit, and none can be spared.
    OutOfBits {
        /// The slots that are not enough.
        slots: u64,
        /// The remainder bits they have.
        remainder_bits: u32,
    },
    /// The allocator refused.
    OutOfMemory(AllocError),
}

impl fmt::Display for GrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBits { slots, remainder_bits } => write!(
                f,
                "cannot grow beyond {slots} slots: of {remainder_bits} remainder bits none can be spared"
            ),
            Self::OutOfMemory(refused) => refused.fmt(f),
        }
    }
}

impl core::error::Error for GrowError {}

impl From<Refused> for GrowError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Bits(NoBits { slots, remainder_bits }) => Self::OutOfBits { slots, remainder_bits },
            Refused::Memory(refused) => Self::OutOfMemory(refused),
        }
    }
}

impl From<NoBits> for GrowError {
    fn from(no_bits: NoBits) -> Self {
        Refused::Bits(no_bits).into()
    }
}

impl From<Refused> for MergeError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Bits(NoBits { slots, remainder_bits }) => Self::Full { slots, remainder_bits },
            Refused::Memory(refused) => Self::OutOfMemory(refused),
        }
    }
}

/// Why there is no new table.
enum Refused {
    Bits(NoBits),
    Memory(AllocError),
}

/// The shape that is too small and cannot be doubled.
struct NoBits {
    slots: u64,
    remainder_bits: u32,
}

impl NoBits {
    fn of(params: QuotientParams) -> Self {
        Self { slots: params.slots(), remainder_bits: params.remainder_bits() }
    }
}

/// How long a table made of others may be, `bytes` together. The slots in use double at most once, or twice for their
/// digits; fingerprints that still have no room are piled up in one place by somebody who chose them, and would have
/// every table tried up to that of all fingerprints.
fn most_bytes(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(4)
}

/// A table of what `entries` gives, in ascending order, with the slots of `params`, or doubled until it fits while it
/// has no more than `most` bytes.
fn rebuild<I: Iterator<Item = (u64, u64)>>(
    mut params: QuotientParams,
    most: u64,
    entries: impl Fn() -> I,
) -> Result<(QuotientParams, Buf), Refused> {
    loop {
        let bytes = params.payload_bytes();
        let refused = Refused::Memory(AllocError { bytes });
        let mut data = match usize::try_from(bytes).ok().map(Buf::zeroed) {
            Some(data) => data.map_err(Refused::Memory)?,
            None => return Err(refused),
        };
        match write(params.shape(), data.as_mut(), entries()) {
            Ok(()) => return Ok((params, data)),
            Err(NoRoom) => {
                let doubled = params.doubled().filter(|doubled| doubled.payload_bytes() <= most);
                params = doubled.ok_or(Refused::Bits(NoBits::of(params)))?;
            }
        }
    }
}

fn write(shape: Shape, payload: &mut [u8], entries: impl Iterator<Item = (u64, u64)>) -> Result<(), NoRoom> {
    let mut writer = Writer::new(shape, payload);
    for (fingerprint, count) in entries {
        writer.append(fingerprint, count)?;
    }
    writer.finish();
    Ok(())
}

/// Both in order; what is in both has the sum of the counts.
struct Union<'a> {
    ours: Peekable<Fingerprints<'a>>,
    theirs: Peekable<Fingerprints<'a>>,
}

impl Iterator for Union<'_> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        match (self.ours.peek(), self.theirs.peek()) {
            (Some(&(ours, our_count)), Some(&(theirs, their_count))) => match ours.cmp(&theirs) {
                Ordering::Less => self.ours.next(),
                Ordering::Greater => self.theirs.next(),
                Ordering::Equal => {
                    self.ours.next();
                    self.theirs.next();
                    // Exact, as the sum of all copies is; bytes that change under the reader make no panic.
                    Some((ours, our_count.saturating_add(their_count)))
                }
            },
            (Some(_), None) => self.ours.next(),
            (None, _) => self.theirs.next(),
        }
    }
}

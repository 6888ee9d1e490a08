//! The codes of one bucket.
//!
//! ```text
//!            ┌──────────┬─────┬────────┬─ … ─┬──────┬──────┬──────┐
//!   bucket   │ 0 0 1    │ 1   │ 0 1    │     │ low  │ low  │ low  │
//!            │ value 0's│ 1's │ 2's    │     │ of 2 │ of 1 │ of 0 │
//!            └──────────┴─────┴────────┴─ … ─┴──────┴──────┴──────┘
//!              quotients in unary ──▶           ◀── low bits, as many for each
//! ```
//! The quotients go from the front, the low bits from the back, and they meet. So no count of the values is needed, and the
//! low bits of a value do not wait for its quotient: there is a third of the time in that.

use core::ops::Range;

use super::shape::{WORD_BITS, bits_at};

/// The values of a bucket in ascending order.
#[derive(Clone, Debug)]
pub(super) struct Values<'a> {
    payload: &'a [u8],
    rice_bits: u32,
    /// What of the latest word of quotients was not read, and where that word and the next one begin.
    word: u64,
    at: u64,
    next: u64,
    /// Where the last quotient read ends.
    end: u64,
    /// Where the last low bits read begin.
    low: u64,
    /// Where the quotients begin, and the ones of those read: a later one's zeros are what lies before it but for that.
    ones: u64,
    /// The low bits of all values read, and the one from each of them to the next.
    sum: u64,
}

/// A value, and the quotients up to its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub value: u64,
    pub quotients: u64,
}

impl<'a> Values<'a> {
    /// The values whose codes are these bits of the payload.
    #[inline(always)]
    pub fn new(payload: &'a [u8], codes: Range<u64>, rice_bits: u32) -> Self {
        let Range { start, end } = codes;
        Self {
            payload,
            rice_bits,
            word: 0,
            at: start,
            next: start,
            end: start,
            low: end,
            ones: start,
            sum: 0,
        }
    }

    /// The bits between quotients and low bits: none behind the last value of a sound bucket.
    pub fn rest(&self) -> u64 {
        self.low.saturating_sub(self.end)
    }
}

impl Iterator for Values<'_> {
    type Item = Value;

    /// Each takes at least one bit of the bucket. What no writer wrote may wrap around, and makes some value.
    #[inline(always)]
    fn next(&mut self) -> Option<Value> {
        while self.word == 0 {
            if self.next >= self.low {
                return None;
            }
            self.at = self.next;
            self.next += u64::from(WORD_BITS);
            self.word = bits_at(self.payload, self.at, WORD_BITS);
        }
        let one = self.at + u64::from(self.word.trailing_zeros());
        self.word &= self.word - 1;
        if one + u64::from(self.rice_bits) >= self.low {
            return None;
        }
        self.low -= u64::from(self.rice_bits);
        self.end = one + 1;
        let quotients = one - self.ones;
        self.sum = self.sum.wrapping_add(bits_at(self.payload, self.low, self.rice_bits));
        let value = (quotients << self.rice_bits).wrapping_add(self.sum);
        self.ones += 1;
        self.sum = self.sum.wrapping_add(1);
        Some(Value { value, quotients })
    }
}

//! A line of counters: two to a byte, the even one in the low half.

use crate::math::counting::{LINE_COUNTERS, STICKY_AT};

/// The length of a line in bytes: a cache line of most machines.
pub(super) const LINE_BYTES: usize = LINE_COUNTERS as usize / 2;

/// 128 counters of four bits.
pub(super) type Line = [u8; LINE_BYTES];

/// The counters of a set, ascending.
fn members(mut set: u128) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        (set != 0).then(|| {
            let at = set.trailing_zeros() as usize;
            set &= set - 1;
            at
        })
    })
}

/// The value of counter `at`.
#[inline(always)]
pub(super) fn get(line: &Line, at: usize) -> u8 {
    line[at / 2] >> (at % 2 * 4) & 0xf
}

/// One in counter `at`.
#[inline(always)]
fn one(at: usize) -> u8 {
    1 << (at % 2 * 4)
}

/// Counts one more key at each counter of the set; whether one of them was 0. A counter at 15 stays there.
#[inline(always)]
pub(super) fn increment(line: &mut Line, set: u128) -> bool {
    let mut fresh = false;
    for at in members(set) {
        let value = get(line, at);
        fresh |= value == 0;
        line[at / 2] += if value < STICKY_AT { one(at) } else { 0 };
    }
    fresh
}

/// Counts one key less at each counter of the set, unless one of them is 0: whether that was so. A counter that
/// has reached 15 may stand for more keys than it can say, and stays there for ever.
pub(super) fn decrement(line: &mut Line, set: u128) -> bool {
    if least(line, set) == 0 {
        return false;
    }
    for at in members(set) {
        line[at / 2] -= if get(line, at) < STICKY_AT { one(at) } else { 0 };
    }
    true
}

/// The least of the counters of the set; 15 when there are none.
pub(super) fn least(line: &Line, set: u128) -> u8 {
    members(set).map(|at| get(line, at)).min().unwrap_or(STICKY_AT)
}

/// Adds `from` to `into`, counter by counter, up to 15.
pub(super) fn add(into: &mut Line, from: &Line) {
    for (a, b) in into.iter_mut().zip(from) {
        let low = ((*a & 0xf) + (b & 0xf)).min(STICKY_AT);
        let high = ((*a >> 4) + (b >> 4)).min(STICKY_AT);
        *a = low | high << 4;
    }
}

/// The set of counters above 0.
pub(super) fn nonzero(line: &Line) -> u128 {
    line.iter().enumerate().fold(0, |set, (i, byte)| {
        let pair = u128::from(byte & 0xf != 0) | u128::from(byte >> 4 != 0) << 1;
        set | pair << (2 * i)
    })
}

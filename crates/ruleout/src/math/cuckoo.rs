//! Cuckoo filters with overlapping windows of two slots.
//!
//! Window `w` of a table is its slots `w` and `w + 1`. A key has a fingerprint, one of `V` values, and two
//! windows: the first chosen uniformly, the second so that both add up to `h` modulo the number of windows `W`,
//! where `h` depends on the fingerprint alone. The key lies in one of the four slots, as a tag: its fingerprint,
//! and one bit for the slot of the window it is in. A tag therefore names its key's windows, either of them gives
//! the other, and a lookup compares each of the four slots with one value.
//!
//! # Rate
//!
//! With `W` even and every `h` odd no window is its own partner. So for each fingerprint the windows fall into
//! `W/2` pairs, and a key is one of `C` classes, all equally likely: a fingerprint with a pair. A lookup finds
//! exactly the keys of its class, wherever they were moved:
//!
//! ```text
//! rate  =  1 − (1 − 1/C)^n,     C = V·W/2          about 2n/(V·S) = 4·load·2^−t with tags of t bits
//! ```
//!
//! exactly, whatever the order of inserts. (The usual `1 − (1 − load·2^−t)^4` takes the four slots as independent,
//! which they are not, and is higher by a share of `load·2^−t / 2`.) Overlapping windows are due to Dietzfelbinger and
//! Weidling, "Balanced allocation and dictionaries with tightly packed constant size bins", Theoretical Computer
//! Science 380 (2007), §5; the slot's bit and the filter: Schmitz, Zentgraf and Rahmann, "Smaller and more
//! flexible cuckoo filters", arXiv 2505.05847 (2025).
//!
//! # Design load
//!
//! Many keys can be placed up to a load of 0.964995 (Walzer, "Load thresholds for cuckoo hashing with overlapping
//! blocks", ACM Transactions on Algorithms 19 (2023)), against 0.897012 for two aligned buckets of two. Near it an
//! insert moves more and more tags. Simulated with random moves, it takes 61 on average between 93 and 94 % load, 131
//! between 94 and 95 %, 530 between 95 and 96 %; a whole build to 94 % takes 2.3 for each key. The numbers of moves are
//! geometric: between 93 and 94 % one insert in 500 takes more than 500, so that with such a limit a table of a
//! million slots fails at 93.1 %. [`MAX_LOAD`] therefore goes with [`MAX_MOVES`]. In a small table a few keys that share
//! their windows can fail it; [`slots`] leaves room against that.
//!
//! # Example
//!
//! ```
//! use ruleout::math::cuckoo;
//!
//! // 1 % needs tags of 9 bits: 9.6 bits for each key, and the rate is below 0.75 %.
//! let size = cuckoo::size(1_000_000, 0.01).unwrap();
//! assert_eq!(size.tag_bits, 9);
//! assert!(size.bits() as f64 / 1e6 < 9.6);
//! assert!(cuckoo::fpr(size.slots, size.tag_bits, 1_000_000) < 0.0075);
//! ```

use super::bloom::expected_fill;
use super::elementary::{ceil, exp_m1, ln_1p, pow, sqrt};
use super::{binomial, search};

/// The fewest bits of a tag; fewer are treated as this many.
pub const MIN_TAG_BITS: u32 = 4;

/// The most bits of a tag; more are treated as this many.
pub const MAX_TAG_BITS: u32 = 32;

/// The fewest slots of a table that can hold a key: two windows.
pub const MIN_SLOTS: u64 = 3;

/// The load that large tables are planned for: keys per slot.
pub const MAX_LOAD: f64 = MAX_LOAD_PARTS.0 as f64 / MAX_LOAD_PARTS.1 as f64;

/// [`MAX_LOAD`] as a fraction: numbers of slots do not pass through a float.
const MAX_LOAD_PARTS: (u128, u128) = (47, 50);

/// The number of tags that one insert may move before it gives up, for which [`slots`] was found.
pub const MAX_MOVES: u32 = 4096;

/// The most [refusals] that [`size`] allows.
pub const MAX_REFUSALS: f64 = 1e-3;

/// Slots in the two windows of a key: so many copies of one class fit.
const COPIES: u8 = 4;

/// Slots in two windows that overlap.
const COPIES_OVERLAPPING: u8 = 3;

/// The size of a cuckoo filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CuckooSize {
    /// Slots, of which each holds one tag.
    pub slots: u64,
    /// Bits of each tag.
    pub tag_bits: u32,
}

impl CuckooSize {
    /// The bits of all tags.
    pub fn bits(self) -> u128 {
        u128::from(self.slots) * u128::from(clamped(self.tag_bits))
    }
}

const fn clamped(tag_bits: u32) -> u32 {
    if tag_bits < MIN_TAG_BITS {
        MIN_TAG_BITS
    } else if tag_bits > MAX_TAG_BITS {
        MAX_TAG_BITS
    } else {
        tag_bits
    }
}

/// The number `V` of fingerprints in tags of `tag_bits` bits: `2^(t−1) − 1`.
///
/// One bit says which slot of its window the tag is in; of what the others can say one value is left for empty
/// slots.
pub const fn fingerprints(tag_bits: u32) -> u64 {
    (1 << (clamped(tag_bits) - 1)) - 1
}

/// The number `W` of windows in a table of `slots` slots: `S − 1`, or one less to make it even.
///
/// With an odd number of windows one would be its own partner, for each fingerprint. Three keys in its two
/// slots are the most likely way for a small table to fail. Where `slots` is even the last slot stays unused.
pub const fn windows(slots: u64) -> u64 {
    slots.saturating_sub(1) & !1
}

/// The number `C` of classes that keys fall into, all equally likely: `V·W/2`.
///
/// Hashes have 64 bits, so there cannot be more than 2⁶⁴ classes; so many and more are `u64::MAX`.
pub const fn classes(slots: u64, fingerprints: u64) -> u64 {
    (windows(slots) / 2).saturating_mul(fingerprints)
}

/// The exact expected false-positive rate of `keys` distinct keys in `slots` slots with tags of `tag_bits` bits.
///
/// Copies of a key change nothing. Without keys it is 0; with keys but with fewer than [`MIN_SLOTS`] slots it
/// is 1. It does not ask whether so many keys fit.
///
/// # Complexity
///
/// Constant.
pub fn fpr(slots: u64, tag_bits: u32, keys: u64) -> f64 {
    fpr_of_values(slots, fingerprints(tag_bits), keys)
}

/// [`fpr`] for a layout with another number `V` of fingerprints than [`fingerprints`] says, because it reserves
/// more values, or none.
///
/// # Complexity
///
/// Constant.
pub fn fpr_of_values(slots: u64, fingerprints: u64, keys: u64) -> f64 {
    expected_fill(classes(slots, fingerprints), 1, keys)
}

/// The expected number of classes with more of `keys` distinct keys than slots: that often an insert is refused
/// whatever is moved.
///
/// ```text
/// (C − 2V) · P(B ≥ 5)  +  2V · P(B ≥ 4),     B ~ Binomial(n, 1/C)
/// ```
///
/// exactly, for of the `W/2` pairs of windows that belong to a fingerprint two overlap, in three slots altogether.
/// It is about `n·(4·load·2^−t)^4 / 120`, so small tags do not go with many keys: a million keys make 2·10⁻⁵ with
/// 9 bits, 0.1 with 6 bits. Copies of a key come on top.
///
/// # Complexity
///
/// Some hundreds of multiplications.
pub fn refusals(slots: u64, tag_bits: u32, keys: u64) -> f64 {
    let values = fingerprints(tag_bits);
    let classes = classes(slots, values);
    if classes == 0 {
        return if keys > 0 { 1.0 } else { 0.0 };
    }
    let overlapping = (2 * values).min(classes);
    let chance = 1.0 / classes as f64;
    (classes - overlapping) as f64 * binomial::upper_tail(keys, chance, COPIES + 1)
        + overlapping as f64 * binomial::upper_tail(keys, chance, COPIES_OVERLAPPING + 1)
}

/// The fewest slots planned for `keys` keys, an odd number; `None` beyond `u64::MAX`.
///
/// ```text
/// max( 14·n^0.6,  n/0.94 + 1.5·√n )
/// ```
///
/// By simulation so many slots fail at most about once in a million tables: the first term keeps four keys
/// from meeting in the three slots of two overlapping windows, the second allows for the scatter between random
/// tables, and in a load of 0.94 [`MAX_MOVES`] moves find a way. The load is 0.07 at one key, 0.45 at 100, 0.90
/// at 1,000, 0.927 at 10,000, 0.939 at a million. [`refusals`] are apart from that.
///
/// # Complexity
///
/// Constant.
pub fn slots(keys: u64) -> Option<u64> {
    let keys = keys.max(1);
    let n = keys as f64;
    let (part, whole) = MAX_LOAD_PARTS;
    let large = (u128::from(keys) * whole).div_ceil(part) + ceil(1.5 * sqrt(n)) as u128;
    let small = ceil(14.0 * pow(n, 0.6)) as u128;
    u64::try_from(large.max(small) | 1).ok()
}

/// The most keys planned for `slots` slots: the inverse of [`slots`].
///
/// # Complexity
///
/// Some tens of evaluations of [`slots`].
pub fn max_keys(slots: u64) -> u64 {
    let guess = MAX_LOAD * slots as f64;
    search::largest(guess as u64, |keys| self::slots(keys).is_some_and(|planned| planned <= slots))
}

/// The largest number of keys that are planned for `slots` slots and have an exact expected rate of at most `fpr`.
///
/// 0 where not even one key fits, [`max_keys`] if `fpr ≥ 1`. A rate that is negative or NaN counts as 0.
///
/// # Complexity
///
/// Some tens of evaluations of [`fpr`] and [`slots`].
pub fn capacity(slots: u64, tag_bits: u32, fpr: f64) -> u64 {
    if fpr.is_nan() || fpr <= 0.0 {
        return 0;
    }
    let most = max_keys(slots);
    if self::fpr(slots, tag_bits, most) <= fpr {
        return most;
    }
    let guess = ln_1p(-fpr) / ln_1p(-1.0 / classes(slots, fingerprints(tag_bits)) as f64);
    search::largest(guess as u64, |keys| self::fpr(slots, tag_bits, keys) <= fpr)
}

/// The slots and the tag that hold `keys` keys in the fewest bits, with as many slots as [planned](slots) or more, an
/// exact expected rate of at most `fpr` and at most [`MAX_REFUSALS`] refusals.
///
/// The minimum is over every odd number of slots and every `t` from 4 to 32. No keys are treated as one. `None`
/// if `fpr` is not strictly between 0 and 1, or if that takes more than 2⁶⁴ classes.
///
/// # Complexity
///
/// Some hundreds of evaluations of [`fpr`] and [`refusals`], below a millisecond.
pub fn size(keys: u64, fpr: f64) -> Option<CuckooSize> {
    if !(fpr > 0.0 && fpr < 1.0) {
        return None;
    }
    let keys = keys.max(1);
    let planned = slots(keys)?;
    // 1 − (1 − 1/C)^n = p, solved for C.
    let needed = -1.0 / exp_m1(ln_1p(-fpr) / keys as f64);
    let mut best: Option<CuckooSize> = None;
    for tag_bits in MIN_TAG_BITS..=MAX_TAG_BITS {
        // Searched over halves, for odd numbers only.
        let reaches = |half: u64| {
            let slots = half.saturating_mul(2).saturating_add(1);
            self::fpr(slots, tag_bits, keys) <= fpr && refusals(slots, tag_bits, keys) <= MAX_REFUSALS
        };
        let half = if reaches(planned / 2) {
            Some(planned / 2)
        } else {
            let guess = ceil(needed / fingerprints(tag_bits) as f64) as u64;
            search::smallest(guess.max(planned / 2), reaches).map(|half| half.max(planned / 2))
        };
        let Some(slots) = half.and_then(|half| half.checked_mul(2)).map(|even| even | 1) else { continue };
        let size = CuckooSize { slots, tag_bits };
        if classes(slots, fingerprints(tag_bits)) < u64::MAX
            && best.is_none_or(|best| size.bits() < best.bits())
        {
            best = Some(size);
        }
    }
    best
}

/// The slots and the tag with the lowest rate for `keys` keys in `bits` bits altogether.
///
/// The widest tag that leaves as many slots as [planned](slots), then all slots there is room for: another bit
/// of tag halves the rate, as much as twice the slots do. No keys are treated as one. `None` if the bits are too
/// few.
///
/// # Complexity
///
/// Constant.
pub fn fit(bits: u64, keys: u64) -> Option<CuckooSize> {
    let planned = slots(keys)?;
    (MIN_TAG_BITS..=MAX_TAG_BITS).rev().find_map(|tag_bits| {
        let slots = (bits / u64::from(tag_bits)).checked_sub(1)? & !1 | 1;
        (slots >= planned && classes(slots, fingerprints(tag_bits)) < u64::MAX)
            .then_some(CuckooSize { slots, tag_bits })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_arguments() {
        assert_eq!(fpr(0, 9, 0), 0.0);
        for slots in [0, 1, 2] {
            assert_eq!((windows(slots), fpr(slots, 9, 1), refusals(slots, 9, 1)), (0, 1.0, 1.0));
            assert_eq!((max_keys(slots), capacity(slots, 9, 0.5), refusals(slots, 9, 0)), (0, 0, 0.0));
        }
        assert_eq!((windows(3), windows(4), windows(5)), (2, 2, 4));
        assert_eq!((fingerprints(0), fingerprints(9), fingerprints(99)), (7, 255, (1 << 31) - 1));
        assert!((fpr(3, 4, 1) - 1.0 / 7.0).abs() < 1e-15);
        assert!((fpr_of_values(3, 8, 1) - 0.125).abs() < 1e-15);
        assert_eq!(fpr_of_values(9, 0, 1), 1.0);
        assert!(fpr(u64::MAX, 32, u64::MAX) < 0.633);
        assert!(refusals(u64::MAX, 4, u64::MAX) > 0.0);
        assert_eq!(capacity(1001, 9, f64::NAN), 0);
        assert_eq!(capacity(1001, 9, 0.0), 0);
        assert_eq!(capacity(1001, 9, 1.0), max_keys(1001));
        for rate in [0.0, -1.0, 1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(size(10, rate), None);
        }
        assert_eq!(size(u64::MAX, 0.01), None);
        assert_eq!(size(10, 1e-30), None);
        assert_eq!(slots(u64::MAX), None);
        assert_eq!(size(0, 0.01), size(1, 0.01));
        assert_eq!(fit(0, 1), None);
        assert_eq!(fit(3, 1), None);
        assert_eq!(fit(u64::MAX, u64::MAX), None);
    }

    #[test]
    fn capacity_inverts_the_rate_and_the_plan() {
        for (slots, bits, rate) in [(1_001, 9, 0.003), ((1 << 40) + 1, 10, 1e-4), (101, 4, 0.1)] {
            let keys = capacity(slots, bits, rate);
            assert!(fpr(slots, bits, keys) <= rate && fpr(slots, bits, keys + 1) > rate, "{keys}");
        }
        for keys in (1..3000).chain([1 << 30, 1 << 62]) {
            let slots = slots(keys).unwrap();
            assert!(
                slots % 2 == 1 && max_keys(slots) >= keys && max_keys(slots - 1) < keys,
                "{keys}: {slots}"
            );
        }
    }

    #[test]
    fn fit_leaves_no_bit_of_tag_unused() {
        for (bits, keys) in [(9_600_000, 1_000_000), (1_000, 10), (12_345, 100), (1 << 50, 1 << 46)] {
            let size = fit(bits, keys).unwrap();
            assert!(size.bits() <= u128::from(bits) && size.slots >= slots(keys).unwrap(), "{size:?}");
            assert!(u128::from(bits) - size.bits() < 2 * u128::from(size.tag_bits), "{size:?}");
            let wider = u64::from(size.tag_bits + 1);
            assert!(size.tag_bits == MAX_TAG_BITS || bits / wider < slots(keys).unwrap(), "{size:?}");
        }
    }
}

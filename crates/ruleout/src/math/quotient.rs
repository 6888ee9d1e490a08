//! Quotient filters: the set of fingerprints, each split into a slot's number and a remainder.
//!
//! A key's fingerprint is one of `U = S·2^r`, chosen uniformly: the quotient names one of `S` slots (any number,
//! by multiply-shift), the `r` bits of remainder are stored at or behind it. The filter holds exactly the keys'
//! fingerprints, so an absent key is a false positive when one of `n` keys shares its fingerprint:
//!
//! ```text
//! rate  =  1 − (1 − 1/U)^n,     U = S·2^r          about n/S · 2^−r
//! ```
//!
//! exactly, whatever the order or the load. Bender, Farach-Colton, Johnson, Kraner, Kuszmaul, Medjedovic, Montes,
//! Shetty, Spillane and Zadok, "Don't thrash: how to cache your hash on flash", VLDB 2012, §3; blocks with
//! offsets and their 2.125 bits for each slot: Pandey, Bender, Johnson and Patro, "A general-purpose counting
//! filter: making every bit count", SIGMOD 2017, §4.
//!
//! # Design load
//!
//! Lookups find the run of a quotient by counting bits, and runs are short at any load; it is inserts that
//! pay, by moving the remainders up to the next free slot: `½ + ½/(1 − α)²` slots on average at load `α`, as
//! in linear probing (Knuth, *The Art of Computer Programming*, vol. 3, §6.4). That is 13 slots at 0.8, 51 at 0.9,
//! 201 at 0.95 (1,400 bits of 7-bit remainders), 556 at 0.97; a build from empty pays far less, `½ + ½/(1 − α)` on
//! average: 5.5 slots at 0.9. Runs begin behind their slot by a distance that exceeds `x` with probability near
//! `e^(−θx)`, where `α(e^θ − 1) = θ`: at 0.9 `θ = 0.207`, so offsets of 8 bits never saturate (`10⁻²³`), and the last
//! run does not reach beyond [`SPARE_SLOTS`] behind the last slot (`10⁻¹¹`). Hence [`MAX_LOAD`]: 0.95 would save 5 % of
//! the bits, and make keys that come and go four times as dear.
//!
//! # Example
//!
//! ```
//! use ruleout::math::quotient;
//!
//! // 1 % needs remainders of 7 bits: 10.1 bits for each key.
//! let size = quotient::size(1_000_000, 0.01).unwrap();
//! assert_eq!((size.slots, size.remainder_bits), (1_111_112, 7));
//! assert!((size.bits() as f64 / 1e6 - 10.141).abs() < 1e-3);
//!
//! // Growth costs a bit of remainder, and no key: the rate stays, until twice the keys double it.
//! let grown = quotient::grown(size, 1).unwrap();
//! let rate = |size: quotient::QuotientSize, keys| quotient::fpr(size.slots, size.remainder_bits, keys);
//! assert_eq!(rate(grown, 1_000_000), rate(size, 1_000_000));
//! assert!((rate(grown, 2_000_000) / rate(size, 1_000_000) - 2.0).abs() < 0.01);
//! ```

use super::bloom::{self, expected_fill};
use super::elementary::{ceil, exp_m1, ln_1p};
use super::search;

/// The fewest bits of a remainder; fewer are treated as this many.
pub const MIN_REMAINDER_BITS: u32 = 2;

/// The most bits of a remainder; more are treated as this many.
pub const MAX_REMAINDER_BITS: u32 = 32;

/// The load up to which sizes are planned: keys per slot.
pub const MAX_LOAD: f64 = MAX_LOAD_PARTS.0 as f64 / MAX_LOAD_PARTS.1 as f64;

/// [`MAX_LOAD`] as a fraction: numbers of slots do not pass through a float.
const MAX_LOAD_PARTS: (u128, u128) = (9, 10);

/// Slots in a block, which share one offset.
pub const BLOCK_SLOTS: u64 = 64;

/// Slots behind the last quotient's, where the last runs may end: so many, but no more than there are slots.
pub const SPARE_SLOTS: u64 = 128;

/// Bits of a block besides the remainders: an offset of 8 bits, and for each slot whether it is some key's
/// quotient and whether it ends a run.
pub const BLOCK_METADATA_BITS: u64 = 8 + 2 * BLOCK_SLOTS;

/// The size of a quotient filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotientSize {
    /// Slots, of which each holds one remainder.
    pub slots: u64,
    /// Bits of each remainder.
    pub remainder_bits: u32,
}

impl QuotientSize {
    /// The bits of the whole blocks that hold these slots and the spare ones: `⌈(S + min(S, 128))/64⌉ · (64·r + 136)`.
    pub fn bits(self) -> u128 {
        u128::from(blocks(self.slots)) * u128::from(bits_of_block(self.remainder_bits))
    }
}

/// The blocks that hold `slots` slots and the [spare](SPARE_SLOTS) ones.
pub const fn blocks(slots: u64) -> u64 {
    let spare = if slots < SPARE_SLOTS { slots } else { SPARE_SLOTS };
    slots.saturating_add(spare).div_ceil(BLOCK_SLOTS)
}

fn bits_of_block(remainder_bits: u32) -> u64 {
    BLOCK_SLOTS * u64::from(clamped(remainder_bits)) + BLOCK_METADATA_BITS
}

fn clamped(remainder_bits: u32) -> u32 {
    remainder_bits.clamp(MIN_REMAINDER_BITS, MAX_REMAINDER_BITS)
}

/// The number of different fingerprints: `S·2^r`.
///
/// Hashes have 64 bits, so there cannot be more than 2⁶⁴ fingerprints; so many and more are `u64::MAX`.
pub const fn universe(slots: u64, remainder_bits: u32) -> u64 {
    let bits = if remainder_bits < MIN_REMAINDER_BITS {
        MIN_REMAINDER_BITS
    } else if remainder_bits > MAX_REMAINDER_BITS {
        MAX_REMAINDER_BITS
    } else {
        remainder_bits
    };
    slots.saturating_mul(1 << bits)
}

/// The exact expected false-positive rate of `keys` distinct keys in `slots` slots with remainders of
/// `remainder_bits` bits.
///
/// Copies of a key change nothing. Without keys it is 0; with keys but without slots it is 1. It does not ask
/// whether so many keys fit.
///
/// # Complexity
///
/// Constant.
pub fn fpr(slots: u64, remainder_bits: u32, keys: u64) -> f64 {
    expected_fill(universe(slots, remainder_bits), 1, keys)
}

/// The false-positive rate of one built filter that holds `fingerprints` different fingerprints: their share of
/// all.
///
/// This is conditional on the contents and so free of the noise between builds. A filter without slots holds
/// nothing: 0.
///
/// # Complexity
///
/// Constant.
pub fn fpr_of_fingerprints(slots: u64, remainder_bits: u32, fingerprints: u64) -> f64 {
    bloom::fpr_of_fill(fingerprints, universe(slots, remainder_bits), 1)
}

/// An estimate of the distinct keys inserted, from the number of different `fingerprints` stored.
///
/// `ln(1 − d/U) / ln(1 − 1/U)`: the number of keys whose expected number of different fingerprints is the one
/// seen. `None` when every fingerprint is stored, or when there are no slots.
///
/// # Complexity
///
/// Constant.
pub fn estimate_keys(slots: u64, remainder_bits: u32, fingerprints: u64) -> Option<f64> {
    bloom::estimate_keys(fingerprints, universe(slots, remainder_bits), 1)
}

/// The fewest slots planned for `keys` keys: `⌈n / 0.9⌉`, and one at least; `None` beyond `u64::MAX`.
///
/// A key takes at most one slot, and each copy of a key one more unless copies are counted more tightly.
///
/// # Complexity
///
/// Constant.
pub fn slots(keys: u64) -> Option<u64> {
    let (part, whole) = MAX_LOAD_PARTS;
    u64::try_from((u128::from(keys.max(1)) * whole).div_ceil(part)).ok()
}

/// The most keys planned for `slots` slots: `⌊0.9·S⌋`, and one if there is a slot.
///
/// # Complexity
///
/// Constant.
pub fn max_keys(slots: u64) -> u64 {
    let (part, whole) = MAX_LOAD_PARTS;
    ((u128::from(slots) * part / whole) as u64).max(slots.min(1))
}

/// The largest number of keys that fit the [design load](MAX_LOAD) with an exact expected rate of at most `fpr`.
///
/// 0 where not even one key fits, [`max_keys`] if `fpr ≥ 1`. A rate that is negative or NaN counts as 0.
///
/// # Complexity
///
/// Some tens of evaluations of [`fpr`].
pub fn capacity(slots: u64, remainder_bits: u32, fpr: f64) -> u64 {
    if fpr.is_nan() || fpr <= 0.0 {
        return 0;
    }
    let most = max_keys(slots);
    if self::fpr(slots, remainder_bits, most) <= fpr {
        return most;
    }
    let guess = ln_1p(-fpr) / ln_1p(-1.0 / universe(slots, remainder_bits) as f64);
    search::largest(guess as u64, |keys| self::fpr(slots, remainder_bits, keys) <= fpr)
}

/// The slots and the remainder that hold `keys` keys in the fewest bits, at or below the design load, with an
/// exact expected rate of at most `fpr`.
///
/// The minimum is over every whole number of slots and every `r` from 2 to 32, by bits a slot: `r + 2.125`. No
/// keys are treated as one. `None` if `fpr` is not strictly between 0 and 1, or if that takes more than 2⁶⁴
/// fingerprints.
///
/// # Complexity
///
/// Some hundreds of evaluations of [`fpr`], below a tenth of a millisecond.
pub fn size(keys: u64, fpr: f64) -> Option<QuotientSize> {
    if !(fpr > 0.0 && fpr < 1.0) {
        return None;
    }
    let keys = keys.max(1);
    let planned = slots(keys)?;
    // 1 − (1 − 1/U)^n = p, solved for U.
    let needed = -1.0 / exp_m1(ln_1p(-fpr) / keys as f64);
    let mut best = None;
    for remainder_bits in MIN_REMAINDER_BITS..=MAX_REMAINDER_BITS {
        let reaches = |slots: u64| self::fpr(slots, remainder_bits, keys) <= fpr;
        let slots = if reaches(planned) {
            Some(planned)
        } else {
            let guess = ceil(needed / (1_u64 << remainder_bits) as f64);
            search::smallest((guess as u64).max(planned), reaches).map(|slots| slots.max(planned))
        };
        let Some(slots) = slots.filter(|&slots| slots <= u64::MAX >> remainder_bits) else { continue };
        let bits = u128::from(slots) * u128::from(bits_of_8_slots(remainder_bits));
        if best.is_none_or(|(fewest, _)| bits < fewest) {
            best = Some((bits, QuotientSize { slots, remainder_bits }));
        }
    }
    best.map(|(_, size)| size)
}

/// The slots and the remainder with the lowest rate for `keys` keys in whole blocks of `bits` bits altogether.
///
/// The widest remainder that leaves enough slots for the design load, then all slots there is room for: another
/// bit of remainder halves the rate, as much as twice the slots do. No keys are treated as one. `None` if the
/// bits are too few.
///
/// # Complexity
///
/// Constant.
pub fn fit(bits: u64, keys: u64) -> Option<QuotientSize> {
    let planned = slots(keys)?;
    (MIN_REMAINDER_BITS..=MAX_REMAINDER_BITS).rev().find_map(|remainder_bits| {
        let all = (bits / bits_of_block(remainder_bits)).saturating_mul(BLOCK_SLOTS);
        let slots = all - SPARE_SLOTS.min(all / 2);
        (slots >= planned && slots <= u64::MAX >> remainder_bits)
            .then_some(QuotientSize { slots, remainder_bits })
    })
}

/// The filter after its slots were doubled `doublings` times without its keys.
///
/// Each doubling moves one bit from the remainder to the quotient. The fingerprints stay as they were, and with
/// them the rate of the keys inside; but the design load now admits twice the keys, and they double it: `d`
/// doublings later a full filter has `2^d` times the rate. `None` when the remainder would be shorter than 2 bits.
///
/// # Complexity
///
/// Constant.
pub fn grown(size: QuotientSize, doublings: u32) -> Option<QuotientSize> {
    let remainder_bits = size.remainder_bits.checked_sub(doublings)?;
    // Remainders have at most 32 bits, so the shift is no longer than that.
    let factor = 1_u64.checked_shl(doublings)?;
    let slots = size.slots.checked_mul(factor)?;
    (remainder_bits >= MIN_REMAINDER_BITS).then_some(QuotientSize { slots, remainder_bits })
}

/// `8·(r + 2.125)`.
fn bits_of_8_slots(remainder_bits: u32) -> u64 {
    8 * u64::from(remainder_bits) + BLOCK_METADATA_BITS / (BLOCK_SLOTS / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_arguments() {
        assert_eq!(fpr(0, 7, 0), 0.0);
        assert_eq!(fpr(0, 7, 1), 1.0);
        assert_eq!(fpr(9, 7, 0), 0.0);
        assert_eq!(fpr(9, 0, 3), fpr(9, 2, 3));
        assert_eq!(fpr(9, 99, 3), fpr(9, 32, 3));
        assert!(fpr(u64::MAX, 32, u64::MAX) < 0.633);
        assert_eq!(fpr_of_fingerprints(0, 7, 0), 0.0);
        assert_eq!(fpr_of_fingerprints(64, 4, 256), 0.25);
        assert_eq!(estimate_keys(0, 7, 0), None);
        assert_eq!(estimate_keys(1, 2, 4), None);
        assert_eq!(estimate_keys(1, 2, 0), Some(0.0));
        assert_eq!((slots(0), slots(1), slots(18), slots(19)), (Some(2), Some(2), Some(20), Some(22)));
        assert_eq!(slots(u64::MAX), None);
        assert_eq!(
            (max_keys(0), max_keys(1), max_keys(20), max_keys(u64::MAX)),
            (0, 1, 18, u64::MAX / 10 * 9 + 4)
        );
        assert_eq!(capacity(0, 7, 0.5), 0);
        assert_eq!(capacity(100, 7, f64::NAN), 0);
        assert_eq!(capacity(100, 7, 0.0), 0);
        assert_eq!(capacity(100, 7, 1.0), 90);
        assert_eq!(capacity(100, 2, 1e-9), 0);
        for rate in [0.0, -1.0, 1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(size(10, rate), None);
        }
        assert_eq!(size(u64::MAX, 0.01), None);
        assert_eq!(size(10, 1e-30), None);
        assert_eq!(size(0, 0.01), size(1, 0.01));
        assert_eq!(fit(0, 1), None);
        assert_eq!(fit(u64::MAX, u64::MAX), None);
        assert_eq!(fit(64 * 32 + 136, 28), Some(QuotientSize { slots: 32, remainder_bits: 32 }));
        assert_eq!(fit(10 * (64 * 32 + 136), 400), Some(QuotientSize { slots: 512, remainder_bits: 32 }));
    }

    #[test]
    fn growth_ends_with_the_remainder() {
        let size = QuotientSize { slots: 1000, remainder_bits: 7 };
        assert_eq!(grown(size, 0), Some(size));
        assert_eq!(grown(size, 5), Some(QuotientSize { slots: 32_000, remainder_bits: 2 }));
        for doublings in [6, 7, 8, 64, u32::MAX] {
            assert_eq!(grown(size, doublings), None);
        }
        assert_eq!(grown(QuotientSize { slots: u64::MAX, remainder_bits: 7 }, 1), None);
        for doublings in 0..=5 {
            let grown = grown(size, doublings).unwrap();
            assert_eq!(fpr(grown.slots, grown.remainder_bits, 5000), fpr(1000, 7, 5000));
        }
    }

    #[test]
    fn capacity_inverts_the_rate() {
        for (slots, bits, rate) in [(1_000, 7, 0.003), (1 << 40, 10, 1e-4), (100, 2, 0.1)] {
            let keys = capacity(slots, bits, rate);
            assert!(fpr(slots, bits, keys) <= rate && fpr(slots, bits, keys + 1) > rate, "{keys}");
        }
        for keys in (1..1000).chain([1 << 40, u64::MAX / 10 * 9]) {
            let slots = slots(keys).unwrap();
            assert!(max_keys(slots) >= keys && (slots == 2 || max_keys(slots - 1) < keys), "{keys}: {slots}");
        }
    }
}

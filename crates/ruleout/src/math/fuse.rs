//! Sizes and rates of binary fuse filters.
//!
//! A binary fuse filter has an array of fingerprints, cut into segments; a key looks at one slot in each of `a` segments
//! that follow one another (`a` is the *arity*), and the fingerprints there XOR to the key's own. A set of keys can be
//! laid out so if taking away, again and again, a key that has a slot to itself ends with none left. For sets that are large
//! this succeeds as soon as there are more slots per key than a threshold, which coupling neighbouring segments brings down
//! from 1.222 to 1.0905 (`a` = 3) and from 1.295 to 1.0238 (`a` = 4); smaller sets need more.
//!
//! How much more was measured here: for each of 40 numbers of keys from 10 to 3·10^6 the fewest segments with which half of 60
//! random sets could be laid out (four in five of 12 from 150,000 keys on). [`geometry`] lies a little above: a set that cannot be laid
//! out is tried again under another seed.
//!
//! T. M. Graf, D. Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", ACM Journal of Experimental
//! Algorithmics 27, 2022, whose sizes are for a first try that hardly ever fails, and so are 3 to 5 % larger below 10^6
//! keys. Thresholds: S. Walzer, "Peeling Close to the Orientability Threshold", SODA 2021, table 1.

use super::elementary::{ceil, ln, round};

/// Keys of a shard, about: with so many a shard comes close to the threshold, and solving one takes 24 MB.
pub const SHARD_KEYS: u64 = 1_750_000;
/// The most bits of a position within a segment.
pub const MAX_SEGMENT_BITS: u32 = 14;
/// The widths a fingerprint may have.
pub const MAX_FINGERPRINT_BITS: u32 = 32;

/// Slots per key at numbers of keys that are 10^(1 + i/2).
const FACTORS: [[f64; 12]; 2] = [
    [1.75, 1.70, 1.62, 1.45, 1.350, 1.275, 1.231, 1.193, 1.165, 1.146, 1.132, 1.122],
    [1.90, 1.65, 1.52, 1.44, 1.340, 1.255, 1.184, 1.140, 1.110, 1.086, 1.068, 1.057],
];

/// The shape of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The number of parts, each with an array of its own; 0 when there are no keys.
    pub shards: u64,
    /// The logarithm to base 2 of the slots of a segment.
    pub segment_bits: u32,
    /// The number of segments in which a key's first slot may be; `arity` − 1 more come behind.
    pub segments: u64,
}

impl Geometry {
    /// The number of slots of a shard.
    pub const fn shard_slots(&self, arity: u32) -> u64 {
        if self.shards == 0 { 0 } else { (self.segments + arity as u64 - 1) << self.segment_bits }
    }
}

/// The shape for `keys` keys, from which the sizes of all shards follow: it depends on no key.
///
/// An `arity` other than 4 counts as 3.
///
/// ```
/// use ruleout::math::fuse::geometry;
/// let slots = |keys, arity| {
///     let geometry = geometry(keys, arity);
///     (geometry.shards * geometry.shard_slots(arity)) as f64 / keys as f64
/// };
/// assert!((slots(1_000_000, 3) - 1.135).abs() < 1e-3);
/// assert!((slots(1_000_000, 4) - 1.069).abs() < 1e-3);
/// ```
pub fn geometry(keys: u64, arity: u32) -> Geometry {
    if keys == 0 {
        return Geometry { shards: 0, segment_bits: 0, segments: 0 };
    }
    let shards = keys.div_ceil(SHARD_KEYS);
    let mean = keys.div_ceil(shards);
    // Segments of n^0.6 slots came out best at every size, for both arities.
    let decades = ln(mean as f64) / core::f64::consts::LN_10;
    let segment_bits = round(2.0 * decades).min(f64::from(MAX_SEGMENT_BITS)) as u32;
    let slots = ceil(mean as f64 * factor(decades, arity)) as u64;
    let behind = u64::from(arity) - 1;
    Geometry {
        shards,
        segment_bits,
        segments: slots.div_ceil(1 << segment_bits).saturating_sub(behind).max(1),
    }
}

/// Slots per key for 10^`decades` keys, from the two measurements around.
fn factor(decades: f64, arity: u32) -> f64 {
    let factors = &FACTORS[usize::from(arity == 4)];
    let place = (2.0 * (decades - 1.0)).clamp(0.0, (factors.len() - 1) as f64);
    let before = (place as usize).min(factors.len() - 2);
    let part = place - before as f64;
    factors[before] * (1.0 - part) + factors[before + 1] * part
}

/// The rate, 0 to 1, of fingerprints of so many bits: those of a key that is not there are equal by chance.
///
/// ```
/// assert_eq!(ruleout::math::fuse::fpr(8), 1.0 / 256.0);
/// ```
pub fn fpr(fingerprint_bits: u32) -> f64 {
    super::elementary::powi(0.5, fingerprint_bits)
}

/// The fewest bits, 1 to 32, with at most this rate; `None` when 32 are too few.
pub fn fingerprint_bits(rate: f64) -> Option<u32> {
    (1..=MAX_FINGERPRINT_BITS).find(|&bits| fpr(bits) <= rate)
}

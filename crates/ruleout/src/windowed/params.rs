//! The shape of a windowed filter: its window, its buckets, and what time it is.

use alloc::vec::Vec;

use crate::base::BaseParams;
use crate::error::ConfigError;
use crate::family::Family;
use crate::frame::{ALIGN, Field};
use crate::goal::Goal;
use crate::layout::{Invalid, Params, with_collisions};
use crate::math::scalable::union_fpr;
use crate::math::windowed::bucket_fpr;

/// The most steps a window may have. Every query asks a bucket for each.
pub const MAX_STEPS: u64 = 1024;

/// The shape of a [`Windowed`](super::Windowed) filter, the time it has come to, and how often each bucket was told of a
/// key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowedParams {
    pub(super) step: u64,
    /// Of each bucket.
    pub(super) bucket: BaseParams,
    /// The latest time of all sightings.
    pub(super) clock: u64,
    /// How many sightings went into each bucket; tick `t` has the bucket `t mod buckets`.
    pub(super) lens: Vec<u64>,
}

impl WindowedParams {
    /// Buckets of family `base` for a window of `window` in steps of `step`, any unit of time, each for `capacity`
    /// distinct keys, so that all together reach `goal`: a rate is that of the whole, a size in bytes too, and bits per
    /// key are those of a bucket.
    ///
    /// # Errors
    /// [`ConfigError`] when the window is not a whole number of steps from 1 to [`MAX_STEPS`], no windowed filter is made
    /// of `base`, or no bucket reaches the goal.
    pub fn new(base: Family, window: u64, step: u64, capacity: u64, goal: Goal) -> Result<Self, ConfigError> {
        let buckets = buckets_of(window, step)?;
        check_base(base)?;
        if capacity.checked_mul(buckets).is_none() {
            return Err(ConfigError::TooLarge { what: "keys", capacity });
        }
        let goal = match goal {
            Goal::Fpr(fpr) => {
                // What is below the limit of 64-bit hashes is refused under the rate that was asked for.
                Goal::check_fpr(fpr, capacity * buckets)?;
                Goal::Fpr(bucket_fpr(fpr, buckets as u32))
            }
            Goal::BitsPerKey(bits) => Goal::BitsPerKey(bits),
            Goal::SizeBytes(bytes) => {
                let some = |each: &u64| *each > 0;
                let each = Some(bytes / buckets / ALIGN as u64 * ALIGN as u64).filter(some);
                Goal::SizeBytes(each.ok_or(ConfigError::TooSmall { bytes, least: buckets * ALIGN as u64 })?)
            }
        };
        Self::of(BaseParams::for_goal(base, capacity, goal)?, window, step)
    }

    /// Buckets of this shape for a window of `window` in steps of `step`.
    ///
    /// # Errors
    /// [`ConfigError`] when the window is not a whole number of steps from 1 to [`MAX_STEPS`], no windowed filter is made
    /// of such buckets, or they are too large together.
    pub fn of(bucket: BaseParams, window: u64, step: u64) -> Result<Self, ConfigError> {
        let buckets = buckets_of(window, step)?;
        check_base(bucket.family())?;
        let capacity = bucket.capacity();
        if capacity.checked_mul(buckets).is_none() {
            return Err(ConfigError::TooLarge { what: "keys", capacity });
        }
        if !fits(&bucket, buckets) {
            return Err(ConfigError::TooLarge { what: "bytes", capacity });
        }
        Ok(Self { step, bucket, clock: 0, lens: alloc::vec![0; buckets as usize] })
    }

    /// How long a sighting is remembered at least.
    pub fn window(&self) -> u64 {
        // Within 64 bits, as it was when the buckets were counted.
        (self.lens.len() as u64 - 1) * self.step
    }

    /// How much longer than the window a sighting may be remembered.
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// The number of buckets: one more than the window has steps.
    pub fn buckets(&self) -> u32 {
        // At most `MAX_STEPS` and 1.
        self.lens.len() as u32
    }

    /// The shape of each bucket.
    pub const fn bucket(&self) -> &BaseParams {
        &self.bucket
    }

    /// The latest time of all sightings, and 0 before the first.
    pub const fn clock(&self) -> u64 {
        self.clock
    }

    /// Each step that is remembered, the oldest first: the time it begins, and how many sightings it had.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        let newest = self.tick(self.clock);
        let oldest = newest.saturating_sub(self.lens.len() as u64 - 1);
        (oldest..=newest).map(|tick| (tick * self.step, self.lens[self.slot(tick)]))
    }

    pub(super) const fn tick(&self, time: u64) -> u64 {
        time / self.step
    }

    pub(super) fn slot(&self, tick: u64) -> usize {
        // Below the number of buckets, which is a `usize`.
        (tick % self.lens.len() as u64) as usize
    }

    /// The bytes from one bucket to the next.
    pub(super) fn stride(&self) -> u64 {
        self.bucket.payload_bytes().next_multiple_of(ALIGN as u64)
    }
}

/// Whether windowed filters are made of `family`: keys again must take no room.
pub(super) const fn is_base(family: Family) -> bool {
    matches!(family, Family::Bloom | Family::Blocked)
}

fn check_base(base: Family) -> Result<(), ConfigError> {
    let what = "no windows: bloom and blocked have them";
    if is_base(base) { Ok(()) } else { Err(ConfigError::Needs { family: base, what }) }
}

/// Whether the places of all bytes, padding included, are numbers of 64 bits.
fn fits(bucket: &BaseParams, buckets: u64) -> bool {
    bucket.payload_bytes().checked_mul(buckets).is_some_and(|bytes| bytes <= u64::MAX / 4)
}

/// The number of buckets of a window in steps: one for each step, and one for the step that has begun.
fn buckets_of(window: u64, step: u64) -> Result<u64, ConfigError> {
    let invalid = |field: Field, value, allowed| Invalid { field: field.name(), value, allowed };
    if step == 0 {
        return Err(invalid(Field::Step, step, "at least 1").into());
    }
    if !window.is_multiple_of(step) || window == 0 {
        let below = window / step * step;
        return Err(ConfigError::Window {
            window,
            step,
            below: Some(below).filter(|&below| below > 0),
            above: below.checked_add(step),
        });
    }
    match window / step {
        steps @ 1..=MAX_STEPS => Ok(steps + 1),
        _ => Err(invalid(Field::Window, window, "1 to 1024 steps").into()),
    }
}

impl WindowedParams {
    /// The shape with these numbers, if they are one.
    pub(super) fn validated(
        bucket: BaseParams,
        [window, step, clock]: [u64; 3],
        lens: Vec<u64>,
    ) -> Result<Self, Invalid> {
        let invalid = |field: Field, value, allowed| Invalid { field: field.name(), value, allowed };
        let buckets = buckets_of(window, step)
            .map_err(|_| invalid(Field::Window, window, "a whole number of steps, 1 to 1024"))?;
        if lens.len() as u64 != buckets {
            return Err(invalid(Field::Lens, lens.len() as u64, "one for each step of the window, and one"));
        }
        if !fits(&bucket, buckets) {
            return Err(invalid(Field::Lens, buckets, "what the payload has room for"));
        }
        // Until there were as many ticks as buckets, some have not had theirs.
        let to_come = lens.iter().skip(usize::try_from(clock / step).unwrap_or(usize::MAX).saturating_add(1));
        if let Some(&early) = to_come.into_iter().find(|&&len| len > 0) {
            return Err(invalid(Field::Lens, early, "0 for a bucket whose tick has not come"));
        }
        Ok(Self { step, bucket, clock, lens })
    }
}

impl Params for WindowedParams {
    const FAMILY: Family = Family::Windowed;

    fn for_goal(_capacity: u64, _goal: Goal) -> Result<Self, ConfigError> {
        Err(ConfigError::Needs { family: Family::Windowed, what: "a window and a step" })
    }

    fn capacity(&self) -> u64 {
        self.bucket.capacity().saturating_mul(self.lens.len() as u64)
    }

    fn payload_bytes(&self) -> u64 {
        self.stride() * (self.lens.len() as u64 - 1) + self.bucket.payload_bytes()
    }

    fn probes(&self) -> u32 {
        self.bucket.probes() * self.buckets()
    }

    /// With the keys spread evenly over the buckets.
    fn fpr_at(&self, keys: u64) -> f64 {
        let buckets = self.lens.len() as u64;
        let (each, more) = (keys / buckets, keys % buckets);
        let rates = [self.bucket.fpr_at(each), if more > 0 { self.bucket.fpr_at(each + 1) } else { 0.0 }];
        with_collisions(union_fpr((0..buckets).map(|i| rates[usize::from(i < more)])), keys)
    }
}

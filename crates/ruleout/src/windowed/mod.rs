//! Windowed filter: "seen within the last hour?", in memory that does not grow.
//!
//! # When to choose it
//! To drop repeats from a stream without an end, to admit to a cache on the second request, to limit what was done
//! lately: whenever what was seen long ago should be new again. Time is a parameter, in any unit, and never read from a
//! clock: the same stream gives the same answers and the same bytes.
//!
//! Not when nothing is ever to be forgotten ([`blocked`](crate::blocked) is faster by the number of buckets, and
//! [`scalable`](crate::scalable) grows), nor when single keys are forgotten ([`cuckoo`](crate::cuckoo)).
//!
//! # One sighting
//! A window of W = q · d is q steps of d. Time in steps of d is cut into ticks, and each tick has a bucket, a filter of its
//! own; q + 1 of them are remembered.
//! ```text
//!   time ──────────────────────────────────────────────────────────────►  now
//!          tick 5     tick 6     tick 7     tick 8     tick 9     tick 10
//!        ┌──────────┬──────────┬──────────┬──────────┬──────────┬─────┐
//!        │ forgotten│ bucket 2 │ bucket 3 │ bucket 0 │ bucket 1 │  2  │      q = 3: four buckets, tick mod 4.
//!        └──────────┴──────────┴──────────┴──────────┴──────────┴─────┘      Tick 10 began by emptying bucket 2,
//!                       ▲ tick 6's, emptied as tick 10 began                 that of tick 6.
//!                               a sighting asks the buckets of ticks 7 to 10, and goes into that of tick 10
//! ```
//! Every sighting is inserted, that of a key seen before too: it is the last one that counts.
//!
//! # What is remembered how long
//! A key last seen at t
//! - is seen for every time t' < t + W, always;
//! - is new at every t' ≥ t + W + d, but for the false-positive rate;
//! - is one or the other in between, by where in its step t lies.
//!
//! **Late and early.** The clock is the latest time of all sightings. A sighting with an earlier time counts as one at the
//! clock: it is remembered from then on, never shorter than it would be, and the bounds above hold with the clock for
//! its time. A time far ahead forgets everything at once, each bucket but once; if it was an error, all that follows
//! is late until time has come there: check times that strangers send. [`Native::clear`] puts the clock back to 0.
//!
//! # The rate
//! Each bucket has the rate p' = 1 − (1 − p)^(1/(q+1)) at its capacity, the distinct keys of one step
//! ([`math::windowed`](crate::math::windowed)). If one step has more, the rate is above p while that is remembered, and
//! back at p when it is forgotten: [`Filter::expected_fpr`](crate::Filter::expected_fpr) tells.
//!
//! ```
//! use ruleout::{Filter, Inserted, WindowedConfig};
//! let mut seen = WindowedConfig::fpr(60, 20, 1000, 0.01).build()?; // a minute in steps of 20 seconds
//! assert_eq!(seen.observe(b"order 17", 1_000_019), Inserted::New);
//! assert_eq!(seen.observe(b"order 17", 1_000_078), Inserted::MaybeSeen); // 59 s later; remembered anew
//! assert_eq!(seen.observe(b"order 17", 1_000_137), Inserted::MaybeSeen); // and again
//! assert!(!seen.may_contain_at(b"order 17", 1_000_217)); // 80 s = W + d later
//! assert!((seen.params().buckets(), seen.params().fpr_at(4000) <= 0.01) == (4, true));
//! # use ruleout::Params;
//! # Ok::<(), ruleout::ConfigError>(())
//! ```
//!
//! # Limits
//! - A query asks q + 1 buckets, a cache miss each with blocked ones; at most [`MAX_STEPS`] steps. Large steps are faster
//!   and remember less exactly.
//! - Memory is that of q + 1 buckets from the beginning.
//! - [`Native::may_contain`] answers as of the clock, [`Windowed::may_contain_at`](crate::Native::may_contain_at) as of a
//!   later time.

mod config;
mod observe;
mod params;
mod probe;
#[cfg(test)]
mod tests;

pub use config::WindowedConfig;
pub use params::{MAX_STEPS, WindowedParams};

use crate::bits::Buf;
use crate::native::Native;

/// A windowed filter; see [the module](self).
///
/// ```
/// use ruleout::{Inserted, Windowed, WindowedConfig};
/// let mut seen = WindowedConfig::fpr(3600, 600, 1000, 0.01).build()?;
/// seen.observe(b"key", 12_345);
/// // The state is saved and goes on where it was.
/// let file = seen.to_bytes();
/// let mut again = Windowed::open_verified(&file[..])?.to_owned()?;
/// assert_eq!(again.observe(b"key", 15_000), Inserted::MaybeSeen);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Without a time there is no inserting:
///
/// ```compile_fail,E0599
/// # let mut seen = ruleout::WindowedConfig::fpr(3600, 600, 1000, 0.01).build().unwrap();
/// seen.try_insert(b"key"); // no such method: when was it seen?
/// ```
pub type Windowed<D = Buf> = Native<WindowedParams, D>;

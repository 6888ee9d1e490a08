//! What was seen: ever, or within a window.

use std::io::{self, Write};
use std::ops::Range;
use std::time::Duration;

use anyhow::{Error, Result, anyhow};
use ruleout::{
    AnyFilter, Blocked, BlockedParams, ConfigError, Family, HashId, Hasher, Mask, Params as _, Windowed,
    WindowedParams,
};

use super::{nanoseconds, now};
use crate::args::DedupArgs;
use crate::commands::refusals;
use crate::{human, messages};

/// The rate when nothing is asked for: what is wrongly ruled out here is a line lost.
const DEFAULT_FPR: f64 = 0.0001;

/// The filter that the flags ask for. Times are in nanoseconds.
pub enum Shape {
    Ever(BlockedParams),
    Within(WindowedParams),
}

impl Shape {
    /// # Errors
    /// When there is no such filter.
    pub fn of(args: &DedupArgs) -> Result<Self> {
        let (capacity, goal) = (args.capacity, args.goal.goal_or(DEFAULT_FPR));
        let shape = match args.window.zip(args.step) {
            None => BlockedParams::for_goal(capacity, goal).map(Self::Ever),
            Some((window, step)) => {
                let [window, step] = [window, step].map(nanoseconds);
                WindowedParams::new(Family::Blocked, window, step, capacity, goal).map(Self::Within)
            }
        };
        shape.map_err(|refused| match refused {
            ConfigError::Window { window, step, below, above } => misfit(window, step, below, above),
            other => anyhow!(refusals::config(&other)),
        })
    }

    pub fn payload_bytes(&self) -> u64 {
        match self {
            Self::Ever(params) => params.payload_bytes(),
            Self::Within(params) => params.payload_bytes(),
        }
    }

    fn fpr(&self) -> f64 {
        match self {
            Self::Ever(params) => params.fpr_at(params.capacity()),
            Self::Within(params) => params.fpr_at(params.capacity()),
        }
    }

    /// What is remembered, in how much memory, at which rate.
    pub fn description(&self, args: &DedupArgs) -> String {
        let keys = human::counted(args.capacity, "distinct key");
        let what = match args.window.zip(args.step) {
            None => keys,
            Some((window, step)) => {
                let [window, step] = [window, step].map(human::duration);
                format!("{keys} in each {step}, for {window} to {step} longer")
            }
        };
        let (bytes, fpr) = (human::bytes_exactly(self.payload_bytes()), human::rate(self.fpr()));
        format!(
            "remembers {what}, in {bytes} of memory from beginning to end; of new lines, at most {fpr} are lost"
        )
    }

    /// The filter in a file, if it has this shape.
    pub fn take(&self, filter: AnyFilter) -> Option<Seen> {
        match (self, filter) {
            (Self::Ever(params), AnyFilter::Blocked(filter)) if filter.params() == params => {
                Some(Seen::Ever(filter))
            }
            (Self::Within(params), AnyFilter::Windowed(filter)) if same(filter.params(), params) => {
                Some(Seen::Within(filter))
            }
            _ => None,
        }
    }
}

/// A window that is no whole number of steps, and those next to it that are.
fn misfit(window: u64, step: u64, below: Option<u64>, above: Option<u64>) -> Error {
    let text = |nanoseconds| human::duration(Duration::from_nanos(nanoseconds));
    let near: Vec<String> = [below, above].into_iter().flatten().map(text).collect();
    anyhow!(
        "--window {} is no whole number of steps of {}; {} would be",
        text(window).replace(' ', ""),
        text(step),
        near.join(" or ")
    )
}

/// Whether two windows differ in what has come so far alone.
fn same(one: &WindowedParams, other: &WindowedParams) -> bool {
    let shape = |params: &WindowedParams| (params.window(), params.step(), *params.bucket());
    shape(one) == shape(other)
}

/// The filter of all keys, or those of late.
pub enum Seen {
    Ever(Blocked),
    Within(Windowed),
}

impl Seen {
    /// Nothing seen.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new(shape: &Shape, hasher: Hasher) -> Result<Self> {
        let seen = match shape {
            Shape::Ever(params) => Blocked::new(*params, hasher).map(Self::Ever),
            Shape::Within(params) => Windowed::new(params.clone(), hasher).map(Self::Within),
        };
        seen.map_err(|refused| anyhow!(refusals::config(&refused)))
    }

    /// Marks the keys that were seen before, and remembers all. Without `times` they were seen now.
    pub fn observe(&mut self, hashes: &[u64], times: &[u64], clock: &mut Times, repeats: &mut Mask) {
        match self {
            Self::Ever(filter) => filter.observe_hashes(hashes, repeats),
            Self::Within(filter) if times.is_empty() => filter.observe_hashes(hashes, now(), repeats),
            Self::Within(filter) => clock.observe(filter, hashes, times, repeats),
        }
    }

    /// The share of new keys that look as if seen before, by the bits as they are.
    pub fn fpr(&self) -> f64 {
        match self {
            Self::Ever(filter) => filter.expected_fpr(),
            Self::Within(filter) => filter.expected_fpr(),
        }
    }

    /// The same when as many keys have come as there is room for.
    pub fn fpr_at_capacity(&self) -> f64 {
        match self {
            Self::Ever(filter) => filter.params().fpr_at(filter.capacity()),
            Self::Within(filter) => filter.params().fpr_at(filter.capacity()),
        }
    }

    pub fn size_bytes(&self) -> usize {
        match self {
            Self::Ever(filter) => filter.size_bytes(),
            Self::Within(filter) => filter.size_bytes(),
        }
    }

    pub fn hash_id(&self) -> HashId {
        match self {
            Self::Ever(filter) => filter.hasher().id(),
            Self::Within(filter) => filter.hasher().id(),
        }
    }

    /// The latest time of a window, once there was one.
    pub fn clock(&self) -> Option<u64> {
        match self {
            Self::Ever(_) => None,
            Self::Within(filter) => Some(filter.params().clock()).filter(|&clock| clock > 0),
        }
    }

    /// Writes the whole file.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Ever(filter) => filter.write_to(out),
            Self::Within(filter) => filter.write_to(out),
        }
    }
}

/// Sightings at the times that lines tell.
pub struct Times {
    /// How far they may be ahead of this machine's clock.
    max_ahead: u64,
    /// Lines that told an earlier time than one before.
    pub late: u64,
    /// Lines that told a time too far ahead.
    pub ahead: u64,
    group: Mask,
}

impl Times {
    pub fn new(max_ahead: Duration) -> Self {
        Self { max_ahead: nanoseconds(max_ahead), late: 0, ahead: 0, group: Mask::new() }
    }

    /// Observes every key at its own time, in as large groups as there are: within a step, no time is different from
    /// another.
    fn observe(&mut self, filter: &mut Windowed, hashes: &[u64], times: &[u64], repeats: &mut Mask) {
        repeats.reset(hashes.len());
        let (step, limit) = (filter.params().step(), now().saturating_add(self.max_ahead));
        let mut clock = filter.params().clock();
        let mut start = 0;
        for (index, &time) in times.iter().enumerate() {
            let next = self.advanced(clock, time, limit);
            if next / step != clock / step && start < index {
                self.observe_group(filter, hashes, start..index, clock, repeats);
                start = index;
            }
            clock = next;
        }
        self.observe_group(filter, hashes, start..hashes.len(), clock, repeats);
    }

    fn observe_group(
        &mut self,
        filter: &mut Windowed,
        hashes: &[u64],
        place: Range<usize>,
        time: u64,
        repeats: &mut Mask,
    ) {
        filter.observe_hashes(&hashes[place.clone()], time, &mut self.group);
        self.group.ones().for_each(|repeat| repeats.set(place.start + repeat, true));
    }

    /// The clock after a line that tells `time`.
    fn advanced(&mut self, clock: u64, time: u64, limit: u64) -> u64 {
        if time > limit {
            self.ahead += 1;
            return clock;
        }
        self.late += u64::from(time < clock);
        clock.max(time)
    }

    /// Warns of times that cannot be right.
    pub fn warn(&self, max_ahead: Duration) {
        if self.ahead > 0 {
            messages::warning(format_args!(
                "{} told a time more than {} ahead of this machine's clock, which was passed over (--max-ahead)",
                human::counted(self.ahead, "line"),
                human::duration(max_ahead)
            ));
        }
    }
}

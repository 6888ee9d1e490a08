//! The buckets as parts of one payload.

use alloc::vec::Vec;
use core::ops::Range;

use crate::base::{BaseParams, read_base};
use crate::bits::Mask;
use crate::error::OpenError;
use crate::frame::{Field, Header, Len, ParamKind, Section, Value, integers};
use crate::layout::{Layout, Tally};
use crate::math::scalable::union_fpr;

use super::WindowedParams;
use super::params::is_base;

impl WindowedParams {
    /// Where in a payload, which is in memory, that of a bucket is.
    pub(super) fn place(&self, slot: usize) -> Range<usize> {
        let start = self.stride() as usize * slot;
        start..start + self.bucket.payload_bytes() as usize
    }

    /// The buckets that remember at `time`, the newest first. A time before the clock is the clock's.
    pub(super) fn alive(&self, time: u64) -> impl Iterator<Item = usize> + '_ {
        let newest = self.tick(self.clock);
        let oldest = self.tick(time.max(self.clock)).saturating_sub(self.lens.len() as u64 - 1);
        // Before the clock has come so far, ticks are fewer than buckets.
        let first = oldest.max(newest.saturating_sub(self.lens.len() as u64 - 1));
        (first..=newest).rev().map(|tick| self.slot(tick))
    }

    pub(super) fn probe_at(&self, payload: &[u8], hash: u64, time: u64) -> bool {
        // A bucket that was told of nothing is not asked, as in batches: a file may lie about it.
        let mut told = self.alive(time).filter(|&slot| self.lens[slot] > 0);
        told.any(|slot| self.bucket.probe(&payload[self.place(slot)], hash))
    }

    /// Marks every hash that one of the buckets `slots` answers "maybe" for; the mask has their number.
    pub(super) fn mark(
        &self,
        payload: &[u8],
        hashes: &[u64],
        slots: impl Iterator<Item = usize>,
        hits: &mut Mask,
    ) {
        let mut of_bucket = Mask::new();
        for slot in slots.filter(|&slot| self.lens[slot] > 0) {
            self.bucket.probe_many(&payload[self.place(slot)], hashes, &mut of_bucket);
            hits.or(&of_bucket);
        }
    }
}

impl Layout for WindowedParams {
    fn read(header: &Header<'_>) -> Result<Self, OpenError> {
        use ParamKind::{Integer, Integers};
        let base = read_base(header)?;
        let fields = BaseParams::fields_of(base).filter(|_| is_base(base));
        let fields = fields.ok_or(OpenError::Invalid {
            field: Field::Base.name(),
            value: base.code().into(),
            allowed: "the code of a family that windows are made of",
        })?;
        let [first, second, _, lens, window, step, clock] = header.values_of([
            (fields[0], Integer),
            (fields[1], Integer),
            (Field::Base, Integer),
            (Field::Lens, Integers),
            (Field::Window, Integer),
            (Field::Step, Integer),
            (Field::Clock, Integer),
        ])?;
        let number = |value| integers(value).next().unwrap_or(0);
        let buckets = integers(lens).len().max(1) as u64;
        if !header.capacity().is_multiple_of(buckets) {
            return Err(OpenError::Invalid {
                field: "capacity",
                value: header.capacity(),
                allowed: "the same for each bucket",
            });
        }
        let values = [number(first), number(second)];
        let bucket = BaseParams::of_values(base, header.capacity() / buckets, values)?;
        let times = [window, step, clock].map(number);
        Ok(Self::validated(bucket, times, integers(lens).collect())?)
    }

    fn sections(&self) -> impl Iterator<Item = (Section, u64)> {
        self.lens.iter().map(|_| (self.bucket.section(), self.bucket.payload_bytes()))
    }

    fn fields(&self) -> impl Iterator<Item = (Field, Value)> {
        let fields = BaseParams::fields_of(self.bucket.family()).unwrap_or([Field::Bits, Field::Probes]);
        let values = self.bucket.values();
        [
            (fields[0], values[0].into()),
            (fields[1], values[1].into()),
            (Field::Base, u64::from(self.bucket.family().code()).into()),
            (Field::Lens, Value::Integers(self.lens.clone())),
            (Field::Window, self.window().into()),
            (Field::Step, self.step.into()),
            (Field::Clock, self.clock.into()),
        ]
        .into_iter()
    }

    fn emptied(&self) -> Self {
        let lens: Vec<u64> = alloc::vec![0; self.lens.len()];
        Self { clock: 0, lens, ..self.clone() }
    }

    /// Of each bucket by its own number of sightings: one may have had them all.
    fn fpr_of_len(&self, _len: Len) -> Option<f64> {
        Some(union_fpr(self.lens.iter().map(|&len| self.bucket.fpr_at(len))))
    }

    fn tally(&self, payload: &[u8]) -> Tally {
        let (mut fill, mut keys) = (0.0, Some(0.0));
        let told = (0..self.lens.len()).filter(|&slot| self.lens[slot] > 0);
        let fpr = union_fpr(told.map(|slot| {
            let tally = self.bucket.tally(&payload[self.place(slot)]);
            fill += tally.fill;
            keys = keys.zip(tally.keys).map(|(sum, keys)| sum + keys);
            tally.fpr
        }));
        Tally { fill: fill / self.lens.len() as f64, fpr, keys }
    }

    fn check(&self, payload: &[u8]) -> Result<(), OpenError> {
        (0..self.lens.len()).try_for_each(|slot| {
            let bucket = &payload[self.place(slot)];
            self.bucket.check(bucket)?;
            // An empty bucket is not asked.
            if self.lens[slot] == 0 && bucket.iter().any(|&byte| byte != 0) {
                return Err(OpenError::Invalid {
                    field: Field::Lens.name(),
                    value: 0,
                    allowed: "at least 1 for a bucket with keys in it",
                });
            }
            Ok(())
        })
    }

    fn probe(&self, payload: &[u8], hash: u64) -> bool {
        self.probe_at(payload, hash, self.clock)
    }

    fn probe_many(&self, payload: &[u8], hashes: &[u64], hits: &mut Mask) {
        hits.reset(hashes.len());
        self.mark(payload, hashes, self.alive(self.clock), hits);
    }
}

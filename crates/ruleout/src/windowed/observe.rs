//! Sightings: has this been seen within the window, and from now on it has.

use crate::bits::Mask;
use crate::frame::Len;
use crate::traits::Inserted;

use super::{Windowed, WindowedParams};

impl Windowed {
    /// Records that a key was seen at `time`, and says whether it may have been seen within the window before.
    ///
    /// A time before the latest one counts as the latest: what comes late is remembered from when it came. See
    /// [the module](super) for what is remembered how long.
    pub fn observe(&mut self, key: &[u8], time: u64) -> Inserted {
        self.observe_hash(self.hasher().hash(key), time)
    }

    /// Records that the key with this hash, which must come from [`Native::hasher`](crate::Native::hasher), was seen.
    pub fn observe_hash(&mut self, hash: u64, time: u64) -> Inserted {
        self.advance(time);
        let seen = self.may_contain_hash(hash);
        let (params, data, len) = self.parts_mut();
        let slot = params.slot(params.tick(params.clock));
        let bucket = &mut data.as_mut()[params.place(slot)];
        // The families that windows are made of take every key.
        let _ = params.bucket.insert(bucket, hash);
        params.lens[slot] = params.lens[slot].saturating_add(1);
        *len = params.len();
        Inserted::new_if(!seen)
    }

    /// [`Windowed::observe_hash`](crate::Native::observe_hash) of many, one after the other, all at `time`: marks those
    /// that may have been seen before, also in this batch.
    pub fn observe_hashes(&mut self, hashes: &[u64], time: u64, seen: &mut Mask) {
        self.advance(time);
        seen.reset(hashes.len());
        let (params, data, len) = self.parts_mut();
        let current = params.slot(params.tick(params.clock));
        let others = params.alive(params.clock).filter(|&slot| slot != current);
        params.mark(data.as_ref(), hashes, others, seen);
        params.bucket.observe(&mut data.as_mut()[params.place(current)], hashes, seen);
        params.lens[current] = params.lens[current].saturating_add(hashes.len() as u64);
        *len = params.len();
    }

    /// Lets time pass, and forgets what is older than the window and a step; a time before the latest one changes
    /// nothing. Gives how many buckets were forgotten.
    pub fn advance(&mut self, time: u64) -> u32 {
        let (params, data, len) = self.parts_mut();
        let (before, now) = (params.tick(params.clock), params.tick(time));
        params.clock = params.clock.max(time);
        if now <= before {
            return 0;
        }
        // However far time jumps, each bucket is forgotten once.
        let retired = (now - before).min(params.lens.len() as u64) as u32;
        for tick in now - u64::from(retired) + 1..=now {
            let slot = params.slot(tick);
            if core::mem::take(&mut params.lens[slot]) > 0 {
                data.as_mut()[params.place(slot)].fill(0);
            }
        }
        *len = params.len();
        retired
    }
}

impl<D: AsRef<[u8]>> Windowed<D> {
    /// Whether `key` may have been seen within the window before `time`, which changes nothing. A time before the clock
    /// counts as the clock: what was forgotten since cannot be asked for.
    pub fn may_contain_at(&self, key: &[u8], time: u64) -> bool {
        self.may_contain_hash_at(self.hasher().hash(key), time)
    }

    /// Whether the key with this hash may have been seen within the window before `time`: see
    /// [`Windowed::may_contain_at`](crate::Native::may_contain_at).
    pub fn may_contain_hash_at(&self, hash: u64, time: u64) -> bool {
        self.params().probe_at(self.payload(), hash, time)
    }
}

impl WindowedParams {
    /// Sightings bound the number of distinct keys.
    fn len(&self) -> Len {
        self.lens.iter().try_fold(0u64, |sum, &len| sum.checked_add(len)).map_or(
            Len::Unknown,
            |sum| match sum {
                0 | 1 => Len::Exact(sum),
                more => Len::AtMost(more),
            },
        )
    }
}

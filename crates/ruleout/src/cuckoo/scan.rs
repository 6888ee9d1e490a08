//! Going through the whole table: what it holds, and whether it is one that insertions and removals make.

use crate::error::OpenError;
use crate::layout::Tally;

use super::params::CuckooParams;
use super::probe::Entry;
use super::table;

/// The rate of this very table: of all fingerprints with all windows, the share that is answered "maybe".
pub(super) fn tally(params: &CuckooParams, payload: &[u8]) -> Tally {
    let taken = (0..params.slots()).filter(|&slot| params.tag(payload, slot) != 0).count() as u64;
    let stored = (0..params.slots()).filter_map(|slot| params.stored(payload, slot));
    let victim = params.victim(payload);
    let keys = taken + u64::from(victim.is_some());
    let answered: f64 = stored.chain(victim).map(|entry| share(params, payload, &entry)).sum();
    let possible = params.fingerprints() as f64 * params.windows() as f64;
    Tally {
        fill: taken as f64 / params.slots() as f64,
        fpr: (answered / possible).min(1.0),
        keys: Some(keys as f64),
    }
}

/// How many windows answer "maybe" because of a stored entry: both of its pair, shared among all copies of it.
fn share(params: &CuckooParams, payload: &[u8], entry: &Entry) -> f64 {
    let is_copy = |&slot: &u64| params.stored(payload, slot).is_some_and(|stored| stored.matches(entry));
    let copies = entry.slots().filter(is_copy).count() + usize::from(table::is_victim(payload, entry));
    entry.windows.len() as f64 / copies.max(1) as f64
}

/// Refuses a payload that no sequence of insertions and removals makes.
pub(super) fn check(params: &CuckooParams, payload: &[u8]) -> Result<(), OpenError> {
    let invalid = |field, value, allowed| Err(OpenError::Invalid { field, value, allowed });
    let (padding, spare_bits) = params.padding(payload);
    let last = payload[payload.len() - padding.len() - 1];
    let unused = table::reserved(payload).iter().chain(padding).find(|&&byte| byte != 0);
    if let Some(&byte) = unused {
        return invalid("padding", u64::from(byte), "0");
    }
    if u32::from(last) >> (u8::BITS - spare_bits) != 0 {
        return invalid("last byte", u64::from(last), "zero past the last slot");
    }
    let mut keys = 0;
    for slot in 0..params.slots() {
        let tag = params.tag(payload, slot);
        if tag != 0 && params.stored(payload, slot).is_none() {
            return invalid("tag", tag, "a fingerprint that is not 0, in a window of the table");
        }
        keys += u64::from(tag != 0);
    }
    let (fingerprint, window) = table::victim_words(payload);
    match params.victim(payload) {
        Some(victim) if victim.slots().any(|slot| params.tag(payload, slot) == 0) => {
            return invalid("victim slot", fingerprint, "empty while the table has room for its key");
        }
        None if (fingerprint, window) != (0, 0) => {
            return invalid("victim slot", fingerprint, "a fingerprint and a window, or 0 and 0");
        }
        victim => keys += u64::from(victim.is_some()),
    }
    if table::keys(payload) != keys {
        return invalid("number of keys", table::keys(payload), "the number of slots taken");
    }
    Ok(())
}

//! Inserting.

use crate::error::InsertError;
use crate::layout::Params;
use crate::traits::Inserted;

use super::params::CuckooParams;
use super::probe::{self, Entry};
use super::search::place;
use super::table;

/// Inserts the entry; leaves the payload as it was, byte for byte, when it refuses.
pub(super) fn insert(
    params: &CuckooParams,
    payload: &mut [u8],
    entry: &Entry,
) -> Result<Inserted, InsertError> {
    let seen = probe::holds(params, payload, entry);
    if !place(params, payload, entry) {
        refuse(params, payload, entry, seen)?;
        table::set_victim(payload, entry);
    }
    table::set_keys(payload, table::keys(payload).saturating_add(1));
    Ok(if seen { Inserted::MaybeSeen } else { Inserted::New })
}

/// Why an entry without a place in the table may not have the victim slot either.
fn refuse(params: &CuckooParams, payload: &[u8], entry: &Entry, seen: bool) -> Result<(), InsertError> {
    let is_copy = |slot| params.stored(payload, slot).is_some_and(|stored| stored.matches(entry));
    if entry.slots().all(is_copy) {
        return Err(InsertError::TooManyCopies { copies: entry.slots().count() as u64 });
    }
    // Further copies leave the victim slot to a key that is not in the filter yet.
    if seen || table::victim_words(payload) != (0, 0) {
        return Err(InsertError::Full { capacity: params.capacity(), len: table::keys(payload) });
    }
    Ok(())
}

//! Removing.

use super::params::CuckooParams;
use super::probe::Entry;
use super::search::place;
use super::table;

/// Takes out one copy of the entry, from the table before the victim slot; `false`, and nothing changes, when
/// there is none.
pub(super) fn remove(params: &CuckooParams, payload: &mut [u8], entry: &Entry) -> bool {
    let copy =
        entry.slots().find(|&slot| params.stored(payload, slot).is_some_and(|stored| stored.matches(entry)));
    if let Some(slot) = copy {
        params.set_tag(payload, slot, 0);
        // Now there may be a way for the key that had none.
        if let Some(victim) = params.victim(payload)
            && place(params, payload, &victim)
        {
            table::clear_victim(payload);
        }
    } else if table::is_victim(payload, entry) {
        table::clear_victim(payload);
    } else {
        return false;
    }
    table::set_keys(payload, table::keys(payload).saturating_sub(1));
    true
}

//! Building filters from all their keys at once.
//!
//! A static family says what shape a set of hashes needs and how it is solved, shard by shard
//! ([`Static`](crate::layout::Static)); collecting the keys, going through the shards, writing what comes out and telling
//! how far it is are here, once.

mod builder;
mod config;
mod shards;
mod sink;
mod watch;

pub use builder::StaticBuilder;
pub use config::StaticConfig;
pub(crate) use shards::solve_shards;
pub use sink::Sink;
pub use watch::{Progress, Watch};

use crate::bits::Buf;
use crate::collect::SortedHashes;
use crate::error::BuildError;
use crate::goal::Goal;
use crate::layout::{Static, places};

/// What [`Collected::collect`](crate::layout::Collected::collect) is for a static family.
pub(crate) fn solved<P: Static>(
    goal: Goal,
    mut hashes: SortedHashes,
    watch: &mut Watch<'_>,
) -> Result<(P, Buf), BuildError> {
    watch.begin(hashes.len());
    let params = P::plan(goal, &mut hashes)?;
    let payload = solution(&params, hashes, watch)?;
    Ok((params, payload))
}

/// The payload of the filter of these hashes, whose shape this is.
pub(crate) fn solution<P: Static>(
    params: &P,
    hashes: SortedHashes,
    watch: &mut Watch<'_>,
) -> Result<Buf, BuildError> {
    let mut payload = params.empty()?;
    let mut sink = Sink::memory(payload.as_mut(), places(params));
    params.solve(hashes, &mut sink, watch)?;
    sink.finish();
    Ok(payload)
}

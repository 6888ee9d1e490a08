//! The engines, in groups that do the same job.

mod ours;
mod peers;

use ruleout::{
    BlockedParams, CountingParams, CuckooParams, FuseParams, GolombParams, QuotientParams, SplitBlockParams,
};

use crate::engine::{Engine, Group};
use ours::{BuiltOnce, Ruleout};

/// The rate of fingerprints of a byte, a little above it: all that the peers of fuse filters have.
pub const BYTE: f64 = 1.0001 / 256.0;

pub fn groups() -> Vec<Group> {
    let group = |name, engines: Vec<Box<dyn Engine>>| Group { name, fpr: None, engines };
    vec![
        group("blocked", vec![Box::new(Ruleout::<BlockedParams>::new()), Box::new(peers::Fastbloom)]),
        group("split_block", vec![Box::new(Ruleout::<SplitBlockParams>::new()), Box::new(peers::SbbfRs)]),
        group(
            "counting",
            vec![Box::new(Ruleout::<CountingParams>::new()), Box::new(peers::FastbloomRsCounting)],
        ),
        group("cuckoo", vec![Box::new(Ruleout::<CuckooParams>::new()), Box::new(peers::Cuckoofilter)]),
        group("quotient", vec![Box::new(Ruleout::<QuotientParams>::new()), Box::new(peers::Qfilter)]),
        Group { name: "fuse", fpr: Some(BYTE), engines: built_once() },
    ]
}

/// What is built once, of all its keys.
pub fn built_once() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(BuiltOnce::<FuseParams<3>>::new("ruleout fuse")),
        Box::new(BuiltOnce::<FuseParams<4>>::new("ruleout fuse4")),
        Box::new(BuiltOnce::<GolombParams>::new("ruleout golomb")),
        Box::new(peers::Xorf),
        Box::new(peers::Pleat),
    ]
}

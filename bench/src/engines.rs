//! The engines, in groups that do the same job.

mod ours;
mod peers;

use ruleout::{BlockedParams, CountingParams, CuckooParams, QuotientParams, SplitBlockParams};

use crate::engine::{Engine, Group};
use ours::Ruleout;

pub fn groups() -> Vec<Group> {
    let group = |name, engines: Vec<Box<dyn Engine>>| Group { name, engines };
    vec![
        group("blocked", vec![Box::new(Ruleout::<BlockedParams>::new()), Box::new(peers::Fastbloom)]),
        group("split_block", vec![Box::new(Ruleout::<SplitBlockParams>::new()), Box::new(peers::SbbfRs)]),
        group(
            "counting",
            vec![Box::new(Ruleout::<CountingParams>::new()), Box::new(peers::FastbloomRsCounting)],
        ),
        group("cuckoo", vec![Box::new(Ruleout::<CuckooParams>::new()), Box::new(peers::Cuckoofilter)]),
        group("quotient", vec![Box::new(Ruleout::<QuotientParams>::new()), Box::new(peers::Qfilter)]),
    ]
}

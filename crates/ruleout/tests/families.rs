//! Every family passes the suites of its capabilities: see `ruleout_testkit`.

ruleout_testkit::bitmap_suite!(bloom, ruleout::BloomParams);
ruleout_testkit::bitmap_suite!(blocked, ruleout::BlockedParams);
ruleout_testkit::bitmap_suite!(split_block, ruleout::SplitBlockParams);
ruleout_testkit::bitmap_suite!(counting_bits, ruleout::CountingBitsParams);

mod counting {
    use ruleout::{Counting, Hasher, Merge};

    type Subject = ruleout_testkit::Inserting<ruleout::CountingParams>;
    ruleout_testkit::file_suite!(Subject);
    ruleout_testkit::rate_suite!(Subject);
    ruleout_testkit::insert_suite!(Subject);
    ruleout_testkit::merge_suite!(Subject);
    ruleout_testkit::order_suite!(Subject);
    ruleout_testkit::remove_suite!(Subject, |filter: &mut Counting, hash| {
        let mut one = Counting::new(*filter.params(), Hasher::default()).expect("a small filter");
        one.insert_hash(hash);
        filter.merge_from(&one).is_ok()
    });
}

mod cuckoo {
    type Subject = ruleout_testkit::Inserting<ruleout::CuckooParams>;
    ruleout_testkit::file_suite!(Subject);
    ruleout_testkit::rate_suite!(Subject);
    ruleout_testkit::insert_suite!(Subject);
    ruleout_testkit::remove_suite!(Subject, |_: &mut ruleout::Cuckoo, _| false);
}

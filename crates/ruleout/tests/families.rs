//! Every family passes the suites of its capabilities: see `ruleout_testkit`.

ruleout_testkit::bitmap_suite!(bloom, ruleout::BloomParams);
ruleout_testkit::bitmap_suite!(blocked, ruleout::BlockedParams);
ruleout_testkit::bitmap_suite!(split_block, ruleout::SplitBlockParams);
ruleout_testkit::bitmap_suite!(counting_bits, ruleout::CountingBitsParams);

mod counting {
    type Subject = ruleout_testkit::Inserting<ruleout::CountingParams>;
    ruleout_testkit::file_suite!(Subject);
    ruleout_testkit::rate_suite!(Subject);
    ruleout_testkit::insert_suite!(Subject);
    ruleout_testkit::merge_suite!(Subject);
}

mod quotient {
    type Subject = ruleout_testkit::Inserting<ruleout::QuotientParams>;
    ruleout_testkit::file_suite!(Subject);
    ruleout_testkit::rate_suite!(Subject);
    ruleout_testkit::insert_suite!(Subject);
    ruleout_testkit::merge_suite!(Subject);
}

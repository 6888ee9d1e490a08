//! Every family passes the suites of its capabilities: see `ruleout_testkit`.

ruleout_testkit::bitmap_suite!(bloom, ruleout::BloomParams);
ruleout_testkit::bitmap_suite!(blocked, ruleout::BlockedParams);

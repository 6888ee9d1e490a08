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

mod quotient {
    use ruleout::{Hasher, Quotient, QuotientParams};

    type Subject = ruleout_testkit::Inserting<QuotientParams>;
    ruleout_testkit::file_suite!(Subject);
    ruleout_testkit::rate_suite!(Subject);
    ruleout_testkit::insert_suite!(Subject);
    ruleout_testkit::merge_suite!(Subject);
    ruleout_testkit::order_suite!(Subject);
    ruleout_testkit::remove_suite!(Subject, |filter: &mut Quotient, hash: u64| {
        // Seldom enough that it is full some of the time; refused when no remainder bit is left, which changes nothing.
        if hash.is_multiple_of(61) && filter.params().slots() < 4096 {
            let before = filter.to_bytes();
            assert!(filter.grow().is_ok() || filter.to_bytes() == before, "refused growth left a trace");
        }
        let (slots, bits) = (filter.params().slots(), filter.params().remainder_bits());
        let mut one =
            Quotient::new(QuotientParams::new(1, slots, bits).expect("its own shape"), Hasher::default())
                .expect("a small filter");
        one.try_insert_hash(hash).expect("an empty filter has room");
        let before = filter.to_bytes();
        let merged = filter.merge_view(&one);
        assert!(merged.is_ok() || filter.to_bytes() == before, "a refused merge left a trace");
        merged.is_ok()
    });
}

ruleout_testkit::static_suite!(fuse, ruleout::FuseParams<3>);
ruleout_testkit::static_suite!(fuse4, ruleout::FuseParams<4>);

mod scalable {
    ruleout_testkit::scalable_suite!(bloom, ruleout::BloomParams);
    ruleout_testkit::scalable_suite!(blocked, ruleout::BlockedParams);
    ruleout_testkit::scalable_suite!(cuckoo, ruleout::CuckooParams);
}

ruleout_testkit::static_suite!(golomb, ruleout::GolombParams);

mod windowed {
    ruleout_testkit::windowed_suite!(bloom, ruleout::BloomParams);
    ruleout_testkit::windowed_suite!(blocked, ruleout::BlockedParams);
}

mod prefix {
    ruleout_testkit::prefix_suite!(bloom, ruleout::BloomParams);
    ruleout_testkit::prefix_suite!(blocked, ruleout::BlockedParams);
}

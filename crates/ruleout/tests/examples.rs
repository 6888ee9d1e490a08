//! The examples do what they say: each is run here, on input of its own.

#[path = "../examples/cache_digests.rs"]
#[allow(dead_code)]
mod cache_digests;
#[path = "../examples/crawl_frontier.rs"]
#[allow(dead_code)]
mod crawl_frontier;
#[path = "../examples/seen_last_hour.rs"]
#[allow(dead_code)]
mod seen_last_hour;

/// The numbers of each row of a table that `write` prints.
fn rows(write: impl FnOnce(&mut Vec<u8>)) -> Vec<Vec<f64>> {
    let mut out = Vec::new();
    write(&mut out);
    let text = String::from_utf8(out).expect("text");
    let numbers = |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>();
    text.lines().filter_map(numbers).filter(|row: &Vec<f64>| !row.is_empty()).collect()
}

#[test]
fn crawl_frontier_loses_as_many_pages_as_it_says() {
    let web = crawl_frontier::made_up_web();
    let tables = rows(|out| crawl_frontier::report(&web, out).expect("a vector takes all"));
    let (planned, measured) = tables.split_at(4);
    assert!(planned.iter().zip(measured).all(|(plan, row)| plan.len() == 3 && row.len() == 4), "{tables:?}");
    for row in planned {
        let &[rate, megabytes, lost] = &row[..] else { unreachable!("three numbers") };
        assert!(megabytes > 100.0 && megabytes < 500.0);
        assert!(lost > 0.05 * rate * 1e8 && lost < 0.2 * rate * 1e8, "{row:?}");
    }
    for row in measured {
        let &[_, _, to_be_lost, lost] = &row[..] else { unreachable!("four numbers") };
        // Six standard deviations of a Poisson variable, and six more.
        assert!((lost - to_be_lost).abs() <= 6.0 * to_be_lost.sqrt() + 6.0, "{row:?}");
    }
    assert!(measured[0][3] > 0.0, "something is lost at one in a hundred");
    assert!(crawl_frontier::report(&[], &mut Vec::new()).is_ok());
}

#[test]
fn cache_digests_find_what_the_other_has() {
    let requests = cache_digests::made_up_requests();
    let [fresh, old] =
        [2_000, 10_000].map(|every| cache_digests::route(&requests, 5.0, every).expect("small"));
    for seen in [&fresh, &old] {
        assert!(seen.hits > 10_000 && seen.missed > 0 && seen.false_by_age > 0, "{seen:?}");
        // Full, a digest of five bits an object has a rate of 9.2 %; empty at first, it has less.
        let rate = seen.false_by_filter as f64 / seen.absent as f64;
        assert!((0.06..0.1).contains(&rate), "{rate}");
    }
    assert!(fresh.digest_bytes > 4 * old.digest_bytes);
    assert!(fresh.missed < old.missed && fresh.false_by_age < old.false_by_age);
    let large = cache_digests::route(&requests, 10.0, 2_000).expect("small");
    assert!(large.false_by_filter * 5 < fresh.false_by_filter && large.own_hits == fresh.own_hits);
    let table = rows(|out| cache_digests::report(&requests[..30_000], out).expect("a vector takes all"));
    assert!(table.len() == 6 && table.iter().all(|row| row.len() == 9), "{table:?}");
}

#[test]
fn seen_last_hour_goes_on_from_its_state() {
    let path = std::env::temp_dir().join(format!("seen-last-hour-{}.rlo", std::process::id()));
    let state = path.to_str().expect("a plain path");
    let run = |events: &str, state| {
        let mut out = Vec::new();
        seen_last_hour::drop_repeats(events.as_bytes(), state, &mut out).expect("sound events");
        String::from_utf8(out).expect("text")
    };
    assert_eq!(run("0 a\n10 b\n3599 a\n", Some(state)), "0 a\n10 b\n");
    // Another process, an hour and ten minutes after `b`, and less after `a` was seen again.
    assert_eq!(run("4210 b\n4211 a\n4212 b\n", Some(state)), "4210 b\n");
    std::fs::remove_file(&path).expect("it was written");
    assert_eq!(run("4211 a\n", None), "4211 a\n");
    assert!(seen_last_hour::drop_repeats(&b"no time"[..], None, &mut Vec::new()).is_err());
}

//! `build`: sizes, goals, hashes, where the filter goes.

use crate::support::{Sandbox, families, is_built_once, lines};

#[test]
fn duplicates_and_order_leave_no_trace() {
    let here = Sandbox::new();
    let once = lines("key", 1000);
    let reversed: String = once.lines().rev().map(|line| format!("{line}\n")).collect();
    here.write("once", &once).write("thrice", reversed.repeat(3));
    here.run(&["build", "once", "-o", "a"]).ok();
    let run = here.run(&["build", "thrice", "-o", "b", "--json"]).ok();
    assert_eq!(here.read("a"), here.read("b"));
    assert_eq!(run.json()["keys_read"], 3000);
    assert_eq!(run.json()["keys_distinct"], 1000);
    assert_eq!(run.json()["len_kind"], "exact");
}

#[test]
fn standard_input_and_files_give_the_same_filter() {
    let here = Sandbox::new();
    here.write("one", lines("a", 500)).write("two", lines("b", 500));
    here.run(&["build", "one", "two", "-o", "files"]).ok();
    let both = lines("a", 500) + &lines("b", 500);
    here.run_with(&["build", "-o", "stdin"], both.as_bytes()).ok();
    here.run_with(&["build", "one", "-", "-o", "mixed"], lines("b", 500).as_bytes()).ok();
    let to_stdout = here.run(&["build", "one", "two", "-o", "-"]).ok();
    assert_eq!(here.read("files"), here.read("stdin"));
    assert_eq!(here.read("files"), here.read("mixed"));
    assert_eq!(here.read("files"), to_stdout.stdout);
}

#[test]
fn every_goal_is_kept() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 10_000));
    for family in ["bloom", "blocked", "golomb"] {
        let built = |more: &[&str]| {
            let args = [&["build", "keys", "-o", "f", "-f", "--json", "--family", family][..], more].concat();
            here.run(&args).ok().json()
        };
        let usual = built(&[]);
        assert!(usual["fpr_at_capacity"].as_f64().unwrap() <= 0.01);
        assert!(usual["bits_per_key"].as_f64().unwrap() < 11.0);
        assert_eq!(usual["family"], family);
        assert_eq!(built(&["-p", "1%"]), usual);
        assert_eq!(built(&["--fpr", "0.01"]), usual);
        assert!(built(&["-p", "0.1%"])["fpr_at_capacity"].as_f64().unwrap() <= 0.001);
        let bits = built(&["--bits-per-key", "12"])["bits_per_key"].as_f64().unwrap();
        assert!(bits <= 12.0 && bits > 11.9, "{bits}");
        let bytes = built(&["--memory", "16KiB"])["size_bytes"].as_u64().unwrap();
        assert!(bytes <= 16384 && bytes > 16_250, "{bytes}");
    }
}

#[test]
fn a_capacity_streams_and_warns_when_it_is_exceeded() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 5000)).write("more", lines("key", 100_000));
    let fits = here.run(&["build", "keys", "--capacity", "5000", "-o", "fits"]).ok();
    assert!(!fits.stderr.contains("warning"), "{}", fits.stderr);
    let twice = here.run(&["build", "keys", "keys", "--capacity", "5k", "-o", "twice"]).ok();
    assert!(!twice.stderr.contains("warning"), "repeats fill nothing: {}", twice.stderr);

    // Twenty times too many, and a quarter too many: both are said, with the rate as it is now.
    let args = ["build", "more", "--capacity", "5000", "-p", "1%", "-o", "over", "--json", "--quiet"];
    let over = here.run(&args).ok();
    assert!(over.stderr.contains("warning: over capacity"), "{}", over.stderr);
    assert_eq!(over.json()["over_capacity"], true);
    assert!(over.json()["fpr_now"].as_f64().unwrap() > 0.99);
    let slightly = here.run(&["build", "keys", "--capacity", "4000", "-o", "slightly", "--json"]).ok();
    assert!(slightly.stderr.contains("warning: over capacity"), "{}", slightly.stderr);
    let rate = slightly.json()["fpr_now"].as_f64().unwrap();
    assert!(rate > 0.015 && rate < 0.05, "{rate}");
    let info = here.run(&["info", "over"]).ok();
    assert!(info.stderr.contains("over capacity"), "{}", info.stderr);
    assert_eq!(here.run(&["info", "over", "--json"]).ok().json()["over_capacity"], true);
}

#[test]
fn hashes_and_seeds_are_recorded() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 100)).write("raw", b"0123456789abcdef");
    here.write("hex", "30313233343536373839616263646566\n").write("other", "fedcba9876543210\n");
    let built = |more: &[&str]| {
        let args = [&["build", "keys", "-o", "f", "-f", "--json"][..], more].concat();
        here.run(&args).ok().json()
    };
    assert_eq!((&built(&[])["hash"], &built(&[])["seed"]), (&"xxh3".into(), &0.into()));
    assert_eq!(built(&["--seed", "0xff", "--hash", "xxh64"])["seed"], 255);
    assert_eq!(built(&["--key-file", "raw"])["hash"], "siphash24");
    assert_eq!(built(&["--key-file", "raw"])["key_check"], built(&["--key-file", "hex"])["key_check"]);
    assert_ne!(built(&["--key-file", "raw"])["key_check"], built(&["--key-file", "other"])["key_check"]);
    assert_eq!(built(&["--key-file", "raw", "--hash", "siphash13"])["hash"], "siphash13");

    here.run(&["build", "keys", "-o", "x", "--hash", "siphash13"]).fails(&["--key-file"]);
    here.run(&["build", "keys", "-o", "x", "--hash", "xxh3", "--key-file", "raw"]).fails(&["siphash24"]);
    here.run(&["build", "keys", "-o", "x", "--seed", "1", "--key-file", "raw"]).fails(&["--seed"]);
    here.run(&["build", "keys", "-o", "x", "--key-file", "keys"]).fails(&["16 raw bytes or 32 hex digits"]);
    here.run(&["build", "keys", "-o", "x", "--hash", "md5"]).fails(&["xxh3"]);
    assert!(!here.path("x").exists());
}

#[test]
fn an_empty_list_gives_a_filter_that_says_no() {
    let here = Sandbox::new();
    here.write("empty", "").write("keys", lines("key", 1000));
    for family in families() {
        let run = here.run(&["build", "empty", "-f", "-o", "f", "--family", family]).ok();
        assert!(run.stderr.contains("no keys were read"), "{}", run.stderr);
        here.run(&["verify", "f"]).ok();
        let check = here.run(&["check", "f", "keys"]);
        assert_eq!((check.code, check.stdout.len()), (Some(1), 0));
        assert_eq!(here.run(&["check", "--absent", "--count", "f", "keys"]).ok().text(), "1000\n");
        let streamed = here.run(&["build", "empty", "-f", "-o", "f", "--capacity", "0", "--family", family]);
        if is_built_once(family) {
            streamed.fails(&["all its keys at once", "leave out --capacity"]);
        } else {
            streamed.ok();
        }
    }
}

#[test]
fn numbers_that_make_no_filter_are_refused() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 10));
    for rate in ["0", "-1", "1.0", "100%", "NaN", "inf", "x", ""] {
        here.run(&["build", "keys", "-o", "f", "-p", rate]).fails(&["--fpr"]);
    }
    here.run(&["build", "keys", "-o", "f", "-p", "5"]).fails(&["did you mean 5%?"]);
    here.run(&["build", "keys", "-o", "f", "-p", "1"]).fails(&["did you mean 1%?"]);
    // Refused before the keys are read: they are not even there.
    here.run(&["build", "missing", "-o", "f", "-p", "1e-300"]).fails(&["64-bit hashes"]);
    here.run(&["build", "keys", "-o", "f", "-p", "1%", "--memory", "1MiB"]).fails(&["cannot be used with"]);
    here.run(&["build", "keys", "-o", "f", "--bits-per-key", "9", "--memory", "1M"])
        .fails(&["cannot be used"]);
    here.run(&["build", "keys", "-o", "f", "--bits-per-key", "-1"]).fails(&["--bits-per-key"]);
    here.run(&["build", "missing", "-o", "f", "--bits-per-key", "1e300"]).fails(&["bits per key"]);
    here.run(&["build", "keys", "-o", "f", "--family", "xor"]).fails(&["bloom", "blocked"]);
    here.run(&["build", "keys"]).fails(&["--output"]);
    assert_eq!(here.names(), ["keys"]);
}

#[test]
fn what_exceeds_memory_is_refused_with_both_numbers() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 10));
    let run = here.run(&["build", "keys", "-o", "f", "--capacity", "1e15"]);
    run.fails(&["needs", "bytes) of memory", "are available"]);
    here.run(&["build", "missing", "-o", "f", "--memory", "1000TiB"]).fails(&["1,099,511,627,776,000 bytes"]);
    here.run(&["build", "keys", "-o", "f", "--capacity", "1e18"]).fails(&[]);
    here.run(&["build", "keys", "-o", "f", "--capacity", "1e18", "-p", "90%"]).fails(&["needs"]);
    assert_eq!(here.names(), ["keys"]);
}

#[test]
fn an_existing_file_needs_force() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 10)).write("f", "precious");
    here.run(&["build", "keys", "-o", "f"]).fails(&["f exists", "--force"]);
    // Refused before the keys are read: they are not even there.
    here.run(&["build", "missing", "-o", "f"]).fails(&["f exists"]);
    assert_eq!(here.read("f"), b"precious");
    here.run(&["build", "missing", "-o", "f", "--force"]).fails(&["missing"]);
    assert_eq!(here.read("f"), b"precious");
    here.run(&["build", "keys", "-o", "f", "--force"]).ok();
    here.run(&["verify", "f"]).ok();
    here.run(&["build", "keys", "-o", "keys", "--force"]).fails(&["both an input and the output"]);
    assert_eq!(here.read("keys"), lines("key", 10).as_bytes());
    assert_eq!(here.names(), ["f", "keys"]);
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_read_by_another_way_is_not_replaced_either() {
    let here = Sandbox::new();
    here.write("keys", lines("k", 10)).write("secret", "0123456789abcdef");
    here.shell("$RULEOUT build -o keys --force < keys")
        .fails(&["standard input is both an input and the output"]);
    here.shell("cat keys | $RULEOUT build --key-file secret -o f").ok();
    here.run(&["build", "keys", "--key-file", "secret", "-o", "secret", "--force"])
        .fails(&["the key would be lost"]);
    here.run(&["merge", "f", "f", "--key-file", "./secret", "-o", "secret", "--force"])
        .fails(&["the key would be lost"]);
    assert_eq!((here.read("keys"), here.read("secret")), (lines("k", 10).into(), b"0123456789abcdef".into()));
}

#[test]
fn an_output_that_cannot_be_is_refused_before_reading() {
    let here = Sandbox::new();
    here.run(&["build", "missing", "-o", "."]).fails(&["cannot write"]);
    here.run(&["build", "missing", "-o", ""]).fails(&["--output"]);
    here.run(&["build", "missing", "-o", "no/such/f"]).fails(&["cannot write no/such/f"]);
    here.run(&["build", "missing", "-o", "new/"]).fails(&["cannot write"]);
    here.write("keys", "a\n");
    here.run(&["build", "missing", "-o", "keys/f"]).fails(&["cannot write keys/f"]);
    here.run(&["build", "keys", "-o", "-", "--json"]).fails(&["standard output"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let here = Sandbox::new();
    here.write("keys", lines("key", 10)).write("real", "old");
    fs::set_permissions(here.path("real"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real", here.path("link")).unwrap();
    symlink("later", here.path("dangling")).unwrap();
    symlink("loop", here.path("loop")).unwrap();
    here.run(&["build", "keys", "-o", "link"]).fails(&["exists"]);
    here.run(&["build", "keys", "-o", "link", "--force"]).ok();
    here.run(&["build", "keys", "-o", "dangling"]).ok();
    here.run(&["build", "keys", "-o", "loop"]).fails(&["cannot write loop"]);
    assert!(here.path("link").is_symlink() && here.path("dangling").is_symlink());
    here.run(&["verify", "real", "later"]).ok();
    assert_eq!(here.path("real").metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn quiet_is_quiet() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 10));
    let run = here.run(&["build", "keys", "-o", "f", "-q"]).ok();
    assert_eq!((run.stderr.as_str(), run.text()), ("", ""));
    let run = here.run(&["build", "keys", "-o", "g"]).ok();
    assert!(run.stderr.contains("10 keys read"), "{}", run.stderr);
    assert_eq!(run.text(), "", "only results go to standard output");
}

#[test]
fn a_full_filter_says_what_it_took_and_what_to_do() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 1000)).write("repeats", "key\n".repeat(1000));
    for family in ["cuckoo", "quotient"] {
        let full = here.run(&["build", "keys", "-o", "f", "--capacity", "500", "--family", family]);
        let family = format!("the {family} filter is full: it took 5");
        full.fails(&[&family, "made for 500", "leave out --capacity", "or raise it"]);
    }
    // More room would not help with one key: each has few places.
    let copies = here.run(&["build", "repeats", "-o", "f", "--capacity", "1000", "--family", "cuckoo"]);
    let run =
        copies.fails(&["holds one key 4 times", "took 4 keys", "made for 1,000", "leave out --capacity"]);
    assert!(!run.stderr.contains("raise"), "{}", run.stderr);
    here.run(&["build", "repeats", "-o", "f", "--family", "cuckoo"]).ok();
}

#[test]
fn a_filter_that_rules_little_out_is_warned_of() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 1000));
    let run = here.run(&["build", "keys", "-o", "f", "-p", "90%", "--quiet"]).ok();
    assert!(run.stderr.starts_with("ruleout: warning: f rules out little"), "{}", run.stderr);
    let run = here.run(&["build", "keys", "-o", "g", "-p", "10%", "--quiet"]).ok();
    assert_eq!(run.stderr, "");
}

#[test]
fn numbers_agree_with_their_nouns() {
    let here = Sandbox::new();
    here.write("one", "a\n");
    let run = here.run(&["build", "one", "-o", "f", "--family", "quotient"]).ok();
    assert!(
        run.stderr.contains("1 key read, 1 distinct") && run.stderr.contains(" 1 probe,"),
        "{}",
        run.stderr
    );
    let run = here.run(&["merge", "f", "-o", "g"]).ok();
    assert!(run.stderr.contains("1 filter merged, about 1 key;"), "{}", run.stderr);
    assert!(here.run(&["info", "f"]).ok().text().contains("  1 key\n"));
}

//! `info`, `verify` and `merge`.

use crate::support::{Sandbox, families, header_len, is_built_once, lines};

fn with_lists() -> Sandbox {
    let here = Sandbox::new();
    here.write("a", lines("a", 1000)).write("b", lines("b", 1000));
    here
}

#[test]
fn info_and_verify_agree_with_what_was_built() {
    let here = with_lists();
    for family in families() {
        here.run(&["build", "a", "-f", "-o", "f", "--family", family, "--seed", "7"]).ok();
        let info = here.run(&["info", "f", "--json"]).ok().json();
        let verify = here.run(&["verify", "f", "--json"]).ok().json()[0].clone();
        for (field, value) in [("family", family.into()), ("seed", 7.into()), ("capacity", 1000.into())] {
            assert_eq!((&info[field], &verify[field]), (&value, &value));
        }
        assert_eq!((&info["len"], &info["len_kind"]), (&1000.into(), &"exact".into()));
        assert_eq!(info["format_version"], 1);
        assert_eq!(info["file_bytes"], here.read("f").len());
        assert!(!info["params"].as_object().unwrap().is_empty());
        let estimate = verify["estimated_keys"].as_f64().unwrap();
        assert!((estimate - 1000.0).abs() < 60.0, "{estimate}");
        let (expected, seen) = (info["fpr_now"].as_f64().unwrap(), verify["fpr_now"].as_f64().unwrap());
        assert!((expected / seen - 1.0).abs() < 0.2, "{expected} {seen}");
        for (args, part) in [(["info", "f"], "expected rate now"), (["verify", "f"], "f: sound")] {
            assert!(here.run(&args).ok().text().contains(part));
        }
    }
}

#[test]
fn a_diff_shows_what_changed() {
    let here = with_lists();
    let build = |list, to, more: &[&str]| here.run(&[&["build", list, "-o", to][..], more].concat()).ok();
    build("a", "old", &[]);
    build("a", "again", &[]);
    build("b", "others", &[]);
    build("a", "fuse", &["--family", "fuse", "--hash", "xxh64"]);
    assert_eq!(here.run(&["diff", "old", "again"]).ok().text(), "");
    let others = here.run(&["diff", "old", "others"]);
    assert_eq!((others.code, others.text()), (Some(1), "the content differs, and nothing else\n"));
    let fuse = here.run(&["diff", "old", "fuse"]);
    assert_eq!(fuse.code, Some(1));
    let row = |name: &str| fuse.text().lines().find(|line| line.starts_with(name)).map(str::to_owned);
    let family = row("family").unwrap();
    assert_eq!(family.split_whitespace().collect::<Vec<_>>(), ["family", "blocked", "fuse"]);
    assert!(row("hash").is_some() && row("size").is_some() && row("capacity").is_none());
    let json = here.run(&["diff", "--json", "old", "fuse"]);
    assert_eq!(json.code, Some(1));
    let json = json.json();
    assert_eq!(json["same"], false);
    assert_eq!(json["changed"]["family"], serde_json::json!({ "old": "blocked", "new": "fuse" }));
    assert!(json["changed"].get("capacity").is_none());
    let same = here.run(&["diff", "--json", "old", "again"]).ok().json();
    assert_eq!((&same["same"], same["changed"].as_object().unwrap().len()), (&true.into(), 0));
    here.write("no", "filter");
    here.run(&["diff", "old", "no"]).fails(&["no: not a ruleout filter"]);
    here.run(&["diff", "missing", "old"]).fails(&["missing"]);
}

#[test]
fn info_reads_the_header_and_notices_a_wrong_length() {
    let here = with_lists();
    here.run(&["build", "a", "-o", "f"]).ok();
    let mut bytes = here.read("f");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    // Damage behind the header is not for `info` to see; `verify` sees it.
    here.write("flipped", &bytes);
    here.run(&["info", "flipped"]).ok();
    here.run(&["verify", "flipped"]).fails(&["flipped: damaged payload"]);
    here.write("short", &bytes[..last]);
    here.run(&["info", "short"]).fails(&["short: truncated"]);
    here.write("long", [&bytes[..], b"x"].concat());
    here.run(&["info", "long"]).fails(&["long: too long"]);
    for command in ["info", "verify"] {
        here.run(&[command, "missing"]).fails(&["cannot read missing"]);
        here.run(&[command, "."]).fails(&["cannot read .", "directory"]);
        here.run(&[command, "a"]).fails(&["a: not a ruleout filter"]);
        // A device without end is refused by its first bytes.
        #[cfg(unix)]
        here.run(&[command, "/dev/zero"]).fails(&["/dev/zero: not a ruleout filter"]);
    }
}

#[test]
fn verify_looks_at_every_file() {
    let here = with_lists();
    here.run(&["build", "a", "-o", "f"]).ok();
    let run = here.run(&["verify", "a", "f", "missing"]);
    assert_eq!(run.code, Some(2));
    assert!(run.text().starts_with("f: sound"), "{}", run.text());
    assert!(run.stderr.contains("a: not a ruleout filter") && run.stderr.contains("missing"));
    let run = here.run(&["verify", "--json", "a", "f"]);
    assert_eq!(run.code, Some(2));
    assert_eq!((&run.json()[0]["sound"], &run.json()[1]["sound"]), (&false.into(), &true.into()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_leaves_does_not_make_a_damaged_filter_sound() {
    let here = with_lists();
    here.run(&["build", "a", "-o", "f"]).ok();
    for json in ["", "--json"] {
        // The status of `verify`, not of the reader that is gone before it writes.
        let script =
            format!("(sleep 0.2; \"$RULEOUT\" verify {json} f a; echo $? > status) | true; cat status");
        assert_eq!(here.shell(&script).ok().text(), "2\n");
    }
}

#[test]
fn a_union_holds_every_key() {
    let here = with_lists();
    for family in families() {
        for list in ["a", "b"] {
            let out = format!("{list}.f");
            let capacity = if is_built_once(family) { &[][..] } else { &["--capacity", "2000"] };
            here.run(&[&["build", list, "-fo", &out, "--family", family], capacity].concat()).ok();
        }
        let run = here.run(&["merge", "a.f", "b.f", "-fo", "both", "--json"]);
        if ["cuckoo", "scalable"].contains(&family) || is_built_once(family) {
            run.fails(&[&format!("{family} filters cannot be merged")]);
            continue;
        }
        let run = run.ok();
        assert_eq!(run.stderr, "");
        assert_eq!((&run.json()["merged"], &run.json()["over_capacity"]), (&2.into(), &false.into()));
        assert_eq!(here.run(&["check", "-c", "both", "a", "b"]).ok().text(), "2000\n");
        // The very bits that one build of both lists sets, under a header that claims less.
        here.run(&["build", "a", "b", "-fo", "direct", "--capacity", "2000", "--family", family]).ok();
        let payload = |name| {
            let file = here.read(name);
            file[header_len(&file)..].to_vec()
        };
        assert_eq!(payload("both"), payload("direct"));
        // Into itself, as one does day by day.
        here.run(&["merge", "both", "a.f", "-o", "both", "--force"]).ok();
        assert_eq!(here.run(&["check", "-c", "both", "a", "b"]).ok().text(), "2000\n");
        here.run(&["merge", "a.f", "b.f", "-o", "both"]).fails(&["both exists"]);
    }
}

#[test]
fn a_union_that_grew_says_so() {
    let here = with_lists();
    for list in ["a", "b"] {
        let out = format!("{list}.f");
        here.run(&["build", list, "-o", &out, "--capacity", "1010", "--family", "quotient"]).ok();
    }
    let run = here.run(&["merge", "a.f", "b.f", "-o", "both"]).ok();
    let note = "both grew from 1,010 to 2,020 keys; expected rate at capacity now 1.395 %\n";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    let run = here.run(&["merge", "a.f", "a.f", "-fo", "both", "--quiet"]).ok();
    assert_eq!(run.stderr, "");
    assert!(!here.run(&["merge", "a.f", "-fo", "both"]).ok().stderr.contains("grew"));
}

#[test]
fn whatever_differs_is_named_with_both_values() {
    let here = with_lists();
    here.write("key", b"0123456789abcdef");
    let build = |out: &str, flags: &[&str]| {
        here.run(&[&["build", "a", "-o", out][..], flags].concat()).ok();
    };
    build("usual", &[]);
    build("seed", &["--seed", "7"]);
    build("hash", &["--hash", "xxh64"]);
    build("bloom", &["--family", "bloom"]);
    build("large", &["--capacity", "2000"]);
    build("keyed", &["--key-file", "key"]);
    let refused = |other: &str, parts: &[&str]| {
        let run = here.run(&["merge", "usual", other, "-o", "out"]).fails(parts);
        assert!(run.stderr.contains(other), "{}", run.stderr);
    };
    refused("seed", &["hash differs", "seed 0", "seed 7"]);
    refused("hash", &["hash differs", "xxh3", "xxh64"]);
    refused("bloom", &["family differs", "blocked"]);
    refused("large", &["capacity 1,000 and 2,000", "lines 20 and 39", "--capacity"]);
    refused("keyed", &["--key-file"]);
    refused("a", &["not a ruleout filter"]);
    refused("missing", &["cannot read"]);
    assert!(!here.path("out").exists());
}

#[test]
fn damage_never_enters_a_union() {
    let here = with_lists();
    here.run(&["build", "a", "-o", "f"]).ok();
    let mut bytes = here.read("f");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    here.write("bad", &bytes);
    for flags in [&[][..], &["--no-verify"]] {
        for order in [["f", "bad"], ["bad", "f"]] {
            here.run(&[&["merge", "-o", "out"][..], &order, flags].concat()).fails(&["bad: damaged payload"]);
        }
    }
    assert!(!here.path("out").exists());
}

#[test]
fn a_union_over_capacity_is_reported() {
    let here = with_lists();
    for list in ["a", "b"] {
        here.run(&["build", list, "-o", &format!("{list}.f"), "--capacity", "1000"]).ok();
    }
    let run = here.run(&["merge", "a.f", "b.f", "-o", "both", "--quiet", "--json"]).ok();
    assert!(run.stderr.contains("warning: over capacity"), "{}", run.stderr);
    assert_eq!(run.json()["over_capacity"], true);
    let rate = run.json()["fpr_now"].as_f64().unwrap();
    assert!(rate > 0.05 && rate < 0.3, "{rate}");
    let verify = here.run(&["verify", "both", "--json"]).ok();
    assert!(verify.stderr.contains("warning: over capacity: both: about"), "{}", verify.stderr);
    assert_eq!(verify.json()[0]["over_capacity"], true);
    assert_eq!(here.run(&["verify", "a.f", "--json"]).ok().json()[0]["over_capacity"], false);
}

//! `demo`, and what is made of the definition of the flags.

use crate::support::{Sandbox, families};

#[test]
fn the_demonstration_loses_no_key_and_keeps_its_rate() {
    let here = Sandbox::new();
    let json = here.run(&["demo", "-n", "200k", "--json"]).ok().json();
    let trials = json.as_array().unwrap();
    assert_eq!(trials.len(), families().count());
    for trial in trials {
        assert_eq!(trial["keys_lost"], 0);
        let measured = trial["fpr_measured"].as_f64().unwrap();
        // A fingerprint has a whole number of bits, so that a table may have a lower rate than asked.
        let expected = trial["fpr_expected"].as_f64().unwrap();
        assert!(measured > 0.8 * expected && measured < 0.012, "{trial}");
    }
    let run = here.run(&["demo", "-n", "1000", "-p", "0.1%", "--family", "bloom"]).ok();
    assert!(
        run.text().contains("rate as built  rate measured") && !run.text().contains("blocked"),
        "{}",
        run.text()
    );
    here.run(&["demo", "-n", "0"]).ok();
    here.run(&["demo", "-n", "1e15"]).fails(&["of memory"]);
    here.run(&["demo", "-p", "2"]).fails(&["did you mean 2%?"]);
    assert_eq!(here.names(), [""; 0], "it writes elsewhere and tidies up");
}

#[test]
fn every_command_shows_examples() {
    let here = Sandbox::new();
    let commands =
        ["build", "check", "dedup", "info", "verify", "merge", "diff", "size", "demo", "completions", "man"];
    for command in commands {
        for flag in ["-h", "--help"] {
            let run = here.run(&[command, flag]).ok();
            assert!(run.text().contains("Examples:\n  "), "{command}");
            assert!(run.text().contains(&format!("ruleout {command}")), "{command}");
        }
    }
}

/// What the examples read, so that each can be pasted as it stands.
#[cfg(target_os = "linux")]
fn with_what_examples_read() -> Sandbox {
    use std::io::Write as _;

    use crate::support::lines;
    let here = Sandbox::new();
    let lists = ["words.txt", "users.txt", "monday.txt", "tuesday.txt", "wednesday.txt"];
    let logs = ["access.log", "events.log", "today.log"];
    for list in lists.into_iter().chain(logs) {
        here.write(list, lines("line", 100));
    }
    // Words and others, so that both are selected.
    here.write("candidates.txt", lines("line", 10) + &lines("other", 1000));
    let mut urls = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    urls.write_all(lines("https://example.com/", 100).as_bytes()).unwrap();
    here.write("urls.txt.gz", urls.finish().unwrap());
    here.write("events.csv", "ada,login,1000\nalan,login,1001\nada,login,1002\n");
    here.write("hosts.txt", "# hosts\n127.0.0.1   localhost\n0.0.0.0\ta.example\n");
    here.write("more-hosts.txt", "0.0.0.0 a.example\n0.0.0.0  b.example\n");
    here.write("pwned.txt", "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:9659365\r\n");
    here
}

#[cfg(target_os = "linux")]
#[test]
fn every_example_works_when_pasted() {
    let here = with_what_examples_read();
    let commands = [
        "",
        "build",
        "check",
        "dedup",
        "info",
        "verify",
        "merge",
        "diff",
        "size",
        "demo",
        "completions",
        "man",
    ];
    let mut pasted = 0;
    for command in commands {
        let help =
            here.run(&[command, "--help"].into_iter().filter(|arg| !arg.is_empty()).collect::<Vec<_>>());
        let (_, examples) = help.text().split_once("Examples:\n").unwrap();
        for example in examples.lines().filter_map(|line| line.strip_prefix("    ")) {
            // One keystroke in a demonstration of 10^7 keys must not cost the tests a minute; `man` may be missing.
            // A log that is followed has no end.
            let example = example.replace("-n 10M", "-n 10k").replace("tail -f", "cat");
            // More than one page builds the same filter, and none of them into an old file unless it says so.
            if let Some((_, out)) = example.split_once(" -o ").filter(|(before, _)| !before.contains("merge"))
            {
                let _ = std::fs::remove_file(here.path(out));
            }
            let setting = "HOME=$PWD; ruleout() { \"$RULEOUT\" \"$@\"; }; man() { cat > page; }";
            let run = here.shell(&format!("{setting}; {example}"));
            assert_eq!(run.code, Some(0), "{example}: {run:?}");
            pasted += 1;
        }
    }
    assert!(pasted > 25, "{pasted}");
}

#[test]
fn names_come_from_the_library() {
    let here = Sandbox::new();
    let help = here.run(&["build", "--help"]).ok();
    for family in families() {
        assert!(help.text().contains(&format!("- {family}")), "{family}");
        // With a gist: a family that is offered without one cannot be chosen.
        assert!(!help.text().contains(&format!("- {family}\n")), "{family}");
        here.run(&["build", "-o", "f", "-f", "--family", family]).ok();
    }
    let fish = here.run(&["completions", "fish"]).ok();
    assert!(fish.text().contains("blocked") && fish.text().contains("siphash24"));
}

#[test]
fn completions_and_man_pages_know_every_flag() {
    let here = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(here.run(&["completions", shell]).ok().text().contains("keep-empty"), "{shell}");
    }
    here.run(&["completions", "tcsh"]).fails(&["bash"]);
    assert!(here.run(&["man"]).ok().text().contains(".TH ruleout"));
    here.run(&["man", "--out", "pages"]).ok();
    let page = String::from_utf8(here.read("pages/ruleout-build.1")).unwrap();
    assert!(page.contains("capacity") && page.contains("Examples"), "{page}");
}

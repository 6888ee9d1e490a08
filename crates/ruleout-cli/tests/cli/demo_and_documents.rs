//! `demo`, and what is made of the definition of the flags.

use crate::support::Sandbox;

#[test]
fn the_demonstration_loses_no_key_and_keeps_its_rate() {
    let here = Sandbox::new();
    let json = here.run(&["demo", "-n", "200k", "--json"]).ok().json();
    let trials = json.as_array().unwrap();
    assert_eq!(trials.len(), 2);
    for trial in trials {
        assert_eq!(trial["keys_lost"], 0);
        let measured = trial["fpr_measured"].as_f64().unwrap();
        assert!(measured > 0.008 && measured < 0.012, "{trial}");
    }
    let run = here.run(&["demo", "-n", "1000", "-p", "0.1%", "--family", "bloom"]).ok();
    assert!(run.text().contains("rate measured") && !run.text().contains("blocked"), "{}", run.text());
    here.run(&["demo", "-n", "0"]).ok();
    here.run(&["demo", "-n", "1e15"]).fails(&["of memory"]);
    here.run(&["demo", "-p", "2"]).fails(&["did you mean 2%?"]);
    assert_eq!(here.names(), [""; 0], "it writes elsewhere and tidies up");
}

#[test]
fn every_command_shows_examples() {
    let here = Sandbox::new();
    let commands = ["build", "check", "info", "verify", "merge", "size", "demo", "completions", "man"];
    for command in commands {
        for flag in ["-h", "--help"] {
            let run = here.run(&[command, flag]).ok();
            assert!(run.text().contains("Examples:\n  "), "{command}");
            assert!(run.text().contains(&format!("ruleout {command}")), "{command}");
        }
    }
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

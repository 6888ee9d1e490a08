//! Ends that come too early: kills, full disks.
#![cfg(target_os = "linux")]

use std::process::Stdio;
use std::time::Duration;

use crate::support::{Sandbox, lines};

#[test]
fn a_kill_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 1000));
    here.run(&["build", "keys", "-o", "f"]).ok();
    let old = here.read("f");
    let build = ["build", "keys", "--memory", "64MiB", "-o", "f", "--force", "-q"];
    let mut survived = 0;
    for delay in (0..120).step_by(6) {
        let mut child = here.command(&build).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(here.names(), ["f", "keys"], "no debris after {delay} ms");
        here.run(&["verify", "f"]).ok();
        survived += usize::from(here.read("f") == old);
    }
    assert!(survived > 0, "the first kills come before anything is written");
}

#[test]
fn an_interrupt_while_reading_leaves_nothing() {
    let here = Sandbox::new();
    here.write("f", "old");
    for signal in ["INT", "TERM", "HUP"] {
        let args = ["build", "-", "-o", "f", "--force"];
        let mut child = here.command(&args).stdin(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(30));
        here.shell(&format!("kill -{signal} {}", child.id())).ok();
        assert!(!child.wait().unwrap().success(), "{signal}");
        assert_eq!(here.names(), ["f"]);
        assert_eq!(here.read("f"), b"old");
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_old_file_stays() {
    let here = Sandbox::new();
    here.write("keys", lines("key", 1000)).write("f", "old");
    // A limit on the size of files stands in for a full disk: the write fails half-way.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$RULEOUT\" build keys --memory 1MiB -o";
    here.shell(&format!("{limited} f --force")).fails(&["cannot write f"]);
    here.shell(&format!("{limited} new")).fails(&["cannot write new"]);
    assert_eq!(here.names(), ["f", "keys"]);
    assert_eq!(here.read("f"), b"old");
    here.run(&["build", "keys", "-o", "/dev/full"]).fails(&["cannot write /dev/full", "No space left"]);
    here.run(&["build", "keys", "-o", "/dev/null"]).ok();
}

#[test]
fn streaming_takes_the_filter_and_little_more() {
    let here = Sandbox::new();
    // 30 MB of lines through 96 MiB of address space, most of which the program and its buffers take.
    here.write("keys", lines("https://example.com/some/longer/path/", 600_000));
    here.shell("ulimit -v 98304; exec \"$RULEOUT\" build keys --capacity 600000 -o f").ok();
    assert_eq!(here.run(&["check", "-c", "f", "keys"]).ok().text(), "600000\n");
}

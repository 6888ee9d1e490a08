//! `check`: what it selects, prints and says by its exit status.

use std::io::Read as _;
use std::process::Stdio;

use crate::support::{Sandbox, lines};

/// A sandbox with the filter `f` of `in0` to `in999`, at so low a rate that nothing else is selected.
fn with_filter() -> Sandbox {
    let here = Sandbox::new();
    here.write("keys", lines("in", 1000)).write("others", lines("out", 1000));
    here.run(&["build", "keys", "-o", "f", "-p", "1e-9", "--capacity", "1000"]).ok();
    here
}

#[test]
fn lines_come_back_as_they_were_in_order() {
    let here = with_filter();
    let mixed = "in5\nout1\nin3\r\nin3\nout2\nin7";
    let maybe = here.run_with(&["check", "f"], mixed.as_bytes()).ok();
    assert_eq!(maybe.text(), "in5\nin3\r\nin3\nin7\n");
    assert_eq!(maybe.stderr, "");
    let absent = here.run_with(&["check", "f", "--absent", "-"], mixed.as_bytes()).ok();
    assert_eq!(absent.text(), "out1\nout2\n");
    let all = here.run(&["check", "f", "keys"]).ok();
    assert_eq!(all.stdout, here.read("keys"));
}

#[test]
fn exit_statuses_are_those_of_grep() {
    let here = with_filter();
    let code = |args: &[&str]| here.run(args).code;
    assert_eq!(code(&["check", "f", "keys"]), Some(0));
    assert_eq!(code(&["check", "f", "others"]), Some(1));
    assert_eq!(code(&["check", "-v", "f", "keys"]), Some(1));
    assert_eq!(code(&["check", "-q", "f", "others", "keys"]), Some(0));
    assert_eq!(code(&["check", "-c", "f", "others"]), Some(1));
    assert_eq!(code(&["check", "f"]), Some(1), "no lines");
    assert_eq!(code(&["check", "missing", "keys"]), Some(2));
    assert_eq!(code(&["check"]), Some(2));
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["--version"]), Some(0));
    assert_eq!(code(&[]), Some(2));
}

#[test]
fn one_bad_input_does_not_hide_the_others() {
    let here = with_filter();
    let run = here.run(&["check", "f", "missing", "keys", "."]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout, here.read("keys"));
    assert!(run.stderr.contains("missing") && run.stderr.contains("directory"), "{}", run.stderr);
    // Like grep, a selection found first is the answer.
    assert_eq!(here.run(&["check", "-q", "f", "keys", "missing"]).code, Some(0));
}

#[test]
fn counts_and_silence() {
    let here = with_filter();
    assert_eq!(here.run(&["check", "--count", "f", "keys", "others"]).ok().text(), "1000\n");
    assert_eq!(here.run(&["check", "--count", "--absent", "f", "keys", "others"]).ok().text(), "1000\n");
    assert_eq!(here.run(&["check", "--count", "f", "others"]).text(), "0\n");
    assert_eq!(here.run(&["check", "--quiet", "--count", "f", "keys"]).ok().text(), "");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let here = with_filter();
    // Far more than a pipe holds, so that the command is still writing.
    here.write("many", lines("in", 1000).repeat(2000));
    for args in [&["check", "f", "many"][..], &["check", "f", "many", "keys"], &["build", "many", "-o", "-"]]
    {
        let mut child = here.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if args[0] == "check" {
            let mut start = [0; 4];
            child.stdout.as_mut().unwrap().read_exact(&mut start).unwrap();
            assert_eq!(&start, b"in0\n");
        }
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        if args[0] == "check" {
            assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    let here = with_filter();
    for command in ["check f keys", "check -c f keys", "info f", "size -n 1000", "verify f", "man"] {
        let run = here.shell(&format!("\"$RULEOUT\" {command} > /dev/full"));
        run.fails(&["cannot write to standard output", "No space left"]);
    }
}

#[test]
fn a_key_is_needed_and_must_be_the_right_one() {
    let here = with_filter();
    here.write("key", b"0123456789abcdef").write("wrong", b"0123456789abcdeg");
    here.run(&["build", "keys", "-o", "k", "--key-file", "key"]).ok();
    let run = here.run(&["check", "k", "keys", "--key-file", "key"]).ok();
    assert_eq!(run.stdout, here.read("keys"));
    here.run(&["check", "k", "keys"]).fails(&["k: ", "check value", "--key-file"]);
    let both = here.run(&["check", "k", "keys", "--key-file", "wrong"]).fails(&["k: "]).stderr;
    assert_eq!(both.matches("check value").count(), 2, "{both}");
    here.run(&["check", "f", "keys", "--key-file", "key"]).fails(&["f: ", "leave out --key-file"]);
    here.run(&["check", "k", "keys", "--key-file", "absent"]).fails(&["cannot read the key file absent"]);
    here.run(&["verify", "k"]).ok();
    assert!(!both.contains("0123456789abcde"), "a secret is never shown");
}

#[test]
fn damage_is_noticed_unless_told_not_to_look() {
    let here = with_filter();
    let mut bytes = here.read("f");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    here.write("bad", &bytes);
    here.run(&["check", "bad", "keys"]).fails(&["bad: ", "damaged payload"]);
    let code = here.run(&["check", "--no-verify", "bad", "keys"]).code;
    assert_eq!(code, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_filter_may_come_from_a_pipe() {
    let here = with_filter();
    here.shell("cat f | \"$RULEOUT\" check /dev/stdin keys | cmp - keys").ok();
    here.shell("cat f | \"$RULEOUT\" info /dev/stdin && cat f | \"$RULEOUT\" verify /dev/stdin").ok();
}

#[test]
fn a_slow_pipe_is_answered_line_by_line() {
    use std::io::Write as _;
    let here = with_filter();
    let mut command = here.command(&["check", "f"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for key in ["in1\n", "in2\n", "in3\n"] {
        to.write_all(key.as_bytes()).unwrap();
        let mut answer = [0; 4];
        from.read_exact(&mut answer).unwrap();
        assert_eq!(answer, key.as_bytes());
    }
    drop(to);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

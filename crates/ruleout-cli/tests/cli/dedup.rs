//! `dedup`: what passes, against an exact oracle; what it remembers over restarts and kills.

use std::collections::{HashMap, HashSet};
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::Duration;

use ruleout::{Blocked, Hasher};

use crate::support::{Run, Sandbox, lines};

/// So low a rate that nothing new is dropped in a test.
const EXACT: [&str; 4] = ["--capacity", "100000", "-p", "1e-9"];

fn dedup(here: &Sandbox, more: &[&str], input: &[u8]) -> Run {
    here.run_with(&[&["dedup"], &EXACT[..], more].concat(), input)
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }
}

#[test]
fn first_occurrences_come_back_as_they_were_in_order() {
    let here = Sandbox::new();
    let run = dedup(&here, &[], b"b\na\r\nb\n\na\n\nc\nb").ok();
    assert_eq!(run.text(), "b\na\r\n\n\nc\n", "lines without a key pass");
    assert!(run.stderr.contains("remembers 100,000 distinct keys, in "), "{}", run.stderr);
    assert_eq!(dedup(&here, &["-q", "--keep-empty"], b"\n\na\n").ok().text(), "\na\n");
    assert_eq!(dedup(&here, &["-0"], b"a\nb\0c\0a\nb\0").ok().stdout, b"a\nb\0c\0");
    let hosts = b"# names\n0 a\n1 a\n# names\n1 b\n";
    let by_name = ["--field", "2", "-d", "whitespace", "--comments", "-q"];
    let run = dedup(&here, &by_name, hosts).ok();
    assert_eq!((run.text(), run.stderr.as_str()), ("# names\n0 a\n# names\n1 b\n", ""));
    let run = dedup(&here, &["--field", "1", "-d", ":"], b":x\n:y\na:z\n").ok();
    assert_eq!(run.text(), ":x\n:y\na:z\n");
    assert!(run.stderr.contains("2 lines of standard input have an empty field 1 and were passed on"));
    assert_eq!(dedup(&here, &[], b"").ok().text(), "");
    here.write("one", "a\nb\n").write("two", "b\nc\n");
    let run = dedup(&here, &["one", "missing", "two"], b"");
    assert_eq!((run.code, run.text()), (Some(2), "a\nb\nc\n"), "one bad input does not hide the others");
    let run = dedup(&here, &["--hex"], b"00\nff\nFF\nxx\n00\n");
    assert_eq!((run.code, run.text()), (Some(2), "00\nff\n"), "what comes before a bad line stands");
}

/// A stream of lines `time,key,number`, with late ones and gaps, and what passes by exact bookkeeping.
///
/// Keys whose last sighting lies fewer than `steps` and one ticks back are repeats, by the definition of the window: those
/// seen less than `steps` ticks of time ago always are, those of one more never.
fn stream(count: u64, steps: u64, step: u64) -> (String, Vec<bool>) {
    let mut numbers = Numbers(count);
    let mut last_tick: HashMap<u64, u64> = HashMap::new();
    let (mut clock, mut now, mut text, mut is_new) = (1_000_000, 0, String::new(), Vec::new());
    for line in 0..count {
        // Once in a while a pause, sometimes longer than all is remembered.
        clock += if numbers.below(count / 8) == 0 { numbers.below((steps + 3) * step) } else { line % 3 / 2 };
        let late = if numbers.below(10) == 0 { numbers.below(2 * step) } else { 0 };
        let key = numbers.below(count / 4);
        text += &format!("{},{key},{line}\n", clock - late);
        // It is as late as the latest time that was told.
        now = now.max(clock - late);
        let before = last_tick.insert(key, now / step);
        is_new.push(before.is_none_or(|before| now / step - before > steps));
    }
    (text, is_new)
}

/// Runs a stream through a window, and gives how many new lines were dropped and how many may be.
fn against_the_oracle(count: u64, fpr: &str) -> (u64, u64, f64) {
    const STEP: u64 = 600;
    let here = Sandbox::new();
    let (text, is_new) = stream(count, 6, STEP);
    here.write("in", &text);
    let window = ["--window", "1h", "--step", "10m", "--field", "2", "--time-field", "1", "-d", ","];
    let goal = ["--capacity", "2k", "-p", fpr, "--report=json", "-q", "in"];
    let run = here.run(&[&["dedup"], &window[..], &goal].concat()).ok();
    let mut passed = run.text().lines().peekable();
    let mut lost = 0;
    for (line, is_new) in text.lines().zip(is_new) {
        let passes = passed.next_if_eq(&line).is_some();
        assert!(is_new || !passes, "{line} is a repeat and passed");
        lost += u64::from(is_new && !passes);
    }
    assert_eq!(passed.next(), None, "nothing else was printed");
    let report: serde_json::Value = serde_json::from_str(run.stderr.trim_end()).unwrap();
    let number = |name: &str| report[name].as_u64().unwrap();
    assert_eq!(number("lines_read"), count);
    assert_eq!(number("lines_passed"), run.text().lines().count() as u64);
    assert!(number("lines_late") > 0 && number("lines_too_far_ahead") == 0);
    (lost, number("new_lines_dropped_at_most"), report["new_lines_dropped_expected"].as_f64().unwrap())
}

#[test]
fn a_window_agrees_with_an_exact_oracle() {
    assert_eq!(against_the_oracle(300_000, "1e-8").0, 0);
    let (lost, at_most, expected) = against_the_oracle(300_000, "1%");
    assert!(
        lost > 0 && lost <= at_most && at_most < 2 * lost,
        "{lost} lost, {expected} expected, at most {at_most}"
    );
    assert!((expected / lost as f64 - 1.0).abs() < 0.2, "{lost} lost, {expected} expected");
}

#[test]
#[ignore = "ten million lines: cargo test --release -p ruleout-cli --test cli -- --ignored ten_million"]
fn a_window_over_ten_million_lines_agrees_with_an_exact_oracle() {
    let (lost, at_most, expected) = against_the_oracle(10_000_000, "0.1%");
    println!("{lost} new lines lost, {expected:.1} expected, {at_most} at most with 99.9 % certainty");
    assert!(lost <= at_most);
}

#[test]
fn what_false_positives_cost_is_told() {
    let here = Sandbox::new();
    here.write("in", lines("key", 200_000)).write("twice", lines("key", 200_000).repeat(2));
    let report = |input| {
        let run = here.run(&["dedup", "--capacity", "200k", "-p", "1%", "--report=json", "-q", input]).ok();
        let report: serde_json::Value = serde_json::from_str(run.stderr.trim_end()).unwrap();
        let passed = report["lines_passed"].as_u64().unwrap();
        let number = |name: &str| report[name].as_f64().unwrap();
        (200_000 - passed, number("new_lines_dropped_expected"), number("new_lines_dropped_at_most"))
    };
    for (lost, expected, at_most) in [report("in"), report("twice")] {
        assert!(lost > 0 && lost as f64 <= at_most && at_most < 1.5 * lost as f64, "{lost} of {at_most}");
        assert!((expected / lost as f64 - 1.0).abs() < 0.2, "{lost} of {expected}");
    }
    let run = here.run(&["dedup", "--capacity", "200k", "--report", "in"]).ok();
    assert!(run.stderr.contains("200,000 lines read: 199,"), "{}", run.stderr);
    let over = here.run(&["dedup", "--capacity", "1k", "-q", "in"]).ok();
    assert!(over.stderr.contains("more distinct keys than --capacity says"), "{}", over.stderr);
    assert_eq!(over.stderr.lines().count(), 1, "said once");
}

#[test]
fn times_are_numbers_in_any_unit_or_dates() {
    let here = Sandbox::new();
    let run = |unit: &str, input: &str| {
        let window = ["--window", "1m", "--step", "20s", "--field", "2", "--time-field", "1", "-d", ","];
        dedup(&here, &[&window[..], &["--time-unit", unit, "-q"]].concat(), input.as_bytes())
    };
    assert_eq!(run("s", "100,a\n159,a\n218.5,a\n1000,a\n").ok().text(), "100,a\n1000,a\n");
    assert_eq!(run("ms", "100000,a\n159000,a\n300000,a\n").ok().text(), "100000,a\n300000,a\n");
    let dates = "2025-12-07T09:30:00Z,a\n2025-12-07T10:30:59+01:00,a\n2025-12-07T09:33:00Z,a\n";
    assert_eq!(run("ns", dates).ok().text().lines().count(), 2);
    // A time that cannot be: passed over, and said so.
    let ahead = run("s", "100,a\n9999999999,b\n110,a\n").ok();
    assert_eq!(ahead.text(), "100,a\n9999999999,b\n");
    assert!(ahead.stderr.contains("1 line told a time more than 1h ahead of this machine's clock"));
    for (input, error) in [
        ("1,a\nnoon,b\n", "standard input: line 2: 'noon' is no time"),
        ("-1,a\n", "line 1: '-1' is a time before 1970"),
        ("1765072294123,a\n", "in s: --time-unit says which"),
        ("a\n", "field 2 is missing"),
    ] {
        let run = run("s", input);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(error), "{}", run.stderr);
    }
}

#[test]
fn without_a_field_for_it_the_time_is_that_of_arrival() {
    let here = Sandbox::new();
    let args = ["dedup", "--capacity", "10", "--window", "400ms", "--step", "200ms", "-q"];
    let mut command = here.command(&args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"a\na\n").unwrap();
    let mut first = [0; 2];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    stdin.write_all(b"a\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((&first[..], &output.stdout[..]), (&b"a\n"[..], &b"a\n"[..]));
}

#[test]
fn a_state_goes_on_where_it_was() {
    let here = Sandbox::new();
    let window = ["--window", "1h", "--step", "10m", "--field", "2", "--time-field", "1", "-d", ","];
    for flags in [&[][..], &window] {
        let (text, _) = stream(5000, 6, 600);
        let whole = dedup(&here, flags, text.as_bytes()).ok();
        let kept = [flags, &["--state", "state.rlo", "-q"]].concat();
        let half = text[..text.len() / 2].rfind('\n').unwrap() + 1;
        let first = dedup(&here, &kept, &text.as_bytes()[..half]).ok();
        let second = dedup(&here, &kept, &text.as_bytes()[half..]).ok();
        assert_eq!([first.stdout, second.stdout].concat(), whole.stdout);
        here.run(&["verify", "state.rlo"]).ok();
        assert_eq!(here.names(), ["state.rlo"]);
        std::fs::remove_file(here.path("state.rlo")).unwrap();
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused_and_stays() {
    let here = Sandbox::new();
    here.write("key", [7; 16]);
    let refused = |more: &[&str], parts: &[&str]| {
        let before = here.read("state");
        let run = here.run_with(&[&["dedup", "--state", "state"], more].concat(), b"x\n").fails(parts);
        assert_eq!(here.read("state"), before, "{}", run.stderr);
    };
    here.run_with(&["dedup", "--state", "state", "--capacity", "100"], b"a\n").ok();
    refused(&["--capacity", "200"], &["keeps another state, a blocked filter for 100 keys"]);
    refused(&["--capacity", "100", "-p", "1%"], &["keeps another state"]);
    refused(&["--capacity", "100", "--window", "1h", "--step", "10m"], &["keeps another state"]);
    refused(&["--capacity", "100", "--seed", "1"], &["under another hash"]);
    refused(&["--capacity", "100", "--key-file", "key"], &["state", "--key-file"]);
    refused(&["--capacity", "100", "state"], &["both an input and the output"]);
    let mut damaged = here.read("state");
    *damaged.last_mut().unwrap() ^= 1;
    here.write("state", damaged);
    refused(&["--capacity", "100"], &["state"]);
    here.write("state", "");
    refused(&["--capacity", "100"], &["state"]);
    let run = |more: &[&str]| here.run_with(&[&["dedup", "--capacity", "100"], more].concat(), b"x\n");
    run(&["--state", "-"]).fails(&["--state names a file"]);
    run(&["--state", "."]).fails(&["it names no file"]);
    run(&["--state", "no/state"]).fails(&["no/state"]);
    run(&["--state", "key", "--key-file", "key"]).fails(&["the key would be lost"]);
    #[cfg(unix)]
    run(&["--state", "/dev/null"]).fails(&["no regular file"]);
    // A clock set back by more than is allowed: what was seen lies in the future.
    here.write("state", {
        let mut seen =
            ruleout::WindowedConfig::fpr(3_600_000_000_000, 600_000_000_000, 100, 1e-4).build().unwrap();
        seen.observe(b"a", u64::MAX / 2 + (1 << 62));
        seen.to_bytes()
    });
    refused(&["--capacity", "100", "--window", "1h", "--step", "10m"], &["ahead of this machine's clock"]);
}

#[test]
fn senseless_flags_are_refused() {
    let here = Sandbox::new();
    let run = |more: &[&str]| here.run_with(&[&["dedup"], more].concat(), b"x\n");
    run(&[]).fails(&["--capacity"]);
    let window = |window, step| run(&["--capacity", "10", "--window", window, "--step", step]);
    window("65m", "10m").fails(&["--window 1h5m is no whole number of steps of 10m; 1h or 1h 10m would be"]);
    window("5m", "10m").fails(&["10m would be"]);
    window("1d", "1s").fails(&["1 to 1024 steps"]);
    window("0s", "1s").fails(&["a duration is above 0"]);
    window("60", "10").fails(&["a duration is written"]);
    run(&["--capacity", "10", "--window", "1h"]).fails(&["--step"]);
    run(&["--capacity", "10", "--step", "1h"]).fails(&["--window"]);
    run(&["--capacity", "10", "--time-field", "1"]).fails(&["--window"]);
    run(&["--capacity", "10", "-d", ","]).fails(&["--delimiter"]);
    run(&["--capacity", "1e13"]).fails(&["memory"]);
}

#[test]
fn a_reader_that_leaves_is_no_error_and_its_lines_are_not_taken_for_written() {
    let here = Sandbox::new();
    here.write("many", lines("in", 2_000_000));
    let args = [&["dedup", "many", "--state", "state", "-q"], &EXACT[..]].concat();
    let mut child = here.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut start = [0; 4];
    child.stdout.as_mut().unwrap().read_exact(&mut start).unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..], &start), (Some(0), &b""[..], b"in0\n"));
    assert_eq!(here.names(), ["many"], "no state of lines that nobody read");
}

/// What the saved state remembers of `keys`.
#[cfg(unix)]
fn remembered(here: &Sandbox, keys: &HashSet<String>) -> HashSet<String> {
    let Ok(file) = std::fs::read(here.path("state")) else { return HashSet::new() };
    let state = Blocked::open_verified(&file[..]).expect("a state is whole at every moment");
    assert_eq!(state.hasher().id(), Hasher::xxh3(0).id());
    keys.iter().filter(|key| state.may_contain(key.as_bytes())).cloned().collect()
}

#[cfg(unix)]
#[test]
fn no_line_of_a_saved_state_passes_again_however_often_it_is_killed() {
    let here = Sandbox::new();
    let text = lines("key", 60_000).repeat(2);
    let args = [&["dedup", "--state", "state", "--save-every", "20ms", "-q"], &EXACT[..]].concat();
    let mut numbers = Numbers(10);
    let (mut written, mut saved, mut kills_with_a_state) = (HashSet::new(), HashSet::new(), 0);
    for kill in 0..=10 {
        let mut command = here.command(&args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut output = String::new();
        std::thread::scope(|scope| {
            // Slowly, so that the kill comes in between.
            let text = &text;
            scope.spawn(move || {
                for piece in text.as_bytes().chunks(16 << 10) {
                    if stdin.write_all(piece).is_err() {
                        break;
                    }
                    if kill < 10 {
                        std::thread::sleep(Duration::from_millis(2));
                    }
                }
            });
            if kill < 10 {
                let delay = Duration::from_millis(10 + numbers.below(150));
                let child = &mut child;
                scope.spawn(move || {
                    std::thread::sleep(delay);
                    child.kill().unwrap();
                });
            }
            stdout.read_to_string(&mut output).unwrap();
        });
        child.wait().unwrap();
        // The last line may be cut off: it counts as never written.
        let whole = &output[..output.rfind('\n').map_or(0, |end| end + 1)];
        for line in whole.lines() {
            assert!(!saved.contains(line), "{line} was saved as written, and passed again after kill {kill}");
            written.insert(line.to_owned());
        }
        assert!(here.names().iter().all(|name| name == "state"), "no debris: {:?}", here.names());
        saved = remembered(&here, &written);
        kills_with_a_state += usize::from(kill < 10 && !saved.is_empty());
    }
    assert!(kills_with_a_state >= 3, "{kills_with_a_state} kills had a state to go on from");
    assert_eq!(written.len(), 60_000, "nothing is lost");
}

#[cfg(unix)]
#[test]
fn a_termination_saves_the_state() {
    for signal in ["TERM", "INT", "HUP"] {
        let here = Sandbox::new();
        let args = [&["dedup", "--state", "state", "-q"], &EXACT[..]].concat();
        let mut child = here.command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // Held open until the end: an input that ends would be an end of its own.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"a\nb\n").unwrap();
        let mut written = [0; 4];
        child.stdout.as_mut().unwrap().read_exact(&mut written).unwrap();
        let kill = std::process::Command::new("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        assert!(!child.wait().unwrap().success(), "it ended by the signal");
        drop(stdin);
        let keys = HashSet::from(["a".to_owned(), "b".to_owned()]);
        assert_eq!(remembered(&here, &keys), keys, "{signal}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow() {
    let here = Sandbox::new();
    here.write("in", lines("https://example.com/some/longer/path/", 1_000_000));
    let script = "ulimit -v 131072; exec \"$RULEOUT\" dedup --capacity 1e6 --state state -q in | wc -l";
    let passed: u64 = here.shell(script).ok().text().trim().parse().unwrap();
    // A hundred of a million are dropped on average at the default rate, when it is full.
    assert!((999_800..=1_000_000).contains(&passed), "{passed}");
}

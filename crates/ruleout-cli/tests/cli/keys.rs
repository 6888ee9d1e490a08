//! How keys are read: line ends, compression, fields, hex.

use std::io::Write as _;

use crate::support::{Run, Sandbox, lines};

/// Builds a filter of `input` and gives its bytes; few keys and a low rate, so that other keys give other bytes.
fn filter_of(input: &[u8], flags: &[&str]) -> Vec<u8> {
    build(input, flags).ok().stdout
}

fn build(input: &[u8], flags: &[&str]) -> Run {
    let args = [&["build", "-o", "-", "-p", "1e-6", "--capacity", "100"][..], flags].concat();
    Sandbox::new().run_with(&args, input)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn line_ends_make_no_difference() {
    let expected = filter_of(b"a\nb\nc\n", &[]);
    for same in [&b"a\nb\nc"[..], b"a\r\nb\r\nc\r\n", b"a\r\nb\r\nc", b"a\n\n\nb\n\r\nc\n", b"\na\nb\nc\n\n"]
    {
        assert_eq!(filter_of(same, &[]), expected, "{}", same.escape_ascii());
    }
    for other in [&b"a\nb\nc \n"[..], b"a\nb\n\rc\n", b"a\nb\nc\r\r\n", b"A\nb\nc\n"] {
        assert_ne!(filter_of(other, &[]), expected, "{}", other.escape_ascii());
    }
    assert_eq!(filter_of(b"a\r\nb\n", &["--keep-cr"]), filter_of(b"b\0a\r\0", &["-0"]));
    assert_eq!(filter_of(b"a\n\n", &["--keep-empty"]), filter_of(b"\0a\0", &["-0", "--keep-empty"]));
    assert_ne!(filter_of(b"a\n\n", &["--keep-empty"]), filter_of(b"a\n\n", &[]));
}

#[test]
fn any_bytes_are_a_key() {
    let here = Sandbox::new();
    // Newlines, carriage returns, NUL and spaces, invalid UTF-8: framed by the byte that is not in the key.
    let nul = b"a\nb\0\r\0c\r\n\0 d \0\xff\xfe\0";
    here.write("nul", nul).write("lf", b"x\0y\n\xff\xfe\n\0\n");
    here.run(&["build", "-0", "nul", "-o", "n", "-p", "1e-9"]).ok();
    let back = here.run(&["check", "-0", "n", "nul"]).ok();
    assert_eq!(back.stdout, nul);
    assert_eq!(here.run_with(&["check", "-0", "n"], b"a\0b\0d").code, Some(1));
    here.run(&["build", "lf", "-o", "l", "-p", "1e-9"]).ok();
    assert_eq!(here.run(&["check", "l", "lf"]).ok().stdout, here.read("lf"));
}

#[test]
fn a_byte_order_mark_goes_with_a_notice() {
    let plain = filter_of(b"a\nb\n", &[]);
    let run = build(b"\xef\xbb\xbfa\nb\n", &[]).ok();
    assert_eq!(run.stdout, plain);
    assert_eq!(run.stderr.matches("byte order mark").count(), 1, "{}", run.stderr);
    assert_eq!(build(b"\xef\xbb\xbfa\nb\n", &["--quiet"]).ok().stderr, "");
    assert_eq!(filter_of(&gzip(b"\xef\xbb\xbfa\nb\n"), &[]), plain);
    assert_ne!(filter_of(b"\xef\xbb\xbfa\nb\n", &["--keep-bom"]), plain);
    assert_ne!(filter_of(b"a\n\xef\xbb\xbfb\n", &[]), plain, "only at the start");
    assert_ne!(filter_of(b"\xef\xbb\xbfa\0b\0", &["-0"]), plain);
    assert_eq!(filter_of(b"\xef\xbb\xbf", &[]), filter_of(b"", &[]));
}

#[test]
fn comments_are_keys_unless_told_otherwise() {
    let input = b"# c\na\n \t# d\nb # e\n";
    assert_eq!(filter_of(input, &["--comments"]), filter_of(b"a\nb # e\n", &[]));
    assert_ne!(filter_of(input, &[]), filter_of(input, &["--comments"]));
}

#[test]
fn fields_are_taken_out() {
    let expected = filter_of(b"a\nb\n", &[]);
    assert_eq!(filter_of(b"a:1\r\nb:2\r\n", &["--field", "1", "--delimiter", ":"]), expected);
    assert_eq!(filter_of(b"1\ta\t\n2\tb\n", &["--field", "2"]), expected);
    assert_eq!(filter_of(b"1\x1fa\n2\x1fb", &["--field", "2", "-d", "\\x1f"]), expected);
    assert_eq!(filter_of(b"1,a\n\n2,b\n3,\n", &["--field", "2", "-d", ","]), expected);
    build(b"1,a\n2\n", &["--field", "2", "-d", ","]).fails(&["standard input: line 2: field 2 is missing"]);
    build(b"", &["--field", "0"]).fails(&["--field"]);
    build(b"", &["--delimiter", ","]).fails(&["--delimiter", "no field is asked for: give --field N"]);
    Sandbox::new().run(&["check", "missing", "-d", ","]).fails(&["give --field N"]);
    build(b"", &["--field", "1", "--delimiter", "::"]).fails(&["one byte"]);
}

#[test]
fn runs_of_blanks_separate_fields_when_asked() {
    let hosts = b"# hosts\n0.0.0.0   a.example\n0.0.0.0\tb.example\r\n\n  0.0.0.0 \t c.example  # x\n \t\n";
    let flags = ["--field", "2", "--delimiter", "whitespace", "--comments"];
    let run = build(hosts, &flags).ok();
    assert_eq!(run.stdout, filter_of(b"a.example\nb.example\nc.example\n", &[]));
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    build(b"a\n", &flags).fails(&["standard input: line 1: field 2 is missing: blanks separate 1"]);
}

#[test]
fn empty_fields_are_skipped_with_a_warning_for_each_input() {
    let here = Sandbox::new();
    here.write("hosts", "0.0.0.0 a\n0.0.0.0  b\n\n0.0.0.0   c\n").write("one", "x,\ny,z\n");
    let spaces = ["--field", "2", "-d", " ", "--quiet"];
    let run = here.run(&[&["build", "hosts", "-o", "f"][..], &spaces].concat()).ok();
    let expected = "ruleout: warning: 2 lines of hosts have an empty field 2 and were skipped, first line 2; \
                    --delimiter whitespace takes runs of blanks as one\n";
    assert_eq!(run.stderr, expected);
    let run = here.run(&[&["check", "f", "hosts"][..], &spaces[..4]].concat()).ok();
    assert_eq!((run.stderr.as_str(), run.text()), (expected, "0.0.0.0 a\n"));
    // Blanks are not what is repeated here, and no other delimiter would help.
    let run = here.run(&["build", "one", "one", "-o", "g", "--field", "2", "-d", ",", "-q"]).ok();
    let expected = "ruleout: warning: line 1 of one has an empty field 2 and was skipped\n";
    assert_eq!(run.stderr, expected.repeat(2));
    let run = here.run(&["build", "one", "-o", "h", "--field", "2", "-d", ",", "-q", "--keep-empty"]).ok();
    assert_eq!(run.stderr, "", "kept, so nothing is missing");
}

#[cfg(target_os = "linux")]
#[test]
fn the_flags_to_ask_with_are_said_and_can_be_pasted() {
    let here = Sandbox::new();
    here.write("list", "# c\n1 6162\n2 ff\n").write("secret", b"0123456789abcdef");
    let said = |run: &Run| run.stderr.trim_end().split_once("; ask with: ruleout ").unwrap().1.to_owned();
    let flags = ["--hex", "--comments", "--field", "2", "-d", " ", "--key-file", "secret"];
    let run = here.run(&[&["build", "list", "-o", "the filter"][..], &flags].concat()).ok();
    let ask = said(&run);
    assert_eq!(ask, "check 'the filter' --key-file secret --hex --comments --field 2 --delimiter ' '");
    assert_eq!(here.shell(&format!("\"$RULEOUT\" {ask} list")).ok().text(), "1 6162\n2 ff\n");
    let run = here.run_with(&["build", "-o", "-", "-0", "--field", "1", "-d", "\\t"], b"");
    assert_eq!(said(&run), r"check FILTER --null --field 1 --delimiter '\t'");
    // Nothing to say of the usual way, nor of flags that change no key.
    let run = here.run(&["build", "list", "-o", "usual", "--no-decompress"]).ok();
    assert!(!run.stderr.contains("ask with"), "{}", run.stderr);
}

#[test]
fn hex_stands_for_bytes() {
    let here = Sandbox::new();
    here.write("raw", b"\xff\0k\n");
    here.run(&["build", "raw", "-o", "f"]).ok();
    here.run_with(&["check", "--quiet", "--hex", "f"], b"FF006B").ok();
    here.run_with(&["check", "--quiet", "--hex", "f"], b"ff006b\r\n").ok();
    // The text that shows those bytes is another key.
    assert_eq!(here.run_with(&["check", "--quiet", "f"], b"\\xFF\\x00k\n").code, Some(1));
    build(b"ff\nabc\n", &["--hex"]).fails(&["standard input: line 2", "odd"]);
    build(b"ff\nfg\n", &["--hex"]).fails(&["standard input: line 2", "'g' at position 2"]);
    assert_eq!(filter_of(b"1:6162\n", &["--hex", "--field", "2", "-d", ":"]), filter_of(b"ab\n", &[]));
}

#[test]
fn compressed_lists_are_read_as_what_they_hold() {
    let text = lines("key", 50).into_bytes();
    let (first, second) = text.split_at(123);
    let expected = filter_of(&text, &[]);
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    // Several members or frames are one list, and a record may span them.
    for compressed in
        [gzip(&text), [gzip(first), gzip(second)].concat(), zstd(&text), [zstd(first), zstd(second)].concat()]
    {
        assert_eq!(filter_of(&compressed, &[]), expected);
        assert_ne!(filter_of(&compressed, &["--no-decompress"]), expected);
        for cut in [compressed.len() - 1, compressed.len() / 2, 12] {
            build(&compressed[..cut], &[]).fails(&["cannot read standard input as"]);
        }
        let mut damaged = compressed.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        build(&damaged, &[]).fails(&["cannot read standard input as"]);
        build(&[&compressed[..], b"tail"].concat(), &[]).fails(&["cannot read standard input as"]);
    }
    assert_eq!(filter_of(&gzip(b""), &[]), filter_of(b"", &[]));
    // pzstd and seekable zstd put frames to skip before and behind.
    let skipped = |magic: u8| [&[magic, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    for magic in [0x50, 0x57, 0x5f] {
        assert_eq!(filter_of(&[skipped(magic), zstd(&text), skipped(magic)].concat(), &[]), expected);
    }
}

#[test]
fn a_record_without_end_is_refused() {
    let long = gzip(&vec![b'x'; (64 << 20) + 1]);
    build(&long, &[]).fails(&["standard input: line 1 is longer than 64 MiB"]);
}

#[test]
fn inputs_that_cannot_be_read_are_named() {
    let here = Sandbox::new();
    here.write("keys", "a\n");
    here.run(&["build", "keys", "missing", "-o", "f"]).fails(&["missing"]);
    here.run(&["build", ".", "-o", "f"]).fails(&["cannot read .", "directory"]);
    assert_eq!(here.names(), ["keys"]);
}

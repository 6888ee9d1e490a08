//! Golden files: the bytes, the parameters and the answers of a filter, kept for ever.
//!
//! A case is three files, `NAME.rlo`, `NAME.params.txt` and `NAME.answers`; `testdata/golden/README.md` says what
//! is in them. They are written when they are absent and never again: from then on every build must make the same
//! bytes, read the same parameters out of them and give the same answers.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ruleout::{AnyFilter, AnyParams, HashId, Header, Insert, Len, OpenOptions, inspect};

use crate::hashers::{Identity, KEY};
use crate::keys::mix;

/// How many pinned hashes a golden filter is asked for.
const ANSWERS: u64 = 4096;

/// A filter to pin.
#[derive(Debug)]
pub struct Case {
    /// The name of its files.
    pub name: &'static str,
    /// The shape, spelt out so that no change of a formula reaches it; but the layers of a scalable filter follow from a
    /// rate, and with it from the formulas: those who grow the same filter have the same bytes.
    pub params: AnyParams,
    /// The hash identity.
    pub identity: Identity,
    /// The members: the decimal text of each of these integers. A windowed filter sees each at the time that it is.
    pub keys: Range<u64>,
}

impl Case {
    /// The filter, made now.
    fn build(&self) -> AnyFilter {
        let (params, hasher) = (&self.params, &self.identity.hasher);
        let Ok(mut filter) = AnyFilter::new(params.clone(), hasher.clone()) else {
            // It does not begin empty: it is built once.
            let hashes = self.keys.clone().map(|key| hasher.hash(key.to_string().as_bytes())).collect();
            return AnyFilter::of_shape(params.clone(), hasher.clone(), hashes).expect("it is small");
        };
        for key in self.keys.clone() {
            let text = key.to_string();
            match &mut filter {
                AnyFilter::Windowed(filter) => drop(filter.observe(text.as_bytes(), key)),
                AnyFilter::Prefix(filter) => {
                    filter.insert(text.as_bytes()).expect("an extractor that is built in");
                }
                filter => drop(filter.try_insert(text.as_bytes()).expect("a golden filter takes its keys")),
            }
        }
        filter
    }

    /// The members that are still remembered.
    fn remembered(&self) -> Range<u64> {
        let AnyParams::Windowed(params) = &self.params else { return self.keys.clone() };
        self.keys.start.max(self.keys.end.saturating_sub(params.window()))..self.keys.end
    }

    fn options(&self) -> OpenOptions<'_> {
        let options = OpenOptions::new().verify(true);
        self.identity.key.as_ref().map_or(options, |key| options.key(key))
    }

    /// What `params.txt` says.
    fn describe(&self, file: &[u8]) -> String {
        let header = Header::read(file).expect("its own header");
        let mut text = String::new();
        let mut line = |name: &str, value: &dyn std::fmt::Display| {
            writeln!(text, "{name} = {value}").expect("a string takes all");
        };
        line("version", &header.version());
        line("family", &header.family());
        let id: HashId = header.hash_id();
        line("hash", &id.algorithm());
        if let Some(seed) = id.seed() {
            line("seed", &seed);
        }
        if let Some(check) = id.key_check() {
            line("key_check", &format_args!("{check:016x}"));
            line("key", &hex(&KEY));
        }
        line("capacity", &header.capacity());
        let (kind, len) = match header.len() {
            Len::Exact(len) => ("exact", len),
            Len::AtMost(len) => ("at most", len),
            Len::Unknown => ("unknown", 0),
        };
        line("len_kind", &kind);
        line("len", &len);
        line("header_len", &header.header_len());
        line("payload_len", &header.payload_len());
        for (name, value) in AnyParams::read(&header).expect("its own parameters").fields() {
            line(name, &value);
        }
        line("first_key", &self.keys.start);
        line("end_key", &self.keys.end);
        text
    }

    /// Compares the case with its files in `directory`, or writes those that are absent.
    ///
    /// # Panics
    /// When anything differs, or when a file is absent and the environment has `CI`.
    pub fn check(&self, directory: &Path) {
        let fresh = self.build();
        let built = fresh.to_bytes();
        let bytes = kept(&self.path(directory, "rlo"), &built);
        assert!(bytes == built, "{}: this build makes other bytes than the golden file has", self.name);
        self.check_opened(&bytes, &fresh);

        let answers =
            answers(&AnyFilter::open_with(&bytes[..], &self.options()).expect("a golden file opens"));
        for (extension, text) in [("params.txt", self.describe(&bytes)), ("answers", answers)] {
            let golden = kept(&self.path(directory, extension), text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&golden), text, "{}.{extension}", self.name);
        }
    }

    fn check_opened(&self, bytes: &[u8], fresh: &AnyFilter) {
        let filter = AnyFilter::open_with(bytes, &self.options()).expect("a golden file opens");
        // Those of a composition change as keys come.
        assert_eq!(filter.params(), fresh.params());
        let grows = matches!(self.params, AnyParams::Scalable(_) | AnyParams::Windowed(_));
        assert!(grows || filter.params() == self.params);
        assert_eq!(inspect(bytes).expect("a golden file is sound").tally, fresh.tally());
        for key in self.remembered() {
            let text = key.to_string();
            assert!(filter.may_contain(text.as_bytes()), "{}: {key}", self.name);
            if let AnyFilter::Prefix(filter) = &filter {
                assert!((0..=text.len()).all(|len| filter.may_contain_prefix(&text.as_bytes()[..len])));
            }
        }
        assert_eq!(answers(fresh), answers(&filter), "{}", self.name);
    }

    fn path(&self, directory: &Path, extension: &str) -> PathBuf {
        directory.join(format!("{}.{extension}", self.name))
    }
}

/// Checks every case, and that there is a case for every golden file.
///
/// # Panics
/// As [`Case::check`].
pub fn check_all(directory: &Path, cases: &[Case]) {
    for case in cases {
        case.check(directory);
    }
    for entry in fs::read_dir(directory).expect("the golden files are there") {
        let path = entry.expect("a readable directory").path();
        if path.extension().is_some_and(|extension| extension == "rlo") {
            let known = cases.iter().any(|case| path == case.path(directory, "rlo"));
            assert!(known, "{} belongs to no case: what was released stays readable", path.display());
        }
    }
}

/// The golden file's content, which is `fresh` if there was none yet.
fn kept(path: &Path, fresh: &[u8]) -> Vec<u8> {
    match fs::read(path) {
        Ok(golden) => golden,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            assert!(
                std::env::var_os("CI").is_none(),
                "{} is missing: a golden file is committed",
                path.display()
            );
            fs::write(path, fresh).expect("a golden file can be written");
            // Past the capture of the test's output: this happens once in the life of a file.
            writeln!(std::io::stderr(), "NEW GOLDEN FILE: commit {}", path.display())
                .expect("stderr is there");
            fresh.to_vec()
        }
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// The answers to the pinned hashes, in hexadecimal, 32 bytes a line. Every other one is that to another question where
/// filters have one: for beginnings, and as of a later time.
fn answers<D: AsRef<[u8]>>(filter: &AnyFilter<D>) -> String {
    let answer = |i: u64| match filter {
        AnyFilter::Prefix(filter) if i % 2 == 1 => filter.may_contain_prefix(i.to_string().as_bytes()),
        AnyFilter::Windowed(filter) if i % 2 == 1 => {
            let a_step_later = filter.params().clock().saturating_add(filter.params().step());
            filter.may_contain_hash_at(mix(i), a_step_later)
        }
        filter => filter.may_contain_hash(mix(i)),
    };
    let mut bytes = vec![0u8; (ANSWERS / 8) as usize];
    for i in (0..ANSWERS).filter(|&i| answer(i)) {
        bytes[(i / 8) as usize] |= 1 << (i % 8);
    }
    bytes.chunks(32).map(|line| hex(line) + "\n").collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}

//! A directory of one's own and runs of the command in it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary directory in which the command runs.
pub struct Sandbox(TempDir);

impl Sandbox {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), content).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names in the directory, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command with `args`, to be run here.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ruleout"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs the command with nothing on standard input.
    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args), b"")
    }

    /// Runs the command with `input` on standard input.
    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Run {
        let mut command = self.command(args);
        command.stdin(Stdio::piped());
        Run::of(command, input)
    }

    /// Runs a shell script in which `$RULEOUT` is the command.
    #[cfg(target_os = "linux")]
    pub fn shell(&self, script: &str) -> Run {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("RULEOUT", env!("CARGO_BIN_EXE_ruleout"));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        Run::of(command, b"")
    }
}

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    fn of(mut command: Command, input: &[u8]) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = std::thread::scope(|scope| {
            if let Some(mut stdin) = child.stdin.take() {
                // The command may refuse its arguments and never read.
                scope.spawn(move || drop(stdin.write_all(input)));
            }
            child.wait_with_output().unwrap()
        });
        Self {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Demands success.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Demands an exit status, nothing on standard output, and a message with all of `parts`.
    #[track_caller]
    pub fn fails(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(2), "{}", self.stderr);
        assert_eq!(self.stdout, b"", "results and errors are apart");
        assert!(self.stderr.starts_with("ruleout: "), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in {}", self.stderr);
        }
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap()
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }
}

/// `count` lines `<word>0`, `<word>1` and so on.
pub fn lines(word: &str, count: usize) -> String {
    (0..count).map(|number| format!("{word}{number}\n")).collect()
}

/// The name of every family.
pub fn families() -> impl Iterator<Item = &'static str> {
    ruleout::AnyParams::FAMILIES.iter().map(|family| family.name())
}

/// Whether filters of a family are built of all their keys at once.
pub fn is_built_once(family: &str) -> bool {
    let family = family.parse().expect("the name of a family");
    let params =
        ruleout::AnyParams::for_goal(family, 1, ruleout::Goal::Fpr(0.01)).expect("an ordinary recipe");
    ruleout::AnyFilter::new(params, ruleout::Hasher::default()).is_err()
}

/// How long the header of a filter says it is, which in a damaged one may be anything.
pub fn header_len(file: &[u8]) -> usize {
    u32::from_le_bytes(file[40..44].try_into().unwrap()) as usize
}

/// The lists of real keys that are shared between working copies and not part of the repository.
pub fn shared_keys() -> Option<PathBuf> {
    let keys = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/keys");
    if keys.is_dir() {
        return Some(keys);
    }
    // Past the capture of the test's output: what was not tested is seen.
    writeln!(std::io::stderr(), "shared_lists: skipped, ../shared/keys is not there")
        .expect("stderr is there");
    None
}

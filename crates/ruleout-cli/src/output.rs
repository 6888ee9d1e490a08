//! Files that appear whole or not at all.
//!
//! On Linux the bytes go to an unnamed file in the target's directory, which gets its name once it is complete and
//! synced: whatever ends the process before that, even `kill -9`, leaves nothing behind. Without `--force` the
//! naming itself fails when the target exists, so there is no moment in which another's file could be lost. With
//! `--force` the file takes a temporary name and is renamed over the target at once. Elsewhere, and on file systems
//! without unnamed files, it has a temporary name from the start, which errors and signals remove.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::keys::Input;

mod interrupt;
#[cfg(target_os = "linux")]
mod unnamed;

/// Where the output of a command goes, looked at before any work is done.
#[derive(Debug)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// A device or a pipe: written as it is, since there is nothing to replace.
    Stream(PathBuf),
    /// A regular file, to be.
    File {
        /// The file itself, behind any symbolic links.
        path: PathBuf,
        /// Replace what is there.
        force: bool,
    },
}

impl Target {
    /// Finds out where `path` leads.
    ///
    /// # Errors
    /// When it is a terminal, a directory, or an existing file without `force`, and when its directory is missing
    /// or cannot be written.
    pub fn resolve(path: &Path, force: bool) -> Result<Self> {
        let name = path.display();
        if path == Path::new("-") {
            if io::stdout().is_terminal() {
                bail!("a filter is binary and not written to a terminal: give -o FILE");
            }
            return Ok(Self::Stdout);
        }
        if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            bail!("cannot write '{name}': it names no file");
        }
        let path = behind_links(path).with_context(|| format!("cannot write {name}"))?;
        match path.metadata() {
            Ok(meta) if meta.is_dir() => bail!("cannot write {name}: it is a directory"),
            Ok(meta) if !meta.is_file() => return Ok(Self::Stream(path)),
            Ok(_) if !force => bail!("{name} exists: --force replaces it"),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("cannot write {name}")),
        }
        check_directory(directory_of(&path)).with_context(|| format!("cannot write {name}"))?;
        Ok(Self::File { path, force })
    }

    /// Whether this is standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    /// Whether writing replaces the file `other`, which is read.
    pub fn replaces(&self, other: &Path) -> bool {
        let Self::File { path, .. } = self else { return false };
        path.canonicalize().is_ok_and(|path| other.canonicalize().is_ok_and(|other| path == other))
    }

    /// Whether this is a regular file, to be.
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// Refuses to replace a list of keys by its filter.
    ///
    /// # Errors
    /// When that is what would happen.
    pub fn refuse_inputs(&self, inputs: &[Input]) -> Result<()> {
        for input in inputs {
            // What standard input was redirected from has a name there.
            let path = match input {
                Input::Stdin => Path::new("/dev/stdin"),
                Input::File(path) => path,
            };
            if self.replaces(path) {
                bail!("{input} is both an input and the output: its keys would be lost");
            }
        }
        Ok(())
    }

    /// Refuses to replace a secret key by a filter that nobody could open without it.
    ///
    /// # Errors
    /// When that is what would happen.
    pub fn refuse_key_file(&self, key_file: Option<&Path>) -> Result<()> {
        match key_file {
            Some(key) if self.replaces(key) => {
                bail!("{} is both the key file and the output: the key would be lost", key.display())
            }
            _ => Ok(()),
        }
    }

    /// Writes what `fill` writes; a regular file is synced and only then takes its place.
    ///
    /// # Errors
    /// When anything fails; a file that was there is then as it was.
    pub fn write(&self, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        match self {
            Self::Stdout => {
                let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
                fill(&mut out).and_then(|()| out.flush()).map_err(crate::stdout::failed)
            }
            Self::Stream(path) => File::options()
                .write(true)
                .open(path)
                .and_then(|stream| buffered(stream, fill))
                .with_context(|| format!("cannot write {}", path.display())),
            Self::File { path, force } => {
                match write_file(path, *force, fill) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !force => {
                        // It appeared since `resolve` looked.
                        bail!("{} exists: --force replaces it", path.display())
                    }
                    written => written.with_context(|| format!("cannot write {}", path.display())),
                }
            }
        }
    }
}

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 20;

fn buffered<W: Write>(file: W, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, file);
    fill(&mut out)?;
    out.flush()
}

fn write_file(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let directory = directory_of(path);
    #[cfg(target_os = "linux")]
    if let Some(file) = unnamed::create(directory)? {
        buffered(&file, fill)?;
        keep_permissions(&file, path, force)?;
        file.sync_all()?;
        unnamed::name(&file, path, force)?;
        return sync_directory(directory);
    }
    let (debris, file) = interrupt::guarded(|| named(directory))?;
    buffered(file.as_file(), fill)?;
    keep_permissions(file.as_file(), path, force)?;
    file.as_file().sync_all()?;
    if force { file.persist(path) } else { file.persist_noclobber(path) }.map_err(|refused| refused.error)?;
    drop(debris);
    sync_directory(directory)
}

/// A temporary file beside the target, with the permissions that a new file gets.
fn named(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The process's mask applies, as it does to any file that is created.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

/// How temporary names begin.
const PREFIX: &str = ".ruleout-";

/// A file that is replaced keeps its permissions.
fn keep_permissions(file: &File, replaced: &Path, force: bool) -> io::Result<()> {
    match replaced.metadata() {
        Ok(meta) if force => file.set_permissions(meta.permissions()),
        _ => Ok(()),
    }
}

/// Makes the new name durable.
fn sync_directory(directory: &Path) -> io::Result<()> {
    // Directories can be opened as files on Unix only, and some file systems cannot sync them.
    #[cfg(unix)]
    match File::open(directory)?.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
        synced => synced?,
    }
    Ok(())
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn check_directory(directory: &Path) -> io::Result<()> {
    if !directory.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    #[cfg(unix)]
    rustix::fs::access(directory, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)?;
    Ok(())
}

/// Follows symbolic links to the file they lead to, which need not exist.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    // As many as Linux itself follows.
    const MOST: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        match fs::read_link(&path) {
            Ok(link) => path = directory_of(&path).join(link),
            // Not a link, or nothing there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

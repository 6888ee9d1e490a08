//! Files without a name, and giving them one.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
use rustix::io::Errno;

use super::{PREFIX, interrupt};

/// Creates an unnamed file in `directory`; `None` where the system cannot, or could not name it later.
pub fn create(directory: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    match open(directory, flags, Mode::from_raw_mode(0o666)) {
        Ok(fd) => {
            let file = File::from(fd);
            Ok(descriptor(&file).exists().then_some(file))
        }
        // The three answers of file systems and kernels without unnamed files.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT) => Ok(None),
        Err(refused) => Err(refused.into()),
    }
}

/// Gives `file` the name `path`, in place of what has it when `force` is set.
pub fn name(file: &File, path: &Path, force: bool) -> io::Result<()> {
    match link(file, path) {
        Err(error) if force && error.kind() == io::ErrorKind::AlreadyExists => {}
        linked => return linked,
    }
    // A link cannot replace a file and a rename cannot start without a name, so there is one for a moment.
    let (_debris, temporary) = interrupt::guarded(|| {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(".tmp");
        let named = builder.make_in(super::directory_of(path), |free| link(file, free))?;
        Ok(named.into_temp_path())
    })?;
    temporary.persist(path).map_err(|refused| refused.error)
}

fn link(file: &File, path: &Path) -> io::Result<()> {
    linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?;
    Ok(())
}

/// The way to name an open file that needs no privilege.
fn descriptor(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

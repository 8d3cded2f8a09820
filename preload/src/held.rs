//! Directories that end with the processes that hold them.
//!
//! A process holds a lock on its directory, which ends with it, even by SIGKILL: whoever makes the next
//! one in the same place removes those that nobody holds.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// A directory that is this process's until [`Held::remove`], or its end.
#[derive(Debug)]
pub struct Held {
    path: PathBuf,
    /// Has the lock.
    lock: OwnedFd,
}

impl Held {
    /// Makes a directory in `place` whose name begins with `prefix`. Nobody else may enter it.
    /// Removes those of the same beginning that nobody holds.
    ///
    /// # Errors
    /// Whatever the file system answers.
    pub fn create(place: &Path, prefix: &str) -> io::Result<Self> {
        sweep(place, prefix);
        loop {
            let directory = tempfile::Builder::new()
                .prefix(prefix)
                .permissions(fs::Permissions::from_mode(0o700))
                .tempdir_in(place)?;
            let path = directory.keep();
            let file = match File::open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            file.lock()?;
            // Before it was locked, another process may have taken it for one that nobody holds.
            if path.is_dir() {
                let lock = out_of_the_way(file)?;
                return Ok(Self { path, lock });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What has the lock, for programs that shall hold the directory as well.
    #[allow(dead_code, reason = "the library shares this file with a program")]
    pub fn lock(&self) -> &OwnedFd {
        &self.lock
    }

    /// Removes it with everything in it. What cannot be removed stays.
    #[allow(dead_code, reason = "the library shares this file with a program")]
    pub fn remove(&self) {
        remove_all(&self.path);
    }
}

/// The first descriptor for what a program must not take over.
const HIGH: i32 = 500;

/// The same file behind a high descriptor. Programs choose low ones themselves (`exec 3<>` of a shell),
/// which closes whatever has them: a lock would end.
pub fn out_of_the_way(file: impl Into<OwnedFd>) -> io::Result<OwnedFd> {
    let file = file.into();
    match rustix::io::fcntl_dupfd_cloexec(&file, HIGH) {
        // Fewer descriptors are allowed.
        Err(Errno::INVAL | Errno::MFILE) => Ok(file),
        high => Ok(high?),
    }
}

/// Removes the directories in `place` that nobody holds. What cannot be removed stays.
fn sweep(place: &Path, prefix: &str) {
    // The owner of this process.
    let Ok(process) = fs::metadata("/proc/self") else {
        return;
    };
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().map(OsStr::as_bytes).unwrap_or_default();
        if !name.starts_with(prefix.as_bytes()) {
            continue;
        }
        let own = |status: fs::Metadata| status.is_dir() && status.uid() == process.uid();
        if !path.symlink_metadata().is_ok_and(own) {
            continue;
        }
        let Ok(directory) = File::open(&path) else {
            continue;
        };
        match directory.try_lock() {
            Ok(()) => remove_all(&path),
            // Its process lives.
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                tracing::debug!(target: "preload", "{}: {error}", path.display());
            }
        }
    }
}

/// Removes a directory and everything in it. Unlike `remove_dir_all` it opens nothing relative to a
/// directory: in the library, such a path would ask for the tree that is being made.
fn remove_all(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => remove_all(&path),
            // Somebody else may have removed it.
            _ => drop(fs::remove_file(&path)),
        }
    }
    drop(fs::remove_dir(directory));
}

/// For tests that make processes, and tests that give up file locks: until it ends, a child has the locks that
/// were open when it was made.
#[cfg(test)]
pub(crate) static CHILDREN: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use std::sync::{MutexGuard, PoisonError};

    use super::*;

    const PREFIX: &str = "held-";

    fn alone() -> MutexGuard<'static, ()> {
        CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn what_a_killed_process_has_left_is_removed_by_the_next() {
        let _alone = alone();
        let place = tempfile::tempdir().unwrap();
        let create = || Held::create(place.path(), PREFIX).unwrap();
        let names = || fs::read_dir(place.path()).unwrap().count();
        let alive = create();
        // Not removed, and its lock ends: as after SIGKILL.
        let killed = create();
        fs::create_dir(killed.path().join("folder")).unwrap();
        fs::write(killed.path().join("folder/file"), "").unwrap();
        drop(killed);
        assert_eq!(names(), 2);
        let others = [PREFIX.to_owned() + "file", "other".to_owned()];
        fs::write(place.path().join(&others[0]), "kept").unwrap();
        fs::create_dir(place.path().join(&others[1])).unwrap();
        let next = create();
        assert!(alive.path().is_dir() && next.path().is_dir());
        assert_eq!(names(), 4);
        next.remove();
        alive.remove();
        assert_eq!(names(), 2);
    }

    #[test]
    fn a_program_that_outlives_its_parent_holds_the_directory() {
        let _alone = alone();
        let place = tempfile::tempdir().unwrap();
        let held = Held::create(place.path(), PREFIX).unwrap();
        rustix::io::fcntl_setfd(held.lock(), rustix::io::FdFlags::empty()).unwrap();
        let mut program = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let path = held.path().to_owned();
        drop(held);
        let next = Held::create(place.path(), PREFIX).unwrap();
        assert!(path.is_dir());
        program.kill().unwrap();
        program.wait().unwrap();
        let last = Held::create(place.path(), PREFIX).unwrap();
        assert!(!path.exists() && next.path().is_dir() && last.path().is_dir());
    }
}

//! Folders for the files of one call, of which nothing stays: what a killed process left goes with the
//! next call of another.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Component, Path};

use tempfile::TempDir;

use crate::compiler::Header;

/// What the names of the folders begin with. No `-` stands before the random rest: options name folders, and
/// ocloc takes any `-cmc` in them for a request to compile C for Metal (`strstr` in IGC,
/// fcl_ocl_translation_ctx_impl.h), for which it has no front end.
const PREFIX: &str = "intel-gpu-call_";

/// A folder that goes with this.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
    /// Says that the folder is in use, as long as the process lives.
    _lock: File,
}

impl Place {
    pub(crate) fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    fn within(parent: &Path) -> io::Result<Self> {
        sweep(parent);
        loop {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            // Another process may have taken the new folder for one that was left.
            match File::open(folder.path()).map(|file| (file.try_lock(), file)) {
                Ok((Ok(()), lock)) if folder.path().exists() => {
                    return Ok(Self {
                        folder,
                        _lock: lock,
                    });
                }
                Ok((Err(TryLockError::Error(error)), _)) => return Err(error),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Deletes the folders that nobody uses any more.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_left(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether the process that has locked a file or folder has ended.
pub(crate) fn is_left(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// Writes headers into a folder, which their names may not leave.
pub(crate) fn write_headers(folder: &Path, headers: &[Header<'_>]) -> io::Result<()> {
    for header in headers {
        let path = Path::new(header.name);
        let plain = |part| matches!(part, Component::Normal(_));
        if !path.components().all(plain) {
            let why = format!("the header's name {:?} leaves its folder", header.name);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, header.text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_deleted_and_what_is_in_use_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let own = Place::within(parent.path()).unwrap();
        fs::write(own.path().join("file"), "x").unwrap();
        let left = parent.path().join(format!("{PREFIX}left"));
        fs::create_dir(&left).unwrap();
        fs::write(left.join("file"), "x").unwrap();
        let foreign = parent.path().join("foreign");
        fs::create_dir(&foreign).unwrap();
        let other = Place::within(parent.path()).unwrap();
        assert!(own.path().join("file").exists() && foreign.exists() && !left.exists());
        drop((own, other));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    /// The random rest of a name may be "cmc…": one compilation in some hundred thousand failed so.
    #[test]
    fn no_name_of_a_folder_asks_ocloc_for_another_language() {
        assert!(!format!("{PREFIX}cmcXYZ").contains("-cmc"));
    }

    #[test]
    fn headers_stay_in_their_folder() {
        let written = |name| {
            let place = tempfile::tempdir().unwrap();
            let done = write_headers(place.path(), &[Header { name, text: b"x" }]);
            done.map(|()| place.path().join(name).is_file())
        };
        assert!(written("inc/a.h").unwrap());
        assert!(written("../a.h").is_err());
        assert!(written("/tmp/a.h").is_err());
    }
}

//! Reading and writing files, with `-` for the standard streams.

use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use tempfile::NamedTempFile;

use crate::exit::Error;

/// Whether `path` is a standard stream.
pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The most bytes of a stream: pipes and devices do not say whether they end.
const STREAM: u64 = 1 << 30;

/// Reads a whole file, or stdin for `-`.
///
/// # Errors
/// [`Error::Rejected`] if it cannot be read, or goes on beyond its length or 1 GiB, the larger of them.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let unreadable = |e: io::Error| Error::unreadable(path, e);
    if is_stream(path) {
        return read_up_to(io::stdin().lock(), STREAM, path);
    }
    let file = fs::File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    read_up_to(file, length.max(STREAM), path)
}

fn read_up_to(source: impl Read, most: u64, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = source.take(most.saturating_add(1)).read_to_end(&mut bytes);
    let length = read.map_err(|e| Error::unreadable(path, e))? as u64;
    match length > most {
        true => Err(Error::unreadable(
            path,
            format!("it goes on after {most} bytes"),
        )),
        false => Ok(bytes),
    }
}

/// Writes a whole file, or stdout for `-`.
///
/// # Errors
/// [`Error::Failed`] if it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |out| {
        out.write_all(bytes).map_err(|e| Error::unwritable(path, e))
    })
}

/// Checks that a file can be written, before the work whose results go there.
///
/// # Errors
/// [`Error::Failed`] if it cannot.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    match is_stream(path) {
        true => Ok(()),
        false => Destination::open(path)
            .map(drop)
            .map_err(|e| Error::unwritable(path, e)),
    }
}

/// Writes what `give` returns, to a file or to stdout for `-`. A file is written whole or not at
/// all: the old content stays until everything is written.
///
/// # Errors
/// [`Error::Failed`] if it cannot be written; errors of `give`.
fn write_with(
    path: &Path,
    give: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let unwritable = |e| Error::unwritable(path, e);
    if is_stream(path) {
        let mut out = io::stdout().lock();
        give(&mut out)?;
        return out.flush().map_err(unwritable);
    }
    match Destination::open(path).map_err(unwritable)? {
        Destination::Device(mut file) => give(&mut file),
        Destination::Beside(mut part, target) => {
            give(&mut part)?;
            let written = part.persist(target).map_err(|e| e.error);
            written.map(drop).map_err(unwritable)
        }
    }
}

/// Where the bytes of a file go.
enum Destination {
    /// To a pipe or a device, at once.
    Device(fs::File),
    /// To a new file beside the one that it replaces.
    Beside(NamedTempFile, PathBuf),
}

impl Destination {
    fn open(path: &Path) -> io::Result<Self> {
        // A link stays, and points to the new file.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(|known| !known.is_file()) {
            return fs::File::options()
                .write(true)
                .open(target)
                .map(Self::Device);
        }
        if existing.is_some() {
            // Renaming would not check whether that file may be written.
            fs::File::options().append(true).open(&target)?;
        }
        let permissions =
            existing.map_or(Permissions::from_mode(0o666), |known| known.permissions());
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // The error of a temporary file has a name that means nothing to anyone.
        access(folder, AccessFlags::W_OK | AccessFlags::X_OK)?;
        let part = tempfile::Builder::new()
            .prefix(".intel-gpu-run-")
            .permissions(permissions)
            .tempfile_in(folder)?;
        Ok(Self::Beside(part, target))
    }
}

/// How much of a file is in memory at once: it stays in the processor's cache.
const PART: usize = 256 << 10;

/// The length of a regular file; `None` for a stream, whose length is unknown until it is read.
///
/// # Errors
/// [`Error::Rejected`] if there is no such file.
pub fn length(path: &Path) -> Result<Option<u64>, Error> {
    if is_stream(path) {
        return Ok(None);
    }
    let metadata = fs::metadata(path).map_err(|e| Error::unreadable(path, e))?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

/// Reads the first `length` bytes of a file, part after part.
///
/// # Errors
/// [`Error::Rejected`] if it cannot be read or is shorter; errors of `take`.
pub fn read_parts(
    path: &Path,
    length: u64,
    mut take: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut file = fs::File::open(path).map_err(|e| Error::unreadable(path, e))?;
    let mut buffer = vec![0; PART];
    for size in parts(length) {
        let part = &mut buffer[..size];
        file.read_exact(part)
            .map_err(|e| Error::unreadable(path, e))?;
        take(part)?;
    }
    Ok(())
}

/// Writes a file of `length` bytes, or as many to stdout for `-`, part after part; `give` fills
/// the part from an offset on.
///
/// # Errors
/// [`Error::Failed`] if it cannot be written; errors of `give`.
pub fn write_parts(
    path: &Path,
    length: u64,
    mut give: impl FnMut(u64, &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    write_with(path, |out| {
        let mut buffer = vec![0; PART];
        let mut at = 0;
        for size in parts(length) {
            let part = &mut buffer[..size];
            give(at, part)?;
            out.write_all(part)
                .map_err(|e| Error::unwritable(path, e))?;
            at += size as u64;
        }
        Ok(())
    })
}

/// The sizes of the parts of `length` bytes.
fn parts(length: u64) -> impl Iterator<Item = usize> {
    let part = move |at| PART.min(usize::try_from(length - at).unwrap_or(PART));
    (0..length).step_by(PART).map(part)
}

/// Prints data to stdout.
///
/// A reader that closed the pipe (`| head`) is no failure.
///
/// # Errors
/// [`Error::Failed`] for every other failure.
pub fn print(text: &str) -> Result<(), Error> {
    print_bytes(text.as_bytes())
}

/// Prints bytes to stdout, as [`print()`] prints text.
///
/// # Errors
/// [`Error::Failed`] if they cannot be written.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|e| Error::unwritable(Path::new("-"), e)),
    }
}

/// Prints a value as one JSON document to stdout.
///
/// # Errors
/// [`Error::Failed`] if it cannot be written.
pub fn print_json(value: &serde_json::Value) -> Result<(), Error> {
    print(&format!("{value:#}\n"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<_> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_does_not_end_is_not_read_for_ever() {
        let path = Path::new("/dev/zero");
        let error = read_up_to(fs::File::open(path).unwrap(), 1000, path).unwrap_err();
        let text = error.to_string();
        assert_eq!(text, "cannot read /dev/zero: it goes on after 1000 bytes");
        assert_eq!(read_up_to(&[7; 1000][..], 1000, path).unwrap(), [7; 1000]);
        // Files of /proc say that they are empty.
        assert!(!read(Path::new("/proc/self/status")).unwrap().is_empty());
    }

    #[test]
    fn a_file_is_written_whole_or_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        write(&path, b"first").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        let half = write_with(&path, |out| {
            out.write_all(b"half").unwrap();
            Err(Error::Failed("no space".to_owned()))
        });
        assert!(half.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        write(&link, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["a", "link"]);
    }

    #[test]
    fn what_can_be_written_is_known_before_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| folder.path().join(name);
        check_writable(&inside("new")).unwrap();
        check_writable(Path::new("/dev/null")).unwrap();
        check_writable(Path::new("-")).unwrap();
        write(Path::new("/dev/null"), b"gone").unwrap();
        for path in [inside("no-such-folder/a"), folder.path().to_owned()] {
            let error = check_writable(&path).unwrap_err().to_string();
            assert!(error.starts_with("cannot write "), "{error}");
            assert!(!error.contains(".intel-gpu-run-"), "{error}");
        }
        let error = write(Path::new("/dev/full"), b"x").unwrap_err().to_string();
        assert!(error.contains("No space left"), "{error}");
        assert!(names(folder.path()).is_empty());
    }
}

//! Reading and writing files, with `-` for the standard streams.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::exit::Error;

/// Whether `path` stands for a standard stream.
pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a whole file, or stdin for `-`.
///
/// # Errors
/// [`Error::Rejected`] if it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let result = if is_stream(path) {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        fs::read(path).map(|content| bytes = content)
    };
    result.map_err(|e| Error::unreadable(path, e))?;
    Ok(bytes)
}

/// Writes a whole file, or stdout for `-`.
///
/// # Errors
/// [`Error::Failed`] if it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let result = if is_stream(path) {
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    } else {
        fs::write(path, bytes)
    };
    result.map_err(|e| Error::unwritable(path, e))
}

/// How much of a file is in memory at once: it stays in the processor's cache.
const PART: usize = 256 << 10;

/// The length of a regular file; `None` of what has none before it was read.
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
/// [`Error::Rejected`] if it cannot be read or is shorter; those of `take`.
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
/// [`Error::Failed`] if it cannot be written; those of `give`.
pub fn write_parts(
    path: &Path,
    length: u64,
    mut give: impl FnMut(u64, &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut out: Box<dyn Write> = if is_stream(path) {
        Box::new(io::stdout().lock())
    } else {
        Box::new(fs::File::create(path).map_err(|e| Error::unwritable(path, e))?)
    };
    let mut buffer = vec![0; PART];
    let mut at = 0;
    for size in parts(length) {
        let part = &mut buffer[..size];
        give(at, part)?;
        out.write_all(part)
            .map_err(|e| Error::unwritable(path, e))?;
        at += size as u64;
    }
    out.flush().map_err(|e| Error::unwritable(path, e))
}

/// The sizes of the parts of `length` bytes.
fn parts(length: u64) -> impl Iterator<Item = usize> {
    let part = move |at| PART.min(usize::try_from(length - at).unwrap_or(PART));
    (0..length).step_by(PART).map(part)
}

/// Prints data to stdout.
///
/// A reader that went away (`| head`) is no failure.
///
/// # Errors
/// [`Error::Failed`] for every other failure.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
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

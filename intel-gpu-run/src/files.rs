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

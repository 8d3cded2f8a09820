//! Reading and writing files, with `-` for the standard streams.

use std::fs;
use std::io::{self, Read, Write};
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;

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
    let result = if is_stream(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        read_side_by_side(path).and_then(|read| match read {
            Some(bytes) => Ok(bytes),
            None => fs::read(path),
        })
    };
    result.map_err(|e| Error::unreadable(path, e))
}

/// What is worth a thread of its own to read, in bytes.
const WORTH_A_THREAD: usize = 1 << 20;

/// Reads a large regular file with all cores: most of the time goes to the pages that are read
/// into. `None` of other files, and of those that become shorter meanwhile.
fn read_side_by_side(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = fs::File::open(path)?;
    let metadata = file.metadata()?;
    let Some(length) = usize::try_from(metadata.len())
        .ok()
        .filter(|length| metadata.is_file() && *length >= 2 * WORTH_A_THREAD)
    else {
        return Ok(None);
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let size = length.div_ceil(cores).max(WORTH_A_THREAD);
    let mut bytes = vec![0; length];
    let read = thread::scope(|scope| {
        let readers: Vec<_> = (0..)
            .zip(bytes.chunks_mut(size))
            .map(|(part, chunk)| {
                let file = &file;
                scope.spawn(move || file.read_exact_at(chunk, part * size as u64))
            })
            .collect();
        let mut ends = readers.into_iter().map(|reader| reader.join());
        ends.all(|end| matches!(end, Ok(Ok(()))))
    });
    Ok(read.then_some(bytes))
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

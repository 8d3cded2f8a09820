//! What identifies an installed file.

use std::path::Path;
use std::time::UNIX_EPOCH;

/// What tells a file from what it was before it was installed anew.
pub(crate) fn stamp(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (size, time) = match real.metadata() {
        Ok(data) => {
            let time = data.modified().ok();
            let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (data.len(), time.map_or(0, |time| time.as_nanos()))
        }
        Err(_) => (0, 0),
    };
    format!("{} {size} {time};", real.display())
}

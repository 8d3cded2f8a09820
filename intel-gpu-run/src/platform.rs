//! `-p PLATFORM`: which platform an instruction or packet stream is for.

use devinfo::Target;

/// Reads `PLATFORM[:REVISION]`; for clap.
///
/// # Errors
/// A text that names the known platforms.
pub fn parse(text: &str) -> Result<Target, String> {
    Target::parse(text).map_err(|e| e.to_string())
}

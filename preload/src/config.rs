//! What the environment asks of the library.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Names the platform to answer for, as `PLATFORM[:REVISION]` (`tgl`, `dg2:8`).
pub const PLATFORM_VARIABLE: &str = "INTEL_GPU_PRELOAD_PLATFORM";

/// A directory for the stand-in of `/dev/dri` and `/sys`, owned and removed by the parent
/// process. Without it each process makes one in the temporary directory.
pub const ROOT_VARIABLE: &str = "INTEL_GPU_PRELOAD_ROOT";

/// What to log to stderr, in the syntax of `tracing_subscriber`'s `EnvFilter`
/// (`softgpu=info`, `softgpu=debug,preload=trace`). Nothing without it.
pub const LOG_VARIABLE: &str = "INTEL_GPU_PRELOAD_LOG";

/// A file that the log is appended to instead of stderr.
pub const LOG_FILE_VARIABLE: &str = "INTEL_GPU_PRELOAD_LOG_FILE";

/// The platform that is answered for when [`PLATFORM_VARIABLE`] is not set.
pub const DEFAULT_PLATFORM: &str = "tgl";

/// [`PLATFORM_VARIABLE`], or the default.
pub(crate) fn platform() -> String {
    env::var(PLATFORM_VARIABLE).unwrap_or_else(|_| DEFAULT_PLATFORM.to_owned())
}

/// [`ROOT_VARIABLE`], if it names something.
pub(crate) fn root() -> Option<PathBuf> {
    path(ROOT_VARIABLE)
}

/// [`LOG_FILE_VARIABLE`], if it names something.
pub(crate) fn log_file() -> Option<PathBuf> {
    path(LOG_FILE_VARIABLE)
}

/// [`LOG_VARIABLE`], if set.
pub(crate) fn log_filter() -> Option<String> {
    env::var(LOG_VARIABLE)
        .ok()
        .filter(|filter| !filter.is_empty())
}

fn path(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .filter(|value| value != OsStr::new(""))
        .map(PathBuf::from)
}

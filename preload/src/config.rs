//! The library's settings from the environment.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use devinfo::{Driver, Target};

/// Names the platform to answer for, as `PLATFORM[:REVISION]` (`tgl`, `dg2:8`).
pub const PLATFORM_VARIABLE: &str = "INTEL_GPU_PRELOAD_PLATFORM";

/// Where each process makes the directory that stands in for `/dev/dri` and `/sys`. If it is not
/// set, the temporary directory.
pub const ROOT_VARIABLE: &str = "INTEL_GPU_PRELOAD_ROOT";

/// What to log to stderr, in the syntax of `tracing_subscriber`'s `Targets`
/// (`softgpu=info`, `softgpu=debug,preload=trace`). Nothing without it.
pub const LOG_VARIABLE: &str = "INTEL_GPU_PRELOAD_LOG";

/// A file that the log is appended to instead of stderr.
pub const LOG_FILE_VARIABLE: &str = "INTEL_GPU_PRELOAD_LOG_FILE";

/// The kernel driver that the node answers as.
pub const DRIVER: Driver = Driver::I915;

/// The platform called `name`.
///
/// # Errors
/// It is unknown, or [`DRIVER`] does not drive it.
pub fn target_of(name: &str) -> Result<Target, String> {
    let target = Target::parse(name).map_err(|error| error.to_string())?;
    match target.platform.has_driver(DRIVER) {
        true => Ok(target),
        false => Err(format!(
            "the fake render node speaks for the kernel driver {DRIVER}, which does not drive {}",
            target.platform.name
        )),
    }
}

/// The platform if [`PLATFORM_VARIABLE`] is not set.
pub const DEFAULT_PLATFORM: &str = "tgl";

/// [`PLATFORM_VARIABLE`], or the default.
pub(crate) fn platform() -> String {
    env::var(PLATFORM_VARIABLE).unwrap_or_else(|_| DEFAULT_PLATFORM.to_owned())
}

/// [`ROOT_VARIABLE`], or the temporary directory.
pub(crate) fn root() -> PathBuf {
    path(ROOT_VARIABLE).unwrap_or_else(env::temp_dir)
}

/// [`LOG_FILE_VARIABLE`], if not empty.
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

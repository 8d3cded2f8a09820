//! The library's settings from the environment.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use devinfo::{Driver, Target};

/// Names the devices to answer for, as `PLATFORM[:REVISION][@DRIVER]`, with commas between them
/// (`tgl`, `dg2:8@xe`, `tgl,bmg`).
pub const PLATFORM_VARIABLE: &str = "INTEL_GPU_PRELOAD_PLATFORM";

/// Where each process makes the directory that stands in for `/dev/dri` and `/sys`. If it is not
/// set, the temporary directory.
pub const ROOT_VARIABLE: &str = "INTEL_GPU_PRELOAD_ROOT";

/// What to log to stderr, in the syntax of `tracing_subscriber`'s `Targets`
/// (`softgpu=info`, `softgpu=debug,preload=trace`). Nothing without it.
pub const LOG_VARIABLE: &str = "INTEL_GPU_PRELOAD_LOG";

/// A file that the log is appended to instead of stderr.
pub const LOG_FILE_VARIABLE: &str = "INTEL_GPU_PRELOAD_LOG_FILE";

/// The devices if [`PLATFORM_VARIABLE`] is not set.
pub const DEFAULT_PLATFORM: &str = "tgl";

/// A file: if it is set, the software GPU checks what silicon leaves undefined, and each rule that a
/// kernel breaks is appended to the file, a line each, and why contexts were lost, behind
/// `kmd_iface::FAILED`.
pub const CHECK_VARIABLE: &str = "INTEL_GPU_PRELOAD_CHECK";

/// The most devices of a process.
pub const DEVICE_LIMIT: usize = 8;

/// A device to answer for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its platform and revision.
    pub target: Target,
    /// The kernel driver that drives it.
    pub driver: Driver,
}

impl Wanted {
    /// Parses `PLATFORM[:REVISION][@DRIVER]`.
    ///
    /// # Errors
    /// Platform, revision or driver is unknown, or the driver does not drive the platform.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, driver) = match text.split_once('@') {
            None => (text, None),
            Some((name, driver)) => (name, Some(driver)),
        };
        let target = Target::parse(name).map_err(|error| error.to_string())?;
        let platform = target.platform;
        let driver = match driver {
            None => platform.usual_driver(),
            Some(name) => Driver::by_name(name)
                .ok_or_else(|| format!("unknown kernel driver {name:?} (known: i915, xe)"))?,
        };
        match platform.has_driver(driver) {
            true => Ok(Self { target, driver }),
            false => Err(format!(
                "the kernel driver {driver} does not drive {}",
                platform.name
            )),
        }
    }

    /// Parses a list with commas.
    ///
    /// # Errors
    /// One of them is wrong, or there are more than [`DEVICE_LIMIT`].
    pub fn parse_list(text: &str) -> Result<Vec<Self>, String> {
        let list: Vec<_> = text.split(',').map(Self::parse).collect::<Result<_, _>>()?;
        match list.len() {
            0..=DEVICE_LIMIT => Ok(list),
            count => Err(format!("{count} devices, but at most {DEVICE_LIMIT}")),
        }
    }
}

/// [`PLATFORM_VARIABLE`], or the default.
pub(crate) fn platforms() -> String {
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

/// [`CHECK_VARIABLE`], if not empty.
pub(crate) fn check_file() -> Option<PathBuf> {
    path(CHECK_VARIABLE)
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

//! The platform: the one of this runtime, with all its devices.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use opencl_sys::{CL_INVALID_PLATFORM, cl_int};
use umd::{DeviceSpec, OpenOptions};

use super::device::Device;
use super::handle::{Base, Object, publish};

/// Names the devices: specifications with commas between, as `soft:tgl,soft:bmg`.
pub(crate) const DEVICES_VARIABLE: &str = "INTEL_GPU_DEVICES";
/// After how many seconds a kernel on a software GPU that has not ended is a hang.
const HANG_VARIABLE: &str = "INTEL_GPU_HANG_TIMEOUT";
/// Set to 1, makes software GPUs report what silicon leaves undefined.
const CHECK_VARIABLE: &str = "INTEL_GPU_CHECK";
/// With it, a file to which each rule that a kernel breaks is appended, a line each, and each launch that
/// fails, behind [`umd::FAILED`].
const CHECK_FILE_VARIABLE: &str = "INTEL_GPU_CHECK_FILE";
/// What is logged to stderr, as `RUST_LOG` says it: `info` tells why calls fail.
const LOG_VARIABLE: &str = "INTEL_GPU_LOG";

/// The platform.
#[derive(Debug)]
pub(crate) struct Platform {
    base: Base,
    devices: OnceLock<Vec<Arc<Device>>>,
}

impl Object for Platform {
    const INVALID: cl_int = CL_INVALID_PLATFORM;
    const NAME: &'static str = "platform of this runtime";
    fn base(&self) -> &Base {
        &self.base
    }
}

/// Whether software GPUs check what kernels do.
pub(crate) fn is_checked() -> bool {
    std::env::var(CHECK_VARIABLE).is_ok_and(|value| value == "1")
}

impl Platform {
    /// The platform.
    pub(crate) fn get() -> &'static Arc<Self> {
        static PLATFORM: OnceLock<Arc<Platform>> = OnceLock::new();
        PLATFORM.get_or_init(|| {
            log();
            let platform = Arc::new(Self {
                base: Base::new(),
                devices: OnceLock::new(),
            });
            publish(platform.clone());
            platform
        })
    }

    /// Its devices, which are opened when they are asked for first.
    pub(crate) fn devices(&self) -> &[Arc<Device>] {
        self.devices.get_or_init(|| {
            let options = OpenOptions {
                check: is_checked(),
                hang_timeout: hang_timeout(),
                ..OpenOptions::default()
            };
            let opened = specs().into_iter().filter_map(|spec| {
                let device = umd::Device::open_with(&spec, &options);
                device
                    .map_err(|error| tracing::error!("{error}"))
                    .ok()
                    .map(Device::new)
            });
            let devices: Vec<_> = opened.map(Arc::new).collect();
            for device in &devices {
                publish(device.clone());
            }
            devices
        })
    }
}

/// Reports that a kernel broke a rule: to the file that is to have it, which somebody shows, or else to the
/// log.
pub(crate) fn report_violation(violation: &umd::Violation) {
    match append_to_file(&violation.to_string()) {
        true => tracing::info!("{violation}"),
        false => tracing::error!("{violation}"),
    }
}

/// Reports that the device did not end a command well.
pub(crate) fn report_failure(error: &umd::Error) {
    append_to_file(&format!("{}{error}", umd::FAILED));
}

/// Appends a line to the file of reports. Returns whether it is there.
fn append_to_file(line: &str) -> bool {
    let Some(path) = std::env::var_os(CHECK_FILE_VARIABLE) else {
        return false;
    };
    let line = format!("{}\n", line.replace('\n', " "));
    let file = File::options().create(true).append(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = &written {
        tracing::error!("{CHECK_FILE_VARIABLE}: {}: {error}", path.display());
    }
    written.is_ok()
}

/// What the environment says; `None` if it says nothing that is a time.
fn hang_timeout() -> Option<Duration> {
    let text = std::env::var(HANG_VARIABLE).ok()?;
    let seconds = text.parse().ok();
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    if timeout.is_none() {
        tracing::error!("{HANG_VARIABLE}: {text:?} is no number of seconds");
    }
    timeout
}

/// What the environment names; else all render nodes that this driver can use; else a software
/// GPU.
fn specs() -> Vec<DeviceSpec> {
    if let Ok(names) = std::env::var(DEVICES_VARIABLE) {
        let specs = names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .filter_map(|name| {
                let spec = name.parse();
                spec.map_err(|error| tracing::error!("{DEVICES_VARIABLE}: {error}"))
                    .ok()
            });
        return specs.collect();
    }
    match DeviceSpec::render_nodes() {
        nodes if nodes.is_empty() => vec![DeviceSpec::Auto],
        nodes => nodes,
    }
}

fn log() {
    use tracing_subscriber::filter::Targets;
    use tracing_subscriber::layer::SubscriberExt as _;
    let text = std::env::var(LOG_VARIABLE).unwrap_or_else(|_| "error".to_owned());
    let (filter, wrong) = match text.parse::<Targets>() {
        Ok(filter) => (filter, None),
        Err(error) => (
            Targets::new().with_default(tracing::Level::ERROR),
            Some(error),
        ),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()));
    let subscriber = tracing_subscriber::registry().with(lines).with(filter);
    // Where this runtime is linked into a program with a log of its own, that gets it.
    let _ = tracing::subscriber::set_global_default(subscriber);
    if let Some(error) = wrong {
        tracing::error!("{LOG_VARIABLE}={text:?} is no log filter: {error}");
    }
}

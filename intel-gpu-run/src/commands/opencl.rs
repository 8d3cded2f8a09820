//! `opencl`: run a program that finds this driver's OpenCL runtime, and no other.

use super::client::{self, Client};
use crate::exit::Error;
use crate::folder::Folder;
use crate::platform;

/// The runtime's file name.
pub const LIBRARY: &str = "libintel_gpu_opencl.so";
/// Names the runtime's devices.
const DEVICES_VARIABLE: &str = "INTEL_GPU_DEVICES";
/// Makes the runtime's software GPUs check.
const CHECK_VARIABLE: &str = "INTEL_GPU_CHECK";
/// The file that the runtime writes to what they find.
const CHECK_FILE_VARIABLE: &str = "INTEL_GPU_CHECK_FILE";
/// What the runtime logs.
const LOG_VARIABLE: &str = "INTEL_GPU_LOG";

/// Run an OpenCL program on this project's OpenCL runtime, on Intel GPUs or the software GPU
///
/// The program is not changed: the ICD loader that it is linked with finds this runtime, and no other.
/// (`preload` runs a program on Intel's or Mesa's runtime.) The program's exit code becomes this tool's.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  intel-gpu-run opencl -- clinfo
  intel-gpu-run opencl --devices soft:tgl,soft:bmg -- ./program

With --log info, each call that fails is logged with the reason. Variables that start with INTEL_GPU_ choose the
compiler, the cache and more: opencl/README.md in the source lists them.")]
pub struct Args {
    /// The devices, as `run --device` takes them, with commas between; if not given, all Intel
    /// render nodes, or a software GPU if there are none
    #[arg(long, value_name = "DEVICES")]
    devices: Option<String>,

    #[command(flatten)]
    client: Client,
}

/// Runs the program. Returns its exit code.
///
/// # Errors
/// [`Error::Usage`] for an invalid device or a program that does not start, [`Error::Failed`] if
/// the library is not in its place.
pub fn run(args: &Args, log: Option<&str>) -> Result<u8, Error> {
    let Some((library, mut command)) = args.client.program(LIBRARY, "opencl")? else {
        return Ok(0);
    };
    // Loaders read the files of a folder; some take a library's path as well, some do not.
    let vendors = Folder::create("intel-gpu-run-opencl-")?;
    let file = vendors.path().join("intel-gpu.icd");
    std::fs::write(&file, format!("{}\n", library.display()))
        .map_err(|error| Error::unwritable(&file, error))?;
    let mut folder = vendors.path().as_os_str().to_owned();
    // ocl-icd recognises a folder by the slash at its end.
    folder.push("/");
    command
        .env("OCL_ICD_VENDORS", folder)
        // These would add other runtimes.
        .env_remove("OCL_ICD_FILENAMES");
    if let Some(devices) = &args.devices {
        for device in devices.split(',') {
            let spec = device.trim().parse::<umd::DeviceSpec>();
            let spec = spec.map_err(|error| Error::Usage(format!("--devices: {error}")))?;
            let driver = match spec {
                umd::DeviceSpec::Soft { driver, .. } => driver,
                _ => None,
            };
            if let umd::DeviceSpec::Soft {
                platform, revision, ..
            }
            | umd::DeviceSpec::BareMetal { platform, revision }
            | umd::DeviceSpec::Tbx {
                platform, revision, ..
            } = spec
            {
                let usage = |error: String| Error::Usage(format!("--devices: {error}"));
                let target = platform::parse(&platform).map_err(usage)?;
                if let Some(driver) = driver
                    && !target.platform.has_driver(driver)
                {
                    let why = format!("the kernel driver {driver} does not drive {platform}");
                    return Err(usage(why));
                }
                if let Some(revision) = revision {
                    let exists = target.with_revision(revision);
                    exists.map_err(|error| usage(error.to_string()))?;
                }
            }
        }
        command.env(DEVICES_VARIABLE, devices);
    }
    let reports = vendors.path().join("reports");
    if args.client.check {
        command.env(CHECK_VARIABLE, "1");
        command.env(CHECK_FILE_VARIABLE, &reports);
    }
    if let Some(filter) = log {
        command.env(LOG_VARIABLE, filter);
    }
    client::run(&mut command, &reports)
}

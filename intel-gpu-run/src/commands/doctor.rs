//! `doctor`: what works here, what does not, and what to do about it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use devinfo::{PLATFORMS, Platform};
use kmd_iface::{FoundNode, NodeState};
use serde_json::json;
use umd::{Device, DeviceSpec, QueueOptions};

use crate::exit::{Error, Exit};
use crate::files;

/// Check what works on this machine, and say what to do about what does not
///
/// On the software GPU of each platform, test kernels run through each kernel driver. Everything
/// else is optional; a software GPU that does not work is exit code 4.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It works.
    Pass,
    /// It does not work, and something else is affected.
    Warn,
    /// It is missing, and nothing needs it.
    Skip,
    /// It must work and does not.
    Fail,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Warn => "WARN",
            Verdict::Skip => "SKIP",
            Verdict::Fail => "FAIL",
        }
    }
}

/// One check.
#[derive(Debug)]
struct Finding {
    verdict: Verdict,
    subject: String,
    text: String,
    remedy: Option<String>,
}

impl Finding {
    fn new(verdict: Verdict, subject: &str, text: impl Into<String>) -> Self {
        Self {
            verdict,
            subject: subject.to_owned(),
            text: text.into(),
            remedy: None,
        }
    }

    fn remedy(mut self, text: impl Into<String>) -> Self {
        self.remedy = Some(text.into());
        self
    }
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Device`] if the software GPU does not work.
pub fn run(args: &Args) -> Result<(), Error> {
    let mut findings = render_nodes();
    findings.extend(software_gpu());
    findings.extend([compiler(), assembler(), opencl_runtime()]);
    if args.json {
        let all: Vec<_> = findings
            .iter()
            .map(|f| {
                json!({
                    "verdict": f.verdict.name(), "subject": f.subject,
                    "text": f.text, "remedy": f.remedy,
                })
            })
            .collect();
        files::print_json(&json!({ "findings": all }))?;
    } else {
        for finding in &findings {
            files::print(&format!(
                "{}  {}: {}\n",
                finding.verdict.name(),
                finding.subject,
                finding.text
            ))?;
            if let Some(remedy) = &finding.remedy {
                files::print(&format!("      {remedy}\n"))?;
            }
        }
    }
    let failed: Vec<_> = findings
        .iter()
        .filter(|f| f.verdict == Verdict::Fail)
        .collect();
    if failed.is_empty() {
        return Ok(());
    }
    let subjects: Vec<_> = failed.iter().map(|f| f.subject.as_str()).collect();
    Err(Error::Device(format!(
        "{} does not work",
        subjects.join(", ")
    )))
}

fn render_nodes() -> Vec<Finding> {
    let nodes = kmd_iface::discover();
    if nodes.is_empty() {
        return vec![
            Finding::new(Verdict::Skip, "render node", "there is none in /dev/dri").remedy(
                "kernels run on the software GPU (--device soft:PLATFORM); with an Intel GPU in \
                 this machine, check that i915 or xe is loaded (lsmod, dmesg)",
            ),
        ];
    }
    nodes.iter().map(render_node).collect()
}

fn render_node(node: &FoundNode) -> Finding {
    let subject = node.path.display().to_string();
    let found = |verdict| Finding::new(verdict, &subject, node.to_string());
    match &node.state {
        NodeState::Usable { .. } => found(Verdict::Pass),
        NodeState::OtherVendor => found(Verdict::Skip),
        NodeState::UnknownDriver { .. } => {
            found(Verdict::Warn).remedy("only i915 and xe are supported")
        }
        NodeState::UnknownPlatform { .. } => {
            found(Verdict::Warn).remedy("please report the PCI id: the platform table lacks it")
        }
        NodeState::Inaccessible { .. } => {
            let owner = group_of(&node.path).unwrap_or_else(|| "render".to_owned());
            found(Verdict::Warn).remedy(format!(
                "it may be a matter of rights: join the group {owner}"
            ))
        }
    }
}

/// The name of the group that owns a file.
fn group_of(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let gid = fs::metadata(path).ok()?.gid().to_string();
    let groups = fs::read_to_string("/etc/group").ok()?;
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == gid).then(|| name.to_owned())
    })
}

fn software_gpu() -> Vec<Finding> {
    PLATFORMS.iter().map(software_platform).collect()
}

/// A platform works if kernels run through each of its kernel drivers.
fn software_platform(platform: &Platform) -> Finding {
    let subject = format!("soft:{platform}");
    let what = format!("{}, {}", platform.title, platform.family);
    let mut instructions = 0;
    let mut drivers = Vec::new();
    for driver in platform.kernel_drivers {
        match kernels_run(&format!("{subject}@{driver}")) {
            Ok(count) => instructions += count,
            Err(why) => {
                let text = format!("{what}; through {driver}: {why}");
                return Finding::new(Verdict::Fail, &subject, text);
            }
        }
        drivers.push(driver.to_string());
    }
    let drivers = drivers.join(" and ");
    Finding::new(
        Verdict::Pass,
        &subject,
        format!("{what}; kernels ran through {drivers}, {instructions} EU instructions"),
    )
}

/// How long the test kernels may take; only a hang takes that long.
const DEADLINE: Duration = Duration::from_secs(30);

/// Runs the kernels that copy and fill buffers, which Intel's compiler made for the platform's
/// family, and returns how many EU instructions they took.
fn kernels_run(device: &str) -> Result<u64, String> {
    let spec: DeviceSpec = device.parse().map_err(|e| format!("{e}"))?;
    let device = Device::open(&spec).map_err(|e| e.to_string())?;
    let got = copied(&device).map_err(|e| e.to_string())?;
    if let Some(at) = (0..SIZE).find(|at| got.get(*at) != Some(&expected(*at))) {
        return Err(format!(
            "a test kernel computed nonsense: byte {at} of {SIZE} is {:?} and should be {}",
            got.get(at),
            expected(at)
        ));
    }
    match device.statistics() {
        Some(statistics) if statistics.instructions > 0 => Ok(statistics.instructions),
        _ => Err("no EU instruction ran".to_owned()),
    }
}

/// Bytes of the test's buffers, and the part of one that is copied to a different place in the
/// other: neither begins at a whole dword.
const SIZE: usize = 1024;
const FROM: usize = 3;
const TO: usize = 101;
const LENGTH: usize = 777;
const PATTERN: [u8; 4] = [1, 20, 33, 244];

fn source_byte(at: usize) -> u8 {
    (at * 7 % 251) as u8
}

fn expected(at: usize) -> u8 {
    if (TO..TO + LENGTH).contains(&at) {
        source_byte(at - TO + FROM)
    } else {
        PATTERN[at % PATTERN.len()]
    }
}

fn copied(device: &Device) -> Result<Vec<u8>, umd::Error> {
    let source = device.buffer(SIZE as u64)?;
    let bytes: Vec<u8> = (0..SIZE).map(source_byte).collect();
    source.write(0, &bytes)?;
    let destination = device.buffer(SIZE as u64)?;
    let queue = device.queue(QueueOptions::default())?;
    queue.fill_buffer((&destination, 0), SIZE as u64, &PATTERN, &[])?;
    let event = queue.copy_buffer(
        (&source, FROM as u64),
        (&destination, TO as u64),
        LENGTH as u64,
        &[],
    )?;
    event.wait(DEADLINE)?;
    let mut got = vec![0; SIZE];
    destination.read(0, &mut got)?;
    Ok(got)
}

fn compiler() -> Finding {
    match compilers::version(Path::new("ocloc")) {
        Some(version) => Finding::new(Verdict::Pass, "ocloc", format!("version {version}")),
        None => Finding::new(Verdict::Skip, "ocloc", "not installed")
            .remedy("needed to run .cl and .spv files (Debian: intel-opencl-icd)"),
    }
}

fn assembler() -> Finding {
    let mut command = Command::new("iga64");
    command
        .arg("-h")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.status() {
        Ok(_) => Finding::new(Verdict::Pass, "iga64", "installed"),
        Err(_) => Finding::new(Verdict::Skip, "iga64", "not installed")
            .remedy("only this project's tests need it (Debian: libigc-tools)"),
    }
}

/// OpenCL runtimes register with a file that holds the library's name (cl_khr_icd).
fn opencl_runtime() -> Finding {
    let folder = Path::new("/etc/OpenCL/vendors");
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".icd"))
        .collect();
    names.sort();
    if names.is_empty() {
        return Finding::new(Verdict::Skip, "OpenCL runtimes", "none is registered")
            .remedy("needed to run OpenCL programs under `preload` (Debian: intel-opencl-icd)");
    }
    Finding::new(Verdict::Pass, "OpenCL runtimes", names.join(", "))
}

//! `doctor`: what works here, what does not, and what to do about it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use devinfo::PLATFORMS;
use kmd_iface::{FoundNode, NodeState};
use serde_json::json;
use umd::{Arg, Binary, Device, DeviceSpec, NdRange, Program, QueueOptions};

use crate::exit::{Error, Exit};
use crate::{files, ocloc};

/// Check what works on this machine, and say what to do about what does not
///
/// Everything is optional except the software GPU, whose failure is exit code 4.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It works.
    Pass,
    /// It does not work, and something else is affected.
    Warn,
    /// It is not there, and nobody needs it.
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
    PLATFORMS
        .iter()
        .map(|platform| {
            let subject = format!("soft:{platform}");
            match Device::open(&DeviceSpec::soft(platform.name)) {
                Ok(device) => opened(&subject, platform, &device),
                Err(error) => Finding::new(Verdict::Fail, &subject, error.to_string()),
            }
        })
        .collect()
}

/// What can be said of a device that opens: more if there is a kernel to try on it.
fn opened(subject: &str, platform: &devinfo::Platform, device: &Device) -> Finding {
    let what = format!("{}, {}", platform.title, platform.family);
    if platform.name != TEST_KERNEL_PLATFORM {
        return Finding::new(Verdict::Pass, subject, what);
    }
    match reversed(device) {
        Ok(true) => Finding::new(
            Verdict::Pass,
            subject,
            format!("{what}; a test kernel ran and computed what it should"),
        ),
        Ok(false) => Finding::new(Verdict::Fail, subject, "a test kernel computed nonsense"),
        Err(error) => Finding::new(Verdict::Fail, subject, format!("a test kernel: {error}")),
    }
}

/// The example that uses local memory and a barrier.
const TEST_KERNEL: &str = include_str!("../../../examples/reverse.asm");
const TEST_KERNEL_PLATFORM: &str = "tgl";

/// Runs the test kernel: whether it reversed its 64 numbers.
fn reversed(device: &Device) -> Result<bool, umd::Error> {
    let program = Program::new(device, Binary::assemble(TEST_KERNEL, None)?)?;
    let mut kernel = program.kernel("reverse")?;
    let numbers: Vec<u8> = (0..64u32).flat_map(u32::to_le_bytes).collect();
    let expected: Vec<u8> = (0..64u32).rev().flat_map(u32::to_le_bytes).collect();
    let source = device.buffer(256)?;
    source.write(0, &numbers)?;
    let destination = device.buffer(256)?;
    kernel.set_arg(0, Arg::Buffer(&source))?;
    kernel.set_arg(1, Arg::Buffer(&destination))?;
    let queue = device.queue(QueueOptions::default())?;
    let event = queue.enqueue(&kernel, &NdRange::new(&[64])?, &[])?;
    event.wait(Duration::from_secs(30))?;
    let mut got = vec![0; 256];
    destination.read(0, &mut got)?;
    Ok(got == expected)
}

fn compiler() -> Finding {
    match ocloc::version(Path::new("ocloc")) {
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

/// OpenCL runtimes register by a file with the library's name (cl_khr_icd).
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

//! `report`: what a device computes beside the software GPU, in a file to send.

mod child;
mod workloads;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use devinfo::{Driver, Platform, Target};
use flate2::read::GzDecoder;
use kmd_iface::NodeState;
use umd::{Device, DeviceSpec};

use super::doctor;
use crate::args::number;
use crate::exit::{Error, Exit};
use crate::talk;
use workloads::{WORKLOADS, Workload};

/// Write what a device is and computes to a file, beside what the software GPU computes
///
/// The file has the device, the kernel driver, the firmware, the result of each test kernel, and of
/// the first that fails the decoded batch. Each kernel runs in a process of its own, and each line is
/// on the disk before what comes next begins: whatever hangs, the report stays. Without --device, it is
/// the first Intel render node.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// The device: a render node, or `soft:PLATFORM[:REVISION][@DRIVER]` to try the report out
    #[arg(long, value_name = "DEV")]
    device: Option<String>,

    /// The file
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "intel-gpu-report.txt"
    )]
    output: PathBuf,

    /// Take a kernel that needs longer for one that hangs
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = number::seconds)]
    timeout: Duration,
}

/// What a process needs beside its kernel: to start, and to compile.
const START: Duration = Duration::from_secs(60);

/// Bytes of input.
const INPUT: usize = 1 << 16;

/// The report's file. What is written is on the disk.
#[derive(Debug)]
struct Report<'a> {
    file: File,
    path: &'a Path,
}

impl Report<'_> {
    fn write(&mut self, text: &str) -> Result<(), Error> {
        let written = self.file.write_all(text.as_bytes());
        written
            .and_then(|()| self.file.sync_data())
            .map_err(|error| Error::unwritable(self.path, error))
    }

    fn line(&mut self, text: &str) -> Result<(), Error> {
        self.write(&format!("{text}\n"))
    }

    fn section(&mut self, name: &str) -> Result<(), Error> {
        self.write(&format!("\n== {name}\n"))
    }
}

/// How a workload went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Went {
    /// As on the software GPU.
    Same,
    /// It computed something else.
    Differs,
    /// It did not run to its end.
    Failed,
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Device`] if there is no device or a kernel did not run to its end on it,
/// [`Error::Violated`] if one computed something else than on the software GPU.
pub fn run(args: &Args) -> Result<(), Error> {
    let device = match &args.device {
        Some(device) => device.clone(),
        None => first_node()?,
    };
    let file = File::create(&args.output).map_err(|e| Error::unwritable(&args.output, e))?;
    let mut report = Report {
        file,
        path: &args.output,
    };
    report.line(&format!(
        "intel-gpu-run {} report",
        env!("CARGO_PKG_VERSION")
    ))?;
    machine(&mut report)?;
    let target = describe(&mut report, &device)?;
    let folder = tempfile::tempdir().map_err(|e| Error::unwritable(&std::env::temp_dir(), e))?;
    let bench = Bench::new(folder.path(), &device, target, args.timeout)?;
    report.section("results")?;
    let mut went = Vec::new();
    let mut failure = None;
    for (index, workload) in WORKLOADS.iter().enumerate() {
        let name = format!(
            "{:2} of {}  {}: ",
            index + 1,
            WORKLOADS.len(),
            workload.name
        );
        // What is running is known even if the machine stops.
        report.write(&name)?;
        if workload.images && !target.platform.images {
            report.line("left out, the platform has no images")?;
            continue;
        }
        let begin = Instant::now();
        let (how, text) = bench.compare(workload)?;
        report.line(&format!("{text} ({})", talk::span(begin.elapsed())))?;
        if how != Went::Same && failure.is_none() {
            failure = Some((workload, text));
            bench.keep_batch()?;
        }
        went.push(how);
    }
    if let Some((workload, text)) = &failure {
        report.section("first failure")?;
        report.line(&format!("{}: {text}", workload.name))?;
        report.line(&format!("intel-gpu-run {}", bench.line(workload).join(" ")))?;
        let batch = bench.decoded()?;
        report.write(&batch)?;
        report.section("kernel log")?;
        report.write(&kernel_log())?;
    }
    let count = |wanted| went.iter().filter(|how| **how == wanted).count();
    let (same, differs, failed) = (count(Went::Same), count(Went::Differs), count(Went::Failed));
    report.section("end")?;
    let summary = format!(
        "{same} of {} kernels computed the same on {device} as on the software GPU, {differs} \
         something else, {failed} did not run to their end",
        went.len()
    );
    report.line(&summary)?;
    let summary = format!("{summary}; {} says more", args.output.display());
    match (differs, failed) {
        (0, 0) => {
            talk::say(summary);
            Ok(())
        }
        (_, 0) => Err(Error::Violated(summary)),
        _ => Err(Error::Device(summary)),
    }
}

/// The first usable Intel render node.
fn first_node() -> Result<String, Error> {
    let nodes = kmd_iface::discover();
    let node = nodes.iter().find(|node| node.is_usable());
    let path = node.map(|node| node.path.display().to_string());
    path.ok_or_else(|| {
        Error::Device(
            "there is no usable Intel render node (`doctor` says why); --device soft:tgl tries the \
             report out"
                .to_owned(),
        )
    })
}

fn machine(report: &mut Report<'_>) -> Result<(), Error> {
    report.section("machine")?;
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    report.line(&format!("kernel: {}", read("/proc/version").trim()))?;
    report.line(&format!("command line: {}", read("/proc/cmdline").trim()))?;
    let processor = read("/proc/cpuinfo");
    let model = processor
        .lines()
        .find(|line| line.starts_with("model name"));
    report.line(model.unwrap_or("processor: unknown"))
}

/// Writes what the device is. Returns its platform and revision.
fn describe(report: &mut Report<'_>, device: &str) -> Result<Target, Error> {
    report.section("device")?;
    report.line(&format!("device: {device}"))?;
    let spec: DeviceSpec = device
        .parse()
        .map_err(|error| Error::Usage(format!("--device {device}: {error}")))?;
    let nodes = kmd_iface::discover();
    let node = nodes.iter().find(|node| node.path == Path::new(device));
    if let Some(node) = node {
        report.line(&node.to_string())?;
    }
    let opened = Device::open(&spec);
    if let Err(error) = &opened {
        report.line(&format!("cannot be opened: {error}"))?;
    }
    let target = opened?.target();
    let platform = target.platform;
    report.line(&format!(
        "platform: {platform} ({}), {}, revision {}",
        platform.title, platform.family, target.revision
    ))?;
    report.section("firmware")?;
    match node.map(|node| &node.state) {
        Some(NodeState::Usable { driver, .. }) => {
            for line in driver_firmware(platform, driver) {
                report.write(&line)?;
            }
            Ok(target)
        }
        _ => report
            .line("none: the software GPU needs none")
            .map(|()| target),
    }
}

fn driver_firmware(platform: &'static Platform, driver: &str) -> Vec<String> {
    match Driver::by_name(driver) {
        Some(driver) => doctor::firmware(platform, driver),
        None => Vec::new(),
    }
}

/// What the kernel has logged of the GPU of late, if it may be read.
fn kernel_log() -> String {
    let output = std::process::Command::new("dmesg").output();
    let text = match &output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout),
        _ => return "it may not be read: run `dmesg` as root\n".to_owned(),
    };
    let names = ["i915", "xe ", "drm", "guc", "GPU HANG"];
    let lines = text
        .lines()
        .filter(|line| names.iter().any(|name| line.contains(name)));
    let lines: Vec<_> = lines.collect();
    let last = lines.len().saturating_sub(100);
    let mut text = lines[last..].join("\n");
    text.push('\n');
    text
}

/// Where the workloads run.
#[derive(Debug)]
struct Bench<'a> {
    folder: &'a Path,
    device: &'a str,
    target: Target,
    timeout: Duration,
}

impl<'a> Bench<'a> {
    fn new(
        folder: &'a Path,
        device: &'a str,
        target: Target,
        timeout: Duration,
    ) -> Result<Self, Error> {
        let bench = Self {
            folder,
            device,
            target,
            timeout,
        };
        // Words that look random, and floats between -512 and 512.
        let words =
            (0..INPUT as u32 / 4).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(i % 32));
        let floats = (0..INPUT as u32 / 4).map(|i| (i * 37 % 8192) as f32 / 8.0 - 512.0);
        bench.write(
            "WORDS",
            &words.flat_map(u32::to_le_bytes).collect::<Vec<_>>(),
        )?;
        bench.write(
            "FLOATS",
            &floats.flat_map(f32::to_le_bytes).collect::<Vec<_>>(),
        )?;
        Ok(bench)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.folder.join(name);
        fs::write(&path, bytes).map_err(|error| Error::unwritable(&path, error))
    }

    /// The software GPU that computes what the device should.
    fn reference(&self) -> String {
        format!("soft:{}:{}", self.target.platform, self.target.revision)
    }

    /// The command line of a workload, as a person would give it.
    fn line(&self, workload: &Workload) -> Vec<String> {
        self.arguments(workload, self.device, "OUT")
    }

    fn arguments(&self, workload: &Workload, device: &str, out: &str) -> Vec<String> {
        let mut line: Vec<_> = ["run", &self.path("kernel.spv"), "--compiler", "own"]
            .into_iter()
            .chain(["--device", device, "--kernel", workload.kernel])
            .chain(["--global", workload.global, "--local", workload.local])
            .map(str::to_owned)
            .collect();
        for arg in workload.args {
            let arg = ["WORDS", "FLOATS"]
                .iter()
                .fold((*arg).to_owned(), |arg, name| {
                    arg.replace(name, &self.path(name))
                });
            line.extend(["--arg".to_owned(), arg.replace("OUT", &self.path(out))]);
        }
        line.push(format!("--timeout={}", self.timeout.as_secs_f64()));
        line.push(format!(
            "--dump-batch={}",
            self.path(&format!("{out}.batch"))
        ));
        line
    }

    /// The files that a workload writes.
    fn outputs(&self, workload: &Workload, out: &str) -> Vec<PathBuf> {
        let names = workload.args.iter().filter_map(|arg| {
            let name = arg.get(arg.find("OUT")?..)?.split(':').next()?;
            Some(self.folder.join(name.replace("OUT", out)))
        });
        names.collect()
    }

    /// Runs a workload on the device and on the software GPU.
    fn compare(&self, workload: &Workload) -> Result<(Went, String), Error> {
        let mut module = Vec::new();
        GzDecoder::new(workload.module)
            .read_to_end(&mut module)
            .map_err(|error| Error::Failed(format!("{}: {error}", workload.name)))?;
        self.write("kernel.spv", &module)?;
        let deadline = self.timeout + START;
        let run = |device: &str, out: &str| {
            let arguments = self.arguments(workload, device, out);
            child::run(&arguments, self.folder, deadline)
                .map_err(|error| Error::Failed(format!("cannot start a process: {error}")))
        };
        let reference = run(&self.reference(), "wanted")?;
        if !reference.succeeded() {
            let text = format!("the software GPU does not run it: {}", reference.why());
            return Ok((Went::Failed, text));
        }
        let tried = run(self.device, "got")?;
        if !tried.succeeded() {
            return Ok((Went::Failed, tried.why()));
        }
        let pairs = self.outputs(workload, "got").into_iter();
        for (got, wanted) in pairs.zip(self.outputs(workload, "wanted")) {
            let read = |path: &Path| fs::read(path).map_err(|e| Error::unreadable(path, e));
            if let Some(text) = difference(&read(&got)?, &read(&wanted)?) {
                return Ok((Went::Differs, text));
            }
        }
        Ok((Went::Same, "the same".to_owned()))
    }

    /// Keeps the batch of the workload that ran last.
    fn keep_batch(&self) -> Result<(), Error> {
        for out in ["got", "wanted"] {
            let batch = self.path(&format!("{out}.batch"));
            // A process that was killed has written none.
            if let Ok(bytes) = fs::read(batch) {
                let name = if out == "got" { "batch" } else { "batch.soft" };
                self.write(name, &bytes)?;
            }
        }
        Ok(())
    }

    /// The kept batch, decoded: that of the device, or where it was killed first, that of the software
    /// GPU, which has the same packets at other addresses.
    fn decoded(&self) -> Result<String, Error> {
        let there = |name: &str| Some(self.folder.join(name)).filter(|path| path.is_file());
        let (whose, batch) = match (there("batch"), there("batch.soft")) {
            (Some(batch), _) => ("the device's batch", batch),
            (None, Some(batch)) => ("the batch of the software GPU", batch),
            (None, None) => return Ok("there is no batch\n".to_owned()),
        };
        let mut arguments = vec!["decode".to_owned(), batch.display().to_string()];
        arguments.extend(["-p".to_owned(), self.target.platform.to_string()]);
        let decoded = child::run(&arguments, self.folder, START)
            .map_err(|error| Error::Failed(format!("cannot start a process: {error}")))?;
        let mut text = format!("{whose}:\n{}", decoded.stdout);
        if !decoded.succeeded() {
            let _ = writeln!(text, "{}", decoded.why());
        }
        Ok(text)
    }
}

/// How two results differ.
fn difference(got: &[u8], wanted: &[u8]) -> Option<String> {
    if got.len() != wanted.len() {
        return Some(format!("{} bytes and not {}", got.len(), wanted.len()));
    }
    let differing = got.iter().zip(wanted).filter(|(a, b)| a != b).count();
    let at = got.iter().zip(wanted).position(|(a, b)| a != b)?;
    let from = at & !3;
    let dword = |bytes: &[u8]| {
        let bytes = bytes.iter().skip(from).take(4);
        bytes
            .rev()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    };
    Some(format!(
        "{differing} of {} bytes differ, first at byte {at}: dword {} is {} and should be {}",
        got.len(),
        from / 4,
        dword(got),
        dword(wanted)
    ))
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn differences_have_their_place() {
        assert_eq!(difference(&[1, 2, 3], &[1, 2, 3]), None);
        assert_eq!(difference(&[1], &[1, 2]).unwrap(), "1 bytes and not 2");
        let text = difference(&[0, 0, 0, 0, 1, 2, 3, 4], &[0, 0, 0, 0, 1, 9, 3, 5]).unwrap();
        assert_eq!(
            text,
            "2 of 8 bytes differ, first at byte 5: dword 1 is 04030201 and should be 05030901"
        );
    }
}

//! The software GPU beside PoCL, which compiles kernels for the host's processor.
//!
//! Both run the same source with the same number of host threads and must give the same output.
//! Only launches are timed, each from its enqueuing to its end, and the first is left out.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use serde_json::{Value, json};

use super::case::{Arg, Case, SOURCE, peer};
use super::{Args, Report, Setup, child};
use crate::commands::bench::median;
use crate::exit::Error;
use crate::{files, talk};

/// The part of the source that only these cases have.
const MORE: &str = include_str!("../../../../bench/peers.cl");

/// The name of PoCL's platform, and the file that makes the loader load it alone.
pub const POCL: &str = "Portable Computing Language";
const VENDOR: &str = "/etc/OpenCL/vendors/pocl.icd";

/// The same of Intel's.
pub const INTEL: &str = "Intel(R) OpenCL HD Graphics";
const INTEL_VENDOR: &str = "/etc/OpenCL/vendors/intel.icd";

/// Part of every name: the platform that is alone.
pub const ONLY: &str = "";

/// Whether Intel's runtime is installed.
pub fn has_intel() -> bool {
    Path::new(INTEL_VENDOR).exists()
}

/// Whether PoCL is installed.
pub fn has_pocl() -> bool {
    Path::new(VENDOR).exists()
}

/// How many times PoCL's time is accepted.
fn bar(case: &str) -> f64 {
    if case == "vadd" { 10.0 } else { 3.0 }
}

/// One comparison.
struct Row {
    platform: String,
    case: &'static str,
    threads: usize,
    items: u64,
    ours: Duration,
    theirs: Option<Duration>,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        let theirs = self.theirs?.as_secs_f64().max(1e-9);
        Some(self.ours.as_secs_f64() / theirs)
    }

    fn facts(&self) -> Value {
        json!({
            "platform": self.platform,
            "case": self.case,
            "threads": self.threads,
            "items": self.items,
            "seconds": self.ours.as_secs_f64(),
            "pocl_seconds": self.theirs.map(|time| time.as_secs_f64()),
            "ratio": self.ratio(),
        })
    }

    fn line(&self) -> String {
        let mut line = format!(
            "{:<5} {:<11} {:>9} items {:>2} threads {:>10}",
            self.platform,
            self.case,
            self.items,
            self.threads,
            talk::span(self.ours)
        );
        if self.theirs.is_none() && has_pocl() {
            line += "   PoCL does not have what it needs";
        }
        if let (Some(theirs), Some(ratio)) = (self.theirs, self.ratio()) {
            let _ = write!(
                line,
                "   PoCL {:>10}   {ratio:.1} times as long (bar: {})   same output",
                talk::span(theirs),
                bar(self.case)
            );
        }
        line + "\n"
    }
}

/// Compares every case on every platform, and then by threads and by size.
///
/// # Errors
/// A run fails, or outputs differ.
pub(super) fn measure(
    args: &Args,
    names: &[&'static str],
    folder: &Path,
    report: &mut Report,
) -> Result<(), Error> {
    let source = folder.join("peers.cl");
    fs::write(&source, format!("{SOURCE}\n{MORE}")).map_err(|e| Error::unwritable(&source, e))?;
    let has_pocl = has_pocl();
    if !has_pocl {
        let text = "PoCL is not installed (Debian: pocl-opencl-icd): no comparison with it\n";
        report.text += text;
    }
    let all = thread::available_parallelism().map_or(1, |count| count.get());
    let threads = args.threads.unwrap_or(all);
    let mut rows = Vec::new();
    for platform in &args.platforms {
        for &name in names {
            let case = peer(name, None);
            match compare(args, &case, folder, (platform, threads), has_pocl) {
                Ok(row) => {
                    report.text += &row.line();
                    if let Some(ratio) = row.ratio() {
                        let what = format!("{platform} {name}: {ratio:.1} times PoCL's time");
                        report.bar(ratio <= bar(name), what);
                    }
                    rows.push(row);
                }
                // No compiler knows the platform.
                Err(Error::Rejected(why)) => {
                    let why = why.lines().next().unwrap_or_default();
                    let _ = writeln!(report.text, "{platform:<5} {name:<11} not compiled: {why}");
                }
                Err(error) => return Err(error),
            }
        }
    }
    let first = args.platforms.first().cloned().unwrap_or_default();
    if args.sweep {
        for threads in 1..=all {
            for name in ["matmul", "vadd"] {
                rows.push(compare(
                    args,
                    &peer(name, None),
                    folder,
                    (&first, threads),
                    has_pocl,
                )?);
                report.text += &rows.last().map(Row::line).unwrap_or_default();
            }
        }
        for power in [10, 14, 18, 22, 26] {
            let case = peer("vadd", Some(1 << power));
            rows.push(compare(args, &case, folder, (&first, threads), has_pocl)?);
            report.text += &rows.last().map(Row::line).unwrap_or_default();
        }
    }
    if let Some(path) = &args.picture_file {
        files::write(path, picture(&rows).as_bytes())?;
    }
    let facts: Vec<Value> = rows.iter().map(Row::facts).collect();
    report.json.insert("pocl".to_owned(), facts.into());
    Ok(())
}

fn compare(
    args: &Args,
    case: &Case,
    folder: &Path,
    (platform, threads): (&str, usize),
    has_pocl: bool,
) -> Result<Row, Error> {
    let device = format!("soft:{platform}");
    let items: u64 = case.global.iter().map(|&size| u64::from(size)).product();
    // What takes milliseconds is easily disturbed.
    let many = case.short && items <= 1 << 20;
    let repeat = args.runs * if many { 20 } else { 1 } + 1;
    let setup = Setup {
        device: &device,
        threads,
        repeat,
        source: Some(&folder.join("peers.cl")),
        ocloc: args.ocloc.as_deref(),
        exec: &args.exec,
        ..Setup::ONCE
    };
    let run = child(case, folder, &setup)?;
    let ours = fastest(&run.facts["seconds"]);
    let mut theirs = None;
    if has_pocl {
        let facts = host(&job(case, folder, repeat), threads)?;
        theirs = (!facts["missing"].is_string()).then(|| fastest(&facts["seconds"]));
    }
    if theirs.is_some() {
        let [ours, theirs] = ["out", "theirs"].map(|name| fs::read(folder.join(name)));
        let failed = |e: std::io::Error| Error::Failed(format!("{}: {e}", case.name));
        let (ours, theirs) = (ours.map_err(failed)?, theirs.map_err(failed)?);
        if ours != theirs {
            let at = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            return Err(Error::Violated(format!(
                "{} on {platform}: {} bytes here, {} from PoCL, which differ at byte {at:?}",
                case.name,
                ours.len(),
                theirs.len()
            )));
        }
    }
    Ok(Row {
        platform: platform.to_owned(),
        case: case.name,
        threads,
        items,
        ours,
        theirs,
    })
}

/// The least of a run's seconds without the first: what else the machine does only adds to them.
fn fastest(seconds: &Value) -> Duration {
    let seconds = seconds.as_array().into_iter().flatten().skip(1);
    let seconds = seconds.filter_map(Value::as_f64);
    Duration::from_secs_f64(seconds.reduce(f64::min).unwrap_or_default())
}

/// The median of a run's seconds without the first.
pub fn middle(seconds: &Value) -> Duration {
    let seconds = seconds.as_array().into_iter().flatten().skip(1);
    let mut times: Vec<_> = seconds
        .map(|time| Duration::from_secs_f64(time.as_f64().unwrap_or_default()))
        .collect();
    median(&mut times)
}

/// The case for PoCL; the input files are there already.
fn job(case: &Case, folder: &Path, repeat: u32) -> Value {
    let file = |name: &str| folder.join(name).display().to_string();
    let args = case.args.iter().enumerate().map(|(index, arg)| match arg {
        Arg::In(_) => json!({ "in": file(&format!("in{index}")) }),
        Arg::Out(bytes) => json!({ "out": file("theirs"), "bytes": bytes }),
        Arg::Int(value) => json!({ "i32": value }),
        Arg::Floats(values) => json!({ "f32": values }),
        Arg::ImageIn(size) => json!({ "in": file(&format!("in{index}")), "image": [size, size] }),
        Arg::ImageOut(size) => json!({
            "out": file("theirs"),
            "image": [size, size],
            "bytes": 4 * u64::from(*size) * u64::from(*size),
        }),
    });
    json!({
        "platform": POCL,
        "source": file("peers.cl"),
        "kernel": case.kernel,
        "global": case.global,
        "local": case.local,
        "args": args.collect::<Vec<_>>(),
        "repeat": repeat,
    })
}

/// Runs a job under PoCL, in a child process.
pub fn host(job: &Value, threads: usize) -> Result<Value, Error> {
    let mut command = tool()?;
    command
        .args(HOST)
        .env("OCL_ICD_VENDORS", VENDOR)
        .env("POCL_MAX_PTHREAD_COUNT", threads.to_string());
    answer("PoCL", command, job)
}

/// Has Intel's runtime do a job, with a fake render node of `platform`.
///
/// # Errors
/// It fails.
pub fn intel(job: &Value, platform: &str) -> Result<Value, Error> {
    let mut command = tool()?;
    command.args(["preload", "--platform", platform, "--"]);
    command.arg(tool()?.get_program());
    command.args(HOST).env("OCL_ICD_VENDORS", INTEL_VENDOR);
    answer("Intel's runtime", command, job)
}

/// Has this driver's OpenCL runtime do a job, on a software GPU of `platform`.
///
/// # Errors
/// It fails.
pub fn runtime(job: &Value, platform: &str) -> Result<Value, Error> {
    let mut command = tool()?;
    command.args(["opencl", "--devices", &format!("soft:{platform}"), "--"]);
    command.arg(tool()?.get_program());
    command.args(HOST);
    answer("this driver's OpenCL runtime", command, job)
}

/// What makes this tool the host of a job.
const HOST: [&str; 3] = ["bench", "softgpu", "--host"];

/// This tool.
fn tool() -> Result<Command, Error> {
    let tool = env::current_exe();
    Ok(Command::new(
        tool.map_err(|e| Error::Failed(e.to_string()))?,
    ))
}

/// Gives a program a job, and takes its answer.
fn answer(name: &str, mut command: Command, job: &Value) -> Result<Value, Error> {
    let failed = |why: String| Error::Failed(format!("{name}: {why}"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        let written = stdin.write_all(job.to_string().as_bytes());
        written.map_err(|e| failed(e.to_string()))?;
    }
    let output = child
        .wait_with_output()
        .map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))
}

/// Bars of the ratios to PoCL, on a logarithmic scale.
fn picture(rows: &[Row]) -> String {
    const LEFT: f64 = 190.0;
    const DECADE: f64 = 180.0;
    const STEP: usize = 22;
    let rows: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((row, row.ratio()?)))
        .collect();
    let height = STEP * rows.len() + 60;
    let place = |ratio: f64| LEFT + DECADE * ratio.clamp(0.1, 100.0).log10() + DECADE;
    let right = place(100.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\">Time of a launch, in times of PoCL's</text>\n",
        right + 60.0
    );
    for mark in [0.1, 1.0, 10.0, 100.0] {
        let x = place(mark);
        let _ = writeln!(
            text,
            "<line x1=\"{x}\" x2=\"{x}\" y1=\"36\" y2=\"{}\" stroke=\"#ccc\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{mark}</text>",
            height - 24,
            height - 8
        );
    }
    for (index, (row, ratio)) in rows.iter().enumerate() {
        let (y, x) = (STEP * index + 40, place(0.1));
        let colour = if *ratio <= bar(row.case) {
            "#3a7"
        } else {
            "#c63"
        };
        let label = [
            row.platform.clone(),
            row.case.replace('_', " "),
            format!("{}", row.items),
            format!("{}t", row.threads),
        ];
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{x}\" y=\"{y}\" width=\"{:.1}\" height=\"16\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{}\">{ratio:.1}</text>",
            LEFT - 8.0,
            y + 13,
            label.join(" "),
            place(*ratio) - x,
            place(*ratio) + 4.0,
            y + 13
        );
    }
    text + "</svg>\n"
}

/// The platforms compared if none are named.
pub const PLATFORMS: [&str; 3] = ["tgl", "dg2", "bmg"];

/// The option with which a run's file is compiled by another compiler.
pub fn compiler(command: &mut Command, ocloc: Option<&OsStr>) {
    command.args(["--build-options", "-cl-std=CL2.0"]);
    if let Some(ocloc) = ocloc {
        command.arg("--ocloc").arg(ocloc);
    }
}

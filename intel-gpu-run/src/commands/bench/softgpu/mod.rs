//! `bench softgpu`: the software GPU, compared with the OpenCL simulator Oclgrind.

mod case;
mod oclgrind;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use case::{Arg, Case, NAMES, PICTURE, case, picture};
use serde_json::{Value, json};

use super::median;
use crate::exit::{Error, Exit};
use crate::{files, talk};

/// Measure the software GPU, one thread, beside Oclgrind
///
/// Kernels run in child processes of this tool. The picture of the README says how many SIMD16
/// units (the execution sizes of all EU instructions, divided by 16) run in a second, and whether
/// four times as many pixels take four times as long. The other kernels run whole, from the start
/// of the process to its end, here and under Oclgrind if that is installed; both must give the
/// same output.
///
/// Beside a figure stands its bar: what this project accepts at the least, in a release build on a
/// machine that does nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// What to measure [default: all]
    #[arg(value_parser = names())]
    case: Option<String>,

    /// Runs of each kind here; the median counts. Oclgrind runs once, it takes minutes
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..1000))]
    runs: u32,

    /// Do not run Oclgrind
    #[arg(long)]
    alone: bool,

    /// Exit with code 5 if a figure misses its bar: 20 million units a second, 3.6 to 4.4 times as long
    /// for four times the pixels, 30 times as fast as Oclgrind, 256 MiB beyond the buffers
    #[arg(long)]
    check: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Seconds for one launch; a busy machine only makes it slower.
const TIMEOUT: &str = "3600";

const UNITS_BAR: f64 = 20e6;
const SCALING_BAR: std::ops::RangeInclusive<f64> = 3.6..=4.4;
const RATIO_BAR: f64 = 30.0;
const MEMORY_BAR: u64 = 256 << 20;

fn names() -> Vec<&'static str> {
    std::iter::once(PICTURE).chain(NAMES).collect()
}

/// Runs the suite.
///
/// # Errors
/// A run fails, outputs differ, or a bar is missed.
pub fn run(args: &Args) -> Result<(), Error> {
    if cfg!(debug_assertions) {
        talk::say("note: this is not a release build; its times say little");
    }
    let folder = tempfile::tempdir()
        .map_err(|e| Error::Failed(format!("cannot make a temporary folder: {e}")))?;
    let wanted = |name: &str| args.case.as_deref().is_none_or(|case| case == name);
    let mut report = Report::default();
    if wanted(PICTURE) {
        measure_picture(args, folder.path(), &mut report)?;
    }
    for name in NAMES.into_iter().filter(|name| wanted(name)) {
        measure(args, &case(name), folder.path(), &mut report)?;
    }
    if args.json {
        files::print_json(&Value::Object(report.json))?;
    } else {
        files::print(&report.text)?;
    }
    if args.check && !report.missed.is_empty() {
        return Err(Error::Violated(report.missed.join("\n")));
    }
    Ok(())
}

#[derive(Default)]
struct Report {
    text: String,
    json: serde_json::Map<String, Value>,
    missed: Vec<String>,
}

impl Report {
    fn bar(&mut self, holds: bool, what: String) {
        if !holds {
            self.missed.push(what);
        }
    }
}

/// A finished child process.
struct Finished {
    wall: Duration,
    /// What `run --json` printed.
    facts: Value,
}

impl Finished {
    fn number(&self, pointer: &str) -> f64 {
        self.facts
            .pointer(pointer)
            .and_then(Value::as_f64)
            .unwrap_or_default()
    }

    fn peak(&self) -> u64 {
        self.number("/peak_bytes") as u64
    }
}

/// Runs a case in a child process of this tool; its output is in `folder`/out.
fn child(case: &Case, folder: &Path) -> Result<Finished, Error> {
    let failed = |why: String| Error::Failed(format!("{}: {why}", case.name));
    let tool = env::current_exe().map_err(|e| failed(format!("cannot find this tool: {e}")))?;
    let zebin = folder.join("kernels.zebin");
    fs::write(&zebin, case.zebin).map_err(|e| Error::unwritable(&zebin, e))?;
    let join = |sizes: &[u32]| {
        let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
        sizes.join(",")
    };
    let mut command = Command::new(tool);
    command
        .args(["run", "--device", "soft:tgl", "--threads", "1", "--json"])
        .args(["--timeout", TIMEOUT])
        .args(["--kernel", case.kernel])
        .args(["--global", &join(&case.global)])
        .arg(&zebin)
        .stderr(Stdio::piped());
    if let Some(local) = &case.local {
        command.args(["--local", &join(local)]);
    }
    for (index, arg) in case.args.iter().enumerate() {
        command.arg("--arg").arg(match arg {
            Arg::In(data) => {
                let path = folder.join(format!("in{index}"));
                fs::write(&path, data.bytes()).map_err(|e| Error::unwritable(&path, e))?;
                format!("in={}", path.display())
            }
            Arg::Out(bytes) => format!("out={}:{bytes}", folder.join("out").display()),
            Arg::Int(value) => format!("i32={value}"),
            Arg::Floats(values) => {
                let values: Vec<_> = values.iter().map(ToString::to_string).collect();
                format!("f32={}", values.join(","))
            }
        });
    }
    let begin = Instant::now();
    let output = command.output().map_err(|e| failed(e.to_string()))?;
    let wall = begin.elapsed();
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!("{}: {stderr}", output.status)));
    }
    let facts = serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))?;
    Ok(Finished { wall, facts })
}

/// Runs a case as often as requested. Returns the last run, and the median of `time` of all runs.
fn repeat(
    args: &Args,
    case: &Case,
    folder: &Path,
    time: impl Fn(&Finished) -> Duration,
) -> Result<(Finished, Duration), Error> {
    let mut last = child(case, folder)?;
    let mut times = vec![time(&last)];
    for _ in 1..args.runs {
        last = child(case, folder)?;
        times.push(time(&last));
    }
    Ok((last, median(&mut times)))
}

fn measure_picture(args: &Args, folder: &Path, report: &mut Report) -> Result<(), Error> {
    let on_device = |run: &Finished| Duration::from_secs_f64(run.number("/seconds/0"));
    let (small, time) = repeat(args, &picture(1024), folder, on_device)?;
    let image = fs::read(folder.join("out")).map_err(|e| Error::Failed(e.to_string()))?;
    let hash = fnv1a(&image);
    let (_, large) = repeat(args, &picture(2048), folder, on_device)?;
    let units = small.number("/statistics/simd16_units") / time.as_secs_f64();
    let scaling = large.as_secs_f64() / time.as_secs_f64();
    report.text += &format!(
        "{PICTURE:<12} {:>10}   {:.1} M SIMD16 units/s (bar: {})   2048x2048 takes {scaling:.2} \
         times 1024x1024   picture {hash:016x}\n",
        talk::span(time),
        units / 1e6,
        UNITS_BAR / 1e6,
    );
    report.json.insert(
        PICTURE.to_owned(),
        json!({
            "seconds": time.as_secs_f64(),
            "simd16_units_per_second": units,
            "scaling": scaling,
            "hash": format!("{hash:016x}"),
            "peak_bytes": small.peak(),
        }),
    );
    report.bar(
        units >= UNITS_BAR,
        format!("{:.1} M SIMD16 units/s", units / 1e6),
    );
    let four_times = format!("2048x2048 takes {scaling:.2} times as long as 1024x1024");
    report.bar(SCALING_BAR.contains(&scaling), four_times);
    Ok(())
}

fn measure(args: &Args, case: &Case, folder: &Path, report: &mut Report) -> Result<(), Error> {
    let (run, time) = repeat(args, case, folder, |run| run.wall)?;
    let name = case.name;
    let beyond = run.peak().saturating_sub(case.buffer_bytes());
    report.text += &format!(
        "{name:<12} {:>10}   {} MiB beyond the buffers",
        talk::span(time),
        beyond >> 20
    );
    report.bar(
        beyond <= MEMORY_BAR,
        format!("{name}: {} MiB beyond the buffers", beyond >> 20),
    );
    let mut facts = json!({
        "seconds": time.as_secs_f64(),
        "peak_bytes": run.peak(),
        "buffer_bytes": case.buffer_bytes(),
    });
    if !args.alone
        && let Some(theirs) = oclgrind::run(case, folder)?
    {
        let ours = fs::read(folder.join("out")).map_err(|e| Error::Failed(e.to_string()))?;
        oclgrind::compare(case, &ours, &theirs.output)?;
        let ratio = theirs.wall.as_secs_f64() / time.as_secs_f64().max(1e-6);
        report.text += &format!(
            "   Oclgrind {:>10}   {ratio:.1} times (bar: {RATIO_BAR})   same output",
            talk::span(theirs.wall)
        );
        facts["oclgrind_seconds"] = theirs.wall.as_secs_f64().into();
        facts["ratio"] = ratio.into();
        report.bar(
            ratio >= RATIO_BAR,
            format!("{name}: {ratio:.1} times Oclgrind"),
        );
    }
    report.text.push('\n');
    report.json.insert(name.to_owned(), facts);
    Ok(())
}

/// The 64-bit FNV-1a hash.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

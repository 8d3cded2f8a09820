//! `bench softgpu`: the software GPU, compared with the OpenCL simulator Oclgrind and with PoCL.

mod case;
pub(super) mod checked;
mod host;
mod oclgrind;
pub(super) mod peers;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use case::{Arg, Case, NAMES, PEERS, PICTURE, case, picture};
use serde_json::{Value, json};

pub(super) use host::cpu_time;

use super::median;
use crate::exit::{Error, Exit};
use crate::{files, platform, talk};

/// Measure the software GPU beside Oclgrind and PoCL
///
/// Kernels run in child processes of this tool. The picture of the README says how many SIMD16
/// units (the execution sizes of all EU instructions, divided by 16) run in a second, and whether
/// four times as many pixels take four times as long. The other kernels run whole, from the start
/// of the process to its end, here and under Oclgrind if that is installed; both must give the
/// same output. This is on one thread.
///
/// Then launches alone are timed beside PoCL, on the same number of threads and several platforms:
/// the same source, the same output, and of each the fastest launch. Kernels are compiled with what `run` finds; a platform that no
/// compiler knows is left out and named.
///
/// Beside a figure stands its bar: what this project accepts at the least, in a release build on a
/// machine that does nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// What to measure [default: all]
    #[arg(value_parser = names())]
    case: Option<String>,

    /// Runs of each kind here; the median counts, beside PoCL the fastest. Oclgrind runs once, it
    /// takes minutes
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..1000))]
    runs: u32,

    /// Do not run Oclgrind and PoCL
    #[arg(long)]
    alone: bool,

    /// Run only what is compared with PoCL
    #[arg(long, conflicts_with = "alone")]
    pocl: bool,

    /// Platforms for the comparison with PoCL
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = peers::PLATFORMS.map(str::to_owned))]
    platforms: Vec<String>,

    /// Host threads for the comparison with PoCL; all cores if not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Also compare by the number of threads, and vector additions of 1 Ki to 64 Mi items
    #[arg(long)]
    sweep: bool,

    /// How the software GPU executes EU code, as in `run`: `adapt:avx2` measures what a host without
    /// AVX-512 does
    #[arg(long, value_name = "HOW[:ISA]", default_value = "adapt")]
    exec: String,

    /// Intel's compiler for the comparison with PoCL, as in `run`
    #[arg(long, value_name = "PROGRAM")]
    ocloc: Option<OsString>,

    /// Draw the comparison with PoCL as an SVG picture
    #[arg(long, value_name = "FILE")]
    picture_file: Option<PathBuf>,

    /// Be the OpenCL program that runs under PoCL
    #[arg(long, hide = true)]
    host: bool,

    /// Exit with code 5 if a figure misses its bar: 20 million units a second, 3.6 to 4.4 times as long
    /// for four times the pixels, 30 times as fast as Oclgrind, 256 MiB beyond the buffers, three times
    /// PoCL's time (vector addition: ten)
    #[arg(long)]
    check: bool,

    /// Print one JSON document, or write it to FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    json: Option<Option<PathBuf>>,
}

/// Seconds for one launch; a busy machine only makes it slower.
const TIMEOUT: &str = "3600";

/// The exit code of a kernel that was rejected.
const REJECTED: i32 = 3;

const UNITS_BAR: f64 = 20e6;
const SCALING_BAR: std::ops::RangeInclusive<f64> = 3.6..=4.4;
const RATIO_BAR: f64 = 30.0;
const MEMORY_BAR: u64 = 256 << 20;

fn names() -> Vec<&'static str> {
    let more = PEERS.into_iter().filter(|name| !NAMES.contains(name));
    std::iter::once(PICTURE).chain(NAMES).chain(more).collect()
}

/// Runs the suite.
///
/// # Errors
/// A run fails, outputs differ, or a bar is missed.
pub fn run(args: &Args) -> Result<(), Error> {
    if args.host {
        let job = serde_json::from_reader(std::io::stdin())
            .map_err(|e| Error::Usage(format!("the standard input is no job: {e}")))?;
        return files::print_json(&host::run(&job)?);
    }
    for name in &args.platforms {
        platform::parse(name).map_err(|error| Error::Usage(format!("--platforms: {error}")))?;
    }
    let mut outputs = args.json.iter().flatten().chain(&args.picture_file);
    outputs.try_for_each(|path| files::check_writable(path))?;
    if cfg!(debug_assertions) {
        talk::say("note: this is not a release build; its times say little");
    }
    let folder = tempfile::tempdir()
        .map_err(|e| Error::Failed(format!("cannot make a temporary folder: {e}")))?;
    let wanted = |name: &str| args.case.as_deref().is_none_or(|case| case == name);
    let mut report = Report::default();
    if wanted(PICTURE) && !args.pocl {
        measure_picture(args, folder.path(), &mut report)?;
    }
    for name in NAMES.into_iter().filter(|name| wanted(name) && !args.pocl) {
        measure(args, &case(name), folder.path(), &mut report)?;
    }
    let peers: Vec<_> = PEERS.into_iter().filter(|name| wanted(name)).collect();
    if !args.alone && !peers.is_empty() {
        peers::measure(args, &peers, folder.path(), &mut report)?;
    }
    let facts = Value::Object(report.json);
    match &args.json {
        Some(None) => files::print_json(&facts)?,
        Some(Some(path)) => {
            files::write(path, format!("{facts:#}\n").as_bytes())?;
            files::print(&report.text)?;
        }
        None => files::print(&report.text)?,
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

/// How a case is run here.
struct Setup<'a> {
    device: &'a str,
    threads: usize,
    repeat: u32,
    /// To be compiled, instead of what the case has.
    source: Option<&'a Path>,
    ocloc: Option<&'a OsStr>,
    /// As `run` takes it.
    exec: &'a str,
    check: bool,
}

impl Setup<'_> {
    /// One launch of the compiled kernel on one thread.
    const ONCE: Self = Self {
        device: "soft:tgl",
        threads: 1,
        repeat: 1,
        source: None,
        ocloc: None,
        exec: "adapt",
        check: false,
    };
}

/// Runs a case in a child process of this tool; its output is in `folder`/out.
fn child(case: &Case, folder: &Path, setup: &Setup<'_>) -> Result<Finished, Error> {
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
        .args(["run", "--device", setup.device, "--json"])
        .args(["--threads", &setup.threads.to_string()])
        .args(["--repeat", &setup.repeat.to_string()])
        .args(["--timeout", TIMEOUT])
        .args(["--exec", setup.exec])
        .args(["--kernel", case.kernel])
        .args(["--global", &join(&case.global)])
        .arg(setup.source.unwrap_or(&zebin))
        .stderr(Stdio::piped());
    if setup.check {
        command.arg("--check");
    }
    if setup.source.is_some() {
        peers::compiler(&mut command, setup.ocloc);
    }
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
            Arg::ImageIn(size) => {
                let path = folder.join(format!("in{index}"));
                let bytes: Vec<u8> = (0..4 * size * size).map(|at| (at % 251) as u8).collect();
                fs::write(&path, bytes).map_err(|e| Error::unwritable(&path, e))?;
                format!("image-raw={}:{size}x{size}:rgba8ui", path.display())
            }
            Arg::ImageOut(size) => {
                let path = folder.join("out");
                format!("image-raw-out={}:{size}x{size}:rgba8ui", path.display())
            }
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
        if output.status.code() == Some(REJECTED) {
            return Err(Error::Rejected(stderr.into_owned()));
        }
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
    let setup = Setup {
        exec: &args.exec,
        ..Setup::ONCE
    };
    let mut last = child(case, folder, &setup)?;
    let mut times = vec![time(&last)];
    for _ in 1..args.runs {
        last = child(case, folder, &setup)?;
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

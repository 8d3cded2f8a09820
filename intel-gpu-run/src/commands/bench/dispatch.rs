//! `bench dispatch`: what a launch costs before its kernel runs.

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use umd::{Binary, Device, DeviceSpec, NdRange, Program, QueueOptions};

use super::median;
use super::softgpu::peers;
use crate::exit::{Error, Exit};
use crate::{files, talk};

/// Measure what a launch costs on the software GPU, beside Intel's runtime there and beside PoCL
///
/// An empty kernel of one work-group is enqueued and awaited, and enqueued a thousand times and then
/// awaited. The CPU time of enqueuing is that of the thread that does it alone.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// Rounds of each kind; the median counts
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..1000))]
    runs: u32,

    /// Exit with code 5 if a figure misses its bar: 2 µs of CPU time to enqueue, 5 µs for each of a
    /// thousand launches, and no slower than PoCL
    #[arg(long)]
    check: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Launches before one wait.
const BATCH: u32 = 1000;
/// Launches that are awaited, in a round.
const SINGLE: u32 = 100;
const DEADLINE: Duration = Duration::from_secs(60);

const ENQUEUE_BAR: Duration = Duration::from_micros(2);
const BATCH_BAR: Duration = Duration::from_micros(5);

/// The platform of the software GPU, also for Intel's runtime.
const PLATFORM: &str = "tgl";

/// Ends at once.
const EMPTY: &str = "//.platform tgl
//.kernel empty
//.simd 16
//.ids none
//.local 16,1,1
(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1}
";

/// The same for the others.
const SOURCE: &str = "kernel void empty() {}\n";

/// Figures of an implementation.
struct Costs {
    /// One launch, from its enqueuing to its end.
    single: Duration,
    /// Each of a thousand.
    each: Duration,
    /// Wall time to enqueue each of them.
    enqueue: Duration,
}

/// Runs the suite.
///
/// # Errors
/// A launch fails, or a bar is missed.
pub fn run(args: &Args) -> Result<(), Error> {
    if cfg!(debug_assertions) {
        talk::say("note: this is not a release build; its times say little");
    }
    let (ours, cpu) = measure(args.runs)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let intel = peers::has_intel();
    let intel = intel.then(|| peer(args.runs, peers::INTEL, |job| peers::intel(job, PLATFORM)));
    let pocl = peers::has_pocl();
    let pocl = pocl.then(|| peer(args.runs, peers::POCL, |job| peers::host(job, threads)));
    let (intel, theirs) = (intel.transpose()?, pocl.transpose()?);
    let mut text =
        line("here", &ours) + &format!("   {} of CPU time to enqueue\n", talk::span(cpu));
    let mut facts = json!({
        "seconds": ours.single.as_secs_f64(),
        "seconds_each_of_1000": ours.each.as_secs_f64(),
        "enqueue_seconds": ours.enqueue.as_secs_f64(),
        "enqueue_cpu_seconds": cpu.as_secs_f64(),
    });
    for (name, key, package, costs) in [
        ("Intel", "intel", "intel-opencl-icd", &intel),
        ("PoCL", "pocl", "pocl-opencl-icd", &theirs),
    ] {
        match costs {
            Some(costs) => {
                text += &(line(name, costs) + "\n");
                facts[key] = json!({
                    "seconds": costs.single.as_secs_f64(),
                    "seconds_each_of_1000": costs.each.as_secs_f64(),
                    "enqueue_seconds": costs.enqueue.as_secs_f64(),
                });
            }
            None => {
                let _ = writeln!(
                    text,
                    "{name} is not installed (Debian: {package}): no comparison with it"
                );
            }
        }
    }
    if args.json {
        files::print_json(&facts)?;
    } else {
        files::print(&text)?;
    }
    let slower = theirs.is_some_and(|theirs| ours.single > theirs.single);
    if args.check && (slower || cpu > ENQUEUE_BAR || ours.each > BATCH_BAR) {
        return Err(Error::Violated("a figure misses its bar".into()));
    }
    Ok(())
}

fn line(name: &str, costs: &Costs) -> String {
    format!(
        "{name:<5} enqueue and finish {:>10}   each of {BATCH} {:>10}, enqueued in {:>10}",
        talk::span(costs.single),
        talk::span(costs.each),
        talk::span(costs.enqueue)
    )
}

/// Ours, and the CPU time to enqueue one.
fn measure(runs: u32) -> Result<(Costs, Duration), Error> {
    let device = Device::open(&DeviceSpec::soft(PLATFORM))?;
    let queue = device.queue(QueueOptions::default())?;
    let binary = Binary::assemble(EMPTY, None).map_err(|e| Error::Failed(e.to_string()))?;
    let kernel = Program::new(&device, binary)?.kernel("empty")?;
    let range = NdRange::new(&[16]).map_err(|e| Error::Failed(e.to_string()))?;
    let launch = || queue.enqueue(&kernel, &range, &[]);
    let [mut single, mut each, mut enqueue, mut cpu] = [const { Vec::new() }; 4];
    for _ in 0..runs {
        let begin = Instant::now();
        for _ in 0..SINGLE {
            launch()?.wait(DEADLINE)?;
        }
        single.push(begin.elapsed() / SINGLE);
        let (begin, used) = (Instant::now(), cpu_time()?);
        for _ in 0..BATCH {
            launch()?;
        }
        cpu.push(cpu_time()?.saturating_sub(used) / BATCH);
        enqueue.push(begin.elapsed() / BATCH);
        queue.finish(DEADLINE)?;
        each.push(begin.elapsed() / BATCH);
    }
    let costs = Costs {
        single: median(&mut single),
        each: median(&mut each),
        enqueue: median(&mut enqueue),
    };
    Ok((costs, median(&mut cpu)))
}

/// What this thread has used.
fn cpu_time() -> Result<Duration, Error> {
    let path = "/proc/thread-self/schedstat";
    let text = fs::read_to_string(path).map_err(|e| Error::Failed(format!("{path}: {e}")))?;
    let first = text.split_whitespace().next().unwrap_or_default();
    let used = first.parse();
    used.map(Duration::from_nanos)
        .map_err(|e| Error::Failed(format!("{path}: {e}")))
}

/// A peer's: `answer` has its runtime do a job.
fn peer(
    runs: u32,
    platform: &str,
    answer: impl Fn(&Value) -> Result<Value, Error>,
) -> Result<Costs, Error> {
    let folder = tempfile::tempdir()
        .map_err(|e| Error::Failed(format!("cannot make a temporary folder: {e}")))?;
    let source = folder.path().join("empty.cl");
    fs::write(&source, SOURCE).map_err(|e| Error::unwritable(&source, e))?;
    let job = |batch: u32, repeat: u32| {
        answer(&json!({
            "platform": platform,
            "source": source.display().to_string(),
            "kernel": "empty",
            "global": [16],
            "local": [16],
            "args": [],
            "batch": batch,
            "repeat": repeat,
        }))
    };
    let batches = job(BATCH, runs + 1)?;
    let single = peers::middle(&job(1, runs * SINGLE)?["seconds"]);
    Ok(Costs {
        single,
        each: peers::middle(&batches["seconds"]) / BATCH,
        enqueue: peers::middle(&batches["enqueued"]) / BATCH,
    })
}

//! `bench dispatch`: what a launch costs before its kernel runs.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use devinfo::Target;
use kmd_iface::{Diagnostics, MapSource, Node};
use nix::errno::Errno;
use serde_json::{Value, json};
use softgpu::SoftNode;
use umd::{Binary, Device, NdRange, OpenOptions, Program, QueueOptions};

use super::median;
use super::softgpu::{cpu_time, peers};
use crate::commands::{client, opencl};
use crate::exit::{Error, Exit};
use crate::{files, talk};

/// Measure what a launch costs on the software GPU, from Rust and from OpenCL, beside Intel's runtime
/// there and beside PoCL
///
/// An empty kernel of one work-group is enqueued and awaited, and enqueued a thousand times and then
/// awaited. The CPU time of enqueuing is that of the thread that does it alone: the software GPU reads
/// commands, and runs kernels, on others. Calls are those into the kernel driver while enqueuing.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// Rounds of each kind; the median counts
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..1000))]
    runs: u32,

    /// Also measure a queue from whose ring in memory the GPU reads, without a call for each launch
    #[arg(long)]
    ring: bool,

    /// Exit with code 5 if a figure misses its bar: to enqueue, 2 µs of CPU time and one call, with a
    /// ring 0.5 µs and none; 5 µs for each of a thousand launches, and no slower than PoCL, also from OpenCL. What is
    /// not installed is not compared
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
/// Launches with a ring before one wait: as many as it has room for. Those before them start it.
const RING: u32 = 400;
const STARTING: u32 = 20;
const DEADLINE: Duration = Duration::from_secs(60);

const ENQUEUE_BAR: Duration = Duration::from_micros(2);
const RING_BAR: Duration = Duration::from_nanos(500);
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
    /// CPU time to enqueue each of them.
    cpu: Duration,
    /// Calls into the kernel driver while enqueuing each of them, if they were counted.
    calls: Option<f64>,
}

impl Costs {
    fn facts(&self) -> Value {
        json!({
            "seconds": self.single.as_secs_f64(),
            "seconds_each_of_1000": self.each.as_secs_f64(),
            "enqueue_seconds": self.enqueue.as_secs_f64(),
            "enqueue_cpu_seconds": self.cpu.as_secs_f64(),
            "enqueue_calls": self.calls,
        })
    }

    fn line(&self, name: &str) -> String {
        let mut line = format!(
            "{name:<6} enqueue and finish {:>9}   each of {BATCH} {:>9}   to enqueue {:>9}, CPU {:>9}",
            talk::span(self.single),
            talk::span(self.each),
            talk::span(self.enqueue),
            talk::span(self.cpu)
        );
        if let Some(calls) = self.calls {
            let _ = write!(line, ", {calls:.2} calls");
        }
        line + "\n"
    }
}

/// Runs the suite.
///
/// # Errors
/// A launch fails, or a bar is missed.
pub fn run(args: &Args) -> Result<(), Error> {
    if cfg!(debug_assertions) {
        talk::say("note: this is not a release build; its times say little");
    }
    let ours = measure(args.runs, false)?;
    let ring = args.ring.then(|| measure(args.runs, true)).transpose()?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let own = client::library(opencl::LIBRARY, "opencl");
    let own = own.map(|_| peer(args.runs, peers::ONLY, |job| peers::runtime(job, PLATFORM)));
    let intel = peers::has_intel();
    let intel = intel.then(|| peer(args.runs, peers::INTEL, |job| peers::intel(job, PLATFORM)));
    let pocl = peers::has_pocl();
    let pocl = pocl.then(|| peer(args.runs, peers::POCL, |job| peers::host(job, threads)));
    let (intel, theirs) = (intel.transpose()?, pocl.transpose()?);
    let mut text = ours.line("here");
    let mut facts = ours.facts();
    if let Some(ring) = &ring {
        text += &ring.line("ring");
        facts["ring"] = ring.facts();
    }
    let own = match own {
        Ok(costs) => {
            let costs = costs?;
            text += &costs.line("OpenCL");
            facts["opencl"] = costs.facts();
            Some(costs)
        }
        Err(error) => {
            let _ = writeln!(text, "{error}");
            None
        }
    };
    for (name, key, package, costs) in [
        ("Intel", "intel", "intel-opencl-icd", &intel),
        ("PoCL", "pocl", "pocl-opencl-icd", &theirs),
    ] {
        match costs {
            Some(costs) => {
                text += &costs.line(name);
                facts[key] = costs.facts();
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
    let misses = |costs: &Costs, bar: Duration, calls: f64| {
        costs.cpu > bar || costs.calls.is_some_and(|made| made > calls)
    };
    let launches = [Some(&ours), own.as_ref()].into_iter().flatten();
    let missed = launches.into_iter().any(|costs| {
        let slower = |theirs: &Costs| costs.single > theirs.single;
        costs.each > BATCH_BAR || theirs.as_ref().is_some_and(slower)
    }) || misses(&ours, ENQUEUE_BAR, 1.0)
        || ring.is_some_and(|ring| misses(&ring, RING_BAR, 0.0));
    if args.check && missed {
        return Err(Error::Violated("a figure misses its bar".into()));
    }
    Ok(())
}

/// A node that counts calls into the kernel driver.
#[derive(Debug)]
struct Counted {
    node: Arc<SoftNode>,
    calls: AtomicU64,
}

impl Node for Counted {
    fn ioctl(&self, request: u32, argument: &mut [u8]) -> Result<i32, Errno> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.node.ioctl(request, argument)
    }

    fn map_source(&self, fake_offset: u64) -> Result<MapSource, Errno> {
        self.node.map_source(fake_offset)
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        self.node.diagnostics()
    }
}

/// Ours, with a ring or without.
fn measure(runs: u32, ring: bool) -> Result<Costs, Error> {
    let failed = |why: String| Error::Failed(why);
    let target = Target::parse(PLATFORM).map_err(|e| failed(e.to_string()))?;
    let node = SoftNode::open(target, softgpu::Options::default());
    let node = Arc::new(Counted {
        node: node.map_err(|e| failed(e.to_string()))?,
        calls: AtomicU64::new(0),
    });
    let device = Device::of_node(node.clone(), PLATFORM, &OpenOptions::default())?;
    let options = QueueOptions {
        ring,
        ..QueueOptions::default()
    };
    let queue = device.queue(options)?;
    let binary = Binary::assemble(EMPTY, None).map_err(|e| failed(e.to_string()))?;
    let kernel = Program::new(&device, binary)?.kernel("empty")?;
    let range = NdRange::new(&[16]).map_err(|e| failed(e.to_string()))?;
    let launch = || queue.enqueue(&kernel, &range, &[]);
    let [mut single, mut each, mut enqueue, mut cpu] = [const { Vec::new() }; 4];
    let mut calls = Vec::new();
    let (before, batch) = if ring { (STARTING, RING) } else { (0, BATCH) };
    for _ in 0..runs {
        let begin = Instant::now();
        for _ in 0..SINGLE {
            launch()?.wait(DEADLINE)?;
        }
        single.push(begin.elapsed() / SINGLE);
        for _ in 0..before {
            launch()?;
        }
        let made = node.calls.load(Ordering::Relaxed);
        let (begin, used) = (Instant::now(), cpu_time()?);
        for _ in 0..batch {
            launch()?;
        }
        cpu.push(cpu_time()?.saturating_sub(used) / batch);
        enqueue.push(begin.elapsed() / batch);
        calls.push(node.calls.load(Ordering::Relaxed) - made);
        queue.finish(DEADLINE)?;
        each.push(begin.elapsed() / batch);
    }
    calls.sort_unstable();
    let calls = calls.get(calls.len() / 2).copied().unwrap_or_default();
    Ok(Costs {
        single: median(&mut single),
        each: median(&mut each),
        enqueue: median(&mut enqueue),
        cpu: median(&mut cpu),
        calls: Some(calls as f64 / f64::from(batch)),
    })
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
        cpu: peers::middle(&batches["enqueued_cpu"]) / BATCH,
        calls: None,
    })
}

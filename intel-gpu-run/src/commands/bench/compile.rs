//! `bench compile`: the built-in compiler beside Intel's, on the same SPIR-V.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use compilers::{Compiler, Job, Ocloc, Product, Source};
use devinfo::Target;
use isa_encoder::{Opcode, TokenMode, decode};
use serde_json::json;
use umd::{
    Arg, ArgKind, Binary, Buffer, Device, DeviceSpec, NdRange, OpenOptions, Program, QueueOptions,
};

use super::median;
use crate::exit::{Error, Exit};
use crate::kernel_file::{KernelFile, Kind};
use crate::{files, platform, talk};

/// Measure the built-in compiler beside Intel's
///
/// Both compile the same SPIR-V. Every kernel of both runs on the software GPU with the same
/// arguments, which this command makes up: the numbers are EU instructions that were executed and
/// sends in the code. Times are medians.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// SPIR-V modules, or OpenCL C, of which Intel's compiler makes SPIR-V
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// The platform to compile for
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse, default_value = "tgl")]
    platform: Target,

    /// Compilations of each kind; the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..1000))]
    runs: u32,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Work-items of a run.
const ITEMS: u64 = 256;
/// Bytes of each buffer and of each piece of local memory.
const BUFFER: u64 = 1 << 20;
const LOCAL: u32 = 1 << 12;
/// What each dword of a value is.
const VALUE: u32 = 3;
/// When a kernel has run for too long: what it does may depend on data that it does not find.
const DEADLINE: Duration = Duration::from_secs(20);

/// A kernel as one compiler made it.
#[derive(Clone, Debug)]
struct Measured {
    simd: u32,
    sends: usize,
    /// Of each message whose response is waited for: the instructions between the two, in the order of
    /// the code. Platforms without a software scoreboard do not say.
    gaps: Vec<usize>,
    instructions: Result<u64, String>,
}

/// A module, compiled by both.
struct Compared {
    name: String,
    /// Inside this process, and both as processes.
    inside: Duration,
    own: Duration,
    intel: Duration,
    kernels: BTreeMap<String, [Option<Measured>; 2]>,
}

/// Runs the suite.
///
/// # Errors
/// A file cannot be read, or Intel's compiler is missing or refuses it.
pub fn run(args: &Args) -> Result<(), Error> {
    if cfg!(debug_assertions) {
        talk::say("note: this is not a release build; its times say little");
    }
    let mut all = Vec::new();
    for path in &args.files {
        match compare(path, args) {
            Ok(one) => all.push(one),
            Err(Error::Rejected(why)) => talk::say(format_args!("not compared: {why}")),
            Err(other) => return Err(other),
        }
    }
    report(args, &all)
}

fn compare(path: &Path, args: &Args) -> Result<Compared, Error> {
    let file = KernelFile::read(path)?;
    let intel = Ocloc::default();
    let job = Job {
        source: Source::Modules(&[]),
        product: Product::Zebin,
        target: args.platform,
        options: "-cl-std=CL2.0 -cl-kernel-arg-info",
        internal: "",
        folder: Some(&file.folder),
        headers: &[],
        checked: false,
    };
    let intels = |job: &Job<'_>| intel.compile(job).map_err(|error| file.rejected(error));
    let module = match &file.kind {
        Kind::SpirV(module) => module.clone(),
        Kind::OpenClC(text) => {
            let module = intels(&Job {
                source: Source::OpenClC(text),
                product: Product::Module,
                ..job
            })?;
            module.binary
        }
        other => return Err(file.rejected(format_args!("it is {}", other.describe()))),
    };
    let options = eu_compiler::Options {
        revision: Some(args.platform.revision),
        ..eu_compiler::Options::new(args.platform.platform)
    };
    let ours = || {
        let made = eu_compiler::compile(&module, &options);
        made.map_err(|error| file.rejected(error))
    };
    let own_zebin = Binary::parse(&ours()?.bytes).map_err(|e| Error::Failed(e.to_string()))?;
    let modules: &[&[u8]] = &[&module];
    let job = Job {
        source: Source::Modules(modules),
        ..job
    };
    let unfit = |error| file.rejected(format_args!("Intel's zebin: {error}"));
    let intel_zebin = Binary::parse(&intels(&job)?.binary).map_err(unfit)?;
    let folder = tempfile::tempdir()
        .map_err(|e| Error::Failed(format!("cannot make a temporary folder: {e}")))?;
    let input = folder.path().join("module.spv");
    files::write(&input, &module)?;
    let [mut inside, mut own, mut other] = [(); 3].map(|()| Vec::new());
    for _ in 0..args.runs {
        let start = Instant::now();
        ours()?;
        inside.push(start.elapsed());
        own.push(as_process(&input, args.platform)?);
        let start = Instant::now();
        intels(&job)?;
        other.push(start.elapsed());
    }
    let mut kernels: BTreeMap<String, [Option<Measured>; 2]> = BTreeMap::new();
    let types = types(&own_zebin);
    for (side, zebin) in [own_zebin, intel_zebin].iter().enumerate() {
        for (name, measured) in measure(zebin, args.platform, &types)? {
            kernels.entry(name).or_default()[side] = Some(measured);
        }
    }
    Ok(Compared {
        name: file.name.clone(),
        inside: median(&mut inside),
        own: median(&mut own),
        intel: median(&mut other),
        kernels,
    })
}

/// The time of this program as a process that compiles.
fn as_process(input: &Path, target: Target) -> Result<Duration, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Failed(format!("cannot run this program: {e}"));
    let this = env::current_exe().map_err(|e| failed(&e))?;
    let mut command = Command::new(this);
    command.arg("compile").arg(input);
    command.args(["-p", target.platform.name, "-o"]);
    command.arg(input.with_extension("zebin"));
    let start = Instant::now();
    let output = command.output().map_err(|e| failed(&e))?;
    match output.status.success() {
        true => Ok(start.elapsed()),
        false => Err(failed(&String::from_utf8_lossy(&output.stderr))),
    }
}

/// The types of arguments, by kernel and number.
type Types = BTreeMap<(String, usize), String>;

/// What a zebin says of the types of arguments.
fn types(zebin: &Binary) -> Types {
    let mut types = Types::new();
    for kernel in zebin.kernels() {
        for (index, arg) in kernel.args.iter().enumerate() {
            let name = arg.type_name.clone();
            types.extend(name.map(|name| ((kernel.name.clone(), index), name)));
        }
    }
    types
}

/// What a buffer begins as: small integers, or numbers from -4 to 4 of the type that it has.
fn contents(type_name: &str) -> Vec<u8> {
    let name = type_name.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let numbers = |size: u64| (0..(BUFFER / size) as u32).map(|n| n.wrapping_mul(2_654_435_761));
    let small = |number: u32| f64::from(number as i32 >> 24) / 32.0;
    match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "float" => numbers(4)
            .flat_map(|n| (small(n) as f32).to_le_bytes())
            .collect(),
        "double" => numbers(8).flat_map(|n| small(n).to_le_bytes()).collect(),
        "half" => numbers(2)
            .flat_map(|n| half::f16::from_f64(small(n)).to_le_bytes())
            .collect(),
        _ => numbers(4).flat_map(|n| (n >> 28).to_le_bytes()).collect(),
    }
}

/// The kernels of a zebin.
fn measure(
    binary: &Binary,
    target: Target,
    types: &Types,
) -> Result<Vec<(String, Measured)>, Error> {
    let family = target.platform.family;
    let mut out = Vec::new();
    for info in binary.kernels() {
        let mut rest = binary.code(&info.name).unwrap_or_default();
        let mut sends = 0;
        let (mut gaps, mut under_way) = (Vec::new(), BTreeMap::new());
        let mut at = 0;
        while let Ok((instruction, length)) = decode(family, rest)
            && instruction.opcode != Opcode::Illegal
        {
            let is_send = instruction.opcode.is_send();
            sends += usize::from(is_send);
            match instruction.swsb.token {
                Some(token) if token.mode == TokenMode::Set && is_send => {
                    under_way.insert(token.id, at);
                }
                Some(token) if token.mode == TokenMode::Dst => {
                    let began: Option<usize> = under_way.remove(&token.id);
                    gaps.extend(began.map(|began| at - began - 1));
                }
                _ => {}
            }
            at += 1;
            rest = &rest[length..];
        }
        let measured = Measured {
            simd: info.simd,
            sends,
            gaps,
            instructions: execute(binary, &info.name, target, types),
        };
        out.push((info.name.clone(), measured));
    }
    Ok(out)
}

/// Runs a kernel, and counts the instructions.
fn execute(binary: &Binary, name: &str, target: Target, types: &Types) -> Result<u64, String> {
    let error = |e: umd::Error| e.to_string();
    let spec = DeviceSpec::Soft {
        platform: target.platform.name.to_owned(),
        revision: Some(target.revision),
        driver: None,
    };
    let options = OpenOptions {
        hang_timeout: Some(DEADLINE),
        ..OpenOptions::default()
    };
    let device = Device::open_with(&spec, &options).map_err(error)?;
    let queue = device.queue(QueueOptions::default()).map_err(error)?;
    let program = Program::new(&device, binary.clone()).map_err(error)?;
    let mut kernel = program.kernel(name).map_err(error)?;
    let info = kernel.info().clone();
    let mut buffers: Vec<Option<Buffer>> = Vec::new();
    for (index, arg) in info.args.iter().enumerate() {
        let type_name = types.get(&(name.to_owned(), index));
        buffers.push(match arg.kind {
            ArgKind::Buffer => {
                let buffer = device.buffer(BUFFER).map_err(error)?;
                let words = contents(type_name.map_or("", String::as_str));
                buffer.write(0, &words).map_err(error)?;
                Some(buffer)
            }
            _ => None,
        });
    }
    for (index, (arg, buffer)) in info.args.iter().zip(&buffers).enumerate() {
        let value: Vec<u8>;
        let arg = match (arg.kind, buffer) {
            (_, Some(buffer)) => Arg::Buffer(buffer),
            (ArgKind::Local, _) => Arg::Local(LOCAL),
            (ArgKind::Value { size, .. }, _) => {
                let dwords = (0..size).map(|byte| {
                    let high = size == 8 && byte >= 4;
                    if high {
                        0
                    } else {
                        VALUE.to_le_bytes()[byte as usize % 4]
                    }
                });
                value = dwords.collect();
                Arg::Value(&value)
            }
            (ArgKind::Unused, _) => continue,
            (kind, _) => return Err(format!("argument {index} is a {kind}")),
        };
        kernel.set_arg(index, arg).map_err(error)?;
    }
    let local = info.required_local_size.unwrap_or([64, 1, 1]);
    let group: u64 = local.iter().map(|n| u64::from(*n)).product();
    let groups = (ITEMS / group.max(1)).max(1);
    let global = [
        u64::from(local[0]) * groups,
        local[1].into(),
        local[2].into(),
    ];
    let range = NdRange::new(&global).and_then(|range| range.with_local(&local));
    let range = range.map_err(|e| e.to_string())?;
    let event = queue.enqueue(&kernel, &range, &[]).map_err(error)?;
    event.wait(2 * DEADLINE).map_err(error)?;
    let statistics = device.statistics().ok_or("the device does not count")?;
    Ok(statistics.instructions)
}

fn report(args: &Args, all: &[Compared]) -> Result<(), Error> {
    let mut ratios = Vec::new();
    let mut more_sends = 0;
    let mut rows = Vec::new();
    let mut gaps = [Vec::new(), Vec::new()];
    for one in all {
        for (name, sides) in &one.kernels {
            let [Some(own), Some(intel)] = sides else {
                talk::say(format_args!("{}: only one has kernel {name}", one.name));
                continue;
            };
            let counts = (own.instructions.clone(), intel.instructions.clone());
            let ratio = match &counts {
                (Ok(own), Ok(intel)) => Some(*own as f64 / *intel as f64),
                (Err(why), _) | (_, Err(why)) => {
                    talk::say(format_args!("{}: {name} did not run: {why}", one.name));
                    None
                }
            };
            ratios.extend(ratio);
            more_sends += usize::from(own.sends > intel.sends);
            gaps[0].extend(&own.gaps);
            gaps[1].extend(&intel.gaps);
            rows.push((one, name, own, intel, counts, ratio));
        }
    }
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.get(ratios.len() / 2).copied();
    let mean = |gaps: &[usize]| gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
    let gaps = gaps.map(|gaps| (!gaps.is_empty()).then(|| mean(&gaps)));
    let sum = |time: fn(&Compared) -> Duration| all.iter().map(time).sum::<Duration>();
    let (own, intel) = (sum(|c| c.own), sum(|c| c.intel));
    let speed = intel.as_secs_f64() / own.as_secs_f64().max(1e-9);
    if args.json {
        let kernels = rows.iter().map(|(one, name, own, intel, counts, ratio)| {
            json!({
                "file": one.name, "kernel": name, "ratio": ratio,
                "own": {"simd": own.simd, "sends": own.sends, "instructions": counts.0.as_ref().ok()},
                "intel": {"simd": intel.simd, "sends": intel.sends, "instructions": counts.1.as_ref().ok()},
            })
        });
        let modules = all.iter().map(|one| {
            json!({
                "file": one.name, "inside_ms": one.inside.as_secs_f64() * 1e3,
                "own_ms": one.own.as_secs_f64() * 1e3, "intel_ms": one.intel.as_secs_f64() * 1e3,
            })
        });
        let document = json!({
            "platform": args.platform.to_string(),
            "kernels": kernels.collect::<Vec<_>>(), "modules": modules.collect::<Vec<_>>(),
            "median_ratio": middle, "more_sends": more_sends, "speed": speed,
            "instructions_before_waits": {"own": gaps[0], "intel": gaps[1]},
        });
        return files::print(&format!("{document:#}\n"));
    }
    let mut out = format!(
        "{:28} {:>9} {:>9} {:>6}  {:>7} {:>9}\n",
        "kernel", "executed", "Intel's", "ratio", "sends", "SIMD"
    );
    for (_, name, own, intel, counts, ratio) in &rows {
        let count = |of: &Result<u64, String>| of.as_ref().map_or("-".into(), u64::to_string);
        let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        out += &format!(
            "{name:28} {:>9} {:>9} {ratio:>6}  {:>3}/{:<3} {:>4}/{}\n",
            count(&counts.0),
            count(&counts.1),
            own.sends,
            intel.sends,
            own.simd,
            intel.simd
        );
    }
    for one in all {
        let [inside, own, intel] = [one.inside, one.own, one.intel].map(|t| t.as_secs_f64() * 1e3);
        out += &format!(
            "{}: {inside:.1} ms inside of this process, {own:.1} ms as a process, Intel's {intel:.1} ms\n",
            one.name
        );
    }
    out += &format!(
        "{} kernels: median {} of Intel's instructions; {more_sends} with more sends; {speed:.0} times \
         as fast",
        rows.len(),
        middle.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
    );
    if let [Some(own), Some(intel)] = gaps {
        out += &format!(
            "; {own:.1} instructions between a message and the wait for it, Intel's {intel:.1}"
        );
    }
    out += "\n";
    files::print(&out)
}

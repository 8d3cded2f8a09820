//! `run`: launch one kernel.

mod bind;
mod check;
mod launch;
mod options;
mod record;
mod report;

pub use options::Args;
use record::Recording;

use std::path::PathBuf;
use std::time::Duration;

use batchbuffer::Batch;
use devinfo::Target;
use umd::binary::KernelInfo;
use umd::{Binary, Device, DeviceSpec, NdRange, OpenOptions, Program, QueueOptions};

use crate::args::{ArgSpec, Extent};
use crate::compiler;
use crate::exit::Error;
use crate::files;
use crate::kernel::{self, Hints};
use crate::kernel_file::{KernelFile, Kind};
use crate::talk;
use crate::trace::{self, Trace};

/// Runs the sub-command.
///
/// Errors in the command line or a file are reported before the launch. After it, a failure hides
/// no other result: everything is saved, printed, compared and reported.
///
/// # Errors
/// One for each way in which a run can go wrong; see [`crate::exit::Exit`].
pub fn run(args: &Args) -> Result<(), Error> {
    let mut is_reported = false;
    let result = attempt(args, &mut is_reported);
    if let (Err(error), true, false) = (&result, args.json, is_reported) {
        files::print_json(&report::refused(error))?;
    }
    result
}

/// A run, and whether it has come as far as its report.
fn attempt(args: &Args, is_reported: &mut bool) -> Result<(), Error> {
    one_stdin(args)?;
    writable(args)?;
    let mut trace = args.trace.as_ref().map(|_| Trace::new());
    let range = range(args)?;
    let file = trace::host(&mut trace, "read the kernel file", || {
        KernelFile::read(&args.file)
    })?;
    let (device, recording) = trace::host(&mut trace, "open the device", || open(args, &file))?;
    let binary = trace::host(&mut trace, "load the kernel file", || {
        load(args, &file, &device)
    })?;
    let name = choose(args, &file, &binary)?;
    let program = Program::new(&device, binary).map_err(|e| about(&file, e))?;
    let mut kernel = program.kernel(&name)?;
    let scoreboard = args
        .check
        .then(|| check::scoreboard(program.binary(), &name));
    let proved = match args.check {
        true => program.binary().audit(&name).unwrap_or_default(),
        false => Vec::new(),
    };

    let bound = trace::host(&mut trace, "bind arguments", || {
        bind::bind(&device, kernel.info(), &args.args)
    })?;
    report::check_prints(kernel.info(), &bound, &args.print)?;
    let wanted = report::wanted(kernel.info(), &bound, &args.expect)?;
    for (index, one) in bound.iter().enumerate() {
        if let Err(error) = kernel.set_arg(index, one.arg()) {
            let fits = bind::forms(kernel.info(), index);
            return Err(match error.into() {
                Error::Usage(text) => Error::Usage(format!("{text}\n  {fits}")),
                other => other,
            });
        }
    }
    let payload = kernel.payload(&range)?;
    let grf_bytes = device.target().platform.grf_bytes();
    if args.dump_payload && !args.json {
        files::print(&report::payload(&payload, grf_bytes))?;
    }

    let queue = device.queue(QueueOptions {
        keep_batches: args.dump_batch.is_some(),
        ..QueueOptions::default()
    })?;
    let mut launched = launch::launch(&mut trace, &device, &queue, &kernel, &range, args);
    let mut errors = Vec::from_iter(launched.failure.take());
    let went_well = errors.is_empty();
    // Before the queue's context goes, which whoever replays the file needs until the work has ended.
    if let Some(recording) = &recording {
        errors.extend(recording.finish(&bound, went_well).err());
    }
    // What has not ended by now is over its time; it writes nothing more.
    queue.release(Duration::ZERO);
    trace::host(&mut trace, "save results", || {
        for one in &bound {
            match one.save() {
                Ok(Some(path)) if went_well => talk::say(format_args!("wrote {}", path.display())),
                Ok(Some(path)) => {
                    let path = path.display();
                    talk::say(format_args!("wrote {path}, as the failed launch left it"));
                }
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
    });
    let packets = launched.batch.as_ref().map(|batch| {
        let family = device.target().platform.family;
        Batch::new(family, batch.engine, batch.address, &batch.dwords)
    });
    if let (Some(Some(path)), Some(batch)) = (&args.dump_batch, &launched.batch) {
        let bytes: Vec<u8> = batch.dwords.iter().flat_map(|d| d.to_le_bytes()).collect();
        match files::write(path, &bytes) {
            Ok(()) if files::is_stream(path) => {}
            Ok(()) => talk::say(format_args!("wrote {}", path.display())),
            Err(error) => errors.push(error),
        }
    }
    // As text or in the document, unless it goes to a file.
    let packets = packets.filter(|_| args.dump_batch == Some(None));
    let prints = report::prints(kernel.info(), &bound, &args.print)?;
    let violations = report::violations(kernel.info(), &proved, &device.violations());
    let compared = report::compare(&bound, &wanted)?;
    if args.json {
        *is_reported = true;
        let run = report::Run {
            device: &device,
            kernel: kernel.info(),
            range: &range,
            payload: &payload,
            dump_payload: args.dump_payload,
            launched: &launched,
            errors: &errors,
            prints: &prints,
            violations: &violations,
            scoreboard: scoreboard.as_ref(),
            compared: &compared,
            packets: packets.as_ref(),
        };
        files::print_json(&run.json())?;
    } else {
        for step in packets.into_iter().flatten() {
            files::print(&step.to_string())?;
        }
        files::print_bytes(&launched.printed)?;
        files::print(&report::print_lines(&prints))?;
    }
    talk::say(report::summary(&device, kernel.info(), &launched));
    if let (Some(path), Some(trace)) = (&args.trace, &trace)
        && let Err(error) = files::write(path, trace.json().as_bytes())
    {
        errors.push(error);
    }
    errors.extend(report::violated(&violations));
    errors.extend(report::differs(&compared));
    if let Some(scoreboard) = scoreboard {
        for hazard in &scoreboard.hazards {
            talk::say(format_args!("{name}: {hazard}"));
        }
        errors.extend(scoreboard.verdict(&name).err());
    }
    Error::of_all(errors)
}

/// Stdin can be read only once.
fn one_stdin(args: &Args) -> Result<(), Error> {
    let inputs = args.args.iter().filter_map(ArgSpec::input);
    let expected = args.expect.iter().map(|expect| expect.path.as_path());
    let files = [args.file.as_path()].into_iter();
    let readers = files.chain(inputs).chain(expected);
    match readers.filter(|path| files::is_stream(path)).count() {
        0 | 1 => Ok(()),
        readers => Err(Error::Usage(format!(
            "{readers} inputs are to be read from stdin (-), which only one can be"
        ))),
    }
}

/// Checks that every output can be written.
fn writable(args: &Args) -> Result<(), Error> {
    let results = args.args.iter().filter_map(ArgSpec::output);
    let batch = args.dump_batch.iter().flatten().map(PathBuf::as_path);
    let trace = args.trace.iter().map(PathBuf::as_path);
    let aub = args.aub.iter().map(PathBuf::as_path);
    let outputs: Vec<_> = results.chain(batch).chain(trace).chain(aub).collect();
    let streams = outputs.iter().filter(|path| files::is_stream(path));
    let streams = streams.count() + usize::from(args.json);
    if streams > 1 {
        return Err(Error::Usage(format!(
            "{streams} outputs are to go to stdout (- or --json), which only one can"
        )));
    }
    outputs.into_iter().try_for_each(files::check_writable)
}

fn range(args: &Args) -> Result<NdRange, Error> {
    let usage = |option: &str, e: umd::ArgumentError| Error::Usage(format!("{option}: {e}"));
    let written = |extent: Extent| -> Vec<u64> {
        extent
            .filled(0)
            .into_iter()
            .take(extent.dimensions())
            .collect()
    };
    let mut range = NdRange::new(&written(args.global)).map_err(|e| usage("--global", e))?;
    if let Some(local) = args.local {
        let mut local = written(local);
        // As in the files' own sizes, ones may stand for dimensions that the range does not have.
        while local.len() > args.global.dimensions() && local.last() == Some(&1) {
            local.pop();
        }
        let local = local
            .into_iter()
            .map(|v| {
                u32::try_from(v).map_err(|_| {
                    Error::Usage(format!("--local: {v} is too large for a work-group"))
                })
            })
            .collect::<Result<Vec<u32>, Error>>()?;
        range = range.with_local(&local).map_err(|e| usage("--local", e))?;
    }
    if let Some(offset) = args.offset {
        range = range
            .with_offset(&written(offset))
            .map_err(|e| usage("--offset", e))?;
    }
    Ok(range)
}

fn open(args: &Args, file: &KernelFile) -> Result<(Device, Option<Recording>), Error> {
    let spec: DeviceSpec = args
        .device
        .parse()
        .map_err(|e: umd::DeviceError| Error::Usage(format!("--device: {e}")))?;
    let mut options = OpenOptions {
        threads: args.threads.map(|n| n as usize),
        scratch_page: args.scratch_page,
        check: args.check,
        execution: args.exec,
        hang_timeout: Some(args.timeout),
        ..OpenOptions::default()
    };
    let fallback = match spec {
        DeviceSpec::Auto => kernel::target_of(file)?
            .map(|Target { platform, revision }| (platform.name.to_owned(), Some(revision))),
        _ => None,
    };
    if let Some(path) = &args.aub {
        let spec = match (spec, fallback) {
            (DeviceSpec::Auto, fallback) => {
                let (platform, revision) = fallback.unwrap_or_else(|| ("tgl".to_owned(), None));
                DeviceSpec::BareMetal { platform, revision }
            }
            (spec, _) => spec,
        };
        let (device, recording) = Recording::begin(path, &spec, &options)?;
        return Ok((device, Some(recording)));
    }
    options.fallback = fallback;
    let device = Device::open_with(&spec, &options)?;
    if spec == DeviceSpec::Auto {
        talk::say(format_args!("device: {}", device.name()));
    }
    Ok((device, None))
}

fn load(args: &Args, file: &KernelFile, device: &Device) -> Result<Binary, Error> {
    let raw_args = match file.kind {
        Kind::Raw(_) => bind::raw_kinds(&args.args)?,
        _ => Vec::new(),
    };
    if args.simd.is_some() && !matches!(file.kind, Kind::Raw(_)) {
        return Err(Error::Usage(format!(
            "--simd is for raw EU instructions; {} is {} and says its own sub-group size",
            file.name,
            file.kind.describe()
        )));
    }
    let hints = Hints {
        target: Some(device.target()),
        simd: args.simd,
        raw_args,
        compiler: compiler::Options {
            checked: args.check,
            ..args.compiler.clone()
        },
    };
    kernel::load(file, &hints)
}

fn choose(args: &Args, file: &KernelFile, binary: &Binary) -> Result<String, Error> {
    let names = || {
        let names: Vec<_> = binary.kernels().iter().map(|k| k.name.as_str()).collect();
        names.join(", ")
    };
    match (&args.kernel, binary.kernels()) {
        (_, []) => Err(file.rejected("there is no kernel in it")),
        (Some(name), _) => match binary.kernel(name) {
            Some(KernelInfo { name, .. }) => Ok(name.clone()),
            None => Err(Error::Usage(format!(
                "{} has no kernel {name:?}; it has {}",
                file.name,
                names()
            ))),
        },
        (None, [only]) => Ok(only.name.clone()),
        (None, _) => Err(Error::Usage(format!(
            "{} has several kernels, say which with --kernel: {}",
            file.name,
            names()
        ))),
    }
}

/// An error about loading, with the file's name in front of the problem.
fn about(file: &KernelFile, error: umd::Error) -> Error {
    match Error::from(error) {
        Error::Rejected(text) => file.rejected(text),
        other => other,
    }
}

//! `replay`: run what an AUB file captured.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use devinfo::{GpuAddress, Target};
use softgpu_bus::Machine;
use softgpu_bus::aub::{self, Packet, Packets};
use softgpu_device::{Execution, Settings};
use softgpu_memory::View;

use crate::args::number;
use crate::exit::{Error, Exit};
use crate::{files, platform, talk};

/// Run what an AUB file captured: a driver's registers, page tables, rings and batches
///
/// Intel's runtime writes such files with SetCommandStreamReceiver=1 (or 4, beside TBX). What the
/// file expects of memory and registers is compared; a difference is a violated check.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// The AUB file (`-` is stdin)
    file: PathBuf,

    /// The platform, as `NAME[:REVISION]` [default: the one that the file names]
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse)]
    platform: Option<Target>,

    /// Save memory as the context sees it that was submitted last; can be repeated
    #[arg(long, value_name = "ADDRESS:BYTES=FILE", value_parser = dump)]
    dump: Vec<Dump>,

    /// Compare memory, as that context sees it, with a file; can be repeated
    #[arg(long, value_name = "ADDRESS=FILE", value_parser = expect)]
    expect: Vec<Expect>,

    /// The most bytes of memory that the file may write
    #[arg(long, default_value = "4G", value_parser = number::bytes, value_name = "BYTES")]
    memory: u64,

    /// Host threads that run EU threads [default: one for each core]
    #[arg(long, value_name = "COUNT")]
    threads: Option<usize>,

    /// Seconds after which work that makes no progress counts as hung
    #[arg(long, default_value = "60", value_parser = number::seconds, value_name = "SECONDS")]
    hang_timeout: Duration,
}

/// Memory to save.
#[derive(Clone, Debug)]
struct Dump {
    address: GpuAddress,
    bytes: usize,
    file: PathBuf,
}

fn dump(text: &str) -> Result<Dump, String> {
    let expected = || format!("expected ADDRESS:BYTES=FILE, not {text:?}");
    let (place, file) = text.split_once('=').ok_or_else(expected)?;
    let (address, bytes) = place.split_once(':').ok_or_else(expected)?;
    Ok(Dump {
        address: GpuAddress::new(number::count(address)?),
        bytes: usize::try_from(number::bytes(bytes)?).map_err(|_| expected())?,
        file: file.into(),
    })
}

/// Memory to compare.
#[derive(Clone, Debug)]
struct Expect {
    address: GpuAddress,
    file: PathBuf,
}

fn expect(text: &str) -> Result<Expect, String> {
    let expected = || format!("expected ADDRESS=FILE, not {text:?}");
    let (address, file) = text.split_once('=').ok_or_else(expected)?;
    Ok(Expect {
        address: GpuAddress::new(number::count(address)?),
        file: file.into(),
    })
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Rejected`] for a file that is none, [`Error::Device`] for work that fails,
/// [`Error::Violated`] for what the file expects and is not so.
pub fn run(args: &Args) -> Result<(), Error> {
    let file = files::read(&args.file)?;
    let platform = match args.platform {
        Some(target) => target.platform,
        None => platform_of(&file, &args.file)?,
    };
    let settings = Settings {
        threads: args.threads.unwrap_or(0),
        hang_timeout: args.hang_timeout,
        check: false,
        execution: Execution::default(),
    };
    let machine = Machine::new(platform, settings, args.memory)
        .map_err(|error| Error::Usage(error.to_string()))?;
    // Twice: the device ends what hangs by itself.
    let patience = args.hang_timeout.saturating_mul(2);
    let replayed = aub::replay(&machine, &file, patience).map_err(|error| {
        let text = format!("{}: {error}", args.file.display());
        match error {
            aub::ReplayError::File(_) | aub::ReplayError::Refused { .. } => Error::Rejected(text),
            _ => Error::Device(text),
        }
    })?;
    for dump in &args.dump {
        save(&machine, dump)?;
    }
    let statistics = &machine.device().statistics;
    let count = |counter: &AtomicU64| talk::grouped(counter.load(Ordering::Relaxed));
    talk::say(format_args!(
        "{}: {} packets, {} threads, {} EU instructions, {} comparisons",
        platform.name,
        talk::grouped(replayed.packets),
        count(&statistics.threads),
        count(&statistics.instructions),
        replayed.compared
    ));
    let differences = replayed.differences.iter();
    let mut errors: Vec<_> = differences
        .map(|d| Error::Violated(d.to_string()))
        .collect();
    for expect in &args.expect {
        errors.extend(compare(&machine, expect)?);
    }
    Error::of_all(errors)
}

/// The platform that a file names.
fn platform_of(file: &[u8], path: &std::path::Path) -> Result<&'static devinfo::Platform, Error> {
    let version = Packets::new(file).find_map(|packet| match packet {
        Ok((_, Packet::Version { device, .. })) => Some(device),
        _ => None,
    });
    let refused = |why: String| Error::Rejected(format!("{}: {why}", path.display()));
    let device =
        version.ok_or_else(|| refused("it begins with no version of an AUB file".into()))?;
    aub::platform(device).ok_or_else(|| {
        refused(format!(
            "it is for device {device}, which is not known: name the platform with --platform"
        ))
    })
}

fn save(machine: &Machine, dump: &Dump) -> Result<(), Error> {
    let bytes = memory(machine, "--dump", dump.address, dump.bytes)?;
    files::write(&dump.file, &bytes)
}

/// Compares memory with a file.
fn compare(machine: &Machine, expect: &Expect) -> Result<Option<Error>, Error> {
    let wanted = files::read(&expect.file)?;
    let found = memory(machine, "--expect", expect.address, wanted.len())?;
    let pairs = found.iter().zip(&wanted);
    let differs = pairs
        .enumerate()
        .find(|(_, (found, wanted))| found != wanted);
    Ok(differs.map(|(offset, (found, wanted))| {
        Error::Violated(format!(
            "memory at {} is {found:#04x}, and byte {offset} of {} is {wanted:#04x}",
            expect.address.offset(offset as u64),
            expect.file.display()
        ))
    }))
}

/// Memory as the context sees it that was submitted last.
fn memory(
    machine: &Machine,
    option: &str,
    address: GpuAddress,
    bytes: usize,
) -> Result<Vec<u8>, Error> {
    let context = machine.latest_context();
    let context =
        context.ok_or_else(|| Error::Usage(format!("{option}: the file submits nothing")))?;
    let mut found = vec![0; bytes];
    let read = View::new(&*context).read(address, &mut found);
    read.map_err(|fault| Error::Usage(format!("{option} {address}: {fault}")))?;
    Ok(found)
}

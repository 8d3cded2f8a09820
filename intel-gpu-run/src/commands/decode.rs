//! `decode`: print a batch buffer's packets, or what an AUB file captured.

use std::fmt;
use std::mem;
use std::ops::Range;
use std::path::PathBuf;

use batchbuffer::{Batch, Engine};
use clap::ValueEnum;
use devinfo::{GpuAddress, Target};
use serde_json::json;
use softgpu_bus::aub::{self, Packet, Packets, Space, Submissions};
use softgpu_memory::PAGE_BYTES;

use crate::args::number;
use crate::exit::{Error, Exit};
use crate::{files, platform};

/// Print the packets of a batch buffer, or of an AUB file
///
/// FILE holds the dwords of the batch as they lie in memory, little endian. What is no known
/// packet is reported where it lies and stepped over. Of an AUB file, which `replay` runs, each
/// packet is a line: registers, memory, comments. What a register's write submits follows it: the context,
/// its ring and batches, the payloads of threads, interface descriptors and surface states.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// The file with the dwords (`-` is stdin)
    file: PathBuf,

    /// The platform
    #[arg(short, long, value_name = "PLATFORM", default_value = "tgl", value_parser = platform::parse)]
    platform: Target,

    /// The engine that the batch is for
    #[arg(long, value_enum, default_value_t = EngineName::Render)]
    engine: EngineName,

    /// The GPU address of the first dword
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = address)]
    address: GpuAddress,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The engines by the names of the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    /// 3D, media and compute
    Render,
    /// Compute only
    Compute,
    /// Copies
    Copy,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Render => Engine::Render,
            EngineName::Compute => Engine::Compute,
            EngineName::Copy => Engine::Blitter,
        }
    }
}

/// Where packets can be: at dwords, below 2^57 or in the canonical form of such an address.
fn address(text: &str) -> Result<GpuAddress, String> {
    let value = number::count(text)?;
    let address = GpuAddress::new(value);
    if !value.is_multiple_of(4) {
        return Err(format!(
            "{value:#x} is no multiple of 4, the size of a dword"
        ));
    }
    if value != address.get() && value != address.canonical() {
        return Err(format!(
            "{value:#x} has more than 57 bits, and is no canonical address (bits 63 to 48 like \
             bit 47, or bits 63 to 57 like bit 56)"
        ));
    }
    Ok(address)
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Rejected`] if the file is empty or not a whole number of dwords.
pub fn run(args: &Args) -> Result<(), Error> {
    let bytes = files::read(&args.file)?;
    if Packets::begins(&bytes) {
        return captured(args, &bytes);
    }
    if bytes.is_empty() {
        return Err(Error::Rejected(format!("{} is empty", args.file.display())));
    }
    let (words, []) = bytes.as_chunks::<4>() else {
        return Err(Error::Rejected(format!(
            "{} has {} bytes, which is no whole number of dwords",
            args.file.display(),
            bytes.len()
        )));
    };
    let dwords: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let batch = Batch::new(
        args.platform.platform.family,
        args.engine.into(),
        args.address,
        &dwords,
    );
    if args.json {
        let steps: Vec<_> = batch.map(|step| as_json(&step)).collect();
        return files::print_json(&json!({ "packets": steps }));
    }
    for step in batch {
        files::print(&step.to_string())?;
    }
    Ok(())
}

/// Prints the packets of an AUB file, a line each, and what they submit.
fn captured(args: &Args, bytes: &[u8]) -> Result<(), Error> {
    let rejected =
        |why: &dyn fmt::Display| Error::Rejected(format!("{}: {why}", args.file.display()));
    let mut submissions: Option<Submissions> = None;
    let mut packets = Vec::new();
    let mut family = None;
    let mut zeros = Zeros::default();
    for packet in Packets::new(bytes) {
        let (offset, packet) = packet.map_err(|error| rejected(&error))?;
        // Of a device that is not known, only the packets are shown.
        if let Packet::Version { device, .. } = &packet
            && let Some(platform) = aub::platform(*device)
        {
            submissions = Some(Submissions::new(platform).map_err(|error| rejected(&error))?);
            family = Some(platform.family);
        }
        let taken = submissions.as_mut().map(|known| known.take(&packet));
        let work = taken.transpose();
        let work =
            work.map_err(|error| rejected(&format_args!("packet at {offset:#x}: {error}")))?;
        let work = work.unwrap_or_default();
        match args.json {
            true => packets.push(json!({
                "offset": offset,
                "text": packet.text(family).to_string(),
                "work": (!work.is_empty()).then_some(work),
            })),
            false if zeros.take(offset, &packet) => {}
            false => {
                let ended = mem::take(&mut zeros);
                files::print(&ended.to_string())?;
                if !zeros.take(offset, &packet) {
                    let text = packet.text(family);
                    files::print(&format!("{offset:#010x}  {text}\n{work}"))?;
                }
            }
        }
    }
    match args.json {
        true => files::print_json(&json!({ "packets": packets })),
        false => files::print(&zeros.to_string()),
    }
}

/// Packets that write zeros, each behind the one before or to the next page: one line.
#[derive(Debug, Default)]
struct Zeros {
    /// The first one's place in the file, and where they write.
    run: Option<(usize, Space, Range<u64>)>,
    packets: u64,
}

impl Zeros {
    /// Takes a packet if it continues the run, or begins one.
    fn take(&mut self, offset: usize, packet: &Packet<'_>) -> bool {
        let Some((space, written)) = packet.zeros() else {
            return false;
        };
        match &mut self.run {
            None => self.run = Some((offset, space, written)),
            Some((_, known, run)) => {
                let next = [run.end, run.end.next_multiple_of(PAGE_BYTES)];
                if *known != space || !next.contains(&written.start) {
                    return false;
                }
                run.end = written.end;
            }
        }
        self.packets += 1;
        true
    }
}

impl fmt::Display for Zeros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((offset, space, Range { start, end })) = &self.run else {
            return Ok(());
        };
        write!(f, "{offset:#010x}  write {space} at {start:#x}")?;
        match self.packets {
            1 => writeln!(f, ", {} bytes: zeros", end - start),
            many => writeln!(f, " to {end:#x}: zeros, by {many} packets"),
        }
    }
}

/// A packet as `--json` shows it.
pub fn as_json(step: &batchbuffer::Step<'_>) -> serde_json::Value {
    let packet = step.packet.as_ref().ok();
    // A list, because a packet that repeats a state has the same path more than once.
    let fields: Vec<_> = packet
        .into_iter()
        .flat_map(|packet| batchbuffer::print::all_fields(packet))
        .map(|(path, value)| json!({ "name": path, "raw": value.raw, "text": value.to_string() }))
        .collect();
    json!({
        "address": step.address.get(),
        "dwords": step.dwords,
        "name": packet.map(|p| p.name()),
        "issue": packet.and_then(|p| p.issue.as_ref()).map(ToString::to_string),
        "error": step.packet.as_ref().err().map(ToString::to_string),
        "fields": fields,
    })
}

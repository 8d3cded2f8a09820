//! The output about a run: data, summary, comparison.

use std::fmt::Write as _;
use std::path::PathBuf;

use batchbuffer::Batch;
use isa_encoder::audit::Finding;
use serde_json::{Value, json};
use umd::binary::KernelInfo;
use umd::{Device, NdRange, Payload, Violation, channel_type};

use super::bind::{self, Bound, Value as Bind};
use super::check::Scoreboard;
use super::launch::Launched;
use crate::args::{ArgRef, Comparison, ElementType, Expect, Print};
use crate::commands::decode;
use crate::exit::Error;
use crate::{files, talk};

/// The lanes of one SIMD16 unit of work; the sum of execution sizes is counted in lanes.
const UNIT_LANES: u64 = 16;

/// The elements that one `--print` shows.
#[derive(Debug)]
pub struct Printed {
    label: String,
    elements: Vec<String>,
}

fn label(arg: &ArgRef) -> String {
    match arg {
        ArgRef::Index(index) => index.to_string(),
        ArgRef::Name(name) => name.clone(),
    }
}

/// The argument that an option is about.
fn argument<'b>(
    kernel: &KernelInfo,
    bound: &'b [Bound],
    option: &str,
    arg: &ArgRef,
) -> Result<(usize, &'b Bound), Error> {
    let index = bind::resolve(kernel, arg)?;
    match bound.get(index) {
        Some(one) => Ok((index, one)),
        None => Err(Error::Usage(format!(
            "{option} {}: there is no such argument",
            label(arg)
        ))),
    }
}

fn size(one: &Bound, option: &str, arg: &ArgRef) -> Result<u64, Error> {
    one.size().ok_or_else(|| {
        Error::Usage(format!(
            "{option} {}: it is neither a buffer nor an image",
            label(arg)
        ))
    })
}

/// Checks what `--print` asks for.
///
/// # Errors
/// [`Error::Usage`] for an argument that is missing, has no memory or too little.
pub fn check_prints(kernel: &KernelInfo, bound: &[Bound], prints: &[Print]) -> Result<(), Error> {
    for print in prints {
        let (_, one) = argument(kernel, bound, "--print", &print.arg)?;
        let has = size(one, "--print", &print.arg)? / print.element.size() as u64;
        if print.count > has {
            return Err(Error::Usage(format!(
                "--print {}: {} elements of type {} asked for, it has {has}",
                label(&print.arg),
                print.count,
                print.element
            )));
        }
    }
    Ok(())
}

/// Reads what `--print` asks for.
///
/// # Errors
/// Memory that cannot be read.
pub fn prints(
    kernel: &KernelInfo,
    bound: &[Bound],
    prints: &[Print],
) -> Result<Vec<Printed>, Error> {
    prints
        .iter()
        .map(|print| {
            let (_, one) = argument(kernel, bound, "--print", &print.arg)?;
            let elements = one
                .content()?
                .chunks_exact(print.element.size())
                .take(usize::try_from(print.count).unwrap_or(usize::MAX))
                .filter_map(|element| print.element.show(element))
                .collect();
            Ok(Printed {
                label: label(&print.arg),
                elements,
            })
        })
        .collect()
}

/// One line for each `--print`: the argument, a colon, the elements.
pub fn print_lines(prints: &[Printed]) -> String {
    prints
        .iter()
        .map(|p| format!("{}: {}\n", p.label, p.elements.join(" ")))
        .collect()
}

/// What one `--expect` asks for, with the file's bytes.
#[derive(Debug)]
pub struct Wanted {
    index: usize,
    label: String,
    path: PathBuf,
    comparison: Comparison,
    bytes: Vec<u8>,
}

/// The result of one `--expect`.
#[derive(Debug)]
pub struct Compared {
    label: String,
    path: PathBuf,
    difference: Option<String>,
}

/// Reads the files that `--expect` names.
///
/// # Errors
/// An argument that is missing or has no memory, a file that cannot be read or has another size, a
/// tolerance without a type.
pub fn wanted(
    kernel: &KernelInfo,
    bound: &[Bound],
    expects: &[Expect],
) -> Result<Vec<Wanted>, Error> {
    let one = |expect: &Expect| {
        let (index, one) = argument(kernel, bound, "--expect", &expect.arg)?;
        let has = size(one, "--expect", &expect.arg)?;
        let label = label(&expect.arg);
        let place = |text: String| format!("--expect {label}={}: {text}", expect.path.display());
        let own = element_type(kernel, index, one);
        let comparison = expect
            .comparison(own)
            .map_err(|text| Error::Usage(place(text)))?;
        let compared = expect.bytes.unwrap_or(has);
        if compared > has {
            return Err(Error::Usage(place(format!(
                "{compared} bytes are to be compared, it has {has}"
            ))));
        }
        let bytes = files::read(&expect.path)?;
        comparison
            .check_size(bytes.len() as u64, compared)
            .map_err(|text| Error::Rejected(place(text)))?;
        Ok(Wanted {
            index,
            path: expect.path.clone(),
            comparison,
            bytes,
            label,
        })
    };
    expects.iter().map(one).collect()
}

/// The type of an argument's elements, if the kernel file or the image has it.
fn element_type(kernel: &KernelInfo, index: usize, one: &Bound) -> Option<ElementType> {
    if let Bind::Image(image) = &one.value {
        return match image.desc().format.data_type {
            channel_type::SINT8 | channel_type::SNORM8 => Some(ElementType::I8),
            channel_type::UINT8 | channel_type::UNORM8 => Some(ElementType::U8),
            channel_type::SINT16 | channel_type::SNORM16 => Some(ElementType::I16),
            channel_type::UINT16 | channel_type::UNORM16 => Some(ElementType::U16),
            channel_type::SINT32 => Some(ElementType::I32),
            channel_type::UINT32 => Some(ElementType::U32),
            channel_type::HALF => Some(ElementType::F16),
            channel_type::FLOAT => Some(ElementType::F32),
            _ => None,
        };
    }
    ElementType::of_source(kernel.args.get(index)?.type_name.as_deref()?)
}

/// Compares what `--expect` asks for.
///
/// # Errors
/// Memory that cannot be read.
pub fn compare(bound: &[Bound], wanted: &[Wanted]) -> Result<Vec<Compared>, Error> {
    wanted
        .iter()
        .filter_map(|wanted| Some((wanted, bound.get(wanted.index)?)))
        .map(|(wanted, one)| {
            let mut got = one.content()?;
            got.truncate(wanted.bytes.len());
            Ok(Compared {
                label: wanted.label.clone(),
                path: wanted.path.clone(),
                difference: wanted
                    .comparison
                    .compare(&got, &wanted.bytes)
                    .map(|mismatch| mismatch.to_string()),
            })
        })
        .collect()
}

/// The first difference of each argument that differs from its `--expect` file.
pub fn differs(compared: &[Compared]) -> Option<Error> {
    let lines: Vec<_> = compared
        .iter()
        .filter_map(|one| {
            let difference = one.difference.as_ref()?;
            let path = one.path.display();
            Some(format!("--expect {}={path}: {difference}", one.label))
        })
        .collect();
    (!lines.is_empty()).then(|| Error::Violated(lines.join("\n")))
}

/// What `--check` found, in the text and while it ran, each with kernel, instruction, rule and
/// value.
pub fn violations(kernel: &KernelInfo, proved: &[Finding], found: &[Violation]) -> Vec<String> {
    let name = &kernel.name;
    let proved = proved.iter().map(|finding| format!("{name}{finding}"));
    let found = found.iter().map(ToString::to_string);
    proved.chain(found).collect()
}

/// The error for [`violations`].
pub fn violated(violations: &[String]) -> Option<Error> {
    let lines: Vec<_> = violations.iter().map(|v| format!("--check: {v}")).collect();
    (!lines.is_empty()).then(|| Error::Violated(lines.join("\n")))
}

/// The one line about a run: device, kernel, threads, EU instructions, time.
pub fn summary(device: &Device, kernel: &KernelInfo, launched: &Launched) -> String {
    let mut line = format!("{}: {} SIMD{}", device.name(), kernel.name, kernel.simd);
    if let Some(counted) = launched.statistics {
        let _ = write!(
            line,
            ", {} threads, {} EU instructions",
            talk::grouped(counted.threads),
            talk::grouped(counted.instructions)
        );
    }
    let _ = write!(line, ", {}", talk::span(launched.total()));
    if let (Some(least), true) = (launched.times.iter().min(), launched.times.len() > 1) {
        let _ = write!(
            line,
            " for {} launches, {} the fastest",
            launched.times.len(),
            talk::span(*least)
        );
    }
    line
}

/// The most memory that this process has had resident, from `/proc/self/status` (VmHWM).
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The document of a run that was refused, or whose results cannot be read: its errors, as [`Run`] has
/// them, and nothing else.
pub fn refused(error: &Error) -> Value {
    let errors = match error {
        Error::Several(errors) => errors.iter().map(ToString::to_string).collect(),
        one => vec![one.to_string()],
    };
    json!({ "errors": errors })
}

/// Everything known about a run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Where it ran.
    pub device: &'a Device,
    /// What ran.
    pub kernel: &'a KernelInfo,
    /// Its range.
    pub range: &'a NdRange,
    /// Its registers.
    pub payload: &'a Payload,
    /// Whether it was requested.
    pub dump_payload: bool,
    /// How it went.
    pub launched: &'a Launched,
    /// What went wrong with the launch and with saving its results.
    pub errors: &'a [Error],
    /// `--print`.
    pub prints: &'a [Printed],
    /// `--check`, while it ran.
    pub violations: &'a [String],
    /// `--check`, before it ran.
    pub scoreboard: Option<&'a Scoreboard>,
    /// `--expect`.
    pub compared: &'a [Compared],
    /// `--dump-batch`.
    pub packets: Option<&'a Batch<'a>>,
}

impl Run<'_> {
    /// The run as one JSON document.
    pub fn json(&self) -> Value {
        let launched = self.launched;
        let statistics = launched.statistics.map(|counted| {
            json!({
                "threads": counted.threads,
                "eu_instructions": counted.instructions,
                "simd16_units": counted.lanes as f64 / UNIT_LANES as f64,
            })
        });
        let prints: Vec<_> = self
            .prints
            .iter()
            .map(|p| json!({ "arg": p.label, "elements": p.elements }))
            .collect();
        let compared: Vec<_> = self
            .compared
            .iter()
            .map(|one| {
                json!({
                    "arg": one.label,
                    "path": one.path.display().to_string(),
                    "difference": one.difference,
                })
            })
            .collect();
        let scoreboard = self
            .scoreboard
            .map(|found| json!({ "hazards": found.hazards, "complete": found.complete }));
        let payload = self.dump_payload.then(|| {
            let per_thread: Vec<_> = self.payload.per_thread.iter().map(|t| hex(t)).collect();
            json!({ "cross_thread": hex(&self.payload.cross_thread), "per_thread": per_thread })
        });
        let packets = self.packets.map(|batch| {
            let steps = batch.clone().map(|step| decode::as_json(&step));
            steps.collect::<Vec<_>>()
        });
        json!({
            "packets": packets,
            "device": self.device.name(),
            "kernel": self.kernel.name,
            "simd": self.kernel.simd,
            "global": self.range.global(),
            "local": self.payload.local,
            "offset": self.range.offset(),
            "seconds": launched.times.iter().map(std::time::Duration::as_secs_f64).collect::<Vec<_>>(),
            "statistics": statistics,
            "peak_bytes": peak_bytes(),
            "errors": self.errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "printf": String::from_utf8_lossy(&launched.printed),
            "print": prints,
            "expect": compared,
            "violations": self.violations,
            "scoreboard": scoreboard,
            "payload": payload,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that the threads of the first group start with, one register per line.
pub fn payload(payload: &Payload, register_bytes: usize) -> String {
    let mut out = String::new();
    let mut block = |title: String, bytes: &[u8]| {
        let _ = writeln!(out, "{title}: {} bytes", bytes.len());
        for (index, row) in bytes.chunks(register_bytes).enumerate() {
            let words: Vec<String> = row
                .chunks(4)
                .map(|word| {
                    word.iter()
                        .rev()
                        .map(|byte| format!("{byte:02x}"))
                        .collect()
                })
                .collect();
            let _ = writeln!(
                out,
                "  {:#06x}  {}",
                index * register_bytes,
                words.join(" ")
            );
        }
    };
    block("cross-thread".to_owned(), &payload.cross_thread);
    for (index, thread) in payload.per_thread.iter().enumerate() {
        block(format!("thread {index}"), thread);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::payload;
    use umd::Payload;

    #[test]
    fn payloads_show_dwords_in_rows_of_a_register() {
        let text = payload(
            &Payload {
                local: [1; 3],
                cross_thread: (0..36).collect(),
                per_thread: vec![vec![0xff; 2]],
            },
            32,
        );
        assert_eq!(
            text,
            "cross-thread: 36 bytes\n  \
             0x0000  03020100 07060504 0b0a0908 0f0e0d0c 13121110 17161514 1b1a1918 1f1e1d1c\n  \
             0x0020  23222120\n\
             thread 0: 2 bytes\n  0x0000  ffff\n"
        );
    }
}

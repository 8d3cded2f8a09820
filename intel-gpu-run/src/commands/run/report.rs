//! What is said about a run: data, summary, comparison.

use std::fmt::Write as _;

use serde_json::{Value, json};
use umd::binary::KernelInfo;
use umd::{Device, NdRange, Payload, Violation};

use super::bind::{self, Bound};
use super::launch::Launched;
use crate::args::{ArgRef, Expect, Print};
use crate::exit::Error;
use crate::{files, talk};

/// The EU instructions of one SIMD16 unit of work: the sum of execution sizes is counted in lanes.
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

fn content<'b>(
    kernel: &KernelInfo,
    bound: &'b [Bound],
    option: &str,
    arg: &ArgRef,
) -> Result<(usize, &'b Bound, Vec<u8>), Error> {
    let index = bind::resolve(kernel, arg)?;
    let one = bound.get(index).ok_or_else(|| {
        Error::Usage(format!(
            "{option} {}: there is no such argument",
            label(arg)
        ))
    })?;
    let bytes = one.content().map_err(|e| match e {
        Error::Usage(text) => Error::Usage(format!("{option} {}: {text}", label(arg))),
        other => other,
    })?;
    Ok((index, one, bytes))
}

/// Reads what `--print` asks for.
///
/// # Errors
/// An argument without memory.
pub fn prints(
    kernel: &KernelInfo,
    bound: &[Bound],
    prints: &[Print],
) -> Result<Vec<Printed>, Error> {
    prints
        .iter()
        .map(|print| {
            let (_, _, bytes) = content(kernel, bound, "--print", &print.arg)?;
            let size = print.element.size();
            let has = (bytes.len() / size) as u64;
            if print.count > has {
                return Err(Error::Usage(format!(
                    "--print {}: {} elements of type {} asked for, it has {has}",
                    label(&print.arg),
                    print.count,
                    print.element
                )));
            }
            let elements = bytes
                .chunks_exact(size)
                .take(print.count as usize)
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

/// Compares what `--expect` asks for.
///
/// # Errors
/// [`Error::Violated`] with the first difference of each argument that differs.
pub fn compare(kernel: &KernelInfo, bound: &[Bound], expects: &[Expect]) -> Result<(), Error> {
    let mut differences = Vec::new();
    for expect in expects {
        let (_, _, got) = content(kernel, bound, "--expect", &expect.arg)?;
        let wanted = files::read(&expect.path)?;
        let place = format!("--expect {}={}", label(&expect.arg), expect.path.display());
        match expect.tolerance.compare(&got, &wanted) {
            Ok(None) => {}
            Ok(Some(mismatch)) => differences.push(format!("{place}: {mismatch}")),
            Err(text) => return Err(Error::Rejected(format!("{place}: {text}"))),
        }
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(Error::Violated(differences.join("\n")))
    }
}

/// Reports the rules that `--check` found broken.
///
/// # Errors
/// [`Error::Violated`] names kernel, instruction, rule and value of each.
pub fn violations(kernel: &KernelInfo, found: &[Violation]) -> Result<(), Error> {
    if found.is_empty() {
        return Ok(());
    }
    let lines: Vec<_> = found
        .iter()
        .map(|violation| format!("--check: {}{violation}", kernel.name))
        .collect();
    Err(Error::Violated(lines.join("\n")))
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

/// The run as one JSON document.
pub fn json(
    device: &Device,
    kernel: &KernelInfo,
    range: &NdRange,
    launched: &Launched,
    prints: &[Printed],
) -> Value {
    let statistics = launched.statistics.map(|counted| {
        json!({
            "threads": counted.threads,
            "eu_instructions": counted.instructions,
            "simd16_units": counted.lanes as f64 / UNIT_LANES as f64,
        })
    });
    let prints: Vec<_> = prints
        .iter()
        .map(|p| json!({ "arg": p.label, "elements": p.elements }))
        .collect();
    json!({
        "device": device.name(),
        "kernel": kernel.name,
        "simd": kernel.simd,
        "global": range.global(),
        "local": range.local(),
        "offset": range.offset(),
        "seconds": launched.times.iter().map(std::time::Duration::as_secs_f64).collect::<Vec<_>>(),
        "statistics": statistics,
        "peak_bytes": peak_bytes(),
        "printf": launched.printed,
        "print": prints,
    })
}

/// The bytes that the threads of the first group are started with, one register a line.
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

//! Running a case under Oclgrind's stand-alone simulator, `oclgrind-kernel`.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::case::{Arg, Case, Data, SOURCE};
use crate::exit::Error;
use crate::talk;

/// Oclgrind's result of a case.
pub struct Theirs {
    pub wall: Duration,
    /// The output buffer, as dwords.
    pub output: Vec<u32>,
}

/// Runs `case`; `None` if Oclgrind is not installed.
///
/// # Errors
/// It fails, or its output cannot be parsed.
pub fn run(case: &Case, folder: &Path) -> Result<Option<Theirs>, Error> {
    let source = folder.join("kernels.cl");
    fs::write(&source, SOURCE).map_err(|e| Error::unwritable(&source, e))?;
    talk::say(format_args!("{}: Oclgrind runs ...", case.name));
    let Some((wall, text)) = simulate(case, folder, !case.short)? else {
        talk::say("oclgrind-kernel is not on the PATH");
        return Ok(None);
    };
    let text = match case.short {
        true => simulate(case, folder, true)?.map_or(text, |(_, text)| text),
        false => text,
    };
    let output = text
        .lines()
        .filter_map(|line| line.split_once("] = "))
        .map(|(_, value)| value.trim().parse::<i32>().map(|value| value as u32))
        .collect::<Result<_, _>>()
        .map_err(|e| Error::Failed(format!("{}: Oclgrind's output: {e}", case.name)))?;
    Ok(Some(Theirs { wall, output }))
}

/// One run: its time and what it printed.
fn simulate(case: &Case, folder: &Path, dump: bool) -> Result<Option<(Duration, String)>, Error> {
    let failed = |why: String| Error::Failed(format!("{} under Oclgrind: {why}", case.name));
    let file = folder.join("kernel.sim");
    fs::write(&file, simulation(case, dump)).map_err(|e| Error::unwritable(&file, e))?;
    let begin = Instant::now();
    let result = Command::new("oclgrind-kernel")
        .args(["--num-threads", "1"])
        .arg(&file)
        .current_dir(folder)
        .output();
    let wall = begin.elapsed();
    let output = match result {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(failed(e.to_string())),
        Ok(output) => output,
    };
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let text = String::from_utf8(output.stdout).map_err(|e| failed(e.to_string()))?;
    Ok(Some((wall, text)))
}

/// The simulation file. Floats are passed and printed exactly: as ranges of integers, as small
/// integers, and as their bits.
fn simulation(case: &Case, dump: bool) -> String {
    let sizes = |sizes: &[u32]| {
        let at = |axis: usize| sizes.get(axis).copied().unwrap_or(1);
        format!("{} {} {}\n", at(0), at(1), at(2))
    };
    // Without a size, Oclgrind's own choice would be groups of one item.
    let local = case.local.clone().unwrap_or_else(|| vec![16, 1]);
    let mut text = format!("kernels.cl\n{}\n", case.kernel);
    text += &sizes(&case.global);
    text += &sizes(&local);
    for arg in &case.args {
        let _ = match arg {
            Arg::In(data) => {
                let (size, last) = (data.len() * 4, data.len().saturating_sub(1));
                match data {
                    Data::Ints(_) => writeln!(text, "\n<size={size} int range=0:1:{last}>"),
                    Data::Floats(_) => writeln!(text, "\n<size={size} float range=0:1:{last}>"),
                    Data::SmallFloats(len) => {
                        let values: Vec<_> = (0..*len).map(|i| (i % 16).to_string()).collect();
                        writeln!(text, "\n<size={size} float>\n{}", values.join(" "))
                    }
                }
            }
            Arg::Out(bytes) => {
                let dump = if dump { " dump" } else { "" };
                writeln!(text, "\n<size={bytes} int fill=0{dump}>")
            }
            Arg::Int(value) => writeln!(text, "\n<size=4 int>\n{value}"),
            Arg::Floats(values) => {
                let size = 4 * values.len();
                let values: Vec<_> = values.iter().map(ToString::to_string).collect();
                writeln!(text, "\n<size={size} float>\n{}", values.join(" "))
            }
            // It has no images.
            Arg::ImageIn(_) | Arg::ImageOut(_) => Ok(()),
        };
    }
    text
}

/// Compares the output buffers.
///
/// # Errors
/// [`Error::Violated`] with the first difference.
pub fn compare(case: &Case, ours: &[u8], theirs: &[u32]) -> Result<(), Error> {
    let ours = ours.as_chunks::<4>().0;
    let violated = |why: String| Error::Violated(format!("{}: {why}", case.name));
    if ours.len() != theirs.len() {
        let (a, b) = (ours.len(), theirs.len());
        return Err(violated(format!("{a} elements here, {b} under Oclgrind")));
    }
    for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let ours = u32::from_le_bytes(*ours);
        if ours != *theirs {
            return Err(violated(format!(
                "element {index} is {ours:#x} here and {theirs:#x} under Oclgrind"
            )));
        }
    }
    Ok(())
}

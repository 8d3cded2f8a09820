//! What `preload` and `opencl` share: a program, and the library of this project that it uses.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::Hash;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::exit::Error;
use crate::{files, process};

/// The program to run.
#[derive(Debug, clap::Args)]
pub struct Client {
    /// Report what kernels do on software GPUs that silicon leaves undefined, as `run --check` does. If
    /// there is something to report, the exit code is 5; if a launch failed, 4
    #[arg(long)]
    pub check: bool,

    /// Print the path of the library that programs use, and run nothing
    #[arg(long)]
    print_library: bool,

    /// The program and its arguments, behind `--`
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required_unless_present = "print_library",
        value_name = "COMMAND"
    )]
    command: Vec<OsString>,
}

impl Client {
    /// The library `file` of a package, and the program. `None` if only the library's path was asked
    /// for, which is printed.
    ///
    /// # Errors
    /// [`Error::Failed`] if the library is not in its place.
    pub fn program(&self, file: &str, package: &str) -> Result<Option<(PathBuf, Command)>, Error> {
        let library = library(file, package)?;
        if self.print_library {
            files::print(&format!("{}\n", library.display()))?;
            return Ok(None);
        }
        let [program, arguments @ ..] = self.command.as_slice() else {
            return Err(Error::Usage("no command to run was given".into()));
        };
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(Some((library, command)))
    }
}

/// Runs the program to its end. Returns its exit code.
///
/// # Errors
/// [`Error::Usage`] if it does not start; if its libraries wrote to the file `reports`, [`Error::Device`]
/// for launches that failed, [`Error::Violated`] for rules that kernels have broken.
pub fn run(command: &mut Command, reports: &Path) -> Result<u8, Error> {
    let status = process::run_in_place(command).map_err(|error| {
        let program = Path::new(command.get_program()).display();
        Error::Usage(format!("cannot run {program}: {error}"))
    })?;
    let text = fs::read_to_string(reports).unwrap_or_default();
    let (failed, broken): (Vec<_>, Vec<_>) =
        text.lines().partition(|line| line.starts_with(umd::FAILED));
    let failed = once(&failed, |line| line)
        .map(|(line, _)| line.strip_prefix(umd::FAILED).unwrap_or(line))
        .map(|why| format!("a launch failed: {why}"))
        .collect();
    let broken = once(&broken, fault)
        .map(|(line, more)| match more {
            0 => format!("--check: {line}"),
            _ => format!("--check: {line} ({more} more of other places or launches)"),
        })
        .collect();
    let error = |lines: Vec<String>, of: fn(String) -> Error| {
        (!lines.is_empty()).then(|| of(lines.join("\n")))
    };
    let errors = [error(failed, Error::Device), error(broken, Error::Violated)];
    Error::of_all(errors.into_iter().flatten().collect())?;
    Ok(exit_code(status))
}

/// The first line of each key, and how many others that differ have it. A program may open the device,
/// build a kernel and launch it again and again.
fn once<'a, K: Eq + Hash>(
    lines: &[&'a str],
    key: impl Fn(&'a str) -> K,
) -> impl Iterator<Item = (&'a str, usize)> {
    let mut known = HashSet::new();
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut found: Vec<(&str, usize)> = Vec::new();
    for &line in lines.iter().filter(|line| known.insert(**line)) {
        match places.entry(key(line)) {
            Entry::Occupied(place) => found[*place.get()].1 += 1,
            Entry::Vacant(place) => {
                place.insert(found.len());
                found.push((line, 0));
            }
        }
    }
    found.into_iter()
}

/// What is the same of two reports of one fault: the place and the rule, with which a report begins, and
/// the instruction, with which it ends.
fn fault(line: &str) -> (&str, &str) {
    let head = line.match_indices(": ").nth(1);
    let head = head.map_or(line, |(end, _)| &line[..end]);
    let instruction = line.rsplit(": ").next().unwrap_or(line);
    (head, instruction)
}

/// As shells report it: 128 plus the signal's number for a program that a signal ended.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Finds a library of a package where a build or an installation puts it.
pub fn library(file: &str, package: &str) -> Result<PathBuf, Error> {
    let program = env::current_exe()
        .map_err(|error| Error::Failed(format!("cannot find this program's file: {error}")))?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = [
        folder.join(file),
        folder.join("deps").join(file),
        folder.join("../lib").join(file),
    ];
    // Cargo leaves a library in more than one of them: the latest build counts.
    let built = |place: &&PathBuf| place.metadata().and_then(|file| file.modified()).ok();
    places
        .iter()
        .filter(|place| place.is_file())
        .max_by_key(built)
        .cloned()
        .ok_or_else(|| {
            let looked: Vec<_> = places
                .iter()
                .map(|place| place.display().to_string())
                .collect();
            let release = if cfg!(debug_assertions) {
                ""
            } else {
                "--release "
            };
            Error::Failed(format!(
                "{file} is not beside this program (looked for {}); build it with \
                 `cargo build {release}-p {package}`",
                looked.join(", ")
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::{fault, once};

    #[test]
    fn a_fault_is_told_once_whatever_buffers_it_meets() {
        let lines = [
            "k+0x10: data race: byte 0x0 of the buffer at 0x1000: send r1",
            "k+0x10: data race: byte 0x0 of the buffer at 0x1000: send r1",
            "k+0x20: data race: byte 0x0 of the buffer at 0x1000: send r1",
            "k+0x10: data race: byte 0x4 of the buffer at 0x2000: send r1",
            "k+0x10: buffer bounds: byte 0x4 of the buffer at 0x2000: send r1",
            "k+0x10: data race: byte 0x4 of the buffer at 0x2000: send r2",
        ];
        let found: Vec<_> = once(&lines, fault).collect();
        let expected = [(0, 1), (2, 0), (4, 0), (5, 0)];
        assert_eq!(found, expected.map(|(index, more)| (lines[index], more)));
    }
}

//! What `preload` and `opencl` share: a program, and the library of this project that it uses.

use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::fs;
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
    // A program may open the device again and again.
    let mut known = HashSet::new();
    let (mut failed, mut broken) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| known.insert(*line)) {
        match line.strip_prefix(umd::FAILED) {
            Some(why) => failed.push(format!("a launch failed: {why}")),
            None => broken.push(format!("--check: {line}")),
        }
    }
    let error = |lines: Vec<String>, of: fn(String) -> Error| {
        (!lines.is_empty()).then(|| of(lines.join("\n")))
    };
    let errors = [error(failed, Error::Device), error(broken, Error::Violated)];
    Error::of_all(errors.into_iter().flatten().collect())?;
    Ok(exit_code(status))
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

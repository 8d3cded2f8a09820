//! Intel's offline compiler, if it is installed: `.cl` and `.spv` become zebins.
//!
//! Releases differ in what they know. 22.43 compiles for Gen8 to XeHPC and takes a revision beside
//! every name; 26.27 knows no Gen8, Gen9 and Gen11, but what came after XeHPC, and takes a revision
//! only beside the name of a product family (`lnl`, not `lnl-m`). Nobody but the compiler tells
//! which names it has, so they are tried in turn.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use devinfo::Target;

use crate::exit::Error;
use crate::process;

/// How long one compilation may take.
const DEADLINE: Duration = Duration::from_secs(300);
/// How long the compiler may take to say its version.
const QUERY_DEADLINE: Duration = Duration::from_secs(30);

/// What ocloc says about source that it understood the command line for, but refuses.
const REFUSED: &str = "Build failed";

/// The language of OpenCL C if `--build-options` does not name one.
const LANGUAGE: &str = "-cl-std=CL2.0";

/// The folder of the source as the compiler sees it: a name without spaces, which the option
/// string has no way to quote.
const SOURCE_FOLDER: &str = "source";

/// How source is compiled.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// Options of the compiler for OpenCL C and SPIR-V, such as `-DN=4 -cl-fast-relaxed-math`;
    /// `-cl-std=CL2.0` is meant if they name no language. #include finds what is beside FILE
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub build_options: Option<String>,

    /// Intel's offline compiler; if not given, those that PATH has (`ocloc`, then `ocloc-VERSION`)
    /// until one knows the platform
    #[arg(long, value_name = "PROGRAM")]
    pub ocloc: Option<PathBuf>,
}

/// What to compile.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// OpenCL C.
    OpenClC(&'a str),
    /// SPIR-V.
    SpirV(&'a [u8]),
}

/// Why one compiler did not compile.
#[derive(Debug)]
enum Failure {
    /// It does not know the platform by any of its names: what it said.
    Unknown(String),
    /// Everything else.
    Stopped(Error),
}

/// The driver version that a compiler belongs to, such as `22.43.24595`; `None` if it does not
/// run.
pub fn version(program: &Path) -> Option<String> {
    const QUERY: &str = "OCL_DRIVER_VERSION";
    // It answers with a file of that name in the current folder.
    let folder = tempfile::tempdir().ok()?;
    let mut command = Command::new(program);
    command.current_dir(folder.path()).args(["query", QUERY]);
    let ended = process::run(&mut command, QUERY_DEADLINE).ok()?;
    if !ended.status.success() {
        return None;
    }
    let version = fs::read_to_string(folder.path().join(QUERY)).ok()?;
    Some(
        version
            .trim_matches(|c: char| c.is_whitespace() || c == '\0')
            .to_owned(),
    )
}

/// The compilers that the environment variable PATH leads to: `ocloc`, then those with a version
/// in their name, the highest first.
pub fn installed() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut versioned = Vec::new();
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        let plain = folder.join("ocloc");
        if plain.is_file() {
            found.push(plain);
        }
        let others = fs::read_dir(&folder).into_iter().flatten().flatten();
        versioned.extend(others.map(|entry| entry.path()).filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("ocloc-"))
                && path.is_file()
        }));
    }
    versioned.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
    found.extend(versioned);
    // One program can be found under several names.
    let mut known = Vec::new();
    found.retain(|path| match path.canonicalize() {
        Ok(real) if known.contains(&real) => false,
        Ok(real) => {
            known.push(real);
            true
        }
        Err(_) => false,
    });
    found
}

/// Compiles a kernel for a platform and returns the zebin. `folder` is where `#include` looks.
///
/// # Errors
/// [`Error::Rejected`] with the compiler's own words if it refuses the source, does not know the
/// platform or is missing; [`Error::Failed`] if it takes too long.
pub fn compile(
    name: &str,
    folder: &Path,
    source: Source<'_>,
    target: Target,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let programs = match &options.ocloc {
        Some(program) => vec![program.clone()],
        None => installed(),
    };
    if programs.is_empty() {
        return Err(Error::Rejected(format!(
            "{name}: to run source, install ocloc (Debian: intel-opencl-icd), \
             or compile it elsewhere and run the zebin"
        )));
    }
    let mut unknown = String::new();
    for program in &programs {
        let attempt = Attempt {
            name,
            folder,
            source,
            program,
            options: options.build_options.as_deref().unwrap_or_default(),
        };
        match attempt.compile(target) {
            Ok(zebin) => return Ok(zebin),
            Err(Failure::Unknown(words)) => {
                unknown.push_str(&format!("\n{}: {words}", program.display()));
            }
            Err(Failure::Stopped(error)) => return Err(error),
        }
    }
    Err(Error::Rejected(format!(
        "{name}: no compiler here knows {}; name one that does with --ocloc, or compile it \
         elsewhere and run the zebin{unknown}",
        target.platform
    )))
}

/// The names and revisions to try for a platform, in turn.
fn devices(target: Target) -> Vec<(&'static str, Option<u8>)> {
    let platform = target.platform;
    let names = platform.ocloc.iter().copied();
    let exact = names
        .clone()
        .take(1)
        .chain([platform.name])
        .map(|name| (name, Some(target.revision)));
    let mut all: Vec<_> = exact.chain(names.map(|name| (name, None))).collect();
    let mut known = Vec::new();
    all.retain(|device| {
        let new = !known.contains(device);
        known.push(*device);
        new
    });
    all
}

/// One compiler and what it is to compile.
struct Attempt<'a> {
    name: &'a str,
    folder: &'a Path,
    source: Source<'a>,
    program: &'a Path,
    options: &'a str,
}

impl Attempt<'_> {
    fn compile(&self, target: Target) -> Result<Vec<u8>, Failure> {
        let mut last = String::new();
        for (device, revision) in devices(target) {
            match self.compile_for(device, revision) {
                Err(Failure::Unknown(words)) => last = words,
                done => return done,
            }
        }
        Err(Failure::Unknown(last))
    }

    fn compile_for(&self, device: &str, revision: Option<u8>) -> Result<Vec<u8>, Failure> {
        let place = tempfile::tempdir().map_err(|e| self.failed(&e))?;
        let (input, content) = match self.source {
            Source::OpenClC(text) => ("kernel.cl", text.as_bytes()),
            Source::SpirV(bytes) => ("kernel.spv", bytes),
        };
        fs::write(place.path().join(input), content).map_err(|e| self.failed(&e))?;
        let folder = self.folder.canonicalize().map_err(|e| self.failed(&e))?;
        symlink(folder, place.path().join(SOURCE_FOLDER)).map_err(|e| self.failed(&e))?;

        // A path relative to the caller's folder would be lost in the other one.
        let program = match self.program.components().count() {
            0 | 1 => self.program.to_owned(),
            _ => self.program.canonicalize().map_err(|e| self.failed(&e))?,
        };
        let mut command = Command::new(program);
        command.current_dir(place.path());
        // Without -q: with it, 22.43 keeps the diagnostics to itself.
        command.args(["compile", "-file", input, "-device", device]);
        if matches!(self.source, Source::SpirV(_)) {
            command.arg("-spirv_input");
        }
        if let Some(revision) = revision {
            command.args(["-revision_id", &revision.to_string()]);
        }
        command.args(["-options", &self.build_options()]);
        command.args(["-internal_options", "-cl-intel-allow-zebin"]);
        command.args(["-output", "kernel", "-output_no_suffix"]);
        let ended = process::run(&mut command, DEADLINE).map_err(|e| self.failed(&e))?;
        let words = essence(&ended.words);
        if ended.status.success() {
            tracing::info!("{} for {device}: {words}", self.program.display());
            return built(place.path()).map_err(|e| self.failed(&e));
        }
        if !ended.words.contains(REFUSED) {
            return Err(Failure::Unknown(words));
        }
        Err(Failure::Stopped(Error::Rejected(format!(
            "{}: ocloc refuses it for {device}:\n{words}",
            self.name
        ))))
    }

    fn build_options(&self) -> String {
        let mut all = String::from("-cl-kernel-arg-info -I ");
        all.push_str(SOURCE_FOLDER);
        if !self.options.contains("-cl-std") {
            all.push(' ');
            all.push_str(LANGUAGE);
        }
        if !self.options.is_empty() {
            all.push(' ');
            all.push_str(self.options);
        }
        all
    }

    fn failed(&self, error: &io::Error) -> Failure {
        let text = format!(
            "{}: cannot compile with {}: {error}",
            self.name,
            self.program.display()
        );
        Failure::Stopped(match error.kind() {
            io::ErrorKind::NotFound => Error::Rejected(text),
            _ => Error::Failed(text),
        })
    }
}

/// The zebin that was asked for as `kernel`; newer releases add an extension to any name.
fn built(folder: &Path) -> io::Result<Vec<u8>> {
    match fs::read(folder.join("kernel")) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => fs::read(folder.join("kernel.bin")),
        read => read,
    }
}

/// What the compiler said, without its account of the command line.
fn essence(words: &str) -> String {
    let lines = words
        .lines()
        .filter(|line| !line.starts_with("Command was:") && !line.starts_with(REFUSED));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str) -> Target {
        Target::parse(name).unwrap()
    }

    #[test]
    fn a_revision_goes_first_and_only_beside_names_that_may_take_it() {
        assert_eq!(
            devices(target("lnl:4")),
            [("lnl-m", Some(4)), ("lnl", Some(4)), ("lnl-m", None)]
        );
        assert_eq!(devices(target("pvc:3")), [("pvc", Some(3)), ("pvc", None)]);
    }

    #[test]
    fn options_are_added_and_the_language_is_replaced() {
        let with = |options| {
            let attempt = Attempt {
                name: "k",
                folder: Path::new("."),
                source: Source::OpenClC(""),
                program: Path::new("ocloc"),
                options,
            };
            attempt.build_options()
        };
        assert_eq!(with(""), "-cl-kernel-arg-info -I source -cl-std=CL2.0");
        assert_eq!(
            with("-cl-std=CL3.0 -DX"),
            "-cl-kernel-arg-info -I source -cl-std=CL3.0 -DX"
        );
    }

    #[test]
    fn the_command_line_is_no_diagnostic() {
        assert_eq!(
            essence("1:2:3: error: x\n\nBuild failed with error code: -11\nCommand was: ocloc a\n"),
            "1:2:3: error: x"
        );
    }
}

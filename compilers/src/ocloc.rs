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

use crate::compiler::{CompileError, Compiled, Compiler, Job, Source};
use crate::process;

/// How long one compilation may take.
const DEADLINE: Duration = Duration::from_secs(300);
/// How long the compiler may take to say its version.
const QUERY_DEADLINE: Duration = Duration::from_secs(30);

/// What ocloc says about source that it understood the command line for, but refuses.
const REFUSED: &str = "Build failed";

/// The folder of the source as the compiler sees it: a name without spaces, which the option
/// string has no way to quote.
const SOURCE_FOLDER: &str = "source";

/// The folder of the job's headers, likewise.
const HEADER_FOLDER: &str = "headers";

/// Intel's offline compiler.
#[derive(Clone, Debug, Default)]
pub struct Ocloc {
    /// The program; if `None`, those that PATH has (`ocloc`, then `ocloc-VERSION`) until one knows
    /// the platform.
    pub program: Option<PathBuf>,
}

impl Compiler for Ocloc {
    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        let programs = match &self.program {
            Some(program) => vec![program.clone()],
            None => installed(),
        };
        if programs.is_empty() {
            return Err(CompileError::Missing);
        }
        let mut words = String::new();
        for program in &programs {
            match (Attempt { job, program }).compile() {
                Ok(compiled) => return Ok(compiled),
                Err(Failure::Unknown(said)) => {
                    words.push_str(&format!("\n{}: {said}", program.display()));
                }
                Err(Failure::Stopped(error)) => return Err(error),
            }
        }
        Err(CompileError::UnknownPlatform {
            platform: job.target.platform.name,
            words,
        })
    }
}

/// Why one compiler did not compile.
#[derive(Debug)]
enum Failure {
    /// It does not know the platform by any of its names: what it said.
    Unknown(String),
    /// Everything else.
    Stopped(CompileError),
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
    job: &'a Job<'a>,
    program: &'a Path,
}

impl Attempt<'_> {
    fn compile(&self) -> Result<Compiled, Failure> {
        let mut last = String::new();
        for (device, revision) in devices(self.job.target) {
            match self.compile_for(device, revision) {
                Err(Failure::Unknown(words)) => last = words,
                done => return done,
            }
        }
        Err(Failure::Unknown(last))
    }

    fn compile_for(&self, device: &str, revision: Option<u8>) -> Result<Compiled, Failure> {
        let place = tempfile::tempdir().map_err(|e| self.failed(&e))?;
        let input = self.files(place.path()).map_err(|e| self.failed(&e))?;
        // A path relative to the caller's folder would be lost in the other one.
        let program = match self.program.components().count() {
            0 | 1 => self.program.to_owned(),
            _ => self.program.canonicalize().map_err(|e| self.failed(&e))?,
        };
        let mut command = Command::new(program);
        command.current_dir(place.path());
        // Without -q: with it, 22.43 keeps the diagnostics to itself.
        command.args(["compile", "-file", input, "-device", device]);
        if matches!(self.job.source, Source::SpirV(_)) {
            command.arg("-spirv_input");
        }
        if let Some(revision) = revision {
            command.args(["-revision_id", &revision.to_string()]);
        }
        command.args(["-options", &self.options()]);
        let internal = format!("-cl-intel-allow-zebin {}", self.job.internal);
        command.args(["-internal_options", internal.trim_end()]);
        command.args(["-output", "kernel", "-output_no_suffix"]);
        let ended = process::run(&mut command, DEADLINE).map_err(|e| self.failed(&e))?;
        let words = essence(&ended.words);
        if ended.status.success() {
            tracing::info!("{} for {device}: {words}", self.program.display());
            let binary = built(place.path()).map_err(|e| self.failed(&e))?;
            return Ok(Compiled { binary, log: words });
        }
        if !ended.words.contains(REFUSED) {
            return Err(Failure::Unknown(words));
        }
        Err(Failure::Stopped(CompileError::Refused {
            device: device.to_owned(),
            log: words,
        }))
    }

    /// Writes what the compiler reads; gives the name of the source's file.
    fn files(&self, place: &Path) -> io::Result<&'static str> {
        let (input, content) = match self.job.source {
            Source::OpenClC(text) => ("kernel.cl", text.as_bytes()),
            Source::SpirV(bytes) => ("kernel.spv", bytes),
        };
        fs::write(place.join(input), content)?;
        if let Some(folder) = self.job.folder {
            symlink(folder.canonicalize()?, place.join(SOURCE_FOLDER))?;
        }
        let headers = place.join(HEADER_FOLDER);
        for header in self.job.headers {
            let path = Path::new(header.name);
            let plain = |part| matches!(part, std::path::Component::Normal(_));
            if !path.components().all(plain) {
                let why = format!("the header's name {:?} leaves its folder", header.name);
                return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
            }
            let path = headers.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&headers))?;
            fs::write(path, header.text)?;
        }
        Ok(input)
    }

    fn options(&self) -> String {
        let mut all = String::from("-cl-kernel-arg-info");
        if self.job.folder.is_some() {
            all.push_str(&format!(" -I {SOURCE_FOLDER}"));
        }
        if !self.job.headers.is_empty() {
            all.push_str(&format!(" -I {HEADER_FOLDER}"));
        }
        if !self.job.options.is_empty() {
            all.push(' ');
            all.push_str(self.job.options);
        }
        all
    }

    fn failed(&self, error: &io::Error) -> Failure {
        let program = self.program.display().to_string();
        let why = error.to_string();
        Failure::Stopped(match error.kind() {
            io::ErrorKind::NotFound => CompileError::NoProgram { program, why },
            _ => CompileError::Failed { program, why },
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
    fn headers_stay_in_their_folder() {
        let written = |name| {
            let place = tempfile::tempdir().unwrap();
            let attempt = Attempt {
                job: &Job {
                    source: Source::OpenClC(""),
                    target: target("tgl"),
                    options: "",
                    internal: "",
                    folder: None,
                    headers: &[crate::Header { name, text: "x" }],
                },
                program: Path::new("ocloc"),
            };
            let done = attempt.files(place.path());
            done.map(|_| place.path().join(HEADER_FOLDER).join(name).is_file())
        };
        assert!(written("inc/a.h").unwrap());
        assert!(written("../a.h").is_err());
        assert!(written("/tmp/a.h").is_err());
    }

    #[test]
    fn the_command_line_is_no_diagnostic() {
        assert_eq!(
            essence("1:2:3: error: x\n\nBuild failed with error code: -11\nCommand was: ocloc a\n"),
            "1:2:3: error: x"
        );
    }
}

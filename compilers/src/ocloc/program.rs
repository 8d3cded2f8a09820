//! Intel's offline compiler as a program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Call, Ended, FAILED, Failure, OUTPUT, PACKAGE, Runner, compile, unknown};
use crate::compiler::{CompileError, Compiled, Compiler, Job};
use crate::place::{Place, write_headers};
use crate::process;
use crate::stamp::stamp;

/// How long one compilation may take.
const DEADLINE: Duration = Duration::from_secs(300);
/// How long the compiler may take to say its version.
const QUERY_DEADLINE: Duration = Duration::from_secs(30);

/// Intel's offline compiler as a program.
#[derive(Clone, Debug, Default)]
pub struct Ocloc {
    /// The program; if `None`, those that PATH has (`ocloc`, then `ocloc-VERSION`) until one knows
    /// the platform.
    pub program: Option<PathBuf>,
}

impl Ocloc {
    /// The programs to try.
    pub(crate) fn programs(&self) -> Vec<PathBuf> {
        match &self.program {
            Some(program) => vec![program.clone()],
            None => on_path(),
        }
    }
}

impl Compiler for Ocloc {
    fn identity(&self) -> String {
        self.programs()
            .iter()
            .map(|program| stamp(program))
            .collect()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        let programs = self.programs();
        if programs.is_empty() {
            return Err(CompileError::Missing);
        }
        let mut words = String::new();
        for program in &programs {
            match compile(&Program(program), job) {
                Ok(compiled) => return Ok(compiled),
                Err(Failure::Unknown(said)) => {
                    words.push_str(&format!("\n{}: {said}", program.display()));
                }
                Err(Failure::Stopped(error)) => return Err(error),
            }
        }
        Err(unknown(job.target, words))
    }
}

/// The driver version that a compiler belongs to, such as `22.43.24595`; `None` if it does not
/// run.
pub fn version(program: &Path) -> Option<String> {
    const QUERY: &str = "OCL_DRIVER_VERSION";
    // It answers with a file of that name in the current folder.
    let folder = Place::new().ok()?;
    let mut command = Command::new(program);
    command.current_dir(folder.path()).args(["query", QUERY]);
    let ended = process::run(&mut command, QUERY_DEADLINE).ok()?;
    let answer = folder.path().join(QUERY);
    if !ended.has_succeeded(answer.exists()) {
        return None;
    }
    let version = fs::read_to_string(answer).ok()?;
    Some(
        version
            .trim_matches(|c: char| c.is_whitespace() || c == '\0')
            .to_owned(),
    )
}

/// The compilers that the environment variable PATH leads to: `ocloc`, then those with a version
/// in their name, the highest first.
fn on_path() -> Vec<PathBuf> {
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

struct Program<'a>(&'a Path);

impl Runner for Program<'_> {
    fn name(&self) -> String {
        self.0.display().to_string()
    }

    fn run(&self, call: &Call<'_>) -> Result<Ended, CompileError> {
        self.run_in_place(call).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CompileError::NoProgram {
                program: self.name(),
                why: format!("{error} ({PACKAGE})"),
            },
            _ => CompileError::of_io(self.0, &error),
        })
    }
}

impl Program<'_> {
    fn run_in_place(&self, call: &Call<'_>) -> io::Result<Ended> {
        let place = Place::new()?;
        let place = place.path();
        let outputs = place.join("out");
        fs::create_dir(&outputs)?;
        let mut command = Command::new(self.0);
        command.args(&call.words);
        for (name, content) in &call.inputs {
            let path = place.join(name);
            fs::write(&path, content)?;
            command.arg("-file").arg(path);
        }
        if let Some(options) = &call.options {
            let mut options = options.clone();
            if !call.headers.is_empty() {
                let headers = place.join("headers");
                write_headers(&headers, call.headers)?;
                options = format!("-I {} {options}", headers.display());
            }
            command.args(["-options", &options]);
        }
        match call.links {
            true => command.arg("-out").arg(outputs.join(OUTPUT)),
            false => command
                .args(["-output", OUTPUT, "-output_no_suffix", "-out_dir"])
                .arg(&outputs),
        };
        let ended = process::run(&mut command, DEADLINE)?;
        let mut files = Vec::new();
        for entry in fs::read_dir(&outputs)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            files.push((name, fs::read(entry.path())?));
        }
        let has_made = !files.is_empty() && !ended.words.contains(FAILED);
        Ok(Ended {
            success: ended.has_succeeded(has_made),
            crash: ended.signal().map(|number| format!("signal {number}")),
            words: ended.words,
            outputs: files,
        })
    }
}

//! Which compiler compiles.

use std::path::Path;
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use crate::cache::Cache;
use crate::clang::Clang;
use crate::compiler::{CompileError, Compiled, Compiler, Job};
use crate::ocloc::{Library, Ocloc};

/// The environment variable that names the compiler: `libocloc`, `ocloc` or `clang`.
pub const COMPILER_VARIABLE: &str = "INTEL_GPU_COMPILER";

/// Compilers, of which the first that knows the platform compiles.
#[derive(Debug)]
pub struct InTurn(pub Vec<Box<dyn Compiler>>);

impl Compiler for InTurn {
    fn identity(&self) -> String {
        let all = self.0.iter().map(|compiler| compiler.identity());
        all.collect::<Vec<_>>().join("|")
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        let mut all = String::new();
        for compiler in &self.0 {
            match compiler.compile(job) {
                Err(CompileError::UnknownPlatform { words, .. }) => all.push_str(&words),
                done => return done,
            }
        }
        match all.is_empty() {
            true => Err(CompileError::Missing),
            false => Err(CompileError::UnknownPlatform {
                platform: job.target.platform.name,
                words: all,
            }),
        }
    }
}

/// The compiler that the environment names; without that all that are installed, in turn: Intel's
/// in this process, then as a program.
///
/// # Errors
/// There is none, or not the one that is named.
pub fn installed() -> Result<&'static dyn Compiler, CompileError> {
    static INSTALLED: OnceLock<Option<Cache<InTurn>>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| choose().ok().map(Cache::new));
    match installed {
        Some(compiler) => Ok(compiler),
        // It says why once more.
        None => choose().and(Err(CompileError::Missing)),
    }
}

fn choose() -> Result<InTurn, CompileError> {
    let name = std::env::var(COMPILER_VARIABLE).unwrap_or_default();
    let chosen: Vec<Box<dyn Compiler>> = match name.as_str() {
        "" => intel(),
        "libocloc" => vec![Box::new(Library::load()?)],
        "ocloc" => vec![Box::new(Ocloc::default())],
        "clang" => vec![Box::new(Clang::find(Box::new(InTurn(intel())))?)],
        other => {
            return Err(CompileError::NoProgram {
                program: format!("{other:?}"),
                why: format!("{COMPILER_VARIABLE} is one of libocloc, ocloc and clang"),
            });
        }
    };
    match chosen.is_empty() {
        true => Err(CompileError::Missing),
        false => Ok(InTurn(chosen)),
    }
}

/// Intel's compilers that are here.
fn intel() -> Vec<Box<dyn Compiler>> {
    let mut found: Vec<Box<dyn Compiler>> = Vec::new();
    if let Ok(library) = Library::load() {
        found.push(Box::new(library));
    }
    let programs = Ocloc::default();
    if !programs.programs().is_empty() {
        found.push(Box::new(programs));
    }
    found
}

/// What tells a file from what it was before it was installed anew.
pub(crate) fn stamp(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (size, time) = match real.metadata() {
        Ok(data) => {
            let time = data.modified().ok();
            let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (data.len(), time.map_or(0, |time| time.as_nanos()))
        }
        Err(_) => (0, 0),
    };
    format!("{} {size} {time};", real.display())
}

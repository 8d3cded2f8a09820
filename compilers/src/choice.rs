//! Which compiler compiles.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use devinfo::Target;

use crate::cache::Cache;
use crate::clang::Clang;
use crate::compiler::{COMPILER_VARIABLE, CompileError, Compiled, Compiler, Job, Product, Source};
use crate::ocloc::{Library, Ocloc};
use crate::own::{NAME as OWN, Own};
use crate::watched::Watched;

/// Intel's compilers that are here, of which the first that knows the platform compiles.
///
/// Text goes to the one in this process first. Modules go to the programs first: a broken module
/// makes the compiler call `abort` or `exit`, which ends the process that it is in.
#[derive(Debug)]
pub struct Intel {
    library: Option<Library>,
    programs: Ocloc,
}

impl Intel {
    /// What is installed.
    pub fn find() -> Self {
        Self {
            library: Library::load().ok(),
            programs: Ocloc::default(),
        }
    }
}

impl Compiler for Intel {
    fn identity(&self) -> String {
        let library = self.library.map(|library| library.identity());
        library.unwrap_or_default() + &self.programs.identity()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        let library = self.library.as_ref().map(|one| one as &dyn Compiler);
        let programs = Some(&self.programs as &dyn Compiler);
        let order = match job.source {
            Source::OpenClC(_) => [library, programs],
            Source::Modules(_) => [programs, library],
        };
        let mut all = String::new();
        for compiler in order.into_iter().flatten() {
            match compiler.compile(job) {
                Err(CompileError::Missing) => {}
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

/// Intel's compilers, and the project's own for platforms that none of them knows: releases of them are
/// older than some platforms.
#[derive(Debug)]
struct Both {
    intel: Intel,
    own: Own,
    /// What the own one compiles for.
    unknown: Mutex<Vec<Target>>,
}

impl Both {
    fn unknown(&self) -> MutexGuard<'_, Vec<Target>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Compiler for Both {
    fn identity(&self) -> String {
        self.intel.identity() + &self.own.identity()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        if !self.unknown().contains(&job.target) {
            match self.intel.compile(job) {
                Err(CompileError::UnknownPlatform { .. }) => self.unknown().push(job.target),
                done => return done,
            }
        }
        let mut made = self.own.compile(job);
        let log = match (&mut made, job.product) {
            (Ok(made), Product::Zebin) => &mut made.log,
            (Err(CompileError::Refused { log, .. }), _) => log,
            _ => return made,
        };
        let platform = job.target.platform.name;
        let who =
            format!("Intel's compiler here does not know {platform}: {OWN} compiles for it\n");
        log.insert_str(0, &who);
        made
    }
}

/// The compiler that the environment names; without that, Intel's, and ours for what it does not know;
/// without that, ours.
///
/// # Errors
/// There is none, or not the one that is named.
pub fn installed() -> Result<&'static dyn Compiler, CompileError> {
    static INSTALLED: OnceLock<Option<Cache<Chosen>>> = OnceLock::new();
    let installed =
        INSTALLED.get_or_init(|| choose().ok().map(|chosen| Cache::new(Watched(chosen))));
    match installed {
        Some(compiler) => Ok(compiler),
        // It says why once more.
        None => choose().and(Err(CompileError::Missing)),
    }
}

/// What [`choose`] gives, for kernels that may be checked.
type Chosen = Watched<Box<dyn Compiler>>;

fn choose() -> Result<Box<dyn Compiler>, CompileError> {
    let name = std::env::var(COMPILER_VARIABLE).unwrap_or_default();
    let compiler: Box<dyn Compiler> = match name.as_str() {
        "" => match Intel::find() {
            intel if intel.identity().is_empty() => Box::new(Own::new(front())),
            intel => Box::new(Both {
                intel,
                own: Own::new(front()),
                unknown: Mutex::default(),
            }),
        },
        "own" => Box::new(Own::new(front())),
        "libocloc" => Box::new(Library::load()?),
        "ocloc" => Box::new(Ocloc::default()),
        "clang" => Box::new(Clang::find(Box::new(Intel::find()))?),
        other => {
            return Err(CompileError::NoProgram {
                program: format!("{other:?}"),
                why: format!("{COMPILER_VARIABLE} is one of own, libocloc, ocloc and clang"),
            });
        }
    };
    match compiler.identity().is_empty() {
        true => Err(CompileError::Missing),
        false => Ok(compiler),
    }
}

/// The platform for which Intel's compiler makes SPIR-V of text if it does not know the one that is
/// wanted. Those that releases do not know are newer than them, and like this one have images, sub-groups
/// and double precision, which is all that text may ask for. It has no motion estimation: for platforms that
/// do, 22.43 cannot read its own headers in OpenCL C 1.1.
const STAND_IN: &str = "bdw";

/// What makes SPIR-V of text: Intel's compiler, or clang if that is not installed.
#[derive(Debug)]
pub struct Front {
    intel: Intel,
    clang: Option<Clang>,
}

impl Front {
    /// What is installed.
    pub fn find() -> Self {
        Self {
            intel: Intel::find(),
            clang: Clang::find(Box::new(Intel::find())).ok(),
        }
    }
}

impl Compiler for Front {
    fn identity(&self) -> String {
        let clang = self.clang.as_ref().map(Compiler::identity);
        self.intel.identity() + &clang.unwrap_or_default()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        let mut made = self.intel.compile(job);
        if let (Err(CompileError::UnknownPlatform { .. }), Ok(target)) =
            (&made, Target::parse(STAND_IN))
            && job.product == Product::Module
        {
            made = self.intel.compile(&Job { target, ..*job });
            if let Err(CompileError::Refused { device, .. }) = &mut made {
                *device = job.target.to_string();
            }
        }
        match (made, &self.clang) {
            (Err(CompileError::Missing | CompileError::UnknownPlatform { .. }), Some(clang)) => {
                clang.compile(job)
            }
            (done, _) => done,
        }
    }
}

/// [`Front`], if there is any.
fn front() -> Option<Box<dyn Compiler>> {
    let front = Front::find();
    (!front.identity().is_empty()).then(|| Box::new(front) as Box<dyn Compiler>)
}

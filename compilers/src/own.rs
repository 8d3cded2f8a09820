//! The compiler of this project: SPIR-V becomes a zebin. Text is SPIR-V of another compiler first.

use std::panic::catch_unwind;
use std::path::PathBuf;

use crate::clang::link;
use crate::compiler::{COMPILER_VARIABLE, CompileError, Compiled, Compiler, Job, Product, Source};
use crate::stamp::stamp;

/// What messages call the compiler.
pub(crate) const NAME: &str = "eu-compiler";

/// The compiler of this project, behind one that makes SPIR-V of text.
#[derive(Debug)]
pub struct Own {
    front: Option<Box<dyn Compiler>>,
}

impl Own {
    /// Behind `front`; without it, for SPIR-V alone.
    pub fn new(front: Option<Box<dyn Compiler>>) -> Self {
        Self { front }
    }

    fn front(&self) -> Result<&dyn Compiler, CompileError> {
        self.front.as_deref().ok_or(CompileError::Missing)
    }
}

impl Compiler for Own {
    fn identity(&self) -> String {
        let own = code().map(|path| stamp(&path)).unwrap_or_default();
        let front = self.front.as_ref().map(|front| front.identity());
        format!("{NAME} {own}{}", front.unwrap_or_default())
    }

    fn own_name(&self) -> Option<&'static str> {
        Some(NAME)
    }

    fn takes_text(&self) -> bool {
        self.front.is_some()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        match (job.source, job.product) {
            (Source::OpenClC(_), Product::Module) => self.front()?.compile(job),
            (Source::OpenClC(_), Product::Zebin) => {
                let module = self.front()?.compile(&Job {
                    product: Product::Module,
                    ..*job
                })?;
                let zebin = zebin(&module.binary, job)?;
                Ok(Compiled {
                    log: module.log,
                    ..zebin
                })
            }
            (Source::Modules(modules), Product::Module) => link(modules),
            (Source::Modules([module]), Product::Zebin) => zebin(module, job),
            (Source::Modules(modules), Product::Zebin) => zebin(&link(modules)?.binary, job),
        }
    }
}

fn zebin(module: &[u8], job: &Job<'_>) -> Result<Compiled, CompileError> {
    let options = eu_compiler::Options {
        revision: Some(job.target.revision),
        checked: job.checked,
        ..eu_compiler::Options::new(job.target.platform)
    };
    let refused = |why: String| CompileError::Refused {
        compiler: NAME,
        device: job.target.to_string(),
        log: format!("{why}\n{NAME} compiles here; {COMPILER_VARIABLE} names another compiler"),
        crashed: false,
    };
    // A fault of the compiler is no end of the program that has a kernel compiled.
    let compiled = catch_unwind(|| eu_compiler::compile(module, &options));
    let compiled =
        compiled.map_err(|_| refused("the compiler panicked; this is a fault of it".into()))?;
    let zebin = compiled.map_err(|error| refused(error.to_string()))?;
    Ok(Compiled {
        binary: zebin.bytes,
        log: String::new(),
    })
}

/// The file with this code: a program or a library.
fn code() -> Option<PathBuf> {
    let address = code as fn() -> Option<PathBuf> as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| {
        let range = line
            .split(' ')
            .next()
            .and_then(|range| range.split_once('-'));
        let number = |text| usize::from_str_radix(text, 16).unwrap_or(0);
        range.is_some_and(|(from, to)| (number(from)..number(to)).contains(&address))
    })?;
    line.find('/')
        .and_then(|at| line.get(at..))
        .map(PathBuf::from)
}

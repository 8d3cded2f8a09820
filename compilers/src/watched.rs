//! Kernels that run where rules are checked say which accesses leave their arrays.

use spirv_module::Module;

use crate::compiler::{CompileError, Compiled, Compiler, Job, Product, Source};

/// Which code is added: another number for each change, so that caches know it.
const CODE: &str = "checks 25;";

/// A compiler with [`Module::with_bounds`] before it, for jobs that are checked.
#[derive(Debug)]
pub struct Watched<C>(pub C);

impl<C: Compiler> Compiler for Watched<C> {
    fn identity(&self) -> String {
        match self.0.identity() {
            none if none.is_empty() => none,
            back => back + CODE,
        }
    }

    fn own_name(&self) -> Option<&'static str> {
        self.0.own_name()
    }

    fn takes_text(&self) -> bool {
        self.0.takes_text()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        if !job.checked || job.product != Product::Zebin {
            return self.0.compile(job);
        }
        let mut log = String::new();
        let made;
        let modules: &[&[u8]] = match job.source {
            Source::Modules(modules) => modules,
            Source::OpenClC(_) => {
                let product = Product::Module;
                let front = self.0.compile(&Job { product, ..*job })?;
                (made, log) = (front.binary, front.log);
                &[&made]
            }
        };
        let whole = modules.len() == 1;
        let watched = modules.iter().map(|module| with_bounds(module, whole));
        let watched: Vec<_> = watched.collect();
        if watched.iter().all(Option::is_none) {
            return self.0.compile(job);
        }
        let pairs = watched.iter().zip(modules);
        let modules: Vec<&[u8]> = pairs
            .map(|(watched, module)| watched.as_deref().unwrap_or(module))
            .collect();
        let source = Source::Modules(&modules);
        match self.0.compile(&Job { source, ..*job }) {
            Ok(zebin) => Ok(Compiled {
                log: lines([&log, &zebin.log]),
                ..zebin
            }),
            Err(error) => {
                let plain = self.0.compile(job)?;
                let why = format!("accesses that leave their arrays are not found: {error}");
                Ok(Compiled {
                    log: lines([&plain.log, &why]),
                    ..plain
                })
            }
        }
    }
}

/// SPIR-V, which may be the `whole` program, with reports of accesses that leave their arrays; `None` if it
/// has none to look at, or is no SPIR-V.
pub fn with_bounds(module: &[u8], whole: bool) -> Option<Vec<u8>> {
    Module::parse(module).ok()?.with_bounds(whole)
}

fn lines(logs: [&str; 2]) -> String {
    let logs = logs.into_iter().filter(|log| !log.is_empty());
    logs.collect::<Vec<_>>().join("\n")
}

//! clang and llvm-spirv: OpenCL C becomes SPIR-V, of which another compiler makes a zebin.

mod language;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use self::language::{LANGUAGE, arguments};
use spirv_module::{Malformed, Module, with_pointers_alike};

use crate::compiler::{CompileError, Compiled, Compiler, Job, Product, Source};
use crate::options::words;
use crate::place::{Place, write_headers};
use crate::process;
use crate::stamp::stamp;

/// How long one program may take.
const DEADLINE: Duration = Duration::from_secs(300);

/// Names of each program, the first that is installed, and its Debian package.
const CLANG: (&[&str], &str) = (&["clang-14", "clang"], "clang-14");
const TO_SPIRV: (&[&str], &str) = (&["llvm-spirv-14", "llvm-spirv"], "llvm-spirv-14");
const LINK: (&[&str], &str) = (&["spirv-link"], "spirv-tools");

/// What SPIR-V may use beyond its core.
const EXTENSIONS: &str = "--spirv-ext=+SPV_INTEL_subgroups,+SPV_KHR_no_integer_wrap_decoration,\
                          +SPV_INTEL_media_block_io";

/// The types of arguments as the source has them stay, in texts.
const ARGUMENTS: &str = "--preserve-ocl-kernel-arg-type-metadata-through-string";

/// What clang does not declare: Intel's functions of sub-groups.
const INTEL_SUBGROUPS: &str = include_str!("intel_subgroups.h");
const INTEL_SUBGROUPS_NAME: &str = "intel_subgroups.h";

/// clang and llvm-spirv, and what compiles their SPIR-V.
#[derive(Debug)]
pub struct Clang {
    clang: PathBuf,
    to_spirv: PathBuf,
    back: Box<dyn Compiler>,
}

impl Clang {
    /// The programs that PATH has, before `back`.
    ///
    /// # Errors
    /// Which is missing, and its package.
    pub fn find(back: Box<dyn Compiler>) -> Result<Self, CompileError> {
        Ok(Self {
            clang: find(CLANG)?,
            to_spirv: find(TO_SPIRV)?,
            back,
        })
    }

    /// SPIR-V of OpenCL C.
    fn module(&self, text: &[u8], job: &Job<'_>) -> Result<Compiled, CompileError> {
        let bad = failed(&self.clang);
        let place = Place::new().map_err(&bad)?;
        let (source, bitcode) = (
            place.path().join("kernel.cl"),
            place.path().join("kernel.bc"),
        );
        let headers = place.path().join("headers");
        let declarations = place.path().join(INTEL_SUBGROUPS_NAME);
        fs::write(&source, text).map_err(&bad)?;
        fs::write(&declarations, INTEL_SUBGROUPS).map_err(&bad)?;
        write_headers(&headers, job.headers).map_err(&bad)?;
        let mut command = Command::new(&self.clang);
        command
            .args([
                "-x",
                "cl",
                "-target",
                "spir64-unknown-unknown",
                "-emit-llvm",
                "-c",
            ])
            // Optimising is for what comes after, but the code may not say that it is not wanted.
            .args(["-O1", "-Xclang", "-disable-llvm-passes"])
            .args([
                "-cl-kernel-arg-info",
                "-Xclang",
                "-finclude-default-header",
                "-include",
            ])
            .arg(&declarations)
            .args(arguments(job.target.platform, job.options))
            .arg("-I")
            .arg(&headers);
        if let Some(folder) = job.folder {
            command.arg("-I").arg(folder);
        }
        // A quote that is not closed is the compiler's to judge.
        let mut options = words(job.options).unwrap_or_else(|_| vec![job.options.to_owned()]);
        // clang 14 does not know it, and it forbids nothing: sub-groups need make no progress by themselves.
        options.retain(|option| option != NO_PROGRESS);
        command.args(options);
        command.arg(&source).arg("-o").arg(&bitcode);
        let compiled = process::run(&mut command, DEADLINE).map_err(&bad)?;
        // The source has no name that anyone knows.
        let log = compiled
            .words
            .replace(&format!("{}:", source.display()), "")
            .replace(&declarations.display().to_string(), INTEL_SUBGROUPS_NAME)
            .trim()
            .to_owned();
        if !compiled.has_succeeded(bitcode.exists()) {
            let compiler = "clang";
            return Err(match log.lines().any(is_of_options) {
                true => CompileError::Options { compiler, log },
                false => CompileError::Refused {
                    compiler,
                    device: "SPIR-V".to_owned(),
                    log,
                    crashed: compiled.signal().is_some(),
                },
            });
        }
        let module = place.path().join("kernel.spv");
        let mut command = Command::new(&self.to_spirv);
        command
            .args([EXTENSIONS, ARGUMENTS])
            .arg(&bitcode)
            .arg("-o")
            .arg(&module);
        let binary = spirv(&mut command, &self.to_spirv, &module, "llvm-spirv")?;
        Ok(Compiled { binary, log })
    }
}

impl Compiler for Clang {
    fn identity(&self) -> String {
        let own = [&self.clang, &self.to_spirv].map(|path| stamp(path));
        own.concat() + LANGUAGE + INTEL_SUBGROUPS + &self.back.identity()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        match (job.source, job.product) {
            (Source::OpenClC(text), Product::Module) => self.module(text, job),
            (Source::OpenClC(text), Product::Zebin) => {
                let module = self.module(text, job)?;
                let modules: &[&[u8]] = &[&module.binary];
                let zebin = self.back.compile(&Job {
                    source: Source::Modules(modules),
                    ..*job
                })?;
                let log = [module.log, zebin.log];
                let log = log.iter().filter(|log| !log.is_empty()).map(String::as_str);
                Ok(Compiled {
                    log: log.collect::<Vec<_>>().join("\n"),
                    ..zebin
                })
            }
            (Source::Modules(modules), Product::Module) => link(modules),
            (Source::Modules([_]), Product::Zebin) => self.back.compile(job),
            (Source::Modules(modules), Product::Zebin) => {
                let linked = link(modules)?;
                self.back.compile(&Job {
                    source: Source::Modules(&[&linked.binary]),
                    ..*job
                })
            }
        }
    }
}

/// The option that does without sub-groups' progress by themselves.
const NO_PROGRESS: &str = "-cl-no-subgroup-ifp";

/// Whether clang says that an option, or its value, is wrong: what it says of source has a place before it.
fn is_of_options(line: &str) -> bool {
    let said = line.split_once("error: ");
    let said = said.filter(|(who, _)| who.is_empty() || who.starts_with("clang"));
    said.is_some_and(|(_, what)| {
        what.starts_with("unknown argument") || what.starts_with("invalid value '")
    })
}

/// Where SPIR-V has its version.
const VERSION: Range<usize> = 4..8;

/// Links SPIR-V into one module.
pub(crate) fn link(modules: &[&[u8]]) -> Result<Compiled, CompileError> {
    check_definitions(modules)?;
    let parsed = modules.iter().enumerate().map(|(index, module)| {
        Ok(Module::parse(module)?
            .without_aliases()
            .linkable(index == 0))
    });
    // What is no module is the linker's to refuse.
    let alike = parsed
        .collect::<Result<Vec<_>, Malformed>>()
        .map(with_pointers_alike);
    let alike: Vec<_> = alike.iter().flatten().map(Module::to_bytes).collect();
    let alike: Vec<_> = alike.iter().map(Vec::as_slice).collect();
    let modules = match alike.is_empty() {
        true => modules,
        false => &alike,
    };
    let program = find(LINK)?;
    let bad = failed(&program);
    let place = Place::new().map_err(&bad)?;
    let linked = place.path().join("linked.spv");
    let mut command = Command::new(&program);
    command
        .args(["--allow-partial-linkage", "--create-library", "-o"])
        .arg(&linked);
    // Modules of one version only are linked, so all get the highest.
    let version = |module: &&[u8]| module.get(VERSION).unwrap_or_default().to_vec();
    let highest = modules.iter().map(version).max_by_key(|version| {
        let version = version.iter().rev();
        version.copied().collect::<Vec<_>>()
    });
    for (index, module) in modules.iter().enumerate() {
        let path = place.path().join(format!("module{index}.spv"));
        let mut module = module.to_vec();
        if let Some((own, highest)) = module.get_mut(VERSION).zip(highest.as_deref()) {
            own.copy_from_slice(highest);
        }
        fs::write(&path, module).map_err(&bad)?;
        command.arg(path);
    }
    let binary = spirv(&mut command, &program, &linked, "spirv-link")?;
    let log = String::new();
    Ok(Compiled { binary, log })
}

/// `spirv-link` takes the first of several functions with one name.
fn check_definitions(modules: &[&[u8]]) -> Result<(), CompileError> {
    let modules = modules.iter().filter_map(|bytes| Module::parse(bytes).ok());
    let mut known = HashSet::new();
    let mut log = Vec::new();
    for name in modules.flat_map(|module| module.definitions()) {
        if let Some(name) = known.replace(name) {
            log.push(format!("error: {name} is defined more than once"));
        }
    }
    match log.is_empty() {
        true => Ok(()),
        false => Err(CompileError::Refused {
            compiler: "the linker",
            device: "SPIR-V".to_owned(),
            log: log.join("\n"),
            crashed: false,
        }),
    }
}

/// What a program made of SPIR-V.
fn spirv(
    command: &mut Command,
    program: &Path,
    output: &Path,
    compiler: &'static str,
) -> Result<Vec<u8>, CompileError> {
    let ended = process::run(command, DEADLINE).map_err(failed(program))?;
    match ended.has_succeeded(output.exists()) {
        true => fs::read(output).map_err(failed(program)),
        false => Err(CompileError::Refused {
            compiler,
            device: "SPIR-V".to_owned(),
            log: ended.words.trim().to_owned(),
            crashed: ended.signal().is_some(),
        }),
    }
}

fn find((names, package): (&[&str], &str)) -> Result<PathBuf, CompileError> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&folders).collect();
    let found = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file());
    found.ok_or_else(|| CompileError::NoProgram {
        program: names.join(" or "),
        why: format!("it is not installed (Debian: {package})"),
    })
}

fn failed(program: &Path) -> impl Fn(io::Error) -> CompileError + '_ {
    move |error| CompileError::of_io(program, &error)
}

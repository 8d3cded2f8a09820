//! Intel's offline compiler, if it is installed: OpenCL C and SPIR-V become zebins.
//!
//! It is a library and a program with the same command line. [`Runner`] is what differs.
//!
//! Releases differ in what they know. 22.43 compiles for Gen8 to XeHPC and takes a revision beside
//! every name; 26.27 knows no Gen8, Gen9 and Gen11, but what came after XeHPC, and takes a revision
//! only beside the name of a product family (`lnl`, not `lnl-m`). Nobody but the compiler tells
//! which names it has, so they are tried in turn.

mod library;
mod program;
mod signals;

use std::borrow::Cow;
use std::os::unix::fs::symlink;

use devinfo::{Platform, Target};
use spirv_module::Module;

use crate::compiler::{CompileError, Compiled, Header, Job, Product, Source};
use crate::features::excess;
use crate::options::language;
use crate::place::Place;

pub use library::Library;
pub use program::{Ocloc, version};

/// What messages call the compiler.
const NAME: &str = "ocloc";
/// The Debian package with the program and the library.
const PACKAGE: &str = "Debian: intel-opencl-icd";

/// What it says of a compilation that failed, before the code: those of source that it understood
/// the command line for, but refuses, and of a crash. Another is that of a device that it does not
/// know.
const FAILED: &str = "Build failed";
const OF_CRASH: &str = "error code: -5152";
const OF_SOURCE: [&str; 2] = ["error code: -11", OF_CRASH];
/// What it says of options that it does not know.
const UNKNOWN_OPTIONS: &str = "Unrecognized build options:";
/// What modules begin with that are not SPIR-V: LLVM's bitcode, bare or in its wrapper.
const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// A call of the compiler.
struct Call<'a> {
    /// The command, and what is neither a file nor options.
    words: Vec<String>,
    /// Files that it reads, by name.
    inputs: Vec<(String, &'a [u8])>,
    /// Files that `#include` finds.
    headers: &'a [Header<'a>],
    /// Options of the language, if the command takes them.
    options: Option<String>,
    /// Whether it links, which names its output otherwise.
    links: bool,
}

/// What a call left.
struct Ended {
    success: bool,
    /// How it ended, if it crashed.
    crash: Option<String>,
    /// What it said.
    words: String,
    /// The files that it made, by name.
    outputs: Vec<(String, Vec<u8>)>,
}

/// Runs the compiler.
trait Runner {
    fn name(&self) -> String;

    fn run(&self, call: &Call<'_>) -> Result<Ended, CompileError>;
}

/// Why one compiler did not compile.
#[derive(Debug)]
enum Failure {
    /// It does not know the platform by any of its names: what it said.
    Unknown(String),
    /// Everything else.
    Stopped(CompileError),
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Self {
        Self::Stopped(error)
    }
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

/// Compiles with one release of the compiler.
fn compile(runner: &dyn Runner, job: &Job<'_>) -> Result<Compiled, Failure> {
    let bad = |error: std::io::Error| CompileError::Failed {
        program: runner.name(),
        why: error.to_string(),
    };
    // A name without spaces, which the option string has no way to quote.
    let place = job.folder.map(|_| Place::new()).transpose();
    let place = place.map_err(bad)?;
    let mut options = String::from("-cl-kernel-arg-info");
    if let (Some(folder), Some(place)) = (job.folder, &place) {
        let link = place.path().join("source");
        let linked = folder.canonicalize().and_then(|to| symlink(to, &link));
        linked.map_err(bad)?;
        options.push_str(&format!(" -I {}", link.display()));
    }
    if !job.options.is_empty() {
        options.push(' ');
        // It parts options at spaces alone.
        options.push_str(&job.options.replace(['\t', '\n', '\r'], " "));
    }
    let linked;
    let job = match job.source {
        Source::Modules(modules) if modules.len() != 1 || job.product == Product::Module => {
            linked = link(runner, modules)?;
            if job.product == Product::Module {
                return Ok(linked);
            }
            &Job {
                source: Source::Modules(&[&linked.binary]),
                ..*job
            }
        }
        _ => job,
    };
    let mut last = String::new();
    for (device, revision) in devices(job.target) {
        match compile_for(runner, job, &options, device, revision) {
            Err(Failure::Unknown(words)) => last = words,
            done => return done,
        }
    }
    Err(Failure::Unknown(last))
}

/// Links modules into one of LLVM's bitcode.
fn link(runner: &dyn Runner, modules: &[&[u8]]) -> Result<Compiled, CompileError> {
    let modules: Vec<_> = modules
        .iter()
        .map(|module| without_operations(module))
        .collect();
    let inputs = modules.iter().enumerate();
    let ended = runner.run(&Call {
        words: vec!["link".to_owned()],
        inputs: inputs
            .map(|(index, module)| (format!("module{index}"), &**module))
            .collect(),
        headers: &[],
        options: None,
        links: true,
    })?;
    let log = essence(&ended.words);
    let output = ended.outputs.into_iter().next();
    if let Some((_, binary)) = output.filter(|_| ended.success) {
        return Ok(Compiled { binary, log });
    }
    let crashed = ended.crash.is_some();
    let how = ended.crash.unwrap_or_else(|| "no output".to_owned());
    Err(CompileError::Refused {
        crashed,
        compiler: NAME,
        device: "all devices".to_owned(),
        log: format!("{log}\nthe linker failed ({how})")
            .trim()
            .to_owned(),
    })
}

/// A module without operations on constants, but for those of addresses: 22.43 calls `abort` at arithmetic,
/// comparisons and what takes constants apart.
fn without_operations(module: &[u8]) -> Cow<'_, [u8]> {
    match Module::parse(module) {
        Ok(parsed) => parsed.folded().to_bytes().into(),
        Err(_) => module.into(),
    }
}

/// A text as the library takes it, which reads until a zero, and gives up if there is nothing. Without
/// the zero, a header goes on with what lies behind it, which is the next one.
fn ended(text: &[u8]) -> Vec<u8> {
    [text, b"\n\0"].concat()
}

/// A source without the macros that the compiler defines for what the platform does not have. Its lines have the
/// numbers that they had.
fn without_excess(text: &[u8], platform: &Platform, options: &str) -> Vec<u8> {
    // The mark of UTF-8 is one at the beginning only.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    // The program may define them itself.
    let names = excess(platform).filter(|name| !options.contains(name));
    let lines: String = names.map(|name| format!("#undef {name}\n")).collect();
    [lines.as_bytes(), b"#line 1\n", text].concat()
}

fn compile_for(
    runner: &dyn Runner,
    job: &Job<'_>,
    options: &str,
    device: &str,
    revision: Option<u8>,
) -> Result<Compiled, Failure> {
    // Without -q: with it, 22.43 keeps the diagnostics to itself.
    let mut words: Vec<_> = ["compile", "-device", device].map(str::to_owned).into();
    let (ended_text, folded);
    let (name, content) = match job.source {
        Source::OpenClC(text) => {
            ended_text = ended(&without_excess(text, job.target.platform, options));
            ("kernel.cl", ended_text.as_slice())
        }
        Source::Modules(modules) => {
            let module = modules.first().copied().unwrap_or_default();
            let is_bitcode = BITCODE.iter().any(|magic| module.starts_with(magic));
            let (name, flag) = match is_bitcode {
                true => ("kernel.bc", "-llvm_input"),
                false => ("kernel.spv", "-spirv_input"),
            };
            words.push(flag.to_owned());
            folded = without_operations(module);
            (name, &*folded)
        }
    };
    if job.product == Product::Module {
        words.push("-spv_only".to_owned());
    }
    if let Some(revision) = revision {
        words.extend(["-revision_id".to_owned(), revision.to_string()]);
    }
    let mut internal = vec!["-cl-intel-allow-zebin", job.internal];
    match job.target.platform.images {
        true => internal.push(DEPTH_IMAGES),
        false if language(options).as_deref() == Some("CL3.0") => internal.push(IMAGES),
        false => {}
    }
    internal.retain(|options| !options.is_empty());
    words.extend(["-internal_options".to_owned(), internal.join(" ")]);
    let ended = runner.run(&Call {
        words,
        inputs: vec![(name.to_owned(), content)],
        headers: job.headers,
        options: Some(options.to_owned()),
        links: false,
    })?;
    let mut log = essence(&ended.words);
    if BAD_SIZE.iter().any(|words| log.contains(words)) {
        let platform = job.target.platform;
        let sizes = platform.simd_widths.iter().map(u8::to_string);
        let sizes = sizes.collect::<Vec<_>>().join(", ");
        log.push_str(&format!("\n{} has sub-groups of {sizes}", platform.title));
    }
    if !ended.success {
        // Without a word it gave up, which it does by ending the process.
        let crash = ended.crash.or(log.is_empty().then(|| "exit".to_owned()));
        let crashed = crash.is_some() || ended.words.contains(OF_CRASH);
        let log = match crash {
            Some(how) => format!("{log}\nthe compiler crashed ({how})")
                .trim()
                .to_owned(),
            None if !known(&ended.words) => return Err(Failure::Unknown(log)),
            None => log,
        };
        return Err(match log {
            log if ended.words.contains(UNKNOWN_OPTIONS) => CompileError::Options {
                compiler: NAME,
                log,
            }
            .into(),
            log => CompileError::Refused {
                compiler: NAME,
                device: device.to_owned(),
                log,
                crashed,
            }
            .into(),
        });
    }
    tracing::info!("{} for {device}: {log}", runner.name());
    let wanted = |name: &str| match job.product {
        Product::Module => name.ends_with(".spv"),
        // Newer releases add an extension to any name.
        Product::Zebin => name == OUTPUT || name.strip_suffix(".bin") == Some(OUTPUT),
    };
    let output = ended.outputs.into_iter().find(|(name, _)| wanted(name));
    let (_, binary) = output.ok_or_else(|| CompileError::Refused {
        compiler: NAME,
        device: device.to_owned(),
        log: "the compiler said that it succeeded, and left no output".to_owned(),
        crashed: true,
    })?;
    let binary = match job.product {
        Product::Zebin => binary,
        // Before anything is added to the module, or to its ids.
        Product::Module => {
            let failed = |why| CompileError::Failed {
                program: runner.name(),
                why,
            };
            let module = Module::parse(&binary).map_err(|error| failed(error.to_string()))?;
            let found = module.with_decorations_found();
            found.map_err(|error| failed(error.to_string()))?.to_bytes()
        }
    };
    Ok(Compiled { binary, log })
}

/// Lets 22.43 read its own headers in OpenCL C 3.0 for a platform without images: they declare
/// functions of images whether there are images or not.
const IMAGES: &str = "-cl-ext=+__opencl_c_images,+__opencl_c_read_write_images";

/// Has 22.43 know images of depths in OpenCL C 1.2, too.
const DEPTH_IMAGES: &str = "-cl-ext=+cl_khr_depth_images";

/// Whether a failure is one of the source: the compiler knew the platform and the command line.
fn known(words: &str) -> bool {
    let mut said = OF_SOURCE.iter().chain([&UNKNOWN_OPTIONS]);
    said.any(|said| words.contains(said))
}

/// What the compiler says of a size of sub-groups that the platform does not have, without naming those
/// that it has.
const BAD_SIZE: [&str; 2] = [
    "Unsupported required sub group size",
    "with required subgroup size",
];

/// The name of the output.
const OUTPUT: &str = "kernel";

/// What the compiler says of itself: what it was called with and how that ended.
const ACCOUNTS: [&str; 7] = [
    "Command was:",
    "Command number",
    "Build command",
    "Build succeeded.",
    "Compilation from IR - skipping loading of FCL",
    "Linker execution has",
    FAILED,
];

/// What the compiler said of the source.
fn essence(words: &str) -> String {
    let lines = words
        .lines()
        .filter(|line| !ACCOUNTS.iter().any(|account| line.starts_with(account)));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The error if no release of the compiler knows the platform.
fn unknown(target: Target, words: String) -> CompileError {
    CompileError::UnknownPlatform {
        platform: target.platform.name,
        words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_goes_first_and_only_beside_names_that_may_take_it() {
        let target = |name| Target::parse(name).unwrap();
        assert_eq!(
            devices(target("lnl:4")),
            [("lnl-m", Some(4)), ("lnl", Some(4)), ("lnl-m", None)]
        );
        assert_eq!(devices(target("pvc:3")), [("pvc", Some(3)), ("pvc", None)]);
    }

    #[test]
    fn only_the_source_is_refused() {
        assert!(known("1:1: error: x\nBuild failed with error code: -11\n"));
        assert!(known("Unrecognized build options: -foo"));
        assert!(!known("Build failed with error code: -33\n"));
    }

    #[test]
    fn the_command_line_is_no_diagnostic() {
        assert_eq!(
            essence("1:2:3: error: x\n\nBuild failed with error code: -11\nCommand was: ocloc a\n"),
            "1:2:3: error: x"
        );
    }
}

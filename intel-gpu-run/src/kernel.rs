//! From a kernel file to a binary that a device can run.

use std::path::Path;

use compilers::Source;
use devinfo::Target;
use umd::binary::{ArgKind, RawIsa};
use umd::{Binary, BinaryError};

use crate::exit::Error;
use crate::kernel_file::{KernelFile, Kind};
use crate::{compiler, diagnostics, talk};

/// What the caller knows about a file beyond its content.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The platform that the binary is for: picks from an archive, compiles source, names the
    /// instruction set of raw code.
    pub target: Option<Target>,
    /// The sub-group size of raw instructions.
    pub simd: Option<u32>,
    /// The arguments of raw instructions.
    pub raw_args: Vec<ArgKind>,
    /// How source is compiled.
    pub compiler: compiler::Options,
}

/// The platform that a file names; `None` if it runs anywhere or names none.
///
/// # Errors
/// The file is rejected.
pub fn target_of(file: &KernelFile) -> Result<Option<Target>, Error> {
    let binary = match &file.kind {
        Kind::Zebin(bytes) => zebin(file, bytes, None)?,
        Kind::Assembly(text) => assembly(file, text, None)?,
        Kind::OpenClC(_) | Kind::SpirV(_) | Kind::Raw(_) => return Ok(None),
    };
    Ok(Some(built_for(&binary)))
}

/// Loads a kernel file, and prints the assembler's warnings.
///
/// # Errors
/// The file is rejected, is for another platform than the caller's, or needs something that is
/// missing.
pub fn load(file: &KernelFile, hints: &Hints) -> Result<Binary, Error> {
    match &file.kind {
        Kind::Zebin(bytes) => zebin(file, bytes, hints.target),
        Kind::Assembly(text) => {
            let binary = assembly(file, text, hints.target.as_ref())?;
            if !binary.warnings().is_empty() {
                let warnings = diagnostics::render(&file.name, text, binary.warnings());
                talk::say(warnings.trim_end());
            }
            if let Some(Target { platform, revision }) = hints.target {
                let fits = binary.check_target(platform, revision);
                fits.map_err(|e| rejected(file, &e))?;
            }
            Ok(binary)
        }
        Kind::OpenClC(text) => compile(file, Source::OpenClC(text), hints),
        Kind::SpirV(bytes) => compile(file, Source::Modules(&[bytes]), hints),
        Kind::Raw(code) => raw(file, code, hints),
    }
}

/// The platform that a binary was built for, in the default revision if it runs on that.
pub fn built_for(binary: &Binary) -> Target {
    let target = binary.target();
    let platform = target.platform;
    let default = platform.default_revision;
    let revision = match target.revisions {
        Some((low, _)) if binary.check_target(platform, default).is_err() => low,
        _ => default,
    };
    Target { platform, revision }
}

/// The zebin for `target`, or the first one if there is no target.
fn zebin(file: &KernelFile, bytes: &[u8], target: Option<Target>) -> Result<Binary, Error> {
    match target {
        Some(Target { platform, revision }) => Binary::parse_for(bytes, platform, revision),
        None => Binary::parse(bytes),
    }
    .map_err(|e| rejected(file, &e))
}

fn assembly(file: &KernelFile, text: &str, target: Option<&Target>) -> Result<Binary, Error> {
    Binary::assemble(text, target).map_err(|error| match &error {
        BinaryError::Assembly(found) => {
            Error::Diagnostics(diagnostics::render(&file.name, text, found))
        }
        _ => rejected(file, &error),
    })
}

fn compile(file: &KernelFile, source: Source<'_>, hints: &Hints) -> Result<Binary, Error> {
    let target = hints.target.ok_or_else(|| {
        Error::Usage(format!(
            "{}: {} needs a platform to compile for (-p PLATFORM)",
            file.name,
            file.kind.describe()
        ))
    })?;
    let bytes = compiler::compile(file, source, target, &hints.compiler)?;
    zebin(file, &bytes, Some(target))
}

fn raw(file: &KernelFile, code: &[u8], hints: &Hints) -> Result<Binary, Error> {
    let simd = hints.simd.ok_or_else(|| {
        file.rejected(
            "neither a zebin nor SPIR-V nor text; bare EU instructions do not say what they take \
             (`run` takes them with --simd, `disasm` with -p)",
        )
    })?;
    let target = hints.target.ok_or_else(|| {
        Error::Usage(format!(
            "{}: raw EU instructions need a platform (-p PLATFORM)",
            file.name
        ))
    })?;
    let stem = Path::new(&file.name)
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned());
    let isa = RawIsa {
        platform: target.platform.name.to_owned(),
        simd,
        grf_count: 128,
        name: stem.unwrap_or_else(|| "raw".to_owned()),
        args: hints.raw_args.clone(),
    };
    Binary::raw(code, &isa).map_err(|e| rejected(file, &e))
}

fn rejected(file: &KernelFile, error: &BinaryError) -> Error {
    file.rejected(error)
}

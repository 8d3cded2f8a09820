//! What a compiler is asked, and what it answers.

use std::path::Path;

use devinfo::Target;

/// What to compile.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// OpenCL C.
    OpenClC(&'a str),
    /// SPIR-V.
    SpirV(&'a [u8]),
}

/// A file that `#include` finds by its name.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// The name, which may have folders in it.
    pub name: &'a str,
    /// The content.
    pub text: &'a str,
}

/// What to compile, and how.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The source.
    pub source: Source<'a>,
    /// The platform and revision that the zebin is for.
    pub target: Target,
    /// Options of the compiler for OpenCL C and SPIR-V, such as `-DN=4 -cl-fast-relaxed-math`.
    pub options: &'a str,
    /// Options of the compiler itself, such as `-cl-intel-has-buffer-offset-arg`.
    pub internal: &'a str,
    /// A folder of the disk in which `#include` looks.
    pub folder: Option<&'a Path>,
    /// Files that `#include` finds besides.
    pub headers: &'a [Header<'a>],
}

/// A zebin, and what the compiler said of its source: warnings.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The zebin, also inside an archive.
    pub binary: Vec<u8>,
    /// The compiler's own words; empty if it said nothing.
    pub log: String,
}

/// Why there is no zebin.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// No compiler is here.
    #[error("there is no compiler: install ocloc (Debian: intel-opencl-icd)")]
    Missing,
    /// No compiler here knows the platform: what each of them said.
    #[error("no compiler here knows {platform}{words}")]
    UnknownPlatform {
        /// The platform.
        platform: &'static str,
        /// A line for each compiler.
        words: String,
    },
    /// The compiler refuses the source.
    #[error("ocloc refuses it for {device}:\n{log}")]
    Refused {
        /// The compiler's name of the device.
        device: String,
        /// The compiler's own words.
        log: String,
    },
    /// The program that was named is not there.
    #[error("cannot compile with {program}: {why}")]
    NoProgram {
        /// The program.
        program: String,
        /// Why not.
        why: String,
    },
    /// The compiler did not end as programs do, or its files cannot be written or read.
    #[error("cannot compile with {program}: {why}")]
    Failed {
        /// The program.
        program: String,
        /// Why not.
        why: String,
    },
}

/// A compiler of OpenCL C and SPIR-V.
pub trait Compiler: Send + Sync {
    /// Makes a zebin.
    ///
    /// # Errors
    /// The compiler's own words, if it refuses the source; what is missing.
    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError>;
}

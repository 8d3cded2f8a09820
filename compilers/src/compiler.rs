//! What a compiler is asked, and what it answers.

use std::io;
use std::path::Path;

use devinfo::Target;

/// The environment variable that names the compiler: `own`, `libocloc`, `ocloc` or `clang`.
pub const COMPILER_VARIABLE: &str = "INTEL_GPU_COMPILER";

/// What to compile.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// OpenCL C, which may have any bytes in its literals and comments.
    OpenClC(&'a [u8]),
    /// Modules to link into one: SPIR-V, or what [`Product::Module`] gave before.
    Modules(&'a [&'a [u8]]),
}

/// Whether a text has a word in it, as part of another word too.
pub fn has(text: &[u8], word: &str) -> bool {
    let mut places = text.windows(word.len().max(1));
    places.any(|place| place == word.as_bytes())
}

/// What to make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Product {
    /// What a device runs.
    Zebin,
    /// A module to link: SPIR-V of OpenCL C; of several modules one, in a form that the compiler
    /// likes.
    Module,
}

/// A file that `#include` finds by its name.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// The name, which may have folders in it.
    pub name: &'a str,
    /// The content.
    pub text: &'a [u8],
}

/// What to compile, and how.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The source.
    pub source: Source<'a>,
    /// What to make.
    pub product: Product,
    /// The platform and revision that the product is for.
    pub target: Target,
    /// Options of the compiler for OpenCL C and SPIR-V, such as `-DN=4 -cl-fast-relaxed-math`.
    pub options: &'a str,
    /// Options of the compiler itself, such as `-cl-intel-has-buffer-offset-arg`.
    pub internal: &'a str,
    /// A folder of the disk in which `#include` looks, besides the current one.
    pub folder: Option<&'a Path>,
    /// Files that `#include` finds besides.
    pub headers: &'a [Header<'a>],
    /// The product runs where rules are checked: the built-in compiler leaves private arrays
    /// in memory, and [`Watched`](crate::Watched) adds what tells of arrays and of sub-groups.
    pub checked: bool,
}

/// What a compiler made, and what it said of the source: warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The zebin, also inside an archive; or the module.
    pub binary: Vec<u8>,
    /// The compiler's own words; empty if it said nothing.
    pub log: String,
}

/// Why there is no product.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// No compiler is here.
    #[error(
        "there is no compiler: install libocloc.so or ocloc (Debian: intel-opencl-icd), or clang-14 \
         and llvm-spirv-14"
    )]
    Missing,
    /// No release of Intel's compiler here knows the platform: what each of them said.
    #[error("Intel's compiler here does not know {platform}{words}")]
    UnknownPlatform {
        /// The platform.
        platform: &'static str,
        /// A line for each compiler.
        words: String,
    },
    /// The compiler refuses the source.
    #[error("{compiler} refuses it for {device}:\n{log}")]
    Refused {
        /// The compiler.
        compiler: &'static str,
        /// The compiler's name of the device.
        device: String,
        /// The compiler's own words.
        log: String,
        /// It did not refuse it: it crashed, which the words say.
        crashed: bool,
    },
    /// The compiler does not know an option.
    #[error("{compiler} does not take the options:\n{log}")]
    Options {
        /// The compiler.
        compiler: &'static str,
        /// The compiler's own words.
        log: String,
    },
    /// The program that was named is not there.
    #[error("cannot compile with {program}: {why}")]
    NoProgram {
        /// The program, or what it lies in.
        program: String,
        /// Why not, and what to install.
        why: String,
    },
    /// The compiler cannot be started, or its files cannot be written or read.
    #[error("cannot compile with {program}: {why}")]
    Failed {
        /// The program.
        program: String,
        /// Why not.
        why: String,
    },
    /// The compiler was ended because it took too long.
    #[error("cannot compile with {program}: {why}")]
    Late {
        /// The program.
        program: String,
        /// How long it had.
        why: String,
    },
}

/// Whether another attempt at a job that failed is of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It ends the same way.
    Never,
    /// The compiler crashed, which may be due to the job or to a want of memory: a second attempt tells.
    Once,
    /// What is missing may be there.
    Always,
}

impl CompileError {
    /// The compiler's own words of the source; ours, if it did not get as far.
    pub fn log(&self) -> String {
        match self {
            Self::Refused { log, .. } | Self::Options { log, .. } => log.clone(),
            _ => self.to_string(),
        }
    }

    /// Whether another attempt at the same job may succeed.
    pub fn again(&self) -> Again {
        match self {
            Self::Missing | Self::NoProgram { .. } | Self::Failed { .. } => Again::Always,
            Self::Refused { crashed: true, .. } => Again::Once,
            Self::Refused { .. }
            | Self::UnknownPlatform { .. }
            | Self::Options { .. }
            | Self::Late { .. } => Again::Never,
        }
    }

    /// A program that was not run to its end, or whose files were not written or read.
    pub(crate) fn of_io(program: &Path, error: &io::Error) -> Self {
        let (program, why) = (program.display().to_string(), error.to_string());
        match error.kind() {
            io::ErrorKind::TimedOut => Self::Late { program, why },
            _ => Self::Failed { program, why },
        }
    }
}

/// A compiler of OpenCL C and SPIR-V.
pub trait Compiler: Send + Sync + std::fmt::Debug {
    /// What tells this compiler from others, and its release from others: two that say the same
    /// make the same of the same job. Empty if nothing is installed.
    fn identity(&self) -> String;

    /// Its name, if it is not Intel's that makes zebins: users may want to know.
    fn own_name(&self) -> Option<&'static str> {
        None
    }

    /// Whether it takes OpenCL C, not SPIR-V alone.
    fn takes_text(&self) -> bool {
        true
    }

    /// Compiles.
    ///
    /// # Errors
    /// The compiler's own words, if it refuses the source; what is missing.
    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError>;
}

impl<C: Compiler + ?Sized> Compiler for Box<C> {
    fn identity(&self) -> String {
        (**self).identity()
    }

    fn own_name(&self) -> Option<&'static str> {
        (**self).own_name()
    }

    fn takes_text(&self) -> bool {
        (**self).takes_text()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        (**self).compile(job)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::*;
    use crate::process;

    #[test]
    fn what_took_too_long_does_so_again() {
        let sleep = Path::new("/bin/sleep");
        let again = |deadline| {
            let ended = process::run(Command::new(sleep).arg("9"), deadline);
            CompileError::of_io(sleep, &ended.unwrap_err()).again()
        };
        assert_eq!(again(Duration::from_millis(1)), Again::Never);
        let missing = process::run(&mut Command::new("/nowhere"), Duration::from_secs(1));
        let missing = CompileError::of_io(sleep, &missing.unwrap_err());
        assert_eq!(missing.again(), Again::Always);
    }
}

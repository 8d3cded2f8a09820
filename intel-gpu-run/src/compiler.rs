//! How kernel files of source are compiled.

use std::borrow::Cow;
use std::path::PathBuf;

use compilers::{Cache, CompileError, Compiler, Intel, Job, Ocloc, Product, Source, Watched};
use devinfo::Target;

use crate::exit::Error;
use crate::kernel_file::KernelFile;
use crate::talk;

/// The language of OpenCL C if `--build-options` does not name one.
const LANGUAGE: &str = "-cl-std=CL2.0";

/// Which compiler makes code of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Which {
    /// The built-in one
    Own,
    /// Intel's
    Ocloc,
}

/// How source is compiled.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// Options of the compiler for OpenCL C and SPIR-V, such as `-DN=4 -cl-fast-relaxed-math`; the
    /// language is OpenCL C 2.0 unless they name one. #include also looks in FILE's folder
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub build_options: Option<String>,

    /// Intel's offline compiler; if not given, what is installed (libocloc.so, `ocloc`, then
    /// `ocloc-VERSION`) until one knows the platform
    #[arg(long, value_name = "PROGRAM")]
    pub ocloc: Option<PathBuf>,

    /// Which compiler makes EU code of SPIR-V; OpenCL C becomes SPIR-V first [default: the one that
    /// INTEL_GPU_COMPILER names, else Intel's, else, or for a platform that it does not know, the
    /// built-in one]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub compiler: Option<Which>,

    /// The product runs where rules are checked.
    #[arg(skip)]
    pub checked: bool,
}

impl Options {
    /// The compiler's own options.
    fn all(&self) -> String {
        let given = self.build_options.as_deref().unwrap_or_default();
        match given.contains("-cl-std") {
            true => given.to_owned(),
            false => format!("{LANGUAGE} {given}"),
        }
    }

    fn check(&self) -> Result<(), Error> {
        let given = self.build_options.as_deref().unwrap_or_default();
        let checked = compilers::check_options(given);
        checked.map_err(|why| Error::Usage(format!("--build-options {given:?}: {why}")))
    }
}

/// Compiles a kernel file for a platform.
///
/// # Errors
/// [`Error::Usage`] for options that lack something; [`Error::Rejected`] with the compiler's message if it refuses the source, does not know the
/// platform or is missing; [`Error::Failed`] if it takes too long.
pub fn compile(
    file: &KernelFile,
    source: Source<'_>,
    target: Target,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    options.check()?;
    if options.compiler != Some(Which::Own) {
        return ask(file, source, target, options, Product::Zebin);
    }
    let module = spirv(file, source, target, options)?;
    let mut how = eu_compiler::Options::new(target.platform);
    how.revision = Some(target.revision);
    how.checked = options.checked;
    let watched = options
        .checked
        .then(|| compilers::with_bounds(&module, true));
    let words = watched.flatten().map_or(module, Cow::Owned);
    match eu_compiler::compile(&words, &how) {
        Ok(zebin) => Ok(zebin.bytes),
        Err(error) => Err(file.rejected(error)),
    }
}

/// The SPIR-V of a kernel file that the built-in compiler takes: of text, what another compiler makes of
/// it.
///
/// # Errors
/// As those of [`compile`].
pub fn spirv<'a>(
    file: &KernelFile,
    source: Source<'a>,
    target: Target,
    options: &Options,
) -> Result<Cow<'a, [u8]>, Error> {
    options.check()?;
    match source {
        Source::Modules([module]) => Ok(Cow::Borrowed(module)),
        _ => ask(file, source, target, options, Product::Module).map(Cow::Owned),
    }
}

/// Has a compiler that is installed make a product.
fn ask(
    file: &KernelFile,
    source: Source<'_>,
    target: Target,
    options: &Options,
    product: Product,
) -> Result<Vec<u8>, Error> {
    let job = Job {
        source,
        product,
        target,
        options: &options.all(),
        internal: "",
        folder: Some(&file.folder),
        headers: &[],
        checked: options.checked,
    };
    let own = options.compiler == Some(Which::Own);
    let compiled = match &options.ocloc {
        Some(program) => {
            let program = Some(program.clone());
            Watched(Ocloc { program }).compile(&job)
        }
        None if options.compiler == Some(Which::Ocloc) => {
            Cache::new(Watched(Intel::find())).compile(&job)
        }
        None if own && std::env::var_os(compilers::COMPILER_VARIABLE).is_none() => {
            compilers::Front::find().compile(&job)
        }
        None => compilers::installed().and_then(|compiler| compiler.compile(&job)),
    };
    if let Ok(compiled) = &compiled
        && !compiled.log.is_empty()
    {
        talk::say(compiled.log.trim_end());
    }
    compiled.map(|compiled| compiled.binary).map_err(|error| {
        let hint = match error {
            CompileError::Missing => ", or compile it elsewhere and run the zebin",
            CompileError::UnknownPlatform { .. } => {
                "\nuse --compiler own, name a newer one with --ocloc, or compile it elsewhere and run the \
                 zebin"
            }
            CompileError::Failed { .. } | CompileError::Late { .. } => {
                return Error::Failed(format!("{}: {error}", file.name));
            }
            CompileError::Refused { .. }
            | CompileError::Options { .. }
            | CompileError::NoProgram { .. } => "",
        };
        file.rejected(format_args!("{error}{hint}"))
    })
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn the_language_is_replaced() {
        let with = |options: &str| {
            let options = Options {
                build_options: Some(options.to_owned()),
                ..Options::default()
            };
            options.all()
        };
        assert_eq!(with("-DX"), "-cl-std=CL2.0 -DX");
        assert_eq!(with("-cl-std=CL3.0 -DX"), "-cl-std=CL3.0 -DX");
    }
}

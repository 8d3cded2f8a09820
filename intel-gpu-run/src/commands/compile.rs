//! `compile`: SPIR-V or OpenCL C to EU code, by the built-in compiler.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use compilers::Source;
use devinfo::Target;
use eu_compiler::{Options, compile_showing, pass_names};

use crate::compiler::{self, Which};
use crate::exit::{Error, Exit};
use crate::kernel_file::{KernelFile, Kind};
use crate::{files, platform, talk};

/// Compile SPIR-V or OpenCL C with the built-in compiler
///
/// The output is a zebin, which `run` takes. --emit shows what the compiler made on its way. OpenCL C
/// becomes SPIR-V first, by what is installed: Intel's compiler, or clang with its translator.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// The SPIR-V module, or the OpenCL C (`-` is stdin)
    file: PathBuf,

    /// The platform to compile for
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse)]
    platform: Target,

    /// Where the output goes (`-` is stdout, which is also the default)
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// What to print: `zebin`, `asm`, `spirv` (what the compiler is given), or `ir:PASS`, the intermediate
    /// representation after a pass (`ir` after the last one; `ir:front` before the first one; `ir:schedule`
    /// the machine instructions)
    #[arg(long, value_name = "WHAT", default_value = "zebin")]
    emit: String,

    /// Options for OpenCL C, such as `-DN=4 -g`; the language is OpenCL C 2.0 unless they name one. #include
    /// also looks in FILE's folder
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    build_options: Option<String>,

    /// The sub-group size of kernels that require none
    #[arg(long, value_name = "LANES")]
    simd: Option<u32>,

    /// The registers of a thread
    #[arg(long, value_name = "REGISTERS")]
    grf: Option<u32>,
}

/// What is printed.
enum Emit<'a> {
    Zebin,
    Asm,
    SpirV,
    /// The intermediate representation after the pass.
    Ir(&'a str),
}

impl<'a> Emit<'a> {
    fn parse(text: &'a str) -> Result<Self, Error> {
        Ok(match text {
            "zebin" => Self::Zebin,
            "asm" => Self::Asm,
            "spirv" => Self::SpirV,
            "ir" => Self::Ir(pass_names().last().unwrap_or_default()),
            _ => match text.strip_prefix("ir:") {
                Some(pass) => Self::Ir(pass),
                None => {
                    return Err(Error::Usage(format!(
                        "--emit {text}: there are zebin, asm, spirv, ir and ir:PASS"
                    )));
                }
            },
        })
    }
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Rejected`] if the file is neither SPIR-V nor OpenCL C, or a compiler refuses it.
pub fn run(args: &Args) -> Result<(), Error> {
    let emit = Emit::parse(&args.emit)?;
    if let Some(path) = &args.output {
        files::check_writable(path)?;
    }
    let file = KernelFile::read(&args.file)?;
    let given: [&[u8]; 1];
    let source = match &file.kind {
        Kind::OpenClC(text) => Source::OpenClC(text),
        Kind::SpirV(module) => {
            given = [module];
            Source::Modules(&given)
        }
        kind => {
            let what = kind.describe();
            let why = format_args!("it is {what}; this command takes SPIR-V and OpenCL C");
            return Err(file.rejected(why));
        }
    };
    let front = compiler::Options {
        build_options: args.build_options.clone(),
        compiler: Some(Which::Own),
        ..compiler::Options::default()
    };
    let module = compiler::spirv(&file, source, args.platform, &front)?;
    let pass = match emit {
        Emit::SpirV => return print_binary(args.output.as_deref(), &module, "SPIR-V"),
        Emit::Ir(pass) => Some(pass),
        Emit::Zebin | Emit::Asm => None,
    };
    let options = Options {
        revision: Some(args.platform.revision),
        simd: args.simd,
        registers: args.grf,
        ..Options::new(args.platform.platform)
    };
    let zebin = compile_showing(&module, &options, pass).map_err(|error| match error {
        eu_compiler::Error::Options(what) => Error::Usage(what),
        error => file.rejected(error),
    })?;
    if zebin.kernels.is_empty() {
        talk::say(format_args!("{} has no kernel", args.file.display()));
    }
    for kernel in &zebin.kernels {
        talk::say(format!(
            "{}: SIMD{}, {} registers",
            kernel.name, kernel.simd, kernel.registers
        ));
    }
    if let Emit::Zebin = emit {
        return print_binary(args.output.as_deref(), &zebin.bytes, "the zebin");
    }
    let text = zebin.kernels.iter().map(|kernel| {
        let text = kernel.ir.clone().unwrap_or_else(|| kernel.text());
        format!("//.kernel {}\n{text}", kernel.name)
    });
    let text: String = text.collect();
    match &args.output {
        Some(path) => files::write(path, text.as_bytes()),
        None => files::print(&text),
    }
}

/// Writes what no terminal can show.
fn print_binary(output: Option<&Path>, bytes: &[u8], what: &str) -> Result<(), Error> {
    match output {
        Some(path) => files::write(path, bytes),
        None if io::stdout().is_terminal() => Err(Error::Usage(format!(
            "{what} is binary; say -o OUT, or -o - for this terminal"
        ))),
        None => files::write("-".as_ref(), bytes),
    }
}

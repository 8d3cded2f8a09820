//! `compile`: SPIR-V to EU code, by the built-in compiler.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use devinfo::Target;
use eu_compiler::{Options, compile_showing, pass_names};

use crate::exit::{Error, Exit};
use crate::kernel_file::{KernelFile, Kind};
use crate::{files, platform, talk};

/// Compile SPIR-V with the built-in compiler
///
/// The output is a zebin, which `run` takes. --emit shows what the compiler made on its way.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// The SPIR-V module (`-` is stdin)
    file: PathBuf,

    /// The platform to compile for
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse)]
    platform: Target,

    /// Where the output goes (`-` is stdout, which is also the default)
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// What to print: `zebin`, `asm`, or `ir:PASS`, the intermediate representation after a pass
    /// (`ir` after the last one; `ir:front` before the first one; `ir:schedule` the machine instructions)
    #[arg(long, value_name = "WHAT", default_value = "zebin")]
    emit: String,

    /// The sub-group size of kernels that require none
    #[arg(long, value_name = "LANES")]
    simd: Option<u32>,

    /// The registers of a thread
    #[arg(long, value_name = "REGISTERS")]
    grf: Option<u32>,
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Rejected`] if the file is no SPIR-V or the compiler refuses it.
pub fn run(args: &Args) -> Result<(), Error> {
    let file = KernelFile::read(&args.file)?;
    let Kind::SpirV(module) = &file.kind else {
        return Err(file.rejected(format_args!(
            "it is {}; this command takes SPIR-V (`run --compiler own` takes OpenCL C, too)",
            file.kind.describe()
        )));
    };
    let last = pass_names().last();
    let pass = match args.emit.as_str() {
        "zebin" | "asm" => None,
        "ir" => last,
        other => match other.strip_prefix("ir:") {
            Some(pass) => Some(pass),
            None => {
                return Err(Error::Usage(format!(
                    "--emit {other}: there are zebin, asm, ir and ir:PASS"
                )));
            }
        },
    };
    let options = Options {
        revision: Some(args.platform.revision),
        simd: args.simd,
        registers: args.grf,
        ..Options::new(args.platform.platform)
    };
    let zebin = compile_showing(module, &options, pass).map_err(|error| match error {
        eu_compiler::Error::Options(what) => Error::Usage(what),
        error => file.rejected(error),
    })?;
    for kernel in &zebin.kernels {
        talk::say(format!(
            "{}: SIMD{}, {} registers",
            kernel.name, kernel.simd, kernel.registers
        ));
    }
    let text = zebin.kernels.iter().map(|kernel| {
        let text = kernel.ir.clone().unwrap_or_else(|| kernel.text());
        format!("//.kernel {}\n{text}", kernel.name)
    });
    let bytes = match args.emit.as_str() {
        "zebin" => zebin.bytes.clone(),
        _ => text.collect::<String>().into_bytes(),
    };
    match &args.output {
        Some(path) => files::write(path, &bytes),
        None if args.emit != "zebin" => files::print(&String::from_utf8_lossy(&bytes)),
        None if io::stdout().is_terminal() => Err(Error::Usage(
            "the zebin is binary; say -o OUT, or -o - for this terminal".to_owned(),
        )),
        None => files::write("-".as_ref(), &bytes),
    }
}

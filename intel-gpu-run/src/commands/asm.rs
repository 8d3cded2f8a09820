//! `asm`: assemble EU instructions.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use devinfo::Target;
use isa_encoder::asm::{Assembler, DIRECTIVES};
use isa_encoder::validate::rules;
use isa_encoder::{AsmOptions, Assembly, Diagnostic, Validation};
use serde_json::json;

use crate::exit::{Error, Exit};
use crate::kernel_file::{KernelFile, Text};
use crate::{diagnostics, files, parallel, platform, talk};

/// Assemble EU instructions in IGA syntax
///
/// The output is the bare instructions: of the only kernel, or of all kernels one after the
/// other, each aligned to 64 bytes. `run` takes the .asm file itself, directives included.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP, after_long_help = format!("{}\n{}", directives(), Exit::HELP))]
pub struct Args {
    /// The assembly file (`-` is stdin)
    file: PathBuf,

    /// The platform to assemble for; not needed if the file says `//.platform`
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse)]
    platform: Option<Target>,

    /// Where the instructions go (`-` is stdout, which is also the default)
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Use the 8-byte form of instructions wherever one exists
    #[arg(long)]
    compact: bool,

    /// What to do about instructions that have an encoding, but that hardware forbids
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Check::Warn)]
    validate: Check,

    /// Print which register each argument lands in; the instructions go to OUT only
    #[arg(long, conflicts_with = "json")]
    map: bool,

    /// Print one JSON document about the kernels; the instructions go to OUT only
    #[arg(long)]
    json: bool,
}

/// The directives, for the help text.
fn directives() -> String {
    let mut text = String::from("Directives (comments to Intel's assembler):\n");
    for directive in DIRECTIVES {
        let usage = format!("//.{} {}", directive.name, directive.arguments);
        for (line, meaning) in directive.meaning.lines().enumerate() {
            let usage = if line == 0 { usage.as_str() } else { "" };
            text.push_str(&format!("  {usage:<30}{meaning}\n"));
        }
    }
    text
}

/// The choices of `--validate`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Check {
    /// Warn, and assemble them
    Warn,
    /// Reject the file
    Deny,
    /// Do not look
    Off,
}

impl From<Check> for Validation {
    fn from(check: Check) -> Self {
        match check {
            Check::Warn => Self::Warn,
            Check::Deny => Self::Deny,
            Check::Off => Self::Off,
        }
    }
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Diagnostics`] if the assembler rejects the text.
pub fn run(args: &Args) -> Result<(), Error> {
    // A file without directives is also assembly: the user said so.
    let file = KernelFile::read_text(&args.file)?;
    let text = &file.text;
    let options = AsmOptions {
        family: args.platform.map(|target| target.platform.family),
        platform: args.platform.map(|target| target.platform),
        auto_compact: args.compact,
        validation: args.validate.into(),
    };
    let assembly = in_parallel(text, &options)
        .map_err(|found| Error::Diagnostics(diagnostics::render(&file.name, text, &found)))?;
    if !assembly.warnings.is_empty() {
        talk::say(diagnostics::render(&file.name, text, &assembly.warnings).trim_end());
    }
    // A text for a family is a kernel of each of its platforms.
    let of_family = |family| devinfo::PLATFORMS.iter().find(|one| one.family == family);
    let target = args.platform;
    let target = target.or_else(|| of_family(assembly.family).map(Target::of));
    if !matches!(args.validate, Check::Off) {
        proved(args, &file, target.as_ref())?;
    }
    let report = match (args.map, args.json) {
        (true, _) => Some(map(&file, target.as_ref())?),
        (false, true) => Some(format!("{:#}\n", describe(&assembly))),
        (false, false) => None,
    };
    match (&args.output, &report) {
        (Some(path), Some(_)) if files::is_stream(path) => {
            return Err(Error::Usage(
                "-o -: stdout is for what --map or --json prints; name a file".to_owned(),
            ));
        }
        (Some(path), _) => files::write(path, &assembly.code)?,
        (None, Some(_)) => {}
        (None, None) if io::stdout().is_terminal() => {
            return Err(Error::Usage(
                "the instructions are binary; say -o OUT, or -o - for this terminal".to_owned(),
            ));
        }
        (None, None) => files::write("-".as_ref(), &assembly.code)?,
    }
    match report {
        Some(text) => files::print(&text),
        None => Ok(()),
    }
}

/// The kernels of a text as the loader has them.
fn assembled(file: &Text, target: Option<&Target>) -> Result<umd::Binary, Error> {
    umd::Binary::assemble(&file.text, target)
        .map_err(|e| Error::Rejected(format!("{}: {e}", file.name)))
}

/// Says what the text of whole kernels proves wrong.
///
/// # Errors
/// The loader rejects the text; [`Error::Rejected`] with `--validate deny`.
fn proved(args: &Args, file: &Text, target: Option<&Target>) -> Result<(), Error> {
    // Text without the directive is a piece of a kernel, which may end anywhere.
    if !file.text.contains("//.kernel") {
        return Ok(());
    }
    let binary = assembled(file, target)?;
    let mut lines = Vec::new();
    for kernel in binary.kernels() {
        let findings = binary.audit(&kernel.name).unwrap_or_default();
        // The assembler has said what breaks rules about single instructions.
        let others = findings
            .iter()
            .filter(|found| rules().all(|rule| rule.name != found.rule));
        lines.extend(others.map(|found| format!("{}{found}", kernel.name)));
    }
    match (args.validate, lines.is_empty()) {
        (_, true) => Ok(()),
        (Check::Deny, _) => Err(Error::Rejected(lines.join("\n"))),
        _ => {
            lines
                .iter()
                .for_each(|line| talk::say(format_args!("warning: {line}")));
            Ok(())
        }
    }
}

/// The least text that is worth its own part, in bytes.
const WORTH_A_PART: usize = 128 << 10;

/// Assembles a text, in parts that are read in parallel.
fn in_parallel(text: &str, options: &AsmOptions) -> Result<Assembly, Vec<Diagnostic>> {
    let assembler = Assembler::new(text, options);
    let parts = assembler.parts(parallel::pieces(text.len(), WORTH_A_PART));
    assembler.finish(parallel::map(&parts, |part| assembler.read(part.clone())))
}

fn describe(assembly: &Assembly) -> serde_json::Value {
    let kernels: Vec<_> = assembly
        .kernels
        .iter()
        .map(|kernel| {
            json!({
                "name": kernel.directives.name,
                "simd": kernel.directives.simd,
                "offset": kernel.code.start,
                "bytes": kernel.code.len(),
                "instructions": kernel.lines.len(),
            })
        })
        .collect();
    json!({ "family": assembly.family.to_string(), "bytes": assembly.code.len(), "kernels": kernels })
}

/// The registers and bytes of arguments, as the loader places them.
fn map(file: &Text, target: Option<&Target>) -> Result<String, Error> {
    let binary = assembled(file, target)?;
    let grf_bytes = super::info::grf_bytes(&binary) as u32;
    let mut out = String::new();
    for kernel in binary.kernels() {
        out.push_str(&format!("{}\n", kernel.name));
        for arg in &kernel.args {
            let place = super::info::place(kernel, arg, grf_bytes);
            out.push_str(&format!(
                "  {:<16} {} {}\n",
                arg.name.as_deref().unwrap_or("-"),
                arg.kind,
                place
            ));
        }
    }
    Ok(out)
}

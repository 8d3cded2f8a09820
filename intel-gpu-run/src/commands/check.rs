//! `check`: what the text of kernels proves wrong, without a run.

use std::path::PathBuf;

use devinfo::{Family, Target};
use isa_encoder::audit::{Declared, Finding, audit};
use isa_encoder::swsb;
use serde_json::json;
use umd::Binary;

use crate::exit::{Error, Exit};
use crate::kernel::{self, Hints};
use crate::kernel_file::{KernelFile, Kind};
use crate::{compiler, files, platform};

/// Check kernels without running them
///
/// Reports what the instructions and what a file declares of its kernels prove wrong: paths that do
/// not end the thread, barriers and bindings that nothing declares, messages whose lengths do not
/// fit, registers that nothing has written, fences and barriers that are not waited for, missing
/// scoreboard waits, and every rule of the hardware about single instructions. `run --check` does
/// the same, and watches the kernel while it runs.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// The kernel file: a zebin, an archive of zebins, assembly, source, or bare EU instructions
    /// (`-` is stdin)
    file: PathBuf,

    /// The platform: needed for bare instructions and source, picks from an archive
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse)]
    platform: Option<Target>,

    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,

    #[command(flatten)]
    compiler: compiler::Options,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// A kernel and what is wrong with it.
struct Checked {
    name: String,
    findings: Vec<Finding>,
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Violated`] if something is wrong.
pub fn run(args: &Args) -> Result<(), Error> {
    let file = KernelFile::read(&args.file)?;
    let mut checked = match &file.kind {
        Kind::Raw(code) => {
            let target = args.platform.ok_or_else(|| {
                Error::Usage(format!(
                    "{}: bare instructions do not say their platform; say it with -p",
                    file.name
                ))
            })?;
            let declared = Declared::nothing(target.platform);
            vec![Checked {
                name: file.name.clone(),
                findings: with_hazards(audit(code, &declared), target.platform.family, code),
            }]
        }
        _ => {
            let target = match args.platform {
                Some(target) => Some(target),
                None => kernel::target_of(&file)?,
            };
            let hints = Hints {
                target,
                compiler: args.compiler.clone(),
                ..Hints::default()
            };
            of_binary(&kernel::load(&file, &hints)?)
        }
    };
    if let Some(name) = &args.kernel {
        let names: Vec<String> = checked.iter().map(|one| one.name.clone()).collect();
        checked.retain(|one| one.name == *name);
        if checked.is_empty() {
            return Err(Error::Usage(format!(
                "{} has no kernel {name:?}; it has {}",
                file.name,
                names.join(", ")
            )));
        }
    }
    if args.json {
        let kernels: Vec<_> = checked.iter().map(as_json).collect();
        files::print_json(&json!({ "kernels": kernels }))?;
    } else {
        for one in &checked {
            for finding in &one.findings {
                files::print(&format!("{}{finding}\n", one.name))?;
            }
        }
    }
    let count: usize = checked.iter().map(|one| one.findings.len()).sum();
    let wrong = checked
        .iter()
        .filter(|one| !one.findings.is_empty())
        .count();
    match count {
        0 => Ok(()),
        _ => Err(Error::Violated(format!(
            "{}: {count} findings in {wrong} of {} kernels",
            file.name,
            checked.len()
        ))),
    }
}

fn of_binary(binary: &Binary) -> Vec<Checked> {
    let kernels = binary.kernels().iter();
    kernels
        .map(|kernel| Checked {
            name: kernel.name.clone(),
            findings: findings(binary, &kernel.name),
        })
        .collect()
}

/// What is wrong with a kernel of a file.
pub fn findings(binary: &Binary, kernel: &str) -> Vec<Finding> {
    let findings = binary.audit(kernel).unwrap_or_default();
    let code = binary.code(kernel).unwrap_or_default();
    let mut findings = with_hazards(findings, binary.target().platform.family, code);
    for finding in &mut findings {
        finding.source = source(binary, kernel, finding.offset);
    }
    findings
}

/// Where an instruction of a kernel comes from, as `FILE:LINE`.
pub fn source(binary: &Binary, kernel: &str, offset: usize) -> Option<String> {
    let line = binary.source_line(kernel, offset as u64)?;
    Some(line.to_string())
}

/// What is said of a kernel whose scoreboard cannot be judged.
pub const TOO_COMPLEX: &str = "the control flow is too complex for the scoreboard to be judged";

/// With what the scoreboard's checker finds.
fn with_hazards(mut findings: Vec<Finding>, family: Family, code: &[u8]) -> Vec<Finding> {
    let report = swsb::check(family, code);
    let incomplete = (!report.complete).then(|| Finding {
        offset: 0,
        source: None,
        text: String::new(),
        rule: "scoreboard",
        detail: TOO_COMPLEX.to_owned(),
    });
    let hazards = report.hazards.into_iter().map(|hazard| Finding {
        offset: hazard.later.offset,
        source: None,
        rule: "scoreboard hazard",
        detail: format!(
            "{} of {}: it does not wait for +{:#x} `{}`",
            hazard.kind, hazard.register, hazard.earlier.offset, hazard.earlier.text
        ),
        text: hazard.later.text,
    });
    findings.extend(hazards.chain(incomplete));
    findings
}

fn as_json(checked: &Checked) -> serde_json::Value {
    let findings: Vec<_> = checked.findings.iter().map(finding_json).collect();
    json!({ "name": checked.name, "findings": findings })
}

fn finding_json(finding: &Finding) -> serde_json::Value {
    json!({
        "offset": finding.offset,
        "source": finding.source,
        "rule": finding.rule,
        "detail": finding.detail,
        "instruction": finding.text,
    })
}

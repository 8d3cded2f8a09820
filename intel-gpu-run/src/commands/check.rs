//! `check`: what the text of kernels proves wrong, without a run.

use devinfo::Family;
use isa_encoder::audit::{Declared, Finding, audit};
use isa_encoder::swsb;
use serde_json::json;
use umd::Binary;

use crate::exit::{Error, Exit};
use crate::files;
use crate::selection::{Code, Selection};

/// Check kernels without running them
///
/// FILE is a zebin, an archive of zebins, assembly, source, or bare EU instructions together with -p.
/// Reports what the instructions and what a file declares of its kernels prove wrong: paths that do
/// not end the thread, barriers and bindings that nothing declares, messages whose lengths do not
/// fit, registers that nothing has written, fences and barriers that are not waited for, missing
/// scoreboard waits, and every rule of the hardware about single instructions. `run --check` does
/// the same, and watches the kernel while it runs.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,

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
    let (name, code) = args.selection.open()?;
    let checked = match code {
        Code::Bare(target, code) => {
            let declared = Declared::nothing(target.platform);
            vec![Checked {
                name: name.clone(),
                findings: with_hazards(audit(&code, &declared), target.platform.family, &code),
            }]
        }
        Code::Binary(binary) => {
            let kernels = args.selection.kernels(&name, &binary)?.into_iter();
            kernels
                .map(|kernel| Checked {
                    name: kernel.name.clone(),
                    findings: findings(&binary, &kernel.name),
                })
                .collect()
        }
    };
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
            name,
            checked.len()
        ))),
    }
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

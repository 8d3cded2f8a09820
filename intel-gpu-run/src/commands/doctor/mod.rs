//! `doctor`: what works here, what does not, and what to do about it.

mod firmware;
mod node;
mod programs;
mod software;

use std::path::PathBuf;

use devinfo::{Driver, Platform, Target};
use serde_json::json;

use crate::exit::{Error, Exit};
use crate::files;

use firmware::Places;

/// Check what works on this machine, and say what to do about what does not
///
/// Intel's devices are looked at with their kernel driver and firmware files, and test kernels run
/// on each render node. On the software GPU of each platform they run through each kernel driver.
/// Everything else is optional. A device or a software GPU that does not work is exit code 4.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Also check the firmware files of a platform, for a device that is not in this machine
    #[arg(long, value_name = "PLATFORM[@DRIVER]", value_parser = platform)]
    platform: Option<(&'static Platform, Driver)>,

    /// Look for firmware in this folder, not where the kernel does
    #[arg(long, value_name = "FOLDER")]
    firmware: Option<PathBuf>,
}

fn platform(text: &str) -> Result<(&'static Platform, Driver), String> {
    let (name, driver) = text.split_once('@').unwrap_or((text, ""));
    let platform = Target::parse(name)
        .map_err(|error| error.to_string())?
        .platform;
    let driver = match driver {
        "" => platform.usual_driver(),
        name => Driver::by_name(name).ok_or_else(|| format!("{name:?} is not i915 or xe"))?,
    };
    match platform.has_driver(driver) {
        true => Ok((platform, driver)),
        false => Err(format!(
            "the kernel driver {driver} does not drive {platform}"
        )),
    }
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It works.
    Pass,
    /// It does not work, and something else is affected.
    Warn,
    /// It is missing, and nothing needs it.
    Skip,
    /// It must work and does not.
    Fail,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Warn => "WARN",
            Verdict::Skip => "SKIP",
            Verdict::Fail => "FAIL",
        }
    }
}

/// One check.
#[derive(Debug)]
pub(super) struct Finding {
    verdict: Verdict,
    subject: String,
    text: String,
    remedy: Option<String>,
}

impl Finding {
    fn new(verdict: Verdict, subject: &str, text: impl Into<String>) -> Self {
        Self {
            verdict,
            subject: subject.to_owned(),
            text: text.into(),
            remedy: None,
        }
    }

    fn remedy(mut self, text: impl Into<String>) -> Self {
        self.remedy = Some(text.into());
        self
    }

    /// Its lines, as `doctor` prints them.
    fn lines(&self) -> String {
        let verdict = self.verdict.name();
        let mut lines = format!("{verdict}  {}: {}\n", self.subject, self.text);
        if let Some(remedy) = &self.remedy {
            lines.push_str(&format!("      {remedy}\n"));
        }
        lines
    }
}

/// What is to be said of the firmware that the driver loads for a platform.
pub(super) fn firmware(platform: &'static Platform, driver: Driver) -> Vec<String> {
    let findings = firmware::findings(platform, driver, &Places::of_kernel());
    findings.iter().map(Finding::lines).collect()
}

/// Runs the sub-command.
///
/// # Errors
/// [`Error::Device`] if a device or the software GPU does not work.
pub fn run(args: &Args) -> Result<(), Error> {
    let places = match &args.firmware {
        Some(folder) => Places::only(folder),
        None => Places::of_kernel(),
    };
    let mut findings = node::findings(&places);
    if let Some((platform, driver)) = args.platform {
        findings.extend(firmware::findings(platform, driver, &places));
    }
    findings.extend(software::findings());
    findings.extend(programs::findings());
    if args.json {
        let all: Vec<_> = findings
            .iter()
            .map(|f| {
                json!({
                    "verdict": f.verdict.name(), "subject": f.subject,
                    "text": f.text, "remedy": f.remedy,
                })
            })
            .collect();
        files::print_json(&json!({ "findings": all }))?;
    } else {
        for finding in &findings {
            files::print(&finding.lines())?;
        }
    }
    let failed: Vec<_> = findings
        .iter()
        .filter(|f| f.verdict == Verdict::Fail)
        .map(|f| f.subject.as_str())
        .collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Error::Device(format!(
            "{} does not work",
            failed.join(", ")
        ))),
    }
}

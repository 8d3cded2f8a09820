//! `bench check`: what `--check` costs.

use std::time::Duration;

use serde_json::json;

use super::case::{NAMES, case};
use super::{Finished, Setup, child};
use crate::commands::bench::median;
use crate::exit::{Error, Exit};
use crate::{files, talk};

/// How many times as long as without checks a kernel may take.
const BAR: f64 = 10.0;

/// Measure what `run --check` costs, beside a plain run of the interpreter on one thread
///
/// Launches alone are timed, in child processes of this tool, in turn with and without checks. The
/// memory is the most that a process had.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// What to measure [default: all]
    #[arg(value_parser = NAMES)]
    case: Option<String>,

    /// Runs of each kind; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..1000))]
    runs: u32,

    /// Exit with code 5 if a kernel takes more than ten times as long
    #[arg(long)]
    check: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the suite.
///
/// # Errors
/// A run fails, or the bar is missed.
pub fn run(args: &Args) -> Result<(), Error> {
    if cfg!(debug_assertions) {
        talk::say("note: this is not a release build; its times say little");
    }
    let folder = tempfile::tempdir()
        .map_err(|e| Error::Failed(format!("cannot make a temporary folder: {e}")))?;
    let mut facts = serde_json::Map::new();
    let mut missed = Vec::new();
    let chosen = |name: &&str| args.case.as_deref().is_none_or(|case| case == *name);
    for name in NAMES.into_iter().filter(chosen) {
        let case = case(name);
        let once = |check| {
            let setup = Setup {
                exec: "interpret",
                check,
                ..Setup::ONCE
            };
            child(&case, folder.path(), &setup)
        };
        let mut times = [Vec::new(), Vec::new()];
        let mut peaks = [0; 2];
        for _ in 0..args.runs {
            for (check, (times, peak)) in [false, true]
                .into_iter()
                .zip(times.iter_mut().zip(&mut peaks))
            {
                let run = once(check)?;
                times.push(launch(&run));
                *peak = run.peak().max(*peak);
            }
        }
        let [plain, checked] = times.each_mut().map(|times| median(times));
        let ratio = checked.as_secs_f64() / plain.as_secs_f64().max(1e-9);
        if ratio > BAR {
            missed.push(format!("{name}: {ratio:.1} times as long"));
        }
        let [before, after] = peaks.map(|peak| peak >> 20);
        if !args.json {
            files::print(&format!(
                "{name:<12} {:>10}   with checks {:>10}   {ratio:.1} times (bar: {BAR})   {before} MiB, \
                 with checks {after} MiB\n",
                talk::span(plain),
                talk::span(checked),
            ))?;
        }
        let figures = json!({
            "seconds": plain.as_secs_f64(),
            "checked_seconds": checked.as_secs_f64(),
            "ratio": ratio,
            "peak_bytes": peaks[0],
            "checked_peak_bytes": peaks[1],
        });
        facts.insert(name.to_owned(), figures);
    }
    if args.json {
        files::print_json(&facts.into())?;
    }
    match args.check && !missed.is_empty() {
        true => Err(Error::Violated(missed.join("\n"))),
        false => Ok(()),
    }
}

/// The time of the launch alone.
fn launch(run: &Finished) -> Duration {
    Duration::from_secs_f64(run.number("/seconds/0"))
}

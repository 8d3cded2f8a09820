//! `bench`: how fast the tool is, compared with the programs that it replaces.

mod compile;
mod dispatch;
mod isa;
mod softgpu;

use std::time::Duration;

use clap::Subcommand;

use crate::exit::{Error, Exit};

/// Measure this tool beside the programs that it stands in for
///
/// Times are medians of several runs, taken in turn with the other program's, and beside PoCL the
/// fastest. Ratios are what to compare between machines.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP, subcommand_required = true)]
pub struct Args {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Debug, Subcommand)]
enum Suite {
    Check(softgpu::checked::Args),
    Compile(compile::Args),
    Dispatch(dispatch::Args),
    Isa(isa::Args),
    Softgpu(softgpu::Args),
}

/// Runs the sub-command.
///
/// # Errors
/// What the suite reports.
pub fn run(args: &Args) -> Result<(), Error> {
    match &args.suite {
        Suite::Compile(args) => compile::run(args),
        Suite::Check(args) => softgpu::checked::run(args),
        Suite::Dispatch(args) => dispatch::run(args),
        Suite::Isa(args) => isa::run(args),
        Suite::Softgpu(args) => softgpu::run(args),
    }
}

/// The middle one, not the mean of the two in the middle, which nobody measured.
fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

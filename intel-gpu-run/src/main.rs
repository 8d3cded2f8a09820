//! `intel-gpu-run`: run, assemble, disassemble and inspect Intel GPU kernels.
//!
//! `stdout` carries data and `stderr` messages, so that every sub-command works in a pipe. The exit
//! codes are those of [`exit::Exit`].

mod args;
mod commands;
mod compiler;
mod diagnostics;
mod exit;
mod files;
mod folder;
mod kernel;
mod kernel_file;
mod parallel;
mod picture;
mod platform;
mod process;
mod selection;
mod talk;
mod trace;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::exit::{Error, Exit};

const EXAMPLES: &str = "\
Examples:
  intel-gpu-run devices
  intel-gpu-run run kernel.cl --device soft:tgl --global 64 --arg out=-:256
  intel-gpu-run opencl --devices soft:tgl -- ./opencl-program
  intel-gpu-run COMMAND --help";

/// Run, assemble, disassemble and inspect Intel GPU compute kernels, on a real Intel GPU or on
/// the software GPU that is built in.
#[derive(Debug, Parser)]
#[command(version, after_help = format!("{EXAMPLES}\n\n{}", Exit::HELP), subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Log to stderr what the driver and the software GPU do (a filter as in RUST_LOG, such as
    /// `softgpu=debug`)
    #[arg(long, global = true, value_name = "FILTER", help_heading = "Logging")]
    log: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<commands::run::Args>),
    Asm(commands::asm::Args),
    Compile(commands::compile::Args),
    Check(commands::check::Args),
    Disasm(commands::disasm::Args),
    Info(commands::info::Args),
    Decode(commands::decode::Args),
    Devices(commands::devices::Args),
    Doctor(commands::doctor::Args),
    Report(commands::report::Args),
    Preload(commands::preload::Args),
    Opencl(commands::opencl::Args),
    Serve(commands::serve::Args),
    Replay(commands::replay::Args),
    Bench(commands::bench::Args),
    /// Print a script that completes this tool's command line in a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout, errors to stderr; clap knows which is which.
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Ok
            };
            return match error.print() {
                Ok(()) => exit.into(),
                Err(_) => Exit::Failed.into(),
            };
        }
    };
    let log = cli.log.as_deref();
    let result = talk::log_to_stderr(log).and_then(|()| run(cli.command, log));
    match result {
        Ok(code) => code,
        Err(error) => {
            talk::error(&error);
            error.exit().into()
        }
    }
}

fn run(command: Command, log: Option<&str>) -> Result<ExitCode, Error> {
    let done = match command {
        Command::Run(args) => commands::run::run(&args),
        Command::Asm(args) => commands::asm::run(&args),
        Command::Compile(args) => commands::compile::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Disasm(args) => commands::disasm::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Decode(args) => commands::decode::run(&args),
        Command::Devices(args) => commands::devices::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        // The program's exit code becomes this tool's.
        Command::Opencl(args) => return commands::opencl::run(&args, log).map(ExitCode::from),
        Command::Preload(args) => return commands::preload::run(&args, log).map(ExitCode::from),
        Command::Completions { shell } => completions(shell),
    };
    done.map(|()| Exit::Ok.into())
}

fn completions(shell: Shell) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "intel-gpu-run", &mut script);
    files::print(&String::from_utf8_lossy(&script))
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}

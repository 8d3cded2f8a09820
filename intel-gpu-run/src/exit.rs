//! Exit codes, and the one error type that carries them.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use thiserror::Error;

/// What the process tells its caller.
///
/// The numbers are part of the tool's contract; [`Exit::HELP`] is the text that `--help` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything asked for was done.
    Ok = 0,
    /// Something outside the kernel and the device failed, such as writing a file.
    Failed = 1,
    /// The command line was wrong.
    Usage = 2,
    /// The kernel or another input file was rejected.
    Rejected = 3,
    /// The device is missing, lost or hung.
    Device = 4,
    /// The kernel ran, but a check (`--expect`, `--check`) was violated.
    Violated = 5,
}

impl Exit {
    /// The table of exit codes as the help shows it.
    pub const HELP: &str = "\
Exit codes:
  0  ok
  1  failed (for example, an output file cannot be written)
  2  usage: the command line is wrong
  3  the kernel or an input file was rejected
  4  the device is missing, lost or hung
  5  a check was violated (--expect, --check)";
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// Why a sub-command stopped. Each variant has its exit code.
#[derive(Debug, Error)]
pub enum Error {
    /// The command line is wrong: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// An input file was rejected: exit code 3.
    #[error("{0}")]
    Rejected(String),
    /// An input file was rejected, and the text is a rendered source excerpt: exit code 3.
    #[error("{0}")]
    Diagnostics(String),
    /// The device is missing, lost or hung: exit code 4.
    #[error("{0}")]
    Device(String),
    /// A check was violated: exit code 5.
    #[error("{0}")]
    Violated(String),
    /// Anything else: exit code 1.
    #[error("{0}")]
    Failed(String),
    /// More than one thing went wrong; the first decides the exit code.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<Error>),
}

impl From<umd::Error> for Error {
    fn from(error: umd::Error) -> Self {
        let text = error.to_string();
        match error.class() {
            umd::ErrorClass::Input => Error::Rejected(text),
            umd::ErrorClass::Usage => Error::Usage(text),
            umd::ErrorClass::Device => Error::Device(text),
            umd::ErrorClass::Failed => Error::Failed(text),
        }
    }
}

impl Error {
    /// All errors, the most severe first.
    ///
    /// # Errors
    /// There is one.
    pub fn of_all(mut errors: Vec<Error>) -> Result<(), Error> {
        match errors.len() {
            0 => Ok(()),
            1 => errors.pop().map_or(Ok(()), Err),
            _ => Err(Error::Several(errors)),
        }
    }

    /// The exit code of this error.
    pub fn exit(&self) -> Exit {
        match self {
            Error::Usage(_) => Exit::Usage,
            Error::Rejected(_) | Error::Diagnostics(_) => Exit::Rejected,
            Error::Device(_) => Exit::Device,
            Error::Violated(_) => Exit::Violated,
            Error::Failed(_) => Exit::Failed,
            Error::Several(errors) => errors.first().map_or(Exit::Failed, Error::exit),
        }
    }

    /// An input file that cannot be read.
    pub fn unreadable(path: &Path, error: impl fmt::Display) -> Self {
        Error::Rejected(format!("cannot read {}: {error}", path.display()))
    }

    /// An output file that cannot be written.
    pub fn unwritable(path: &Path, error: impl fmt::Display) -> Self {
        Error::Failed(format!("cannot write {}: {error}", path.display()))
    }
}

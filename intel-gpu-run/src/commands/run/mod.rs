//! `run`: launch one kernel.

mod options;

pub use options::Args;

use crate::exit::Error;

/// Runs the sub-command.
///
/// # Errors
/// One for each way in which a run can go wrong; see [`crate::exit::Exit`].
pub fn run(args: &Args) -> Result<(), Error> {
    Err(Error::Failed(format!(
        "cannot run {} yet",
        args.file.display()
    )))
}

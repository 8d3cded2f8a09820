//! Folders of this program and of the programs that it runs.

use std::env;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::io::{FdFlags, fcntl_setfd};

use crate::exit::Error;

// The library must not be linked here: see `commands/preload.rs`.
#[path = "../../preload/src/held.rs"]
mod held;

/// A folder that nobody else may enter. It is removed when this value goes. If this program is killed,
/// a shell removes it when the programs that it runs have ended; if that is killed too, the next one
/// of these programs.
#[derive(Debug)]
pub struct Folder {
    held: held::Held,
    /// The end of a pipe. The shell waits until nobody has it.
    _pipe: OwnedFd,
}

impl Folder {
    /// Makes one for temporary files whose name begins with `prefix`.
    ///
    /// # Errors
    /// [`Error::Failed`] if it cannot be made.
    pub fn create(prefix: &str) -> Result<Self, Error> {
        let place = env::temp_dir();
        let held =
            held::Held::create(&place, prefix).map_err(|error| Error::unwritable(&place, error))?;
        match remove_in_the_end(&held) {
            Ok(_pipe) => Ok(Self { held, _pipe }),
            Err(error) => {
                held.remove();
                Err(Error::Failed(format!("cannot start sh: {error}")))
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.held.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.held.remove();
    }
}

/// Starts the shell. Programs that this one starts have its pipe, and the lock of the folder.
fn remove_in_the_end(folder: &held::Held) -> io::Result<OwnedFd> {
    let mut shell = Command::new("sh")
        .args(["-c", "read -r _; exec rm -rf -- \"$1\"", "sh"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // What a terminal sends to this program's group is not for the shell.
        .process_group(0)
        .spawn()?;
    let pipe = shell.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let pipe = held::out_of_the_way(pipe)?;
    for inherited in [&pipe, folder.lock()] {
        fcntl_setfd(inherited, FdFlags::empty())?;
    }
    Ok(pipe)
}

//! This program again, in a process of its own: what it hangs in, or dies of, stays there.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a killed process may take to end. One that waits in the kernel may never.
const KILL: Duration = Duration::from_secs(5);

/// How a process ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself.
    With(ExitStatus),
    /// It was killed after this time.
    Killed(Duration),
    /// It was killed after this time, and has not ended.
    Stuck(Duration),
}

/// What came of a process.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) ended: Ended,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Outcome {
    pub(super) fn succeeded(&self) -> bool {
        matches!(&self.ended, Ended::With(status) if status.success())
    }

    /// Why it did not succeed.
    pub(super) fn why(&self) -> String {
        match &self.ended {
            Ended::With(status) => match self.stderr.trim() {
                "" => status.to_string(),
                said => said.to_owned(),
            },
            Ended::Killed(time) => format!("it did not end in {} s", time.as_secs()),
            Ended::Stuck(time) => format!(
                "it did not end in {} s, nor when it was killed: it waits in the kernel",
                time.as_secs()
            ),
        }
    }
}

/// Runs this program with these arguments. Its output goes through files in `folder`, which no
/// process that stays can hold up.
pub(super) fn run(arguments: &[String], folder: &Path, deadline: Duration) -> io::Result<Outcome> {
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let mut child = Command::new(std::env::current_exe()?)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .spawn()?;
    let ended = match wait(&mut child, deadline)? {
        Some(status) => Ended::With(status),
        None => {
            // It may have ended on its own.
            let _ = child.kill();
            match wait(&mut child, KILL)? {
                Some(_) => Ended::Killed(deadline),
                None => Ended::Stuck(deadline),
            }
        }
    };
    let read = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Outcome {
        ended,
        stdout: read(&out).unwrap_or_default(),
        stderr: read(&err).unwrap_or_default(),
    })
}

/// How a process ended, if it does within that time.
fn wait(child: &mut Child, time: Duration) -> io::Result<Option<ExitStatus>> {
    let end = Instant::now() + time;
    loop {
        match child.try_wait()? {
            None if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
            other => return Ok(other),
        }
    }
}

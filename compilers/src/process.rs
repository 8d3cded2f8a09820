//! Running other programs: what they said, and never for longer than allowed.

use std::io::{self, Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long the first look at a running program waits; each further one waits twice as long.
const FIRST_LOOK: Duration = Duration::from_millis(2);
/// The longest wait between two looks.
const LAST_LOOK: Duration = Duration::from_millis(64);

/// A program that has ended.
#[derive(Debug)]
pub struct Ended {
    /// How; `None` if somebody else in the process was told, or nobody: hosts ignore SIGCHLD, or wait for
    /// whatever child ends.
    pub status: Option<ExitStatus>,
    /// What it wrote to stdout and stderr, in the order of writing.
    pub words: String,
}

impl Ended {
    /// Whether it did its work; if nobody knows how it ended, whether what it makes `is_there`.
    pub fn has_succeeded(&self, is_there: bool) -> bool {
        self.status.map_or(is_there, |status| status.success())
    }

    /// The signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        self.status.and_then(|status| status.signal())
    }
}

/// Runs a program to its end, with nothing on its stdin.
///
/// # Errors
/// It cannot be started; [`io::ErrorKind::TimedOut`] if it was still running after `deadline`,
/// when it is killed.
pub fn run(command: &mut Command, deadline: Duration) -> io::Result<Ended> {
    // A file takes any amount of text while nobody reads; a pipe would have to be drained.
    let mut words = tempfile::tempfile()?;
    command
        .stdin(Stdio::null())
        .stdout(words.try_clone()?)
        .stderr(words.try_clone()?);
    // It ends with the thread that waits for it, also if that is killed.
    // SAFETY: between fork and exec there is this system call alone.
    unsafe {
        command.pre_exec(
            || match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            },
        );
    }
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let mut look = FIRST_LOOK;
    let status = loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(ended) => break ended,
            Err(error) if error.raw_os_error() == Some(libc::ECHILD) => break None,
            Err(error) => return Err(error),
        }
        if begin.elapsed() >= deadline {
            child.kill()?;
            // It may be somebody else who is told.
            let _ended = child.wait();
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("it did not end within {} s", deadline.as_secs_f64()),
            ));
        }
        thread::sleep(look);
        look = (look * 2).min(LAST_LOOK);
    };
    let mut bytes = Vec::new();
    words.rewind()?;
    words.read_to_end(&mut bytes)?;
    Ok(Ended {
        status,
        words: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn both_streams_are_kept_in_order() {
        let mut command = shell("echo one; echo two >&2; echo three; exit 7");
        let ended = run(&mut command, Duration::from_secs(60)).unwrap();
        assert_eq!(ended.status.and_then(|status| status.code()), Some(7));
        assert_eq!(ended.words, "one\ntwo\nthree\n");
    }

    #[test]
    fn an_endless_program_is_killed() {
        let begin = Instant::now();
        let error = run(&mut shell("exec sleep 600"), Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(begin.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn more_words_than_a_pipe_holds_do_not_block() {
        let mut command = shell("head -c 1000000 /dev/zero | tr '\\0' x");
        let ended = run(&mut command, Duration::from_secs(60)).unwrap();
        assert_eq!(ended.words.len(), 1_000_000);
    }
}

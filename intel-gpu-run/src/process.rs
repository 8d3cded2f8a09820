//! Running another program in place of this one.

use std::fs;
use std::io;
use std::process::{Command, ExitStatus};
use std::thread;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgrp, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

/// The signals that ask a program to end.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Runs a program in place of this one, with its terminal and streams, to its end. A signal to end
/// this process goes to the program; this process stays to tidy up.
///
/// # Errors
/// It cannot be started.
pub fn run_in_place(command: &mut Command) -> io::Result<ExitStatus> {
    // A handler here would reset to the default, in the program, a signal that is ignored here.
    let ignored = ignored_signals();
    let heeded = ENDING
        .iter()
        .filter(|signal| ignored >> (**signal - 1) & 1 == 0);
    let mut signals = Signals::new(heeded)?;
    let handle = signals.handle();
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    thread::scope(|scope| {
        scope.spawn(|| {
            for signal in signals.forever() {
                if !reached_the_group(signal)
                    && let Some(signal) = Signal::from_named_raw(signal)
                {
                    // It may have ended on its own.
                    let _ = kill_process(pid, signal);
                }
            }
        });
        // Its process id stays valid until the wait below, after which no signal is sent.
        let left = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), left), Err(Errno::INTR)) {}
        handle.close();
    });
    child.wait()
}

/// The signals that this process ignores, the lowest bit being signal 1: see proc(5).
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// Whether a terminal sends the signal to all of its foreground processes, including this one and
/// that of [`run_in_place`].
fn reached_the_group(signal: i32) -> bool {
    let foreground = || {
        let terminal = fs::File::open("/dev/tty").ok()?;
        rustix::termios::tcgetpgrp(terminal).ok()
    };
    matches!(signal, SIGINT | SIGQUIT) && foreground() == Some(getpgrp())
}

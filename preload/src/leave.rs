//! Leaving nothing behind, however the process ends. SIGKILL, which no process sees, leaves a tree that
//! the next process removes.

use libc::c_int;

use crate::node::process_if_started;

/// The signals that end a process by default: from a terminal, a supervisor, or itself.
const ENDING: [c_int; 5] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGABRT,
];

/// Removes the stand-in at the end of the process. Signals that the program handles or ignores stay
/// the program's.
pub fn arrange() {
    // SAFETY: `at_exit` is a plain function without arguments.
    unsafe { libc::atexit(at_exit) };
    // SAFETY: `report_last` is a plain function without arguments.
    unsafe { libc::atexit(report_last) };
    for signal in ENDING {
        // SAFETY: a `sigaction` of zeros is one: the default, with an empty mask.
        let (mut ours, mut theirs): (libc::sigaction, libc::sigaction) =
            unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        ours.sa_sigaction = on_signal as *const () as libc::sighandler_t;
        ours.sa_flags = libc::SA_RESETHAND | libc::SA_NODEFER;
        // SAFETY: both structures are valid; the handler has the prototype of one and makes
        // system calls only.
        unsafe {
            let known = libc::sigaction(signal, std::ptr::null(), &mut theirs) == 0;
            if known && theirs.sa_sigaction == libc::SIG_DFL {
                libc::sigaction(signal, &ours, std::ptr::null_mut());
            }
        }
    }
}

extern "C" fn report_last() {
    if let Some(process) = process_if_started() {
        process.report_last();
    }
}

extern "C" fn at_exit() {
    if let Some(process) = process_if_started() {
        process.leave();
    }
}

/// Ends the process without the functions that `atexit` knows, as shells do.
#[unsafe(no_mangle)]
extern "C" fn _exit(status: c_int) -> ! {
    at_exit();
    // SAFETY: any number is a status; the call does not return.
    unsafe { libc::syscall(libc::SYS_exit_group, status) };
    std::process::abort()
}

/// The same, by the name that C gives it.
#[unsafe(no_mangle)]
extern "C" fn _Exit(status: c_int) -> ! {
    _exit(status)
}

/// Ends the process with the signal, as if it were not handled.
extern "C" fn on_signal(signal: c_int) {
    at_exit();
    // SAFETY: any number may be raised; this signal has its default handler again.
    unsafe { libc::raise(signal) };
}

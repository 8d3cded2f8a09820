//! What the process does upon signals, before and after a library that has handlers of its own.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use libc::{Dl_info, SIG_DFL, SIG_IGN, SIGILL, SIGSEGV, dladdr, sigaction};

/// The signals that the library handles while it compiles.
const HANDLED: [c_int; 2] = [SIGSEGV, SIGILL];

/// The actions of the process upon these signals, at one moment.
pub(super) struct Actions([Option<sigaction>; HANDLED.len()]);

impl Actions {
    pub(super) fn now() -> Self {
        Self(HANDLED.map(now))
    }

    /// Puts the actions back where a handler of the library is left, which has the function at
    /// `inside`. Where the action is another, somebody else has set it meanwhile, or the library has
    /// put it back.
    pub(super) fn put_back(&self, inside: *const c_void) {
        let library = object(inside);
        for (signal, before) in HANDLED.into_iter().zip(&self.0) {
            let (Some(before), Some(now)) = (before, now(signal)) else {
                continue;
            };
            let is_handler = ![SIG_DFL, SIG_IGN].contains(&now.sa_sigaction);
            if !is_handler || object(now.sa_sigaction as *const c_void) != library {
                continue;
            }
            // SAFETY: the action is one that the process had.
            unsafe { sigaction(signal, before, null_mut()) };
        }
    }
}

/// The action upon a signal.
fn now(signal: c_int) -> Option<sigaction> {
    let mut action = MaybeUninit::uninit();
    // SAFETY: the action is asked for, not changed; it is there if the call succeeds.
    unsafe { (sigaction(signal, null(), action.as_mut_ptr()) == 0).then(|| action.assume_init()) }
}

/// Where the library or the program begins that has the code at an address.
fn object(address: *const c_void) -> Option<usize> {
    let mut info = MaybeUninit::<Dl_info>::uninit();
    // SAFETY: the address is only compared; what is said of it is there if the call succeeds.
    let found =
        unsafe { (dladdr(address, info.as_mut_ptr()) != 0).then(|| info.assume_init().dli_fbase) };
    found.map(|base| base as usize)
}

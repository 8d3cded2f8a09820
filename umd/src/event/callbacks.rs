//! Callbacks of commands' ends.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{DeviceError, Error};

/// What is called when a command has ended.
pub(super) type Callback = Box<dyn FnOnce(Result<(), Error>) + Send>;

/// A callback with what it is called with.
type Call = (Callback, Result<(), DeviceError>);

thread_local! {
    /// While this thread calls callbacks: those that are to be called after them.
    static CALLS: RefCell<Option<VecDeque<Call>>> = const { RefCell::new(None) };
}

/// Calls what waited for an end. A callback may make this thread notice other ends: their callbacks
/// are called when it has returned, so that chains of any length take no stack.
pub(super) fn call(callbacks: Vec<Callback>, outcome: &Result<(), DeviceError>) {
    if callbacks.is_empty() {
        return;
    }
    let calls = callbacks.into_iter();
    let mut calls: VecDeque<Call> = calls.map(|callback| (callback, outcome.clone())).collect();
    // Without a list, which goes when the thread ends, callbacks are called at once.
    let is_nested = CALLS.try_with(|later| match &mut *later.borrow_mut() {
        Some(later) => {
            later.append(&mut calls);
            true
        }
        none => {
            *none = Some(VecDeque::new());
            false
        }
    });
    if is_nested == Ok(true) {
        return;
    }
    while !calls.is_empty() {
        for (callback, outcome) in calls.drain(..) {
            let outcome = outcome.map_err(Error::from);
            // Others wait for their calls, and the waiter for more ends.
            if catch_unwind(AssertUnwindSafe(|| callback(outcome))).is_err() {
                tracing::error!("a callback panicked");
            }
        }
        // The last time, the list is empty, and goes.
        let _none_left = CALLS.try_with(|later| {
            let mut later = later.borrow_mut();
            match &mut *later {
                Some(more) if !more.is_empty() => std::mem::swap(more, &mut calls),
                _ => *later = None,
            }
        });
    }
}

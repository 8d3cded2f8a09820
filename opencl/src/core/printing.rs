//! The order of what kernels print.
//!
//! "When the event that is associated with a particular kernel invocation is completed, the output of all
//! printf() calls executed by this kernel invocation is flushed" (OpenCL C, printf output synchronization). The
//! device has ended a command before its end is noticed here, and commands are noticed in any order. So what
//! a command came after is noticed first.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::context::Context;
use super::event::Event;

/// A command that may print, as long as its end is not noticed.
pub(super) struct Printing(Arc<Context>);

impl Printing {
    pub(super) fn of(context: &Arc<Context>) -> Self {
        context.printing.fetch_add(1, Ordering::AcqRel);
        Self(context.clone())
    }
}

/// Whether a command of the context may have something to print.
pub(super) fn is_awaited(context: &Context) -> bool {
    context.printing.load(Ordering::Acquire) != 0
}

impl Drop for Printing {
    fn drop(&mut self) {
        self.0.printing.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Notices the ends of the commands that this one came after, the first ones first. Those that the device has not
/// ended are left alone: a command that has failed does not wait for them.
pub(super) fn notice_earlier(event: &Arc<Event>) {
    if !is_awaited(&event.context) {
        return;
    }
    let mut seen = HashSet::new();
    let mut stack = vec![(event.clone(), false)];
    while let Some((earlier, comes_now)) = stack.pop() {
        if comes_now {
            if !Arc::ptr_eq(&earlier, event) && earlier.is_over() {
                earlier.wait();
            }
        } else if !earlier.has_ended() && seen.insert(Arc::as_ptr(&earlier)) {
            stack.push((earlier.clone(), true));
            // The last of them is looked at first.
            stack.extend(
                earlier
                    .comes_after()
                    .into_iter()
                    .rev()
                    .map(|event| (event, false)),
            );
        }
    }
}

//! The object lists of the last submissions, with what was made of them.
//!
//! A client of i915 names everything that it has bound with each submission, and mostly the same as
//! before: then the address space is the same, too.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kmd_iface::uapi::i915::exec::ExecObject;
use softgpu_memory::AddressSpace;
use zerocopy::IntoBytes;

use super::object::Object;

/// The most lists that are kept: programs take turns with a few.
const KEPT: usize = 4;

/// A list of objects, none of which had to be moved, as they were looked up and bound.
#[derive(Debug)]
pub struct BoundList {
    /// The list.
    pub objects: Vec<ExecObject>,
    /// What its handles name.
    pub buffers: Vec<Arc<Object>>,
    /// Where they are bound.
    pub space: Arc<AddressSpace>,
}

/// The last lists of a client, the most recent one first.
#[derive(Debug, Default)]
pub struct Lists {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Counts how often handles were closed.
    closed: u64,
    recent: Vec<Arc<BoundList>>,
}

/// How often handles had been closed when a list was looked for.
#[derive(Clone, Copy, Debug)]
pub struct Moment(u64);

impl Lists {
    /// The list that is the same as `objects`, if there is one, and the moment for
    /// [`Lists::keep`].
    pub fn find(&self, objects: &[ExecObject]) -> (Option<Arc<BoundList>>, Moment) {
        let mut state = self.state();
        let same = |list: &Arc<BoundList>| list.objects.as_bytes() == objects.as_bytes();
        let found = state.recent.iter().position(same);
        if let Some(passed) = found.and_then(|place| state.recent.get_mut(..=place)) {
            passed.rotate_right(1);
        }
        let found = found.and_then(|_| state.recent.first().cloned());
        (found, Moment(state.closed))
    }

    /// Keeps a list, unless a handle was closed since `moment`: it may have named that.
    pub fn keep(&self, list: &Arc<BoundList>, moment: Moment) {
        let mut state = self.state();
        if state.closed == moment.0 {
            state.recent.insert(0, Arc::clone(list));
            state.recent.truncate(KEPT);
        }
    }

    /// Closes a handle: lists with it name nothing any more, and keep its memory.
    ///
    /// The handle is free, and another thread can be given it, from within `close` on. No list is
    /// found until both are gone, as one that names the old object would look like one that names
    /// the new.
    pub fn closing<T>(&self, close: impl FnOnce() -> T) -> T {
        let mut state = self.state();
        let closed = close();
        state.closed += 1;
        let gone = std::mem::take(&mut state.recent);
        drop(state);
        drop(gone);
        closed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_list_is_found_between_the_end_of_a_handle_and_the_end_of_its_lists() {
        let lists = Lists::default();
        let objects = vec![ExecObject {
            handle: 1,
            ..Default::default()
        }];
        let list = Arc::new(BoundList {
            objects: objects.clone(),
            buffers: Vec::new(),
            space: Arc::new(AddressSpace::new(false)),
        });
        let (_, moment) = lists.find(&objects);
        lists.keep(&list, moment);
        assert!(lists.find(&objects).0.is_some());
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            lists.closing(|| {
                // The handle is another object's from here on.
                scope.spawn(|| tell.send(lists.find(&objects).0.is_some()).unwrap());
                let early = told.recv_timeout(Duration::from_millis(100));
                assert!(early.is_err(), "a list was looked for meanwhile");
            });
            assert!(!told.recv().unwrap());
        });
        // What was made of the old handle is not kept.
        lists.keep(&list, moment);
        assert!(lists.find(&objects).0.is_none());
    }
}

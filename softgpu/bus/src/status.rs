//! An engine's status buffer, in which it tells which contexts it takes and leaves.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use batchbuffer::execlists::{StatusBuffer, Switch};
use devinfo::GpuAddress;
use softgpu_memory::View;

use crate::tables::Global;

/// The status buffer of an engine. It tells of the first context of those that run at a time, and of
/// the last: the model's contexts share an engine and do not wait for each other.
#[derive(Debug)]
pub(crate) struct Status {
    row: StatusBuffer,
    global: Arc<Global>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The status page in the global GTT, if a client has said where it is.
    page: Option<u32>,
    /// The entry that is written next.
    next: u32,
    /// How many submissions run.
    open: usize,
}

impl Status {
    pub fn new(row: StatusBuffer, global: Arc<Global>) -> Arc<Self> {
        Arc::new(Self {
            row,
            global,
            state: Mutex::default(),
        })
    }

    /// Where the status page is.
    pub fn set_page(&self, address: u32) {
        self.state().page = Some(address & !0xfff).filter(|page| *page != 0);
    }

    /// The entry that was written last, as a client says.
    pub fn set_last(&self, last: u32) {
        self.state().next = (last + 1) % self.row.entries;
    }

    /// Work begins.
    pub fn begin(&self, id: u32) {
        let mut state = self.state();
        state.open += 1;
        if state.open == 1 {
            self.tell(&mut state, Switch::Began(id));
        }
    }

    /// Work has ended.
    pub fn finish(&self, id: u32) {
        let mut state = self.state();
        state.open = state.open.saturating_sub(1);
        if state.open == 0 {
            self.tell(&mut state, Switch::Finished(id));
        }
    }

    /// The engine is reset.
    pub fn reset(&self) {
        *self.state() = State::default();
    }

    fn tell(&self, state: &mut State, switch: Switch) {
        let Some(page) = state.page.map(u64::from) else {
            return;
        };
        let view = View::new(&*self.global);
        let put = |offset, dword| view.write_u32(GpuAddress::new(page + offset), dword);
        let place = self.row.place(state.next);
        let [low, high] = self.row.entry(switch);
        let told = put(place, low)
            .and_then(|()| put(place + 4, high))
            .and_then(|()| put(self.row.write_index, state.next));
        match told {
            Ok(()) => state.next = (state.next + 1) % self.row.entries,
            Err(fault) => tracing::debug!(%fault, "there is no status page"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

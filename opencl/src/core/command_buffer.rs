//! Command buffers: commands that are recorded once and enqueued as often as wanted
//! (`cl_khr_command_buffer`).

use std::sync::{Arc, Mutex, Weak};

use opencl_sys::cl_int;

use super::command::{self, Command};
use super::event::Event;
use super::handle::{Base, Object};
use super::lock;
use super::queue::Queue;
use crate::error::Result;

/// Numbers of the extension, whose headers are not everywhere.
pub(crate) mod number {
    pub(crate) const INVALID_COMMAND_BUFFER: i32 = -1138;
    pub(crate) const INVALID_SYNC_POINT_WAIT_LIST: i32 = -1139;
    pub(crate) const INCOMPATIBLE_COMMAND_QUEUE: i32 = -1140;
    pub(crate) const COMMAND_COMMAND_BUFFER: u32 = 0x12a8;
}

/// A command buffer.
#[derive(Debug)]
pub(crate) struct CommandBuffer {
    base: Base,
    /// The queue that it was made for.
    pub queue: Arc<Queue>,
    /// As they were passed, with the zero at the end; empty if there were none.
    pub properties: Vec<u64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    commands: Vec<Recorded>,
    is_final: bool,
    /// When it was last enqueued.
    last: Weak<Event>,
}

/// A command, and the places of those that it waits for.
#[derive(Debug)]
struct Recorded {
    command: Command,
    after: Vec<usize>,
}

impl Object for CommandBuffer {
    const INVALID: cl_int = number::INVALID_COMMAND_BUFFER;
    const NAME: &'static str = "command buffer";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl CommandBuffer {
    pub(crate) fn new(queue: Arc<Queue>, properties: Vec<u64>) -> Self {
        Self {
            base: Base::new(),
            queue,
            properties,
            state: Mutex::default(),
        }
    }

    pub(crate) fn is_final(&self) -> bool {
        lock(&self.state).is_final
    }

    /// Takes no more commands from now on; `false` if it took none before.
    pub(crate) fn finalize(&self) -> bool {
        !std::mem::replace(&mut lock(&self.state).is_final, true)
    }

    /// How many commands it has. They are numbered from 1 on.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).commands.len()
    }

    /// Adds a command that comes after those with the numbers in `after`; gives its number.
    pub(crate) fn record(&self, command: Command, after: Vec<usize>) -> usize {
        let mut state = lock(&self.state);
        state.commands.push(Recorded { command, after });
        state.commands.len()
    }

    /// Enqueues all commands. The event ends when the last of them has.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        waits: &[Arc<Event>],
    ) -> Result<Arc<Event>> {
        let mut state = lock(&self.state);
        // It runs once at a time; a queue in order sees to that itself.
        let mut first = waits.to_vec();
        first.extend(state.last.upgrade().filter(|last| {
            let is_ordered = |own: &Arc<Queue>| Arc::ptr_eq(own, queue) && !own.is_out_of_order();
            // How a run ended is not the next one's concern.
            !last.has_ended() && !last.queue.as_ref().is_some_and(is_ordered)
        }));
        let mut failed = Ok(());
        let mut events: Vec<Arc<Event>> = Vec::with_capacity(state.commands.len());
        for recorded in &state.commands {
            let mut list = first.clone();
            let after = recorded.after.iter();
            list.extend(after.filter_map(|number| events.get(number - 1).cloned()));
            match recorded.command.enqueue(queue, &list, false) {
                Ok(event) => events.push(event),
                Err(error) => {
                    failed = Err(error);
                    break;
                }
            }
        }
        // What was enqueued before a failure runs, and the next run comes after it, too.
        let end = command::end_of(queue, number::COMMAND_COMMAND_BUFFER, events, &first)?;
        state.last = Arc::downgrade(&end);
        failed.map(|()| end)
    }
}

//! Command buffers: commands that are recorded once and enqueued as often as wanted
//! (`cl_khr_command_buffer`).
//!
//! Commands run in the order in which they were recorded, each after the one before it, which is
//! all that synchronization points can ask for. A run of a command buffer comes after its run before,
//! unless it was made for simultaneous use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use opencl_sys::{CL_INVALID_OPERATION, cl_int};

use super::command::{self, Command, Enqueued};
use super::event::Event;
use super::handle::{Base, Object};
use super::kernel::Kernel;
use super::lock;
use super::queue::Queue;
use super::sizes::Sizes;
use crate::error::{Error, Result};

/// Numbers of the extensions, whose headers are not everywhere.
pub(crate) mod number {
    pub(crate) const INVALID_COMMAND_BUFFER: i32 = -1138;
    pub(crate) const INVALID_SYNC_POINT_WAIT_LIST: i32 = -1139;
    pub(crate) const INVALID_MUTABLE_COMMAND: i32 = -1141;
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
    /// Whether commands can be changed.
    pub is_mutable: bool,
    /// Whether the groups of its kernels do not become more.
    pub keeps_groups: bool,
    /// Whether its runs do not wait for each other.
    is_simultaneous: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    commands: Vec<Recorded>,
    /// The handles of commands, which live as long as the command buffer.
    handles: Vec<Arc<MutableCommand>>,
    is_final: bool,
    /// What a run enqueues, if the command buffer is executable.
    steps: Option<Arc<Vec<Command>>>,
    /// The last run of these steps, and the queue of that. Runs with steps of their own do not count.
    last: (Weak<Event>, Weak<Queue>),
}

impl State {
    /// What a run enqueues.
    fn executable(&self) -> Result<&Arc<Vec<Command>>> {
        // "CL_INVALID_OPERATION if command_buffer is not in the Executable state"
        self.steps.as_ref().ok_or_else(|| {
            let why = "the command buffer is not final, or a kernel in it lacks arguments";
            Error::new(CL_INVALID_OPERATION, why)
        })
    }
}

/// A command as it was recorded, or last changed.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// `None` as long as the kernel lacks arguments.
    pub command: Option<Command>,
    /// What can be changed of it.
    pub dispatch: Option<Dispatch>,
}

/// A kernel over an index space.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    /// The kernel that the program passed.
    pub kernel: Arc<Kernel>,
    /// The same, with the arguments of the command.
    pub own: Arc<Kernel>,
    pub sizes: Sizes,
}

/// A command that can be changed (`cl_khr_command_buffer_mutable_dispatch`).
#[derive(Debug)]
pub(crate) struct MutableCommand {
    base: Base,
    pub buffer: Weak<CommandBuffer>,
    /// Its place in the command buffer.
    pub index: usize,
    /// As they were passed, with the zero at the end; empty if there were none.
    pub properties: Vec<u64>,
    /// `CL_MUTABLE_DISPATCH_…`: what can be changed.
    pub fields: u64,
}

impl Object for CommandBuffer {
    const INVALID: cl_int = number::INVALID_COMMAND_BUFFER;
    const NAME: &'static str = "command buffer";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Object for MutableCommand {
    const INVALID: cl_int = number::INVALID_MUTABLE_COMMAND;
    const NAME: &'static str = "mutable command";
    fn base(&self) -> &Base {
        &self.base
    }
}

/// How far a command buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Recording,
    Executable,
    /// It takes no more commands, but a kernel lacks arguments.
    Finalized,
}

impl CommandBuffer {
    pub(crate) fn new(
        queue: Arc<Queue>,
        properties: Vec<u64>,
        (is_mutable, keeps_groups, is_simultaneous): (bool, bool, bool),
    ) -> Self {
        Self {
            base: Base::new(),
            queue,
            properties,
            is_mutable,
            keeps_groups,
            is_simultaneous,
            state: Mutex::default(),
        }
    }

    pub(crate) fn stage(&self) -> Stage {
        let state = lock(&self.state);
        match (state.is_final, &state.steps) {
            (false, _) => Stage::Recording,
            (true, Some(_)) => Stage::Executable,
            (true, None) => Stage::Finalized,
        }
    }

    /// # Errors
    /// It cannot be enqueued.
    pub(crate) fn check_executable(&self) -> Result<()> {
        lock(&self.state).executable().map(|_| ())
    }

    /// Takes no more commands from now on; `false` if it took none before.
    pub(crate) fn finalize(&self) -> Result<bool> {
        let mut state = lock(&self.state);
        if !state.is_final {
            state.steps = self.steps(&state.commands)?;
            return Ok(!std::mem::replace(&mut state.is_final, true));
        }
        Ok(false)
    }

    /// How many commands it has. They are numbered from 1 on.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).commands.len()
    }

    /// Adds a command; gives its number.
    pub(crate) fn record(&self, recorded: Recorded) -> usize {
        let mut state = lock(&self.state);
        state.commands.push(recorded);
        state.commands.len()
    }

    /// A handle of the command with a number.
    pub(crate) fn handle(
        self: &Arc<Self>,
        number: usize,
        properties: Vec<u64>,
        fields: u64,
    ) -> Arc<MutableCommand> {
        let handle = Arc::new(MutableCommand {
            base: Base::new(),
            buffer: Arc::downgrade(self),
            index: number.saturating_sub(1),
            properties,
            fields,
        });
        lock(&self.state).handles.push(handle.clone());
        handle
    }

    /// What can be changed of a command.
    pub(crate) fn dispatch(&self, index: usize) -> Option<Dispatch> {
        let state = lock(&self.state);
        state.commands.get(index)?.dispatch.clone()
    }

    /// Changes commands, all or none. Runs that were enqueued are as they were.
    pub(crate) fn change(&self, changes: BTreeMap<usize, Recorded>) -> Result<()> {
        let mut state = lock(&self.state);
        let mut commands = state.commands.clone();
        for (index, change) in changes {
            if let Some(command) = commands.get_mut(index) {
                *command = change;
            }
        }
        state.steps = self.steps(&commands)?;
        state.commands = commands;
        Ok(())
    }

    /// What a run enqueues; `None` if a kernel lacks arguments.
    fn steps(&self, commands: &[Recorded]) -> Result<Option<Arc<Vec<Command>>>> {
        let commands = commands.iter().map(|recorded| recorded.command.as_ref());
        let Some(commands) = commands.collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let kind = number::COMMAND_COMMAND_BUFFER;
        let steps = Command::steps(kind, &self.queue, commands)?;
        Ok(Some(Arc::new(steps)))
    }

    /// Enqueues all commands. The event ends when the last of them has.
    pub(crate) fn enqueue(&self, queue: &Arc<Queue>, waits: &[Arc<Event>]) -> Result<Arc<Event>> {
        let mut state = lock(&self.state);
        let mut steps = state.executable()?.clone();
        let (last, of) = &state.last;
        let mut last = last.upgrade().filter(|last| !last.has_ended());
        // A queue that is in order puts runs one after the other itself.
        let ordered = !queue.is_out_of_order() && Weak::ptr_eq(of, &Arc::downgrade(queue));
        // Two runs at a time need memory for two.
        let fresh = self.is_simultaneous && last.is_some() && !ordered;
        if fresh {
            if let Some(own) = self.steps(&state.commands)? {
                steps = own;
            }
            last = None;
        }
        let kind = number::COMMAND_COMMAND_BUFFER;
        let Enqueued { end, failed } =
            command::enqueue_steps(queue, kind, &steps, waits, last.as_ref())?;
        // What was enqueued before a failure runs, and the next run comes after it, too.
        if !fresh {
            state.last = (Arc::downgrade(&end), Arc::downgrade(queue));
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(end),
        }
    }
}

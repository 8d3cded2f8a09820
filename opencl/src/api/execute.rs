//! Execution: kernels, markers, barriers (specification, sections 5.10 and 5.12).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::{Bytes, In, Out, Unconst, Waits};
use crate::core::callback::NativeKernel;
use crate::core::command::{Command, Place};
use crate::core::event::wait_list;
use crate::core::kernel::State;
use crate::core::sizes::Sizes;
use crate::core::{Event, Handle, Kernel, Memory, Queue, publish};
use crate::error::{Error, Result, ensure};

/// Whether a `cl_bool` holds.
pub(crate) fn boolean(value: cl_bool) -> bool {
    value != CL_FALSE
}

/// The events that a command waits for.
pub(crate) fn waits(queue: &Queue, waits: Waits) -> Result<Vec<Arc<Event>>> {
    // "CL_INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or
    // event_wait_list is not NULL and num_events_in_wait_list is 0"
    ensure(
        waits.list.is_null() == (waits.count == 0),
        CL_INVALID_EVENT_WAIT_LIST,
        "the wait list and its length do not go together",
    )?;
    wait_list(&waits.list.list(waits.count as usize), &queue.context)
}

/// Gives a command's event to the program, if it wants it.
pub(crate) fn give(event: &Arc<Event>, waits: Waits) {
    if !waits.event.is_null() {
        waits.event.set(publish(event.clone()));
    }
}

/// Enqueues the command that `make` makes for the queue.
pub(crate) fn enqueue(
    queue: Handle,
    blocking: u32,
    waits: Waits,
    make: impl FnOnce(&Arc<Queue>) -> Result<Command>,
) -> Result<()> {
    let queue = queue.get::<Queue>()?;
    let command = make(&queue)?;
    let list = self::waits(&queue, waits)?;
    give(&command.enqueue(&queue, &list, boolean(blocking))?, waits);
    Ok(())
}

/// The index space of a call.
#[derive(Clone, Copy)]
pub(crate) struct Space {
    pub dimensions: u32,
    pub offset: In<usize>,
    pub global: In<usize>,
    pub local: In<usize>,
}

impl Space {
    /// Reads it, and checks what needs no kernel.
    pub(crate) fn read(self) -> Result<Sizes> {
        // "CL_INVALID_WORK_DIMENSION if work_dim is not a valid value (i.e. a value between 1 and
        // CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS)"
        ensure(
            (1..=3).contains(&self.dimensions),
            CL_INVALID_WORK_DIMENSION,
            format!("{} dimensions; 1 to 3 are possible", self.dimensions),
        )?;
        let count = self.dimensions as usize;
        let read = |sizes: In<usize>| {
            let list = sizes.list(count).into_iter();
            (!sizes.is_null()).then(|| list.map(|size| size as u64).collect::<Vec<_>>())
        };
        let sizes = Sizes {
            offset: read(self.offset).unwrap_or_else(|| vec![0; count]),
            // "If global_work_size is NULL, or the value in any passed dimension is 0 then the
            // kernel command will trivially succeed after its event dependencies are satisfied".
            global: read(self.global).unwrap_or_else(|| vec![0; count]),
            local: read(self.local),
        };
        sizes.check()?;
        Ok(sizes)
    }
}

/// The kernel for the device of the queue.
fn on_device<'a>(queue: &Queue, state: &'a State) -> Result<&'a umd::Kernel> {
    // "CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable available
    // for device associated with command_queue"
    let own = state.launched(queue.place);
    own.ok_or_else(|| {
        let why = "the program was not built for the device of the queue";
        Error::new(CL_INVALID_PROGRAM_EXECUTABLE, why)
    })
}

pub(crate) fn kernel(
    queue: &Arc<Queue>,
    kernel: Handle,
    dimensions: u32,
    offset: In<usize>,
    global: In<usize>,
    local: In<usize>,
) -> Result<Command> {
    let kernel = kernel.get::<Kernel>()?;
    let space = Space {
        dimensions,
        offset,
        global,
        local,
    };
    launch(queue, &kernel, &space.read()?, CL_COMMAND_NDRANGE_KERNEL)
}

pub(crate) fn launch(
    queue: &Queue,
    kernel: &Arc<Kernel>,
    sizes: &Sizes,
    command: cl_command_type,
) -> Result<Command> {
    // "CL_INVALID_CONTEXT if context associated with command_queue and kernel are not the same"
    queue.context.same(&kernel.program.context, "the kernel")?;
    let state = kernel.state();
    let own = on_device(queue, &state)?;
    let range = sizes.range(queue, kernel)?;
    let kept = state.kept(&kernel.info)?;
    let mut launch = umd::Command::kernel(own, &range)?;
    let pipes = state.pipes();
    if !pipes.is_empty() {
        let unlocks = pipes.iter().map(|mem| Command::unlock(mem, queue));
        let unlocks = unlocks.collect::<Result<Vec<_>>>()?.into_iter().flatten();
        let parts: Vec<_> = unlocks.chain([launch]).collect();
        launch = umd::Command::sequence(&queue.device.umd, &parts)?;
    }
    let command = Command::on_device(command, kept, launch);
    Ok(command.with_pipes(pipes))
}

pub(crate) fn suggest(
    queue: Handle,
    kernel: Handle,
    dimensions: u32,
    offset: In<usize>,
    global: In<usize>,
    local: Out<usize>,
) -> Result<()> {
    let queue = queue.get::<Queue>()?;
    let kernel = kernel.get::<Kernel>()?;
    queue.context.same(&kernel.program.context, "the kernel")?;
    let state = kernel.state();
    let own = on_device(&queue, &state)?;
    let space = Space {
        dimensions,
        offset,
        global,
        local: In::NULL,
    };
    let sizes = space.read()?;
    // "CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of the values specified in
    // global_work_size are 0"
    ensure(
        !sizes.global.contains(&0),
        CL_INVALID_GLOBAL_WORK_SIZE,
        "the index space is empty",
    )?;
    // "CL_INVALID_VALUE if suggested_local_work_size is NULL"
    ensure(
        !local.is_null(),
        CL_INVALID_VALUE,
        "there is no room for the size",
    )?;
    let suggested = own.payload(&sizes.range(&queue, &kernel)?)?.local;
    let suggested = suggested.into_iter().map(|size| size as usize);
    local.set_all(suggested.take(dimensions as usize));
    Ok(())
}

pub(crate) fn task(queue: &Arc<Queue>, kernel: Handle) -> Result<Command> {
    let kernel = kernel.get::<Kernel>()?;
    let sizes = Sizes {
        offset: vec![0],
        global: vec![1],
        local: Some(vec![1]),
    };
    launch(queue, &kernel, &sizes, CL_COMMAND_TASK)
}

pub(crate) fn native(
    queue: Handle,
    function: NativeKernel,
    arguments: Memory,
    size: usize,
    count: u32,
    objects: In<Handle>,
    Unconst(places): Unconst<Bytes>,
    _waits: Waits,
) -> Result<()> {
    queue.get::<Queue>()?;
    // "CL_INVALID_VALUE if user_func is NULL"
    ensure(function.is_some(), CL_INVALID_VALUE, "there is no function")?;
    // "CL_INVALID_VALUE if args is a NULL value and cb_args > 0, or if args is a NULL value and
    // num_mem_objects > 0", "… if args is not NULL and cb_args is 0", "… if num_mem_objects > 0 and
    // mem_list or args_mem_loc are NULL", "… if num_mem_objects = 0 and mem_list or args_mem_loc are
    // not NULL"
    let has_objects = count > 0;
    ensure(
        arguments.is_null() == (size == 0)
            && !(has_objects && arguments.is_null())
            && objects.is_null() != has_objects
            && places.is_null() != has_objects,
        CL_INVALID_VALUE,
        "the arguments and their sizes do not go together",
    )?;
    // "CL_INVALID_OPERATION if the device associated with command_queue cannot execute the native
    // kernel"
    let why = "the device runs no functions of the host";
    Err(Error::new(CL_INVALID_OPERATION, why))
}

pub(crate) fn marker(queue: Handle, waits: Waits) -> Result<()> {
    // "If event_wait_list is NULL, then this particular command waits until all previous enqueued
    // commands to command_queue have completed."
    let place = match waits.count {
        0 => Place::AfterAll,
        _ => Place::Next,
    };
    mark(queue, CL_COMMAND_MARKER, place, waits)
}

pub(crate) fn barrier(queue: Handle, waits: Waits) -> Result<()> {
    let after_all = waits.count == 0;
    mark(
        queue,
        CL_COMMAND_BARRIER,
        Place::Barrier { after_all },
        waits,
    )
}

/// No wait list and no event.
fn no_waits(event: Out<Handle>) -> Waits {
    Waits {
        count: 0,
        list: In::NULL,
        event,
    }
}

pub(crate) fn plain_marker(queue: Handle, event: Out<Handle>) -> Result<()> {
    // "CL_INVALID_VALUE if event is a NULL value"
    ensure(
        !event.is_null(),
        CL_INVALID_VALUE,
        "the pointer to the event is null",
    )?;
    marker(queue, no_waits(event))
}

pub(crate) fn plain_barrier(queue: Handle) -> Result<()> {
    barrier(queue, no_waits(Out::NULL))
}

pub(crate) fn wait_for_events(queue: Handle, count: u32, list: In<Handle>) -> Result<()> {
    queue.get::<Queue>()?;
    // "CL_INVALID_VALUE if num_events is zero or event_list is NULL"
    ensure(
        count > 0 && !list.is_null(),
        CL_INVALID_VALUE,
        "there are no events",
    )?;
    let event = Out::NULL;
    let waits = Waits { count, list, event };
    // "CL_INVALID_EVENT if event objects specified in event_list are not valid events"
    barrier(queue, waits).map_err(|error| match error.code {
        CL_INVALID_EVENT_WAIT_LIST => error.with_code(CL_INVALID_EVENT),
        _ => error,
    })
}

fn mark(queue: Handle, kind: cl_command_type, place: Place, waits: Waits) -> Result<()> {
    enqueue(queue, CL_FALSE, waits, |_| {
        Ok(Command::mark(kind, Vec::new(), place))
    })
}

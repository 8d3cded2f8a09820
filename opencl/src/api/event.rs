//! Events (specification, sections 5.11 and 5.14).

use std::sync::Arc;

use opencl_sys::*;

use super::abi::In;
use super::info::{self, Answer};
use crate::core::callback::{EventCallback, EventNotify};
use crate::core::{Context, Event, Handle, Memory, Object, publish};
use crate::error::{Error, Result, ensure};

pub(crate) fn wait(count: u32, list: In<Handle>) -> Result<()> {
    // "CL_INVALID_VALUE if num_events is zero or event_list is NULL"
    ensure(
        count > 0 && !list.is_null(),
        CL_INVALID_VALUE,
        "there are no events",
    )?;
    // "CL_INVALID_EVENT if event objects specified in event_list are not valid event objects"
    let events = list.list(count as usize).into_iter();
    let events = events
        .map(Handle::get::<Event>)
        .collect::<Result<Vec<_>>>()?;
    if let [first, rest @ ..] = &*events {
        // "CL_INVALID_CONTEXT if events specified in event_list do not belong to the same context"
        for event in rest {
            first.context.same(&event.context, "an event")?;
        }
    }
    let mut failed = false;
    for event in &events {
        failed |= event.wait() < CL_COMPLETE;
    }
    // "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the execution status of any of the events in
    // event_list is a negative integer value"
    ensure(
        !failed,
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        "a command failed",
    )
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let event = handle.get::<Event>()?;
    Ok(match name {
        // "For user event objects, a NULL value is returned."
        CL_EVENT_COMMAND_QUEUE => {
            let queue = event.queue.as_ref();
            info::handle(queue.map_or(Handle::NULL, |queue| queue.handle()))
        }
        CL_EVENT_CONTEXT => info::handle(event.context.base().handle()),
        CL_EVENT_COMMAND_TYPE => info::value(event.command),
        CL_EVENT_COMMAND_EXECUTION_STATUS => info::value(event.status()),
        CL_EVENT_REFERENCE_COUNT => info::value(handle.references()),
        _ => return Err(info::unknown("an event", name)),
    })
}

pub(crate) fn profiling(event: Handle, name: u32) -> Result<Answer> {
    let event = event.get::<Event>()?;
    // "CL_PROFILING_INFO_NOT_AVAILABLE if the CL_QUEUE_PROFILING_ENABLE flag is not set for the
    // command-queue, if the execution status of the command identified by event is not CL_COMPLETE
    // or if event is a user event object."
    let queue = event.queue.as_ref();
    let has = queue.is_some_and(|queue| queue.properties() & CL_QUEUE_PROFILING_ENABLE != 0);
    let times = (event.status() == CL_COMPLETE && has).then(|| event.times());
    let times = times.flatten().ok_or_else(|| {
        let why = "the queue does not profile, or the command has not ended";
        Error::new(CL_PROFILING_INFO_NOT_AVAILABLE, why)
    })?;
    let time = match name {
        CL_PROFILING_COMMAND_QUEUED => times.queued,
        CL_PROFILING_COMMAND_SUBMIT => times.submitted,
        CL_PROFILING_COMMAND_START => times.started,
        // "If the device does not enqueue, CL_PROFILING_COMMAND_COMPLETE is the same as END."
        CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => times.ended,
        _ => return Err(info::unknown("a profile", name)),
    };
    Ok(info::value(time.as_nanos() as u64))
}

pub(crate) fn create_user(context: Handle) -> Result<Handle> {
    let context = context.get::<Context>()?;
    Ok(publish(Arc::new(Event::of_user(context))))
}

pub(crate) fn set_status(event: Handle, status: i32) -> Result<()> {
    let event = event.get::<Event>()?;
    // "CL_INVALID_EVENT if event is not a valid user event object"
    ensure(
        event.queue.is_none(),
        CL_INVALID_EVENT,
        "the event is a command's",
    )?;
    // "CL_INVALID_VALUE if the execution_status is not CL_COMPLETE or a negative integer value"
    ensure(
        status <= CL_COMPLETE,
        CL_INVALID_VALUE,
        format!("an event cannot be set to {status}"),
    )?;
    // "CL_INVALID_OPERATION if the execution_status for event has already been changed by a
    // previous call to clSetUserEventStatus"
    ensure(
        event.end(status),
        CL_INVALID_OPERATION,
        "the event was set before",
    )
}

pub(crate) fn set_callback(
    event: Handle,
    kind: i32,
    notify: EventNotify,
    data: Memory,
) -> Result<()> {
    let event = event.get::<Event>()?;
    // "CL_INVALID_VALUE if pfn_event_notify is NULL or if command_exec_callback_type is not
    // CL_SUBMITTED, CL_RUNNING, or CL_COMPLETE"
    let function = notify.ok_or_else(|| Error::new(CL_INVALID_VALUE, "there is no callback"))?;
    ensure(
        [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE].contains(&kind),
        CL_INVALID_VALUE,
        format!("there are no callbacks for the status {kind}"),
    )?;
    event.add_callback(kind, EventCallback { function, data });
    Ok(())
}

pub(crate) fn retain(event: Handle) -> Result<()> {
    event.retain::<Event>()
}

pub(crate) fn release(event: Handle) -> Result<()> {
    event.release::<Event>()
}

//! Queues, submission and user fences.

use std::sync::atomic::AtomicU64;
use std::time::Instant;

use nix::errno::Errno;

use crate::generic::monotonic_nanoseconds;
use crate::node_ext::{NodeExt, user_pointer};
use crate::uapi::xe::exec::{self, Sync, WaitFlags, WaitOp};
use crate::uapi::xe::{EngineClassInstance, ExtSetProperty, UserExtension};
use crate::{KmdError, KmdResult, Node};

/// EXEC_QUEUE_CREATE: a queue that may run on any of `placements`. Returns its id.
///
/// # Errors
/// What the kernel answers; `EPERM` for a priority that this process may not use.
pub fn exec_queue_create(
    node: &dyn Node,
    vm_id: u32,
    placements: &[EngineClassInstance],
    priority: Option<u64>,
) -> KmdResult<u32> {
    let property = ExtSetProperty {
        base: UserExtension {
            name: exec::EXEC_QUEUE_EXTENSION_SET_PROPERTY,
            ..Default::default()
        },
        property: exec::EXEC_QUEUE_SET_PROPERTY_PRIORITY,
        value: priority.unwrap_or(0),
        ..Default::default()
    };
    let mut argument = exec::ExecQueueCreate {
        extensions: if priority.is_some() {
            user_pointer(&property)
        } else {
            0
        },
        width: 1,
        num_placements: u16::try_from(placements.len()).unwrap_or(u16::MAX),
        vm_id,
        instances: user_pointer(placements),
        ..Default::default()
    };
    node.call(exec::EXEC_QUEUE_CREATE, &mut argument)?;
    Ok(argument.exec_queue_id)
}

/// EXEC_QUEUE_DESTROY.
pub fn exec_queue_destroy(node: &dyn Node, exec_queue_id: u32) -> KmdResult<()> {
    let mut argument = exec::ExecQueueDestroy {
        exec_queue_id,
        ..Default::default()
    };
    node.call(exec::EXEC_QUEUE_DESTROY, &mut argument)?;
    Ok(())
}

/// EXEC_QUEUE_GET_PROPERTY: whether the queue is banned.
pub fn exec_queue_banned(node: &dyn Node, exec_queue_id: u32) -> KmdResult<bool> {
    let mut argument = exec::ExecQueueGetProperty {
        exec_queue_id,
        property: exec::EXEC_QUEUE_GET_PROPERTY_BAN,
        ..Default::default()
    };
    node.call(exec::EXEC_QUEUE_GET_PROPERTY, &mut argument)?;
    Ok(argument.value != 0)
}

/// EXEC: submits the batch at `address`; waits for and signals `syncs`.
///
/// # Errors
/// What the kernel answers; `ECANCELED` if the queue is banned.
pub fn exec(node: &dyn Node, exec_queue_id: u32, address: u64, syncs: &[Sync]) -> KmdResult<()> {
    let mut argument = exec::Exec {
        exec_queue_id,
        num_syncs: u32::try_from(syncs.len()).unwrap_or(u32::MAX),
        syncs: user_pointer(syncs),
        address,
        num_batch_buffer: 1,
        ..Default::default()
    };
    node.call(exec::EXEC, &mut argument)?;
    Ok(())
}

/// WAIT_USER_FENCE: waits until `*fence >= value`. Returns whether that was before `deadline`.
///
/// `exec_queue_id` is the queue that writes it, 0 if none does.
///
/// # Errors
/// What the kernel answers, except a timeout; `EIO` if the queue is banned.
pub fn wait_user_fence(
    node: &dyn Node,
    fence: &AtomicU64,
    value: u64,
    exec_queue_id: u32,
    deadline: Instant,
) -> KmdResult<bool> {
    let mut argument = exec::WaitUserFence {
        addr: user_pointer(fence),
        op: WaitOp::Gte as u16,
        flags: WaitFlags::ABSTIME,
        value,
        mask: u64::MAX,
        timeout: monotonic_nanoseconds(deadline)?,
        exec_queue_id,
        ..Default::default()
    };
    match node.try_call(exec::WAIT_USER_FENCE, &mut argument) {
        Ok(_) => Ok(true),
        Err(Errno::ETIME) => Ok(false),
        Err(errno) => Err(KmdError::from_errno(exec::WAIT_USER_FENCE.name(), errno)),
    }
}

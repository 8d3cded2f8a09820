//! Bindings: VM_BIND, and waiting until the page tables are written.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use devinfo::GpuAddress;

use super::calls;
use crate::node_ext::user_pointer;
use crate::uapi::xe::exec::{Sync, SyncFlags, SyncType};
use crate::uapi::xe::vm::{BindFlags, BindOp, VmBindOp};
use crate::{AddressSpaceId, KmdError, KmdResult, Node};

/// How long the kernel may take to write page tables. At most it copies or pages in the device's
/// memory, which takes seconds at worst.
const BIND_TIMEOUT: Duration = Duration::from_secs(30);

/// The memory of a binding.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A GEM object, from an offset on.
    Object {
        /// Its handle.
        handle: u32,
        /// First byte.
        offset: u64,
    },
    /// This process's memory.
    User {
        /// First byte.
        address: u64,
        /// Whether the GPU may write.
        writable: bool,
    },
}

/// Binds, and returns when submissions can see it.
pub(super) fn bind(
    node: &dyn Node,
    space: AddressSpaceId,
    address: GpuAddress,
    length: u64,
    source: Source,
    pat_index: u16,
) -> KmdResult<()> {
    let common = VmBindOp {
        pat_index,
        range: length,
        addr: address.canonical(),
        flags: BindFlags::IMMEDIATE,
        ..Default::default()
    };
    let operation = match source {
        Source::Object { handle, offset } => VmBindOp {
            obj: handle,
            obj_offset: offset,
            op: BindOp::Map as u32,
            ..common
        },
        Source::User { address, writable } => VmBindOp {
            obj_offset: address,
            op: BindOp::MapUserptr as u32,
            flags: if writable {
                common.flags
            } else {
                common.flags | BindFlags::READONLY
            },
            ..common
        },
    };
    run(node, space, operation)
}

/// Removes a binding, and returns when it is gone.
pub(super) fn unbind(
    node: &dyn Node,
    space: AddressSpaceId,
    address: GpuAddress,
    length: u64,
) -> KmdResult<()> {
    let operation = VmBindOp {
        range: length,
        addr: address.canonical(),
        op: BindOp::Unmap as u32,
        ..Default::default()
    };
    run(node, space, operation)
}

/// The kernel binds asynchronously and writes a user fence when it is done. User fences are what
/// VM_BIND signals in every kind of address space.
fn run(node: &dyn Node, space: AddressSpaceId, operation: VmBindOp) -> KmdResult<()> {
    let fence = Box::new(AtomicU64::new(0));
    let sync = Sync {
        ty: SyncType::UserFence as u32,
        flags: SyncFlags::SIGNAL,
        addr: user_pointer(fence.as_ref()),
        timeline_value: 1,
        ..Default::default()
    };
    calls::vm_bind(node, space.get(), &[operation], &[sync])?;
    let deadline = Instant::now() + BIND_TIMEOUT;
    let done = calls::wait_user_fence(node, &fence, 1, 0, deadline);
    if matches!(done, Ok(true)) || fence.load(Ordering::Acquire) == 1 {
        return Ok(());
    }
    // The kernel may still write the fence later: keep its memory.
    Box::leak(fence);
    done?;
    Err(KmdError::Ioctl {
        ioctl: "DRM_IOCTL_XE_VM_BIND",
        errno: nix::errno::Errno::ETIME,
        hint: "the kernel did not write the page tables within 30 seconds",
    })
}

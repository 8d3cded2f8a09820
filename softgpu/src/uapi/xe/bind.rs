//! Address spaces and bindings.

use std::sync::Arc;

use devinfo::GpuAddress;
use kmd_iface::uapi::xe::vm::{
    BindFlags, BindOp, VmBind, VmBindOp, VmCreate, VmCreateFlags, VmDestroy,
};
use nix::errno::Errno;

use super::syncs::{Syncs, UserFences};
use super::{DEVICE_PAGE, zero};
use crate::client::{File, Memory, VmMode, Work, XeVm};
use crate::uapi::family::traits;
use softgpu_device::Fence;
use softgpu_memory::{AddressSpace, Backing, Binding, OwnerId, PAGE_BYTES, user};

/// The most operations of one call.
const BIND_LIMIT: u32 = 4096;

pub(super) fn vm_create(file: &File, args: &mut VmCreate) -> Result<(), Errno> {
    zero(&[args.extensions, args.reserved[0], args.reserved[1]])?;
    let known = VmCreateFlags::SCRATCH_PAGE | VmCreateFlags::LR_MODE | VmCreateFlags::FAULT_MODE;
    if !(args.flags - known).is_empty() {
        return Err(Errno::EINVAL);
    }
    let scratch = args.flags.contains(VmCreateFlags::SCRATCH_PAGE);
    let long_running = args.flags.contains(VmCreateFlags::LR_MODE);
    if args.flags.contains(VmCreateFlags::FAULT_MODE) {
        // Recoverable page faults replace the scratch page and need long-running mode.
        let family = file.device().platform.family;
        if !traits(family).recoverable_faults || scratch || !long_running {
            return Err(Errno::EINVAL);
        }
    }
    let mode = match (long_running, args.flags.contains(VmCreateFlags::FAULT_MODE)) {
        (_, true) => VmMode::Fault,
        (true, false) => VmMode::PreemptFence,
        (false, false) => VmMode::DmaFence,
    };
    let scratch = scratch || file.device().options.scratch_page;
    args.vm_id = file.xe_vms.insert(XeVm::new(scratch, mode))?;
    Ok(())
}

pub(super) fn vm_destroy(file: &File, args: &mut VmDestroy) -> Result<(), Errno> {
    zero(&[args.pad.into(), args.reserved[0], args.reserved[1]])?;
    let vm = file.xe_vms.get(args.vm_id).ok_or(Errno::ENOENT)?;
    // Long-running queues keep their address space alive, so they must be destroyed first. Others
    // accept no more batches.
    let used = vm.mode == VmMode::PreemptFence
        && file.xe_queues.all().iter().any(
            |queue| matches!(&queue.work, Work::Batches { vm: used, .. } if Arc::ptr_eq(used, &vm)),
        );
    if used {
        return Err(Errno::EBUSY);
    }
    vm.close();
    file.xe_vms.remove(args.vm_id);
    Ok(())
}

/// A binding operation, checked.
enum Operation {
    Map(GpuAddress, Binding),
    Unmap(GpuAddress, u64),
    UnmapAll(Arc<Backing>),
    Nothing,
}

pub(super) fn vm_bind(file: &File, args: &mut VmBind) -> Result<(), Errno> {
    zero(&[
        args.extensions,
        args.pad.into(),
        args.pad2.into(),
        args.reserved[0],
        args.reserved[1],
    ])?;
    let vm = file.xe_vms.get(args.vm_id).ok_or(Errno::ENOENT)?;
    if args.exec_queue_id != 0 {
        let queue = file
            .xe_queues
            .get(args.exec_queue_id)
            .ok_or(Errno::ENOENT)?;
        if !matches!(queue.work, Work::Bindings) {
            return Err(Errno::EINVAL);
        }
    }
    let operations: Vec<VmBindOp> = match args.num_binds {
        0 => Vec::new(),
        1 => vec![args.bind],
        count if count > BIND_LIMIT => return Err(Errno::EINVAL),
        count => user::read_array(args.vector_of_binds(), count.into())?,
    };
    let mut checked = Vec::with_capacity(operations.len());
    for operation in &operations {
        checked.push(check(file, &vm, operation, args.num_binds > 1)?);
    }
    let syncs = Syncs::read(
        file,
        args.syncs,
        args.num_syncs,
        &vm,
        match operations.is_empty() {
            true => UserFences::None,
            false => UserFences::OfClient,
        },
    )?;
    let done = Fence::new();
    syncs.attach(&done);
    let mut waits = syncs.waits;
    waits.extend(vm.queue_bind(&done));
    let user_fence = syncs.user_fence;
    // At once if there is nothing to wait for.
    Fence::all(&waits).on_signal(Box::new(move || {
        for operation in checked {
            apply(&vm.space, operation);
        }
        if let Some(fence) = user_fence
            && let Err(errno) = user::write(fence.address, &fence.value)
        {
            tracing::warn!("softgpu: the fence of a binding is gone: {errno}");
        }
        done.signal();
    }));
    Ok(())
}

fn check(file: &File, vm: &XeVm, operation: &VmBindOp, in_array: bool) -> Result<Operation, Errno> {
    if in_array && operation.extensions != 0 {
        return Err(Errno::EINVAL);
    }
    zero(&[
        operation.pad.into(),
        operation.pad2.into(),
        operation.reserved[0],
        operation.reserved[1],
        operation.reserved[2],
    ])?;
    let known = BindFlags::READONLY | BindFlags::IMMEDIATE | BindFlags::NULL | BindFlags::DUMPABLE;
    if !(operation.flags - known).is_empty() {
        return Err(Errno::EINVAL);
    }
    let null = operation.flags.contains(BindFlags::NULL);
    let op = BindOp::from_raw(operation.op).ok_or(Errno::EINVAL)?;
    if null && (op != BindOp::Map || operation.obj != 0 || operation.obj_offset != 0) {
        return Err(Errno::EINVAL);
    }
    let address = GpuAddress::new(operation.addr);
    let bytes = operation.range;
    if op == BindOp::UnmapAll {
        if bytes != 0 || operation.addr != 0 {
            return Err(Errno::EINVAL);
        }
        let object = file.object(operation.obj)?;
        return Ok(Operation::UnmapAll(Arc::clone(&object.backing)));
    }
    let end = address.get().checked_add(bytes);
    if bytes == 0
        || !bytes.is_multiple_of(PAGE_BYTES)
        || !address.get().is_multiple_of(PAGE_BYTES)
        || address.canonical() != operation.addr && address.get() != operation.addr
        || end.is_none_or(|end| end > 1 << GpuAddress::BITS)
    {
        return Err(Errno::EINVAL);
    }
    let writable = !operation.flags.contains(BindFlags::READONLY);
    match op {
        BindOp::Map if null => Ok(Operation::Map(
            address,
            Binding {
                backing: None,
                offset: 0,
                bytes,
                writable,
                owner: OwnerId(0),
            },
        )),
        BindOp::Map => {
            let object = file.object(operation.obj)?;
            if !object.allows(vm) {
                return Err(Errno::EINVAL);
            }
            let end = operation.obj_offset.checked_add(bytes);
            if !operation.obj_offset.is_multiple_of(PAGE_BYTES)
                || end.is_none_or(|end| end > object.backing.bytes())
            {
                return Err(Errno::EINVAL);
            }
            let coarse = object.memory == Memory::Device;
            if coarse && !(operation.obj_offset | address.get() | bytes).is_multiple_of(DEVICE_PAGE)
            {
                return Err(Errno::EINVAL);
            }
            Ok(Operation::Map(
                address,
                Binding {
                    backing: Some(Arc::clone(&object.backing)),
                    offset: operation.obj_offset,
                    bytes,
                    writable,
                    owner: OwnerId(operation.obj),
                },
            ))
        }
        BindOp::MapUserptr => {
            if operation.obj != 0 {
                return Err(Errno::EINVAL);
            }
            let backing = Backing::user(operation.obj_offset, bytes, !writable)?;
            backing.probe(&user::Maps::load()?)?;
            Ok(Operation::Map(
                address,
                Binding {
                    backing: Some(backing),
                    offset: 0,
                    bytes,
                    writable,
                    owner: OwnerId(0),
                },
            ))
        }
        BindOp::Unmap => {
            if operation.obj != 0 || operation.obj_offset != 0 {
                return Err(Errno::EINVAL);
            }
            Ok(Operation::Unmap(address, bytes))
        }
        // All memory is local.
        BindOp::Prefetch => match vm.is_closed() {
            true => Err(Errno::ENOENT),
            false => Ok(Operation::Nothing),
        },
        BindOp::UnmapAll => Ok(Operation::Nothing),
    }
}

/// Applies a checked operation.
fn apply(space: &AddressSpace, operation: Operation) {
    let outcome = match operation {
        Operation::Map(address, binding) => space.bind(address, binding),
        Operation::Unmap(address, bytes) => space.unbind(address, bytes),
        Operation::UnmapAll(backing) => {
            let of_object = space.bindings().into_iter().filter(|(_, binding)| {
                let other = binding.backing.as_ref();
                other.is_some_and(|other| Arc::ptr_eq(other, &backing))
            });
            let mut outcome = Ok(());
            for (address, binding) in of_object {
                outcome = outcome.and(space.unbind(address, binding.bytes));
            }
            outcome
        }
        Operation::Nothing => Ok(()),
    };
    if let Err(error) = outcome {
        // Checked before: this cannot happen.
        tracing::error!("softgpu: {error}");
    }
}

//! Address spaces and bindings.

use std::sync::Arc;

use devinfo::GpuAddress;
use kmd_iface::uapi::xe::vm::{
    BindFlags, BindOp, VmBind, VmBindOp, VmCreate, VmCreateFlags, VmDestroy,
};

use super::syncs::{Syncs, UserFences};
use super::zero;
use crate::client::{File, VmMode, Work, XeVm};
use crate::refusal::{Answer, Refusal, demand, ensure, refuse};
use crate::uapi::family::traits;
use crate::uapi::page_of;
use softgpu_device::Fence;
use softgpu_memory::{AddressSpace, Backing, Binding, OwnerId, PAGE_BYTES, user};

/// The most operations of one call.
const BIND_LIMIT: u32 = 4096;

pub(super) fn vm_create(file: &File, args: &mut VmCreate) -> Answer {
    zero(&[("extensions", args.extensions)])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    let known = VmCreateFlags::SCRATCH_PAGE | VmCreateFlags::LR_MODE | VmCreateFlags::FAULT_MODE;
    let unknown = args.flags - known;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let scratch = args.flags.contains(VmCreateFlags::SCRATCH_PAGE);
    let long_running = args.flags.contains(VmCreateFlags::LR_MODE);
    if args.flags.contains(VmCreateFlags::FAULT_MODE) {
        // Recoverable page faults replace the scratch page and need long-running mode.
        let family = file.device().platform.family;
        ensure!(
            traits(family).recoverable_faults && !scratch && long_running,
            EINVAL,
            "flags {:?}: FAULT_MODE needs LR_MODE, no SCRATCH_PAGE, and a platform that recovers \
             from page faults",
            args.flags
        );
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

pub(super) fn vm_destroy(file: &File, args: &mut VmDestroy) -> Answer {
    zero(&[("pad", args.pad.into())])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    let vm = file.xe_vm(args.vm_id)?;
    // Long-running queues keep their address space alive, so they must be destroyed first. Others
    // accept no more batches.
    let used = vm.mode == VmMode::PreemptFence
        && file.xe_queues.all().iter().any(
            |queue| matches!(&queue.work, Work::Batches { vm: used, .. } if Arc::ptr_eq(used, &vm)),
        );
    ensure!(!used, EBUSY, "a long-running queue uses VM {}", args.vm_id);
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

pub(super) fn vm_bind(file: &File, args: &mut VmBind) -> Answer {
    zero(&[
        ("extensions", args.extensions),
        ("pad", args.pad.into()),
        ("pad2", args.pad2.into()),
    ])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    let vm = file.xe_vm(args.vm_id)?;
    if args.exec_queue_id != 0 {
        let queue = file.xe_queue(args.exec_queue_id)?;
        ensure!(
            matches!(queue.work, Work::Bindings),
            EINVAL,
            "exec_queue_id {}: that queue is for batches",
            args.exec_queue_id
        );
    }
    let operations: Vec<VmBindOp> = match args.num_binds {
        0 => Vec::new(),
        1 => vec![args.bind],
        count if count > BIND_LIMIT => refuse!(EINVAL, "num_binds {count}: at most {BIND_LIMIT}"),
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

fn check(file: &File, vm: &XeVm, operation: &VmBindOp, in_array: bool) -> Answer<Operation> {
    if in_array {
        zero(&[("extensions of a bind", operation.extensions)])?;
    }
    zero(&[
        ("pad of a bind", operation.pad.into()),
        ("pad2 of a bind", operation.pad2.into()),
    ])?;
    zero(&operation.reserved.map(|r| ("reserved of a bind", r)))?;
    let known = BindFlags::READONLY | BindFlags::IMMEDIATE | BindFlags::NULL | BindFlags::DUMPABLE;
    let unknown = operation.flags - known;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags of a bind: {unknown:?} is not known"
    );
    let null = operation.flags.contains(BindFlags::NULL);
    let op = BindOp::from_raw(operation.op);
    let op = demand!(op, EINVAL, "op {:#x} is not known", operation.op);
    ensure!(
        !null || op == BindOp::Map && operation.obj == 0 && operation.obj_offset == 0,
        EINVAL,
        "{op:?} with NULL: only for Map, without obj and obj_offset"
    );
    let address = GpuAddress::new(operation.addr);
    let bytes = operation.range;
    if op == BindOp::UnmapAll {
        ensure!(
            bytes == 0 && operation.addr == 0,
            EINVAL,
            "UnmapAll: addr {:#x}, range {bytes:#x}: must be zero",
            operation.addr
        );
        let object = file.object(operation.obj)?;
        return Ok(Operation::UnmapAll(Arc::clone(&object.backing)));
    }
    let end = address.get().checked_add(bytes);
    let bits = file.device().platform.address_bits;
    ensure!(
        bytes != 0
            && bytes.is_multiple_of(PAGE_BYTES)
            && address.get().is_multiple_of(PAGE_BYTES)
            && (address.canonical() == operation.addr || address.get() == operation.addr)
            && end.is_some_and(|end| end <= 1 << bits),
        EINVAL,
        "{op:?}: addr {:#x}, range {bytes:#x}: whole pages below 2^{bits}",
        operation.addr,
    );
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
            let (obj, offset) = (operation.obj, operation.obj_offset);
            ensure!(
                object.allows(vm),
                EINVAL,
                "handle {obj} is private to another VM"
            );
            let end = offset.checked_add(bytes);
            ensure!(
                offset.is_multiple_of(PAGE_BYTES)
                    && end.is_some_and(|end| end <= object.backing.bytes()),
                EINVAL,
                "Map: obj_offset {offset:#x}, range {bytes:#x}: whole pages of handle {obj}, which \
                 has {:#x} bytes",
                object.backing.bytes()
            );
            let page = page_of(file.device(), object.memory);
            ensure!(
                (offset | address.get() | bytes).is_multiple_of(page),
                EINVAL,
                "Map: obj_offset {offset:#x}, addr {:#x}, range {bytes:#x}: handle {obj} has pages \
                 of {page:#x}",
                operation.addr
            );
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
            zero(&[("obj of MapUserptr", operation.obj.into())])?;
            let why = |errno| {
                let start = operation.obj_offset;
                Refusal::new(
                    errno,
                    format!("MapUserptr: {bytes:#x} bytes of the client at {start:#x}"),
                )
            };
            let backing = Backing::user(operation.obj_offset, bytes, !writable).map_err(why)?;
            backing.probe(&user::Maps::load()?).map_err(why)?;
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
            // The offset means nothing here, but has to be one (Linux
            // `vm_bind_ioctl_check_args`).
            zero(&[
                ("obj of Unmap", operation.obj.into()),
                (
                    "obj_offset of Unmap, within a page",
                    operation.obj_offset % PAGE_BYTES,
                ),
            ])?;
            Ok(Operation::Unmap(address, bytes))
        }
        // All memory is local.
        BindOp::Prefetch => match vm.is_closed() {
            true => refuse!(ENOENT, "the VM is closed"),
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

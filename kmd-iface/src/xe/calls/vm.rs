//! Address spaces and bindings.

use crate::node_ext::{NodeExt, user_pointer};
use crate::uapi::xe::exec::Sync;
use crate::uapi::xe::vm::{self, VmBindOp, VmCreateFlags};
use crate::{KmdResult, Node};

/// VM_CREATE: an address space. Returns its id.
pub fn vm_create(node: &dyn Node, flags: VmCreateFlags) -> KmdResult<u32> {
    let mut argument = vm::VmCreate {
        flags,
        ..Default::default()
    };
    node.call(vm::VM_CREATE, &mut argument)?;
    Ok(argument.vm_id)
}

/// VM_DESTROY.
pub fn vm_destroy(node: &dyn Node, vm_id: u32) -> KmdResult<()> {
    let mut argument = vm::VmDestroy {
        vm_id,
        ..Default::default()
    };
    node.call(vm::VM_DESTROY, &mut argument)?;
    Ok(())
}

/// VM_BIND: does `operations` in order, then signals `syncs`.
pub fn vm_bind(
    node: &dyn Node,
    vm_id: u32,
    operations: &[VmBindOp],
    syncs: &[Sync],
) -> KmdResult<()> {
    let mut argument = vm::VmBind {
        vm_id,
        num_binds: u32::try_from(operations.len()).unwrap_or(u32::MAX),
        num_syncs: u32::try_from(syncs.len()).unwrap_or(u32::MAX),
        syncs: user_pointer(syncs),
        ..Default::default()
    };
    match operations {
        [operation] => argument.bind = *operation,
        _ => argument.bind.extensions = user_pointer(operations),
    }
    node.call(vm::VM_BIND, &mut argument)?;
    Ok(())
}

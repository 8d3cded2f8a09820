//! Address spaces and bindings.

use super::command;
use crate::uapi::{uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

uapi_enums! {
    /// What a binding operation does (`DRM_XE_VM_BIND_OP_*`).
    enum BindOp: u32 = "DRM_XE_VM_BIND_OP_" {
        /// Bind a part of a buffer.
        Map = 0;
        /// Unbind a range.
        Unmap = 1;
        /// Bind user memory.
        MapUserptr = 2;
        /// Unbind a buffer everywhere.
        UnmapAll = 3;
        /// Move what is bound to a memory region.
        Prefetch = 4;
    }
}

uapi_flags! {
    /// `drm_xe_vm_create.flags`.
    flags VmCreateFlags: u32 = "DRM_XE_VM_CREATE_FLAG_" {
        /// Accesses to unbound addresses reach a scratch page.
        SCRATCH_PAGE = 1 << 0;
        /// Jobs may run for ever; completions are user fences only.
        LR_MODE = 1 << 1;
        /// Page faults are recoverable; needs `LR_MODE`.
        FAULT_MODE = 1 << 2;
    }

    /// `drm_xe_vm_bind_op.flags`.
    flags BindFlags: u32 = "DRM_XE_VM_BIND_FLAG_" {
        /// The GPU only reads.
        READONLY = 1 << 0;
        /// With `FAULT_MODE`: bind now, not at the first fault.
        IMMEDIATE = 1 << 1;
        /// Bind nothing: reads give zero, writes are dropped.
        NULL = 1 << 2;
        /// Include it in a core dump.
        DUMPABLE = 1 << 3;
    }
}

uapi_structs! {
    /// Creates an address space.
    struct VmCreate = "struct drm_xe_vm_create" {
        extensions: u64,
        /// How.
        flags: VmCreateFlags,
        /// Out.
        vm_id: u32,
        reserved: [u64; 2],
    }

    /// Destroys an address space.
    struct VmDestroy = "struct drm_xe_vm_destroy" {
        /// Which.
        vm_id: u32,
        pad: u32,
        reserved: [u64; 2],
    }

    /// One binding operation.
    struct VmBindOp = "struct drm_xe_vm_bind_op" {
        extensions: u64,
        /// The buffer; 0 for user memory and unmapping.
        obj: u32,
        /// Memory attributes.
        pat_index: u16,
        pad: u16,
        /// Offset in the buffer, or the address of user memory.
        obj_offset: u64,
        /// Bytes.
        range: u64,
        /// GPU address.
        addr: u64,
        /// [`BindOp`].
        op: u32,
        /// How.
        flags: BindFlags,
        /// For [`BindOp::Prefetch`].
        prefetch_mem_region_instance: u32,
        pad2: u32,
        reserved: [u64; 3],
    }

    /// Binds and unbinds.
    struct VmBind = "struct drm_xe_vm_bind" {
        extensions: u64,
        /// The address space.
        vm_id: u32,
        /// The queue that orders the operations, 0 for the default one.
        exec_queue_id: u32,
        pad: u32,
        /// How many operations.
        num_binds: u32,
        /// The operation if there is one; with more, its first eight bytes are a user pointer to
        /// them.
        bind: VmBindOp,
        pad2: u32,
        /// How many syncs.
        num_syncs: u32,
        /// User pointer to `Sync`s.
        syncs: u64,
        reserved: [u64; 2],
    }
}

impl VmBind {
    /// The user pointer to the operations, when there are several.
    pub const fn vector_of_binds(&self) -> u64 {
        self.bind.extensions
    }
}

uapi_ioctls! {
    /// Create an address space.
    VM_CREATE = ReadWrite(command(0x03), VmCreate), "DRM_IOCTL_XE_VM_CREATE";
    /// Destroy an address space.
    VM_DESTROY = Write(command(0x04), VmDestroy), "DRM_IOCTL_XE_VM_DESTROY";
    /// Bind and unbind.
    VM_BIND = Write(command(0x05), VmBind), "DRM_IOCTL_XE_VM_BIND";
}

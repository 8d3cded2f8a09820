//! A client of xe that issues ioctls itself.

use std::time::{Duration, Instant};

use super::raw::{BASE, BYTES, Memory, Raw, address};
use devinfo::{Driver, Family};
use kmd_iface::generic;
use kmd_iface::uapi::drm::{SyncobjCreateFlags, SyncobjWaitFlags};
use kmd_iface::uapi::xe::exec::{self, Exec, Sync, SyncFlags, SyncType, WaitUserFence};
use kmd_iface::uapi::xe::vm::{self, BindOp, VmBind, VmBindOp, VmCreate, VmCreateFlags};
use kmd_iface::uapi::xe::{EngineClass, EngineClassInstance, ExtSetProperty};
use nix::errno::Errno;
use softgpu::Options;

pub const LR: VmCreateFlags = VmCreateFlags::LR_MODE;

pub fn options() -> Options {
    Options {
        driver: Driver::Xe,
        hang_timeout: Duration::from_millis(300),
        ..Options::default()
    }
}

/// An address space in which the memory is bound.
pub struct Rig {
    pub raw: Raw,
    pub memory: Memory,
    pub vm: u32,
    pub family: Family,
}

impl Rig {
    pub fn new(platform: &str, flags: VmCreateFlags) -> Self {
        Self::with(platform, flags, options())
    }

    pub fn with(platform: &str, flags: VmCreateFlags, options: Options) -> Self {
        let raw = Raw::on(platform, options);
        let memory = Memory::new();
        let vm = vm_create(&raw, flags).unwrap();
        let family = raw.node.device().platform.family;
        let rig = Self {
            raw,
            memory,
            vm,
            family,
        };
        rig.bind(rig.vm, &mut []).unwrap();
        rig
    }

    pub fn bind(&self, vm_id: u32, syncs: &mut [Sync]) -> Result<(), Errno> {
        let mut argument = VmBind {
            vm_id,
            num_binds: 1,
            bind: VmBindOp {
                obj_offset: self.memory.address(),
                range: BYTES,
                addr: BASE,
                op: BindOp::MapUserptr as u32,
                ..Default::default()
            },
            num_syncs: syncs.len() as u32,
            syncs: address(syncs),
            ..Default::default()
        };
        self.raw.call(vm::VM_BIND, &mut argument).map(drop)
    }

    pub fn create(&self, argument: &mut exec::ExecQueueCreate) -> Result<u32, Errno> {
        self.raw.call(exec::EXEC_QUEUE_CREATE, argument)?;
        Ok(argument.exec_queue_id)
    }

    pub fn queue_in(&self, vm_id: u32, class: EngineClass) -> Result<u32, Errno> {
        let mut instance = engine(class);
        self.create(&mut exec::ExecQueueCreate {
            width: 1,
            num_placements: 1,
            vm_id,
            instances: address(&mut instance),
            ..Default::default()
        })
    }

    /// A queue on the first engine that computes.
    pub fn queue(&self) -> u32 {
        let class = match self.family {
            Family::XeHpc => EngineClass::Compute,
            _ => EngineClass::Render,
        };
        self.queue_in(self.vm, class).unwrap()
    }

    pub fn queue_with(&self, properties: &mut [ExtSetProperty]) -> Result<u32, Errno> {
        let mut next = 0;
        for property in properties.iter_mut().rev() {
            property.base.next_extension = next;
            next = address(property);
        }
        let mut instance = engine(EngineClass::Copy);
        self.create(&mut exec::ExecQueueCreate {
            extensions: next,
            width: 1,
            num_placements: 1,
            vm_id: self.vm,
            instances: address(&mut instance),
            ..Default::default()
        })
    }

    pub fn exec(&self, queue: u32, offset: u64, syncs: &mut [Sync]) -> Result<(), Errno> {
        self.exec_batches(queue, offset, 1, syncs)
    }

    pub fn exec_batches(
        &self,
        exec_queue_id: u32,
        offset: u64,
        num_batch_buffer: u16,
        syncs: &mut [Sync],
    ) -> Result<(), Errno> {
        let mut argument = Exec {
            exec_queue_id,
            num_syncs: syncs.len() as u32,
            syncs: address(syncs),
            address: BASE + offset,
            num_batch_buffer,
            ..Default::default()
        };
        self.raw.call(exec::EXEC, &mut argument).map(drop)
    }

    pub fn syncobj(&self) -> u32 {
        generic::syncobj_create(self.raw.node.as_ref(), SyncobjCreateFlags::empty()).unwrap()
    }

    pub fn wait_point(&self, handle: u32, point: u64, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let flags = SyncobjWaitFlags::WAIT_FOR_SUBMIT;
        let node = self.raw.node.as_ref();
        generic::syncobj_timeline_wait(node, &[(handle, point)], flags, deadline).unwrap()
    }

    pub fn banned(&self, exec_queue_id: u32) -> bool {
        let mut argument = exec::ExecQueueGetProperty {
            exec_queue_id,
            ..Default::default()
        };
        self.raw
            .call(exec::EXEC_QUEUE_GET_PROPERTY, &mut argument)
            .unwrap();
        argument.value != 0
    }

    pub fn wait_user(&self, argument: &mut WaitUserFence) -> Result<(), Errno> {
        self.raw.call(exec::WAIT_USER_FENCE, argument).map(drop)
    }
}

pub fn vm_create(raw: &Raw, flags: VmCreateFlags) -> Result<u32, Errno> {
    let mut argument = VmCreate {
        flags,
        ..Default::default()
    };
    raw.call(vm::VM_CREATE, &mut argument)?;
    Ok(argument.vm_id)
}

pub fn vm_destroy(raw: &Raw, vm_id: u32) -> Result<(), Errno> {
    let mut argument = vm::VmDestroy {
        vm_id,
        ..Default::default()
    };
    raw.call(vm::VM_DESTROY, &mut argument).map(drop)
}

pub fn engine(class: EngineClass) -> EngineClassInstance {
    EngineClassInstance {
        engine_class: class as u16,
        ..Default::default()
    }
}

pub fn property(property: u32, value: u64) -> ExtSetProperty {
    ExtSetProperty {
        property,
        value,
        ..Default::default()
    }
}

pub fn sync(ty: SyncType, signal: bool, addr: u64, timeline_value: u64) -> Sync {
    Sync {
        ty: ty as u32,
        flags: match signal {
            true => SyncFlags::SIGNAL,
            false => SyncFlags::empty(),
        },
        addr,
        timeline_value,
        ..Default::default()
    }
}

pub fn point(handle: u32, point: u64, signal: bool) -> Sync {
    sync(SyncType::TimelineSyncobj, signal, handle.into(), point)
}

pub fn user_fence(addr: u64, value: u64) -> Sync {
    sync(SyncType::UserFence, true, addr, value)
}

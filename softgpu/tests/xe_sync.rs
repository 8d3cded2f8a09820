//! xe's queues, syncs and user fences, ioctl by ioctl. Errors as in Linux `drivers/gpu/drm/xe`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::time::{Duration, Instant};

use common::raw::{BASE, BYTES, DATA, Memory, Raw, address, eventually, store, wait_while};
use devinfo::{Driver, Family};
use kmd_iface::generic;
use kmd_iface::uapi::drm::{SyncobjCreateFlags, SyncobjWaitFlags};
use kmd_iface::uapi::xe::exec::{self, Exec, Sync, SyncFlags, SyncType, WaitFlags, WaitUserFence};
use kmd_iface::uapi::xe::vm::{self, BindOp, VmBind, VmBindOp, VmCreate, VmCreateFlags};
use kmd_iface::uapi::xe::{EngineClass, EngineClassInstance, ExtSetProperty, UserExtension};
use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};
use softgpu::Options;

const LR: VmCreateFlags = VmCreateFlags::LR_MODE;

fn options() -> Options {
    Options {
        driver: Driver::Xe,
        hang_timeout: Duration::from_millis(300),
        ..Options::default()
    }
}

/// An address space in which the memory is bound.
struct Rig {
    raw: Raw,
    memory: Memory,
    vm: u32,
    family: Family,
}

impl Rig {
    fn new(platform: &str, flags: VmCreateFlags) -> Self {
        Self::with(platform, flags, options())
    }

    fn with(platform: &str, flags: VmCreateFlags, options: Options) -> Self {
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

    fn bind(&self, vm_id: u32, syncs: &mut [Sync]) -> Result<(), Errno> {
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

    fn create(&self, argument: &mut exec::ExecQueueCreate) -> Result<u32, Errno> {
        self.raw.call(exec::EXEC_QUEUE_CREATE, argument)?;
        Ok(argument.exec_queue_id)
    }

    fn queue_in(&self, vm_id: u32, class: EngineClass) -> Result<u32, Errno> {
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
    fn queue(&self) -> u32 {
        let class = match self.family {
            Family::XeHpc => EngineClass::Compute,
            _ => EngineClass::Render,
        };
        self.queue_in(self.vm, class).unwrap()
    }

    fn queue_with(&self, properties: &mut [ExtSetProperty]) -> Result<u32, Errno> {
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

    fn exec(&self, queue: u32, offset: u64, syncs: &mut [Sync]) -> Result<(), Errno> {
        self.exec_batches(queue, offset, 1, syncs)
    }

    fn exec_batches(
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

    fn syncobj(&self) -> u32 {
        generic::syncobj_create(self.raw.node.as_ref(), SyncobjCreateFlags::empty()).unwrap()
    }

    fn wait_point(&self, handle: u32, point: u64, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let flags = SyncobjWaitFlags::WAIT_FOR_SUBMIT;
        let node = self.raw.node.as_ref();
        generic::syncobj_timeline_wait(node, &[(handle, point)], flags, deadline).unwrap()
    }

    fn banned(&self, exec_queue_id: u32) -> bool {
        let mut argument = exec::ExecQueueGetProperty {
            exec_queue_id,
            ..Default::default()
        };
        self.raw
            .call(exec::EXEC_QUEUE_GET_PROPERTY, &mut argument)
            .unwrap();
        argument.value != 0
    }

    fn wait_user(&self, argument: &mut WaitUserFence) -> Result<(), Errno> {
        self.raw.call(exec::WAIT_USER_FENCE, argument).map(drop)
    }
}

fn vm_create(raw: &Raw, flags: VmCreateFlags) -> Result<u32, Errno> {
    let mut argument = VmCreate {
        flags,
        ..Default::default()
    };
    raw.call(vm::VM_CREATE, &mut argument)?;
    Ok(argument.vm_id)
}

fn vm_destroy(raw: &Raw, vm_id: u32) -> Result<(), Errno> {
    let mut argument = vm::VmDestroy {
        vm_id,
        ..Default::default()
    };
    raw.call(vm::VM_DESTROY, &mut argument).map(drop)
}

fn engine(class: EngineClass) -> EngineClassInstance {
    EngineClassInstance {
        engine_class: class as u16,
        ..Default::default()
    }
}

fn property(property: u32, value: u64) -> ExtSetProperty {
    ExtSetProperty {
        property,
        value,
        ..Default::default()
    }
}

fn sync(ty: SyncType, signal: bool, addr: u64, timeline_value: u64) -> Sync {
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

fn point(handle: u32, point: u64, signal: bool) -> Sync {
    sync(SyncType::TimelineSyncobj, signal, handle.into(), point)
}

fn user_fence(addr: u64, value: u64) -> Sync {
    sync(SyncType::UserFence, true, addr, value)
}

#[test]
fn user_fences_are_written_by_batches_and_bindings() {
    for platform in ["tgl", "dg2", "pvc", "lnl", "bmg"] {
        for flags in [VmCreateFlags::empty(), LR] {
            let rig = Rig::new(platform, flags);
            let queue = rig.queue();
            rig.memory.write_batch(0, &store(0, 5));
            let value = 0x1234_5678_9abc_def0;
            let mut syncs = [user_fence(BASE + DATA + 64, value)];
            rig.exec(queue, 0, &mut syncs).unwrap();
            let mut wait = WaitUserFence {
                addr: rig.memory.address() + DATA + 64,
                value,
                mask: u64::MAX,
                timeout: 10_000_000_000,
                exec_queue_id: queue,
                ..Default::default()
            };
            rig.wait_user(&mut wait).unwrap();
            assert!(wait.timeout > 0 && wait.timeout < 10_000_000_000);
            assert_eq!(rig.memory.dword(0), 5, "{platform}");
            // A binding's fence is at an address of the client.
            let mut fence = 0u64;
            let mut syncs = [user_fence(address(&mut fence), 77)];
            rig.bind(rig.vm, &mut syncs).unwrap();
            wait.addr = address(&mut fence);
            wait.value = 77;
            rig.wait_user(&mut wait).unwrap();
        }
    }
}

#[test]
fn user_fences_are_compared_under_a_mask() {
    let rig = Rig::new("tgl", VmCreateFlags::empty());
    let mut word = 0xff00_0000_0000_0010u64;
    let addr = address(&mut word);
    let low = 0xffffu64;
    // In the order of the uAPI's numbers: equal, not equal, greater, ..., less or equal.
    for (op, value, mask, holds) in [
        (0, 0x10, low, true),
        (0, 0x10, u64::MAX, false),
        (1, 0x10, u64::MAX, true),
        (1, 0xffff_0010, low, false),
        (2, 0x0f, low, true),
        (2, 0x10, low, false),
        (2, 0x10, u64::MAX, true),
        (3, 0x10, low, true),
        (3, 0x11, low, false),
        (4, 0x11, low, true),
        (4, 0x10, low, false),
        (5, 0x10, low, true),
        (5, 0x0f, low, false),
    ] {
        let mut wait = WaitUserFence {
            addr,
            op,
            value,
            mask,
            ..Default::default()
        };
        let expected = if holds { Ok(()) } else { Err(Errno::ETIME) };
        assert_eq!(
            rig.wait_user(&mut wait),
            expected,
            "{op}: {value:#x} {mask:#x}"
        );
    }
}

#[test]
fn waits_for_user_fences_end_in_time() {
    let rig = Rig::new("tgl", VmCreateFlags::empty());
    let mut word = 1u64;
    let wait = WaitUserFence {
        addr: address(&mut word),
        value: 2,
        mask: u64::MAX,
        ..Default::default()
    };
    let now = || {
        i64::try_from(Duration::from(clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap()).as_nanos())
            .unwrap()
    };
    let span = 30_000_000;
    // Relative: what is left is none.
    let started = Instant::now();
    let mut relative = WaitUserFence {
        timeout: span,
        ..wait
    };
    assert_eq!(rig.wait_user(&mut relative), Err(Errno::ETIME));
    assert!(started.elapsed() >= Duration::from_millis(30));
    assert_eq!(relative.timeout, 0);
    // A point of time, which stays what it is.
    let until = now() + span;
    let mut absolute = WaitUserFence {
        timeout: until,
        flags: WaitFlags::ABSTIME,
        ..wait
    };
    assert_eq!(rig.wait_user(&mut absolute), Err(Errno::ETIME));
    assert!(now() >= until);
    assert_eq!(absolute.timeout, until);
    // One that has passed, and none.
    for (timeout, flags) in [
        (1, WaitFlags::ABSTIME),
        (0, WaitFlags::ABSTIME),
        (0, WaitFlags::empty()),
    ] {
        let started = Instant::now();
        let mut wait = WaitUserFence {
            timeout,
            flags,
            ..wait
        };
        assert_eq!(rig.wait_user(&mut wait), Err(Errno::ETIME));
        assert!(started.elapsed() < Duration::from_secs(2));
    }
    // A negative time is for ever, absolute or not.
    for flags in [WaitFlags::empty(), WaitFlags::ABSTIME] {
        let queue = rig.queue();
        rig.memory.set_dword(0, 0);
        rig.memory.set_dword(64, 0);
        let mut batch = wait_while(rig.family, 0, 0);
        batch.extend(store(64, 9));
        rig.memory.write_batch(0, &batch);
        rig.exec(queue, 0, &mut []).unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let mut wait = WaitUserFence {
                    addr: rig.memory.address() + DATA + 64,
                    value: 9,
                    mask: u64::MAX,
                    timeout: -1,
                    flags,
                    exec_queue_id: queue,
                    ..Default::default()
                };
                rig.wait_user(&mut wait).map(|()| wait.timeout)
            });
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiter.is_finished());
            rig.memory.set_dword(0, 1);
            let left = waiter.join().unwrap().unwrap();
            assert!(left > i64::MAX / 2, "what is left of ever");
        });
    }
}

#[test]
fn waits_for_user_fences_check_their_arguments() {
    let rig = Rig::new("tgl", VmCreateFlags::empty());
    let mut word = 1u64;
    let good = WaitUserFence {
        addr: address(&mut word),
        value: 1,
        mask: u64::MAX,
        ..Default::default()
    };
    assert_eq!(rig.wait_user(&mut good.clone()), Ok(()));
    for (wrong, errno) in [
        (
            WaitUserFence {
                extensions: 1,
                ..good
            },
            Errno::EINVAL,
        ),
        (WaitUserFence { pad: 1, ..good }, Errno::EINVAL),
        (WaitUserFence { pad2: 1, ..good }, Errno::EINVAL),
        (
            WaitUserFence {
                reserved: [0, 1],
                ..good
            },
            Errno::EINVAL,
        ),
        (
            WaitUserFence {
                flags: WaitFlags(2),
                ..good
            },
            Errno::EINVAL,
        ),
        (WaitUserFence { op: 6, ..good }, Errno::EINVAL),
        (
            WaitUserFence {
                addr: good.addr + 4,
                ..good
            },
            Errno::EINVAL,
        ),
        (
            WaitUserFence {
                exec_queue_id: 99,
                ..good
            },
            Errno::ENOENT,
        ),
        (
            WaitUserFence {
                addr: 0x1000,
                ..good
            },
            Errno::EFAULT,
        ),
        (
            WaitUserFence {
                addr: 1 << 60,
                ..good
            },
            Errno::EFAULT,
        ),
    ] {
        assert_eq!(rig.wait_user(&mut wrong.clone()), Err(errno), "{wrong:?}");
    }
}

#[test]
fn queues_check_engines_and_properties() {
    let rig = Rig::new("dg2", VmCreateFlags::empty());
    let copy = engine(EngineClass::Copy);
    let render = engine(EngineClass::Render);
    let make = |argument: exec::ExecQueueCreate, mut engines: Vec<EngineClassInstance>| {
        rig.create(&mut exec::ExecQueueCreate {
            instances: address(engines.as_mut_slice()),
            ..argument
        })
    };
    let good = exec::ExecQueueCreate {
        width: 1,
        num_placements: 1,
        vm_id: rig.vm,
        ..Default::default()
    };
    let bind = engine(EngineClass::VmBind);
    make(good, vec![copy]).unwrap();
    // The same twice is one; padding does not count.
    let padded = EngineClassInstance { pad: 7, ..copy };
    make(
        exec::ExecQueueCreate {
            num_placements: 2,
            ..good
        },
        vec![copy, padded],
    )
    .unwrap();
    make(exec::ExecQueueCreate { vm_id: 0, ..good }, vec![bind]).unwrap();
    let two = |width, num_placements| exec::ExecQueueCreate {
        width,
        num_placements,
        ..good
    };
    for (argument, engines, errno) in [
        (
            exec::ExecQueueCreate { flags: 2, ..good },
            vec![copy],
            Errno::EINVAL,
        ),
        (
            exec::ExecQueueCreate {
                reserved: [1, 0],
                ..good
            },
            vec![copy],
            Errno::EINVAL,
        ),
        (two(0, 1), vec![copy], Errno::EINVAL),
        (two(1, 0), vec![copy], Errno::EINVAL),
        (two(1, 10), vec![copy; 10], Errno::EINVAL),
        (two(u16::MAX, u16::MAX), vec![copy], Errno::EINVAL),
        // Parallel batches want neighbours.
        (two(2, 1), vec![copy, copy], Errno::EINVAL),
        (
            two(2, 1),
            vec![
                copy,
                EngineClassInstance {
                    engine_instance: 1,
                    ..copy
                },
            ],
            Errno::EINVAL,
        ),
        (two(1, 2), vec![copy, render], Errno::EINVAL),
        (two(1, 2), vec![bind, bind], Errno::EINVAL),
        (two(1, 2), vec![copy, bind], Errno::EINVAL),
        (
            good,
            vec![EngineClassInstance {
                engine_instance: 1,
                ..bind
            }],
            Errno::EINVAL,
        ),
        (
            good,
            vec![EngineClassInstance { gt_id: 1, ..copy }],
            Errno::EINVAL,
        ),
        (
            good,
            vec![EngineClassInstance { gt_id: 1, ..bind }],
            Errno::EINVAL,
        ),
        (
            good,
            vec![EngineClassInstance {
                engine_class: 6,
                ..copy
            }],
            Errno::EINVAL,
        ),
        (good, vec![engine(EngineClass::VideoDecode)], Errno::EINVAL),
        (
            exec::ExecQueueCreate { vm_id: 99, ..good },
            vec![copy],
            Errno::ENOENT,
        ),
        (
            exec::ExecQueueCreate {
                extensions: 0x10,
                ..good
            },
            vec![copy],
            Errno::EFAULT,
        ),
    ] {
        assert_eq!(
            make(argument, engines.clone()),
            Err(errno),
            "{argument:?} {engines:?}"
        );
    }
    let mut unreadable = exec::ExecQueueCreate {
        instances: 0x10,
        ..good
    };
    assert_eq!(rig.create(&mut unreadable), Err(Errno::EFAULT));

    let (priority, timeslice) = (0, 1);
    for (number, value, outcome) in [
        (priority, 0, Ok(())),
        (priority, 1, Ok(())),
        (priority, 2, Err(Errno::EPERM)),
        (priority, 3, Err(Errno::EINVAL)),
        (priority, u64::MAX, Err(Errno::EINVAL)),
        (timeslice, 1, Ok(())),
        (timeslice, 10_000_000, Ok(())),
        (timeslice, 0, Err(Errno::EINVAL)),
        (timeslice, 10_000_001, Err(Errno::EINVAL)),
        // Preemption timeouts are not a client's to set.
        (2, 1000, Err(Errno::EINVAL)),
    ] {
        let made = rig.queue_with(&mut [property(number, value)]).map(drop);
        assert_eq!(made, outcome, "property {number}: {value}");
    }
    let mut padded = property(priority, 1);
    padded.pad = 1;
    assert_eq!(rig.queue_with(&mut [padded]), Err(Errno::EINVAL));
    let mut named = property(priority, 1);
    named.base = UserExtension {
        name: 1,
        ..Default::default()
    };
    assert_eq!(rig.queue_with(&mut [named]), Err(Errno::EINVAL));
    rig.queue_with(&mut [property(priority, 1); 16]).unwrap();
    assert_eq!(
        rig.queue_with(&mut [property(priority, 1); 17]),
        Err(Errno::E2BIG)
    );
    let privileged = Rig::with(
        "dg2",
        VmCreateFlags::empty(),
        Options {
            privileged: true,
            ..options()
        },
    );
    privileged.queue_with(&mut [property(priority, 2)]).unwrap();
}

#[test]
fn address_spaces_have_modes() {
    for platform in ["tgl", "dg2", "pvc", "lnl"] {
        let raw = Raw::on(platform, options());
        let fault = VmCreateFlags::FAULT_MODE;
        let scratch = VmCreateFlags::SCRATCH_PAGE;
        let faults = matches!(platform, "pvc" | "lnl");
        vm_create(&raw, LR).unwrap();
        vm_create(&raw, LR | scratch).unwrap();
        assert_eq!(vm_create(&raw, LR | fault).is_ok(), faults, "{platform}");
        for wrong in [fault, LR | fault | scratch, VmCreateFlags(8)] {
            assert_eq!(
                vm_create(&raw, wrong),
                Err(Errno::EINVAL),
                "{platform} {wrong:?}"
            );
        }
    }
    // Long-running queues hold their address space; others do not, but take no more batches.
    for (flags, outcome) in [
        (VmCreateFlags::empty(), Ok(())),
        (LR | VmCreateFlags::FAULT_MODE, Ok(())),
        (LR, Err(Errno::EBUSY)),
    ] {
        let rig = Rig::new("lnl", flags);
        let queue = rig.queue();
        rig.memory.write_batch(0, &store(0, 1));
        assert_eq!(vm_destroy(&rig.raw, rig.vm), outcome, "{flags:?}");
        let errno = rig.exec(queue, 0, &mut []);
        assert_eq!(errno, outcome.map_or(Ok(()), |()| Err(Errno::ECANCELED)));
        let again = rig.queue_in(rig.vm, EngineClass::Copy).map(drop);
        assert_eq!(again, outcome.map_or(Ok(()), |()| Err(Errno::ENOENT)));
    }
    let raw = Raw::on("lnl", options());
    assert_eq!(vm_destroy(&raw, 7), Err(Errno::ENOENT));
}

#[test]
fn syncs_are_checked() {
    for flags in [VmCreateFlags::empty(), LR] {
        let rig = Rig::new("lnl", flags);
        let queue = rig.queue();
        rig.memory.write_batch(0, &store(0, 1));
        let object = rig.syncobj();
        let long_running = flags == LR;
        let signals = match long_running {
            true => Err(Errno::EOPNOTSUPP),
            false => Ok(()),
        };
        let binary = |signal, addr| sync(SyncType::Syncobj, signal, addr, 0);
        let handle = u64::from(object);
        let wide = handle | 1 << 32;
        let fence = user_fence(BASE + DATA, 1);
        let mut reserved = fence;
        reserved.reserved[1] = 1;
        let mut unknown = fence;
        unknown.ty = 3;
        let mut flagged = fence;
        flagged.flags = SyncFlags(3);
        let mut waits = fence;
        waits.flags = SyncFlags::empty();
        for (syncs, outcome) in [
            (vec![binary(false, handle)], Err(Errno::EINVAL)),
            (vec![binary(true, handle)], signals),
            (vec![binary(false, 99)], Err(Errno::ENOENT)),
            (vec![binary(false, wide)], Err(Errno::EINVAL)),
            (vec![point(object, 0, false)], Err(Errno::EINVAL)),
            (vec![point(99, 0, false)], Err(Errno::EINVAL)),
            (vec![point(99, 1, false)], Err(Errno::ENOENT)),
            (vec![fence], Ok(())),
            (vec![fence, fence], Err(Errno::EINVAL)),
            (vec![user_fence(BASE + DATA + 4, 1)], Err(Errno::EINVAL)),
            (vec![waits], Err(Errno::EOPNOTSUPP)),
            (vec![reserved], Err(Errno::EINVAL)),
            (vec![unknown], Err(Errno::EINVAL)),
            (vec![flagged], Err(Errno::EINVAL)),
        ] {
            let done = rig.exec(queue, 0, &mut syncs.clone());
            assert_eq!(done, outcome, "long-running {long_running}: {syncs:?}");
        }
        let bindings = |count: u32, sync: Sync| {
            let mut syncs = [sync];
            let mut argument = VmBind {
                vm_id: rig.vm,
                num_binds: count,
                num_syncs: 1,
                syncs: address(&mut syncs),
                ..Default::default()
            };
            rig.raw.call(vm::VM_BIND, &mut argument).map(drop)
        };
        // Nothing bound signals no user fence.
        assert_eq!(bindings(0, fence), Err(Errno::EOPNOTSUPP));
        assert_eq!(
            rig.bind(rig.vm, &mut [user_fence(1 << 60, 1)]),
            Err(Errno::EFAULT)
        );
        let mut wild = Exec {
            exec_queue_id: queue,
            num_syncs: 1,
            syncs: 0x10,
            address: BASE,
            num_batch_buffer: 1,
            ..Default::default()
        };
        assert_eq!(rig.raw.call(exec::EXEC, &mut wild), Err(Errno::EFAULT));
    }
}

#[test]
fn executions_are_checked() {
    let rig = Rig::new("tgl", VmCreateFlags::empty());
    let queue = rig.queue();
    rig.memory.write_batch(0, &store(0, 1));
    let good = Exec {
        exec_queue_id: queue,
        address: BASE,
        num_batch_buffer: 1,
        ..Default::default()
    };
    let mut instance = engine(EngineClass::VmBind);
    let binding_queue = rig
        .create(&mut exec::ExecQueueCreate {
            width: 1,
            num_placements: 1,
            instances: address(&mut instance),
            ..Default::default()
        })
        .unwrap();
    for (wrong, errno) in [
        (
            Exec {
                extensions: 1,
                ..good
            },
            Errno::EINVAL,
        ),
        (
            Exec {
                pad: [0, 0, 1],
                ..good
            },
            Errno::EINVAL,
        ),
        (
            Exec {
                reserved: [1, 0],
                ..good
            },
            Errno::EINVAL,
        ),
        (
            Exec {
                exec_queue_id: 99,
                ..good
            },
            Errno::ENOENT,
        ),
        (
            Exec {
                exec_queue_id: binding_queue,
                ..good
            },
            Errno::EINVAL,
        ),
        (
            Exec {
                num_batch_buffer: 2,
                ..good
            },
            Errno::EINVAL,
        ),
    ] {
        assert_eq!(
            rig.raw.call(exec::EXEC, &mut wrong.clone()),
            Err(errno),
            "{wrong:?}"
        );
    }
    // No batch: only syncs, and no user fence.
    let object = rig.syncobj();
    rig.memory.set_dword(64, 0);
    let mut syncs = [point(object, 3, true), user_fence(BASE + DATA + 64, 9)];
    rig.exec_batches(queue, 0, 0, &mut syncs).unwrap();
    assert!(rig.wait_point(object, 3, Duration::from_secs(10)));
    assert_eq!(rig.memory.qword(64), 0);
    let mut unknown = exec::ExecQueueGetProperty {
        exec_queue_id: queue,
        property: 1,
        ..Default::default()
    };
    assert_eq!(
        rig.raw.call(exec::EXEC_QUEUE_GET_PROPERTY, &mut unknown),
        Err(Errno::EINVAL)
    );
}

#[test]
fn a_hang_bans_its_queue_only() {
    for flags in [VmCreateFlags::empty(), LR] {
        // Long-running batches have no time limit: theirs is another error.
        let rig = Rig::new("lnl", flags);
        let (hung, other) = (
            rig.queue(),
            rig.queue_in(rig.vm, EngineClass::Copy).unwrap(),
        );
        let bad = match flags == LR {
            true => vec![0x1400_0002, 0, 0, 0],
            false => wait_while(rig.family, 0, 0),
        };
        rig.memory.write_batch(0, &bad);
        rig.memory.write_batch(0x1000, &store(8, 1));
        rig.exec(hung, 0, &mut [user_fence(BASE + DATA + 64, 1)])
            .unwrap();
        let mut wait = WaitUserFence {
            addr: rig.memory.address() + DATA + 64,
            value: 1,
            mask: u64::MAX,
            timeout: 10_000_000_000,
            exec_queue_id: hung,
            ..Default::default()
        };
        assert_eq!(rig.wait_user(&mut wait), Err(Errno::EIO), "{flags:?}");
        assert!(rig.banned(hung) && !rig.banned(other));
        assert_eq!(rig.exec(hung, 0x1000, &mut []), Err(Errno::ECANCELED));
        assert_eq!(
            rig.memory.qword(64),
            0,
            "a lost batch's fence is not written"
        );
        rig.exec(other, 0x1000, &mut []).unwrap();
        eventually("the other queue's store", || rig.memory.dword(8) == 1);
    }
}

#[test]
fn timelines_chain_queues_of_two_address_spaces() {
    let rig = Rig::new("dg2", VmCreateFlags::empty());
    let second = vm_create(&rig.raw, VmCreateFlags::empty()).unwrap();
    rig.bind(second, &mut []).unwrap();
    let queues = [
        rig.queue(),
        rig.queue_in(second, EngineClass::Copy).unwrap(),
        rig.queue_in(second, EngineClass::Compute).unwrap(),
    ];
    let timeline = rig.syncobj();
    // The first stands still until memory changes.
    rig.memory.write_batch(0, &wait_while(rig.family, 0, 0));
    rig.exec(queues[0], 0, &mut [point(timeline, 1, true)])
        .unwrap();
    let steps = 30u64;
    for step in 1..=steps {
        let batch = 0x400 * step;
        // Adds one to what the step before has left.
        let [low, high] = common::raw::gpu(8);
        let add = [
            0x1780_0000 | 9 | 7 << 8 | 1 << 18,
            low,
            high,
            1,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
        ];
        let copy = [0x1700_0003, low + 8 * step as u32, high, low, high];
        rig.memory
            .write_batch(batch, &[&add[..], &copy[..]].concat());
        let mut syncs = [
            point(timeline, step, false),
            point(timeline, step + 1, true),
        ];
        rig.exec(queues[step as usize % 3], batch, &mut syncs)
            .unwrap();
    }
    // Nothing was submitted for later points: executions do not wait for that, the CPU may.
    let mut early = [point(timeline, steps + 5, false)];
    assert_eq!(rig.exec(queues[0], 0, &mut early), Err(Errno::EINVAL));
    assert!(!rig.wait_point(timeline, steps + 1, Duration::from_millis(20)));
    assert_eq!(rig.memory.dword(8), 0);
    rig.memory.set_dword(0, 1);
    assert!(rig.wait_point(timeline, steps + 1, Duration::from_secs(20)));
    for step in 1..=steps {
        assert_eq!(u64::from(rig.memory.dword(8 + 8 * step)), step);
    }
    let node = rig.raw.node.as_ref();
    assert_eq!(
        generic::syncobj_query(node, &[timeline]).unwrap(),
        [steps + 1]
    );
}

#[test]
fn the_cpu_waits_before_submission() {
    let rig = Rig::new("tgl", VmCreateFlags::empty());
    let queue = rig.queue();
    let timeline = rig.syncobj();
    rig.memory.write_batch(0, &store(0, 4));
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| rig.wait_point(timeline, 2, Duration::from_secs(20)));
        std::thread::sleep(Duration::from_millis(20));
        assert!(!waiter.is_finished());
        rig.exec(queue, 0, &mut [point(timeline, 2, true)]).unwrap();
        assert!(waiter.join().unwrap());
    });
    assert_eq!(rig.memory.dword(0), 4);
}

/// A batch of high priority stops a low one on the same engine while it runs.
#[test]
fn priorities_order_batches() {
    let rig = Rig::new("tgl", VmCreateFlags::empty());
    let low = rig.queue_with(&mut [property(0, 0)]).unwrap();
    let normal = rig.queue_in(rig.vm, EngineClass::Copy).unwrap();
    let [low_word, high_word] = common::raw::gpu(0);
    // Counts until it is told to stop, going round by a jump.
    let count = [
        0x1780_0000 | 9 | 7 << 8 | 1 << 18,
        low_word,
        high_word,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    let stop = [0x1b20_0002 | 4 << 12, 0, low_word + 64, high_word];
    let again = [0x1880_0101, BASE as u32, 0];
    rig.memory
        .write_batch(0, &[&count[..], &stop[..], &again[..]].concat());
    // Reads the count first and last, with much between.
    let copy = |to: u32| [0x1700_0003, low_word + to, high_word, low_word, high_word];
    let mut batch = copy(8).to_vec();
    for value in 0..800 {
        batch.extend(store(128, value));
    }
    batch.extend(copy(16));
    rig.memory.write_batch(0x1000, &batch);
    rig.exec(low, 0, &mut []).unwrap();
    eventually("counting", || rig.memory.dword(0) > 100);
    let done = rig.syncobj();
    rig.exec(normal, 0x1000, &mut [point(done, 1, true)])
        .unwrap();
    assert!(rig.wait_point(done, 1, Duration::from_secs(20)));
    assert!(rig.memory.dword(8) >= 100);
    // One addition may be under way when the other begins.
    assert!(rig.memory.dword(16) - rig.memory.dword(8) <= 1);
    let before = rig.memory.dword(0);
    eventually("counting on", || rig.memory.dword(0) > before + 100);
    rig.memory.set_dword(64, 1);
}

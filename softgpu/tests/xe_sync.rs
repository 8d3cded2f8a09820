//! xe's syncs and user fences, ioctl by ioctl. Errors as in Linux `drivers/gpu/drm/xe`.

#![cfg(test)]

mod common;

use std::time::{Duration, Instant};

use common::raw::{BASE, DATA, address, store, wait_while};
use common::with;
use common::xe::{LR, Rig, point, sync, user_fence, vm_create};
use kmd_iface::generic;
use kmd_iface::uapi::xe::EngineClass;
use kmd_iface::uapi::xe::exec::{self, Exec, Sync, SyncFlags, SyncType, WaitFlags, WaitUserFence};
use kmd_iface::uapi::xe::vm::{self, VmBind, VmCreateFlags};
use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};

#[test]
fn user_fences_are_written_by_batches_and_bindings() {
    for platform in ["tgl", "dg2", "pvc", "lnl", "bmg", "ptl"] {
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
    // Relative: no time is left.
    let started = Instant::now();
    let mut relative = with!(wait, timeout: span);
    assert_eq!(rig.wait_user(&mut relative), Err(Errno::ETIME));
    assert!(started.elapsed() >= Duration::from_millis(30));
    assert_eq!(relative.timeout, 0);
    // A point of time, which stays unchanged.
    let until = now() + span;
    let mut absolute = with!(wait, timeout: until, flags: WaitFlags::ABSTIME);
    assert_eq!(rig.wait_user(&mut absolute), Err(Errno::ETIME));
    assert!(now() >= until);
    assert_eq!(absolute.timeout, until);
    // A point in the past, and zero.
    for (timeout, flags) in [
        (1, WaitFlags::ABSTIME),
        (0, WaitFlags::ABSTIME),
        (0, WaitFlags::empty()),
    ] {
        let started = Instant::now();
        let mut wait = with!(wait, timeout: timeout, flags: flags);
        assert_eq!(rig.wait_user(&mut wait), Err(Errno::ETIME));
        assert!(started.elapsed() < Duration::from_secs(2));
    }
    // A negative time means for ever, absolute or not.
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
        (with!(good, extensions: 1), Errno::EINVAL),
        (with!(good, pad: 1), Errno::EINVAL),
        (with!(good, pad2: 1), Errno::EINVAL),
        (with!(good, reserved: [0, 1]), Errno::EINVAL),
        (with!(good, flags: WaitFlags(2)), Errno::EINVAL),
        (with!(good, op: 6), Errno::EINVAL),
        (with!(good, addr: good.addr + 4), Errno::EINVAL),
        (with!(good, exec_queue_id: 99), Errno::ENOENT),
        (with!(good, addr: 0x1000), Errno::EFAULT),
        (with!(good, addr: 1 << 60), Errno::EFAULT),
    ] {
        assert_eq!(rig.wait_user(&mut wrong.clone()), Err(errno), "{wrong:?}");
    }
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
        // A call without bindings signals no user fence.
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
    // The first waits until memory changes.
    rig.memory.write_batch(0, &wait_while(rig.family, 0, 0));
    rig.exec(queues[0], 0, &mut [point(timeline, 1, true)])
        .unwrap();
    let steps = 30u64;
    for step in 1..=steps {
        let batch = 0x400 * step;
        // Adds one to the previous step's result.
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
    // Nothing was submitted for later points: executions do not wait for that, but the CPU may.
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

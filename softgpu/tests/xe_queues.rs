//! xe's queues, address spaces and executions, ioctl by ioctl. Errors as in Linux `drivers/gpu/drm/xe`.

#![cfg(test)]

mod common;

use std::time::Duration;

use common::raw::{BASE, DATA, Raw, address, eventually, store, wait_while};
use common::with;
use common::xe::{LR, Rig, engine, options, point, property, user_fence, vm_create, vm_destroy};
use kmd_iface::uapi::xe::exec::{self, Exec, WaitUserFence};
use kmd_iface::uapi::xe::vm::VmCreateFlags;
use kmd_iface::uapi::xe::{EngineClass, EngineClassInstance, UserExtension};
use nix::errno::Errno;
use softgpu::Options;

#[test]
fn queues_check_engines_and_properties() {
    let rig = Rig::new("dg2", VmCreateFlags::empty());
    let copy = engine(EngineClass::Copy);
    let render = engine(EngineClass::Render);
    let make = |argument: exec::ExecQueueCreate, mut engines: Vec<EngineClassInstance>| {
        rig.create(&mut with!(argument, instances: address(engines.as_mut_slice())))
    };
    let good = exec::ExecQueueCreate {
        width: 1,
        num_placements: 1,
        vm_id: rig.vm,
        ..Default::default()
    };
    let bind = engine(EngineClass::VmBind);
    make(good, vec![copy]).unwrap();
    // The same twice counts once; padding is ignored.
    let padded = with!(copy, pad: 7);
    make(with!(good, num_placements: 2), vec![copy, padded]).unwrap();
    make(with!(good, vm_id: 0), vec![bind]).unwrap();
    let two = |width, num_placements| with!(good, width: width, num_placements: num_placements);
    let refused = |argument, engines: Vec<EngineClassInstance>, errno| {
        let made = make(argument, engines.clone());
        assert_eq!(made, Err(errno), "{argument:?} {engines:?}");
    };
    for wrong in [
        with!(good, flags: 2),
        with!(good, reserved: [1, 0]),
        two(0, 1),
        two(1, 0),
        two(u16::MAX, u16::MAX),
    ] {
        refused(wrong, vec![copy], Errno::EINVAL);
    }
    refused(two(1, 10), vec![copy; 10], Errno::EINVAL);
    // Parallel batches need adjacent engines.
    let adjacent = with!(copy, engine_instance: 1);
    refused(two(2, 1), vec![copy, copy], Errno::EINVAL);
    refused(two(2, 1), vec![copy, adjacent], Errno::EINVAL);
    for (first, second) in [(copy, render), (bind, bind), (copy, bind)] {
        refused(two(1, 2), vec![first, second], Errno::EINVAL);
    }
    for wrong in [
        with!(bind, engine_instance: 1),
        with!(copy, gt_id: 1),
        with!(bind, gt_id: 1),
        with!(copy, engine_class: 6),
        engine(EngineClass::VideoDecode),
    ] {
        refused(good, vec![wrong], Errno::EINVAL);
    }
    refused(with!(good, vm_id: 99), vec![copy], Errno::ENOENT);
    refused(with!(good, extensions: 0x10), vec![copy], Errno::EFAULT);
    let mut unreadable = with!(good, instances: 0x10);
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
        // Clients cannot set preemption timeouts.
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
    for platform in ["tgl", "dg2", "pvc", "lnl", "ptl"] {
        let raw = Raw::on(platform, options());
        let fault = VmCreateFlags::FAULT_MODE;
        let scratch = VmCreateFlags::SCRATCH_PAGE;
        let faults = matches!(platform, "pvc" | "lnl" | "ptl");
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
    // Long-running queues hold their address space; others do not, but accept no more batches.
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
        (with!(good, extensions: 1), Errno::EINVAL),
        (with!(good, pad: [0, 0, 1]), Errno::EINVAL),
        (with!(good, reserved: [1, 0]), Errno::EINVAL),
        (with!(good, exec_queue_id: 99), Errno::ENOENT),
        (with!(good, exec_queue_id: binding_queue), Errno::EINVAL),
        (with!(good, num_batch_buffer: 2), Errno::EINVAL),
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

/// A batch of high priority stops a low one on the same engine while it runs.
#[test]
fn priorities_order_batches() {
    let rig = Rig::new("tgl", VmCreateFlags::empty());
    let low = rig.queue_with(&mut [property(0, 0)]).unwrap();
    let normal = rig.queue_in(rig.vm, EngineClass::Copy).unwrap();
    let [low_word, high_word] = common::raw::gpu(0);
    // Counts in a loop until memory tells it to stop.
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
    // Reads the count first and last, with many commands between.
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

#[test]
fn the_work_of_a_queue_has_ended_when_that_is_destroyed() {
    for flags in [VmCreateFlags::empty(), LR] {
        let rig = Rig::with(
            "lnl",
            flags,
            Options {
                hang_timeout: Duration::from_secs(60),
                ..options()
            },
        );
        let again = [0x1880_0101, BASE as u32, 0];
        rig.memory
            .write_batch(0, &[&store(8, 1)[..], &again].concat());
        let queue = rig.queue();
        rig.exec(queue, 0, &mut []).unwrap();
        eventually("a store", || rig.memory.dword(8) == 1);
        let mut argument = exec::ExecQueueDestroy {
            exec_queue_id: queue,
            ..Default::default()
        };
        rig.raw
            .call(exec::EXEC_QUEUE_DESTROY, &mut argument)
            .unwrap();
        // A client may free its pages now, and others may have them.
        for _ in 0..100 {
            rig.memory.set_dword(8, 0);
            std::thread::yield_now();
            assert_eq!(rig.memory.dword(8), 0, "{flags:?}");
        }
    }
}

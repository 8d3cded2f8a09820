//! Buffer objects where the drivers' rules differ by platform or address space, ioctl by ioctl.

#![cfg(test)]

mod common;

use std::time::Duration;

use common::raw::{BASE, BYTES, DATA, Memory, Raw, address, eventually, gpu};
use devinfo::{Driver, span};
use kmd_iface::i915::calls;
use kmd_iface::uapi::drm::{GET_UNIQUE, PRIME_HANDLE_TO_FD, PrimeFlags, PrimeHandle, Unique};
use kmd_iface::uapi::i915::exec::{
    EXECBUFFER2, ExecBuffer2, ExecFlags, ExecObject, ExecObjectFlags,
};
use kmd_iface::uapi::i915::gem as i915;
use kmd_iface::uapi::i915::query::{MEMORY_CLASS_DEVICE, MemoryClassInstance};
use kmd_iface::uapi::xe::exec::{EXEC, EXEC_QUEUE_CREATE, Exec, ExecQueueCreate};
use kmd_iface::uapi::xe::gem as xe;
use kmd_iface::uapi::xe::vm::{
    BindOp, VM_BIND, VM_CREATE, VmBind, VmBindOp, VmCreate, VmCreateFlags,
};
use kmd_iface::uapi::xe::{EngineClass, EngineClassInstance};
use nix::errno::Errno;
use softgpu::Options;

fn on(platform: &str, driver: Driver) -> Raw {
    let options = Options {
        driver,
        ..common::impatient()
    };
    Raw::on(platform, options)
}

#[test]
fn render_nodes_have_no_unique_name() {
    for (platform, driver) in [("tgl", Driver::I915), ("lnl", Driver::Xe)] {
        let raw = on(platform, driver);
        let errno = raw.call(GET_UNIQUE, &mut Unique::default());
        assert_eq!(errno, Err(Errno::EACCES));
    }
}

#[test]
fn pages_of_the_client_are_read_only_where_the_gpu_can() {
    for platform in devinfo::PLATFORMS {
        if !platform.has_driver(Driver::I915) {
            continue;
        }
        let raw = on(platform.name, Driver::I915);
        let memory = Memory::new();
        let mut argument = i915::Userptr {
            user_ptr: memory.address(),
            user_size: BYTES,
            flags: i915::UserptrFlags::READ_ONLY,
            ..Default::default()
        };
        let made = raw.call(i915::USERPTR, &mut argument).map(drop);
        // Gen11 and Gen12 have a fault there.
        let expected = match !span!(Gen11..).contains(platform.family) {
            true => Ok(()),
            false => Err(Errno::ENODEV),
        };
        assert_eq!(made, expected, "{platform}");
        argument.flags = i915::UserptrFlags::empty();
        raw.call(i915::USERPTR, &mut argument).unwrap();
        // They are not for other processes.
        let mut prime = PrimeHandle {
            handle: argument.handle,
            ..Default::default()
        };
        let errno = raw.call(PRIME_HANDLE_TO_FD, &mut prime);
        assert_eq!(errno, Err(Errno::EINVAL));
        // Discrete and later devices lack the older way to map.
        let mut object = i915::Create {
            size: 4096,
            ..Default::default()
        };
        raw.call(i915::CREATE, &mut object).unwrap();
        let mut map = i915::Mmap {
            handle: object.handle,
            size: 4096,
            ..Default::default()
        };
        let mapped = raw.call(i915::MMAP, &mut map).map(drop);
        let old = !platform.local_memory && !span!(XeHpg..).contains(platform.family);
        let expected = if old { Ok(()) } else { Err(Errno::EOPNOTSUPP) };
        assert_eq!(mapped, expected, "{platform}");
        // Privileged batches: on older platforms only for others, later for nobody.
        let mut entry = ExecObject {
            handle: argument.handle,
            ..Default::default()
        };
        let mut secure = ExecBuffer2 {
            buffers_ptr: address(&mut entry),
            buffer_count: 1,
            flags: ExecFlags::SECURE,
            ..Default::default()
        };
        let expected = match !span!(Gen11..).contains(platform.family) {
            true => Errno::EPERM,
            false => Errno::ENODEV,
        };
        assert_eq!(
            raw.call(EXECBUFFER2, &mut secure),
            Err(expected),
            "{platform}"
        );
    }
}

#[test]
fn device_memory_is_pinned_in_large_pages() {
    let raw = on("dg2", Driver::I915);
    let memory = Memory::new();
    memory.write_batch(0, &[]);
    let mut batch = i915::Userptr {
        user_ptr: memory.address(),
        user_size: BYTES,
        ..Default::default()
    };
    raw.call(i915::USERPTR, &mut batch).unwrap();
    let device = MemoryClassInstance {
        memory_class: MEMORY_CLASS_DEVICE,
        memory_instance: 0,
    };
    let flags = i915::CreateExtFlags::empty();
    let node = raw.node.as_ref();
    let (local, _) = calls::create_ext(node, 0x1_0000, &[device], None, flags).unwrap();
    let place = |offset: u64| {
        let pinned = |handle, offset| ExecObject {
            handle,
            offset,
            flags: ExecObjectFlags(
                ExecObjectFlags::PINNED.0 | ExecObjectFlags::SUPPORTS_48B_ADDRESS.0,
            ),
            ..Default::default()
        };
        // The client's pages take any page.
        let mut objects = [pinned(local, offset), pinned(batch.handle, BASE + 0x1000)];
        let mut argument = ExecBuffer2 {
            buffers_ptr: address(&mut objects),
            buffer_count: 2,
            ..Default::default()
        };
        raw.call(EXECBUFFER2, &mut argument).map(drop)
    };
    assert_eq!(place(0x100_0000), Ok(()));
    assert_eq!(place(0x100_1000), Err(Errno::EINVAL));
}

#[test]
fn an_object_that_is_named_twice_has_one_address() {
    let raw = on("tgl", Driver::I915);
    let memory = Memory::new();
    memory.write_batch(0, &[]);
    let mut batch = i915::Userptr {
        user_ptr: memory.address(),
        user_size: BYTES,
        ..Default::default()
    };
    raw.call(i915::USERPTR, &mut batch).unwrap();
    let submit = |flags: ExecObjectFlags, offsets: [u64; 2]| {
        let mut objects = offsets.map(|offset| ExecObject {
            handle: batch.handle,
            offset,
            flags,
            ..Default::default()
        });
        let mut argument = ExecBuffer2 {
            buffers_ptr: address(&mut objects),
            buffer_count: 2,
            ..Default::default()
        };
        let outcome = raw.call(EXECBUFFER2, &mut argument).map(drop);
        outcome.map(|()| objects.map(|object| object.offset))
    };
    let pinned = ExecObjectFlags::PINNED;
    assert_eq!(submit(pinned, [BASE; 2]), Ok([BASE; 2]));
    assert_eq!(submit(pinned, [BASE, BASE + BYTES]), Err(Errno::ENOSPC));
    let [first, second] = submit(ExecObjectFlags::empty(), [0; 2]).unwrap();
    assert_eq!(first, second);
}

fn vm_create(raw: &Raw, flags: VmCreateFlags) -> u32 {
    let mut argument = VmCreate {
        flags,
        ..Default::default()
    };
    raw.call(VM_CREATE, &mut argument).unwrap();
    argument.vm_id
}

fn bind(raw: &Raw, vm_id: u32, bind: VmBindOp) -> Result<(), Errno> {
    let mut argument = VmBind {
        vm_id,
        num_binds: 1,
        bind,
        ..Default::default()
    };
    raw.call(VM_BIND, &mut argument).map(drop)
}

/// Ponte Vecchio's addresses have 57 bits, and Intel's runtime 26.27 binds above the 48th.
#[test]
fn addresses_of_57_bits_are_for_platforms_that_have_them() {
    for (platform, wide) in [("pvc", Ok(())), ("lnl", Err(Errno::EINVAL))] {
        let raw = on(platform, Driver::Xe);
        let vm = vm_create(&raw, VmCreateFlags::LR_MODE);
        let memory = Memory::new();
        let at = |addr| {
            let operation = VmBindOp {
                obj_offset: memory.address(),
                range: BYTES,
                addr,
                op: BindOp::MapUserptr as u32,
                ..Default::default()
            };
            bind(&raw, vm, operation)
        };
        assert_eq!(at(0x0100_ffff_fffe_0000), wide, "{platform}");
        assert_eq!(at(0xff00_0000_0001_0000), wide, "{platform}");
        assert_eq!(at((1 << 57) - BYTES), wide, "{platform}");
        // Not canonical, and beyond all bits.
        assert_eq!(at(1 << 57), Err(Errno::EINVAL), "{platform}");
        assert_eq!(at(0x0000_ffff_fffe_0000 - BYTES), Ok(()), "{platform}");
    }
}

#[test]
fn private_objects_stay_in_their_address_space() {
    let raw = on("lnl", Driver::Xe);
    let [owner, other] = [(); 2].map(|()| vm_create(&raw, VmCreateFlags::empty()));
    let object = |vm_id| {
        let mut argument = xe::GemCreate {
            size: 0x1000,
            placement: 1,
            cpu_caching: xe::CPU_CACHING_WC,
            vm_id,
            ..Default::default()
        };
        raw.call(xe::GEM_CREATE, &mut argument)
            .map(|_| argument.handle)
    };
    assert_eq!(object(99), Err(Errno::ENOENT));
    let (private, shared) = (object(owner).unwrap(), object(0).unwrap());
    for (handle, vm, outcome) in [
        (private, owner, Ok(())),
        (private, other, Err(Errno::EINVAL)),
        (shared, owner, Ok(())),
        (shared, other, Ok(())),
    ] {
        let operation = VmBindOp {
            obj: handle,
            range: 0x1000,
            addr: BASE,
            op: BindOp::Map as u32,
            ..Default::default()
        };
        assert_eq!(bind(&raw, vm, operation), outcome);
    }
    for (handle, outcome) in [(private, Err(Errno::EPERM)), (shared, Ok(()))] {
        let mut prime = PrimeHandle {
            handle,
            flags: PrimeFlags::CLOEXEC,
            ..Default::default()
        };
        let exported = raw.call(PRIME_HANDLE_TO_FD, &mut prime).map(drop);
        assert_eq!(exported, outcome);
        if exported.is_ok() {
            nix::unistd::close(prime.fd).unwrap();
        }
    }
}

/// A long-running batch waits at a semaphore, and then uses what was bound meanwhile. Batches after
/// it fill the queue, which then accepts no more.
#[test]
fn bindings_change_under_running_batches() {
    let raw = on("lnl", Driver::Xe);
    let memory = Memory::new();
    let vm = vm_create(&raw, VmCreateFlags::LR_MODE);
    let map = |addr, offset, range| VmBindOp {
        obj_offset: memory.address() + offset,
        range,
        addr,
        op: BindOp::MapUserptr as u32,
        ..Default::default()
    };
    bind(&raw, vm, map(BASE, 0, BYTES)).unwrap();
    let mut instance = EngineClassInstance {
        engine_class: EngineClass::Copy as u16,
        ..Default::default()
    };
    let mut queue = ExecQueueCreate {
        width: 1,
        num_placements: 1,
        vm_id: vm,
        instances: address(&mut instance),
        ..Default::default()
    };
    raw.call(EXEC_QUEUE_CREATE, &mut queue).unwrap();
    let later = 0x4000_0000u64;
    let [low, high] = gpu(0);
    let mut batch = vec![0x0e00_0003 | 1 << 15 | 5 << 12, 0, low, high, 0];
    batch.extend([0x1000_0002, later as u32, 0, 7]);
    memory.write_batch(0, &batch);
    memory.write_batch(0x1000, &[]);
    let exec = |offset: u64| {
        let mut argument = Exec {
            exec_queue_id: queue.exec_queue_id,
            address: BASE + offset,
            num_batch_buffer: 1,
            ..Default::default()
        };
        raw.call(EXEC, &mut argument).map(drop)
    };
    exec(0).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    let mut queued = 0;
    let full = loop {
        match exec(0x1000) {
            Ok(()) => queued += 1,
            Err(errno) => break errno,
        }
        assert!(queued < 1 << 20, "the queue takes everything");
    };
    assert_eq!(full, Errno::EAGAIN);
    // The last page of the memory, at another address.
    bind(&raw, vm, map(later, BYTES - 0x1000, 0x1000)).unwrap();
    memory.set_dword(0, 1);
    let last_page = BYTES - 0x1000 - DATA;
    eventually("the store", || memory.dword(last_page) == 7);
    eventually("room", || exec(0x1000).is_ok());
}

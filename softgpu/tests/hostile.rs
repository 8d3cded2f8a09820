//! Wild pointers in ioctls and in batches: errors, never a crash. Random ones are made in the
//! workspace's `tests`.

#![cfg(test)]

mod common;

use std::time::Duration;

use common::{Client, DATA, impatient};
use kmd_iface::Node;
use kmd_iface::uapi::{self, Request};
use nix::errno::Errno;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};
use softgpu::Options;

fn small() -> Options {
    Options {
        memory_limit: 64 << 20,
        hang_timeout: Duration::from_millis(50),
        threads: 1,
        ..Options::default()
    }
}

#[test]
fn wild_pointers_in_arguments_are_efault() {
    let client = Client::new(small());
    for row in uapi::ioctls().filter(|row| !row.name.contains("XE_")) {
        let mut argument = vec![0u8; Request(row.request).size()];
        for chunk in argument.chunks_exact_mut(8) {
            chunk.copy_from_slice(&0xdead_beef_f000u64.to_le_bytes());
        }
        // It returns, whatever the answer.
        let _ = client.node.ioctl(row.request, &mut argument);
    }
    // One by one, with the rest of the argument correct.
    let mut getparam = [0u8; 16];
    getparam[0] = 4;
    getparam[8..].copy_from_slice(&0xdead_beef_f000u64.to_le_bytes());
    let request = uapi::i915::getparam::GETPARAM.request();
    assert_eq!(
        client.node.ioctl(request, &mut getparam),
        Err(Errno::EFAULT)
    );
    let short = &mut getparam[..8];
    assert_eq!(client.node.ioctl(request, short), Err(Errno::EFAULT));
    assert_eq!(client.node.ioctl(0x5401, &mut []), Err(Errno::ENOTTY));
}

#[test]
fn the_process_is_not_reachable_from_a_batch() {
    // A kernel knows the client's addresses; as GPU addresses they are unbound.
    let secret = Box::new(0x005e_c2e7u64);
    let address = std::ptr::from_ref(&*secret).expose_provenance() as u64;
    let client = Client::new(impatient());
    // MI_COPY_MEM_MEM from there.
    let error = client
        .run(&[
            0x1700_0003,
            DATA.get() as u32,
            (DATA.get() >> 32) as u32,
            address as u32 & !3,
            (address >> 32) as u32,
            0x0500_0000,
        ])
        .unwrap_err();
    assert!(error.to_string().contains("page fault"), "{error}");
    assert_eq!(client.data.dword(0), 0);
}

#[test]
fn a_forked_child_is_told_that_the_device_is_not_its_own() {
    let client = Client::new(small());
    client.data.set_dword(7, 0x1234);
    // SAFETY: until it ends, the child only calls the node, which answers before it takes a lock or
    // memory, and closes it, which changes nothing.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            let request = uapi::i915::getparam::GETPARAM.request();
            let asked = client.node.ioctl(request, &mut [0; 16]);
            let mapped = client.node.map_source(0).map(drop);
            let reported = client
                .node
                .diagnostics()
                .and_then(|known| known.error_report(0));
            drop(client);
            let right =
                asked == Err(Errno::ENODEV) && mapped == Err(Errno::ENODEV) && reported.is_none();
            // SAFETY: it ends the child without running the parent's exit handlers.
            unsafe { nix::libc::_exit(i32::from(!right)) }
        }
        ForkResult::Parent { child } => {
            let ended = waitpid(child, None).unwrap();
            assert_eq!(ended, WaitStatus::Exited(child, 0));
        }
    }
    assert_eq!(client.data.dword(7), 0x1234, "the child gave nothing back");
    client
        .run(&[
            0x1000_0002,
            DATA.get() as u32,
            (DATA.get() >> 32) as u32,
            9,
            0x0500_0000,
        ])
        .unwrap();
    assert_eq!(client.data.dword(0), 9);
}

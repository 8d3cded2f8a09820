//! Random ioctls, wild pointers and random batches: errors, never a panic, never a crash.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::time::{Duration, Instant};

use batchbuffer::packets::PacketId;
use batchbuffer::{Engine, Engines};
use common::{BATCH, BYTES, Client, DATA, impatient};
use devinfo::Family;
use kmd_iface::uapi::{self, Request};
use kmd_iface::{KmdError, Node};
use nix::errno::Errno;
use softgpu::Options;

/// A small generator with a fixed seed (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A number of the kind that breaks things.
    fn odd(&mut self, valid: u64) -> u64 {
        match self.below(10) {
            0..3 => self.below(8),
            3 => 0,
            4 => u64::MAX,
            5 => 1 << self.below(64),
            6 => self.next(),
            7 => valid,
            8 => valid + self.below(4096),
            _ => self.below(0x1_0000) & !0xfff,
        }
    }
}

fn small() -> Options {
    Options {
        memory_limit: 64 << 20,
        hang_timeout: Duration::from_millis(50),
        threads: 1,
        ..Options::default()
    }
}

#[test]
fn random_ioctls_give_errors() {
    const SEED: u64 = 0x5eed_0001;
    println!("seed {SEED:#x}");
    let mut random = Random(SEED);
    let client = Client::new(small());
    let requests: Vec<_> = uapi::ioctls()
        .filter(|row| !row.name.contains("XE_"))
        // These may wait for as long as they are told to.
        .filter(|row| {
            !["SYNCOBJ_WAIT", "TIMELINE_WAIT", "TRANSFER"]
                .iter()
                .any(|n| row.name.ends_with(n))
        })
        .collect();
    // Memory that pointers may point to; ioctls may write it.
    let mut scratch = vec![0u64; 8192];
    let valid = scratch.as_mut_ptr().expose_provenance() as u64;
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let row = requests[random.below(requests.len() as u64) as usize];
        let size = Request(row.request).size();
        let mut argument = vec![0u8; size];
        for chunk in argument.chunks_mut(8) {
            let bytes = random.odd(valid).to_le_bytes();
            // Halves are fields of their own as often as not.
            let (low, high) = bytes.split_at(4);
            let mixed = [low, if random.below(2) == 0 { high } else { low }].concat();
            chunk.copy_from_slice(&mixed[..chunk.len()]);
        }
        for _ in 0..4 {
            let at = random.below(8192) as usize;
            scratch[at] = random.odd(valid);
        }
        match client.node.ioctl(row.request, &mut argument) {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 100 && refused > 1000, "{accepted} {refused}");
    drop(scratch);
}

#[test]
fn wild_pointers_in_arguments_are_efault() {
    let client = Client::new(small());
    for row in uapi::ioctls().filter(|row| !row.name.contains("XE_")) {
        let mut argument = vec![0u8; Request(row.request).size()];
        for chunk in argument.chunks_exact_mut(8) {
            chunk.copy_from_slice(&0xdead_beef_f000u64.to_le_bytes());
        }
        // Whatever it says, it returns.
        let _ = client.node.ioctl(row.request, &mut argument);
    }
    // One by one where the rest of the argument is right.
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

/// Packets of the engine with random fields, addresses often in bound memory.
fn random_batch(random: &mut Random, family: Family, engine: Engine) -> Vec<u32> {
    let packets: Vec<_> = PacketId::ALL
        .iter()
        .map(|id| id.layout())
        .filter(|layout| layout.engines.contains(Engines::from(engine)))
        .filter_map(|layout| Some((layout.header?, layout.length(family)?)))
        .collect();
    let mut batch = Vec::new();
    while batch.len() < 200 {
        let (header, length) = packets[random.below(packets.len() as u64) as usize];
        let dwords = match random.below(20) {
            0 => random.below(40) as usize + 1,
            _ => length.dwords as usize,
        };
        let length = match length.field {
            Some(_) => dwords.saturating_sub(2) as u32,
            None => 0,
        };
        let flags = match random.below(4) {
            0 => (random.next() as u32) & 0x0000_ff00,
            _ => 0,
        };
        batch.push(header | length | flags);
        let mut left = dwords - 1;
        while left > 0 {
            let address = match random.below(4) {
                0 => BATCH.get(),
                _ => DATA.get(),
            } + random.below(BYTES + 0x1000);
            match random.below(4) {
                0 if left >= 2 => {
                    batch.extend([address as u32 & !7, (address >> 32) as u32]);
                    left -= 1;
                }
                1 => batch.push(random.next() as u32),
                _ => batch.push(random.below(16) as u32),
            }
            left -= 1;
        }
    }
    batch.extend([0x0500_0000, 0]);
    batch.truncate(batch.len() & !1);
    batch
}

#[test]
fn random_batches_end() {
    const SEED: u64 = 0x5eed_0002;
    println!("seed {SEED:#x}");
    let mut random = Random(SEED);
    let client = Client::new(small());
    let deadline = Instant::now() + Duration::from_secs(20);
    let (mut good, mut lost) = (0, 0);
    for _ in 0..400 {
        if Instant::now() > deadline {
            break;
        }
        let batch = random_batch(&mut random, client.family, Engine::Render);
        let queue = client.another_queue();
        client.write_batch(0, &batch);
        let fence = client.submit_at(queue, 0, &[]).unwrap();
        match client
            .kmd
            .wait(fence, Instant::now() + Duration::from_secs(5))
        {
            Ok(()) => good += 1,
            Err(KmdError::QueueLost { .. }) => lost += 1,
            Err(other) => panic!("{other}"),
        }
        client.kmd.destroy_queue(queue).unwrap();
    }
    println!("{good} ran, {lost} were stopped");
    assert!(lost > 10);
    // The device still works.
    let queue = client.another_queue();
    client.write_batch(0, &[0x0500_0000, 0]);
    let fence = client.submit_at(queue, 0, &[]).unwrap();
    client.wait(fence).unwrap();
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

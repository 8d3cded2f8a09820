//! Batches through the whole node: ioctls, fences, command streamer.

#![cfg(test)]

mod common;

use std::time::{Duration, Instant};

use batchbuffer::packets::pipe_control::{self, PostSyncOperation};
use common::batch::{Batch, start};
use common::{Client, DATA, impatient, xe};
use devinfo::Family;
use kmd_iface::{KmdError, QueueStatus};
use softgpu::Options;

const TGL: Family = Family::Gen12Lp;

/// A batch of these stores to the data.
fn stores(stores: &[(u64, u32)]) -> Vec<u32> {
    let mut batch = Batch::new(TGL);
    for (offset, value) in stores {
        batch.store(*offset, *value);
    }
    batch.end()
}

/// A batch that waits for the dword at the beginning of the data, then stores to the next one.
fn waiting(code: u32, value: u32, store: u32) -> Vec<u32> {
    let mut batch = Batch::new(TGL);
    batch.wait(code, value, 0);
    batch.store(4, store);
    batch.end()
}

#[test]
fn stores_and_post_sync_writes_reach_memory() {
    let client = Client::new(Options::default());
    let mut batch = Batch::new(TGL);
    batch.store(0, 0x1234_5678);
    pipe_control::packet(TGL)
        .set(
            pipe_control::POST_SYNC_OPERATION,
            PostSyncOperation::WRITE_IMMEDIATE_DATA,
        )
        .set(pipe_control::ADDRESS, DATA.offset(8))
        .set(pipe_control::IMMEDIATE_DATA, 0x1_0000_0002u64)
        .emit(&mut batch.dwords)
        .unwrap();
    for offset in [16, 24] {
        pipe_control::packet(TGL)
            .set(
                pipe_control::POST_SYNC_OPERATION,
                PostSyncOperation::WRITE_TIMESTAMP,
            )
            .set(pipe_control::ADDRESS, DATA.offset(offset))
            .emit(&mut batch.dwords)
            .unwrap();
    }
    client.run(&batch.end()).unwrap();
    assert_eq!(client.data.dword(0), 0x1234_5678);
    assert_eq!(client.data.qword(1), 0x1_0000_0002);
    let (first, second) = (client.data.qword(2), client.data.qword(3));
    assert!(first != 0 && first <= second, "{first} {second}");
    assert!(client.kmd.timestamp().unwrap() >= second);
}

#[test]
fn predicates_guard_stores() {
    let client = Client::new(Options::default());
    let mut batch = Batch::new(TGL);
    // The sources of the predicate are 5 and 5, then 5 and 6.
    for (second, offset) in [(5, 0), (6, 4)] {
        for (register, value) in [(0x400, 5), (0x404, 0), (0x408, second), (0x40c, 0)] {
            batch.load(register, value);
        }
        // MI_PREDICATE: load whether they are equal.
        batch.push(&[0x0600_0000 | 2 | 2 << 6]);
        let stored = batch.dwords.len();
        batch.save(0x400, offset);
        batch.dwords[stored] |= 1 << 21;
    }
    client.run(&batch.end()).unwrap();
    assert_eq!((client.data.dword(0), client.data.dword(1)), (5, 0));
}

#[test]
fn a_semaphore_wait_is_ended_by_another_queue() {
    let client = Client::new(Options::default());
    client.write_batch(0, &waiting(4, 7, 1));
    client.write_batch(0x1000, &stores(&[(0, 7)]));
    let waits = client.submit_at(client.queue, 0, &[]).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    assert!(!client.kmd.is_done(waits).unwrap());
    let other = client.another_queue();
    let signals = client.submit_at(other, 0x1000, &[]).unwrap();
    client.wait(signals).unwrap();
    client.wait(waits).unwrap();
    assert_eq!(client.data.dword(1), 1);
}

#[test]
fn batches_wait_for_fences_of_other_queues() {
    for (platform, options) in [("tgl", Options::default()), ("dg2", xe::options())] {
        let client = Client::on(platform, options);
        let other = client.another_queue();
        // The first waits for memory; the second, on another queue, waits for the first.
        client.write_batch(0, &waiting(5, 0, 40));
        client.write_batch(0x1000, &stores(&[(4, 41)]));
        let one = client.submit_at(client.queue, 0, &[]).unwrap();
        let two = client.submit_at(other, 0x1000, &[one]).unwrap();
        let soon = Instant::now() + Duration::from_millis(20);
        assert!(matches!(
            client.kmd.wait(two, soon),
            Err(KmdError::DeadlineExceeded { .. })
        ));
        client.data.set_dword(0, 1);
        client.wait(two).unwrap();
        assert_eq!(client.data.dword(1), 41, "{platform}");
    }
}

#[test]
fn wild_addresses_fault_with_the_nearest_buffer() {
    let client = Client::new(Options::default());
    let wild = stores(&[(0x2_0000, 1)]);
    let error = client.run(&wild).unwrap_err().to_string();
    for part in [
        "page fault",
        "Write",
        "0x800140020000",
        "0x800140000000",
        "MI_STORE_DATA_IMM",
    ] {
        assert!(error.contains(part), "no {part:?} in {error:?}");
    }
    let status = client.kmd.queue_status(client.queue).unwrap();
    assert!(matches!(status, QueueStatus::Faulted(_)));
    assert!(client.submit(&wild).is_err(), "the queue takes no more");
    // A new queue works.
    client.write_batch(0, &stores(&[(0, 5)]));
    let fence = client.submit_at(client.another_queue(), 0, &[]).unwrap();
    client.wait(fence).unwrap();
    assert_eq!(client.data.dword(0), 5);
}

#[test]
fn the_scratch_page_swallows_wild_stores() {
    let client = Client::new(Options {
        scratch_page: true,
        ..Options::default()
    });
    client.run(&stores(&[(0x2_0000, 1), (0, 6)])).unwrap();
    assert_eq!(client.data.dword(0), 6);
}

/// What a graphics driver sets up before it computes: a rectangle, the URB, a register that clears
/// itself and a wait for that.
#[test]
fn the_pipelines_state_is_taken_and_a_draw_is_named() {
    let client = Client::new(Options::default());
    let mut batch = Batch::new(TGL);
    batch.push(&[0x7900_0002, 0, 0, 0]);
    batch.push(&[0x7858_0001, 0, 0]);
    batch.push(&[0x1100_0001, 0x42c8, 1]);
    batch.push(&[0x0e01_c002, 0, 0x42c8, 0]);
    batch.store(0, 7);
    let state = batch.dwords.clone();
    client.run(&batch.end()).unwrap();
    assert_eq!(client.data.dword(0), 7);

    let client = Client::new(Options::default());
    let mut batch = Batch::new(TGL);
    batch.push(&state);
    batch.push(&[0x7b00_0005, 0, 0, 0, 0, 0, 0]);
    let error = client.run(&batch.end()).unwrap_err().to_string();
    assert!(
        error.contains("3DPRIMITIVE") && error.contains("does not draw"),
        "{error}"
    );
}

#[test]
fn unknown_headers_are_named_with_their_place() {
    let client = Client::new(Options::default());
    let mut batch = Batch::new(TGL);
    batch.store(0, 1);
    batch.push(&[0x7fff_0000]);
    let error = client.run(&batch.end()).unwrap_err().to_string();
    for part in ["0x7fff0000", "16 bytes into", "0x000000100010"] {
        assert!(error.contains(part), "no {part:?} in {error:?}");
    }
    assert_eq!(client.data.dword(0), 1, "what came before was executed");
}

#[test]
fn endless_batches_are_hangs() {
    for options in [impatient(), xe::options()] {
        let client = Client::new(options);
        let error = client.run(&start(0, 0)).unwrap_err().to_string();
        assert!(error.contains("hang"), "{error}");
        let status = client.kmd.queue_status(client.queue).unwrap();
        assert!(!matches!(status, QueueStatus::Ok), "{status:?}");
    }
}

#[test]
fn closing_the_node_ends_what_waits() {
    let client = Client::new(Options::default());
    client.submit(&waiting(4, 7, 1)).unwrap();
    let started = Instant::now();
    drop(client);
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn unbound_batches_fault() {
    let client = Client::new(Options::default());
    let error = client.run(&[0x1880_0101, 0x7000_0000, 0]).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("Fetch") && error.contains("0x000070000000"),
        "{error}"
    );
}

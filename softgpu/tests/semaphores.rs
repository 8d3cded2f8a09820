//! Semaphores between queues on different engines, on both uAPIs and every family.

#![cfg(test)]

mod common;

use std::time::Duration;

use common::{Client, DATA, families, store};
use devinfo::{Driver, Family, span};
use kmd_iface::{EngineClass, QueueId, QueueStatus};
use softgpu::Options;

/// One platform of each family on each driver that drives it.
fn clients() -> Vec<(String, Client)> {
    let mut clients = Vec::new();
    for (platform, options) in families() {
        let target = devinfo::Target::parse(platform).unwrap();
        for driver in [Driver::I915, Driver::Xe] {
            if target.platform.has_driver(driver) {
                let options = Options {
                    driver,
                    ..options.clone()
                };
                let client = Client::on(platform, options);
                clients.push((format!("{platform} on {driver}"), client));
            }
        }
    }
    clients
}

fn engines(client: &Client) -> Vec<EngineClass> {
    let engines = client.kmd.description().engines.iter();
    engines.map(|engine| engine.class).collect()
}

/// MI_SEMAPHORE_WAIT, polling the dword at `offset` of the data.
fn wait(family: Family, comparison: u32, operand: u32, offset: u64) -> Vec<u32> {
    let address = DATA.offset(offset).get();
    let mut dwords = vec![
        0x0e00_0002 | 1 << 15 | comparison << 12,
        operand,
        address as u32,
        (address >> 32) as u32,
    ];
    if span!(Xe2..).contains(family) {
        dwords[0] += 1;
        dwords.push(0);
    }
    dwords
}

/// The ways in which an engine writes only a dword: a store, and the post-sync write of its flush.
fn writes(family: Family, engine: EngineClass, value: u32) -> Vec<Vec<u32>> {
    let mut post_sync = Vec::new();
    if engine == EngineClass::Copy {
        let [low, high] = [DATA.get() as u32, (DATA.get() >> 32) as u32];
        post_sync.extend([0x1300_0003 | 1 << 14, low, high, value, 0]);
    } else {
        use batchbuffer::packets::pipe_control as pc;
        pc::packet(family)
            .set(
                pc::POST_SYNC_OPERATION,
                pc::PostSyncOperation::WRITE_IMMEDIATE_DATA,
            )
            .set(pc::ADDRESS, DATA)
            .set(pc::IMMEDIATE_DATA, u64::from(value))
            .emit(&mut post_sync)
            .unwrap();
    }
    vec![store(DATA, value).to_vec(), post_sync]
}

fn submit(client: &Client, queue: QueueId, offset: usize, dwords: &[u32]) -> kmd_iface::Fence {
    let mut batch = dwords.to_vec();
    batch.extend([0x0500_0000, 0]);
    client.write_batch(offset, &batch);
    client.submit_at(queue, offset as u64, &[]).unwrap()
}

/// Each comparison, with a value in memory for which it fails, and one for which it holds.
const COMPARISONS: [(u32, u32, u32, u32); 6] = [
    (0, 5, 5, 6),
    (1, 5, 4, 5),
    (2, 5, 5, 4),
    (3, 5, 6, 5),
    (4, 5, 6, 5),
    (5, 5, 5, 0x8000_0000),
];

#[test]
fn every_engine_waits_for_every_other() {
    for (name, client) in clients() {
        let engines = engines(&client);
        let mut round = 0;
        for waiting in &engines {
            for writing in &engines {
                if waiting == writing {
                    continue;
                }
                let waiter = client.queue_on(*waiting);
                let writer = client.queue_on(*writing);
                for (comparison, operand, before, after) in COMPARISONS {
                    let ways = writes(client.family, *writing, after);
                    // All ways with all comparisons take too long: they alternate.
                    round += 1;
                    let write = &ways[round % ways.len()];
                    let what = format!("{name}: {waiting:?} for {writing:?}, {comparison}");
                    client.data.set_dword(0, before);
                    client.data.set_dword(16, 0);
                    let mut batch = wait(client.family, comparison, operand, 0);
                    batch.extend(store(DATA.offset(64), 1));
                    let waits = submit(&client, waiter, 0, &batch);
                    std::thread::sleep(Duration::from_millis(2));
                    assert!(!client.kmd.is_done(waits).unwrap(), "{what}");
                    assert_eq!(client.data.dword(16), 0, "{what}");
                    let writes = submit(&client, writer, 0x1000, write);
                    client.wait(writes).unwrap();
                    client.wait(waits).unwrap();
                    assert_eq!(client.data.dword(16), 1, "{what}");
                }
                client.kmd.destroy_queue(waiter).unwrap();
                client.kmd.destroy_queue(writer).unwrap();
            }
        }
        assert!(round > 0, "{name} has one engine");
    }
}

#[test]
fn a_semaphore_that_nobody_signals_is_a_hang_and_others_go_on() {
    for (name, client) in clients() {
        let hung = client.another_queue();
        let waits = submit(&client, hung, 0, &wait(client.family, 4, 1, 0));
        let other = client.queue_on(EngineClass::Copy);
        let stores = submit(&client, other, 0x1000, &store(DATA.offset(4), 3));
        client.wait(stores).unwrap();
        assert_eq!(client.data.dword(1), 3);
        let error = client.wait(waits).unwrap_err().to_string();
        assert!(
            error.contains("hang") && error.contains("MI_SEMAPHORE_WAIT"),
            "{name}: {error}"
        );
        assert!(matches!(
            client.kmd.queue_status(hung).unwrap(),
            QueueStatus::Hung(_)
        ));
        assert_eq!(client.kmd.queue_status(other).unwrap(), QueueStatus::Ok);
        // Also the same engine.
        let same = client.another_queue();
        let stores = submit(&client, same, 0x1000, &store(DATA.offset(4), 4));
        client.wait(stores).unwrap();
        assert_eq!(client.data.dword(1), 4, "{name}");
    }
}

#[test]
fn semaphores_poll_registers_from_gen9_on() {
    for (name, client) in clients() {
        if client.family == Family::Gen8 {
            continue;
        }
        let base = match client.family {
            Family::XeHpc => 0x1_a000u32,
            _ => 0x2000,
        };
        // The general purpose register holds the awaited value; the memory type is ignored.
        let gpr = base + 0x600;
        let mut poll = wait(client.family, 4, 9, 0);
        poll[0] |= 1 << 16 | 1 << 22;
        poll[2] = gpr;
        poll[3] = 0;
        let mut batch = vec![0x1100_0001, gpr, 9];
        batch.extend(&poll);
        batch.extend(store(DATA.offset(8), 2));
        batch.extend([0x0500_0000, 0]);
        client.run(&batch).unwrap();
        assert_eq!(client.data.dword(2), 2, "{name}");
        // A value that never comes.
        poll[1] = 10;
        poll.extend([0x0500_0000, 0]);
        let error = client.run(&poll).unwrap_err().to_string();
        assert!(error.contains("hang"), "{name}: {error}");
    }
}

/// Queues in a ring, each on another engine, that pass on a count.
#[test]
fn engines_play_ping_pong() {
    for (name, client) in clients() {
        let engines = engines(&client);
        let queues: Vec<QueueId> = engines.iter().map(|e| client.queue_on(*e)).collect();
        let mut fences = Vec::new();
        let rounds = 20;
        for (index, queue) in queues.iter().enumerate() {
            let mut batch = Vec::new();
            for round in 0..rounds {
                let turn = round * queues.len() as u32 + index as u32;
                batch.extend(wait(client.family, 4, turn, 0));
                batch.extend(store(DATA, turn + 1));
            }
            fences.push(submit(&client, *queue, index * 0x2000, &batch));
        }
        for fence in fences {
            client.wait(fence).unwrap();
        }
        let expected = rounds * queues.len() as u32;
        assert_eq!(client.data.dword(0), expected, "{name}");
    }
}

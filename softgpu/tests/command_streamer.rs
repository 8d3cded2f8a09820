//! Batches through the whole node: ioctls, fences, command streamer.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::time::{Duration, Instant};

use batchbuffer::Value;
use batchbuffer::packets::*;
use batchbuffer::states::mi_math_alu_instruction::{self as alu, AluOpcode, Operand1, Operand2};
use common::{BATCH, Client, DATA, impatient};
use devinfo::{Family, GpuAddress};
use kmd_iface::{KmdError, QueueStatus};
use softgpu::Options;

const TGL: Family = Family::Gen12Lp;

fn end(batch: &mut Vec<u32>) {
    mi_batch_buffer_end::packet(TGL).emit(batch).unwrap();
    if !batch.len().is_multiple_of(2) {
        batch.push(0);
    }
}

fn store(batch: &mut Vec<u32>, offset: u64, value: u32) {
    mi_store_data_imm::packet(TGL)
        .set(mi_store_data_imm::ADDRESS, DATA.offset(offset))
        .set(mi_store_data_imm::IMMEDIATE_DATA, value)
        .emit(batch)
        .unwrap();
}

fn load_gpr(batch: &mut Vec<u32>, index: u32, value: u64) {
    for (offset, half) in [(0, value as u32), (4, (value >> 32) as u32)] {
        batch.extend([0x1100_0001, 0x2600 + 8 * index + offset, half]);
    }
}

fn store_register(batch: &mut Vec<u32>, register: u32, offset: u64) {
    mi_store_register_mem::packet(TGL)
        .set(mi_store_register_mem::REGISTER_ADDRESS, register)
        .set(mi_store_register_mem::MEMORY_ADDRESS, DATA.offset(offset))
        .emit(batch)
        .unwrap();
}

#[test]
fn stores_and_post_sync_writes_reach_memory() {
    let client = Client::new(Options::default());
    let mut batch = Vec::new();
    batch.extend([
        0x1000_0002,
        DATA.get() as u32,
        (DATA.get() >> 32) as u32,
        0x1234_5678,
    ]);
    pipe_control::packet(TGL)
        .set(
            pipe_control::POST_SYNC_OPERATION,
            pipe_control::PostSyncOperation::WRITE_IMMEDIATE_DATA,
        )
        .set(pipe_control::ADDRESS, DATA.offset(8))
        .set(pipe_control::IMMEDIATE_DATA, 0x1_0000_0002u64)
        .emit(&mut batch)
        .unwrap();
    for offset in [16, 24] {
        pipe_control::packet(TGL)
            .set(
                pipe_control::POST_SYNC_OPERATION,
                pipe_control::PostSyncOperation::WRITE_TIMESTAMP,
            )
            .set(pipe_control::ADDRESS, DATA.offset(offset))
            .emit(&mut batch)
            .unwrap();
    }
    end(&mut batch);
    client.run(&batch).unwrap();
    assert_eq!(client.data.dword(0), 0x1234_5678);
    assert_eq!(client.data.qword(1), 0x1_0000_0002);
    let (first, second) = (client.data.qword(2), client.data.qword(3));
    assert!(first != 0 && first <= second, "{first} {second}");
    assert!(client.kmd.timestamp().unwrap() >= second);
}

#[test]
fn second_level_batches_return_and_chained_ones_do_not() {
    let client = Client::new(Options::default());
    let jump = |offset: u64, second: bool| {
        let mut dwords = Vec::new();
        mi_batch_buffer_start::packet(TGL)
            .set(
                mi_batch_buffer_start::BATCH_BUFFER_START_ADDRESS,
                BATCH.offset(offset),
            )
            .set(mi_batch_buffer_start::SECOND_LEVEL_BATCH_BUFFER, second)
            .emit(&mut dwords)
            .unwrap();
        dwords
    };
    let mut main = jump(0x1000, true);
    store(&mut main, 4, 2);
    main.extend(jump(0x2000, false));
    store(&mut main, 12, 99);
    end(&mut main);
    client.write_batch(0, &main);
    let mut called = Vec::new();
    store(&mut called, 0, 1);
    end(&mut called);
    client.write_batch(0x1000, &called);
    let mut chained = Vec::new();
    store(&mut chained, 8, 3);
    end(&mut chained);
    client.write_batch(0x2000, &chained);
    let fence = client.submit_at(client.queue, 0, &[]).unwrap();
    client.wait(fence).unwrap();
    let words: Vec<u32> = (0..4).map(|i| client.data.dword(i)).collect();
    assert_eq!(words, [1, 2, 3, 0]);
}

#[test]
fn the_alu_computes_on_registers() {
    let client = Client::new(Options::default());
    let op = |code: AluOpcode, first: u32, second: u32| {
        alu::state(TGL)
            .set(alu::ALU_OPCODE, code)
            .set(alu::OPERAND_1, first)
            .set(alu::OPERAND_2, second)
            .finish()
            .unwrap()[0]
    };
    let (srca, srcb, accu, cf) = (
        Operand1::SRCA as u32,
        Operand1::SRCB as u32,
        Operand2::ACCU as u32,
        Operand2::CF as u32,
    );
    let mut batch = Vec::new();
    load_gpr(&mut batch, 0, 0xffff_ffff_0000_0001);
    load_gpr(&mut batch, 1, 0x0000_0000_ffff_ffff);
    let program = [
        op(AluOpcode::LOAD, srca, 0),
        op(AluOpcode::LOAD, srcb, 1),
        op(AluOpcode::ADD, 0, 0),
        op(AluOpcode::STORE, 2, accu),
        op(AluOpcode::STORE, 3, cf),
        op(AluOpcode::SUB, 0, 0),
        op(AluOpcode::STOREINV, 4, accu),
    ];
    batch.push(0x0d00_0000 | (program.len() as u32 - 1));
    batch.extend(program);
    for index in 2..5u32 {
        for half in [0, 4] {
            store_register(
                &mut batch,
                0x2600 + 8 * index + half,
                u64::from(8 * (index - 2) + half),
            );
        }
    }
    end(&mut batch);
    client.run(&batch).unwrap();
    let (a, b) = (0xffff_ffff_0000_0001u64, 0xffff_ffffu64);
    assert_eq!(client.data.qword(0), a.wrapping_add(b));
    assert_eq!(client.data.qword(1), u64::MAX, "carry");
    assert_eq!(client.data.qword(2), !(a - b));
}

#[test]
fn predicates_guard_stores() {
    let client = Client::new(Options::default());
    let mut batch = Vec::new();
    // SRC0 = 5, SRC1 = 5, then 6.
    for (second, offset) in [(5u32, 0u64), (6, 4)] {
        for (register, value) in [(0x2400, 5), (0x2404, 0), (0x2408, second), (0x240c, 0)] {
            batch.extend([0x1100_0001, register, value]);
        }
        mi_predicate::packet(TGL)
            .set(
                mi_predicate::COMPARE_OPERATION,
                mi_predicate::CompareOperation::SRCS_EQUAL,
            )
            .set(
                mi_predicate::LOAD_OPERATION,
                mi_predicate::LoadOperation::LOAD,
            )
            .emit(&mut batch)
            .unwrap();
        mi_store_register_mem::packet(TGL)
            .set(mi_store_register_mem::PREDICATE_ENABLE, true)
            .set(mi_store_register_mem::REGISTER_ADDRESS, 0x2400u32)
            .set(mi_store_register_mem::MEMORY_ADDRESS, DATA.offset(offset))
            .emit(&mut batch)
            .unwrap();
    }
    end(&mut batch);
    client.run(&batch).unwrap();
    assert_eq!((client.data.dword(0), client.data.dword(1)), (5, 0));
}

#[test]
fn a_semaphore_wait_is_ended_by_another_queue() {
    let client = Client::new(Options::default());
    let mut waiting = Vec::new();
    mi_semaphore_wait::packet(TGL)
        .set(
            mi_semaphore_wait::COMPARE_OPERATION,
            mi_semaphore_wait::CompareOperation::SAD_EQUAL_SDD,
        )
        .set(mi_semaphore_wait::SEMAPHORE_DATA_DWORD, 7u32)
        .set(mi_semaphore_wait::SEMAPHORE_ADDRESS, DATA)
        .emit(&mut waiting)
        .unwrap();
    store(&mut waiting, 4, 1);
    end(&mut waiting);
    client.write_batch(0, &waiting);
    let mut signalling = Vec::new();
    store(&mut signalling, 0, 7);
    end(&mut signalling);
    client.write_batch(0x1000, &signalling);
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
    let client = Client::new(Options::default());
    let other = client.another_queue();
    // The first waits for memory; the second, on another queue, waits for the first.
    let mut first = Vec::new();
    mi_semaphore_wait::packet(TGL)
        .set(
            mi_semaphore_wait::COMPARE_OPERATION,
            mi_semaphore_wait::CompareOperation::SAD_NOT_EQUAL_SDD,
        )
        .set(mi_semaphore_wait::SEMAPHORE_ADDRESS, DATA)
        .emit(&mut first)
        .unwrap();
    end(&mut first);
    client.write_batch(0, &first);
    let mut second = Vec::new();
    mi_copy_mem_mem::packet(TGL)
        .set(mi_copy_mem_mem::SOURCE_MEMORY_ADDRESS, DATA)
        .set(mi_copy_mem_mem::DESTINATION_MEMORY_ADDRESS, DATA.offset(4))
        .emit(&mut second)
        .unwrap();
    end(&mut second);
    client.write_batch(0x1000, &second);
    let one = client.submit_at(client.queue, 0, &[]).unwrap();
    let two = client.submit_at(other, 0x1000, &[one]).unwrap();
    let soon = Instant::now() + Duration::from_millis(20);
    assert!(matches!(
        client.kmd.wait(two, soon),
        Err(KmdError::DeadlineExceeded { .. })
    ));
    client.data.set_dword(0, 41);
    client.wait(two).unwrap();
    assert_eq!(client.data.dword(1), 41);
}

#[test]
fn wild_addresses_fault_with_the_nearest_buffer() {
    let client = Client::new(Options::default());
    let mut batch = Vec::new();
    store(&mut batch, 0x2_0000, 1);
    end(&mut batch);
    let error = client.run(&batch).unwrap_err().to_string();
    for part in [
        "page fault",
        "Write",
        "0x800140020000",
        "0x800140000000",
        "MI_STORE_DATA_IMM",
    ] {
        assert!(error.contains(part), "no {part:?} in {error:?}");
    }
    assert!(matches!(
        client.kmd.queue_status(client.queue).unwrap(),
        QueueStatus::Faulted(_)
    ));
    assert!(client.submit(&batch).is_err(), "the queue takes no more");
    // A new queue works.
    let queue = client.another_queue();
    let mut batch = Vec::new();
    store(&mut batch, 0, 5);
    end(&mut batch);
    client.write_batch(0, &batch);
    let fence = client.submit_at(queue, 0, &[]).unwrap();
    client.wait(fence).unwrap();
    assert_eq!(client.data.dword(0), 5);
}

#[test]
fn the_scratch_page_swallows_wild_stores() {
    let client = Client::new(Options {
        scratch_page: true,
        ..Options::default()
    });
    let mut batch = Vec::new();
    store(&mut batch, 0x2_0000, 1);
    store(&mut batch, 0, 6);
    end(&mut batch);
    client.run(&batch).unwrap();
    assert_eq!(client.data.dword(0), 6);
}

#[test]
fn unknown_headers_are_named_with_their_place() {
    let client = Client::new(Options::default());
    let mut batch = Vec::new();
    store(&mut batch, 0, 1);
    batch.push(0x7fff_0000);
    end(&mut batch);
    let error = client.run(&batch).unwrap_err().to_string();
    for part in ["0x7fff0000", "16 bytes into", "0x000000100010"] {
        assert!(error.contains(part), "no {part:?} in {error:?}");
    }
    assert_eq!(client.data.dword(0), 1, "what came before was executed");
}

#[test]
fn endless_batches_are_hangs() {
    let client = Client::new(impatient());
    let mut batch = Vec::new();
    mi_batch_buffer_start::packet(TGL)
        .set(
            mi_batch_buffer_start::BATCH_BUFFER_START_ADDRESS,
            Value::Address(BATCH),
        )
        .emit(&mut batch)
        .unwrap();
    let error = client.run(&batch).unwrap_err().to_string();
    assert!(error.contains("hang"), "{error}");
    assert!(matches!(
        client.kmd.queue_status(client.queue).unwrap(),
        QueueStatus::Hung(_)
    ));
}

#[test]
fn closing_the_node_ends_what_waits() {
    let client = Client::new(Options::default());
    let mut batch = Vec::new();
    mi_semaphore_wait::packet(TGL)
        .set(
            mi_semaphore_wait::COMPARE_OPERATION,
            mi_semaphore_wait::CompareOperation::SAD_EQUAL_SDD,
        )
        .set(mi_semaphore_wait::SEMAPHORE_DATA_DWORD, 7u32)
        .set(mi_semaphore_wait::SEMAPHORE_ADDRESS, DATA)
        .emit(&mut batch)
        .unwrap();
    client.submit(&batch).unwrap();
    let started = Instant::now();
    drop(client);
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn unbound_batches_are_refused_or_fault() {
    let client = Client::new(Options::default());
    let mut batch = Vec::new();
    mi_batch_buffer_start::packet(TGL)
        .set(
            mi_batch_buffer_start::BATCH_BUFFER_START_ADDRESS,
            GpuAddress::new(0x7000_0000),
        )
        .emit(&mut batch)
        .unwrap();
    let error = client.run(&batch).unwrap_err().to_string();
    assert!(
        error.contains("Fetch") && error.contains("0x000070000000"),
        "{error}"
    );
}

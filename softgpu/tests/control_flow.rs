//! Where a command streamer goes next, on every family: jumps, conditional ends and predicates.

#![cfg(test)]

mod common;

use common::batch::{Batch, address, start};
use common::{BATCH, Client, families};
use devinfo::{Family, span};
use oracles::Random;

fn compare(code: u32, value: u32, operand: u32) -> bool {
    [
        value > operand,
        value >= operand,
        value < operand,
        value <= operand,
        value == operand,
        value != operand,
    ][code as usize]
}

/// MI_CONDITIONAL_BATCH_BUFFER_END with its header's flags.
fn conditional_end(flags: u32, operand: u32, at: u64) -> [u32; 4] {
    let [low, high] = address(at);
    [0x1b00_0002 | flags, operand, low, high]
}

const COMPARE_SEMAPHORE: u32 = 1 << 21;

#[test]
fn batches_end_on_conditions() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        let has_codes = span!(Gen12Lp..).contains(client.family);
        let codes = if has_codes { 0..6 } else { 0..1 };
        for code in codes {
            for (value, operand) in [(1, 2), (2, 2), (3, 2), (u32::MAX, 0), (0, u32::MAX)] {
                client.data.set_dword(0, value);
                client.data.set_dword(1, 0);
                let mut batch = Batch::new(client.family);
                batch.push(&conditional_end(COMPARE_SEMAPHORE | code << 12, operand, 0));
                batch.store(4, 1);
                client.run(&batch.end()).unwrap();
                assert_eq!(
                    client.data.dword(1) == 1,
                    compare(code, value, operand),
                    "{platform}: comparison {code} of {value}, {operand}"
                );
            }
        }
        // Without "Compare Semaphore" nothing is compared.
        client.data.set_dword(0, 0);
        client.data.set_dword(1, 0);
        let mut batch = Batch::new(client.family);
        batch.push(&conditional_end(0, 5, 0));
        batch.store(4, 1);
        client.run(&batch.end()).unwrap();
        assert_eq!(client.data.dword(1), 1, "{platform}");
        if client.family == Family::Gen8 {
            continue;
        }
        // The mask mode: a qword of mask and value.
        for (mask, goes_on) in [(0xffu32, true), (0x0f, false)] {
            client.data.set_dword(0, mask);
            client.data.set_dword(1, 0x1234);
            client.data.set_dword(2, 0);
            let mut batch = Batch::new(client.family);
            batch.push(&conditional_end(COMPARE_SEMAPHORE | 1 << 19, 0x33, 0));
            batch.store(8, 1);
            client.run(&batch.end()).unwrap();
            assert_eq!(client.data.dword(2) == 1, goes_on, "{platform}: {mask:#x}");
        }
    }
}

const SECOND_LEVEL: u32 = 1 << 22;

#[test]
fn conditions_end_all_levels_or_one() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        for (one_level, ends_all) in [
            (0, true),
            (1 << 18, !span!(Gen12Lp..).contains(client.family)),
        ] {
            client.data.set_dword(0, 0);
            client.data.set_dword(1, 0);
            client.data.set_dword(2, 0);
            let mut called = Batch::new(client.family);
            called.push(&conditional_end(COMPARE_SEMAPHORE | one_level, 5, 0));
            called.store(4, 1);
            client.write_batch(0x1000, &called.end());
            let mut batch = Batch::new(client.family);
            batch.push(&start(SECOND_LEVEL, 0x1000));
            batch.store(8, 1);
            client.run(&batch.end()).unwrap();
            assert_eq!(client.data.dword(1), 0);
            assert_eq!(client.data.dword(2) == 0, ends_all, "{platform}");
        }
    }
}

#[test]
fn second_level_batches_chain_and_return_to_the_first() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        // The second level's own call is a jump: there is one return address.
        for (offset, next, at) in [(0x1000, Some(0x2000), 4), (0x2000, None, 8)] {
            let mut batch = Batch::new(client.family);
            batch.store(at, 1);
            if let Some(next) = next {
                batch.push(&start(SECOND_LEVEL, next));
                batch.store(at, 99);
            }
            client.write_batch(offset, &batch.end());
        }
        let mut batch = Batch::new(client.family);
        batch.push(&start(SECOND_LEVEL, 0x1000));
        batch.store(12, 1);
        client.run(&batch.end()).unwrap();
        let words: Vec<u32> = (1..4).map(|index| client.data.dword(index)).collect();
        assert_eq!(words, [1, 1, 1], "{platform}");
    }
}

#[test]
fn jumps_are_predicated() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        // The predicate stays unchanged until the next MI_SET_PREDICATE.
        let mut target = Batch::new(client.family);
        target.push(&[0x0080_0000]);
        target.store(0, 7);
        client.write_batch(0x1000, &target.end());
        let jump = |batch: &mut Batch, flags: u32| batch.push(&start(flags, 0x1000));
        let predicated = 1 << 15;
        for (flags, result, jumps) in [(0, 0, true), (predicated, 1, true), (predicated, 0, false)]
        {
            client.data.set_dword(0, 0);
            let mut batch = Batch::new(client.family);
            if !span!(XeHpg..).contains(client.family) {
                // MI_PREDICATE_RESULT_1.
                batch.load(0x41c, result);
            } else {
                // MI_PREDICATE_RESULT, by "NOOP On Result Clear"; a jump without the bit is one.
                batch.load(0x418, result);
                batch.push(&[0x0080_0003]);
            }
            jump(&mut batch, flags);
            batch.push(&[0x0080_0000]);
            batch.store(0, 1);
            client.run(&batch.end()).unwrap();
            let expected = if jumps { 7 } else { 1 };
            assert_eq!(
                client.data.dword(0),
                expected,
                "{platform}: {flags:#x}, {result}"
            );
        }
    }
}

#[test]
fn sections_are_predicated() {
    for (platform, options) in families() {
        let slices = devinfo::Target::parse(platform)
            .unwrap()
            .platform
            .default_sku()
            .slices;
        let client = Client::on(platform, options);
        for (mode, result, result_2, runs) in [
            (0, 0, 0, true),
            (1, 1, 0, false),
            (1, 0, 1, true),
            (2, 0, 1, false),
            (2, 1, 0, true),
            (3, 0, 1, false),
            (3, 1, 0, true),
            (4, 1, 0, false),
            (4, 0, 1, true),
            (5, 0, 0, slices == 1),
            (6, 0, 0, slices == 2),
            (7, 0, 0, slices == 3),
            (15, 1, 1, false),
        ] {
            client.data.set_dword(0, 0);
            client.data.set_dword(1, 0);
            let mut batch = Batch::new(client.family);
            batch.load(0x418, result);
            batch.load(0x3bc, result_2);
            batch.push(&[0x0080_0000 | mode]);
            batch.store(0, 1);
            batch.push(&[0x0080_0000]);
            batch.store(4, 1);
            client.run(&batch.end()).unwrap();
            assert_eq!(client.data.dword(0) == 1, runs, "{platform}: mode {mode}");
            assert_eq!(client.data.dword(1), 1, "{platform}: mode {mode}");
        }
    }
}

#[test]
fn predicates_are_loaded_compared_and_combined() {
    let client = Client::new(softgpu::Options::default());
    let mut random = Random::new(0x5eed_0003);
    for round in 0..20 {
        let (a, b) = (random.bits() % 3, random.bits() % 3);
        let data = match random.bits() % 2 {
            0 => a.wrapping_sub(b),
            _ => random.bits(),
        };
        let mut batch = Batch::new(client.family);
        let mut expected = Vec::new();
        let codes = (0..4u32).flat_map(|compare| (0..4u32).map(move |combine| (compare, combine)));
        let all =
            codes.flat_map(|(compare, combine)| [0, 2, 3].map(|load| (compare, combine, load)));
        for (index, (compare, combine, load)) in (0u64..).zip(all) {
            let old = random.bits() % 2 == 1;
            for (register, value) in [(0x400, a), (0x408, b), (0x410, data)] {
                batch.load(register, value as u32);
                batch.load(register + 4, (value >> 32) as u32);
            }
            batch.load(0x418, old.into());
            batch.push(&[0x0600_0000 | compare | combine << 3 | load << 6]);
            batch.save(0x418, 4 * index);
            let compared = [true, false, a == b, a.wrapping_sub(b) == data][compare as usize];
            let combined =
                [compared, old & compared, old | compared, old ^ compared][combine as usize];
            expected.push(match load {
                0 => old,
                2 => combined,
                _ => !combined,
            });
        }
        client.run(&batch.end()).unwrap();
        for (index, expected) in expected.into_iter().enumerate() {
            assert_eq!(
                client.data.dword(index) == 1,
                expected,
                "round {round}, case {index}"
            );
        }
    }
}

#[test]
fn a_batch_starts_where_register_0_says() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        if !span!(XeHpc..).contains(client.family) {
            continue;
        }
        let mut target = Batch::new(client.family);
        target.store(0, 7);
        client.write_batch(0x1000, &target.end());
        let place = BATCH.offset(0x1000).get();
        for (flags, returns) in [(SECOND_LEVEL, 1), (0, 0)] {
            client.data.set_dword(0, 0);
            client.data.set_dword(1, 0);
            let mut batch = Batch::new(client.family);
            // Bits 1:0 are no part of an address.
            batch.load_gpr(0, place | 3);
            let [header, ..] = start(flags | 1 << 18, 0);
            batch.push(&[header, 0, 0]);
            batch.store(4, 1);
            client.run(&batch.end()).unwrap();
            let words = [client.data.dword(0), client.data.dword(1)];
            assert_eq!(words, [7, returns], "{platform}");
        }
    }
}

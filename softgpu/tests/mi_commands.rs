//! The command streamer's own commands on every family, against a model of them written here.

#![cfg(test)]

mod common;

use common::batch::{Batch, address};
use common::{Client, DATA, families};
use devinfo::span;
use kmd_iface::QueueStatus;
use oracles::Random;

/// What an atomic operation leaves in memory and returns, on `bits` bits.
fn atomic_model(code: u32, bits: u32, old: u128, a: u128, b: u128) -> (u128, u128) {
    let mask = u128::MAX >> (128 - bits);
    let (old, a, b) = (old & mask, a & mask, b & mask);
    let signed = |value: u128| ((value << (128 - bits)) as i128) >> (128 - bits);
    let new = match code & 0x1f {
        1 => old & a,
        2 => old | a,
        3 => old ^ a,
        4 => a,
        5 => old.wrapping_add(1),
        6 | 15 => old.wrapping_sub(1),
        7 => old.wrapping_add(a),
        8 => old.wrapping_sub(a),
        9 => a.wrapping_sub(old),
        10 if signed(a) > signed(old) => a,
        11 if signed(a) < signed(old) => a,
        12 if a > old => a,
        13 if a < old => a,
        14 if a == old => b,
        _ => old,
    } & mask;
    // Only "pre-decrement" returns what it has written.
    (new, if code & 0x1f == 15 { new } else { old })
}

/// MI_ATOMIC: dwords 3 on are operands, alternating.
fn atomic(code: u32, size: u32, flags: u32, at: u64, operands: &[u32]) -> Vec<u32> {
    let length = 3 + operands.len() as u32;
    let header = 0x1780_0000 | (length - 2) | code << 8 | size << 19 | flags;
    let mut dwords = vec![header];
    dwords.extend(address(at));
    dwords.extend(operands);
    dwords
}

const RETURN: u32 = 1 << 16;
const INLINE: u32 = 1 << 18;
const POST_SYNC: u32 = 1 << 21;

fn codes() -> impl Iterator<Item = (u32, u32, u32)> {
    let dwords = (1..16).map(|code| (code, 0, 32));
    let qwords = (33..48).map(|code| (code, 1, 64));
    dwords.chain(qwords).chain([(78, 2, 128)])
}

#[test]
fn atomics_compute_and_return() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        let mut random = Random::new(0x5eed_0001);
        for _ in 0..4 {
            let mut batch = Batch::new(client.family);
            let mut expected = Vec::new();
            for (index, ((code, size, bits), inline)) in codes()
                .flat_map(|code| [(code, false), (code, true)])
                .enumerate()
            {
                let at = 64 * index as u64;
                // Near each other, so that all outcomes of comparisons occur.
                let near = |random: &mut Random| match random.bits() % 4 {
                    0 => u128::MAX << (bits - 1),
                    1 => u128::from(random.bits() % 3),
                    2 => u128::MAX,
                    _ => u128::from(random.bits()) << 64 | u128::from(random.bits()),
                };
                let (old, a, b) = (near(&mut random), near(&mut random), near(&mut random));
                let a = if random.bits().is_multiple_of(2) {
                    old
                } else {
                    a
                };
                for word in 0..4usize {
                    let place = at as usize / 4 + word;
                    client.data.set_dword(place, (old >> (32 * word)) as u32);
                }
                let before = random.bits();
                batch.load_gpr(4, before);
                batch.load_gpr(5, !before);
                if inline {
                    let operands: Vec<u32> = (0..bits / 32)
                        .flat_map(|word| [a, b].map(|operand| (operand >> (32 * word)) as u32))
                        .collect();
                    batch.push(&atomic(code, size, RETURN | INLINE, at, &operands));
                } else {
                    for (register, operand) in [(0, a), (2, b)] {
                        batch.load_gpr(register, operand as u64);
                        batch.load_gpr(register + 1, (operand >> 64) as u64);
                    }
                    batch.push(&atomic(code, size, RETURN, at, &[]));
                }
                batch.save_gpr(4, at + 16);
                batch.save_gpr(5, at + 24);
                let (new, returned) = atomic_model(code, bits, old, a, b);
                let mask = u128::MAX >> (128 - bits);
                let kept = u128::from(before) | u128::from(!before) << 64;
                expected.push((code, inline, old & !mask | new, kept & !mask | returned));
            }
            client.run(&batch.end()).unwrap();
            for (index, (code, inline, new, returned)) in expected.into_iter().enumerate() {
                let octword = |at: usize| {
                    u128::from(client.data.qword(at)) | u128::from(client.data.qword(at + 1)) << 64
                };
                let what = format!("{platform}: operation {code}, inline {inline}");
                assert_eq!(octword(8 * index), new, "{what}: memory");
                assert_eq!(octword(8 * index + 2), returned, "{what}: returned");
            }
        }
    }
}

#[test]
fn atomics_return_nothing_unless_told_and_follow_flushes() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        client.data.set_dword(0, 40);
        client.data.set_dword(2, 7);
        client.data.set_dword(5, u32::MAX);
        let mut batch = Batch::new(client.family);
        batch.load_gpr(4, 99);
        batch.push(&atomic(5, 0, 0, 0, &[]));
        batch.save_gpr(4, 48);
        // After a flush, the first two dwords are the operand's halves, or both operands.
        batch.push(&atomic(14, 0, POST_SYNC | INLINE, 8, &[7, 8]));
        batch.push(&atomic(39, 1, POST_SYNC | INLINE, 16, &[1, 2, 0, 0]));
        client.run(&batch.end()).unwrap();
        assert_eq!(client.data.dword(0), 41);
        assert_eq!(client.data.qword(6), 99, "{platform}");
        assert_eq!(client.data.dword(2), 8);
        assert_eq!(
            client.data.qword(2),
            0xffff_ffff_0000_0000u64.wrapping_add(2 << 32 | 1)
        );
    }
}

/// Runs a batch that must be refused, on its own queue. Returns the reason.
fn refusal(client: &Client, dwords: &[u32]) -> String {
    let mut batch = dwords.to_vec();
    batch.extend([0x0500_0000, 0]);
    client.write_batch(0, &batch);
    let queue = client.another_queue();
    let fence = client.submit_at(queue, 0, &[]).unwrap();
    let error = client.wait(fence).unwrap_err().to_string();
    assert!(!matches!(
        client.kmd.queue_status(queue).unwrap(),
        QueueStatus::Ok
    ));
    client.kmd.destroy_queue(queue).unwrap();
    error
}

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let [low, high] = address(0);
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        let family = client.family;
        let mut cases = vec![
            (atomic(7, 1, INLINE, 0, &[1, 0, 0, 0]), "data size"),
            (atomic(16, 0, INLINE, 0, &[1, 0]), "reserved"),
            (atomic(7, 0, INLINE, 0, &[]), "5"),
            (atomic(39, 1, INLINE, 0, &[1, 0]), "7"),
            (atomic(78, 2, INLINE, 8, &[0; 8]), "aligned"),
            (atomic(33, 1, INLINE, 4, &[0; 4]), "aligned"),
            (atomic(5, 0, 1 << 22, 0, &[]), "global GTT"),
            (atomic(5, 0, POST_SYNC, 0, &[]), "registers"),
            (
                atomic(5, 0, POST_SYNC | INLINE | RETURN, 0, &[0, 0]),
                "returned",
            ),
            (atomic(46, 1, POST_SYNC | INLINE, 0, &[0; 4]), "comparisons"),
            (vec![0x1400_0002, low, high, 1], "performance counters"),
            (vec![0x1080_0001, 0x100, 1], "status page"),
            (vec![0x0380_0000], "status page"),
            (vec![0x0e00_0002 | 6 << 12, 0, low, high], "reserved"),
            (vec![0x0e00_0002 | 1 << 22, 0, low, high], "global GTT"),
            (vec![0x1b20_0002 | 1 << 22, 0, low, high], "global GTT"),
            // LOAD from an operand that does not exist.
            (
                vec![0x0d00_0000, 0x080 << 20 | 0x20 << 10 | 0x10],
                "reserved",
            ),
        ];
        if span!(Xe2..).contains(family) {
            for (dwords, _) in &mut cases {
                if dwords[0] >> 23 == 0x1c {
                    dwords[0] += 1;
                    dwords.push(0);
                }
            }
        }
        if !span!(XeHpg..).contains(family) {
            for opcode in [0x001, 0x002, 0x082, 0x105, 0x106, 0x107, 0x181] {
                cases.push((vec![0x0d00_0000, opcode << 20], "has no instruction"));
            }
        } else {
            // SRCB is 0 at first: 3 comes from a register.
            let shift = [0x080 << 20 | 0x21 << 10, 0x105 << 20];
            let mut dwords = Batch::new(family);
            dwords.load_gpr(0, 3);
            dwords.push(&[0x0d00_0001, shift[0], shift[1]]);
            cases.push((dwords.dwords, "powers of two"));
            cases.push((vec![0x1000_0802, low, high, 1], "tiles"));
        }
        for (dwords, part) in cases {
            let error = refusal(&client, &dwords);
            assert!(
                error.contains(part) && error.contains("MI_"),
                "{platform}: {dwords:08x?}: no {part:?} in {error:?}"
            );
        }
        // The others continue.
        client.data.set_dword(0, 0);
        let mut batch = Batch::new(family);
        batch.store(0, 1);
        client.run(&batch.end()).unwrap();
        assert_eq!(client.data.dword(0), 1);
    }
}

const SRCA: u32 = 0x20;
const SRCB: u32 = 0x21;
const ACCU: u32 = 0x31;
const ZF: u32 = 0x32;
const CF: u32 = 0x33;

fn alu(opcode: u32, first: u32, second: u32) -> u32 {
    opcode << 20 | first << 10 | second
}

#[test]
fn the_alu_computes_every_operation() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        let mut random = Random::new(0x5eed_0002);
        let binary = [0x100, 0x101, 0x102, 0x103, 0x104];
        let shifts = [0x105, 0x106, 0x107];
        for _ in 0..6 {
            let mut batch = Batch::new(client.family);
            let mut expected = Vec::new();
            let operations = match span!(XeHpg..).contains(client.family) {
                true => [&binary[..], &shifts[..]].concat(),
                false => binary.to_vec(),
            };
            for (index, opcode) in operations.into_iter().enumerate() {
                let a = random.bits() >> (random.bits() % 64);
                let b = match opcode {
                    0x105.. => [0, 1, 2, 4, 8, 16, 32][(random.bits() % 7) as usize],
                    _ if random.bits().is_multiple_of(4) => a,
                    _ => random.bits() >> (random.bits() % 64),
                };
                let (load_a, a_seen) = match random.bits() % 2 {
                    0 => (0x080, a),
                    _ => (0x480, !a),
                };
                let (value, carry) = match opcode {
                    0x100 => a_seen.overflowing_add(b),
                    0x101 => a_seen.overflowing_sub(b),
                    0x102 => (a_seen & b, false),
                    0x103 => (a_seen | b, false),
                    0x104 => (a_seen ^ b, false),
                    0x105 => (a_seen << b, false),
                    0x106 => (a_seen >> b, false),
                    _ => ((a_seen as i64 >> b) as u64, false),
                };
                batch.load_gpr(0, a);
                batch.load_gpr(15, b);
                let program = [
                    alu(load_a, SRCA, 0),
                    alu(0x080, SRCB, 15),
                    alu(opcode, 0, 0),
                    alu(0x180, 1, ACCU),
                    alu(0x580, 2, ACCU),
                    alu(0x180, 3, ZF),
                    alu(0x180, 4, CF),
                    alu(0x580, 5, CF),
                ];
                batch.push(&[0x0d00_0000 | (program.len() as u32 - 1)]);
                batch.push(&program);
                let at = 64 * index as u64;
                let flag = |set: bool| if set { u64::MAX } else { 0 };
                let outcome = [value, !value, flag(value == 0), flag(carry), flag(!carry)];
                for (register, offset) in (1..6).zip((at..).step_by(8)) {
                    batch.save_gpr(register, offset);
                }
                expected.push((opcode, a_seen, b, outcome));
            }
            client.run(&batch.end()).unwrap();
            for (index, (opcode, a, b, outcome)) in expected.into_iter().enumerate() {
                let got: Vec<u64> = (0..5).map(|n| client.data.qword(8 * index + n)).collect();
                assert_eq!(got, outcome, "{platform}: {opcode:#x} of {a:#x}, {b:#x}");
            }
        }
    }
}

#[test]
fn the_alu_reaches_memory_from_xe_hpg_on() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        if !span!(XeHpg..).contains(client.family) {
            continue;
        }
        client.data.set_dword(2, 0x89ab_cdef);
        client.data.set_dword(3, 0x0123_4567);
        let mut batch = Batch::new(client.family);
        batch.load_gpr(0, DATA.get());
        batch.load_gpr(1, 8);
        batch.load_gpr(2, 24);
        batch.push(&[0x0d00_0000 | 9]);
        batch.push(&[
            alu(0x080, SRCA, 0),
            alu(0x080, SRCB, 1),
            alu(0x100, 0, 0),
            alu(0x082, 3, ACCU),
            alu(0x001, 0, 0),
            alu(0x080, SRCB, 2),
            alu(0x100, 0, 0),
            alu(0x181, ACCU, 3),
            alu(0x002, 0, 0),
            alu(0x000, 0, 0),
        ]);
        client.run(&batch.end()).unwrap();
        assert_eq!(client.data.qword(3), 0x0123_4567_89ab_cdef, "{platform}");
    }
}

#[test]
fn registers_are_loaded_copied_and_stored() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        client.data.set_dword(0, 0x1111_2222);
        let [low, high] = address(0);
        let mut batch = Batch::new(client.family);
        let base = batch.base;
        let gpr = |index: u32| base + 0x600 + 8 * index;
        // From memory, at once and "async"; from a register; some bytes of an immediate.
        batch.push(&[0x1480_0002, gpr(0), low, high]);
        batch.push(&[0x1480_0002 | 1 << 21, gpr(1), low, high]);
        batch.push(&[0x1500_0001, gpr(0), gpr(2)]);
        batch.push(&[0x1500_0001, gpr(0), gpr(3)]);
        batch.push(&[0x1100_0001 | 0b0101 << 8, gpr(3), 0xaabb_ccdd]);
        // Several pairs in one command.
        batch.push(&[0x1100_0003, gpr(4), 5, gpr(5), 6]);
        for index in 0..6 {
            batch.save(0x600 + 8 * index, 16 + 4 * u64::from(index));
        }
        // A predicated store with the predicate clear.
        batch.load(0x418, 0);
        let [low, high] = address(64);
        batch.push(&[0x1200_0002 | 1 << 21, gpr(0), low, high]);
        client.run(&batch.end()).unwrap();
        let words: Vec<u32> = (4..10).map(|index| client.data.dword(index)).collect();
        let mixed = 0xaa11_cc22;
        let value = 0x1111_2222;
        assert_eq!(words, [value, value, value, mixed, 5, 6], "{platform}");
        assert_eq!(client.data.dword(16), 0);
    }
}

/// Register offsets relative to the engine (Gen11 on) and those of the render engine, remapped
/// (Gen12 on), on the copy engine.
#[test]
fn registers_are_named_relative_to_the_engine() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        if !span!(Gen11..).contains(client.family) {
            continue;
        }
        let queue = client.queue_on(kmd_iface::EngineClass::Copy);
        let copy_gpr = 0x2_2600;
        let [low, high] = address(0);
        let relative = 1 << 19;
        let mut batch = Vec::new();
        batch.extend([0x1100_0001 | relative, 0x600, 11]);
        batch.extend([0x1200_0002, copy_gpr, low, high]);
        batch.extend([0x1200_0002 | relative, 0x600, low + 4, high]);
        // A copy: source relative, destination absolute.
        batch.extend([0x1500_0001 | 1 << 18, 0x600, copy_gpr + 8]);
        batch.extend([0x1200_0002, copy_gpr + 8, low + 8, high]);
        batch.extend([0x1480_0002 | relative, 0x610, low, high]);
        batch.extend([0x1200_0002, copy_gpr + 16, low + 12, high]);
        if span!(Gen12Lp..).contains(client.family) {
            let remap = 1 << 17;
            batch.extend([0x1100_0001 | remap, 0x2618, 12]);
            batch.extend([0x1200_0002, copy_gpr + 24, low + 16, high]);
            batch.extend([0x1500_0001 | 1 << 16, 0x2618, copy_gpr + 32]);
            batch.extend([0x1200_0002 | remap, 0x2620, low + 20, high]);
        }
        batch.extend([0x0500_0000, 0]);
        client.write_batch(0, &batch);
        let fence = client.submit_at(queue, 0, &[]).unwrap();
        client.wait(fence).unwrap();
        let words: Vec<u32> = (0..6).map(|index| client.data.dword(index)).collect();
        let remapped = if span!(Gen12Lp..).contains(client.family) {
            12
        } else {
            0
        };
        assert_eq!(words, [11, 11, 11, 11, remapped, remapped], "{platform}");
    }
}

#[test]
fn dwords_are_copied_and_stored() {
    for (platform, options) in families() {
        let client = Client::on(platform, options);
        client.data.set_dword(0, 0xfeed_f00d);
        let [from_low, from_high] = address(0);
        let [to_low, to_high] = address(4);
        let [qword_low, qword_high] = address(8);
        let mut batch = Vec::new();
        batch.extend([0x1700_0003, to_low, to_high, from_low, from_high]);
        // Two qwords, then three dwords.
        batch.extend([0x1020_0005, qword_low, qword_high, 1, 2, 3, 4]);
        batch.extend([0x1000_0004, qword_low + 16, qword_high, 5, 6, 7]);
        // MI_ARB_CHECK, MI_ARB_ON_OFF, MI_USER_INTERRUPT, MI_NOOP change nothing.
        batch.extend([0x0280_0000, 0x0400_0001, 0x0100_0000, 0, 0x0500_0000, 0]);
        client.run(&batch).unwrap();
        let words: Vec<u32> = (0..9).map(|index| client.data.dword(index)).collect();
        assert_eq!(
            words,
            [0xfeed_f00d, 0xfeed_f00d, 1, 2, 3, 4, 5, 6, 7],
            "{platform}"
        );
    }
}

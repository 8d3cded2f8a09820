//! Block messages, fences, barriers.

use devinfo::Family;
use isa_encoder::message::{
    BlockAlignment, BlockPort, Direction, Gateway, Hdc, HdcAddress, HdcSurface, Message as Meaning,
    OwordCount,
};
use oracles::Random;
use softgpu_memory as memory;

use super::bench::{Bench, GENERAL, MEMORY, MEMORY_BYTES};
use crate::sf::{Effect, Message};
use crate::{Fault, Rule};

const COUNTS: [(OwordCount, usize); 5] = [
    (OwordCount::OneLow, 1),
    (OwordCount::OneHigh, 1),
    (OwordCount::Two, 2),
    (OwordCount::Four, 4),
    (OwordCount::Eight, 8),
];

fn header(dwords: &[(usize, u32)]) -> Vec<u8> {
    let mut header = vec![0; 32];
    for (index, value) in dwords {
        header[index * 4..index * 4 + 4].copy_from_slice(&value.to_le_bytes());
    }
    header
}

fn registers(bytes: usize) -> usize {
    bytes.div_ceil(32)
}

#[test]
fn oword_blocks_ignore_the_channel_mask_and_copy_whole() {
    let mut random = Random::new(21);
    let bench = Bench::new(Family::Gen12Lp);
    let mut memory = bench.scramble(&mut random);
    bench.bind_buffer(3, MEMORY + 0x4000, 0x800);
    let buffer = HdcAddress::A32(HdcSurface::Bti(3));
    let stateless = HdcAddress::A32(HdcSurface::Stateless { coherent: false });
    let a64 = HdcAddress::A64 { coherent: true };
    for round in 0..300u64 {
        let (count, owords) = COUNTS[(round % 5) as usize];
        let bytes = owords * 16;
        let at = if count == OwordCount::OneHigh { 16 } else { 0 };
        // The offset in memory of the block, and its header.
        let offset = 16 * random.below(0x40);
        let (address, place, words) = match round % 3 {
            0 => (buffer, 0x4000 + offset, vec![(2, offset as u32 / 16)]),
            1 => (
                stateless,
                (GENERAL - MEMORY) + 0x400 + offset,
                // Bits 31:10 of dword 5 are a base; the others are not.
                vec![(2, offset as u32 / 16), (5, 0x400 | 0x2ff)],
            ),
            _ => {
                let address = MEMORY + 0x9000 + offset;
                let low = (0, address as u32);
                (a64, 0x9000 + offset, vec![low, (1, (address >> 32) as u32)])
            }
        };
        let message = |direction, alignment| {
            Meaning::Hdc(Hdc::OwordBlock {
                direction,
                address,
                alignment,
                count,
                port: BlockPort::Data,
            })
        };
        let response = bench.send_block(
            message(Direction::Read, BlockAlignment::Oword),
            (8, 0),
            &header(&words),
            registers(bytes),
        );
        let place = place as usize;
        assert_eq!(response[at..at + bytes], memory[place..place + bytes]);
        // Byte offsets of dword-aligned reads: A64 headers hold an address either way.
        let unaligned = 4 * random.below(4);
        let mut words = words;
        if round % 3 == 2 {
            words[0].1 += unaligned as u32;
        } else {
            words[0].1 = offset as u32 + unaligned as u32;
        }
        let response = bench.send_block(
            message(Direction::Read, BlockAlignment::Dword),
            (8, 0),
            &header(&words),
            registers(bytes),
        );
        let from = place + unaligned as usize;
        assert_eq!(response[at..at + bytes], memory[from..from + bytes]);
        let data = random.bytes(registers(bytes) * 32);
        if round % 3 == 2 {
            words[0].1 -= unaligned as u32;
        } else {
            words[0].1 = offset as u32 / 16;
        }
        let payload = [header(&words), data.clone()].concat();
        bench.send_block(
            message(Direction::Write, BlockAlignment::Oword),
            (8, 0),
            &payload,
            0,
        );
        memory[place..place + bytes].copy_from_slice(&data[at..at + bytes]);
    }
    assert!(bench.read(MEMORY, MEMORY_BYTES as usize) == memory);
    bench.assert_hosted("blocks");
}

#[test]
fn blocks_that_cross_the_end_of_a_buffer_keep_to_its_dwords() {
    let mut random = Random::new(22);
    let bench = Bench::new(Family::Gen12Lp);
    let memory = bench.scramble(&mut random);
    bench.bind_buffer(9, MEMORY + 0x100, 40);
    let block = |direction, offset: u32, payload: &[u8], response| {
        bench.try_send(
            (
                Meaning::Hdc(Hdc::OwordBlock {
                    direction,
                    address: HdcAddress::A32(HdcSurface::Bti(9)),
                    alignment: BlockAlignment::Oword,
                    count: OwordCount::Four,
                    port: BlockPort::Data,
                }),
                true,
            ),
            (16, 0xffff),
            &[header(&[(2, offset)]), payload.to_vec()].concat(),
            1,
            response,
        )
    };
    let read = block(Direction::Read, 1, &[], 2).expect("reads");
    assert_eq!(read[..24], memory[0x110..0x128]);
    assert_eq!(read[24..], [0; 40]);
    block(Direction::Write, 1, &[0xee; 64], 0).expect("writes");
    let after = bench.read(MEMORY + 0x100, 0x100);
    assert_eq!(after[..16], memory[0x100..0x110]);
    assert_eq!(after[16..40], [0xee; 24]);
    assert_eq!(after[40..], memory[0x128..0x200]);
    // Entirely outside.
    let read = block(Direction::Read, 0x1000_0000, &[], 2).expect("reads");
    assert_eq!(read, [0; 64]);
}

#[test]
fn scratch_blocks_are_guarded_dword_by_dword() {
    let bench = Bench::new(Family::Gen12Lp);
    let scratch = |direction, mask, payload: &[u8], response| {
        bench.send_block(
            Meaning::Hdc(Hdc::ScratchBlock {
                direction,
                hwords: 2,
                offset: 5,
                dword_channels: direction == Direction::Write,
            }),
            (16, mask),
            &[header(&[(5, 0x800 | 3)]), payload.to_vec()].concat(),
            response,
        )
    };
    bench.write(GENERAL + 0x800, &[0x11; 0x200]);
    scratch(Direction::Write, 0x8001, &[0x22; 64], 0);
    let read = scratch(Direction::Read, 0, &[], 2);
    assert_eq!(read, bench.read(GENERAL + 0x800 + 5 * 32, 64));
    for (dword, bytes) in read.chunks(4).enumerate() {
        let want = if dword == 0 || dword == 15 {
            0x22
        } else {
            0x11
        };
        assert_eq!(bytes, [want; 4], "dword {dword}");
    }
}

#[test]
fn fences_respond_and_barriers_count() {
    let bench = Bench::new(Family::Gen12Lp);
    for slm in [false, true] {
        let response = bench.send_block(
            Meaning::Hdc(Hdc::Fence {
                slm,
                commit: true,
                flush: 0,
            }),
            (8, 1),
            &[0; 32],
            1,
        );
        assert_eq!(response, [0; 32]);
    }
    let (function, descriptors) = Meaning::Gateway(Gateway::Barrier)
        .encode(Family::Gen12Lp)
        .expect("encodes");
    assert_eq!(descriptors.descriptor, 4);
    let mut message = Message {
        sfid: function.id(Family::Gen12Lp).expect("gateway"),
        // As in compiled code.
        descriptor: 0x0200_0004,
        extended_descriptor: 0,
        extended_bindless_offset: false,
        extended_offset: None,
        exec_size: 1,
        mask: 1,
        thread_slot: 0,
        src0: &[0; 32],
        src1: &[],
        dst: &mut [],
    };
    message.exec_size = 1;
    match bench.execute(message).expect("signals") {
        Effect::BarrierSignalled(generation) => assert!(bench.barrier.is_released(generation)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn unbound_pages_fault_at_their_address() {
    let bench = Bench::new(Family::Gen12Lp);
    let mut payload = vec![0; 64];
    let wild = 0xdead_0000_0000u64;
    payload[..8].copy_from_slice(&wild.to_le_bytes());
    let fault = bench.try_send(
        (
            Meaning::Hdc(Hdc::Untyped {
                direction: Direction::Read,
                address: HdcAddress::A64 { coherent: true },
                components: 1,
                simd: 8,
            }),
            false,
        ),
        (8, 1),
        &payload,
        2,
        1,
    );
    match fault {
        Err(Fault::Memory(memory::Fault::Page { address, .. })) => assert_eq!(address.get(), wild),
        other => panic!("{other:?}"),
    }
}

#[test]
fn broken_rules_are_recorded_once_for_each_instruction() {
    let bench = Bench::new(Family::Gen12Lp);
    bench.bind_buffer(3, MEMORY, 64);
    let write = |address: HdcAddress, words: &[(usize, u32)]| {
        bench.send_block(
            Meaning::Hdc(Hdc::OwordBlock {
                direction: Direction::Write,
                address,
                alignment: BlockAlignment::Oword,
                count: OwordCount::Two,
                port: BlockPort::Data,
            }),
            (8, 1),
            &[header(words), vec![0; 32]].concat(),
            0,
        );
    };
    let rules = || -> Vec<Rule> {
        let found = bench.checks.take();
        found.iter().map(|violation| violation.rule).collect()
    };
    let a64 = HdcAddress::A64 { coherent: true };
    write(a64, &[(0, MEMORY as u32 + 32)]);
    assert_eq!(rules(), []);
    bench.checks.set_ip(0x40);
    write(a64, &[(0, MEMORY as u32 + 40)]);
    write(a64, &[(0, MEMORY as u32 + 44)]);
    let found = bench.checks.take();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].rule, found[0].ip),
        (Rule::BlockWriteAlignment, 0x40)
    );
    assert_eq!(bench.checks.count(), 2);
    let buffer = HdcAddress::A32(HdcSurface::Bti(3));
    write(buffer, &[(2, 2)]);
    assert_eq!(rules(), []);
    write(buffer, &[(2, 3)]);
    assert_eq!(rules(), [Rule::SurfaceBounds]);
}

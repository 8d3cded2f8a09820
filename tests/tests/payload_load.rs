//! `//.payload load`: the code in front of a kernel loads local ids and cross-thread data, where
//! the walker generates the ids and where it does not, at several widths and group sizes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of these tests fail by panicking"
)]

use std::time::Duration;

use devinfo::{Target, span};
use isa_encoder::build::{BuildError, Builder, Op, Operand, Payload, SendOp, grf, imm, null};
use isa_encoder::message::{
    AddressSize, CacheControl, DataSize, Direction, Lsc, LscAddress, LscPort, Message,
};
use isa_encoder::{Opcode, Type};
use stack_tests::launch::device;
use umd::{Arg, Binary, NdRange, Program, QueueOptions};

/// The offset of the last argument: after more registers than one load fetches.
const FAR: u32 = 400;
/// Local sizes, powers of two and others, of one thread, of part of one, and of several.
const LOCALS: [[u32; 3]; 7] = [
    [1, 1, 1],
    [16, 1, 1],
    [5, 3, 2],
    [64, 1, 1],
    [7, 1, 1],
    [8, 8, 4],
    [3, 5, 11],
];

/// Stores `bias + x + 256 y + 65536 z + far` at the item's number.
fn body(b: &mut Builder, simd: u8) -> Result<(), BuildError> {
    let bytes = b.family().grf_bytes();
    let registers = (usize::from(simd) * 4 / bytes) as u8;
    let ids = (usize::from(simd) * 2).div_ceil(bytes) as u8;
    let cross_thread = |offset: usize, ty: Type| {
        let at = usize::from(1 + 3 * ids) * bytes + offset;
        let element = at % bytes / ty.bytes() as usize;
        grf((at / bytes) as u8).element(element as u8, ty).scalar()
    };
    let lane = |opcode, to: Operand, from: &[Operand]| {
        let op = Op::new(opcode, simd).dst(to);
        from.iter().fold(op, |op, operand| op.src(*operand))
    };
    let scalar = |opcode, to: Operand, from: &[Operand]| {
        let op = Op::new(opcode, 1).no_mask().dst(to);
        from.iter().fold(op, |op, operand| op.src(*operand))
    };
    let ud = |index: u8| grf(60 + 2 * index).ty(Type::Ud);
    let [x, y, z, address, data, part] = [0, 1, 2, 3, 4, 5].map(ud);
    let base = grf(80).element(0, Type::Ud);
    let size = |d: usize| cross_thread(8 + 4 * d, Type::Uw);
    for (d, id) in [x, y, z].into_iter().enumerate() {
        let from = grf(1 + d as u8 * ids).ty(Type::Uw);
        b.emit(lane(Opcode::Mov, id, &[from]));
    }
    // The number of the group's first item, then the item's own.
    b.emit(scalar(
        Opcode::Mul,
        base,
        &[grf(0).element(1, Type::Ud), size(0)],
    ));
    b.emit(scalar(Opcode::Mul, base, &[base, size(1)]));
    b.emit(scalar(Opcode::Mul, base, &[base, size(2)]));
    b.emit(lane(Opcode::Mul, address, &[z, size(1)]));
    b.emit(lane(Opcode::Add, address, &[address, y]));
    b.emit(lane(Opcode::Mul, address, &[address, size(0)]));
    b.emit(lane(Opcode::Add, address, &[address, x]));
    b.emit(lane(Opcode::Add, address, &[address, base.scalar()]));
    b.emit(lane(Opcode::Shl, address, &[address, imm(2, Type::W)]));
    b.emit(lane(Opcode::Add, data, &[x, cross_thread(0, Type::Ud)]));
    b.emit(lane(Opcode::Shl, part, &[y, imm(8, Type::W)]));
    b.emit(lane(Opcode::Add, data, &[data, part]));
    b.emit(lane(Opcode::Shl, part, &[z, imm(16, Type::W)]));
    b.emit(lane(Opcode::Add, data, &[data, part]));
    b.emit(lane(
        Opcode::Add,
        data,
        &[data, cross_thread(FAR as usize, Type::Ud)],
    ));
    let payload = |index: u8| Payload {
        reg: grf(60 + 2 * index),
        len: registers,
    };
    b.send(SendOp {
        message: Message::Lsc(Lsc::Vector {
            port: LscPort::Ugm,
            direction: Direction::Write,
            address: LscAddress::Bti {
                index: 0,
                offset: 0,
            },
            address_size: AddressSize::A32,
            data: DataSize::D32,
            elements: 1,
            transpose: false,
            strided: false,
            cache: CacheControl::DEFAULT,
        }),
        exec_size: simd,
        no_mask: false,
        response: Payload {
            reg: null(),
            len: 0,
        },
        src0: payload(3),
        header: false,
        src1: Some(payload(4)),
        extended: None,
        eot: false,
    })?;
    b.end_of_thread(grf(127))
}

fn expected(local: [u32; 3], groups: u32) -> Vec<u32> {
    let [lx, ly, lz] = local;
    let items = (0..lz).flat_map(|z| {
        (0..ly).flat_map(move |y| (0..lx).map(move |x| 1000 + x + (y << 8) + (z << 16) + 7))
    });
    let group: Vec<u32> = items.collect();
    group.repeat(groups as usize)
}

#[test]
fn the_prolog_loads_ids_and_arguments() {
    for platform in ["dg2", "mtl", "pvc", "lnl", "bmg", "ptl"] {
        let target = Target::parse(platform).unwrap();
        for &simd in target.platform.simd_widths {
            // One dword per lane takes at most two registers.
            if usize::from(simd) * 4 > 2 * target.platform.grf_bytes() {
                continue;
            }
            assert!(span!(XeHpg..).contains(target.platform.family));
            let mut b = Builder::new(target.platform);
            let built = body(&mut b, simd).and_then(|()| b.finish());
            let built = built.unwrap_or_else(|error| panic!("{platform}: {error}"));
            let text = format!(
                "//.platform {platform}\n//.kernel k\n//.simd {simd}\n//.ids xyz\n\
                 //.payload load\n//.arg bias u32 @0\n//.sys local_size @8\n\
                 //.arg far u32 @{FAR}\n//.arg out buf:0\n{}",
                built.text
            );
            for local in LOCALS {
                run(platform, simd, local, &text);
            }
        }
    }
}

fn run(platform: &str, simd: u8, local: [u32; 3], text: &str) {
    let what = format!("{platform} SIMD{simd} {local:?}");
    let binary = Binary::assemble(text, None).unwrap_or_else(|e| panic!("{what}: {e}\n{text}"));
    let device = device(&format!("soft:{platform}"));
    let program = Program::new(&device, binary).unwrap();
    let mut kernel = program.kernel("k").unwrap();
    let groups = 3;
    let expected = expected(local, groups);
    let out = device.buffer(expected.len() as u64 * 4).unwrap();
    kernel
        .set_arg(0, Arg::Value(&1000u32.to_le_bytes()))
        .unwrap();
    kernel.set_arg(1, Arg::Value(&7u32.to_le_bytes())).unwrap();
    kernel.set_arg(2, Arg::Buffer(&out)).unwrap();
    let global = [
        u64::from(local[0] * groups),
        local[1].into(),
        local[2].into(),
    ];
    let range = NdRange::new(&global).unwrap().with_local(&local).unwrap();
    let queue = device.queue(QueueOptions::default()).unwrap();
    let event = queue.enqueue(&kernel, &range, &[]).unwrap();
    event
        .wait(Duration::from_secs(60))
        .unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    let mut bytes = vec![0; expected.len() * 4];
    out.read(0, &mut bytes).unwrap();
    let got: Vec<u32> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect();
    assert_eq!(got, expected, "{what}\n{text}");
}

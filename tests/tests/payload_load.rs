//! `//.payload load`: the code in front of a kernel loads local ids and cross-thread data, where
//! the walker generates the ids and where it does not, at several widths and group sizes.

#![cfg(test)]

use devinfo::{Target, span};
use isa_encoder::build::{BuildError, Builder, Op, Operand, Payload, SendOp, grf, imm};
use isa_encoder::message::Direction;
use isa_encoder::{Opcode, Type};
use stack_tests::block::load_store;
use stack_tests::{Launch, subject};

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
    let lane = |opcode, to, from: &[Operand]| Op::new(opcode, simd).on(to, from);
    let scalar = |opcode, to, from: &[Operand]| Op::new(opcode, 1).no_mask().on(to, from);
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
    let payload = |index: u8| Payload::new(grf(60 + 2 * index), registers);
    b.send(SendOp {
        src1: Some(payload(4)),
        ..SendOp::new(load_store(Direction::Write, 0, 1, false), simd, payload(3))
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
    let platforms = ["dg2", "mtl", "pvc", "lnl", "bmg", "ptl"];
    for platform in platforms
        .into_iter()
        .filter(|platform| subject::runs(platform))
    {
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
                built.text()
            );
            for local in LOCALS {
                let groups = 3;
                let [x, y, z] = local.map(u64::from);
                Launch::new("payload_load", "k", &[x * u64::from(groups), y, z])
                    .local(&local)
                    .value(1000u32)
                    .value(7u32)
                    .gives(&expected(local, groups))
                    .run_text(platform, &text);
            }
        }
    }
}

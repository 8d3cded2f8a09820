//! Kernels of one lane: a thread for each work-item, with its ids packed in one register, on every
//! family.

#![cfg(test)]

use devinfo::Target;
use isa_encoder::build::{BuildError, Builder, Op, Operand, grf, imm};
use isa_encoder::{Opcode, Type};
use stack_tests::block::{self, BLOCK};
use stack_tests::{Launch, subject};

/// The value of lanes that no id overwrites.
const LANE: i32 = 0x55;
const LOCAL: [u32; 3] = [4, 3, 2];
/// Groups at the upper edge of x are narrower.
const GLOBAL: [u64; 3] = [10, 3, 2];

fn scalar(opcode: Opcode, to: Operand, from: &[Operand]) -> Op {
    Op::new(opcode, 1).no_mask().on(to, from)
}

/// Writes x, y, z and the group to the first dwords of the item's block, [`LANE`] to the others by
/// an instruction that all lanes of the thread must be enabled for.
fn body(b: &mut Builder) -> Result<(), BuildError> {
    let in_register = (b.family().grf_bytes() / 4) as u8;
    let data = |index: u8| grf(41 + index / in_register).element(index % in_register, Type::Ud);
    let id = |d: u8| grf(1).element(d, Type::Uw);
    let temp = |index: u8| grf(30).element(index, Type::Ud);
    let group = grf(0).element(1, Type::Ud);

    let lanes = Op::new(Opcode::Mov, BLOCK as u8);
    b.emit(lanes.on(grf(41).ty(Type::D), &[imm(LANE.into(), Type::D)]));
    for d in 0..3 {
        b.emit(scalar(Opcode::Mov, data(d), &[id(d)]));
        b.emit(scalar(Opcode::Mov, temp(d), &[id(d)]));
    }
    b.emit(scalar(Opcode::Mov, data(3), &[group]));
    // The item's number: x + 4 y + 12 z + 24 groups, 12 and 24 as sums of powers of two.
    let terms = [
        (temp(1), 2),
        (temp(2), 3),
        (temp(2), 2),
        (group, 4),
        (group, 3),
    ];
    for (value, power) in terms {
        b.emit(scalar(Opcode::Shl, temp(3), &[value, imm(power, Type::W)]));
        b.emit(scalar(Opcode::Add, temp(0), &[temp(0), temp(3)]));
    }
    block::write(b, 0, temp(0))
}

fn expected() -> Vec<i32> {
    let groups = GLOBAL[0].div_ceil(u64::from(LOCAL[0])) as usize;
    let items = LOCAL.iter().product::<u32>() as usize;
    let mut out = vec![0; groups * items * BLOCK];
    for group in 0..groups as u32 {
        let width = LOCAL[0].min(GLOBAL[0] as u32 - group * LOCAL[0]);
        for (x, y, z) in (0..LOCAL[2])
            .flat_map(|z| (0..LOCAL[1]).map(move |y| (y, z)))
            .flat_map(|(y, z)| (0..width).map(move |x| (x, y, z)))
        {
            let item = (x + 4 * y + 12 * z + 24 * group) as usize;
            let block = &mut out[item * BLOCK..][..BLOCK];
            block.fill(LANE);
            for (to, id) in block.iter_mut().zip([x, y, z, group]) {
                *to = id as i32;
            }
        }
    }
    out
}

#[test]
fn every_item_is_a_thread_with_packed_ids() {
    let platforms = [
        "bdw", "skl", "icl", "tgl", "dg2", "mtl", "pvc", "lnl", "bmg", "ptl",
    ];
    for platform in platforms
        .into_iter()
        .filter(|platform| subject::runs(platform))
    {
        let target = Target::parse(platform).unwrap();
        let mut b = Builder::new(target.platform);
        let built = body(&mut b).and_then(|()| b.finish());
        let built = built.unwrap_or_else(|error| panic!("{platform}: {error}"));
        let text = format!(
            "//.platform {platform}\n//.kernel k\n//.simd 1\n//.ids xyz\n//.arg out buf:0\n\
             //.local 4,3,2\n{}",
            built.text()
        );
        let expected = expected();
        let results = Launch::new("simd1", "k", &GLOBAL)
            .local(&LOCAL)
            .buffer(&vec![0; expected.len()])
            .becomes(0, &expected)
            .run_text(platform, &text);
        assert_eq!(results.simd, 1);
    }
}

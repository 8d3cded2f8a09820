//! Loops in loops in loops: more of them than the analysis of the scoreboard follows.

use spirv::{LoopControl, Op, StorageClass};

use super::assembler::{Assembler, Id};
use crate::common::{Run, Value, check_on};

const DEPTH: u32 = 200;

/// What a loop of the nest is made of.
struct Level {
    header: Id,
    latch: Id,
    after: Id,
    number: Id,
    next: Id,
}

/// `for (a = 0; a < times; a++) { for (b = 0; b < times; b++) { … out[1] = b + 2; } out[0] = a + 1; }`
fn module() -> Vec<u8> {
    let mut a = Assembler::new();
    let (uint, truth) = (a.uint(), a.bool());
    let pointer = a.pointer(StorageClass::CrossWorkgroup, uint);
    let params = a.kernel("nested", 16, &[pointer, uint]);
    let [out, times] = [params[0], params[1]];
    let (zero, one) = (a.number(0), a.number(1));
    let mut before = a.id();
    a.op(Op::Branch, &[before]);
    a.label(before);
    let mut levels = Vec::new();
    for _ in 0..DEPTH {
        let [header, body, latch, after, number, next] = [(); 6].map(|()| a.id());
        a.op(Op::Branch, &[header]);
        a.label(header);
        a.op(Op::Phi, &[uint, number, zero, before, next, latch]);
        let more = a.value(Op::ULessThan, truth, &[number, times]);
        let control = LoopControl::NONE.bits();
        a.op(Op::LoopMerge, &[after, latch, control]);
        a.op(Op::BranchConditional, &[more, body, after]);
        a.label(body);
        before = body;
        levels.push(Level {
            header,
            latch,
            after,
            number,
            next,
        });
    }
    for (depth, level) in (0..DEPTH).zip(levels).rev() {
        a.op(Op::Branch, &[level.latch]);
        a.label(level.latch);
        let (index, step) = (a.number(depth), a.number(depth + 1));
        let place = a.value(Op::InBoundsPtrAccessChain, pointer, &[out, index]);
        let value = a.value(Op::IAdd, uint, &[level.number, step]);
        a.store(place, value, 4);
        a.op(Op::IAdd, &[uint, level.next, level.number, one]);
        a.op(Op::Branch, &[level.header]);
        a.label(level.after);
    }
    a.end();
    a.finish()
}

#[test]
fn two_hundred_nested_loops_with_stores_compile_and_run() {
    let want: Vec<u8> = (1..=DEPTH).flat_map(u32::to_le_bytes).collect();
    let spirv = module();
    let run = Run {
        spirv: &spirv,
        kernel: "nested",
        simd: None,
        global: &[16],
        local: Some(&[16]),
        args: vec![
            Value::Buffer(vec![0; 4 * DEPTH as usize]),
            Value::Bytes(1u32.to_le_bytes().to_vec()),
        ],
    };
    check_on(&["tgl", "dg2", "bmg"], &run, &[want]);
}

//! Phis whose operands are parts of other phis of their block.

use spirv::{BuiltIn, LoopControl, Op, StorageClass};

use super::assembler::Assembler;
use super::element::Element;
use crate::common::{Run, Value, check};

/// `for (i = 0; i < 3; i++) { before = (ushort)x; x = 3 * x + lane; }`, in which both are phis.
fn module(simd: u32) -> Vec<u8> {
    let mut a = Assembler::new();
    let (uint, long, truth) = (a.uint(), a.scalar(Element::U64), a.bool());
    let word = a.scalar(Element::U16);
    let class = StorageClass::CrossWorkgroup;
    let pointer = a.pointer(class, uint);
    let three = a.vector(Element::U64, 3);
    let params = a.kernel("phis", simd, &[pointer]);
    let variable = a.built_in(BuiltIn::GlobalInvocationId, three);
    let ids = a.load(three, variable, 32);
    let item = a.value(Op::CompositeExtract, long, &[ids, 0]);
    let lane = a.value(Op::UConvert, uint, &[item]);
    let [header, body, after, entry] = [(); 4].map(|()| a.id());
    let [x, before, i, next_x, next_before, next_i] = [(); 6].map(|()| a.id());
    let (zero, one, count) = (a.number(0), a.number(1), a.number(3));
    let (first, none) = (a.number(0x12345), a.null(word));
    a.op(Op::Branch, &[entry]);
    a.label(entry);
    a.op(Op::Branch, &[header]);
    a.label(header);
    a.op(Op::Phi, &[uint, x, first, entry, next_x, body]);
    a.op(Op::Phi, &[word, before, none, entry, next_before, body]);
    a.op(Op::Phi, &[uint, i, zero, entry, next_i, body]);
    let more = a.value(Op::ULessThan, truth, &[i, count]);
    let control = LoopControl::NONE.bits();
    a.op(Op::LoopMerge, &[after, body, control]);
    a.op(Op::BranchConditional, &[more, body, after]);
    a.label(body);
    a.op(Op::UConvert, &[word, next_before, x]);
    let product = a.value(Op::IMul, uint, &[x, count]);
    a.op(Op::IAdd, &[uint, next_x, product, lane]);
    a.op(Op::IAdd, &[uint, next_i, i, one]);
    a.op(Op::Branch, &[header]);
    a.label(after);
    let last = a.value(Op::UConvert, uint, &[before]);
    let place = a.value(Op::InBoundsPtrAccessChain, pointer, &[params[0], item]);
    a.store(place, last, 4);
    a.end();
    a.finish()
}

#[test]
fn parts_of_phis_are_read_before_these_are_written() {
    let want: Vec<u8> = (0..32u32)
        .flat_map(|lane| {
            let x = (0..2).fold(0x12345u32, |x, _| 3 * x + lane);
            (x & 0xffff).to_le_bytes()
        })
        .collect();
    let spirv = module(16);
    let run = Run {
        spirv: &spirv,
        kernel: "phis",
        simd: None,
        global: &[32],
        local: Some(&[32]),
        args: vec![Value::Buffer(vec![0; 128])],
    };
    check(&run, &[want]);
}

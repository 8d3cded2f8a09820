//! What instructions functions become.

use isa_encoder::{CondMod, Opcode, Type as M};

use super::select;
use crate::code::{Inst, Operand, Predicate, What};
use crate::ir::{
    Access, Bin, Cond, Convert, Cursor, Function, Input, Op, Space, Terminator, Type, Value, verify,
};
use crate::target::Target;

/// The instructions of a function, for as many lanes as a register has dwords.
pub(super) fn code(platform: &str, function: &Function) -> Vec<Inst> {
    verify(function).unwrap();
    let platform = devinfo::by_name(platform).unwrap();
    let target = Target::new(platform, platform.grf_bytes() as u32 / 4, 128);
    select(function, &target).unwrap().insts
}

/// Those of a function of one block.
pub(super) fn code_of(platform: &str, body: impl Fn(&mut Cursor<'_>)) -> Vec<Inst> {
    let mut function = Function::default();
    let block = function.add_block();
    body(&mut Cursor::new(&mut function, block));
    function.blocks[block.index()].end = Terminator::Return;
    code(platform, &function)
}

/// A value is used.
pub(super) fn store(at: &mut Cursor<'_>, value: Value) {
    let place = at.constant(Type::I32, 0);
    at.push(
        Op::Store(Access::new(Space::Local, 4)),
        &[place, value],
        &[],
    );
}

/// Those with an opcode.
pub(super) fn with(opcode: Opcode, insts: &[Inst]) -> impl Iterator<Item = &Inst> {
    let is = move |inst: &&Inst| matches!(inst.what, What::Alu(other) if other == opcode);
    insts.iter().filter(is)
}

/// The type of an operand in a register.
pub(super) fn ty(operand: Option<Operand>) -> Option<M> {
    match operand {
        Some(Operand::Var { ty, .. }) => Some(ty),
        _ => None,
    }
}

/// What is made of a number that differs from lane to lane, and of one that does not.
fn made(body: impl Fn(&mut Cursor<'_>, [Value; 2]) -> Value) -> Vec<Inst> {
    code_of("tgl", |at| {
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let same = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
        let value = body(at, [lane, same]);
        store(at, value);
    })
}

const fn is_number(operand: Option<Operand>) -> bool {
    matches!(operand, Some(Operand::Imm(..)))
}

#[test]
fn words_are_multiplied_at_once() {
    let products = |of: fn(&mut Cursor<'_>, [Value; 2]) -> Value| {
        let insts = made(of);
        let opcodes = [Opcode::Mul, Opcode::Mach, Opcode::Macl];
        let all = opcodes.map(|opcode| with(opcode, &insts).count());
        all.iter().sum::<usize>()
    };
    assert_eq!(products(|at, [lane, same]| at.bin(Bin::Mul, same, lane)), 1);
    let masked = products(|at, [lane, same]| {
        let mask = at.constant(Type::I32, 0xffff);
        let word = at.bin(Bin::And, same, mask);
        let more = at.bin(Bin::Add, lane, same);
        at.bin(Bin::Mul, more, word)
    });
    assert_eq!(masked, 1);
    let whole = products(|at, [lane, same]| {
        let more = at.bin(Bin::Add, lane, same);
        at.bin(Bin::Mul, more, same)
    });
    assert!(whole > 1, "{whole}");
}

#[test]
fn numbers_are_second_sources() {
    let differences = made(|at, [lane, _]| {
        let five = at.constant(Type::I32, 5);
        at.bin(Bin::Sub, five, lane)
    });
    let difference = with(Opcode::Add, &differences).last().unwrap();
    assert!(matches!(
        difference.srcs[0],
        Some(Operand::Var { neg: true, .. })
    ));
    assert!(is_number(difference.srcs[1]));
    let sums = made(|at, [lane, _]| {
        let five = at.constant(Type::I32, 5);
        at.bin(Bin::Add, five, lane)
    });
    let sum = with(Opcode::Add, &sums).last().unwrap();
    assert!(is_number(sum.srcs[1]));
    let choices = made(|at, [lane, same]| {
        let [five, seven] = [5, 7].map(|number| at.constant(Type::I32, number));
        let is_less = at.one(Op::Icmp(Cond::Slt), &[five, lane], Type::I1);
        at.one(Op::Select, &[is_less, seven, same], Type::I32)
    });
    let compared = with(Opcode::Cmp, &choices).last().unwrap();
    assert_eq!(compared.cond, Some(CondMod::Gt));
    assert!(is_number(compared.srcs[1]));
    let chosen = with(Opcode::Sel, &choices).last().unwrap();
    assert_eq!(chosen.predicate, Predicate::Unless);
    assert!(is_number(chosen.srcs[1]));
}

#[test]
fn the_flag_is_not_made_again() {
    let insts = made(|at, [lane, same]| {
        let is_less = at.one(Op::Icmp(Cond::Slt), &[lane, same], Type::I1);
        let less = at.one(Op::Select, &[is_less, lane, same], Type::I32);
        let more = at.one(Op::Select, &[is_less, same, lane], Type::I32);
        at.bin(Bin::Sub, more, less)
    });
    assert_eq!(with(Opcode::Cmp, &insts).count(), 1);
    assert_eq!(with(Opcode::Sel, &insts).count(), 2);
}

#[test]
fn low_parts_are_where_the_whole_is() {
    let moves = |insts: &[Inst]| with(Opcode::Mov, insts).count();
    let whole = made(|_, [lane, _]| lane);
    let part = made(|at, [lane, _]| {
        let word = at.convert(Convert::Trunc, lane, Type::I16);
        let half = at.convert(Convert::Bitcast, word, Type::F16);
        let word = at.convert(Convert::Bitcast, half, Type::I16);
        at.convert(Convert::ZExt, word, Type::I32)
    });
    assert_eq!(moves(&part), moves(&whole) + 1);
}

#[test]
fn local_ids_are_words_beside_dwords() {
    let source = |op: Bin, index: usize| {
        let insts = made(|at, [lane, _]| {
            let id = at.one(Op::Input(Input::LocalId(0)), &[], Type::I32);
            let args = [[id, lane], [lane, id]][index];
            at.bin(op, args[0], args[1])
        });
        let opcode = if op == Bin::And {
            Opcode::And
        } else {
            Opcode::Add
        };
        let found = with(opcode, &insts).last().unwrap().srcs[index];
        ty(found)
    };
    assert_eq!(source(Bin::And, 0), Some(M::Uw));
    assert_eq!(source(Bin::Add, 1), Some(M::Uw));
    // Less a word, a number may be negative.
    assert_eq!(source(Bin::Sub, 1), Some(M::D));
}

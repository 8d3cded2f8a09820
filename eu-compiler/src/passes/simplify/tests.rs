//! Functions of one block, before and after.

use super::{Bin, Cond, Convert, Function, Op, Type, Value, run};
use crate::ir::{Access, Cursor, Input, Space, Terminator, verify};
use crate::target::Target;

/// What is stored of what is made of a truth value, which is the second result.
fn stored(make: impl Fn(&mut Cursor<'_>, Value) -> Value) -> (Function, Value, Value) {
    let mut function = Function::default();
    let block = function.add_block();
    let mut at = Cursor::new(&mut function, block);
    let input = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
    let limit = at.constant(Type::I32, 7);
    let condition = at.one(Op::Icmp(Cond::Slt), &[input, limit], Type::I1);
    let made = make(&mut at, condition);
    at.push(Op::Store(Access::new(Space::Local, 4)), &[input, made], &[]);
    function.blocks[block.index()].end = Terminator::Return;
    verify(&function).unwrap();
    let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
    run(&mut function, &target).unwrap();
    verify(&function).unwrap();
    let store = function.listed().last().unwrap().args[1];
    (function, condition, store)
}

#[test]
fn a_choice_of_ones_or_zeroes_is_the_truth_value() {
    for (ty, ones) in [(Type::I8, 0xff), (Type::I32, 0xffff_ffff), (Type::I64, !0)] {
        let (function, condition, stored) = stored(|at, condition| {
            let (yes, no) = (at.constant(ty, ones), at.constant(ty, 0));
            at.one(Op::Select, &[condition, yes, no], ty)
        });
        let (_, data) = function.source(stored).unwrap();
        assert_eq!(data.op, Op::Convert(Convert::SExt), "{ty}");
        assert_eq!(data.args.as_slice(), [condition], "{ty}");
    }
}

#[test]
fn a_comparison_of_a_choice_with_a_number_is_known_or_the_condition() {
    // Of 5 or 9: always, never, the condition, its opposite.
    for (cond, number, want) in [
        (Cond::Ult, 10, Some(1)),
        (Cond::Eq, 6, Some(0)),
        (Cond::Eq, 5, None),
        (Cond::Ne, 5, None),
    ] {
        for is_first in [false, true] {
            let (function, condition, stored) = stored(|at, condition| {
                let [yes, no, number] = [5, 9, number].map(|n| at.constant(Type::I32, n));
                let choice = at.one(Op::Select, &[condition, yes, no], Type::I32);
                let args = [[choice, number], [number, choice]][usize::from(is_first)];
                let truth = at.one(Op::Icmp(cond), &args, Type::I1);
                at.convert(Convert::ZExt, truth, Type::I32)
            });
            let truth = function.source(stored).map(|(_, data)| data.args[0]);
            match (want, cond) {
                // 10 < 5 and 10 < 9 never hold.
                (Some(bits), Cond::Ult) => {
                    assert_eq!(function.bits(stored), Some(bits ^ u64::from(is_first)));
                }
                (Some(bits), _) => assert_eq!(function.bits(stored), Some(bits)),
                (None, Cond::Eq) => assert_eq!(truth, Some(condition)),
                (None, _) => {
                    // 7 <= input.
                    let (_, data) = function.source(truth.unwrap()).unwrap();
                    assert_eq!(data.op, Op::Icmp(Cond::Sle));
                    assert_eq!(function.bits(data.args[0]), Some(7));
                }
            }
        }
    }
}

#[test]
fn one_or_zero_is_a_truth_value_and_stays_one() {
    // Through a byte that is masked, and a comparison with zero.
    let (function, condition, stored) = stored(|at, condition| {
        let [one, zero] = [1, 0].map(|n| at.constant(Type::I32, n));
        let number = at.one(Op::Select, &[condition, one, zero], Type::I32);
        let byte = at.convert(Convert::Trunc, number, Type::I8);
        let mask = at.constant(Type::I8, 1);
        let bit = at.bin(Bin::And, byte, mask);
        let wide = at.convert(Convert::ZExt, bit, Type::I32);
        let truth = at.one(Op::Icmp(Cond::Ne), &[wide, zero], Type::I1);
        at.convert(Convert::ZExt, truth, Type::I32)
    });
    let (_, data) = function.source(stored).unwrap();
    assert_eq!(data.op, Op::Convert(Convert::ZExt));
    assert_eq!(data.args.as_slice(), [condition]);
}

#[test]
fn the_opposite_of_a_comparison_is_one() {
    let (function, _, stored) = stored(|at, condition| {
        let truth = at.constant(Type::I1, 1);
        let opposite = at.bin(Bin::Xor, condition, truth);
        at.convert(Convert::ZExt, opposite, Type::I32)
    });
    let (_, data) = function.source(stored).unwrap();
    let (_, compared) = function.source(data.args[0]).unwrap();
    // 7 <= input.
    assert_eq!(compared.op, Op::Icmp(Cond::Sle));
    assert_eq!(function.bits(compared.args[0]), Some(7));
    assert_eq!(function.bits(compared.args[1]), None);
}

#[test]
fn a_choice_by_an_opposite_is_the_other_choice() {
    let (function, condition, stored) = stored(|at, condition| {
        let input = at.one(Op::Input(Input::Payload(4)), &[], Type::F32);
        let less = at.one(Op::Fcmp(Cond::Slt), &[input, input], Type::I1);
        let both = at.bin(Bin::And, condition, less);
        let truth = at.constant(Type::I1, 1);
        let opposite = at.bin(Bin::Xor, both, truth);
        let [five, nine] = [5, 9].map(|n| at.constant(Type::I32, n));
        at.one(Op::Select, &[opposite, five, nine], Type::I32)
    });
    let (_, data) = function.source(stored).unwrap();
    assert_eq!(data.op, Op::Select);
    let (_, both) = function.source(data.args[0]).unwrap();
    assert_eq!(both.op, Op::Bin(Bin::And));
    assert_eq!(both.args[0], condition);
    assert_eq!(function.bits(data.args[1]), Some(9));
}

#[test]
fn bits_that_are_zeroes_are_not_masked_again() {
    let (function, _, stored) = stored(|at, condition| {
        let [ones, two, mask] = [!0, 2, 0xff].map(|n| at.constant(Type::I32, n));
        let wide = at.convert(Convert::SExt, condition, Type::I32);
        let some = at.bin(Bin::Xor, wide, ones);
        let high = at.constant(Type::I32, 24);
        let byte = at.bin(Bin::LShr, some, high);
        let masked = at.bin(Bin::And, byte, mask);
        // Here a bit goes.
        let less = at.bin(Bin::Shl, masked, two);
        let byte = at.convert(Convert::Trunc, less, Type::I8);
        at.convert(Convert::ZExt, byte, Type::I32)
    });
    let (_, data) = function.source(stored).unwrap();
    assert_eq!(data.op, Op::Convert(Convert::ZExt));
    let (_, byte) = function.source(data.args[0]).unwrap();
    let (_, shifted) = function.source(byte.args[0]).unwrap();
    assert_eq!(shifted.op, Op::Bin(Bin::Shl));
    let (_, high) = function.source(shifted.args[0]).unwrap();
    assert_eq!(high.op, Op::Bin(Bin::LShr));
}

#[test]
fn a_product_of_a_sum_is_a_sum_with_a_product_that_is_there() {
    // 12 * (x + 5), or as a shift, where 12 * x is there, and where it is not.
    for (op, factor, rest) in [(Bin::Mul, 12, 60), (Bin::Shl, 2, 20)] {
        for is_there in [true, false] {
            let (function, _, stored) = stored(|at, _| {
                let x = at.one(Op::Input(Input::Payload(4)), &[], Type::I32);
                let [five, factor] = [5, factor].map(|number| at.constant(Type::I32, number));
                let there = if is_there { at.bin(op, x, factor) } else { x };
                let sum = at.bin(Bin::Add, x, five);
                let other = at.bin(op, sum, factor);
                at.bin(Bin::Or, other, there)
            });
            let (_, either) = function.source(stored).unwrap();
            let (_, other) = function.source(either.args[0]).unwrap();
            if is_there {
                assert_eq!(other.op, Op::Bin(Bin::Add), "{op}");
                assert_eq!(other.args[0], either.args[1], "{op}");
                assert_eq!(function.bits(other.args[1]), Some(rest), "{op}");
            } else {
                assert_eq!(other.op, Op::Bin(op));
            }
        }
    }
}

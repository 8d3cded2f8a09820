//! Functions of one block, before and after.

use super::{Bin, Cond, Convert, Function, Op, Type, Value, run};
use crate::ir::{Access, Cursor, Input, Space, Terminator, Un, expression, verify};
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

/// What is made of two inputs of a type, which are `x` and `y`.
fn becomes(ty: Type, make: impl Fn(&mut Cursor<'_>, [Value; 2]) -> Value) -> String {
    let (function, _, stored) = stored(|at, _| {
        let inputs = [0, 8].map(|of| at.one(Op::Input(Input::Payload(of)), &[], ty));
        make(at, inputs)
    });
    let text = expression(&function, stored);
    text.replace("payload.0", "x").replace("payload.8", "y")
}

#[test]
fn operations_with_numbers_are_less() {
    // Of x and the first number, and of what that gives and the second.
    type Case = (Bin, u64, Option<(Bin, u64)>, &'static str);
    let cases: [Case; 32] = [
        (Bin::Add, 0, None, "x"),
        (Bin::Or, 0, None, "x"),
        (Bin::Xor, 0, None, "x"),
        (Bin::Shl, 0, None, "x"),
        (Bin::LShr, 0, None, "x"),
        (Bin::AShr, 0, None, "x"),
        (Bin::And, 0, None, "0"),
        (Bin::And, 0xffff_ffff, None, "x"),
        (Bin::Or, 0xffff_ffff, None, "-1"),
        (Bin::Mul, 0, None, "0"),
        (Bin::Mul, 1, None, "x"),
        (Bin::UDiv, 1, None, "x"),
        (Bin::SDiv, 1, None, "x"),
        (Bin::Mul, 8, None, "(shl x 3)"),
        (Bin::Mul, 1 << 31, None, "(shl x 31)"),
        (Bin::Mul, 6, None, "(mul x 6)"),
        (Bin::UDiv, 8, None, "(lshr x 3)"),
        (Bin::SDiv, 8, None, "(sdiv x 8)"),
        (Bin::URem, 8, None, "(and x 7)"),
        (Bin::URem, 1, None, "0"),
        (Bin::SRem, 8, None, "(srem x 8)"),
        (Bin::Sub, 5, None, "(add x -5)"),
        (Bin::Add, 5, Some((Bin::Add, 7)), "(add x 12)"),
        (Bin::Add, 5, Some((Bin::Sub, 5)), "x"),
        (Bin::And, 12, Some((Bin::And, 10)), "(and x 8)"),
        (Bin::Xor, 12, Some((Bin::Xor, 12)), "x"),
        (Bin::And, 12, Some((Bin::Or, 10)), "(or (and x 12) 10)"),
        (Bin::Shl, 2, Some((Bin::Shl, 3)), "(shl x 5)"),
        (Bin::LShr, 2, Some((Bin::LShr, 3)), "(lshr x 5)"),
        (Bin::Shl, 20, Some((Bin::Shl, 12)), "(shl (shl x 20) 12)"),
        (Bin::AShr, 5, Some((Bin::LShr, 31)), "(lshr x 31)"),
        (Bin::AShr, 5, Some((Bin::LShr, 30)), "(lshr (ashr x 5) 30)"),
    ];
    for (op, number, then, want) in cases {
        for is_swapped in [false, op.is_commutative()] {
            let made = becomes(Type::I32, |at, [x, _]| {
                let number = at.constant(Type::I32, number);
                let made = match is_swapped {
                    true => at.bin(op, number, x),
                    false => at.bin(op, x, number),
                };
                let Some((op, number)) = then else {
                    return made;
                };
                let number = at.constant(Type::I32, number);
                at.bin(op, made, number)
            });
            assert_eq!(made, want, "{op} {number} {then:?}");
        }
    }
    let bytes = becomes(Type::I8, |at, [x, _]| {
        let number = at.constant(Type::I8, 200);
        let sum = at.bin(Bin::Add, x, number);
        at.bin(Bin::Add, sum, number)
    });
    assert_eq!(bytes, "(add x -112)");
}

#[test]
fn operations_on_the_same_are_known() {
    let bins = [
        (Bin::Sub, "0"),
        (Bin::Xor, "0"),
        (Bin::And, "x"),
        (Bin::Or, "x"),
        (Bin::UMin, "x"),
        (Bin::SMax, "x"),
        (Bin::Add, "(add x x)"),
        (Bin::UDiv, "(udiv x x)"),
    ];
    for (op, want) in bins {
        assert_eq!(becomes(Type::I32, |at, [x, _]| at.bin(op, x, x)), want);
    }
    let compared = |cond| {
        becomes(Type::I32, move |at, [x, _]| {
            at.one(Op::Icmp(cond), &[x, x], Type::I1)
        })
    };
    for (cond, want) in [
        (Cond::Eq, "-1"),
        (Cond::Sle, "-1"),
        (Cond::Ne, "0"),
        (Cond::Ult, "0"),
    ] {
        assert_eq!(compared(cond), want, "{cond}");
    }
    // A place in one memory is in no other.
    let places = |spaces: [Space; 2]| {
        becomes(Type::I32, move |at, given| {
            let [x, y] =
                [0, 1].map(|of: usize| at.one(Op::ToGeneric(spaces[of]), &[given[of]], Type::I64));
            at.one(Op::Icmp(Cond::Eq), &[x, y], Type::I1)
        })
    };
    assert_eq!(places([Space::Local; 2]), "(icmp.eq x y)");
    let different = "(icmp.eq (to_generic.local x) (to_generic.private y))";
    assert_eq!(places([Space::Local, Space::Private]), different);
}

#[test]
fn choices_are_less() {
    fn other(at: &mut Cursor<'_>, [x, y]: [Value; 2]) -> Value {
        at.one(Op::Icmp(Cond::Slt), &[x, y], Type::I1)
    }
    let chosen = |make: fn(&mut Cursor<'_>, Value, [Value; 2]) -> [Value; 3]| {
        becomes(Type::I32, move |at, [x, y]| {
            let condition = at.one(Op::Icmp(Cond::Ult), &[x, y], Type::I1);
            let args = make(at, condition, [x, y]);
            let ty = at.function.ty(args[1]);
            at.one(Op::Select, &args, ty)
        })
    };
    assert_eq!(chosen(|_, condition, [x, _]| [condition, x, x]), "x");
    for (bit, want) in [(1, "x"), (0, "y")] {
        let made = becomes(Type::I32, |at, [x, y]| {
            let known = at.constant(Type::I1, bit);
            at.one(Op::Select, &[known, x, y], Type::I32)
        });
        assert_eq!(made, want);
    }
    let one_or_none = chosen(|at, condition, _| {
        [
            condition,
            at.constant(Type::I32, 1),
            at.constant(Type::I32, 0),
        ]
    });
    assert_eq!(one_or_none, "(zext (icmp.ult x y))");
    let either =
        chosen(|at, condition, given| [condition, at.constant(Type::I1, 1), other(at, given)]);
    assert_eq!(either, "(or (icmp.ult x y) (icmp.slt x y))");
    let both =
        chosen(|at, condition, given| [condition, other(at, given), at.constant(Type::I1, 0)]);
    assert_eq!(both, "(and (icmp.ult x y) (icmp.slt x y))");
    let itself = chosen(|at, condition, _| {
        [
            condition,
            at.constant(Type::I1, 1),
            at.constant(Type::I1, 0),
        ]
    });
    assert_eq!(itself, "(icmp.ult x y)");
}

#[test]
fn changes_of_type_are_less() {
    use Convert::{Bitcast, SExt, Trunc, ZExt};
    use Type::{F32, I8, I16, I32, I64};
    // Of x one change after the other.
    type Case = (Type, &'static [(Convert, Type)], &'static str);
    let cases: [Case; 12] = [
        (I32, &[(Bitcast, I32)], "x"),
        (I32, &[(ZExt, I64), (Trunc, I32)], "x"),
        (I16, &[(SExt, I64), (Trunc, I16)], "x"),
        (I64, &[(Trunc, I32), (Trunc, I8)], "(trunc x)"),
        (I32, &[(ZExt, I64), (Trunc, I8)], "(trunc x)"),
        (I8, &[(SExt, I64), (Trunc, I32)], "(sext x)"),
        (I8, &[(ZExt, I16), (ZExt, I64)], "(zext x)"),
        (I8, &[(SExt, I16), (SExt, I64)], "(sext x)"),
        (I8, &[(SExt, I16), (ZExt, I64)], "(zext (sext x))"),
        (I32, &[(Trunc, I8), (ZExt, I32)], "(zext (trunc x))"),
        (I32, &[(Bitcast, F32), (Bitcast, I32)], "x"),
        (I32, &[(Bitcast, F32)], "(bitcast x)"),
    ];
    for (ty, changes, want) in cases {
        let made = becomes(ty, |at, [x, _]| {
            let mut value = x;
            for (how, ty) in changes {
                value = at.one(Op::Convert(*how), &[value], *ty);
            }
            value
        });
        assert_eq!(made, want, "{ty} {changes:?}");
    }
    let small = becomes(I32, |at, [x, _]| {
        let mask = at.constant(I32, 0x7f);
        let small = at.bin(Bin::And, x, mask);
        let byte = at.convert(Trunc, small, I8);
        at.convert(ZExt, byte, I32)
    });
    assert_eq!(small, "(and x 127)");
}

#[test]
fn halves_and_parts_are_those_of_the_whole() {
    let pair = |at: &mut Cursor<'_>, given: [Value; 2]| at.one(Op::Pair, &given, Type::I64);
    let low = becomes(Type::I32, |at, given| {
        let whole = pair(at, given);
        at.convert(Convert::Trunc, whole, Type::I32)
    });
    let high = becomes(Type::I32, |at, given| {
        let whole = pair(at, given);
        at.one(Op::High, &[whole], Type::I32)
    });
    assert_eq!([low.as_str(), high.as_str()], ["x", "y"]);
    for (how, want) in [(Convert::ZExt, "0"), (Convert::SExt, "(high (sext x))")] {
        let high = becomes(Type::I32, |at, [x, _]| {
            let wide = at.convert(how, x, Type::I64);
            at.one(Op::High, &[wide], Type::I32)
        });
        assert_eq!(high, want);
    }
    let numbers = becomes(Type::I32, |at, _| {
        let halves = [7, 2].map(|number| at.constant(Type::I32, number));
        let whole = pair(at, halves);
        let high = at.one(Op::High, &[whole], Type::I32);
        let high = at.convert(Convert::ZExt, high, Type::I64);
        at.bin(Bin::Add, whole, high)
    });
    assert_eq!(numbers, ((2u64 << 32) + 9).to_string());
    // Words of a dword in their order, and in another.
    for (order, want) in [
        ([0, 1], "x"),
        ([1, 0], "(pack (trunc (lshr x 16)) (trunc x))"),
    ] {
        let packed = becomes(Type::I32, |at, [x, _]| {
            let by = at.constant(Type::I32, 16);
            let above = at.bin(Bin::LShr, x, by);
            let words = [x, above].map(|of| at.convert(Convert::Trunc, of, Type::I16));
            at.one(Op::Pack, &order.map(|index: usize| words[index]), Type::I32)
        });
        assert_eq!(packed, want);
    }
}

#[test]
fn a_float_times_one_is_itself() {
    let one = u64::from(1f32.to_bits());
    let product = becomes(Type::F32, |at, [x, _]| {
        let one = at.constant(Type::F32, one);
        at.bin(Bin::FMul, one, x)
    });
    assert_eq!(product, "x");
    // More than that where denormal numbers become zeroes.
    let flushed = becomes(Type::F32, |at, [x, _]| {
        at.function.flushed.push(Type::F32);
        let one = at.constant(Type::F32, one);
        at.bin(Bin::FMul, x, one)
    });
    assert_eq!(flushed, format!("(fmul x {one})"));
    let sum = becomes(Type::F32, |at, [x, y]| {
        let one = at.constant(Type::F32, one);
        at.one(Op::Fma, &[x, one, y], Type::F32)
    });
    assert_eq!(sum, "(fadd x y)");
    let other = becomes(Type::F32, |at, [x, y]| {
        let negative = at.one(Op::Un(Un::FNeg), &[x], Type::F32);
        at.one(Op::Fma, &[negative, x, y], Type::F32)
    });
    assert_eq!(other, "(fma (fneg x) x y)");
}

#[test]
fn a_branch_by_an_opposite_goes_the_other_way() {
    let mut function = Function::default();
    let [entry, yes, no] = [(); 3].map(|()| function.add_block());
    let mut at = Cursor::new(&mut function, entry);
    let number = at.one(Op::Input(Input::Lane), &[], Type::I32);
    let truth = at.convert(Convert::Trunc, number, Type::I1);
    let one = at.constant(Type::I1, 1);
    let opposite = at.bin(Bin::Xor, truth, one);
    let ends = [
        Terminator::Branch(opposite, yes, no),
        Terminator::Return,
        Terminator::Return,
    ];
    for (data, end) in function.blocks.iter_mut().zip(ends) {
        data.end = end;
    }
    let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
    run(&mut function, &target).unwrap();
    assert_eq!(
        function.blocks[entry.index()].end,
        Terminator::Branch(truth, no, yes)
    );
}

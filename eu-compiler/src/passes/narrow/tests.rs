use super::run;
use crate::ir::{
    Access, Atomic, Bin, Cond, Convert, Cursor, Function, Input, Op, Space, Terminator, Type,
    Value, expression, print, verify,
};
use crate::passes::simplify;
use crate::target::Target;

/// A loop whose pointer begins as what `first` gives.
fn looped(first: impl Fn(&mut Cursor<'_>, Value) -> Value) -> String {
    let mut function = Function::default();
    let [entry, header, end] = [(); 3].map(|()| function.add_block());
    let mut at = Cursor::new(&mut function, entry);
    let given = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
    let begin = first(&mut at, given);
    at.function.blocks[entry.index()].end = Terminator::Jump(header);
    at.block = header;
    let phi = at.push(Op::Phi(vec![entry, header]), &[], &[Type::I64]);
    let pointer = at.function.result(phi);
    let offset = at.one(Op::FromGeneric(Space::Local), &[pointer], Type::I32);
    let value = at.one(Op::Load(Access::new(Space::Local, 4)), &[offset], Type::I32);
    let four = at.constant(Type::I32, 4);
    let next = at.bin(Bin::Add, offset, four);
    let next = at.one(Op::ToGeneric(Space::Local), &[next], Type::I64);
    at.function.insts[phi.index()].args = [begin, next].into_iter().collect();
    let more = at.one(Op::Icmp(Cond::Ult), &[value, given], Type::I1);
    at.function.blocks[header.index()].end = Terminator::Branch(more, header, end);
    at.function.blocks[end.index()].end = Terminator::Return;
    verify(&function).unwrap();
    let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
    run(&mut function, &target).unwrap();
    verify(&function).unwrap();
    simplify::run(&mut function, &target).unwrap();
    verify(&function).unwrap();
    print(&function)
}

#[test]
fn a_pointer_of_a_loop_is_an_offset() {
    let of_this = looped(|at, given| at.one(Op::ToGeneric(Space::Local), &[given], Type::I64));
    assert!(!of_this.contains("generic"), "{of_this}");
    let null = looped(|at, _| at.constant(Type::I64, 0));
    assert!(!null.contains("generic"), "{null}");
    let unknown = looped(|at, given| at.one(Op::Pair, &[given, given], Type::I64));
    assert!(unknown.contains("from_generic"), "{unknown}");
    let of_another = looped(|at, given| at.one(Op::ToGeneric(Space::Private), &[given], Type::I64));
    assert!(of_another.contains("from_generic"), "{of_another}");
}

/// What becomes of a block whose last value is stored: of three numbers of the payload, the first of which is
/// a truth value, too.
fn becomes(body: impl Fn(&mut Cursor<'_>, Value, [Value; 3]) -> Value) -> String {
    let mut function = Function::default();
    let block = function.add_block();
    let mut at = Cursor::new(&mut function, block);
    let given = [0, 4, 8].map(|of| at.one(Op::Input(Input::Payload(of)), &[], Type::I32));
    let zero = at.constant(Type::I32, 0);
    let chosen = at.one(Op::Icmp(Cond::Ne), &[given[0], zero], Type::I1);
    let value = body(&mut at, chosen, given);
    let ty = at.function.ty(value);
    let address = at.constant(Type::I64, 64);
    let access = Access::new(Space::Global, ty.bytes());
    at.push(Op::Store(access), &[address, value], &[]);
    function.blocks[block.index()].end = Terminator::Return;
    verify(&function).unwrap();
    let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
    run(&mut function, &target).unwrap();
    verify(&function).unwrap();
    simplify::run(&mut function, &target).unwrap();
    verify(&function).unwrap();
    let stored = function.listed().last().unwrap().args[1];
    expression(&function, stored)
}

fn into(at: &mut Cursor<'_>, space: Space, offset: Value) -> Value {
    match space {
        Space::Global => {
            let wide = at.one(Op::Pair, &[offset, offset], Type::I64);
            at.one(Op::ToGeneric(space), &[wide], Type::I64)
        }
        _ => at.one(Op::ToGeneric(space), &[offset], Type::I64),
    }
}

fn load(at: &mut Cursor<'_>, pointer: Value) -> Value {
    let access = Access::new(Space::Generic, 4);
    at.one(Op::Load(access), &[pointer], Type::I32)
}

fn variable(at: &mut Cursor<'_>) -> Value {
    let variable = at.one(Op::Alloca { size: 64, align: 4 }, &[], Type::I32);
    into(at, Space::Private, variable)
}

#[test]
fn an_access_goes_to_the_only_memory_that_a_pointer_points_into() {
    let of = |space: Space| {
        becomes(|at, chosen, [a, b, c]| {
            let [a, b] = [a, b].map(|offset| into(at, space, offset));
            let index = at.convert(Convert::SExt, c, Type::I64);
            let a = at.bin(Bin::Add, a, index);
            let none = at.constant(Type::I64, 0);
            let b = at.one(Op::Select, &[chosen, b, none], Type::I64);
            let pointer = at.one(Op::Select, &[chosen, b, a], Type::I64);
            load(at, pointer)
        })
    };
    let local = of(Space::Local);
    let want = "(load.local (select (icmp.ne payload.0 0) (select (icmp.ne payload.0 0) payload.4 -1) \
                (add payload.0 payload.8)))";
    assert_eq!(local, want);
    let private = of(Space::Private);
    assert_eq!(private, want.replace("local", "private"));
    let global = of(Space::Global);
    assert!(global.starts_with("(load.global (select"), "{global}");
}

#[test]
fn a_pointer_into_several_memories_stays_generic() {
    for [first, second] in [
        [Space::Local, Space::Private],
        [Space::Global, Space::Private],
        [Space::Local, Space::Global],
    ] {
        let either = becomes(|at, chosen, [a, b, _]| {
            let [a, b] = [into(at, first, a), into(at, second, b)];
            let pointer = at.one(Op::Select, &[chosen, a, b], Type::I64);
            load(at, pointer)
        });
        assert!(either.contains("load.generic"), "{either}");
    }
}

/// A number that is added to a pointer counts as a distance, if it is not one of a pointer itself.
#[test]
fn what_numbers_of_pointers_are_computed_to_stays_generic() {
    let number = becomes(|at, _, [a, b, _]| {
        let pointer = into(at, Space::Local, a);
        let number = at.one(Op::Number, &[pointer], Type::I64);
        let index = at.convert(Convert::ZExt, b, Type::I64);
        let pointer = at.bin(Bin::Add, number, index);
        load(at, pointer)
    });
    assert!(number.contains("load.generic"), "{number}");
    let distance = becomes(|at, _, [a, b, c]| {
        let pointers = [(Space::Local, a), (Space::Local, b), (Space::Private, c)];
        let [a, b, c] = pointers.map(|(space, offset)| into(at, space, offset));
        let distance = at.bin(Bin::Sub, c, a);
        let pointer = at.bin(Bin::Add, b, distance);
        load(at, pointer)
    });
    assert!(distance.contains("load.generic"), "{distance}");
    let loaded = becomes(|at, _, [a, b, _]| {
        let from = into(at, Space::Local, a);
        let access = Access::new(Space::Generic, 8);
        let pointer = at.one(Op::Load(access), &[from], Type::I64);
        let index = at.convert(Convert::ZExt, b, Type::I64);
        let pointer = at.bin(Bin::Add, pointer, index);
        load(at, pointer)
    });
    assert!(loaded.contains("load.generic (add (load.local"), "{loaded}");
}

#[test]
fn a_distance_in_one_memory_is_one_of_offsets() {
    let distance = becomes(|at, _, [a, b, _]| {
        let [a, b] = [a, b].map(|offset| into(at, Space::Local, offset));
        at.bin(Bin::Sub, a, b)
    });
    assert_eq!(distance, "(sext (sub payload.0 payload.4))");
}

#[test]
fn null_is_told_by_offsets() {
    let compare = |cond: Cond, pointer: fn(&mut Cursor<'_>, Value) -> Value| {
        becomes(|at, _, [a, _, _]| {
            let pointer = pointer(at, a);
            let null = at.constant(Type::I64, 0);
            let is = at.one(Op::Icmp(cond), &[pointer, null], Type::I1);
            at.convert(Convert::ZExt, is, Type::I32)
        })
    };
    // A variable has a place.
    assert_eq!(compare(Cond::Eq, |at, _| variable(at)), "0");
    assert_eq!(compare(Cond::Ne, |at, _| variable(at)), "1");
    // An argument may have none.
    let argument = compare(Cond::Eq, |at, a| into(at, Space::Local, a));
    assert_eq!(argument, "(zext (icmp.eq payload.0 -1))");
    let number = compare(Cond::Ne, |at, a| {
        let pointer = into(at, Space::Local, a);
        at.one(Op::Number, &[pointer], Type::I64)
    });
    assert_eq!(number, "(zext (icmp.ne payload.0 -1))");
    let behind = compare(Cond::Eq, |at, a| {
        let pointer = into(at, Space::Local, a);
        let number = at.one(Op::Number, &[pointer], Type::I64);
        at.bin(Bin::Add, number, number)
    });
    assert!(behind.contains("to_generic.local"), "{behind}");
}

/// Null, which is no offset, comes first.
#[test]
fn an_order_is_one_of_offsets_with_a_sign() {
    let less = becomes(|at, _, [a, b, _]| {
        let numbers = [a, b].map(|offset| {
            let pointer = into(at, Space::Private, offset);
            at.one(Op::Number, &[pointer], Type::I64)
        });
        let is = at.one(Op::Icmp(Cond::Ult), &numbers, Type::I1);
        at.convert(Convert::ZExt, is, Type::I32)
    });
    assert_eq!(less, "(zext (icmp.slt payload.0 payload.4))");
}

#[test]
fn pointers_into_two_memories_are_compared_as_generic_ones() {
    let equal = becomes(|at, _, [a, _, _]| {
        let pointers = [into(at, Space::Local, a), variable(at)];
        let is = at.one(Op::Icmp(Cond::Eq), &pointers, Type::I1);
        at.convert(Convert::ZExt, is, Type::I32)
    });
    assert!(equal.contains("to_generic.local"), "{equal}");
    assert!(equal.contains("to_generic.private"), "{equal}");
}

#[test]
fn which_memory_a_pointer_points_into_is_known_or_asked() {
    let asked = |asked: Space, pointer: fn(&mut Cursor<'_>, Value, Value) -> Value| {
        becomes(|at, chosen, [a, _, _]| {
            let pointer = pointer(at, chosen, a);
            let is = at.one(Op::PointsInto(asked), &[pointer], Type::I1);
            at.convert(Convert::ZExt, is, Type::I32)
        })
    };
    let or_null = |at: &mut Cursor<'_>, chosen: Value, a: Value| {
        let pointer = into(at, Space::Local, a);
        let null = at.constant(Type::I64, 0);
        at.one(Op::Select, &[chosen, pointer, null], Type::I64)
    };
    assert_eq!(asked(Space::Local, or_null), "1");
    assert_eq!(asked(Space::Private, or_null), "0");
    let null = |at: &mut Cursor<'_>, _: Value, _: Value| at.constant(Type::I64, 0);
    assert_eq!(asked(Space::Local, null), "0");
    let either = |at: &mut Cursor<'_>, chosen: Value, a: Value| {
        let pointers = [into(at, Space::Local, a), into(at, Space::Global, a)];
        at.one(Op::Select, &[chosen, pointers[0], pointers[1]], Type::I64)
    };
    let unknown = asked(Space::Local, either);
    assert!(unknown.contains("points_into.local"), "{unknown}");
    assert_eq!(asked(Space::Private, either), "0");
    let number = |at: &mut Cursor<'_>, _: Value, a: Value| {
        let pointer = into(at, Space::Local, a);
        at.one(Op::Number, &[pointer], Type::I64)
    };
    let number = asked(Space::Private, number);
    assert!(number.contains("points_into.private"), "{number}");
}

/// No message does atomic operations on private memory.
#[test]
fn atomic_operations_go_to_local_and_global_memory() {
    let on = |space: Space| {
        becomes(|at, _, [a, b, _]| {
            let pointer = into(at, space, a);
            let op = Op::Atomic(Space::Generic, Atomic::Add);
            at.one(op, &[pointer, b], Type::I32)
        })
    };
    let [local, global, private] = [Space::Local, Space::Global, Space::Private].map(on);
    assert_eq!(local, "(atomic.add.local payload.0 payload.4)");
    assert!(global.starts_with("(atomic.add.global"), "{global}");
    assert!(private.starts_with("(atomic.add.generic"), "{private}");
}

//! Which accesses become one.

use super::run;
use crate::ir::{
    Access, Bin, Convert, Cursor, Function, Input, Op, Space, Symbol, Terminator, Type, Value,
    verify,
};
use crate::target::Target;

/// Runs the pass on one block that `body` writes. It gets the address of the lane's 16 dwords, and
/// of those of another argument.
fn joined(body: impl Fn(&mut Cursor<'_>, [Value; 2])) -> Vec<(String, usize)> {
    let mut function = Function::default();
    let block = function.add_block();
    let mut at = Cursor::new(&mut function, block);
    let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
    let four = at.constant(Type::I32, 4);
    let two = at.constant(Type::I64, 2);
    let addresses = [0, 8].map(|argument| {
        let pointer = at.one(Op::Input(Input::Payload(argument)), &[], Type::I64);
        let index = at.bin(Bin::Shl, lane, four);
        let wide = at.convert(Convert::ZExt, index, Type::I64);
        let offset = at.bin(Bin::Shl, wide, two);
        at.bin(Bin::Add, pointer, offset)
    });
    body(&mut at, addresses);
    function.blocks[block.index()].end = Terminator::Return;
    verify(&function).unwrap();
    let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
    run(&mut function, &target).unwrap();
    verify(&function).unwrap();
    let insts = function.blocks[block.index()].insts.iter();
    let shown = insts.filter_map(|inst| {
        let data = &function.insts[inst.index()];
        match data.op {
            Op::Load(_) => Some(("load".to_owned(), data.results.len())),
            Op::Store(_) => Some(("store".to_owned(), data.args.len() - 1)),
            Op::Barrier => Some(("barrier".to_owned(), 0)),
            Op::Number => Some(("number".to_owned(), 1)),
            _ => None,
        }
    });
    shown.collect()
}

fn place(at: &mut Cursor<'_>, base: Value, offset: i64) -> Value {
    let by = at.constant(Type::I64, offset as u64);
    at.bin(Bin::Add, base, by)
}

fn read(at: &mut Cursor<'_>, base: Value, offset: i64, ty: Type) -> Value {
    let place = place(at, base, offset);
    at.one(Op::Load(Access::new(Space::Global, 4)), &[place], ty)
}

/// A byte from a place, or a word.
fn narrow(at: &mut Cursor<'_>, base: Value, offset: i64, ty: Type) -> Value {
    let place = place(at, base, offset);
    let access = Access::new(Space::Global, ty.bytes());
    at.one(Op::Load(access), &[place], ty)
}

fn write(at: &mut Cursor<'_>, base: Value, offset: i64, value: Value) {
    let place = place(at, base, offset);
    at.push(
        Op::Store(Access::new(Space::Global, 4)),
        &[place, value],
        &[],
    );
}

fn is(found: &[(String, usize)], wanted: &[(&str, usize)]) {
    let found: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), *b)).collect();
    assert_eq!(found, wanted);
}

/// A pointer that memory had is a number: what is added to it may lead into other memory.
#[test]
fn what_was_stored_and_is_loaded_again_is_a_number() {
    let found = joined(|at, [from, to]| {
        write(at, to, 0, from);
        let number = read(at, to, 0, Type::I64);
        let further = place(at, number, 8);
        write(at, to, 8, further);
    });
    is(&found, &[("number", 1), ("store", 2)]);
    // Of no pointer's size.
    let found = joined(|at, [from, to]| {
        let value = read(at, from, 0, Type::I32);
        write(at, to, 0, value);
        let again = read(at, to, 0, Type::I32);
        write(at, to, 4, again);
    });
    // The later load is without use.
    is(&found, &[("load", 1), ("load", 1), ("store", 2)]);
}

#[test]
fn neighbours_become_one_in_any_order() {
    let found = joined(|at, [from, to]| {
        let values: Vec<Value> = [8, 0, 4, 12, 16]
            .map(|offset| read(at, from, offset, Type::I32))
            .to_vec();
        for (value, offset) in values.into_iter().zip([4, 12, 0, 8, 32]) {
            write(at, to, offset, value);
        }
    });
    is(
        &found,
        &[("load", 4), ("load", 1), ("store", 4), ("store", 1)],
    );
}

#[test]
fn types_of_one_size_go_together_and_others_do_not() {
    let found = joined(|at, [from, to]| {
        let first = read(at, from, 0, Type::I32);
        let second = read(at, from, 4, Type::F32);
        let third = read(at, from, 8, Type::I64);
        let bits = at.convert(Convert::Bitcast, second, Type::I32);
        let sum = at.bin(Bin::Add, first, bits);
        write(at, to, 0, sum);
        write(at, to, 8, third);
    });
    is(
        &found,
        &[("load", 2), ("load", 1), ("store", 1), ("store", 1)],
    );
}

#[test]
fn what_is_written_is_not_read() {
    let found = |between: bool, ty: Type| {
        joined(|at, [from, to]| {
            let one = at.constant(Type::I32, 1);
            write(at, to, 0, one);
            if between {
                write(at, from, 0, one);
            }
            let value = read(at, to, 0, ty);
            write(at, to, 4, value);
        })
    };
    // The read has no user, and the next pass drops it.
    is(&found(false, Type::I32), &[("load", 1), ("store", 2)]);
    // It may be something else by now, or is taken for something else.
    let others = ["store", "store", "load", "store"].map(|what| (what, 1));
    is(&found(true, Type::I32), &others);
    is(
        &found(false, Type::F32),
        &[("store", 1), ("load", 1), ("store", 1)],
    );
}

#[test]
fn what_is_read_twice_is_read_once() {
    let found = joined(|at, [from, to]| {
        let first = read(at, from, 4, Type::I32);
        let again = read(at, from, 4, Type::I32);
        let sum = at.bin(Bin::Add, first, again);
        write(at, to, 0, sum);
    });
    // The other has no user, and the next pass drops it.
    is(&found, &[("load", 1), ("load", 1), ("store", 1)]);
}

#[test]
fn nothing_passes_what_may_touch_it() {
    // A write through another pointer between two reads.
    let found = joined(|at, [from, to]| {
        let first = read(at, from, 0, Type::I32);
        write(at, to, 0, first);
        let second = read(at, from, 4, Type::I32);
        write(at, to, 4, second);
    });
    let apart = [("load", 1), ("store", 1), ("load", 1), ("store", 1)];
    is(&found, &apart);
    // A read of a part of what is written.
    let found = joined(|at, [_, to]| {
        let one = at.constant(Type::I64, 1);
        write(at, to, 0, one);
        let value = read(at, to, 0, Type::I32);
        write(at, to, 8, value);
    });
    is(&found, &[("store", 1), ("load", 1), ("store", 1)]);
    // A read of what was written after its neighbour was read.
    let found = joined(|at, [_, to]| {
        let first = read(at, to, 4, Type::I32);
        write(at, to, 8, first);
        let second = read(at, to, 8, Type::I32);
        write(at, to, 0, second);
    });
    let apart = [("load", 1), ("store", 1), ("load", 1), ("store", 1)];
    is(&found, &apart);
    // Of something beside it.
    let found = joined(|at, [_, to]| {
        let one = at.constant(Type::I32, 1);
        write(at, to, 0, one);
        let value = read(at, to, 8, Type::I32);
        write(at, to, 4, value);
    });
    is(&found, &[("load", 1), ("store", 2)]);
    // A barrier.
    let found = joined(|at, [_, to]| {
        let one = at.constant(Type::I32, 1);
        write(at, to, 0, one);
        at.push(Op::Barrier, &[], &[]);
        write(at, to, 4, one);
    });
    is(&found, &[("store", 1), ("barrier", 0), ("store", 1)]);
}

#[test]
fn bytes_and_words_become_dwords() {
    let found = joined(|at, [from, to]| {
        let bytes = [1, 2, 3, 4, 5, 6, 7].map(|offset| narrow(at, from, offset, Type::I8));
        for (value, offset) in bytes.into_iter().zip([9, 6, 8, 7, 20, 21, 30]) {
            let place = place(at, to, offset);
            at.push(
                Op::Store(Access::new(Space::Global, 1)),
                &[place, value],
                &[],
            );
        }
    });
    let loads = [("load", 4), ("load", 2), ("load", 1)];
    let stores = [("store", 4), ("store", 2), ("store", 1)];
    is(&found, &[loads, stores].concat());
    let found = joined(|at, [from, to]| {
        let words = [2, 4, 8].map(|offset| narrow(at, from, offset, Type::I16));
        for (value, offset) in words.into_iter().zip([12, 14, 18]) {
            let place = place(at, to, offset);
            let access = Access::new(Space::Global, 2);
            at.push(Op::Store(access), &[place, value], &[]);
        }
    });
    is(
        &found,
        &[("load", 2), ("load", 1), ("store", 2), ("store", 1)],
    );
}

/// Reads elements of a type whose index is a sum, of this type and extended so.
fn indexed(index: Type, how: Convert, ty: Type) -> Vec<(String, usize)> {
    joined(|at, [from, _]| {
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let lane = at.convert(Convert::Trunc, lane, index);
        for number in [1, 0, 3, 2] {
            let number = at.constant(index, number);
            let sum = at.bin(Bin::Add, lane, number);
            let wide = at.convert(how, sum, Type::I64);
            let by = at.constant(Type::I64, ty.bytes().trailing_zeros().into());
            let offset = at.bin(Bin::Shl, wide, by);
            let place = at.bin(Bin::Add, from, offset);
            let access = Access::new(Space::Global, ty.bytes());
            at.one(Op::Load(access), &[place], ty);
        }
    })
}

#[test]
fn sums_of_indexes_are_those_of_addresses() {
    for how in [Convert::ZExt, Convert::SExt] {
        is(&indexed(Type::I32, how, Type::I32), &[("load", 4)]);
        is(&indexed(Type::I32, how, Type::I16), &[("load", 2); 2]);
        // Of a word that wraps around, the next is not behind it.
        is(&indexed(Type::I16, how, Type::I32), &[("load", 1); 4]);
    }
    // In 4 GiB, the byte behind the last index is the first.
    let bytes = |how| indexed(Type::I32, how, Type::I8);
    is(&bytes(Convert::SExt), &[("load", 4)]);
    is(&bytes(Convert::ZExt), &[("load", 1); 4]);
}

/// A variable of 16 bytes, and some more for each call.
fn variable(at: &mut Cursor<'_>, bytes: u32) -> Value {
    let size = 16 + bytes;
    at.one(Op::Alloca { size, align: 1 }, &[], Type::I32)
}

fn touch(at: &mut Cursor<'_>, variable: Value, offset: u64, ty: Type) -> Value {
    let by = at.constant(Type::I32, offset);
    let place = at.bin(Bin::Add, variable, by);
    let access = Access::new(Space::Private, ty.bytes());
    at.one(Op::Load(access), &[place], ty)
}

fn keep(at: &mut Cursor<'_>, variable: Value, offset: u64, value: Value) {
    let by = at.constant(Type::I32, offset);
    let place = at.bin(Bin::Add, variable, by);
    let access = Access::new(Space::Private, 1);
    at.push(Op::Store(access), &[place, value], &[]);
}

#[test]
fn bytes_of_variables_are_dwords() {
    let bytes = |count: u64, from: u64| {
        joined(|at, [_, _]| {
            let one = at.constant(Type::I8, 1);
            let variable = variable(at, 4);
            for offset in from..from + count {
                keep(at, variable, offset, one);
            }
        })
    };
    is(&bytes(20, 0), &[("store", 4), ("store", 4)]);
    is(&bytes(11, 4), &[("store", 2), ("store", 2), ("store", 1)]);
    // Not at a dword.
    is(&bytes(8, 2), &[("store", 4); 2]);
}

#[test]
fn private_memory_is_not_global_memory() {
    let found = |escapes: bool| {
        joined(|at, [from, to]| {
            let variable = variable(at, 0);
            if escapes {
                let cast = Op::ToGeneric(Space::Private);
                let pointer = at.one(cast, &[variable], Type::I64);
                write(at, to, 0, pointer);
            }
            for offset in [0, 4] {
                let value = read(at, from, offset, Type::I32);
                keep(at, variable, offset as u64, value);
            }
        })
    };
    is(&found(false), &[("load", 2), ("store", 2)]);
    let apart = ["store", "load", "store", "load", "store"].map(|what| (what, 1));
    is(&found(true), &apart);
}

#[test]
fn variables_are_apart_where_their_places_are_known() {
    let found = |indexed: bool| {
        joined(|at, [_, to]| {
            let [from, other] = [0, 1].map(|more| variable(at, more));
            let mut place = other;
            if indexed {
                let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
                place = at.bin(Bin::Add, other, lane);
            }
            let first = touch(at, from, 0, Type::I32);
            keep(at, place, 0, first);
            let second = touch(at, from, 4, Type::I32);
            write(at, to, 0, first);
            write(at, to, 4, second);
        })
    };
    is(&found(false), &[("load", 2), ("store", 1), ("store", 2)]);
    let apart = [("load", 1), ("store", 1), ("load", 1), ("store", 2)];
    is(&found(true), &apart);
}

#[test]
fn what_nothing_writes_is_read_among_writes() {
    let found = |of: Symbol| {
        joined(|at, [_, to]| {
            let half = |at: &mut Cursor<'_>, high| {
                at.one(Op::Input(Input::Address { of, high }), &[], Type::I32)
            };
            let halves = [false, true].map(|high| half(at, high));
            let table = at.one(Op::Pair, &halves, Type::I64);
            for offset in [0, 4] {
                let value = read(at, table, offset, Type::I32);
                write(at, to, offset, value);
            }
        })
    };
    is(&found(Symbol::Constants), &[("load", 2), ("store", 2)]);
    let apart = ["load", "store", "load", "store"].map(|what| (what, 1));
    is(&found(Symbol::Globals), &apart);
}

#[test]
fn volatile_accesses_stay() {
    let found = joined(|at, [from, _]| {
        for offset in [0, 4] {
            let place = place(at, from, offset);
            let access = Access {
                volatile: true,
                ..Access::new(Space::Global, 4)
            };
            at.one(Op::Load(access), &[place], Type::I32);
        }
    });
    is(&found, &[("load", 1), ("load", 1)]);
}

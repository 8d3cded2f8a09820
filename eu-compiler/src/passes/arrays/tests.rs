//! The pass leaves what a function computes: it is executed before and behind it.

use std::collections::HashMap;

use super::run;
use crate::ir::{
    Access, Bin, Cond, Convert, Cursor, Def, Function, Input, Inst, Op, Space, Terminator, Type,
    Value, verify,
};
use crate::target::Target;

/// The lane that is executed.
const LANE: u64 = 5;
const LANES: u32 = 16;
/// The bytes of each variable.
const SIZE: u32 = 48;

/// Executes a function of one block for one lane, whose argument is `input`. Gives what it writes to
/// local memory.
fn execute(function: &Function, input: u64) -> Vec<u64> {
    let mut values: HashMap<Value, u64> = HashMap::new();
    let mut memory = vec![0xa5u8; 4096];
    let mut cells: HashMap<(Value, u32), u64> = HashMap::new();
    let mut next = 0;
    let mut out = Vec::new();
    for inst in &function.blocks[0].insts {
        let data = &function.insts[inst.index()];
        let arg = |index: usize| match function.def(data.args[index]) {
            Def::Const(bits) => bits,
            Def::Undef => 0,
            Def::Inst(_) => values[&data.args[index]],
        };
        let from = |index: usize| function.ty(data.args[index]);
        let ty = data.results.first().map_or(Type::I32, |v| function.ty(*v));
        // Of cells only the low bits mean something.
        let above = 0xa5a5_a5a5 & !ty.mask();
        let result = match &data.op {
            Op::Alloca { size, .. } => {
                next += u64::from(*size);
                next - u64::from(*size)
            }
            Op::Array { .. } => 0,
            Op::Input(Input::Lane) => LANE,
            Op::Input(_) => input,
            Op::Bin(bin) => bin.evaluate(arg(0), arg(1), ty).unwrap(),
            Op::Select => arg(if arg(0) != 0 { 1 } else { 2 }),
            Op::Icmp(cond) => cond.evaluate(arg(0), arg(1), from(0)).into(),
            Op::Convert(Convert::Trunc | Convert::ZExt | Convert::Bitcast) => arg(0) & ty.mask(),
            Op::Convert(Convert::SExt) => from(0).signed(arg(0)) as u64 & ty.mask(),
            Op::Pair => arg(0) | arg(1) << 32,
            Op::Element { cell } => cells.get(&(data.args[0], *cell)).map_or(0, |x| x | above),
            Op::ElementAt { cell } => {
                let (index, lane) = (arg(1) / u64::from(4 * LANES), arg(1) % u64::from(4 * LANES));
                assert_eq!(lane, 4 * LANE);
                let cell = (data.args[0], cell + index as u32);
                cells.get(&cell).map_or(0, |x| x | above)
            }
            Op::SetElement { cell } => {
                cells.insert((data.args[0], *cell), arg(1) & from(1).mask());
                continue;
            }
            Op::SetElementAt { cell, step, count } => {
                if arg(1) < u64::from(*count) {
                    let cell = cell + arg(1) as u32 * step;
                    cells.insert((data.args[0], cell), arg(2) & from(2).mask());
                }
                continue;
            }
            Op::Load(_) => {
                let mut at = arg(0) as usize;
                for result in &data.results {
                    let bytes = function.ty(*result).bytes() as usize;
                    let mut bits = [0; 8];
                    bits[..bytes].copy_from_slice(&memory[at..at + bytes]);
                    values.insert(*result, u64::from_le_bytes(bits));
                    at += bytes;
                }
                continue;
            }
            Op::Store(access) if access.space == Space::Local => {
                out.push(arg(1));
                continue;
            }
            Op::Store(_) => {
                let mut at = arg(0) as usize;
                for index in 1..data.args.len() {
                    let bytes = from(index).bytes() as usize;
                    memory[at..at + bytes].copy_from_slice(&arg(index).to_le_bytes()[..bytes]);
                    at += bytes;
                }
                continue;
            }
            other => panic!("{other:?}"),
        };
        values.insert(data.results[0], result & ty.mask());
    }
    out
}

/// Compares, for all inputs, what `body` computes before and behind the pass. It gets a variable and
/// the input. Gives the operations that are left.
fn compare(body: impl Fn(&mut Cursor<'_>, Value, Value)) -> Vec<Op> {
    let mut function = Function::default();
    let block = function.add_block();
    let mut at = Cursor::new(&mut function, block);
    let input = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
    let variable = at.one(
        Op::Alloca {
            size: SIZE,
            align: 8,
        },
        &[],
        Type::I32,
    );
    body(&mut at, variable, input);
    function.blocks[block.index()].end = Terminator::Return;
    verify(&function).unwrap();
    let before = function.clone();
    let target = Target::new(devinfo::by_name("tgl").unwrap(), LANES, 128);
    run(&mut function, &target).unwrap();
    verify(&function).unwrap();
    for input in 0..12 {
        assert_eq!(
            execute(&function, input),
            execute(&before, input),
            "{input}"
        );
    }
    let op = |inst: &Inst| function.insts[inst.index()].op.clone();
    function.blocks[0].insts.iter().map(op).collect()
}

fn in_memory(ops: &[Op]) -> bool {
    ops.iter().any(|op| matches!(op, Op::Alloca { .. }))
}

fn cells(ops: &[Op]) -> Vec<u32> {
    let cells = ops.iter().filter_map(|op| match op {
        Op::Array { cells } => Some(*cells),
        _ => None,
    });
    cells.collect()
}

const PRIVATE: Access = Access::new(Space::Private, 1);

/// The address `base + index * stride + number`.
fn place(at: &mut Cursor<'_>, base: Value, index: Value, stride: u64, number: i64) -> Value {
    let [stride, number] = [stride, number as u64].map(|bits| at.constant(Type::I32, bits));
    let distance = at.bin(Bin::Mul, index, stride);
    let sum = at.bin(Bin::Add, base, distance);
    at.bin(Bin::Add, sum, number)
}

fn read(at: &mut Cursor<'_>, place: Value, ty: Type) {
    let value = at.one(Op::Load(PRIVATE), &[place], ty);
    let zero = at.constant(Type::I32, 0);
    at.push(Op::Store(Access::new(Space::Local, 4)), &[zero, value], &[]);
}

fn write(at: &mut Cursor<'_>, place: Value, value: Value) {
    at.push(Op::Store(PRIVATE), &[place, value], &[]);
}

/// Gives each element of a type another value.
fn fill(at: &mut Cursor<'_>, base: Value, ty: Type) {
    let zero = at.constant(Type::I32, 0);
    for number in 0..SIZE / ty.bytes() {
        let to = place(at, base, zero, 0, i64::from(number * ty.bytes()));
        let value = 0x1234_5678_9abc_def1u64.wrapping_mul(3 * u64::from(number) + 1);
        let value = at.constant(ty, value);
        write(at, to, value);
    }
}

#[test]
fn elements_of_each_size_are_read_and_written_by_index() {
    for ty in [Type::I64, Type::I32, Type::F32, Type::I16, Type::I8] {
        let bytes = u64::from(ty.bytes());
        let last = u64::from(SIZE) / bytes - 1;
        let ops = compare(|at, variable, input| {
            fill(at, variable, ty);
            let last = at.constant(Type::I32, last);
            let index = at.bin(Bin::UMin, input, last);
            let here = place(at, variable, index, bytes, 0);
            read(at, here, ty);
            let zero = at.constant(Type::I32, 0);
            let other = at.bin(Bin::Sub, last, index);
            let there = place(at, variable, other, bytes, 0);
            let value = at.constant(ty, 77);
            write(at, there, value);
            for number in 0..u64::from(SIZE) / bytes {
                let each = place(at, variable, zero, 0, (number * bytes) as i64);
                read(at, each, ty);
            }
        });
        // 48 cells are too many for 16 lanes.
        assert_eq!(in_memory(&ops), ty == Type::I8, "{ty}");
        let count = if ty == Type::I64 {
            SIZE / 4
        } else {
            SIZE / ty.bytes()
        };
        assert_eq!(
            cells(&ops),
            if ty == Type::I8 { vec![] } else { vec![count] }
        );
    }
}

#[test]
fn structures_have_a_cell_for_each_field() {
    // A float, a word and a byte, and nothing: of 8 bytes.
    let ops = compare(|at, variable, input| {
        fill(at, variable, Type::I16);
        let three = at.constant(Type::I32, 3);
        let index = at.bin(Bin::And, input, three);
        for (number, ty) in [(0, Type::F32), (4, Type::I16), (6, Type::I8)] {
            let field = place(at, variable, index, 8, number);
            read(at, field, ty);
            let value = at.constant(ty, 0x55);
            let next = place(at, variable, index, 8, number + 8);
            write(at, next, value);
            let field = place(at, variable, three, 8, number);
            read(at, field, ty);
        }
    });
    // The float is filled as two words, and the byte is a part of one.
    assert_eq!(cells(&ops), [5 * SIZE / 8]);
}

#[test]
fn rows_and_distances_before_the_begin_are_found() {
    // `a[3 - i]`, and `a[y][x]` of rows of 12 bytes.
    let ops = compare(|at, variable, input| {
        fill(at, variable, Type::I32);
        let [one, two, three] = [1, 2, 3].map(|bits| at.constant(Type::I32, bits));
        let zero = at.constant(Type::I32, 0);
        let x = at.bin(Bin::And, input, one);
        let y = at.bin(Bin::LShr, input, two);
        let less = at.bin(Bin::Sub, zero, y);
        let back = place(at, variable, less, 4, 12);
        read(at, back, Type::I32);
        let row = place(at, variable, y, 12, 0);
        let element = place(at, row, x, 4, 4);
        read(at, element, Type::I32);
        let rest = at.bin(Bin::Sub, three, y);
        let row = place(at, variable, rest, 12, -12);
        let element = place(at, row, x, 4, 16);
        write(at, element, input);
        for number in 0..12 {
            let each = place(at, variable, zero, 0, 4 * number);
            read(at, each, Type::I32);
        }
    });
    assert_eq!(cells(&ops), [12]);
}

#[test]
fn a_multiple_of_the_stride_may_be_the_value_itself() {
    let ops = compare(|at, variable, input| {
        fill(at, variable, Type::I32);
        let two = at.constant(Type::I32, 2);
        let distance = at.bin(Bin::Shl, input, two);
        let mask = at.constant(Type::I32, 0x1c);
        let distance = at.bin(Bin::And, distance, mask);
        let place = at.bin(Bin::Add, variable, distance);
        read(at, place, Type::I32);
    });
    assert_eq!(cells(&ops), [12]);
}

#[test]
fn what_is_not_read_is_not_written() {
    let ops = compare(|at, variable, input| {
        let to = place(at, variable, input, 4, 0);
        write(at, to, input);
    });
    let writes = |op: &Op| matches!(op, Op::Store(_) | Op::Alloca { .. });
    assert!(!ops.iter().any(writes), "{ops:?}");
}

#[test]
fn pointers_that_are_chosen_are_indexes() {
    let ops = compare(|at, variable, input| {
        fill(at, variable, Type::I32);
        let three = at.constant(Type::I32, 3);
        let [zero, middle] = [0, 24].map(|number| place(at, variable, three, 0, number));
        let odd = at.bin(Bin::And, input, three);
        let which = at.one(Op::Icmp(Cond::Ult), &[odd, three], Type::I1);
        let chosen = at.one(Op::Select, &[which, zero, middle], Type::I32);
        let further = place(at, chosen, odd, 4, 4);
        read(at, further, Type::I32);
        let behind = at.one(Op::Icmp(Cond::Ult), &[middle, further], Type::I1);
        let again = at.one(Op::Select, &[behind, middle, further], Type::I32);
        write(at, again, input);
        read(at, middle, Type::I32);
    });
    assert_eq!(cells(&ops), [12]);
}

#[test]
fn a_pointer_into_one_variable_or_another_is_one_into_memory() {
    let ops = compare(|at, variable, input| {
        let more = Op::Alloca {
            size: SIZE,
            align: 8,
        };
        let more = at.one(more, &[], Type::I32);
        for base in [variable, more] {
            fill(at, base, Type::I32);
        }
        let three = at.constant(Type::I32, 3);
        let which = at.one(Op::Icmp(Cond::Ult), &[input, three], Type::I1);
        let chosen = at.one(Op::Select, &[which, variable, more], Type::I32);
        read(at, chosen, Type::I32);
    });
    assert!(in_memory(&ops) && cells(&ops).is_empty());
}

#[test]
fn a_pointer_that_somebody_keeps_is_one_into_memory() {
    let ops = compare(|at, variable, input| {
        fill(at, variable, Type::I32);
        let here = place(at, variable, input, 4, 0);
        read(at, here, Type::I32);
        let zero = at.constant(Type::I32, 0);
        let access = Access::new(Space::Local, 4);
        at.push(Op::Store(access), &[zero, here], &[]);
    });
    assert!(in_memory(&ops));
}

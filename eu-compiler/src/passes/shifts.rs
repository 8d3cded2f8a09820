//! Shifts of dwords as hardware has them: by the low five bits of the distance (BDW to TGL PRM vol 2a, shl, shr,
//! asr). Two of them that together are a rotation become one, where hardware has it.

use isa_encoder::{Opcode, has_opcode};

use super::simplify::sweep;
use crate::ir::{Bin, Function, Inst, Op, Type, Value};
use crate::target::Target;

/// The bits of a distance that count.
const DISTANCE: u64 = 31;

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let rotates = has_opcode(target.platform.family, Opcode::Rol);
    let mut changed = false;
    for block in function.order.clone() {
        for index in 0..function.blocks[block.index()].insts.len() {
            let inst = function.blocks[block.index()].insts[index];
            if rotates && let Some((value, distance)) = rotation(function, inst) {
                let distance = unmasked(function, distance).unwrap_or(distance);
                let data = &mut function.insts[inst.index()];
                data.op = Op::Bin(Bin::Rol);
                data.args = [value, distance].into_iter().collect();
                changed = true;
            }
        }
    }
    for block in function.order.clone() {
        for index in 0..function.blocks[block.index()].insts.len() {
            let inst = function.blocks[block.index()].insts[index];
            let data = &function.insts[inst.index()];
            if let (Op::Bin(Bin::Shl | Bin::LShr | Bin::AShr), &[value, by]) =
                (&data.op, &data.args[..])
                && function.ty(value) == Type::I32
                && let Some(distance) = unmasked(function, by)
            {
                function.insts[inst.index()].args[1] = distance;
                changed = true;
            }
        }
    }
    if changed {
        sweep(function);
    }
    Ok(())
}

/// What a distance is the low bits of.
fn unmasked(function: &Function, distance: Value) -> Option<Value> {
    let (_, data) = function.source(distance)?;
    let is_mask =
        data.op == Op::Bin(Bin::And) && function.bits(data.args[1])? & DISTANCE == DISTANCE;
    is_mask.then(|| data.args[0])
}

/// The value that an instruction rotates left, and how far.
fn rotation(function: &Function, inst: Inst) -> Option<(Value, Value)> {
    let data = &function.insts[inst.index()];
    let (&Op::Bin(op @ (Bin::Or | Bin::Xor | Bin::Add)), &[a, b]) = (&data.op, &data.args[..])
    else {
        return None;
    };
    let shift = |value: Value, wanted: Bin| {
        let (_, data) = function.source(value)?;
        (data.op == Op::Bin(wanted) && function.ty(value) == Type::I32)
            .then(|| (data.args[0], data.args[1]))
    };
    [(a, b), (b, a)].into_iter().find_map(|(left, right)| {
        let (value, by) = shift(left, Bin::Shl)?;
        let (other, back) = shift(right, Bin::LShr)?;
        let known = [by, back].map(|distance| function.bits(distance));
        let fits = match known {
            [Some(by), Some(back)] => by != 0 && by + back == DISTANCE + 1,
            // By nothing, both are the value.
            _ => op == Bin::Or && are_opposite(function, by, back),
        };
        (value == other && fits).then_some((value, by))
    })
}

/// Whether one of two distances is the other one's negative, as far as the bits go that count.
fn are_opposite(function: &Function, by: Value, back: Value) -> bool {
    let (Some(by), Some(back)) = (unmasked(function, by), unmasked(function, back)) else {
        return false;
    };
    let negates = |negative: Value, of: Value| {
        let Some((_, data)) = function.source(negative) else {
            return false;
        };
        let number = || function.bits(data.args[0]);
        data.op == Op::Bin(Bin::Sub)
            && number().is_some_and(|number| number & DISTANCE == 0)
            && unmasked(function, data.args[1]).unwrap_or(data.args[1]) == of
    };
    negates(back, by) || negates(by, back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Cursor, Input, Space, Terminator, verify};

    /// What an instruction of two arguments becomes: its operation, and which arguments it has.
    fn made(
        platform: &str,
        body: impl Fn(&mut Cursor<'_>, [Value; 2]) -> Value,
    ) -> (Bin, Vec<Option<usize>>) {
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor::new(&mut function, block);
        let given = [0, 4].map(|byte| at.one(Op::Input(Input::Payload(byte)), &[], Type::I32));
        let result = body(&mut at, given);
        let access = Access::new(Space::Local, 4);
        at.push(Op::Store(access), &[given[0], result], &[]);
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name(platform).unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let (_, data) = function.source(result).unwrap();
        let Op::Bin(op) = data.op else {
            panic!("{:?}", data.op)
        };
        let args = data
            .args
            .iter()
            .map(|arg| given.iter().position(|other| other == arg));
        (op, args.collect())
    }

    fn shifted(at: &mut Cursor<'_>, op: Bin, value: Value, by: Value) -> Value {
        let mask = at.constant(Type::I32, DISTANCE);
        let by = at.bin(Bin::And, by, mask);
        at.bin(op, value, by)
    }

    /// `x << y | x >> (number - y)`, with another operation in place of the or.
    fn rotated(at: &mut Cursor<'_>, [x, y]: [Value; 2], number: u64, op: Bin) -> Value {
        let number = at.constant(Type::I32, number);
        let back = at.bin(Bin::Sub, number, y);
        let left = shifted(at, Bin::Shl, x, y);
        let right = shifted(at, Bin::LShr, x, back);
        at.bin(op, right, left)
    }

    #[test]
    fn distances_need_no_masks() {
        for op in [Bin::Shl, Bin::LShr, Bin::AShr] {
            let (made, args) = made("skl", |at, [x, y]| shifted(at, op, x, y));
            assert_eq!((made, args), (op, vec![Some(0), Some(1)]));
        }
        let (_, args) = made("skl", |at, [x, y]| {
            let mask = at.constant(Type::I32, 15);
            let by = at.bin(Bin::And, y, mask);
            at.bin(Bin::Shl, x, by)
        });
        assert_eq!(args, [Some(0), None], "15 is less than what hardware takes");
    }

    #[test]
    fn two_shifts_are_a_rotation() {
        for number in [0, 32] {
            let body = |at: &mut Cursor<'_>, given| rotated(at, given, number, Bin::Or);
            assert_eq!(made("tgl", body), (Bin::Rol, vec![Some(0), Some(1)]));
            assert_eq!(made("skl", body).0, Bin::Or, "skl has none");
        }
        let by = |left, right| {
            made("tgl", move |at, [x, _]| {
                let [left, right] = [left, right].map(|by| at.constant(Type::I32, by));
                let left = at.bin(Bin::Shl, x, left);
                let right = at.bin(Bin::LShr, x, right);
                at.bin(Bin::Xor, left, right)
            })
        };
        assert_eq!(by(7, 25), (Bin::Rol, vec![Some(0), None]));
        assert_eq!(by(7, 24).0, Bin::Xor);
        assert_eq!(by(0, 0).0, Bin::Xor);
    }

    #[test]
    fn what_may_rotate_by_nothing_is_an_or() {
        for op in [Bin::Xor, Bin::Add] {
            let body = |at: &mut Cursor<'_>, given| rotated(at, given, 32, op);
            assert_eq!(made("tgl", body).0, op);
        }
        let body = |at: &mut Cursor<'_>, given| rotated(at, given, 31, Bin::Or);
        assert_eq!(made("tgl", body).0, Bin::Or);
        let others = made("tgl", |at, [x, y]| {
            let zero = at.constant(Type::I32, 0);
            let back = at.bin(Bin::Sub, zero, y);
            let left = shifted(at, Bin::Shl, x, y);
            let right = shifted(at, Bin::LShr, y, back);
            at.bin(Bin::Or, left, right)
        });
        assert_eq!(others.0, Bin::Or);
    }
}

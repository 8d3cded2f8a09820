//! `printf`: what it prints goes to a buffer, which the host reads afterwards.
//!
//! The buffer begins with the number of bytes used. A call reserves room by an atomic addition and
//! writes the address of the format and, for each argument, a number for its type and its bytes,
//! padded to whole dwords. Sources: IGC `OpenCLPrintfResolution.cpp`, NEO `print_formatter.cpp`.

use spirv::Op as Spv;

use super::opcode::PRINTF;
use super::reader::Instruction;
use super::translate::Translator;
use super::types::Shape;
use super::value::Val;
use crate::abi::FieldKind;
use crate::error::Error;
use crate::ir::{Access, Atomic, Bin, Cond, Convert, Op, Space, Terminator, Type, Value};

/// Bytes of the buffer.
const BUFFER: u64 = 4 << 20;
/// What a call that finds no room leaves, if there is room for that.
const FULL: u64 = 0xffff_ffff;

/// Types of arguments (IGC `SHADER_PRINTF_TYPE`); those of vectors follow scalars' by these.
const BYTE: u64 = 1;
const SHORT: u64 = 2;
const INT: u64 = 3;
const FLOAT: u64 = 4;
const STRING: u64 = 5;
const LONG: u64 = 6;
const POINTER: u64 = 7;
const DOUBLE: u64 = 8;

/// The number of a vector's type, by its elements'.
const fn vector(element: u64) -> u64 {
    match element {
        BYTE => 9,
        SHORT => 10,
        INT => 11,
        LONG => 12,
        FLOAT => 13,
        _ => 14,
    }
}

impl Translator<'_> {
    /// `printf`; `false` if the instruction is another one.
    pub(super) fn printf(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        let is =
            i.op == Spv::ExtInst && Some(i.word(2)?) == self.module.opencl && i.word(3)? == PRINTF;
        if !is {
            return Ok(false);
        }
        let format = self.scalar(i.word(4)?, i)?;
        let mut dwords = self.halves(format).to_vec();
        for id in i.rest(5) {
            self.argument(*id, &mut dwords, i)?;
        }
        let value = self.print(&dwords);
        self.set(i.word(1)?, Val::one(value));
        Ok(true)
    }

    /// The type and the bytes of an argument.
    fn argument(
        &mut self,
        id: u32,
        out: &mut Vec<Value>,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let pointee = self.pointee(id, i).ok();
        let val = self.get(id, i)?;
        let Some(&first) = val.scalars.first() else {
            return Err(i.invalid(format!("%{id} has no value to print")));
        };
        let number = |t: &mut Self, number: u64| t.constant(Type::I32, number);
        if let Some(pointee) = pointee {
            let constant = self.is_constant_pointer(id);
            let byte = Shape::Scalar(Type::I8);
            let text = constant && *self.module.types.shape(pointee, i)? == byte;
            out.push(number(self, if text { STRING } else { POINTER }));
            let wide = self.resize(first, Type::I64, false);
            out.extend(self.halves(wide));
            return Ok(());
        }
        let mut values = Vec::new();
        for value in &val.scalars {
            values.push(self.printable(*value));
        }
        let ty = self.function.ty(values[0]);
        let kind = match ty {
            Type::I1 => return Err(i.unsupported("a truth value to print")),
            Type::I8 => BYTE,
            Type::I16 => SHORT,
            Type::I32 => INT,
            Type::I64 => LONG,
            Type::F16 | Type::F32 => FLOAT,
            Type::F64 => DOUBLE,
        };
        match values.len() {
            1 => out.push(number(self, kind)),
            count => {
                out.push(number(self, vector(kind)));
                out.push(number(self, count as u64));
            }
        }
        // Bytes and words follow each other; as much padding as dwords would need comes behind.
        let end = out.len() + values.len() * ty.bytes().max(4) as usize / 4;
        let per_dword = (4 / ty.bytes()).max(1) as usize;
        for part in values.chunks(per_dword) {
            if ty.bits() == 64 {
                out.extend(self.halves(part[0]));
                continue;
            }
            let mut dword = number(self, 0);
            for (index, value) in part.iter().enumerate() {
                let bits = self.here().convert(Convert::Bitcast, *value, ty.integer());
                let wide = self.resize(bits, Type::I32, false);
                let by = number(self, u64::from(ty.bits()) * index as u64);
                let moved = self.here().bin(Bin::Shl, wide, by);
                dword = self.here().bin(Bin::Or, dword, moved);
            }
            out.push(dword);
        }
        let zero = number(self, 0);
        out.resize(end, zero);
        Ok(())
    }

    /// Halves are printed as floats, and so are doubles that were floats: not every platform has
    /// doubles.
    fn printable(&mut self, value: Value) -> Value {
        match self.function.ty(value) {
            Type::F16 => self.here().convert(Convert::FToF, value, Type::F32),
            Type::F64 => match self.function.source(value) {
                Some((_, data)) if data.op == Op::Convert(Convert::FToF) => {
                    let from = data.args[0];
                    self.here().convert(Convert::FToF, from, Type::F32)
                }
                _ => value,
            },
            _ => value,
        }
    }

    /// Whether an id's type is a pointer to constants.
    fn is_constant_pointer(&self, id: u32) -> bool {
        let ty = self
            .types
            .get(&id)
            .and_then(|ty| self.module.types.get(*ty));
        matches!(
            ty,
            Some(Shape::Pointer(spirv::StorageClass::UniformConstant, _))
        )
    }

    /// The dwords of 64 bits.
    fn halves(&mut self, value: Value) -> [Value; 2] {
        if let Some(bits) = self.function.bits(value) {
            return [bits, bits >> 32].map(|half| self.constant(Type::I32, half & 0xffff_ffff));
        }
        let mut at = self.here();
        let bits = at.convert(Convert::Bitcast, value, Type::I64);
        let low = at.convert(Convert::Trunc, bits, Type::I32);
        [low, at.one(Op::High, &[bits], Type::I32)]
    }

    /// Appends dwords to the buffer, if there is room. Gives what `printf` returns.
    fn print(&mut self, dwords: &[Value]) -> Value {
        let offset = self.abi.field(FieldKind::PrintfBuffer, 8, 8);
        let buffer = self.payload(offset, Type::I64);
        let size = self.constant(Type::I32, 4 * dwords.len() as u64);
        let add = Op::Atomic(Space::Global, Atomic::Add);
        let old = self.one(add, &[buffer, size], Type::I32);
        let wide = self.wide(old);
        let place = self.here().bin(Bin::Add, buffer, wide);
        let end = self.here().bin(Bin::Add, old, size);
        let most = self.constant(Type::I32, BUFFER);
        let fits = self.one(Op::Icmp(Cond::Ule), &[end, most], Type::I1);
        let [write, full, mark, next] = [(); 4].map(|()| self.function.add_block());
        self.end(Terminator::Branch(fits, write, full));

        self.block = full;
        let last = self.constant(Type::I32, BUFFER - 4);
        let some = self.one(Op::Icmp(Cond::Ule), &[old, last], Type::I1);
        self.end(Terminator::Branch(some, mark, next));

        self.block = mark;
        let access = Op::Store(Access::new(Space::Global, 4));
        let none = self.constant(Type::I32, FULL);
        self.here().push(access.clone(), &[place, none], &[]);
        self.end(Terminator::Jump(next));

        self.block = write;
        for (index, part) in dwords.chunks(4).enumerate() {
            let by = self.constant(Type::I64, 16 * index as u64);
            let mut args = vec![self.here().bin(Bin::Add, place, by)];
            args.extend(part);
            self.here().push(access.clone(), &args, &[]);
        }
        self.end(Terminator::Jump(next));

        self.block = next;
        let zero = self.constant(Type::I32, 0);
        self.one(Op::Select, &[fits, zero, none], Type::I32)
    }
}

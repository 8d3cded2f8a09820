//! Vectors, structures, arrays: their scalars.

use spirv::Op as Spv;

use super::reader::Instruction;
use super::translate::Translator;
use super::types::{Shape, space_of};
use super::value::Val;
use crate::error::Error;
use crate::ir::{Cond, Convert, Op, Space, Type, Value};

impl Translator<'_> {
    /// Composites; `false` if the instruction is none.
    pub(super) fn composite(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        match i.op {
            Spv::CompositeConstruct => {
                let count = self.result_types(i)?.len();
                let mut values = Vec::new();
                for id in i.rest(2) {
                    values.extend(self.get(*id, i)?.scalars);
                    if values.len() > count {
                        return Err(i.invalid(format!("more than {count} scalars")));
                    }
                }
                self.set(i.word(1)?, Val::many(values));
            }
            Spv::CompositeExtract => {
                let whole = self.get(i.word(2)?, i)?;
                // The result's type says how many; the path says from where.
                let types = self.result_types(i)?;
                if let ([ty], &[index], Some(value)) = (&types[..], i.rest(3), whole.beyond)
                    && index as usize >= whole.scalars.len()
                {
                    let value = self.constant(*ty, value);
                    self.set(i.word(1)?, Val::one(value));
                    return Ok(true);
                }
                let count = types.len();
                let first = self.path(i.word(2)?, i.rest(3), i)?;
                let part = whole.scalars.get(first..first + count);
                let part = part.ok_or_else(|| i.invalid("an index beyond the end"))?;
                let val = Val {
                    space: self.pointer_space(i)?,
                    ..Val::many(part.iter().copied())
                };
                self.set(i.word(1)?, val);
            }
            Spv::CompositeInsert => {
                let part = self.get(i.word(2)?, i)?;
                let mut whole = self.get(i.word(3)?, i)?;
                let first = self.module.types.path(i.word(0)?, i.rest(4), i)?;
                let place = whole.scalars.get_mut(first..first + part.scalars.len());
                let place = place.ok_or_else(|| i.invalid("an index beyond the end"))?;
                place.copy_from_slice(&part.scalars);
                self.set(i.word(1)?, whole);
            }
            Spv::VectorShuffle => {
                let mut all = self.get(i.word(2)?, i)?.scalars;
                all.extend(self.get(i.word(3)?, i)?.scalars);
                let ty = self.component(i.word(0)?, i)?;
                let mut values = Vec::new();
                for index in i.rest(4) {
                    values.push(match all.get(*index as usize) {
                        Some(value) => *value,
                        None if *index == u32::MAX => self.function.undef(ty),
                        None => return Err(i.invalid("a component beyond the end")),
                    });
                }
                self.set(i.word(1)?, Val::many(values));
            }
            Spv::VectorExtractDynamic => {
                let Val {
                    scalars, beyond, ..
                } = self.get(i.word(2)?, i)?;
                let index = self.index(i.word(3)?, i)?;
                let value = self.component_at(&scalars, beyond, index, i)?;
                self.set(i.word(1)?, Val::one(value));
            }
            Spv::VectorInsertDynamic => {
                let mut all = self.get(i.word(2)?, i)?.scalars;
                let new = self.scalar(i.word(3)?, i)?;
                let index = self.index(i.word(4)?, i)?;
                let ty = self.function.ty(new);
                for (number, value) in all.iter_mut().enumerate() {
                    let is = self.equals(index, number as u64);
                    *value = self.one(Op::Select, &[is, new, *value], ty);
                }
                self.set(i.word(1)?, Val::many(all));
            }
            Spv::CopyObject | Spv::CopyLogical | Spv::ExpectKHR => {
                let val = self.get(i.word(2)?, i)?;
                self.set(i.word(1)?, val);
            }
            Spv::Bitcast => self.bitcast(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The memory that the result points into, if it is a pointer.
    pub(super) fn pointer_space(&self, i: &Instruction<'_>) -> Result<Option<Space>, Error> {
        Ok(match self.module.types.shape(i.word(0)?, i)? {
            Shape::Pointer(class, _) => space_of(*class),
            _ => None,
        })
    }

    /// An index as 32 bits.
    pub(super) fn index(&mut self, id: u32, i: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.scalar(id, i)?;
        let how = match self.function.ty(value).bits() {
            64 => Convert::Trunc,
            _ => Convert::ZExt,
        };
        Ok(self.here().convert(how, value, Type::I32))
    }

    /// The scalar with a number. An index beyond the end has no answer but this.
    pub(super) fn component_at(
        &mut self,
        scalars: &[Value],
        beyond: Option<u64>,
        index: Value,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let first = *scalars.first().ok_or_else(|| i.invalid("no vector"))?;
        let ty = self.function.ty(first);
        let (mut value, known) = match beyond {
            Some(value) => (self.constant(ty, value), 0),
            None => (first, 1),
        };
        for (number, other) in scalars.iter().enumerate().skip(known) {
            let is = self.equals(index, number as u64);
            value = self.one(Op::Select, &[is, *other, value], ty);
        }
        Ok(value)
    }

    fn equals(&mut self, value: Value, number: u64) -> Value {
        let number = self.constant(Type::I32, number);
        self.one(Op::Icmp(Cond::Eq), &[value, number], Type::I1)
    }

    /// The first scalar of the part of `id` at the end of a path of indices.
    fn path(&mut self, id: u32, indices: &[u32], i: &Instruction<'_>) -> Result<usize, Error> {
        let ty = self.type_of(id, i)?;
        self.module.types.path(ty, indices, i)
    }

    /// The type of an id's value.
    pub(super) fn type_of(&self, id: u32, i: &Instruction<'_>) -> Result<u32, Error> {
        let ty = self.types.get(&id).copied();
        let ty = ty.or_else(|| self.module.type_of(id));
        ty.ok_or_else(|| i.invalid(format!("%{id} has no type")))
    }

    /// The same bits as another type, also of other components.
    fn bitcast(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let from = self.get(i.word(2)?, i)?;
        let types = self.result_types(i)?;
        let of = self.type_of(i.word(2)?, i)?;
        let is_pointer = |ty| {
            let shape = self.module.types.shape(ty, i)?;
            Ok::<_, Error>(matches!(shape, Shape::Pointer(..)))
        };
        let values = match (is_pointer(of)?, is_pointer(i.word(0)?)?) {
            (true, true) => {
                let space = from.space.or(self.pointer_space(i)?);
                self.set(i.word(1)?, Val { space, ..from });
                return Ok(());
            }
            // A pointer's bits are the number that it is converted to.
            (false, true) => {
                let number = self.regroup(&from.scalars, &[Type::I64], i)?;
                let space = self.pointer_space(i)?;
                let value = self.narrowed(number[0], space.unwrap_or(Space::Generic));
                self.set(i.word(1)?, Val::pointer(value, space));
                return Ok(());
            }
            (true, false) => {
                let address = self.address(&from, i)?;
                let number = self.number_of(address);
                self.regroup(&[number], &types, i)?
            }
            (false, false) => self.regroup(&from.scalars, &types, i)?,
        };
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    /// Scalars as others of the same total size: low bits first.
    pub(super) fn regroup(
        &mut self,
        from: &[Value],
        types: &[Type],
        i: &Instruction<'_>,
    ) -> Result<Vec<Value>, Error> {
        let bits = |t: &Self, list: &[Value]| -> u32 {
            list.iter().map(|v| t.function.ty(*v).bits()).sum()
        };
        if bits(self, from) != types.iter().map(|ty| ty.bits()).sum::<u32>() {
            return Err(i.invalid("types of different sizes"));
        }
        let mut out = Vec::new();
        let mut rest: Vec<Value> = from.iter().rev().copied().collect();
        for ty in types {
            let int = ty.integer();
            let mut have: Option<Value> = None;
            let mut width = 0;
            while width < ty.bits() {
                let Some(next) = rest.pop() else {
                    return Err(i.invalid("types of different sizes"));
                };
                let from = self.function.ty(next);
                let as_int = self.here().convert(Convert::Bitcast, next, from.integer());
                let from = from.integer();
                if from.bits() > ty.bits() {
                    // The low part now, the others back.
                    let mut parts = Vec::new();
                    for n in 0..from.bits() / ty.bits() {
                        let by = self.constant(from, u64::from(n * ty.bits()));
                        let moved = self.here().bin(crate::ir::Bin::LShr, as_int, by);
                        parts.push(self.here().convert(Convert::Trunc, moved, int));
                    }
                    have = parts.first().copied();
                    rest.extend(parts.iter().skip(1).rev());
                    width = ty.bits();
                } else if from.bits() == ty.bits() {
                    have = Some(as_int);
                    width = ty.bits();
                } else {
                    let wide = self.here().convert(Convert::ZExt, as_int, int);
                    let by = self.constant(int, u64::from(width));
                    let moved = self.here().bin(crate::ir::Bin::Shl, wide, by);
                    have = Some(match have {
                        None => wide,
                        Some(low) => self.here().bin(crate::ir::Bin::Or, low, moved),
                    });
                    width += from.bits();
                }
            }
            let value = have.ok_or_else(|| i.invalid("no operand"))?;
            out.push(self.here().convert(Convert::Bitcast, value, *ty));
        }
        Ok(out)
    }
}

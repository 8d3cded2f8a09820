//! Vectors in memory, and those made of others' components.

use spirv::{FPRoundingMode, OpenclStd100Op};

use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Access, Bin, Cond, Convert, Op, Type, alignment_at};

impl Translator<'_> {
    /// Components of one or two vectors, by the low bits of a mask's.
    pub(super) fn shuffle_components(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let Some((mask, vectors)) = i.rest(4).split_last() else {
            return Err(i.invalid("an operand is missing"));
        };
        let mut all = Vec::new();
        for id in vectors {
            all.extend(self.get(*id, i)?.scalars);
        }
        let first = all.first().copied().ok_or_else(|| i.invalid("no vector"))?;
        let bits = all.len().next_power_of_two() as u64 - 1;
        let mut values = Vec::new();
        for index in self.get(*mask, i)?.scalars {
            let ty = self.function.ty(index);
            let low = self.constant(ty, bits);
            let index = self.here().bin(Bin::And, index, low);
            let mut value = first;
            for (number, other) in all.iter().enumerate().skip(1) {
                let number = self.constant(ty, number as u64);
                let is = self.one(Op::Icmp(Cond::Eq), &[index, number], Type::I1);
                let ty = self.function.ty(value);
                value = self.one(Op::Select, &[is, *other, value], ty);
            }
            values.push(value);
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    /// Vectors in memory: `vloadn(offset, pointer, n)`, `vstoren(value, offset, pointer)`, and those
    /// of halves, which are floats or doubles elsewhere; `false` if the function is none. Elements
    /// are aligned to themselves, or to the vector in the functions with an `a`.
    pub(super) fn vector_access(
        &mut self,
        function: OpenclStd100Op,
        i: &Instruction<'_>,
    ) -> Result<bool, Error> {
        use OpenclStd100Op as F;
        let (load, half, aligned) = match function {
            F::vloadn => (true, false, false),
            F::vstoren => (false, false, false),
            F::vload_half | F::vload_halfn => (true, true, false),
            F::vloada_halfn => (true, true, true),
            F::vstore_half | F::vstore_half_r | F::vstore_halfn | F::vstore_halfn_r => {
                (false, true, false)
            }
            F::vstorea_halfn | F::vstorea_halfn_r => (false, true, true),
            _ => return Ok(false),
        };
        let rounding = match function {
            F::vstore_half_r | F::vstore_halfn_r | F::vstorea_halfn_r => {
                FPRoundingMode::from_u32(i.word(7)?)
            }
            _ => None,
        };
        let first = if load { 4 } else { 5 };
        let index = self.scalar(i.word(first)?, i)?;
        let pointer = self.get(i.word(first + 1)?, i)?;
        let (base, space) = self.address(&pointer, i)?;
        let (values, types) = match load {
            true => (Vec::new(), self.result_types(i)?),
            false => {
                let values = self.get(i.word(4)?, i)?.scalars.to_vec();
                let types = values
                    .iter()
                    .map(|value| self.function.ty(*value))
                    .collect();
                (values, types)
            }
        };
        let outer = *types.first().ok_or_else(|| i.invalid("no vector"))?;
        let element = if half { Type::F16 } else { outer };
        let count = types.len() as u32;
        // Three elements are as far apart as four if they are aligned.
        let pitch = match aligned {
            true => count.next_power_of_two() * element.bytes(),
            false => count * element.bytes(),
        };
        let align = if aligned { pitch } else { element.bytes() };
        let width = self.function.ty(base);
        let index = self.resize(index, width, true);
        let size = self.constant(width, u64::from(pitch));
        let offset = self.here().bin(Bin::Mul, index, size);
        let base = self.here().bin(Bin::Add, base, offset);
        let mut loaded = Vec::new();
        for from in (0..count as usize).step_by(4) {
            let at = from as u32 * element.bytes();
            let distance = self.constant(width, u64::from(at));
            let place = self.here().bin(Bin::Add, base, distance);
            let access = Access::new(space, alignment_at(align, at));
            let part = from..(from + 4).min(count as usize);
            if load {
                let types = vec![element; part.len()];
                let inst = self.here().push(Op::Load(access), &[place], &types);
                loaded.extend(self.function.insts[inst.index()].results.clone());
            } else {
                let mut args = vec![place];
                for value in &values[part] {
                    args.push(match half {
                        true => self.float_to_float(*value, element, rounding),
                        false => *value,
                    });
                }
                self.here().push(Op::Store(access), &args, &[]);
            }
        }
        if load {
            let values = loaded.into_iter().map(|value| {
                let value = self.perhaps_pointer(value, space);
                self.here().convert(Convert::FToF, value, outer)
            });
            let values = Val::many(values.collect::<Vec<_>>());
            self.set(i.word(1)?, values);
        }
        Ok(true)
    }
}

//! Addresses of variables in constants.

use std::borrow::Cow;

use spirv::{Op as Spv, StorageClass};

use super::super::reader::Instruction;
use super::super::types::{Part, Shape};
use super::{Address, Constant, Module};
use crate::error::Error;
use crate::ir::Type;

/// The number of scalars, and the addresses among them.
type Initial<'a> = (usize, Cow<'a, [Address]>);

impl Module<'_> {
    /// Of a constant, or of the address of a variable of the program.
    pub(super) fn initializer(&self, id: u32) -> Option<Initial<'_>> {
        if let Some(constant) = self.constants.get(&id) {
            let addresses = self.addresses.get(&id).map_or(&[][..], Vec::as_slice);
            return Some((constant.count, addresses.into()));
        }
        let is_placed = |class| {
            let classes = [StorageClass::UniformConstant, StorageClass::CrossWorkgroup];
            classes.contains(&class)
        };
        let mut variables = self.variables.iter();
        let is_variable = variables.any(|(other, v)| *other == id && is_placed(v.class))
            && self.builtin(id).is_none();
        is_variable.then(|| {
            let address = Address {
                scalar: 0,
                variable: id,
                offset: 0,
            };
            (1, vec![address].into())
        })
    }

    /// An operation on the address of a variable that gives another address in it; `false` if the
    /// instruction is none.
    pub(super) fn address_operation(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        let (ty, id, base) = (i.word(0)?, i.word(1)?, i.word(3)?);
        let Some((count, addresses)) = self.initializer(base) else {
            return Ok(false);
        };
        let [
            Address {
                mut offset,
                variable,
                ..
            },
        ] = addresses[..]
        else {
            return Ok(false);
        };
        // An address is one scalar; another constant with one in it may be long.
        if count != 1 {
            return Ok(false);
        }
        let result = self.types.flatten(ty, i)?;
        let is_address = |part: &Part| part.ty == Type::I64 && part.into.is_none();
        if result.len() != 1 || !result.iter().all(is_address) {
            return Ok(false);
        }
        match Spv::from_u32(i.word(2)?) {
            Some(
                Spv::Bitcast
                | Spv::PtrCastToGeneric
                | Spv::GenericCastToPtr
                | Spv::ConvertPtrToU
                | Spv::ConvertUToPtr,
            ) => {}
            Some(
                op @ (Spv::AccessChain
                | Spv::InBoundsAccessChain
                | Spv::PtrAccessChain
                | Spv::InBoundsPtrAccessChain),
            ) => {
                let by = self.constant_offset(base, op, i.rest(4), i)?;
                offset = offset.wrapping_add(by);
            }
            _ => return Ok(false),
        }
        let address = Address {
            scalar: 0,
            variable,
            offset,
        };
        let scalars = vec![(Type::I64, Some(0))];
        self.constants.insert(id, Constant::of(ty, scalars));
        self.addresses.insert(id, vec![address]);
        Ok(true)
    }

    /// The bytes that constant indices step from a pointer.
    fn constant_offset(
        &self,
        base: u32,
        op: Spv,
        indices: &[u32],
        i: &Instruction<'_>,
    ) -> Result<i64, Error> {
        let variable = self.variables.iter().find(|(id, _)| *id == base);
        let ty = variable.map(|(_, variable)| variable.ty);
        let ty = ty.or(self.constants.get(&base).map(|constant| constant.ty));
        let Some(Shape::Pointer(_, mut pointee)) = ty.and_then(|ty| self.types.get(ty)).cloned()
        else {
            return Err(i.invalid("its base is no pointer"));
        };
        let element = matches!(op, Spv::PtrAccessChain | Spv::InBoundsPtrAccessChain);
        let mut offset = 0i64;
        for (place, id) in indices.iter().enumerate() {
            let index = match self.scalars(*id).as_deref() {
                Some([(ty, Some(bits))]) => ty.signed(*bits),
                _ => return Err(i.unsupported("an index that is no constant")),
            };
            let (size, next) = match self.types.shape(pointee, i)? {
                _ if element && place == 0 => (self.types.size(pointee, i)?.0, pointee),
                Shape::Array(element, _) => (self.types.size(*element, i)?.0, *element),
                Shape::Vector(scalar, _) => (scalar.bytes(), pointee),
                Shape::Struct(_) => {
                    let (at, member) = self.types.member(pointee, index as usize, i)?;
                    offset = offset.wrapping_add(at.into());
                    (0, member)
                }
                _ => return Err(i.invalid("an index into a scalar")),
            };
            offset = offset.wrapping_add(index.wrapping_mul(size.into()));
            pointee = next;
        }
        Ok(offset)
    }
}

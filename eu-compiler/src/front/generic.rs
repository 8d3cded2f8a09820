//! Generic pointers: to them, from them, and what memory they point into.

use spirv::MemorySemantics;

use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, Op, Space, Type, Value};

impl Translator<'_> {
    /// A pointer as a generic one, which remembers what it was.
    pub(super) fn make_generic(&mut self, val: &Val, i: &Instruction<'_>) -> Result<Val, Error> {
        let (value, space) = self.address(val, i)?;
        let wide = match space {
            // What is computed of it points there, too.
            Space::Global => self.one(Op::ToGeneric(space), &[value], Type::I64),
            _ => self.widened(value, space),
        };
        Ok(Val {
            origin: (space != Space::Generic).then_some((value, space)),
            ..Val::pointer(wide, None)
        })
    }

    /// The generic pointer to a place in a memory. Private memory has an address for it, also where a null
    /// pointer is all that points there.
    pub(super) fn widened(&mut self, value: Value, space: Space) -> Value {
        if space == Space::Private {
            self.private_base();
        }
        match space {
            Space::Local | Space::Private => self.one(Op::ToGeneric(space), &[value], Type::I64),
            _ => value,
        }
    }

    /// The number that a pointer is. What is computed with it may lead into any memory.
    pub(super) fn number_of(&mut self, (value, space): (Value, Space)) -> Value {
        let number = self.widened(value, space);
        self.one(Op::Number, &[number], Type::I64)
    }

    /// The place in a memory that a generic pointer points to.
    pub(super) fn narrowed(&mut self, generic: Value, space: Space) -> Value {
        if space == Space::Private {
            self.private_base();
        }
        match space {
            Space::Local | Space::Private => {
                self.one(Op::FromGeneric(space), &[generic], Type::I32)
            }
            _ => generic,
        }
    }

    /// A generic pointer as one into this memory; no memory if it is another and `asks`.
    pub(super) fn make_specific(
        &mut self,
        val: &Val,
        wanted: Space,
        asks: bool,
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        let (value, space) = self.address(val, i)?;
        let none = match wanted {
            Space::Local | Space::Private => self.constant(Type::I32, Space::NULL.into()),
            _ => self.constant(Type::I64, 0),
        };
        if space == wanted {
            return Ok(Val::pointer(value, Some(wanted)));
        }
        if space != Space::Generic {
            return Ok(Val::pointer(none, Some(wanted)));
        }
        let narrow = self.narrowed(value, wanted);
        if !asks {
            return Ok(Val::pointer(narrow, Some(wanted)));
        }
        let ty = self.function.ty(none);
        let result = match wanted {
            Space::Local | Space::Private => {
                let is = self.one(Op::PointsInto(wanted), &[value], Type::I1);
                self.one(Op::Select, &[is, narrow, none], ty)
            }
            _ => {
                let private = self.one(Op::PointsInto(Space::Private), &[value], Type::I1);
                let local = self.one(Op::PointsInto(Space::Local), &[value], Type::I1);
                let other = self.here().bin(Bin::Or, private, local);
                self.one(Op::Select, &[other, none, narrow], ty)
            }
        };
        Ok(Val::pointer(result, Some(wanted)))
    }

    /// The memory that a fence for a generic pointer is for. Private memory is part of global
    /// memory.
    pub(super) fn memory_of(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let pointer = self.get(i.word(2)?, i)?;
        let (value, space) = self.address(&pointer, i)?;
        let ty = self.component(i.word(0)?, i)?;
        let [local, global] = [
            MemorySemantics::WORKGROUP_MEMORY,
            MemorySemantics::CROSS_WORKGROUP_MEMORY,
        ]
        .map(|memory| self.constant(ty, memory.bits().into()));
        let result = match space {
            Space::Generic => {
                let is_local = self.one(Op::PointsInto(Space::Local), &[value], Type::I1);
                self.one(Op::Select, &[is_local, local, global], ty)
            }
            Space::Local => local,
            _ => global,
        };
        self.set(i.word(1)?, Val::one(result));
        Ok(())
    }
}

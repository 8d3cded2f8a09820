//! Copies by a work-group: its work-items take turns at the elements, and waiting for the copy is a
//! barrier.

use spirv::{BuiltIn, Op as Spv};

use super::memory::Given;
use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, Cond, Op, Scope, Space, Terminator, Type, Value};

impl Translator<'_> {
    /// Copies by a work-group; `false` if the instruction is none.
    pub(super) fn group_copy(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        match i.op {
            Spv::GroupAsyncCopy => {
                self.copy_elements(i)?;
                // Events differ in nothing: who waits for one waits for all.
                let event = self.constant(Type::I64, 1);
                self.set(i.word(1)?, Val::one(event));
            }
            Spv::GroupWaitEvents => {
                self.abi.barrier = true;
                let fence = Op::Fence {
                    scope: Scope::WorkGroup,
                    local: true,
                    global: true,
                    image: false,
                };
                self.here().push(fence, &[], &[]);
                self.here().push(Op::Barrier, &[], &[]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `count` elements; those in global memory are `stride` apart.
    fn copy_elements(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let (to, from) = (self.get(i.word(3)?, i)?, self.get(i.word(4)?, i)?);
        let count = self.scalar(i.word(5)?, i)?;
        let count = self.resize(count, Type::I32, false);
        let stride = self.scalar(i.word(6)?, i)?;
        let stride = self.resize(stride, Type::I64, false);
        let ty = self.pointee(i.word(3)?, i)?;
        let (size, align) = self.module.types.size(ty, i)?;
        let first = self.builtin_component(BuiltIn::LocalInvocationIndex, 0, i)?;
        let mut step = self.builtin_component(BuiltIn::WorkgroupSize, 0, i)?;
        for dim in 1..3 {
            let size = self.builtin_component(BuiltIn::WorkgroupSize, dim, i)?;
            step = self.here().bin(Bin::Mul, step, size);
        }
        let before = self.block;
        let [header, body, after] = [(); 3].map(|()| self.function.add_block());
        self.end(Terminator::Jump(header));
        self.block = header;
        let phi = self
            .here()
            .push(Op::Phi(vec![before, body]), &[], &[Type::I32]);
        let index = self.function.result(phi);
        let more = self.one(Op::Icmp(Cond::Ult), &[index, count], Type::I1);
        self.end(Terminator::Branch(more, body, after));
        self.block = body;
        let source = self.element(&from, index, stride, size, i)?;
        let target = self.element(&to, index, stride, size, i)?;
        let value = self.load(&source, ty, Given::aligned(align), i)?;
        self.store(&target, &value, ty, Given::aligned(align), i)?;
        let next = self.here().bin(Bin::Add, index, step);
        self.end(Terminator::Jump(header));
        self.function.insts[phi.index()].args = [first, next].into_iter().collect();
        self.block = after;
        Ok(())
    }

    fn element(
        &mut self,
        pointer: &Val,
        index: Value,
        stride: Value,
        size: u32,
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        let (base, space) = self.address(pointer, i)?;
        let ty = self.function.ty(base);
        let mut index = self.resize(index, ty, false);
        if space == Space::Global {
            index = self.here().bin(Bin::Mul, index, stride);
        }
        let size = self.constant(ty, u64::from(size));
        let offset = self.here().bin(Bin::Mul, index, size);
        let place = self.here().bin(Bin::Add, base, offset);
        Ok(Val::pointer(place, Some(space)))
    }
}

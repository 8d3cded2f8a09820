//! Copies of memory. In those by a work-group its work-items take turns at the elements, and waiting for
//! the copy is a barrier.

use spirv::{BuiltIn, MemoryAccess, Op as Spv};

use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, CHUNK, Cond, Copy, Ends, Op, Scope, Space, Terminator, Type, Value, unit};

/// The most bytes that are copied without a loop.
const MAX_UNROLLED: u64 = 4096;

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
        let bytes = self.constant(Type::I64, u64::from(size));
        let first = self.builtin_component(BuiltIn::LocalInvocationIndex, 0, i)?;
        let mut step = self.builtin_component(BuiltIn::WorkgroupSize, 0, i)?;
        for dim in 1..3 {
            let size = self.builtin_component(BuiltIn::WorkgroupSize, dim, i)?;
            step = self.here().bin(Bin::Mul, step, size);
        }
        self.counted(first, count, step, |t, index| {
            let source = t.element(&from, index, stride, size, i)?;
            let target = t.element(&to, index, stride, size, i)?;
            // "3-component vector types behave as … 4-component vector types": all bytes of the type.
            t.copy(&target, &source, bytes, align, i)
        })
    }

    /// A loop over numbers from `first` on that are below `end`, `step` apart.
    fn counted(
        &mut self,
        first: Value,
        end: Value,
        step: Value,
        body: impl FnOnce(&mut Self, Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let ty = self.function.ty(first);
        let before = self.block;
        let [header, inside, after] = [(); 3].map(|()| self.function.add_block());
        self.end(Terminator::Jump(header));
        self.block = header;
        let phi = self.here().push(Op::Phi(vec![before, inside]), &[], &[ty]);
        let index = self.function.result(phi);
        let more = self.one(Op::Icmp(Cond::Ult), &[index, end], Type::I1);
        self.end(Terminator::Branch(more, inside, after));
        self.block = inside;
        body(self, index)?;
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

    /// A copy of a number of bytes.
    pub(super) fn copy_bytes(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let (to, from) = (self.get(i.word(0)?, i)?, self.get(i.word(1)?, i)?);
        let size = self.scalar(i.word(2)?, i)?;
        let align = copied_alignment(i, 3).unwrap_or(1).max(1);
        self.copy(&to, &from, size, align, i)
    }

    /// Copies so many bytes, whose ends are aligned so.
    pub(super) fn copy(
        &mut self,
        to: &Val,
        from: &Val,
        size: Value,
        align: u32,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let (to, to_space) = self.address(to, i)?;
        let (from, from_space) = self.address(from, i)?;
        let ends = Ends {
            to,
            to_space,
            from,
            from_space,
            align,
        };
        let generic = [to_space, from_space].contains(&Space::Generic);
        match self.function.bits(size) {
            Some(size) if size <= MAX_UNROLLED => ends.range(&mut self.here(), 0..size as u32),
            // It may be a table, which nobody has to copy.
            Some(size) if size < 1 << 31 && !generic => {
                let copy = Copy {
                    size: size as u32,
                    align,
                    to: to_space,
                    from: from_space,
                };
                self.here().push(Op::Copy(copy), &[to, from], &[]);
            }
            _ => {
                let size = self.resize(size, Type::I64, false);
                let mask = self.constant(Type::I64, !u64::from(CHUNK - 1));
                let end = self.here().bin(Bin::And, size, mask);
                self.copy_chunks(ends, end)?;
                let one = self.constant(Type::I64, 1);
                self.counted(end, size, one, |t, at| {
                    let bytes = Ends { align: 1, ..ends };
                    bytes.elements(&mut t.here(), at, Type::I8, 1);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Copies whole chunks, up to a number of bytes.
    fn copy_chunks(&mut self, ends: Ends, end: Value) -> Result<(), Error> {
        let ty = self.function.ty(end);
        let (zero, step) = (self.constant(ty, 0), self.constant(ty, CHUNK.into()));
        let unit = unit(ends.align);
        self.counted(zero, end, step, |t, at| {
            ends.elements(&mut t.here(), at, unit, CHUNK / unit.bytes());
            Ok(())
        })
    }
}

/// The alignment of both ends of a copy, if its operands from `at` on say one: those of the target, then
/// (since SPIR-V 1.4) those of the source.
pub(super) fn copied_alignment(i: &Instruction<'_>, at: usize) -> Option<u32> {
    let mut operands = i.rest(at).iter().copied();
    let mut least = None;
    while let Some(mask) = operands.next() {
        let mask = MemoryAccess::from_bits_truncate(mask);
        if mask.contains(MemoryAccess::ALIGNED) {
            let align = operands.next()?;
            least = Some(least.map_or(align, |least: u32| least.min(align)));
        }
    }
    least
}

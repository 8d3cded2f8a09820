//! Addresses are compared with what the types of their accesses are aligned to.

use devinfo::report;
use spirv::{MemoryAccess, Op};

use super::{Fault, Rewriter};
use crate::bounds::build::push;
use crate::bounds::flow;
use crate::bounds::layout::Kind;
use crate::bounds::reach::{arithmetic, compare};
use crate::module::Instruction;

/// What blocks that a sub-group writes are aligned to (`cl_intel_subgroups`).
const WRITTEN_BLOCK: u64 = 16;

impl Rewriter<'_> {
    /// The alignment that a pointer has by what it comes from.
    fn alignment(&self, pointer: u32) -> Option<u64> {
        match self.loose.get(&pointer) {
            Some(alignment) => Some(*alignment),
            None => self.layout.alignment(self.layout.pointee(pointer)?.1),
        }
    }

    /// Remembers a pointer that is aligned to less than its type says.
    pub(super) fn loosen(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let (ty, id) = (one.word(0), one.word(1));
        let Kind::Pointer { pointee, .. } = *self.layout.kind(ty)? else {
            return None;
        };
        let natural = self.layout.alignment(pointee)?;
        let alignment = match op {
            Op::ConvertUToPtr => 1,
            Op::Select => {
                let [a, b] = [one.word(3), one.word(4)].map(|of| self.alignment(of));
                a?.min(b?)
            }
            Op::Phi => {
                let from = flow::choices(one).filter_map(|[of, _]| self.alignment(of));
                from.min()?
            }
            _ => self.alignment(flow::base(op, one)?)?,
        };
        if alignment < natural {
            self.loose.insert(id, alignment);
        }
        Some(())
    }

    /// An access that says what it is aligned to is compared with that, if its pointer is not known to be;
    /// a block that the sub-group writes is compared always.
    pub(super) fn aligned(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let (pointer, value, operands, writes) = match op {
            Op::SubgroupBlockWriteINTEL => return self.block(one.word(0), one.word(1)),
            Op::Load => (one.word(2), one.word(0), one.operands.get(3..)?, false),
            Op::Store => {
                let ty = self.layout.type_of(one.word(1))?;
                (one.word(0), ty, one.operands.get(2..)?, true)
            }
            _ => return None,
        };
        let &[mask, alignment, ..] = operands else {
            return None;
        };
        let alignment = u64::from(alignment);
        let says = mask & MemoryAccess::ALIGNED.bits() != 0 && alignment.is_power_of_two();
        if !says || *self.loose.get(&pointer)? >= alignment {
            return None;
        }
        self.compare(pointer, value, alignment, (report::MISALIGNED, writes))
    }

    /// The address of a block that is written is compared with what the extension asks for: messages may not
    /// have its low bits. (Those of reads do.)
    fn block(&mut self, pointer: u32, value: u32) -> Option<()> {
        let ty = self.layout.type_of(value)?;
        let kind = report::MISALIGNED | report::BLOCK;
        self.compare(pointer, ty, WRITTEN_BLOCK, (kind, true))
    }

    /// Compares the address of an access of a type with an alignment.
    fn compare(
        &mut self,
        pointer: u32,
        value: u32,
        alignment: u64,
        (kind, writes): (u32, bool),
    ) -> Option<()> {
        let (storage, _) = self.layout.pointee(pointer)?;
        let bytes = self.layout.accessed(value)?;
        let address = self.builder.id();
        let wide = self.builder.types.wide;
        let to_number = [wide, address, pointer];
        push(&mut self.words, Op::ConvertPtrToU, &to_number);
        let doubtful = self.is_odd(address, alignment);
        let fault = Fault::Misaligned {
            address,
            alignment,
            kind,
        };
        self.add(doubtful, fault, storage, bytes, writes);
        Some(())
    }

    /// Whether an address is no multiple of so many bytes.
    fn is_odd(&mut self, address: u32, alignment: u64) -> u32 {
        let mask = self.builder.wide(alignment - 1);
        let none = self.builder.wide(0);
        let words = &mut self.words;
        let rest = arithmetic(self.builder, words, Op::BitwiseAnd, [address, mask]);
        compare(self.builder, words, Op::INotEqual, [rest, none])
    }
}

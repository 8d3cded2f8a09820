//! What is added besides comparisons with variables: of addresses with what their types are aligned to, and
//! what shows how channels are in order.

use std::collections::{HashMap, HashSet};

use devinfo::report;
use spirv::{Decoration, ExecutionMode, LinkageType, MemoryAccess, MemorySemantics, Op, Scope};

use super::{Fault, Rewriter, STORE};
use crate::bounds::build::push;
use crate::bounds::flow;
use crate::bounds::layout::Kind;
use crate::bounds::reach::{arithmetic, compare};
use crate::module::{Instruction, Module};

/// The functions with the code of kernels. An entry point may do nothing but call a function that has its name
/// for other modules; Intel's compiler takes that function, and leaves the entry point out.
pub(super) fn kernels(module: &Module) -> HashSet<u32> {
    let of = |op| {
        module
            .instructions()
            .filter(move |one| one.op() == Some(op))
    };
    let exported: HashMap<String, u32> = of(Op::Decorate)
        .filter(|one| one.word(1) == Decoration::LinkageAttributes as u32)
        .filter(|one| one.operands.last() == Some(&(LinkageType::Export as u32)))
        .map(|one| (one.text(2), one.word(0)))
        .collect();
    of(Op::EntryPoint)
        .map(|one| exported.get(&one.text(2)).copied().unwrap_or(one.word(1)))
        .collect()
}

/// The most work-items that one sub-group has.
const WIDEST: u32 = 32;

/// Whether a kernel requires groups that may be one sub-group: Intel's compiler leaves their barriers out.
pub(super) fn has_small_groups(module: &Module) -> bool {
    let modes = module.instructions().filter(|one| {
        one.op() == Some(Op::ExecutionMode) && one.word(1) == ExecutionMode::LocalSize as u32
    });
    let sizes = modes.map(|one| {
        let size = [2, 3, 4].map(|place| one.word(place));
        size.into_iter().fold(1u32, u32::saturating_mul)
    });
    sizes.into_iter().any(|size| size <= WIDEST)
}

impl Rewriter<'_> {
    /// A kernel says that its channels are in order by barriers alone.
    pub(super) fn begin(&mut self) {
        self.added = true;
        let t = self.builder.types;
        let what = self.builder.four([0, 0, 0, report::APART]);
        let address = self.builder.wide(report::ADDRESS);
        let pointer = self.builder.id();
        let words = &mut self.words;
        push(words, Op::ConvertUToPtr, &[t.to_four, pointer, address]);
        push(words, Op::Store, &[&[pointer, what], &STORE[..]].concat());
    }

    /// A fence, which machine code shows where it does not show a barrier: that of a sub-group, or of a
    /// group that is one.
    pub(super) fn fence(&mut self) {
        let semantics = MemorySemantics::ACQUIRE_RELEASE
            | MemorySemantics::WORKGROUP_MEMORY
            | MemorySemantics::CROSS_WORKGROUP_MEMORY;
        let scope = self.builder.word(Scope::Workgroup as u32);
        let semantics = self.builder.word(semantics.bits());
        push(&mut self.words, Op::MemoryBarrier, &[scope, semantics]);
    }

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

    /// An access that says what it is aligned to is compared with that, if its pointer is not known to be.
    pub(super) fn aligned(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let (pointer, value, operands, writes) = match op {
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
        let t = self.builder.types;
        let address = self.builder.id();
        push(
            &mut self.words,
            Op::ConvertPtrToU,
            &[t.wide, address, pointer],
        );
        let doubtful = self.is_odd(address, alignment);
        let (storage, _) = self.layout.pointee(pointer)?;
        let bytes = self.layout.accessed(value)?;
        let fault = Fault::Misaligned(address, alignment);
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

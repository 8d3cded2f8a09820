//! What shows how the channels of a kernel are in order: a mark where its code begins, and fences.

use std::collections::{HashMap, HashSet};

use devinfo::report;
use spirv::{Decoration, ExecutionMode, LinkageType, MemorySemantics, Op, Scope};

use super::{Rewriter, STORE};
use crate::bounds::build::push;
use crate::module::Module;

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

/// Whether a kernel requires groups that may be one sub-group: Intel's compiler leaves their barriers out.
pub(super) fn has_small_groups(module: &Module) -> bool {
    let modes = module.instructions().filter(|one| {
        one.op() == Some(Op::ExecutionMode) && one.word(1) == ExecutionMode::LocalSize as u32
    });
    let sizes = modes.map(|one| {
        let size = [2, 3, 4].map(|place| one.word(place));
        size.into_iter().fold(1u32, u32::saturating_mul)
    });
    let widths = devinfo::PLATFORMS.iter().flat_map(|one| one.simd_widths);
    let widest = widths.copied().max().unwrap_or(0);
    sizes.into_iter().any(|size| size <= widest.into())
}

impl Rewriter<'_> {
    /// The kernel says that its channels are in order by barriers alone.
    pub(super) fn mark(&mut self) {
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
}

//! A mark where the code of a kernel begins.

use std::collections::{HashMap, HashSet};

use devinfo::report;
use spirv::{Decoration, LinkageType, Op};

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

impl Rewriter<'_> {
    /// The kernel says that its channels are in order by what it tells alone.
    pub(super) fn mark(&mut self) {
        self.added = true;
        let t = self.builder.types;
        let threes = if self.moves_threes { report::THREES } else { 0 };
        let what = self.builder.four([0, 0, 0, report::APART | threes]);
        let address = self.builder.wide(report::ADDRESS);
        let pointer = self.builder.id();
        let words = &mut self.words;
        push(words, Op::ConvertUToPtr, &[t.to_four, pointer, address]);
        push(words, Op::Store, &[&[pointer, what], &STORE[..]].concat());
    }
}

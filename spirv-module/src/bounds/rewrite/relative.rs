//! Shuffles by a distance that ask for a channel which the sub-group has not: they give an undefined value
//! (`cl_khr_subgroup_shuffle_relative`). A tree of sums asks so, and uses nothing of it. So such a channel gets
//! a value that nothing has written.

use spirv::{BuiltIn, MemoryAccess, Op, Scope};

use super::Rewriter;
use super::parts::access;
use crate::bounds::build::push;
use crate::bounds::layout::{Kind, Layout};
use crate::bounds::reach::compare;
use crate::module::Instruction;

/// Whether it is such a shuffle.
pub(super) fn is_relative(op: Op) -> bool {
    matches!(
        op,
        Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown
    )
}

/// Whether values of a type are numbers.
pub(super) fn is_number(layout: &Layout, ty: u32) -> bool {
    let kind = layout.kind(ty);
    matches!(kind, Some(Kind::Integer { .. } | Kind::Float { .. }))
}

impl Rewriter<'_> {
    /// The shuffle, and the choice of its value.
    pub(super) fn shuffle_relative(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let &[ty, result, scope, value, distance] = one.operands else {
            return None;
        };
        let word = self.builder.types.word;
        let source = *self.sources.get(&ty)?;
        let is_of_sub_group = self.layout.constant(scope) == Some(Scope::Subgroup as i64);
        if !is_of_sub_group || self.layout.type_of(distance) != Some(word) {
            return None;
        }
        let mut input = |what| self.builder.input(what, word, self.layout);
        let own = input(BuiltIn::SubgroupLocalInvocationId)?;
        let size = input(BuiltIn::SubgroupSize)?;
        self.added = true;
        let alignment = self.layout.alignment(ty).unwrap_or(1);
        let words = &mut self.words;
        let builder = &mut *self.builder;
        let [shuffled, lane, channels, nothing] = [0; 4].map(|_| builder.id());
        push(words, op, &[ty, shuffled, scope, value, distance]);
        push(words, Op::Load, &[word, lane, own]);
        let beyond = if op == Op::GroupNonUniformShuffleUp {
            compare(builder, words, Op::ULessThan, [lane, distance])
        } else {
            push(words, Op::Load, &[word, channels, size]);
            let id = builder.id();
            push(words, Op::ISub, &[word, id, channels, lane]);
            compare(builder, words, Op::UGreaterThanEqual, [distance, id])
        };
        let how = access(MemoryAccess::VOLATILE, alignment);
        push(words, Op::Load, &[ty, nothing, source, how[0], how[1]]);
        push(words, Op::Select, &[ty, result, beyond, nothing, shuffled]);
        Some(())
    }
}

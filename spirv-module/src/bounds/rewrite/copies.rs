//! Copies by a work-group. Compilers let each work-item copy the elements that it will most often use itself,
//! and then nothing shows that a wait or a barrier is missing. Here each element but the first is copied by the
//! work-item before that one.

use spirv::{Op, StorageClass};

use super::Rewriter;
use crate::bounds::build::push;
use crate::module::Instruction;

impl Rewriter<'_> {
    /// A copy of all elements but the first, and then one of the first.
    pub(super) fn copy_by_others(&mut self, one: &Instruction<'_>) -> Option<()> {
        let &[event_type, event, scope, to, from, count, stride, before] = one.operands else {
            return None;
        };
        let size = self.layout.type_of(count)?;
        if self.layout.type_of(stride) != Some(size) {
            return None;
        }
        let t = self.builder.types;
        let [none, single] = if size == t.wide {
            [0, 1].map(|number| self.builder.wide(number))
        } else if size == t.word {
            [0, 1].map(|number| self.builder.word(number))
        } else {
            return None;
        };
        let first = match self.layout.constant(count) {
            Some(0) => return None,
            Some(_) => single,
            None => {
                let [some, first] = [0; 2].map(|_| self.builder.id());
                let words = &mut self.words;
                push(words, Op::INotEqual, &[t.truth, some, count, none]);
                push(words, Op::Select, &[size, first, some, single, none]);
                first
            }
        };
        let rest = self.builder.id();
        push(&mut self.words, Op::ISub, &[size, rest, count, first]);
        let mut second = |pointer| {
            let ty = self.layout.type_of(pointer)?;
            let (storage, _) = self.layout.pointee(pointer)?;
            // In local memory, elements follow each other.
            let is_local = storage == StorageClass::Workgroup as u32;
            let step = if is_local { single } else { stride };
            let id = self.builder.id();
            push(
                &mut self.words,
                Op::PtrAccessChain,
                &[ty, id, pointer, step],
            );
            Some(id)
        };
        let [next_to, next_from] = [second(to)?, second(from)?];
        let begun = self.builder.id();
        let others = [
            event_type, begun, scope, next_to, next_from, rest, stride, before,
        ];
        push(&mut self.words, Op::GroupAsyncCopy, &others);
        let first = [event_type, event, scope, to, from, first, stride, begun];
        push(&mut self.words, Op::GroupAsyncCopy, &first);
        self.added = true;
        Some(())
    }
}

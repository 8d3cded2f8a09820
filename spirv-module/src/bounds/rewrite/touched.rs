//! What instructions access.

use spirv::{Op, OpenclStd100Op as CLOp};

use super::{Rewriter, Touched};
use crate::bounds::build::push;
use crate::bounds::layout::Kind;
use crate::bounds::reach::{Index, Step, compare, step};
use crate::module::Instruction;
use crate::valid::exchanges;

impl Rewriter<'_> {
    /// What an instruction accesses.
    pub(super) fn touched(&mut self, op: Op, one: &Instruction<'_>) -> Vec<Touched> {
        let word = |index| one.word(index);
        let layout = self.layout;
        let of_value = |value| layout.accessed(layout.type_of(value)?);
        let touched = match op {
            Op::Load => [Some((word(2), layout.accessed(word(0)), false)), None],
            Op::Store => [Some((word(0), of_value(word(1)), true)), None],
            Op::AtomicLoad => [Some((word(2), layout.accessed(word(0)), false)), None],
            Op::AtomicStore => [Some((word(0), of_value(word(3)), true)), None],
            _ if exchanges(op) => [Some((word(2), layout.accessed(word(0)), true)), None],
            Op::AtomicFlagTestAndSet => [Some((word(2), Some(4), true)), None],
            Op::AtomicFlagClear => [Some((word(0), Some(4), true)), None],
            Op::CopyMemory => {
                let size = layout.pointee(word(0)).and_then(|(_, ty)| layout.size(ty));
                [Some((word(0), size, true)), Some((word(1), size, false))]
            }
            Op::CopyMemorySized => {
                let size = layout
                    .constant(word(2))
                    .and_then(|size| size.try_into().ok());
                [Some((word(0), size, true)), Some((word(1), size, false))]
            }
            Op::ExtInst if word(2) == self.sets[0] => {
                self.vector(one);
                [None, None]
            }
            Op::GroupAsyncCopy => {
                self.last_of_copy(word(3), word(5), true);
                self.last_of_copy(word(4), word(5), false);
                [None, None]
            }
            _ => [None, None],
        };
        let known = touched.into_iter().flatten();
        let known = known.filter(|(pointer, ..)| self.flow.traced.contains(pointer));
        known
            .filter_map(|(pointer, bytes, writes)| Some((pointer, bytes?, writes)))
            .collect()
    }

    /// The last element of so many that are copied from or to an array; of none, the first.
    fn last_of_copy(&mut self, pointer: u32, count: u32, writes: bool) -> Option<()> {
        if !self.flow.traced.contains(&pointer) {
            return None;
        }
        let (storage, ty) = self.layout.pointee(pointer)?;
        let bytes = self.layout.size(ty)?;
        let reach = self.reach(pointer);
        let reach = match self.layout.constant(count) {
            Some(0) => return None,
            Some(count) => {
                let part = step(Some(count), bytes, None)?;
                self.moved(reach, 0, &part)?
            }
            None => {
                let id = self.at_least_one(count)?;
                let index = Index {
                    id,
                    bits: 64,
                    signed: true,
                };
                let count = None;
                reach.stepped(Step {
                    index,
                    bytes,
                    count,
                })
            }
        };
        let back = i64::try_from(bytes).ok()?.checked_neg()?;
        self.doubt_of(reach.moved(back), storage, bytes, writes);
        Some(())
    }

    /// A number of 64 bits; 1 instead of 0.
    fn at_least_one(&mut self, count: u32) -> Option<u32> {
        let ty = self.layout.type_of(count)?;
        let Kind::Integer { bits: 64 } = self.layout.kind(ty)? else {
            return None;
        };
        let [none, one] = [0, 1].map(|value| self.builder.wide(value));
        let is_none = compare(self.builder, &mut self.words, Op::IEqual, [count, none]);
        let id = self.builder.id();
        push(&mut self.words, Op::Select, &[ty, id, is_none, one, count]);
        Some(id)
    }

    /// What `vloadn` and `vstoren` access.
    fn vector(&mut self, one: &Instruction<'_>) -> Option<()> {
        let (loads, stores) = (CLOp::vloadn as u32, CLOp::vstoren as u32);
        let number = one.word(3);
        let (pointer, index, ty, writes) = match number {
            _ if number == loads => (one.word(5), one.word(4), one.word(0), false),
            _ if number == stores => {
                let ty = self.layout.type_of(one.word(4))?;
                (one.word(6), one.word(5), ty, true)
            }
            _ => return None,
        };
        if !self.flow.traced.contains(&pointer) {
            return None;
        }
        let bytes = self.layout.accessed(ty)?;
        let part = step(self.layout.constant(index), bytes, None)?;
        let reach = self.reach(pointer);
        let reach = self.moved(reach, index, &part)?;
        let (storage, _) = self.layout.pointee(pointer)?;
        self.doubt_of(reach, storage, bytes, writes);
        Some(())
    }
}

//! Stores of one component of a vector in memory.
//!
//! Clang makes of `p->x = a` a load of the whole vector, an insertion and a store of the whole. The store writes back
//! what may have no value yet, and what other work-items write. The program stores the one component: so does the
//! code that is checked.

use std::collections::{HashMap, HashSet};

use spirv::{MemoryAccess, Op, StorageClass};

use super::Rewriter;
use crate::bounds::build::push;
use crate::bounds::layout::Kind;
use crate::module::Instruction;

/// What has been loaded since memory was last written, and what was made of it.
#[derive(Debug, Default)]
pub(super) struct Components {
    /// By value, the pointer.
    loads: HashMap<u32, u32>,
    /// By value, the pointer, the new component and its number.
    inserted: HashMap<u32, [u32; 3]>,
    /// Vectors of four that have no value as their fourth.
    pub lack_fourth: HashSet<u32>,
}

/// What a shuffle of vectors has where nothing is asked for.
const NOTHING: u32 = u32::MAX;

impl Components {
    /// Remembers what an instruction loads or inserts.
    pub fn follow(&mut self, op: Op, one: &Instruction<'_>) {
        if let (Op::VectorShuffle, &[_, id, _, _, _, _, _, NOTHING]) = (op, one.operands) {
            self.lack_fourth.insert(id);
        }
        match (op, one.operands) {
            (Op::Load, &[_, id, pointer, ref access @ ..]) => {
                let mask = access.first().copied().unwrap_or(0);
                if mask & MemoryAccess::VOLATILE.bits() == 0 {
                    self.loads.insert(id, pointer);
                }
            }
            (Op::CompositeInsert, &[_, id, component, vector, number]) => {
                if let Some(pointer) = self.loads.get(&vector) {
                    self.inserted.insert(id, [*pointer, component, number]);
                }
            }
            // These compute, and touch no memory.
            (
                Op::Bitcast
                | Op::InBoundsPtrAccessChain
                | Op::PtrAccessChain
                | Op::Line
                | Op::NoLine,
                _,
            )
            | (Op::CompositeExtract | Op::VectorShuffle | Op::CompositeConstruct | Op::Phi, _)
            | (Op::SConvert | Op::UConvert | Op::FConvert | Op::ExtInst, _) => {}
            _ => {
                self.loads.clear();
                self.inserted.clear();
            }
        }
    }
}

impl Rewriter<'_> {
    /// A store of a vector in which one component is new, as a store of that.
    pub(super) fn store_component(&mut self, one: &Instruction<'_>) -> Option<()> {
        let (pointer, value) = (one.word(0), one.word(1));
        let [from, component, number] = *self.components.inserted.get(&value)?;
        let (storage, vector) = self.layout.pointee(pointer)?;
        let mask = one.operands.get(2).copied().unwrap_or(0);
        let own = storage == StorageClass::Function as u32;
        if from != pointer || own || mask & MemoryAccess::VOLATILE.bits() != 0 {
            return None;
        }
        let Kind::Vector {
            component: ty,
            count,
        } = *self.layout.kind(vector)?
        else {
            return None;
        };
        let bytes = u32::try_from(self.layout.size(ty)?).ok()?;
        if u64::from(number) >= count {
            return None;
        }
        let to = self.builder.pointer(storage, ty, self.layout);
        let number = self.builder.word(number);
        let place = self.builder.id();
        self.added = true;
        let chain = [to, place, pointer, number];
        push(&mut self.words, Op::InBoundsAccessChain, &chain);
        let aligned = MemoryAccess::ALIGNED.bits();
        push(
            &mut self.words,
            Op::Store,
            &[place, component, aligned, bytes],
        );
        Some(())
    }
}

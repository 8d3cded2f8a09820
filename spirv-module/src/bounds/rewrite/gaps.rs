//! Bytes that need no value: what is between the members of a structure, behind the third component of a vector of
//! three, and in a union, of which a program may have written any member.
//!
//! A structure is copied whole, as it is in a plain run: there may be values where its type has nothing. So before a
//! copy to memory that others read, code tells which of its bytes may be without.

use devinfo::report;
use spirv::{MemoryAccess, Op, StorageClass};

use super::Rewriter;
use crate::bounds::build::push;
use crate::bounds::layout::{Kind, Layout};
use crate::bounds::reach::arithmetic;
use crate::module::{Instruction, Module};

/// The most bytes of a copy that code is written for.
const LARGEST: usize = 1024;

/// Types that are looked at for one: a structure may have many members that are empty.
const VISITED: usize = 4096;

/// What Clang fills up is aligned to so many bytes: no integer of LLVM's is.
const WIDEST: u64 = 16;

/// Bytes of which a report tells.
const TOLD: usize = 32;

/// Whether the last member of a structure is what Clang fills it up with, where LLVM would leave it shorter. (Members
/// of a program that look like that count as padding, too.)
fn is_tail(layout: &Layout, ty: u32, member: u32) -> bool {
    let Some(&Kind::Array { element, count }) = layout.kind(member) else {
        return false;
    };
    let alignment = layout.alignment(ty).unwrap_or(1);
    let is_byte = matches!(layout.kind(element), Some(Kind::Integer { bits: 8 }));
    is_byte && alignment >= WIDEST && count < alignment
}

/// Marks the bytes of a type that need a value, from the first one of `needed` on.
fn need(layout: &Layout, ty: u32, needed: &mut [bool], left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    match layout.kind(ty)? {
        Kind::Structure(_) if layout.is_union(ty) => {}
        Kind::Structure(members) => {
            for index in 0..members.len() {
                let (offset, member) = layout.member(ty, index)?;
                if index > 0 && index + 1 == members.len() && is_tail(layout, ty, member) {
                    continue;
                }
                let rest = needed.get_mut(usize::try_from(offset).ok()?..)?;
                need(layout, member, rest, left)?;
            }
        }
        Kind::Array { element, count } => {
            let size = usize::try_from(layout.size(*element)?).ok()?;
            let count = usize::try_from(*count).ok()?;
            let elements = needed.chunks_mut(size.max(1)).take(count);
            for part in elements {
                need(layout, *element, part, left)?;
            }
        }
        Kind::Bool
        | Kind::Integer { .. }
        | Kind::Float { .. }
        | Kind::Vector { .. }
        | Kind::Pointer { .. } => {
            let bytes = usize::try_from(layout.accessed(ty)?).ok()?;
            needed.get_mut(..bytes)?.fill(true);
        }
    }
    Some(())
}

/// Of so many bytes that are copied from or to values of a type, which need one; `None` if that is not known.
fn needed(layout: &Layout, ty: u32, bytes: u64) -> Option<Vec<bool>> {
    let bytes = usize::try_from(bytes).ok().filter(|all| *all <= LARGEST)?;
    let size = usize::try_from(layout.size(ty)?).ok()?;
    if size == 0 || !bytes.is_multiple_of(size) {
        return None;
    }
    let mut needed = vec![false; bytes];
    let mut left = VISITED;
    for value in needed.chunks_mut(size) {
        need(layout, ty, value, &mut left)?;
    }
    Some(needed)
}

/// Whether a type is a vector of three, or has one in it.
fn has_three(layout: &Layout, ty: u32, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return true;
    };
    *left = rest;
    match layout.kind(ty) {
        Some(Kind::Vector { count, .. }) => *count == 3,
        Some(Kind::Array { element, .. }) => has_three(layout, *element, left),
        Some(Kind::Structure(members)) => members.iter().any(|one| has_three(layout, *one, left)),
        _ => false,
    }
}

/// Whether a module moves vectors of three in ways of which code does not tell: compilers may store their fourth
/// components, too.
pub(super) fn moves_threes(module: &Module, layout: &Layout) -> bool {
    let is_three = |ty: u32| has_three(layout, ty, &mut VISITED.clone());
    let points = |pointer: u32| layout.pointee(pointer).is_some_and(|(_, ty)| is_three(ty));
    let has_any = || {
        let mut all = module.instructions();
        all.any(|one| {
            one.op() == Some(Op::TypePointer)
                && one.word(1) != StorageClass::Input as u32
                && one.word(1) != StorageClass::Function as u32
                && is_three(one.word(2))
        })
    };
    module.instructions().any(|one| match one.op() {
        Some(Op::GroupAsyncCopy) => points(one.word(3)),
        Some(Op::WritePipe) => points(one.word(3)),
        Some(Op::ReservedWritePipe) => points(one.word(5)),
        Some(Op::Store) => layout.type_of(one.word(1)).is_some_and(|ty| {
            let whole = matches!(
                layout.kind(ty),
                Some(Kind::Structure(_) | Kind::Array { .. })
            );
            whole && is_three(ty)
        }),
        // What is copied may be of any type, if it is too large to tell.
        Some(Op::CopyMemorySized) => {
            let size = layout.constant(one.word(2)).map(i64::cast_unsigned);
            size.is_none_or(|size| size > LARGEST as u64) && has_any()
        }
        _ => false,
    })
}

impl Rewriter<'_> {
    /// A copy of a structure to memory that is not a work-item's own tells the bytes that need no value.
    pub(super) fn gaps(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let (target, source) = (one.word(0), one.word(1));
        let pointees = [target, source].map(|id| {
            let uncast = self.casts.get(&id).copied().unwrap_or(id);
            self.layout.pointee(uncast)
        });
        let (storage, _) = self.layout.pointee(target)?;
        if !is_shared(storage) {
            return None;
        }
        let bytes = match op {
            Op::CopyMemorySized => u64::try_from(self.layout.constant(one.word(2))?).ok()?,
            Op::CopyMemory => self.layout.size(self.layout.pointee(target)?.1)?,
            _ => return None,
        };
        // What both types need; one of them may be a number of bytes.
        let all = pointees.into_iter().flatten();
        let all = all.filter_map(|(_, ty)| needed(self.layout, ty, bytes));
        let needed = all.reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| a && b).collect())?;
        let t = self.builder.types;
        let address = self.builder.id();
        let mut begun = false;
        for (index, part) in needed.chunks(TOLD).enumerate() {
            let mask = part
                .iter()
                .enumerate()
                .fold(0u32, |mask, (at, needs)| mask | u32::from(!needs) << at);
            if mask == 0 {
                continue;
            }
            if !begun {
                begun = true;
                let to_number = [t.wide, address, target];
                push(&mut self.words, Op::ConvertPtrToU, &to_number);
            }
            let offset = self.builder.wide((index * TOLD) as u64);
            let words = &mut self.words;
            let place = arithmetic(self.builder, words, Op::IAdd, [address, offset]);
            let [low, high] = self.halves(place);
            let mask = self.builder.word(mask);
            self.store_report([low, high, mask], report::GAPS);
        }
        Some(())
    }

    /// A vector of three that is stored: its three components. Clang makes of it a store of four.
    pub(super) fn store_three(&mut self, one: &Instruction<'_>) -> Option<()> {
        let (pointer, value) = (one.word(0), one.word(1));
        let how = one.operands.get(2..).unwrap_or_default();
        let mask = how.first().copied().unwrap_or(0);
        let (storage, vector) = self.layout.pointee(pointer)?;
        if !is_shared(storage) || mask & MemoryAccess::VOLATILE.bits() != 0 {
            return None;
        }
        let Kind::Vector { component, count } = *self.layout.kind(vector)? else {
            return None;
        };
        let of_three = |id: u32| {
            let (_, ty) = self.layout.pointee(id)?;
            match self.layout.kind(ty)? {
                Kind::Vector {
                    component: same,
                    count: 3,
                } => Some(*same == component),
                _ => None,
            }
        };
        let was_three = self.casts.get(&pointer).and_then(|from| of_three(*from));
        let is_three = count == 3
            || count == 4
                && (was_three == Some(true) || self.components.lack_fourth.contains(&value));
        if !is_three {
            return None;
        }
        let natural = u32::try_from(self.layout.size(component)?).ok()?;
        let alignment = match how {
            [mask, alignment, ..] if mask & MemoryAccess::ALIGNED.bits() != 0 => *alignment,
            _ => natural,
        };
        let to = self.builder.pointer(storage, component, self.layout);
        self.added = true;
        for index in 0..3 {
            let [part, place] = [0; 2].map(|_| self.builder.id());
            let number = self.builder.word(index);
            let words = &mut self.words;
            push(
                words,
                Op::CompositeExtract,
                &[component, part, value, index],
            );
            push(
                words,
                Op::InBoundsAccessChain,
                &[to, place, pointer, number],
            );
            let aligned = MemoryAccess::ALIGNED.bits();
            push(
                words,
                Op::Store,
                &[place, part, aligned, natural.min(alignment)],
            );
        }
        Some(())
    }
}

/// Whether others may read what is stored in a kind of memory.
fn is_shared(storage: u32) -> bool {
    let shared = [StorageClass::CrossWorkgroup, StorageClass::Generic];
    shared.iter().any(|one| *one as u32 == storage)
}

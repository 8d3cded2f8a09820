//! Arrays and structures, part by part.

use spirv::{MemoryAccess, Op};

use crate::bounds::build::{Builder, push};
use crate::bounds::layout::{Kind, Layout};

/// The most parts that code is written for. Compilers keep what has more in memory.
const PARTS: usize = 128;

/// A part of a type that is a number, a pointer or a vector.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The indices that lead to it.
    pub at: Vec<u32>,
    pub ty: u32,
    pub alignment: u64,
}

/// The parts of a type; `None` if there are too many, or if one is not known.
pub(super) fn parts(layout: &Layout, ty: u32) -> Option<Vec<Part>> {
    let mut all = Vec::new();
    let mut left = 2 * PARTS;
    gather(layout, ty, false, (&mut Vec::new(), &mut left), &mut all)?;
    Some(all)
}

fn gather(
    layout: &Layout,
    ty: u32,
    packed: bool,
    (at, left): (&mut Vec<u32>, &mut usize),
    parts: &mut Vec<Part>,
) -> Option<()> {
    // A module may say that a structure is in itself, or has many that are empty.
    *left = left.checked_sub(1)?;
    let packed = packed || layout.is_packed(ty);
    let inner = match layout.kind(ty)? {
        Kind::Integer { .. } | Kind::Float { .. } | Kind::Vector { .. } | Kind::Pointer { .. } => {
            let alignment = if packed { 1 } else { layout.alignment(ty)? };
            let at = at.clone();
            parts.push(Part { at, ty, alignment });
            return (parts.len() <= PARTS).then_some(());
        }
        Kind::Array { element, count } => {
            let count = usize::try_from(*count).ok().filter(|count| *count <= PARTS);
            vec![*element; count?]
        }
        Kind::Structure(members) => members.clone(),
        Kind::Bool => return None,
    };
    for (index, ty) in (0..).zip(inner) {
        at.push(index);
        gather(layout, ty, packed, (at, left), parts)?;
        at.pop();
    }
    Some(())
}

/// What of an access says its alignment, and whether it stays.
pub(super) fn access(stays: MemoryAccess, alignment: u64) -> [u32; 2] {
    [(stays | MemoryAccess::ALIGNED).bits(), alignment as u32]
}

/// A pointer to a part of what a pointer is to, which is in a kind of memory.
pub(super) fn part_of(
    builder: &mut Builder,
    words: &mut Vec<u32>,
    layout: &Layout,
    (pointer, storage): (u32, u32),
    part: &Part,
) -> u32 {
    let ty = builder.pointer(storage, part.ty, layout);
    let id = builder.id();
    let mut operands = vec![ty, id, pointer, builder.word(0)];
    operands.extend(part.at.iter().map(|index| builder.word(*index)));
    push(words, Op::InBoundsPtrAccessChain, &operands);
    id
}

//! The accesses that a copy of memory consists of.

use super::function::Cursor;
use super::ids::Value;
use super::op::{Access, Bin, Convert, Copy, Op, Space};
use super::types::Type;

/// The bytes that a loop copies at a time.
pub const CHUNK: u32 = 16;

/// What a copy goes from and to.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The address of the target.
    pub to: Value,
    /// Its memory.
    pub to_space: Space,
    /// The address of the source.
    pub from: Value,
    /// Its memory.
    pub from_space: Space,
    /// The alignment of both.
    pub align: u32,
}

impl Ends {
    /// Those of a copy.
    pub const fn of(copy: &Copy, to: Value, from: Value) -> Self {
        Self {
            to,
            to_space: copy.to,
            from,
            from_space: copy.from,
            align: copy.align,
        }
    }

    /// Copies so many elements that begin `offset` bytes behind both ends, where these are aligned as
    /// both are, up to a chunk.
    pub fn elements(&self, at: &mut Cursor<'_>, offset: Value, ty: Type, count: u32) {
        let place = |at: &mut Cursor<'_>, base: Value| {
            let ty = at.function.ty(base);
            let wide = at.function.ty(offset).bits() > ty.bits();
            let how = if wide { Convert::Trunc } else { Convert::ZExt };
            let offset = at.convert(how, offset, ty);
            at.bin(Bin::Add, base, offset)
        };
        let (source, target) = (place(at, self.from), place(at, self.to));
        let access = |space| Access::new(space, self.align.min(CHUNK));
        let types = vec![ty; count as usize];
        let load = at.push(Op::Load(access(self.from_space)), &[source], &types);
        let mut args = vec![target];
        args.extend_from_slice(&at.function.insts[load.index()].results);
        at.push(Op::Store(access(self.to_space)), &args, &[]);
    }

    /// Copies the bytes of a range, an element at a time.
    pub fn range(&self, at: &mut Cursor<'_>, range: std::ops::Range<u32>) {
        let unit = unit(self.align);
        let mut offset = range.start;
        while offset < range.end {
            let ty = match range.end - offset < unit.bytes() {
                true => Type::I8,
                false => unit,
            };
            let place = |at: &mut Cursor<'_>, base: Value| match offset {
                0 => base,
                _ => {
                    let by = at.constant(at.function.ty(base), offset.into());
                    at.bin(Bin::Add, base, by)
                }
            };
            let align = alignment_at(self.align, offset);
            let source = place(at, self.from);
            let value = at.one(Op::Load(Access::new(self.from_space, align)), &[source], ty);
            let target = place(at, self.to);
            let store = Op::Store(Access::new(self.to_space, align));
            at.push(store, &[target, value], &[]);
            offset += ty.bytes();
        }
    }
}

/// The alignment of what lies `offset` bytes behind something aligned.
pub fn alignment_at(align: u32, offset: u32) -> u32 {
    match offset {
        0 => align,
        _ => align.min(1 << offset.trailing_zeros()),
    }
}

/// The largest integer that accesses of this alignment take.
pub const fn unit(align: u32) -> Type {
    match align {
        4.. => Type::I32,
        2.. => Type::I16,
        _ => Type::I8,
    }
}

//! How OpenCL lays out a module's types, and what its constants are.

use std::collections::{HashMap, HashSet};

use spirv::{Decoration, Op};

use crate::module::Module;

/// A type, as far as memory is concerned.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Bool,
    Integer { bits: u32 },
    Float { bits: u32 },
    Vector { component: u32, count: u64 },
    Array { element: u32, count: u64 },
    Structure(Vec<u32>),
    Pointer { storage: u32, pointee: u32 },
}

/// The types and constants of a module, and the types of its values.
#[derive(Debug, Default)]
pub(super) struct Layout {
    kinds: HashMap<u32, Kind>,
    /// Sizes and alignments, of types that have them.
    extents: HashMap<u32, (u64, u64)>,
    packed: HashSet<u32>,
    /// Unions, as far as names say: Clang makes them structures with one of their members.
    unions: HashSet<u32>,
    of_values: HashMap<u32, u32>,
    constants: HashMap<u32, i64>,
}

impl Layout {
    pub fn of(module: &Module) -> Self {
        let mut all = Self::default();
        for one in module.instructions() {
            let Some(op) = one.op() else { continue };
            let word = |index| one.word(index);
            let kind = match op {
                Op::Decorate if word(1) == Decoration::CPacked as u32 => {
                    all.packed.insert(word(0));
                    continue;
                }
                Op::Name => {
                    if one.text(1).starts_with("union.") {
                        all.unions.insert(word(0));
                    }
                    continue;
                }
                Op::TypeBool => Kind::Bool,
                Op::TypeInt => Kind::Integer { bits: word(1) },
                Op::TypeFloat => Kind::Float { bits: word(1) },
                Op::TypeVector => Kind::Vector {
                    component: word(1),
                    count: word(2).into(),
                },
                Op::TypeArray => match all.constants.get(&word(2)) {
                    Some(&count) => Kind::Array {
                        element: word(1),
                        count: count.cast_unsigned(),
                    },
                    None => continue,
                },
                Op::TypeStruct => {
                    let members = one.operands.get(1..).unwrap_or_default();
                    Kind::Structure(members.to_vec())
                }
                Op::TypePointer => Kind::Pointer {
                    storage: word(1),
                    pointee: word(2),
                },
                _ => {
                    all.value(op, one.operands);
                    continue;
                }
            };
            if let Some(extent) = all.extent(word(0), &kind) {
                all.extents.entry(word(0)).or_insert(extent);
            }
            all.kinds.entry(word(0)).or_insert(kind);
        }
        all
    }

    /// What makes a value has its type first, and then its id.
    fn value(&mut self, op: Op, operands: &[u32]) {
        let &[ty, id, ref rest @ ..] = operands else {
            return;
        };
        let Some(kind) = self.kinds.get(&ty) else {
            return;
        };
        self.of_values.entry(id).or_insert(ty);
        let value = match (op, kind, rest) {
            (Op::ConstantNull, Kind::Integer { .. }, _) => 0,
            (Op::Constant, Kind::Integer { bits: 64 }, &[low, high, ..]) => {
                (u64::from(high) << 32 | u64::from(low)).cast_signed()
            }
            // Narrow ones are extended as their type is.
            (Op::Constant, Kind::Integer { .. }, &[low, ..]) => low.cast_signed().into(),
            _ => return,
        };
        self.constants.entry(id).or_insert(value);
    }

    pub fn kind(&self, ty: u32) -> Option<&Kind> {
        self.kinds.get(&ty)
    }

    /// The type of a value.
    pub fn type_of(&self, value: u32) -> Option<u32> {
        self.of_values.get(&value).copied()
    }

    /// The storage and the type of what a pointer points to.
    pub fn pointee(&self, pointer: u32) -> Option<(u32, u32)> {
        match self.kind(self.type_of(pointer)?)? {
            Kind::Pointer { storage, pointee } => Some((*storage, *pointee)),
            _ => None,
        }
    }

    /// An integer constant, as a signed number.
    pub fn constant(&self, id: u32) -> Option<i64> {
        self.constants.get(&id).copied()
    }

    /// A type that a module has, by what it is.
    pub fn find(&self, same: impl Fn(&Kind) -> bool) -> Option<u32> {
        let mut found = self.kinds.iter().filter(|(_, kind)| same(kind));
        found.next().map(|(id, _)| *id)
    }

    /// The bytes from one element of an array of the type to the next.
    pub fn size(&self, ty: u32) -> Option<u64> {
        self.extents.get(&ty).map(|(size, _)| *size)
    }

    /// The alignment of a type.
    pub fn alignment(&self, ty: u32) -> Option<u64> {
        self.extents.get(&ty).map(|(_, alignment)| *alignment)
    }

    /// Whether a structure's members follow each other without gaps.
    pub fn is_packed(&self, ty: u32) -> bool {
        self.packed.contains(&ty)
    }

    /// Whether a type is a union, as far as names say.
    pub fn is_union(&self, ty: u32) -> bool {
        self.unions.contains(&ty)
    }

    /// The bytes that an access of the type touches: three components are not four.
    pub fn accessed(&self, ty: u32) -> Option<u64> {
        match self.kind(ty)? {
            Kind::Vector { component, count } => self.size(*component)?.checked_mul(*count),
            _ => self.size(ty),
        }
    }

    /// Size and alignment of a type, whose parts have theirs.
    fn extent(&self, ty: u32, kind: &Kind) -> Option<(u64, u64)> {
        Some(match kind {
            Kind::Bool => (1, 1),
            Kind::Integer { bits } | Kind::Float { bits } => {
                let bytes = u64::from(*bits).div_ceil(8);
                (bytes, bytes)
            }
            Kind::Vector { component, count } => {
                let all = count.checked_next_power_of_two()?;
                let bytes = self.size(*component)?.checked_mul(all)?;
                (bytes, bytes)
            }
            Kind::Array { element, count } => {
                let (size, align) = *self.extents.get(element)?;
                (size.checked_mul(*count)?, align)
            }
            Kind::Structure(members) => {
                let (end, align) = self.members(ty, members)?;
                (end.checked_next_multiple_of(align)?, align)
            }
            Kind::Pointer { .. } => (8, 8),
        })
    }

    /// Where the last of these members ends, and the largest alignment of one.
    fn members(&self, ty: u32, members: &[u32]) -> Option<(u64, u64)> {
        let packed = self.packed.contains(&ty);
        let (mut end, mut largest) = (0u64, 1);
        for member in members {
            let (size, align) = *self.extents.get(member)?;
            let align = if packed { 1 } else { align.max(1) };
            largest = align.max(largest);
            end = end.checked_next_multiple_of(align)?.checked_add(size)?;
        }
        Some((end, largest))
    }

    /// The offset of a member of a structure, and its type.
    pub fn member(&self, ty: u32, index: usize) -> Option<(u64, u32)> {
        let Kind::Structure(members) = self.kind(ty)? else {
            return None;
        };
        let member = *members.get(index)?;
        let (end, _) = self.members(ty, members.get(..=index)?)?;
        // The last of them ends there.
        Some((end - self.size(member)?, member))
    }
}

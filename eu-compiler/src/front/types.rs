//! The types of a module, and how values of them lie in memory.

use hashbrown::HashMap;
use spirv::{AccessQualifier, Dim, Op, StorageClass};

use super::reader::Instruction;
use crate::error::Error;
use crate::ir::{Space, Type};

/// A type of SPIR-V.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No value.
    Void,
    /// A scalar.
    Scalar(Type),
    /// Components of a scalar type.
    Vector(Type, u32),
    /// Elements of a type.
    Array(u32, u32),
    /// Members of types.
    Struct(Vec<u32>),
    /// A pointer: where to, and to what.
    Pointer(StorageClass, u32),
    /// A function's type.
    Function,
    /// An image.
    Image(ImageShape),
    /// Anything else, by the name of its instruction.
    Opaque(Op),
}

/// A type of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageShape {
    /// 1D, 2D, 3D or a buffer.
    pub dim: Dim,
    /// Of depths.
    pub depth: bool,
    /// An array of images.
    pub array: bool,
    /// What kernels do with it.
    pub access: AccessQualifier,
}

/// The types of a module.
#[derive(Debug, Default)]
pub struct Types {
    shapes: HashMap<u32, Shape>,
    /// The sizes and alignments of those that have them.
    sizes: HashMap<u32, (u32, u32)>,
    /// Packed structures.
    packed: Vec<u32>,
}

/// A scalar of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is as a value.
    pub ty: Type,
    /// The memory that it points into, if that has addresses of 32 bits. In memory such a pointer is a
    /// generic one: null is zero there, and it is the number that it is converted to.
    pub into: Option<Space>,
    /// It is a pointer.
    pub is_pointer: bool,
    /// Its offset in memory.
    pub at: u32,
}

impl Part {
    /// What it is in memory.
    pub fn stored(self) -> Type {
        match (self.ty, self.into) {
            (_, Some(_)) => Type::I64,
            (Type::I1, _) => Type::I8,
            (ty, _) => ty,
        }
    }

    /// The bits of a null value.
    pub fn null(self) -> u64 {
        self.into.map_or(0, |_| Space::NULL.into())
    }
}

/// The most scalars of a value in code.
pub const MAX_SCALARS: usize = 1 << 14;
/// The most components of a vector. Its alignment is its size, at most 4,096 bytes.
pub const MAX_COMPONENTS: u32 = 512;
/// The most scalars of a constant.
pub const MAX_CONSTANT: usize = 1 << 21;

/// The size and alignment of every pointer in memory, in a module of 64 bits.
const POINTER: (u32, u32) = (8, 8);

impl Types {
    /// A structure has no gaps. This is known before its members are.
    pub fn pack(&mut self, id: u32) {
        self.packed.push(id);
    }

    /// A pointer is declared later. A structure may have it as a member before.
    pub fn expect_pointer(&mut self, id: u32) {
        self.sizes.insert(id, POINTER);
    }

    /// Adds a type whose parts are known.
    pub fn insert(&mut self, id: u32, shape: Shape) {
        if let Some(size) = self.measure(id, &shape) {
            self.sizes.insert(id, size);
        }
        self.shapes.insert(id, shape);
    }

    /// The type with an id, if it is one.
    pub fn get(&self, id: u32) -> Option<&Shape> {
        self.shapes.get(&id)
    }

    /// The first scalar of the part of a type at the end of a path of indices.
    pub fn path(&self, mut ty: u32, indices: &[u32], i: &Instruction<'_>) -> Result<usize, Error> {
        let mut first = 0;
        for index in indices {
            let index = *index as usize;
            match self.shape(ty, i)? {
                Shape::Vector(_, count) if index < *count as usize => return Ok(first + index),
                Shape::Array(element, count) if index < *count as usize => {
                    first += index * self.flatten(*element, i)?.len();
                    ty = *element;
                }
                Shape::Struct(members) if index < members.len() => {
                    for member in &members[..index] {
                        first += self.flatten(*member, i)?.len();
                    }
                    ty = members[index];
                }
                _ => return Err(i.invalid("an index beyond the end")),
            }
        }
        Ok(first)
    }

    /// A type.
    pub fn shape(&self, id: u32, i: &Instruction<'_>) -> Result<&Shape, Error> {
        let shape = self.shapes.get(&id);
        shape.ok_or_else(|| i.invalid(format!("%{id} is no type")))
    }

    /// The size and alignment of a type in memory.
    pub fn size(&self, id: u32, i: &Instruction<'_>) -> Result<(u32, u32), Error> {
        match (self.sizes.get(&id), self.shape(id, i)?) {
            (Some(size), _) => Ok(*size),
            (None, Shape::Void | Shape::Function) => Err(i.invalid(format!("%{id} has no size"))),
            (None, _) => Err(i.unsupported(
                "a type of more than 2 GiB, or of types that are not declared before it",
            )),
        }
    }

    /// The size and alignment of a type whose parts are declared; `None` if it has none, or one of
    /// more than 2 GiB.
    fn measure(&self, id: u32, shape: &Shape) -> Option<(u32, u32)> {
        let (size, align) = match shape {
            Shape::Void | Shape::Function => return None,
            Shape::Scalar(ty) => (ty.bytes(), ty.bytes()),
            Shape::Vector(ty, count) => {
                let size = ty.bytes() * count.next_power_of_two();
                (size, size)
            }
            Shape::Array(element, count) => {
                let (size, align) = *self.sizes.get(element)?;
                (size.checked_mul(*count)?, align)
            }
            Shape::Struct(members) => {
                let packed = self.packed.contains(&id);
                let (mut end, mut most) = (0u32, 1);
                for member in members {
                    let (size, align) = *self.sizes.get(member)?;
                    let align = if packed { 1 } else { align };
                    most = most.max(align);
                    end = end.checked_next_multiple_of(align)?.checked_add(size)?;
                }
                (end.checked_next_multiple_of(most)?, most)
            }
            Shape::Pointer(..) => POINTER,
            Shape::Image(_) | Shape::Opaque(_) => (8, 8),
        };
        (size < 1 << 31).then_some((size, align))
    }

    /// The offset and type of a structure's member.
    pub fn member(&self, id: u32, index: usize, i: &Instruction<'_>) -> Result<(u32, u32), Error> {
        let Shape::Struct(members) = self.shape(id, i)? else {
            return Err(i.invalid(format!("%{id} is no structure")));
        };
        // With this all offsets are below 2 GiB.
        self.size(id, i)?;
        let packed = self.packed.contains(&id);
        let mut end = 0u32;
        for (number, member) in members.iter().enumerate() {
            let (size, align) = self.size(*member, i)?;
            let at = end.next_multiple_of(if packed { 1 } else { align });
            if number == index {
                return Ok((at, *member));
            }
            end = at + size;
        }
        Err(i.invalid(format!("%{id} has {} members", members.len())))
    }

    /// The scalars of a type.
    pub fn flatten(&self, id: u32, i: &Instruction<'_>) -> Result<Vec<Part>, Error> {
        let mut out = Vec::new();
        self.flatten_at(id, 0, i, &mut out)?;
        Ok(out)
    }

    /// How many scalars a type has, of which constants and variables may have many.
    pub fn count(&self, id: u32, i: &Instruction<'_>) -> Result<usize, Error> {
        let mut all = 0;
        self.count_on(id, i, &mut all)?;
        Ok(all)
    }

    fn count_on(&self, id: u32, i: &Instruction<'_>, all: &mut usize) -> Result<(), Error> {
        match self.shape(id, i)? {
            Shape::Void
            | Shape::Function
            | Shape::Image(_)
            | Shape::Opaque(Op::TypeSampler | Op::TypeSampledImage) => {}
            Shape::Scalar(_) | Shape::Pointer(..) | Shape::Opaque(_) => *all += 1,
            Shape::Vector(_, count) => *all += *count as usize,
            Shape::Array(..) | Shape::Struct(_) if self.size(id, i)?.0 == 0 => {}
            Shape::Array(element, count) => {
                let before = *all;
                self.count_on(*element, i, all)?;
                *all = before.saturating_add((*all - before).saturating_mul(*count as usize));
            }
            Shape::Struct(members) => {
                for member in members {
                    self.count_on(*member, i, all)?;
                }
            }
        }
        if *all > MAX_CONSTANT {
            let what = format!("a value of more than {MAX_CONSTANT} scalars");
            return Err(i.unsupported(what));
        }
        Ok(())
    }

    fn flatten_at(
        &self,
        id: u32,
        at: u32,
        i: &Instruction<'_>,
        out: &mut Vec<Part>,
    ) -> Result<(), Error> {
        let plain = |ty, at| Part {
            ty,
            into: None,
            is_pointer: false,
            at,
        };
        if out.len() > MAX_SCALARS {
            return Err(i.unsupported(format!("a value of more than {MAX_SCALARS} scalars")));
        }
        match self.shape(id, i)? {
            Shape::Void
            | Shape::Function
            | Shape::Image(_)
            | Shape::Opaque(Op::TypeSampler | Op::TypeSampledImage) => {}
            Shape::Scalar(ty) => out.push(plain(*ty, at)),
            Shape::Vector(ty, count) => {
                out.extend((0..*count).map(|n| plain(*ty, at + n * ty.bytes())));
            }
            // Nothing of it is a scalar, however many parts there are.
            Shape::Array(..) | Shape::Struct(_) if self.size(id, i)?.0 == 0 => {}
            Shape::Array(element, count) => {
                let (size, _) = self.size(*element, i)?;
                let first = out.len();
                self.flatten_at(*element, at, i, out)?;
                // The others are as the first one.
                let parts = out.len() - first;
                if first + parts * *count as usize > MAX_SCALARS {
                    return Err(
                        i.unsupported(format!("a value of more than {MAX_SCALARS} scalars"))
                    );
                }
                out.reserve(parts * (*count as usize - 1));
                for n in 1..*count {
                    let from = out.len();
                    out.extend_from_within(first..first + parts);
                    out[from..].iter_mut().for_each(|part| part.at += n * size);
                }
            }
            Shape::Struct(members) => {
                for index in 0..members.len() {
                    let (offset, member) = self.member(id, index, i)?;
                    self.flatten_at(member, at + offset, i, out)?;
                }
            }
            Shape::Pointer(class, _) => out.push(Part {
                ty: pointer_type(*class),
                into: space_of(*class).filter(|space| *space != Space::Global),
                is_pointer: true,
                at,
            }),
            Shape::Opaque(_) => out.push(plain(Type::I64, at)),
        }
        Ok(())
    }
}

impl ImageShape {
    /// The type that an instruction declares.
    pub(super) fn declared(i: &Instruction<'_>) -> Result<Self, Error> {
        if i.word(5)? != 0 {
            return Err(i.unsupported("images of several samples a pixel"));
        }
        let dim = Dim::from_u32(i.word(2)?);
        let dim =
            dim.filter(|dim| matches!(dim, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::DimBuffer));
        let access = i.word(8).ok().and_then(AccessQualifier::from_u32);
        Ok(Self {
            dim: dim.ok_or_else(|| i.unsupported("images of this dimension"))?,
            depth: i.word(3)? == 1,
            array: i.word(4)? != 0,
            access: access.unwrap_or(AccessQualifier::ReadOnly),
        })
    }

    /// Coordinates without that of the array.
    pub(super) const fn dimensions(self) -> usize {
        match self.dim {
            Dim::Dim2D => 2,
            Dim::Dim3D => 3,
            _ => 1,
        }
    }

    pub(super) const fn coordinates(self) -> usize {
        self.dimensions() + self.array as usize
    }

    /// Its name in `.ze_info`, without `image_`, and in OpenCL C.
    pub(super) const fn names(self) -> (&'static str, &'static str) {
        match (self.dim, self.array, self.depth) {
            (Dim::DimBuffer, ..) => ("buffer", "image1d_buffer_t"),
            (Dim::Dim1D, false, _) => ("1d", "image1d_t"),
            (Dim::Dim1D, true, _) => ("1d_array", "image1d_array_t"),
            (Dim::Dim3D, ..) => ("3d", "image3d_t"),
            (_, false, false) => ("2d", "image2d_t"),
            (_, false, true) => ("2d_depth", "image2d_depth_t"),
            (_, true, false) => ("2d_array", "image2d_array_t"),
            (_, true, true) => ("2d_array_depth", "image2d_array_depth_t"),
        }
    }
}

/// The memory of a storage class.
pub(super) fn space_of(class: StorageClass) -> Option<Space> {
    match class {
        StorageClass::CrossWorkgroup | StorageClass::UniformConstant => Some(Space::Global),
        StorageClass::Workgroup => Some(Space::Local),
        StorageClass::Function | StorageClass::Private => Some(Space::Private),
        _ => None,
    }
}

/// What a pointer of a storage class is. Generic pointers have 64 bits.
pub(super) fn pointer_type(class: StorageClass) -> Type {
    match space_of(class) {
        Some(Space::Local | Space::Private) => Type::I32,
        _ => Type::I64,
    }
}

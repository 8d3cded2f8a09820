//! What a kernel is given: its arguments and the cross-thread payload.

use std::mem;

/// Entries of a binding table below those with a meaning of their own.
pub const TABLE_ENTRIES: usize = 240;

/// A field of the cross-thread payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// The address of private memory.
    PrivateBase,
    /// The address of what `printf` writes.
    PrintfBuffer,
    /// Three dwords: the first global id.
    GlobalOffset,
    /// Three dwords: the size of every work-group but the last ones.
    EnqueuedLocalSize,
    /// Three dwords: the size of this work-group.
    LocalSize,
    /// Three dwords.
    GroupCount,
    /// Three dwords.
    GlobalSize,
    /// A dword.
    WorkDimensions,
    /// Bytes of an argument, from this one on.
    Value {
        /// The argument.
        arg: u32,
        /// The first byte.
        source: u32,
    },
    /// The address of an argument's memory.
    Pointer {
        /// The argument.
        arg: u32,
        /// It is only read.
        constant: bool,
    },
    /// How far the surface of an argument begins before its address.
    BufferOffset {
        /// The argument.
        arg: u32,
    },
    /// Something of an image argument.
    Image {
        /// The argument.
        arg: u32,
        /// What.
        query: ImageField,
    },
    /// Whether the sampler of an argument needs coordinates below zero to be far below.
    SnapsCoordinates {
        /// The argument.
        arg: u32,
    },
    /// The offset of an argument's local memory, after the kernel's own.
    Local {
        /// The argument.
        arg: u32,
        /// The alignment.
        align: u32,
    },
}

/// What a payload says of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageField {
    /// Texels of a row.
    Width,
    /// Rows.
    Height,
    /// Slices.
    Depth,
    /// Images of an array.
    ArraySize,
    /// OpenCL's number of the order of channels.
    ChannelOrder,
    /// OpenCL's number of the type of channels.
    ChannelType,
}

/// An image argument. Its number is its entry in the binding table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageArgument {
    /// The argument.
    pub arg: u32,
    /// Its kind as `.ze_info` has it, without `image_`.
    pub kind: &'static str,
    /// `readonly`, `writeonly` or `readwrite`.
    pub access: &'static str,
    /// The kernel accesses blocks of it.
    pub blocks: bool,
}

/// A sampler state. Its number is the one that messages name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplerState {
    /// That of an argument.
    Argument(u32),
    /// One that the source describes.
    Literal {
        /// The addressing mode as `.ze_info` has it.
        addressing: &'static str,
        /// The filter is linear.
        linear: bool,
        /// Coordinates are normalized.
        normalized: bool,
    },
}

/// A field with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it is.
    pub kind: FieldKind,
    /// The offset in bytes.
    pub offset: u32,
    /// The size in bytes.
    pub size: u32,
    /// What the offset is a multiple of.
    pub align: u32,
}

impl FieldKind {
    /// Whether the payload has it only for the code that reads it: it is no argument, and asks the
    /// runtime for nothing but its value.
    pub const fn is_implicit(self) -> bool {
        matches!(
            self,
            Self::GlobalOffset
                | Self::EnqueuedLocalSize
                | Self::LocalSize
                | Self::GroupCount
                | Self::GlobalSize
                | Self::WorkDimensions
                | Self::Image { .. }
                | Self::SnapsCoordinates { .. }
        )
    }
}

/// An argument as the source has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// `__global`, `__local` and so on.
    pub address_space: &'static str,
    /// The type's name.
    pub type_name: String,
    /// Its size in bytes.
    pub size: u32,
    /// `const`, `restrict`, `volatile`, `pipe`.
    pub qualifiers: Vec<&'static str>,
    /// `__read_only` and so on, of images and pipes.
    pub access: Option<&'static str>,
}

/// What a kernel is given and needs.
#[derive(Clone, Debug, Default)]
pub struct Abi {
    /// The payload.
    pub fields: Vec<Field>,
    /// Where the next field goes.
    end: u32,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// The images among them.
    pub images: Vec<ImageArgument>,
    /// Pointer arguments with surfaces: their entries in the binding table, and the arguments.
    pub buffers: Vec<(u8, u32)>,
    /// Sampler states.
    pub samplers: Vec<SamplerState>,
    /// The dimensions of local ids.
    pub local_ids: u32,
    /// Bytes of private memory for each lane.
    pub private: u32,
    /// Bytes of scratch memory for each thread.
    pub scratch: u32,
    /// Bytes of local memory, without that of arguments.
    pub slm: u32,
    /// It has a work-group barrier.
    pub barrier: bool,
}

impl Abi {
    /// The offset of a field, which is added if it is new.
    pub fn field(&mut self, kind: FieldKind, size: u32, align: u32) -> u32 {
        if let Some(field) = self.fields.iter().find(|field| field.kind == kind) {
            return field.offset;
        }
        let offset = self.end.next_multiple_of(align);
        self.end = offset + size;
        self.fields.push(Field {
            kind,
            offset,
            size,
            align,
        });
        offset
    }

    /// Takes fields out that nothing needs, and moves the others together. The result has each of
    /// these as it was, and its new offset.
    pub fn retain(&mut self, keep: impl Fn(&Field) -> bool) -> Vec<(Field, u32)> {
        let mut fields = mem::take(&mut self.fields);
        self.end = 0;
        fields.retain(keep);
        let places = fields
            .iter()
            .map(|field| self.field(field.kind, field.size, field.align));
        let places: Vec<u32> = places.collect();
        fields.into_iter().zip(places).collect()
    }

    /// The payload's size.
    pub const fn payload_bytes(&self) -> u32 {
        self.end
    }
}

//! What a kernel is given: its arguments and the cross-thread payload.

/// A field of the cross-thread payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// The address of private memory.
    PrivateBase,
    /// The address of the module's constants.
    ConstantBase,
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
    /// The offset of an argument's local memory, after the kernel's own.
    Local {
        /// The argument.
        arg: u32,
        /// The alignment.
        align: u32,
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
}

/// An argument as the source has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// `__global`, `__local` and so on.
    pub address_space: &'static str,
    /// The type's name and size, as `.ze_info` has it.
    pub type_name: String,
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
        self.fields.push(Field { kind, offset, size });
        offset
    }

    /// The payload's size.
    pub const fn payload_bytes(&self) -> u32 {
        self.end
    }
}

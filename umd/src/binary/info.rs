//! What a kernel takes and needs, whatever form it came in.

use std::fmt;

use devinfo::Platform;

/// The platform that a file was built for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The platform.
    pub platform: &'static Platform,
    /// The product family number, as `.note.intelgt.compat` has it.
    pub product_family: Option<u32>,
    /// The core family number, as `.note.intelgt.compat` has it.
    pub core_family: Option<u32>,
    /// The product configuration (GMD id), of newer compilers.
    pub product_config: Option<u32>,
    /// The lowest and highest revision that it was built for; `None` is all.
    pub revisions: Option<(u8, u8)>,
    /// Whether it runs on no other revision. Otherwise the platform says which share their code.
    pub only_revisions: bool,
    /// The version of `.ze_info`.
    pub version: Option<String>,
}

impl Target {
    /// A platform in all its revisions.
    pub const fn of(platform: &'static Platform) -> Self {
        Self {
            platform,
            product_family: None,
            core_family: None,
            product_config: None,
            revisions: None,
            only_revisions: false,
            version: None,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.platform)?;
        match self.revisions {
            Some((low, high)) if low == high => write!(f, " revision {low}"),
            Some((low, high)) => write!(f, " revisions {low} to {high}"),
            None => Ok(()),
        }
    }
}

/// Raw instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawIsa {
    /// The platform's name in the device table.
    pub platform: String,
    /// The SIMD width.
    pub simd: u32,
    /// Registers of a thread.
    pub grf_count: u32,
    /// The name the kernel gets.
    pub name: String,
    /// The arguments, each a pointer or a value in the order of the payload.
    pub args: Vec<ArgKind>,
}

/// The memory that a pointer argument points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// `global`.
    Global,
    /// `constant`.
    Constant,
    /// `local`.
    Local,
    /// `private`: the argument is a value.
    Private,
}

/// What a kernel does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessQualifier {
    /// It reads.
    ReadOnly,
    /// It writes.
    WriteOnly,
    /// It does both.
    ReadWrite,
}

/// The element type of a value, where the file says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A signed integer.
    Int,
    /// An unsigned integer.
    Uint,
    /// A real number.
    Float,
}

/// What an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A buffer, or nothing.
    Buffer,
    /// A number of bytes of shared local memory.
    Local,
    /// Bytes of a value.
    Value {
        /// The number of bytes.
        size: u32,
        /// The element type, if known.
        element: Option<ValueType>,
    },
    /// An image.
    Image(crate::ImageKind),
    /// A sampler.
    Sampler,
    /// Anything: the code does not use it, and the file does not say what it is.
    Unused,
}

impl fmt::Display for ArgKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffer => f.write_str("buffer"),
            Self::Local => f.write_str("local memory"),
            Self::Value { size, .. } => write!(f, "value of {size} bytes"),
            Self::Image(kind) => write!(f, "{kind} image"),
            Self::Sampler => f.write_str("sampler"),
            Self::Unused => f.write_str("unused"),
        }
    }
}

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgInfo {
    /// What it takes.
    pub kind: ArgKind,
    /// Its name, if the file has it.
    pub name: Option<String>,
    /// Its type as the source has it (`float*`), if the file has it.
    pub type_name: Option<String>,
    /// The memory that a pointer points to.
    pub address_space: Option<AddressSpace>,
    /// What the kernel does with it.
    pub access: Option<AccessQualifier>,
    /// Qualifiers of its type (`const restrict`), if the file has them; else empty.
    pub type_qualifiers: String,
    /// Its offset in the cross-thread payload in bytes, if it is there.
    pub payload_offset: Option<u32>,
    /// Its binding table index, if it has one.
    pub binding_table_index: Option<u32>,
    /// The alignment in bytes that block accesses need of its address (1: none).
    pub alignment: u32,
}

impl ArgInfo {
    /// An argument of which no more is known than what it takes: no name, no alignment.
    pub fn new(kind: ArgKind) -> Self {
        Self {
            kind,
            name: None,
            type_name: None,
            address_space: match kind {
                ArgKind::Buffer => Some(AddressSpace::Global),
                ArgKind::Local => Some(AddressSpace::Local),
                _ => None,
            },
            access: None,
            type_qualifiers: String::new(),
            payload_offset: None,
            binding_table_index: None,
            alignment: 1,
        }
    }

    /// Whether it is a pipe, whose type is that of its packets.
    pub fn is_pipe(&self) -> bool {
        let mut qualifiers = self.type_qualifiers.split_whitespace();
        qualifiers.any(|word| word == "pipe")
    }
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Lanes of a thread: the sub-group size.
    pub simd: u32,
    /// Registers of a thread.
    pub grf_count: u32,
    /// Arguments, in order.
    pub args: Vec<ArgInfo>,
    /// Bytes of code.
    pub code_size: u64,
    /// Bytes of shared local memory that it declares itself.
    pub slm_size: u32,
    /// Named barriers that it uses.
    pub barriers: u32,
    /// Bytes of scratch a thread (spills, stack).
    pub scratch_size: u32,
    /// Bytes of private memory a work-item.
    pub private_size: u32,
    /// The local size that it requires.
    pub required_local_size: Option<[u32; 3]>,
    /// The sub-group size that its source required.
    pub required_sub_group_size: Option<u32>,
    /// The attributes of its source, as `CL_KERNEL_ATTRIBUTES` has them: `NAME(VALUE)` with spaces
    /// between.
    pub attributes: String,
    /// Whether it prints.
    pub has_printf: bool,
    /// The register in which the cross-thread payload begins.
    pub cross_thread_register: u32,
}

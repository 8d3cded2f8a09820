//! How a kernel is started: the contract between compilers and the driver.

use batchbuffer::dispatch::ThreadScheduling;
use devinfo::{Family, WalkerKind};

use crate::sampler::Sampler;

use super::info::KernelInfo;

/// A value of the cross-thread payload. Numbers are little endian; what a value does not fill of
/// its place is zero, and what does not fit is cut off at the top. `arg` is an index of
/// [`KernelInfo::args`]. Vectors have 1 to 12 bytes: the dwords of x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadValue {
    /// `get_global_offset`, a vector.
    GlobalOffset,
    /// `get_local_size` of this walker, a vector. Groups at the end of a range that the local size
    /// does not divide are smaller, and have walkers of their own.
    LocalSize,
    /// `get_enqueued_local_size`, a vector.
    EnqueuedLocalSize,
    /// `get_num_groups`, a vector.
    GroupCount,
    /// `get_global_size`, a vector.
    GlobalSize,
    /// `get_work_dim`: 4 bytes, 1 to 3.
    WorkDimensions,
    /// The address of the `printf` buffer: 4 to 8 bytes, as all addresses.
    PrintfBuffer,
    /// The address of the structure of implicit arguments, which functions read that are called
    /// through the stack.
    ImplicitArguments,
    /// The address of private memory.
    PrivateBase,
    /// The address of program-scope constants.
    ConstantBase,
    /// The address of program-scope variables.
    GlobalBase,
    /// Bytes of an argument's value, as many as the place has; [`ArgKind::Value`](super::ArgKind).
    Value {
        /// The argument.
        arg: usize,
        /// The first byte in the argument, below its size.
        source: u32,
    },
    /// A buffer's address; zero for a null pointer.
    Address {
        /// The argument.
        arg: usize,
    },
    /// The offset of a local buffer in shared local memory, in bytes: 4 to 8 bytes.
    SlmOffset {
        /// The argument.
        arg: usize,
        /// What the offset is a multiple of, in bytes: a power of two up to 65536.
        alignment: u32,
    },
    /// The bytes from a surface's base, a multiple of four, to a buffer's first byte: 4 bytes, 0 to
    /// 3. Without it, buffers with a surface must begin at a multiple of four.
    BufferOffset {
        /// The argument.
        arg: usize,
    },
    /// A buffer's size in bytes: 8 bytes.
    BufferSize {
        /// The argument.
        arg: usize,
    },
    /// The offset of a surface state in the bindless surface heap, in bytes: 4 to 8 bytes.
    BindlessSurface {
        /// What it is the surface of.
        source: SurfaceSource,
    },
    /// The offset of an argument's sampler state in the bindless sampler heap: 4 to 8 bytes.
    BindlessSampler {
        /// The argument.
        arg: usize,
    },
    /// The offset of an inline sampler's state in the bindless sampler heap: 4 to 8 bytes.
    BindlessInlineSampler {
        /// The index of its [`SamplerSlot`].
        index: u32,
    },
    /// What an image is: 4 bytes.
    Image {
        /// The argument.
        arg: usize,
        /// What is asked.
        query: ImageQuery,
    },
    /// What a sampler is: 4 bytes.
    Sampler {
        /// The argument.
        arg: usize,
        /// What is asked.
        query: SamplerQuery,
    },
}

impl PayloadValue {
    /// The argument that gives the value, once it is set.
    pub const fn argument(self) -> Option<usize> {
        match self {
            Self::Value { arg, .. }
            | Self::Address { arg }
            | Self::BufferOffset { arg }
            | Self::BufferSize { arg }
            | Self::Image { arg, .. }
            | Self::Sampler { arg, .. } => Some(arg),
            _ => None,
        }
    }
}

/// What the code asks of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageQuery {
    /// In pixels.
    Width,
    /// In pixels.
    Height,
    /// In pixels.
    Depth,
    /// Layers.
    ArraySize,
    /// OpenCL's number: `cl_channel_order`.
    ChannelOrder,
    /// OpenCL's number: `cl_channel_type`.
    ChannelDataType,
    /// Always 0.
    MipLevels,
    /// Always 0.
    Samples,
}

/// What the code asks of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SamplerQuery {
    /// All ones if coordinates must be snapped: clamp to border with nearest filtering.
    SnapWa,
    /// 8 if coordinates run from 0 to 1, else 0.
    Normalized,
    /// 0 none, 1 clamp to border, 2 clamp to edge, 3 repeat, 4 mirrored repeat.
    AddressingMode,
}

/// A value's place in the cross-thread payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PayloadEntry {
    /// The first byte, from the payload's beginning.
    pub offset: u32,
    /// Bytes, as many as the value may have; the last one lies inside
    /// [`KernelAbi::cross_thread_size`].
    pub size: u32,
    /// The value.
    pub value: PayloadValue,
}

impl PayloadEntry {
    /// A value of `size` bytes at `offset`.
    pub const fn new(offset: u32, size: u32, value: PayloadValue) -> Self {
        Self {
            offset,
            size,
            value,
        }
    }
}

/// What a binding table index or a bindless surface stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SurfaceSource {
    /// A buffer or image argument.
    Argument(usize),
    /// Program-scope constants.
    Constants,
    /// Program-scope variables.
    Globals,
}

/// A binding table entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SurfaceSlot {
    /// The index, 0 to 239. The others of a message are reserved.
    pub index: u32,
    /// What it stands for.
    pub source: SurfaceSource,
    /// Whether the code accesses it with media block messages, for which a surface's width is
    /// counted in dwords. What the driver finds in the code is added.
    pub media_block: bool,
    /// Whether the code accesses it with other messages. What the driver finds in the code is added.
    pub other: bool,
    /// Whether the code accesses it at all, as far as that can be told. The driver finds it out.
    pub used: bool,
}

impl SurfaceSlot {
    /// A binding table entry for a source.
    pub const fn new(index: u32, source: SurfaceSource) -> Self {
        Self {
            index,
            source,
            media_block: false,
            other: false,
            used: true,
        }
    }
}

/// Where a sampler state comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SamplerSource {
    /// An argument.
    Argument(usize),
    /// The kernel's source.
    Inline(Sampler),
}

/// A sampler state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SamplerSlot {
    /// The index in the table of sampler states, 0 to 15.
    pub index: u32,
    /// Where it comes from.
    pub source: SamplerSource,
}

impl SamplerSlot {
    /// A sampler state from a source.
    pub const fn new(index: u32, source: SamplerSource) -> Self {
        Self { index, source }
    }
}

/// Local ids in the per-thread payload, which begins at r1: 16-bit lanes, x first, then y, then z.
/// The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalIds {
    /// Dimensions: 0 to 3.
    pub dimensions: u32,
    /// Bytes of one dimension in a thread's block: two a lane, rounded up to whole registers; two if
    /// packed.
    pub bytes_per_dimension: u32,
    /// One triple of ids for the whole thread, instead of lanes.
    pub packed: bool,
}

impl LocalIds {
    /// Lanes of `dimensions` (0 to 3) dimensions for a kernel of this width, each from the beginning
    /// of a register. Widths beyond 32 are taken as 32.
    pub const fn lanes(dimensions: u32, simd: u32, family: Family) -> Self {
        let grf = family.grf_bytes() as u32;
        let simd = if simd > 32 { 32 } else { simd };
        Self {
            dimensions,
            bytes_per_dimension: (simd * 2).next_multiple_of(grf),
            packed: false,
        }
    }

    /// Bytes of a thread's block.
    pub const fn bytes(self) -> u32 {
        self.dimensions.saturating_mul(self.bytes_per_dimension)
    }
}

/// Private memory in a buffer of its own, whose address is [`PayloadValue::PrivateBase`]. The default
/// is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivateMemory {
    /// Bytes; 0 is none.
    pub size: u32,
    /// Whether `size` is of one lane, not of a thread.
    pub per_lane: bool,
}

impl PrivateMemory {
    /// `size` bytes of a thread, or of one of its lanes.
    pub const fn new(size: u32, per_lane: bool) -> Self {
        Self { size, per_lane }
    }
}

/// What a kernel needs of the EUs that run it. The default is nothing; fields can be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EuMode {
    /// EUs must not run in lockstep pairs (platforms without fused EUs never do).
    pub no_fusion: bool,
    /// It uses the systolic arrays, which the platform must have.
    pub systolic: bool,
    /// How EUs choose between threads: a suggestion that not all platforms take.
    pub scheduling: ThreadScheduling,
}

/// Bytes of the structure of implicit arguments, with padding.
pub const IMPLICIT_ARGUMENTS: u32 = 192;

/// What the sizes of cross-thread payloads are rounded to, also where registers have 64 bytes: code
/// that loads its payload counts on it (NEO `zeinfo_decoder.cpp`).
pub const PAYLOAD_UNIT: u32 = 32;

/// One kernel, with all that is needed to start it: the contract for compilers.
///
/// A thread finds in r0 what the hardware puts there, from r1 on its local ids
/// ([`Self::local_ids`]), and behind them the cross-thread payload, which all threads of a walker
/// share. [`KernelInfo::cross_thread_register`] of the finished [`Binary`](super::Binary) names its
/// first register. On platforms with compute walkers (from XeHPG), code loads ids and payload itself
/// from the address in r0.0, the ids behind the payload; only [`Self::inline_data`] comes in
/// registers, behind r0.
///
/// Fields that are not mentioned in a call of [`Self::new`] are public and can be set.
/// [`Binary::from_kernels`](super::Binary::from_kernels) checks all limits named here.
///
/// ```
/// use umd::KernelAbi;
/// use umd::binary::{ArgInfo, ArgKind, Binary, PayloadEntry, PayloadValue, Target};
///
/// let tgl = devinfo::by_name("tgl").unwrap();
/// let options = isa_encoder::AsmOptions::for_platform(tgl);
/// let text = "
///     (W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
///     (W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1}
/// ";
/// let code = isa_encoder::assemble(text, &options).unwrap().code;
///
/// // A kernel of SIMD16 that takes a pointer, in the first eight bytes of its payload.
/// let mut abi = KernelAbi::new("nothing", 16);
/// abi.info.args.push(ArgInfo::new(ArgKind::Buffer));
/// abi.payload.push(PayloadEntry::new(0, 8, PayloadValue::Address { arg: 0 }));
/// abi.cross_thread_size = 32;
///
/// let binary = Binary::from_kernels(Target::of(tgl), vec![(abi, code)]).unwrap();
/// assert_eq!(binary.kernels()[0].name, "nothing");
/// assert_eq!(binary.kernels()[0].cross_thread_register, 2);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KernelAbi {
    /// Name, arguments (at most 1024), SIMD width and registers a thread (both ones that the
    /// platform has), shared local memory of a group in bytes (up to the platform's limit), named
    /// barriers, required sizes. `code_size`, `scratch_size`, `private_size` and
    /// `cross_thread_register` are computed.
    pub info: KernelInfo,
    /// The segment of its code.
    pub(crate) segment: usize,
    /// The cross-thread payload. Entries should not overlap; bytes without one are zero.
    pub payload: Vec<PayloadEntry>,
    /// Bytes of the cross-thread payload, a multiple of [`PAYLOAD_UNIT`] up to 65536.
    pub cross_thread_size: u32,
    /// The first bytes of it that a compute walker carries itself: 0 to 64, of which the driver
    /// uses up to 32. Without meaning on other platforms.
    pub inline_data: u32,
    /// Where a thread begins, in bytes from the kernel's start, that finds its local ids in its
    /// registers: behind the code that loads them. A multiple of 64 inside the code; 0 if there is
    /// no such place.
    pub entry_with_ids: u32,
    /// Local ids in the per-thread payload.
    pub local_ids: LocalIds,
    /// Whether the structure of implicit arguments ([`IMPLICIT_ARGUMENTS`] bytes), and a table of
    /// local ids, lie before the cross-thread payload, where code of compute walkers finds them by
    /// r0.0. Only with compute walkers.
    pub implicit_block: bool,
    /// What it needs of the EUs.
    pub eu: EuMode,
    /// The binding table: at most one slot an index.
    pub surfaces: Vec<SurfaceSlot>,
    /// The sampler states.
    pub samplers: Vec<SamplerSlot>,
    /// Private memory.
    pub private: PrivateMemory,
    /// Bytes of scratch a thread, of the first and of the second slot; the second only with compute
    /// walkers. The walker's limit is checked when the kernel is made. 0 is none.
    pub scratch: [u32; 2],
    /// The dimensions, fastest first, in which work-items are numbered: 0, 1 and 2 in any order.
    pub walk_order: [u8; 3],
    /// Whether local arguments lie behind the kernel's own shared local memory. If not, its code
    /// adds the size itself, and takes the first argument's offset to be zero.
    pub slm_after_static: bool,
    /// Why it cannot be run, if so: nobody can make a kernel of it.
    pub unsupported: Option<String>,
}

impl KernelAbi {
    /// A kernel of this SIMD width with 128 registers a thread, that takes and needs nothing else.
    pub fn new(name: &str, simd: u32) -> Self {
        Self {
            info: KernelInfo {
                name: name.to_owned(),
                simd,
                grf_count: 128,
                args: Vec::new(),
                code_size: 0,
                slm_size: 0,
                barriers: 0,
                scratch_size: 0,
                private_size: 0,
                required_local_size: None,
                required_sub_group_size: None,
                attributes: String::new(),
                has_printf: false,
                cross_thread_register: 0,
            },
            segment: 0,
            payload: Vec::new(),
            cross_thread_size: 0,
            inline_data: 0,
            entry_with_ids: 0,
            local_ids: LocalIds::default(),
            implicit_block: false,
            eu: EuMode::default(),
            surfaces: Vec::new(),
            samplers: Vec::new(),
            private: PrivateMemory::default(),
            scratch: [0; 2],
            walk_order: [0, 1, 2],
            slm_after_static: true,
            unsupported: None,
        }
    }

    /// Whether the code adds how far the surface of an argument begins before its memory.
    pub(crate) fn takes_offset(&self, index: usize) -> bool {
        let wanted = PayloadValue::BufferOffset { arg: index };
        self.payload.iter().any(|field| field.value == wanted)
    }

    /// What messages call an argument: its name, or what it is.
    pub(crate) fn arg_name(&self, index: usize) -> String {
        match self.info.args.get(index) {
            Some(arg) => arg.name.clone().unwrap_or_else(|| arg.kind.to_string()),
            None => "unknown".to_owned(),
        }
    }

    /// The bytes of its payload that a compute walker carries itself.
    pub(crate) fn inline_bytes(&self) -> u32 {
        self.inline_data.min(devinfo::thread::INLINE_DATA)
    }

    /// The register in which the cross-thread payload begins.
    ///
    /// It follows the per-thread payload, which begins at r1. A media walker's thread always has at
    /// least one register of that (IDD "Constant URB Entry Read Length"), used or not.
    pub(crate) fn cross_thread_register(&self, family: Family) -> u32 {
        let grf = family.grf_bytes() as u32;
        let per_thread = self.local_ids.bytes().div_ceil(grf);
        1 + match family.walker() {
            WalkerKind::Gpgpu => per_thread.max(1),
            WalkerKind::Compute => per_thread,
        }
    }
}

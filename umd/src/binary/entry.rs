//! How a kernel is started: what the queue needs besides the public [`KernelInfo`].

use batchbuffer::dispatch::ThreadScheduling;
use devinfo::{Family, WalkerKind};

use crate::sampler::Sampler;

use super::info::KernelInfo;

/// A value of the cross-thread payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PayloadValue {
    /// `get_global_offset`, up to three dwords.
    GlobalOffset,
    /// `get_local_size` of this walker.
    LocalSize,
    /// `get_enqueued_local_size`.
    EnqueuedLocalSize,
    /// `get_num_groups`.
    GroupCount,
    /// `get_global_size`.
    GlobalSize,
    /// `get_work_dim`.
    WorkDimensions,
    /// The address of the `printf` buffer.
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
    /// Bytes of an argument's value.
    Value {
        arg: usize,
        /// The first byte in the argument.
        source: u32,
    },
    /// A buffer's address.
    Address { arg: usize },
    /// The offset of a local buffer in shared local memory.
    SlmOffset { arg: usize, alignment: u32 },
    /// The bytes from a surface's base to a buffer's first byte. Surfaces here begin at the
    /// buffer's first byte, so that it is zero.
    BufferOffset { arg: usize },
    /// A buffer's size.
    BufferSize { arg: usize },
    /// The offset of a surface state in the bindless surface heap.
    BindlessSurface { source: SurfaceSource },
    /// The offset of an argument's sampler state in the bindless sampler heap.
    BindlessSampler { arg: usize },
    /// The offset of an inline sampler's state in the bindless sampler heap.
    BindlessInlineSampler { index: u32 },
    /// What an image is.
    Image { arg: usize, query: ImageQuery },
    /// What a sampler is.
    Sampler { arg: usize, query: SamplerQuery },
}

impl PayloadValue {
    /// The argument that gives the value, once it is set.
    pub(crate) const fn argument(self) -> Option<usize> {
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
pub(crate) enum ImageQuery {
    Width,
    Height,
    Depth,
    ArraySize,
    ChannelOrder,
    ChannelDataType,
    MipLevels,
    Samples,
}

/// What the code asks of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SamplerQuery {
    /// All ones if coordinates must be snapped: clamp to border with nearest filtering.
    SnapWa,
    Normalized,
    AddressingMode,
}

/// A value's place in the cross-thread payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PayloadEntry {
    /// The first byte.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// The value.
    pub value: PayloadValue,
}

/// What a binding table index or a bindless surface stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SurfaceSource {
    /// A buffer or image argument.
    Argument(usize),
    /// Program-scope constants.
    Constants,
    /// Program-scope variables.
    Globals,
}

/// A binding table entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SurfaceSlot {
    pub index: u32,
    pub source: SurfaceSource,
    /// Whether the code accesses it with media block messages, for which a surface's width is
    /// counted in dwords.
    pub media_block: bool,
    /// Whether the code accesses it at all, as far as that can be told.
    pub used: bool,
}

/// Where a sampler state comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SamplerSource {
    /// An argument.
    Argument(usize),
    /// The kernel's source.
    Inline(Sampler),
}

/// A sampler state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SamplerSlot {
    pub index: u32,
    pub source: SamplerSource,
}

/// Local ids in the per-thread payload, as 16-bit lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LocalIds {
    /// Dimensions: 0 to 3.
    pub dimensions: u32,
    /// Bytes of one dimension in a thread's block.
    pub bytes_per_dimension: u32,
    /// One triple of ids for the whole thread, instead of lanes.
    pub packed: bool,
}

impl LocalIds {
    /// Bytes of a thread's block.
    pub(crate) const fn bytes(self) -> u32 {
        self.dimensions * self.bytes_per_dimension
    }
}

/// Private memory in a buffer of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrivateMemory {
    /// Bytes.
    pub size: u32,
    /// Whether `size` is of one lane, not of a thread.
    pub per_lane: bool,
}

/// What a kernel needs of the EUs that run it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EuMode {
    /// EUs must not run in lockstep pairs.
    pub no_fusion: bool,
    /// It uses the systolic arrays.
    pub systolic: bool,
    /// How EUs choose between threads.
    pub scheduling: ThreadScheduling,
}

/// Bytes of the structure of implicit arguments, with padding.
pub(crate) const IMPLICIT_ARGUMENTS: u32 = 192;

/// What the sizes of cross-thread payloads are rounded to, also where registers have 64 bytes: code
/// that loads its payload counts on it (NEO `zeinfo_decoder.cpp`).
pub(crate) const PAYLOAD_UNIT: u32 = 32;

/// One kernel, with all that is needed to start it.
#[derive(Clone, Debug)]
pub(crate) struct KernelEntry {
    pub info: KernelInfo,
    /// The segment of its code.
    pub segment: usize,
    /// Where it begins there.
    pub offset: u64,
    /// The cross-thread payload.
    pub payload: Vec<PayloadEntry>,
    /// Bytes of the cross-thread payload, a multiple of [`PAYLOAD_UNIT`].
    pub cross_thread_size: u32,
    /// The first bytes of it that a compute walker carries itself.
    pub inline_data: u32,
    /// Where a thread begins, in bytes from the kernel's start, that finds its local ids in its
    /// registers: behind the code that loads them.
    pub entry_with_ids: u32,
    pub local_ids: LocalIds,
    /// Whether the structure of implicit arguments, and a table of local ids, lie before the
    /// cross-thread payload, where code of compute walkers finds them by r0.0.
    pub implicit_block: bool,
    pub eu: EuMode,
    pub surfaces: Vec<SurfaceSlot>,
    pub samplers: Vec<SamplerSlot>,
    pub private: PrivateMemory,
    /// Bytes of scratch a thread, of the first and of the second slot.
    pub scratch: [u32; 2],
    /// The dimensions, fastest first, in which work-items are numbered.
    pub walk_order: [u8; 3],
    /// Whether local arguments lie behind the kernel's own shared local memory. If not, its code
    /// adds the size itself, and takes the first argument's offset to be zero.
    pub slm_after_static: bool,
    /// Why it cannot be run.
    pub unsupported: Option<String>,
}

impl KernelEntry {
    /// What messages call an argument: its name, or what it is.
    pub(crate) fn arg_name(&self, index: usize) -> String {
        match self.info.args.get(index) {
            Some(arg) => arg.name.clone().unwrap_or_else(|| arg.kind.to_string()),
            None => "unknown".to_owned(),
        }
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

//! The rules, and what breaks one.

use std::fmt;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Block reads begin at multiples of 4 bytes (of the element, where that is larger).
    BlockReadAlignment,
    /// Block writes begin at multiples of 16 bytes (on load/store units: of the element).
    BlockWriteAlignment,
    /// Image block writes begin at an x that is a multiple of 4 bytes.
    ImageBlockWriteX,
    /// Elements are aligned to their size.
    ElementAlignment,
    /// Stateful accesses stay inside their surface.
    SurfaceBounds,
    /// Accesses go to a surface that something is bound to.
    UnboundSurface,
    /// Stateless accesses stay inside the size asked for, not only inside its pages
    /// ([`Findings::bound`](crate::Findings::bound)).
    BufferBounds,
    /// An address that is computed from a pointer stays inside what the pointer points to.
    Provenance,
    /// Kernels do with memory what it is for, while it is theirs.
    Forbidden,
    /// Accesses of shared local memory stay inside the size asked for, not only inside the size
    /// that the hardware rounds it up to ([`Findings::launches`](crate::Findings::launches)).
    LocalBounds,
    /// Accesses stay inside the array that they are of, where code says so that a compiler has added
    /// ([`devinfo::report`]).
    ArrayBounds,
    /// Block reads and writes of a sub-group need all of its channels: a sub-group at the end of
    /// a range that is not a multiple of its size lacks some. (Only distinguished from other uses
    /// of the messages on the classic data port.)
    PartialSubGroup,
    /// All channels of a sub-group reach its block reads and writes, and barriers.
    DivergentFlow,
    /// All channels and all threads of a group reach each barrier, by the same instruction, and what else a group
    /// does together.
    DivergentBarrier,
    /// A work-group waits for its copies before it ends, or accesses what they read and write.
    UnfinishedCopy,
    /// A channel reads what another one has written that is not here: it is in other flow, or has
    /// returned.
    InactiveChannel,
    /// The channel of a broadcast, the place of a block and the arguments of a copy are the same for all
    /// channels.
    NotAlike,
    /// Registers that an address register names exist.
    RegisterBounds,
    /// Nothing touches a register that an instruction under way has yet to write or to read, unless it
    /// waits for that.
    Scoreboard,
    /// A surface state is one that hardware can work with.
    SurfaceState,
    /// So is a sampler state.
    SamplerState,
    /// What decides a branch, an address or what a buffer holds has been written.
    Uninitialised,
    /// Of two accesses of a byte by different threads, one of them a write, one happens before the
    /// other.
    Race,
    /// A thread fences what it wrote before it signals the barrier that others wait for; and after
    /// an atomic operation that says what another group wrote, before it reads that.
    MissingFence,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BlockReadAlignment => "block read alignment",
            Self::BlockWriteAlignment => "block write alignment",
            Self::ImageBlockWriteX => "image block write x",
            Self::ElementAlignment => "element alignment",
            Self::SurfaceBounds => "surface bounds",
            Self::UnboundSurface => "unbound surface",
            Self::BufferBounds => "buffer bounds",
            Self::Provenance => "pointer beyond its buffer",
            Self::Forbidden => "forbidden access",
            Self::LocalBounds => "local memory bounds",
            Self::ArrayBounds => "array bounds",
            Self::PartialSubGroup => "block access in a partial sub-group",
            Self::DivergentFlow => "sub-group operation in divergent flow",
            Self::DivergentBarrier => "barrier in divergent flow",
            Self::UnfinishedCopy => "copy not waited for",
            Self::InactiveChannel => "read of an inactive channel",
            Self::NotAlike => "operand not the same for all channels",
            Self::RegisterBounds => "register bounds",
            Self::Scoreboard => "scoreboard hazard",
            Self::SurfaceState => "surface state",
            Self::SamplerState => "sampler state",
            Self::Uninitialised => "uninitialised value",
            Self::Race => "data race",
            Self::MissingFence => "missing fence",
        })
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// The kernel's name, if its driver has said it.
    pub name: Option<String>,
    /// Where the kernel's code begins, in bytes from the instruction base.
    pub kernel: u64,
    /// The instruction, in bytes from the instruction base.
    pub ip: u64,
    /// Where it comes from in the kernel's source, if its driver has said it.
    pub source: Option<String>,
    /// The instruction in the assembler's syntax.
    pub text: String,
    /// Who broke it, the offending value and the limit.
    pub detail: String,
    /// The other party's instruction, where there is one, in bytes from the instruction base.
    pub other: Option<u64>,
}

impl Violation {
    /// The instruction's offset in the kernel.
    pub fn offset(&self) -> u64 {
        self.ip.wrapping_sub(self.kernel)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offset, text) = (self.offset(), self.text.trim());
        write!(
            f,
            "kernel+{offset:#x}: {text}: {}: {}",
            self.rule, self.detail
        )
    }
}

//! What text becomes.

use alloc::vec::Vec;
use core::ops::Range;

use devinfo::Family;

use super::diagnostic::Diagnostic;
use super::directive::{KernelDirectives, Target};
use super::fragment::Line;

/// One assembled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledKernel {
    /// What the directives say. A file without `//.kernel` holds one kernel with an empty name.
    pub directives: KernelDirectives,
    /// Where its instructions are in [`Assembly::code`], aligned to 64 bytes.
    pub code: Range<usize>,
    /// Where a thread begins that already has its local ids: after the code of [`Payload::Load`](super::Payload::Load)
    /// that loads them. 0 if there is none.
    pub entry_with_ids: usize,
    /// Its instructions, in order.
    pub lines: Vec<Line>,
}

/// An assembled file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// The family.
    pub family: Family,
    /// `//.platform`, if given.
    pub target: Option<Target>,
    /// The kernels in the order of the file; at least one.
    pub kernels: Vec<AssembledKernel>,
    /// All kernels, each aligned to 64 bytes.
    pub code: Vec<u8>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl Assembly {
    /// The instructions of one of its kernels.
    pub fn code_of(&self, kernel: &AssembledKernel) -> &[u8] {
        self.code.get(kernel.code.clone()).unwrap_or_default()
    }
}

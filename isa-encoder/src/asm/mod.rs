//! Assembly in IGA syntax, with directives in comments.

mod bfn;
mod check;
mod cursor;
mod diagnostic;
mod directive;
mod directive_parse;
mod instruction;
mod layout;
mod legacy;
mod lexer;
mod limits;
mod number;
mod operand;
mod options;
mod prolog;
mod scoreboard;
mod source;

use alloc::vec::Vec;

use devinfo::Family;

pub use diagnostic::{Diagnostic, Severity, Span};
pub use directive::{
    Argument, ArgumentKind, BlockUse, IdLayout, KernelDirectives, Payload, Scalar, SwsbMode,
    SystemField, SystemValue, Target,
};

/// What [`assemble`] needs to know besides the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsmOptions {
    /// The family; if `None`, `//.platform` must say it.
    pub family: Option<Family>,
    /// Compacts instructions that do not say `{NoCompact}`.
    pub auto_compact: bool,
    /// What becomes of instructions that hardware forbids.
    pub validation: Validation,
}

/// What the assembler does about violations of the rules of [`crate::validate`].
///
/// They have an encoding, and other assemblers take them, so that they are warnings at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// They are warnings.
    #[default]
    Warn,
    /// They are errors.
    Deny,
    /// Nothing is checked.
    Off,
}

/// One assembled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledKernel {
    /// What the directives say. A file without `//.kernel` holds one kernel with an empty name.
    pub directives: KernelDirectives,
    /// Its instructions.
    pub code: Vec<u8>,
    /// Offset of its code in [`Assembly::code`].
    pub offset: usize,
    /// Where a thread begins that has its local ids already: behind the code of
    /// [`Payload::Load`] that loads them. 0 if there is none.
    pub entry_with_ids: usize,
    /// Each instruction's offset in `code` and its place in the source.
    pub lines: Vec<(usize, Span)>,
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

/// Assembles a file.
///
/// # Errors
/// Every error found (and the warnings), in the order of the text.
pub fn assemble(text: &str, options: &AsmOptions) -> Result<Assembly, Vec<Diagnostic>> {
    let source = source::parse(text, options);
    layout::assemble(text, source, options)
}

/// Whether a text has a `//.platform` directive.
pub fn states_platform(text: &str) -> bool {
    source::states_platform(text)
}

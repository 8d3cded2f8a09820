//! The software scoreboard: which instruction must wait for which, from Gen12LP on.
//!
//! Gen12LP removed the hardware that ordered register accesses. Since then an instruction starts
//! regardless of what is still under way, and its [`crate::Swsb`] says what it waits for: a
//! distance in an in-order pipe, or a token that an out-of-order instruction (a send, a `dpas`,
//! `math` to XeHPG) has taken.
//!
//! [`check`] walks all paths of a kernel and reports each access that nothing orders;
//! [`annotate`] writes the annotations. Both use the same parts: [`Program`] (instructions and
//! where they lead), the footprint of an instruction, the pipe it runs in, and a data-flow analysis
//! over what may be under way.
//!
//! [`InOrder`] follows distances while a program runs: it sees registers that a0 names. It judges like
//! the checker.
//!
//! They differ in their assumptions. The checker accepts what Intel's compilers and iga64 rely on,
//! so everything it reports is wrong code. It does not judge registers reached through a0 or
//! lengths in a register, and assumes that in-order pipes are empty after a jump (not after a
//! branch that falls through). The annotator assumes the worst in the same places.
//!
//! Sources: TGL PRM vol 3a, "Software Scoreboard"; the scoreboard passes of IGC
//! (`SWSB_G4IR`), IGA (`SWSBSetter`, `RegDeps`) and Mesa (`brw_fs_scoreboard`).

mod access;
mod annotate;
mod check;
mod error;
mod fixpoint;
mod flow;
mod in_order;
mod packed;
mod pending;
mod pipe;
mod program;

pub(crate) use access::{Access, Space, View, accesses};
pub(crate) use flow::Flow;
pub(crate) use pipe::has_scoreboard;

pub use annotate::{Annotation, annotate, annotate_program, annotations};
pub use check::{Hazard, Place, Report, check, check_program};
pub use error::AnnotateError;
pub use in_order::{InOrder, Order, Overtaken, Range};
pub use pending::{Conflict, Tokens};
pub use program::Program;

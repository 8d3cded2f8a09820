//! The decoded form of an instruction: plain data, the same for every family.

mod attributes;
mod declare;
mod format;
mod functions;
mod instruction;
mod instructions;
pub(crate) mod names;
mod opcode;
mod operand;
pub mod semantics;
mod send;
mod signature;
mod swsb;
mod types;

pub use attributes::Attributes;
pub use format::Format;
pub use functions::{MathFunction, SyncFunction};
pub use instruction::{
    Branch, CondMod, Dpas, Flag, Instruction, Options, PredControl, Predicate, Specific,
};
pub use instructions::Opcode;
pub use operand::{ArfKind, Dst, RegFile, Region, Register, Src, SrcMods, VStride};
pub use semantics::{Semantics, TOGETHER};
pub use send::{Descriptor, Send, Sfid};
pub(crate) use signature::Signature;
pub use swsb::{Pipe, Swsb, Token, TokenMode};
pub use types::{Type, TypeKind};

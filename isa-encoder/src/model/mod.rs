//! The decoded form of an instruction: plain data, the same for every family.

mod instruction;
pub(crate) mod names;
mod opcode;
mod operand;
mod send;
mod swsb;
mod types;

pub use instruction::{
    Branch, CondMod, Dpas, Flag, Instruction, MathFunction, Options, PredControl, Predicate,
    Specific, SyncFunction,
};
#[cfg(test)]
pub(crate) use opcode::SPANS;
pub use opcode::{Format, Opcode};
pub use operand::{ArfKind, Dst, RegFile, Region, Register, Src, SrcMods, VStride};
pub use send::{Descriptor, Send, Sfid};
pub use swsb::{Pipe, Swsb, Token, TokenMode};
pub use types::{Type, TypeKind};

//! Why a kernel cannot be built.

use alloc::string::String;

use crate::message::DescriptorError;
use crate::swsb::AnnotateError;
use crate::{EncodeError, Opcode};

/// Why a kernel cannot be built. Instructions are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// An instruction has no encoding.
    #[error("instruction {index}: {error}")]
    Encode {
        /// The instruction.
        index: usize,
        /// Why.
        error: EncodeError,
    },
    /// An instruction breaks a rule of the hardware.
    #[error("instruction {index}: {text}: {violation}")]
    Rule {
        /// The instruction.
        index: usize,
        /// The instruction as text.
        text: String,
        /// The operand, the rule, and its source.
        violation: String,
    },
    /// The family does not have the message, or it does not fit the descriptors.
    #[error("instruction {index}: {error}")]
    Message {
        /// The instruction.
        index: usize,
        /// Why.
        error: DescriptorError,
    },
    /// Before Gen9 a send has only one payload.
    #[error(
        "instruction {index}: sends have one payload before Gen9; put the data after the address"
    )]
    SecondPayload {
        /// The instruction.
        index: usize,
    },
    /// An immediate offset is only possible beside an extended descriptor in a register.
    #[error(
        "instruction {index}: the message has an offset into a surface, which an extended \
         descriptor in the instruction has no room for; put the descriptor into a0 and name the \
         sub-register in SendOp::extended"
    )]
    ExtendedDescriptor {
        /// The instruction.
        index: usize,
    },
    /// An instruction with more than three sources.
    #[error("instruction {index}: {opcode} has more than three sources")]
    Sources {
        /// The instruction.
        index: usize,
        /// Its opcode.
        opcode: Opcode,
    },
    /// A branch goes to a label that is not bound, is bound twice or belongs to another builder.
    #[error("label {label} is {what}")]
    Label {
        /// The label's number.
        label: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// `else_`, `end_if` or `end_while` without its opening, or an opening without its end.
    #[error("instruction {index}: {what}")]
    Nesting {
        /// The instruction.
        index: usize,
        /// What is missing.
        what: &'static str,
    },
    /// The scoreboard annotation failed.
    #[error(transparent)]
    Scoreboard(#[from] AnnotateError),
}

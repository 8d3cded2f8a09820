//! What is declared of a kernel, and what is wrong with it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::validate::Machine;

/// What is declared of a kernel. What is `None` is not known, and not judged.
#[derive(Clone, Debug)]
pub struct Declared {
    /// What the rules of hardware depend on.
    pub machine: Machine,
    /// The barriers of a group.
    pub barriers: Option<u32>,
    /// The bytes of general registers that a thread has at its first instruction, from r0 on.
    pub payload: Option<u32>,
    /// The indices of the binding table.
    pub surfaces: Option<Vec<u32>>,
    /// The indices of the sampler states.
    pub samplers: Option<Vec<u32>>,
}

impl Declared {
    /// Nothing is known but the machine.
    pub fn nothing(machine: impl Into<Machine>) -> Self {
        Self {
            machine: machine.into(),
            barriers: None,
            payload: None,
            surfaces: None,
            samplers: None,
        }
    }
}

/// What is wrong with an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Bytes from the start of the kernel.
    pub offset: usize,
    /// Where it comes from, as `FILE:LINE`, if somebody who knows the kernel's source has said so.
    pub source: Option<String>,
    /// The instruction in IGA syntax; empty for bytes that are none.
    pub text: String,
    /// A short name of what is wrong.
    pub rule: &'static str,
    /// What is wrong, with the limit.
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            offset,
            source,
            text,
            rule,
            detail,
        } = self;
        write!(f, "+{offset:#x}")?;
        if let Some(source) = source {
            write!(f, " ({source})")?;
        }
        write!(f, ": {rule}: {detail}")?;
        match text.is_empty() {
            true => Ok(()),
            false => write!(f, ": {text}"),
        }
    }
}

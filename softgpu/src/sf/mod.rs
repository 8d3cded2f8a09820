//! Shared functions: what a send instruction reaches.

use crate::{Fault, GroupEnv};

/// One send, with its payload gathered.
#[derive(Debug)]
pub struct Message<'a> {
    /// The shared function id (extended descriptor bits 3:0, or the instruction's field).
    pub sfid: u8,
    /// The message descriptor.
    pub descriptor: u32,
    /// The extended descriptor.
    pub extended_descriptor: u32,
    /// The number of channels of the instruction.
    pub exec_size: u8,
    /// Live channels: bit i is channel i of this message (already shifted by the channel offset).
    pub mask: u32,
    /// Payload from source 0: message length registers.
    pub src0: &'a [u8],
    /// Payload from source 1: extended message length registers.
    pub src1: &'a [u8],
    /// Response registers, holding their present contents: disabled channels keep them.
    pub dst: &'a mut [u8],
}

/// What a send does to the thread beyond its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// The thread signalled its group's barrier; it waits for this generation at `sync.bar`
    /// (or `wait n0.0`).
    BarrierSignalled(u32),
    /// The thread ended.
    EndOfThread,
}

/// Executes one message.
///
/// # Errors
/// [`Fault::UnknownMessage`] names a message that this platform does not have or that is not
/// modelled; other faults come from memory.
pub fn execute(message: Message<'_>, env: &GroupEnv<'_>) -> Result<Effect, Fault> {
    let _ = env;
    Err(Fault::UnknownMessage {
        why: format!(
            "sfid {:#x} descriptor {:#010x}",
            message.sfid, message.descriptor
        ),
    })
}

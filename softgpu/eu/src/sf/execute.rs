//! The entry: one message in, its effects out.

use devinfo::Family;
use isa_encoder::Sfid;
use isa_encoder::message::{DescriptorError, Descriptors, Message as Meaning};

use super::family::traits;
use super::{gateway, hdc, lsc, sampler};
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
    /// The instruction's ExBSO bit: the extended descriptor holds a 26-bit surface offset.
    pub extended_bindless_offset: bool,
    /// The instruction's bits that accompany an extended descriptor in a register.
    pub extended_offset: Option<u32>,
    /// The number of channels of the instruction.
    pub exec_size: u8,
    /// Live channels: bit i is channel i of this message (already shifted by the channel offset).
    pub mask: u32,
    /// The thread's slot on the device, which selects its part of a scratch surface.
    pub thread_slot: u32,
    /// Payload from source 0: message length registers.
    pub src0: &'a [u8],
    /// Payload from source 1: extended message length registers.
    pub src1: &'a [u8],
    /// Response registers, with their present contents: disabled channels keep them.
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
/// [`Fault::UnknownMessage`] for a message that this platform does not have or that is not
/// modelled; [`Fault::Invalid`] for a payload that does not fit its descriptor; other faults come
/// from memory.
pub fn execute(message: Message<'_>, env: &GroupEnv<'_>) -> Result<Effect, Fault> {
    let descriptors = Descriptors {
        descriptor: message.descriptor,
        extended: message.extended_descriptor,
        extended_bindless_offset: message.extended_bindless_offset,
        extended_offset: message.extended_offset,
    };
    let meaning = decode(env.family, message.sfid, descriptors).map_err(unknown)?;
    perform(meaning, message, env)
}

/// The message of the descriptors of a send to shared function `sfid`.
///
/// # Errors
/// The errors of the decoder.
pub fn decode(
    family: Family,
    sfid: u8,
    descriptors: Descriptors,
) -> Result<Meaning, DescriptorError> {
    let meaning = Meaning::decode(family, Sfid::from_id(family, sfid)?, descriptors)?;
    if !traits(family).classic_data_ports && matches!(meaning, Meaning::Hdc(_)) {
        meaning.validate(family)?;
    }
    Ok(meaning)
}

/// Executes a decoded message.
///
/// # Errors
/// As [`execute`].
#[inline(always)]
pub fn perform(
    meaning: Meaning,
    message: Message<'_>,
    env: &GroupEnv<'_>,
) -> Result<Effect, Fault> {
    match meaning {
        Meaning::Hdc(meaning) => hdc::execute(meaning, message, env).map(|()| Effect::None),
        Meaning::Gateway(meaning) => gateway::execute(meaning, message.src0, env),
        Meaning::EndOfThread => Ok(Effect::EndOfThread),
        Meaning::Sampler(meaning) => sampler::execute(meaning, message, env).map(|()| Effect::None),
        Meaning::Lsc(meaning) => lsc::execute(meaning, message, env).map(|()| Effect::None),
        Meaning::RenderTarget(_) | Meaning::Urb(_) | Meaning::RayTracing(_) => {
            Err(not_modelled(&meaning.to_string()))
        }
    }
}

fn unknown(error: DescriptorError) -> Fault {
    Fault::UnknownMessage {
        why: error.to_string(),
    }
}

/// A message that decodes but that this model does not perform.
pub(super) fn not_modelled(what: &str) -> Fault {
    Fault::UnknownMessage {
        why: format!("{what} is not modelled"),
    }
}

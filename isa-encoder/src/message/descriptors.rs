//! The descriptors of a send.

use crate::model::{Descriptor, Send};

/// The two descriptors of a send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptors {
    /// The message descriptor, without lengths when it was made by [`Message::encode`](super::Message::encode).
    pub descriptor: u32,
    /// The extended descriptor, without the shared function and the length of the second source.
    pub extended: u32,
    /// Bit ExBSO: `extended` holds a 26-bit surface offset (XeHPG and later).
    pub extended_bindless_offset: bool,
    /// The bits beside an extended descriptor that is in a register: they then hold immediate
    /// offsets (Xe2). `None` if the extended descriptor is immediate.
    pub extended_offset: Option<u32>,
}

impl Descriptors {
    /// The descriptors of a send; `None` if the message descriptor is in a register. An extended
    /// descriptor in a register counts as zero.
    pub fn of(send: &Send) -> Option<Self> {
        Some(Self {
            descriptor: send.desc.immediate()?,
            extended: send.exdesc.immediate().unwrap_or(0),
            extended_bindless_offset: send.ex_bso,
            extended_offset: match send.exdesc {
                Descriptor::Register { .. } => Some(send.exdesc_offset),
                Descriptor::Immediate(_) => None,
            },
        })
    }
}

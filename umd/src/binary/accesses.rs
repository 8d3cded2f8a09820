//! Which surfaces a kernel's code accesses, and how.
//!
//! `.ze_info` does not tell: it gives a binding table entry to every buffer, also where the code
//! only uses its address, and calls images that are accessed in blocks `image_2d` like any other.

use devinfo::Family;
use isa_encoder::message::{Descriptors, Hdc, HdcSurface, Message};
use isa_encoder::{Send, Sfid, Specific, decode};

/// The binding table indices in a kernel's messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accesses {
    /// Those of media block messages, for which a surface's width counts dwords.
    pub media_blocks: Vec<u8>,
    /// All of them.
    surfaces: Vec<u8>,
    /// Some message takes its index from a register.
    any: bool,
}

impl Accesses {
    /// Whether the code may access the surface of this index.
    pub(crate) fn may_use(&self, index: u32) -> bool {
        self.any || u8::try_from(index).is_ok_and(|index| self.surfaces.contains(&index))
    }

    /// Reads the code. Bytes that cannot be decoded are skipped: a kernel that runs into them
    /// faults on its own.
    pub(crate) fn of(family: Family, code: &[u8]) -> Self {
        let mut accesses = Self::default();
        let mut rest = code;
        while !rest.is_empty() {
            let length = match decode(family, rest) {
                Ok((instruction, length)) => {
                    if let Specific::Send(send) = &instruction.specific {
                        accesses.add(family, send);
                    }
                    length
                }
                // Bit 29 of an instruction says that it has 8 bytes.
                Err(_) if rest.get(3).is_some_and(|byte| byte & 0x20 != 0) => 8,
                Err(_) => 16,
            };
            rest = rest.get(length.max(8)..).unwrap_or(&[]);
        }
        accesses
    }

    fn add(&mut self, family: Family, send: &Send) {
        // Messages of the data port and the sampler have the index in the descriptor's lowest
        // byte, those of the load/store unit (address type 3 in bits 30:29) in the extended
        // descriptor's highest.
        let in_lowest = match send.sfid {
            Some(Sfid::DataPort0 | Sfid::DataPort1 | Sfid::ConstantCache | Sfid::Sampler) => true,
            Some(Sfid::Ugm | Sfid::Ugml | Sfid::Tgm) => false,
            None => return self.any = true,
            Some(_) => return,
        };
        let Some(descriptor) = send.desc.immediate() else {
            return self.any = true;
        };
        if in_lowest {
            // Fences (type 7 of the first data port) and scratch blocks (from 16 on) have no
            // surface.
            let kind = descriptor >> 14 & 0x1f;
            if send.sfid != Some(Sfid::DataPort0) || kind != 7 && kind < 16 {
                self.insert(descriptor as u8);
            }
        } else if descriptor >> 29 & 3 == 3 {
            match send.exdesc.immediate() {
                Some(extended) => self.insert((extended >> 24) as u8),
                None => self.any = true,
            }
        }
        let descriptors = Descriptors {
            descriptor,
            ..Descriptors::default()
        };
        if let Some(sfid) = send.sfid
            && let Ok(Message::Hdc(Hdc::MediaBlock { surface, .. })) =
                Message::decode(family, sfid, descriptors)
            && let HdcSurface::Bti(index) = surface
            && !self.media_blocks.contains(&index)
        {
            self.media_blocks.push(index);
        }
    }

    fn insert(&mut self, index: u8) {
        if !self.surfaces.contains(&index) {
            self.surfaces.push(index);
        }
    }
}

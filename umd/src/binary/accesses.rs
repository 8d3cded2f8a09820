//! Which surfaces a kernel's code accesses, and how.
//!
//! `.ze_info` does not tell: it gives a binding table entry to every buffer, also where the code
//! only uses its address, and calls images that are accessed in blocks `image_2d` like any other.

use devinfo::Family;
use isa_encoder::audit::Block;
use isa_encoder::message::{
    Descriptors, Direction, Hdc, HdcAddress, HdcSurface, Lsc, LscAddress, Message,
};
use isa_encoder::{Send, Sfid, Specific, decode};

/// The binding table indices in a kernel's messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accesses {
    /// Those of media block messages, for which a surface's width counts dwords.
    pub media_blocks: Vec<u8>,
    /// Those of all other messages.
    pub others: Vec<u8>,
    /// Those of blocks of buffers, with the alignment that `cl_intel_subgroups` asks of the
    /// buffer's address: [`BLOCK_READ`] or [`BLOCK_WRITE`].
    pub blocks: Vec<(u8, u32)>,
    /// All of them.
    surfaces: Vec<u8>,
    /// Some message takes its index from a register.
    any: bool,
}

/// "The pointer p must be 32-bit (4-byte) aligned for reads, and must be 128-bit (16-byte) aligned
/// for writes." (`cl_intel_subgroups`, 6.13.X.1)
pub(super) const BLOCK_READ: u32 = 4;
pub(super) const BLOCK_WRITE: u32 = 16;

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
        let mut index = None;
        if in_lowest {
            // Fences (type 7 of the first data port) and scratch blocks (from 16 on) have no
            // surface.
            let kind = descriptor >> 14 & 0x1f;
            if send.sfid != Some(Sfid::DataPort0) || kind != 7 && kind < 16 {
                index = Some(descriptor as u8);
            }
        } else if descriptor >> 29 & 3 == 3 {
            match send.exdesc.immediate() {
                Some(extended) => index = Some((extended >> 24) as u8),
                None => self.any = true,
            }
        }
        if let Some(index) = index {
            insert(&mut self.surfaces, index);
        }
        let descriptors = Descriptors {
            descriptor,
            extended: send.exdesc.immediate().unwrap_or_default(),
            ..Descriptors::default()
        };
        let message = send
            .sfid
            .map(|sfid| Message::decode(family, sfid, descriptors));
        let is_media_block = matches!(message, Some(Ok(Message::Hdc(Hdc::MediaBlock { .. }))));
        if let Some(index) = index.filter(|_| !is_media_block) {
            insert(&mut self.others, index);
        }
        if let Some(Ok(message)) = message {
            self.add_block(&message);
        }
    }

    fn add_block(&mut self, message: &Message) {
        let index = match *message {
            Message::Hdc(Hdc::MediaBlock {
                surface: HdcSurface::Bti(index),
                ..
            }) => return insert(&mut self.media_blocks, index),
            Message::Hdc(Hdc::OwordBlock {
                address: HdcAddress::A32(HdcSurface::Bti(index)),
                ..
            })
            | Message::Lsc(Lsc::Vector {
                address: LscAddress::Bti { index, .. },
                ..
            }) => index,
            _ => return,
        };
        let alignment = match Block::of(message) {
            None => return,
            Some(block) if block.direction == Direction::Read => BLOCK_READ,
            // What it stores is not followed here: it may be a value of 8 bytes that all channels share.
            Some(block) if block.may_be_shared && block.bytes < BLOCK_WRITE as usize => return,
            Some(_) => BLOCK_WRITE,
        };
        self.blocks.push((index, alignment));
    }
}

fn insert(list: &mut Vec<u8>, index: u8) {
    if !list.contains(&index) {
        list.push(index);
    }
}

#[cfg(test)]
mod tests {
    use super::Accesses;
    use isa_encoder::AsmOptions;

    fn blocks(platform: &str, text: &str) -> Vec<(u8, u32)> {
        let text = format!("//.platform {platform}\n//.kernel k\n//.simd 16\n{text}\n");
        let assembly = isa_encoder::assemble(&text, &AsmOptions::default()).unwrap();
        let code = assembly.code_of(&assembly.kernels[0]);
        let family = devinfo::by_name(platform).unwrap().family;
        Accesses::of(family, code).blocks
    }

    #[test]
    fn blocks_of_the_data_port_ask_for_alignment() {
        let read = "(W) send.dc0 (16|M0) r6 r3 null 0x0 0x02284301";
        let write = "(W) send.dc0 (16|M0) null r10 r8 0x80 0x020A0300";
        let by_pointer = "(W) send.dc1 (16|M0) r29 r37 null 0x0 0x024D0CFF";
        let text = [read, write, by_pointer].join("\n");
        assert_eq!(blocks("tgl", &text), [(1, 4), (0, 16)]);
        let gather = "send.dc1 (16|M0) r8 r6 null 0x0 0x04205E01";
        assert_eq!(blocks("tgl", gather), []);
    }

    #[test]
    fn blocks_of_the_load_store_unit_ask_for_alignment() {
        let read = "(W) load.ugm.d32x16t.a32 (1|M0) r6:2 bti[1][r3:1]";
        let write = "(W) store.ugm.d32x16t.a32 (1|M0) bti[0][r3:1] r8:2";
        let shared = "(W) store.ugm.d32x1t.a32 (1|M0) bti[2][r3:1] r8:1";
        let scalar = "(W) load.ugm.d32x1t.a32 (1|M0) r6:1 bti[3][r3:1]";
        let text = [read, write, shared, scalar].join("\n");
        assert_eq!(blocks("dg2", &text), [(1, 4), (0, 16)]);
    }

    #[test]
    fn without_block_writes_only_reads_ask_for_alignment() {
        let text = "//.platform dg2\n//.kernel k\n//.simd 16\n//.arg from buf:1\n//.arg to buf:0\n\
                    (W) load.ugm.d32x16t.a32 (1|M0) r6:2 bti[1][r3:1]\n\
                    (W) store.ugm.d32x16t.a32 (1|M0) bti[0][r3:1] r8:2\n";
        let binary = crate::Binary::assemble(text, None).unwrap();
        let alignments = |binary: &crate::Binary| {
            let args = &binary.kernel("k").unwrap().args;
            let of_abi = &binary.abi("k").unwrap().info.args;
            assert_eq!(args, of_abi);
            args.iter().map(|arg| arg.alignment).collect::<Vec<_>>()
        };
        assert_eq!(alignments(&binary), [4, 16]);
        assert_eq!(alignments(&binary.without_block_writes()), [4, 4]);
    }
}

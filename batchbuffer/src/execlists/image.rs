//! Context images and their descriptors.

use devinfo::{Family, GpuAddress};

use super::family::{Execlists, Load, execlists};
use crate::error::EncodeError;
use crate::layout::Engine;
use crate::packets::mi_load_register_imm as lri;
use crate::registers::{base, own};

/// Bits of a context descriptor (i915 `intel_lrc.h`, `GEN8_CTX_*`).
pub mod descriptor {
    /// It is there.
    pub const VALID: u64 = 1;
    /// The context's registers are loaded even if the engine has them.
    pub const FORCE_RESTORE: u64 = 1 << 2;
    /// Addresses have 48 bits, behind four levels of page tables.
    pub const FOUR_LEVELS: u64 = 3 << 3;
    /// Accesses are coherent in the L3 and the last-level cache.
    pub const COHERENT: u64 = 1 << 5;
    /// The ring may use the global GTT.
    pub const PRIVILEGED: u64 = 1 << 8;
    /// The page of the context image in the global GTT.
    pub const IMAGE: u64 = 0xffff_f000;
}

/// Places in a context image, in bytes (i915 `intel_lrc_reg.h`). Its registers follow the context's
/// status page.
pub mod place {
    /// In the status page, a qword that nobody reads (i915 `LRC_PPHWSP_SCRATCH`).
    pub const SCRATCH: u64 = 0xd0;
    /// In the status page, where software keeps the number of the last batch that has ended (xe
    /// `LRC_SEQNO_PPHWSP_OFFSET`).
    pub const SEQNO: u64 = 0x200;
    /// Where the registers begin.
    pub const REGISTERS: u64 = 0x1000;
    /// Whether the rest of the image is loaded and saved.
    pub const CONTEXT_CONTROL: u64 = 0x100c;
    /// The ring's head: where the engine continues.
    pub const HEAD: u64 = 0x1014;
    /// Its tail.
    pub const TAIL: u64 = 0x101c;
    /// The ring's address in the global GTT.
    pub const START: u64 = 0x1024;
    /// Its length and whether it is enabled.
    pub const CONTROL: u64 = 0x102c;
    /// The highest level of the page table.
    pub const ROOT_HIGH: u64 = 0x10c4;
    /// Its low dword.
    pub const ROOT_LOW: u64 = 0x10cc;

    /// The offset in HEAD and TAIL.
    pub const OFFSET: u32 = 0x1f_fffc;
    /// In CONTROL, the pages less one.
    pub const PAGES: u32 = 0x1f_f000;
    /// In CONTROL, whether the ring is enabled.
    pub const ENABLE: u32 = 1;
}

/// Bits of CTX_CONTEXT_CONTROL. Bits 31:16 say which of the others are written.
mod control {
    /// The engine's state is not loaded: the image does not have it yet.
    pub const RESTORE_INHIBIT: u32 = 1;
    pub const RESOURCE_STREAMER: u32 = 1 << 1;
    pub const SAVE_INHIBIT: u32 = 1 << 2;
    /// No context switch at a wait.
    pub const SYNCHRONOUS_SWITCH_INHIBIT: u32 = 1 << 3;
}

/// RING_MI_MODE's STOP_RING.
const STOP_RING: u32 = 1 << 8;

/// What a new context is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The engine that runs it.
    pub engine: Engine,
    /// The ring's address in the global GTT.
    pub ring: u32,
    /// Its bytes: whole pages.
    pub ring_bytes: u32,
    /// The highest level of its page table.
    pub root: GpuAddress,
}

impl Context {
    /// The bytes of the image, of which [`Context::registers`] fills the second page.
    pub const fn image_bytes(family: Family, engine: Engine) -> u64 {
        execlists(family).image(engine).pages as u64 * 0x1000
    }

    /// The dwords from [`place::REGISTERS`] on, for a context that has not run yet.
    ///
    /// # Errors
    /// A ring or a root that does not fit its register.
    pub fn registers(&self, family: Family) -> Result<Vec<u32>, EncodeError> {
        let row = execlists(family);
        let layout = row.image(self.engine);
        let mut dwords: Vec<u32> = Vec::new();
        for step in layout.registers {
            match *step {
                Load::Skip(count) => dwords.resize(dwords.len() + count, 0),
                Load::Registers { posted, offsets } => {
                    self.load(family, row, posted, offsets, &mut dwords)?;
                }
            }
        }
        Ok(dwords)
    }

    /// One MI_LOAD_REGISTER_IMM.
    fn load(
        &self,
        family: Family,
        row: &Execlists,
        posted: bool,
        offsets: &[&[u16]],
        out: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let mut packet = lri::packet(family).set(lri::FORCE_POSTED, posted);
        if row.relative_registers {
            packet = packet.set(lri::ADD_CS_MMIO_START_OFFSET, 1u32);
        }
        let offsets = offsets.iter().copied().flatten();
        for (index, offset) in offsets.map(|offset| u32::from(*offset)).enumerate() {
            let register = base(self.engine) + offset;
            packet = packet.set_at(lri::REGISTER_OFFSET, index, register).set_at(
                lri::DATA_DWORD,
                index,
                self.value(row, offset),
            );
        }
        packet.emit(out)
    }

    /// What a register of the image holds at first.
    fn value(&self, row: &Execlists, offset: u32) -> u32 {
        let enable = |bits: u32| bits << 16 | bits;
        match offset {
            own::CONTEXT_CONTROL => {
                let kept = match row.save_inhibit {
                    true => (control::SAVE_INHIBIT | control::RESOURCE_STREAMER) << 16,
                    false => 0,
                };
                kept | enable(control::SYNCHRONOUS_SWITCH_INHIBIT | control::RESTORE_INHIBIT)
            }
            own::RING_START => self.ring,
            own::RING_CONTROL => (self.ring_bytes - 0x1000) & place::PAGES | place::ENABLE,
            own::PAGE_TABLE_HIGH => (self.root.get() >> 32) as u32,
            own::PAGE_TABLE_LOW => self.root.get() as u32,
            own::MI_MODE => STOP_RING << 16,
            _ => 0,
        }
    }

    /// The descriptor of the context whose image is at `image` in the global GTT. `id` tells it from
    /// others in the status buffer.
    pub fn descriptor(family: Family, engine: Engine, image: u32, id: u32) -> u64 {
        let row = execlists(family);
        let mut bits = descriptor::VALID | descriptor::FOUR_LEVELS | descriptor::PRIVILEGED;
        if row.coherent_contexts {
            bits |= descriptor::COHERENT;
        }
        if row.class_in_descriptor {
            bits |= u64::from(class(engine)) << 61;
        }
        bits | u64::from(image) & descriptor::IMAGE | row.status.id(id) << row.id_shift
    }
}

/// A class's number in descriptors (i915 `VIDEO_DECODE_CLASS` and the like).
const fn class(engine: Engine) -> u32 {
    match engine {
        Engine::Render => 0,
        Engine::Video => 1,
        Engine::VideoEnhance => 2,
        Engine::Blitter => 3,
        Engine::Compute => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;
    use crate::packets::PacketId;

    /// The image is a sequence of commands, and the named places hold what they should.
    #[test]
    fn registers_lie_where_their_places_say() {
        for family in Family::ALL {
            for engine in [Engine::Render, Engine::Blitter, Engine::Compute] {
                let context = Context {
                    engine,
                    ring: 0x12_3000,
                    ring_bytes: 0x4000,
                    root: GpuAddress::new(0x7f_1234_5000),
                };
                let image = context.registers(family).unwrap();
                let at = |place: u64| {
                    let index = ((place - place::REGISTERS) / 4) as usize;
                    (image[index - 1] - base(engine), image[index])
                };
                let what = format!("{family} {engine}");
                assert_eq!(at(place::HEAD), (0x34, 0), "{what}");
                assert_eq!(at(place::TAIL), (0x30, 0), "{what}");
                assert_eq!(at(place::START), (0x38, 0x12_3000), "{what}");
                assert_eq!(at(place::CONTROL), (0x3c, 0x3001), "{what}");
                assert_eq!(at(place::ROOT_HIGH), (0x274, 0x7f), "{what}");
                assert_eq!(at(place::ROOT_LOW), (0x270, 0x1234_5000), "{what}");
                assert_eq!(at(place::CONTEXT_CONTROL).0, 0x244, "{what}");
                let mut rest = &image[..];
                while let [first, ..] = rest {
                    let packet = decode(family, engine, rest).unwrap();
                    assert!(
                        *first == 0 || packet.id == PacketId::MiLoadRegisterImm,
                        "{what}"
                    );
                    rest = &rest[packet.len()..];
                }
                assert!(4 * image.len() <= 0x1000, "{what}");
            }
        }
    }

    #[test]
    fn descriptors_have_the_bits_of_the_kernels() {
        let of = |family, engine| Context::descriptor(family, engine, 0x0123_4000, 7);
        assert_eq!(of(Family::Gen8, Engine::Render), 0x7_0123_4139);
        assert_eq!(of(Family::Gen9, Engine::Blitter), 0x7_0123_4119);
        assert_eq!(
            of(Family::Gen11, Engine::Blitter),
            3 << 61 | 7 << 37 | 0x0123_4119
        );
        assert_eq!(of(Family::XeHpg, Engine::Compute), 7 << 39 | 0x0123_4119);
    }
}

//! What the families have, as far as code depends on it and `isa_encoder` does not say it.

use devinfo::thread;
use devinfo::{Family, Platform};
use isa_encoder::{Opcode, Sfid, has_opcode};

use crate::ir::{Access, Space};

/// What a family has.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Dwords are multiplied as a whole.
    pub dword_mul: bool,
    /// Integers of 64 bits are added and shifted as a whole.
    pub qwords: bool,
    /// `math` divides integers.
    pub int_div: bool,
    /// `mach` gives the high half of a product if it also writes the accumulator, which it is asked
    /// for; otherwise it gives the low half. Without that there is `macl` for the low half.
    pub mach_asks: bool,
    /// `goto` parks the channels that the predicate does not select.
    pub goto_parks_false: bool,
    /// Messages reach buffers by the binding table as well as by addresses.
    pub binding_tables: bool,
    /// Threads start without their payload.
    pub loads_payload: bool,
    /// The walker brings the first [`thread::INLINE_DATA`] bytes of the cross-thread payload in a register.
    pub inline_data: bool,
    /// Runtimes write the local ids of as many dimensions as a kernel asks for; without that, of none
    /// or of three (NEO `setGroupSize`, and what IGC asks for).
    pub fewer_ids: bool,
    /// They load it by blocks of the classic data port, as Intel's compiler does; without that, by
    /// load/store messages.
    pub payload_blocks: bool,
    /// Lanes of one message with addresses of its own.
    pub message_lanes: u32,
    /// Bytes that one message takes of each lane in global memory: four dwords, or four qwords.
    pub lane_bytes: u32,
    /// The same on the classic data port, with addresses of 64 bits.
    pub flat_lanes: u32,
    /// A barrier needs a fence of local memory before it.
    pub local_fence: bool,
    /// The data port has blocks of scratch memory; without them it is a surface of load/store
    /// messages.
    pub scratch_blocks: bool,
    /// The data port has the lesser and the greater of floats as atomic operations.
    pub float_atomics: bool,
    /// Global memory has the sum of floats as an atomic operation.
    pub float_adds: bool,
    /// Local memory has atomic operations of 64 bits: the data port before load/store messages has
    /// them for global memory only.
    pub local_atomics_64: bool,
    /// Messages for texels begin with a header that enables their channels.
    pub typed_header: bool,
    /// `mad` takes halves that are a dword apart.
    pub half_mad: bool,
    /// Sources of floats, and those beside qwords, may lie at other places in their registers than the
    /// destination.
    pub float_regions: bool,
}

/// Sources: the PRMs and IGC as in `isa_encoder` and its rules; "igc" listings of each family.
const GEN8: Caps = Caps {
    dword_mul: true,
    qwords: true,
    int_div: true,
    mach_asks: true,
    goto_parks_false: true,
    binding_tables: true,
    loads_payload: false,
    inline_data: false,
    fewer_ids: false,
    payload_blocks: true,
    message_lanes: 16,
    lane_bytes: 16,
    flat_lanes: 8,
    local_fence: false,
    scratch_blocks: true,
    float_regions: true,
    typed_header: true,
    float_atomics: false,
    float_adds: false,
    local_atomics_64: false,
    half_mad: false,
};

const GEN9: Caps = Caps {
    flat_lanes: 16,
    typed_header: false,
    float_atomics: true,
    ..GEN8
};

/// "If source or destination is 64b, or the operation is an integer DWord multiply, regioning must be
/// aligned" (CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types).
const SMALL_CORE: Caps = Caps {
    dword_mul: false,
    float_regions: false,
    ..GEN9
};

const GEN11: Caps = Caps {
    half_mad: true,
    dword_mul: false,
    qwords: false,
    goto_parks_false: false,
    local_fence: true,
    ..GEN9
};

const XEHPG: Caps = Caps {
    int_div: false,
    float_adds: true,
    local_atomics_64: true,
    float_regions: false,
    loads_payload: true,
    inline_data: true,
    ..GEN11
};

const XEHPC: Caps = Caps {
    qwords: true,
    binding_tables: false,
    inline_data: false,
    payload_blocks: false,
    mach_asks: false,
    message_lanes: 32,
    lane_bytes: 32,
    ..XEHPG
};

const XE2: Caps = Caps {
    scratch_blocks: false,
    inline_data: true,
    fewer_ids: true,
    ..XEHPC
};

impl Caps {
    /// The bytes that one message takes of each lane for an access.
    pub const fn access_bytes(&self, access: Access) -> u32 {
        match access.space {
            // Qwords are aligned.
            Space::Global if access.align >= 8 => self.lane_bytes,
            _ => Self::DWORDS,
        }
    }

    /// Bytes of four dwords.
    const DWORDS: u32 = 16;

    const fn of(platform: &Platform) -> &'static Caps {
        match platform.family {
            Family::Gen8 => &GEN8,
            Family::Gen9 if platform.small_core => &SMALL_CORE,
            Family::Gen9 => &GEN9,
            Family::Gen11 | Family::Gen12Lp => &GEN11,
            Family::XeHpg => &XEHPG,
            Family::XeHpc => &XEHPC,
            Family::Xe2 | Family::Xe3 => &XE2,
        }
    }
}

/// What code is made for.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The platform.
    pub platform: &'static Platform,
    /// What its family has.
    pub caps: &'static Caps,
    /// The lanes of a sub-group.
    pub simd: u32,
    /// The registers of a thread.
    pub registers: u32,
    /// Arrays may live in registers.
    pub arrays: bool,
    /// The code is checked: loads of three bytes or words leave their padding, which others may write, and
    /// private variables keep places of their own, so that what nothing has written stays so.
    pub checked: bool,
}

impl Target {
    /// A target.
    pub const fn new(platform: &'static Platform, simd: u32, registers: u32) -> Self {
        Self {
            platform,
            caps: Caps::of(platform),
            simd,
            registers,
            arrays: true,
            checked: false,
        }
    }

    /// Whether there are load/store messages; without them there is the classic data port.
    pub fn lsc(&self) -> bool {
        Sfid::Ugm.id(self.platform.family).is_ok()
    }

    /// Whether software says what an instruction waits for. Without that, the thread also waits for
    /// a barrier by its notification register, and switches after it writes cr0.
    pub fn software_scoreboard(&self) -> bool {
        has_opcode(self.platform.family, Opcode::Sync)
    }

    /// Whether a send takes a second payload.
    pub fn two_payloads(&self) -> bool {
        self.software_scoreboard() || has_opcode(self.platform.family, Opcode::Sends)
    }

    /// How many slots of threads there may be.
    pub fn slots(&self) -> u32 {
        match self.caps.loads_payload {
            false => thread::SLOT.mask + 1,
            true => {
                let parts = thread::slot_parts(self.platform.family);
                parts.fold(1, |most, part| most + ((1 << part.bits) - 1) * part.slots)
            }
        }
    }

    /// Bytes of a register.
    pub const fn grf(&self) -> u32 {
        self.platform.grf_bytes() as u32
    }

    /// Bytes of the local ids of one dimension.
    pub const fn local_id_bytes(&self) -> u32 {
        (2 * self.simd).next_multiple_of(self.grf())
    }

    /// The dimensions whose local ids a thread has, if its code asks for the first `used` ones.
    pub const fn local_ids(&self, used: u32) -> u32 {
        match used {
            0 => 0,
            _ if self.caps.fewer_ids => used,
            _ => 3,
        }
    }

    /// The first register of the cross-thread payload: after r0 and the local ids of some dimensions.
    /// Threads that start with their payload have at least one register before it.
    pub const fn payload_register(&self, local_ids: u32) -> u32 {
        let ids = local_ids * self.local_id_bytes() / self.grf();
        if ids == 0 && !self.caps.loads_payload {
            2
        } else {
            1 + ids
        }
    }

    /// Bytes of the cross-thread payload that the walker brings.
    pub const fn inline_data(&self) -> u32 {
        if self.caps.inline_data {
            thread::INLINE_DATA
        } else {
            0
        }
    }

    /// Where a byte of the cross-thread payload is in the registers. What the walker does not bring
    /// begins in a register of its own.
    pub const fn payload_byte(&self, local_ids: u32, offset: u32) -> u32 {
        let first = self.payload_register(local_ids) * self.grf();
        let inline = self.inline_data();
        if offset < inline {
            first + offset
        } else {
            first + inline.next_multiple_of(self.grf()) + (offset - inline)
        }
    }
}

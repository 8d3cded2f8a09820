//! How the engines of a family take contexts, one row each.

use devinfo::Family;

use super::status::{Events, StatusBuffer};
use crate::layout::Engine;
use crate::registers::device;

/// Where an execution list is written.
///
/// Sources: BDW and ICL PRM vol 2c; i915 `intel_execlists_submission.c` and `intel_engine_regs.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submission {
    /// EXECLIST_SUBMITPORT: four writes, of the last element's high dword first.
    Port,
    /// The submit queue, and EXECLIST_CONTROL, which loads it.
    Queue,
    /// Only firmware submits.
    Firmware,
}

/// What a family has.
#[derive(Clone, Copy, Debug)]
pub struct Execlists {
    /// How an engine takes work.
    pub submission: Submission,
    /// Whether a compute engine exists, where earlier families have another one's registers.
    pub compute_engine: bool,
    /// What EXECLIST_STATUS says of an engine that has nothing to do, in the bits that files wait for
    /// (AUB files of NEO 22.43: bit 8 is set to Gen9, bit 15 later; NEO 26.x: bit 7 is clear from Gen12LP on).
    pub idle_status: u32,
    /// The same for an engine with work.
    pub busy_status: u32,
    /// The value that makes an engine take lists, for its mode register: the upper half says which bits
    /// are written (i915 `GFX_RUN_LIST_ENABLE`, `GEN11_GFX_DISABLE_LEGACY_MODE`).
    pub list_mode: u32,
    /// The status buffer.
    pub status: StatusBuffer,
    /// Descriptors and accesses say that they are coherent (i915 `GEN8_CTX_L3LLC_COHERENT`).
    pub coherent_contexts: bool,
    /// Descriptors name the class of the engine.
    pub class_in_descriptor: bool,
    /// Where a descriptor has the context's id.
    pub id_shift: u32,
    /// Context control also says whether the engine's state is saved.
    pub save_inhibit: bool,
    /// The image's registers count from the engine's base (i915 `MI_LRI_LRM_CS_MMIO`).
    pub relative_registers: bool,
    /// Where a page fault is told of.
    pub faults: FaultRegisters,
    /// The bits of the reset register for engines that compute, and for those that copy.
    pub reset_domains: (u32, u32),
    /// What keeps the registers of the engines awake.
    pub force_wake: &'static [ForceWake],
    /// What the caching bits of page table entries mean: registers and their values (i915
    /// `setup_private_pat`). Entries with none of the bits are cached.
    pub page_attributes: &'static [(u32, u32)],
    eu_image: Image,
    copy_image: Image,
}

impl Execlists {
    /// The layout of an engine's context images.
    pub(super) const fn image(&self, engine: Engine) -> &Image {
        match engine {
            Engine::Render | Engine::Compute => &self.eu_image,
            Engine::Blitter | Engine::Video | Engine::VideoEnhance => &self.copy_image,
        }
    }

    /// The engine's bit in the reset register.
    pub const fn reset_domain(&self, engine: Engine) -> u32 {
        match engine {
            Engine::Render | Engine::Compute => self.reset_domains.0,
            Engine::Blitter | Engine::Video | Engine::VideoEnhance => self.reset_domains.1,
        }
    }
}

/// Registers that tell of a page fault (i915 `gen8_check_faults`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultRegisters {
    /// Whether there is one: bit 0.
    pub fault: u32,
    /// Bits 43:12 of the address.
    pub address_low: u32,
    /// Bits 47:44 of the address, and in bit 4 whether it is a global one.
    pub address_high: u32,
}

/// A register that keeps a part of the GPU awake, and the one that says that it is (i915
/// `uncore_fw_domains_init`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForceWake {
    /// Where it is asked for: the upper half says which bits are written.
    pub request: u32,
    /// Where it is granted.
    pub granted: u32,
}

/// How a context image is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    /// With the status page (i915 `intel_engine_context_size`).
    pub pages: u32,
    /// The commands of its second page (i915 `intel_lrc.c`, `gen8_rcs_offsets` and the like).
    pub registers: &'static [Load],
}

/// A part of a context image.
#[derive(Clone, Copy, Debug)]
pub(super) enum Load {
    /// Dwords without a command.
    Skip(usize),
    /// MI_LOAD_REGISTER_IMM of registers, counted from the engine's base.
    Registers {
        posted: bool,
        offsets: &'static [&'static [u16]],
    },
}

const fn posted(offsets: &'static [&'static [u16]]) -> Load {
    Load::Registers {
        posted: true,
        offsets,
    }
}

const fn direct(offsets: &'static [&'static [u16]]) -> Load {
    Load::Registers {
        posted: false,
        offsets,
    }
}

/// Context control, and the ring with what it executes.
const RING: &[u16] = &[0x244, 0x34, 0x30, 0x38, 0x3c, 0x168, 0x140, 0x110];
const SECOND_LEVEL: &[u16] = &[0x11c, 0x114, 0x118];
const WORKAROUND_BATCHES: &[u16] = &[0x1c0, 0x1c4, 0x1c8];
/// The context's timestamp, and four page table roots.
const TABLES: &[u16] = &[
    0x3a8, 0x28c, 0x288, 0x284, 0x280, 0x27c, 0x278, 0x274, 0x270,
];
/// How many slices and EUs have power.
const POWER: &[u16] = &[0xc8];
/// The command streamer's own state.
const STREAMER: &[u16] = &[
    0x28, 0x9c, 0xc0, 0x178, 0x17c, 0x358, 0x170, 0x150, 0x154, 0x158, 0x41c,
];
/// The general purpose registers.
const GENERAL: &[u16] = &[
    0x600, 0x604, 0x608, 0x60c, 0x610, 0x614, 0x618, 0x61c, 0x620, 0x624, 0x628, 0x62c, 0x630,
    0x634, 0x638, 0x63c, 0x640, 0x644, 0x648, 0x64c, 0x650, 0x654, 0x658, 0x65c, 0x660, 0x664,
    0x668, 0x66c, 0x670, 0x674, 0x678, 0x67c,
];

/// The row of a family.
pub const fn execlists(family: Family) -> &'static Execlists {
    match family {
        Family::Gen8 => &GEN8,
        Family::Gen9 => &GEN9,
        Family::Gen11 => &GEN11,
        Family::Gen12Lp => &GEN12LP,
        Family::XeHpg => &XE_HPG,
        Family::XeHpc | Family::Xe2 | Family::Xe3 => &FIRMWARE,
    }
}

const GEN8: Execlists = Execlists {
    submission: Submission::Port,
    compute_engine: false,
    idle_status: 0x100,
    busy_status: 0,
    list_mode: 0x8000_8000,
    status: StatusBuffer {
        entries: 6,
        write_index: 4 * 0x1f,
        events: Events::Flags,
    },
    coherent_contexts: true,
    class_in_descriptor: false,
    id_shift: 32,
    save_inhibit: true,
    relative_registers: false,
    faults: FaultRegisters {
        fault: device::FAULT,
        address_low: 0x4b10,
        address_high: 0x4b14,
    },
    reset_domains: (1 << 1, 1 << 3),
    force_wake: &[ForceWake {
        request: device::FORCE_WAKE,
        granted: 0x13_0044,
    }],
    // A byte each: write-back in the last-level cache, write-combined, write-through, uncached, and
    // write-back with four ages.
    page_attributes: &[
        (device::PAGE_ATTRIBUTES, 0x000a_0907),
        (device::PAGE_ATTRIBUTES + 0x4, 0x3b2b_1b0b),
    ],
    eu_image: Image {
        pages: 20,
        registers: &[
            Load::Skip(1),
            posted(&[RING, SECOND_LEVEL, WORKAROUND_BATCHES]),
            Load::Skip(3),
            posted(&[TABLES]),
            Load::Skip(13),
            direct(&[POWER]),
        ],
    },
    copy_image: Image {
        pages: 2,
        registers: &[
            Load::Skip(1),
            direct(&[RING, SECOND_LEVEL]),
            Load::Skip(9),
            direct(&[TABLES]),
            Load::Skip(13),
            direct(&[&[0x200, 0x28]]),
        ],
    },
};

const GEN9: Execlists = Execlists {
    coherent_contexts: false,
    force_wake: &[
        ForceWake {
            request: device::FORCE_WAKE_RENDER,
            granted: 0xd84,
        },
        ForceWake {
            request: device::FORCE_WAKE,
            granted: 0x13_0044,
        },
    ],
    page_attributes: &[
        (device::PAGE_ATTRIBUTES, 0x0003_0907),
        (device::PAGE_ATTRIBUTES + 0x4, 0x3b2b_1b0b),
    ],
    eu_image: Image {
        pages: 22,
        registers: &[
            Load::Skip(1),
            posted(&[RING, SECOND_LEVEL, WORKAROUND_BATCHES]),
            Load::Skip(3),
            posted(&[TABLES]),
            Load::Skip(13),
            direct(&[POWER]),
            Load::Skip(13),
            posted(&[STREAMER, GENERAL, &[0x68]]),
        ],
    },
    copy_image: Image {
        pages: 2,
        registers: &[
            Load::Skip(1),
            posted(&[RING, SECOND_LEVEL, WORKAROUND_BATCHES]),
            Load::Skip(3),
            posted(&[TABLES]),
            Load::Skip(13),
            posted(&[&[0x200]]),
            Load::Skip(13),
            posted(&[STREAMER, GENERAL, &[0x68]]),
        ],
    },
    ..GEN8
};

const GEN11: Execlists = Execlists {
    submission: Submission::Queue,
    idle_status: 0x8000,
    list_mode: 0x0008_0008,
    status: StatusBuffer {
        entries: 12,
        write_index: 4 * 0x2f,
        events: Events::Flags,
    },
    class_in_descriptor: true,
    id_shift: 37,
    save_inhibit: false,
    relative_registers: true,
    reset_domains: (1 << 1, 1 << 2),
    page_attributes: &[
        (device::PAGE_ATTRIBUTES, 0x07),
        (device::PAGE_ATTRIBUTES + 0x4, 0x09),
        (device::PAGE_ATTRIBUTES + 0x8, 0x03),
        (device::PAGE_ATTRIBUTES + 0xc, 0x00),
        (device::PAGE_ATTRIBUTES + 0x10, 0x0b),
        (device::PAGE_ATTRIBUTES + 0x14, 0x1b),
        (device::PAGE_ATTRIBUTES + 0x18, 0x2b),
        (device::PAGE_ATTRIBUTES + 0x1c, 0x3b),
    ],
    eu_image: Image {
        pages: 14,
        registers: &[
            Load::Skip(1),
            posted(&[RING, SECOND_LEVEL, WORKAROUND_BATCHES, &[0x180]]),
            Load::Skip(1),
            posted(&[TABLES]),
            posted(&[&[0x1b0]]),
            Load::Skip(10),
            direct(&[POWER]),
        ],
    },
    ..GEN9
};

const GEN12LP: Execlists = Execlists {
    compute_engine: true,
    busy_status: 0x80,
    status: StatusBuffer {
        events: Events::Contexts {
            shift: 15,
            none: 0x7ff,
            new_queue: (0, 1),
        },
        ..GEN11.status
    },
    faults: FaultRegisters {
        fault: 0xcec4,
        address_low: 0xceb8,
        address_high: 0xcebc,
    },
    page_attributes: &[
        (device::PAGE_ATTRIBUTES_GEN12, 3),
        (device::PAGE_ATTRIBUTES_GEN12 + 0x4, 1),
        (device::PAGE_ATTRIBUTES_GEN12 + 0x8, 2),
        (device::PAGE_ATTRIBUTES_GEN12 + 0xc, 0),
        (device::PAGE_ATTRIBUTES_GEN12 + 0x10, 3),
        (device::PAGE_ATTRIBUTES_GEN12 + 0x14, 3),
        (device::PAGE_ATTRIBUTES_GEN12 + 0x18, 3),
        (device::PAGE_ATTRIBUTES_GEN12 + 0x1c, 3),
    ],
    eu_image: Image {
        pages: 14,
        registers: &[
            Load::Skip(1),
            posted(&[RING, WORKAROUND_BATCHES, &[0x180, 0x2b4]]),
            Load::Skip(5),
            posted(&[TABLES]),
            posted(&[&[0x1b0, 0x5a8, 0x5ac]]),
            Load::Skip(6),
            direct(&[POWER]),
            Load::Skip(13),
            posted(&[
                &[0x588, 0x588, 0x588, 0x588, 0x588, 0x588],
                STREAMER,
                GENERAL,
                &[0x68, 0x84],
            ]),
        ],
    },
    copy_image: Image {
        pages: 2,
        registers: &[
            Load::Skip(1),
            posted(&[RING, WORKAROUND_BATCHES, &[0x180, 0x2b4]]),
            Load::Skip(5),
            posted(&[TABLES]),
        ],
    },
    ..GEN11
};

const XE_HPG: Execlists = Execlists {
    class_in_descriptor: false,
    id_shift: 39,
    status: StatusBuffer {
        events: Events::Contexts {
            shift: 10,
            none: 0xffff,
            new_queue: (1, 2),
        },
        ..GEN11.status
    },
    eu_image: Image {
        pages: 14,
        registers: &[
            Load::Skip(1),
            posted(&[RING, WORKAROUND_BATCHES, &[0x180, 0x2b4, 0x120, 0x124]]),
            Load::Skip(1),
            posted(&[TABLES]),
            posted(&[&[0x1b0, 0x5a8, 0x5ac]]),
            Load::Skip(6),
            direct(&[POWER]),
        ],
    },
    copy_image: Image {
        pages: 2,
        registers: &[
            Load::Skip(1),
            posted(&[RING, WORKAROUND_BATCHES, &[0x180, 0x2b4, 0x120, 0x124]]),
            Load::Skip(1),
            posted(&[TABLES]),
        ],
    },
    ..GEN12LP
};

const FIRMWARE: Execlists = Execlists {
    submission: Submission::Firmware,
    ..XE_HPG
};

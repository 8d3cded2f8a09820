//! What a send instruction carries besides its operands.

use core::fmt;

/// A shared function. Later families reuse numbers of earlier ones, so this names the function; the
/// family's table has its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Sfid {
    /// `null`.
    Null,
    /// Sampler (`smpl`).
    Sampler,
    /// Message gateway (`gtwy`).
    Gateway,
    /// Data cache data port 2 (`dc2`).
    DataPort2,
    /// Render cache (`rc`).
    RenderCache,
    /// Unified return buffer (`urb`).
    Urb,
    /// Thread spawner (`ts`).
    ThreadSpawner,
    /// Video motion estimation (`vme`).
    VideoMotionEstimation,
    /// Constant cache, read only (`dcro`).
    ConstantCache,
    /// Data port 0 (`dc0`).
    DataPort0,
    /// Pixel interpolator (`pixi`).
    PixelInterpolator,
    /// Data port 1 (`dc1`).
    DataPort1,
    /// Check and refinement engine (`cre`).
    CheckRefinement,
    /// Bindless thread dispatch (`btd`, XeHPG on).
    BindlessThreadDispatch,
    /// Ray-tracing accelerator (`rta`, XeHPG on).
    RayTracing,
    /// LSC, untyped low-priority global memory (`ugml`, XeHPG on).
    Ugml,
    /// LSC, typed global memory (`tgm`, XeHPG on).
    Tgm,
    /// LSC, shared local memory (`slm`, XeHPG on).
    Slm,
    /// LSC, untyped global memory (`ugm`, XeHPG on).
    Ugm,
}

impl Sfid {
    /// The suffix of `send` in IGA syntax.
    pub const fn mnemonic(self) -> &'static str {
        match self {
            Sfid::Null => "null",
            Sfid::Sampler => "smpl",
            Sfid::Gateway => "gtwy",
            Sfid::DataPort2 => "dc2",
            Sfid::RenderCache => "rc",
            Sfid::Urb => "urb",
            Sfid::ThreadSpawner => "ts",
            Sfid::VideoMotionEstimation => "vme",
            Sfid::ConstantCache => "dcro",
            Sfid::DataPort0 => "dc0",
            Sfid::PixelInterpolator => "pixi",
            Sfid::DataPort1 => "dc1",
            Sfid::CheckRefinement => "cre",
            Sfid::BindlessThreadDispatch => "btd",
            Sfid::RayTracing => "rta",
            Sfid::Ugml => "ugml",
            Sfid::Tgm => "tgm",
            Sfid::Slm => "slm",
            Sfid::Ugm => "ugm",
        }
    }
}

impl fmt::Display for Sfid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mnemonic())
    }
}

/// A message descriptor operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Descriptor {
    /// In the instruction.
    Immediate(u32),
    /// In a sub-register of a0.
    Register {
        /// The sub-register, in dwords.
        subreg: u8,
    },
}

impl Descriptor {
    /// The value, if it is in the instruction.
    pub const fn immediate(self) -> Option<u32> {
        match self {
            Descriptor::Immediate(value) => Some(value),
            Descriptor::Register { .. } => None,
        }
    }
}

/// The message part of a send instruction.
///
/// Source 0 and 1 of the instruction are the payloads; the destination is the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Send {
    /// The shared function, or `None` when it is in a0 (an extended descriptor in a register
    /// before Gen12).
    pub sfid: Option<Sfid>,
    /// The descriptor.
    pub desc: Descriptor,
    /// The extended descriptor. Before Gen12 its bits 5:0 (function and end of thread) are kept
    /// apart in [`Send::sfid`] and [`Send::eot`].
    pub exdesc: Descriptor,
    /// Xe2: bits 31:19 and 15:12 beside an extended descriptor in a register, which hold an
    /// immediate offset.
    pub exdesc_offset: u32,
    /// The length of source 1 in registers, where the instruction holds it: with an immediate
    /// extended descriptor or with `ex_bso`; otherwise it is bits 10:6 of the register.
    pub src1_len: Option<u8>,
    /// The thread ends with this message.
    pub eot: bool,
    /// XeHPG on: the extended descriptor register is a 26-bit bindless surface offset.
    pub ex_bso: bool,
    /// XeHPG on: coarse pixel shading, only with `ex_bso`.
    pub cps: bool,
}

impl Send {
    /// A send without options.
    pub const fn new(sfid: Option<Sfid>, desc: Descriptor, exdesc: Descriptor) -> Send {
        Send {
            sfid,
            desc,
            exdesc,
            exdesc_offset: 0,
            src1_len: None,
            eot: false,
            ex_bso: false,
            cps: false,
        }
    }

    /// The length of source 0 in registers (descriptor bits 28:25), if it is known here.
    pub fn src0_len(&self) -> Option<u8> {
        self.desc.immediate().map(|desc| (desc >> 25 & 15) as u8)
    }

    /// The length of the response in registers (descriptor bits 24:20), if it is known here.
    pub fn dst_len(&self) -> Option<u8> {
        self.desc.immediate().map(|desc| (desc >> 20 & 31) as u8)
    }
}

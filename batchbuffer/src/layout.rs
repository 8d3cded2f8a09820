//! The form in which packets and states are declared.

use core::fmt;

use devinfo::{Family, Span};

/// An engine class, as far as it decides which packets a batch may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// The render command streamer (RCS): 3D, media and GPGPU.
    Render,
    /// A compute command streamer (CCS).
    Compute,
    /// A blitter (BCS).
    Blitter,
    /// A video decoder (VCS).
    Video,
    /// A video enhancement engine (VECS).
    VideoEnhance,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Render => "render",
            Engine::Compute => "compute",
            Engine::Blitter => "blitter",
            Engine::Video => "video",
            Engine::VideoEnhance => "video-enhance",
        })
    }
}

bitflags::bitflags! {
    /// The engines that execute a packet.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Engines: u8 {
        /// [`Engine::Render`].
        const RENDER = 1;
        /// [`Engine::Compute`].
        const COMPUTE = 2;
        /// [`Engine::Blitter`].
        const BLITTER = 4;
        /// [`Engine::Video`].
        const VIDEO = 8;
        /// [`Engine::VideoEnhance`].
        const VIDEO_ENHANCE = 16;
        /// Render and compute: the engines that run EU threads.
        const EU = 3;
        /// Every engine.
        const ALL = 31;
    }
}

impl From<Engine> for Engines {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Render => Engines::RENDER,
            Engine::Compute => Engines::COMPUTE,
            Engine::Blitter => Engines::BLITTER,
            Engine::Video => Engines::VIDEO,
            Engine::VideoEnhance => Engines::VIDEO_ENHANCE,
        }
    }
}

/// What the bits of a field mean.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// An unsigned number.
    Uint,
    /// A two's complement number.
    Int,
    /// One bit, set or not.
    Bool,
    /// A GPU address. The value is the address itself. The field holds the address bits from its
    /// own lowest bit on, so that bit gives the alignment.
    Address,
    /// A byte offset from a base, held like an address.
    Offset,
    /// A register, by its byte offset.
    Register,
    /// An IEEE single.
    Float,
    /// A fixed-point number with that many bits after the point.
    Fixed {
        /// Bits after the binary point.
        fraction: u8,
        /// Two's complement.
        signed: bool,
    },
    /// Must be one; written by the encoder.
    One,
    /// An unsigned number whose values have names.
    Values(&'static [(&'static str, u64)]),
    /// Another layout.
    State(&'static Layout),
}

/// A repeated field: element `i` lies `i * stride` bits further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The distance of two elements in bits.
    pub stride: u32,
    /// How many there are; 0 means up to the packet's end.
    pub count: u32,
}

/// Where a field lies on a family: bits `hi..=lo`, counted from the lowest bit
/// of dword `dword`. `hi` may exceed 31: the field then continues in the next dwords.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The dword that `lo` lies in.
    pub dword: u16,
    /// The highest bit.
    pub hi: u16,
    /// The lowest bit, below 32.
    pub lo: u8,
    /// What the bits mean.
    pub kind: Kind,
    /// Whether it is repeated.
    pub repeat: Option<Repeat>,
}

impl Row {
    /// The width in bits.
    pub const fn bits(&self) -> u32 {
        self.hi as u32 - self.lo as u32 + 1
    }

    /// The lowest bit counted from the layout's first.
    pub const fn start(&self) -> usize {
        self.dword as usize * 32 + self.lo as usize
    }

    /// The largest raw value.
    pub const fn mask(&self) -> u64 {
        match self.bits() {
            64.. => u64::MAX,
            bits => (1 << bits) - 1,
        }
    }

    /// The lowest bit of element `index`, if that element begins within
    /// `dwords` dwords. (A packet of open length may hold only the low part of
    /// its last field.)
    pub(crate) fn element(&self, index: usize, dwords: usize) -> Option<usize> {
        let start = match self.repeat {
            None if index == 0 => self.start(),
            None => return None,
            Some(repeat) => {
                if repeat.count != 0 && index >= repeat.count as usize {
                    return None;
                }
                let step = index.checked_mul(repeat.stride as usize)?;
                self.start().checked_add(step)?
            }
        };
        (start < dwords.checked_mul(32)?).then_some(start)
    }

    /// How many elements begin within `dwords` dwords.
    pub fn elements(&self, dwords: usize) -> usize {
        let bits = (dwords * 32).saturating_sub(self.start());
        match self.repeat {
            _ if bits == 0 => 0,
            None => 1,
            Some(repeat) => {
                let fit = bits.div_ceil((repeat.stride as usize).max(1));
                match repeat.count {
                    0 => fit,
                    count => fit.min(count as usize),
                }
            }
        }
    }
}

/// A value for each family, resolved when the crate is compiled.
pub type PerFamily<T> = [Option<T>; Family::COUNT];

/// A field of a packet or state.
#[derive(Debug)]
pub struct Field {
    /// The layout it belongs to.
    pub layout: &'static str,
    /// The manual's name.
    pub name: &'static str,
    /// Where it lies on each family.
    pub rows: PerFamily<Row>,
}

impl Field {
    /// Where the field lies on `family`; `None` if it does not exist there.
    #[inline]
    pub fn row(&self, family: Family) -> Option<&Row> {
        self.rows.get(family.index()).and_then(Option::as_ref)
    }
}

/// The length of a layout on a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The number of dwords, or its minimum.
    pub dwords: u16,
    /// Whether more may follow.
    pub open: bool,
    /// The bits of dword 0 that hold the length minus two; `None` for a layout
    /// without a length field.
    pub field: Option<(u8, u8)>,
}

impl Length {
    /// The most dwords that the length field can express.
    pub fn limit(&self) -> usize {
        match self.field {
            Some((hi, lo)) => (1usize << (hi - lo + 1)) - 1 + 2,
            None => self.dwords as usize,
        }
    }
}

/// A packet or state.
#[derive(Debug)]
pub struct Layout {
    /// The manual's name.
    pub name: &'static str,
    /// The fixed bits of dword 0, without the length; `None` for a state.
    pub header: Option<u32>,
    /// The engines that execute the packet; empty for a state.
    pub engines: Engines,
    /// The length on each family; `None` where it does not exist.
    pub length: PerFamily<Length>,
    /// The fields, in order of position.
    pub fields: &'static [&'static Field],
}

impl Layout {
    /// The length on `family`; `None` if the layout does not exist there.
    #[inline]
    pub fn length(&self, family: Family) -> Option<&Length> {
        self.length.get(family.index()).and_then(Option::as_ref)
    }

    /// The bits of dword 0 that tell the packet from others.
    pub fn header_mask(&self) -> u32 {
        match self.header {
            None => 0,
            Some(header) => header_mask(header),
        }
    }

    /// The first field of that name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().copied().find(|f| f.name == name)
    }

    /// The bit at which a nested layout of that name begins on `family`.
    pub(crate) fn nested(&self, family: Family, name: &str) -> Option<usize> {
        self.fields.iter().find_map(|field| {
            let row = field.row(family)?;
            let Kind::State(inner) = row.kind else {
                return None;
            };
            if inner.name == name {
                return Some(row.start());
            }
            Some(row.start() + inner.nested(family, name)?)
        })
    }
}

/// The identifying bits of a header by its command type (bits 31:29): MI
/// commands by 28:23, blits by 28:22, barriers (5) by 28:26, the others by
/// 28:16.
pub(crate) const fn header_mask(header: u32) -> u32 {
    match header >> 29 {
        0 => 0xff80_0000,
        2 => 0xffc0_0000,
        5 => 0xfc00_0000,
        _ => 0xffff_0000,
    }
}
impl Layout {
    pub(crate) fn is_named(&self, name: &'static str) -> bool {
        same_name(self.name, name)
    }
}

/// Whether two layout names are equal; quick if both are the same constant.
#[inline]
pub(crate) fn same_name(a: &'static str, b: &'static str) -> bool {
    core::ptr::eq(a, b) || a == b
}

/// Expands rows with spans to one value per family.
pub(crate) const fn spread<T: Copy>(rows: &[(Span, T)]) -> PerFamily<T> {
    let mut out: PerFamily<T> = [None; Family::COUNT];
    let mut i = 0;
    while i < rows.len() {
        let (span, row) = rows[i];
        let mut family = 0;
        while family < Family::COUNT {
            if span.contains(Family::ALL[family]) {
                assert!(out[family].is_none(), "two rows for one family");
                out[family] = Some(row);
            }
            family += 1;
        }
        i += 1;
    }
    out
}

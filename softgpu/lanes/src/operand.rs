//! Sources and destinations, prepared for routines.

use crate::convert;

/// The type of an element in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Unsigned byte.
    Ub,
    /// Signed byte.
    B,
    /// Unsigned word.
    Uw,
    /// Signed word.
    W,
    /// Unsigned dword.
    Ud,
    /// Signed dword.
    D,
    /// Unsigned qword.
    Uq,
    /// Signed qword.
    Q,
    /// Half-precision float.
    Hf,
    /// Single-precision float.
    F,
    /// Double-precision float.
    Df,
}

impl Element {
    /// Its size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Ub | Self::B => 1,
            Self::Uw | Self::W | Self::Hf => 2,
            Self::Ud | Self::D | Self::F => 4,
            Self::Uq | Self::Q | Self::Df => 8,
        }
    }

    /// Whether it is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Hf | Self::F | Self::Df)
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::B | Self::W | Self::D | Self::Q)
    }

    /// The smallest and the largest value of an integer type of at most 32 bits.
    pub(crate) const fn range(self) -> (i64, i64) {
        match self {
            Self::Ub => (0, 0xff),
            Self::B => (-0x80, 0x7f),
            Self::Uw => (0, 0xffff),
            Self::W => (-0x8000, 0x7fff),
            Self::Ud => (0, 0xffff_ffff),
            _ => (-0x8000_0000, 0x7fff_ffff),
        }
    }

    /// The low bytes of `raw` as a number, extended to 64 bits by the type's sign.
    pub const fn extend(self, raw: u64) -> u64 {
        let unused = 64 - 8 * self.bytes() as u32;
        if self.is_signed() {
            (((raw << unused) as i64) >> unused) as u64
        } else {
            (raw << unused) >> unused
        }
    }
}

/// The layout of a register source's elements, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first element, from the start of the register bytes.
    pub at: u32,
    /// Columns in a row; not zero.
    pub width: u8,
    /// From row to row.
    pub vertical: u16,
    /// From column to column.
    pub horizontal: u16,
}

impl Region {
    /// The offset of a channel's element from the first.
    #[inline(always)]
    pub fn offset(&self, lane: usize) -> usize {
        let width = usize::from(self.width.max(1));
        lane / width * usize::from(self.vertical) + lane % width * usize::from(self.horizontal)
    }
}

/// Where a source comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The bits of an immediate, the same in every channel.
    Constant(u64),
    /// The bits of the elements of an immediate: channel `i` has element `i` modulo 8.
    Each([u32; 8]),
    /// Registers.
    Registers(Region),
}

/// The modifiers of a source: the magnitude is taken before the sign is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// `-`; on bitwise operations a complement.
    pub negate: bool,
    /// `(abs)`.
    pub absolute: bool,
}

impl Modifiers {
    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        !self.negate && !self.absolute
    }
}

/// How an operation reads its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As integers, extended by their type.
    Integer,
    /// As bits, where `-` is a complement.
    Bits,
    /// As floats.
    Float,
}

/// How a source's lanes are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Elements as wide as lanes, one after the other.
    Packed,
    /// One element as wide as a lane.
    Broadcast,
    /// One narrower element.
    Scalar,
    /// [`Source::constant`].
    Constant,
    /// Narrower elements, one after the other.
    Narrow,
    /// Anything else.
    Region,
}

/// A source, prepared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub form: Form,
    pub element: Element,
    pub absolute: bool,
    pub lanes: u8,
    pub region: Region,
    /// The lane, modifiers applied.
    pub constant: u64,
    /// Floats: the bits that are kept.
    pub keep: u64,
    /// The bits that change: the sign of a float, all of an integer.
    pub flip: u64,
}

impl Source {
    pub(crate) const NONE: Self = Self {
        form: Form::Constant,
        element: Element::Ud,
        absolute: false,
        lanes: 0,
        region: Region {
            at: 0,
            width: 1,
            vertical: 0,
            horizontal: 0,
        },
        constant: 0,
        keep: u64::MAX,
        flip: 0,
    };

    /// Prepares a source for lanes of `word` bytes. `None` for a denormal half constant, which
    /// lanes cannot flush, and for elements of an immediate.
    pub(crate) fn new(
        element: Element,
        place: Place,
        modifiers: Modifiers,
        reading: Reading,
        word: usize,
        lanes: u8,
    ) -> Option<Self> {
        let mut source = Self {
            element,
            lanes,
            ..Self::NONE
        };
        match reading {
            Reading::Float => {
                let sign = 1u64 << (8 * word - 1);
                source.keep = if modifiers.absolute { !sign } else { u64::MAX };
                source.flip = if modifiers.negate { sign } else { 0 };
            }
            Reading::Integer => {
                source.absolute = modifiers.absolute && element.is_signed();
                source.flip = if modifiers.negate { u64::MAX } else { 0 };
            }
            Reading::Bits => source.flip = if modifiers.negate { u64::MAX } else { 0 },
        }
        match place {
            Place::Each(_) => return None,
            Place::Registers(region) => {
                source.region = region;
                source.form = form(element, region, word, lanes);
            }
            Place::Constant(raw) => {
                let lane = match element {
                    Element::Hf if reading == Reading::Float => {
                        if raw & 0x7c00 == 0 && raw & 0x3ff != 0 {
                            return None;
                        }
                        convert::half_to_single(raw as u32 & 0xffff).into()
                    }
                    Element::Hf | Element::F | Element::Df => raw,
                    _ => element.extend(raw),
                };
                source.constant = lane;
            }
        }
        Some(source)
    }
}

fn form(element: Element, region: Region, word: usize, lanes: u8) -> Form {
    let all = |holds: fn(usize, usize, usize) -> bool| {
        (0..usize::from(lanes)).all(|lane| holds(region.offset(lane), lane, word))
    };
    let one = all(|at, _, _| at == 0);
    if element.bytes() != word {
        let size = element.bytes();
        if one && !element.is_float() {
            Form::Scalar
        } else if (0..usize::from(lanes)).all(|lane| region.offset(lane) == lane * size) {
            Form::Narrow
        } else {
            Form::Region
        }
    } else if one {
        Form::Broadcast
    } else if all(|at, lane, word| at == lane * word) {
        Form::Packed
    } else {
        Form::Region
    }
}

/// A destination, prepared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination {
    pub element: Element,
    /// Elements as wide as lanes follow each other.
    pub packed: bool,
    pub null: bool,
    pub at: u32,
    /// Bytes from element to element.
    pub stride: u16,
}

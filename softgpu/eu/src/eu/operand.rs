//! Operands, lowered to byte offsets in the register file.

use isa_encoder::{Dst, RegFile, Region, Register, Src, Type, VStride};

use super::family::Rules;
use super::ops::value::{element_type, packed_element};
use super::regs::{self, GRF_BASE, Registers};

/// The most channels of an instruction.
pub(super) const LANES: usize = 32;

/// The layout of a direct source's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One element for all channels.
    Scalar,
    /// Element `i` follows element `i - 1`.
    Packed,
    /// This many bytes from element to element.
    Strided(u16),
    /// Rows.
    General,
}

/// Where a source comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// There is no such source.
    None,
    /// An immediate, in [`Source::value`].
    Immediate,
    /// Registers, from [`Source::base`] on.
    Direct,
    /// General registers, addressed by a0.
    Indirect,
}

/// A source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub kind: Kind,
    /// The element type; packed immediates have their element's type in [`Source::element`].
    pub ty: Type,
    /// The type of one element.
    pub element: Type,
    pub neg: bool,
    pub abs: bool,
    pub shape: Shape,
    /// Direct: the offset of the first element in the register file.
    pub base: u32,
    /// Bytes from row to row and from column to column, and columns in a row.
    pub vstride: u16,
    pub hstride: u16,
    pub width: u8,
    /// Indirect: each row has its own address.
    pub per_row: bool,
    /// Indirect: the offset of the address sub-register in the register file.
    pub address: u32,
    /// Indirect: bytes added to the address.
    pub offset: i16,
    /// Immediate: the bits.
    pub value: u64,
}

impl Source {
    /// No source.
    pub const NONE: Source = Source {
        kind: Kind::None,
        ty: Type::Ud,
        element: Type::Ud,
        neg: false,
        abs: false,
        shape: Shape::Scalar,
        base: 0,
        vstride: 0,
        hstride: 0,
        width: 1,
        per_row: false,
        address: 0,
        offset: 0,
        value: 0,
    };

    /// Whether the bits of an element are its value: no modifiers.
    pub const fn is_plain(&self) -> bool {
        !self.neg && !self.abs
    }

    /// Fits a packed vector immediate to a destination with `stride` bytes from element to
    /// element. Such an immediate is laid out along the destination as words (`v`, `uv`) or dwords
    /// (`vf`), and a channel takes the element at its place: with a dword destination, every other
    /// one of a `uv` (compiled code relies on it: IGC's visa/ReduceExecSize.cpp,
    /// fixDstAlignmentWithVectorImm, interleaves the nibbles for it).
    pub fn spread_packed(&mut self, stride: u16) {
        if self.kind == Kind::Immediate && self.ty != self.element {
            self.hstride = (stride / self.element.bytes() as u16).max(1);
        }
    }

    /// The offset of a direct source's element from its base.
    pub const fn element_offset(&self, lane: usize) -> usize {
        let (row, column) = (lane / self.width as usize, lane % self.width as usize);
        row * self.vstride as usize + column * self.hstride as usize
    }

    /// The bytes from the first that a direct source reads to the last.
    pub fn extent(&self, lanes: usize) -> usize {
        let size = self.element.bytes() as usize;
        match self.shape {
            Shape::Scalar => size,
            Shape::Packed => size * lanes,
            Shape::Strided(step) => usize::from(step) * (lanes - 1) + size,
            Shape::General => {
                let width = usize::from(self.width).min(lanes);
                let rows = lanes.div_ceil(width);
                (rows - 1) * usize::from(self.vstride)
                    + (width - 1) * usize::from(self.hstride)
                    + size
            }
        }
    }

    /// The bits of every element, zero-extended.
    pub fn gather(&self, regs: &Registers, lanes: usize, out: &mut [u64; LANES]) {
        let size = self.element.bytes();
        match self.kind {
            Kind::None => {}
            Kind::Immediate => {
                for (lane, slot) in out.iter_mut().enumerate().take(lanes) {
                    *slot = if self.ty == self.element {
                        self.value
                    } else {
                        packed_element(self.value, self.ty, lane * usize::from(self.hstride.max(1)))
                    };
                }
            }
            Kind::Direct => {
                let base = self.base as usize;
                for (lane, slot) in out.iter_mut().enumerate().take(lanes) {
                    *slot = regs.element(base + self.element_offset(lane), size);
                }
            }
            Kind::Indirect => {
                for (lane, slot) in out.iter_mut().enumerate().take(lanes) {
                    *slot = self.indirect(regs, lane, size);
                }
            }
        }
    }

    /// Where the element of a lane is in the register file; `None` for an immediate, and for an
    /// address outside the general registers.
    pub fn place(&self, regs: &Registers, lane: usize) -> Option<usize> {
        match self.kind {
            Kind::None | Kind::Immediate => None,
            Kind::Direct => Some(self.base as usize + self.element_offset(lane)),
            Kind::Indirect => self.indirect_place(regs, lane, self.element.bytes()),
        }
    }

    /// The offset in the register file of the address of an indirect source's lane.
    pub fn address_of(&self, lane: usize) -> usize {
        let row = match self.per_row {
            true => lane / self.width as usize,
            false => 0,
        };
        self.address as usize + 2 * row
    }

    /// The bits of the element of a lane, zero-extended.
    pub fn value_at(&self, regs: &Registers, lane: usize) -> u64 {
        match self.kind {
            Kind::Immediate if self.ty == self.element => self.value,
            Kind::Immediate => {
                packed_element(self.value, self.ty, lane * usize::from(self.hstride.max(1)))
            }
            _ => self
                .place(regs, lane)
                .map_or(0, |at| regs.element(at, self.element.bytes())),
        }
    }

    /// An element of an indirect source. An address outside the general registers reads zero: code
    /// computes addresses for channels that it does not use.
    fn indirect(&self, regs: &Registers, lane: usize, size: u32) -> u64 {
        self.indirect_place(regs, lane, size)
            .map_or(0, |at| regs.element(at, size))
    }

    fn indirect_place(&self, regs: &Registers, lane: usize, size: u32) -> Option<usize> {
        let slot = self.address_of(lane);
        let mut inside = self.element_offset(lane);
        if self.per_row {
            inside = lane % self.width as usize * self.hstride as usize;
            if slot >= regs::ADDRESS + 32 {
                return None;
            }
        }
        let address = i64::from(u16::from_le_bytes(regs.load(slot)));
        let address = address + i64::from(self.offset) + inside as i64;
        let at = usize::try_from(address).ok()?;
        (at + size as usize <= regs.grf().len()).then_some(GRF_BASE + at)
    }
}

/// Where a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Nowhere.
    Null,
    /// Registers, from [`Dest::base`] on.
    Direct,
    /// General registers, addressed by a0.
    Indirect,
}

/// A destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dest {
    pub target: Target,
    pub ty: Type,
    /// Bytes from element to element.
    pub stride: u16,
    /// Direct: the offset of the first element in the register file.
    pub base: u32,
    /// Indirect: the offset of the address sub-register in the register file.
    pub address: u32,
    /// Indirect: bytes added to the address.
    pub offset: i16,
}

impl Dest {
    /// No destination.
    pub const NULL: Dest = Dest {
        target: Target::Null,
        ty: Type::Ud,
        stride: 0,
        base: 0,
        address: 0,
        offset: 0,
    };

    /// The offset of element 0 in the register file; `None` for null, and for an indirect
    /// destination without lanes. If a lane's address is outside the general registers, that
    /// address is the error.
    pub fn resolve(&self, regs: &Registers, lanes: usize) -> Result<Option<usize>, i64> {
        match self.target {
            Target::Null => Ok(None),
            Target::Indirect if lanes == 0 => Ok(None),
            Target::Direct => Ok(Some(self.base as usize)),
            Target::Indirect => {
                let address = i64::from(u16::from_le_bytes(regs.load(self.address as usize)))
                    + i64::from(self.offset);
                let extent = (lanes - 1) * self.stride as usize + self.ty.bytes() as usize;
                match usize::try_from(address) {
                    Ok(at) if at + extent <= regs.grf().len() => Ok(Some(GRF_BASE + at)),
                    _ => Err(address),
                }
            }
        }
    }
}

/// Lowers operands under the rules of a family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowering {
    pub rules: Rules,
    pub grf_count: u16,
    pub lanes: usize,
}

impl Lowering {
    /// The offset of `register`, after checking that `extent` bytes from it exist.
    fn place(&self, register: Register, extent: usize) -> Result<u32, String> {
        let Some((offset, file)) = regs::locate(self.rules.family, self.grf_count, register) else {
            return Err(format!(
                "{} does not exist (the thread has {} general registers)",
                name(register),
                self.grf_count
            ));
        };
        // Null has no extent of its own.
        if offset + extent > file.end && !register.is_null() {
            return Err(format!(
                "the region of {extent} bytes at {}, byte {}, leaves its register file",
                name(register),
                register.byte
            ));
        }
        Ok(offset as u32)
    }

    /// The register file offset of `count` whole registers from `register` on.
    pub fn registers(&self, register: Register, count: usize) -> Result<u32, String> {
        self.place(register, count * self.rules.grf_bytes)
    }

    /// The register file offset of the bytes of s0 that name a payload's registers.
    pub fn names(&self, register: Register) -> Result<u32, String> {
        self.place(register, 1)
    }

    /// The register file offset of sub-register `subreg` (in words) of a0.
    pub fn address(&self, subreg: u8) -> Result<u32, String> {
        if subreg >= 16 {
            return Err(format!("a0.{subreg} does not exist"));
        }
        Ok((regs::ADDRESS + 2 * usize::from(subreg)) as u32)
    }

    /// Lowers a source.
    pub fn source(&self, src: &Src) -> Result<Source, String> {
        let mods = src.mods();
        Ok(match *src {
            Src::None => Source::NONE,
            Src::Immediate { value, ty } => Source {
                kind: Kind::Immediate,
                ty,
                element: element_type(ty),
                shape: if element_type(ty) == ty {
                    Shape::Scalar
                } else {
                    Shape::General
                },
                value,
                ..Source::NONE
            },
            Src::Direct {
                reg, region, ty, ..
            } => self.direct(reg, region, ty, mods.neg, mods.abs)?,
            Src::Macro { reg, ty, .. } => {
                self.direct(reg, Region::PACKED, ty, mods.neg, mods.abs)?
            }
            Src::Indirect {
                subreg,
                offset,
                region,
                ty,
                ..
            } => Source {
                kind: Kind::Indirect,
                neg: mods.neg,
                abs: mods.abs,
                shape: Shape::General,
                per_row: region.vstride == VStride::PerRow,
                address: self.address(subreg)?,
                offset,
                ..strides(region, ty)
            },
        })
    }

    fn direct(
        &self,
        reg: Register,
        region: Region,
        ty: Type,
        neg: bool,
        abs: bool,
    ) -> Result<Source, String> {
        let mut source = Source {
            kind: Kind::Direct,
            neg,
            abs,
            ..strides(region, ty)
        };
        let offsets: [usize; LANES] = core::array::from_fn(|lane| source.element_offset(lane));
        let offsets = &offsets[..self.lanes];
        let size = ty.bytes() as usize;
        let extent = offsets.iter().max().map_or(size, |last| last + size);
        source.base = self.place(reg, extent)?;
        let step = offsets.get(1).copied().unwrap_or(0);
        let regular = offsets.iter().enumerate().all(|(i, &at)| at == i * step);
        source.shape = match (regular, step) {
            (true, 0) => Shape::Scalar,
            (true, step) if step == size => Shape::Packed,
            (true, step) => Shape::Strided(step as u16),
            (false, _) => Shape::General,
        };
        Ok(source)
    }

    /// Lowers a destination.
    pub fn dest(&self, dst: &Dst) -> Result<Dest, String> {
        let direct = |reg: Register, hstride: u8, ty: Type| -> Result<Dest, String> {
            if reg.is_null() {
                return Ok(Dest { ty, ..Dest::NULL });
            }
            // Formats without a stride write consecutive elements.
            let stride = u32::from(hstride.max(1)) * ty.bytes();
            let extent = (self.lanes - 1) * stride as usize + ty.bytes() as usize;
            Ok(Dest {
                target: Target::Direct,
                ty,
                stride: stride as u16,
                base: self.place(reg, extent)?,
                ..Dest::NULL
            })
        };
        match *dst {
            Dst::None => Ok(Dest::NULL),
            Dst::Direct { reg, hstride, ty } => direct(reg, hstride, ty),
            Dst::Macro {
                reg, hstride, ty, ..
            } => direct(reg, hstride, ty),
            Dst::Indirect {
                subreg,
                offset,
                hstride,
                ty,
            } => Ok(Dest {
                target: Target::Indirect,
                ty,
                stride: (u32::from(hstride.max(1)) * ty.bytes()) as u16,
                base: 0,
                address: self.address(subreg)?,
                offset,
            }),
        }
    }
}

fn strides(region: Region, ty: Type) -> Source {
    let size = ty.bytes() as u16;
    let vstride = match region.vstride {
        VStride::Elements(elements) => u16::from(elements),
        VStride::PerRow => 0,
    };
    Source {
        ty,
        element: element_type(ty),
        vstride: vstride * size,
        hstride: u16::from(region.hstride) * size,
        width: region.width.max(1),
        ..Source::NONE
    }
}

/// A register's name in messages.
fn name(register: Register) -> String {
    let prefix = match register.file {
        RegFile::Grf => "r",
        RegFile::Arf(kind) => kind.name(),
    };
    format!("{prefix}{}", register.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements that a packed immediate gives to channels, for a destination with `stride`
    /// bytes from element to element.
    fn packed(value: u64, ty: Type, stride: u16) -> [u64; 8] {
        let mut source = Source {
            kind: Kind::Immediate,
            ty,
            element: element_type(ty),
            shape: Shape::General,
            value,
            ..Source::NONE
        };
        source.spread_packed(stride);
        let mut out = [0; LANES];
        source.gather(&Registers::new(devinfo::Family::Gen12Lp, 128), 8, &mut out);
        std::array::from_fn(|lane| out[lane])
    }

    #[test]
    fn packed_immediates_lie_beside_the_destination() {
        let all = 0x7654_3210;
        let words = [0, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(packed(all, Type::Uv, 2), words, "to words");
        assert_eq!(packed(all, Type::Uv, 1), words, "to bytes");
        assert_eq!(packed(all, Type::Uv, 0), words, "to null");
        // Channel i takes the word at its place: every other one.
        assert_eq!(
            packed(all, Type::Uv, 4),
            [0, 2, 4, 6, 0, 2, 4, 6],
            "to dwords"
        );
        assert_eq!(packed(0xf0e0_d0c0, Type::V, 4)[..4], [0; 4]);
        assert_eq!(
            packed(0x0f0e_0d0c, Type::V, 4)[..4],
            [0xfffc, 0xfffd, 0xfffe, 0xffff]
        );
        let floats = [0x3f80_0000, 0, 0x4000_0000, 0xbf80_0000];
        assert_eq!(
            packed(0xb040_0030, Type::Vf, 4)[..4],
            floats,
            "vf is dwords"
        );
    }

    /// A channel's element by the definition of regions (TGL PRM vol 7 "Region Parameters"): rows
    /// of `width` columns, in units of elements.
    fn element_by_definition(
        vertical: usize,
        width: usize,
        horizontal: usize,
        lane: usize,
    ) -> usize {
        let (mut row, mut column) = (0, 0);
        for _ in 0..lane {
            column += 1;
            if column == width {
                (row, column) = (row + 1, 0);
            }
        }
        row * vertical + column * horizontal
    }

    #[test]
    fn regions_walk_row_by_row() {
        let mut registers = Registers::new(devinfo::Family::Gen12Lp, 128);
        for at in 0..4096usize {
            registers.set_element(GRF_BASE + at, 1, at as u64 * 37 % 251);
        }
        let lowering = Lowering {
            rules: Rules::of(devinfo::Family::Gen12Lp),
            grf_count: 128,
            lanes: LANES,
        };
        for ty in [Type::Ub, Type::W, Type::F, Type::Uq] {
            for vertical in [0u8, 1, 2, 4, 8, 16, 32] {
                for width in [1u8, 2, 4, 8, 16] {
                    for horizontal in [0u8, 1, 2, 4] {
                        let src = Src::Direct {
                            reg: Register::grf(10),
                            region: Region::new(vertical, width, horizontal),
                            ty,
                            mods: isa_encoder::SrcMods::default(),
                        };
                        let Ok(source) = lowering.source(&src) else {
                            continue;
                        };
                        let mut out = [0; LANES];
                        source.gather(&registers, LANES, &mut out);
                        for (lane, got) in out.into_iter().enumerate() {
                            let [v, w, h] = [vertical, width, horizontal].map(usize::from);
                            let element = element_by_definition(v, w, h, lane);
                            let size = ty.bytes();
                            let at = GRF_BASE + 320 + element * size as usize;
                            let want = registers.element(at, size);
                            assert_eq!(got, want, "<{v};{w},{h}> {ty} channel {lane}");
                        }
                    }
                }
            }
        }
    }
}

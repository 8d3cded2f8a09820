//! Several elements of a destination in one dword: which strides of bytes and words reach them
//! (XeHPC on).
//!
//! A channel of the integer pipes is a dword. If a destination packs words or bytes, its elements
//! pass through a crossbar. From XeHPC on the crossbar supports few strides: small ones from
//! anywhere, larger ones only if the source begins at the channels of the destination. Rows that do
//! not follow each other at one stride need a destination that begins with a dword.

use super::rule::{On, rules};
use super::view::{Operand, Place, View};
use crate::model::{Opcode, VStride};

const CROSSBAR: &str = "IGC HWConformity.cpp fixByteXBarRestriction; Mesa brw_eu_validate.c \
                        register_region_special_restrictions (Xe2, Register Region Restrictions: \
                        Special Restrictions)";

rules! {
    "word-stride" (XeHpc..) On::Arithmetic, [SHARED_DWORD | CHANNELS]:
        "packed words take words at a stride of at most 1, or of 2 that begin in the dword \
         of the destination's channel (subregister modulo 16)", CROSSBAR,
        |view| WORD_TO_WORD.broken(view);
    "word-to-byte-stride" (XeHpc..) On::Arithmetic, [SHARED_DWORD | CHANNELS]:
        "bytes at a stride of 2 take words at a stride of at most 1, or of 2 with the \
         subregister of the destination, modulo 32", CROSSBAR,
        |view| WORD_TO_BYTE.broken(view);
    "byte-to-word-stride" (XeHpc..) On::Arithmetic, [SHARED_DWORD | CHANNELS]:
        "packed words take bytes at a stride of at most 2, or of 4 or 8 that begin at the \
         destination's channel (subregister modulo 16 or 8)", CROSSBAR,
        |view| BYTE_TO_WORD.broken(view);
    "byte-stride" (XeHpc..) On::Arithmetic, [SHARED_DWORD | CHANNELS]:
        "bytes at a stride of 2 take bytes at a stride of at most 2, or of 4 or 8 that begin \
         at the destination's channel (subregister modulo 32 or 16)", CROSSBAR,
        |view| BYTE_TO_BYTE.broken(view);
    "packed-byte-stride" (XeHpc..) On::Arithmetic, [SHARED_DWORD | CHANNELS]:
        "packed bytes take bytes at a stride of at most 1, or of 2 or 4 that begin at the \
         destination's channel (subregister modulo 32 or 16)", CROSSBAR,
        |view| {
            let pairs = |src: &Operand| src.region.width == 2;
            BYTE_TO_PACKED.broken_unless(view, pairs)
        };
    "packed-byte-pairs" (XeHpc..) On::Arithmetic, [SHARED_DWORD | CHANNELS]:
        "packed bytes take rows of two bytes at <0..2;2,0>, <0..2;2,1> or <0..1;2,2>, or at \
         <4;2,1>, <4;2,2> or <8;2,4> that begin at the destination's channel", CROSSBAR,
        packed_pairs;
    "row-alignment" (XeHpc..) On::Arithmetic, [SHARED_DWORD | CHANNELS]:
        "where a source's rows do not follow each other at one stride, a destination with \
         several elements in a dword must be aligned to a dword", CROSSBAR,
        |view| {
            let dst = packed_dst(view)?;
            let unaligned = dst.reg?.byte % 4 != 0;
            crossing_sources(view)
                .find(|src| unaligned && !is_uniform(view, src))
                .map(|src| src.place)
        };
    "odd-word-source" (XeHpc..) On::Arithmetic, [BYTE]:
        "with a destination of bytes at a stride of 4, source 1 must not begin with the \
         upper word of a dword", "IGC HWConformity.cpp fixOddAlignSrc1Region",
        |view| {
            let dst = view.written()?;
            let bytes = dst.bytes() == 1 && dst.ty.is_integer() && dst.region.hstride > 2;
            let src = view.src(1).filter(|src| {
                src.ty.is_integer()
                    && src.bytes() == 2
                    && src.grf().is_some_and(|reg| reg.byte % 4 != 0)
            })?;
            bytes.then_some(src.place)
        };
}

/// The strides at which sources of one size reach destinations of one size and stride.
struct Crossing {
    src_bytes: u32,
    dst_bytes: u32,
    dst_stride: u8,
    /// The largest stride, in elements, that reaches any channel.
    free: u32,
    /// Larger strides, which tie the sub-registers of the source and the destination together.
    bound: &'static [Bound],
}

/// `factor * (dst.subregister % modulus) = src.byte / granule`, in whole numbers.
struct Bound {
    stride: u32,
    factor: u32,
    modulus: u32,
    granule: u32,
}

const fn bound(stride: u32, factor: u32, modulus: u32, granule: u32) -> Bound {
    Bound {
        stride,
        factor,
        modulus,
        granule,
    }
}

static WORD_TO_WORD: Crossing = Crossing {
    src_bytes: 2,
    dst_bytes: 2,
    dst_stride: 1,
    free: 1,
    bound: &[bound(2, 1, 16, 4)],
};

static WORD_TO_BYTE: Crossing = Crossing {
    src_bytes: 2,
    dst_bytes: 1,
    dst_stride: 2,
    free: 1,
    bound: &[bound(2, 1, 32, 2)],
};

// Mesa's validator takes the modulus after the factor, (2 * dst) % 16; IGC and Mesa's own lowering
// before it, which matches the position of the channels.
static BYTE_TO_WORD: Crossing = Crossing {
    src_bytes: 1,
    dst_bytes: 2,
    dst_stride: 1,
    free: 2,
    bound: &[bound(4, 2, 16, 2), bound(8, 2, 8, 4)],
};

static BYTE_TO_BYTE: Crossing = Crossing {
    src_bytes: 1,
    dst_bytes: 1,
    dst_stride: 2,
    free: 2,
    bound: &[bound(4, 1, 32, 2), bound(8, 1, 16, 4)],
};

static BYTE_TO_PACKED: Crossing = Crossing {
    src_bytes: 1,
    dst_bytes: 1,
    dst_stride: 1,
    free: 1,
    bound: &[bound(2, 1, 32, 2), bound(4, 1, 16, 4)],
};

impl Bound {
    /// Whether the operands begin where they must. Indirect operands are accepted.
    fn holds(&self, dst: &Operand, src: &Operand) -> bool {
        let (Some(to), Some(from)) = (dst.reg, src.reg) else {
            return true;
        };
        let subregister = u32::from(to.byte) / dst.bytes();
        self.factor * (subregister % self.modulus) == u32::from(from.byte) / self.granule
    }
}

impl Crossing {
    fn broken(&self, view: &View<'_>) -> Option<Place> {
        self.broken_unless(view, |_| false)
    }

    fn broken_unless(&self, view: &View<'_>, excepted: fn(&Operand) -> bool) -> Option<Place> {
        let dst = packed_dst(view)
            .filter(|dst| dst.bytes() == self.dst_bytes && dst.region.hstride == self.dst_stride)?;
        crossing_sources(view)
            .filter(|src| src.bytes() == self.src_bytes && !excepted(src))
            .find(|src| {
                let stride = stride(src);
                let fits = |bound: &Bound| {
                    bound.stride == stride && is_uniform(view, src) && bound.holds(&dst, src)
                };
                stride > self.free && !self.bound.iter().any(fits)
            })
            .map(|src| src.place)
    }
}

/// Rows of two bytes for packed bytes. If the two sources differ, what either of them allows is
/// accepted.
fn packed_pairs(view: &View<'_>) -> Option<Place> {
    let dst = packed_dst(view).filter(|dst| dst.bytes() == 1 && dst.region.hstride == 1)?;
    let allowed = |src: &Operand| {
        let Some((v, _, h)) = src.vwh() else {
            return true;
        };
        match (v, h) {
            (0..4, 0 | 1) | (0..2, 2) => true,
            (4, 1) => match (dst.reg, src.reg) {
                (Some(to), Some(from)) => from.byte % 2 == 0 && to.byte % 32 == 2 * (from.byte / 4),
                _ => true,
            },
            (4, 2) => bound(2, 1, 32, 2).holds(&dst, src),
            (8, 4) => bound(4, 1, 16, 4).holds(&dst, src),
            _ => false,
        }
    };
    crossing_sources(view)
        .find(|src| src.bytes() == 1 && src.region.width == 2 && !allowed(src))
        .map(|src| src.place)
}

/// The destination with several elements in a dword. The crossbar does not pack floats, which have
/// rules of their own. The null register obeys the rules like any other, except in `movi`, which
/// then moves nothing.
fn packed_dst(view: &View<'_>) -> Option<Operand> {
    let nothing = |dst: &Operand| dst.is_null() && view.is(Opcode::Movi);
    view.dst.filter(|dst| dst.ty.is_integer() && !nothing(dst))
}

/// Sources 0 and 1 that come through the crossbar: regions of general registers, except those with
/// an address for each row.
fn crossing_sources<'a>(view: &'a View<'_>) -> impl Iterator<Item = Operand> + 'a {
    view.srcs().take(2).filter(|src| {
        let general = src.indirect || src.grf().is_some();
        general && src.bytes() < 4 && src.region.vstride != VStride::PerRow
    })
}

/// Elements from channel to channel within a row, or from row to row of one element.
fn stride(src: &Operand) -> u32 {
    match (src.vwh(), src.region.width) {
        (Some((v, ..)), 0 | 1) => v,
        _ => src.region.hstride.into(),
    }
}

/// Whether elements have the same distance everywhere.
fn is_uniform(view: &View<'_>, src: &Operand) -> bool {
    src.vwh()
        .is_none_or(|(v, w, h)| w <= 1 || v == w * h || w >= view.exec_size())
}

//! Regions: rows, strides, alignment, how many registers an operand spans.
//!
//! Source of most: the PRMs, volume 7, "Register Region Restrictions".

use super::rule::{On, rules};
use super::view::{Operand, Place, View};
use crate::model::{ArfKind, Attributes, Options, Specific, Type};

const REGIONING: &str = "BDW to TGL PRM vol 7, Register Region Restrictions, General Restrictions on Regioning Parameters";
const ALIGNMENT: &str =
    "BDW to TGL PRM vol 7, Register Region Restrictions, Region Alignment Rules";
const OPERAND_TYPES: &str = "BDW to TGL PRM vol 7, Register Region Restrictions, General Restrictions Based on Operand Types";

/// The rule about registers beyond a thread's last.
pub(super) const REGISTER_NUMBER: &str = "register-number";

rules! {
    "width" (..) On::Basic, [ODD_REGION]:
        "the execution size must not be smaller than a region's width", REGIONING,
        |view| region(view, |exec, _, w, _| exec < w);
    "full-row" (..) On::Basic, [ODD_REGION]:
        "where one row has all channels, the vertical stride must be width * horizontal stride",
        REGIONING,
        |view| {
            region(view, |exec, v, w, h| {
                exec == w && w > 1 && h != 0 && v != w * h
            })
        };
    "width-1" (..) On::Basic, [ODD_REGION]:
        "with a width of 1, the horizontal stride must be 0", REGIONING,
        |view| region(view, |_, _, w, h| w == 1 && h != 0);
    "one-channel" (..) On::Basic, [ODD_REGION]:
        "one channel reads a scalar region, <0;1,0>", REGIONING,
        |view| {
            region(view, |exec, v, w, h| {
                exec == 1 && w == 1 && (v != 0 || h != 0)
            })
        };
    "zero-strides" (..) On::Basic, [ODD_REGION]:
        "where both strides are 0, the width must be 1", REGIONING,
        |view| region(view, |_, v, w, h| v == 0 && h == 0 && w != 1);
    "row-in-register" (..) On::Basic, [CROSSING]:
        "a row must not cross a register boundary; the vertical stride crosses it", REGIONING,
        row_crosses;
    "dst-stride-0" (..) On::Basic, []:
        "the destination's horizontal stride must not be 0", REGIONING,
        |view| {
            let dst = view.written()?;
            let is_macro = matches!(view.input.specific, Specific::Math(f) if f.is_macro());
            (dst.region.hstride == 0 && !is_macro).then_some(Place::Dst)
        };
    "span" (..) On::Arithmetic, [CROSSING]:
        "an operand must lie in two adjacent registers", ALIGNMENT,
        |view| {
            if is_plane(view) || is_align16(view) {
                return None;
            }
            view.operands()
                .find(|operand| {
                    operand
                        .last_byte
                        .is_some_and(|byte| byte >= 2 * view.grf_bytes())
                })
                .map(|operand| operand.place)
        };
    REGISTER_NUMBER (..) On::All, [LAST_REGISTERS]:
        "an operand must not reach beyond the last register",
        "BDW to TGL PRM vol 7, Register Files: 128 registers a thread; 256 from XeHPG on",
        |view| {
            view.operands()
                .find(|operand| beyond_the_end(view, operand))
                .map(|operand| operand.place)
        };
    "element-alignment" (..) On::All, [MISALIGNED]:
        "a sub-register must be aligned to the operand's type", ALIGNMENT,
        |view| {
            view.operands()
                .find(|operand| {
                    operand.reg.is_some_and(|reg| {
                        // Sub-registers that are not counted in elements do not count bytes either.
                        let counted = view.machine.has().subregister_bits(reg.file, operand.ty);
                        counted == operand.ty.bits() && u32::from(reg.byte) % operand.bytes() != 0
                    })
                })
                .map(|operand| operand.place)
        };
    "dst-stride" (..) On::Basic, [NARROWING | CHANNELS]:
        "where the execution type is wider than the destination's, the destination's stride \
         must be at least their ratio",
        "BDW to TGL PRM vol 7, General Restrictions Based on Operand Types; IGC \
         HWConformity.cpp and the media kernels that Intel ships take larger ones",
        |view| {
            let (dst, exec_bytes) = narrowed(view)?;
            let stride = u32::from(dst.region.hstride) * dst.bytes();
            (stride < exec_bytes).then_some(Place::Dst)
        };
    "dst-alignment" (..) On::Basic, [NARROWING | CHANNELS]:
        "where the execution type is wider than the destination's, the destination must be \
         aligned to the execution type", OPERAND_TYPES,
        |view| {
            let (dst, exec_bytes) = narrowed(view).filter(|(dst, _)| dst.bytes() > 1)?;
            let at = u32::from(dst.reg?.byte) % exec_bytes;
            // The words of dword channels may all be in the upper half (SKL PRM vol 7, the relaxed
            // alignment rule for word destinations). Mesa's validator does not have the rule.
            let upper_word = dst.bytes() == 2 && exec_bytes == 4 && at == 2;
            (at != 0 && !upper_word).then_some(Place::Dst)
        };
    "byte-alignment" (..=XeHpg) On::Basic, [NARROWING | CHANNELS]:
        "where the execution type is wider than the byte destination, that must be aligned \
         to the execution type or lie in the next byte", OPERAND_TYPES,
        |view| {
            let (dst, exec_bytes) = narrowed(view).filter(|(dst, _)| dst.bytes() == 1)?;
            let at = u32::from(dst.reg?.byte) % exec_bytes;
            (at > 1).then_some(Place::Dst)
        };
    "packed-bytes" (..) On::Basic, [BYTE | CHANNELS]:
        "only a move that changes no bits writes packed bytes", OPERAND_TYPES,
        |view| {
            let dst = view.written()?;
            let packed = dst.bytes() == 1 && dst.region.hstride == 1;
            (packed && !view.is_raw_move()).then_some(Place::Dst)
        };
    "vector-immediate" (..) On::Basic, [VECTOR | CHANNELS]:
        "with a packed vector immediate, the destination must be aligned to 16 bytes",
        "BDW to TGL PRM vol 7, Immediate: Restriction on vector immediates",
        |view| {
            let dst = view.written()?;
            (dst.reg?.byte % 16 != 0).then_some(Place::Dst)
        };
    // The manuals only mention words; Intel's compiler widens them to dwords on every family.
    "vector-immediate-stride" (..) On::Basic, [VECTOR | CHANNELS]:
        "with a packed vector immediate, the destination's stride must be a word for \
         integers (or packed dwords), a dword for floats",
        "BDW to TGL PRM vol 7, Immediate: Restriction on vector immediates; IGC",
        |view| {
            let dst = view.written()?;
            let is_float = view.srcs().any(|src| src.ty == Type::Vf);
            let fits = match (dst.bytes(), dst.region.hstride) {
                (4, 1) => true,
                (2, 2) | (1, 4) => is_float,
                (2, 1) | (1, 2) => !is_float,
                _ => false,
            };
            (!fits).then_some(Place::Dst)
        };
    "math-split" (..) On::Math, [CROSSING]:
        "a `math` destination in two registers must have as many elements in each",
        "SKL PRM vol 2a, math: Restrictions",
        math_split;
    "address-registers" (..) On::All, [INDIRECT]:
        "a region with an address for each row must find its addresses in a0.0 to a0.15",
        "BDW to TGL PRM vol 7, Register-Indirect Register Addressing: a0 has 16 words",
        |view| {
            view.srcs()
                .find(|src| {
                    let rows = view.exec_size() / u32::from(src.region.width.max(1));
                    src.indirect && src.vwh().is_none() && u32::from(src.address) + rows > 16
                })
                .map(|src| src.place)
        };
    "math-indirect" (..) On::Math, [INDIRECT]:
        "`math` has no indirect operands", "BDW to TGL PRM vol 2a, math: Restrictions",
        |view| {
            let operand = view.operands().find(|operand| operand.indirect)?;
            Some(operand.place)
        };
    "qword-indirect" (XeHpg..) On::All, [INDIRECT]:
        "floats and 64-bit integers must not be read with an address for each row",
        "Mesa brw_eu_validate.c (Register Region Restrictions of gfx 12.5 on)",
        |view| {
            view.srcs()
                .find(|src| {
                    src.indirect && src.vwh().is_none() && (src.ty.is_float() || src.bytes() == 8)
                })
                .map(|src| src.place)
        };
    "small-core-regions" (|machine| machine.small_core) On::Basic, []:
        "with 64-bit data or a multiplication of dwords, source and destination must have \
         the same stride, a multiple of a qword, and the same offset, except for scalars",
        "CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types",
        |view| {
            let dst = view.written().filter(|_| view.is_double())?;
            let dst_pitch = u32::from(dst.region.hstride) * dst.bytes();
            view.srcs()
                .find(|src| {
                    let Some(reg) = src.reg.filter(|_| !src.is_scalar()) else {
                        return false;
                    };
                    src.pitch() != Some(dst_pitch)
                        || dst_pitch % 8 != 0
                        || dst.reg.is_some_and(|dst| dst.byte != reg.byte)
                })
                .map(|src| src.place)
        };
    "small-core-indirect" (|machine| machine.small_core) On::All, [INDIRECT]:
        "64-bit data and multiplications of dwords have no indirect operands",
        "CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types",
        |view| {
            let operand = view
                .operands()
                .find(|operand| operand.indirect && view.is_double())?;
            Some(operand.place)
        };
    "small-core-arf" (|machine| machine.small_core) On::Basic, []:
        "64-bit data and multiplications of dwords use no architecture registers",
        "CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types",
        |view| {
            if !view.is_double() {
                return None;
            }
            let named = |operand: &Operand| operand.arf().is_some_and(|kind| kind != ArfKind::Null);
            // Both use an accumulator implicitly.
            let silent = view.input.options.contains(Options::ACC_WR_EN);
            if view.opcode().has(Attributes::READS_ACC) || silent {
                return Some(Place::Instruction);
            }
            view.operands().find(named).map(|operand| operand.place)
        };
}

/// The first source whose region is as `bad` says, given the
/// execution size, vertical stride, width and horizontal stride.
fn region(view: &View<'_>, bad: fn(u32, u32, u32, u32) -> bool) -> Option<Place> {
    view.srcs()
        .filter(|src| !src.is_imm() && !src.is_null() && !is_align16(view))
        .find(|src| {
            src.vwh()
                .is_some_and(|(v, w, h)| bad(view.exec_size(), v, w, h))
        })
        .map(|src| src.place)
}

/// Math macros of a family with align16 mode have such operands.
fn is_align16(view: &View<'_>) -> bool {
    let is_macro = matches!(view.input.specific, Specific::Math(f) if f.is_macro());
    is_macro && view.has().align16
}

/// `pln` and `line` read more than their region says.
fn is_plane(view: &View<'_>) -> bool {
    view.opcode().has(Attributes::PLANE)
}

fn row_crosses(view: &View<'_>) -> Option<Place> {
    if is_align16(view) || is_plane(view) {
        return None;
    }
    let size = view.grf_bytes();
    view.srcs()
        .find(|src| {
            let (Some(reg), Some((v, w, h))) = (src.grf(), src.vwh()) else {
                return false;
            };
            // Byte offsets grow along a row, so its first and last elements decide.
            let row_bytes = w.saturating_sub(1) * h * src.bytes();
            (0..view.exec_size() / w.max(1)).any(|row| {
                let first = u32::from(reg.byte) + row * v * src.bytes();
                first / size != (first + row_bytes) / size
            })
        })
        .map(|src| src.place)
}

fn beyond_the_end(view: &View<'_>, operand: &Operand) -> bool {
    let Some(reg) = operand.grf() else {
        return false;
    };
    let number = u32::from(reg.number);
    let last = match view.is_arithmetic() {
        true => operand.last_byte.unwrap_or(0) / view.grf_bytes(),
        false => 0,
    };
    number + last >= view.grf_count()
}

/// The destination and the bytes of the execution type, for operations where the latter is wider
/// ([`Traits::NARROWING`]) and that the rules restrict.
fn narrowed(view: &View<'_>) -> Option<(Operand, u32)> {
    let dst = view.written()?;
    let excepted = view.is_mixed_float()
        || view.is_raw_move()
        || is_plane(view)
        || dst.bytes() == 1 && dst.region.hstride == 1;
    (!excepted).then_some((dst, view.exec_type()?.bytes()))
}

fn math_split(view: &View<'_>) -> Option<Place> {
    let dst = view.written()?;
    if is_align16(view) {
        return None;
    }
    dst.grf()?;
    let size = view.grf_bytes();
    let upper = (0..view.exec_size())
        .filter(|i| dst.byte_of(*i).is_some_and(|byte| byte >= size))
        .count() as u32;
    (upper != 0 && upper * 2 != view.exec_size()).then_some(Place::Dst)
}

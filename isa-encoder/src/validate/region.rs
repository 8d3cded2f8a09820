//! Regions: rows, strides, alignment, how many registers an operand spans.
//!
//! Source of most: the PRMs, volume 7, "Register Region Restrictions".

use devinfo::span;

use super::rule::{On, Place, Rule, Scope};
use super::view::{Operand, Traits, View};
use crate::model::{ArfKind, Attributes, Options, Specific, Type};

const REGIONING: &str = "BDW to TGL PRM vol 7, Register Region Restrictions, General Restrictions on Regioning Parameters";
const ALIGNMENT: &str =
    "BDW to TGL PRM vol 7, Register Region Restrictions, Region Alignment Rules";
const OPERAND_TYPES: &str = "BDW to TGL PRM vol 7, Register Region Restrictions, General Restrictions Based on Operand Types";

/// The rule about registers beyond a thread's last.
pub(super) const REGISTER_NUMBER: &str = "register-number";

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "width",
        text: "the execution size must not be smaller than a region's width",
        source: REGIONING,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::ODD_REGION,
        check: |view| region(view, |exec, _, w, _| exec < w),
    },
    Rule {
        name: "full-row",
        text: "where one row has all channels, the vertical stride must be width * horizontal stride",
        source: REGIONING,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::ODD_REGION,
        check: |view| {
            region(view, |exec, v, w, h| {
                exec == w && w > 1 && h != 0 && v != w * h
            })
        },
    },
    Rule {
        name: "width-1",
        text: "with a width of 1, the horizontal stride must be 0",
        source: REGIONING,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::ODD_REGION,
        check: |view| region(view, |_, _, w, h| w == 1 && h != 0),
    },
    Rule {
        name: "one-channel",
        text: "one channel reads a scalar region, <0;1,0>",
        source: REGIONING,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::ODD_REGION,
        check: |view| {
            region(view, |exec, v, w, h| {
                exec == 1 && w == 1 && (v != 0 || h != 0)
            })
        },
    },
    Rule {
        name: "zero-strides",
        text: "where both strides are 0, the width must be 1",
        source: REGIONING,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::ODD_REGION,
        check: |view| region(view, |_, v, w, h| v == 0 && h == 0 && w != 1),
    },
    Rule {
        name: "row-in-register",
        text: "a row must not cross a register boundary; the vertical stride crosses it",
        source: REGIONING,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::CROSSING,
        check: row_crosses,
    },
    Rule {
        name: "dst-stride-0",
        text: "the destination's horizontal stride must not be 0",
        source: REGIONING,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::empty(),
        check: |view| {
            let dst = view.written()?;
            let is_macro = matches!(view.input.specific, Specific::Math(f) if f.is_macro());
            (dst.region.hstride == 0 && !is_macro).then_some(Place::Dst)
        },
    },
    Rule {
        name: "span",
        text: "an operand must lie in two adjacent registers",
        source: ALIGNMENT,
        scope: Scope::All,
        on: On::Arithmetic,
        needs: Traits::CROSSING,
        check: |view| {
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
        },
    },
    Rule {
        name: REGISTER_NUMBER,
        text: "an operand must not reach beyond the last register",
        source: "BDW to TGL PRM vol 7, Register Files: 128 registers a thread; 256 from XeHPG on",
        scope: Scope::All,
        on: On::All,
        needs: Traits::LAST_REGISTERS,
        check: |view| {
            view.operands()
                .find(|operand| beyond_the_end(view, operand))
                .map(|operand| operand.place)
        },
    },
    Rule {
        name: "element-alignment",
        text: "a sub-register must be aligned to the operand's type",
        source: ALIGNMENT,
        scope: Scope::All,
        on: On::All,
        needs: Traits::MISALIGNED,
        check: |view| {
            view.operands()
                .find(|operand| {
                    operand.reg.is_some_and(|reg| {
                        // Sub-registers that are not counted in elements do not count bytes either.
                        let counted = view.machine.has().subregister_bits(reg.file, operand.ty);
                        counted == operand.ty.bits() && u32::from(reg.byte) % operand.bytes() != 0
                    })
                })
                .map(|operand| operand.place)
        },
    },
    Rule {
        name: "dst-stride",
        text: "where the execution type is wider than the destination's, the destination's stride \
               must be at least their ratio",
        source: "BDW to TGL PRM vol 7, General Restrictions Based on Operand Types; IGC \
                 HWConformity.cpp and the media kernels that Intel ships take larger ones",
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::NARROWING.union(Traits::CHANNELS),
        check: |view| {
            let (dst, exec_bytes) = narrowed(view)?;
            let stride = u32::from(dst.region.hstride) * dst.bytes();
            (stride < exec_bytes).then_some(Place::Dst)
        },
    },
    Rule {
        name: "dst-alignment",
        text: "where the execution type is wider than the destination's, the destination must be \
               aligned to the execution type",
        source: OPERAND_TYPES,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::NARROWING.union(Traits::CHANNELS),
        check: |view| {
            let (dst, exec_bytes) = narrowed(view).filter(|(dst, _)| dst.bytes() > 1)?;
            let at = u32::from(dst.reg?.byte) % exec_bytes;
            // The words of dword channels may all be in the upper half (SKL PRM vol 7, the relaxed
            // alignment rule for word destinations). Mesa's validator does not have the rule.
            let upper_word = dst.bytes() == 2 && exec_bytes == 4 && at == 2;
            (at != 0 && !upper_word).then_some(Place::Dst)
        },
    },
    Rule {
        name: "byte-alignment",
        text: "where the execution type is wider than the byte destination, that must be aligned \
               to the execution type or lie in the next byte",
        source: OPERAND_TYPES,
        scope: Scope::Of(span!(..=XeHpg)),
        on: On::Basic,
        needs: Traits::NARROWING.union(Traits::CHANNELS),
        check: |view| {
            let (dst, exec_bytes) = narrowed(view).filter(|(dst, _)| dst.bytes() == 1)?;
            let at = u32::from(dst.reg?.byte) % exec_bytes;
            (at > 1).then_some(Place::Dst)
        },
    },
    Rule {
        name: "packed-bytes",
        text: "only a move that changes no bits writes packed bytes",
        source: OPERAND_TYPES,
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::BYTE.union(Traits::CHANNELS),
        check: |view| {
            let dst = view.written()?;
            let packed = dst.bytes() == 1 && dst.region.hstride == 1;
            (packed && !view.is_raw_move()).then_some(Place::Dst)
        },
    },
    Rule {
        name: "vector-immediate",
        text: "with a packed vector immediate, the destination must be aligned to 16 bytes",
        source: "BDW to TGL PRM vol 7, Immediate: Restriction on vector immediates",
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::VECTOR.union(Traits::CHANNELS),
        check: |view| {
            let dst = view.written()?;
            (dst.reg?.byte % 16 != 0).then_some(Place::Dst)
        },
    },
    Rule {
        name: "vector-immediate-stride",
        text: "with a packed vector immediate, the destination's stride must be a word for \
               integers (or packed dwords), a dword for floats",
        // The manuals only mention words; Intel's compiler widens them to dwords on every family.
        source: "BDW to TGL PRM vol 7, Immediate: Restriction on vector immediates; IGC",
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::VECTOR.union(Traits::CHANNELS),
        check: |view| {
            let dst = view.written()?;
            let is_float = view.srcs().any(|src| src.ty == Type::Vf);
            let fits = match (dst.bytes(), dst.region.hstride) {
                (4, 1) => true,
                (2, 2) | (1, 4) => is_float,
                (2, 1) | (1, 2) => !is_float,
                _ => false,
            };
            (!fits).then_some(Place::Dst)
        },
    },
    Rule {
        name: "math-split",
        text: "a `math` destination in two registers must have as many elements in each",
        source: "SKL PRM vol 2a, math: Restrictions",
        scope: Scope::All,
        on: On::Math,
        needs: Traits::CROSSING,
        check: math_split,
    },
    Rule {
        name: "address-registers",
        text: "a region with an address for each row must find its addresses in a0.0 to a0.15",
        source: "BDW to TGL PRM vol 7, Register-Indirect Register Addressing: a0 has 16 words",
        scope: Scope::All,
        on: On::All,
        needs: Traits::INDIRECT,
        check: |view| {
            view.srcs()
                .find(|src| {
                    let rows = view.exec_size() / u32::from(src.region.width.max(1));
                    src.indirect && src.vwh().is_none() && u32::from(src.address) + rows > 16
                })
                .map(|src| src.place)
        },
    },
    Rule {
        name: "math-indirect",
        text: "`math` has no indirect operands",
        source: "BDW to TGL PRM vol 2a, math: Restrictions",
        scope: Scope::All,
        on: On::Math,
        needs: Traits::INDIRECT,
        check: |view| {
            let operand = view.operands().find(|operand| operand.indirect)?;
            Some(operand.place)
        },
    },
    Rule {
        name: "qword-indirect",
        text: "floats and 64-bit integers must not be read with an address for each row",
        source: "Mesa brw_eu_validate.c (Register Region Restrictions of gfx 12.5 on)",
        scope: Scope::Of(span!(XeHpg..)),
        on: On::All,
        needs: Traits::INDIRECT,
        check: |view| {
            view.srcs()
                .find(|src| {
                    src.indirect && src.vwh().is_none() && (src.ty.is_float() || src.bytes() == 8)
                })
                .map(|src| src.place)
        },
    },
    Rule {
        name: "small-core-regions",
        text: "with 64-bit data or a multiplication of dwords, source and destination must have \
               the same stride, a multiple of a qword, and the same offset, except for scalars",
        source: "CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types",
        scope: Scope::Has(|machine| machine.small_core),
        on: On::Basic,
        needs: Traits::empty(),
        check: |view| {
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
        },
    },
    Rule {
        name: "small-core-indirect",
        text: "64-bit data and multiplications of dwords have no indirect operands",
        source: "CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types",
        scope: Scope::Has(|machine| machine.small_core),
        on: On::All,
        needs: Traits::INDIRECT,
        check: |view| {
            let operand = view
                .operands()
                .find(|operand| operand.indirect && view.is_double())?;
            Some(operand.place)
        },
    },
    Rule {
        name: "small-core-arf",
        text: "64-bit data and multiplications of dwords use no architecture registers",
        source: "CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types",
        scope: Scope::Has(|machine| machine.small_core),
        on: On::Basic,
        needs: Traits::empty(),
        check: |view| {
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
        },
    },
];

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

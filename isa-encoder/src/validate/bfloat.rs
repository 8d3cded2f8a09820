//! Bfloats outside of `dpas`: operations that mix single precision and bfloat.

use super::rule::{On, Place, Rule, Scope};
use super::view::{Operand, Traits, View};
use crate::model::{Attributes, Opcode, Type};

const MIXED: &str = "IGC HWConformity.cpp fixBFMixedMode and G4_Verifier.cpp verifyBFMixedMode; \
                     Mesa gen_validate special_restrictions_for_mixed_float_mode";
// The type exists from XeHPG on.
const SCOPE: Scope = Scope::All;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "bfloat-operation",
        text: "only `mov`, `add`, `cmp`, `sel`, `mul`, `mac` and `mad` take bfloats",
        source: MIXED,
        scope: SCOPE,
        on: On::Without(Attributes::BFLOATS),
        needs: Traits::BFLOAT,
        check: |view| {
            let operand = view.operands().find(|operand| operand.ty == Type::Bf)?;
            Some(operand.place)
        },
    },
    Rule {
        name: "bfloat-pure",
        text: "operands must not all be bfloats",
        source: MIXED,
        scope: SCOPE,
        on: On::Arithmetic,
        needs: Traits::BFLOAT,
        check: |view| {
            view.operands()
                .all(|operand| operand.ty == Type::Bf)
                .then_some(Place::Instruction)
        },
    },
    Rule {
        name: "bfloat-factor",
        text: "the last factor of a multiplication must not be a bfloat",
        source: MIXED,
        scope: SCOPE,
        on: On::Only(&[Opcode::Mul, Opcode::Mac, Opcode::Mad]),
        needs: Traits::BFLOAT,
        check: |view| {
            let last = view.srcs().last()?;
            (last.ty == Type::Bf).then_some(last.place)
        },
    },
    Rule {
        name: "bfloat-channels",
        text: "operations on bfloats have at most as many channels as a register has floats",
        source: MIXED,
        scope: SCOPE,
        on: On::Arithmetic,
        needs: Traits::BFLOAT.union(Traits::CHANNELS),
        check: |view| {
            (view.exec_size() * Type::F.bytes() > view.grf_bytes()).then_some(Place::Instruction)
        },
    },
    Rule {
        name: "bfloat-scalar",
        text: "several channels must not read one bfloat",
        source: MIXED,
        scope: SCOPE,
        on: On::Arithmetic,
        needs: Traits::BFLOAT.union(Traits::CHANNELS),
        check: |view| {
            view.srcs()
                .find(|src| src.ty == Type::Bf && src.is_scalar() && !src.is_imm())
                .map(|src| src.place)
        },
    },
    Rule {
        name: "bfloat-region",
        text: "with bfloats, these must be packed and begin a register or its half, or, as a \
               destination, have a stride of 2 from element 0 or 1; floats must be packed and \
               begin a register, but for scalar sources",
        source: MIXED,
        scope: SCOPE,
        on: On::Arithmetic,
        needs: Traits::BFLOAT.union(Traits::CHANNELS),
        check: |view| {
            let dst = view.written().filter(|dst| !fits_dst(view, dst));
            let src = view.srcs().find(|src| !fits_src(view, src));
            dst.or(src).map(|operand| operand.place)
        },
    },
];

/// Whether an operand begins at the start of a register or, for bfloats, of its half.
fn begins(view: &View<'_>, operand: &Operand) -> bool {
    operand.reg.is_none_or(|reg| match operand.ty {
        Type::Bf => u32::from(reg.byte) % (view.grf_bytes() / 2) == 0,
        _ => reg.byte == 0,
    })
}

fn fits_dst(view: &View<'_>, dst: &Operand) -> bool {
    let spread = dst.ty == Type::Bf
        && dst.region.hstride == 2
        && dst.reg.is_none_or(|reg| matches!(reg.byte, 0 | 2));
    // A comparison's destination may be of any type.
    let other = !matches!(dst.ty, Type::Bf | Type::F);
    other || spread || dst.region.hstride == 1 && begins(view, dst)
}

fn fits_src(view: &View<'_>, src: &Operand) -> bool {
    let packed = src.pitch() == Some(src.bytes());
    src.is_imm() || src.is_scalar() || packed && begins(view, src)
}

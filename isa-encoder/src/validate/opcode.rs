//! Restrictions of single instructions.

use devinfo::span;

use super::rule::{On, Place, Rule, Scope};
use super::view::Traits;
use crate::model::{Attributes, CondMod, Opcode, Specific, SrcMods, Type};

const MUL: &str = "BDW to TGL PRM vol 2a, mul: Restrictions";

const LOGIC: On = On::Having(Attributes::BITWISE);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "cmp-condition",
        text: "`cmp` and `cmpn` must have a condition modifier",
        source: "BDW to TGL PRM vol 2a, cmp",
        scope: Scope::All,
        on: On::Only(&[Opcode::Cmp, Opcode::Cmpn]),
        needs: Traits::empty(),
        check: |view| view.input.cond.is_none().then_some(Place::Instruction),
    },
    Rule {
        name: "sel-condition",
        text: "`sel` must have either a predicate or a condition modifier",
        source: "BDW to TGL PRM vol 2a, sel",
        scope: Scope::All,
        on: On::Only(&[Opcode::Sel]),
        needs: Traits::empty(),
        check: |view| {
            let both_or_none = view.input.cond.is_some() == view.input.predicate.is_some();
            both_or_none.then_some(Place::Instruction)
        },
    },
    Rule {
        name: "csel-condition",
        text: "`csel` must have a condition modifier",
        source: "SKL to TGL PRM vol 2a, csel",
        scope: Scope::Of(span!(..=XeHpg)),
        on: On::Only(&[Opcode::Csel]),
        needs: Traits::empty(),
        check: |view| view.input.cond.is_none().then_some(Place::Instruction),
    },
    Rule {
        name: "csel-single",
        text: "`csel` works on single-precision floats only",
        source: "BDW and SKL PRM vol 2a, csel",
        scope: Scope::Of(span!(..=Gen9)),
        on: On::Only(&[Opcode::Csel]),
        needs: Traits::empty(),
        check: |view| {
            let other = view.operands().find(|operand| operand.ty != Type::F)?;
            Some(other.place)
        },
    },
    Rule {
        name: "csel-types",
        text: "the types of `csel` must all be floats or all integers, of the same size, 16 or 32 \
               bits",
        source: "ICL and TGL PRM vol 2a, csel",
        scope: Scope::Of(span!(Gen11..)),
        on: On::Only(&[Opcode::Csel]),
        needs: Traits::empty(),
        check: |view| {
            let dst = view.dst?;
            if !matches!(dst.ty.bits(), 16 | 32) {
                return Some(Place::Dst);
            }
            let same = |ty: Type| ty.is_float() == dst.ty.is_float() && ty.bits() == dst.ty.bits();
            view.srcs().find(|src| !same(src.ty)).map(|src| src.place)
        },
    },
    Rule {
        name: "mul-dword-first",
        text: "the dword of a multiplication of a dword and a shorter integer must be source 0",
        source: MUL,
        scope: Scope::All,
        on: On::Only(&[Opcode::Mul]),
        needs: Traits::empty(),
        check: |view| {
            let (a, b) = (view.src(0)?, view.src(1)?);
            let bad = b.ty.is_integer() && b.bytes() == 4 && a.bytes() < 4 && !a.ty.is_float();
            bad.then_some(Place::Src(1))
        },
    },
    Rule {
        name: "mul-accumulator",
        text: "accumulators are no integer sources of `mul`",
        source: "BDW to TGL PRM vol 7, Accumulator Restrictions",
        scope: Scope::All,
        on: On::Only(&[Opcode::Mul]),
        needs: Traits::ARF,
        check: |view| {
            view.srcs()
                .find(|src| src.is_acc() && src.ty.is_integer())
                .map(|src| src.place)
        },
    },
    Rule {
        name: "mul-dword-flags",
        text: "a multiplication of dwords with a word or dword result neither saturates nor sets \
               flags",
        source: MUL,
        scope: Scope::All,
        on: On::Only(&[Opcode::Mul]),
        needs: Traits::empty(),
        check: |view| {
            let dst = view.dst?;
            let dword = view
                .srcs()
                .any(|src| src.ty.is_integer() && src.bytes() == 4);
            let low = dst.ty.is_integer() && matches!(dst.bytes(), 2 | 4);
            let uses = view.input.saturate || view.input.cond.is_some();
            (dword && low && uses).then_some(Place::Instruction)
        },
    },
    Rule {
        name: "mul-modifiers",
        text: "the shorter source of a multiplication with a dword has no modifier",
        source: "Workaround 1604601757 (Mesa mesa_defs.json)",
        scope: Scope::Of(span!(Gen12Lp..)),
        on: On::Only(&[Opcode::Mul]),
        needs: Traits::MODIFIER,
        check: |view| {
            let exec = view.exec_type()?;
            if !exec.is_integer() || exec.bytes() != 4 {
                return None;
            }
            view.srcs()
                .find(|src| !src.is_imm() && src.bytes() != 4 && src.mods != SrcMods::NONE)
                .map(|src| src.place)
        },
    },
    Rule {
        name: "division-modifiers",
        text: "integer division has no source modifiers",
        source: "BDW PRM vol 2a, math: Extended Math Function",
        scope: Scope::All,
        on: On::Math,
        needs: Traits::MODIFIER,
        check: |view| {
            let division = matches!(view.input.specific, Specific::Math(f) if f.is_integer());
            let src = view.srcs().find(|src| src.mods != SrcMods::NONE)?;
            division.then_some(src.place)
        },
    },
    Rule {
        name: "no-modifiers",
        text: "this instruction has no source modifiers",
        source: "BDW to TGL PRM vol 2a, each instruction: Source Modifier; IGA's models, \
                 SUPPORTS_SRCMODS",
        scope: Scope::All,
        on: On::Without(Attributes::MODIFIERS),
        needs: Traits::MODIFIER,
        check: |view| {
            let src = view.srcs().find(|src| src.mods != SrcMods::NONE)?;
            Some(src.place)
        },
    },
    Rule {
        name: "logic-abs",
        text: "bitwise operations have no absolute value",
        source: "BDW to TGL PRM vol 2a, and: Source modifier",
        scope: Scope::All,
        on: LOGIC,
        needs: Traits::MODIFIER,
        check: |view| {
            let src = view.srcs().find(|src| src.mods.abs)?;
            Some(src.place)
        },
    },
    Rule {
        name: "logic-accumulator",
        text: "an accumulator as source of a bitwise operation has no modifier",
        source: "BDW to TGL PRM vol 2a, and: Restrictions",
        scope: Scope::All,
        on: LOGIC,
        needs: Traits::MODIFIER.union(Traits::ARF),
        check: |view| {
            view.srcs()
                .find(|src| src.is_acc() && src.mods != SrcMods::NONE)
                .map(|src| src.place)
        },
    },
    Rule {
        name: "logic-condition",
        text: "bitwise operations know no overflow and no NaN",
        source: "BDW to TGL PRM vol 2a, and: Condition modifier",
        scope: Scope::All,
        on: LOGIC,
        needs: Traits::empty(),
        check: |view| {
            let senseless = matches!(view.input.cond, Some(CondMod::Ov | CondMod::Un));
            senseless.then_some(Place::Instruction)
        },
    },
    Rule {
        name: "bfi2-types",
        text: "the types of `bfi2` must be the same",
        source: "BDW to TGL PRM vol 2a, bfi2",
        scope: Scope::All,
        on: On::Only(&[Opcode::Bfi2]),
        needs: Traits::empty(),
        check: |view| {
            let dst = view.dst?;
            view.srcs()
                .find(|src| !src.is_imm() && src.ty != dst.ty)
                .map(|src| src.place)
        },
    },
    Rule {
        name: "macl-types",
        text: "the sources of `macl` are dwords",
        source: "IGA's models, macl; GED refuses other types",
        scope: Scope::All,
        on: On::Only(&[Opcode::Macl]),
        needs: Traits::empty(),
        check: |view| {
            let dword = |ty| matches!(ty, Type::D | Type::Ud);
            view.srcs().find(|src| !dword(src.ty)).map(|src| src.place)
        },
    },
    Rule {
        name: "rotate-types",
        text: "destination and source 0 of a rotation must be unsigned, and of the same size",
        source: "IGC HWConformity.cpp fixRotate; Mesa gen_validate instruction_restrictions",
        scope: Scope::All,
        on: On::Only(&[Opcode::Rol, Opcode::Ror]),
        needs: Traits::empty(),
        check: |view| {
            let (dst, src) = (view.dst?, view.src(0)?);
            if dst.ty.is_signed() {
                return Some(dst.place);
            }
            (src.ty.is_signed() || src.bytes() != dst.bytes()).then_some(src.place)
        },
    },
    Rule {
        name: "math-types",
        text: "the types of `math` must be the same",
        source: "Mesa gen_validate instruction_restrictions (gfx 12.5 on)",
        scope: Scope::Of(span!(XeHpg..)),
        on: On::Math,
        needs: Traits::empty(),
        check: |view| {
            let dst = view.dst?;
            view.srcs()
                .find(|src| src.ty != dst.ty && !src.is_null())
                .map(|src| src.place)
        },
    },
    Rule {
        name: "math-registers",
        text: "the result of `math` goes to a general register, and its sources are no \
               accumulators, but, to XeHPC, for the macros'",
        source: "Mesa gen_validate instruction_restrictions; BDW to TGL PRM vol 2a, math: \
                 Restrictions",
        scope: Scope::All,
        on: On::Math,
        needs: Traits::ARF,
        check: |view| {
            let is_macro = matches!(view.input.specific, Specific::Math(f) if f.is_macro());
            if let Some(dst) = view.written().filter(|dst| dst.arf().is_some()) {
                return Some(dst.place);
            }
            view.srcs()
                .find(|src| src.is_acc() && !(is_macro && view.has().macro_accumulators))
                .map(|src| src.place)
        },
    },
    Rule {
        name: "math-files",
        text: "the operands of `math` are general registers or immediates, but for the macros'",
        source: "Mesa brw_eu_emit.c gfx6_math; GED refuses the others",
        scope: Scope::Of(span!(..=Gen11)),
        on: On::Math,
        needs: Traits::empty(),
        check: |view| {
            let is_macro = matches!(view.input.specific, Specific::Math(f) if f.is_macro());
            let mut operands = view.dst.into_iter().chain(view.src(0));
            let other = operands.find(|operand| operand.arf().is_some() && !operand.is_acc());
            other.filter(|_| !is_macro).map(|operand| operand.place)
        },
    },
    Rule {
        name: "plane-alignment",
        text: "source 0 of `line` and `pln` begins with a multiple of 16 bytes",
        source: "BDW and SKL PRM vol 2a, line and pln; IGC HWConformity.cpp fixLine, fixPlaneInst",
        scope: Scope::All,
        on: On::Having(Attributes::PLANE),
        needs: Traits::empty(),
        check: |view| {
            let src = view.src(0)?;
            (src.grf()?.byte % 16 != 0).then_some(src.place)
        },
    },
    Rule {
        name: "dp4a-accumulator",
        text: "only one of sources 0 and 1 of `dp4a` may be an accumulator",
        source: "DG1 PRM vol 2a, dp4a",
        scope: Scope::All,
        on: On::Only(&[Opcode::Dp4a]),
        needs: Traits::ARF,
        check: |view| {
            let both = view.src(0)?.is_acc() && view.src(1)?.is_acc();
            both.then_some(Place::Src(1))
        },
    },
    Rule {
        name: "dp4a-types",
        text: "`dp4a` takes and gives dwords",
        source: "DG1 PRM vol 2a, dp4a",
        scope: Scope::All,
        on: On::Only(&[Opcode::Dp4a]),
        needs: Traits::empty(),
        check: |view| {
            let other = view
                .operands()
                .find(|operand| !matches!(operand.ty, Type::D | Type::Ud) && !operand.is_imm())?;
            Some(other.place)
        },
    },
];

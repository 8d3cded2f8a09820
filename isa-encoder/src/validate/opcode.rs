//! Restrictions of single instructions.

use super::rule::{On, rules};
use super::view::Place;
use crate::model::{Attributes, CondMod, Opcode, Specific, SrcMods, Type};

const MUL: &str = "BDW to TGL PRM vol 2a, mul: Restrictions";

const LOGIC: On = On::Having(Attributes::BITWISE);

rules! {
    "cmp-condition" (..) On::Only(&[Opcode::Cmp, Opcode::Cmpn]), []:
        "`cmp` and `cmpn` must have a condition modifier", "BDW to TGL PRM vol 2a, cmp",
        |view| view.input.cond.is_none().then_some(Place::Instruction);
    "sel-condition" (..) On::Only(&[Opcode::Sel]), []:
        "`sel` must have either a predicate or a condition modifier", "BDW to TGL PRM vol 2a, sel",
        |view| {
            let both_or_none = view.input.cond.is_some() == view.input.predicate.is_some();
            both_or_none.then_some(Place::Instruction)
        };
    "csel-condition" (..=XeHpg) On::Only(&[Opcode::Csel]), []:
        "`csel` must have a condition modifier", "SKL to TGL PRM vol 2a, csel",
        |view| view.input.cond.is_none().then_some(Place::Instruction);
    "csel-single" (..=Gen9) On::Only(&[Opcode::Csel]), []:
        "`csel` works on single-precision floats only", "BDW and SKL PRM vol 2a, csel",
        |view| {
            let other = view.operands().find(|operand| operand.ty != Type::F)?;
            Some(other.place)
        };
    "csel-types" (Gen11..) On::Only(&[Opcode::Csel]), []:
        "the types of `csel` must all be floats or all integers, of the same size, 16 or 32 \
         bits", "ICL and TGL PRM vol 2a, csel",
        |view| {
            let dst = view.dst?;
            if !matches!(dst.ty.bits(), 16 | 32) {
                return Some(Place::Dst);
            }
            let same = |ty: Type| ty.is_float() == dst.ty.is_float() && ty.bits() == dst.ty.bits();
            view.srcs().find(|src| !same(src.ty)).map(|src| src.place)
        };
    "mul-dword-first" (..) On::Only(&[Opcode::Mul]), []:
        "the dword of a multiplication of a dword and a shorter integer must be source 0", MUL,
        |view| {
            let (a, b) = (view.src(0)?, view.src(1)?);
            let bad = b.ty.is_integer() && b.bytes() == 4 && a.bytes() < 4 && !a.ty.is_float();
            bad.then_some(Place::Src(1))
        };
    "mul-accumulator" (..) On::Only(&[Opcode::Mul]), [ARF]:
        "accumulators are no integer sources of `mul`",
        "BDW to TGL PRM vol 7, Accumulator Restrictions",
        |view| {
            view.srcs()
                .find(|src| src.is_acc() && src.ty.is_integer())
                .map(|src| src.place)
        };
    "mul-dword-flags" (..) On::Only(&[Opcode::Mul]), []:
        "a multiplication of dwords with a word or dword result neither saturates nor sets \
         flags", MUL,
        |view| {
            let dst = view.dst?;
            let dword = view
                .srcs()
                .any(|src| src.ty.is_integer() && src.bytes() == 4);
            let low = dst.ty.is_integer() && matches!(dst.bytes(), 2 | 4);
            let uses = view.input.saturate || view.input.cond.is_some();
            (dword && low && uses).then_some(Place::Instruction)
        };
    "mul-modifiers" (Gen12Lp..) On::Only(&[Opcode::Mul]), [MODIFIER]:
        "the shorter source of a multiplication with a dword has no modifier",
        "Workaround 1604601757 (Mesa mesa_defs.json)",
        |view| {
            let exec = view.exec_type()?;
            if !exec.is_integer() || exec.bytes() != 4 {
                return None;
            }
            view.srcs()
                .find(|src| !src.is_imm() && src.bytes() != 4 && src.mods != SrcMods::NONE)
                .map(|src| src.place)
        };
    "division-modifiers" (..) On::Math, [MODIFIER]:
        "integer division has no source modifiers", "BDW PRM vol 2a, math: Extended Math Function",
        |view| {
            let division = matches!(view.input.specific, Specific::Math(f) if f.is_integer());
            let src = view.srcs().find(|src| src.mods != SrcMods::NONE)?;
            division.then_some(src.place)
        };
    "no-modifiers" (..) On::Without(Attributes::MODIFIERS), [MODIFIER]:
        "this instruction has no source modifiers",
        "BDW to TGL PRM vol 2a, each instruction: Source Modifier; IGA's models, \
         SUPPORTS_SRCMODS",
        |view| {
            let src = view.srcs().find(|src| src.mods != SrcMods::NONE)?;
            Some(src.place)
        };
    "logic-abs" (..) LOGIC, [MODIFIER]:
        "bitwise operations have no absolute value", "BDW to TGL PRM vol 2a, and: Source modifier",
        |view| {
            let src = view.srcs().find(|src| src.mods.abs)?;
            Some(src.place)
        };
    "logic-accumulator" (..) LOGIC, [MODIFIER | ARF]:
        "an accumulator as source of a bitwise operation has no modifier",
        "BDW to TGL PRM vol 2a, and: Restrictions",
        |view| {
            view.srcs()
                .find(|src| src.is_acc() && src.mods != SrcMods::NONE)
                .map(|src| src.place)
        };
    "logic-condition" (..) LOGIC, []:
        "bitwise operations know no overflow and no NaN",
        "BDW to TGL PRM vol 2a, and: Condition modifier",
        |view| {
            let senseless = matches!(view.input.cond, Some(CondMod::Ov | CondMod::Un));
            senseless.then_some(Place::Instruction)
        };
    "bfi2-types" (..) On::Only(&[Opcode::Bfi2]), []:
        "the types of `bfi2` must be the same", "BDW to TGL PRM vol 2a, bfi2",
        |view| {
            let dst = view.dst?;
            view.srcs()
                .find(|src| !src.is_imm() && src.ty != dst.ty)
                .map(|src| src.place)
        };
    "macl-types" (..) On::Only(&[Opcode::Macl]), []:
        "the sources of `macl` are dwords", "IGA's models, macl; GED refuses other types",
        |view| {
            let dword = |ty| matches!(ty, Type::D | Type::Ud);
            view.srcs().find(|src| !dword(src.ty)).map(|src| src.place)
        };
    "rotate-types" (..) On::Only(&[Opcode::Rol, Opcode::Ror]), []:
        "destination and source 0 of a rotation must be unsigned, and of the same size",
        "IGC HWConformity.cpp fixRotate; Mesa gen_validate instruction_restrictions",
        |view| {
            let (dst, src) = (view.dst?, view.src(0)?);
            if dst.ty.is_signed() {
                return Some(dst.place);
            }
            (src.ty.is_signed() || src.bytes() != dst.bytes()).then_some(src.place)
        };
    "math-types" (XeHpg..) On::Math, []:
        "the types of `math` must be the same",
        "Mesa gen_validate instruction_restrictions (gfx 12.5 on)",
        |view| {
            let dst = view.dst?;
            view.srcs()
                .find(|src| src.ty != dst.ty && !src.is_null())
                .map(|src| src.place)
        };
    "math-registers" (..) On::Math, [ARF]:
        "the result of `math` goes to a general register, and its sources are no \
         accumulators, but, to XeHPC, for the macros'",
        "Mesa gen_validate instruction_restrictions; BDW to TGL PRM vol 2a, math: \
         Restrictions",
        |view| {
            let is_macro = matches!(view.input.specific, Specific::Math(f) if f.is_macro());
            if let Some(dst) = view.written().filter(|dst| dst.arf().is_some()) {
                return Some(dst.place);
            }
            view.srcs()
                .find(|src| src.is_acc() && !(is_macro && view.has().macro_accumulators))
                .map(|src| src.place)
        };
    "math-files" (..=Gen11) On::Math, []:
        "the operands of `math` are general registers or immediates, but for the macros'",
        "Mesa brw_eu_emit.c gfx6_math; GED refuses the others",
        |view| {
            let is_macro = matches!(view.input.specific, Specific::Math(f) if f.is_macro());
            let mut operands = view.dst.into_iter().chain(view.src(0));
            let other = operands.find(|operand| operand.arf().is_some() && !operand.is_acc());
            other.filter(|_| !is_macro).map(|operand| operand.place)
        };
    "plane-alignment" (..) On::Having(Attributes::PLANE), []:
        "source 0 of `line` and `pln` begins with a multiple of 16 bytes",
        "BDW and SKL PRM vol 2a, line and pln; IGC HWConformity.cpp fixLine, fixPlaneInst",
        |view| {
            let src = view.src(0)?;
            (src.grf()?.byte % 16 != 0).then_some(src.place)
        };
    "dp4a-accumulator" (..) On::Only(&[Opcode::Dp4a]), [ARF]:
        "only one of sources 0 and 1 of `dp4a` may be an accumulator", "DG1 PRM vol 2a, dp4a",
        |view| {
            let both = view.src(0)?.is_acc() && view.src(1)?.is_acc();
            both.then_some(Place::Src(1))
        };
    "dp4a-types" (..) On::Only(&[Opcode::Dp4a]), []:
        "`dp4a` takes and gives dwords", "DG1 PRM vol 2a, dp4a",
        |view| {
            let other = view
                .operands()
                .find(|operand| !matches!(operand.ty, Type::D | Type::Ud) && !operand.is_imm())?;
            Some(other.place)
        };
}

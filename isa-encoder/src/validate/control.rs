//! Execution size, channels, flags, accumulators, options, branches.

use super::rule::{On, rules};
use super::view::{Operand, Place, View};
use crate::model::{ArfKind, Format, Opcode, Options, PredControl};

const SOURCE_1_TEXT: &str = "source 1 must be a general register or an immediate";
const SOURCE_1_SOURCE: &str = "BDW to ICL PRM vol 7, Accumulator Registers: explicitly as source \
                               0 only; Mesa brw_eu_emit.c brw_set_src1; GED refuses the others";

/// Source 1, if it is an architecture register. `movi` leaves it unused.
fn source_1_arf(view: &View<'_>) -> Option<Place> {
    let src = view.src(1).filter(|_| !view.is(Opcode::Movi))?;
    src.arf().map(|_| src.place)
}

rules! {
    // A single channel runs anywhere.
    "channel-offset" (..) On::All, [CHANNELS]:
        "the first channel must be a multiple of the execution size, and the last below 32",
        "BDW to TGL PRM vol 7, Execution Mask: NibCtrl and QtrCtrl",
        |view| {
            let offset = u32::from(view.input.channel_offset);
            let exec = view.exec_size();
            let nullary = view.input.opcode.format() == Format::Nullary;
            let bad = offset % exec.min(16) != 0 || offset + exec > 32;
            (!nullary && bad).then_some(Place::Instruction)
        };
    "flag-half" (..) On::All, [CHANNELS]:
        "32 channels take a whole flag register, from its first half",
        "BDW to TGL PRM vol 7, Flag Register",
        |view| {
            let used = view.input.predicate.is_some() || view.input.cond.is_some();
            (used && view.exec_size() == 32 && view.input.flag.subregister != 0)
                .then_some(Place::Instruction)
        };
    "predicate-group" (..) On::All, [PREDICATE | CHANNELS]:
        "a predicate over both flags (anyv, allv) takes at most 16 channels",
        "BDW to TGL PRM vol 7, Predication: PredCtrl",
        |view| {
            let control = view.input.predicate?.control;
            (matches!(control, PredControl::AnyV | PredControl::AllV) && view.exec_size() > 16)
                .then_some(Place::Instruction)
        };
    "accumulator-twice" (..) On::All, [ARF]:
        "with AccWrEn, the destination must not be an accumulator",
        "BDW to TGL PRM vol 7, Accumulator Restrictions",
        |view| {
            let explicit = view.dst.is_some_and(|dst| dst.is_acc());
            (explicit && view.input.options.contains(Options::ACC_WR_EN)).then_some(Place::Dst)
        };
    "ternary-arf" (|machine| !machine.has().align16) On::Ternary, [ARF]:
        "three-source instructions name no architecture registers but null and accumulators",
        "IGA IRChecker.cpp checkTernarySource; TGL PRM vol 2a, mad",
        |view| {
            view.operands()
                .find(|operand| {
                    !matches!(
                        operand.arf(),
                        None | Some(ArfKind::Null | ArfKind::Accumulator)
                    )
                })
                .map(|operand| operand.place)
        };
    "ternary-null" (Gen11) On::Ternary, []:
        "operands of three-source instructions are general registers, accumulators or \
         immediates",
        "Mesa brw_eu_emit.c brw_alu3: the file bit means accumulators; GED refuses null",
        |view| {
            let null = view.operands().find(|operand| operand.is_null())?;
            Some(null.place)
        };
    "scalar-register" (..) On::Arithmetic, [ARF]:
        "s0 is the destination of a `mov` of words, dwords or qwords of one type, of an \
         immediate one at a time, or the source of a `mov` to other registers, at <0;1,0>",
        "IGA IRChecker.cpp checkDstScalarReg, checkSrcScalarReg",
        |view| {
            let is_scalar = |operand: &Operand| operand.arf() == Some(ArfKind::Scalar);
            let place = view.operands().find(is_scalar)?.place;
            let (dst, src) = (view.dst?, view.src(0)?);
            let fits = match place {
                Place::Dst => {
                    let same = dst.ty == src.ty && dst.ty.is_integer() && dst.bytes() > 1;
                    same && !is_scalar(&src) && (!src.is_imm() || view.exec_size() == 1)
                }
                _ => src.is_scalar(),
            };
            (!fits || !view.is(Opcode::Mov)).then_some(place)
        };
    "source-1-register" (..=Gen11) On::Basic, [ARF]:
        SOURCE_1_TEXT, SOURCE_1_SOURCE,
        source_1_arf;
    "source-1-null" (..=Gen11) On::Basic, [NULL_SOURCE]:
        SOURCE_1_TEXT, SOURCE_1_SOURCE,
        source_1_arf;
    "null-source" (..) On::Basic, [NULL_SOURCE]:
        "a source must not be null", "Mesa brw_eu_validate.c sources_not_null",
        |view| {
            // An instruction that writes nothing may read nothing: compilers use such instructions
            // to wait.
            view.written()?;
            view.srcs().find(|src| src.is_null()).map(|src| src.place)
        };
    "depctrl" (|machine| machine.small_core) On::Basic, []:
        "64-bit data and multiplications of dwords have no NoDDClr and NoDDChk",
        "CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types",
        |view| {
            let options = Options::NO_DD_CLR | Options::NO_DD_CHK;
            (view.is_double() && view.input.options.intersects(options))
                .then_some(Place::Instruction)
        };
    "jmpi-one-channel" (..) On::Only(&[Opcode::Jmpi]), []:
        "`jmpi` has one channel and ignores the execution mask", "BDW to TGL PRM vol 2a, jmpi",
        |view| {
            let scalar = view.exec_size() == 1 && view.input.no_mask;
            (!scalar).then_some(Place::Instruction)
        };
    "branch-distance" (..) On::Branch, []:
        "a branch goes to a multiple of 8 bytes",
        "BDW to TGL PRM vol 2a, JIP and UIP: instructions have 8 or 16 bytes",
        |view| {
            let branch = view.input.branch()?;
            [branch.jip, branch.uip]
                .into_iter()
                .flatten()
                .any(|distance| distance % 8 != 0)
                .then_some(Place::Instruction)
        };
    // Intel's compiler writes `(W) while` with one channel on Ponte Vecchio.
    "branch-mask" (..) On::Only(&[
            Opcode::While,
            Opcode::Break,
            Opcode::Cont,
            Opcode::If,
            Opcode::Else,
            Opcode::Endif,
        ]), [CHANNELS]:
        "`while`, `break`, `cont`, `if`, `else` and `endif` of several channels obey the \
         execution mask", "BDW to TGL PRM vol 2a, Flow Control Instructions; IGC",
        |view| view.input.no_mask.then_some(Place::Instruction);
}

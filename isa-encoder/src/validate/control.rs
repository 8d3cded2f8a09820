//! Execution size, channels, flags, accumulators, options, branches.

use devinfo::span;

use super::rule::{On, Place, Rule, Scope};
use super::view::{Operand, Traits, View};
use crate::model::{ArfKind, Format, Opcode, Options, PredControl};

const SOURCE_1_TEXT: &str = "source 1 must be a general register or an immediate";
const SOURCE_1_SOURCE: &str = "BDW to ICL PRM vol 7, Accumulator Registers: explicitly as source \
                               0 only; Mesa brw_eu_emit.c brw_set_src1; GED refuses the others";

/// Source 1, if it is an architecture register. `movi` leaves it unused.
fn source_1_arf(view: &View<'_>) -> Option<Place> {
    let src = view.src(1).filter(|_| !view.is(Opcode::Movi))?;
    src.arf().map(|_| src.place)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "channel-offset",
        text: "the first channel must be a multiple of the execution size, and the last below 32",
        source: "BDW to TGL PRM vol 7, Execution Mask: NibCtrl and QtrCtrl",
        scope: Scope::All,
        on: On::All,
        // A single channel runs anywhere.
        needs: Traits::CHANNELS,
        check: |view| {
            let offset = u32::from(view.input.channel_offset);
            let exec = view.exec_size();
            let nullary = view.input.opcode.format() == Format::Nullary;
            let bad = offset % exec.min(16) != 0 || offset + exec > 32;
            (!nullary && bad).then_some(Place::Instruction)
        },
    },
    Rule {
        name: "flag-half",
        text: "32 channels take a whole flag register, from its first half",
        source: "BDW to TGL PRM vol 7, Flag Register",
        scope: Scope::All,
        on: On::All,
        needs: Traits::CHANNELS,
        check: |view| {
            let used = view.input.predicate.is_some() || view.input.cond.is_some();
            (used && view.exec_size() == 32 && view.input.flag.subregister != 0)
                .then_some(Place::Instruction)
        },
    },
    Rule {
        name: "predicate-group",
        text: "a predicate over both flags (anyv, allv) takes at most 16 channels",
        source: "BDW to TGL PRM vol 7, Predication: PredCtrl",
        scope: Scope::All,
        on: On::All,
        needs: Traits::PREDICATE.union(Traits::CHANNELS),
        check: |view| {
            let control = view.input.predicate?.control;
            (matches!(control, PredControl::AnyV | PredControl::AllV) && view.exec_size() > 16)
                .then_some(Place::Instruction)
        },
    },
    Rule {
        name: "accumulator-twice",
        text: "with AccWrEn, the destination must not be an accumulator",
        source: "BDW to TGL PRM vol 7, Accumulator Restrictions",
        scope: Scope::All,
        on: On::All,
        needs: Traits::ARF,
        check: |view| {
            let explicit = view.dst.is_some_and(|dst| dst.is_acc());
            (explicit && view.input.options.contains(Options::ACC_WR_EN)).then_some(Place::Dst)
        },
    },
    Rule {
        name: "ternary-arf",
        text: "three-source instructions name no architecture registers but null and accumulators",
        source: "IGA IRChecker.cpp checkTernarySource; TGL PRM vol 2a, mad",
        scope: Scope::Has(|machine| !machine.has().align16),
        on: On::Ternary,
        needs: Traits::ARF,
        check: |view| {
            view.operands()
                .find(|operand| {
                    !matches!(
                        operand.arf(),
                        None | Some(ArfKind::Null | ArfKind::Accumulator)
                    )
                })
                .map(|operand| operand.place)
        },
    },
    Rule {
        name: "ternary-null",
        text: "operands of three-source instructions are general registers, accumulators or \
               immediates",
        source: "Mesa brw_eu_emit.c brw_alu3: the file bit means accumulators; GED refuses null",
        scope: Scope::Of(span!(Gen11)),
        on: On::Ternary,
        needs: Traits::empty(),
        check: |view| {
            let null = view.operands().find(|operand| operand.is_null())?;
            Some(null.place)
        },
    },
    Rule {
        name: "scalar-register",
        text: "s0 is the destination of a `mov` of words, dwords or qwords of one type, of an \
               immediate one at a time, or the source of a `mov` to other registers, at <0;1,0>",
        source: "IGA IRChecker.cpp checkDstScalarReg, checkSrcScalarReg",
        scope: Scope::All,
        on: On::Arithmetic,
        needs: Traits::ARF,
        check: |view| {
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
        },
    },
    Rule {
        name: "source-1-register",
        text: SOURCE_1_TEXT,
        source: SOURCE_1_SOURCE,
        scope: Scope::Of(span!(..=Gen11)),
        on: On::Basic,
        needs: Traits::ARF,
        check: source_1_arf,
    },
    Rule {
        name: "source-1-null",
        text: SOURCE_1_TEXT,
        source: SOURCE_1_SOURCE,
        scope: Scope::Of(span!(..=Gen11)),
        on: On::Basic,
        needs: Traits::NULL_SOURCE,
        check: source_1_arf,
    },
    Rule {
        name: "null-source",
        text: "a source must not be null",
        source: "Mesa brw_eu_validate.c sources_not_null",
        scope: Scope::All,
        on: On::Basic,
        needs: Traits::NULL_SOURCE,
        check: |view| {
            // An instruction that writes nothing may read nothing: compilers use such instructions
            // to wait.
            view.written()?;
            view.srcs().find(|src| src.is_null()).map(|src| src.place)
        },
    },
    Rule {
        name: "depctrl",
        text: "64-bit data and multiplications of dwords have no NoDDClr and NoDDChk",
        source: "CHV and BXT PRM vol 7, Special Requirements for Handling Double Precision Data Types",
        scope: Scope::Has(|machine| machine.small_core),
        on: On::Basic,
        needs: Traits::empty(),
        check: |view| {
            let options = Options::NO_DD_CLR | Options::NO_DD_CHK;
            (view.is_double() && view.input.options.intersects(options))
                .then_some(Place::Instruction)
        },
    },
    Rule {
        name: "jmpi-one-channel",
        text: "`jmpi` has one channel and ignores the execution mask",
        source: "BDW to TGL PRM vol 2a, jmpi",
        scope: Scope::All,
        on: On::Only(&[Opcode::Jmpi]),
        needs: Traits::empty(),
        check: |view| {
            let scalar = view.exec_size() == 1 && view.input.no_mask;
            (!scalar).then_some(Place::Instruction)
        },
    },
    Rule {
        name: "branch-distance",
        text: "a branch goes to a multiple of 8 bytes",
        source: "BDW to TGL PRM vol 2a, JIP and UIP: instructions have 8 or 16 bytes",
        scope: Scope::All,
        on: On::Branch,
        needs: Traits::empty(),
        check: |view| {
            let branch = view.input.branch()?;
            [branch.jip, branch.uip]
                .into_iter()
                .flatten()
                .any(|distance| distance % 8 != 0)
                .then_some(Place::Instruction)
        },
    },
    Rule {
        name: "branch-mask",
        text: "`while`, `break`, `cont`, `if`, `else` and `endif` of several channels obey the \
               execution mask",
        // Intel's compiler writes `(W) while` with one channel on Ponte Vecchio.
        source: "BDW to TGL PRM vol 2a, Flow Control Instructions; IGC",
        scope: Scope::All,
        on: On::Only(&[
            Opcode::While,
            Opcode::Break,
            Opcode::Cont,
            Opcode::If,
            Opcode::Else,
            Opcode::Endif,
        ]),
        needs: Traits::CHANNELS,
        check: |view| view.input.no_mask.then_some(Place::Instruction),
    },
];

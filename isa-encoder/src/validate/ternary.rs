//! Three-source arithmetic.

use super::rule::{On, Place, Rule, Scope};
use super::view::Traits;
use crate::model::{Attributes, Opcode, Type};

/// Families whose three-source instructions have regions.
const ALIGN1: Scope = Scope::Has(|machine| !machine.has().align16);

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "macro-one-channel",
        text: "`madm` has no execution size 1: one channel is encoded, and runs, as four, or as \
               two of doubles",
        source: "IGA GED/Encoder.cpp encodeBasicInstruction (scalar ternary workaround for \
                 Align16), Decoder.cpp decodeTernaryDestinationAlign16",
        scope: Scope::Has(|machine| machine.has().align16),
        on: On::Only(&[Opcode::Madm]),
        needs: Traits::empty(),
        check: |view| (view.exec_size() == 1).then_some(Place::Instruction),
    },
    Rule {
        name: "ternary-source-2",
        text: "source 2 of three must lie at the bits of the destination's channels, except for \
               scalars",
        source: "IGC HWConformity.cpp isGoodAlign1TernarySrc, HWCaps.inc noSrc2Regioning",
        scope: ALIGN1,
        on: On::Ternary,
        needs: Traits::CHANNELS,
        check: |view| {
            let dst = view.written()?;
            let (to, src) = (dst.grf()?, view.src(2)?);
            let from = src.grf().filter(|_| !src.is_scalar())?;
            let same = src.pitch() == Some(dst.bytes() * u32::from(dst.region.hstride))
                && from.byte == to.byte;
            (!same && !view.is_mixed_float()).then_some(src.place)
        },
    },
    Rule {
        name: "ternary-qword",
        text: "this three-source instruction has no 64-bit integers",
        source: "IGC HWConformity.cpp isGoodAlign1TernaryDst and isGoodAlign1TernarySrc",
        scope: ALIGN1,
        on: On::Ternary,
        needs: Traits::EIGHT_BYTES,
        check: |view| {
            let takes = view.has().has(view.opcode(), Attributes::QWORDS);
            view.operands()
                .find(|operand| operand.ty.is_integer() && operand.bytes() == 8 && !takes)
                .map(|operand| operand.place)
        },
    },
    Rule {
        name: "mad-dword",
        text: "the last factor of a `mad` of dwords must be a word",
        source: "IGC HWConformity.cpp isGoodAlign1TernarySrc; Mesa gen_validate \
                 general_restrictions_based_on_operand_types",
        scope: ALIGN1,
        on: On::Only(&[Opcode::Mad]),
        needs: Traits::empty(),
        check: |view| {
            let (dst, src) = (view.dst?, view.src(2)?);
            let dword = |ty: Type| ty.is_integer() && ty.bytes() == 4;
            (dword(dst.ty) && dword(src.ty)).then_some(src.place)
        },
    },
];

//! Three-source arithmetic.

use super::rule::{On, rules};
use super::view::Place;
use crate::model::{Attributes, Opcode, Type};

rules! {
    "macro-one-channel" (|machine| machine.has().align16) On::Only(&[Opcode::Madm]), []:
        "`madm` has no execution size 1: one channel is encoded, and runs, as four, or as \
         two of doubles",
        "IGA GED/Encoder.cpp encodeBasicInstruction (scalar ternary workaround for \
         Align16), Decoder.cpp decodeTernaryDestinationAlign16",
        |view| (view.exec_size() == 1).then_some(Place::Instruction);
    "ternary-source-2" (|machine| !machine.has().align16) On::Ternary, [CHANNELS]:
        "source 2 of three must lie at the bits of the destination's channels, except for \
         scalars", "IGC HWConformity.cpp isGoodAlign1TernarySrc, HWCaps.inc noSrc2Regioning",
        |view| {
            let dst = view.written()?;
            let (to, src) = (dst.grf()?, view.src(2)?);
            let from = src.grf().filter(|_| !src.is_scalar())?;
            let same = src.pitch() == Some(dst.bytes() * u32::from(dst.region.hstride))
                && from.byte == to.byte;
            (!same && !view.is_mixed_float()).then_some(src.place)
        };
    "ternary-qword" (|machine| !machine.has().align16) On::Ternary, [EIGHT_BYTES]:
        "this three-source instruction has no 64-bit integers",
        "IGC HWConformity.cpp isGoodAlign1TernaryDst and isGoodAlign1TernarySrc",
        |view| {
            let takes = view.has().has(view.opcode(), Attributes::QWORDS);
            view.operands()
                .find(|operand| operand.ty.is_integer() && operand.bytes() == 8 && !takes)
                .map(|operand| operand.place)
        };
    "mad-dword" (|machine| !machine.has().align16) On::Only(&[Opcode::Mad]), []:
        "the last factor of a `mad` of dwords must be a word",
        "IGC HWConformity.cpp isGoodAlign1TernarySrc; Mesa gen_validate \
         general_restrictions_based_on_operand_types",
        |view| {
            let (dst, src) = (view.dst?, view.src(2)?);
            let dword = |ty: Type| ty.is_integer() && ty.bytes() == 4;
            (dword(dst.ty) && dword(src.ty)).then_some(src.place)
        };
}

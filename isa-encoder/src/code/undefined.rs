//! Bits of an instruction that Intel's assembler leaves undefined, or writes whatever text says:
//! hardware does not read them.

use devinfo::Family;

use super::bits::Word;
use super::layout::SrcFields;
use super::traits;
use crate::model::Opcode;

/// An instruction of which a source's region is not used, and undefined.
#[derive(Debug)]
pub struct Undefined {
    /// The families.
    pub families: &'static [Family],
    /// The instruction.
    pub opcode: Opcode,
    /// The source, from 0.
    pub source: usize,
    /// Why its region is not used.
    pub why: &'static str,
}

const TO_GEN11: &[Family] = &[Family::Gen8, Family::Gen9, Family::Gen11];
const WHY: &str = "the target is an immediate; the region of source 0 has no meaning";
const PAYLOAD: &str = "a payload is whole registers: Intel's assembler writes the implied region \
                       whatever text says, its compiler <8;8,1>";

/// Every such field.
pub const UNDEFINED: &[Undefined] = &[
    Undefined {
        families: TO_GEN11,
        opcode: Opcode::Call,
        source: 0,
        why: WHY,
    },
    Undefined {
        families: TO_GEN11,
        opcode: Opcode::Calla,
        source: 0,
        why: WHY,
    },
    Undefined {
        families: &[Family::Gen8],
        opcode: Opcode::Send,
        source: 0,
        why: PAYLOAD,
    },
    Undefined {
        families: &[Family::Gen8],
        opcode: Opcode::Sendc,
        source: 0,
        why: PAYLOAD,
    },
];

/// An instruction's bytes as a number, without the bits that are undefined.
pub fn defined_bits(family: Family, bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    let table = traits(family);
    let code = usize::from(word[0] & 0x7f);
    let opcode = table.opcodes.get(code).copied().flatten();
    let mut word = Word(u128::from_le_bytes(word));
    for row in UNDEFINED {
        if Some(row.opcode) == opcode && row.families.contains(&family) {
            let src: &SrcFields = &table.layout.src[row.source];
            for field in [src.vstride, src.width, src.hstride] {
                // Zero fits every field.
                let _ = word.set(field, 0);
            }
        }
    }
    word.0
}

/// Whether two encodings of 16 bytes differ in undefined bits only.
pub fn differ_there_only(family: Family, a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && defined_bits(family, a) == defined_bits(family, b)
}

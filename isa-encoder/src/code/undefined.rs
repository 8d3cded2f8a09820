//! Bits of an instruction that Intel's assembler leaves undefined: it writes what was in memory
//! there, and hardware does not read them.

use devinfo::Family;

/// A field of the 16-byte form without a meaning.
#[derive(Debug)]
pub struct Undefined {
    /// The families.
    pub families: &'static [Family],
    /// The opcode field.
    pub opcode: u8,
    /// The field's highest and lowest bit.
    pub bits: (u32, u32),
    /// Why it has none.
    pub why: &'static str,
}

const TO_GEN11: &[Family] = &[Family::Gen8, Family::Gen9, Family::Gen11];

/// Every such field.
pub const UNDEFINED: &[Undefined] = &[
    Undefined {
        families: TO_GEN11,
        opcode: 0x2c,
        bits: (88, 80),
        why: "call: the region of source 0, which is not used",
    },
    Undefined {
        families: TO_GEN11,
        opcode: 0x2b,
        bits: (88, 80),
        why: "calla: the region of source 0, which is not used",
    },
];

/// An instruction's bytes as a number, without the bits that are undefined.
pub fn defined_bits(family: Family, bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    let opcode = word[0] & 0x7f;
    UNDEFINED
        .iter()
        .filter(|field| field.opcode == opcode && field.families.contains(&family))
        .fold(u128::from_le_bytes(word), |word, field| {
            let (hi, lo) = field.bits;
            word & !(((1 << (hi - lo + 1)) - 1) << lo)
        })
}

/// Whether two encodings of 16 bytes differ in undefined bits only.
pub fn differ_there_only(family: Family, a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && defined_bits(family, a) == defined_bits(family, b)
}

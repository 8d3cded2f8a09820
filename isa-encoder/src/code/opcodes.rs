//! Opcode numbers.

use devinfo::Family;

use crate::Opcode;

/// An opcode's number in a span of families.
struct Row {
    opcode: Opcode,
    first: Family,
    last: Family,
    code: u8,
}

const fn row(opcode: Opcode, first: Family, last: Family, code: u8) -> Row {
    Row {
        opcode,
        first,
        last,
        code,
    }
}

use Family::{Gen8, Gen9, Gen11, Gen12Lp, Xe2, XeHpc, XeHpg};
use Opcode as O;

/// Every opcode number, bits 6:0 of the instruction. Gen12LP moved the logic and move group from
/// 0x00 to 0x60 and put `sync` at 1.
///
/// Source: BDW to TGL PRM vol 2a, opcode encodings; IGA's platform models.
const ROWS: &[Row] = &[
    row(O::Illegal, Gen8, Xe2, 0x00),
    row(O::Sync, Gen12Lp, Xe2, 0x01),
    row(O::Mov, Gen8, Gen11, 0x01),
    row(O::Sel, Gen8, Gen11, 0x02),
    row(O::Movi, Gen8, Gen11, 0x03),
    row(O::Not, Gen8, Gen11, 0x04),
    row(O::And, Gen8, Gen11, 0x05),
    row(O::Or, Gen8, Gen11, 0x06),
    row(O::Xor, Gen8, Gen11, 0x07),
    row(O::Shr, Gen8, Gen11, 0x08),
    row(O::Shl, Gen8, Gen11, 0x09),
    row(O::Smov, Gen8, Gen11, 0x0a),
    row(O::Asr, Gen8, Gen11, 0x0c),
    row(O::Ror, Gen11, Gen11, 0x0e),
    row(O::Rol, Gen11, Gen11, 0x0f),
    row(O::Cmp, Gen8, Gen11, 0x10),
    row(O::Cmpn, Gen8, Gen11, 0x11),
    row(O::Csel, Gen8, Gen11, 0x12),
    row(O::Bfrev, Gen8, Gen11, 0x17),
    row(O::Bfe, Gen8, Gen11, 0x18),
    row(O::Bfi1, Gen8, Gen11, 0x19),
    row(O::Bfi2, Gen8, Gen11, 0x1a),
    row(O::Jmpi, Gen8, Xe2, 0x20),
    row(O::Brd, Gen8, Xe2, 0x21),
    row(O::If, Gen8, Xe2, 0x22),
    row(O::Brc, Gen8, Xe2, 0x23),
    row(O::Else, Gen8, Xe2, 0x24),
    row(O::Endif, Gen8, Xe2, 0x25),
    row(O::While, Gen8, Xe2, 0x27),
    row(O::Break, Gen8, Xe2, 0x28),
    row(O::Cont, Gen8, Xe2, 0x29),
    row(O::Halt, Gen8, Xe2, 0x2a),
    row(O::Calla, Gen8, Xe2, 0x2b),
    row(O::Call, Gen8, Xe2, 0x2c),
    row(O::Ret, Gen8, Xe2, 0x2d),
    row(O::Goto, Gen8, Xe2, 0x2e),
    row(O::Join, Gen8, Xe2, 0x2f),
    row(O::Wait, Gen8, Gen11, 0x30),
    row(O::Send, Gen8, Xe2, 0x31),
    row(O::Sendc, Gen8, Xe2, 0x32),
    row(O::Sends, Gen9, Gen11, 0x33),
    row(O::Sendsc, Gen9, Gen11, 0x34),
    row(O::Math, Gen8, Xe2, 0x38),
    row(O::Add, Gen8, Xe2, 0x40),
    row(O::Mul, Gen8, Xe2, 0x41),
    row(O::Avg, Gen8, Xe2, 0x42),
    row(O::Frc, Gen8, Xe2, 0x43),
    row(O::Rndu, Gen8, Xe2, 0x44),
    row(O::Rndd, Gen8, Xe2, 0x45),
    row(O::Rnde, Gen8, Xe2, 0x46),
    row(O::Rndz, Gen8, Xe2, 0x47),
    row(O::Mac, Gen8, Xe2, 0x48),
    row(O::Mach, Gen8, Xe2, 0x49),
    row(O::Lzd, Gen8, Xe2, 0x4a),
    row(O::Fbh, Gen8, Xe2, 0x4b),
    row(O::Fbl, Gen8, Xe2, 0x4c),
    row(O::Cbit, Gen8, Xe2, 0x4d),
    row(O::Addc, Gen8, Xe2, 0x4e),
    row(O::Subb, Gen8, Xe2, 0x4f),
    row(O::Sad2, Gen8, Gen9, 0x50),
    row(O::Sada2, Gen8, Gen9, 0x51),
    row(O::Add3, XeHpg, Xe2, 0x52),
    row(O::Macl, XeHpc, Xe2, 0x53),
    row(O::Dp4, Gen8, Gen9, 0x54),
    row(O::Srnd, XeHpc, Xe2, 0x54),
    row(O::Dph, Gen8, Gen9, 0x55),
    row(O::Dp3, Gen8, Gen9, 0x56),
    row(O::Dp2, Gen8, Gen9, 0x57),
    row(O::Dp4a, Gen12Lp, Xe2, 0x58),
    row(O::Line, Gen8, Gen9, 0x59),
    row(O::Dpas, XeHpg, Xe2, 0x59),
    row(O::Pln, Gen8, Gen9, 0x5a),
    row(O::Dpasw, XeHpg, XeHpg, 0x5a),
    row(O::Mad, Gen8, Xe2, 0x5b),
    row(O::Lrp, Gen8, Gen9, 0x5c),
    row(O::Madm, Gen8, Gen11, 0x5d),
    row(O::Madm, XeHpg, Xe2, 0x5d),
    row(O::Nop, Gen12Lp, Xe2, 0x60),
    row(O::Mov, Gen12Lp, Xe2, 0x61),
    row(O::Sel, Gen12Lp, Xe2, 0x62),
    row(O::Movi, Gen12Lp, Xe2, 0x63),
    row(O::Not, Gen12Lp, Xe2, 0x64),
    row(O::And, Gen12Lp, Xe2, 0x65),
    row(O::Or, Gen12Lp, Xe2, 0x66),
    row(O::Xor, Gen12Lp, Xe2, 0x67),
    row(O::Shr, Gen12Lp, Xe2, 0x68),
    row(O::Shl, Gen12Lp, Xe2, 0x69),
    row(O::Bfn, XeHpg, Xe2, 0x6b),
    row(O::Asr, Gen12Lp, Xe2, 0x6c),
    row(O::Ror, Gen12Lp, Xe2, 0x6e),
    row(O::Rol, Gen12Lp, Xe2, 0x6f),
    row(O::Cmp, Gen12Lp, Xe2, 0x70),
    row(O::Cmpn, Gen12Lp, Xe2, 0x71),
    row(O::Csel, Gen12Lp, Xe2, 0x72),
    row(O::Bfrev, Gen12Lp, Xe2, 0x77),
    row(O::Bfe, Gen12Lp, Xe2, 0x78),
    row(O::Bfi1, Gen12Lp, Xe2, 0x79),
    row(O::Bfi2, Gen12Lp, Xe2, 0x7a),
    row(O::Nop, Gen8, Gen11, 0x7e),
];

/// The opcodes of a family, by number.
pub const fn decode_table(family: Family) -> [Option<Opcode>; 128] {
    let mut table = [None; 128];
    let mut i = 0;
    while i < ROWS.len() {
        let row = &ROWS[i];
        if row.first as u8 <= family as u8 && family as u8 <= row.last as u8 {
            assert!(table[row.code as usize].is_none());
            table[row.code as usize] = Some(row.opcode);
        }
        i += 1;
    }
    table
}

/// The numbers of a family's opcodes, by [`Opcode`]; `None` for those it does not have.
pub const fn encode_table(family: Family) -> [Option<u8>; Opcode::ALL.len()] {
    let mut table = [None; Opcode::ALL.len()];
    let mut i = 0;
    while i < ROWS.len() {
        let row = &ROWS[i];
        if row.first as u8 <= family as u8 && family as u8 <= row.last as u8 {
            table[row.opcode as usize] = Some(row.code);
        }
        i += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SPANS;

    #[test]
    fn the_documentation_names_the_families_of_each_opcode() {
        for (opcode, spans) in SPANS {
            for family in Family::ALL {
                let named = spans
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&family));
                let has = crate::has_opcode(family, *opcode);
                assert_eq!(named, has, "{opcode} on {family}");
            }
        }
    }
}

//! The numbers of a family's opcodes, from the [rows](Opcode::ROWS).

use devinfo::Family;

use crate::Opcode;

/// The opcodes of a family, by number.
pub const fn decode_table(family: Family) -> [Option<Opcode>; 128] {
    let mut table = [None; 128];
    let mut i = 0;
    while i < Opcode::ALL.len() {
        if let Some(code) = Opcode::ALL[i].number(family) {
            assert!(table[code as usize].is_none());
            table[code as usize] = Some(Opcode::ALL[i]);
        }
        i += 1;
    }
    table
}

/// The numbers of a family's opcodes, by [`Opcode`]; `None` for those it does not have.
pub const fn encode_table(family: Family) -> [Option<u8>; Opcode::ALL.len()] {
    let mut table = [None; Opcode::ALL.len()];
    let mut i = 0;
    while i < table.len() {
        table[i] = Opcode::ALL[i].number(family);
        i += 1;
    }
    table
}

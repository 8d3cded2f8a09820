//! Lanes that are copied apart have virtual registers of their own.
//!
//! On many platforms a message is for 16 lanes, and a sub-group may have 32: a value of several elements comes by
//! two messages, each with its lanes of all elements. Lanes that have a register of their own stay where
//! their message brought them, or are made where it takes them from.

use super::join::copied;
use super::spill::assemble;
use crate::code::{Code, Inst, Operand, Place, Var, What};

/// The most registers of the register file that a virtual register has here.
const MOST: u32 = u64::BITS;

/// Parts virtual registers of which a copy takes a part, where no instruction needs both sides.
pub fn part(code: &mut Code, grf: u32) {
    let cuts = cuts(code, grf);
    if cuts.iter().all(|cuts| *cuts == 0) {
        return;
    }
    // The parts behind the first one, which stays the virtual register, and where they begin.
    let mut parts: Vec<Vec<(u32, Var)>> = vec![Vec::new(); cuts.len()];
    for (var, cuts) in cuts.iter().enumerate() {
        let data = code.vars[var];
        let mut start = 0;
        for number in (1..MOST).filter(|number| cuts & 1 << number != 0) {
            let byte = number * grf;
            let last = parts[var].last().map_or(Var(var as u32), |(_, last)| *last);
            code.vars[last.index()].size = byte - start;
            let part = code.var(data.size - byte, data.align.min(grf));
            code.vars[part.index()].header = data.header;
            parts[var].push((byte, part));
            start = byte;
        }
    }
    let mut begins = Vec::new();
    for (at, inst) in code.insts.iter_mut().enumerate() {
        inst.places(|place| {
            let parts = parts[place.var.index()].iter().rev();
            if let Some((start, part)) = parts.clone().find(|(start, _)| *start <= place.byte) {
                *place = Place {
                    var: *part,
                    byte: place.byte - start,
                };
            }
        });
        if let What::Define(var) = inst.what {
            let parts = parts[var.index()].iter();
            begins.extend(parts.map(|(_, part)| (at as u32, Inst::new(What::Define(*part), 1))));
        }
    }
    if !begins.is_empty() {
        assemble(code, begins, Vec::new(), Vec::new());
    }
}

/// Where each virtual register can be cut: a bit for each register of the register file in it, before which
/// no instruction needs both sides.
fn cuts(code: &Code, grf: u32) -> Vec<u64> {
    let mut cuts = vec![0; code.vars.len()];
    for inst in &code.insts {
        let Some((to, from)) = copied(inst) else {
            continue;
        };
        let bytes = match inst.dst {
            Some(Operand::Var { ty, .. }) => u32::from(inst.exec) * ty.bytes(),
            _ => 0,
        };
        for Place { var, .. } in [to, from] {
            let data = &code.vars[var.index()];
            let may = data.fixed.is_none() && !data.stays && data.size <= MOST * grf;
            if may && bytes >= grf && bytes < data.size {
                let registers = data.size.div_ceil(grf);
                cuts[var.index()] = u64::MAX >> (MOST - registers) & !1;
            }
        }
    }
    for inst in &code.insts {
        inst.accesses(grf, |access| {
            let size = code.vars[access.var.index()].size;
            let (first, end) = (access.bytes.start / grf, access.bytes.end.min(size));
            let last = end.saturating_sub(1) / grf;
            let begins = matches!(inst.what, What::Define(_));
            if cuts[access.var.index()] != 0 && first < last && !begins {
                let between = u64::MAX >> (MOST - 1 - last) & u64::MAX << (first + 1);
                cuts[access.var.index()] &= !between;
            }
        });
    }
    cuts
}

#[cfg(test)]
mod tests {
    use isa_encoder::{Opcode, Type as M};

    use super::*;

    const GRF: u32 = 32;

    fn place(register: u32, byte: u32) -> Place {
        Place {
            var: Var(register),
            byte,
        }
    }

    fn dwords(place: Place) -> Operand {
        Operand::Var {
            place,
            ty: M::Ud,
            stride: 1,
            neg: false,
            abs: false,
        }
    }

    fn add(exec: u8, [to, from]: [Place; 2]) -> Inst {
        let mut inst = Inst::new(What::Alu(Opcode::Add), exec);
        inst.dst = Some(dwords(to));
        inst.srcs[0] = Some(dwords(from));
        inst.srcs[1] = Some(Operand::Imm(1, M::Ud));
        inst
    }

    /// The registers of code that computes `a`, two registers large, and copies its second one to `b`.
    fn registers(more: Option<Inst>) -> (Code, usize) {
        let (a, b) = (0, 1);
        let mut copy = Inst::new(What::Alu(Opcode::Mov), 8);
        copy.dst = Some(dwords(place(b, 0)));
        copy.srcs[0] = Some(dwords(place(a, GRF)));
        let mut code = Code::default();
        code.var(2 * GRF, GRF);
        code.var(GRF, GRF);
        let halves = [0, GRF].map(|byte| add(8, [place(a, byte), place(b, 0)]));
        code.insts = vec![Inst::new(What::Define(Var(a)), 1)];
        code.insts.extend(halves);
        code.insts.extend(more);
        code.insts.push(copy);
        part(&mut code, GRF);
        let count = code.vars.len();
        (code, count)
    }

    #[test]
    fn lanes_that_are_copied_have_a_register() {
        let (code, count) = registers(None);
        assert_eq!(count, 3);
        assert!(code.vars.iter().all(|var| var.size == GRF));
        let copied = code.insts.last().and_then(copied);
        assert_eq!(copied, Some((place(1, 0), place(2, 0))));
        let begins = code.insts.iter().filter_map(|inst| match inst.what {
            What::Define(var) => Some(var),
            _ => None,
        });
        assert_eq!(begins.count(), 2);
    }

    #[test]
    fn what_one_instruction_needs_stays_together() {
        let (_, count) = registers(Some(add(16, [place(0, 0), place(0, 0)])));
        assert_eq!(count, 2);
    }
}

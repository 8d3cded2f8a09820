//! What instructions functions become.

use isa_encoder::{Opcode, Type as M};

use super::select;
use crate::code::{Inst, Operand, What};
use crate::ir::{Cursor, Function, Terminator, verify};
use crate::target::Target;

/// The instructions of a function, for as many lanes as a register has dwords.
pub(super) fn code(platform: &str, function: &Function) -> Vec<Inst> {
    verify(function).unwrap();
    let platform = devinfo::by_name(platform).unwrap();
    let target = Target::new(platform, platform.grf_bytes() as u32 / 4, 128);
    select(function, &target).unwrap().insts
}

/// Those of a function of one block.
pub(super) fn code_of(platform: &str, body: impl Fn(&mut Cursor<'_>)) -> Vec<Inst> {
    let mut function = Function::default();
    let block = function.add_block();
    body(&mut Cursor::new(&mut function, block));
    function.blocks[block.index()].end = Terminator::Return;
    code(platform, &function)
}

/// Those with an opcode.
pub(super) fn with(opcode: Opcode, insts: &[Inst]) -> impl Iterator<Item = &Inst> {
    let is = move |inst: &&Inst| matches!(inst.what, What::Alu(other) if other == opcode);
    insts.iter().filter(is)
}

/// The type of an operand in a register.
pub(super) fn ty(operand: Option<Operand>) -> Option<M> {
    match operand {
        Some(Operand::Var { ty, .. }) => Some(ty),
        _ => None,
    }
}

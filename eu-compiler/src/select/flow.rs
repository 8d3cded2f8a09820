//! Branches, and what joins at blocks: phis and waiting channels.
//!
//! Where all lanes go the same way and none waits, the thread jumps. Otherwise channels that go to
//! a later block wait there for the others (`goto`, `join`), and a loop goes back with the channels
//! that stay in it (`while`); the others wait behind it.

use hashbrown::HashSet;
use isa_encoder::{ArfKind, Opcode, Type as M};

use super::{Selector, at, raw_type};
use crate::code::{Inst, NOTHING, Operand, Predicate, What};
use crate::ir::{self, Block, Op, Terminator, Value};

impl Selector<'_> {
    /// Registers for phis, and what each block's end copies to them.
    pub(super) fn phis(&mut self, order: &[Block]) {
        let predecessors = self.function.predecessors();
        for &block in order {
            let is_header = predecessors[block.index()]
                .iter()
                .any(|from| self.places[from.index()] >= self.places[block.index()]);
            for inst in &self.function.blocks[block.index()].insts {
                let data = &self.function.insts[inst.index()];
                let Op::Phi(from) = &data.op else {
                    break;
                };
                let loc = self.result(data.results[0]);
                for (from, value) in from.iter().zip(&data.args) {
                    self.moves[from.index()].push((data.results[0], *value));
                }
                if is_header {
                    self.code.vars[loc.place.var.index()].header = Some(block);
                }
            }
        }
    }

    /// The blocks where channels may wait.
    pub(super) fn joins(&self, order: &[Block]) -> Vec<bool> {
        let mut joins = vec![false; self.function.blocks.len()];
        for (place, &block) in order.iter().enumerate() {
            let next = order.get(place + 1).copied();
            for target in self.gotos(block, next) {
                joins[target.index()] = true;
            }
        }
        joins
    }

    /// Whether a block's end lets lanes go different ways, or runs with only some of them.
    fn is_divergent(&self, block: Block) -> bool {
        let splits = match self.function.blocks[block.index()].end {
            Terminator::Branch(value, ..) => self.differs(value),
            _ => false,
        };
        splits || self.divergence.is_partial(block)
    }

    /// The later blocks that channels go to from the end of a block, other than the next one.
    fn gotos(&self, block: Block, next: Option<Block>) -> Vec<Block> {
        if !self.is_divergent(block) {
            return Vec::new();
        }
        let own = self.places[block.index()];
        let successors = self.function.blocks[block.index()].end.successors();
        successors
            .into_iter()
            .filter(|to| Some(*to) != next && self.places[to.index()] > own)
            .collect()
    }

    /// The end of a block.
    pub(super) fn terminate(&mut self, block: Block, next: Option<Block>) -> Result<(), String> {
        let end = self.function.blocks[block.index()].end;
        self.copies(block, &end)?;
        let divergent = self.is_divergent(block);
        match end {
            Terminator::Return | Terminator::Unreachable => {
                self.code.insts.push(Inst::new(What::End, 1));
            }
            Terminator::Jump(to) if Some(to) == next => {}
            Terminator::Jump(to) => self.go(block, to, Predicate::None, divergent),
            Terminator::Branch(value, yes, no) => {
                let (to, other, predicate) = match next {
                    Some(next) if next == yes => (no, yes, Predicate::Unless),
                    _ => (yes, no, Predicate::When),
                };
                self.flag_of(value, divergent)?;
                self.go(block, to, predicate, divergent);
                if Some(other) != next {
                    self.go(block, other, Predicate::None, divergent);
                }
            }
        }
        Ok(())
    }

    fn go(&mut self, block: Block, to: Block, predicate: Predicate, divergent: bool) {
        let back = self.places[to.index()] <= self.places[block.index()];
        let (what, exec) = match (divergent, back) {
            (false, _) => (What::Jump(to), 1),
            (true, true) => (What::Back(to), self.simd()),
            (true, false) => (What::Goto(to), self.simd()),
        };
        let mut predicate = predicate;
        if matches!(what, What::Goto(_)) && self.target.caps.goto_parks_false {
            // The channels go that the predicate does not select.
            predicate = match predicate {
                Predicate::When => Predicate::Unless,
                Predicate::Unless => Predicate::When,
                Predicate::None | Predicate::Never => Predicate::Never,
            };
        }
        let mut inst = Inst::new(what, exec);
        inst.no_mask = matches!(what, What::Jump(_));
        inst.predicate = predicate;
        self.code.insts.push(inst);
    }

    /// Lets the flag be zero that stands for no channel, if something uses it.
    pub(super) fn clear_nothing(&mut self) {
        let mut insts = self.code.insts.iter();
        if insts.any(|inst| inst.predicate == Predicate::Never) {
            let register = NOTHING.register;
            let flag = Operand::Arf(ArfKind::Flag, register, 0, M::Ud, 0);
            self.one(Opcode::Mov, flag, &[Operand::Imm(0, M::Uw)]);
            self.code.insts.rotate_right(1);
        }
    }

    /// Gives the phis of the block that follows their values.
    fn copies(&mut self, block: Block, end: &Terminator) -> Result<(), String> {
        let Terminator::Jump(to) = end else {
            return Ok(());
        };
        let moves = std::mem::take(&mut self.moves[block.index()]);
        let insts = &self.function.blocks[to.index()].insts;
        let is_phi = |inst: &&ir::Inst| matches!(self.function.insts[inst.index()].op, Op::Phi(_));
        if insts.iter().take_while(is_phi).count() != moves.len() {
            return Err(format!("a phi of b{} lacks b{}", to.0, block.0));
        }
        let var = |s: &Self, value: Value| s.loc(value).map(|loc| loc.place.var);
        let written: HashSet<_> = moves.iter().map(|(phi, _)| var(self, *phi)).collect();
        // Operands that lie in phis of the same block are read before any is written.
        let mut saved = Vec::new();
        for (phi, value) in &moves {
            let place = var(self, *value);
            if phi == value || place.is_none() || !written.contains(&place) {
                continue;
            }
            let ty = self.function.ty(*value);
            let lanes = self.differs(*value);
            let temporary = self.storage(ty, lanes);
            let from = self.whole(*value)?;
            self.copy(temporary, from, ty);
            saved.push((*value, temporary));
        }
        for (phi, value) in &moves {
            let Some(to) = self.loc(*phi) else { continue };
            if phi == value {
                continue;
            }
            if self.function.def(*value) == ir::Def::Undef {
                self.code
                    .insts
                    .push(Inst::new(What::Define(to.place.var), 1));
                continue;
            }
            let ty = self.function.ty(*phi);
            let from = match saved.iter().find(|(other, _)| other == value) {
                Some((_, loc)) => at(*loc, raw_type(ty)),
                None => self.whole(*value)?,
            };
            self.copy(to, from, ty);
        }
        Ok(())
    }
}

//! Labels and structured control flow.

use super::builder::{Builder, Target};
use super::error::BuildError;
use super::label::{Block, Label};
use super::op::Op;
use super::operand::Operand;
use crate::model::{Branch, Flag, Opcode, Specific};

impl Builder {
    /// A label that is bound later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label {
            number: self.labels.len() - 1,
            owner: self.id,
        }
    }

    /// Makes `label` mean the next instruction.
    pub fn bind(&mut self, label: Label) {
        let next = self.items.len();
        let Some(number) = self.own(label) else {
            return;
        };
        match self.labels.get_mut(number) {
            Some(place @ None) => *place = Some(next),
            _ => self.fail(BuildError::Label {
                label: number,
                what: "bound twice",
            }),
        }
    }

    /// A label for the next instruction.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    /// `jmpi`: the whole thread continues at `label` if the first bit of `flag` is set.
    pub fn jump(&mut self, label: Label, flag: Option<Flag>) {
        let op = Op::new(Opcode::Jmpi, 1).no_mask();
        let op = match flag {
            Some(flag) => op.when(flag),
            None => op,
        };
        self.branch(op, Some(label), None);
    }

    /// `if`: the channels whose bit of `flag` is set continue here, the others at `else` or
    /// `endif`.
    pub fn if_(&mut self, exec_size: u8, flag: Flag) {
        let (otherwise, end) = (self.label(), self.label());
        self.branch(
            Op::new(Opcode::If, exec_size).when(flag),
            Some(otherwise),
            Some(end),
        );
        self.blocks.push(Block::If { otherwise, end });
    }

    /// `else`: the other channels continue here.
    pub fn else_(&mut self, exec_size: u8) {
        match self.blocks.pop() {
            Some(Block::If { otherwise, end }) => {
                self.branch(Op::new(Opcode::Else, exec_size), Some(end), Some(end));
                // Gen8 on: `if` goes to the instruction after `else`.
                self.bind(otherwise);
                self.blocks.push(Block::Else { end });
            }
            _ => self.nesting("an else without an if"),
        }
    }

    /// `endif`: the channels of both paths continue together.
    pub fn end_if(&mut self, exec_size: u8) {
        let end = match self.blocks.pop() {
            Some(Block::If { otherwise, end }) => {
                self.bind(otherwise);
                end
            }
            Some(Block::Else { end }) => end,
            _ => return self.nesting("an endif without an if"),
        };
        self.bind(end);
        // The next place where channels may wait is the next instruction or a later one.
        let next = self.label();
        self.branch(Op::new(Opcode::Endif, exec_size), Some(next), None);
        self.bind(next);
    }

    /// The start of a loop that [`Builder::end_while`] closes.
    pub fn loop_(&mut self) {
        let (start, last) = (self.here(), self.label());
        self.blocks.push(Block::Loop { start, last });
    }

    /// `break`: the channels whose bit of `flag` is set (without one, all that run) leave the
    /// innermost loop.
    pub fn break_(&mut self, exec_size: u8, flag: Option<Flag>) {
        self.leave(Opcode::Break, exec_size, flag);
    }

    /// `cont`: the channels whose bit of `flag` is set (without one, all that run) continue at the
    /// `while` of the innermost loop.
    pub fn continue_(&mut self, exec_size: u8, flag: Option<Flag>) {
        self.leave(Opcode::Cont, exec_size, flag);
    }

    /// JIP is the end of the innermost block, where other channels may wait; UIP the `while`.
    /// Source: TGL PRM vol 2a, "break" and "cont".
    fn leave(&mut self, opcode: Opcode, exec_size: u8, flag: Option<Flag>) {
        let is_loop = |block: &Block| match block {
            Block::Loop { last, .. } => Some(*last),
            _ => None,
        };
        let Some(uip) = self.blocks.iter().rev().find_map(is_loop) else {
            return self.nesting("a break or cont without a loop");
        };
        let jip = match self.blocks.last() {
            Some(Block::If { otherwise, .. }) => *otherwise,
            Some(Block::Else { end }) => *end,
            _ => uip,
        };
        let op = Op::new(opcode, exec_size);
        let op = match flag {
            Some(flag) => op.when(flag),
            None => op,
        };
        self.branch(op, Some(jip), Some(uip));
    }

    /// `while`: the channels whose bit of `flag` is set (without one, all that run) start over.
    pub fn end_while(&mut self, exec_size: u8, flag: impl Into<Option<Flag>>) {
        match self.blocks.pop() {
            Some(Block::Loop { start, last }) => {
                self.bind(last);
                let op = Op::new(Opcode::While, exec_size);
                let op = match flag.into() {
                    Some(flag) => op.when(flag),
                    None => op,
                };
                self.branch(op, Some(start), None);
            }
            _ => self.nesting("a while without a loop"),
        }
    }

    /// `call`: the channels that run go to `target`. `link` gets the return address and, in the
    /// next dword, the mask of these channels.
    pub fn call(&mut self, exec_size: u8, link: Operand, target: Label) {
        let op = Op::new(Opcode::Call, exec_size).dst(link);
        self.branch(op, Some(target), None);
    }

    /// `ret`: the channels that run go back to where `link` of their [`Builder::call`] says.
    pub fn ret(&mut self, exec_size: u8, link: Operand) {
        self.emit(Op::new(Opcode::Ret, exec_size).src(link.scalar()));
    }

    /// A branch of any kind to labels.
    pub fn branch(&mut self, op: Op, jip: Option<Label>, uip: Option<Label>) {
        self.count_sources(&op);
        let mut instruction = op.finish(self.family());
        instruction.specific = Specific::Branch(Branch::default());
        let [jip, uip] = [jip, uip].map(|label| label.and_then(|label| self.own(label)));
        self.push(instruction, Target { jip, uip });
    }

    /// The number of a label; a label of another builder is a mistake.
    fn own(&mut self, label: Label) -> Option<usize> {
        if label.owner != self.id {
            self.fail(BuildError::Label {
                label: label.number,
                what: "of another builder",
            });
            return None;
        }
        Some(label.number)
    }

    pub(super) fn nesting(&mut self, what: &'static str) {
        let index = self.items.len();
        self.fail(BuildError::Nesting { index, what });
    }
}

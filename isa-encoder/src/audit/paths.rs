//! Every path ends the thread.

use alloc::string::String;
use alloc::vec::Vec;

use super::auditor::Audit;
use crate::model::semantics::{Flow as Kind, Semantics};
use crate::model::{Instruction, Specific};

/// How a block without successors ends.
enum End {
    /// The thread ends, or control goes where the text does not say.
    Fine,
    /// Control runs out of the kernel.
    Open,
}

fn end(instruction: &Instruction) -> End {
    let jumps_to_register = matches!(
        &instruction.specific,
        Specific::Branch(branch) if branch.jip.is_none()
    );
    match instruction.opcode.semantics() {
        Semantics::Send if instruction.send().is_some_and(|send| send.eot) => End::Fine,
        Semantics::Flow(Kind::Ret | Kind::Call { .. }) => End::Fine,
        Semantics::Flow(_) if jumps_to_register => End::Fine,
        _ => End::Open,
    }
}

impl Audit<'_> {
    /// Reports paths that run out of the kernel, and those that never end.
    pub(super) fn paths(&mut self) {
        if self.program.instructions().is_empty() {
            return;
        }
        let count = self.flow.blocks.len();
        let mut ends = alloc::vec![false; count];
        let mut open = Vec::new();
        let mut before: Vec<Vec<usize>> = alloc::vec![Vec::new(); count];
        for (number, block) in self.flow.blocks.iter().enumerate() {
            for next in &block.successors {
                if let Some(list) = before.get_mut(next.block) {
                    list.push(number);
                }
            }
            let last = block.end.saturating_sub(1);
            let Some(instruction) = self.instruction(last) else {
                continue;
            };
            if let Specific::Branch(branch) = &instruction.specific
                && branch.jip.is_none()
                && let Some(ended) = ends.get_mut(number)
            {
                *ended = true;
            }
            if !block.successors.is_empty() {
                continue;
            }
            if let Some(ended) = ends.get_mut(number) {
                *ended = true;
            }
            let reached = self.reached.get(number).copied().unwrap_or_default();
            if reached && matches!(end(instruction), End::Open) {
                open.push(last);
            }
        }
        for index in open {
            match self.program.unknown_behind(index) {
                true => {
                    let why = "the bytes behind it are not an instruction";
                    self.report(index, "no instruction", String::from(why));
                }
                false => {
                    let why = "control runs on behind it, and no message has ended the thread";
                    self.report(index, "no end of thread", String::from(why));
                }
            }
        }
        let mut work: Vec<usize> = (0..count)
            .filter(|&number| ends.get(number).copied().unwrap_or_default())
            .collect();
        while let Some(number) = work.pop() {
            for &earlier in before.get(number).map(Vec::as_slice).unwrap_or_default() {
                if let Some(ended) = ends.get_mut(earlier)
                    && !*ended
                {
                    *ended = true;
                    work.push(earlier);
                }
            }
        }
        let endless = (0..count).find(|&number| {
            let reached = self.reached.get(number).copied().unwrap_or_default();
            reached && !ends.get(number).copied().unwrap_or_default()
        });
        if let Some(block) = endless.and_then(|number| self.flow.blocks.get(number)) {
            let (first, why) = (block.start, "no path from here ends the thread");
            self.report(first, "no end of thread", String::from(why));
        }
    }

    /// Reports a `goto` to what is no `join`: a channel that goes forward executes nothing until one brings it
    /// back, and one that a `goto` backwards leaves behind waits for one, too. (TGL PRM vol 2a, "goto" and "join".)
    pub(super) fn joins(&mut self) {
        let mut alone = Vec::new();
        for index in self.live() {
            let Some(Instruction {
                specific: Specific::Branch(branch),
                opcode,
                exec_size,
                ..
            }) = self.instruction(index)
            else {
                continue;
            };
            if opcode.semantics() != Semantics::Flow(Kind::Goto) || *exec_size == 1 {
                continue;
            }
            let place = match branch.uip {
                Some(distance) if distance > 0 => branch.uip,
                _ => branch.jip,
            };
            let to = place.and_then(|distance| self.program.target(index, distance));
            let join = to.and_then(|to| self.instruction(to));
            if join.is_some_and(|join| join.opcode.semantics() != Semantics::Flow(Kind::Join)) {
                alone.push(index);
            }
        }
        for index in alone {
            let why =
                "channels that it sends away or leaves behind wait for a join, and there is none";
            self.report(index, "no join", String::from(why));
        }
    }
}

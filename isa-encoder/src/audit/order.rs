//! Barriers and fences: what must come before what.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::auditor::Audit;
use super::walk::message;
use crate::message::{Gateway, Hdc, Lsc, Message};
use crate::model::semantics::Semantics;
use crate::model::{Dst, Instruction, RegFile, Specific, SyncFunction, TokenMode};
use crate::swsb::{Space, View, accesses, has_scoreboard};

/// What is under way at an instruction, on some path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    /// By their tokens, or the registers of their responses, fences whose end nothing has waited for.
    fences: BTreeMap<u16, usize>,
    /// The barrier has been signalled, and not been waited for.
    signalled: bool,
    /// It has not been signalled since the last wait.
    idle: bool,
}

impl State {
    fn join(&mut self, other: &Self) -> bool {
        let mut is_news = (other.signalled && !self.signalled) || (other.idle && !self.idle);
        for (own, fence) in &other.fences {
            self.fences.entry(*own).or_insert_with(|| {
                is_news = true;
                *fence
            });
        }
        self.signalled |= other.signalled;
        self.idle |= other.idle;
        is_news
    }
}

/// What an instruction does to barriers and fences.
enum Role {
    Fence,
    Signal,
    Wait,
    End,
    Other,
}

fn role(audit: &Audit<'_>, instruction: &Instruction) -> Role {
    if instruction.send().is_some_and(|send| send.eot) {
        return Role::End;
    }
    let bar = matches!(instruction.specific, Specific::Sync(SyncFunction::Bar));
    if bar || instruction.opcode.semantics() == Semantics::Wait {
        return Role::Wait;
    }
    match message(audit.program, instruction) {
        Some(Message::Gateway(Gateway::Barrier)) => Role::Signal,
        Some(Message::Hdc(Hdc::Fence { .. }) | Message::Lsc(Lsc::Fence { .. })) => Role::Fence,
        _ => Role::Other,
    }
}

impl Audit<'_> {
    /// Reports signals and ends before a fence is done, waits for a barrier that nobody signalled,
    /// and signals that nobody waits for.
    pub(super) fn order(&mut self) {
        let live = self.live();
        let uses = live.iter().any(|&index| {
            self.instruction(index).is_some_and(|instruction| {
                !matches!(role(self, instruction), Role::Other | Role::End)
            })
        });
        if !uses {
            return;
        }
        let first = State {
            idle: true,
            ..State::default()
        };
        let states = self.states(first, |index, state| self.step(index, state), State::join);
        let mut found: Vec<(usize, &'static str, String)> = Vec::new();
        for (block, state) in self.flow.blocks.iter().zip(states) {
            let Some(mut state) = state else {
                continue;
            };
            for index in block.start..block.end {
                self.judge(index, &state, &mut found);
                self.step(index, &mut state);
            }
        }
        for (index, rule, detail) in found {
            self.report(index, rule, detail);
        }
    }

    /// The waits that come before the instruction's own effect.
    fn waits(&self, instruction: &Instruction, state: &mut State) {
        if has_scoreboard(self.program.family()) {
            if let Some(token) = instruction.swsb.token
                && token.mode != TokenMode::Src
            {
                state.fences.remove(&token.id.into());
            }
            if matches!(instruction.specific, Specific::Sync(SyncFunction::AllWr)) {
                state.fences.clear();
            }
            return;
        }
        let grf = self.program.family().grf_bytes() as u16;
        for (access, _) in accesses(self.program.family(), View::Worst, instruction).iter() {
            if access.space == Space::Grf {
                let registers = access.start / grf..access.end.div_ceil(grf);
                state.fences.retain(|own, _| !registers.contains(own));
            }
        }
    }

    fn step(&self, index: usize, state: &mut State) {
        let Some(instruction) = self.instruction(index) else {
            return;
        };
        self.waits(instruction, state);
        match role(self, instruction) {
            Role::Fence => {
                let response = match instruction.dst {
                    Dst::Direct { reg, .. } if reg.file == RegFile::Grf => Some(reg.number),
                    _ => None,
                };
                let token = instruction.swsb.token.map(|token| token.id);
                let answers = instruction.send().and_then(|send| send.dst_len()) != Some(0);
                let own = match has_scoreboard(self.program.family()) {
                    true => token,
                    false => response,
                };
                if let Some(own) = own.filter(|_| answers) {
                    state.fences.insert(own.into(), index);
                }
            }
            Role::Signal => {
                state.signalled = true;
                state.idle = false;
            }
            Role::Wait => {
                state.signalled = false;
                state.idle = true;
            }
            Role::End | Role::Other => {}
        }
    }

    fn judge(&self, index: usize, state: &State, found: &mut Vec<(usize, &'static str, String)>) {
        let Some(instruction) = self.instruction(index) else {
            return;
        };
        let role = role(self, instruction);
        let mut state = state.clone();
        self.waits(instruction, &mut state);
        if matches!(role, Role::Signal | Role::End) {
            for fence in state.fences.values() {
                let at = self.program.instructions().get(*fence);
                let what = alloc::format!(
                    "nothing has waited for the fence at +{:#x}, so it may still be under way",
                    at.map_or(0, |placed| placed.offset)
                );
                found.push((index, "fence not waited for", what));
            }
        }
        let wrong = match role {
            Role::Wait if state.idle => {
                "a path leads here on which nothing has signalled the barrier"
            }
            Role::Signal if state.signalled => {
                "a path leads here on which the barrier has been signalled, and not been waited for"
            }
            Role::End if state.signalled => {
                "the thread ends on a path on which it has signalled the barrier, and not waited \
                 for it"
            }
            _ => return,
        };
        found.push((index, "barrier order", String::from(wrong)));
    }
}

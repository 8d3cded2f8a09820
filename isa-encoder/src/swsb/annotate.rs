//! The annotator: writes what each instruction must wait for, in the forms that its family has.

use alloc::vec::Vec;

use devinfo::Family;

use super::access::{Space, View};
use super::error::AnnotateError;
use super::fixpoint::{Begins, TooComplex, fixpoint, sweep};
use super::flow::{Block, Flow};
use super::pending::{Conflict, Facts, Pending, State, Waits};
use super::pipe::{self, PipeSet, Unit};
use super::program::Program;
use crate::code::{SwsbClass, encode_swsb, traits};
use crate::model::semantics::{self, Semantics};
use crate::model::{
    Instruction, Opcode, Pipe, Specific, Src, Swsb, SyncFunction, Token, TokenMode, Type,
};

/// What becomes of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// `sync` instructions to put in front of it; a branch to it goes to the first of them.
    pub before: Vec<Instruction>,
    /// Its annotation.
    pub swsb: Swsb,
    /// It was a `sync` that only waited, and is no longer needed.
    pub drop: bool,
}

/// The code with new annotations, which replace any old ones. For families with a hardware
/// scoreboard (to Gen11) the code is unchanged. It uses no more tokens than a thread with 128
/// registers has.
///
/// # Errors
/// If the program contains bytes that are not an instruction or an instruction without an encoding.
pub fn annotate(family: Family, code: &[u8]) -> Result<Vec<u8>, AnnotateError> {
    if !pipe::has_scoreboard(family) {
        return Ok(code.to_vec());
    }
    let (code, _) = annotate_program(&Program::decode(family, code))?;
    Ok(code)
}

/// The code of a program with new annotations, as from [`annotate`], and where each of its instructions
/// begins there.
///
/// # Errors
/// As [`annotate`].
pub fn annotate_program(program: &Program) -> Result<(Vec<u8>, Vec<usize>), AnnotateError> {
    let mut annotations = annotations(program).into_iter();
    program.encode_with(|_, instruction, before| {
        let annotation = annotations.next().unwrap_or_default();
        *before = annotation.before;
        (!annotation.drop).then_some(Instruction {
            swsb: annotation.swsb,
            ..*instruction
        })
    })
}

/// New annotations for each instruction of a program, which replace any old ones. Where the control
/// flow is too complex to follow all of it, more is waited for than needed.
pub fn annotations(program: &Program) -> Vec<Annotation> {
    annotations_by(program, |flow, facts, step| {
        fixpoint(flow, facts, step, |_, _| {})
    })
}

/// As [`annotations`], with what follows the flow and may find it too complex.
fn annotations_by(
    program: &Program,
    follow: impl FnOnce(&Flow, &Facts, &mut dyn FnMut(usize, &mut State)) -> Result<(), TooComplex>,
) -> Vec<Annotation> {
    let count = program.instructions().len();
    if !pipe::has_scoreboard(program.family()) {
        return (0..count).map(|_| Annotation::default()).collect();
    }
    let mut facts = Facts::new(program, View::Worst);
    hand_out_tokens(program, &mut facts);
    let annotator = Annotator {
        program,
        facts: &facts,
    };
    let flow = Flow::new(program, View::Worst);
    // The last time that a block is looked at is with all that may be under way there.
    let mut needs = alloc::vec![Needs::default(); count];
    let mut step = |index, state: &mut State| needs[index] = annotator.step(index, state);
    if follow(&flow, &facts, &mut step).is_err() {
        // A branch ends its block, so that one that gathers is alone in it.
        let gathers = |block: &Block| gathers(annotator.instruction(block.start));
        sweep(&flow, gathers, |index, begins, state| {
            if begins != Begins::Known {
                state.clear();
            }
            let mut found = annotator.step(index, state);
            found.everything = begins == Begins::Settled;
            // It reads at most a flag, which in-order pipes write.
            found.all |= begins == Begins::Unknown && facts.accesses(index).iter().count() != 0;
            needs[index] = found;
        });
    }
    let needs = needs.iter().enumerate();
    needs
        .map(|(index, needs)| annotator.write(index, needs))
        .collect()
}

/// Every out-of-order instruction gets the next token; only the last of a `dpas` run needs one. A
/// message that ends the thread needs none, but from XeHPC on every send must have one (IGA
/// `SWSB::verify`).
fn hand_out_tokens(program: &Program, facts: &mut Facts) {
    let tokens = program.tokens();
    let always = traits(program.family()).swsb.send_sets_token();
    let mut next = 0;
    for index in (0..program.instructions().len()).rev() {
        let ends = program.instructions()[index]
            .instruction
            .send()
            .is_some_and(|send| send.eot);
        let node = facts.node(index);
        if (ends && !always) || !matches!(node.unit, Unit::OutOfOrder(_)) {
            facts.set_token(index, None);
        } else if node.chain != index {
            facts.set_token(index, facts.node(node.chain).token);
        } else {
            facts.set_token(index, Some(next));
            next = (next + 1) % tokens;
        }
    }
}

/// What an instruction must wait for.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    /// For each of [`Pipe::EACH`] the distance, or 0.
    distance: [u8; Pipe::EACH.len()],
    /// All earlier in-order instructions.
    all: bool,
    /// All that is under way, in front of the instruction.
    everything: bool,
    read: u32,
    written: u32,
    /// Only source operands wait for pipes.
    sources_only: bool,
    /// An instruction that a mask may turn off waits for one that runs without a mask.
    unmasked: bool,
}

impl Needs {
    fn add(&mut self, facts: &Facts, entry: &Pending, conflict: Conflict) {
        let earlier = facts.node(entry.producer as usize);
        match earlier.unit {
            Unit::None => {}
            Unit::InOrder { .. } if entry.access.space == Space::State => self.all = true,
            Unit::InOrder { pipe, .. } => {
                let slots = self.distance.iter_mut().zip(Pipe::EACH);
                for (slot, _) in slots.filter(|(_, p)| *p == pipe) {
                    let distance = entry.distance().min(Pipe::FARTHEST);
                    *slot = if *slot == 0 {
                        distance
                    } else {
                        (*slot).min(distance)
                    };
                }
                self.sources_only &= conflict == Conflict::ReadAfterWrite;
            }
            Unit::OutOfOrder(_) => {
                let bit = earlier.token.map_or(0, |id| 1 << id);
                if conflict == Conflict::WriteAfterRead {
                    self.read |= bit;
                } else {
                    self.written |= bit;
                }
            }
        }
    }

    /// The pipes and the distance that cover everything.
    fn pipe(&self, family: Family) -> Option<(Pipe, u8)> {
        let used = self
            .distance
            .iter()
            .zip(Pipe::EACH)
            .filter(|(d, _)| **d != 0);
        let nearest = used.clone().map(|(distance, _)| *distance).min();
        match (self.all, nearest, used.clone().count()) {
            (true, ..) => Some(all_before(family)),
            (false, None, _) => None,
            (false, Some(distance), 1) => used.map(|(_, pipe)| (pipe, distance)).next(),
            (false, Some(distance), _) => Some((Pipe::All, distance)),
        }
    }

    /// Records in `state` that all this is waited for.
    fn apply(&self, facts: &Facts, state: &mut State) {
        let waits = Waits {
            distance: self.all.then_some((PipeSet::ALL, 1)),
            read: self.read,
            written: self.written,
        };
        state.wait(facts, &waits);
        for (&distance, pipe) in self.distance.iter().zip(Pipe::EACH) {
            if distance != 0 {
                let waits = Waits {
                    distance: Some((PipeSet::of(pipe), distance)),
                    ..Waits::default()
                };
                state.wait(facts, &waits);
            }
        }
    }
}

struct Annotator<'a> {
    program: &'a Program,
    facts: &'a Facts,
}

impl Annotator<'_> {
    /// What `index` must wait for, and the state after it.
    fn step(&self, index: usize, state: &mut State) -> Needs {
        let mut needs = Needs {
            sources_only: true,
            ..Needs::default()
        };
        let facts = self.facts;
        let instruction = self.instruction(index);
        if is_wait(instruction) {
            return needs;
        }
        // Taking a token waits for its owner.
        if let Some(token) = facts.node(index).token {
            let waits = Waits {
                written: 1 << token,
                ..Waits::default()
            };
            state.wait(facts, &waits);
        }
        let masked = !instruction.no_mask;
        let mut meet = |index: usize, state: &mut State| {
            state.meet(facts, index, |entry, _, conflict| {
                needs.add(facts, entry, conflict);
                let earlier = self.instruction(entry.producer as usize);
                needs.unmasked |= masked && earlier.no_mask;
            });
        };
        // The first of a `dpas` run waits for what the others need.
        let chain = facts.node(index).chain;
        if index == 0 || facts.node(index - 1).chain != chain {
            for member in index..=chain {
                meet(member, state);
            }
        } else {
            meet(index, state);
        }
        if facts
            .accesses(index)
            .iter()
            .any(|a| a.space == Space::State)
        {
            needs.all = true;
        }
        if leaves(instruction) {
            needs.all = true;
            (needs.read, needs.written) = (0, u32::MAX);
        }
        if self.waits(index, &needs) {
            needs.apply(facts, state);
        }
        state.issue(facts, index);
        needs
    }

    /// Whether what an instruction needs has been waited for behind it. An instruction whose channels
    /// are all off may be skipped and then does not wait: what follows waits by itself then.
    fn waits(&self, index: usize, needs: &Needs) -> bool {
        self.is_steady(index, needs) || !self.inline(index, needs, true).before.is_empty()
    }

    /// Whether an instruction waits for what it needs even if its channels are all off.
    fn is_steady(&self, index: usize, needs: &Needs) -> bool {
        self.instruction(index).predicate.is_none() && !needs.unmasked
    }

    fn instruction(&self, index: usize) -> &Instruction {
        &self.program.instructions()[index].instruction
    }

    /// Writes needs in the forms that the family has: on the instruction, or, if it may be skipped and
    /// cannot hold all, in front of it.
    fn write(&self, index: usize, needs: &Needs) -> Annotation {
        let all = self.inline(index, needs, true);
        match self.is_steady(index, needs) || all.before.is_empty() {
            true => all,
            false => self.inline(index, needs, false),
        }
    }

    /// Writes needs: what is possible on the instruction, if that may hold waits.
    fn inline(&self, index: usize, needs: &Needs, holds: bool) -> Annotation {
        let instruction = self.instruction(index);
        let family = self.program.family();
        let mut out = Annotation::default();
        if needs.everything {
            self.syncs(Some(all_before(family)), 0, 0, &mut out.before);
            out.before.extend(every_token());
        }
        if is_wait(instruction) {
            out.drop = true;
            return out;
        }
        let node = self.facts.node(index);
        let mut distance = needs.pipe(family);
        let (mut read, mut written) = (needs.read & !needs.written, needs.written);
        if leaves(instruction) {
            out.before.extend(every_token());
            (read, written) = (0, 0);
        }
        // Only an instruction can set a token, and it is the one that needs what is waited for beside
        // it.
        let own = node.token.filter(|_| node.chain == index);
        out.swsb.token = own.map(|id| Token {
            id,
            mode: TokenMode::Set,
        });
        if holds && instruction.opcode.format() != crate::Format::Sync {
            if let Some((pipe, d)) = distance
                && let Some(form) = self.form(index, pipe, d, needs.sources_only, out.swsb.token)
            {
                out.swsb.distance = Some(form);
                distance = None;
            }
            if own.is_none()
                && let Some(token) = first(read, written)
            {
                self.take_token(index, needs, token, &mut out.swsb, &mut distance);
                if out.swsb.token == Some(token) {
                    read &= !(1 << token.id);
                    written &= !(1 << token.id);
                }
            }
        }
        self.syncs(distance, read, written, &mut out.before);
        out
    }

    /// Adds a wait for `token` to an annotation that may have a distance, if there is a form.
    fn take_token(
        &self,
        index: usize,
        needs: &Needs,
        token: Token,
        swsb: &mut Swsb,
        distance: &mut Option<(Pipe, u8)>,
    ) {
        let Some(wanted) = swsb.distance else {
            swsb.token = Some(token);
            return;
        };
        let form = self.form(index, wanted.0, wanted.1, needs.sources_only, Some(token));
        if let Some(form) = form {
            swsb.distance = Some(form);
            swsb.token = Some(token);
            *distance = None;
        }
    }

    /// How an instruction can express a distance together with `token`.
    fn form(
        &self,
        index: usize,
        pipe: Pipe,
        distance: u8,
        sources_only: bool,
        token: Option<Token>,
    ) -> Option<(Pipe, u8)> {
        let instruction = self.instruction(index);
        let family = self.program.family();
        let encoding = traits(family).swsb;
        let class = SwsbClass::of(instruction.opcode);
        let unnamed = pipe::unnamed(family, instruction);
        let means = unnamed == Some(pipe) && (sources_only || pipe == Pipe::Default);
        [Some(pipe), means.then_some(Pipe::Default), Some(Pipe::All)]
            .into_iter()
            .flatten()
            .map(|pipe| (pipe, distance))
            .find(|&(pipe, distance)| {
                let swsb = Swsb {
                    distance: Some((pipe, distance)),
                    token,
                    no_acc_set: false,
                };
                encode_swsb(encoding, class, swsb).is_some()
            })
    }

    /// The `sync` instructions for what does not fit on the instruction.
    fn syncs(
        &self,
        distance: Option<(Pipe, u8)>,
        read: u32,
        written: u32,
        out: &mut Vec<Instruction>,
    ) {
        if distance.is_some() {
            let swsb = Swsb {
                distance,
                ..Swsb::NONE
            };
            out.push(sync(SyncFunction::Nop, None, swsb));
        }
        for (mode, all, tokens) in [
            (TokenMode::Src, SyncFunction::AllRd, read),
            (TokenMode::Dst, SyncFunction::AllWr, written),
        ] {
            if tokens.count_ones() == 1 {
                let swsb = Swsb {
                    token: Some(Token {
                        id: tokens.trailing_zeros() as u8,
                        mode,
                    }),
                    ..Swsb::NONE
                };
                out.push(sync(SyncFunction::Nop, None, swsb));
            } else if tokens != 0 {
                out.push(sync(all, Some(tokens), Swsb::NONE));
            }
        }
    }
}

/// A token to wait for, written results first.
fn first(read: u32, written: u32) -> Option<Token> {
    let (set, mode) = if written != 0 {
        (written, TokenMode::Dst)
    } else {
        (read, TokenMode::Src)
    };
    (set != 0).then(|| Token {
        id: set.trailing_zeros() as u8,
        mode,
    })
}

/// Whether an instruction only waits for tokens and pipes: the annotator writes its own.
fn is_wait(instruction: &Instruction) -> bool {
    let function = match instruction.specific {
        Specific::Sync(function) => function,
        _ => return false,
    };
    matches!(
        function,
        SyncFunction::Nop | SyncFunction::AllRd | SyncFunction::AllWr
    )
}

/// Whether control goes to, or comes back to, code that is annotated on its own.
fn leaves(instruction: &Instruction) -> bool {
    let to_register = instruction
        .branch()
        .is_some_and(|branch| branch.jip.is_none());
    match instruction.opcode.semantics() {
        Semantics::Flow(semantics::Flow::Call { .. } | semantics::Flow::Ret) => true,
        Semantics::Flow(_) => to_register,
        _ => false,
    }
}

/// Whether channels that wait elsewhere go on at an instruction because it is the place that their branches named. A
/// branch to what is put in front of it would name another. (TGL PRM vol 2a, "join", "endif", "while", "halt".)
fn gathers(instruction: &Instruction) -> bool {
    use semantics::Flow::{Endif, Halt, Join, While};
    let semantics = instruction.opcode.semantics();
    matches!(semantics, Semantics::Flow(Join | Endif | While | Halt))
}

/// The pipes and the distance of all in-order instructions before.
fn all_before(family: Family) -> (Pipe, u8) {
    match pipe::is_single(family) {
        true => (Pipe::Default, 1),
        false => (Pipe::All, 1),
    }
}

/// Waits for the owners of all tokens.
fn every_token() -> [Instruction; 2] {
    [SyncFunction::AllRd, SyncFunction::AllWr].map(|function| sync(function, None, Swsb::NONE))
}

fn sync(function: SyncFunction, mask: Option<u32>, swsb: Swsb) -> Instruction {
    let mut sync = Instruction::new(Opcode::Sync);
    sync.no_mask = true;
    sync.specific = Specific::Sync(function);
    sync.swsb = swsb;
    if let Some(mask) = mask {
        sync.src[0] = Src::Immediate {
            value: mask.into(),
            ty: Type::Ud,
        };
    }
    sync
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use devinfo::Family;

    use super::{annotations_by, gathers};
    use crate::swsb::fixpoint::TooComplex;
    use crate::swsb::program::Program;
    use crate::swsb::{check_program, flow::branch_targets};

    /// The program whose flow is not followed, with its annotations.
    fn not_followed(family: Family, text: &str) -> (Program, Program) {
        let assembly = crate::assemble(text, &crate::AsmOptions::for_family(family)).unwrap();
        let program = Program::decode(family, &assembly.code);
        let mut annotations = annotations_by(&program, |_, _, _| Err(TooComplex)).into_iter();
        let code = program.encode_with(|_, instruction, before| {
            let annotation = annotations.next().unwrap();
            *before = annotation.before;
            let mut instruction = *instruction;
            instruction.swsb = annotation.swsb;
            (!annotation.drop).then_some(instruction)
        });
        let (code, _) = code.unwrap();
        (program, Program::decode(family, &code))
    }

    /// Where control may come back, everything is waited for; but a branch still names the place where its channels
    /// gather, and what comes behind that waits.
    #[test]
    fn nothing_stands_in_front_of_what_gathers_channels() {
        let loads = [
            (
                Family::Gen12Lp,
                "send.dc1 (8|M0) r10 r2 null 0x0 0x02106efe",
            ),
            (
                Family::XeHpg,
                "send.dc1 (8|M0) r10 r2 null:0 0x0 0x02106efe",
            ),
        ];
        for (family, load) in loads {
            let text = format!(
                "mov (8|M0) r2.0<1>:d 1:w\n\
                 (W) mov (1|M0) f0.0<1>:uw 1:w\n\
                 START:\n\
                 (f0.0) join (8|M0) A\n\
                 (f0.0) goto (8|M0) A B\n\
                 {load}\n\
                 A:\njoin (8|M0) B\n\
                 mov (8|M0) r20.0<1>:d r10.0<8;8,1>:d\n\
                 (f0.0) goto (8|M0) B B\n\
                 {load}\n\
                 B:\njoin (8|M0) C\n\
                 C:\njoin (8|M0) D\n\
                 D:\n\
                 mov (8|M0) r21.0<1>:d r10.0<8;8,1>:d\n\
                 (f0.0) if (8|M0) E E\n\
                 {load}\n\
                 E:\nendif (8|M0) F\n\
                 F:\n\
                 mov (8|M0) r22.0<1>:d r10.0<8;8,1>:d\n\
                 (f0.0) break (8|M0) G G\n\
                 {load}\n\
                 (W) mov (1|M0) f0.0<1>:uw r10.0<0;1,0>:uw\n\
                 G:\n(f0.0) while (8|M0) START\n\
                 mov (8|M0) r10.0<1>:d 0:w\n"
            );
            let (plain, annotated) = not_followed(family, &text);
            let at = |program: &Program| -> Vec<usize> {
                let count = program.instructions().len();
                let is_target = |index: &usize| {
                    let placed = &program.instructions()[*index];
                    gathers(&placed.instruction) && branch_targets(program).contains(index)
                };
                (0..count).filter(is_target).collect()
            };
            assert_eq!(at(&plain).len(), at(&annotated).len());
            assert_eq!(at(&plain).len(), 6);
            let report = check_program(&annotated);
            assert!(report.complete);
            assert_eq!(report.hazards, [], "{family}");
        }
    }
}

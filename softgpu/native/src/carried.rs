//! What vector registers hold from one block to the next.
//!
//! A block for all channels that follows another one in the code begins with what registers hold there. Whoever comes
//! from elsewhere brings these contents to their registers first: by a piece of code behind all blocks, which loads
//! them, or, from where a loop ends, by moves. So what a loop hands to its next round need not be loaded from where it
//! has just been stored.

use std::collections::BTreeMap;

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use crate::evex::{Lanes, Operand, VMOVDQU32_LOAD};
use crate::model::{Block, Channels};
use crate::registers::{Content, Pool};
use crate::translate::Translator;
use crate::wide::BYTES;

/// The contents that a block begins with.
#[derive(Debug)]
struct Carried {
    /// Where the block begins if registers have them.
    warm: DynamicLabel,
    /// Which ones, since somebody brings them.
    fixed: Option<Vec<(u8, Content)>>,
}

/// The blocks that begin with some, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Carries {
    all: BTreeMap<u32, Carried>,
    /// The block that follows what is translated.
    into: Option<u32>,
}

impl Carries {
    /// The block of this number follows in the code.
    pub fn follow(&mut self, block: u32) {
        self.into = Some(block);
    }
}

/// How a content comes to its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bring {
    /// From this register.
    Move(u8),
    /// From memory.
    Load,
}

/// In which order contents, of which some are `held`, come to their registers, so that no move finds its source
/// overwritten.
fn ways(
    fixed: &[(u8, Content)],
    mut held: impl FnMut(Content, u8) -> Option<u8>,
) -> Vec<(u8, Content, Bring)> {
    let mut moves = Vec::new();
    let mut loads = Vec::new();
    for &(to, content) in fixed {
        match held(content, to) {
            Some(from) if from == to => {}
            Some(from) => moves.push((to, content, from)),
            None => loads.push((to, content, Bring::Load)),
        }
    }
    let mut all = Vec::new();
    while let Some(&(first, ..)) = moves.first() {
        let is_free = |&(to, ..): &(u8, Content, u8)| moves.iter().all(|(_, _, from)| *from != to);
        match moves.iter().position(is_free) {
            Some(place) => {
                let (to, content, from) = moves.remove(place);
                all.push((to, content, Bring::Move(from)));
            }
            // They wait for each other in a circle.
            None => moves.retain(|&(to, content, from)| {
                if from == first {
                    loads.push((to, content, Bring::Load));
                }
                from != first
            }),
        }
    }
    all.extend(loads);
    all
}

impl Translator {
    /// Begins a block: with what registers hold, if it follows the one before it.
    pub(crate) fn begin_block(&mut self, block: &Block, number: u32, label: DynamicLabel) {
        let follows = self.carries.into.take() == Some(number);
        self.kept.clear();
        self.whole = None;
        if !follows || !matches!(block.enabled, Channels::All(_)) {
            self.forget_all();
            dynasm!(self.ops ; =>label);
            return;
        }
        self.pool.carry(number);
        self.wide.carry(number);
        let warm = self.ops.new_dynamic_label();
        dynasm!(self.ops ; =>warm);
        let carried = Carried { warm, fixed: None };
        self.carries.all.insert(number, carried);
    }

    /// Goes to a block; with what it begins with, if that is known.
    pub(crate) fn jump(&mut self, block: u32) {
        let label = self.label(block);
        let Some(carried) = self.carries.all.get_mut(&block) else {
            dynasm!(self.ops ; jmp =>label);
            return;
        };
        let warm = carried.warm;
        let fixed = carried.fixed.get_or_insert_with(|| {
            let mut needed = self.pool.fix(block);
            needed.extend(self.wide.fix(block));
            needed
        });
        let held = |content, to| match to < Pool::COUNT {
            true => self.pool.holder(content),
            false => self.wide.holder(content),
        };
        for (to, content, bring) in ways(fixed, held) {
            match bring {
                Bring::Move(from) if to < Pool::COUNT => {
                    dynasm!(self.ops ; vmovdqa Ry(to), Ry(from));
                }
                Bring::Move(from) => {
                    let to = (to, Lanes::All);
                    self.evex(VMOVDQU32_LOAD, BYTES, to, 0, Operand::Register(from));
                }
                Bring::Load => self.bring_back(to, content),
            }
        }
        dynasm!(self.ops ; jmp =>warm);
    }

    /// Translates what is to be done before blocks that begin with something.
    pub(crate) fn translate_carries(&mut self) {
        for (block, carried) in core::mem::take(&mut self.carries).all {
            let (label, warm) = (self.label(block), carried.warm);
            let needed = carried.fixed.unwrap_or_else(|| {
                let mut needed = self.pool.needed(block);
                needed.extend(self.wide.needed(block));
                needed
            });
            dynasm!(self.ops ; =>label);
            for (register, content) in needed {
                self.bring_back(register, content);
            }
            dynasm!(self.ops ; jmp =>warm);
        }
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::{
        Element, HostIsa, Input, Modes, Modifiers, Operation, Output, Place, Region, Request,
    };

    use super::*;
    use crate::model::{
        Branch, End, Grouping, Layout, Masking, Predicate, Rounding, Step, Target, VectorStep, Way,
    };

    /// Sixteen sums of the dwords at two places.
    fn sum(to: u32, sources: [u32; 2]) -> Step {
        let source = |at| Input {
            element: Element::Ud,
            place: Place::Registers(Region {
                at,
                width: 16,
                vertical: 0,
                horizontal: 4,
            }),
            modifiers: Modifiers::default(),
        };
        let [first, second] = sources.map(source);
        Step::Vector(Box::new(VectorStep {
            request: Request {
                operation: Operation::Add,
                lanes: 16,
                sources: [Some(first), Some(second), None],
                output: Output {
                    element: Element::Ud,
                    at: Some(to),
                    stride: 4,
                },
                condition: None,
                saturate: false,
                accumulator: None,
            },
            masking: Masking::OF_TESTS,
            flag_bit: None,
        }))
    }

    /// A block that writes three registers, a loop that adds one of them to another, and one that uses the result.
    fn a_loop() -> Vec<Block> {
        let place = |number: u32| Target {
            ip: 64 * number,
            block: Some(number),
        };
        let again = End::Branch(Branch {
            masking: Masking {
                predicate: Some(Predicate {
                    flag_bit: 0,
                    inverse: false,
                    grouping: Grouping::Any(16),
                }),
                no_mask: true,
                ..Masking::OF_TESTS
            },
            lanes: 16,
            way: Way::Jump {
                not_taken: place(2),
                taken: place(1),
            },
        });
        let before = [512, 576, 640].map(|to| sum(to, [256, 320]));
        let all = [
            (before.to_vec(), End::Next(Some(1))),
            (vec![sum(512, [512, 576])], again),
            (vec![sum(704, [512, 512])], End::Leave),
        ];
        let block = |(number, (steps, end))| Block {
            first: 4 * number,
            enabled: Channels::All(0xffff),
            twin: None,
            ip: place(number).ip,
            end_ip: place(number + 1).ip,
            modes: Modes::default(),
            rounding: Rounding::Nearest,
            steps,
            channels: 16,
            end,
        };
        (0..).zip(all).map(block).collect()
    }

    #[test]
    fn a_loop_begins_with_what_it_hands_on() {
        for (isa, bytes) in [(HostIsa::Avx2, 32), (HostIsa::Avx512, 64)] {
            let blocks = a_loop();
            let mut translator = Translator::new(Layout::OF_TESTS, &blocks, isa);
            translator.frame();
            for number in 0..blocks.len() {
                translator.block(&blocks, number);
            }
            let begins = translator
                .carries
                .all
                .get(&1)
                .and_then(|one| one.fixed.clone());
            let mut begins: Vec<Content> =
                begins.unwrap_or_default().iter().map(|one| one.1).collect();
            begins.sort_by_key(|content| format!("{content:?}"));
            let parts = (512..640)
                .step_by(bytes)
                .map(|at| Content::Bytes(at, bytes as u8));
            // What the loop does not use, it does not begin with.
            assert!(begins.iter().copied().eq(parts), "{isa:?}: {begins:?}");
            assert!(translator.finish().is_some());
        }
    }

    /// Moves in an order in which each still finds its source, by trying them.
    #[test]
    fn contents_come_to_their_registers() {
        let content = |number: u8| Content::Bytes(64 * u32::from(number), 64);
        // By register, which content is in it, and which is wanted.
        for (have, want, loads) in [
            (vec![0, 1, 2, 3], vec![0, 1, 2, 3], 0),
            (vec![0, 1, 2, 3], vec![1, 2, 3, 9], 1),
            (vec![0, 1, 2, 3], vec![1, 0, 3, 2], 2),
            (vec![0, 1, 2, 3], vec![3, 0, 1, 2], 1),
            (vec![5, 1, 5, 3], vec![7, 3, 1, 8], 2),
            (vec![1, 2, 0, 3, 4], vec![0, 1, 2, 4, 3], 2),
        ] {
            let fixed: Vec<_> = (0..).zip(want.iter().copied().map(content)).collect();
            let held = |wanted, _| {
                let mut all = (0..).zip(&have);
                all.find_map(|(register, &is)| (content(is) == wanted).then_some(register))
            };
            let mut registers: Vec<Content> = have.iter().copied().map(content).collect();
            let ways = ways(&fixed, held);
            for &(to, content, bring) in &ways {
                registers[usize::from(to)] = match bring {
                    Bring::Move(from) => registers[usize::from(from)],
                    Bring::Load => content,
                };
            }
            assert!(
                registers
                    .iter()
                    .eq(fixed.iter().map(|(_, content)| content))
            );
            let by_load = ways.iter().filter(|(_, _, bring)| *bring == Bring::Load);
            assert_eq!(by_load.count(), loads, "{have:?} {want:?}");
        }
    }
}

//! Which general registers something reads later. A result that is in a host register, and that nothing reads after
//! it, need not be stored (`owed`).
//!
//! Registers are told apart by dwords. What is behind the last block that is known, and what a step reads that the
//! caller executes, counts as everything.

use core::ops::Range;

use eu_lanes::{Input, Place};

use crate::model::{
    AtomicOperation, Base, Block, Channels, End, Layout, Masking, MemoryStep, Space, Step, Stops,
    Target, VectorStep, Way,
};
use crate::plan::{Kind, Plan};

/// The dwords of the most general registers that a thread has: 256 of 64 bytes.
pub(crate) const DWORDS: usize = 4096;

/// A result that something reads in a block that may follow.
pub(crate) const LATER: u32 = u32::MAX;

/// A set of dwords.
type Set = Box<[u64; DWORDS / 64]>;

/// What a step does with register bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Reads(Range<u32>),
    /// It writes some of them.
    Writes(Range<u32>),
    /// It writes all of them, whatever they were.
    Replaces(Range<u32>),
}

impl Touch {
    /// The bytes.
    pub fn bytes(self) -> Range<u32> {
        match self {
            Self::Reads(bytes) | Self::Writes(bytes) | Self::Replaces(bytes) => bytes,
        }
    }
}

impl Channels {
    /// Whether an op serves all of its channels.
    pub(crate) fn all_served(self, masking: &Masking, lanes: u8) -> bool {
        let size = u32::MAX >> (32 - u32::from(lanes.clamp(1, 32)));
        let all = match self {
            Self::All(active) => active >> masking.channel_offset & size == size,
            Self::Any => false,
        };
        masking.predicate.is_none() && (masking.no_mask || all)
    }
}

/// The bytes that a source's elements are in, if they are in registers.
fn span(source: &Input, lanes: usize) -> Option<Range<u32>> {
    let Place::Registers(region) = source.place else {
        return None;
    };
    let offsets = (0..lanes).map(|lane| region.offset(lane) as u32);
    let last = offsets.max().unwrap_or_default();
    Some(region.at..region.at + last + source.element.bytes() as u32)
}

impl VectorStep {
    fn touches(&self, channels: Channels, visit: &mut impl FnMut(Touch)) {
        let request = &self.request;
        let lanes = usize::from(request.lanes);
        for source in request.sources.iter().flatten() {
            if let Some(bytes) = span(source, lanes) {
                visit(Touch::Reads(bytes));
            }
        }
        let Some(at) = request.output.at else {
            return;
        };
        let size = request.output.element.bytes() as u32;
        let stride = u32::from(request.output.stride);
        let whole = at..at + stride * (u32::from(request.lanes).max(1) - 1) + size;
        let selects = Plan::of(request).is_some_and(|plan| plan.kind == Kind::Select);
        let masking = Masking {
            predicate: self.masking.predicate.filter(|_| !selects),
            ..self.masking
        };
        let replaces = channels.all_served(&masking, request.lanes);
        match replaces {
            true if stride == size => visit(Touch::Replaces(whole)),
            true if size >= 4 => {
                let each = (0..request.lanes).map(|lane| at + u32::from(lane) * stride);
                each.for_each(|at| visit(Touch::Replaces(at..at + size)));
            }
            _ => visit(Touch::Writes(whole)),
        }
    }
}

impl MemoryStep {
    /// The bytes of addresses.
    pub(crate) fn address_bytes(&self) -> Range<u32> {
        let each = if matches!(self.space, Space::Flat(_)) {
            8
        } else {
            4
        };
        self.addresses..self.addresses + each * u32::from(self.lanes)
    }

    /// Those of the data.
    pub(crate) fn data_bytes(&self) -> Range<u32> {
        self.data..self.data + self.planes.count() * self.plane_bytes
    }

    fn touches(&self, channels: Channels, visit: &mut impl FnMut(Touch)) {
        visit(Touch::Reads(self.address_bytes()));
        if let Space::Named { name, .. } = self.space {
            visit(Touch::Reads(name..name + 4));
        }
        let each = u32::from(self.slot) * u32::from(self.lanes);
        let all = self.channels == self.lanes && channels.all_served(&self.masking, self.lanes);
        match self.stores {
            true => visit(Touch::Reads(self.data_bytes())),
            false if all => {
                (self.elements()).for_each(|(data, _)| visit(Touch::Replaces(data..data + each)))
            }
            false => visit(Touch::Writes(self.data_bytes())),
        }
    }
}

impl Step {
    /// Tells what it does with register bytes; false if it may do anything.
    pub(crate) fn touches(&self, channels: Channels, visit: &mut impl FnMut(Touch)) -> bool {
        match self {
            Self::Vector(step) => step.touches(channels, visit),
            Self::Memory(step) => step.touches(channels, visit),
            Self::Block(step) => {
                visit(Touch::Reads(step.address..step.address + 8));
                if let Base::Stateless { base, .. } = step.base {
                    visit(Touch::Reads(base..base + 4));
                }
                if let Space::Named { name, .. } = step.space {
                    visit(Touch::Reads(name..name + 4));
                }
                let data = step.data..step.data + step.bytes;
                visit(match step.stores {
                    true => Touch::Reads(data),
                    false => Touch::Writes(data),
                });
            }
            Self::Atomic(step) => {
                step.memory.touches(channels, visit);
                if step.operation == AtomicOperation::CompareExchange {
                    let second = step.memory.data + step.memory.plane_bytes;
                    visit(Touch::Reads(second..second + step.memory.plane_bytes));
                }
                if let Some(old) = step.old {
                    visit(Touch::Writes(old..old + step.memory.plane_bytes));
                }
            }
            Self::Fence(step) => visit(Touch::Writes(step.at..step.at + step.bytes)),
            Self::Signal(step) => visit(Touch::Reads(step.at..step.at + 4)),
            Self::Control(..) | Self::Nothing => {}
            Self::Indirect(_) | Self::Staged(_) | Self::Call => return false,
        }
        true
    }
}

/// The dwords of general registers that bytes are in; empty for others.
fn dwords(bytes: &Range<u32>, general: u32) -> Range<usize> {
    let place = |at: u32| (at.saturating_sub(general) as usize).min(4 * DWORDS);
    place(bytes.start) / 4..place(bytes.end).div_ceil(4)
}

/// Those that are in them whole.
fn whole_dwords(bytes: &Range<u32>, general: u32) -> Range<usize> {
    let place = |at: u32| (at.saturating_sub(general) as usize).min(4 * DWORDS);
    place(bytes.start).div_ceil(4)..place(bytes.end) / 4
}

fn none() -> Set {
    Box::new([0; DWORDS / 64])
}

fn all() -> Set {
    Box::new([u64::MAX; DWORDS / 64])
}

fn join(to: &mut Set, from: &Set) {
    to.iter_mut()
        .zip(from.iter())
        .for_each(|(to, from)| *to |= from);
}

/// What of these is in a set that is as if it were `live` behind a step.
fn before(live: &mut Set, step: &Step, channels: Channels, general: u32) {
    let mut read = Vec::new();
    let known = step.touches(channels, &mut |touch| match touch {
        Touch::Reads(bytes) => read.push(bytes),
        Touch::Writes(_) => {}
        Touch::Replaces(bytes) => {
            for dword in whole_dwords(&bytes, general) {
                live[dword / 64] &= !(1 << (dword % 64));
            }
        }
    });
    if !known {
        *live = all();
    }
    for dword in read.iter().flat_map(|bytes| dwords(bytes, general)) {
        live[dword / 64] |= 1 << (dword % 64);
    }
}

/// Where a branch lets channels wait, if it does.
fn wait(way: &Way) -> Option<u32> {
    match way {
        Way::Channels(parting) => match parting.stops {
            Stops::Nobody => None,
            Stops::Taken(ip) | Stops::Rest(ip) => Some(ip),
            Stops::Loop => Some(parting.next.ip),
        },
        Way::Jump { .. } | Way::Barrier { .. } | Way::Asked => None,
    }
}

/// The blocks that may follow one; `None` if any op may.
fn followers(block: &Block, layout: &Layout) -> Option<Vec<u32>> {
    let blocks = |targets: &[Target]| targets.iter().map(|target| target.block).collect();
    match &block.end {
        End::Leave => None,
        End::Thread(_) => (!layout.observed).then(Vec::new),
        End::Next(next) => next.map(|next| vec![next]),
        End::Branch(branch) => match &branch.way {
            Way::Jump { not_taken, taken } => blocks(&[*not_taken, *taken]),
            Way::Channels(parting) => blocks(&[parting.next, parting.other]),
            Way::Barrier { next } => blocks(&[*next]),
            Way::Asked => None,
        },
    }
}

/// What is read behind blocks.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    /// By block; none if everything may be.
    behind: Vec<Option<Set>>,
}

impl Lives {
    /// Those of some blocks.
    pub fn of(blocks: &[Block], layout: &Layout) -> Self {
        let at = |ip: u32| blocks.iter().position(|block| block.ip == ip);
        let waits = blocks.iter().filter_map(|block| match &block.end {
            End::Branch(branch) => wait(&branch.way),
            _ => None,
        });
        // Where channels wait, the thread goes on sooner or later.
        let waits: Option<Vec<u32>> = waits.map(|ip| Some(at(ip)? as u32)).collect();
        let follow: Vec<Option<Vec<u32>>> = blocks
            .iter()
            .map(|block| {
                let mut all = followers(block, layout)?;
                let parts = match &block.end {
                    End::Branch(branch) => wait(&branch.way).is_some(),
                    _ => false,
                };
                let ends = matches!(block.end, End::Thread(_));
                if parts || block.enabled == Channels::Any && !ends {
                    all.extend(waits.as_ref()?);
                }
                let twins = all.iter().map(|&next| blocks.get(next as usize)?.twin);
                let twins: Vec<_> = twins.collect();
                // Without code for some channels, the caller goes on with them.
                let apart = parts && block.enabled != Channels::Any;
                if apart && twins.iter().any(Option::is_none) {
                    return None;
                }
                all.extend(twins.into_iter().flatten());
                all.sort_unstable();
                all.dedup();
                Some(all)
            })
            .collect();
        // What a block reads, and what it leaves as it is.
        let [read, left] = [none, all].map(|behind: fn() -> Set| {
            let of = |block: &Block| {
                let mut live = behind();
                for step in block.steps.iter().rev() {
                    before(&mut live, step, block.enabled, layout.general);
                }
                live
            };
            blocks.iter().map(of).collect::<Vec<_>>()
        });
        let mut begin = read.clone();
        let mut behind: Vec<Option<Set>> = vec![None; blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for number in (0..blocks.len()).rev() {
                let out = follow[number].as_ref().map(|follow| {
                    let mut out = none();
                    for live in follow.iter().filter_map(|&next| begin.get(next as usize)) {
                        join(&mut out, live);
                    }
                    out
                });
                let mut live = out.clone().unwrap_or_else(all);
                for (dword, (read, left)) in live
                    .iter_mut()
                    .zip(read[number].iter().zip(left[number].iter()))
                {
                    *dword = read | *dword & left;
                }
                changed |= live != begin[number];
                begin[number] = live;
                behind[number] = out;
            }
        }
        Self { behind }
    }

    /// By step of a block, the last one that reads what it leaves where it writes, before that is replaced; its own number
    /// if none does.
    pub fn uses(&self, number: usize, block: &Block, layout: &Layout) -> Vec<u32> {
        let behind = self.behind.get(number).and_then(Option::as_ref);
        let is_read =
            |dword: usize| behind.is_none_or(|live| live[dword / 64] >> (dword % 64) & 1 != 0);
        // By dword, one more than the number of the step that reads it last, and 0 if none does.
        let mut last: Vec<u32> = (0..DWORDS)
            .map(|dword| if is_read(dword) { LATER } else { 0 })
            .collect();
        let mut uses = vec![0; block.steps.len()];
        for (index, step) in block.steps.iter().enumerate().rev() {
            let own = index as u32;
            let (mut latest, mut read, mut replaced) = (own + 1, Vec::new(), Vec::new());
            let known = step.touches(block.enabled, &mut |touch| {
                if let Touch::Reads(bytes) = touch {
                    return read.push(dwords(&bytes, layout.general));
                }
                if let Touch::Replaces(bytes) = &touch {
                    replaced.push(whole_dwords(bytes, layout.general));
                }
                // Lanes that are stored may have a little more than the elements.
                let bytes = touch.bytes();
                let lanes = bytes.start & !7..bytes.end.next_multiple_of(8);
                for dword in dwords(&lanes, layout.general) {
                    latest = latest.max(last[dword]);
                }
            });
            uses[index] = match latest {
                LATER => LATER,
                _ if !known => LATER,
                _ => latest - 1,
            };
            for dword in replaced.into_iter().flatten() {
                last[dword] = 0;
            }
            if !known {
                read.push(0..DWORDS);
            }
            for dword in read.into_iter().flatten() {
                last[dword] = last[dword].max(own + 1);
            }
        }
        uses
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::{Element, Modes, Modifiers, Operation, Output, Region, Request};

    use super::*;
    use crate::model::{Branch, Parting, Predicate, Rounding};

    /// Layouts of tests begin with the accumulators and flags.
    const GENERAL: u32 = 2048;

    const LAYOUT: Layout = Layout {
        general: GENERAL,
        observed: false,
        ..Layout::OF_TESTS
    };

    /// Sixteen dwords of register `from` go to register `to`, in channels that execute.
    fn copy(to: u32, from: u32) -> Step {
        let at = |register: u32| GENERAL + 64 * register;
        let source = Input {
            element: Element::Ud,
            place: Place::Registers(Region {
                at: at(from),
                width: 16,
                vertical: 0,
                horizontal: 4,
            }),
            modifiers: Modifiers::default(),
        };
        Step::Vector(Box::new(VectorStep {
            request: Request {
                operation: Operation::Mov,
                lanes: 16,
                sources: [Some(source), None, None],
                output: Output {
                    element: Element::Ud,
                    at: Some(at(to)),
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

    fn block(number: u32, enabled: Channels, twin: Option<u32>, steps: &[Step], end: End) -> Block {
        Block {
            first: 0,
            enabled,
            twin,
            ip: 64 * number,
            end_ip: 64 * (number + 1),
            modes: Modes::default(),
            rounding: Rounding::Nearest,
            steps: steps.to_vec(),
            channels: 0,
            end,
        }
    }

    const ALL: Channels = Channels::All(0xffff);

    fn uses(blocks: &[Block], number: usize) -> Vec<u32> {
        Lives::of(blocks, &LAYOUT).uses(number, &blocks[number], &LAYOUT)
    }

    #[test]
    fn the_last_step_that_reads_a_result_is_known() {
        let steps = [copy(1, 0), copy(2, 1), copy(3, 1), copy(1, 3), copy(4, 5)];
        let ends = |end, enabled| uses(&[block(0, enabled, None, &steps, end)], 0);
        // What is written last is read by nobody, unless it is not known what follows.
        assert_eq!(ends(End::Thread(8), ALL), [2, 1, 3, 3, 4]);
        assert_eq!(ends(End::Leave, ALL), [2, LATER, LATER, LATER, LATER]);
        // Channels that do not execute keep what was there.
        assert_eq!(ends(End::Leave, Channels::Any)[0], LATER);
        let observed = Layout {
            observed: true,
            ..LAYOUT
        };
        let one = [block(0, ALL, None, &steps, End::Thread(8))];
        assert_eq!(
            Lives::of(&one, &observed).uses(0, &one[0], &observed)[4],
            LATER
        );
        // An op that is called back for may read anything.
        let called = [copy(1, 0), Step::Call, copy(1, 0)];
        assert_eq!(
            uses(&[block(0, ALL, None, &called, End::Thread(8))], 0),
            [1, LATER, 2]
        );
    }

    /// A block that may part, one that only the channels go through that do not wait behind it, and the end.
    fn parting(twins: bool) -> Vec<Block> {
        let place = |number: u32| Target {
            ip: 64 * number,
            block: Some(number),
        };
        let part = End::Branch(Branch {
            masking: Masking {
                predicate: Some(Predicate {
                    flag_bit: 0,
                    inverse: false,
                    grouping: crate::model::Grouping::Own,
                }),
                ..Masking::OF_TESTS
            },
            lanes: 16,
            way: Way::Channels(Parting {
                stops: Stops::Rest(128),
                next: place(1),
                other: place(2),
            }),
        });
        let steps = [
            vec![copy(1, 0), copy(2, 0), copy(3, 0)],
            vec![copy(1, 0)],
            vec![copy(4, 1), copy(4, 2)],
        ];
        let ends = [part, End::Next(Some(2)), End::Thread(8)];
        let all = (0..).zip(steps.iter().zip(ends));
        let mut blocks: Vec<_> = all
            .map(|(number, (steps, end))| {
                block(number, ALL, twins.then_some(number + 3), steps, end)
            })
            .collect();
        if twins {
            let any = blocks
                .clone()
                .into_iter()
                .zip(0..)
                .map(|(mut block, number)| {
                    (block.enabled, block.twin) = (Channels::Any, Some(number));
                    block
                });
            blocks.extend(any.collect::<Vec<_>>());
        }
        blocks
    }

    #[test]
    fn channels_that_wait_read_what_others_write_again() {
        // Register 1 is replaced for all channels in the next block, or for some. Nothing reads register 3.
        let read = uses(&parting(true), 0);
        assert_eq!(read, [LATER, LATER, 2]);
        // Where host code has blocks for all channels only, the caller goes on with some.
        assert_eq!(uses(&parting(false), 0), [LATER; 3]);
        // It is the channels that wait who read it.
        let mut together = parting(true);
        together[0].end = End::Next(Some(1));
        together.iter_mut().for_each(|block| block.twin = None);
        assert_eq!(uses(&together, 0)[..2], [0, LATER]);
    }

    #[test]
    fn steps_touch_what_they_read_and_write() {
        let mut all = Vec::new();
        assert!(copy(1, 0).touches(ALL, &mut |touch| all.push(touch)));
        let register = |number: u32| GENERAL + 64 * number..GENERAL + 64 * (number + 1);
        let [read, replaced] = [Touch::Reads(register(0)), Touch::Replaces(register(1))];
        assert_eq!(all, [read.clone(), replaced]);
        all.clear();
        assert!(copy(1, 0).touches(Channels::All(0x7fff), &mut |touch| all.push(touch)));
        assert_eq!(all, [read, Touch::Writes(register(1))]);
        assert!(!Step::Call.touches(ALL, &mut |_| {}));
    }
}

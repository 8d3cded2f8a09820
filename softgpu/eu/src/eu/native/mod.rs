//! Routines as host code.
//!
//! A routine is translated once it has run for a while, each block for the floating-point modes with
//! which it is reached: with all channels enabled, and, once channels have parted often enough, for any
//! together with all, so that a thread stays in host code where they part and meet. Host code calls back for
//! what is not translated: single steps, branches whose target is in a register, and barriers, where another
//! thread of the group may go on in its place. What ends the thread, or waits otherwise, and slices that end inside
//! a block, are the interpreter's.

mod accumulators;
mod barrier;
mod calls;
mod graph;
mod relay;
mod run;
mod seats;
mod staged;

use core::num::NonZero;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use eu_native::{Block, Channels, Code, HostIsa, Layout};

use self::graph::Graph;
pub(super) use self::relay::{Clean, Relayed, relay};
#[cfg(test)]
pub(super) use self::run::alone;
pub(super) use self::run::{Start, run, waits_for_slice};
use super::family::Rules;
use super::lines::Lines;
use super::program::Compile;
use super::regs;
use super::routine::Routine;
use super::state::State;
use super::vector;

/// The most ops of a routine that is translated.
const OPS: usize = 1 << 15;
/// The most translations of a routine.
const VARIANTS: usize = 8;

/// The most values of cr0 that a translation follows.
const CONTROLS: usize = 4;

/// The translations of a routine.
#[derive(Debug, Default)]
pub(super) struct Native {
    graph: OnceLock<Graph>,
    variants: [Variant; VARIANTS],
    /// How many of them have code.
    made: AtomicU32,
}

#[derive(Debug, Default)]
struct Variant {
    key: OnceLock<Key>,
    /// The ops of the blocks that were entered so far.
    heat: AtomicU64,
    /// A thread translates it.
    claimed: AtomicBool,
    code: OnceLock<Option<Translation>>,
    settled: OnceLock<Settled>,
}

/// The registers of which threads that begin with an op read nothing that was there before.
#[derive(Debug)]
struct Settled {
    at: usize,
    lines: Lines,
    /// No other has it.
    id: Option<NonZero<u64>>,
}

#[cfg(test)]
impl Native {
    /// The steps of the longest block, once there is host code.
    pub(super) fn longest_block(&self) -> Option<usize> {
        let blocks = self.graph.get()?.blocks.iter();
        blocks.map(|part| part.block.steps.len()).max()
    }

    /// Whether threads that begin with the first op, all of these channels and this value of cr0 stay in
    /// host code where their channels part.
    pub(super) fn stays(&self, control: u32, mask: u32) -> bool {
        let code = self
            .variants
            .iter()
            .filter_map(|own| own.code.get()?.as_ref());
        let mut parting = code.filter(|translation| translation.any);
        parting.any(|code| code.entry(0, control, Channels::All(mask)).is_some())
    }
}

/// What a translation was first wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    /// cr0.0.
    control: u32,
    channels: Channels,
}

impl Key {
    /// What fits the thread's present state; `None` if no translation does.
    #[inline]
    fn of(state: &State) -> Option<Self> {
        // Channels that the function was not called with would not wake in it.
        if !vector::is_translated(state.fp)
            || state.active | state.parked == 0
            || state.active & !state.call_mask != 0
        {
            return None;
        }
        let whole = state.parked == 0 && state.active == state.dispatched;
        Some(Self {
            control: state.control,
            channels: if whole {
                Channels::All(state.active)
            } else {
                Channels::Any
            },
        })
    }
}

/// The host code of a routine, for some channels.
#[derive(Debug)]
struct Translation {
    code: Code,
    /// Its number among all that were ever made: another one may come to lie where it was.
    id: u64,
    /// It has blocks for all of these channels, unless there are none.
    all: u32,
    /// How many these are; those for any channels follow, if it has them.
    blocks: u32,
    any: bool,
    /// The values of cr0.0 with which blocks are entered.
    controls: Vec<u32>,
    /// By number of the control, and then of the op: the number in the code of the block that begins
    /// there, or [`NOWHERE`].
    entries: Vec<u32>,
    /// How many ops there are.
    ops: usize,
}

/// What host code depends on.
const LAYOUT: Layout = Layout {
    accumulators: regs::ADDRESS as u32,
    flags: regs::FLAG as u32,
    control: regs::CONTROL as u32,
    state: regs::STATE as u32,
    message: regs::MESSAGE_CONTROL as u32,
    general: regs::GRF_BASE as u32,
    notification: regs::NOTIFICATION as u32,
    // Tests compare what threads have left.
    observed: cfg!(test),
};

/// The number of translations so far.
static TRANSLATIONS: AtomicU64 = AtomicU64::new(0);

/// No block begins there.
const NOWHERE: u32 = u32::MAX;

impl Translation {
    /// The code of what may follow block `first`, and of all that nothing known precedes. For any channels, it
    /// is also that for all of `whole`, with the values of cr0 in `starts`, too.
    fn new(
        graph: &Graph,
        first: u32,
        (key, whole): (Key, u32),
        starts: &BTreeSet<u32>,
        isa: HostIsa,
    ) -> Option<Self> {
        let mut led = vec![false; graph.blocks.len()];
        for next in graph.blocks.iter().flat_map(|part| &part.next) {
            if let Some(led) = led.get_mut(*next as usize) {
                *led = true;
            }
        }
        let roots = (0..).zip(&led).filter(|(_, led)| !**led);
        let roots = roots.map(|(block, _)| block);
        let mut controls = vec![key.control];
        controls.extend(starts.iter().filter(|start| **start != key.control));
        controls.truncate(CONTROLS);
        let each = |root| controls.iter().map(move |control| (root, *control));
        let mut open: Vec<(u32, u32)> = roots.flat_map(each).collect();
        open.push((first, key.control));
        let mut reached = BTreeSet::new();
        while let Some((block, control)) = open.pop() {
            let Some(part) = graph.blocks.get(block as usize) else {
                continue;
            };
            if reached.insert((block, control)) {
                let after = part.control(control, &mut controls).unwrap_or(control);
                open.extend(part.next.iter().map(|next| (*next, after)));
            }
        }
        let order: Vec<(u32, u32)> = reached.into_iter().collect();
        let number = |block: u32, control: u32| {
            let place = order.binary_search(&(block, control)).ok()?;
            Some(place as u32)
        };
        let any = key.channels == Channels::Any;
        let halves = match key.channels {
            Channels::Any if whole != 0 => vec![Channels::All(whole), Channels::Any],
            channels => vec![channels],
        };
        let count = order.len() as u32;
        let mut known = controls.clone();
        let mut blocks = Vec::new();
        for (&enabled, base) in halves.iter().zip((0u32..).step_by(order.len())) {
            let number = |block, control| Some(base + number(block, control)?);
            for &(block, control) in &order {
                let part = graph.blocks.get(block as usize)?;
                let own = blocks.len() as u32;
                blocks.push(Block {
                    enabled,
                    twin: (halves.len() == 2).then(|| (own + count) % (2 * count)),
                    ..part.instance(control, &mut known, &number)
                });
            }
        }
        let ops = graph.of_op.len();
        let mut entries = vec![NOWHERE; controls.len() * ops];
        for ((&(_, control), block), number) in order.iter().zip(&blocks).zip(0..) {
            let row = controls.iter().position(|known| *known == control)?;
            *entries.get_mut(row * ops + block.first as usize)? = number;
        }
        Some(Self {
            code: Code::new(&blocks, LAYOUT, isa)?,
            id: TRANSLATIONS.fetch_add(1, Ordering::Relaxed),
            all: match halves.first() {
                Some(Channels::All(mask)) => *mask,
                _ => 0,
            },
            blocks: if halves.len() == 2 { count } else { 0 },
            any,
            controls,
            entries,
            ops,
        })
    }

    /// Whether it has code for these channels.
    #[inline]
    fn serves(&self, channels: Channels) -> bool {
        match channels {
            Channels::All(mask) => self.all == mask,
            Channels::Any => self.any,
        }
    }

    /// The number in the code of the block for these channels that begins with an op.
    #[inline]
    fn entry(&self, op: usize, control: u32, channels: Channels) -> Option<u32> {
        let first = match channels {
            _ if !self.serves(channels) => return None,
            Channels::All(_) => 0,
            Channels::Any => self.blocks,
        };
        let row = self.controls.iter().position(|known| *known == control)?;
        // An address without an op has the number behind the last one.
        let row = self.entries.chunks(self.ops.max(1)).nth(row)?;
        let number = *row.get(op)?;
        (number != NOWHERE).then(|| first + number)
    }
}

impl Native {
    /// The code that has a block which begins with the op at `at`, and its number there, once it is
    /// worth having. All channels of the thread are `whole`.
    #[inline]
    fn code(
        &self,
        (key, whole): (Key, u32),
        at: usize,
        (routine, rules): (&Routine, Rules),
        compile: Compile,
    ) -> Option<(&Translation, u32)> {
        let mut found = None;
        for variant in &self.variants {
            if variant.key.get().is_none() {
                break;
            }
            if let Some(Some(translation)) = variant.code.get()
                && let Some(number) = translation.entry(at, key.control, key.channels)
            {
                found = Some((translation, number));
                // Otherwise, one where channels may also part is better.
                if translation.any {
                    break;
                }
            }
        }
        if found.is_some() {
            return found;
        }
        self.translate((key, whole), at, (routine, rules), compile)
    }

    #[cold]
    fn translate(
        &self,
        (key, whole): (Key, u32),
        at: usize,
        (routine, rules): (&Routine, Rules),
        compile: Compile,
    ) -> Option<(&Translation, u32)> {
        let graph = self.graph.get_or_init(|| Graph::of(routine, rules));
        let block = *graph.of_op.get(at)?;
        let part = graph.blocks.get(block as usize)?;
        if part.block.first as usize != at || part.block.is_left_at_once() {
            return None;
        }
        let mut variants = self.variants.iter();
        let variant = variants.find(|variant| *variant.key.get_or_init(|| key) == key)?;
        if variant.code.get().is_some() {
            return None;
        }
        // Translating takes as long as interpreting each op some ten times, and a large block is a large part
        // of that. One thread translates; the others interpret until it is done.
        let own = part.block.steps.len() as u64 + 1;
        let all = graph.of_op.len() as u64;
        let after = u64::from(compile.after);
        let enough = (after * own).min(after / 20 * all);
        let heat = variant.heat.fetch_add(own, Ordering::Relaxed) + own;
        if heat <= enough || variant.claimed.swap(true, Ordering::Relaxed) {
            return None;
        }
        // Threads that begin in other modes than those in which their channels part stay in the code, too.
        let keys = self.variants.iter().filter_map(|other| other.key.get());
        let starts = match key.channels {
            Channels::Any => keys.map(|key| key.control).collect(),
            Channels::All(_) => BTreeSet::new(),
        };
        let made = variant
            .code
            .get_or_init(|| Translation::new(graph, block, (key, whole), &starts, compile.isa));
        self.made.fetch_add(1, Ordering::Relaxed);
        let translation = made.as_ref()?;
        Some((
            translation,
            translation.entry(at, key.control, key.channels)?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use devinfo::Family;

    use super::*;
    use crate::{Thread, ThreadStart};

    #[test]
    fn channels_that_a_function_was_not_called_with_are_interpreted() {
        let mut thread = Thread::new(&ThreadStart {
            family: Family::Gen12Lp,
            payload: &[],
            group: [0; 3],
            ip: 0,
            dispatch_mask: 0xffff,
            simd: 16,
            grf_count: 128,
            sr0: 0,
            msg0: 0,
            thread_slot: 0,
            cr0: 0,
        });
        let state = thread.state_mut();
        let channels = |state: &State| Key::of(state).map(|key| key.channels);
        assert_eq!(channels(state), Some(Channels::All(0xffff)));
        state.call_mask = 0xff;
        assert_eq!(channels(state), None);
        state.active = 0xf;
        assert_eq!(channels(state), Some(Channels::Any));
        state.active = 0;
        assert_eq!(channels(state), None);
    }
}

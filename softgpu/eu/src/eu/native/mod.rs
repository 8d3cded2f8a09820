//! Routines as host code.
//!
//! A routine is translated once it has run for a while: with all channels enabled and for any, each
//! block for the floating-point modes with which it is reached. Host code calls back for what is not
//! translated: single steps, and branches at which channels part. Terminators that wait or end the
//! thread, and slices that end inside a block, are the interpreter's.

mod calls;
mod graph;
mod relay;
mod run;

use core::num::NonZero;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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

/// What threads that begin with an op write before they read it.
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
            || state.active == 0
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
    /// The values of cr0.0 with which blocks are entered.
    controls: Vec<u32>,
    /// By number of the control, and then of the op: the number in the code of the block that begins
    /// there, or [`NOWHERE`].
    entries: Vec<u32>,
    /// How many ops there are.
    ops: usize,
}

/// What host code for these channels depends on.
const fn layout(channels: Channels) -> Layout {
    Layout {
        channels,
        flags: regs::FLAG as u32,
        control: regs::CONTROL as u32,
        state: regs::STATE as u32,
        message: regs::MESSAGE_CONTROL as u32,
        general: regs::GRF_BASE as u32,
    }
}

/// No block begins there.
const NOWHERE: u32 = u32::MAX;

impl Translation {
    /// The code of what may follow block `first`, and of all that nothing known precedes.
    fn new(graph: &Graph, first: u32, key: Key, isa: HostIsa) -> Option<Self> {
        let mut led = vec![false; graph.blocks.len()];
        for next in graph.blocks.iter().flat_map(|part| &part.next) {
            if let Some(led) = led.get_mut(*next as usize) {
                *led = true;
            }
        }
        let roots = (0..).zip(&led).filter(|(_, led)| !**led);
        let roots = roots.map(|(block, _)| block).chain([first]);
        let mut open: Vec<(u32, u32)> = roots.map(|block| (block, key.control)).collect();
        let mut controls = vec![key.control];
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
        let mut known = controls.clone();
        let blocks = order.iter().filter_map(|&(block, control)| {
            let part = graph.blocks.get(block as usize)?;
            Some(part.instance(control, &mut known, &number))
        });
        let blocks: Vec<Block> = blocks.collect();
        let ops = graph.of_op.len();
        let mut entries = vec![NOWHERE; controls.len() * ops];
        for ((&(_, control), block), number) in order.iter().zip(&blocks).zip(0..) {
            let row = controls.iter().position(|known| *known == control)?;
            *entries.get_mut(row * ops + block.first as usize)? = number;
        }
        let layout = layout(key.channels);
        Some(Self {
            code: Code::new(&blocks, layout, isa)?,
            controls,
            entries,
            ops,
        })
    }

    /// The number in the code of the block that begins with an op.
    #[inline]
    fn entry(&self, op: usize, control: u32) -> Option<u32> {
        let row = self.controls.iter().position(|known| *known == control)?;
        let number = *self.entries.get(row * self.ops + op)?;
        (number != NOWHERE).then_some(number)
    }
}

impl Native {
    /// The code that has a block which begins with the op at `at`, and its number there, once it is
    /// worth having.
    #[inline]
    fn code(
        &self,
        key: Key,
        at: usize,
        (routine, rules): (&Routine, Rules),
        compile: Compile,
    ) -> Option<(&Translation, u32)> {
        for variant in &self.variants {
            let Some(own) = variant.key.get() else {
                break;
            };
            if own.channels == key.channels
                && let Some(Some(translation)) = variant.code.get()
                && let Some(number) = translation.entry(at, key.control)
            {
                return Some((translation, number));
            }
        }
        self.translate(key, at, (routine, rules), compile)
    }

    #[cold]
    fn translate(
        &self,
        key: Key,
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
        let made = variant
            .code
            .get_or_init(|| Translation::new(graph, block, key, compile.isa));
        let translation = made.as_ref()?;
        Some((translation, translation.entry(at, key.control)?))
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

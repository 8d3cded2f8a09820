//! Threads that begin in host code, one after the other in one register file.

use core::ffi::c_void;

use eu_native::{Channels, Entrant, Threads};

use super::run::{Run, Start, finish, frame};
use crate::eu::lines::Lines;
use crate::eu::regs;
use crate::eu::routine::Routine;
use crate::eu::state::State;
use crate::eu::thread::{Counters, ThreadStart};
use crate::eu::turns::Turns;
use crate::{Fault, GroupEnv};

/// The most threads that begin in one run.
const TOGETHER: usize = 32;

const NOBODY: Entrant = Entrant {
    header: [0; 8],
    payload: core::ptr::null(),
    state: 0,
    message: 0,
    slot: 0,
    number: 0,
};

/// Lines of register bytes that are zeroed before a thread begins.
#[derive(Clone, Debug, Default)]
pub(in crate::eu) struct Clean {
    offsets: Vec<u32>,
    /// They lie before this.
    end: usize,
}

impl Clean {
    /// Those of `lines` that are among `bytes` register bytes.
    pub fn new(lines: &Lines, bytes: usize) -> Self {
        Self {
            offsets: lines.offsets(bytes).collect(),
            end: bytes,
        }
    }

    /// Where the lines begin.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }
}

/// What a relay came to.
#[derive(Debug)]
pub(in crate::eu) struct Relayed {
    /// How many threads ended: the first ones.
    pub ended: usize,
    /// What they have executed, and the one after them.
    pub executed: Counters,
    /// Of the thread after them, if one has begun: how many ops it may still execute, or its fault.
    pub last: Option<Result<usize, Box<Fault>>>,
}

/// Runs threads that begin as `starts` say until one does not end in host code. All begin with `start`;
/// those that differ from the first one in more than registers, and those after them, do not begin.
///
/// The state is that of the first one, whose registers need only be cleaned and filled. It is that of the
/// last one that began afterwards. Nothing is run if that cannot be.
pub(in crate::eu) fn relay<'s>(
    state: &mut State,
    routine: &Routine,
    start: &Start,
    (first, starts): (&ThreadStart<'s>, impl Iterator<Item = ThreadStart<'s>>),
    (clean, slice): (&Clean, usize),
    env: &GroupEnv<'_>,
) -> Option<Relayed> {
    let (graph, translation) = start.code(routine)?;
    let Channels::All(mask) = start.channels() else {
        return None;
    };
    let bytes = state.regs.bytes().len();
    let size = first.payload.len();
    let fits = clean.end <= bytes && regs::GRF_BASE + size <= bytes;
    if !fits || !size.is_multiple_of(32) || first.dispatch_mask != mask {
        return None;
    }
    let alike = |other: &ThreadStart<'_>| {
        other.payload.len() == size
            && (other.ip, other.dispatch_mask) == (first.ip, first.dispatch_mask)
            && (other.cr0, other.simd) == (first.cr0, first.simd)
    };
    let mut entrants = [NOBODY; TOGETHER];
    let mut count = 0;
    for (place, start) in entrants.iter_mut().zip(starts.take_while(alike)) {
        start.fill_header(&mut place.header);
        place.payload = start.payload.as_ptr();
        place.state = start.sr0;
        place.message = start.msg0;
        place.slot = start.thread_slot;
        place.number = start.number();
        count += 1;
    }
    let entrants = entrants.get(..count).filter(|some| !some.is_empty())?;
    let mut frame = frame(state, env, slice);
    frame.threads = Threads {
        next: entrants.as_ptr(),
        waiting: entrants.len() as u64,
        clean: clean.offsets.as_ptr(),
        clean_count: clean.offsets.len() as u32,
        chunks: (size / 32) as u32,
        slice: slice as u64,
        dispatched: mask,
        control: first.cr0,
    };
    let mut turns = Turns::alone(state);
    let mut run = Run {
        turns: &mut turns,
        routine,
        graph,
        translation,
        env,
        entrants,
        begun: 0,
        ip: first.ip as u32,
        fault: None,
    };
    frame.context = (&raw mut run).cast::<c_void>();
    // SAFETY: as in `run::execute`. The payloads are as long as `chunks` says and outlive the call, and
    // they and the lines to clean fit into the register bytes, as seen above.
    let next = unsafe { translation.code.begin(&mut frame, start.number()) }?;
    run.follow(&mut frame);
    let Run { fault, begun, .. } = run;
    let state = turns.state;
    let at = finish(state, routine, graph, &mut frame, next, fault.is_some());
    let left = frame.left as usize;
    state.counters.instructions = (slice - left.min(slice)) as u64;
    let mut relayed = Relayed {
        ended: begun,
        executed: Counters {
            instructions: frame.instructions(),
            channels: frame.channels,
        },
        last: None,
    };
    state.follow_control();
    let end = at.and_then(|at| graph.ends.get(at)).copied();
    match (fault, end) {
        (Some(fault), _) => relayed.last = Some(Err(fault.into())),
        (None, Some(end @ 1..)) if left != 0 => {
            relayed.ended += 1;
            relayed.executed.instructions += 1;
            relayed.executed.channels += u64::from(end);
        }
        _ => relayed.last = Some(Ok(left)),
    }
    Some(relayed)
}

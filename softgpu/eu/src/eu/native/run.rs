//! How a thread runs host code, and what the code calls back for.

use core::ffi::c_void;
use core::num::NonZero;
use core::sync::atomic::{AtomicU64, Ordering};

#[cfg(test)]
use eu_native::{Block, Code, HostIsa};
use eu_native::{Channels, End, Entrant, Frame, Next, Step, Threads};

#[cfg(test)]
use super::LAYOUT;
use super::graph::{Graph, Part, ends_thread};
#[cfg(test)]
use super::graph::{rounding, step};
use super::seats;
use super::{Key, Settled, Translation};
use crate::eu::lines::Lines;
use crate::eu::op::{Action, Op};
use crate::eu::operand::LANES;
use crate::eu::program::Compile;
use crate::eu::routine::Routine;
use crate::eu::state::{State, lanes};
use crate::eu::thread::{self, Went};
use crate::eu::turns::Turns;
#[cfg(test)]
use crate::eu::vector;
use crate::eu::{flow, regs, settled};
use crate::sf::host;
use crate::{Fault, GroupEnv};

/// What the callbacks work on.
pub(super) struct Run<'a, 's> {
    pub turns: &'a mut Turns<'s>,
    pub routine: &'a Routine,
    pub graph: &'a Graph,
    pub translation: &'a Translation,
    pub env: &'a GroupEnv<'a>,
    /// The threads that begin in the run, the one of which `state` is, and where they begin.
    pub entrants: &'a [Entrant],
    pub begun: usize,
    pub ip: u32,
    pub fault: Option<Fault>,
}

/// No thread begins in the run.
const NONE_BEGUN: usize = usize::MAX;

impl Run<'_, '_> {
    /// Makes the state that of the thread that runs, which may have begun in host code or have the turn of another
    /// one, but for the channels that wait.
    #[inline]
    pub fn follow(&mut self, frame: &mut Frame) {
        self.turns.follow(frame.seat);
        let begun = self.entrants.len() - frame.threads.waiting as usize;
        let running = begun.wrapping_sub(1);
        if running != self.begun
            && let Some(entrant) = self.entrants.get(running)
        {
            self.begun = running;
            let state = &mut *self.turns.state;
            state.begin(self.ip, state.dispatched);
            state.thread_slot = entrant.slot;
            state.number = entrant.number;
        }
        self.turns.state.active = frame.active;
        take_signal(self.turns.state, frame);
    }

    /// Before a message that host code did not perform.
    fn learn(&self, op: &Op, number: u32) {
        let part = self.graph.of_op.get(number as usize);
        let part = part.and_then(|&block| self.graph.blocks.get(block as usize));
        let step = part.and_then(|part| {
            let index = number.wrapping_sub(part.block.first);
            part.block.steps.get(index as usize)
        });
        let Some(step @ (Step::Memory(_) | Step::Block(_) | Step::Atomic(_))) = step else {
            return;
        };
        let state = &*self.turns.state;
        let mask = state.write_mask(op);
        if mask != 0 {
            host::learn(step, state.regs.bytes(), mask, self.env);
        }
    }

    /// The number of the block with which the thread goes on after a block that ends with the op `number`, which has
    /// told the state where.
    pub fn next(&self, number: usize) -> u32 {
        let state = &*self.turns.state;
        let block = self.routine.block_of(number);
        let next = block.and_then(|block| self.routine.successor(block, state.ip));
        let control = state.regs.dword(regs::CONTROL);
        let entry = |channels| self.translation.entry(next?.first, control, channels);
        let channels = Key::of(state).map(|key| key.channels);
        channels.and_then(entry).unwrap_or(Frame::LEAVE)
    }
}

/// Runs host code from the op at `at` on, which is at the thread's instruction pointer, as far as
/// there is any; `None` if there is none for what comes next.
///
/// # Errors
/// The fault of the instruction at the thread's instruction pointer.
#[inline(never)]
pub(in crate::eu) fn run(
    turns: &mut Turns<'_>,
    routine: &Routine,
    mut at: usize,
    env: &GroupEnv<'_>,
    compile: Compile,
    left: &mut usize,
) -> Result<Option<Went>, Box<Fault>> {
    let ops = routine.ops();
    let mut went = None;
    while *left != 0 {
        let waits = ops
            .get(at)
            .filter(|op| matches!(op.action, Action::Barrier));
        if let Some(op) = waits {
            let state = &mut *turns.state;
            if let Some(generation) = thread::wait(state, op, env) {
                return Ok(Some(Went::Waits(generation)));
            }
            thread::count(state, op);
            *left -= 1;
        } else if !enter(turns, routine, &mut at, env, compile, left)? {
            if went.is_some() && waits_for_slice(routine, at, *left) {
                *left = 0;
            }
            break;
        }
        let state = &mut *turns.state;
        if ops.get(at).is_none_or(|op| op.ip != state.ip) {
            at = routine.find(state.ip).map_or(ops.len(), |(at, _)| at);
        }
        went = Some(Went::To(at));
        if let Some(op) = ops.get(at)
            && *left != 0
            && ends_thread(op)
        {
            thread::count(state, op);
            return Ok(Some(Went::Ended));
        }
        state.follow_control();
    }
    Ok(went)
}

/// Whether the block that begins with the op at `at` is better left to the next slice than interpreted for
/// the `left` ops of this one: that would end within it, and so would not the next one begin with host code.
pub(in crate::eu) fn waits_for_slice(routine: &Routine, at: usize, left: usize) -> bool {
    let Some(graph) = routine.native().graph.get() else {
        return false;
    };
    let part = graph.of_op.get(at);
    let part = part.and_then(|&number| graph.blocks.get(number as usize));
    part.is_some_and(|part| {
        let ops = part.block.steps.len();
        part.block.first as usize == at && ops > left && ops > SHORT
    })
}

/// The most ops of a block that are rather interpreted than waited for.
const SHORT: usize = 16;

/// The host code with which threads of a kernel begin.
#[derive(Clone, Copy, Debug)]
pub(in crate::eu) struct Start {
    ip: u32,
    key: Key,
    variant: usize,
    /// How many translations there were.
    made: u32,
    number: u32,
    settled: Lines,
    id: Option<NonZero<u64>>,
}

/// The number of such codes so far.
static STARTS: AtomicU64 = AtomicU64::new(0);

impl Start {
    /// That of a thread at the op at `at`, if there is some.
    pub fn of(state: &State, routine: &Routine, at: usize) -> Option<Self> {
        let key = Key::of(state)?;
        let native = routine.native();
        let made = native.made.load(Ordering::Relaxed);
        let variants = native.variants.iter().enumerate();
        let mut fitting = variants.filter_map(|(variant, own)| {
            let translation = own.code.get()?.as_ref()?;
            let number = translation.entry(at, key.control, key.channels)?;
            Some((variant, own, translation, number))
        });
        // One where channels may also part is better.
        let first = fitting.next()?;
        let better = fitting.find(|(.., translation, _)| translation.any && !first.2.any);
        let (variant, own, _, number) = better.unwrap_or(first);
        let settle = || Settled {
            at,
            lines: settled::lines(routine, at, state.active, state.rules),
            id: NonZero::new(STARTS.fetch_add(1, Ordering::Relaxed) + 1),
        };
        let settled = own.settled.get_or_init(settle);
        let known = settled.at == at;
        Some(Self {
            ip: state.ip,
            key,
            variant,
            made,
            number,
            settled: if known { settled.lines } else { Lines::NONE },
            id: settled.id.filter(|_| known),
        })
    }

    /// Whether a thread begins with it.
    #[inline(always)]
    pub fn fits(&self, state: &State, routine: &Routine) -> bool {
        self.ip == state.ip
            && self.made == routine.native().made.load(Ordering::Relaxed)
            && Key::of(state) == Some(self.key)
    }

    /// A number that no other such code of any kernel has.
    pub fn id(&self) -> Option<NonZero<u64>> {
        self.id
    }

    /// The lines of registers of which threads read nothing that was there before.
    pub fn settled(&self) -> &Lines {
        &self.settled
    }

    pub(super) fn channels(&self) -> Channels {
        self.key.channels
    }

    /// The number of the block.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn code<'a>(&self, routine: &'a Routine) -> Option<(&'a Graph, &'a Translation)> {
        let native = routine.native();
        let code = native.variants.get(self.variant)?.code.get()?;
        Some((native.graph.get()?, code.as_ref()?))
    }
}

/// Runs host code from the start of a block at `at` on; false if there is none. Then `at` may be where
/// the thread is.
#[inline(always)]
fn enter(
    turns: &mut Turns<'_>,
    routine: &Routine,
    at: &mut usize,
    env: &GroupEnv<'_>,
    compile: Compile,
    left: &mut usize,
) -> Result<bool, Box<Fault>> {
    let native = routine.native();
    let state = &*turns.state;
    let key = Key::of(state);
    let found = key.and_then(|key| {
        let key = (key, state.dispatched);
        native.code(key, *at, (routine, state.rules), compile)
    });
    let Some((translation, number)) = found else {
        if let Some(calls) = native.graph.get().and_then(|graph| graph.calls.as_ref()) {
            calls.leave(*at);
        }
        return Ok(false);
    };
    let Some(graph) = native.graph.get() else {
        return Ok(false);
    };
    let code = (graph, translation, number);
    execute(turns, routine, code, at, env, left)
}

/// Runs the code of a block; false if nothing is executed. Then `at` may be where the thread is.
#[inline(always)]
fn execute(
    turns: &mut Turns<'_>,
    routine: &Routine,
    (graph, translation, number): (&Graph, &Translation, u32),
    at: &mut usize,
    env: &GroupEnv<'_>,
    left: &mut usize,
) -> Result<bool, Box<Fault>> {
    let mut frame = frame(turns.state, env, *left);
    frame.seat = seats::take(turns, routine, translation, env);
    let mut run = Run {
        turns,
        routine,
        graph,
        translation,
        env,
        entrants: &[],
        begun: NONE_BEGUN,
        ip: 0,
        fault: None,
    };
    frame.context = (&raw mut run).cast::<c_void>();
    // SAFETY: the operands of ops lie in the register bytes, which have padding after them
    // (`Registers`); the callbacks find what they need in `context`, which outlives the call, and
    // return numbers of blocks of the code. Windows are as long as the view that they are from says
    // (`Windows::of`), which is not refreshed during the run.
    let Some(next) = (unsafe { translation.code.run(&mut frame, number) }) else {
        return Ok(false);
    };
    let Run { turns, fault, .. } = run;
    let changed = turns.follow(frame.seat);
    seats::leave(turns, routine);
    let state = &mut *turns.state;
    if let Some(next) = finish(state, routine, graph, &mut frame, next, fault.is_some()) {
        *at = next;
    }
    state.counters.instructions += frame.instructions();
    state.counters.channels += frame.channels;
    *left = frame.left as usize;
    match fault {
        Some(fault) => {
            state.follow_control();
            Err(fault.into())
        }
        None => Ok(changed || frame.instructions() != 0),
    }
}

/// The frame of a run that may execute `left` ops.
#[inline(always)]
pub(super) fn frame(state: &mut State, env: &GroupEnv<'_>, left: usize) -> Frame {
    let mut frame = Frame {
        regs: state.regs.bytes_mut().as_mut_ptr(),
        context: core::ptr::null_mut(),
        step: take_step,
        branch: take_branch,
        entries: core::ptr::null(),
        first: core::ptr::null(),
        threads: Threads::NONE,
        barrier: env.barrier.arrivals(),
        signalled: state.barrier.is_some().into(),
        generation: state.barrier.unwrap_or_default(),
        seat: core::ptr::null_mut(),
        calls: 0,
        local: env.slm.words().as_ptr().cast_mut().cast(),
        local_bytes: 4 * env.slm.words().len() as u32,
        windows: env.state.windows().of(env.memory),
        general: env.bases.general.get(),
        left: left as u64,
        allowed: left as u64,
        channels: 0,
        active: state.active,
        parked: 0,
        next_wake: Frame::NOWHERE,
        lowest_wake: Frame::NOWHERE,
        waiting: [Frame::NOWHERE; LANES],
        at: 0,
    };
    show_channels(state, &mut frame);
    frame
}

/// Brings the channels to where they are and the instruction pointer to the op that is next, and takes
/// back what was counted with a block but not executed. Returns the op's number if it is known.
pub(super) fn finish(
    state: &mut State,
    routine: &Routine,
    graph: &Graph,
    frame: &mut Frame,
    next: Next,
    faulted: bool,
) -> Option<usize> {
    take_channels(state, frame);
    take_signal(state, frame);
    let ops = routine.ops();
    let op = |index: u32| ops.get(index as usize);
    let mut uncount = |from: u32, within: u32| {
        let number = graph.of_op.get(within as usize);
        let Some(Part { block, .. }) = number.and_then(|&number| graph.blocks.get(number as usize))
        else {
            return;
        };
        let branches = matches!(block.end, End::Branch(_));
        let end = block.first as usize + block.steps.len() + usize::from(branches);
        for op in ops.get(from as usize..end).unwrap_or_default() {
            frame.left += 1;
            frame.channels -= u64::from(op.exec_size);
        }
    };
    match next {
        Next::Op(index) => {
            let ip = op(index).map_or(state.ip, |op| op.ip);
            if faulted {
                uncount(index, index);
                state.ip = ip;
            } else {
                thread::pass(state, ip);
            }
            Some(index as usize)
        }
        Next::After(index) => {
            uncount(index + 1, index);
            let ip = op(index).map_or(state.ip, |op| op.next_ip);
            thread::pass(state, ip);
            None
        }
        Next::Told => None,
    }
}

/// What the caller of the host code ([`execute`], or a relay) put into the frame.
///
/// # Safety
/// `frame` is that of host code that has not returned.
unsafe fn context<'a, 's: 'a>(frame: &Frame) -> &'a mut Run<'a, 's> {
    // SAFETY: `context` points to the `Run` of that caller, which nothing else uses meanwhile.
    unsafe { &mut *frame.context.cast::<Run<'a, 's>>() }
}

/// # Safety
/// Called by host code, with the frame that it was given.
unsafe extern "sysv64" fn take_step(frame: &mut Frame, number: u32) -> u32 {
    // SAFETY: as promised.
    let run = unsafe { context(frame) };
    run.follow(frame);
    let Some(op) = run.routine.ops().get(number as usize) else {
        return 2;
    };
    if let Some(calls) = &run.graph.calls {
        calls.call(number as usize);
    }
    if let Action::Send(_) = op.action {
        run.learn(op, number);
    }
    let state = &mut *run.turns.state;
    state.follow_control();
    let control = state.control;
    match thread::step(state, op, run.env) {
        Err(fault) => {
            run.fault = Some(fault);
            1
        }
        Ok(()) => {
            show_signal(state, frame);
            if state.control == control { 0 } else { 2 }
        }
    }
}

/// # Safety
/// Called by host code, with the frame that it was given.
unsafe extern "sysv64" fn take_branch(frame: &mut Frame, number: u32) -> u32 {
    // SAFETY: as promised.
    let run = unsafe { context(frame) };
    run.follow(frame);
    let Some(op) = run.routine.ops().get(number as usize) else {
        return Frame::LEAVE;
    };
    if let Action::Barrier = op.action {
        return run.barrier(frame, op, number);
    }
    take_channels(run.turns.state, frame);
    if let Some(calls) = &run.graph.calls {
        calls.call(number as usize);
    }
    let state = &mut *run.turns.state;
    if let Err(fault) = flow::execute(state, op) {
        state.ip = op.ip;
        run.fault = Some(fault);
        frame.left += 1;
        frame.channels -= u64::from(op.exec_size);
        return Frame::LEAVE;
    }
    show_channels(state, frame);
    run.next(number as usize)
}

/// Takes what the thread has signalled and not passed.
#[inline(always)]
fn take_signal(state: &mut State, frame: &Frame) {
    state.barrier = (frame.signalled != 0).then_some(frame.generation);
}

/// The opposite.
#[inline(always)]
pub(super) fn show_signal(state: &State, frame: &mut Frame) {
    frame.signalled = state.barrier.is_some().into();
    frame.generation = state.barrier.unwrap_or_default();
}

/// Shows host code which channels execute and which wait. Those of the calling functions do not wake.
pub(super) fn show_channels(state: &State, frame: &mut Frame) {
    frame.active = state.active;
    frame.calls = (state.call_mask != u32::MAX).into();
    frame.parked = state.parked & state.call_mask;
    frame.next_wake = state.next_wake;
    frame.lowest_wake = state.lowest_wake();
    frame.waiting = [Frame::NOWHERE; LANES];
    for lane in lanes(frame.parked) {
        frame.waiting[lane] = state.channel_ip[lane];
    }
}

/// The opposite.
pub(super) fn take_channels(state: &mut State, frame: &Frame) {
    state.active = frame.active;
    state.parked = state.parked & !state.call_mask | frame.parked;
    state.next_wake = frame.next_wake;
    for lane in lanes(frame.parked) {
        state.channel_ip[lane] = frame.waiting[lane];
    }
}

/// Executes `op` alone as host code, for each set of channels that fits. What is not translated
/// gives nothing.
#[cfg(test)]
pub(in crate::eu) fn alone(start: &State, op: &Op) -> Vec<(&'static str, State)> {
    unsafe extern "sysv64" fn refuse(_: &mut Frame, _: u32) -> u32 {
        1
    }
    let Step::Vector(step) = step(op, 0, (start.rules, start.regs.grf().len() as u32)) else {
        return Vec::new();
    };
    if !vector::is_translated(start.fp) {
        return Vec::new();
    }
    let run = |channels, isa| {
        let mut state = start.clone();
        let block = Block {
            first: 0,
            enabled: channels,
            twin: None,
            ip: 0,
            end_ip: 0,
            modes: state.fp_modes,
            rounding: rounding(state.control),
            steps: vec![Step::Vector(step.clone())],
            channels: 0,
            end: End::Leave,
        };
        let code = Code::new(&[block], LAYOUT, isa).expect("enough registers");
        let mut frame = Frame {
            regs: state.regs.bytes_mut().as_mut_ptr(),
            context: core::ptr::null_mut(),
            step: refuse,
            branch: refuse,
            entries: core::ptr::null(),
            first: core::ptr::null(),
            threads: Threads::NONE,
            barrier: core::ptr::null(),
            signalled: 0,
            generation: 0,
            seat: core::ptr::null_mut(),
            calls: 0,
            local: core::ptr::null_mut(),
            local_bytes: 0,
            windows: core::ptr::null(),
            general: 0,
            left: 10,
            allowed: 10,
            channels: 0,
            active: state.active,
            parked: state.parked,
            next_wake: state.next_wake,
            lowest_wake: state.lowest_wake(),
            waiting: [Frame::NOWHERE; LANES],
            at: 0,
        };
        // SAFETY: as in `run`; `refuse` needs nothing.
        let next = unsafe { code.run(&mut frame, 0) };
        (next == Some(Next::Op(1))).then_some(state)
    };
    let mut results = Vec::new();
    for isa in HostIsa::ALL.into_iter().filter(|isa| isa.is_here()) {
        let all = run(Channels::All(start.active), isa);
        results.extend(all.map(|state| (isa.name(), state)));
        results.extend(run(Channels::Any, isa).map(|state| (isa.name(), state)));
    }
    results
}

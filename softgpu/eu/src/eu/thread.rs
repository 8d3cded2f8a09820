//! One EU thread: its state, and the loop that runs it.

use core::ops::Range;

use devinfo::Family;

use super::family::Rules;
use super::lines::Lines;
use super::op::{Action, Op, SendOp};
use super::operand::LANES;
use super::ops::value::FpMode;
use super::program::{Code, Compile};
use super::regs::{self, GRF_BASE, Registers};
use super::relay::Refill;
use super::routine::{Block, Routine};
use super::state::State;
use super::turns::Turns;
use super::{flow, general, native, send, shadow, systolic, trace};
use crate::sf::Effect;
use crate::{Fault, GroupEnv};

/// Where host code left a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Went {
    /// Before this op; the number of ops if the routine does not have it.
    To(usize),
    /// The thread ended.
    Ended,
    /// It waits for this generation of the barrier.
    Waits(u32),
}

/// How a thread starts.
#[derive(Clone, Debug)]
pub struct ThreadStart<'a> {
    /// The family whose registers the thread has.
    pub family: Family,
    /// The initial register image, from r0 on, but for the group's ids.
    pub payload: &'a [u8],
    /// Those, which r0 has.
    pub group: [u32; 3],
    /// The entry point, in bytes from the instruction base.
    pub ip: u64,
    /// The dispatch mask: channels that exist (sr0.2, and the initial execution mask).
    pub dispatch_mask: u32,
    /// The kernel's SIMD width.
    pub simd: u8,
    /// 128 or 256 registers.
    pub grf_count: u16,
    /// sr0.0: slice, sub-slice, EU and thread slot.
    pub sr0: u32,
    /// msg0.0: the sub-slice (Xe2).
    pub msg0: u32,
    /// The thread's slot on the device, which names its part of scratch surfaces. r0.5 has only its
    /// lowest ten bits, and larger devices have more slots than ten bits can number.
    pub thread_slot: u32,
    /// cr0.0 at entry: the floating-point, rounding and denormal modes of the interface
    /// descriptor (0 is round to nearest even, denormals flushed).
    pub cr0: u32,
}

impl ThreadStart<'_> {
    /// The first eight dwords of r0. They are made where they stay: to copy them at once would wait for the ids.
    #[inline]
    pub(super) fn fill_header(&self, header: &mut [u32; 8]) {
        if let Some(bytes) = self.payload.first_chunk::<32>() {
            let (dwords, _) = bytes.as_chunks();
            for (dword, bytes) in header.iter_mut().zip(dwords) {
                *dword = u32::from_le_bytes(*bytes);
            }
        }
        for (field, id) in devinfo::thread::GROUP.into_iter().zip(self.group) {
            field.set(header, id);
        }
    }

    /// From XeHPG on, the thread's number in its group (r0.2 bits 7:0).
    #[inline]
    pub(super) fn number(&self) -> u32 {
        let bytes = self.payload.get(8..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) & 0xff)
    }
}

/// Why [`Thread::run`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The instruction budget is used up; run again.
    Budget,
    /// Waits for the group's barrier; run again when it is released.
    Barrier(u32),
    /// Waits for the other thread of its pair; run again.
    Pair,
    /// The thread ended.
    EndOfThread,
}

/// What a thread has executed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions.
    pub instructions: u64,
    /// The sum of their execution sizes: divided by 16, the usual measure of EU throughput.
    pub channels: u64,
}

impl core::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.channels += other.channels;
    }
}

/// One EU thread.
#[derive(Debug)]
pub struct Thread {
    state: State,
    ended: bool,
    modes: Modes,
    reset: Reset,
    pub(super) refill: Refill,
}

/// How a register file in which `before` may have been written gets a payload of so many bytes.
#[derive(Clone, Debug, Default)]
struct Reset {
    bytes: usize,
    before: Lines,
    /// What is cleared.
    unclean: Vec<Range<usize>>,
    /// What a thread that starts with the payload writes.
    after: Lines,
}

impl Reset {
    fn of(bytes: usize, before: Lines) -> Self {
        let range = GRF_BASE..GRF_BASE + bytes;
        let filled = Lines::inside(range);
        let mut unclean = Lines::of_state();
        unclean.add(&before);
        Self {
            bytes,
            before,
            unclean: unclean.without(&filled).runs(&filled),
            after: Lines::of_payload(bytes),
        }
    }
}

/// The modes that it last started with, decoded.
#[derive(Clone, Copy, Debug, Default)]
struct Modes {
    cr0: Option<u32>,
    fp: FpMode,
    vector: eu_lanes::Modes,
    usual: bool,
}

impl Thread {
    /// A thread at its entry point.
    pub fn new(start: &ThreadStart<'_>) -> Self {
        let rules = Rules::of(start.family);
        let mut thread = Self {
            state: State {
                rules,
                regs: Registers::new(start.family, 0),
                dirty: Lines::ALL,
                ip: 0,
                active: 0,
                dispatched: 0,
                simd: 0,
                parked: 0,
                call_mask: u32::MAX,
                channel_ip: [0; LANES],
                next_wake: u32::MAX,
                control: 0,
                fp: Default::default(),
                fp_modes: Default::default(),
                usual_fp: true,
                barrier: None,
                counters: Counters::default(),
                thread_slot: 0,
                number: 0,
                payload: 0,
                shadow: None,
            },
            ended: false,
            modes: Modes::default(),
            reset: Reset::default(),
            refill: Refill::default(),
        };
        thread.restart(start);
        thread
    }

    /// Starts over like [`Thread::new`], keeping the register file's allocation.
    pub fn restart(&mut self, start: &ThreadStart<'_>) {
        self.place(start);
        let grf_count = start.grf_count.min(256);
        let state = &mut self.state;
        let most = usize::from(grf_count) * start.family.grf_bytes();
        let payload = start.payload.get(..most).unwrap_or(start.payload);
        if self.reset.bytes != payload.len() || self.reset.before != state.dirty {
            self.reset = Reset::of(payload.len(), state.dirty);
        }
        self.refill.holds = false;
        let unclean = &self.reset.unclean;
        state.regs.reset(start.family, grf_count, unclean, payload);
        state.dirty = self.reset.after;
        state.payload = payload.len() as u32;
        state.set_start(start);
    }

    /// Starts over, but for the registers.
    #[inline(always)]
    pub(super) fn place(&mut self, start: &ThreadStart<'_>) {
        let state = &mut self.state;
        if state.rules.family != start.family {
            state.rules = Rules::of(start.family);
        }
        if let Some(shadow) = &mut state.shadow {
            shadow.started = false;
        }
        state.thread_slot = start.thread_slot;
        state.number = start.number();
        if self.modes.cr0 == Some(start.cr0) {
            let Modes {
                fp, vector, usual, ..
            } = self.modes;
            (state.fp, state.fp_modes, state.usual_fp) = (fp, vector, usual);
            state.control = start.cr0;
        } else {
            state.set_control(start.cr0);
            self.modes = Modes {
                cr0: Some(start.cr0),
                fp: state.fp,
                vector: state.fp_modes,
                usual: state.usual_fp,
            };
        }
        state.simd = start.simd;
        state.begin(start.ip as u32, start.dispatch_mask);
        self.ended = false;
    }

    /// Whether the register file is one for such threads.
    pub(super) fn fits(&self, start: &ThreadStart<'_>) -> bool {
        self.state.regs.grf_end() == regs::end(start.family, start.grf_count.min(256))
            && start.payload.len() <= self.state.regs.grf().len()
            && self.state.payload as usize == start.payload.len()
    }

    /// The state.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// The state, and how it gets the next thread's registers.
    pub(super) fn parts(&mut self) -> (&mut State, &Refill) {
        (&mut self.state, &self.refill)
    }

    /// The instruction pointer, in bytes from the instruction base.
    pub fn ip(&self) -> u64 {
        self.state.ip.into()
    }

    /// What this thread has executed since it started.
    pub fn counters(&self) -> Counters {
        self.state.counters
    }

    /// The general registers, from r0 on.
    pub fn registers(&self) -> &[u8] {
        &self.state.regs.bytes()[GRF_BASE..GRF_BASE + self.state.regs.grf().len()]
    }

    /// The thread's slot on the device.
    pub fn slot(&self) -> u32 {
        self.state.thread_slot
    }

    /// The whole state, for tests.
    #[cfg(test)]
    pub(super) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Runs at most `budget` instructions of `code`.
    ///
    /// # Errors
    /// The fault of the instruction at [`Thread::ip`].
    pub fn run(&mut self, env: &GroupEnv<'_>, code: &Code, budget: u32) -> Result<Stop, Fault> {
        if self.ended {
            return Ok(Stop::EndOfThread);
        }
        self.proceed(env, code, budget as usize)
    }

    /// Runs at most `left` instructions.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn proceed(
        &mut self,
        env: &GroupEnv<'_>,
        code: &Code,
        mut left: usize,
    ) -> Result<Stop, Fault> {
        let stop = Turns::alone(self.take_turn()).proceed(env, code, &mut left)?;
        self.stopped(stop);
        Ok(stop)
    }

    /// The state, to run with other code than that with which the thread began, which may write more.
    pub(super) fn take_turn(&mut self) -> &mut State {
        self.refill.holds = false;
        &mut self.state
    }

    /// It has stopped.
    pub(super) fn stopped(&mut self, stop: Stop) {
        self.ended = stop == Stop::EndOfThread;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }
}

impl Turns<'_> {
    /// Runs the thread, which may execute `left` instructions. Where it waits, another one may take its turn, which
    /// then is the one that has stopped.
    ///
    /// # Errors
    /// The fault of the instruction at which the thread is.
    pub fn proceed(
        &mut self,
        env: &GroupEnv<'_>,
        code: &Code,
        left: &mut usize,
    ) -> Result<Stop, Fault> {
        // What is checked is interpreted.
        let compile = code.compile().filter(|_| env.checks.is_none());
        self.state.notify(env);
        if let Some(checks) = env.checks {
            shadow::start(self.state, checks);
        }
        loop {
            let ip = self.state.ip;
            let stop = match code.first(ip) {
                Some(found) => go(self, found, env, compile, left),
                None => code.at(env, ip, |routine, op, block| {
                    go(self, (routine, op, block), env, compile, left)
                })?,
            };
            if let Some(stop) = stop.map_err(|fault| *fault)? {
                return Ok(stop);
            }
        }
    }
}

/// Runs ops of a routine from an op in a block on, until the thread stops or leaves it (`None`).
#[inline(always)]
fn go(
    turns: &mut Turns<'_>,
    (routine, op, block): (&Routine, usize, &Block),
    env: &GroupEnv<'_>,
    compile: Option<Compile>,
    left: &mut usize,
) -> Result<Option<Stop>, Box<Fault>> {
    turns.state.dirty.add(routine.written());
    let grf_bytes = turns.state.rules.grf_bytes;
    if let Some(shadow) = turns.state.shadow.as_mut().filter(|_| env.checks.is_some()) {
        shadow.unread.clone_from(routine.unread(grf_bytes));
    }
    let mut entry = (op, block);
    match (trace::enabled(), env.checks.is_some()) {
        (false, false) => {
            if let Some(compile) = compile
                && let Some(stop) = host(turns, routine, &mut entry, env, compile, left)?
            {
                return Ok(stop);
            }
            run::<{ Watch::Nothing as u8 }>(turns, routine, entry, env, compile, left)
        }
        (false, true) => run::<{ Watch::Rules as u8 }>(turns, routine, entry, env, None, left),
        (true, _) => run::<{ Watch::All as u8 }>(turns, routine, entry, env, None, left),
    }
}

/// Runs host code as far as there is any. Gives what [`run`] is to return if it went no further.
#[inline(always)]
fn host<'a>(
    turns: &mut Turns<'_>,
    routine: &'a Routine,
    (at, block): &mut (usize, &'a Block),
    env: &GroupEnv<'_>,
    compile: Compile,
    left: &mut usize,
) -> Result<Option<Option<Stop>>, Box<Fault>> {
    Ok(
        match native::run(turns, routine, *at, env, compile, left)? {
            None => None,
            Some(Went::Ended) => Some(Some(Stop::EndOfThread)),
            Some(Went::Waits(generation)) => Some(Some(Stop::Barrier(generation))),
            Some(Went::To(next)) => match routine.block_of(next) {
                None => Some(None),
                Some(_) if *left == 0 => Some(Some(Stop::Budget)),
                Some(found) => {
                    (*at, *block) = (next, found);
                    None
                }
            },
        },
    )
}

/// What is watched while ops are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Watch {
    Nothing,
    /// The rules that are checked.
    Rules,
    /// The rules, if they are checked, and each instruction for the log.
    All,
}

const LOGGED: u8 = Watch::All as u8;
const NOTHING: u8 = Watch::Nothing as u8;

/// Runs ops of `routine` from `entry` on, an op in its block, until the thread stops or leaves the
/// routine (`None`).
#[inline(never)]
fn run<const WATCH: u8>(
    turns: &mut Turns<'_>,
    routine: &Routine,
    entry: (usize, &Block),
    env: &GroupEnv<'_>,
    compile: Option<Compile>,
    left: &mut usize,
) -> Result<Option<Stop>, Box<Fault>> {
    let ops = routine.ops();
    let (mut at, mut block) = entry;
    loop {
        let state = &mut *turns.state;
        let mut end = block.body_end.min(at + *left);
        if state.next_wake <= block.last_ip {
            // Channels wake inside the block.
            let awake = |op: &Op| op.ip < state.next_wake;
            let rest = ops.get(at..end).unwrap_or_default();
            end = at + rest.partition_point(awake);
        }
        let body = ops.get(at..end).unwrap_or_default();
        execute::<WATCH>(state, body, env)?;
        state.counters.instructions += body.len() as u64;
        state.counters.channels += match body.len() == block.body_end - block.first {
            true => block.channels,
            false => channels(body),
        };
        *left -= body.len();
        at += body.len();
        let next = match ops.get(at) {
            Some(op) if at < block.end => op.ip,
            _ => body.last().map_or(state.ip, |op| op.next_ip),
        };
        pass(state, next);
        if at < block.body_end {
            if *left == 0 {
                return Ok(Some(Stop::Budget));
            }
            continue;
        }
        if let Some(op) = ops.get(at..block.end).and_then(<[Op]>::first) {
            if *left == 0 {
                return Ok(Some(Stop::Budget));
            }
            if let Some(stop) = terminate::<WATCH>(state, op, env)? {
                if stop == Stop::EndOfThread {
                    count(state, op);
                }
                return Ok(Some(stop));
            }
            count(state, op);
            *left -= 1;
        }
        let mut next = match routine.successor(block, state.ip) {
            Some(block) => (block.first, block),
            None => match routine.find(state.ip) {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        if let Some(compile) = compile
            && let Some(stop) = host(turns, routine, &mut next, env, compile, left)?
        {
            return Ok(stop);
        }
        (at, block) = next;
    }
}

/// Executes the body of a block, or a part of it.
fn execute<const WATCH: u8>(
    state: &mut State,
    body: &[Op],
    env: &GroupEnv<'_>,
) -> Result<(), Fault> {
    for (index, op) in body.iter().enumerate() {
        if WATCH == LOGGED {
            trace::before(state, op);
        }
        if WATCH != NOTHING {
            shadow::track(state, op, env);
        }
        if let Err(fault) = step(state, op, env) {
            state.ip = op.ip;
            let before = body.get(..index).unwrap_or_default();
            state.counters.instructions += before.len() as u64;
            state.counters.channels += channels(before);
            return Err(fault);
        }
        if WATCH == LOGGED {
            trace::after(state, op);
        }
    }
    Ok(())
}

/// Executes an op of a block's body.
#[inline(always)]
pub(super) fn step(state: &mut State, op: &Op, env: &GroupEnv<'_>) -> Result<(), Fault> {
    match &op.action {
        Action::Fast(fast) => {
            fast.run(state, op);
            Ok(())
        }
        Action::General => general::execute(state, op),
        Action::Send(message) => send(state, op, message, env).map(|_| ()),
        // Nothing to do; the others are terminators.
        Action::Nop | Action::Flow | Action::Paired | Action::Barrier => Ok(()),
    }
}

/// Executes the terminator of a block. Returns why the thread stops, if it does: a waiting thread
/// stays at the same instruction.
fn terminate<const WATCH: u8>(
    state: &mut State,
    op: &Op,
    env: &GroupEnv<'_>,
) -> Result<Option<Stop>, Fault> {
    if WATCH == LOGGED {
        trace::before(state, op);
    }
    if WATCH != NOTHING {
        shadow::track(state, op, env);
    }
    match &op.action {
        Action::Flow => flow::execute(state, op)?,
        Action::Paired => {
            if !systolic::execute_paired(state, op, env)? {
                return Ok(Some(Stop::Pair));
            }
            pass(state, op.next_ip);
        }
        Action::Barrier => {
            if let Some(generation) = wait(state, op, env) {
                return Ok(Some(Stop::Barrier(generation)));
            }
        }
        Action::Send(message) => {
            if send(state, op, message, env)? == Effect::EndOfThread {
                if let Some(checks) = env.checks {
                    checks.end();
                }
                return Ok(Some(Stop::EndOfThread));
            }
            pass(state, op.next_ip);
        }
        Action::Fast(_) | Action::General | Action::Nop => pass(state, op.next_ip),
    }
    if WATCH == LOGGED {
        trace::after(state, op);
    }
    Ok(None)
}

/// Waits for the barrier, or passes it. Returns the generation that the thread still waits for.
#[inline]
pub(super) fn wait(state: &mut State, op: &Op, env: &GroupEnv<'_>) -> Option<u32> {
    if let Some(generation) = state.barrier {
        if !env.barrier.is_released(generation) {
            return Some(generation);
        }
        state.barrier = None;
        state.regs.set_dword(regs::NOTIFICATION, 0);
        if let Some(checks) = env.checks {
            checks.pass();
        }
    }
    pass(state, op.next_ip);
    None
}

/// Sends, and records a signalled barrier.
#[inline(always)]
fn send(state: &mut State, op: &Op, message: &SendOp, env: &GroupEnv<'_>) -> Result<Effect, Fault> {
    let effect = send::execute(state, op, message, env)?;
    if let Effect::BarrierSignalled(generation) = effect {
        state.barrier = Some(generation);
        state.notify(env);
        if let Some(checks) = env.checks {
            checks.signal();
        }
    }
    Ok(effect)
}

/// Continues at `ip`, where channels may wake.
#[inline(always)]
pub(super) fn pass(state: &mut State, ip: u32) {
    state.ip = ip;
    if ip >= state.next_wake {
        state.wake();
    }
}

fn channels(ops: &[Op]) -> u64 {
    ops.iter().map(|op| u64::from(op.exec_size)).sum()
}

#[inline(always)]
pub(super) fn count(state: &mut State, op: &Op) {
    state.counters.instructions += 1;
    state.counters.channels += u64::from(op.exec_size);
}

//! One EU thread: its state, and the loop that runs it.

use devinfo::Family;

use super::code::{Code, CodeCache};
use super::family::Rules;
use super::op::{Action, Op};
use super::operand::LANES;
use super::regs::{self, GRF_BASE, Registers};
use super::state::State;
use super::{flow, general, send, systolic, trace};
use crate::sf::Effect;
use crate::{Fault, GroupEnv};

/// How a thread starts.
#[derive(Clone, Debug)]
pub struct ThreadStart<'a> {
    /// The family whose registers the thread has.
    pub family: Family,
    /// The initial register image, from r0 on.
    pub payload: &'a [u8],
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
    /// The slot that the thread has on the device, which names its part of scratch surfaces. r0.5
    /// has its lowest ten bits only, and larger devices have more slots than those tell apart.
    pub thread_slot: u32,
    /// cr0.0 at entry: the floating-point, rounding and denormal modes of the interface
    /// descriptor (0 is round to nearest even, denormals flushed).
    pub cr0: u32,
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

/// One EU thread.
#[derive(Debug)]
pub struct Thread {
    state: State,
    grf_count: u16,
    ended: bool,
}

/// What the inner loop stopped for.
enum Pause {
    /// The instruction at the instruction pointer is not cached.
    Miss,
    Stop(Stop),
}

impl Thread {
    /// A thread at its entry point.
    pub fn new(start: &ThreadStart<'_>) -> Self {
        let rules = Rules::of(start.family);
        let mut thread = Self {
            state: State {
                rules,
                regs: Registers::new(start.family, 0),
                ip: 0,
                active: 0,
                dispatched: 0,
                simd: 0,
                parked: 0,
                call_mask: u32::MAX,
                channel_ip: [0; LANES],
                next_wake: u32::MAX,
                fp: Default::default(),
                fp_modes: Default::default(),
                usual_fp: true,
                barrier: None,
                counters: Counters::default(),
                thread_slot: 0,
                number: 0,
            },
            grf_count: 0,
            ended: false,
        };
        thread.restart(start);
        thread
    }

    /// Starts over as [`Thread::new`] would, keeping the register file's allocation.
    pub fn restart(&mut self, start: &ThreadStart<'_>) {
        let grf_count = start.grf_count.min(256);
        let state = &mut self.state;
        state.rules = Rules::of(start.family);
        state.regs.reset(start.family, grf_count);
        let grf = state.regs.grf_mut();
        let bytes = start.payload.len().min(grf.len());
        grf[..bytes].copy_from_slice(&start.payload[..bytes]);
        state.thread_slot = start.thread_slot;
        state.number = state.regs.dword(GRF_BASE + 8) & 0xff;
        state.regs.set_dword(regs::STATE, start.sr0);
        state.regs.set_dword(regs::MESSAGE_CONTROL, start.msg0);
        state.regs.set_dword(regs::STATE + 8, start.dispatch_mask);
        state.regs.set_dword(regs::CONTROL, start.cr0);
        state.reload_control();
        state.ip = start.ip as u32;
        state.active = start.dispatch_mask;
        state.dispatched = start.dispatch_mask;
        state.simd = start.simd;
        state.parked = 0;
        state.call_mask = u32::MAX;
        state.next_wake = u32::MAX;
        state.barrier = None;
        state.counters = Counters::default();
        self.grf_count = grf_count;
        self.ended = false;
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

    /// The slot that the thread has on the device.
    pub fn slot(&self) -> u32 {
        self.state.thread_slot
    }

    /// The whole state, for tests.
    #[cfg(test)]
    pub(super) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Runs at most `budget` instructions, decoded in `cache`.
    ///
    /// # Errors
    /// The fault of the instruction at [`Thread::ip`].
    pub fn run(
        &mut self,
        env: &GroupEnv<'_>,
        cache: &CodeCache,
        budget: u32,
    ) -> Result<Stop, Fault> {
        let mut left = budget;
        if self.ended {
            return Ok(Stop::EndOfThread);
        }
        self.state.notify(env);
        loop {
            let tracing = trace::enabled();
            let state = &mut self.state;
            let pause = cache.with(|code| {
                if tracing {
                    run_cached::<true>(state, code, env, &mut left)
                } else {
                    run_cached::<false>(state, code, env, &mut left)
                }
            })?;
            match pause {
                Pause::Miss => {
                    cache.load(env, self.state.rules, self.grf_count, self.state.ip)?;
                }
                Pause::Stop(stop) => {
                    self.ended = stop == Stop::EndOfThread;
                    return Ok(stop);
                }
            }
        }
    }
}

/// Runs cached instructions until one is missing, the budget is used up, or the thread stops.
fn run_cached<const TRACE: bool>(
    state: &mut State,
    code: &Code<'_>,
    env: &GroupEnv<'_>,
    left: &mut u32,
) -> Result<Pause, Fault> {
    let ops = code.ops();
    loop {
        let Some(mut index) = code.find(state.ip) else {
            return Ok(Pause::Miss);
        };
        let mut previous = index;
        // Successors in address order usually are successors in the cache, too.
        while let Some(op) = ops.get(index) {
            if op.ip != state.ip {
                // Fell out of a block.
                match code.find_near(previous, state.ip) {
                    Some(next) => index = next,
                    None => return Ok(Pause::Miss),
                }
                continue;
            }
            previous = index;
            if *left == 0 {
                return Ok(Pause::Stop(Stop::Budget));
            }
            *left -= 1;
            if TRACE {
                trace::before(state, op);
            }
            match &op.action {
                Action::Fast(fast) => fast.run(state, op),
                Action::General => general::execute(state, op)?,
                Action::Flow => {
                    flow::execute(state, op)?;
                    count(state, op);
                    if TRACE {
                        trace::after(state, op);
                    }
                    if state.ip == op.next_ip {
                        index += 1;
                    } else if let Some(target) = code.find_near(index, state.ip) {
                        index = target;
                    } else {
                        return Ok(Pause::Miss);
                    }
                    continue;
                }
                Action::Paired => {
                    if !systolic::execute_paired(state, op, env)? {
                        *left += 1;
                        return Ok(Pause::Stop(Stop::Pair));
                    }
                }
                Action::Nop => {}
                Action::Send(message) => match send::execute(state, op, message, env)? {
                    Effect::None => {}
                    Effect::BarrierSignalled(generation) => {
                        state.barrier = Some(generation);
                        state.notify(env);
                    }
                    Effect::EndOfThread => {
                        count(state, op);
                        return Ok(Pause::Stop(Stop::EndOfThread));
                    }
                },
                Action::Barrier => {
                    if let Some(generation) = state.barrier {
                        if !env.barrier.is_released(generation) {
                            *left += 1;
                            return Ok(Pause::Stop(Stop::Barrier(generation)));
                        }
                        state.barrier = None;
                        state.regs.set_dword(regs::NOTIFICATION, 0);
                    }
                }
            }
            count(state, op);
            if TRACE {
                trace::after(state, op);
            }
            state.ip = op.next_ip;
            if op.next_ip >= state.next_wake {
                state.wake();
            }
            index += 1;
        }
    }
}

#[inline(always)]
fn count(state: &mut State, op: &Op) {
    state.counters.instructions += 1;
    state.counters.channels += u64::from(op.exec_size);
}

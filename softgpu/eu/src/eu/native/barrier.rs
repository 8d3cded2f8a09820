//! Barriers in host code: a thread that waits gives the turn to another one of its group, which goes on.

use eu_native::Frame;

use super::run::{Run, show_channels, take_channels};
use crate::eu::op::{Action, Op};
use crate::eu::regs;
use crate::eu::state::State;
use crate::eu::thread::{self, Counters};
use crate::eu::turns::{Resume, Waits};

/// A barrier that threads have passed in some state, and the block with which they went on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    op: u32,
    control: u32,
    active: u32,
    dispatched: u32,
    block: u32,
}

impl Run<'_, '_> {
    /// As [`next`](Self::next), for a thread of which no channel waits: mostly what it was for the one before.
    fn next_alike(&mut self, number: u32) -> u32 {
        let state = &*self.turns.state;
        let control = state.regs.dword(regs::CONTROL);
        let (active, dispatched) = (state.active, state.dispatched);
        match self.passed {
            Some(passed)
                if passed.op == number
                    && (passed.control, passed.active, passed.dispatched)
                        == (control, active, dispatched) =>
            {
                passed.block
            }
            _ => {
                let block = self.next(number as usize);
                self.passed = Some(Passed {
                    op: number,
                    control,
                    active,
                    dispatched,
                    block,
                });
                block
            }
        }
    }

    /// Passes a barrier, or waits there while another thread goes on, if one does so in this code.
    pub fn barrier(&mut self, frame: &mut Frame, op: &Op, number: u32) -> u32 {
        let state = &mut *self.turns.state;
        state.ip = op.ip;
        let generation = match state.barrier {
            Some(generation) if !self.env.barrier.is_released(generation) => generation,
            _ => {
                take_channels(state, frame);
                thread::wait(state, op, self.env);
                show_channels(state, frame);
                return self.next(number as usize);
            }
        };
        take_channels(state, frame);
        // It has not been executed.
        frame.left += 1;
        frame.instructions -= 1;
        frame.channels -= u64::from(op.exec_size);
        state.follow_control();
        let control = state.control;
        let executed = Counters {
            instructions: frame.instructions,
            channels: frame.channels,
        };
        let together = state.parked == 0 && state.call_mask == u32::MAX;
        // The address is that of the barrier, but what is behind it is where it will go on.
        let mut resume = None;
        if together {
            state.ip = op.next_ip;
            resume = Some(self.next_alike(number));
            self.turns.state.ip = op.ip;
        }
        let resume = resume.filter(|block| *block != Frame::LEAVE);
        let (routine, barrier) = (self.routine, self.env.barrier);
        // Others round otherwise than the code in which they would go on.
        let fits = |other: &State| {
            let passes = |generation| barrier.is_released(generation);
            let at = routine.find(other.ip).map(|(at, _)| at);
            let op = at.and_then(|at| routine.ops().get(at));
            other.control == control
                && other.barrier.is_none_or(passes)
                && op.is_some_and(|op| matches!(op.action, Action::Barrier))
        };
        let code = self.translation.id;
        let waits = Waits {
            generation,
            left: frame.left as usize,
            resume: resume.map(|block| Resume {
                code,
                block,
                control,
                channels: op.exec_size,
            }),
        };
        let Some((left, resume)) = self
            .turns
            .pass(waits, (code, control), executed, barrier, fits)
        else {
            return Frame::LEAVE;
        };
        frame.left = left as u64;
        self.go_on(frame, resume.filter(|_| together))
    }

    /// The thread that has the turn now passes the barrier at which it waits. If it is known where it goes on, its
    /// channels are together, as those of the thread before it, and have not moved.
    fn go_on(&mut self, frame: &mut Frame, resume: Option<Resume>) -> u32 {
        self.changed = true;
        let state = &mut *self.turns.state;
        frame.left -= 1;
        frame.instructions = 1;
        frame.regs = state.regs.bytes_mut().as_mut_ptr();
        if let Some(resume) = resume {
            state.barrier = None;
            state.regs.set_dword(regs::NOTIFICATION, 0);
            frame.channels = resume.channels.into();
            frame.active = state.active;
            return resume.block;
        }
        state.dirty.add(self.routine.written());
        let Some((at, _)) = self.routine.find(state.ip) else {
            return Frame::LEAVE;
        };
        if let Some(op) = self.routine.ops().get(at) {
            thread::wait(state, op, self.env);
            frame.channels = op.exec_size.into();
        }
        show_channels(state, frame);
        self.next(at)
    }
}

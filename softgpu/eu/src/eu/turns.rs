//! Threads of a group that take turns: where one waits at a barrier, another one goes on, in the same host code
//! if it can.

use super::program::Code;
use super::state::State;
use super::thread::{Counters, Stop, Thread};
use crate::{Barrier, Fault, GroupEnv};

/// The thread that runs, and those that may run when it waits.
#[derive(Debug)]
pub(super) struct Turns<'s> {
    /// That of the thread that runs.
    pub state: &'s mut State,
    /// Its place among the threads.
    place: usize,
    others: Vec<Member<'s>>,
    /// Of these, the one whose turn is next.
    next: usize,
}

/// A thread that does not run.
#[derive(Debug)]
struct Member<'s> {
    state: &'s mut State,
    place: usize,
    /// How many ops it may still execute.
    left: usize,
    /// Why it has stopped, once it has run.
    stop: Option<Stop>,
    /// Where it goes on behind the barrier at which it waits, if all of its channels do there.
    resume: Option<Resume>,
}

/// Where a thread goes on behind a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resume {
    /// The number of the host code, and that of the block there.
    pub code: u64,
    /// See [`code`](Self::code).
    pub block: u32,
    /// The modes, as cr0.0.
    pub control: u32,
    /// The channels of the barrier's op.
    pub channels: u8,
}

/// How a thread waits at a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    /// For this generation of it.
    pub generation: u32,
    /// How many ops it may still execute.
    pub left: usize,
    /// See [`Resume`].
    pub resume: Option<Resume>,
}

impl Member<'_> {
    /// Whether it has not run, or what it waited for has happened.
    fn is_ready(&self, barrier: &Barrier) -> bool {
        match self.stop {
            None => true,
            Some(Stop::Barrier(generation)) => self.left != 0 && barrier.is_released(generation),
            Some(_) => false,
        }
    }
}

impl<'s> Turns<'s> {
    /// A thread that has the turn to itself.
    pub fn alone(state: &'s mut State) -> Self {
        Self {
            state,
            place: 0,
            others: Vec::new(),
            next: 0,
        }
    }

    /// The thread that runs waits, and has executed so much. The next one has the turn that goes on in this code and
    /// with this value of cr0.0, or for which `fits` holds; returns how many ops it may execute, and where it goes on
    /// if that is known.
    pub fn pass(
        &mut self,
        waits: Waits,
        here: (u64, u32),
        executed: Counters,
        barrier: &Barrier,
        fits: impl Fn(&State) -> bool,
    ) -> Option<(usize, Option<Resume>)> {
        let known = |resume: &Resume| (resume.code, resume.control) == here;
        let ready = |other: &Member<'_>| {
            other.left != 0
                && other.is_ready(barrier)
                && (other.resume.as_ref().is_some_and(known) || fits(other.state))
        };
        let (other, place) = self.change(ready)?;
        let resume = other.resume.filter(|resume| known(resume));
        // The two have changed places.
        other.state.counters += executed;
        other.stop = Some(Stop::Barrier(waits.generation));
        other.resume = waits.resume;
        let left = core::mem::replace(&mut other.left, waits.left);
        self.next = place + 1;
        Some((left, resume))
    }

    /// The thread that runs has stopped, and might still execute `left` ops. The next one that is ready has the turn;
    /// returns how many ops it may execute.
    fn stop(&mut self, (stop, left): (Stop, usize), barrier: &Barrier) -> Option<usize> {
        let (other, place) = self.change(|other| other.is_ready(barrier))?;
        other.stop = Some(stop);
        other.resume = None;
        let left = core::mem::replace(&mut other.left, left);
        self.next = place + 1;
        Some(left)
    }

    /// The next thread for which `ready` holds has the turn. Returns what was known of it, with the state of the one
    /// that ran, and its place among the others.
    fn change(&mut self, ready: impl Fn(&Member<'_>) -> bool) -> Option<(&mut Member<'s>, usize)> {
        let count = self.others.len();
        let mut places = (self.next..count).chain(0..self.next.min(count));
        let place = places.find(|&place| self.others.get(place).is_some_and(&ready))?;
        let other = self.others.get_mut(place)?;
        core::mem::swap(&mut self.state, &mut other.state);
        core::mem::swap(&mut self.place, &mut other.place);
        Some((other, place))
    }
}

impl Thread {
    /// Runs threads of a group in turn, each for at most `budget` instructions, as far as they get: one that waits at
    /// a barrier goes on once that has passed. Returns what they have executed, and why each stopped.
    ///
    /// # Errors
    /// The first fault, and which of the threads it is of.
    pub fn take_turns(
        threads: &mut [&mut Self],
        env: &GroupEnv<'_>,
        code: &Code,
        budget: u32,
    ) -> Result<(Counters, Vec<Stop>), (usize, Fault)> {
        let mut stops = vec![Stop::EndOfThread; threads.len()];
        let mut before = Counters::default();
        let budget = budget as usize;
        let mut members = threads.iter_mut().enumerate().map(|(place, thread)| {
            before += thread.counters();
            Member {
                stop: thread.has_ended().then_some(Stop::EndOfThread),
                state: thread.take_turn(),
                place,
                left: budget,
                resume: None,
            }
        });
        let Some(first) = members.next() else {
            return Ok((before, stops));
        };
        let mut turns = Turns {
            state: first.state,
            place: first.place,
            others: members.collect(),
            next: 0,
        };
        let mut left = first.left;
        let mut last = first.stop;
        let stop = loop {
            let stop = match last.take() {
                Some(stop) => stop,
                None => match turns.proceed(env, code, &mut left) {
                    Ok(stop) => stop,
                    Err(fault) => return Err((turns.place, fault)),
                },
            };
            match turns.stop((stop, left), env.barrier) {
                Some(next) => left = next,
                None => break stop,
            }
        };
        let mut executed = turns.state.counters;
        if let Some(own) = stops.get_mut(turns.place) {
            *own = stop;
        }
        for other in turns.others {
            executed += other.state.counters;
            if let (Some(own), Some(stop)) = (stops.get_mut(other.place), other.stop) {
                *own = stop;
            }
        }
        executed.instructions -= before.instructions;
        executed.channels -= before.channels;
        for (thread, stop) in threads.iter_mut().zip(&stops) {
            thread.stopped(*stop);
        }
        Ok((executed, stops))
    }
}

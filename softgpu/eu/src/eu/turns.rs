//! Threads of a group that take turns: where one waits at a barrier or has ended, another one goes on, in the same host
//! code if it can.

use eu_native::{Left, Seat};

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
    /// All threads, unless there is only one.
    pub members: Vec<Member<'s>>,
    /// What host code knows of them.
    pub seats: Vec<Seat>,
    /// The number of the host code that the seats are for.
    pub code: Option<u64>,
}

/// One of the threads.
#[derive(Debug)]
pub(super) struct Member<'s> {
    /// Unless it runs.
    pub state: Option<&'s mut State>,
    /// How many ops it may still execute.
    pub left: usize,
    /// Why it has stopped, once it has run.
    pub stop: Option<Stop>,
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
            members: Vec::new(),
            seats: Vec::new(),
            code: None,
        }
    }

    /// The thread at `place` has the turn.
    fn hand_over(&mut self, place: usize) {
        let next = self.members.get_mut(place);
        if let Some(next) = next.and_then(|member| member.state.take()) {
            let state = core::mem::replace(&mut self.state, next);
            if let Some(own) = self.members.get_mut(self.place) {
                own.state = Some(state);
            }
            self.place = place;
        }
    }

    /// The thread of this seat, to which host code has come, has the turn; returns whether it is another one.
    #[inline]
    pub fn follow(&mut self, seat: *mut Seat) -> bool {
        if seat.is_null() {
            return false;
        }
        let first = self.seats.as_ptr().addr();
        let place = (seat.addr() - first) / size_of::<Seat>();
        let other = place != self.place;
        if other {
            self.hand_over(place);
        }
        other
    }

    /// The seat of the thread that runs, which host code does not give the turn.
    pub fn seat(&mut self) -> *mut Seat {
        let Some(seat) = self.seats.get_mut(self.place) else {
            return core::ptr::null_mut();
        };
        seat.regs = self.state.regs.bytes_mut().as_mut_ptr();
        seat.resume = core::ptr::null();
        self.seats.as_mut_ptr().wrapping_add(self.place)
    }

    /// The thread that runs has stopped, and might still execute `left` ops. The next one that is ready has the turn;
    /// returns how many ops it may execute.
    fn stop(&mut self, (stop, left): (Stop, usize), barrier: &Barrier) -> Option<usize> {
        let count = self.members.len();
        if let Some(own) = self.members.get_mut(self.place) {
            (own.stop, own.left) = (Some(stop), left);
        }
        let mut places = (self.place + 1..count).chain(0..self.place);
        let ready = |place: &usize| {
            let member = self.members.get(*place);
            member.is_some_and(|member| member.is_ready(barrier))
        };
        let place = places.find(ready)?;
        self.hand_over(place);
        if let Some(seat) = self.seats.get_mut(place) {
            seat.resume = core::ptr::null();
        }
        Some(self.members.get(place)?.left)
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
        let members = threads.iter_mut().map(|thread| {
            before += thread.counters();
            Member {
                stop: thread.has_ended().then_some(Stop::EndOfThread),
                state: Some(thread.take_turn()),
                left: budget,
            }
        });
        let mut members: Vec<Member<'_>> = members.collect();
        let Some(state) = members.first_mut().and_then(|first| first.state.take()) else {
            return Ok((before, stops));
        };
        let mut turns = Turns {
            state,
            place: 0,
            seats: seats(members.len()),
            members,
            code: None,
        };
        let mut left = budget;
        let mut last = turns.members.first().and_then(|first| first.stop);
        loop {
            let stop = match last.take() {
                Some(stop) => stop,
                None => match turns.proceed(env, code, &mut left) {
                    Ok(stop) => stop,
                    Err(fault) => return Err((turns.place, fault)),
                },
            };
            match turns.stop((stop, left), env.barrier) {
                Some(next) => left = next,
                None => break,
            }
        }
        let mut executed = turns.state.counters;
        for (own, member) in stops.iter_mut().zip(turns.members) {
            if let Some(state) = member.state {
                executed += state.counters;
            }
            if let Some(stop) = member.stop {
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

/// The seats of so many threads, which host code does not give their turns.
fn seats(count: usize) -> Vec<Seat> {
    let seat = |_| Seat {
        regs: core::ptr::null_mut(),
        resume: core::ptr::null(),
        next: core::ptr::null_mut(),
        left: 0,
        instructions: 0,
        channels: 0,
        active: 0,
        generation: 0,
        was: Left::Not,
        op: 0,
    };
    let mut seats: Vec<Seat> = (0..count).map(seat).collect();
    let first = seats.as_mut_ptr();
    for (place, seat) in seats.iter_mut().enumerate() {
        seat.next = first.wrapping_add((place + 1) % count);
    }
    seats
}

//! Threads that begin one after the other in one register file.

use core::num::NonZero;
use core::ops::Range;

use super::lines::Lines;
use super::native::{self, Clean, Relayed, Start};
use super::program::Code;
use super::regs;
use super::thread::{Counters, Stop, Thread, ThreadStart};
use crate::{Fault, GroupEnv};

/// What a relay came to.
#[derive(Debug, Default)]
pub struct Relay {
    /// How many threads ended: the first ones.
    pub ended: usize,
    /// What they have executed, and the one after them.
    pub executed: Counters,
    /// Of the thread after them, if one has begun: why it stopped. It has the registers.
    pub last: Option<Result<Stop, Fault>>,
    /// The last one ran other code than that with which threads begin, too: it may have met others.
    pub outside: bool,
}

/// How a register file in which a thread has ended gets the next one's registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Refill {
    /// The payload's bytes, and those of the register file.
    sizes: (usize, usize),
    /// That of the code with which threads begin.
    id: Option<NonZero<u64>>,
    /// What may have been written when a thread ends.
    dirty: Lines,
    clean: Clean,
    /// The last thread ended in that code.
    pub(super) holds: bool,
    /// How many threads are prepared at once: one, if the one before did not end in that code.
    ahead: usize,
}

impl Refill {
    fn of(sizes: (usize, usize), written: &Lines, host: &Start) -> Self {
        let filled = regs::GRF_BASE..regs::GRF_BASE + sizes.0;
        let mut dirty = Lines::of_payload(sizes.0);
        dirty.add(written);
        // Lines that a start writes in part, too: an earlier kernel may have left something in them.
        let unclean = dirty.without(&Lines::inside(filled));
        Self {
            sizes,
            id: host.id(),
            dirty,
            clean: Clean::new(&unclean.without(host.settled()), sizes.1),
            holds: false,
            ahead: 1,
        }
    }

    fn is_of(&self, sizes: (usize, usize), host: &Start) -> bool {
        self.sizes == sizes && self.id.is_some() && self.id == host.id()
    }
}

impl Thread {
    /// Runs `count` threads of a kernel that begin as `start` says of each, one after the other, each for
    /// at most `budget` instructions. The first one that does not end, or not in host code, is the last one to begin.
    pub fn relay<'s>(
        &mut self,
        count: usize,
        start: impl Fn(usize) -> ThreadStart<'s>,
        env: &GroupEnv<'_>,
        code: &Code,
        budget: u32,
    ) -> Relay {
        let mut relay = Relay::default();
        while relay.ended < count && !relay.outside {
            let (mut stop, mut before) = (None, Counters::default());
            match self.together(relay.ended..count, &start, (env, code), budget) {
                Some(Relayed {
                    ended,
                    executed,
                    last,
                }) => {
                    relay.ended += ended;
                    relay.executed += executed;
                    if let Some(last) = last {
                        before = self.counters();
                        let go_on = |left| match code.first(self.state().ip) {
                            Some((routine, at, _))
                                if before.instructions != 0
                                    && native::waits_for_slice(routine, at, left) =>
                            {
                                Ok(Stop::Budget)
                            }
                            _ => self.proceed(env, code, left),
                        };
                        stop = Some(last.map_err(|fault| *fault).and_then(go_on));
                    }
                }
                None => {
                    self.restart(&start(relay.ended));
                    stop = Some(self.run(env, code, budget));
                }
            }
            let Some(stop) = stop else { continue };
            relay.outside = true;
            let after = self.counters();
            relay.executed += Counters {
                instructions: after.instructions.wrapping_sub(before.instructions),
                channels: after.channels.wrapping_sub(before.channels),
            };
            match stop {
                Ok(Stop::EndOfThread) => relay.ended += 1,
                stop => relay.last = Some(stop),
            }
        }
        relay
    }

    /// Starts over like [`restart`](Self::restart), as a thread of a group whose threads take turns. What the code with
    /// which it begins does not read before it writes it is not cleared, if that is known.
    pub fn start_over(&mut self, start: &ThreadStart<'_>, code: &Code) {
        if self.renew(start, code).is_none() {
            self.restart(start);
        }
    }

    fn renew(&mut self, start: &ThreadStart<'_>, code: &Code) -> Option<()> {
        code.compile()?;
        self.place(start);
        let (routine, host) = code.start(self.state())?;
        let sizes = (start.payload.len(), self.state().regs.bytes().len());
        if !self.fits(start) {
            return None;
        }
        if !self.refill.is_of(sizes, &host) {
            self.refill = Refill::of(sizes, routine.written(), &host);
        }
        if !self.is_cleaned() {
            return None;
        }
        let (state, refill) = self.parts();
        state.dirty = refill.dirty;
        state.regs.refill(refill.clean.offsets(), start.payload);
        state.set_start(start);
        Some(())
    }

    /// Runs those of the threads that begin with the same host code, as far as it goes.
    #[inline]
    fn together<'s>(
        &mut self,
        threads: Range<usize>,
        start: &impl Fn(usize) -> ThreadStart<'s>,
        (env, code): (&GroupEnv<'_>, &Code),
        budget: u32,
    ) -> Option<Relayed> {
        // What is checked is interpreted.
        code.compile().filter(|_| env.checks.is_none())?;
        let first = start(threads.start);
        self.place(&first);
        let (routine, host) = code.start(self.state())?;
        if !self.fits(&first) {
            self.restart(&first);
        }
        let sizes = (first.payload.len(), self.state().regs.bytes().len());
        if !self.refill.is_of(sizes, &host) {
            self.refill = Refill::of(sizes, routine.written(), &host);
        }
        if !self.refill.holds && !self.is_cleaned() {
            self.restart(&first);
        }
        self.refill.holds = true;
        let (state, refill) = self.parts();
        state.dirty = refill.dirty;
        let starts = (&first, threads.map(start).take(refill.ahead));
        let slice = (&refill.clean, budget as usize);
        let relayed = native::relay(state, routine, &host, starts, slice, env)?;
        self.refill.ahead = match relayed.last {
            None => usize::MAX,
            Some(_) => 1,
        };
        Some(relayed)
    }

    /// Whether the relay's cleaning leaves nothing in the registers.
    #[inline(never)]
    fn is_cleaned(&self) -> bool {
        self.state().dirty.without(&self.refill.dirty).is_empty()
    }
}

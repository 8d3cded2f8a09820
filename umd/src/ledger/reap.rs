//! Forgets commands that have ended, so that their memory can be used again.
//!
//! Mostly nobody can notice the end of a command: its event was dropped, and nothing waits for it. Then
//! there is nothing to say, and it is only taken out.

use std::sync::atomic::Ordering;
use std::time::Duration;

use kmd_iface::{Fence, Kmd};

use crate::event::Submitted;
use crate::launch::Oldest;

use super::{InFlight, Ledger};

/// How long a look at the completion tags is good enough for those who enqueue: the GPU writes them all the
/// time, and to read what another processor writes takes long.
const LOOKED: Duration = Duration::from_micros(10);

impl Ledger {
    /// [Reaps](Self::reap), if nobody has just done so. From a ring, commands whose end nobody can notice are
    /// left to those who [make room](Self::make_room).
    pub(crate) fn reap_now_and_then(&self, kmd: &dyn Kmd, now: Duration) {
        let last = Duration::from_nanos(self.looked.load(Ordering::Relaxed));
        if now.saturating_sub(last) >= LOOKED {
            let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
            self.looked.store(now, Ordering::Relaxed);
            if !self.glance() {
                self.reap(kmd);
            }
        }
    }

    /// Looks at the tags, if the oldest command is one of a ring whose end nobody can notice.
    fn glance(&self) -> bool {
        let mut state = self.lock();
        let Some(first) = state.in_flight.front_mut() else {
            return true;
        };
        if !self.is_in_ring(first.submitted.fence.seqno) || !first.is_unseen() {
            return false;
        }
        let prepared = &first.submitted.prepared;
        if prepared.number <= prepared.last_ended()
            && let Some(nanos) = first.nanos()
        {
            self.took(nanos);
        }
        true
    }

    /// What of the queue's heap is in use. Takes out the oldest commands of which the GPU is known to have left
    /// the memory, from a ring, and whose end nobody can notice: no more than two at a time, so that
    /// their memory becomes that of the next ones.
    pub(crate) fn make_room(&self) -> (Oldest, [Option<InFlight>; 2]) {
        let mut state = self.lock();
        let gone = [(); 2].map(|()| {
            let first = state.in_flight.front_mut()?;
            let is_passed = self.is_in_ring(first.submitted.fence.seqno)
                && first.submitted.prepared.number < first.submitted.prepared.known_ended();
            match is_passed && first.is_unseen() {
                true => state.pop(),
                false => None,
            }
        });
        (state.places(), gone)
    }

    /// Forgets commands that have ended, so that their memory can be used again. Looks at the
    /// completion tags: while commands run, there is no system call.
    pub(crate) fn reap(&self, kmd: &dyn Kmd) {
        let Some((tagged, nanos, unseen)) = self.tagged() else {
            return;
        };
        if let Some(nanos) = nanos {
            self.took(nanos);
        }
        drop(unseen);
        let (last, number, is_in_ring) = (tagged.fence, tagged.number, tagged.is_in_ring);
        self.end_from(tagged.oldest, &Ok(()), |command| {
            command.is_passed_by(last, number, is_in_ring)
        });
        if is_in_ring || !tagged.is_last {
            return;
        }
        // The tag is written before the batch's last command is read.
        match kmd.is_done(last) {
            Ok(false) => {}
            Ok(true) => self.ended(last.seqno, &Ok(())),
            Err(error) => self.ended(last.seqno, &Err(error)),
        }
    }

    /// The last command that has ended. Takes out the first ones of which the GPU has left the memory and
    /// whose end nobody can notice, and says how many nanoseconds the last of them took, if that is known.
    fn tagged(&self) -> Option<(Tagged, Option<u64>, Vec<InFlight>)> {
        let mut state = self.lock();
        let done = state.done();
        let last = &state.in_flight.get(done.checked_sub(1)?)?.submitted;
        let (fence, number) = (last.fence, last.prepared.number);
        let is_in_ring = self.is_in_ring(fence.seqno);
        let is_last = done == state.in_flight.len();
        let is_passed =
            |command: &InFlight| command.submitted.is_passed_by(fence, number, is_in_ring);
        let mut unseen = Vec::new();
        let mut nanos = None;
        while let Some(first) = state.in_flight.front_mut()
            && is_passed(first)
            && first.is_unseen()
        {
            // Its timestamps are read before its memory is that of another one.
            nanos = first.nanos();
            unseen.reserve(if unseen.is_empty() { done } else { 0 });
            unseen.extend(state.pop());
        }
        let oldest = state.in_flight.front();
        let tagged = Tagged {
            fence,
            number,
            is_in_ring,
            is_last,
            oldest: oldest.filter(|command| is_passed(command)).cloned(),
        };
        Some((tagged, nanos, unseen))
    }
}

impl InFlight {
    /// Whether nobody can notice its end: there is nothing to say then, and to nobody.
    fn is_unseen(&mut self) -> bool {
        self.submitted.dependencies.is_empty() && self.event.is_unseen()
    }

    /// How many nanoseconds it took, if it has ended, and ran something.
    fn nanos(&self) -> Option<u64> {
        self.event.nanos(&self.submitted)
    }
}

/// The last command that has ended, by its tag, from the oldest on.
struct Tagged {
    fence: Fence,
    number: u64,
    /// Its batch is a ring that the GPU reads.
    is_in_ring: bool,
    /// None is behind it: then the end of its batch is known from the kernel driver only.
    is_last: bool,
    /// The oldest command, if the GPU has left its memory.
    oldest: Option<InFlight>,
}

impl Submitted {
    /// Whether the GPU has left its memory: a batch has ended when one after it has done something, and so
    /// has each part of a ring. The last command that has done something is `number`, of batch `last`.
    fn is_passed_by(&self, last: Fence, number: u64, is_in_ring: bool) -> bool {
        self.fence.seqno < last.seqno || is_in_ring && self.prepared.number < number
    }
}

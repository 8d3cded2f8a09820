//! The ring of a queue: work for the GPU without a call into the kernel.
//!
//! A batch that the kernel driver has once stays in slots of memory. In each slot it waits for its
//! turn, then runs the batch of that slot, which ends with a jump to the next one (Intel's
//! compute-runtime, `shared/source/direct_submission`). So more work is a write to memory: the
//! batch's address to the slot, the turn of the slot behind it, then the semaphore. Until it is
//! stopped, all of it is one submission to the kernel driver, with one fence.
//!
//! What is bound when it is started is all that it is sure to reach: i915 makes resident what a
//! submission names. So it is stopped, and started anew, when memory was bound meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use batchbuffer::Spot;
use batchbuffer::dispatch::{Commands, SLOT_DWORDS, Slot};
use devinfo::GpuAddress;
use kmd_iface::{Fence, KmdError};
use zerocopy::IntoBytes;

use crate::device::DeviceInner;
use crate::error::{DeviceError, Error, refused};
use crate::memory::{Bo, Use};

use super::error::{CloseError, marker_error};
use super::heap::{HeapMemory, PREFETCH, UNIT};

/// How many slots there are.
const SLOTS: u32 = 512;
/// Where the semaphore lies, the batch that ends a run, and the slots.
const SEMAPHORE: u32 = 0;
const END: u32 = UNIT;
const FIRST: u32 = 4 << 10;
const SLOT: u32 = SLOT_DWORDS as u32 * 4;
/// How long the GPU runs from the ring before it is started anew. Kernel drivers end batches that
/// take seconds.
const LONGEST: Duration = Duration::from_millis(500);
/// The last turn: later ones would be smaller numbers.
const LAST: u32 = u32::MAX - 2 * SLOTS;

/// The ring of a queue.
#[derive(Debug)]
pub(super) struct Ring {
    bo: Arc<Bo>,
    /// A slot, for another place.
    slot: Vec<u32>,
    turn: Spot,
    batch: Spot,
    /// What a batch ends with, and where that has the next slot's address.
    jump: (Vec<u32>, Spot),
    /// The slot of the next batch; its turn is in memory.
    next: u32,
    /// The number of a command for each slot: once it has ended, the GPU has left the slot.
    numbers: Vec<u64>,
    running: Option<Run>,
}

/// The GPU reads the ring.
#[derive(Debug)]
struct Run {
    /// What the kernel driver calls it.
    fence: Fence,
    /// How often memory had been bound by then.
    bindings: u64,
    since: Instant,
    /// The next slot when somebody last looked whether it is in use.
    seen: u32,
}

impl Ring {
    pub(super) fn new(device: &DeviceInner) -> Result<Self, Error> {
        let what = "queue's ring";
        let size = FIRST + SLOTS * SLOT + PREFETCH;
        let bo = device.registry.create(size.into(), Use::Shared, what);
        let bo = bo.map_err(refused(what))?;
        let commands = device.commands;
        let mut end = Vec::new();
        commands.end(&mut end).map_err(marker_error)?;
        let [mut slot, mut jump] = [const { Vec::new() }; 2];
        let at = commands.jump(bo.address(), &mut jump);
        let at = at.map_err(marker_error)?;
        let mut spots = None;
        for number in 0..SLOTS {
            slot.clear();
            let place = slot_at(&bo, commands, number, &mut slot).map_err(marker_error)?;
            write(&bo, FIRST + number * SLOT, &slot)?;
            spots = Some(place);
        }
        write(&bo, END, &end)?;
        let (turn, batch) = spots.ok_or(DeviceError::Internal("a ring without slots"))?;
        let mut ring = Self {
            bo,
            slot,
            turn,
            batch,
            jump: (jump, at),
            next: 1,
            numbers: vec![0; SLOTS as usize],
            running: None,
        };
        ring.set_turn(1)?;
        Ok(ring)
    }

    /// The fence of the submission that the GPU reads the ring by.
    pub(super) fn fence(&self) -> Option<Fence> {
        self.running.as_ref().map(|run| run.fence)
    }

    /// Whether more work can go to the GPU: the slots of the next batch, and of the end behind it, are
    /// free.
    pub(super) fn has_room(&self, memory: &HeapMemory) -> bool {
        let free = |slot: u32| {
            let number = self.numbers.get(index(slot)).copied();
            number.is_some_and(|number| memory.has_ended(number))
        };
        self.next < LAST && (self.next + 1..self.next + 4).all(free)
    }

    /// Whether it has to be stopped before more work goes to it: memory was bound since it was
    /// started.
    pub(super) fn is_stale(&self, bindings: u64) -> bool {
        let run = self.running.as_ref();
        run.is_some_and(|run| run.bindings != bindings)
    }

    /// Whether nothing has come since the last call, or it has run for long.
    pub(super) fn is_idle(&mut self) -> bool {
        let Some(run) = &mut self.running else {
            return false;
        };
        let seen = std::mem::replace(&mut run.seen, self.next);
        seen == self.next || run.since.elapsed() > LONGEST
    }

    /// What a batch in the next slot ends with.
    pub(super) fn end_batch(&self, words: &mut Vec<u32>) -> Result<(), CloseError> {
        let (jump, place) = &self.jump;
        let first = words.len();
        words.extend_from_slice(jump);
        let words = words.get_mut(first..).unwrap_or_default();
        let next = self.address(self.next.wrapping_add(1));
        Ok(place.put(words, next).map_err(marker_error)?)
    }

    /// Gives a batch to the GPU, whose last command has this number. `submit` starts the GPU, if it
    /// does not read the ring: with the address of its first slot, and its bytes.
    pub(super) fn put(
        &mut self,
        (batch, number): (GpuAddress, u64),
        bindings: u64,
        submit: impl FnOnce(GpuAddress, u64) -> Result<Fence, KmdError>,
    ) -> Result<Fence, CloseError> {
        let slot = self.next;
        self.fill(batch, number)?;
        if let Some(run) = &self.running {
            return Ok(run.fence);
        }
        let fence = submit(self.address(slot), SLOT.into()).map_err(CloseError::Refused)?;
        self.running = Some(Run {
            fence,
            bindings,
            since: Instant::now(),
            seen: slot,
        });
        Ok(fence)
    }

    /// Has the GPU end its batch behind all that the ring has. Gives the batch's fence.
    pub(super) fn stop(&mut self, number: u64) -> Result<Option<Fence>, DeviceError> {
        let Some(run) = self.running.take() else {
            return Ok(None);
        };
        // The GPU leaves this slot before the next run's first command ends.
        let end = self.bo.address().offset(END.into());
        self.fill(end, number + 1)?;
        Ok(Some(run.fence))
    }

    /// The GPU reads it no more.
    pub(super) fn forget(&mut self) {
        self.running = None;
    }

    /// Puts a batch to the next slot, and lets the GPU go on to it.
    fn fill(&mut self, batch: GpuAddress, number: u64) -> Result<(), DeviceError> {
        let slot = self.next;
        self.batch.put(&mut self.slot, batch).map_err(unfit)?;
        let first = self.batch.dword();
        let address = self.slot.get(first..first + 2).unwrap_or_default();
        write(&self.bo, place(slot) + first as u32 * 4, address)?;
        if let Some(kept) = self.numbers.get_mut(index(slot)) {
            *kept = number;
        }
        self.next += 1;
        self.set_turn(self.next)?;
        match self.bo.memory().release(SEMAPHORE as usize, slot) {
            true => Ok(()),
            false => Err(BEYOND),
        }
    }

    /// Writes when it is a slot's turn.
    fn set_turn(&mut self, slot: u32) -> Result<(), DeviceError> {
        self.turn.put(&mut self.slot, slot).map_err(unfit)?;
        let dword = self.turn.dword();
        let turn = self.slot.get(dword..dword + 1).unwrap_or_default();
        write(&self.bo, place(slot) + dword as u32 * 4, turn)
    }

    fn address(&self, slot: u32) -> GpuAddress {
        self.bo.address().offset(place(slot).into())
    }
}

const BEYOND: DeviceError = DeviceError::Internal("a write beyond a ring");

fn unfit(_: batchbuffer::EncodeError) -> DeviceError {
    DeviceError::Internal("a slot of a ring that does not take its batch")
}

fn index(slot: u32) -> usize {
    (slot % SLOTS) as usize
}

fn place(slot: u32) -> u32 {
    FIRST + slot % SLOTS * SLOT
}

fn write(bo: &Bo, place: u32, words: &[u32]) -> Result<(), DeviceError> {
    match bo.memory().write(place as usize, words.as_bytes()) {
        true => Ok(()),
        false => Err(BEYOND),
    }
}

/// A slot for nobody's turn. Gives where its turn is, and the address of its batch.
fn slot_at(
    bo: &Bo,
    commands: &dyn Commands,
    number: u32,
    out: &mut Vec<u32>,
) -> Result<(Spot, Spot), batchbuffer::dispatch::DispatchError> {
    let slot = Slot {
        address: bo.address().offset(place(number).into()),
        semaphore: bo.address().offset(SEMAPHORE.into()),
        turn: u32::MAX,
        batch: bo.address().offset(END.into()),
    };
    let spots = commands.slot(&slot, out)?;
    Ok((spots.turn, spots.batch))
}

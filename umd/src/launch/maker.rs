//! Makes commands: writes their states, payloads and batches to the queue's heap.

use std::time::Duration;

use batchbuffer::dispatch::{FrontEnd, Scratch, Setup};
use devinfo::GpuAddress;
use kmd_iface::{Fence, KmdError};
use zerocopy::IntoBytes;

use crate::clock::Pair;
use crate::device::DeviceInner;
use crate::error::{DeviceError, Error, refused};
use crate::printf;

use super::check::Launch;
use super::error::{CloseError, MakeError, dispatch_error, marker_error};
use super::frame::Frame;
use super::heap::{Heap, HeapMemory, Oldest, Places, Take};
use super::layout::STAMPS;
use super::prepared::{Contents, Launched, Prepared};
use super::ring::Ring;
use super::slots::QueueMemory;
use super::staging::{Staging, Start};
use super::work::Work;

/// What a queue makes its commands with.
#[derive(Debug)]
pub(crate) struct Maker {
    heap: Heap,
    frame: Frame,
    memory: QueueMemory,
    /// What the context's front end was told last; nothing before the first kernel.
    front_end: Option<FrontEnd>,
    /// The number of the last command that was made.
    number: u64,
    staging: Staging,
    /// The batch that the kernel driver does not have yet; its packets are in `staging`.
    open: Option<OpenBatch>,
    ring: Option<Ring>,
    /// The clocks, as they were read last.
    clocks: Option<Pair>,
    /// The numbers of the last commands of the two batches that the kernel driver has taken last.
    taken: [u64; 2],
}

/// A batch that takes more commands.
#[derive(Debug)]
struct OpenBatch {
    /// Where it goes.
    place: u32,
    /// The dwords that it has room for.
    room: usize,
    commands: u64,
}

/// The room of a batch that may grow, in dwords.
const ROOM: usize = 4 << 10;
/// The most dwords that end a batch, or jump from it to another.
const END: usize = 3;

/// A command that was added to the open batch.
#[derive(Debug)]
pub(crate) struct Made {
    pub prepared: Prepared,
    pub places: Places,
}

impl Maker {
    /// With an empty heap.
    pub(crate) fn new(device: &DeviceInner) -> Result<Self, Error> {
        let heap = Heap::new(device)?;
        let frame = Frame::new(device.commands, heap.memory().tag());
        Ok(Self {
            heap,
            frame: frame.map_err(marker_error)?,
            memory: QueueMemory::default(),
            front_end: None,
            number: 0,
            staging: Staging::default(),
            open: None,
            ring: None,
            clocks: None,
            taken: [0; 2],
        })
    }

    /// Gives it a ring, for work that needs no submission.
    pub(crate) fn with_ring(mut self, device: &DeviceInner) -> Result<Self, Error> {
        self.ring = Some(Ring::new(device)?);
        Ok(self)
    }

    /// Both clocks about `now`.
    pub(crate) fn clocks(&mut self, device: &DeviceInner, now: Duration) -> Option<Pair> {
        if !self.clocks.is_some_and(|pair| pair.is_of(now)) {
            self.clocks = device.clock.pair(device.kmd().as_ref(), now);
        }
        self.clocks
    }

    /// Whether a batch of one command can go to the ring.
    pub(crate) fn rings(&self) -> bool {
        let memory = self.heap.memory();
        let ring = self.ring.as_ref();
        !self.is_open() && ring.is_some_and(|ring| ring.has_room(memory))
    }

    /// Whether the ring has to be stopped before more work goes to it.
    pub(crate) fn is_stale(&self, device: &DeviceInner) -> bool {
        let bindings = device.registry.bindings();
        let ring = self.ring.as_ref();
        ring.is_some_and(|ring| ring.is_stale(bindings))
    }

    /// Whether the GPU reads the ring.
    pub(crate) fn runs(&self) -> bool {
        self.ring
            .as_ref()
            .is_some_and(|ring| ring.fence().is_some())
    }

    /// Whether the GPU reads the ring, but for nothing new since the last call, or since long.
    pub(crate) fn is_idle(&mut self) -> bool {
        self.ring.as_mut().is_some_and(Ring::is_idle)
    }

    /// Stops the ring, if the GPU reads it: its batch ends behind all that it was given. Gives the
    /// batch's fence.
    pub(crate) fn stop(&mut self) -> Result<Option<Fence>, DeviceError> {
        match &mut self.ring {
            Some(ring) => {
                let open = self.open.as_ref().map_or(0, |open| open.commands);
                let last = self.number - open;
                let stopped = ring.stop(last)?;
                if stopped.is_some() {
                    self.taken = [self.taken[1], last];
                }
                Ok(stopped)
            }
            None => Ok(None),
        }
    }

    /// Gives the open batch to the ring, which `submit` starts if the GPU does not read it: with the
    /// address of its first batch, and its bytes. Gives the fence of that submission.
    pub(crate) fn ring(
        &mut self,
        device: &DeviceInner,
        submit: impl FnOnce(GpuAddress, u64) -> Result<Fence, KmdError>,
    ) -> Result<Fence, CloseError> {
        let outcome = self.put_to_ring(device, submit);
        if outcome.is_err() {
            self.front_end = None;
        }
        self.open = None;
        self.staging.words.clear();
        outcome
    }

    fn put_to_ring(
        &mut self,
        device: &DeviceInner,
        submit: impl FnOnce(GpuAddress, u64) -> Result<Fence, KmdError>,
    ) -> Result<Fence, CloseError> {
        let (Some(open), Some(ring)) = (&self.open, &mut self.ring) else {
            return Err(DeviceError::Internal("a ring without work").into());
        };
        let (memory, words) = (self.heap.memory(), &mut self.staging.words);
        ring.end_batch(words)?;
        memory.write(open.place, words.as_bytes())?;
        let batch = (memory.address(open.place), self.number);
        ring.put(batch, device.registry.bindings(), submit)
    }

    /// Whether there is an open batch.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// How many commands the open batch has.
    pub(crate) fn commands(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.commands)
    }

    /// Whether the GPU still has to do with the last batch that the kernel driver took or, if
    /// `deeply`, even with the one before.
    pub(crate) fn is_busy(&self, deeply: bool) -> bool {
        let [before, last] = self.taken;
        let awaited = if deeply { before } else { last };
        !self.heap.memory().has_ended(awaited)
    }

    /// Makes a command and adds it to the open batch, or to a new one, with room for more if it
    /// `grows`. `oldest` says what of the heap is in use.
    ///
    /// # Errors
    /// See [`MakeError`]. Then it is as if nothing had been made.
    pub(crate) fn make(
        &mut self,
        device: &DeviceInner,
        work: &Work,
        oldest: Oldest,
        grows: bool,
    ) -> Result<Made, MakeError> {
        let before = self.staging.words.len();
        let made = self.add(device, work, oldest, grows);
        if made.is_err() {
            self.staging.words.truncate(before);
        }
        made
    }

    fn add(
        &mut self,
        device: &DeviceInner,
        work: &Work,
        oldest: Oldest,
        grows: bool,
    ) -> Result<Made, MakeError> {
        let Self {
            heap,
            frame,
            memory,
            front_end,
            number,
            staging,
            open,
            ..
        } = self;
        let commands = device.commands;
        let mut take = heap.take(oldest);
        if open.is_some() {
            // As between batches.
            frame.barrier(&mut staging.words);
        }
        let next = *number + 1;
        let mut told = *front_end;
        let (stamps, contents) = match work {
            Work::Marker => {
                let stamps = take.data(STAMPS).ok_or(MakeError::Full)?;
                frame
                    .begin(take.memory().address(stamps), &mut staging.words)
                    .map_err(marker_error)?;
                (stamps, Contents::Nothing)
            }
            Work::Kernel(launch) => {
                let first = Some(&*frame);
                let (block, launched) =
                    launch.make(memory, &mut take, &mut told, staging, first)?;
                (block, Contents::Kernel(launched))
            }
            Work::Sequence(launches) => {
                let mut first = None;
                let mut kernels = Vec::with_capacity(launches.len());
                for launch in launches.iter() {
                    let begin = first.is_none().then_some(&*frame);
                    if begin.is_none() {
                        frame.barrier(&mut staging.words);
                    }
                    let made = launch.make(memory, &mut take, &mut told, staging, begin)?;
                    first.get_or_insert(made.0);
                    kernels.push(made.1);
                }
                let stamps = first.ok_or(DeviceError::Internal("a sequence of nothing"))?;
                (stamps, Contents::Kernels(kernels))
            }
            Work::Replay(recording) => {
                let stamps = take.data(STAMPS).ok_or(MakeError::Full)?;
                let recorded = recording.recorded()?;
                let start = take.memory().address(stamps);
                let words = &mut staging.words;
                frame.begin(start, words).map_err(marker_error)?;
                for batch in recorded.batches() {
                    commands.call(batch, words).map_err(marker_error)?;
                }
                Start::announce(device, recorded.starts().iter());
                // It has set up the front end, and bases, for itself.
                told = None;
                (stamps, Contents::Recording(recorded))
            }
        };
        work.announce_arguments(device);
        let launches = work.launches().iter();
        let written = launches.filter(|_| !matches!(work, Work::Replay(_)));
        let starts = written.flat_map(|launch| &launch.template.starts);
        Start::announce(device, starts);
        let words = &mut staging.words;
        let stamp = take.memory().address(stamps + 8);
        frame.end(stamp, next, words).map_err(marker_error)?;
        let length = words.len() + END;
        match open {
            Some(open) if length > open.room => return Err(MakeError::BatchFull),
            Some(open) => open.commands += 1,
            None => {
                let room = if grows { length.max(ROOM) } else { length };
                let place = take.data(room as u32 * 4).ok_or(MakeError::Full)?;
                *open = Some(OpenBatch {
                    place,
                    room,
                    commands: 1,
                });
            }
        }
        let prepared = Prepared {
            heap: take.memory().clone(),
            number: next,
            stamps,
            contents,
        };
        let places = take.keep();
        *number = next;
        *front_end = told;
        Ok(Made { prepared, places })
    }

    /// Ends the open batch, if there is one, and hands it to `submit`: its address and its packets.
    pub(crate) fn close(
        &mut self,
        device: &DeviceInner,
        submit: impl FnOnce(GpuAddress, &[u32]) -> Result<Fence, KmdError>,
    ) -> Option<Result<Fence, CloseError>> {
        let open = self.open.take()?;
        let outcome = self.end(&open, device, submit);
        match outcome {
            Ok(_) => self.taken = [self.taken[1], self.number],
            // The context may not have been told.
            Err(_) => self.front_end = None,
        }
        self.staging.words.clear();
        Some(outcome)
    }

    fn end(
        &mut self,
        open: &OpenBatch,
        device: &DeviceInner,
        submit: impl FnOnce(GpuAddress, &[u32]) -> Result<Fence, KmdError>,
    ) -> Result<Fence, CloseError> {
        let words = &mut self.staging.words;
        device.commands.end(words).map_err(marker_error)?;
        let memory = self.heap.memory();
        memory.write(open.place, words.as_bytes())?;
        submit(memory.address(open.place), words).map_err(CloseError::Refused)
    }

    /// Drops the open batch, and the ring's.
    pub(crate) fn forget(&mut self) {
        if let Some(ring) = &mut self.ring {
            ring.forget();
        }
        self.open = None;
        self.staging.words.clear();
        self.front_end = None;
    }
}

impl Launch {
    /// Writes the launch to a heap and a batch, behind the timestamp of its beginning if it is the
    /// first of a command, of which this is the frame. Gives its place.
    fn make(
        &self,
        memory: &mut QueueMemory,
        take: &mut Take<'_>,
        told: &mut Option<FrontEnd>,
        staging: &mut Staging,
        first: Option<&Frame>,
    ) -> Result<(u32, Launched), MakeError> {
        let block = take
            .data(self.template.layout.size)
            .ok_or(MakeError::Full)?;
        let launched = self.begin(memory, take, told, staging)?;
        if let Some(frame) = first {
            let start = take.memory().address(block);
            frame
                .begin(start, &mut staging.words)
                .map_err(marker_error)?;
        }
        self.template
            .write(&self.kernel, &launched, block, take, staging)?;
        Ok((block, launched))
    }

    /// The memory that the launch needs besides the heap, with the commands that set up the front end
    /// for it, if it was told otherwise.
    pub(super) fn begin(
        &self,
        memory: &mut QueueMemory,
        take: &Take<'_>,
        told: &mut Option<FrontEnd>,
        staging: &mut Staging,
    ) -> Result<Launched, Error> {
        let device = &self.kernel.program.device;
        let launched = self.allocate(device, memory, take.memory())?;
        let wanted = self.front_end(memory.front_end(device), *told);
        match *told {
            None => {
                let setup = Setup {
                    heaps: take.bases(),
                    mocs: device.mocs,
                    front_end: wanted,
                };
                device.commands.preamble(&setup, &mut staging.words)
            }
            Some(told) if told != wanted => device.commands.front_end(&wanted, &mut staging.words),
            Some(_) => Ok(()),
        }
        .map_err(|error| dispatch_error(&self.kernel.entry, error))?;
        *told = Some(wanted);
        Ok(launched)
    }

    /// The memory that the launch needs besides the heap.
    fn allocate(
        &self,
        device: &DeviceInner,
        memory: &mut QueueMemory,
        heap: &HeapMemory,
    ) -> Result<Launched, Error> {
        let entry = &self.kernel.entry;
        let printf = match entry.info.has_printf {
            true => {
                let chunk = device.printf_pool.take(printf::BUFFER_SIZE);
                let chunk = chunk.map_err(refused("a printf buffer"))?;
                printf::reset(chunk.memory())?;
                Some(chunk)
            }
            false => None,
        };
        let private = match entry.private.size {
            0 => None,
            size => {
                let lanes = if entry.private.per_lane {
                    entry.info.simd
                } else {
                    1
                };
                Some(memory.private(device, u64::from(size) * u64::from(lanes))?)
            }
        };
        let [first, second] = match entry.scratch {
            [0, 0] => [None, None],
            needed => memory.scratch(device, needed, heap)?,
        };
        Ok(Launched {
            kernel: self.kernel.clone(),
            printf,
            slots: [first, second, private],
        })
    }

    /// What the front end has to be told. What does no harm stays as it is, so that kernels that
    /// need it and kernels that do not can take turns.
    fn front_end(&self, scratch: Option<Scratch>, told: Option<FrontEnd>) -> FrontEnd {
        let told = told.unwrap_or_default();
        let wanted = self.template.front_end;
        FrontEnd {
            scratch,
            slm: self.kernel.slm.total > 0 || told.slm,
            systolic: wanted.systolic || told.systolic,
            ..wanted
        }
    }
}

//! Makes commands: writes their states, payloads and batches to the queue's heap.

use std::sync::Arc;

use batchbuffer::dispatch::{FrontEnd, Setup, Tag, WalkerKind};
use devinfo::GpuAddress;
use kmd_iface::{Fence, KmdError};
use zerocopy::IntoBytes;

use crate::binary::{IMPLICIT_ARGUMENTS, KernelAbi, Lines};
use crate::device::{DeviceInner, kernel as refused};
use crate::error::{ArgumentError, DeviceError, Error, ErrorKind};
use crate::memory::NEAR;
use crate::printf;

use super::heap::{Heap, HeapMemory, Oldest, Places, Take};
use super::payload::{self, Implicit};
use super::prepared::{Contents, Launched, Prepared};
use super::slots::QueueMemory;
use super::states::{put, put_bytes, table};
use super::{Launch, STAMPS, Work, dispatch_error, front_end};

/// What a queue makes its commands with.
#[derive(Debug)]
pub(crate) struct Maker {
    heap: Heap,
    memory: QueueMemory,
    /// What the context's front end was told last; nothing before the first kernel.
    front_end: Option<FrontEnd>,
    /// The number of the last command that was made.
    number: u64,
    staging: Staging,
    /// The batch that the kernel driver does not have yet; its packets are in `staging`.
    open: Option<OpenBatch>,
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
/// The most dwords that end a batch.
const END: usize = 2;

/// What commands are made in before they go to memory that the GPU sees, which is slow to read and
/// may be slow to write in small pieces. Kept for its capacity.
#[derive(Debug, Default)]
pub(super) struct Staging {
    pub words: Vec<u32>,
    /// Where the threads of the walkers begin.
    pub starts: Vec<Start>,
    block: Vec<u8>,
    table: Vec<u8>,
    cross_thread: Vec<u8>,
}

/// Where a walker's threads begin, for a node that looks for broken rules.
#[derive(Clone, Debug)]
pub(super) struct Start {
    kernel: Arc<KernelAbi>,
    lines: Arc<Lines>,
    /// It is one of this driver's own.
    own: bool,
    /// The kernel's first instruction.
    first: GpuAddress,
    /// The threads' first instruction.
    entry: GpuAddress,
    slm_bytes: u32,
}

impl Start {
    /// Tells the node of walkers that are about to be submitted.
    fn announce(device: &DeviceInner, starts: &[Self]) {
        if let Some(extents) = device.registry.extents() {
            for start in starts {
                let (name, local) = (&start.kernel.info.name, start.slm_bytes.into());
                let source = start.lines.of_kernel(start.kernel.segment);
                extents.launches(name, start.first, start.entry, local, start.own, source);
            }
        }
    }
}

/// A command that was added to the open batch.
#[derive(Debug)]
pub(crate) struct Made {
    pub prepared: Prepared,
    pub places: Places,
}

/// Why a command was not made.
#[derive(Debug)]
pub(crate) enum MakeError {
    /// Older commands have to end first.
    Full,
    /// The open batch has no room for it.
    BatchFull,
    /// It cannot be made.
    Failed(Error),
}

/// Why a batch was not handed over.
#[derive(Debug)]
pub(crate) enum CloseError {
    /// It cannot be ended.
    Failed(Error),
    /// The kernel driver does not take it.
    Refused(KmdError),
}

impl<E: Into<Error>> From<E> for CloseError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl<E: Into<Error>> From<E> for MakeError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Maker {
    /// With an empty heap.
    pub(crate) fn new(device: &DeviceInner) -> Result<Self, Error> {
        Ok(Self {
            heap: Heap::new(device)?,
            memory: QueueMemory::default(),
            front_end: None,
            number: 0,
            staging: Staging::default(),
            open: None,
            taken: [0; 2],
        })
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
            memory,
            front_end,
            number,
            staging,
            open,
            ..
        } = self;
        let commands = device.commands;
        let mut take = heap.take(oldest);
        staging.starts.clear();
        if open.is_some() {
            // As between batches.
            let words = &mut staging.words;
            commands.barrier(words).map_err(marker_error)?;
        }
        let next = *number + 1;
        let mut told = *front_end;
        let (stamps, contents) = match work {
            Work::Marker => {
                let stamps = take.data(STAMPS).ok_or(MakeError::Full)?;
                commands
                    .timestamp(take.memory().address(stamps), &mut staging.words)
                    .map_err(marker_error)?;
                (stamps, Contents::Nothing)
            }
            Work::Kernel(launch) => {
                let (block, launched) = launch.make(memory, &mut take, &mut told, staging, true)?;
                (block, Contents::Kernel(launched))
            }
            Work::Sequence(launches) => {
                let mut first = None;
                let mut kernels = Vec::with_capacity(launches.len());
                for launch in launches.iter() {
                    let is_first = first.is_none();
                    if !is_first {
                        let words = &mut staging.words;
                        commands.barrier(words).map_err(marker_error)?;
                    }
                    let made = launch.make(memory, &mut take, &mut told, staging, is_first)?;
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
                commands.timestamp(start, words).map_err(marker_error)?;
                for batch in recorded.batches() {
                    commands.call(batch, words).map_err(marker_error)?;
                }
                Start::announce(device, recorded.starts());
                // It has set up the front end, and bases, for itself.
                told = None;
                (stamps, Contents::Recording(recorded))
            }
        };
        Start::announce(device, &staging.starts);
        let words = &mut staging.words;
        let tag = Tag {
            address: take.memory().tag(),
            value: next,
        };
        commands
            .timestamp(take.memory().address(stamps + 8), words)
            .and_then(|()| commands.write(tag, words))
            .map_err(marker_error)?;
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

    /// Drops the open batch.
    pub(crate) fn forget(&mut self) {
        self.open = None;
        self.staging.words.clear();
        self.front_end = None;
    }
}

pub(super) fn marker_error(error: batchbuffer::dispatch::DispatchError) -> ArgumentError {
    ArgumentError::Object {
        what: "marker",
        kind: ErrorKind::Internal,
        why: error.to_string(),
    }
}

impl Launch {
    /// Writes the launch to a heap and a batch, behind the timestamp of its beginning if it is the
    /// `first` of a command. Gives its place.
    fn make(
        &self,
        memory: &mut QueueMemory,
        take: &mut Take<'_>,
        told: &mut Option<FrontEnd>,
        staging: &mut Staging,
        first: bool,
    ) -> Result<(u32, Launched), MakeError> {
        let block = take.data(self.layout.size).ok_or(MakeError::Full)?;
        let launched = self.begin(memory, take, told, staging)?;
        if first {
            let commands = self.kernel.program.device.commands;
            let start = take.memory().address(block);
            commands
                .timestamp(start, &mut staging.words)
                .map_err(marker_error)?;
        }
        self.write(block, &launched, take, staging)?;
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
        let wanted = self.front_end(device, memory, *told);
        let setup = Setup {
            heaps: take.bases(),
            mocs: device.mocs,
            front_end: wanted,
        };
        match *told {
            None => device.commands.preamble(&setup, &mut staging.words),
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
        let [first, second] = memory.scratch(device, entry.scratch, heap)?;
        Ok(Launched {
            kernel: self.kernel.clone(),
            printf,
            slots: [first, second, private],
        })
    }

    /// What the front end has to be told. What does no harm stays as it is, so that kernels that
    /// need it and kernels that do not can take turns.
    fn front_end(
        &self,
        device: &DeviceInner,
        memory: &QueueMemory,
        told: Option<FrontEnd>,
    ) -> FrontEnd {
        let told = told.unwrap_or_default();
        let wanted = front_end(device, &self.kernel.entry);
        FrontEnd {
            scratch: memory.front_end(device),
            slm: self.kernel.slm.total > 0 || told.slm,
            systolic: wanted.systolic || told.systolic,
            ..wanted
        }
    }

    /// Writes states, payloads and walkers.
    pub(super) fn write(
        &self,
        block: u32,
        launched: &Launched,
        take: &mut Take<'_>,
        staging: &mut Staging,
    ) -> Result<(), MakeError> {
        let (kernel, layout) = (&*self.kernel, &self.layout);
        let (device, entry) = (&kernel.program.device, &*kernel.entry);
        let commands = device.commands;
        let failed = |error| dispatch_error(entry, error);
        let Staging {
            words,
            starts,
            block: bytes,
            table: entries,
            cross_thread,
        } = staging;
        let base = take.memory().address(block);
        bytes.clear();
        bytes.resize(layout.states as usize, 0);
        bytes.extend_from_slice(&kernel.states);
        bytes.resize(layout.size as usize, 0);
        let states = block + layout.states;
        let mut binding_table = 0;
        if kernel.layout.entries > 0 {
            table(device.family(), entry, &kernel.layout, states, entries)?;
            binding_table = take.table(entries.len() as u32).ok_or(MakeError::Full)?;
            take.memory().write(binding_table, entries)?;
        }
        let private = launched.private();
        let mut implicit = Implicit {
            printf: launched
                .printf
                .as_ref()
                .map_or(0, |chunk| chunk.address().get()),
            private: private.map_or(0, GpuAddress::get),
            states,
            implicit_arguments: 0,
        };
        cross_thread.clear();
        cross_thread.extend_from_slice(&kernel.payload);
        let mut offset = layout.payload;
        for (number, walk) in (0u32..).zip(self.geometry.walks()) {
            let at = kernel.walk_payload(&walk);
            let ids_address = base.offset(offset.into());
            let values =
                |ids| payload::implicit_arguments(&self.geometry, &walk, implicit.printf, ids);
            let mut place = offset;
            if let Some(first) = layout.implicit {
                let own = first + number * IMPLICIT_ARGUMENTS;
                put_bytes(bytes, own, &values(0))?;
                implicit.implicit_arguments = base.offset(own.into()).get();
            }
            if at.implicit > 0 {
                let ids = payload::ids_table(entry.info.simd);
                let table = part(bytes, place, at.ids_table)?;
                kernel.write_ids(ids, ids.bytes(), &walk, table);
                place += at.ids_table;
                put_bytes(bytes, place, &values(ids_address.get()))?;
                implicit.implicit_arguments = base.offset(place.into()).get();
            }
            let start = place;
            place += at.implicit;
            payload::launch_fields(
                entry,
                &kernel.layout,
                &self.geometry,
                &walk,
                &implicit,
                cross_thread,
            )?;
            let inline = kernel.inline_bytes().min(cross_thread.len());
            let (carried, in_memory) = cross_thread.split_at(inline);
            put_bytes(bytes, place, in_memory)?;
            place += at.cross_thread;
            let ids = part(bytes, place, at.per_thread * at.threads)?;
            kernel.write_ids(entry.local_ids, at.per_thread, &walk, ids);

            let mut dispatch = kernel.dispatch(&walk, &at)?;
            dispatch.payload = block + start;
            dispatch.descriptor = block + layout.descriptors + number * super::DESCRIPTOR;
            dispatch.binding_table = binding_table;
            dispatch.binding_table_entries = kernel.layout.entries;
            dispatch.samplers = states + kernel.layout.samplers;
            dispatch.sampler_count = kernel.layout.sampler_count;
            if inline > 0 {
                let mut data = [0; 8];
                let dwords = carried.as_chunks::<4>().0.iter();
                for (to, dword) in data.iter_mut().zip(dwords) {
                    *to = u32::from_le_bytes(*dword);
                }
                dispatch.inline_data = Some(data);
            }
            starts.push(Start {
                kernel: kernel.entry.clone(),
                lines: kernel.program.binary.lines().clone(),
                own: kernel.program.binary.is_own(),
                first: NEAR.offset(kernel.start.into()),
                entry: NEAR.offset(dispatch.kernel.into()),
                slm_bytes: dispatch.slm_bytes,
            });
            if commands.walker() == WalkerKind::Gpgpu {
                let state = commands.descriptor(&dispatch).map_err(failed)?;
                put(bytes, dispatch.descriptor - block, &state)?;
            }
            commands.dispatch(&dispatch, words).map_err(failed)?;
            offset += at.size() as u32;
        }
        take.memory().write(block, bytes)?;
        Ok(())
    }
}

/// A part of a block.
fn part(bytes: &mut [u8], place: u32, size: u32) -> Result<&mut [u8], ArgumentError> {
    let start = place as usize;
    let all = bytes.len() as u64;
    let part = start.checked_add(size as usize);
    part.and_then(|end| bytes.get_mut(start..end))
        .ok_or(ArgumentError::OutOfBounds {
            what: "payload of a launch",
            offset: place.into(),
            length: size.into(),
            size: all,
        })
}

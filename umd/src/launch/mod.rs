//! From a kernel with arguments and an index space to a batch in memory.

mod geometry;
mod payload;
mod slots;
mod states;

use std::sync::Arc;

use batchbuffer::dispatch::{
    Dispatch, DispatchError, Heaps, LocalIds, Scratch, Setup, Simd, Tag, WalkerKind,
};
use devinfo::GpuAddress;
use zerocopy::IntoBytes;

pub(crate) use geometry::max_local;
pub(crate) use payload::SURFACE_ALIGNMENT;

use crate::binary::{KernelEntry, PAYLOAD_UNIT, SegmentKind};
use crate::device::{DeviceInner, kernel as refused};
use crate::error::{ArgumentError, Error};
use crate::kernel::{Bound, Kernel, Payload};
use crate::memory::{Bo, Chunk};
use crate::printf;
use crate::program::ProgramInner;
use crate::range::NdRange;

use geometry::{Geometry, geometry};
use payload::{Implicit, SlmLayout};
pub(crate) use slots::QueueMemory;
use slots::SlotMemory;
use states::{DynamicHeap, SurfaceHeap};

/// Bases of heaps are multiples of this (STATE_BASE_ADDRESS).
const HEAP_ALIGNMENT: u64 = 4096;
/// Payloads begin at multiples of this (GPGPU_WALKER "Indirect Data Start Address").
const PAYLOAD_ALIGNMENT: u32 = 64;
/// Bytes of payload that a COMPUTE_WALKER carries.
const INLINE_DATA: u32 = 32;
/// The most work-items of a group that COMPUTE_WALKER numbers itself.
const WALKER_IDS: u64 = 1024;
/// Where things lie in a chunk: the completion tag, the timestamps, then the batch.
const TAG: u64 = 0;
const STARTED: u64 = 8;
const ENDED: u64 = 16;
const BATCH: u64 = 64;
/// Bytes that a batch may have; eight walkers take less than three quarters of it.
const BATCH_SIZE: u64 = 8192;
/// What the tag becomes.
const DONE: u64 = 1;

/// A kernel ready to be submitted, with all that it uses.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The memory of the batch.
    pub chunk: Chunk,
    /// The batch's bytes.
    pub length: u64,
    /// The kernel, if the batch runs one.
    pub kernel: Option<Launched>,
}

/// The kernel of a batch, and what the GPU uses besides the batch's own memory.
#[derive(Debug)]
pub(crate) struct Launched {
    /// The program, for its strings and for fault reports.
    pub program: Arc<ProgramInner>,
    /// The kernel.
    pub entry: Arc<KernelEntry>,
    /// What was printed lands here.
    pub printf: Option<Chunk>,
    /// Buffers and the like that the GPU uses.
    used: Vec<Arc<Bo>>,
}

impl Prepared {
    /// Where the batch begins.
    pub(crate) fn batch(&self) -> GpuAddress {
        self.chunk.bo().address().offset(BATCH)
    }

    /// Whether the batch has ended, without a system call.
    pub(crate) fn is_done(&self) -> bool {
        self.chunk.memory().load(TAG as usize) == DONE
    }

    /// The GPU's timestamps of start and end.
    pub(crate) fn ticks(&self) -> (u64, u64) {
        let memory = self.chunk.memory();
        let record = |offset: u64| memory.record(offset as usize).unwrap_or_default();
        (record(STARTED), record(ENDED))
    }

    /// What the kernel printed.
    pub(crate) fn printed(&self) -> String {
        let text = self.kernel.as_ref().and_then(|kernel| {
            let chunk = kernel.printf.as_ref()?;
            Some(printf::text(chunk.memory(), &kernel.program))
        });
        text.unwrap_or_default()
    }
}

/// Where the parts of a chunk lie.
#[derive(Clone, Copy, Debug)]
struct ChunkLayout {
    dynamic: u64,
    surface: u64,
    payload: u64,
    size: u64,
}

/// The payload in memory of each walker.
#[derive(Clone, Copy, Debug)]
struct WalkPayload {
    /// From the payload heap.
    offset: u32,
    cross_thread: u32,
    per_thread: u32,
}

/// Prepares a kernel.
///
/// # Errors
/// An argument that is not set; a range or shared local memory that the platform does not have.
pub(crate) fn prepare(
    kernel: &Kernel,
    range: &NdRange,
    memory: &mut QueueMemory,
    words: &mut Vec<u32>,
) -> Result<Prepared, Error> {
    let program = kernel.program();
    let entry = kernel.entry();
    let device = &program.device;
    let args = kernel.args()?;
    let geometry = geometry(entry, range, device.platform())?;
    let slm = payload::slm(entry, args);
    check_slm(entry, &slm, device)?;
    if geometry.walks.is_empty() {
        return marker(device, words);
    }
    let mut launched = Launched {
        program: program.clone(),
        entry: entry.clone(),
        printf: None,
        used: used(program, args),
    };
    let mut implicit = Implicit {
        constants: address(program, SegmentKind::Constants),
        globals: address(program, SegmentKind::Globals),
        ..Implicit::default()
    };
    if entry.info.has_printf {
        let chunk = device.printf_pool.take(printf::BUFFER_SIZE);
        let chunk = chunk.map_err(refused("a printf buffer"))?;
        printf::reset(chunk.memory());
        implicit.printf = chunk.bo().address().get();
        launched.printf = Some(chunk);
    }
    if entry.private.size > 0 {
        let lanes = if entry.private.per_lane {
            entry.info.simd
        } else {
            1
        };
        let bytes = u64::from(entry.private.size) * u64::from(lanes);
        let slots = SlotMemory::of(&mut memory.private, device, bytes, "private memory")?;
        implicit.private = slots.bo.address().get();
        launched.used.push(slots.bo);
    }
    let scratch = SlotMemory::scratch(&mut memory.scratch, device, entry)?;
    let scratch_memory = scratch.iter().flatten().map(|slots| slots.bo.clone());
    launched.used.extend(scratch_memory);
    let launch = Launch {
        program,
        entry,
        args,
        geometry: &geometry,
        slm: &slm,
        implicit,
        scratch,
    };
    let (chunk, length) = launch.write(words)?;
    Ok(Prepared {
        chunk,
        length,
        kernel: Some(launched),
    })
}

/// Prepares a batch that runs nothing: it only ends after those before it.
pub(crate) fn marker(device: &DeviceInner, words: &mut Vec<u32>) -> Result<Prepared, Error> {
    let chunk = device.pool.take(BATCH_SIZE);
    let chunk = chunk.map_err(refused("memory of a command"))?;
    let base = chunk.bo().address();
    let failed = |error: DispatchError| ArgumentError::Object {
        what: "marker",
        why: error.to_string(),
    };
    words.clear();
    begin(device, base, words).map_err(failed)?;
    end(device, base, words).map_err(failed)?;
    let length = put_batch(&chunk, words)?;
    Ok(Prepared {
        chunk,
        length,
        kernel: None,
    })
}

/// What a batch begins with: the timestamp of its start.
fn begin(
    device: &DeviceInner,
    base: GpuAddress,
    words: &mut Vec<u32>,
) -> Result<(), DispatchError> {
    device.commands.timestamp(base.offset(STARTED), words)
}

/// What a batch ends with: the timestamp of its end, and the tag.
fn end(device: &DeviceInner, base: GpuAddress, words: &mut Vec<u32>) -> Result<(), DispatchError> {
    device.commands.timestamp(base.offset(ENDED), words)?;
    let tag = Tag {
        address: base.offset(TAG),
        value: DONE,
    };
    device.commands.finish(Some(tag), words)
}

/// Puts a batch to its place, and makes the chunk ready to be submitted; gives its length.
fn put_batch(chunk: &Chunk, words: &[u32]) -> Result<u64, ArgumentError> {
    let length = words.len() as u64 * 4;
    if length > BATCH_SIZE - BATCH {
        return Err(ArgumentError::Range {
            why: format!("its commands have {length} bytes, the limit is {BATCH_SIZE}"),
        });
    }
    chunk.memory().write(BATCH as usize, words.as_bytes());
    chunk.memory().store(TAG as usize, 0);
    Ok(length)
}

/// The payload of the first group's threads.
pub(crate) fn payload(kernel: &Kernel, range: &NdRange) -> Result<Payload, Error> {
    let program = kernel.program();
    let entry = kernel.entry();
    let args = kernel.args()?;
    let geometry = geometry(entry, range, program.device.platform())?;
    let slm = payload::slm(entry, args);
    check_slm(entry, &slm, &program.device)?;
    let Some(walk) = geometry.walks.first() else {
        return Ok(Payload::default());
    };
    let implicit = Implicit {
        constants: address(program, SegmentKind::Constants),
        globals: address(program, SegmentKind::Globals),
        ..Implicit::default()
    };
    let mut cross_thread = vec![0; entry.cross_thread_size as usize];
    payload::cross_thread(
        entry,
        args,
        &geometry,
        walk,
        &slm,
        &implicit,
        &mut cross_thread,
    )?;
    let per_thread = (0..walk.threads)
        .map(|thread| {
            let mut ids = vec![0; entry.local_ids.bytes() as usize];
            payload::local_ids(
                entry.local_ids,
                entry.info.simd,
                entry.walk_order,
                walk.local,
                thread,
                &mut ids,
            );
            ids
        })
        .collect();
    Ok(Payload {
        cross_thread,
        per_thread,
    })
}

struct Launch<'a> {
    program: &'a Arc<ProgramInner>,
    entry: &'a KernelEntry,
    args: &'a [Option<Bound>],
    geometry: &'a Geometry,
    slm: &'a SlmLayout,
    implicit: Implicit,
    scratch: [Option<SlotMemory>; 2],
}

impl Launch<'_> {
    /// Fills a chunk; the batch's length comes with it.
    fn write(mut self, words: &mut Vec<u32>) -> Result<(Chunk, u64), Error> {
        let device = &self.program.device;
        let walkers = u32::try_from(self.geometry.walks.len()).unwrap_or(u32::MAX);
        let surfaces = SurfaceHeap::new(self.entry);
        let dynamics = DynamicHeap::new(self.entry, walkers);
        self.implicit.bindless_surfaces = surfaces.bindless;
        self.implicit.bindless_samplers = dynamics.bindless;
        let (payloads, payload_size) = self.payloads()?;
        let layout = ChunkLayout::new(surfaces.size, dynamics.size, payload_size);
        let chunk = device.pool.take(layout.size);
        let chunk = chunk.map_err(refused("memory of a command"))?;

        let mut bytes = vec![0u8; surfaces.size as usize];
        states::surfaces(self.program, self.entry, self.args, &surfaces, &mut bytes)?;
        if self.walker() == WalkerKind::Compute {
            states::scratch(
                self.program,
                self.entry,
                &self.scratch,
                &surfaces,
                &mut bytes,
            )?;
        }
        chunk.memory().write(layout.surface as usize, &bytes);
        let mut bytes = vec![0u8; dynamics.size as usize];
        let family = device.family();
        states::samplers(family, self.entry, self.args, &dynamics, &mut bytes)?;

        words.clear();
        let base = chunk.bo().address();
        let commands = device.commands;
        let failed = |error| dispatch_error(self.entry, error);
        begin(device, base, words).map_err(failed)?;
        commands
            .large_grf(self.entry.info.grf_count > 128, words)
            .map_err(failed)?;
        commands
            .preamble(&self.setup(base, &layout, &surfaces), words)
            .map_err(failed)?;
        for (number, (walk, at)) in self.geometry.walks.iter().zip(&payloads).enumerate() {
            let descriptor = dynamics.descriptors + number as u32 * 64;
            if let Some(first) = dynamics.implicit {
                let at = first + number as u32 * payload::IMPLICIT_ARGUMENTS;
                let simd = self.entry.info.simd;
                let printf = self.implicit.printf;
                let values = payload::implicit_arguments(simd, self.geometry, walk, printf);
                if let Some(place) = bytes
                    .get_mut(at as usize..)
                    .and_then(|b| b.get_mut(..values.len()))
                {
                    place.copy_from_slice(&values);
                }
                let address = base.offset(layout.dynamic + u64::from(at));
                self.implicit.implicit_arguments = address.get();
            }
            let mut cross_thread = vec![0u8; self.entry.cross_thread_size as usize];
            payload::cross_thread(
                self.entry,
                self.args,
                self.geometry,
                walk,
                self.slm,
                &self.implicit,
                &mut cross_thread,
            )?;
            let mut dispatch = self.dispatch(walk, at)?;
            dispatch.descriptor = descriptor;
            dispatch.binding_table_entries = surfaces.entries;
            dispatch.samplers = dynamics.samplers;
            dispatch.sampler_count = dynamics.sampler_count;
            let inline = self.inline_bytes().min(cross_thread.len());
            if inline > 0 {
                dispatch.inline_data = Some(std::array::from_fn(|i| {
                    let dword = cross_thread.get(i * 4..i * 4 + 4);
                    dword
                        .and_then(|d| d.try_into().ok())
                        .map_or(0, u32::from_le_bytes)
                }));
            }
            let memory = chunk.memory();
            let start = layout.payload as usize + at.offset as usize;
            memory.write(start, cross_thread.get(inline..).unwrap_or_default());
            self.write_ids(walk, at, start, &chunk);
            if self.walker() == WalkerKind::Gpgpu {
                let state = commands.descriptor(&dispatch).map_err(failed)?;
                states::put(&mut bytes, descriptor, &state);
            }
            commands.dispatch(&dispatch, words).map_err(failed)?;
        }
        chunk.memory().write(layout.dynamic as usize, &bytes);
        end(device, base, words).map_err(failed)?;
        let length = put_batch(&chunk, words)?;
        Ok((chunk, length))
    }

    fn walker(&self) -> WalkerKind {
        self.program.device.commands.walker()
    }

    fn setup(&self, base: GpuAddress, layout: &ChunkLayout, surfaces: &SurfaceHeap) -> Setup {
        let device = &self.program.device;
        let [first, second] = &self.scratch;
        let (general, scratch) = match (self.walker(), first) {
            (WalkerKind::Compute, first) => {
                let has_scratch = first.is_some() || second.is_some();
                let scratch = Scratch {
                    bytes_per_thread: 0,
                    offset: surfaces.scratch,
                };
                (0, has_scratch.then_some(scratch))
            }
            // A scratch offset of zero would be the null pointer of private arrays, so that
            // scratch begins a page after the base.
            (WalkerKind::Gpgpu, Some(slots)) => {
                let scratch = Scratch {
                    bytes_per_thread: u32::try_from(slots.bytes_per_thread).unwrap_or(u32::MAX),
                    offset: HEAP_ALIGNMENT as u32,
                };
                let base = slots.bo.address().get().saturating_sub(HEAP_ALIGNMENT);
                (base, Some(scratch))
            }
            (WalkerKind::Gpgpu, None) => (0, None),
        };
        let instruction = self.program.memory(SegmentKind::Code);
        Setup {
            heaps: Heaps {
                general: GpuAddress::new(general),
                surface: base.offset(layout.surface),
                dynamic: base.offset(layout.dynamic),
                payload: base.offset(layout.payload),
                instruction: instruction.map_or(GpuAddress::default(), |bo| bo.address()),
                bindless_surface: Some((base.offset(layout.surface), surfaces.size / 64)),
                bindless_sampler: Some((base.offset(layout.dynamic), 1)),
            },
            mocs: device.mocs,
            max_threads: device.max_threads(),
            scratch,
            slm: self.slm.total > 0,
        }
    }

    /// Whether the walker can make the local ids of a group's threads, and the kernel can begin
    /// behind the code that loads them: it counts in powers of two, but for the dimension that
    /// counts last (NEO `isRuntimeLocalIdsGenerationRequired`).
    fn walker_ids(&self, walk: &geometry::Walk) -> bool {
        let ids = self.entry.local_ids;
        let size = |d: u8| walk.local.get(usize::from(d)).copied().unwrap_or(1);
        let [fastest, next, _] = self.entry.walk_order;
        self.walker() == WalkerKind::Compute
            && self.entry.entry_with_ids > 0
            && !ids.packed
            && (ids.dimensions == 0
                || size(fastest).is_power_of_two()
                    && size(next).is_power_of_two()
                    && (ids.dimensions as u8..3).all(|d| size(d) == 1)
                    && walk.items() <= WALKER_IDS)
    }

    fn dispatch(&self, walk: &geometry::Walk, at: &WalkPayload) -> Result<Dispatch, Error> {
        let entry = self.entry;
        let walker_ids = self.walker_ids(walk);
        let skipped = if walker_ids { entry.entry_with_ids } else { 0 };
        let start = self.program.place(entry.segment) + entry.offset + u64::from(skipped);
        // SIMD1 kernels are one lane of a SIMD8 thread.
        let lanes = entry.info.simd.max(8);
        let simd = Simd::from_lanes(lanes).ok_or_else(|| ArgumentError::Range {
            why: format!("SIMD{lanes} is no width of a walker"),
        })?;
        Ok(Dispatch {
            kernel: u32::try_from(start).map_err(|_| ArgumentError::Range {
                why: format!("the kernel begins {start:#x} bytes into its program, beyond 4 GiB"),
            })?,
            simd,
            threads_per_group: walk.threads,
            groups: walk.groups,
            first_group: walk.first_group,
            last_thread_mask: walk.last_mask,
            slm_bytes: self.slm.total,
            barriers: entry.info.barriers,
            payload: at.offset,
            cross_thread_bytes: at.cross_thread,
            per_thread_bytes: at.per_thread,
            local_ids: (walker_ids && entry.local_ids.dimensions > 0).then_some(LocalIds {
                dimensions: entry.local_ids.dimensions,
                size: walk.local,
                walk_order: entry.walk_order,
            }),
            mocs: self.program.device.mocs,
            ..Dispatch::default()
        })
    }

    /// Bytes of the cross-thread payload that the walker carries itself.
    fn inline_bytes(&self) -> usize {
        match self.walker() {
            WalkerKind::Compute => self.entry.inline_data.min(INLINE_DATA) as usize,
            WalkerKind::Gpgpu => 0,
        }
    }

    /// Where each walker's payload lies, and the size of all.
    fn payloads(&self) -> Result<(Vec<WalkPayload>, u32), Error> {
        let family = self.program.device.family();
        let grf = family.grf_bytes() as u32;
        let cross_thread = self.entry.cross_thread_size - self.inline_bytes() as u32;
        let cross_thread = cross_thread.next_multiple_of(PAYLOAD_UNIT);
        let ids = self.entry.local_ids.bytes().next_multiple_of(grf);
        // A thread that GPGPU_WALKER loads has at least one register of its own (NEO; see
        // `KernelEntry::cross_thread_register`).
        let in_memory = |walk| match self.walker() {
            WalkerKind::Gpgpu => ids.max(grf),
            WalkerKind::Compute if self.walker_ids(walk) => 0,
            WalkerKind::Compute => ids,
        };
        let mut end = 0u64;
        let mut payloads = Vec::new();
        for walk in &self.geometry.walks {
            let offset = u32::try_from(end).map_err(|_| ArgumentError::Range {
                why: "the payload of its threads is beyond 4 GiB".to_owned(),
            })?;
            let per_thread = in_memory(walk);
            payloads.push(WalkPayload {
                offset,
                cross_thread,
                per_thread,
            });
            let size = u64::from(cross_thread) + u64::from(per_thread) * u64::from(walk.threads);
            end += size.next_multiple_of(u64::from(PAYLOAD_ALIGNMENT));
        }
        let size = u32::try_from(end).map_err(|_| ArgumentError::Range {
            why: "the payload of its threads is beyond 4 GiB".to_owned(),
        })?;
        Ok((payloads, size))
    }

    fn write_ids(&self, walk: &geometry::Walk, at: &WalkPayload, start: usize, chunk: &Chunk) {
        let ids = self.entry.local_ids;
        if ids.dimensions == 0 || at.per_thread == 0 {
            return;
        }
        let size = at.per_thread as usize;
        let mut block = vec![0u8; size * walk.threads as usize];
        for (thread, out) in block.chunks_mut(size.max(1)).enumerate() {
            let out = out.get_mut(..ids.bytes() as usize).unwrap_or_default();
            payload::local_ids(
                ids,
                self.entry.info.simd,
                self.entry.walk_order,
                walk.local,
                thread as u32,
                out,
            );
        }
        chunk
            .memory()
            .write(start + at.cross_thread as usize, &block);
    }
}

impl ChunkLayout {
    fn new(surface: u32, dynamic: u32, payload: u32) -> Self {
        let next =
            |start: u64, size: u32| (start + u64::from(size)).next_multiple_of(HEAP_ALIGNMENT);
        let dynamic_at = BATCH_SIZE;
        let surface_at = next(dynamic_at, dynamic);
        let payload_at = next(surface_at, surface);
        Self {
            dynamic: dynamic_at,
            surface: surface_at,
            payload: payload_at,
            // Payload is read in whole 64-byte lines.
            size: next(payload_at, payload.saturating_add(PAYLOAD_ALIGNMENT)),
        }
    }
}

fn address(program: &ProgramInner, kind: SegmentKind) -> u64 {
    program.memory(kind).map_or(0, |bo| bo.address().get())
}

/// The memory of arguments and program.
fn used(program: &ProgramInner, args: &[Option<Bound>]) -> Vec<Arc<Bo>> {
    let args = args.iter().flatten().filter_map(|arg| match arg {
        Bound::Buffer(buffer) => Some(buffer.bo()),
        Bound::Image(image) => Some(image.bo()),
        _ => None,
    });
    args.chain(program.bos()).cloned().collect()
}

fn check_slm(
    entry: &KernelEntry,
    slm: &SlmLayout,
    device: &DeviceInner,
) -> Result<(), ArgumentError> {
    let platform = device.platform();
    if slm.total <= platform.max_slm_bytes {
        return Ok(());
    }
    Err(ArgumentError::Range {
        why: format!(
            "kernel {} needs {} bytes of shared local memory a group, {} of them for its local \
             arguments; {platform} has {}",
            entry.info.name,
            slm.total,
            slm.total - entry.info.slm_size.min(slm.total),
            platform.max_slm_bytes
        ),
    })
}

fn dispatch_error(entry: &KernelEntry, error: DispatchError) -> Error {
    ArgumentError::Range {
        why: format!("kernel {}: {error}", entry.info.name),
    }
    .into()
}

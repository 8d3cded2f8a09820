//! From a kernel with arguments and an index space to a batch in memory.

mod geometry;
mod payload;
mod prepared;
mod slots;
mod states;

use std::sync::Arc;

use batchbuffer::dispatch::{
    ComputeMode, Dispatch, DispatchError, FrontEnd, Heaps, LocalIds, Scratch, Setup, Simd, Tag,
    WalkerKind,
};
use devinfo::GpuAddress;
use zerocopy::IntoBytes;

pub(crate) use geometry::{max_local, sub_groups};
pub(crate) use payload::{SURFACE_ALIGNMENT, slm};

use crate::binary::{
    IMPLICIT_ARGUMENTS, KernelEntry, LocalIds as LocalIdLayout, PAYLOAD_UNIT, SegmentKind,
};
use crate::device::{DeviceInner, kernel as refused};
use crate::error::{ArgumentError, Error};
use crate::kernel::{Bound, Kernel, Payload};
use crate::memory::{Bo, Chunk};
use crate::printf;
use crate::program::ProgramInner;
use crate::range::NdRange;

use geometry::{Geometry, geometry};
use payload::{Implicit, SlmLayout};
use prepared::{BATCH, DONE, ENDED, STARTED, TAG};
pub(crate) use prepared::{Launched, Prepared};
pub(crate) use slots::QueueMemory;
pub(crate) use slots::SlotMemory;
pub(crate) use states::MAX_RAW;
use states::{DynamicHeap, SurfaceHeap};

/// Bases of heaps are multiples of this (STATE_BASE_ADDRESS).
const HEAP_ALIGNMENT: u64 = 4096;
/// Payloads begin at multiples of this (GPGPU_WALKER "Indirect Data Start Address").
const PAYLOAD_ALIGNMENT: u32 = 64;
/// Bytes of payload that a COMPUTE_WALKER carries.
const INLINE_DATA: u32 = 32;
/// The most work-items of a group that COMPUTE_WALKER numbers itself.
const WALKER_IDS: u64 = 1024;
/// Bytes that a batch may have; eight walkers take less than three quarters of it.
const BATCH_SIZE: u64 = 8192;
/// Bytes that the batch of a marker may have: a page.
const MARKER_SIZE: u64 = 4096;

/// Where the parts of a chunk lie.
#[derive(Clone, Copy, Debug)]
struct ChunkLayout {
    dynamic: u64,
    surface: u64,
    payload: u64,
    size: u64,
}

/// Bytes of the payload of a walker in memory, part after part.
#[derive(Clone, Copy, Debug)]
struct WalkPayload {
    /// A table of local ids that implicit arguments point to.
    ids_table: u32,
    /// Implicit arguments. Here begins what the walker gives its threads.
    implicit: u32,
    cross_thread: u32,
    /// Of one thread.
    per_thread: u32,
    threads: u32,
}

impl WalkPayload {
    /// All of it.
    fn size(&self) -> u64 {
        let threads = u64::from(self.per_thread) * u64::from(self.threads);
        let rest = self.ids_table + self.implicit + self.cross_thread;
        (u64::from(rest) + threads).next_multiple_of(PAYLOAD_ALIGNMENT.into())
    }
}

/// What a batch and its heaps are made in before they go to memory that the GPU sees, which is
/// slow to read and may be slow to write in small pieces. Kept for its capacity.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    words: Vec<u32>,
    surface: Vec<u8>,
    dynamic: Vec<u8>,
    payload: Vec<u8>,
    cross_thread: Vec<u8>,
}

/// `size` zero bytes.
fn zeros(bytes: &mut Vec<u8>, size: u32) {
    bytes.clear();
    bytes.resize(size as usize, 0);
}

/// Prepares a kernel.
///
/// # Errors
/// An argument that is not set; a range or shared local memory that the platform does not have.
pub(crate) fn prepare(
    kernel: &Kernel,
    range: &NdRange,
    memory: &mut QueueMemory,
    staging: &mut Staging,
) -> Result<Prepared, Error> {
    let program = kernel.program();
    let entry = kernel.entry();
    let device = &program.device;
    let args = kernel.args()?;
    let geometry = geometry(entry, range, device.platform(), device.subslice_eus())?;
    let slm = slm(entry, args);
    check_slm(entry, &slm, device)?;
    if geometry.walks().next().is_none() {
        return marker(device, staging);
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
        implicit.printf = chunk.address().get();
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
    let (chunk, length) = launch.write(staging)?;
    Ok(Prepared {
        chunk,
        length,
        kernel: Some(launched),
    })
}

/// Prepares a batch that runs nothing: it only ends after those before it.
pub(crate) fn marker(device: &DeviceInner, staging: &mut Staging) -> Result<Prepared, Error> {
    let words = &mut staging.words;
    let chunk = device.pool.take(MARKER_SIZE);
    let chunk = chunk.map_err(refused("memory of a command"))?;
    let base = chunk.address();
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
    let limit = chunk.size().min(BATCH_SIZE) - BATCH;
    if length > limit {
        return Err(ArgumentError::Range {
            why: format!("its commands have {length} bytes, the limit is {limit}"),
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
    let geometry = geometry(
        entry,
        range,
        program.device.platform(),
        program.device.subslice_eus(),
    )?;
    let slm = slm(entry, args);
    check_slm(entry, &slm, &program.device)?;
    let Some(walk) = &geometry.walks().next() else {
        return Ok(Payload {
            local: geometry.local,
            ..Payload::default()
        });
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
        local: geometry.local,
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
    fn write(mut self, staging: &mut Staging) -> Result<(Chunk, u64), Error> {
        let device = &self.program.device;
        let (entry, commands) = (self.entry, device.commands);
        let walkers = self.geometry.walks().count() as u32;
        let surfaces = SurfaceHeap::new(entry);
        let dynamics = DynamicHeap::new(entry, walkers);
        self.implicit.bindless_surfaces = surfaces.bindless;
        self.implicit.bindless_samplers = dynamics.bindless;
        let payload_size = self.payload_size()?;
        let layout = ChunkLayout::new(surfaces.size, dynamics.size, payload_size);
        let chunk = device.pool.take(layout.size);
        let chunk = chunk.map_err(refused("memory of a command"))?;

        let Staging {
            words,
            surface,
            dynamic,
            payload,
            cross_thread,
        } = staging;
        zeros(surface, surfaces.size);
        states::surfaces(self.program, entry, self.args, &surfaces, surface)?;
        if self.walker() == WalkerKind::Compute {
            states::scratch(self.program, entry, &self.scratch, &surfaces, surface)?;
        }
        zeros(dynamic, dynamics.size);
        states::samplers(device.family(), entry, self.args, &dynamics, dynamic)?;
        zeros(payload, payload_size);
        zeros(cross_thread, entry.cross_thread_size);

        words.clear();
        let base = chunk.address();
        let failed = |error| dispatch_error(entry, error);
        begin(device, base, words).map_err(failed)?;
        commands
            .preamble(&self.setup(base, &layout, &surfaces), words)
            .map_err(failed)?;
        let mut rest = payload.as_mut_slice();
        let mut offset = 0u32;
        for (number, walk) in (0u32..).zip(self.geometry.walks()) {
            let at = self.walk_payload(&walk);
            let own = rest.split_off_mut(..at.size() as usize).unwrap_or_default();
            let (ids_table, own) = split(own, at.ids_table);
            let (implicit, own) = split(own, at.implicit);
            let (in_memory, ids) = split(own, at.cross_thread);

            let ids_address = base.offset(layout.payload + u64::from(offset));
            let start = offset + at.ids_table;
            let values =
                |ids| payload::implicit_arguments(self.geometry, &walk, self.implicit.printf, ids);
            if let Some(first) = dynamics.implicit {
                let place = first + number * IMPLICIT_ARGUMENTS;
                put_bytes(dynamic, place, &values(0));
                let address = base.offset(layout.dynamic + u64::from(place));
                self.implicit.implicit_arguments = address.get();
            }
            if at.implicit > 0 {
                put_bytes(implicit, 0, &values(ids_address.get()));
                let layout = payload::ids_table(entry.info.simd);
                self.write_ids(layout, layout.bytes(), &walk, ids_table);
                let address = ids_address.offset(at.ids_table.into());
                self.implicit.implicit_arguments = address.get();
            }
            payload::cross_thread(
                entry,
                self.args,
                self.geometry,
                &walk,
                self.slm,
                &self.implicit,
                cross_thread,
            )?;
            self.write_ids(entry.local_ids, at.per_thread, &walk, ids);

            let mut dispatch = self.dispatch(&walk, &at)?;
            dispatch.payload = start;
            dispatch.descriptor = dynamics.descriptors + number * 64;
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
            put_bytes(in_memory, 0, cross_thread.get(inline..).unwrap_or_default());
            if self.walker() == WalkerKind::Gpgpu {
                let state = commands.descriptor(&dispatch).map_err(failed)?;
                states::put(dynamic, dispatch.descriptor, &state);
            }
            commands.dispatch(&dispatch, words).map_err(failed)?;
            offset += at.size() as u32;
        }
        let memory = chunk.memory();
        memory.write(layout.surface as usize, surface);
        memory.write(layout.dynamic as usize, dynamic);
        memory.write(layout.payload as usize, payload);
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
            front_end: FrontEnd {
                max_threads: device.max_threads(),
                scratch,
                slm: self.slm.total > 0,
                no_eu_fusion: self.entry.eu.no_fusion,
                systolic: self.entry.eu.systolic,
                mode: ComputeMode {
                    large_grf: self.entry.info.grf_count > 128,
                    scheduling: self.entry.eu.scheduling,
                },
            },
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
        let lanes = entry.info.simd;
        let simd = Simd::for_kernel(lanes).ok_or_else(|| ArgumentError::Range {
            why: format!("SIMD{lanes} is no width of a walker"),
        })?;
        if let Some(extents) = self.program.device.registry.extents()
            && let Some(code) = self.program.memory(SegmentKind::Code)
        {
            let kernel = code.address().offset(start);
            extents.local_bytes(kernel, self.slm.total.into());
        }
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
            cross_thread_bytes: at.implicit + at.cross_thread,
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

    /// The payload of a walker.
    fn walk_payload(&self, walk: &geometry::Walk) -> WalkPayload {
        let grf = self.program.device.family().grf_bytes() as u32;
        let cross_thread = self.entry.cross_thread_size - self.inline_bytes() as u32;
        let ids = self.entry.local_ids.bytes().next_multiple_of(grf);
        let per_thread = match self.walker() {
            // A thread that GPGPU_WALKER loads has at least one register of its own (NEO; see
            // `KernelEntry::cross_thread_register`).
            WalkerKind::Gpgpu => ids.max(grf),
            WalkerKind::Compute if self.walker_ids(walk) => 0,
            WalkerKind::Compute => ids,
        };
        let (ids_table, implicit) = match self.entry.implicit_block {
            true => {
                let table = payload::ids_table(self.entry.info.simd).bytes();
                let table = table.saturating_mul(walk.threads);
                (
                    table.next_multiple_of(PAYLOAD_ALIGNMENT),
                    IMPLICIT_ARGUMENTS,
                )
            }
            false => (0, 0),
        };
        WalkPayload {
            ids_table,
            implicit,
            cross_thread: cross_thread.next_multiple_of(PAYLOAD_UNIT),
            per_thread,
            threads: walk.threads,
        }
    }

    /// The size of the payload of all walkers.
    fn payload_size(&self) -> Result<u32, ArgumentError> {
        let sizes = self
            .geometry
            .walks()
            .map(|walk| self.walk_payload(&walk).size());
        u32::try_from(sizes.sum::<u64>()).map_err(|_| ArgumentError::Range {
            why: "the payload of its threads is beyond 4 GiB".to_owned(),
        })
    }

    /// Writes the local ids of a group's threads to `out`, `each` bytes a thread.
    fn write_ids(&self, ids: LocalIdLayout, each: u32, walk: &geometry::Walk, out: &mut [u8]) {
        if ids.dimensions == 0 || each == 0 {
            return;
        }
        let bytes = ids.bytes() as usize;
        for (thread, out) in (0..walk.threads).zip(out.chunks_mut(each as usize)) {
            let out = out.get_mut(..bytes).unwrap_or_default();
            let (simd, order) = (self.entry.info.simd, self.entry.walk_order);
            payload::local_ids(ids, simd, order, walk.local, thread, out);
        }
    }
}

/// The first `size` bytes, and the rest.
fn split(bytes: &mut [u8], size: u32) -> (&mut [u8], &mut [u8]) {
    let size = bytes.len().min(size as usize);
    bytes.split_at_mut(size)
}

/// Puts bytes to their place, which layouts make room for.
fn put_bytes(out: &mut [u8], offset: u32, bytes: &[u8]) {
    let place = out.get_mut(offset as usize..).unwrap_or_default();
    if let Some(place) = place.get_mut(..bytes.len()) {
        place.copy_from_slice(bytes);
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

//! From a kernel with arguments and an index space to a batch in the queue's heap.

mod frame;
mod geometry;
mod heap;
mod maker;
mod payload;
mod prepared;
mod recorded;
mod ring;
mod slots;
mod states;
mod template;

use std::sync::Arc;

use batchbuffer::dispatch::{Dispatch, DispatchError, FrontEnd, LocalIds, Simd, WalkerKind};

pub(crate) use geometry::{max_local, sub_groups};
pub(crate) use heap::{Oldest, Places};
pub(crate) use maker::{CloseError, MakeError, Maker};
pub(crate) use payload::slm_fields;
pub(crate) use payload::{SURFACE_ALIGNMENT, SlmLayout, argument_fields, program_fields, slm};
pub(crate) use prepared::{Contents, Launched, Prepared};
pub(crate) use recorded::Recording;
#[cfg(all(test, feature = "softgpu"))]
pub(crate) use slots::SlotMemory;
pub(crate) use states::{MAX_RAW, StatesLayout, of_argument, of_program};
pub(crate) use template::Templates;

use crate::binary::{
    IMPLICIT_ARGUMENTS, KernelAbi, LocalIds as LocalIdLayout, PAYLOAD_UNIT, PayloadValue,
    SegmentKind,
};
use crate::device::DeviceInner;
use crate::error::{ArgumentError, Error, ErrorKind};
use crate::kernel::{Kernel, KernelState, Payload};
use crate::memory::NEAR;
use crate::program::ProgramInner;
use crate::range::NdRange;

use geometry::{Geometry, Walk, geometry};
use heap::{Heap, UNIT};
use payload::Late;
use template::Template;

/// Bytes of payload that a COMPUTE_WALKER carries.
pub(crate) const INLINE_DATA: u32 = 32;
/// The most work-items of a group that COMPUTE_WALKER numbers itself.
const WALKER_IDS: u64 = 1024;
/// Bytes that the timestamps take at the beginning of a command's part of the heap.
const STAMPS: u32 = 64;
/// Bytes of an interface descriptor in a heap: 32, at multiples of 64.
const DESCRIPTOR: u32 = 64;

/// What a queue is given to do.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// It runs a kernel.
    Kernel(Launch),
    /// It runs kernels, each after what the one before wrote.
    Sequence(Arc<[Launch]>),
    /// Nothing: it only ends after those before it.
    Marker,
    /// It runs what was recorded.
    Replay(Arc<Recording>),
}

impl Work {
    /// Whether it may use memory of this process that is not the driver's.
    pub(crate) fn uses_host_memory(&self) -> bool {
        match self {
            Self::Kernel(launch) => launch.kernel.uses_host_memory(),
            _ => {
                let mut launches = self.launches().iter();
                launches.any(|launch| launch.kernel.uses_host_memory())
            }
        }
    }

    /// The kernels that it runs.
    pub(crate) fn launches(&self) -> &[Launch] {
        match self {
            Self::Kernel(launch) => std::slice::from_ref(launch),
            Self::Sequence(launches) => launches,
            Self::Marker => &[],
            Self::Replay(recording) => recording.launches(),
        }
    }

    /// Kernels that are written anew each time.
    ///
    /// # Errors
    /// They take more memory than there is for a command.
    pub(crate) fn sequence(launches: Vec<Launch>) -> Result<Self, ArgumentError> {
        let sizes = launches
            .iter()
            .map(|launch| u64::from(launch.template.layout.size));
        let (size, most) = (sizes.sum::<u64>(), u64::from(Heap::most_together()));
        if size > most {
            return Err(ArgumentError::Range {
                kind: ErrorKind::OutOfResources,
                why: format!(
                    "states and payloads of {} kernels have {size} bytes, the limit of a sequence is \
                     {most}: record them",
                    launches.len()
                ),
            });
        }
        Ok(match launches.is_empty() {
            true => Self::Marker,
            false => Self::Sequence(launches.into()),
        })
    }
}

/// A kernel with its arguments, checked to run over an index space.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    kernel: Arc<KernelState>,
    template: Arc<Template>,
}

/// Where things lie in a launch's part of the heap, behind the timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockLayout {
    /// States of the kernel.
    states: u32,
    /// Interface descriptors, one a walker, where they are not part of it.
    descriptors: u32,
    /// Structures of implicit arguments, one a walker, if the code reads their address.
    implicit: Option<u32>,
    payload: u32,
    size: u32,
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
        (u64::from(rest) + threads).next_multiple_of(UNIT.into())
    }
}

/// Checks that a kernel can be run over an index space; `None` if that is empty.
///
/// # Errors
/// An argument that is not set; a range or shared local memory that the platform does not have.
pub(crate) fn check(kernel: &Kernel, range: &NdRange) -> Result<Option<Launch>, Error> {
    let kernel = kernel.state();
    let launch = |template| {
        Ok(Some(Launch {
            kernel: kernel.clone(),
            template,
        }))
    };
    if let Some(template) = kernel.templates.find(range, kernel.slm.total) {
        kernel.check_args()?;
        return launch(template);
    }
    let device = &kernel.program.device;
    let geometry = geometry(
        &kernel.entry,
        range,
        device.platform(),
        device.subslice_eus(),
    )?;
    kernel.check_args()?;
    check_slm(&kernel.entry, &kernel.slm, device)?;
    if geometry.walks().next().is_none() {
        return Ok(None);
    }
    let layout = BlockLayout::new(kernel, &geometry)?;
    let template = Arc::new(Template::new(kernel, (range, geometry), layout)?);
    kernel.templates.keep(&template);
    launch(template)
}

/// Checks that the platform's front end can start a kernel, and gives the kernel's place from the
/// base of all kernels.
///
/// # Errors
/// It needs what the front end does not have.
pub(crate) fn check_kernel(program: &ProgramInner, entry: &KernelAbi) -> Result<u32, Error> {
    let device = &program.device;
    let failed = |error| dispatch_error(entry, error);
    let code = program.memory(SegmentKind::Code);
    let code = code.map_or(0, |bo| bo.address().get().saturating_sub(NEAR.get()));
    let start = code + program.place(entry.segment);
    let start = u32::try_from(start).map_err(|_| ArgumentError::Range {
        kind: ErrorKind::OutOfResources,
        why: format!("the kernel begins {start:#x} bytes from its base, beyond 4 GiB"),
    })?;
    let trial = Dispatch {
        simd: simd(entry)?,
        slm_bytes: entry.info.slm_size.min(device.platform().max_slm_bytes),
        barriers: entry.info.barriers,
        ..Dispatch::default()
    };
    let mut words = Vec::new();
    device.commands.descriptor(&trial).map_err(failed)?;
    device
        .commands
        .dispatch(&trial, &mut words)
        .map_err(failed)?;
    let scratch = entry.scratch.iter().max().filter(|&&bytes| bytes > 0);
    let front_end = FrontEnd {
        scratch: scratch.map(|&bytes_per_thread| batchbuffer::dispatch::Scratch {
            bytes_per_thread,
            offset: 0,
        }),
        ..front_end(device, entry)
    };
    device
        .commands
        .front_end(&front_end, &mut words)
        .map_err(failed)?;
    Ok(start)
}

/// What the front end has to know of a kernel, without its scratch.
fn front_end(device: &DeviceInner, entry: &KernelAbi) -> FrontEnd {
    FrontEnd {
        max_threads: device.max_threads(),
        scratch: None,
        slm: entry.info.slm_size > 0,
        no_eu_fusion: entry.eu.no_fusion,
        systolic: entry.eu.systolic,
        mode: batchbuffer::dispatch::ComputeMode {
            large_grf: entry.info.grf_count > 128,
            scheduling: entry.eu.scheduling,
        },
    }
}

fn simd(entry: &KernelAbi) -> Result<Simd, ArgumentError> {
    let lanes = entry.info.simd;
    Simd::for_kernel(lanes).ok_or_else(|| ArgumentError::Range {
        kind: ErrorKind::UnsupportedKernel,
        why: format!("SIMD{lanes} is no width of a walker"),
    })
}

/// The payload of the first group's threads.
pub(crate) fn payload(kernel: &Kernel, range: &NdRange) -> Result<Payload, Error> {
    let launch = match check(kernel, range)? {
        Some(launch) => launch,
        None => {
            let local = range.local().or(kernel.info().required_local_size);
            return Ok(Payload {
                local: local.unwrap_or([1; 3]),
                ..Payload::default()
            });
        }
    };
    let (kernel, geometry) = (&launch.kernel, &launch.template.geometry);
    let entry = &kernel.entry;
    let Some(walk) = &geometry.walks().next() else {
        return Ok(Payload::default());
    };
    let mut cross_thread = kernel.payload.clone();
    payload::range_fields(entry, geometry, walk, &mut cross_thread)?;
    for (place, value) in payload::late_fields(entry, &kernel.layout) {
        if let Late::State(offset) = value {
            let bytes = u64::from(offset).to_le_bytes();
            let bytes = bytes.get(..place.len()).unwrap_or(&bytes);
            states::put_bytes(&mut cross_thread, place.start as u32, bytes)?;
        }
    }
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

impl BlockLayout {
    fn new(kernel: &KernelState, geometry: &Geometry) -> Result<Self, ArgumentError> {
        let mut payload = 0;
        let mut walkers = 0;
        for walk in geometry.walks() {
            payload += kernel.walk_payload(&walk).size();
            walkers += 1;
        }
        let descriptors = STAMPS + kernel.layout.size;
        let end = match kernel.walker() {
            WalkerKind::Gpgpu => descriptors + walkers * DESCRIPTOR,
            WalkerKind::Compute => descriptors,
        };
        let mut fields = kernel.entry.payload.iter();
        let reads = fields.any(|field| field.value == PayloadValue::ImplicitArguments);
        let (implicit, payload_at) = match reads {
            true => (Some(end), end + walkers * IMPLICIT_ARGUMENTS),
            false => (None, end),
        };
        // Payload is read in whole 64-byte lines.
        let size = u64::from(payload_at) + payload + u64::from(UNIT);
        match u32::try_from(size) {
            Ok(size) if size <= Heap::most() => Ok(Self {
                states: STAMPS,
                descriptors,
                implicit,
                payload: payload_at,
                size,
            }),
            _ => Err(ArgumentError::Range {
                kind: ErrorKind::OutOfResources,
                why: format!(
                    "states and payload of kernel {} have {size} bytes, the limit of a launch is {}",
                    kernel.entry.info.name,
                    Heap::most()
                ),
            }),
        }
    }
}

impl KernelState {
    fn walker(&self) -> WalkerKind {
        self.program.device.commands.walker()
    }

    /// Whether the walker can make the local ids of a group's threads, and the kernel can begin
    /// behind the code that loads them: it counts in powers of two, but for the dimension that
    /// counts last (NEO `isRuntimeLocalIdsGenerationRequired`).
    fn walker_ids(&self, walk: &Walk) -> bool {
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

    /// What a walker is told, without places in the heap.
    fn dispatch(&self, walk: &Walk, at: &WalkPayload) -> Result<Dispatch, Error> {
        let entry = &self.entry;
        let walker_ids = self.walker_ids(walk);
        let skipped = if walker_ids { entry.entry_with_ids } else { 0 };
        Ok(Dispatch {
            kernel: self.start + skipped,
            simd: simd(entry)?,
            threads_per_group: walk.threads,
            groups: walk.groups,
            first_group: walk.first_group,
            last_thread_mask: walk.last_mask,
            registers: entry.info.grf_count,
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
    fn walk_payload(&self, walk: &Walk) -> WalkPayload {
        let grf = self.program.device.family().grf_bytes() as u32;
        let inline = self.inline_bytes() as u32;
        let cross_thread = self.entry.cross_thread_size.saturating_sub(inline);
        let ids = self.entry.local_ids.bytes().next_multiple_of(grf);
        let per_thread = match self.walker() {
            // A thread that GPGPU_WALKER loads has at least one register of its own (NEO; see
            // `KernelAbi::cross_thread_register`).
            WalkerKind::Gpgpu => ids.max(grf),
            WalkerKind::Compute if self.walker_ids(walk) => 0,
            WalkerKind::Compute => ids,
        };
        let (ids_table, implicit) = match self.entry.implicit_block {
            true => {
                let table = payload::ids_table(self.entry.info.simd).bytes();
                let table = table.saturating_mul(walk.threads);
                (table.next_multiple_of(UNIT), IMPLICIT_ARGUMENTS)
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

    /// Writes the local ids of a group's threads to `out`, `each` bytes a thread.
    fn write_ids(&self, ids: LocalIdLayout, each: u32, walk: &Walk, out: &mut [u8]) {
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

fn check_slm(
    entry: &KernelAbi,
    slm: &SlmLayout,
    device: &DeviceInner,
) -> Result<(), ArgumentError> {
    let platform = device.platform();
    if slm.total <= platform.max_slm_bytes {
        return Ok(());
    }
    Err(ArgumentError::Range {
        kind: ErrorKind::OutOfResources,
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

fn dispatch_error(entry: &KernelAbi, error: DispatchError) -> Error {
    ArgumentError::Range {
        kind: ErrorKind::OutOfResources,
        why: format!("kernel {}: {error}", entry.info.name),
    }
    .into()
}

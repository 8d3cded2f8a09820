//! Surface states, binding tables and sampler states of one dispatch.

use batchbuffer::dispatch::Mocs;
use batchbuffer::states::values::TextureCoordinateMode;
use batchbuffer::surface::{
    self, RawBuffer, SAMPLER_STATE_BYTES, SURFACE_STATE_BYTES, SurfaceError, SurfaceState,
};
use devinfo::{Family, GpuAddress};

use crate::binary::{
    IMPLICIT_ARGUMENTS, KernelEntry, PayloadValue, SamplerSource, SegmentKind, SurfaceSource,
};
use crate::error::{ArgumentError, Error};
use crate::kernel::Bound;
use crate::program::ProgramInner;
use crate::sampler::{AddressingMode, FilterMode, Sampler};

use super::payload::SURFACE_ALIGNMENT;
use super::slots::{SCRATCH_STATES, SlotMemory};

/// Raw surfaces hold at most 4 GiB; what lies beyond can only be reached by pointer.
pub(crate) const MAX_RAW: u64 = 1 << 32;

/// Bytes from one bindless sampler state to the next: pointers to them have no lower bits (TGL PRM
/// vol 7, sampler message header, "Sampler State Pointer").
pub(crate) const BINDLESS_SAMPLER: u32 = 32;

/// Where things lie in the surface heap of a dispatch, in bytes from its base. The binding table
/// comes first, so that it is within reach of the interface descriptor's pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SurfaceHeap {
    pub entries: u32,
    pub states: u32,
    /// Bindless states, in the order of [`KernelEntry::bindless_surface`].
    pub bindless: u32,
    /// States of the two scratch slots.
    pub scratch: u32,
    pub size: u32,
}

impl SurfaceHeap {
    /// The layout for a kernel.
    pub(crate) fn new(entry: &KernelEntry) -> Self {
        let state = SURFACE_STATE_BYTES as u32;
        let entries = entry
            .surfaces
            .iter()
            .map(|s| s.index + 1)
            .max()
            .unwrap_or(0);
        let states = (entries * 4).next_multiple_of(state);
        // One more: the null surface of table entries that stand for nothing.
        let bindless = states + (entry.surfaces.len() as u32 + 1) * state;
        let scratch = bindless + entry.bindless_surfaces() * state;
        Self {
            entries,
            states,
            bindless,
            scratch,
            size: scratch + SCRATCH_STATES,
        }
    }
}

/// Where things lie in the dynamic heap of a dispatch, in bytes from its base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DynamicHeap {
    /// Interface descriptors, one a walker.
    pub descriptors: u32,
    pub border_color: u32,
    pub samplers: u32,
    pub sampler_count: u32,
    /// Bindless sampler states: one an argument, then one an inline sampler.
    pub bindless: u32,
    /// Structures of implicit arguments, one a walker, if the code reads them.
    pub implicit: Option<u32>,
    pub size: u32,
}

impl DynamicHeap {
    /// The layout for a kernel and a number of walkers.
    pub(crate) fn new(entry: &KernelEntry, walkers: u32) -> Self {
        const DESCRIPTOR: u32 = 64;
        const BORDER_COLOR: u32 = 64;
        let border_color = walkers * DESCRIPTOR;
        let samplers = border_color + BORDER_COLOR;
        let sampler_count = entry
            .samplers
            .iter()
            .map(|s| s.index + 1)
            .max()
            .unwrap_or(0);
        let state = SAMPLER_STATE_BYTES as u32;
        let bindless = (samplers + sampler_count * state).next_multiple_of(BINDLESS_SAMPLER);
        let end = bindless + (entry.info.args.len() as u32 + sampler_count) * BINDLESS_SAMPLER;
        let end = end.next_multiple_of(64);
        let reads = entry
            .payload
            .iter()
            .any(|field| field.value == PayloadValue::ImplicitArguments);
        let size = if reads {
            end + walkers * IMPLICIT_ARGUMENTS
        } else {
            end
        };
        Self {
            implicit: reads.then_some(end),
            descriptors: 0,
            border_color,
            samplers,
            sampler_count,
            bindless,
            size,
        }
    }
}

/// Writes binding table and surface states to `out`, the surface heap.
pub(crate) fn surfaces(
    program: &ProgramInner,
    entry: &KernelEntry,
    args: &[Option<Bound>],
    heap: &SurfaceHeap,
    out: &mut [u8],
) -> Result<(), Error> {
    let family = program.device.family();
    let mocs = program.device.mocs;
    let state = SURFACE_STATE_BYTES as u32;
    let null = heap.states + entry.surfaces.len() as u32 * state;
    put(
        out,
        null,
        &surface::null(family).map_err(unfit(entry, None))?,
    );
    let source_state = |source, media_block| match source {
        SurfaceSource::Argument(index) => argument(entry, index, args, family, mocs, media_block),
        SurfaceSource::Constants => segment(program, SegmentKind::Constants, entry),
        SurfaceSource::Globals => segment(program, SegmentKind::Globals, entry),
    };
    let stands_for_something = |index| entry.surfaces.iter().any(|slot| slot.index == index);
    for index in (0..heap.entries).filter(|&index| !stands_for_something(index)) {
        table_entry(family, out, index, null, entry)?;
    }
    for (number, slot) in entry.surfaces.iter().enumerate() {
        let dwords = source_state(slot.source, slot.media_block)?;
        let offset = heap.states + number as u32 * state;
        put(out, offset, &dwords);
        table_entry(family, out, slot.index, offset, entry)?;
    }
    for field in &entry.payload {
        if let PayloadValue::BindlessSurface { source } = field.value {
            let dwords = source_state(source, false)?;
            put(
                out,
                heap.bindless + entry.bindless_surface(source) * state,
                &dwords,
            );
        }
    }
    Ok(())
}

fn table_entry(
    family: Family,
    out: &mut [u8],
    index: u32,
    offset: u32,
    entry: &KernelEntry,
) -> Result<(), Error> {
    let dword = surface::binding_table_entry(family, offset).map_err(unfit(entry, None))?;
    put(out, index * 4, &[dword]);
    Ok(())
}

/// The surface state of an argument.
fn argument(
    entry: &KernelEntry,
    index: usize,
    args: &[Option<Bound>],
    family: Family,
    mocs: Mocs,
    media_block: bool,
) -> Result<SurfaceState, Error> {
    let arg = args.get(index).and_then(Option::as_ref);
    let state = match arg {
        Some(Bound::Buffer(buffer)) => {
            let address = buffer.address().get();
            let before = address % SURFACE_ALIGNMENT;
            surface::raw_buffer(
                family,
                &RawBuffer {
                    address: GpuAddress::new(address - before),
                    bytes: (buffer.size() + before).min(MAX_RAW),
                    mocs,
                },
            )
        }
        Some(Bound::Image(image)) => return image.surface(family, mocs, media_block),
        _ => surface::null(family),
    };
    Ok(state.map_err(unfit(entry, Some(index)))?)
}

fn segment(
    program: &ProgramInner,
    kind: SegmentKind,
    entry: &KernelEntry,
) -> Result<SurfaceState, Error> {
    let family = program.device.family();
    let state = match program.memory(kind) {
        Some(bo) => surface::raw_buffer(
            family,
            &RawBuffer {
                address: bo.address(),
                bytes: bo.size().min(MAX_RAW),
                mocs: program.device.mocs,
            },
        ),
        None => surface::null(family),
    };
    Ok(state.map_err(unfit(entry, None))?)
}

/// Writes the surface states of scratch, null surfaces where there is none, to `out`, the surface
/// heap.
pub(crate) fn scratch(
    program: &ProgramInner,
    entry: &KernelEntry,
    slots: &[Option<SlotMemory>; 2],
    heap: &SurfaceHeap,
    out: &mut [u8],
) -> Result<(), Error> {
    let family = program.device.family();
    for (number, slots) in (0u32..).zip(slots) {
        let state = match slots {
            Some(slots) => slots.surface(family, program.device.mocs),
            None => surface::null(family),
        };
        let offset = heap.scratch + number * SURFACE_STATE_BYTES as u32;
        put(out, offset, &state.map_err(unfit(entry, None))?);
    }
    Ok(())
}

/// Writes sampler states and the border colour to `out`, the dynamic heap.
pub(crate) fn samplers(
    family: Family,
    entry: &KernelEntry,
    args: &[Option<Bound>],
    heap: &DynamicHeap,
    out: &mut [u8],
) -> Result<(), Error> {
    // OpenCL's border is transparent black, so that the border colour is all zeros.
    put(out, heap.border_color, &[0; 16]);
    let state = SAMPLER_STATE_BYTES as u32;
    let args_count = entry.info.args.len() as u32;
    for slot in &entry.samplers {
        let (sampler, bindless) = match slot.source {
            SamplerSource::Inline(sampler) => (sampler, args_count + slot.index),
            SamplerSource::Argument(index) => match args.get(index) {
                Some(Some(Bound::Sampler(sampler))) => (*sampler, index as u32),
                _ => continue,
            },
        };
        let dwords =
            sampler_state(family, sampler, heap.border_color).map_err(unfit(entry, None))?;
        put(out, heap.samplers + slot.index * state, &dwords);
        put(out, heap.bindless + bindless * BINDLESS_SAMPLER, &dwords);
    }
    Ok(())
}

fn sampler_state(
    family: Family,
    sampler: Sampler,
    border_color: u32,
) -> Result<[u32; 4], SurfaceError> {
    let mode = match sampler.addressing {
        AddressingMode::None | AddressingMode::ClampToEdge => TextureCoordinateMode::CLAMP,
        AddressingMode::ClampToBorder => TextureCoordinateMode::CLAMP_BORDER,
        AddressingMode::Repeat => TextureCoordinateMode::WRAP,
        AddressingMode::MirroredRepeat => TextureCoordinateMode::MIRROR,
    };
    surface::sampler(
        family,
        &surface::Sampler {
            linear: sampler.filter == FilterMode::Linear,
            normalized: sampler.normalized,
            address_mode: [mode; 3],
            border_color,
        },
    )
}

/// Names the argument in what a state's encoder objects to.
fn unfit(entry: &KernelEntry, index: Option<usize>) -> impl Fn(SurfaceError) -> ArgumentError {
    move |error| match index {
        Some(index) => ArgumentError::Mismatch {
            kernel: entry.info.name.clone(),
            index,
            name: entry.arg_name(index),
            why: error.to_string(),
        },
        None => ArgumentError::Object {
            what: "surface state",
            why: error.to_string(),
        },
    }
}

/// Writes dwords at a byte offset; heaps are made large enough by their layouts.
pub(crate) fn put(out: &mut [u8], offset: u32, dwords: &[u32]) {
    let place = out.get_mut(offset as usize..).unwrap_or_default();
    for (to, dword) in place.chunks_exact_mut(4).zip(dwords) {
        to.copy_from_slice(&dword.to_le_bytes());
    }
}

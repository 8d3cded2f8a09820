//! Surface and sampler states of a kernel, built when its arguments are set.

use batchbuffer::states::values::TextureCoordinateMode;
use batchbuffer::surface::{
    self, RawBuffer, SAMPLER_STATE_BYTES, SURFACE_STATE_BYTES, SurfaceError, SurfaceState,
};
use devinfo::{Family, GpuAddress};

use crate::binary::{KernelAbi, PayloadValue, SamplerSource, SegmentKind, SurfaceSource};
use crate::bound::Bound;
use crate::buffer::Buffer;
use crate::device::DeviceInner;
use crate::error::{ArgumentError, Error, ErrorKind};
use crate::program::ProgramInner;
use crate::sampler::{AddressingMode, FilterMode, Sampler};

use super::heap::{BORDER_COLOR, NULL_SURFACE, UNIT};

/// Raw surfaces hold at most 4 GiB; what lies beyond can only be reached by pointer.
pub(crate) const MAX_RAW: u64 = 1 << 32;

/// What the base address of a buffer's surface is a multiple of (RENDER_SURFACE_STATE "Surface
/// Base Address" of SURFTYPE_BUFFER, RAW format).
pub(crate) const SURFACE_ALIGNMENT: u64 = 4;

/// How far a buffer's surface begins before the buffer. Code that adds a buffer offset reaches what
/// lies before a pointer into the middle of an allocation: its surface begins with the allocation
/// (NEO `Kernel::patchBufferOffset`).
pub(super) fn before(buffer: &Buffer, takes_offset: bool) -> u64 {
    let address = buffer.address().get();
    let most = MAX_RAW.saturating_sub(buffer.size() + SURFACE_ALIGNMENT);
    match buffer.origin() {
        origin if takes_offset && origin <= most => {
            origin + address.wrapping_sub(origin) % SURFACE_ALIGNMENT
        }
        _ => address % SURFACE_ALIGNMENT,
    }
}

const SURFACE: u32 = SURFACE_STATE_BYTES as u32;
const SAMPLER: u32 = SAMPLER_STATE_BYTES as u32;
/// Bytes from one bindless sampler state to the next: pointers to them have no lower bits (TGL PRM
/// vol 7, sampler message header, "Sampler State Pointer").
const BINDLESS_SAMPLER: u32 = 32;

/// Where the states of a kernel lie, in bytes from their beginning. The surfaces of the binding
/// table come first, in the order of [`KernelAbi::surfaces`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StatesLayout {
    /// Entries of the binding table.
    pub entries: u32,
    /// Surfaces that the code reaches without the table, one an argument, then those of
    /// program-scope constants and variables; as long as nothing reads their places, there are
    /// none.
    bindless_surfaces: u32,
    /// The table of samplers.
    pub samplers: u32,
    pub sampler_count: u32,
    /// Samplers that the code reaches without the table: one an argument, then one an inline
    /// sampler.
    bindless_samplers: u32,
    has_bindless_samplers: bool,
    pub size: u32,
}

impl StatesLayout {
    /// The layout for a kernel.
    pub(crate) fn new(entry: &KernelAbi) -> Self {
        let has = |wanted: fn(PayloadValue) -> bool| {
            let mut fields = entry.payload.iter();
            fields.any(|field| wanted(field.value))
        };
        let args = entry.info.args.len() as u32;
        let indices = entry.surfaces.iter().map(|slot| slot.index + 1);
        let entries = indices.max().unwrap_or(0);
        let bindless_surfaces = entry.surfaces.len() as u32 * SURFACE;
        let is_bindless = |value| matches!(value, PayloadValue::BindlessSurface { .. });
        let count = if has(is_bindless) { args + 2 } else { 0 };
        let samplers = bindless_surfaces + count * SURFACE;
        let indices = entry.samplers.iter().map(|slot| slot.index + 1);
        let sampler_count = indices.max().unwrap_or(0);
        let end = samplers + sampler_count * SAMPLER;
        let bindless_samplers = end.next_multiple_of(BINDLESS_SAMPLER);
        let is_bindless = |value| {
            matches!(
                value,
                PayloadValue::BindlessSampler { .. } | PayloadValue::BindlessInlineSampler { .. }
            )
        };
        let has_bindless_samplers = has(is_bindless);
        let count = match has_bindless_samplers {
            true => args + sampler_count,
            false => 0,
        };
        let end = bindless_samplers + count * BINDLESS_SAMPLER;
        Self {
            entries,
            bindless_surfaces,
            samplers,
            sampler_count,
            bindless_samplers,
            has_bindless_samplers,
            size: end.next_multiple_of(UNIT),
        }
    }

    /// The place of the bindless surface of a source.
    pub(crate) fn bindless_surface(&self, entry: &KernelAbi, source: SurfaceSource) -> u32 {
        let args = entry.info.args.len() as u32;
        let number = match source {
            SurfaceSource::Argument(index) => index as u32,
            SurfaceSource::Constants => args,
            SurfaceSource::Globals => args + 1,
        };
        self.bindless_surfaces + number * SURFACE
    }

    /// The place of a bindless sampler.
    pub(crate) fn bindless_sampler(&self, number: u32) -> u32 {
        self.bindless_samplers + number * BINDLESS_SAMPLER
    }
}

/// The states of a kernel without arguments: null surfaces, program-scope memory, the samplers of
/// its source.
pub(crate) fn of_program(
    program: &ProgramInner,
    entry: &KernelAbi,
    layout: &StatesLayout,
) -> Result<Vec<u8>, Error> {
    let device = &program.device;
    let mut out = vec![0; layout.size as usize];
    let null = surface::null(device.family()).map_err(unfit(entry, None))?;
    for place in (0..layout.samplers).step_by(SURFACE_STATE_BYTES) {
        put(&mut out, place, &null)?;
    }
    for (source, kind) in [
        (SurfaceSource::Constants, SegmentKind::Constants),
        (SurfaceSource::Globals, SegmentKind::Globals),
    ] {
        let Some(bo) = program.memory(kind) else {
            continue;
        };
        let raw = RawBuffer {
            address: bo.address(),
            bytes: bo.size().min(MAX_RAW),
            mocs: device.mocs,
        };
        let state = surface::raw_buffer(device.family(), &raw).map_err(unfit(entry, None))?;
        surfaces(entry, layout, source, &mut out, |_| Ok(state))?;
    }
    for slot in &entry.samplers {
        if let SamplerSource::Inline(sampler) = slot.source {
            let number = entry.info.args.len() as u32 + slot.index;
            put_sampler(
                device,
                entry,
                layout,
                (slot.index, number),
                sampler,
                &mut out,
            )?;
        }
    }
    Ok(out)
}

/// Writes the states of an argument.
pub(crate) fn of_argument(
    device: &DeviceInner,
    entry: &KernelAbi,
    layout: &StatesLayout,
    (index, bound): (usize, &Bound),
    out: &mut [u8],
) -> Result<(), Error> {
    let (family, mocs) = (device.family(), device.mocs);
    let source = SurfaceSource::Argument(index);
    let takes_offset = entry.takes_offset(index);
    surfaces(entry, layout, source, out, |media_block| match bound {
        // No bytes: only copies of nothing have such buffers.
        Bound::Buffer(buffer) if buffer.size() + before(buffer, takes_offset) > 0 => {
            let address = buffer.address().get();
            let before = before(buffer, takes_offset);
            let raw = RawBuffer {
                address: GpuAddress::new(address - before),
                bytes: (buffer.size() + before).min(MAX_RAW),
                mocs,
            };
            Ok(surface::raw_buffer(family, &raw).map_err(unfit(entry, Some(index)))?)
        }
        Bound::Image(image) => image.surface(family, mocs, media_block),
        _ => Ok(surface::null(family).map_err(unfit(entry, Some(index)))?),
    })?;
    if let Bound::Sampler(sampler) = bound {
        for slot in &entry.samplers {
            if slot.source == SamplerSource::Argument(index) {
                let place = (slot.index, index as u32);
                put_sampler(device, entry, layout, place, *sampler, out)?;
            }
        }
    }
    Ok(())
}

/// Writes the surfaces of a source: `state` gives each, told whether media block messages use it.
fn surfaces(
    entry: &KernelAbi,
    layout: &StatesLayout,
    source: SurfaceSource,
    out: &mut [u8],
    state: impl Fn(bool) -> Result<SurfaceState, Error>,
) -> Result<(), Error> {
    for (number, slot) in (0u32..).zip(&entry.surfaces) {
        if slot.source == source {
            put(out, number * SURFACE, &state(slot.media_block)?)?;
        }
    }
    let wanted = PayloadValue::BindlessSurface { source };
    if entry.payload.iter().any(|field| field.value == wanted) {
        put(out, layout.bindless_surface(entry, source), &state(false)?)?;
    }
    Ok(())
}

/// Writes a sampler to its place in the table, and to its bindless one.
fn put_sampler(
    device: &DeviceInner,
    entry: &KernelAbi,
    layout: &StatesLayout,
    (index, number): (u32, u32),
    sampler: Sampler,
    out: &mut [u8],
) -> Result<(), Error> {
    let dwords = sampler_state(device.family(), sampler).map_err(unfit(entry, None))?;
    put(out, layout.samplers + index * SAMPLER, &dwords)?;
    if layout.has_bindless_samplers {
        put(out, layout.bindless_sampler(number), &dwords)?;
    }
    Ok(())
}

/// The binding table of a kernel: where each surface lies from the beginning of the states, or the
/// whole entry where it is the null surface.
pub(crate) fn table<'a>(
    family: Family,
    entry: &'a KernelAbi,
    layout: &StatesLayout,
) -> Result<impl Iterator<Item = Result<u32, u32>> + use<'a>, Error> {
    let null = surface::binding_table_entry(family, NULL_SURFACE).map_err(unfit(entry, None))?;
    Ok((0..layout.entries).map(move |index| {
        let slot = entry.surfaces.iter().rposition(|slot| slot.index == index);
        slot.map_or(Err(null), |number| Ok(number as u32 * SURFACE))
    }))
}

fn sampler_state(family: Family, sampler: Sampler) -> Result<[u32; 4], SurfaceError> {
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
            border_color: BORDER_COLOR,
        },
    )
}

/// Names the argument in what a state's encoder objects to.
fn unfit(entry: &KernelAbi, index: Option<usize>) -> impl Fn(SurfaceError) -> ArgumentError {
    move |error| match index {
        Some(index) => ArgumentError::Mismatch {
            kernel: entry.info.name.clone(),
            index,
            name: entry.arg_name(index),
            kind: ErrorKind::InvalidArgValue,
            why: error.to_string(),
        },
        None => crate::error::state(error),
    }
}

/// Writes dwords at a byte offset.
///
/// # Errors
/// They do not fit.
pub(crate) fn put(out: &mut [u8], offset: u32, dwords: &[u32]) -> Result<(), ArgumentError> {
    put_bytes(out, offset, zerocopy::IntoBytes::as_bytes(dwords))
}

/// Writes bytes at an offset.
///
/// # Errors
/// They do not fit.
pub(crate) fn put_bytes(out: &mut [u8], offset: u32, bytes: &[u8]) -> Result<(), ArgumentError> {
    let size = out.len() as u64;
    let place = out.get_mut(offset as usize..);
    match place.and_then(|place| place.get_mut(..bytes.len())) {
        Some(place) => place.copy_from_slice(bytes),
        None => {
            return Err(ArgumentError::OutOfBounds {
                what: "states of a launch",
                offset: offset.into(),
                length: bytes.len() as u64,
                size,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_an_error() {
        let mut bytes = [0; 8];
        assert!(put(&mut bytes, 4, &[1]).is_ok());
        assert_eq!(bytes, [0, 0, 0, 0, 1, 0, 0, 0]);
        for offset in [5, 8, 9, u32::MAX] {
            let error = put(&mut bytes, offset, &[2]).unwrap_err();
            assert!(
                matches!(error, ArgumentError::OutOfBounds { .. }),
                "{error}"
            );
        }
        assert_eq!(bytes, [0, 0, 0, 0, 1, 0, 0, 0]);
    }
}

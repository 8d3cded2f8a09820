//! The bytes that threads are started with.

use std::ops::Range;

use crate::binary::{
    IMPLICIT_ARGUMENTS, ImageQuery, KernelAbi, LocalIds, PayloadEntry, PayloadValue, SamplerQuery,
};
use crate::bound::Bound;
use crate::error::ArgumentError;
use crate::image::Image;
use crate::sampler::{AddressingMode, FilterMode, Sampler};

use super::geometry::{Geometry, Walk};
use super::states::{StatesLayout, before};

/// What only a launch knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// The address that the kernel prints to.
    Printf,
    /// The address of the walker's structure of implicit arguments.
    ImplicitArguments,
    /// The address of private memory.
    Private,
    /// The place in the heap of a state, which lies so far behind the beginning of the states.
    State(u32),
}

/// Shared local memory of a group: where each local argument begins, and all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlmLayout {
    pub offsets: Vec<u32>,
    pub total: u32,
    /// What is asked for, without gaps for checks.
    pub asked: u32,
    /// What is static and the arguments: where each begins in the group's memory, and its bytes.
    pub parts: Vec<(u64, u64)>,
}

/// The most bytes between local arguments where accesses are checked, and what they are a multiple of.
const GAP: u32 = 4096;
const GAP_UNIT: u32 = 128;

/// Lays out shared local memory.
///
/// Compilers add the static part to the offsets themselves, and take the first one to be zero;
/// the arguments lie behind each other (NEO `Kernel::setArgLocal`).
///
/// A device that checks accesses sees what leaves an argument, if nothing is behind it. So where there is room
/// in the `checked` bytes of a group, there are gaps between the arguments.
pub(crate) fn slm(entry: &KernelAbi, args: &[Option<Bound>], checked: Option<u32>) -> SlmLayout {
    let asked = spread(entry, args, 0);
    let sizes = || {
        args.iter().filter_map(|arg| match arg {
            Some(Bound::Local(size)) => Some(*size),
            _ => None,
        })
    };
    let spare = checked.map_or(0, |most| most.saturating_sub(asked.total));
    // Alignment may take as much again.
    let room = spare / (2 * sizes().count().max(1) as u32);
    let wanted = sizes().max().unwrap_or(0).max(GAP_UNIT);
    let gap = wanted.min(room).min(GAP) / GAP_UNIT * GAP_UNIT;
    let spread = spread(entry, args, gap);
    match checked {
        Some(most) if gap > 0 && spread.total <= most => SlmLayout {
            asked: asked.total,
            ..spread
        },
        _ => asked,
    }
}

/// The arguments with `gap` bytes between them.
fn spread(entry: &KernelAbi, args: &[Option<Bound>], gap: u32) -> SlmLayout {
    let first = if entry.slm_after_static {
        entry.info.slm_size
    } else {
        0
    };
    let base = entry.info.slm_size - first;
    let mut parts = Vec::new();
    if entry.info.slm_size > 0 {
        parts.push((0, entry.info.slm_size.into()));
    }
    let mut has_one = false;
    let mut at = first;
    let mut offsets = vec![0; args.len()];
    for (index, arg) in args.iter().enumerate() {
        let Some(Bound::Local(size)) = arg else {
            continue;
        };
        let alignment = entry.payload.iter().find_map(|field| match field.value {
            PayloadValue::SlmOffset { arg, alignment } if arg == index => Some(alignment),
            _ => None,
        });
        let Some(alignment) = alignment else {
            continue;
        };
        // Compilers know where the first one is.
        let before = if has_one { gap } else { 0 };
        has_one = true;
        at = at.saturating_add(before);
        at = at.saturating_add(alignment - 1) & !(alignment - 1);
        parts.push((u64::from(base) + u64::from(at), u64::from(*size)));
        if let Some(offset) = offsets.get_mut(index) {
            *offset = at;
        }
        at = at.saturating_add(*size);
    }
    let total = if entry.slm_after_static {
        at
    } else {
        entry.info.slm_size.saturating_add(at)
    };
    SlmLayout {
        offsets,
        total,
        asked: total,
        parts,
    }
}

/// Writes what all launches of a kernel have in common: the addresses of program-scope memory.
/// `out` is the cross-thread payload, of [`KernelAbi::cross_thread_size`] bytes.
pub(crate) fn program_fields(
    entry: &KernelAbi,
    (constants, globals): (u64, u64),
    out: &mut [u8],
) -> Result<(), ArgumentError> {
    for field in &entry.payload {
        match field.value {
            PayloadValue::ConstantBase => number(field_of(field, out)?, constants),
            PayloadValue::GlobalBase => number(field_of(field, out)?, globals),
            _ => {}
        }
    }
    Ok(())
}

/// Writes what an argument gives to the cross-thread payload.
pub(crate) fn argument_fields(
    entry: &KernelAbi,
    index: usize,
    bound: &Bound,
    out: &mut [u8],
) -> Result<(), ArgumentError> {
    for field in &entry.payload {
        if field.value.argument() != Some(index) {
            continue;
        }
        let place = field_of(field, out)?;
        place.fill(0);
        match (field.value, bound) {
            (PayloadValue::Value { source, .. }, Bound::Value(bytes)) => {
                let bytes = bytes.get(source as usize..).unwrap_or_default();
                for (to, from) in place.iter_mut().zip(bytes) {
                    *to = *from;
                }
            }
            (PayloadValue::Address { .. }, Bound::Buffer(buffer)) => {
                number(place, buffer.address().get());
            }
            (PayloadValue::Address { .. }, Bound::Address(address)) => number(place, *address),
            (PayloadValue::BufferOffset { .. }, Bound::Buffer(buffer)) => {
                number(place, before(buffer, true));
            }
            (PayloadValue::BufferSize { .. }, Bound::Buffer(buffer)) => {
                number(place, buffer.size());
            }
            (PayloadValue::Image { query, .. }, Bound::Image(image)) => {
                number(place, image_value(image, query).into());
            }
            (PayloadValue::Sampler { query, .. }, Bound::Sampler(sampler)) => {
                number(place, sampler_value(*sampler, query).into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes the offsets of local arguments to the cross-thread payload.
pub(crate) fn slm_fields(
    entry: &KernelAbi,
    slm: &SlmLayout,
    out: &mut [u8],
) -> Result<(), ArgumentError> {
    for field in &entry.payload {
        if let PayloadValue::SlmOffset { arg, .. } = field.value {
            let offset = slm.offsets.get(arg).copied().unwrap_or(0);
            number(field_of(field, out)?, offset.into());
        }
    }
    Ok(())
}

/// Writes what the range gives to the cross-thread payload of a walker. Gives the bytes that it has
/// written.
pub(crate) fn range_fields(
    entry: &KernelAbi,
    geometry: &Geometry,
    walk: &Walk,
    out: &mut [u8],
) -> Result<Vec<Range<usize>>, ArgumentError> {
    let mut written = Vec::new();
    for field in &entry.payload {
        let place = field_of(field, out)?;
        match field.value {
            PayloadValue::GlobalOffset => vector(place, geometry.offset),
            PayloadValue::LocalSize => vector(place, walk.local),
            PayloadValue::EnqueuedLocalSize => vector(place, geometry.local),
            PayloadValue::GroupCount => vector(place, geometry.groups),
            PayloadValue::GlobalSize => vector(place, geometry.global),
            PayloadValue::WorkDimensions => number(place, geometry.dimensions.into()),
            _ => continue,
        }
        let start = field.offset as usize;
        written.push(start..start + field.size as usize);
    }
    Ok(written)
}

/// What only a launch can write to the cross-thread payload, and where.
pub(crate) fn late_fields(
    entry: &KernelAbi,
    states: &StatesLayout,
) -> impl Iterator<Item = (Range<usize>, Late)> {
    entry.payload.iter().filter_map(|field| {
        let value = match field.value {
            PayloadValue::PrintfBuffer => Late::Printf,
            PayloadValue::ImplicitArguments => Late::ImplicitArguments,
            PayloadValue::PrivateBase => Late::Private,
            PayloadValue::BindlessSurface { source } => {
                Late::State(states.bindless_surface(entry, source))
            }
            PayloadValue::BindlessSampler { arg } => {
                Late::State(states.bindless_sampler(arg as u32))
            }
            PayloadValue::BindlessInlineSampler { index } => {
                let number_of = entry.info.args.len() as u32 + index;
                Late::State(states.bindless_sampler(number_of))
            }
            PayloadValue::GlobalOffset
            | PayloadValue::LocalSize
            | PayloadValue::EnqueuedLocalSize
            | PayloadValue::GroupCount
            | PayloadValue::GlobalSize
            | PayloadValue::WorkDimensions
            | PayloadValue::ConstantBase
            | PayloadValue::GlobalBase
            | PayloadValue::Value { .. }
            | PayloadValue::Address { .. }
            | PayloadValue::SlmOffset { .. }
            | PayloadValue::BufferOffset { .. }
            | PayloadValue::BufferSize { .. }
            | PayloadValue::Image { .. }
            | PayloadValue::Sampler { .. } => return None,
        };
        let start = field.offset as usize;
        Some((start..start + field.size as usize, value))
    })
}

/// A field's place in the payload.
fn field_of<'a>(field: &PayloadEntry, out: &'a mut [u8]) -> Result<&'a mut [u8], ArgumentError> {
    let start = field.offset as usize;
    let size = out.len() as u64;
    let place = start.checked_add(field.size as usize);
    place
        .and_then(|end| out.get_mut(start..end))
        .ok_or(ArgumentError::OutOfBounds {
            what: "cross-thread payload",
            offset: field.offset.into(),
            length: field.size.into(),
            size,
        })
}

fn image_value(image: &Image, query: ImageQuery) -> u32 {
    let desc = image.desc();
    match query {
        ImageQuery::Width => desc.width,
        ImageQuery::Height => desc.height,
        ImageQuery::Depth => desc.depth,
        ImageQuery::ArraySize => desc.layers,
        ImageQuery::ChannelOrder => desc.format.order,
        ImageQuery::ChannelDataType => desc.format.data_type,
        ImageQuery::MipLevels | ImageQuery::Samples => 0,
    }
}

fn sampler_value(sampler: Sampler, query: SamplerQuery) -> u32 {
    match query {
        SamplerQuery::SnapWa
            if sampler.filter == FilterMode::Nearest
                && sampler.addressing == AddressingMode::ClampToBorder =>
        {
            u32::MAX
        }
        SamplerQuery::SnapWa => 0,
        // The numbers that IGC's built-ins compare with (NEO `sampler_helpers.h`).
        SamplerQuery::Normalized => u32::from(sampler.normalized) * 8,
        SamplerQuery::AddressingMode => match sampler.addressing {
            AddressingMode::None => 0,
            AddressingMode::ClampToBorder => 1,
            AddressingMode::ClampToEdge => 2,
            AddressingMode::Repeat => 3,
            AddressingMode::MirroredRepeat => 4,
        },
    }
}

/// Where the structure of implicit arguments has the address that the kernel prints to, and that of
/// the [table](ids_table) of local ids.
pub(crate) const PRINTF_FIELD: u32 = 40;
pub(crate) const IDS_FIELD: u32 = 72;

/// The structure of implicit arguments of a walker, version 1, which has all of version 0 at the
/// same places (NEO `ImplicitArgsV1`), without its addresses. Code that gets the structure's address
/// in its payload gets the local ids with it: that of their table stays zero.
pub(crate) fn implicit_arguments(
    geometry: &Geometry,
    walk: &Walk,
) -> [u8; IMPLICIT_ARGUMENTS as usize] {
    const SIZE: u8 = 140;
    const VERSION: u8 = 1;
    let mut out = [0; IMPLICIT_ARGUMENTS as usize];
    out[..4].copy_from_slice(&[
        SIZE,
        VERSION,
        geometry.dimensions as u8,
        geometry.simd as u8,
    ]);
    vector(&mut out[4..16], walk.local);
    let long = |out: &mut [u8], values: [u32; 3]| {
        for (to, value) in out.chunks_mut(8).zip(values) {
            number(to, value.into());
        }
    };
    long(&mut out[16..40], geometry.global);
    long(&mut out[48..72], geometry.offset);
    vector(&mut out[80..92], geometry.groups);
    vector(&mut out[128..140], geometry.local);
    out
}

/// How local ids lie in the table that implicit arguments point to: all three dimensions, in
/// registers of 32 bytes whatever the platform's have (NEO `implicit_args_helper.cpp`).
pub(crate) fn ids_table(simd: u32) -> LocalIds {
    LocalIds {
        dimensions: 3,
        bytes_per_dimension: match simd {
            1 => 2,
            simd => (simd * 2).next_multiple_of(32),
        },
        packed: simd == 1,
    }
}

/// Writes the local ids of one thread to `out`, which has as many bytes as [`LocalIds::bytes`].
///
/// Lanes beyond the group go on counting: they are never enabled, but SIMD-wide code computes
/// with them.
pub(crate) fn local_ids(
    ids: LocalIds,
    simd: u32,
    walk_order: [u8; 3],
    local: [u32; 3],
    thread: u32,
    out: &mut [u8],
) {
    out.fill(0);
    let size = |d: u8| local.get(usize::from(d)).copied().unwrap_or(1).max(1);
    let lanes = if ids.packed { 1 } else { simd };
    for lane in 0..lanes {
        let linear = thread.wrapping_mul(lanes).wrapping_add(lane);
        let (a, b, c) = (walk_order[0], walk_order[1], walk_order[2]);
        let mut id = [0u32; 3];
        let coordinates = [
            (a, linear % size(a)),
            (b, linear / size(a) % size(b)),
            (c, linear / size(a) / size(b)),
        ];
        for (d, value) in coordinates {
            if let Some(id) = id.get_mut(usize::from(d)) {
                *id = value;
            }
        }
        for (d, id) in id.iter().enumerate().take(ids.dimensions as usize) {
            let at = d * ids.bytes_per_dimension as usize + lane as usize * 2;
            if let Some(place) = out.get_mut(at..at + 2) {
                place.copy_from_slice(&(*id as u16).to_le_bytes());
            }
        }
    }
}

fn vector(place: &mut [u8], values: [u32; 3]) {
    for (to, value) in place.chunks_mut(4).zip(values) {
        number(to, value.into());
    }
}

/// The lowest bytes of a number; what is left of the place is already zero.
fn number(place: &mut [u8], value: u64) {
    for (to, from) in place.iter_mut().zip(value.to_le_bytes()) {
        *to = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(ids: LocalIds, simd: u32, local: [u32; 3], thread: u32) -> Vec<Vec<u16>> {
        let mut out = vec![0xff; ids.bytes() as usize];
        local_ids(ids, simd, [0, 1, 2], local, thread, &mut out);
        out.chunks(ids.bytes_per_dimension as usize)
            .map(|part| {
                part.chunks(2)
                    .map(|b| u16::from_le_bytes([b[0], b[1]]))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn the_ids_that_neo_writes_for_8x4x2_at_simd32() {
        let ids = LocalIds {
            dimensions: 3,
            bytes_per_dimension: 64,
            packed: false,
        };
        let first = lanes(ids, 32, [8, 4, 2], 0);
        let x: Vec<u16> = (0..32).map(|i| i % 8).collect();
        let y: Vec<u16> = (0..32).map(|i| i / 8).collect();
        assert_eq!(first, [x.clone(), y.clone(), vec![0; 32]]);
        let second = lanes(ids, 32, [8, 4, 2], 1);
        assert_eq!(second, [x, y, vec![1; 32]]);
    }

    #[test]
    fn simd8_uses_half_a_register() {
        let ids = LocalIds {
            dimensions: 3,
            bytes_per_dimension: 32,
            packed: false,
        };
        let thread = lanes(ids, 8, [5, 10, 1], 1);
        assert_eq!(thread[0][..8], [3, 4, 0, 1, 2, 3, 4, 0]);
        assert_eq!(thread[1][..8], [1, 1, 2, 2, 2, 2, 2, 3]);
        assert_eq!(thread[0][8..], [0; 8]);
    }

    #[test]
    fn implicit_arguments_lie_where_neo_puts_them() {
        let walk = Walk {
            first_group: [1, 0, 0],
            groups: [1, 2, 3],
            local: [2, 5, 1],
            threads: 1,
            last_mask: 0x3ff,
        };
        let geometry = Geometry {
            local: [4, 5, 1],
            groups: [2, 2, 3],
            global: [6, 10, 3],
            offset: [7, 0, 9],
            dimensions: 3,
            simd: 16,
        };
        let out = implicit_arguments(&geometry, &walk);
        let dword = |at: usize| u32::from_le_bytes(out[at..at + 4].try_into().unwrap());
        assert_eq!(out[..4], [140, 1, 3, 16]);
        assert_eq!([4, 8, 12].map(dword), walk.local);
        assert_eq!([16, 24, 32].map(dword), geometry.global);
        assert_eq!((PRINTF_FIELD, dword(40), dword(44)), (40, 0, 0));
        assert_eq!([48, 56, 64].map(dword), geometry.offset);
        assert_eq!((IDS_FIELD, dword(72), dword(76)), (72, 0, 0));
        assert_eq!([80, 84, 88].map(dword), geometry.groups);
        assert_eq!([128, 132, 136].map(dword), geometry.local);
    }

    #[test]
    fn numbers_are_cut_to_their_place() {
        let mut place = [0; 4];
        number(&mut place, 0x1_2345_6789);
        assert_eq!(place, 0x2345_6789u32.to_le_bytes());
        let mut place = [0; 8];
        vector(&mut place, [1, 2, 3]);
        assert_eq!(place, [1, 0, 0, 0, 2, 0, 0, 0]);
    }
}

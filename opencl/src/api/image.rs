//! Images (specification, section 5.3).

use std::sync::Arc;

use opencl_sys::*;
use umd::{ImageDesc, ImageKind};

use super::abi::{In, Out};
use super::buffer::{self, HOST_POINTER};
use super::external_memory::Properties;
use super::info::{self, Answer};
use crate::core::image::{self, Shape};
use crate::core::image_memory;
use crate::core::memory::Making;
use crate::core::{Context, Handle, Mem, Memory, Object, publish};
use crate::error::{Error, Result, ensure};

/// The shape of a type of image.
fn kind_of(kind: cl_mem_object_type) -> Option<ImageKind> {
    Some(match kind {
        CL_MEM_OBJECT_IMAGE1D => ImageKind::D1,
        CL_MEM_OBJECT_IMAGE1D_BUFFER => ImageKind::D1Buffer,
        CL_MEM_OBJECT_IMAGE1D_ARRAY => ImageKind::D1Array,
        CL_MEM_OBJECT_IMAGE2D => ImageKind::D2,
        CL_MEM_OBJECT_IMAGE2D_ARRAY => ImageKind::D2Array,
        CL_MEM_OBJECT_IMAGE3D => ImageKind::D3,
        _ => return None,
    })
}

/// The orders of channels, and whether kernels write images of them.
const ORDERS: [(cl_channel_order, bool); 10] = [
    (CL_R, true),
    (CL_A, true),
    (CL_RG, true),
    (CL_RGBA, true),
    (CL_BGRA, true),
    (CL_INTENSITY, false),
    (CL_LUMINANCE, false),
    (CL_DEPTH, true),
    (CL_sRGBA, false),
    (CL_sBGRA, false),
];

const TYPES: [cl_channel_type; 12] = [
    CL_SNORM_INT8,
    CL_SNORM_INT16,
    CL_UNORM_INT8,
    CL_UNORM_INT16,
    CL_SIGNED_INT8,
    CL_SIGNED_INT16,
    CL_SIGNED_INT32,
    CL_UNSIGNED_INT8,
    CL_UNSIGNED_INT16,
    CL_UNSIGNED_INT32,
    CL_HALF_FLOAT,
    CL_FLOAT,
];

/// Which types channels of an order may have (the tables of orders and types below `cl_image_format`).
const VALID: [(&[cl_channel_order], &[cl_channel_type]); 7] = [
    (&[CL_R, CL_A, CL_RG, CL_RA, CL_RGBA, CL_Rx, CL_RGx], &TYPES),
    (
        &[CL_RGB, CL_RGBx],
        &[CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010],
    ),
    (&[CL_RGBA], &[CL_UNORM_INT_101010_2]),
    (
        &[CL_INTENSITY, CL_LUMINANCE],
        &[
            CL_UNORM_INT8,
            CL_UNORM_INT16,
            CL_SNORM_INT8,
            CL_SNORM_INT16,
            CL_HALF_FLOAT,
            CL_FLOAT,
        ],
    ),
    (&[CL_DEPTH], &[CL_UNORM_INT16, CL_FLOAT]),
    (
        &[CL_ARGB, CL_BGRA, CL_ABGR],
        &[
            CL_UNORM_INT8,
            CL_SNORM_INT8,
            CL_SIGNED_INT8,
            CL_UNSIGNED_INT8,
        ],
    ),
    (&[CL_sRGB, CL_sRGBx, CL_sRGBA, CL_sBGRA], &[CL_UNORM_INT8]),
];

/// Whether there is such a format, on some device.
fn is_valid(format: cl_image_format) -> bool {
    VALID.iter().any(|(orders, types)| {
        orders.contains(&format.image_channel_order)
            && types.contains(&format.image_channel_data_type)
    })
}

/// Whether kernels may write an image with these flags, or both read and write it.
fn is_written(flags: u64) -> bool {
    flags & CL_MEM_READ_ONLY == 0
}

/// Whether images of a type can have a format, for kernels that use them as the flags say.
fn is_supported(format: cl_image_format, kind: ImageKind, flags: u64) -> bool {
    let order = ORDERS
        .iter()
        .find(|(order, _)| *order == format.image_channel_order);
    let is_depth = format.image_channel_order == CL_DEPTH;
    order.is_some_and(|&(_, writes)| writes || !is_written(flags))
        && image::format(format).texel_bytes().is_some()
        // "CL_DEPTH … can only be used if channel data type = CL_UNORM_INT16 or CL_FLOAT", and
        // OpenCL C has depth images of two dimensions only.
        && (!is_depth || matches!(kind, ImageKind::D2 | ImageKind::D2Array))
}

pub(crate) fn formats(
    context: Handle,
    flags: u64,
    kind: u32,
    room: u32,
    formats: Out<cl_image_format>,
    count: Out<u32>,
) -> Result<()> {
    let context = context.get::<Context>()?;
    // "CL_INVALID_VALUE if flags or image_type are not valid, or if num_entries is 0 and
    // image_formats is not NULL"
    let kind = kind_of(kind);
    let kind =
        kind.ok_or_else(|| Error::new(CL_INVALID_VALUE, "there is no such type of image"))?;
    let both = flags & CL_MEM_KERNEL_READ_AND_WRITE;
    let flags = buffer::flags(flags & !both)?;
    ensure(
        formats.is_null() || room > 0,
        CL_INVALID_VALUE,
        "there is room for no format",
    )?;
    let has_images = context
        .devices
        .iter()
        .all(|device| device.limits.images.is_some());
    let orders = ORDERS.iter().filter(|_| has_images);
    let all = orders.flat_map(|&(order, _)| {
        TYPES.map(|kind| cl_image_format {
            image_channel_order: order,
            image_channel_data_type: kind,
        })
    });
    let found: Vec<_> = all
        .filter(|&format| is_supported(format, kind, flags))
        .collect();
    count.set(found.len() as u32);
    formats.set_all(found.into_iter().take(room as usize));
    Ok(())
}

pub(crate) fn create_2d(
    context: Handle,
    flags: u64,
    format: In<cl_image_format>,
    width: usize,
    height: usize,
    row_pitch: usize,
    host: Memory,
) -> Result<Handle> {
    let desc = desc(CL_MEM_OBJECT_IMAGE2D, [width, height, 0], (row_pitch, 0));
    of_sizes(context, flags, format, desc, host)
}

pub(crate) fn create_3d(
    context: Handle,
    flags: u64,
    format: In<cl_image_format>,
    width: usize,
    height: usize,
    depth: usize,
    row_pitch: usize,
    slice_pitch: usize,
    host: Memory,
) -> Result<Handle> {
    // "CL_INVALID_IMAGE_SIZE if … image_depth is less than or equal to 1"
    ensure(
        depth > 1,
        CL_INVALID_IMAGE_SIZE,
        format!("a volume of {depth} slices"),
    )?;
    let pitches = (row_pitch, slice_pitch);
    let desc = desc(CL_MEM_OBJECT_IMAGE3D, [width, height, depth], pitches);
    of_sizes(context, flags, format, desc, host)
}

/// What has no description: "CL_INVALID_IMAGE_SIZE … if values specified in image_row_pitch do not
/// follow rules described in the argument description".
fn of_sizes(
    context: Handle,
    flags: u64,
    format: In<cl_image_format>,
    desc: _cl_image_desc,
    host: Memory,
) -> Result<Handle> {
    let made = make(
        context,
        Properties::default(),
        flags,
        format,
        Some(desc),
        host,
    );
    made.map_err(|error| match error.code {
        CL_INVALID_IMAGE_DESCRIPTOR => error.with_code(CL_INVALID_IMAGE_SIZE),
        _ => error,
    })
}

fn desc(kind: u32, [width, height, depth]: [usize; 3], pitches: (usize, usize)) -> _cl_image_desc {
    _cl_image_desc {
        image_type: kind,
        image_width: width,
        image_height: height,
        image_depth: depth,
        image_array_size: 0,
        image_row_pitch: pitches.0,
        image_slice_pitch: pitches.1,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    }
}

pub(crate) fn create(
    context: Handle,
    flags: u64,
    format: In<cl_image_format>,
    desc: In<_cl_image_desc>,
    host: Memory,
) -> Result<Handle> {
    make(
        context,
        Properties::default(),
        flags,
        format,
        desc.get(),
        host,
    )
}

pub(crate) fn create_with_properties(
    context: Handle,
    properties: In<u64>,
    flags: u64,
    format: In<cl_image_format>,
    desc: In<_cl_image_desc>,
    host: Memory,
) -> Result<Handle> {
    let properties = Properties::read(context, properties)?;
    make(context, properties, flags, format, desc.get(), host)
}

fn make(
    context: Handle,
    properties: Properties,
    given: u64,
    format: In<cl_image_format>,
    desc: Option<_cl_image_desc>,
    host: Memory,
) -> Result<Handle> {
    let context = context.get::<Context>()?;
    let mut flags = buffer::flags(given)?;
    // "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if values specified in image_format are not valid or if
    // image_format is NULL"
    let bad_format = |why: String| Error::new(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, why);
    let format = format
        .get()
        .ok_or_else(|| bad_format("the format is null".to_owned()))?;
    // "CL_INVALID_IMAGE_DESCRIPTOR if values specified in image_desc are not valid or if image_desc
    // is NULL"
    let bad_desc = |why: String| Error::new(CL_INVALID_IMAGE_DESCRIPTOR, why);
    let desc = desc.ok_or_else(|| bad_desc("the description is null".to_owned()))?;
    let kind = kind_of(desc.image_type);
    let kind = kind.ok_or_else(|| bad_desc(format!("{:#x} is no image", desc.image_type)))?;
    // "CL_INVALID_OPERATION if there are no devices in context that support images"
    let limits = context
        .devices
        .iter()
        .filter_map(|device| device.limits.images);
    let limits: Vec<_> = limits.collect();
    ensure(
        limits.len() == context.devices.len(),
        CL_INVALID_OPERATION,
        "a device of the context has no images",
    )?;
    let parent = match Handle::of(desc.buffer.addr()) {
        Handle::NULL => None,
        handle => Some(
            handle
                .get::<Mem>()
                .map_err(|error| error.with_code(CL_INVALID_IMAGE_DESCRIPTOR))?,
        ),
    };
    if let Some(parent) = &parent {
        // "mem_object may refer to a valid buffer or image memory object"
        ensure(
            parent.pipe.is_none(),
            CL_INVALID_IMAGE_DESCRIPTOR,
            "no image is made of a pipe",
        )?;
        flags = of_parent(parent, given)?;
    }
    let text = format!(
        "channel order {:#x} of type {:#x}",
        format.image_channel_order, format.image_channel_data_type
    );
    // "CL_IMAGE_FORMAT_NOT_SUPPORTED if there are no devices in context that support image_format"
    ensure(
        is_supported(format, kind, flags),
        match is_valid(format) {
            true => CL_IMAGE_FORMAT_NOT_SUPPORTED,
            false => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        },
        format!("images of {text} are not supported, used so"),
    )?;
    let texel_bytes = image::format(format).texel_bytes();
    let texel_bytes = texel_bytes.ok_or_else(|| bad_format(text))? as usize;
    // "num_mip_levels … must be 0", "num_samples … must be 0"
    ensure(
        desc.num_mip_levels == 0 && desc.num_samples == 0,
        CL_INVALID_IMAGE_DESCRIPTOR,
        "images have no mip levels and one sample",
    )?;
    let umd_desc = described(kind, format, &desc, &limits)?;
    // "host_ptr … CL_INVALID_HOST_PTR if host_ptr is NULL and CL_MEM_USE_HOST_PTR or
    // CL_MEM_COPY_HOST_PTR are set in flags or if host_ptr is not NULL but …"
    let wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0 && parent.is_none();
    ensure(
        wants != host.is_null(),
        CL_INVALID_HOST_PTR,
        "the flags and the host pointer do not go together",
    )?;
    ensure(
        properties.dma_buf.is_none() || matches!(kind, ImageKind::D1 | ImageKind::D2),
        CL_INVALID_OPERATION,
        "of memory of others there are images of one and two dimensions",
    )?;
    let may_pitch = !host.is_null() || parent.is_some() || properties.dma_buf.is_some();
    let (row_pitch, slice_pitch) = pitches(&desc, &umd_desc, texel_bytes, may_pitch)?;
    let shape = Shape {
        format,
        desc: umd_desc,
        texel_bytes,
        row_pitch,
        slice_pitch,
    };
    let making = Making {
        context,
        flags,
        host,
        properties: properties.list,
        dma_buf: properties.dma_buf,
    };
    making.check()?;
    let made = match (parent, kind) {
        (Some(parent), ImageKind::D1Buffer | ImageKind::D2) if parent.is_buffer() => {
            of_buffer(making, &desc, shape, parent)?
        }
        (Some(parent), ImageKind::D2) => of_image(making, &desc, shape, parent)?,
        (Some(_), _) => {
            let why = "of other memory objects are made one-dimensional buffer images, and \
                       two-dimensional images";
            return Err(Error::new(CL_INVALID_IMAGE_DESCRIPTOR, why));
        }
        (None, ImageKind::D1Buffer) => return Err(bad_desc("there is no buffer".to_owned())),
        // "CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for image
        // object"
        (None, _) => {
            image_memory::new(making, desc.image_type, shape).map_err(|error| match error.code {
                CL_INVALID_VALUE => error.with_code(CL_INVALID_IMAGE_SIZE),
                CL_IMAGE_FORMAT_NOT_SUPPORTED | CL_INVALID_IMAGE_SIZE | CL_INVALID_HOST_PTR => {
                    error
                }
                _ => error.with_code(CL_MEM_OBJECT_ALLOCATION_FAILURE),
            })?
        }
    };
    Ok(publish(Arc::new(made)))
}

/// The driver's description of an image.
fn described(
    kind: ImageKind,
    format: cl_image_format,
    desc: &_cl_image_desc,
    limits: &[umd::ImageLimits],
) -> Result<ImageDesc> {
    use ImageKind::{D1Array, D1Buffer, D2, D2Array, D3};
    let size = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let has = |wanted: &[ImageKind], value: usize| match wanted.contains(&kind) {
        true => size(value),
        false => 1,
    };
    let described = ImageDesc {
        kind,
        format: image::format(format),
        width: size(desc.image_width),
        height: has(&[D2, D2Array, D3], desc.image_height),
        depth: has(&[D3], desc.image_depth),
        layers: has(&[D1Array, D2Array], desc.image_array_size),
        row_pitch: 0,
    };
    // "CL_INVALID_IMAGE_SIZE if image dimensions specified in image_desc exceed the maximum image
    // dimensions … for all devices in context"
    let across = match kind {
        D1Buffer => limits.iter().map(|limits| limits.buffer).min(),
        D3 => limits.iter().map(|limits| limits.volume_across).min(),
        _ => limits.iter().map(|limits| limits.across).min(),
    };
    let deep = limits
        .iter()
        .map(|limits| limits.depth.min(limits.layers))
        .min()
        .unwrap_or(0);
    let across = across.unwrap_or(0);
    let in_range = |value: u32, most: u32| (1..=most).contains(&value);
    ensure(
        in_range(described.width, across)
            && in_range(described.height, across)
            && in_range(described.depth, deep)
            && in_range(described.layers, deep),
        CL_INVALID_IMAGE_SIZE,
        format!(
            "an image of {:?}; {across} across and {deep} deep are possible",
            described.extent()
        ),
    )?;
    Ok(described)
}

/// An image of a buffer's bytes.
fn of_buffer(making: Making, desc: &_cl_image_desc, shape: Shape, parent: Arc<Mem>) -> Result<Mem> {
    let is_line = shape.desc.kind == ImageKind::D1Buffer;
    making.context.same(&parent.context, "the buffer")?;
    // "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if a 2D image is created from a buffer and the row
    // pitch and base address alignment does not follow the rules": among them, "the image …
    // row pitch × height must be less than or equal to the size of the buffer"
    let bytes = shape.row_pitch.saturating_mul(shape.desc.height as usize);
    ensure(
        is_line || bytes <= parent.size,
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        format!("rows of {bytes} bytes in a buffer of {}", parent.size),
    )?;
    // "the image row pitch must be a multiple of the maximum of the
    // CL_DEVICE_IMAGE_PITCH_ALIGNMENT value for all devices in the context"; without a pitch
    // the rows lie as they are wide
    let aligned = PITCH_ALIGNMENT as usize * shape.texel_bytes;
    ensure(
        is_line || desc.image_row_pitch.is_multiple_of(aligned),
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        format!(
            "the row pitch is {}; multiples of {aligned} are possible",
            shape.row_pitch
        ),
    )?;
    let made = image_memory::of_buffer(making, desc.image_type, shape, parent);
    made.map_err(|error| match is_line {
        true => error.with_code(CL_INVALID_IMAGE_SIZE),
        false => error.with_code(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    })
}

/// An image of another's texels.
fn of_image(making: Making, desc: &_cl_image_desc, shape: Shape, parent: Arc<Mem>) -> Result<Mem> {
    making.context.same(&parent.context, "the image")?;
    let own = parent.as_image()?;
    // "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if a 2D image is created from a 2D image object
    // and the rules described above are not followed": the same size, channels in the same
    // places and of the same type
    let is_same = own.desc.kind == ImageKind::D2
        && own.desc.extent() == shape.desc.extent()
        && own.format.image_channel_data_type == shape.format.image_channel_data_type
        && are_compatible(
            own.format.image_channel_order,
            shape.format.image_channel_order,
        );
    ensure(
        is_same,
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        format!(
            "an image of {:?} cannot be seen as one of {:?} in this format",
            own.desc.extent(),
            shape.desc.extent()
        ),
    )?;
    let shape = Shape {
        row_pitch: own.row_pitch,
        ..shape
    };
    image_memory::of_image(making, desc.image_type, shape, parent)
}

/// Whether an image of one channel order can be seen as one of the other: linear or not (the table
/// of "image_channel_order compatibility" below `clCreateImage`).
fn are_compatible(a: cl_channel_order, b: cl_channel_order) -> bool {
    const ALIKE: [(cl_channel_order, cl_channel_order); 3] =
        [(CL_sBGRA, CL_BGRA), (CL_sRGBA, CL_RGBA), (CL_DEPTH, CL_R)];
    ALIKE.contains(&(a, b)) || ALIKE.contains(&(b, a))
}

/// The flags of an image of a buffer: those that are not given are the buffer's.
fn of_parent(parent: &Mem, given: u64) -> Result<u64> {
    // "If the CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR … are specified, CL_INVALID_VALUE": they
    // are the buffer's.
    ensure(
        given & HOST_POINTER == 0,
        CL_INVALID_VALUE,
        "where the memory is from is what the buffer says",
    )?;
    buffer::inherited(parent.flags, given)
}

/// In texels: what rows of images of buffers are aligned to.
pub(crate) const PITCH_ALIGNMENT: u32 = 4;

/// Row and slice pitch of an image in the program's memory.
fn pitches(
    desc: &_cl_image_desc,
    made: &ImageDesc,
    texel: usize,
    may_pitch: bool,
) -> Result<(usize, usize)> {
    let bad = |why: String| Error::new(CL_INVALID_IMAGE_DESCRIPTOR, why);
    let given = (desc.image_row_pitch, desc.image_slice_pitch);
    // "image_row_pitch must be 0 if host_ptr is NULL", unless the image is made of a buffer; so
    // must be image_slice_pitch.
    if !may_pitch && given != (0, 0) {
        return Err(bad("pitches are for the memory of the host".to_owned()));
    }
    let least = made.width as usize * texel;
    let row = match given.0 {
        0 => least,
        row => row,
    };
    // "can be either 0 or ≥ image_width × size of element in bytes …, must be a multiple of the
    // image element size in bytes"
    if row < least || !row.is_multiple_of(texel) || u32::try_from(row).is_err() {
        return Err(bad(format!(
            "the row pitch is {row}; multiples of {texel} from {least} on are possible"
        )));
    }
    let has_slices = matches!(
        made.kind,
        ImageKind::D1Array | ImageKind::D2Array | ImageKind::D3
    );
    if !has_slices {
        return Ok((row, 0));
    }
    let least = row * made.height as usize;
    let slice = match given.1 {
        0 => least,
        slice => slice,
    };
    // "can be either 0 or ≥ image_row_pitch × image_height for a 2D image array or 3D image and …
    // ≥ image_row_pitch for a 1D image array", "must be a multiple of the image_row_pitch"
    if slice < least || !slice.is_multiple_of(row) {
        return Err(bad(format!(
            "the slice pitch is {slice}; multiples of {row} from {least} on are possible"
        )));
    }
    Ok((row, slice))
}

pub(crate) fn info(handle: Handle, name: u32) -> Result<Answer> {
    let mem = handle.get::<Mem>()?;
    let image = mem.as_image()?;
    let desc = &image.desc;
    let one_of = |kinds: &[ImageKind], value: u32| match kinds.contains(&desc.kind) {
        true => value as usize,
        false => 0,
    };
    use ImageKind::{D1Array, D2, D2Array, D3};
    Ok(match name {
        CL_IMAGE_FORMAT => info::list(&[
            image.format.image_channel_order,
            image.format.image_channel_data_type,
        ]),
        CL_IMAGE_ELEMENT_SIZE => info::value(image.texel_bytes),
        CL_IMAGE_ROW_PITCH => info::value(image.row_pitch),
        CL_IMAGE_SLICE_PITCH => info::value(image.slice_pitch),
        CL_IMAGE_WIDTH => info::value(desc.width as usize),
        CL_IMAGE_HEIGHT => info::value(one_of(&[D2, D2Array, D3], desc.height)),
        CL_IMAGE_DEPTH => info::value(one_of(&[D3], desc.depth)),
        CL_IMAGE_ARRAY_SIZE => info::value(one_of(&[D1Array, D2Array], desc.layers)),
        CL_IMAGE_BUFFER => info::handle(match &mem.parent {
            Some(parent) => parent.base().handle(),
            None => Handle::NULL,
        }),
        CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => info::value(0u32),
        _ => return Err(info::unknown("an image", name)),
    })
}

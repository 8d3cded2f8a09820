//! Images.

use std::ffi::c_void;

use umd::{ImageDesc, ImageFormat};

use crate::buffer::Buffer;
use crate::device::Device;
use crate::pointers::{check, copied, handle, put_bytes};
use crate::status::{Failure, Status, call, make};

/// An image.
#[derive(Debug)]
pub struct Image(pub(crate) umd::Image);

/// The shape of an image.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// One dimension.
    D1 = 0,
    /// One dimension, the texels of a buffer.
    D1Buffer = 1,
    /// An array of one-dimensional images.
    D1Array = 2,
    /// Two dimensions.
    D2 = 3,
    /// An array of two-dimensional images.
    D2Array = 4,
    /// Three dimensions.
    D3 = 5,
}

/// An image to make.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageInfo {
    /// The shape: one of `ig_image_kind`.
    pub kind: u32,
    /// The channel order: the numbers of cl.h.
    pub channel_order: u32,
    /// The channel data type: the numbers of cl.h.
    pub channel_type: u32,
    /// Texels in a row.
    pub width: u32,
    /// Rows; 1 where there are none.
    pub height: u32,
    /// Slices; 1 where there are none.
    pub depth: u32,
    /// Layers; 1 where there are none.
    pub layers: u32,
    /// Bytes from row to row, only for images of a buffer; 0 lets the driver choose.
    pub row_pitch: u32,
}

/// A part of an image, in texels. The layer is the coordinate after an
/// image's own: y of 1D arrays, z of 2D arrays.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The first texel.
    pub origin: [u32; 3],
    /// The number of texels.
    pub size: [u32; 3],
}

impl Region {
    pub(crate) fn of(region: Option<&Self>) -> Result<umd::Region, Failure> {
        let Self { origin, size } = *handle(region, "region")?;
        Ok(umd::Region { origin, size })
    }
}

/// The number of a shape in [`ImageKind`].
pub(crate) fn kind_number(kind: umd::ImageKind) -> u32 {
    KINDS.iter().position(|&k| k == kind).unwrap_or(0) as u32
}

/// The shapes in the order of [`ImageKind`].
const KINDS: [umd::ImageKind; 6] = [
    umd::ImageKind::D1,
    umd::ImageKind::D1Buffer,
    umd::ImageKind::D1Array,
    umd::ImageKind::D2,
    umd::ImageKind::D2Array,
    umd::ImageKind::D3,
];

fn describe(info: Option<&ImageInfo>) -> Result<ImageDesc, Failure> {
    let info = handle(info, "description")?;
    let kind = usize::try_from(info.kind).ok().and_then(|n| KINDS.get(n));
    let kind = kind.ok_or_else(|| Failure::usage(format!("{} is no kind of image", info.kind)))?;
    Ok(ImageDesc {
        kind: *kind,
        format: ImageFormat::new(info.channel_order, info.channel_type),
        width: info.width,
        height: info.height,
        depth: info.depth,
        layers: info.layers,
        row_pitch: info.row_pitch,
    })
}

/// Makes an image of zero bytes.
#[unsafe(no_mangle)]
pub extern "C" fn ig_image_create(
    device: Option<&Device>,
    info: Option<&ImageInfo>,
    image: Option<&mut *mut Image>,
) -> Status {
    make(image, || {
        let device = &handle(device, "device")?.inner;
        Ok(Image(device.image(&describe(info)?)?))
    })
}

/// Makes an image of a buffer's bytes, which it shares: of one or two dimensions.
#[unsafe(no_mangle)]
pub extern "C" fn ig_image_create_from_buffer(
    device: Option<&Device>,
    buffer: Option<&Buffer>,
    info: Option<&ImageInfo>,
    image: Option<&mut *mut Image>,
) -> Status {
    make(image, || {
        let device = &handle(device, "device")?.inner;
        let buffer = &handle(buffer, "buffer")?.0;
        Ok(Image(device.image_from_buffer(buffer, &describe(info)?)?))
    })
}

/// Frees an image as soon as no command uses it.
#[unsafe(no_mangle)]
pub extern "C" fn ig_image_release(image: Option<Box<Image>>) {
    drop(image);
}

/// Copies texels out of an image now, row after row: wait for the commands that write it first.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_image_read(
    image: Option<&Image>,
    region: Option<&Region>,
    texels: *mut c_void,
    size: usize,
) -> Status {
    call(|| {
        check(texels.cast(), size)?;
        let mut own = vec![0; size];
        let image = &handle(image, "image")?.0;
        image.read(&Region::of(region)?, &mut own)?;
        // SAFETY: as the caller promises.
        unsafe { put_bytes(texels.cast(), &own) }
    })
}

/// Copies texels into an image now, row after row: wait for the commands that use it first.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_image_write(
    image: Option<&Image>,
    region: Option<&Region>,
    texels: *const c_void,
    size: usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller promises.
        let texels = &unsafe { copied(texels.cast(), size) }?;
        Ok(handle(image, "image")?
            .0
            .write(&Region::of(region)?, texels)?)
    })
}

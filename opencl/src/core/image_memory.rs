//! How images get their memory.
//!
//! An image has an image of the driver for each device of its context. Where it is made of a
//! buffer or of the host's memory, and in contexts of several devices, those are linear and share
//! their memory; else it is the device's own, arranged as the device likes it.

use std::sync::Arc;

use opencl_sys::*;
use umd::{ImageDesc, ImageKind};

use super::host_memory::Memory;
use super::image::{self, Image, Shape};
use super::memory::{self, HostUse, Making, Mem};
use crate::error::{Error, Result};

/// Rows of an image that several devices share begin at multiples of these bytes: what a cache line
/// has.
const SHARED_PITCH: usize = 64;

/// Makes an image of an image's texels in a buffer.
pub(crate) fn of_buffer(
    making: Making,
    kind: cl_mem_object_type,
    shape: Shape,
    parent: Arc<Mem>,
) -> Result<Mem> {
    let buffers = parent.buffers.clone();
    let on = linear(&making, &shape, &buffers)?;
    let size = shape.host_bytes().unwrap_or(0);
    let image = shape.image(on);
    Ok(Mem::image(
        making,
        kind,
        (size, buffers),
        image,
        Some(parent),
    ))
}

/// Makes an image.
pub(crate) fn new(making: Making, kind: cl_mem_object_type, shape: Shape) -> Result<Mem> {
    let size = shape.host_bytes();
    let size = size.ok_or_else(|| Error::new(CL_INVALID_IMAGE_SIZE, "beyond the end of memory"))?;
    let mut host_use = making.host_use(size)?;
    let copies = making.flags & CL_MEM_COPY_HOST_PTR != 0 || host_use == HostUse::Constant;
    let is_flat = matches!(shape.desc.kind, ImageKind::D1 | ImageKind::D2);
    let is_shared = making.context.devices.len() > 1;
    let in_place = matches!(host_use, HostUse::InPlace | HostUse::Copied);
    if is_flat && (is_shared || in_place || making.dma_buf.is_some()) {
        let buffers = memory::buffers(&making, size, in_place)?;
        match linear(&making, &shape, &buffers) {
            Ok(on) => {
                let image = shape.image(on);
                if copies {
                    fill(&image, shape, making.source(size)?)?;
                }
                let mut made = Mem::image(making, kind, (size, buffers), image, None);
                made.host_use = host_use;
                return Ok(made);
            }
            // The host's memory does not have the alignment that a surface needs: the image is a
            // copy of it, which maps bring back.
            Err(error) if !in_place => return Err(error),
            Err(_) => {}
        }
    }
    let on = match &*making.context.devices {
        [device] => vec![device.umd.image(&shape.desc)?],
        _ => shared(&making, &shape)?,
    };
    let image = shape.image(on);
    if in_place {
        host_use = HostUse::Copied;
    }
    if copies || in_place {
        fill(&image, shape, making.source(size)?)?;
    }
    let mut made = Mem::image(making, kind, (size, Vec::new()), image, None);
    made.host_use = host_use;
    Ok(made)
}

/// Images of rows in memory that all devices share.
fn linear(making: &Making, shape: &Shape, buffers: &[umd::Buffer]) -> Result<Vec<umd::Image>> {
    let desc = ImageDesc {
        row_pitch: match shape.desc.kind {
            ImageKind::D1Buffer => 0,
            _ => shape.row_pitch as u32,
        },
        ..shape.desc
    };
    let devices = making.context.devices.iter().zip(buffers);
    let images = devices.map(|(device, buffer)| device.umd.image_from_buffer(buffer, &desc));
    Ok(images.collect::<Result<Vec<_>, _>>()?)
}

/// Images of memory of their own that all devices share.
fn shared(making: &Making, shape: &Shape) -> Result<Vec<umd::Image>> {
    let row = shape.desc.width as usize * shape.texel_bytes;
    let desc = ImageDesc {
        row_pitch: row.next_multiple_of(SHARED_PITCH) as u32,
        ..shape.desc
    };
    let devices = making.context.devices.iter();
    let sizes = devices
        .clone()
        .map(|device| device.umd.linear_image_size(&desc));
    let size = sizes.collect::<Result<Vec<_>, _>>()?.into_iter().max();
    let size = size.unwrap_or(0) as usize;
    let memory = umd::HostMemory::new(size)?;
    let images = devices.map(|device| {
        let buffer = device.umd.from_user_memory(&memory, 0..size)?;
        device.umd.image_from_buffer(&buffer, &desc)
    });
    Ok(images.collect::<Result<Vec<_>, _>>()?)
}

/// Makes an image of another's texels in a format of the same size.
pub(crate) fn of_image(
    making: Making,
    kind: cl_mem_object_type,
    shape: Shape,
    parent: Arc<Mem>,
) -> Result<Mem> {
    let images = parent.as_image()?.on.iter();
    let on = images.map(|image| image.with_format(image::format(shape.format)));
    let image = shape.image(on.collect::<Result<Vec<_>, _>>()?);
    let memory = (parent.size, parent.buffers.clone());
    Ok(Mem::image(making, kind, memory, image, Some(parent)))
}

/// Takes the texels from the program's memory.
fn fill(image: &Image, shape: Shape, host: Memory) -> Result<()> {
    let bytes = shape.host_rows().gather(host, shape.bytes());
    for on in image.on.iter().take(1) {
        on.write(&on.whole(), &bytes)?;
    }
    Ok(())
}

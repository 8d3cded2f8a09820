//! Images in memory.

use std::sync::Arc;

use batchbuffer::dispatch::Mocs;
use batchbuffer::surface::{self, Shape, SurfaceState, Tiling, TypedBuffer};
use devinfo::Family;

use super::desc::{ImageDesc, ImageKind, Region};
use super::format::{ImageFormat, Texel, texel};
use super::layout::Layout;
use super::limits;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{ArgumentError, DeviceError, Error, ErrorKind, refused};
use crate::memory::{Bo, IMAGE, Use};

/// An image. Clones name the same memory.
#[derive(Clone, Debug)]
pub struct Image {
    inner: Arc<ImageInner>,
}

#[derive(Debug)]
struct ImageInner {
    bo: Arc<Bo>,
    /// The first texel in the buffer object.
    start: u64,
    desc: ImageDesc,
    texel: Texel,
    layout: Layout,
}

impl Device {
    /// An image of zero bytes.
    ///
    /// # Errors
    /// A format, shape or size that the device does not have.
    pub fn image(&self, desc: &ImageDesc) -> Result<Image, Error> {
        if desc.row_pitch != 0 {
            return Err(object(
                ErrorKind::InvalidImageDescriptor,
                "only an image of a buffer takes a row pitch".to_owned(),
            ));
        }
        if desc.kind == ImageKind::D1Buffer {
            return Err(object(
                ErrorKind::InvalidImageDescriptor,
                "a 1D buffer image is made of a buffer".to_owned(),
            ));
        }
        let texel = check(self, desc)?;
        let layout = Layout::tiled(desc, texel.bytes, self.inner().family());
        let bo = self
            .inner()
            .registry
            .create(layout.size, Use::Device, IMAGE);
        Ok(Image {
            inner: Arc::new(ImageInner {
                bo: bo.map_err(refused("an image"))?,
                start: 0,
                desc: *desc,
                texel,
                layout,
            }),
        })
    }

    /// The bytes of a linear image: what [`image_from_buffer`](Self::image_from_buffer) needs. They
    /// lie the same for all devices.
    ///
    /// # Errors
    /// As [`image`](Self::image); a pitch that the device cannot take.
    pub fn linear_image_size(&self, desc: &ImageDesc) -> Result<u64, Error> {
        Ok(self.linear(desc)?.1.size)
    }

    /// An image of a buffer's bytes, linear. Layers and slices begin at every fourth row.
    ///
    /// # Errors
    /// As [`image`](Self::image); a buffer that is too small; a pitch or address that the device
    /// cannot take.
    pub fn image_from_buffer(&self, buffer: &Buffer, desc: &ImageDesc) -> Result<Image, Error> {
        if !buffer.bo().is_of(&self.inner().registry) {
            return Err(ArgumentError::OtherDevice { what: "the buffer" }.into());
        }
        let (texel, layout) = self.linear(desc)?;
        if !buffer
            .address()
            .get()
            .is_multiple_of(u64::from(texel.bytes))
        {
            return Err(object(
                ErrorKind::InvalidImageDescriptor,
                format!(
                    "the buffer begins at {}, texels of {} bytes need a multiple of that",
                    buffer.address(),
                    texel.bytes
                ),
            ));
        }
        if layout.size > buffer.size() {
            return Err(object(
                ErrorKind::InvalidImageDescriptor,
                format!(
                    "the image needs {} bytes, the buffer has {}",
                    layout.size,
                    buffer.size()
                ),
            ));
        }
        let start = buffer.check("image", 0, layout.size)? as u64;
        Ok(Image {
            inner: Arc::new(ImageInner {
                bo: buffer.bo().clone(),
                start,
                desc: *desc,
                texel,
                layout,
            }),
        })
    }

    fn linear(&self, desc: &ImageDesc) -> Result<(Texel, Layout), Error> {
        let texel = check(self, desc)?;
        let least = desc.width * texel.bytes;
        let pitch = match desc.row_pitch {
            0 => least,
            pitch => pitch,
        };
        if pitch < least || !pitch.is_multiple_of(texel.bytes) {
            return Err(object(
                ErrorKind::InvalidImageDescriptor,
                format!(
                    "a row pitch of {pitch} bytes; a row of {} texels of {} bytes needs a multiple \
                     of {} from {least} on",
                    desc.width, texel.bytes, texel.bytes
                ),
            ));
        }
        let layout = Layout::linear(desc, texel.bytes, pitch, self.inner().family());
        Ok((texel, layout))
    }
}

impl Image {
    /// Shape, format and size.
    pub fn desc(&self) -> &ImageDesc {
        &self.inner.desc
    }

    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.inner.texel.bytes
    }

    /// The region that is the whole image.
    pub fn whole(&self) -> Region {
        Region {
            origin: [0; 3],
            size: self.desc().extent(),
        }
    }

    /// Copies texels out, as rows one after the other.
    ///
    /// This does not wait: wait for the commands that write the image first.
    ///
    /// # Errors
    /// The region reaches beyond the image, or `texels` has another size than the region.
    pub fn read(&self, region: &Region, texels: &mut [u8]) -> Result<(), Error> {
        self.check_bytes(region, texels.len())?;
        let memory = self.inner.bo.memory();
        self.runs(region, |offset, range| {
            if let Some(texels) = texels.get_mut(range) {
                memory.read(offset, texels);
            }
        });
        Ok(())
    }

    /// Copies texels in, given as rows one after the other.
    ///
    /// This does not wait: wait for the commands that use the image first.
    ///
    /// # Errors
    /// The region reaches beyond the image, or `texels` has another size than the region.
    pub fn write(&self, region: &Region, texels: &[u8]) -> Result<(), Error> {
        self.check_bytes(region, texels.len())?;
        let memory = self.inner.bo.memory();
        self.runs(region, |offset, range| {
            if let Some(texels) = texels.get(range) {
                memory.write(offset, texels);
            }
        });
        Ok(())
    }

    /// Calls `copy` with the place in the buffer object and the range in packed rows of each run
    /// of bytes that are neighbours in both.
    fn runs(&self, region: &Region, mut copy: impl FnMut(usize, std::ops::Range<usize>)) {
        let inner = &self.inner;
        let bytes = inner.texel.bytes;
        let [x, y, z] = region.origin;
        let [width, height, depth] = region.size;
        let runs = inner.layout.runs(x * bytes, (x + width) * bytes);
        let mut at = 0;
        for slice in z..z + depth {
            for row in y..y + height {
                let start = inner.start + inner.layout.row(row, slice);
                for &(offset, length) in &runs {
                    let length = length as usize;
                    copy((start + offset) as usize, at..at + length);
                    at += length;
                }
            }
        }
    }

    fn check_bytes(&self, region: &Region, given: usize) -> Result<(), ArgumentError> {
        let bytes = self.check(region)?;
        if bytes == given {
            return Ok(());
        }
        Err(ArgumentError::Object {
            what: "image",
            kind: ErrorKind::InvalidValue,
            why: format!("the region has {bytes} bytes, {given} are given"),
        })
    }

    /// The packed size of a region, if it is in the image.
    pub(crate) fn check(&self, region: &Region) -> Result<usize, ArgumentError> {
        let extent = self.desc().extent();
        let fits = (0..3).all(|d| {
            let end = region.origin[d].checked_add(region.size[d]);
            end.is_some_and(|end| end <= extent[d]) && region.size[d] > 0
        });
        if !fits {
            return Err(ArgumentError::Object {
                what: "image",
                kind: ErrorKind::InvalidValue,
                why: format!(
                    "the region of {:?} texels at {:?} is not in the image of {extent:?}",
                    region.size, region.origin
                ),
            });
        }
        let texels: usize = region.size.iter().map(|&n| n as usize).product();
        Ok(texels * self.inner.texel.bytes as usize)
    }

    /// Where rows begin from texel `origin` on, and the bytes from row to row and from slice to
    /// slice; `None` if the image is tiled.
    pub(crate) fn rows(&self, origin: [u32; 3]) -> Option<(Buffer, u64, u64)> {
        let inner = &self.inner;
        if inner.layout.tiling != Tiling::Linear {
            return None;
        }
        let [x, y, z] = origin;
        let row = |y, z| inner.layout.row(y, z);
        let start = row(y, z) + u64::from(x) * u64::from(inner.texel.bytes);
        let start = Buffer::of(&inner.bo, inner.start + start);
        Some((start, row(1, 0), row(0, 1)))
    }

    /// The same memory as an image of another format, with texels of as many bytes.
    ///
    /// # Errors
    /// A format that images do not have, or of texels of another size.
    pub fn with_format(&self, format: ImageFormat) -> Result<Self, Error> {
        let inner = &self.inner;
        let texel = texel(format);
        let texel = texel.map_err(|why| object(ErrorKind::InvalidImageFormat, why))?;
        if texel.bytes != inner.texel.bytes {
            let why = format!(
                "texels of {} bytes cannot be seen as texels of {}",
                inner.texel.bytes, texel.bytes
            );
            return Err(object(ErrorKind::InvalidImageFormat, why));
        }
        Ok(Self {
            inner: Arc::new(ImageInner {
                bo: inner.bo.clone(),
                start: inner.start,
                desc: ImageDesc {
                    format,
                    ..inner.desc
                },
                texel,
                layout: inner.layout,
            }),
        })
    }

    /// The same memory as an array of two-dimensional images of unsigned integers, which no
    /// access converts.
    pub(crate) fn as_texels(&self) -> Self {
        let inner = &self.inner;
        let [width, height, layers] = inner.desc.extent();
        Self {
            inner: Arc::new(ImageInner {
                bo: inner.bo.clone(),
                start: inner.start,
                desc: ImageDesc {
                    kind: ImageKind::D2Array,
                    width,
                    height,
                    depth: 1,
                    layers,
                    ..inner.desc
                },
                texel: inner.texel.as_integers(),
                layout: inner.layout,
            }),
        }
    }

    /// Whether both name the same image.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// The buffer object.
    pub(crate) fn bo(&self) -> &Arc<Bo> {
        &self.inner.bo
    }

    /// What media block messages need of a surface (DESIGN: TGL PRM vol 5, Media Block Read): a
    /// base of 32 bytes and a pitch of 64. `shared`: other messages use the same surface, whose width
    /// would be too small for them if it counts more than a texel in a dword.
    pub(crate) fn check_media_block(&self, shared: bool) -> Result<(), String> {
        let inner = &self.inner;
        if shared && inner.texel.bytes < 4 {
            return Err(format!(
                "its block accesses count the surface's width in dwords, so that its other accesses \
                 need elements of 4 bytes, too; the image's have {}",
                inner.texel.bytes
            ));
        }
        // "The behavior of the subgroup image block read and write built-ins is undefined for
        // images with an element size greater than four bytes" (`cl_intel_subgroups`, 6.13.X.1).
        if inner.texel.bytes > 4 {
            return Err(format!(
                "its block accesses take elements of 4 bytes at most, the image's have {}",
                inner.texel.bytes
            ));
        }
        let address = inner.bo.address().offset(inner.start);
        if !address.get().is_multiple_of(32) {
            return Err(format!(
                "its block accesses need a base that is a multiple of 32 bytes, the image begins \
                 at {address}"
            ));
        }
        if !inner.layout.pitch.is_multiple_of(64) {
            return Err(format!(
                "its block accesses need a row pitch that is a multiple of 64 bytes, the image \
                 has {}",
                inner.layout.pitch
            ));
        }
        Ok(())
    }

    /// The surface state. Media block messages count the surface's width in dwords (NEO
    /// `setMediaBlockImage`).
    pub(crate) fn surface(
        &self,
        family: Family,
        mocs: Mocs,
        media_block: bool,
    ) -> Result<SurfaceState, Error> {
        let inner = &self.inner;
        let desc = &inner.desc;
        let address = inner.bo.address().offset(inner.start);
        let state = if desc.kind == ImageKind::D1Buffer {
            surface::typed_buffer(
                family,
                &TypedBuffer {
                    address,
                    elements: desc.width.into(),
                    element_bytes: inner.texel.bytes,
                    format: inner.texel.format,
                    channels: inner.texel.channels,
                    mocs,
                },
            )
        } else {
            let width = if media_block {
                (desc.width * inner.texel.bytes).div_ceil(4)
            } else {
                desc.width
            };
            let (shape, depth, array) = match desc.kind {
                ImageKind::D1 | ImageKind::D1Buffer => (Shape::D1, 1, false),
                ImageKind::D1Array => (Shape::D1, desc.layers, true),
                ImageKind::D2 => (Shape::D2, 1, false),
                ImageKind::D2Array => (Shape::D2, desc.layers, true),
                ImageKind::D3 => (Shape::D3, desc.depth, false),
            };
            surface::image(
                family,
                &surface::Image {
                    address,
                    shape,
                    format: inner.texel.format,
                    tiling: inner.layout.tiling,
                    width,
                    height: if shape == Shape::D1 { 1 } else { desc.height },
                    depth,
                    array,
                    pitch: inner.layout.pitch,
                    qpitch: inner.layout.qpitch,
                    channels: inner.texel.channels,
                    mocs,
                },
            )
        };
        state.map_err(|error| object(ErrorKind::InvalidImageDescriptor, error.to_string()))
    }
}

/// The limits that all platforms have in common (RENDER_SURFACE_STATE).
fn check(device: &Device, desc: &ImageDesc) -> Result<Texel, Error> {
    let platform = device.inner().platform();
    if !platform.images {
        return Err(DeviceError::Unsupported {
            what: "an image",
            platform: platform.name.to_owned(),
            why: "it has no samplers and no typed surfaces; use buffers".to_owned(),
        }
        .into());
    }
    let texel = texel(desc.format).map_err(|why| object(ErrorKind::InvalidImageFormat, why))?;
    let (across, deep) = (limits::ACROSS, limits::DEEP);
    let volume = limits::volume_across(platform.family);
    let most = match desc.kind {
        ImageKind::D1Buffer => [limits::BUFFER, 1, 1, 1],
        ImageKind::D1 => [across, 1, 1, 1],
        ImageKind::D1Array => [across, 1, 1, deep],
        ImageKind::D2 => [across, across, 1, 1],
        ImageKind::D2Array => [across, across, 1, deep],
        ImageKind::D3 => [volume, volume, deep, 1],
    };
    let has = [desc.width, desc.height, desc.depth, desc.layers];
    for ((what, has), most) in ["width", "height", "depth", "layers"]
        .iter()
        .zip(has)
        .zip(most)
    {
        if has == 0 || has > most {
            return Err(object(
                ErrorKind::InvalidImageSize,
                format!(
                    "a {} image with {what} {has}; 1 to {most} are possible",
                    desc.kind
                ),
            ));
        }
    }
    if desc.kind != ImageKind::D1Buffer && desc.width * texel.bytes > 1 << 18 {
        return Err(object(
            ErrorKind::InvalidImageSize,
            format!(
                "a row of {} bytes; 262144 are possible",
                desc.width * texel.bytes
            ),
        ));
    }
    Ok(texel)
}

fn object(kind: ErrorKind, why: String) -> Error {
    let what = "image";
    ArgumentError::Object { what, kind, why }.into()
}

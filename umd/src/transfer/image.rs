//! Copies and fills of images.

use crate::buffer::Buffer;
use crate::command::Command;
use crate::error::Error;
use crate::event::Event;
use crate::image::{Image, Region};
use crate::kernel::Arg;
use crate::queue::Queue;

use super::place::{self, Place, Rows, overlap, refuse};

/// How texels of a region lie in a buffer: packed, row after row and slice after slice.
fn packed(
    buffer: (&Buffer, u64),
    image: &Image,
    region: &Region,
    bytes: usize,
) -> Result<Place, Error> {
    let [width, height, _] = region.size.map(u64::from);
    let row = width * u64::from(image.texel_bytes());
    Ok(Place::Rows(Rows {
        start: buffer.0.part("copy", buffer.1, bytes as u64)?,
        row,
        slice: row * height,
    }))
}

impl Command {
    /// Copies texels between images of one texel size. Regions of one image must not overlap.
    ///
    /// # Errors
    /// The region reaches beyond an image, the texel sizes differ, or the regions overlap.
    pub fn copy_image(
        queue: &Queue,
        source: (&Image, [u32; 3]),
        destination: (&Image, [u32; 3]),
        size: [u32; 3],
    ) -> Result<Self, Error> {
        let texel = source.0.texel_bytes();
        let other = destination.0.texel_bytes();
        if texel != other {
            let why = format!("the source's texels have {texel} bytes, the destination's {other}");
            return Err(refuse("copy", why));
        }
        let region = |origin| Region { origin, size };
        let (from, to) = (region(source.1), region(destination.1));
        source.0.check(&from)?;
        destination.0.check(&to)?;
        if source.0.is(destination.0) && from.overlaps(&to) {
            return Err(overlap());
        }
        let ends = (&Place::of(source.0, &from), &Place::of(destination.0, &to));
        let size = (size.map(u64::from), texel);
        place::copy(queue.inner(), "copy of an image", ends, size)
    }

    /// Copies texels of an image into a buffer, as rows one after the other.
    ///
    /// # Errors
    /// The region reaches beyond the image or the buffer.
    pub fn copy_image_to_buffer(
        queue: &Queue,
        source: (&Image, Region),
        destination: (&Buffer, u64),
    ) -> Result<Self, Error> {
        let (image, region) = (source.0, &source.1);
        let bytes = image.check(region)?;
        let to = packed(destination, image, region, bytes)?;
        let ends = (&Place::of(image, region), &to);
        let size = (region.size.map(u64::from), image.texel_bytes());
        place::copy(queue.inner(), "copy of an image", ends, size)
    }

    /// Copies rows of texels, one after the other in a buffer, into an image.
    ///
    /// # Errors
    /// The region reaches beyond the image or the buffer.
    pub fn copy_buffer_to_image(
        queue: &Queue,
        source: (&Buffer, u64),
        destination: (&Image, Region),
    ) -> Result<Self, Error> {
        let (image, region) = (destination.0, &destination.1);
        let bytes = image.check(region)?;
        let from = packed(source, image, region, bytes)?;
        let ends = (&from, &Place::of(image, region));
        let size = (region.size.map(u64::from), image.texel_bytes());
        place::copy(queue.inner(), "copy of a buffer", ends, size)
    }

    /// Writes one texel, given in the image's format, all over a region.
    ///
    /// # Errors
    /// The region reaches beyond the image, or the texel has another size.
    pub fn fill_image(queue: &Queue, image: (&Image, Region), texel: &[u8]) -> Result<Self, Error> {
        const WHAT: &str = "fill of an image";
        let (image, region) = (image.0, image.1);
        image.check(&region)?;
        let bytes = image.texel_bytes() as usize;
        if texel.len() != bytes {
            let given = texel.len();
            let why = format!("the texel has {given} bytes, the image's have {bytes}");
            return Err(refuse("fill", why));
        }
        match Place::of(image, &region) {
            Place::Tiles(image, origin) => {
                let mut color = [0; 16];
                color
                    .iter_mut()
                    .zip(texel)
                    .for_each(|(to, from)| *to = *from);
                let args = [
                    Arg::Image(&image),
                    Arg::Value(&place::coordinates(origin)),
                    Arg::Value(&color),
                ];
                let items = region.size.map(u64::from);
                queue.inner().transfer((WHAT, "fill_image"), &args, items)
            }
            Place::Rows(rows) => {
                let [width, height, depth] = region.size.map(u64::from);
                let size = [width * bytes as u64, height, depth];
                place::fill(queue.inner(), WHAT, &rows, size, texel)
            }
        }
    }
}

impl Queue {
    /// Enqueues a [copy_image](Command::copy_image).
    ///
    /// # Errors
    /// As that, and [`run`](Self::run).
    pub fn copy_image(
        &self,
        source: (&Image, [u32; 3]),
        destination: (&Image, [u32; 3]),
        size: [u32; 3],
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        self.run(
            &Command::copy_image(self, source, destination, size)?,
            wait_list,
        )
    }

    /// Enqueues a [copy_image_to_buffer](Command::copy_image_to_buffer).
    ///
    /// # Errors
    /// As that, and [`run`](Self::run).
    pub fn copy_image_to_buffer(
        &self,
        source: (&Image, Region),
        destination: (&Buffer, u64),
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        self.run(
            &Command::copy_image_to_buffer(self, source, destination)?,
            wait_list,
        )
    }

    /// Enqueues a [copy_buffer_to_image](Command::copy_buffer_to_image).
    ///
    /// # Errors
    /// As that, and [`run`](Self::run).
    pub fn copy_buffer_to_image(
        &self,
        source: (&Buffer, u64),
        destination: (&Image, Region),
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        self.run(
            &Command::copy_buffer_to_image(self, source, destination)?,
            wait_list,
        )
    }

    /// Enqueues a [fill_image](Command::fill_image).
    ///
    /// # Errors
    /// As that, and [`run`](Self::run).
    pub fn fill_image(
        &self,
        image: (&Image, Region),
        texel: &[u8],
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        self.run(&Command::fill_image(self, image, texel)?, wait_list)
    }
}

//! Copies and fills as commands of a queue.
//!
//! This process makes them, on the mapped memory: buffers of an integrated GPU are host memory,
//! and the software GPU's are always.

use crate::buffer::Buffer;
use crate::error::{ArgumentError, Error};
use crate::event::Event;
use crate::image::{Image, Region};
use crate::queue::Queue;

impl Queue {
    /// Copies `length` bytes between buffers. The ranges must not overlap.
    ///
    /// # Errors
    /// A range reaches beyond its buffer, or they overlap.
    pub fn copy_buffer(
        &self,
        source: (&Buffer, u64),
        destination: (&Buffer, u64),
        length: u64,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        source.0.check("copy", source.1, length)?;
        destination.0.check("copy", destination.1, length)?;
        if source
            .0
            .overlaps(source.1, destination.0, destination.1, length)
        {
            return Err(ArgumentError::Object {
                what: "copy",
                why: "source and destination overlap".to_owned(),
            }
            .into());
        }
        let (from, offset) = (source.0.clone(), source.1);
        let (to, at) = (destination.0.clone(), destination.1);
        let work = move || to.copy_from(at, &from, offset, length);
        self.host("copy of a buffer", Box::new(work), wait_list)
    }

    /// Repeats `pattern` over `length` bytes of a buffer.
    ///
    /// # Errors
    /// As [`Buffer::fill`].
    pub fn fill_buffer(
        &self,
        buffer: (&Buffer, u64),
        length: u64,
        pattern: &[u8],
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        buffer.0.check("fill", buffer.1, length)?;
        if pattern.is_empty() || !length.is_multiple_of(pattern.len() as u64) {
            return Err(ArgumentError::Object {
                what: "fill",
                why: format!(
                    "{length} bytes are no multiple of a pattern of {} bytes",
                    pattern.len()
                ),
            }
            .into());
        }
        let (to, at) = (buffer.0.clone(), buffer.1);
        let pattern = pattern.to_vec();
        let work = move || to.fill(at, length, &pattern);
        self.host("fill of a buffer", Box::new(work), wait_list)
    }

    /// Copies texels between images of one texel size.
    ///
    /// # Errors
    /// The region reaches beyond an image, or the texel sizes differ.
    pub fn copy_image(
        &self,
        source: (&Image, [u32; 3]),
        destination: (&Image, [u32; 3]),
        size: [u32; 3],
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let texel = |image: &Image| image.texel_bytes();
        if texel(source.0) != texel(destination.0) {
            return Err(ArgumentError::Object {
                what: "copy",
                why: format!(
                    "the source's texels have {} bytes, the destination's {}",
                    texel(source.0),
                    texel(destination.0)
                ),
            }
            .into());
        }
        let from = Region {
            origin: source.1,
            size,
        };
        let to = Region {
            origin: destination.1,
            size,
        };
        let bytes = source.0.check(&from)?;
        destination.0.check(&to)?;
        let (source, destination) = (source.0.clone(), destination.0.clone());
        let work = move || {
            let mut texels = vec![0; bytes];
            source.read(&from, &mut texels)?;
            destination.write(&to, &texels)
        };
        self.host("copy of an image", Box::new(work), wait_list)
    }

    /// Copies texels of an image into a buffer, as rows one after the other.
    ///
    /// # Errors
    /// The region reaches beyond the image or the buffer.
    pub fn copy_image_to_buffer(
        &self,
        source: (&Image, Region),
        destination: (&Buffer, u64),
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let bytes = source.0.check(&source.1)?;
        destination.0.check("copy", destination.1, bytes as u64)?;
        let (from, region) = (source.0.clone(), source.1);
        let (to, at) = (destination.0.clone(), destination.1);
        let work = move || {
            let mut texels = vec![0; bytes];
            from.read(&region, &mut texels)?;
            to.write(at, &texels)
        };
        self.host("copy of an image", Box::new(work), wait_list)
    }

    /// Copies rows of texels, one after the other in a buffer, into an image.
    ///
    /// # Errors
    /// The region reaches beyond the image or the buffer.
    pub fn copy_buffer_to_image(
        &self,
        source: (&Buffer, u64),
        destination: (&Image, Region),
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let bytes = destination.0.check(&destination.1)?;
        source.0.check("copy", source.1, bytes as u64)?;
        let (from, at) = (source.0.clone(), source.1);
        let (to, region) = (destination.0.clone(), destination.1);
        let work = move || {
            let mut texels = vec![0; bytes];
            from.read(at, &mut texels)?;
            to.write(&region, &texels)
        };
        self.host("copy of a buffer", Box::new(work), wait_list)
    }

    /// Writes one texel, given in the image's format, all over a region.
    ///
    /// # Errors
    /// The region reaches beyond the image, or the texel has another size.
    pub fn fill_image(
        &self,
        image: (&Image, Region),
        texel: &[u8],
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let bytes = image.0.check(&image.1)?;
        let size = image.0.texel_bytes() as usize;
        if texel.len() != size {
            return Err(ArgumentError::Object {
                what: "fill",
                why: format!(
                    "the texel has {} bytes, the image's have {size}",
                    texel.len()
                ),
            }
            .into());
        }
        let (to, region) = (image.0.clone(), image.1);
        let texels = texel.repeat(bytes / size.max(1));
        let work = move || to.write(&region, &texels);
        self.host("fill of an image", Box::new(work), wait_list)
    }
}

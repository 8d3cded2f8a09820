//! Maps: a part of a buffer or image that this process may access between two commands.

use crate::buffer::Buffer;
use crate::error::{ArgumentError, Error};
use crate::event::Event;
use crate::image::{Image, Region};
use crate::ledger::Order;
use crate::queue::Queue;

/// The place of commands that only mark when memory may be accessed: that of any other.
const ORDER: (Order, bool) = (Order::Next, false);

/// What is done with mapped memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapAccess {
    /// It is read.
    Read,
    /// It is read, and written in part.
    ReadWrite,
    /// It is written as a whole; what was there before is not needed.
    Overwrite,
}

/// A part of a buffer or image as rows of bytes. This process may access it once its
/// [event](Self::event) has ended, and until it is [unmapped](Queue::unmap).
#[derive(Debug)]
pub struct Mapped {
    bytes: Buffer,
    row_pitch: u64,
    slice_pitch: u64,
    event: Event,
    /// Where the bytes go when they are unmapped, if they are not there already.
    back: Option<(Image, Region)>,
}

impl Mapped {
    /// The end of the command that maps. Commands enqueued before it have ended then.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// The bytes. Accesses do not wait for the event.
    pub fn bytes(&self) -> &Buffer {
        &self.bytes
    }

    /// Bytes from row to row of an image; all bytes of a buffer.
    pub fn row_pitch(&self) -> u64 {
        self.row_pitch
    }

    /// Bytes from slice to slice of an image; all bytes of a buffer.
    pub fn slice_pitch(&self) -> u64 {
        self.slice_pitch
    }
}

impl Queue {
    /// Maps `length` bytes of a buffer, from `offset` on. They are the buffer's own.
    ///
    /// # Errors
    /// The range reaches beyond the buffer; the buffer is another device's; the queue is lost.
    pub fn map_buffer(
        &self,
        buffer: &Buffer,
        offset: u64,
        length: u64,
        wait_list: &[Event],
    ) -> Result<Mapped, Error> {
        if !buffer.bo().is_of(&self.inner().device().registry) {
            return Err(ArgumentError::OtherDevice { what: "the buffer" }.into());
        }
        let bytes = buffer.part("map", offset, length)?;
        Ok(Mapped {
            bytes,
            row_pitch: length,
            slice_pitch: length,
            event: self.inner().mark("map of a buffer", wait_list, ORDER)?,
            back: None,
        })
    }

    /// Maps a region of an image. The bytes are a copy, which goes back when it is unmapped.
    ///
    /// # Errors
    /// The region reaches beyond the image; no memory; the queue is lost.
    pub fn map_image(
        &self,
        image: &Image,
        region: Region,
        access: MapAccess,
        wait_list: &[Event],
    ) -> Result<Mapped, Error> {
        let size = image.check(&region)? as u64;
        let [width, height, _] = region.size.map(u64::from);
        let row_pitch = width * u64::from(image.texel_bytes());
        let bytes = Buffer::new(self.inner().device(), size)?;
        let event = match access {
            MapAccess::Overwrite => self.inner().mark("map of an image", wait_list, ORDER)?,
            MapAccess::Read | MapAccess::ReadWrite => {
                self.copy_image_to_buffer((image, region), (&bytes, 0), wait_list)?
            }
        };
        Ok(Mapped {
            bytes,
            row_pitch,
            slice_pitch: row_pitch * height,
            event,
            back: (access != MapAccess::Read).then(|| (image.clone(), region)),
        })
    }

    /// Ends a map: commands enqueued later see what was written. The pointer is not to be used
    /// any more.
    ///
    /// # Errors
    /// The map is another device's; the queue is lost.
    pub fn unmap(&self, mapped: Mapped, wait_list: &[Event]) -> Result<Event, Error> {
        if !mapped.event.is_of(self.inner().device()) {
            return Err(ArgumentError::OtherDevice { what: "the map" }.into());
        }
        match mapped.back {
            Some(image) => {
                self.copy_buffer_to_image((&mapped.bytes, 0), (&image.0, image.1), wait_list)
            }
            None => self.inner().mark("unmap", wait_list, ORDER),
        }
    }
}

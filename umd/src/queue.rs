//! Queues.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use crate::event::Event;
use crate::image::{Image, Region};
use crate::kernel::Kernel;
use crate::range::NdRange;
use crate::{Deadline, device::unfinished};

/// How a queue behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueOptions {
    /// Whether commands may run in another order than they were enqueued in; only their wait
    /// lists hold them then.
    pub out_of_order: bool,
}

/// Runs commands on a device. In order, unless its options say otherwise.
#[derive(Debug)]
pub struct Queue {}

impl Device {
    /// A queue.
    ///
    /// # Errors
    /// The kernel driver refuses.
    pub fn queue(&self, options: QueueOptions) -> Result<Queue, Error> {
        let _ = options;
        Err(self.unfinished("a queue"))
    }
}

impl Queue {
    /// Runs a kernel over `range`, after the events of `wait_list`. The arguments are those set
    /// now; later changes do not matter.
    ///
    /// # Errors
    /// An argument that is not set; a range that the kernel or the device cannot run; the queue
    /// is lost.
    pub fn enqueue(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let _ = (kernel, range, wait_list);
        Err(unfinished("an enqueue"))
    }

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
        let _ = (source, destination, length, wait_list);
        Err(unfinished("a copy"))
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
        let _ = (buffer, length, pattern, wait_list);
        Err(unfinished("a fill"))
    }

    /// Copies texels between images of one format.
    ///
    /// # Errors
    /// The region reaches beyond an image, or the formats differ.
    pub fn copy_image(
        &self,
        source: (&Image, [u32; 3]),
        destination: (&Image, [u32; 3]),
        size: [u32; 3],
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        let _ = (source, destination, size, wait_list);
        Err(unfinished("a copy"))
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
        let _ = (source, destination, wait_list);
        Err(unfinished("a copy"))
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
        let _ = (source, destination, wait_list);
        Err(unfinished("a copy"))
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
        let _ = (image, texel, wait_list);
        Err(unfinished("a fill"))
    }

    /// An event that ends once all of `wait_list` have; with an empty list, all commands that the
    /// queue got before.
    ///
    /// # Errors
    /// The queue is lost.
    pub fn marker(&self, wait_list: &[Event]) -> Result<Event, Error> {
        let _ = wait_list;
        Err(unfinished("a marker"))
    }

    /// Waits for all commands that the queue has.
    ///
    /// # Errors
    /// As [`Event::wait`], of the first command that failed.
    pub fn finish(&self, deadline: impl Into<Deadline>) -> Result<(), Error> {
        let _ = deadline.into();
        Err(unfinished("a wait"))
    }
}

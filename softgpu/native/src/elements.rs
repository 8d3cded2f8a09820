//! What the elements of a load or store are, for host code.

use crate::model::MemoryStep;

impl MemoryStep {
    /// Whether there is a usual case.
    pub(crate) fn is_usual(&self) -> bool {
        let beyond = self.space.is_buffer() && self.offset < 0;
        self.channels <= self.lanes && !beyond
    }

    /// Where each plane of data is in the register bytes, and where its element is from a channel's address on.
    pub(crate) fn elements(&self) -> impl Iterator<Item = (u32, i32)> + use<> {
        let Self {
            data,
            plane_bytes,
            element,
            ..
        } = *self;
        (0..).zip(self.planes.iter()).map(move |(plane, distance)| {
            let more = distance as i32 * i32::from(element);
            (data + plane * plane_bytes, more)
        })
    }

    /// The bytes behind an element that are read with it: those of several channels are gathered as dwords.
    pub(crate) fn beyond(&self) -> u8 {
        match self.stores || self.channels == 1 {
            true => 0,
            false => 4u8.saturating_sub(self.element),
        }
    }

    /// The bytes from a channel's address to the end of what it accesses.
    pub(crate) fn reach(&self) -> u32 {
        let last = self.element + self.beyond();
        u32::from(self.element) * (self.planes.reach() - 1) + u32::from(last)
    }
}

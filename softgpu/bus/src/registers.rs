//! Which offsets registers have. Their names are in [`batchbuffer::registers`].

use crate::BusError;

/// The end of registers: the rest of the first BAR is the global GTT.
pub const END: u32 = 0x80_0000;

pub(crate) fn check(offset: u32) -> Result<(), BusError> {
    match offset.is_multiple_of(4) && offset < END {
        true => Ok(()),
        false => Err(BusError::Register { offset, end: END }),
    }
}

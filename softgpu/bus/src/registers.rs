//! Registers by which work is submitted.
//!
//! Offsets are counted from an engine's block ([`batchbuffer::registers::base`]). Sources: BDW and
//! ICL PRM vol 2c; i915 `intel_engine_regs.h`.

use crate::BusError;

/// EXECLIST_SUBMITPORT.
pub(crate) const SUBMIT_PORT: u32 = 0x230;
/// EXECLIST_STATUS.
pub(crate) const STATUS: u32 = 0x234;
/// EXECLIST_SQ_CONTENTS: two dwords for each element.
pub(crate) const QUEUE: u32 = 0x510;
/// How many elements the queue has.
pub(crate) const QUEUE_ELEMENTS: u32 = 8;
/// EXECLIST_CONTROL.
pub(crate) const CONTROL: u32 = 0x550;
/// Its bit that loads the queue.
pub(crate) const LOAD: u32 = 1;

/// The end of registers: the rest of the first BAR is the global GTT.
pub const END: u32 = 0x80_0000;

pub(crate) fn check(offset: u32) -> Result<(), BusError> {
    match offset.is_multiple_of(4) && offset < END {
        true => Ok(()),
        false => Err(BusError::Register { offset, end: END }),
    }
}

//! A ring of slots that a running batch reads, so that more work needs no submission.
//!
//! Each slot waits until a semaphore in memory says that it is its turn, and then jumps to a batch,
//! which jumps to the next slot at its end. Commands behind a wait must not be read before it is
//! over: where there is a pre-parser, it is off meanwhile, and a jump to the next command drops what
//! was read ahead (Intel's compute-runtime, `DirectSubmissionHw::dispatchSemaphoreSection` and
//! `dispatchPrefetchMitigation`; TGL PRM vol 2a, MI_ARB_CHECK, "Pre-Fetch Disable").

use devinfo::{Family, GpuAddress};

use super::types::{DispatchError, Slot, SlotSpots};
use crate::Spot;
use crate::packets::mi_semaphore_wait::{CompareOperation, MemoryType, WaitMode};
use crate::packets::{
    mi_arb_check as check, mi_batch_buffer_start as start, mi_noop, mi_semaphore_wait as wait,
};

/// The dwords of a slot.
pub const SLOT_DWORDS: usize = 16;

pub(super) fn slot(
    family: Family,
    slot: &Slot,
    out: &mut Vec<u32>,
) -> Result<SlotSpots, DispatchError> {
    let first = out.len();
    pre_parser(family, false, out)?;
    let packet = wait::packet(family)
        .set(
            wait::COMPARE_OPERATION,
            CompareOperation::SAD_GREATER_THAN_OR_EQUAL_SDD,
        )
        .set(wait::WAIT_MODE, WaitMode::POLLING_MODE)
        .set(wait::MEMORY_TYPE, MemoryType::PER_PROCESS_GRAPHICS_ADDRESS)
        .set(wait::SEMAPHORE_DATA_DWORD, slot.turn)
        .set(wait::SEMAPHORE_ADDRESS, slot.semaphore);
    let turn = packet.spot(wait::SEMAPHORE_DATA_DWORD, out.len())?;
    packet.emit(out)?;
    let drops = jump(family, slot.address, out)?;
    let behind = slot.address.offset((out.len() - first) as u64 * 4);
    drops.put(out, behind)?;
    pre_parser(family, true, out)?;
    let batch = jump(family, slot.batch, out)?;
    while out.len() < first + SLOT_DWORDS {
        mi_noop::packet(family).emit(out)?;
    }
    Ok(SlotSpots { turn, batch })
}

/// Turns the pre-parser on or off, where there is one.
fn pre_parser(family: Family, on: bool, out: &mut Vec<u32>) -> Result<(), DispatchError> {
    if check::PRE_PARSER_DISABLE.row(family).is_some() {
        check::packet(family)
            .set(check::PRE_PARSER_DISABLE, !on)
            .set(check::PRE_PARSER_DISABLE_MASK, true)
            .emit(out)?;
    }
    Ok(())
}

/// Continues with the batch at `batch`, without a way back.
pub(super) fn jump(
    family: Family,
    batch: GpuAddress,
    out: &mut Vec<u32>,
) -> Result<Spot, DispatchError> {
    let packet = start::packet(family)
        .set(
            start::ADDRESS_SPACE_INDICATOR,
            start::AddressSpaceIndicator::PPGTT,
        )
        .set(
            start::SECOND_LEVEL_BATCH_BUFFER,
            start::SecondLevelBatchBuffer::FIRST_LEVEL_BATCH,
        )
        .set(start::BATCH_BUFFER_START_ADDRESS, batch);
    let spot = packet.spot(start::BATCH_BUFFER_START_ADDRESS, out.len())?;
    packet.emit(out)?;
    Ok(spot)
}

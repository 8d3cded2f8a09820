//! Flushes and their post-sync writes.
//!
//! All memory accesses of the model are coherent and in order, so a flush only does its post-sync
//! operation.

use batchbuffer::packets::pipe_control::PostSyncOperation;
use batchbuffer::packets::{mi_flush_dw, pipe_control};
use batchbuffer::{Decoded, Field};
use devinfo::GpuAddress;

use super::failure::Failure;
use super::streamer::Streamer;

/// PIPE_CONTROL.
pub(super) fn pipe_control(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use pipe_control as pc;
    let address = packet.address(pc::ADDRESS);
    if packet.flag(pc::COMMAND_STREAMER_STALL_ENABLE) {
        cs.since = None;
    }
    if packet.flag(pc::LRI_POST_SYNC_OPERATION) {
        let offset = packet.get32(pc::ADDRESS);
        let value = packet.get32(pc::IMMEDIATE_DATA);
        cs.state.registers.write(offset, value);
        return Ok(());
    }
    let operation = packet.named(pc::POST_SYNC_OPERATION);
    if operation != Some(PostSyncOperation::NO_WRITE) {
        refuse_status_page(cs, packet, pc::STORE_DATA_INDEX)?;
        cs.use_global(packet, packet.flag(pc::DESTINATION_ADDRESS_TYPE))?;
    }
    match operation {
        Some(PostSyncOperation::NO_WRITE) | None => Ok(()),
        Some(PostSyncOperation::WRITE_IMMEDIATE_DATA) => {
            cs.write_u64(packet, address, packet.get(pc::IMMEDIATE_DATA))
        }
        // No pixel is ever drawn.
        Some(PostSyncOperation::WRITE_PS_DEPTH_COUNT) => cs.write_u64(packet, address, 0),
        Some(PostSyncOperation::WRITE_TIMESTAMP) => write_timestamp(cs, packet, address),
    }
}

/// MI_FLUSH_DW. Post-sync operations as PIPE_CONTROL's (TGL PRM vol 2a).
pub(super) fn flush_dw(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_flush_dw as flush;
    let operation = packet.get(flush::POST_SYNC_OPERATION);
    if operation == 0 {
        return Ok(());
    }
    refuse_status_page(cs, packet, flush::STORE_DATA_INDEX)?;
    cs.use_global(packet, packet.flag(flush::DESTINATION_ADDRESS_TYPE))?;
    let address = packet.address(flush::ADDRESS);
    match operation {
        1 => {
            // Four dwords write a dword, five a qword.
            let data = packet.get(flush::IMMEDIATE_DATA);
            if packet.len() > 4 {
                cs.write_u64(packet, address, data)
            } else {
                let low = packet.dwords().get(3).copied().unwrap_or(0);
                cs.write_u32(packet, address, low)
            }
        }
        3 => write_timestamp(cs, packet, address),
        other => Err(cs.refuse(packet, format!("post-sync operation {other} is reserved"))),
    }
}

/// Clients must not write to the status page.
fn refuse_status_page(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    store_data_index: &'static Field,
) -> Result<(), Failure> {
    if packet.flag(store_data_index) {
        return Err(cs.refuse(packet, "the status page is not a client's to write"));
    }
    Ok(())
}

pub(super) fn write_timestamp(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    address: GpuAddress,
) -> Result<(), Failure> {
    cs.write_u64(packet, address, cs.environment.device.timestamp())
}

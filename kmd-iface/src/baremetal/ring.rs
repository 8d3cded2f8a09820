//! What goes into a ring for each batch.

use batchbuffer::execlists::place;
use batchbuffer::packets::{
    mi_arb_check, mi_batch_buffer_start as start, mi_flush_dw as flush,
    mi_load_register_imm as lri, mi_noop, pipe_control as pc,
};
use batchbuffer::{Builder, EncodeError, Engine, Field};
use devinfo::{Family, GpuAddress};

use super::setup::{self, Scope};
use crate::KmdError;

/// The bytes of a ring.
pub(super) const BYTES: u32 = 0x4000;

/// "Post-Sync Operation" of MI_FLUSH_DW: writes a qword.
const WRITE_QWORD: u32 = 1;

/// The commands that run a batch in a context, and write the number of its submission behind it.
///
/// Tables and caches may have changed since the last batch, so that what is known of them is dropped
/// first (i915 `gen8_engine_cs.c`, `gen8_emit_flush_rcs` and `gen12_emit_flush_rcs`).
pub(super) fn batch(
    (family, engine): (Family, Engine),
    image: u32,
    batch: GpuAddress,
    seqno: u64,
) -> Result<Vec<u32>, KmdError> {
    commands(family, engine, image, batch, seqno).map_err(unencodable)
}

/// The commands that a new context begins with: the registers that it keeps.
pub(super) fn begin(family: Family, engine: Engine) -> Result<Vec<u32>, KmdError> {
    let mut out = Vec::new();
    if engine == Engine::Render {
        for write in setup::writes(family, Scope::Context) {
            let (register, value) = (write.register, write.change.dword());
            let packet = lri::packet(family)
                .set(lri::REGISTER_OFFSET, register)
                .set(lri::DATA_DWORD, value);
            packet.emit(&mut out).map_err(unencodable)?;
        }
    }
    pad(family, &mut out).map_err(unencodable)?;
    Ok(out)
}

fn unencodable(error: EncodeError) -> KmdError {
    KmdError::BareMetal(format!("a command for the ring: {error}"))
}

fn commands(
    family: Family,
    engine: Engine,
    image: u32,
    batch: GpuAddress,
    seqno: u64,
) -> Result<Vec<u32>, EncodeError> {
    let in_image = |offset: u64| GpuAddress::new(u64::from(image) + offset);
    let mut out = Vec::new();
    let parses_ahead = mi_arb_check::PRE_PARSER_DISABLE.row(family).is_some();
    let parser = |off: bool, out: &mut Vec<u32>| match parses_ahead {
        true => mi_arb_check::packet(family)
            .set(mi_arb_check::PRE_PARSER_DISABLE_MASK, true)
            .set(mi_arb_check::PRE_PARSER_DISABLE, off)
            .emit(out),
        false => Ok(()),
    };
    parser(true, &mut out)?;
    match engine {
        Engine::Render | Engine::Compute => {
            let invalidations = [
                pc::TLB_INVALIDATE,
                pc::STATE_CACHE_INVALIDATION_ENABLE,
                pc::CONSTANT_CACHE_INVALIDATION_ENABLE,
                pc::TEXTURE_CACHE_INVALIDATION_ENABLE,
                pc::INSTRUCTION_CACHE_INVALIDATE_ENABLE,
            ];
            stall(family, &invalidations, in_image(place::SCRATCH), 0).emit(&mut out)?;
        }
        Engine::Blitter | Engine::Video | Engine::VideoEnhance => {
            flush_write(family, in_image(place::SCRATCH), 0)
                .set(flush::TLB_INVALIDATE, true)
                .emit(&mut out)?;
        }
    }
    parser(false, &mut out)?;
    start::packet(family)
        .set(
            start::ADDRESS_SPACE_INDICATOR,
            start::AddressSpaceIndicator::PPGTT,
        )
        .set(start::BATCH_BUFFER_START_ADDRESS, batch)
        .emit(&mut out)?;
    let seqno_at = in_image(place::SEQNO);
    match engine {
        Engine::Render | Engine::Compute => {
            let flushes = [
                pc::DC_FLUSH_ENABLE,
                pc::HDC_PIPELINE_FLUSH_ENABLE,
                pc::UNTYPED_DATA_PORT_CACHE_FLUSH_ENABLE,
            ];
            stall(family, &flushes, seqno_at, seqno).emit(&mut out)?;
        }
        Engine::Blitter | Engine::Video | Engine::VideoEnhance => {
            flush_write(family, seqno_at, seqno).emit(&mut out)?;
        }
    }
    pad(family, &mut out)?;
    Ok(out)
}

/// A stall with those of `flags` that the family has, and a write to the global GTT.
fn stall(family: Family, flags: &[&'static Field], address: GpuAddress, value: u64) -> Builder {
    let packet = pc::packet(family)
        .set(pc::COMMAND_STREAMER_STALL_ENABLE, true)
        .set(
            pc::POST_SYNC_OPERATION,
            pc::PostSyncOperation::WRITE_IMMEDIATE_DATA,
        )
        .set(
            pc::DESTINATION_ADDRESS_TYPE,
            pc::DestinationAddressType::GGTT,
        )
        .set(pc::ADDRESS, address)
        .set(pc::IMMEDIATE_DATA, value);
    let known = flags.iter().filter(|flag| flag.row(family).is_some());
    known.fold(packet, |packet, flag| packet.set(flag, true))
}

fn flush_write(family: Family, address: GpuAddress, value: u64) -> Builder {
    flush::packet(family)
        .set(flush::POST_SYNC_OPERATION, WRITE_QWORD)
        .set(
            flush::DESTINATION_ADDRESS_TYPE,
            flush::DestinationAddressType::GGTT,
        )
        .set(flush::ADDRESS, address)
        .set(flush::IMMEDIATE_DATA, value)
        .at_least(5)
}

/// A ring's tail is a multiple of 8.
fn pad(family: Family, out: &mut Vec<u32>) -> Result<(), EncodeError> {
    match out.len().is_multiple_of(2) {
        true => Ok(()),
        false => mi_noop::packet(family).emit(out),
    }
}

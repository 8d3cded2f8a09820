//! The streamer's own commands: stores, registers, predicates, semaphores.
//!
//! Sources: TGL PRM vol 2a, and the same texts in Intel's media-driver (`mhw_mi_hwcmd_g*.h`).

use std::time::{Duration, Instant};

use batchbuffer::packets::mi_predicate::{CombineOperation, CompareOperation, LoadOperation};
use batchbuffer::packets::{
    mi_copy_mem_mem, mi_load_register_imm, mi_load_register_mem, mi_load_register_reg,
    mi_predicate, mi_semaphore_wait, mi_set_predicate, mi_store_data_imm, mi_store_register_mem,
};
use batchbuffer::registers::own;
use batchbuffer::{Decoded, PacketId};

use super::failure::Failure;
use super::state::State;
use super::streamer::Streamer;
use super::{atomic, math};
use crate::engine::Patience;

/// Whether [`execute`] knows the command.
pub(super) fn executes(id: PacketId) -> bool {
    use PacketId as P;
    matches!(
        id,
        P::MiNoop
            | P::MiArbCheck
            | P::MiArbOnOff
            | P::MiUserInterrupt
            | P::MiForceWakeup
            | P::MiMemFence
            | P::MiSetAppid
            | P::MiSetContext
            | P::MiSuspendFlush
            | P::MiTopologyFilter
            | P::MiRsControl
            | P::MiSemaphoreSignal
            | P::MiStoreDataImm
            | P::MiLoadRegisterImm
            | P::MiLoadRegisterMem
            | P::MiLoadRegisterReg
            | P::MiStoreRegisterMem
            | P::MiCopyMemMem
            | P::MiMath
            | P::MiAtomic
            | P::MiSemaphoreWait
            | P::MiPredicate
            | P::MiSetPredicate
    )
}

/// Executes a command for which [`executes`] holds.
pub(super) fn execute(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    match packet.id {
        PacketId::MiStoreDataImm => store_data_imm(cs, packet),
        PacketId::MiLoadRegisterImm => {
            load_register_imm(cs, packet);
            Ok(())
        }
        PacketId::MiLoadRegisterMem => load_register_mem(cs, packet),
        PacketId::MiLoadRegisterReg => {
            load_register_reg(cs, packet);
            Ok(())
        }
        PacketId::MiStoreRegisterMem => store_register_mem(cs, packet),
        PacketId::MiCopyMemMem => copy_mem_mem(cs, packet),
        PacketId::MiMath => math::execute(cs, packet),
        PacketId::MiAtomic => atomic::execute(cs, packet),
        PacketId::MiSemaphoreWait => semaphore_wait(cs, packet),
        PacketId::MiPredicate => predicate(cs, packet),
        PacketId::MiSetPredicate => set_predicate(cs, packet),
        // Nothing to do: no preemption points, power wells or other observers are modelled, and
        // a waiting semaphore polls.
        _ => Ok(()),
    }
}

/// Whether the unsigned comparison of `value` with `operand` holds, by a code of MI_SEMAPHORE_WAIT
/// and MI_CONDITIONAL_BATCH_BUFFER_END; `None` if the code is reserved.
pub(super) fn compares(code: u64, value: u32, operand: u32) -> Option<bool> {
    Some(match code {
        0 => value > operand,
        1 => value >= operand,
        2 => value < operand,
        3 => value <= operand,
        4 => value == operand,
        5 => value != operand,
        _ => return None,
    })
}

fn store_data_imm(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_store_data_imm as sdi;
    cs.use_global(packet, packet.flag(sdi::USE_GLOBAL_GTT))?;
    cs.refuse_partition(packet, sdi::WORKLOAD_PARTITION_ID_OFFSET_ENABLE)?;
    let address = packet.address(sdi::ADDRESS);
    let data = packet.dwords().get(3..).unwrap_or_default();
    // "Store Qword" gives the size of a unit, the length the number of units.
    if packet.flag(sdi::STORE_QWORD) {
        let (pairs, _) = data.as_chunks::<2>();
        for (index, [low, high]) in pairs.iter().enumerate() {
            let value = u64::from(*low) | u64::from(*high) << 32;
            cs.write_u64(packet, address.offset(8 * index as u64), value)?;
        }
    } else {
        for (index, value) in data.iter().enumerate() {
            cs.write_u32(packet, address.offset(4 * index as u64), *value)?;
        }
    }
    Ok(())
}

fn load_register_imm(cs: &mut Streamer<'_>, packet: &Decoded<'_>) {
    use mi_load_register_imm as lri;
    let relative = packet.flag(lri::ADD_CS_MMIO_START_OFFSET);
    let remap = packet.flag(lri::MMIO_REMAP_ENABLE);
    // One bit for each byte that is kept.
    let disabled = packet.get(lri::BYTE_WRITE_DISABLES);
    let kept = (0..4)
        .filter(|byte| disabled >> byte & 1 != 0)
        .fold(0, |mask, byte| mask | 0xffu32 << (8 * byte));
    for index in 0.. {
        let (Some(offset), Some(value)) = (
            packet.find(lri::REGISTER_OFFSET, index),
            packet.find(lri::DATA_DWORD, index),
        ) else {
            break;
        };
        let registers = &mut cs.state.registers;
        let offset = registers.resolve(offset as u32, relative, remap);
        let value = match kept {
            0 => value as u32,
            kept => registers.read(offset, cs.environment.device) & kept | value as u32 & !kept,
        };
        registers.write(offset, value);
    }
}

/// The value is available at once: with "Async Mode" it may come later, but need not.
fn load_register_mem(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_load_register_mem as lrm;
    cs.use_global(packet, packet.flag(lrm::USE_GLOBAL_GTT))?;
    cs.refuse_partition(packet, lrm::WORKLOAD_PARTITION_ID_OFFSET_ENABLE)?;
    if packet.flag(lrm::ADD_LOOP_VARIABLE) {
        return Err(cs.refuse(packet, "loop variables are not modelled"));
    }
    let value = cs.read_u32(packet, packet.address(lrm::MEMORY_ADDRESS))?;
    let registers = &mut cs.state.registers;
    let offset = registers.resolve(
        packet.get32(lrm::REGISTER_ADDRESS),
        packet.flag(lrm::ADD_CS_MMIO_START_OFFSET),
        packet.flag(lrm::MMIO_REMAP_ENABLE),
    );
    registers.write(offset, value);
    Ok(())
}

fn load_register_reg(cs: &mut Streamer<'_>, packet: &Decoded<'_>) {
    use mi_load_register_reg as lrr;
    let registers = &mut cs.state.registers;
    let source = registers.resolve(
        packet.get32(lrr::SOURCE_REGISTER_ADDRESS),
        packet.flag(lrr::ADD_CS_MMIO_START_OFFSET_SOURCE),
        packet.flag(lrr::MMIO_REMAP_ENABLE_SOURCE),
    );
    let target = registers.resolve(
        packet.get32(lrr::DESTINATION_REGISTER_ADDRESS),
        packet.flag(lrr::ADD_CS_MMIO_START_OFFSET_DESTINATION),
        packet.flag(lrr::MMIO_REMAP_ENABLE_DESTINATION),
    );
    let value = registers.read(source, cs.environment.device);
    registers.write(target, value);
}

fn store_register_mem(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_store_register_mem as srm;
    cs.use_global(packet, packet.flag(srm::USE_GLOBAL_GTT))?;
    cs.refuse_partition(packet, srm::WORKLOAD_PARTITION_ID_OFFSET_ENABLE)?;
    if packet.flag(srm::PREDICATE_ENABLE) && !predicate_holds(cs.state) {
        return Ok(());
    }
    let registers = &cs.state.registers;
    let offset = registers.resolve(
        packet.get32(srm::REGISTER_ADDRESS),
        packet.flag(srm::ADD_CS_MMIO_START_OFFSET),
        packet.flag(srm::MMIO_REMAP_ENABLE),
    );
    let value = registers.read(offset, cs.environment.device);
    cs.write_u32(packet, packet.address(srm::MEMORY_ADDRESS), value)
}

fn copy_mem_mem(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_copy_mem_mem as copy;
    cs.use_global(packet, packet.flag(copy::USE_GLOBAL_GTT_SOURCE))?;
    let value = cs.read_u32(packet, packet.address(copy::SOURCE_MEMORY_ADDRESS))?;
    cs.use_global(packet, packet.flag(copy::USE_GLOBAL_GTT_DESTINATION))?;
    cs.write_u32(
        packet,
        packet.address(copy::DESTINATION_MEMORY_ADDRESS),
        value,
    )
}

/// How long a waiting semaphore sleeps between polls of memory: a part of what it has waited, between
/// these.
const SHORTEST_POLL: Duration = Duration::from_micros(20);
const LONGEST_POLL: Duration = Duration::from_millis(1);
const POLLS: u32 = 8;

/// Whether it pays to look for a semaphore before sleeping.
static SEMAPHORES: Patience = Patience::new();

/// Waits until the comparison of memory, or a register, with the command's dword holds. Memory is
/// also polled in signal mode: a signal only says when to check.
fn semaphore_wait(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_semaphore_wait as wait;
    // It may wait for what a walker writes when it ends.
    cs.since = None;
    let polls_register = packet.flag(wait::REGISTER_POLL_MODE);
    // The memory type is ignored when a register is polled.
    cs.use_global(packet, packet.flag(wait::MEMORY_TYPE) && !polls_register)?;
    cs.refuse_partition(packet, wait::WORKLOAD_PARTITION_ID_OFFSET_ENABLE)?;
    if packet.flag(wait::INDIRECT_SEMAPHORE_DATA_DWORD) {
        return Err(cs.refuse(packet, "indirect semaphore data is not modelled"));
    }
    let address = packet.address(wait::SEMAPHORE_ADDRESS);
    let operand = packet.get32(wait::SEMAPHORE_DATA_DWORD);
    let code = packet.get(wait::COMPARE_OPERATION);
    // Meanwhile, other batches may use the engine.
    let claim = cs.environment.claim;
    let mut since = None;
    loop {
        let value = if polls_register {
            // Bits 22:2 of the address are the register's offset.
            let offset = address.get() as u32 & 0x7f_fffc;
            cs.state.registers.read(offset, cs.environment.device)
        } else {
            cs.read_u32(packet, address)?
        };
        match compares(code, value, operand) {
            Some(true) => {
                if since.is_some() {
                    claim.wait(false);
                    // Somebody else did something for it.
                    cs.quiet_since = Instant::now();
                }
                return Ok(());
            }
            Some(false) => claim.wait(true),
            None => return Err(cs.refuse(packet, format!("comparison {code} is reserved"))),
        }
        cs.check_progress(packet.name())?;
        let begin = *since.get_or_insert_with(Instant::now);
        let holds = || {
            let value = cs.read_u32(packet, address);
            value.is_ok_and(|value| compares(code, value, operand) == Some(true))
        };
        if polls_register || !SEMAPHORES.soon(holds) {
            let part = begin.elapsed() / POLLS;
            std::thread::sleep(part.clamp(SHORTEST_POLL, LONGEST_POLL));
        }
        cs.refresh();
    }
}

/// MI_PREDICATE_RESULT.
pub(super) fn predicate_holds(state: &State) -> bool {
    state.registers.own(own::PREDICATE_RESULT) & 1 != 0
}

/// MI_PREDICATE (TGL PRM vol 2a): load, compare, combine.
fn predicate(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    let registers = &mut cs.state.registers;
    let first = registers.own64(own::PREDICATE_SRC0);
    let second = registers.own64(own::PREDICATE_SRC1);
    let delta = first.wrapping_sub(second);
    let compared = match packet.named(mi_predicate::COMPARE_OPERATION) {
        Some(CompareOperation::TRUE) => true,
        Some(CompareOperation::FALSE) => false,
        Some(CompareOperation::SRCS_EQUAL) => first == second,
        Some(CompareOperation::DELTAS_EQUAL) => delta == registers.own64(own::PREDICATE_DATA),
        None => return Err(cs.refuse(packet, "the comparison is reserved")),
    };
    let old = registers.own(own::PREDICATE_RESULT) & 1 != 0;
    let combined = match packet.named(mi_predicate::COMBINE_OPERATION) {
        Some(CombineOperation::SET) => compared,
        Some(CombineOperation::AND) => old & compared,
        Some(CombineOperation::OR) => old | compared,
        Some(CombineOperation::XOR) => old ^ compared,
        None => return Err(cs.refuse(packet, "the combination is reserved")),
    };
    let result = match packet.named(mi_predicate::LOAD_OPERATION) {
        Some(LoadOperation::KEEP) => old,
        Some(LoadOperation::LOAD) => combined,
        Some(LoadOperation::LOADINV) => !combined,
        None => return Err(cs.refuse(packet, "the load operation is reserved")),
    };
    registers.set_own64(own::PREDICATE_DATA, delta);
    registers.set_own(own::PREDICATE_RESULT, u32::from(result));
    Ok(())
}

fn set_predicate(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_set_predicate::PredicateEnable as Enable;
    cs.refuse_partition(packet, mi_set_predicate::PREDICATE_ENABLE_WPARID)?;
    let registers = &cs.state.registers;
    let result = registers.own(own::PREDICATE_RESULT) & 1 != 0;
    let result_2 = registers.own(own::PREDICATE_RESULT_2) & 1 != 0;
    let slices = cs.environment.device.platform.default_sku().slices;
    cs.state.predicate.skip = match packet.named(mi_set_predicate::PREDICATE_ENABLE) {
        Some(Enable::NOOP_NEVER) => false,
        Some(Enable::NOOP_ON_RESULT2_CLEAR) => !result_2,
        Some(Enable::NOOP_ON_RESULT2_SET) => result_2,
        Some(Enable::NOOP_ON_RESULT_CLEAR) => !result,
        Some(Enable::NOOP_ON_RESULT_SET) => result,
        Some(Enable::EXECUTE_WHEN_ONE_SLICE_ENABLED) => slices != 1,
        Some(Enable::EXECUTE_WHEN_TWO_SLICES_ARE_ENABLED) => slices != 2,
        Some(Enable::EXECUTE_WHEN_THREE_SLICES_ARE_ENABLED) => slices != 3,
        Some(Enable::NOOP_ALWAYS) => true,
        None => return Err(cs.refuse(packet, "the condition is reserved")),
    };
    Ok(())
}

//! The streamer's own commands: stores, registers, predicates, semaphores.

use std::time::Duration;

use batchbuffer::packets::mi_predicate::{CombineOperation, CompareOperation, LoadOperation};
use batchbuffer::packets::{
    mi_atomic, mi_copy_mem_mem, mi_load_register_imm, mi_load_register_mem, mi_load_register_reg,
    mi_predicate, mi_semaphore_wait, mi_set_predicate, mi_store_data_imm, mi_store_register_mem,
};
use batchbuffer::states::values::AtomicOpcode;
use batchbuffer::{Decoded, PacketId};

use super::failure::Failure;
use super::math;
use super::registers::own;
use super::state::State;
use super::streamer::Streamer;

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
        PacketId::MiAtomic => atomic(cs, packet),
        PacketId::MiSemaphoreWait => semaphore_wait(cs, packet),
        PacketId::MiPredicate => predicate(cs, packet),
        PacketId::MiSetPredicate => set_predicate(cs, packet),
        // Nothing to do: no preemption points, power wells or other observers are modelled, and
        // a waiting semaphore polls.
        _ => Ok(()),
    }
}

/// Refuses an access by the global table: batches of a client are not privileged.
fn refuse_global(cs: &Streamer<'_>, packet: &Decoded<'_>, global: bool) -> Result<(), Failure> {
    if global {
        return Err(cs.refuse(packet, "accesses by the global GTT need a privileged batch"));
    }
    Ok(())
}

fn store_data_imm(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_store_data_imm as sdi;
    refuse_global(cs, packet, packet.flag(sdi::USE_GLOBAL_GTT))?;
    let address = packet.address(sdi::ADDRESS);
    let data = packet.dwords().get(3..).unwrap_or_default();
    // "Store Qword" decides how much a unit is; the length how many units there are.
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

/// Bit 17 of register commands from Gen12 on: "MMIO Remap Enable" (TGL PRM vol 2a,
/// MI_LOAD_REGISTER_IMM).
fn remaps(packet: &Decoded<'_>) -> bool {
    packet
        .dwords()
        .first()
        .is_some_and(|header| header >> 17 & 1 != 0)
}

fn load_register_imm(cs: &mut Streamer<'_>, packet: &Decoded<'_>) {
    use mi_load_register_imm as lri;
    let relative = packet.flag(lri::ADD_CS_MMIO_START_OFFSET);
    for index in 0.. {
        let (Some(offset), Some(value)) = (
            packet.find(lri::REGISTER_OFFSET, index),
            packet.find(lri::DATA_DWORD, index),
        ) else {
            break;
        };
        let registers = &mut cs.state.registers;
        let offset = registers.resolve(offset as u32, relative, remaps(packet));
        registers.write(offset, value as u32);
    }
}

fn load_register_mem(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_load_register_mem as lrm;
    refuse_global(cs, packet, packet.flag(lrm::USE_GLOBAL_GTT))?;
    let value = cs.read_u32(packet, packet.address(lrm::MEMORY_ADDRESS))?;
    let relative = packet.flag(lrm::ADD_CS_MMIO_START_OFFSET);
    let registers = &mut cs.state.registers;
    let offset = registers.resolve(
        packet.get32(lrm::REGISTER_ADDRESS),
        relative,
        remaps(packet),
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
        false,
    );
    let target = registers.resolve(
        packet.get32(lrr::DESTINATION_REGISTER_ADDRESS),
        packet.flag(lrr::ADD_CS_MMIO_START_OFFSET_DESTINATION),
        remaps(packet),
    );
    let value = registers.read(source, cs.environment.device);
    registers.write(target, value);
}

fn store_register_mem(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_store_register_mem as srm;
    refuse_global(cs, packet, packet.flag(srm::USE_GLOBAL_GTT))?;
    if packet.flag(srm::PREDICATE_ENABLE) && !predicate_holds(cs.state) {
        return Ok(());
    }
    let registers = &cs.state.registers;
    let offset = registers.resolve(
        packet.get32(srm::REGISTER_ADDRESS),
        packet.flag(srm::ADD_CS_MMIO_START_OFFSET),
        remaps(packet),
    );
    let value = registers.read(offset, cs.environment.device);
    cs.write_u32(packet, packet.address(srm::MEMORY_ADDRESS), value)
}

fn copy_mem_mem(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_copy_mem_mem as copy;
    let global =
        packet.flag(copy::USE_GLOBAL_GTT_DESTINATION) || packet.flag(copy::USE_GLOBAL_GTT_SOURCE);
    refuse_global(cs, packet, global)?;
    let value = cs.read_u32(packet, packet.address(copy::SOURCE_MEMORY_ADDRESS))?;
    cs.write_u32(
        packet,
        packet.address(copy::DESTINATION_MEMORY_ADDRESS),
        value,
    )
}

/// MI_ATOMIC with its operands in the packet (TGL PRM vol 2a).
fn atomic(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    refuse_global(cs, packet, packet.flag(mi_atomic::MEMORY_TYPE))?;
    // Gen8 has the later families' numbers without their names.
    let number = packet.get(mi_atomic::ATOMIC_OPCODE);
    let Some(opcode) = <AtomicOpcode as batchbuffer::NamedValues>::from_raw(number) else {
        return Err(cs.refuse(packet, format!("atomic operation {number:#x} is reserved")));
    };
    if packet.flag(mi_atomic::RETURN_DATA_CONTROL) {
        return Err(cs.refuse(packet, "returning data to registers is not modelled"));
    }
    let needs_operand = !matches!(
        opcode,
        AtomicOpcode::INC
            | AtomicOpcode::DEC
            | AtomicOpcode::PREDEC
            | AtomicOpcode::INC8B
            | AtomicOpcode::DEC8B
            | AtomicOpcode::PREDEC8B
    );
    if needs_operand && !packet.flag(mi_atomic::INLINE_DATA) {
        return Err(cs.refuse(packet, "operands in registers are not modelled"));
    }
    let address = packet.address(mi_atomic::MEMORY_ADDRESS);
    let pair = |low, high| packet.get(low) | packet.get(high) << 32;
    let first = pair(
        mi_atomic::OPERAND1_DATA_DWORD_0,
        mi_atomic::OPERAND1_DATA_DWORD_1,
    );
    let second = pair(
        mi_atomic::OPERAND2_DATA_DWORD_0,
        mi_atomic::OPERAND2_DATA_DWORD_1,
    );
    let wide = number >= AtomicOpcode::AND8B as u64;
    let outcome = if opcode == AtomicOpcode::CMP_WR16B {
        return Err(cs.refuse(packet, "the 16-byte compare and write is not modelled"));
    } else if wide {
        let mut update = |old| updated(opcode, old, first, second, 64);
        cs.view.atomic_u64(address, &mut update).map(drop)
    } else {
        let mut update = |old: u32| {
            let new = updated(
                opcode,
                u64::from(old),
                u64::from(first as u32),
                u64::from(second as u32),
                32,
            );
            new.map(|value| value as u32)
        };
        cs.view.atomic_u32(address, &mut update).map(drop)
    };
    outcome.map_err(|fault| cs.access(packet, fault))
}

/// What an atomic operation of `bits` bits leaves in memory; `None` leaves `old`.
fn updated(opcode: AtomicOpcode, old: u64, first: u64, second: u64, bits: u32) -> Option<u64> {
    use AtomicOpcode as Op;
    let signed = |value: u64| (value << (64 - bits)) as i64 >> (64 - bits);
    Some(match opcode {
        Op::AND | Op::AND8B => old & first,
        Op::OR | Op::OR8B => old | first,
        Op::XOR | Op::XOR8B => old ^ first,
        Op::MOVE | Op::MOVE8B => first,
        Op::INC | Op::INC8B => old.wrapping_add(1),
        Op::DEC | Op::DEC8B | Op::PREDEC | Op::PREDEC8B => old.wrapping_sub(1),
        Op::ADD | Op::ADD8B => old.wrapping_add(first),
        Op::SUB | Op::SUB8B => old.wrapping_sub(first),
        Op::RSUB | Op::RSUB8B => first.wrapping_sub(old),
        Op::IMAX | Op::IMAX8B if signed(first) > signed(old) => first,
        Op::IMIN | Op::IMIN8B if signed(first) < signed(old) => first,
        Op::UMAX | Op::UMAX8B => old.max(first),
        Op::UMIN | Op::UMIN8B => old.min(first),
        // Compares with the first operand, writes the second.
        Op::CMP_WR | Op::CMP_WR8B if old == first => second,
        Op::IMAX | Op::IMAX8B | Op::IMIN | Op::IMIN8B => return None,
        Op::CMP_WR | Op::CMP_WR8B | Op::CMP_WR16B => return None,
    })
}

/// How long a waiting semaphore sleeps between two looks at memory.
const POLL_INTERVAL: Duration = Duration::from_micros(20);

fn semaphore_wait(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mi_semaphore_wait as wait;
    refuse_global(cs, packet, packet.flag(wait::MEMORY_TYPE))?;
    let address = packet.address(wait::SEMAPHORE_ADDRESS);
    let operand = packet.get32(wait::SEMAPHORE_DATA_DWORD);
    let comparison = packet.named(wait::COMPARE_OPERATION);
    loop {
        let value = if packet.flag(wait::REGISTER_POLL_MODE) {
            let offset = address.get() as u32 & 0x7f_fffc;
            cs.state.registers.read(offset, cs.environment.device)
        } else {
            cs.read_u32(packet, address)?
        };
        use wait::CompareOperation as Compare;
        let holds = match comparison {
            Some(Compare::SAD_GREATER_THAN_SDD) => value > operand,
            Some(Compare::SAD_GREATER_THAN_OR_EQUAL_SDD) => value >= operand,
            Some(Compare::SAD_LESS_THAN_SDD) => value < operand,
            Some(Compare::SAD_LESS_THAN_OR_EQUAL_SDD) => value <= operand,
            Some(Compare::SAD_EQUAL_SDD) => value == operand,
            Some(Compare::SAD_NOT_EQUAL_SDD) => value != operand,
            None => return Err(cs.refuse(packet, "the comparison is reserved")),
        };
        if holds {
            return Ok(());
        }
        cs.check_progress(packet.name())?;
        std::thread::sleep(POLL_INTERVAL);
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
    let registers = &cs.state.registers;
    let result = registers.own(own::PREDICATE_RESULT) & 1 != 0;
    let result_2 = registers.own(own::PREDICATE_RESULT_2) & 1 != 0;
    cs.state.predicate.skip = match packet.named(mi_set_predicate::PREDICATE_ENABLE) {
        Some(Enable::NOOP_NEVER) => false,
        Some(Enable::NOOP_ON_RESULT2_CLEAR) => !result_2,
        Some(Enable::NOOP_ON_RESULT2_SET) => result_2,
        Some(Enable::NOOP_ON_RESULT_CLEAR) => !result,
        Some(Enable::NOOP_ON_RESULT_SET) => result,
        Some(Enable::NOOP_ALWAYS) => true,
        _ => return Err(cs.refuse(packet, "predication on slice counts is not modelled")),
    };
    Ok(())
}

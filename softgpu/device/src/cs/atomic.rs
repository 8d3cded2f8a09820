//! MI_ATOMIC: read-modify-write of memory by the command streamer.
//!
//! Source: TGL PRM vol 2a, MI_ATOMIC, and the same text in Intel's media-driver
//! (`mhw_mi_hwcmd_g11_X.h`, `mhw_mi_hwcmd_g12_X.h`, struct `MI_ATOMIC_CMD`).

use batchbuffer::packets::mi_atomic::{self, DataSize};
use batchbuffer::states::values::AtomicOpcode;
use batchbuffer::{Decoded, NamedValues};
use isa_encoder::message::AtomicOp;

use super::failure::Failure;
use super::streamer::Streamer;

/// The registers of operands that are not in the command, and of returned old values: each the
/// first of two general purpose registers, the low qword first.
const OPERAND_1: u32 = 0;
const OPERAND_2: u32 = 2;
const RETURNED: u32 = 4;

/// The dwords of a command without operands.
const HEADER: usize = 3;

pub(super) fn execute(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    cs.use_global(packet, packet.flag(mi_atomic::MEMORY_TYPE))?;
    cs.refuse_partition(packet, mi_atomic::WORKLOAD_PARTITION_ID_OFFSET_ENABLE)?;
    // Gen8 has the later families' numbers without their names.
    let number = packet.get(mi_atomic::ATOMIC_OPCODE);
    let Some((operation, size)) = AtomicOpcode::from_raw(number).map(operation) else {
        return Err(cs.refuse(packet, format!("atomic operation {number:#x} is reserved")));
    };
    if packet.named(mi_atomic::DATA_SIZE) != Some(size) {
        return Err(cs.refuse(
            packet,
            format!("the data size is not that of atomic operation {number:#x}"),
        ));
    }
    let returns = packet.flag(mi_atomic::RETURN_DATA_CONTROL);
    let [first, second] = if packet.flag(mi_atomic::POST_SYNC_OPERATION) {
        post_sync_operands(cs, packet, operation, size, returns)?
    } else {
        operands(cs, packet, size)?
    };
    let address = packet.address(mi_atomic::MEMORY_ADDRESS);
    let old = match size {
        DataSize::DWORD => {
            let mut returned = 0;
            let mut update = |old: u32| {
                let update =
                    softgpu_eu::atomic(operation, 4, old.into(), first as u64, second as u64);
                returned = update.returned;
                update.stored.map(|value| value as u32)
            };
            let outcome = cs.data().atomic_u32(address, &mut update);
            outcome.map(|_| u128::from(returned))
        }
        DataSize::QWORD => {
            let mut returned = 0;
            let mut update = |old: u64| {
                let update = softgpu_eu::atomic(operation, 8, old, first as u64, second as u64);
                returned = update.returned;
                update.stored
            };
            let outcome = cs.data().atomic_u64(address, &mut update);
            outcome.map(|_| u128::from(returned))
        }
        DataSize::OCTWORD | DataSize::RESERVED => {
            cs.data().compare_exchange_u128(address, first, second)
        }
    };
    let old = old.map_err(|fault| cs.access(packet, fault))?;
    if returns {
        let registers = &mut cs.state.registers;
        let low = match size {
            // The high half keeps its value.
            DataSize::DWORD => registers.gpr(RETURNED) >> 32 << 32 | old as u64,
            _ => old as u64,
        };
        registers.set_gpr(RETURNED, low);
        if size == DataSize::OCTWORD {
            registers.set_gpr(RETURNED + 1, (old >> 64) as u64);
        }
    }
    Ok(())
}

/// What a code computes, and on how many bytes.
fn operation(opcode: AtomicOpcode) -> (AtomicOp, DataSize) {
    use AtomicOpcode as Op;
    let operation = match opcode {
        Op::AND | Op::AND8B => AtomicOp::And,
        Op::OR | Op::OR8B => AtomicOp::Or,
        Op::XOR | Op::XOR8B => AtomicOp::Xor,
        Op::MOVE | Op::MOVE8B => AtomicOp::Store,
        Op::INC | Op::INC8B => AtomicOp::Inc,
        Op::DEC | Op::DEC8B => AtomicOp::Dec,
        Op::PREDEC | Op::PREDEC8B => AtomicOp::PreDec,
        Op::ADD | Op::ADD8B => AtomicOp::Add,
        Op::SUB | Op::SUB8B => AtomicOp::Sub,
        Op::RSUB | Op::RSUB8B => AtomicOp::ReverseSub,
        Op::IMAX | Op::IMAX8B => AtomicOp::SignedMax,
        Op::IMIN | Op::IMIN8B => AtomicOp::SignedMin,
        Op::UMAX | Op::UMAX8B => AtomicOp::UnsignedMax,
        Op::UMIN | Op::UMIN8B => AtomicOp::UnsignedMin,
        Op::CMP_WR | Op::CMP_WR8B | Op::CMP_WR16B => AtomicOp::CompareSwap,
    };
    let size = match opcode as u64 {
        number if number >= Op::CMP_WR16B as u64 => DataSize::OCTWORD,
        number if number >= Op::AND8B as u64 => DataSize::QWORD,
        _ => DataSize::DWORD,
    };
    (operation, size)
}

/// The two operands: from the command, where their dwords alternate, or from registers.
fn operands(cs: &Streamer<'_>, packet: &Decoded<'_>, size: DataSize) -> Result<[u128; 2], Failure> {
    if !packet.flag(mi_atomic::INLINE_DATA) {
        let registers = &cs.state.registers;
        let pair = |register| {
            u128::from(registers.gpr(register)) | u128::from(registers.gpr(register + 1)) << 64
        };
        return Ok([OPERAND_1, OPERAND_2].map(pair));
    }
    let dwords = match size {
        DataSize::DWORD => 1,
        DataSize::QWORD => 2,
        DataSize::OCTWORD | DataSize::RESERVED => 4,
    };
    let needed = HEADER + 2 * dwords;
    let Some(data) = packet.dwords().get(HEADER..needed) else {
        return Err(cs.refuse(
            packet,
            format!(
                "{} dwords do not hold both operands, which takes {needed}",
                packet.len()
            ),
        ));
    };
    let (pairs, _) = data.as_chunks::<2>();
    let mut operands = [0; 2];
    for (index, pair) in pairs.iter().enumerate() {
        for (operand, dword) in operands.iter_mut().zip(pair) {
            *operand |= u128::from(*dword) << (32 * index);
        }
    }
    Ok(operands)
}

/// The operands of an operation after a flush: inline, in the first two dwords; nothing is
/// returned, and there are fewer operations.
fn post_sync_operands(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    operation: AtomicOp,
    size: DataSize,
    returns: bool,
) -> Result<[u128; 2], Failure> {
    let compares = operation == AtomicOp::CompareSwap;
    let unsupported = if returns {
        Some("returned data")
    } else if !packet.flag(mi_atomic::INLINE_DATA) {
        Some("operands in registers")
    } else if compares && size != DataSize::DWORD {
        Some("comparisons of more than a dword")
    } else {
        None
    };
    if let Some(what) = unsupported {
        return Err(cs.refuse(packet, format!("a post-sync operation has no {what}")));
    }
    let low = packet.get(mi_atomic::OPERAND1_DATA_DWORD_0);
    let high = packet.get(mi_atomic::OPERAND2_DATA_DWORD_0);
    Ok(match compares {
        true => [low.into(), high.into()],
        false => [(low | high << 32).into(), 0],
    })
}

//! MI_MATH: the command streamer's ALU.

use batchbuffer::states::mi_math_alu_instruction::{self as alu, AluOpcode};
use batchbuffer::{Decoded, View};
use devinfo::GpuAddress;

use super::failure::Failure;
use super::family::traits;
use super::streamer::Streamer;

/// Operand codes beyond the general purpose registers 0 to 15.
mod operand {
    pub const SRCA: u32 = 0x20;
    pub const SRCB: u32 = 0x21;
    pub const ACCU: u32 = 0x31;
    pub const ZF: u32 = 0x32;
    pub const CF: u32 = 0x33;
}

/// The ALU's registers; they do not outlive the command.
#[derive(Default)]
struct Alu {
    a: u64,
    b: u64,
    accumulator: u64,
    zero: bool,
    carry: bool,
}

impl Alu {
    /// ADD, SUB and the logical operations set both flags.
    fn set(&mut self, value: u64, carry: bool) {
        self.accumulator = value;
        self.zero = value == 0;
        self.carry = carry;
    }

    fn source(&mut self, code: u32) -> Option<&mut u64> {
        match code {
            operand::SRCA => Some(&mut self.a),
            operand::SRCB => Some(&mut self.b),
            _ => None,
        }
    }
}

/// Runs the instructions of an MI_MATH (TGL PRM vol 2a, MI_MATH).
pub(super) fn execute(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    let family = cs.environment.family();
    let mut state = Alu::default();
    for dword in packet.dwords().iter().skip(1) {
        let dwords = [*dword];
        let instruction = View::new(family, &alu::LAYOUT, &dwords);
        let (first, second) = (
            instruction.get32(alu::OPERAND_1),
            instruction.get32(alu::OPERAND_2),
        );
        let Some(opcode) = instruction.named(alu::ALU_OPCODE) else {
            return Err(cs.refuse(packet, format!("ALU instruction {dword:#010x} is unknown")));
        };
        let bad = || {
            cs.refuse(
                packet,
                format!("ALU operands of {dword:#010x} are reserved"),
            )
        };
        if comes_with_shifts(opcode) && !traits(family).math_shifts {
            return Err(cs.refuse(
                packet,
                format!("the ALU of {family} has no instruction {dword:#010x}"),
            ));
        }
        match opcode {
            AluOpcode::NOOP | AluOpcode::FENCE_RD | AluOpcode::FENCE_WR => {}
            AluOpcode::LOAD | AluOpcode::LOADINV => {
                let value = match second {
                    0..16 => cs.state.registers.gpr(second),
                    operand::ACCU => state.accumulator,
                    operand::ZF => flag(state.zero),
                    operand::CF => flag(state.carry),
                    _ => return Err(bad()),
                };
                let invert = opcode == AluOpcode::LOADINV;
                let target = state.source(first).ok_or_else(bad)?;
                *target = if invert { !value } else { value };
            }
            AluOpcode::LOAD0 => *state.source(first).ok_or_else(bad)? = 0,
            AluOpcode::LOAD1 => *state.source(first).ok_or_else(bad)? = u64::MAX,
            AluOpcode::ADD => {
                let (value, carry) = state.a.overflowing_add(state.b);
                state.set(value, carry);
            }
            AluOpcode::SUB => {
                let (value, borrow) = state.a.overflowing_sub(state.b);
                state.set(value, borrow);
            }
            AluOpcode::AND => state.set(state.a & state.b, false),
            AluOpcode::OR => state.set(state.a | state.b, false),
            AluOpcode::XOR => state.set(state.a ^ state.b, false),
            AluOpcode::SHL | AluOpcode::SHR | AluOpcode::SAR => {
                let Some(count) = shift_count(state.b) else {
                    return Err(cs.refuse(
                        packet,
                        format!(
                            "the ALU shifts by powers of two up to {MAX_SHIFT}, not by {}",
                            state.b
                        ),
                    ));
                };
                let value = match opcode {
                    AluOpcode::SHL => state.a << count,
                    AluOpcode::SHR => state.a >> count,
                    _ => (state.a.cast_signed() >> count).cast_unsigned(),
                };
                state.set(value, false);
            }
            AluOpcode::STORE | AluOpcode::STOREINV => {
                let value = match second {
                    operand::ACCU => state.accumulator,
                    operand::ZF => flag(state.zero),
                    operand::CF => flag(state.carry),
                    _ => return Err(bad()),
                };
                let value = match opcode {
                    AluOpcode::STOREINV => !value,
                    _ => value,
                };
                match first {
                    0..16 => cs.state.registers.set_gpr(first, value),
                    _ => return Err(bad()),
                }
            }
            // Qwords of memory, at the address in the accumulator (Mesa `mi_load_mem64_offset`,
            // `mi_store_mem64_offset`).
            AluOpcode::LOADIND => match (first, second) {
                (0..16, operand::ACCU) => {
                    let value = cs.read_u64(packet, GpuAddress::new(state.accumulator))?;
                    cs.state.registers.set_gpr(first, value);
                }
                _ => return Err(bad()),
            },
            AluOpcode::STOREIND => match (first, second) {
                (operand::ACCU, 0..16) => {
                    let value = cs.state.registers.gpr(second);
                    cs.write_u64(packet, GpuAddress::new(state.accumulator), value)?;
                }
                _ => return Err(bad()),
            },
        }
    }
    Ok(())
}

/// Whether only an ALU that shifts has this instruction.
fn comes_with_shifts(opcode: AluOpcode) -> bool {
    use AluOpcode as Op;
    matches!(
        opcode,
        Op::SHL | Op::SHR | Op::SAR | Op::LOADIND | Op::STOREIND | Op::FENCE_RD | Op::FENCE_WR
    )
}

/// The largest shift of the ALU.
const MAX_SHIFT: u32 = 32;

/// The shift count: zero, or a power of two (Mesa `mi_ishl`); the effect of other counts is
/// unknown.
fn shift_count(count: u64) -> Option<u32> {
    let count = u32::try_from(count).ok()?;
    (count == 0 || count.is_power_of_two() && count <= MAX_SHIFT).then_some(count)
}

/// Flags are stored as all ones or zero.
fn flag(set: bool) -> u64 {
    if set { u64::MAX } else { 0 }
}

//! From decoded instructions to ops.

use isa_encoder::message::{Descriptors, Message as Meaning};
use isa_encoder::semantics::{Integer, Semantics};
use isa_encoder::swsb::{Order, Tokens};
use isa_encoder::{
    ArfKind, Branch, Descriptor, Dst, Instruction, Opcode, Options, PredControl, RegFile, Register,
    Send, Specific, Src, SyncFunction, Type,
};

use super::family::Rules;
use super::op::{Action, Class, Immediate, Op, Pred, SendOp, SendRegisters, Spans, Targets};
use super::operand::{Dest, Lowering, Source};
use super::ops::softfloat::Format;
use super::ops::value::format_of;
use super::regs::GRF_BASE;
use super::vector::Fast;
use super::{general, systolic};
use crate::{Fault, sf};

/// Lowers the instruction at `ip` whose successor is at `next_ip`.
///
/// # Errors
/// [`Fault::IllegalInstruction`] says which operand or combination the interpreter refuses.
pub(super) fn lower(
    rules: Rules,
    grf_count: u16,
    instruction: &Instruction,
    ip: u32,
    next_ip: u32,
) -> Result<Op, Fault> {
    let op = lower_inner(rules, grf_count, instruction, ip, next_ip).map_err(|why| {
        Fault::IllegalInstruction {
            why: format!("{} at {ip:#x}: {why}", instruction.opcode.mnemonic()),
        }
    })?;
    if matches!(op.does, Semantics::Systolic { .. }) {
        let end = GRF_BASE + usize::from(grf_count) * rules.grf_bytes;
        systolic::check(&op, rules.grf_bytes, end)?;
    }
    Ok(op)
}

fn lower_inner(
    rules: Rules,
    grf_count: u16,
    instruction: &Instruction,
    ip: u32,
    next_ip: u32,
) -> Result<Op, String> {
    let exec_size = instruction.exec_size;
    if !matches!(exec_size, 1 | 2 | 4 | 8 | 16 | 32) {
        return Err(format!("execution size {exec_size}"));
    }
    if instruction.channel_offset >= 32 {
        return Err(format!("channel offset {}", instruction.channel_offset));
    }
    let lowering = Lowering {
        rules,
        grf_count,
        lanes: usize::from(exec_size),
    };
    let mut op = Op {
        action: Action::General,
        opcode: instruction.opcode,
        does: instruction.opcode.semantics(),
        ip,
        next_ip,
        exec_size,
        channel_offset: instruction.channel_offset,
        no_mask: instruction.no_mask,
        pred: Pred::Always,
        pred_inverse: false,
        flag_bit: (instruction.flag.register & 3) * 32 + (instruction.flag.subregister & 1) * 16,
        cond: instruction.cond,
        saturate: instruction.saturate,
        write_acc: instruction.options.contains(Options::ACC_WR_EN),
        live: false,
        writes_control: false,
        class: Class::Int(32),
        dst: Dest::NULL,
        src: [Source::NONE; 3],
        specific: instruction.specific,
        targets: Targets::default(),
        tokens: Tokens::of(rules.family, instruction),
        order: Order::of(rules.family, instruction).map(Box::new),
    };
    if let Some(predicate) = instruction.predicate {
        op.pred_inverse = predicate.inverse;
        op.pred = match predicate.control {
            PredControl::Sequential => Pred::Own,
            PredControl::AnyV => Pred::AnyV,
            PredControl::AllV => Pred::AllV,
            PredControl::AnyH(size) => Pred::Any(group(size)?),
            PredControl::AllH(size) => Pred::All(group(size)?),
            // Without a size in the name, the group is the instruction (vISA BinaryEncodingIGA).
            PredControl::Any => Pred::Any(exec_size),
            PredControl::All => Pred::All(exec_size),
        };
    }

    match op.does {
        Semantics::Illegal => {
            return Err(
                "opcode `illegal`: the kernel runs past its last instruction, or was never written"
                    .into(),
            );
        }
        Semantics::Nop => {
            op.action = Action::Nop;
            return Ok(op);
        }
        Semantics::Sync => {
            op.action = match instruction.specific {
                Specific::Sync(SyncFunction::Bar) => Action::Barrier,
                Specific::Sync(SyncFunction::Host) => {
                    return Err("nothing plays the host for sync.host".into());
                }
                // The interpreter runs in order: scoreboard waits are over before they begin.
                _ => Action::Nop,
            };
            return Ok(op);
        }
        Semantics::Wait => {
            op.action = Action::Barrier;
            return Ok(op);
        }
        Semantics::Send => {
            let Specific::Send(send) = &instruction.specific else {
                return Err("no message".into());
            };
            op.action = Action::Send(lower_send(&lowering, instruction, send)?);
            return Ok(op);
        }
        Semantics::Flow(_)
        | Semantics::Math
        | Semantics::Systolic { .. }
        | Semantics::Number(_)
        | Semantics::Integer(_)
        | Semantics::Float(_) => {}
    }

    op.dst = lowering.dest(&instruction.dst)?;
    for (slot, src) in op.src.iter_mut().zip(&instruction.src) {
        *slot = lowering.source(src)?;
        slot.spread_packed(op.dst.stride);
    }
    op.live = instruction.src.iter().any(is_live);
    op.writes_control = matches!(
        instruction.dst,
        Dst::Direct {
            reg: Register {
                file: RegFile::Arf(ArfKind::Control),
                ..
            },
            ..
        }
    );

    if let Specific::Branch(branch) = &instruction.specific {
        op.action = Action::Flow;
        op.targets = targets(branch, ip);
        return Ok(op);
    }
    if instruction.opcode.is_branch() {
        op.action = Action::Flow;
        return Ok(op);
    }

    op.class = class(instruction);
    if op.opcode == Opcode::Mach && !op.write_acc && !rules.mach_writes_acc {
        // Without AccWrEn, `mach` gives the low half of the product: compilers call it macl, and
        // from XeHPC on it has its own opcode.
        op.does = Semantics::Integer(Integer::ProductLow);
    }
    op.write_acc |= match op.does {
        Semantics::Integer(Integer::AddCarry | Integer::SubtractBorrow) => true,
        Semantics::Integer(Integer::ProductHigh | Integer::ProductLow) => rules.mach_writes_acc,
        _ => false,
    };
    general::check(&op)?;
    if op.does == (Semantics::Systolic { paired: true }) {
        op.action = Action::Paired;
        return Ok(op);
    }
    if let Some(fast) = Fast::new(&op, rules) {
        op.action = Action::Fast(fast);
    }
    Ok(op)
}

fn group(size: u8) -> Result<u8, String> {
    match size {
        2 | 4 | 8 | 16 | 32 => Ok(size),
        _ => Err(format!("a predicate over groups of {size} channels")),
    }
}

fn is_live(src: &Src) -> bool {
    matches!(
        src,
        Src::Direct {
            reg: Register {
                file: RegFile::Arf(
                    ArfKind::InstructionPointer | ArfKind::ChannelEnable | ArfKind::Timestamp
                ),
                ..
            },
            ..
        }
    )
}

/// The class in which an operation computes: floats win over integers, and the widest float format
/// wins; half sources with a wider destination compute in the wider format.
///
/// Source: TGL PRM vol 7 "Execution Data Types".
fn class(instruction: &Instruction) -> Class {
    let formats = instruction.src.iter().filter_map(Src::ty).map(format_of);
    let widest = formats
        .flatten()
        .max_by_key(|format| (format.exponent, format.fraction));
    match widest {
        Some(Format::F16 | Format::BF16)
            if instruction.opcode != Opcode::Mov
                && matches!(instruction.dst.ty(), Some(Type::F | Type::Bf)) =>
        {
            Class::Float(Format::F32)
        }
        Some(Format::BF16) => Class::Float(Format::F32),
        Some(format) => Class::Float(format),
        None => {
            let bits = instruction.src.iter().filter_map(Src::ty).map(Type::bits);
            Class::Int(bits.max().unwrap_or(32))
        }
    }
}

fn targets(branch: &Branch, ip: u32) -> Targets {
    let absolute = |offset: i32| ip.wrapping_add_signed(offset);
    Targets {
        jip: branch.jip.map(absolute),
        uip: absolute(branch.uip.or(branch.jip).unwrap_or(0)),
        control: branch.control,
    }
}

fn lower_send(
    lowering: &Lowering,
    instruction: &Instruction,
    send: &Send,
) -> Result<SendOp, String> {
    let register = |reg: Register| -> Result<Option<u32>, String> {
        if reg.is_null() {
            Ok(None)
        } else {
            lowering.registers(reg, 1).map(Some)
        }
    };
    let payload = |src: &Src| match *src {
        Src::Direct { reg, .. } => register(reg),
        Src::None | Src::Immediate { .. } => Ok(None),
        _ => Err("an indirect payload".into()),
    };
    let immediate = |descriptor: Descriptor| match descriptor {
        Descriptor::Immediate(value) => Ok(Immediate::Value(value)),
        // Dwords of a0, whose sub-registers are words.
        Descriptor::Register { subreg } => lowering
            .address(subreg.saturating_mul(2))
            .map(Immediate::Register),
    };
    let dst = match instruction.dst {
        Dst::None => None,
        Dst::Direct { reg, .. } => register(reg)?,
        _ => return Err("an indirect response".into()),
    };
    let sfid = match send.sfid {
        None => None,
        Some(sfid) => Some(
            sfid.id(lowering.rules.family)
                .map_err(|error| error.to_string())?,
        ),
    };
    let (descriptor, extended) = (immediate(send.desc)?, immediate(send.exdesc)?);
    let meaning = match (sfid, descriptor, extended) {
        (Some(sfid), Immediate::Value(descriptor), Immediate::Value(extended)) => {
            let descriptors = Descriptors {
                descriptor,
                extended,
                extended_bindless_offset: send.ex_bso,
                extended_offset: None,
            };
            sf::decode(lowering.rules.family, sfid, descriptors).ok()
        }
        _ => None,
    };
    let (src0, gathered) = match instruction.src[0] {
        Src::Direct { reg, .. } if instruction.gathers() => (None, Some(lowering.names(reg)?)),
        ref src => (payload(src)?, None),
    };
    let registers = SendRegisters {
        src0,
        gathered,
        src1: payload(&instruction.src[1])?,
        dst,
        src1_len: send.src1_len,
    };
    let spans = match (descriptor, extended) {
        (Immediate::Value(descriptor), Immediate::Value(extended)) => {
            let file = super::regs::end(lowering.rules.family, lowering.grf_count);
            registers
                .spans(lowering.rules, file, descriptor, extended)
                .ok()
        }
        _ => None,
    };
    let plain = match (&meaning, spans, descriptor) {
        (Some(meaning), Some(spans), Immediate::Value(descriptor))
            if gathered.is_none() && !send.eot =>
        {
            let grf = lowering.rules.grf_bytes as u32;
            let exec_size = instruction.exec_size;
            sf::Plain::of(meaning, descriptor, &spans.sized(), exec_size, grf)
        }
        _ => None,
    };
    let (mut texels, mut named) = (None, None);
    if let Immediate::Value(descriptor) = descriptor
        && gathered.is_none()
        && !send.eot
        && let Some((meaning, spans)) = prepared(lowering, send, (descriptor, sfid), &registers)
    {
        let family = lowering.rules.family;
        let in_register = matches!(extended, Immediate::Register(_));
        let (asked, sized) = ((descriptor, in_register), spans.sized());
        texels = sf::Texels::of(family, &meaning, asked, &sized, instruction.exec_size);
        named = in_register.then_some((meaning, spans));
    }
    Ok(SendOp {
        meaning,
        named,
        plain,
        texels,
        sfid,
        descriptor,
        extended,
        registers,
        spans,
        extended_offset: match send.exdesc {
            Descriptor::Register { .. } => Some(send.exdesc_offset),
            Descriptor::Immediate(_) => None,
        },
        ex_bso: send.ex_bso,
        eot: send.eot,
    })
}

/// The meaning of a message, and its registers. Its extended descriptor may be in a register, if it is
/// nothing but a surface's offset.
fn prepared(
    lowering: &Lowering,
    send: &Send,
    (descriptor, sfid): (u32, Option<u8>),
    registers: &SendRegisters,
) -> Option<(Meaning, Spans)> {
    let (extended, in_register) = match send.exdesc {
        Descriptor::Immediate(extended) => (extended, false),
        Descriptor::Register { .. } if send.ex_bso && send.src1_len.is_some() => (0, true),
        Descriptor::Register { .. } => return None,
    };
    let family = lowering.rules.family;
    let descriptors = Descriptors {
        descriptor,
        extended,
        extended_bindless_offset: send.ex_bso,
        extended_offset: in_register.then_some(send.exdesc_offset),
    };
    let meaning = sf::decode(family, sfid?, descriptors).ok()?;
    let file = super::regs::end(family, lowering.grf_count);
    let spans = registers.spans(lowering.rules, file, descriptor, extended);
    Some((meaning, spans.ok()?))
}

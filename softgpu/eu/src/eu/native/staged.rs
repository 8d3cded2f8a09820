//! Ops with operands whose addresses are in registers: as moves of those, and the op on what was moved.

use eu_native::{Indirect, IndirectStep, Masking, StagedStep, Step, VectorStep};
use isa_encoder::Attributes;
use isa_encoder::semantics::{Number, Semantics};

use super::graph::masking;
use crate::eu::family::Rules;
use crate::eu::op::{Op, Pred};
use crate::eu::operand::{Kind, Source, Target};
use crate::eu::regs::{self, STAGED};
use crate::eu::vector;

/// Every channel.
const ALL: Masking = Masking {
    channel_offset: 0,
    no_mask: true,
    predicate: None,
};

/// The op, in a kernel with so many bytes of general registers, if it has such operands.
pub(super) fn staged(op: &Op, (rules, grf): (Rules, u32)) -> Option<Step> {
    let mut direct = op.clone();
    let mut before = Vec::new();
    for (number, source) in direct.src.iter_mut().enumerate() {
        if source.kind == Kind::Indirect {
            let to = regs::staged(grf, number);
            before.push(source_move(source, op.exec_size, (to, grf))?);
            source.kind = Kind::Direct;
            source.base = to;
            if source.per_row {
                (source.vstride, source.hstride) = (4, 0);
            }
        }
    }
    let mut after = None;
    if op.dst.target == Target::Indirect {
        let from = regs::staged(grf, op.src.len());
        after = Some(result_move(op, (from, grf))?);
        direct.dst.target = Target::Direct;
        direct.dst.base = from;
        direct.no_mask = true;
        direct.pred = Pred::Always;
    }
    if before.is_empty() && after.is_none() {
        return None;
    }
    Some(Step::Staged(Box::new(StagedStep {
        before,
        vector: VectorStep {
            request: vector::request(&direct, rules)?,
            masking: masking(&direct)?,
            flag_bit: vector::sets_flags(op).then_some(op.flag_bit),
        },
        after,
    })))
}

/// The move of a source.
fn source_move(source: &Source, lanes: u8, (to, grf): (u32, u32)) -> Option<IndirectStep> {
    let size = source.element.bytes() as usize;
    let way = if source.per_row {
        let ends = source.address + 2 * u32::from(lanes) > regs::ADDRESS as u32 + 32;
        (source.width == 1 && size == 4 && !ends).then_some(Indirect::Gather { to })?
    } else {
        let width = usize::from(source.width).min(lanes.into()).max(1);
        let rows = usize::from(lanes).div_ceil(width);
        let bytes = (rows - 1) * usize::from(source.vstride)
            + (width - 1) * usize::from(source.hstride)
            + size;
        let bytes = (bytes <= STAGED).then_some(bytes as u32)?;
        Indirect::Block { to, bytes }
    };
    Some(IndirectStep {
        masking: ALL,
        lanes,
        addresses: source.address,
        offset: source.offset.into(),
        general: regs::GRF_BASE as u32,
        bytes: grf,
        flushes: false,
        way,
    })
}

/// The move of a result: of dwords, from an op that does nothing else.
fn result_move(op: &Op, (from, grf): (u32, u32)) -> Option<IndirectStep> {
    let plain = op.dst.ty.bytes() == 4
        && op.dst.stride == 4
        && op.cond.is_none()
        && !op.write_acc
        && !op.opcode.has(Attributes::WRITES_ACC)
        && op.does != Semantics::Number(Number::Select);
    plain.then_some(IndirectStep {
        masking: masking(op)?,
        lanes: op.exec_size,
        addresses: op.dst.address,
        offset: op.dst.offset.into(),
        general: regs::GRF_BASE as u32,
        bytes: grf,
        flushes: false,
        way: Indirect::Scatter { from, all: false },
    })
}

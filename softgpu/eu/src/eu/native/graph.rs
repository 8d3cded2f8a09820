//! What host code is made of: the blocks of a routine, whatever the modes, and each op as a step.

use batchbuffer::surface::scratch_surfaces;
use eu_lanes::Modes;
use eu_native::{
    Block, Branch, Channels, End, Grouping, Indirect, IndirectStep, Masking, Parting, Predicate,
    Rounding, SignalStep, Step, Stops, Target as Place, VectorStep, Way,
};
use isa_encoder::message::{Gateway, Message as Meaning};
use isa_encoder::semantics::{Flow, Integer, Number, Semantics};
use isa_encoder::{CondMod, MathFunction, Specific, Type};

use super::accumulators::forget_unread;
use super::calls::Calls;
use super::staged::staged;
use super::{CONTROLS, OPS};
use crate::eu::family::Rules;
use crate::eu::op::{Action, Immediate, Op, Pred, SendOp};
use crate::eu::operand::{Kind, Shape, Source, Target};
use crate::eu::ops::softfloat;
use crate::eu::ops::value::FpMode;
use crate::eu::routine::Routine;
use crate::eu::{regs, vector};
use crate::sf::{NAME_AT, barrier_name, host};

/// The most steps of a block: host code runs whole blocks, and only those that end in the slice.
const STEPS: usize = 512;

/// A routine's blocks, as they are translated.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) blocks: Vec<Part>,
    /// The block of each op.
    pub(super) of_op: Vec<u32>,
    /// The channels of each op that ends the thread and does nothing else.
    pub(super) ends: Vec<u8>,
    /// What is called back for, if it is counted.
    pub(super) calls: Option<Calls>,
}

/// A block, whatever the modes.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) block: Block,
    /// The blocks that may follow.
    pub(super) next: Vec<u32>,
    /// How its last op changes cr0.
    pub(super) control: Option<Change>,
}

/// How host code rounds where cr0.0 is this.
pub(super) fn rounding(control: u32) -> Rounding {
    match FpMode::from_cr0(control).rounding {
        softfloat::Rounding::Nearest => Rounding::Nearest,
        softfloat::Rounding::Up => Rounding::Up,
        softfloat::Rounding::Down => Rounding::Down,
        softfloat::Rounding::Zero => Rounding::Zero,
    }
}

/// How an op changes cr0.0.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Or(u32),
    And(u32),
    Xor(u32),
    Set(u32),
}

impl Part {
    /// The value of cr0.0 after the block, if it changes it to one that is known and usual. New
    /// values are added to `known`, if there are not too many.
    pub(super) fn control(&self, before: u32, known: &mut Vec<u32>) -> Option<u32> {
        let after = match self.control? {
            Change::Or(bits) => before | bits,
            Change::And(bits) => before & bits,
            Change::Xor(bits) => before ^ bits,
            Change::Set(bits) => bits,
        };
        if !known.contains(&after) {
            if known.len() >= CONTROLS || !vector::is_translated(FpMode::from_cr0(after)) {
                return None;
            }
            known.push(after);
        }
        Some(after)
    }

    /// The block as it is entered with this value of cr0.0; `number` is that of a block for its own.
    pub(super) fn instance(
        &self,
        control: u32,
        known: &mut Vec<u32>,
        number: &dyn Fn(u32, u32) -> Option<u32>,
    ) -> Block {
        let mut block = self.block.clone();
        block.modes = vector::modes(FpMode::from_cr0(control));
        block.rounding = rounding(control);
        let mut after = control;
        if let Some(value) = self.control(control, known) {
            after = value;
            if let Some(last) = block.steps.last_mut() {
                *last = Step::Control(value, rounding(value));
            }
        }
        let to = |block: &mut Option<u32>| *block = block.and_then(|block| number(block, after));
        match &mut block.end {
            End::Next(next) => to(next),
            End::Leave | End::Thread(_) => {}
            End::Branch(branch) => match &mut branch.way {
                Way::Jump { not_taken, taken } => {
                    to(&mut not_taken.block);
                    to(&mut taken.block);
                }
                Way::Channels(Parting { next, other, .. }) => {
                    to(&mut next.block);
                    to(&mut other.block);
                }
                Way::Barrier { next } => to(&mut next.block),
                Way::Asked => {}
            },
        }
        block
    }
}

impl Graph {
    pub(super) fn of(routine: &Routine, rules: Rules) -> Self {
        let ops = routine.ops();
        if ops.len() > OPS {
            return Self {
                blocks: Vec::new(),
                of_op: Vec::new(),
                ends: Vec::new(),
                calls: None,
            };
        }
        // Blocks also end where the modes may change, and before they outgrow a thread's slice.
        let mut spans = Vec::new();
        for block in routine.blocks() {
            let mut first = block.first;
            for index in block.first..block.body_end {
                let changes = ops.get(index).is_some_and(|op| op.writes_control);
                let long = index + 1 - first == STEPS;
                if (changes || long) && index + 1 < block.end {
                    spans.push((first, index + 1, index + 1));
                    first = index + 1;
                }
            }
            spans.push((first, block.body_end.max(first), block.end));
        }
        let shape = (rules, routine.grf());
        let number = |ip: u32| {
            let ip_of = |&(first, ..): &(usize, usize, usize)| ops.get(first).map_or(0, |op| op.ip);
            let place = spans.binary_search_by_key(&ip, ip_of).ok()?;
            Some(place as u32)
        };
        let mut of_op = vec![0; ops.len()];
        let blocks = spans
            .iter()
            .enumerate()
            .map(|(index, &(first, body_end, end))| {
                if let Some(own) = of_op.get_mut(first..end) {
                    own.fill(index as u32);
                }
                let whole = ops.get(first..end).unwrap_or_default();
                let within = routine.block_of(first).filter(|block| block.end == end);
                let next = match within {
                    Some(block) => {
                        let next = block.next.iter().flatten();
                        let next = next.filter_map(|&next| routine.blocks().get(next as usize));
                        next.filter_map(|next| number(next.ip)).collect()
                    }
                    None => vec![index as u32 + 1],
                };
                let last = whole.get(..body_end - first).and_then(<[Op]>::last);
                Part {
                    block: block(first, whole, body_end - first, shape, &number),
                    next,
                    control: last.and_then(change),
                }
            });
        let mut blocks: Vec<Part> = blocks.collect();
        let ranges: Vec<_> = (spans.iter()).map(|&(first, _, end)| first..end).collect();
        forget_unread(&mut blocks, &ranges, ops, &|ip| number(ip).is_some());
        let end = |op: &Op| if ends_thread(op) { op.exec_size } else { 0 };
        let ends = ops.iter().map(end).collect();
        Self {
            blocks,
            of_op,
            ends,
            calls: Calls::of(ops),
        }
    }
}

/// How an op changes cr0.0, if it does nothing else and that is known.
fn change(op: &Op) -> Option<Change> {
    let dword = |ty: Type| matches!(ty, Type::Ud | Type::D);
    let plain = op.writes_control
        && op.no_mask
        && op.exec_size == 1
        && op.pred == Pred::Always
        && op.cond.is_none()
        && !op.saturate
        && !op.write_acc
        && matches!(op.action, Action::Fast(_))
        && op.dst.target == Target::Direct
        && op.dst.base as usize == regs::CONTROL
        && dword(op.dst.ty);
    if !plain {
        return None;
    }
    let value = |source: &Source| {
        let constant = source.kind == Kind::Immediate && source.ty == source.element;
        let extends = matches!(source.ty, Type::Ud | Type::D | Type::Uw);
        (constant && extends && source.is_plain()).then_some(source.value as u32)
    };
    let [first, second, _] = &op.src;
    let control = first.kind == Kind::Direct
        && first.base as usize == regs::CONTROL
        && dword(first.element)
        && first.is_plain();
    match op.does {
        Semantics::Integer(Integer::Or) if control => value(second).map(Change::Or),
        Semantics::Integer(Integer::And) if control => value(second).map(Change::And),
        Semantics::Integer(Integer::Xor) if control => value(second).map(Change::Xor),
        Semantics::Number(Number::Move) => value(first).map(Change::Set),
        _ => None,
    }
}

/// The block of `ops`, of which the first `body` are no terminator.
fn block(
    first: usize,
    ops: &[Op],
    body: usize,
    (rules, grf): (Rules, u32),
    number: &dyn Fn(u32) -> Option<u32>,
) -> Block {
    let (steps, rest) = ops.split_at(body);
    let ip = ops.first().map_or(0, |op| op.ip);
    // A register that counts instructions is exact only in the interpreter.
    let live = ops.iter().any(|op| op.live);
    let steps = if live { &[] } else { steps };
    let end = match rest.first() {
        _ if live => End::Leave,
        Some(op) if matches!(op.action, Action::Flow) => End::Branch(branch(op, rules, number)),
        Some(op) if matches!(op.action, Action::Barrier) => End::Branch(Branch {
            lanes: op.exec_size,
            way: Way::Barrier {
                next: Place {
                    ip: op.next_ip,
                    block: number(op.next_ip),
                },
            },
            ..ASKED
        }),
        Some(op) if ends_thread(op) => End::Thread(op.exec_size),
        Some(_) => End::Leave,
        None => End::Next(steps.last().and_then(|last| number(last.next_ip))),
    };
    let counted = match end {
        End::Branch(_) => ops,
        _ => steps,
    };
    Block {
        first: first as u32,
        enabled: Channels::Any,
        twin: None,
        ip,
        end_ip: ops.last().map_or(ip, |op| op.next_ip),
        modes: Modes::default(),
        rounding: Rounding::Nearest,
        steps: (first as u32..)
            .zip(steps)
            .map(|(number, op)| step(op, number, (rules, grf)))
            .collect(),
        channels: counted.iter().map(|op| u32::from(op.exec_size)).sum(),
        end,
    }
}

/// How an op of this number is translated, in a kernel with so many bytes of general registers.
pub(super) fn step(op: &Op, number: u32, (rules, grf): (Rules, u32)) -> Step {
    let one = scattered(op);
    let op = one.as_ref().unwrap_or(op);
    match &op.action {
        Action::Nop => Step::Nothing,
        // A region of null may go beyond the register bytes.
        _ if op.writes_control || reads_null(op) => Step::Call,
        // Host code also has operations that no routine has.
        Action::Fast(_) | Action::General => {
            let moved = indirect(op, grf).or_else(|| staged(op, (rules, grf)));
            moved.unwrap_or_else(|| vector_step(op, rules))
        }
        Action::Send(send) => {
            let step = signal(op, send, rules).or_else(|| message(op, send, number, rules));
            step.unwrap_or(Step::Call)
        }
        _ => Step::Call,
    }
}

/// What a scattered move of one channel does, as a move that has only that one.
fn scattered(op: &Op) -> Option<Op> {
    let [from, channels, _] = &op.src;
    let alone = op.does == Semantics::Number(Number::ScatteredMove)
        && channels.kind == Kind::Immediate
        && channels.value.is_power_of_two()
        && op.cond.is_none()
        // An address before the registers is an error whatever the channel.
        && op.dst.offset >= 0
        && from.kind == Kind::Direct;
    let lane = channels.value.trailing_zeros() as u8;
    if !alone || lane >= op.exec_size || op.channel_offset + lane >= 32 {
        return None;
    }
    let further = u16::from(lane) * op.dst.stride;
    let mut one = op.clone();
    one.does = Semantics::Number(Number::Move);
    one.exec_size = 1;
    one.channel_offset += lane;
    one.src[0].base += from.element_offset(lane.into()) as u32;
    one.src[0].shape = Shape::Scalar;
    one.src[1] = Source::NONE;
    one.dst.base += u32::from(further);
    one.dst.offset = one.dst.offset.checked_add_unsigned(further)?;
    Some(one)
}

/// A move of dwords with an address, which leaves them as they are but for denormals.
fn indirect(op: &Op, grf: u32) -> Option<Step> {
    let [source, ..] = &op.src;
    let (from, to) = (source.ty, op.dst.ty);
    let dwords = |ty: Type| matches!(ty, Type::Ud | Type::D);
    let alike = dwords(from) && dwords(to) || (from, to) == (Type::F, Type::F);
    let plain = matches!(op.does, Semantics::Number(Number::Move))
        && op.cond.is_none()
        && !op.saturate
        && !op.write_acc
        && !op.live
        && source.element == from
        && source.is_plain();
    if !plain || !alike || op.dst.stride != 4 {
        return None;
    }
    let lanes = u32::from(op.exec_size);
    let (addresses, offset, way) = match (source.kind, op.dst.target) {
        (Kind::Indirect, Target::Direct) if source.per_row && source.width == 1 => {
            let ends = source.address + 2 * lanes > regs::ADDRESS as u32 + 32;
            let way = Indirect::Gather { to: op.dst.base };
            (source.address, source.offset, (!ends).then_some(way)?)
        }
        (Kind::Direct, Target::Indirect) => {
            let all = match source.shape {
                Shape::Scalar => true,
                Shape::Packed => false,
                Shape::Strided(_) | Shape::General => return None,
            };
            let from = source.base;
            (
                op.dst.address,
                op.dst.offset,
                Indirect::Scatter { from, all },
            )
        }
        _ => return None,
    };
    Some(Step::Indirect(IndirectStep {
        masking: masking(op)?,
        lanes: op.exec_size,
        addresses,
        offset: offset.into(),
        general: regs::GRF_BASE as u32,
        bytes: grf,
        flushes: from == Type::F,
        way,
    }))
}

fn vector_step(op: &Op, rules: Rules) -> Step {
    let early = early_out(op);
    let request = vector::request(early.as_ref().unwrap_or(op), rules);
    match (request, masking(op)) {
        (Some(request), Some(masking)) => Step::Vector(Box::new(VectorStep {
            request,
            masking,
            flag_bit: vector::sets_flags(op).then_some(op.flag_bit),
        })),
        _ => Step::Call,
    }
}

/// What the first step of a division or square root computes, if it is one: all of its channels end early
/// and set the flag. Compare `general::execute`.
fn early_out(op: &Op) -> Option<Op> {
    let function = match op.specific {
        Specific::Math(MathFunction::Invm) => MathFunction::Fdiv,
        Specific::Math(MathFunction::Rsqtm) => MathFunction::Sqt,
        _ => return None,
    };
    (op.cond == Some(CondMod::Eo)).then(|| Op {
        cond: None,
        specific: Specific::Math(function),
        ..op.clone()
    })
}

/// How a signal of a barrier is translated, if the message is one.
fn signal(op: &Op, send: &SendOp, rules: Rules) -> Option<Step> {
    let signals = matches!(send.meaning, Some(Meaning::Gateway(Gateway::Barrier)));
    let plain = signals && !send.eot && op.no_mask && op.pred == Pred::Always;
    let payload = send.spans.filter(|_| plain)?.src0;
    let name = barrier_name(rules.family);
    let at = payload.start + NAME_AT;
    (at + 4 <= payload.end).then_some(Step::Signal(SignalStep {
        at,
        mask: name.mask,
        of_each: name.of_each,
    }))
}

/// How a message is translated, if it is.
fn message(op: &Op, send: &SendOp, number: u32, rules: Rules) -> Option<Step> {
    let mut site = host::Site {
        masking: masking(op)?,
        channels: op.exec_size,
        number,
        name: None,
    };
    if let Some(plain) = &send.plain {
        return host::access(plain, site);
    }
    let Immediate::Value(descriptor) = send.descriptor else {
        return None;
    };
    let (meaning, spans) = match (&send.named, &send.meaning, &send.spans) {
        (Some((meaning, spans)), ..) | (None, Some(meaning), Some(spans)) => (meaning, spans),
        _ => return None,
    };
    if send.eot || send.registers.gathered.is_some() {
        return None;
    }
    if let (Some(_), Immediate::Register(at)) = (&send.named, send.extended) {
        site.name = Some(at);
    }
    let shape = (rules.grf_bytes as u32, scratch_surfaces(rules.family));
    host::step(meaning, descriptor, &spans.sized(), site, shape)
}

fn reads_null(op: &Op) -> bool {
    let null = regs::NULL as u32..regs::GRF_BASE as u32;
    let mut sources = op.src.iter();
    sources.any(|source| source.kind == Kind::Direct && null.contains(&source.base))
}

/// The op's channels, if its predicate is each channel's own or the same for all.
pub(super) fn masking(op: &Op) -> Option<Masking> {
    // All channels of the op in one group.
    let whole = |size: u8| size >= op.exec_size && op.channel_offset.is_multiple_of(op.exec_size);
    let grouping = match op.pred {
        Pred::Always => None,
        Pred::Own => Some(Grouping::Own),
        Pred::Any(size) if whole(size) => Some(Grouping::Any(size)),
        Pred::All(size) if whole(size) => Some(Grouping::All(size)),
        Pred::AnyV | Pred::AllV | Pred::Any(_) | Pred::All(_) => return None,
    };
    // Bits beyond the 32 of a flag, or beyond the last flag, are zero.
    let (first, lanes) = (u32::from(op.channel_offset), u32::from(op.exec_size));
    let end = match grouping {
        Some(Grouping::Any(size) | Grouping::All(size)) => {
            (first & !(u32::from(size) - 1)) + u32::from(size)
        }
        _ => first + lanes,
    };
    let beyond = first + lanes > 32 || u32::from(op.flag_bit) + end > 128;
    if grouping.is_some() && beyond {
        return None;
    }
    let predicate = grouping.map(|grouping| Predicate {
        flag_bit: op.flag_bit,
        inverse: op.pred_inverse,
        grouping,
    });
    Some(Masking {
        channel_offset: op.channel_offset,
        no_mask: op.no_mask,
        predicate,
    })
}

/// A branch of which the caller knows what it does.
const ASKED: Branch = Branch {
    masking: Masking {
        channel_offset: 0,
        no_mask: true,
        predicate: None,
    },
    lanes: 1,
    way: Way::Asked,
};

/// What a branch does; compare `flow::execute`.
fn branch(op: &Op, rules: Rules, number: &dyn Fn(u32) -> Option<u32>) -> Branch {
    let (Some(masking), Semantics::Flow(kind), Some(jip)) = (masking(op), op.does, op.targets.jip)
    else {
        return ASKED;
    };
    let uip = op.targets.uip;
    // Who waits inside of the branch itself hides those that wait behind it.
    let inside = |ip: u32| op.ip < ip && ip < op.next_ip;
    if inside(jip) || inside(uip) {
        return ASKED;
    }
    let place = |ip: u32| Place {
        ip,
        block: number(ip),
    };
    let (stops, other) = match kind {
        Flow::Jump => {
            let way = Way::Jump {
                not_taken: place(op.next_ip),
                taken: place(jip),
            };
            let lanes = op.exec_size;
            return Branch {
                masking,
                lanes,
                way,
            };
        }
        Flow::If => (Stops::Rest(jip), jip),
        Flow::Else | Flow::Break | Flow::Cont | Flow::Halt => (Stops::Taken(uip), jip),
        Flow::Endif | Flow::Join => (Stops::Nobody, jip),
        Flow::While => (Stops::Loop, jip),
        Flow::Goto if op.targets.control => (Stops::Loop, uip),
        Flow::Goto if rules.goto_takes_false => (Stops::Rest(uip), jip),
        Flow::Goto => (Stops::Taken(uip), jip),
        Flow::Brd | Flow::Brc | Flow::Call { .. } | Flow::Ret => return ASKED,
    };
    let parting = Parting {
        stops,
        next: place(op.next_ip),
        other: place(other),
    };
    Branch {
        masking,
        lanes: op.exec_size,
        way: Way::Channels(parting),
    }
}

/// Whether an op ends the thread, and does nothing else.
pub(super) fn ends_thread(op: &Op) -> bool {
    let Action::Send(send) = &op.action else {
        return false;
    };
    let ends = matches!(
        send.meaning,
        Some(Meaning::EndOfThread | Meaning::Gateway(Gateway::EndOfThread))
    );
    ends && send.eot && send.spans.is_some()
}

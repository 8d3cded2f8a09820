//! The states of a thread's registers, for checks: which bytes nothing has written, and which are a
//! pointer's.

use std::sync::Arc;

use eu_lanes::bits;
use isa_encoder::semantics::{self, Float, Integer, Number, Semantics};
use isa_encoder::{Attributes, Opcode, Specific, TOGETHER};

use super::accumulator;
use super::bitwise;
use super::convergence::{Blocks, Flow};
use super::hazards::{Hazards, results};
use super::op::{Action, Op, Pred, Span};
use super::operand::{Kind, LANES, Shape, Source, Target};
use super::owners::Owners;
use super::regs::{self, GRF_BASE};
use super::state::State;
use super::unread::Unread;
use super::vector::sets_flags;
use crate::check::{MIXED, UNWRITTEN, WRITTEN};
use crate::{Checks, GroupEnv, Rule};

/// The largest element.
const ELEMENT: usize = 8;

/// A state for each byte of the register file, and a bit for each flag bit.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    bytes: Vec<u8>,
    /// Which channels' elements the registers hold.
    owners: Owners,
    /// Which of them instructions under way still write or read.
    pub hazards: Hazards,
    /// What parts of the sub-group have read.
    pub blocks: Blocks,
    /// What messages of its routine load and nothing reads.
    pub unread: Arc<Unread>,
    /// Flag bits that something has written.
    flags: u128,
    /// The thread has started with it.
    pub started: bool,
}

/// The states of an element's bytes; those beyond its size are of no interest.
type Element = [u8; ELEMENT];

/// The state of what is computed from two bytes.
fn join(a: u8, b: u8) -> u8 {
    match (a, b) {
        (UNWRITTEN, _) | (_, UNWRITTEN) => UNWRITTEN,
        (WRITTEN, other) | (other, WRITTEN) => other,
        (a, b) if a == b => a,
        (MIXED, _) | (_, MIXED) => WRITTEN,
        // Of two pointers it is neither.
        _ => MIXED,
    }
}

/// The thread begins, if it has not yet.
pub(super) fn start(state: &mut State, checks: &Checks) {
    let mut shadow = state.shadow.take().unwrap_or_default();
    if !shadow.started {
        shadow.start(state, checks);
    }
    state.shadow = Some(shadow);
}

/// Before `op` is executed.
pub(super) fn track(state: &mut State, op: &Op, env: &GroupEnv<'_>) {
    if let (Some(checks), Some(mut shadow)) = (env.checks, state.shadow.take()) {
        shadow.track(state, op, checks);
        state.shadow = Some(shadow);
    }
}

impl Shadow {
    /// The state of a thread that begins: it has its payload, and what is not a general register.
    fn start(&mut self, state: &State, checks: &Checks) {
        self.started = true;
        self.flags = 0;
        self.bytes.clear();
        self.bytes.resize(state.regs.bytes().len(), UNWRITTEN);
        let grf = state.rules.grf_bytes;
        self.owners.reset(self.bytes.len(), grf);
        self.hazards.reset(grf);
        self.blocks.clear();
        let payload = GRF_BASE + state.payload as usize;
        // The accumulators and a0 come first.
        if let Some(bytes) = self.bytes.get_mut(regs::ADDRESS + 64..payload) {
            bytes.fill(WRITTEN);
        }
        let first = GRF_BASE + grf;
        let values = state.regs.bytes().get(first..payload).unwrap_or_default();
        let states = self.bytes.get_mut(first..payload).unwrap_or_default();
        for (value, states) in values
            .as_chunks::<8>()
            .0
            .iter()
            .zip(states.as_chunks_mut::<8>().0)
        {
            if let Some(pointer) = checks.pointer(u64::from_le_bytes(*value)) {
                *states = [pointer; 8];
            }
        }
    }

    /// The states of registers.
    pub fn span(&self, span: Span) -> &[u8] {
        self.bytes.get(span.range()).unwrap_or_default()
    }

    /// Sets the states of registers.
    pub fn set_span(&mut self, span: Span, states: &[u8]) {
        if let Some(bytes) = self.bytes.get_mut(span.range())
            && bytes.len() == states.len()
        {
            bytes.copy_from_slice(states);
        }
    }

    /// The states of the register that begins at a register file offset.
    pub fn register(&self, at: usize, bytes: usize) -> &[u8] {
        self.bytes.get(at..at + bytes).unwrap_or_default()
    }

    /// The channels of `op` whose predicate depends on a flag bit that nothing has written.
    fn unknown_predicate(&self, state: &State, op: &Op) -> u32 {
        let flag = u32::from(op.flag_bit);
        let written = |flag: u32| self.flags.checked_shr(flag).unwrap_or(0) as u32;
        let own = |bits: u32| bits.checked_shr(op.channel_offset.into()).unwrap_or(0);
        // Bits that are known decide alone: one that is set for `any`, one that is not for `all`.
        let decides = |flag: u32, all: bool| {
            let bits = state.flag_bits(flag);
            written(flag) & if all { !bits } else { bits }
        };
        let group = |size: u8, all: bool| {
            let mask = u32::MAX >> (32 - u32::from(size.clamp(1, 32)));
            let lanes = 0..u32::from(op.exec_size);
            lanes.fold(0, |unknown, lane| {
                let first = (u32::from(op.channel_offset) + lane) & !(u32::from(size) - 1) & 31;
                let of_group = |bits: u32| bits >> first & mask;
                let known = of_group(written(flag)) == mask || of_group(decides(flag, all)) != 0;
                unknown | u32::from(!known) << lane
            })
        };
        let pair = |all: bool| {
            let [both, either] = [written(0) & written(32), decides(0, all) | decides(32, all)];
            own(!(both | either))
        };
        let unknown = match op.pred {
            Pred::Always => 0,
            Pred::Own => own(!written(flag)),
            Pred::Any(size) => group(size, false),
            Pred::All(size) => group(size, true),
            Pred::AnyV => pair(false),
            Pred::AllV => pair(true),
        };
        unknown & op.size_mask()
    }

    fn set_flags(&mut self, op: &Op, mask: u32, written: u32) {
        let shift = u32::from(op.flag_bit) + u32::from(op.channel_offset);
        let up = |bits: u32| u128::from(bits).checked_shl(shift).unwrap_or(0);
        self.flags = self.flags & !up(mask) | up(written & mask);
    }

    /// Before `op` is executed: moves states as it moves values, and reports a branch or a message
    /// that depends on what nothing has written.
    fn track(&mut self, state: &State, op: &Op, checks: &Checks) {
        let indirect = op.src.iter().any(|source| source.kind == Kind::Indirect);
        if indirect || op.dst.target == Target::Indirect {
            self.leaves(state, op, checks);
        }
        self.hazards.before(state, op, checks);
        if !self.blocks.is_empty() {
            self.blocks.meet(checks, op, results(state, op));
        }
        match op.action {
            Action::Flow | Action::Send(_) => self.decides(state, op, checks),
            Action::Fast(_) | Action::General | Action::Paired => {
                if is_mark(op) && state.active != state.dispatched {
                    checks.set_ip(op.ip.into());
                    checks.parts(Rule::DivergentFlow, Flow::of(state).here());
                }
                if indirect {
                    self.shuffles(state, op, checks);
                }
                if state.active != state.dispatched {
                    self.broadcasts(state, op, checks);
                }
                self.compute(state, op);
            }
            Action::Barrier | Action::Nop => {}
        }
    }

    /// Reports a register that a0 names and that does not exist.
    fn leaves(&self, state: &State, op: &Op, checks: &Checks) {
        let mask = state.enabled(op);
        let mut lanes = (0..op.lanes()).filter(|lane| mask >> lane & 1 != 0);
        let source = lanes.find(|lane| {
            let mut sources = op.src.iter();
            sources.any(|one| one.kind == Kind::Indirect && one.place(&state.regs, *lane).is_none())
        });
        let lane = match (source, op.dst.resolve(&state.regs, op.lanes())) {
            (Some(lane), _) => lane,
            (None, Err(_)) if mask != 0 => mask.trailing_zeros() as usize,
            _ => return,
        };
        checks.set_ip(op.ip.into());
        checks.beyond_registers(lane as u8 + op.channel_offset);
    }

    fn decides(&mut self, state: &State, op: &Op, checks: &Checks) {
        let unknown = self.unknown_predicate(state, op) & state.enabled(op);
        if unknown != 0 {
            checks.set_ip(op.ip.into());
            let lane = unknown.trailing_zeros() as u8;
            checks.unwritten(Some(lane + op.channel_offset), || {
                format!(
                    "bit {lane} of f{}.{}, which decides whether it is executed",
                    op.flag_bit / 32,
                    op.flag_bit % 32 / 16
                )
            });
        }
        if matches!(op.does, Semantics::Flow(semantics::Flow::Call { .. }))
            && let Ok(Some(at)) = op.dst.resolve(&state.regs, 1)
            && let [first, _] = op.results(state.rules.grf_bytes)
            && let Some(bytes) = self.bytes.get_mut(at..at + first.end)
        {
            bytes.fill(WRITTEN);
        }
    }

    /// Reports a channel that reads, by an address of its own, what belongs to one that is not active,
    /// or what no channel has, while others read each other's elements.
    fn shuffles(&self, state: &State, op: &Op, checks: &Checks) {
        if op.no_mask {
            return;
        }
        let mask = state.write_mask(op);
        let lanes = || (0..op.lanes()).filter(|lane| mask >> lane & 1 != 0);
        for source in op.src.iter().filter(|one| one.kind == Kind::Indirect) {
            let place = |lane: usize| source.place(&state.regs, lane);
            let mut home = None;
            for lane in lanes() {
                let channel = lane as u8 + op.channel_offset;
                let Some(owned) = place(lane).and_then(|at| self.owners.of(at)) else {
                    continue;
                };
                if state.active >> owned.channel & 1 == 0 {
                    checks.set_ip(op.ip.into());
                    return checks.inactive(channel, owned.channel);
                }
                if owned.channel != channel && home.is_none() {
                    home =
                        Some(owned.origin..owned.origin + usize::from(state.simd) * owned.stride);
                }
            }
            let Some(home) = home else {
                continue;
            };
            // Shuffles of two values have the second one behind the first, whoever has written it.
            let near = home.start.saturating_sub(home.len())..home.end + home.len();
            let beyond = lanes().find(|lane| place(*lane).is_some_and(|at| !near.contains(&at)));
            if let Some(lane) = beyond {
                checks.set_ip(op.ip.into());
                return checks.beyond_channels(lane as u8 + op.channel_offset, state.simd);
            }
        }
    }

    /// Reports an element that channels share, and whose own channel was not there when its register
    /// was last written. Code that was added tells it of what the source broadcasts, which compilers may move to
    /// where it is used.
    fn broadcasts(&self, state: &State, op: &Op, checks: &Checks) {
        if checks.is_apart() || depends_on_nothing(op) || op.tokens.touches || moves_some(op) {
            return;
        }
        let shared =
            |source: &&Source| source.kind == Kind::Direct && source.shape == Shape::Scalar;
        for source in op.src.iter().filter(shared) {
            let owned = self.owners.of(source.base as usize);
            let stale = owned.filter(|of| !of.fresh && state.active >> of.channel & 1 == 0);
            if let Some(owned) = stale
                && state.write_mask(op) != 0
            {
                checks.set_ip(op.ip.into());
                let lane = state.write_mask(op).trailing_zeros() as u8;
                return checks.inactive(lane + op.channel_offset, owned.channel);
            }
        }
    }

    /// A message's response: elements of `slot` bytes of its channels, plane after plane.
    pub fn respond(&mut self, state: &State, op: &Op, dst: Span, slot: Option<usize>) {
        let bytes = (dst.end - dst.start) as usize;
        let Some(slot) = slot.filter(|_| !op.no_mask) else {
            return self.owners.disown(dst.start as usize, bytes);
        };
        let grf = state.rules.grf_bytes;
        let plane = (op.lanes() * slot).next_multiple_of(grf);
        let mask = state.write_mask(op) << op.channel_offset;
        for at in (dst.start as usize..dst.end as usize).step_by(plane.max(grf)) {
            let channels = (op.channel_offset, op.lanes());
            self.owners.write(at, (slot, slot), channels, mask);
        }
    }

    fn compute(&mut self, state: &State, op: &Op) {
        let selects = op.does == Semantics::Number(Number::Select) && op.cond.is_none();
        let enabled = state.enabled(op);
        let mask = match selects {
            true => enabled,
            false => state.write_mask(op),
        };
        let unknown = self.unknown_predicate(state, op) & enabled;
        let grf = state.rules.grf_bytes;
        let accumulates = op.opcode.has(Attributes::READS_ACC);
        let plain = op
            .src
            .iter()
            .all(|source| self.is_plain(source, op.lanes()))
            && !(accumulates && (0..op.lanes()).any(|lane| self.lacks_sum(op, grf, lane)));
        if unknown == 0 && plain {
            return self.plain(state, op, mask);
        }
        if is_opaque(op) {
            return self.plain(state, op, mask);
        }
        let chosen = match selects {
            true => state.predicate(op),
            false => 0,
        };
        let idle = depends_on_nothing(op);
        let mut written = 0;
        let mut results = [[WRITTEN; ELEMENT]; LANES];
        for (lane, result) in results.iter_mut().enumerate().take(op.lanes()) {
            let bit = 1 << lane;
            if (mask | unknown) & bit == 0 {
                continue;
            }
            if unknown & bit != 0 {
                *result = [UNWRITTEN; ELEMENT];
                continue;
            }
            *result = match selects {
                true => {
                    let index = usize::from(chosen & bit == 0);
                    self.element(state, &op.src[index], lane)
                }
                false if idle => [WRITTEN; ELEMENT],
                false if accumulates && self.lacks_sum(op, grf, lane) => [UNWRITTEN; ELEMENT],
                false => self.result(state, op, lane),
            };
            let size = op.src[0].element.bytes().max(op.dst.ty.bytes()) as usize;
            if result
                .iter()
                .take(size.min(ELEMENT))
                .all(|byte| *byte != UNWRITTEN)
            {
                written |= bit;
            }
        }
        self.write(state, op, mask | unknown, Some(&results));
        self.accumulate(op, grf, mask | unknown, |lane| match written >> lane & 1 {
            0 => UNWRITTEN,
            _ => WRITTEN,
        });
        if sets_flags(op) {
            // The flag depends on whole elements.
            let whole = (0..op.lanes()).filter(|lane| {
                let sources = op.src.iter().filter(|source| source.kind != Kind::None);
                idle || sources.into_iter().all(|source| {
                    let size = source.element.bytes() as usize;
                    let states = self.element(state, source, *lane);
                    states.iter().take(size).all(|byte| *byte != UNWRITTEN)
                })
            });
            let bits = whole.fold(0, |bits, lane| bits | 1 << lane);
            self.set_flags(op, mask | unknown, bits & written & !unknown);
        }
    }

    /// All that the op writes is written.
    fn plain(&mut self, state: &State, op: &Op, mask: u32) {
        self.write(state, op, mask, None);
        self.accumulate(op, state.rules.grf_bytes, mask, |_| WRITTEN);
        if sets_flags(op) {
            self.set_flags(op, mask, u32::MAX);
        }
    }

    /// Whether nothing has written what a channel adds to.
    fn lacks_sum(&self, op: &Op, grf: usize, lane: usize) -> bool {
        let [element, _] = accumulator::touched(op, grf, lane);
        let bytes = self.bytes.get(element).unwrap_or_default();
        bytes.contains(&UNWRITTEN)
    }

    /// The channels in `mask` write accumulators that the text does not name.
    fn accumulate(&mut self, op: &Op, grf: usize, mask: u32, state: impl Fn(usize) -> u8) {
        if !op.write_acc {
            return;
        }
        for lane in (0..op.lanes()).filter(|lane| mask >> lane & 1 != 0) {
            for touched in accumulator::touched(op, grf, lane) {
                if let Some(bytes) = self.bytes.get_mut(touched) {
                    bytes.fill(state(lane));
                }
            }
        }
    }

    /// Whether all bytes that a source may read are written, and none is a pointer's.
    fn is_plain(&self, source: &Source, lanes: usize) -> bool {
        match source.kind {
            Kind::None | Kind::Immediate => true,
            Kind::Indirect => false,
            Kind::Direct => {
                let base = source.base as usize;
                if is_flag(base) {
                    return true;
                }
                let end = base + source.extent(lanes);
                let bytes = self.bytes.get(base..end).unwrap_or_default();
                bytes.iter().fold(0, |other, byte| other | byte ^ WRITTEN) == 0
            }
        }
    }

    /// The states of a source's element.
    fn element(&self, state: &State, source: &Source, lane: usize) -> Element {
        let size = source.element.bytes() as usize;
        let Some(at) = source.place(&state.regs, lane) else {
            return [WRITTEN; ELEMENT];
        };
        let mut out = [WRITTEN; ELEMENT];
        if source.kind == Kind::Indirect {
            let slot = source.address_of(lane);
            let address = self.bytes.get(slot..slot + 2).unwrap_or_default();
            if address.contains(&UNWRITTEN) {
                return [UNWRITTEN; ELEMENT];
            }
        }
        if is_flag(at) {
            // Code keeps and combines flags of which it uses some bits.
            return out;
        }
        if let Some(bytes) = self.bytes.get(at..at + size) {
            out[..size].copy_from_slice(bytes);
        }
        out
    }

    /// The states of what an op computes for a channel.
    fn result(&self, state: &State, op: &Op, lane: usize) -> Element {
        let mut sources = op
            .src
            .each_ref()
            .map(|source| self.element(state, source, lane));
        let kinds = op.src.each_ref().map(|source| source.kind != Kind::None);
        let size = op.dst.ty.bytes() as usize;
        let there = || op.src.iter().filter(|source| source.kind != Kind::None);
        let same = there().all(|source| source.element.bytes() as usize == size);
        let exact = |source: &Source| source.element.is_integer() && !source.abs;
        let integers = op.dst.ty.is_integer() && !op.saturate && there().all(exact);
        if integers {
            // Above narrow operands there are zeros, or their sign.
            for (states, source) in sources.iter_mut().zip(&op.src) {
                let (own, above) = states.split_at_mut(source.element.bytes() as usize);
                if source.element.is_signed() {
                    above.fill(own.last().copied().unwrap_or(WRITTEN));
                }
            }
        }
        let value = |index: usize| {
            let source = &op.src[index];
            let value = source.value_at(&state.regs, lane);
            let unused = 64 - 8 * source.element.bytes();
            match source.element.is_signed() {
                true => ((value << unused).cast_signed() >> unused).cast_unsigned(),
                false => value,
            }
        };
        match op.does {
            Semantics::Number(Number::Move) if integers || same => sources[0],
            Semantics::Integer(Integer::Not) if integers => sources[0],
            Semantics::Integer(integer @ (Integer::And | Integer::Or | Integer::TruthTable))
                if integers =>
            {
                let inverted = |index: usize| match op.src[index].neg {
                    true => !value(index),
                    false => value(index),
                };
                let values = [0, 1, 2].map(|index| inverted(index).to_le_bytes());
                let function = |[a, b, c]: [u8; 3]| match (integer, op.specific) {
                    (Integer::And, _) => a & b,
                    (Integer::Or, _) => a | b,
                    (_, Specific::Bfn(table)) => {
                        bits::bfn(table, a.into(), b.into(), c.into()) as u8
                    }
                    _ => 0,
                };
                std::array::from_fn(|byte| {
                    let values = values.map(|value| value.get(byte).copied().unwrap_or(0));
                    let states = sources.map(|states| states[byte]);
                    bitwise::state(function, values, states, join)
                })
            }
            Semantics::Integer(Integer::Xor) if integers => {
                std::array::from_fn(|byte| join(sources[0][byte], sources[1][byte]))
            }
            Semantics::Integer(Integer::ShiftLeft | Integer::ShiftRight)
                if op.src[0].element.bytes() as usize == size
                    && op.src[1].kind == Kind::Immediate
                    && op.src[1].value.is_multiple_of(8) =>
            {
                let bytes = (op.src[1].value / 8) as usize;
                let left = op.does == Semantics::Integer(Integer::ShiftLeft);
                std::array::from_fn(|byte| {
                    let from = match left {
                        true => byte.checked_sub(bytes),
                        false => Some(byte + bytes),
                    };
                    from.filter(|from| *from < size)
                        .map_or(WRITTEN, |from| sources[0][from])
                })
            }
            Semantics::Number(Number::Add) if integers => {
                // A carry goes up.
                let mut carried = WRITTEN;
                std::array::from_fn(|byte| {
                    let here = join(sources[0][byte], sources[1][byte]);
                    carried = if here == UNWRITTEN {
                        UNWRITTEN
                    } else {
                        join(carried, here)
                    };
                    carried
                })
            }
            Semantics::Integer(Integer::Add3 | Integer::AddCarry) => {
                [Self::whole(op, &sources, &kinds); ELEMENT]
            }
            _ => match Self::whole(op, &sources, &kinds) {
                UNWRITTEN => [UNWRITTEN; ELEMENT],
                // What is no sum of a pointer points nowhere.
                _ => [WRITTEN; ELEMENT],
            },
        }
    }

    /// The state of what depends on all bytes of all sources.
    fn whole(op: &Op, sources: &[Element; 3], kinds: &[bool; 3]) -> u8 {
        let mut state = WRITTEN;
        for ((element, source), there) in sources.iter().zip(&op.src).zip(kinds) {
            if *there {
                let size = source.element.bytes() as usize;
                state = element
                    .iter()
                    .take(size)
                    .fold(state, |state, byte| join(state, *byte));
            }
        }
        state
    }

    /// Sets the states of the channels in `mask` of what an op writes; without results, they are
    /// [`WRITTEN`].
    fn write(&mut self, state: &State, op: &Op, mask: u32, results: Option<&[Element; LANES]>) {
        let Ok(Some(at)) = op.dst.resolve(&state.regs, op.lanes()) else {
            return;
        };
        if at < GRF_BASE && !is_flag(at) && at >= regs::FLAG {
            return;
        }
        let size = op.dst.ty.bytes() as usize;
        let stride = usize::from(op.dst.stride);
        let [first, second] = op.results(state.rules.grf_bytes);
        if let Semantics::Systolic { .. } = op.does {
            if let Some(bytes) = self.bytes.get_mut(at..at + first.end) {
                bytes.fill(WRITTEN);
            }
            return;
        }
        if is_flag(at) {
            for lane in (0..op.lanes()).filter(|lane| mask >> lane & 1 != 0) {
                for byte in 0..size {
                    let bits = 0xffu128
                        .checked_shl(8 * (at - regs::FLAG + lane * stride + byte) as u32)
                        .unwrap_or(0);
                    match results.is_some_and(|results| results[lane][byte] == UNWRITTEN) {
                        true => self.flags &= !bits,
                        false => self.flags |= bits,
                    }
                }
            }
            return;
        }
        match op.no_mask || moves_some(op) {
            true => self.owners.disown(at, (op.lanes() * stride).max(size)),
            false => {
                let channels = (op.channel_offset, op.lanes());
                let mask = mask << op.channel_offset;
                self.owners.write(at, (stride, size), channels, mask);
            }
        }
        let all = op.size_mask();
        let Some(bytes) = self.bytes.get_mut(at..) else {
            return;
        };
        match results {
            None if mask == all && stride == size => {
                if let Some(bytes) = bytes.get_mut(..op.lanes() * size) {
                    bytes.fill(WRITTEN);
                }
            }
            _ => {
                for lane in (0..op.lanes()).filter(|lane| mask >> lane & 1 != 0) {
                    if let Some(bytes) = bytes.get_mut(lane * stride..lane * stride + size) {
                        match results {
                            None => bytes.fill(WRITTEN),
                            Some(results) => bytes.copy_from_slice(&results[lane][..size]),
                        }
                    }
                }
            }
        }
        if let Some(bytes) = bytes.get_mut(second) {
            bytes.fill(WRITTEN);
        }
    }
}

fn is_flag(at: usize) -> bool {
    (regs::FLAG..regs::FLAG + 16).contains(&at)
}

/// Whether an operand says which channels move: compilers give each its own of `smov`, one after the other.
fn moves_some(op: &Op) -> bool {
    op.does == Semantics::Number(Number::ScatteredMove)
}

/// Whether what an op reads is not known by its operands alone.
fn is_opaque(op: &Op) -> bool {
    matches!(
        op.does,
        Semantics::Systolic { .. }
            | Semantics::Number(Number::ScatteredMove)
            | Semantics::Float(Float::Line | Float::Plane | Float::Dot { .. })
            | Semantics::Integer(Integer::AbsoluteDifferences { .. })
    )
}

/// Whether it says that all channels should be there.
fn is_mark(op: &Op) -> bool {
    let [mark, ..] = &op.src;
    let nowhere = op.dst.target == Target::Null && op.opcode == Opcode::Mov;
    nowhere && mark.kind == Kind::Immediate && mark.value == TOGETHER.into()
}

/// Whether the result is the same whatever the sources hold: `cmp r, r` and `xor r, r`.
fn depends_on_nothing(op: &Op) -> bool {
    let [first, second, _] = &op.src;
    let same = first.kind == Kind::Direct
        && second.kind == Kind::Direct
        && (first.base, first.shape, first.ty) == (second.base, second.shape, second.ty);
    same && matches!(op.opcode, Opcode::Cmp | Opcode::Xor | Opcode::Csel)
}

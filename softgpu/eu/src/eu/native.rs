//! Routines as host code.
//!
//! A routine is translated once it has run for a while: with all channels enabled and for any, each
//! block for the floating-point modes with which it is reached. Host code calls back for what is not translated: single steps,
//! and branches at which channels part. Terminators that wait or end the thread, and slices that end
//! inside a block, are the interpreter's.

use core::ffi::c_void;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use batchbuffer::surface::scratch_surfaces;
use eu_lanes::Modes;
use eu_native::{
    Block, Branch, Channels, Code, End, Frame, Grouping, Layout, Masking, Next, Predicate, Step,
    Uniform, VectorStep,
};
use isa_encoder::Type;
use isa_encoder::message::{Gateway, Message as Meaning};
use isa_encoder::semantics::{Flow, Integer, Number, Semantics};

use super::family::Rules;
use super::op::{Action, Immediate, Op, Pred, SendOp};
use super::operand::{Kind, Source, Target};
use super::ops::value::FpMode;
use super::routine::Routine;
use super::state::State;
use super::thread::Went;
use super::{flow, regs, thread, vector};
use crate::sf::host;
use crate::{Fault, GroupEnv};

/// The most ops of a routine that is translated.
const OPS: usize = 1 << 15;
/// The most translations of a routine.
const VARIANTS: usize = 8;

/// The most values of cr0 that a translation follows.
const CONTROLS: usize = 4;

/// The translations of a routine.
#[derive(Debug, Default)]
pub(super) struct Native {
    graph: OnceLock<Graph>,
    variants: [Variant; VARIANTS],
}

/// A routine's blocks, as they are translated.
#[derive(Debug)]
struct Graph {
    blocks: Vec<Part>,
    /// The block of each op.
    of_op: Vec<u32>,
    /// The channels of each op that ends the thread and does nothing else.
    ends: Vec<u8>,
}

/// A block, whatever the modes.
#[derive(Debug)]
struct Part {
    block: Block,
    /// The blocks that may follow.
    next: Vec<u32>,
    /// How its last op changes cr0.
    control: Option<Change>,
}

/// How an op changes cr0.0.
#[derive(Clone, Copy, Debug)]
enum Change {
    Or(u32),
    And(u32),
    Set(u32),
}

#[derive(Debug, Default)]
struct Variant {
    key: OnceLock<Key>,
    heat: AtomicU32,
    code: OnceLock<Option<Translation>>,
}

/// What a translation was first wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    /// cr0.0.
    control: u32,
    channels: Channels,
}

impl Key {
    /// What fits the thread's present state; `None` if no translation does.
    #[inline]
    fn of(state: &State) -> Option<Self> {
        // Channels that the function was not called with would not wake in it.
        if !state.usual_fp || state.active == 0 || state.active & !state.call_mask != 0 {
            return None;
        }
        let whole = state.parked == 0 && state.active == state.dispatched;
        Some(Self {
            control: state.control,
            channels: if whole {
                Channels::All(state.active)
            } else {
                Channels::Any
            },
        })
    }
}

/// The host code of a routine, for some channels.
#[derive(Debug)]
struct Translation {
    code: Code,
    /// The values of cr0.0 with which blocks are entered.
    controls: Vec<u32>,
    /// By number of the control, and then of the op: the number in the code of the block that begins
    /// there, or [`NOWHERE`].
    entries: Vec<u32>,
    /// How many ops there are.
    ops: usize,
}

/// No block begins there.
const NOWHERE: u32 = u32::MAX;

impl Translation {
    /// The code of what may follow block `first`, and of all that nothing known precedes.
    fn new(graph: &Graph, first: u32, key: Key) -> Option<Self> {
        let mut led = vec![false; graph.blocks.len()];
        for next in graph.blocks.iter().flat_map(|part| &part.next) {
            if let Some(led) = led.get_mut(*next as usize) {
                *led = true;
            }
        }
        let roots = (0..).zip(&led).filter(|(_, led)| !**led);
        let roots = roots.map(|(block, _)| block).chain([first]);
        let mut open: Vec<(u32, u32)> = roots.map(|block| (block, key.control)).collect();
        let mut controls = vec![key.control];
        let mut reached = BTreeSet::new();
        while let Some((block, control)) = open.pop() {
            let Some(part) = graph.blocks.get(block as usize) else {
                continue;
            };
            if reached.insert((block, control)) {
                let after = part.control(control, &mut controls).unwrap_or(control);
                open.extend(part.next.iter().map(|next| (*next, after)));
            }
        }
        let order: Vec<(u32, u32)> = reached.into_iter().collect();
        let number = |block: u32, control: u32| {
            let place = order.binary_search(&(block, control)).ok()?;
            Some(place as u32)
        };
        let mut known = controls.clone();
        let blocks = order.iter().filter_map(|&(block, control)| {
            let part = graph.blocks.get(block as usize)?;
            Some(part.instance(control, &mut known, &number))
        });
        let blocks: Vec<Block> = blocks.collect();
        let ops = graph.of_op.len();
        let mut entries = vec![NOWHERE; controls.len() * ops];
        for ((&(_, control), block), number) in order.iter().zip(&blocks).zip(0..) {
            let row = controls.iter().position(|known| *known == control)?;
            *entries.get_mut(row * ops + block.first as usize)? = number;
        }
        let layout = Layout {
            channels: key.channels,
            flags: regs::FLAG as u32,
            control: regs::CONTROL as u32,
        };
        Some(Self {
            code: Code::new(&blocks, layout)?,
            controls,
            entries,
            ops,
        })
    }

    /// The number in the code of the block that begins with an op.
    #[inline]
    fn entry(&self, op: usize, control: u32) -> Option<u32> {
        let row = self.controls.iter().position(|known| *known == control)?;
        let number = *self.entries.get(row * self.ops + op)?;
        (number != NOWHERE).then_some(number)
    }
}

impl Part {
    /// The value of cr0.0 after the block, if it changes it to one that is known and usual. New
    /// values are added to `known`, if there are not too many.
    fn control(&self, before: u32, known: &mut Vec<u32>) -> Option<u32> {
        let after = match self.control? {
            Change::Or(bits) => before | bits,
            Change::And(bits) => before & bits,
            Change::Set(bits) => bits,
        };
        if !known.contains(&after) {
            if known.len() >= CONTROLS || !vector::is_usual(FpMode::from_cr0(after)) {
                return None;
            }
            known.push(after);
        }
        Some(after)
    }

    /// The block as it is entered with this value of cr0.0; `number` is that of a block for its own.
    fn instance(
        &self,
        control: u32,
        known: &mut Vec<u32>,
        number: &dyn Fn(u32, u32) -> Option<u32>,
    ) -> Block {
        let mut block = self.block.clone();
        block.modes = vector::modes(FpMode::from_cr0(control));
        let mut after = control;
        if let Some(value) = self.control(control, known) {
            after = value;
            if let Some(last) = block.steps.last_mut() {
                *last = Step::Control(value);
            }
        }
        let to = |block: &mut Option<u32>| *block = block.and_then(|block| number(block, after));
        match &mut block.end {
            End::Next(next) => to(next),
            End::Leave => {}
            End::Branch(branch) => match &mut branch.uniform {
                Uniform::Jump { not_taken, taken } => [not_taken, taken].into_iter().for_each(to),
                Uniform::Channels { none, all } => [none, all].into_iter().for_each(to),
                Uniform::Meet(next) => to(next),
                Uniform::Never => {}
            },
        }
        block
    }
}

impl Native {
    /// The code that has a block which begins with the op at `at`, and its number there, once it is
    /// worth having.
    #[inline]
    fn code(
        &self,
        key: Key,
        at: usize,
        (routine, rules): (&Routine, Rules),
        patience: u32,
    ) -> Option<(&Translation, u32)> {
        for variant in &self.variants {
            let Some(own) = variant.key.get() else {
                break;
            };
            if own.channels == key.channels
                && let Some(Some(translation)) = variant.code.get()
                && let Some(number) = translation.entry(at, key.control)
            {
                return Some((translation, number));
            }
        }
        self.translate(key, at, (routine, rules), patience)
    }

    #[cold]
    fn translate(
        &self,
        key: Key,
        at: usize,
        (routine, rules): (&Routine, Rules),
        patience: u32,
    ) -> Option<(&Translation, u32)> {
        let graph = self.graph.get_or_init(|| Graph::of(routine, rules));
        let block = *graph.of_op.get(at)?;
        let part = graph.blocks.get(block as usize)?;
        if part.block.first as usize != at || part.block.is_left_at_once() {
            return None;
        }
        let mut variants = self.variants.iter();
        let variant = variants.find(|variant| *variant.key.get_or_init(|| key) == key)?;
        // One thread translates; the others interpret until it is done.
        if variant.code.get().is_some() || variant.heat.fetch_add(1, Ordering::Relaxed) != patience
        {
            return None;
        }
        let made = variant
            .code
            .get_or_init(|| Translation::new(graph, block, key));
        let translation = made.as_ref()?;
        Some((translation, translation.entry(at, key.control)?))
    }
}

impl Graph {
    fn of(routine: &Routine, rules: Rules) -> Self {
        let ops = routine.ops();
        if ops.len() > OPS {
            return Self {
                blocks: Vec::new(),
                of_op: Vec::new(),
                ends: Vec::new(),
            };
        }
        // Blocks also end where the modes may change.
        let mut spans = Vec::new();
        for block in routine.blocks() {
            let mut first = block.first;
            for index in block.first..block.body_end {
                let changes = ops.get(index).is_some_and(|op| op.writes_control);
                if changes && index + 1 < block.end {
                    spans.push((first, index + 1, index + 1));
                    first = index + 1;
                }
            }
            spans.push((first, block.body_end.max(first), block.end));
        }
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
                    block: block(first, whole, body_end - first, rules, &number),
                    next,
                    control: last.and_then(change),
                }
            });
        let blocks = blocks.collect();
        let end = |op: &Op| if ends_thread(op) { op.exec_size } else { 0 };
        let ends = ops.iter().map(end).collect();
        Self {
            blocks,
            of_op,
            ends,
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
        Semantics::Number(Number::Move) => value(first).map(Change::Set),
        _ => None,
    }
}

/// The block of `ops`, of which the first `body` are no terminator.
fn block(
    first: usize,
    ops: &[Op],
    body: usize,
    rules: Rules,
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
        Some(_) => End::Leave,
        None => End::Next(steps.last().and_then(|last| number(last.next_ip))),
    };
    let counted = match end {
        End::Branch(_) => ops,
        _ => steps,
    };
    Block {
        first: first as u32,
        ip,
        last_ip: ops.last().map_or(ip, |op| op.ip),
        modes: Modes::default(),
        steps: (first as u32..)
            .zip(steps)
            .map(|(number, op)| step(op, number, rules))
            .collect(),
        channels: counted.iter().map(|op| u32::from(op.exec_size)).sum(),
        end,
    }
}

/// How an op of this number is translated.
fn step(op: &Op, number: u32, rules: Rules) -> Step {
    match &op.action {
        Action::Nop => Step::Nothing,
        // A region of null may go beyond the register bytes.
        _ if op.writes_control || reads_null(op) => Step::Call,
        Action::Fast(_) => vector_step(op, rules),
        // Routines have no elements of immediates.
        Action::General if op.src.iter().any(is_packed) => vector_step(op, rules),
        Action::Send(send) => message(op, send, number, rules).unwrap_or(Step::Call),
        _ => Step::Call,
    }
}

fn vector_step(op: &Op, rules: Rules) -> Step {
    match (vector::request(op, rules), masking(op)) {
        (Some(request), Some(masking)) => Step::Vector(Box::new(VectorStep {
            request,
            masking,
            flag_bit: vector::sets_flags(op).then_some(op.flag_bit),
        })),
        _ => Step::Call,
    }
}

/// Whether a source is an immediate of several elements.
fn is_packed(source: &Source) -> bool {
    source.kind == Kind::Immediate && source.ty != source.element
}

/// How a message is translated, if it is.
fn message(op: &Op, send: &SendOp, number: u32, rules: Rules) -> Option<Step> {
    let site = host::Site {
        masking: masking(op)?,
        channels: op.exec_size,
        number,
    };
    if let Some(plain) = &send.plain {
        return host::access(plain, site);
    }
    let (Some(meaning), Some(spans), Immediate::Value(descriptor)) =
        (&send.meaning, &send.spans, send.descriptor)
    else {
        return None;
    };
    if send.eot || send.registers.gathered.is_some() {
        return None;
    }
    let shape = (rules.grf_bytes as u32, scratch_surfaces(rules.family));
    host::block(meaning, descriptor, &spans.sized(), site, shape)
}

fn reads_null(op: &Op) -> bool {
    let null = regs::NULL as u32..regs::GRF_BASE as u32;
    let mut sources = op.src.iter();
    sources.any(|source| source.kind == Kind::Direct && null.contains(&source.base))
}

/// The op's channels, if its predicate is each channel's own or the same for all.
fn masking(op: &Op) -> Option<Masking> {
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

/// What a branch does while no channel waits; compare `flow::execute`.
fn branch(op: &Op, rules: Rules, number: &dyn Fn(u32) -> Option<u32>) -> Branch {
    let never = Branch {
        masking: Masking {
            channel_offset: 0,
            no_mask: true,
            predicate: None,
        },
        lanes: 1,
        uniform: Uniform::Never,
    };
    let (Some(masking), Semantics::Flow(kind), Some(jip)) = (masking(op), op.does, op.targets.jip)
    else {
        return never;
    };
    let (next, uip) = (op.next_ip, op.targets.uip);
    // All channels wait at UIP, and the thread looks for them at JIP.
    let leave = if jip == uip { number(jip) } else { None };
    let uniform = |none: Option<u32>, all: Option<u32>| Uniform::Channels { none, all };
    let uniform = match kind {
        Flow::Jump => Uniform::Jump {
            not_taken: number(next),
            taken: number(jip),
        },
        Flow::If => uniform(number(jip), number(next)),
        Flow::Else | Flow::Break | Flow::Cont | Flow::Halt => uniform(number(next), leave),
        Flow::Endif | Flow::Join => Uniform::Meet(number(next)),
        Flow::While => uniform(number(next), number(jip)),
        Flow::Goto if op.targets.control => uniform(number(next), number(uip)),
        Flow::Goto if rules.goto_takes_false => uniform(leave, number(next)),
        Flow::Goto => uniform(number(next), leave),
        Flow::Brd | Flow::Brc | Flow::Call { .. } | Flow::Ret => Uniform::Never,
    };
    Branch {
        masking,
        lanes: op.exec_size,
        uniform,
    }
}

/// What the callbacks work on.
struct Run<'a> {
    state: &'a mut State,
    routine: &'a Routine,
    graph: &'a Graph,
    translation: &'a Translation,
    env: &'a GroupEnv<'a>,
    channels: Channels,
    fault: Option<Fault>,
}

impl Run<'_> {
    /// Before a message that host code did not perform.
    fn learn(&self, op: &Op, number: u32) {
        let part = self.graph.of_op.get(number as usize);
        let part = part.and_then(|&block| self.graph.blocks.get(block as usize));
        let step = part.and_then(|part| {
            let index = number.wrapping_sub(part.block.first);
            part.block.steps.get(index as usize)
        });
        let Some(step @ (Step::Memory(_) | Step::Block(_))) = step else {
            return;
        };
        let mask = self.state.write_mask(op);
        if mask != 0 {
            host::learn(step, self.state.regs.bytes(), mask, self.env);
        }
    }
}

/// Runs host code from the op at `at` on, which is at the thread's instruction pointer, as far as
/// there is any; `None` if there is none for what comes next.
///
/// # Errors
/// The fault of the instruction at the thread's instruction pointer.
#[inline(never)]
pub(super) fn run(
    state: &mut State,
    routine: &Routine,
    mut at: usize,
    env: &GroupEnv<'_>,
    patience: u32,
    left: &mut usize,
) -> Result<Option<Went>, Box<Fault>> {
    let ops = routine.ops();
    let mut went = None;
    while *left != 0 {
        let waits = ops
            .get(at)
            .filter(|op| matches!(op.action, Action::Barrier));
        if let Some(op) = waits {
            if let Some(generation) = thread::wait(state, op, env) {
                return Ok(Some(Went::Waits(generation)));
            }
            thread::count(state, op);
            *left -= 1;
        } else if !enter(state, routine, &mut at, env, patience, left)? {
            break;
        }
        if ops.get(at).is_none_or(|op| op.ip != state.ip) {
            at = routine.find(state.ip).map_or(ops.len(), |(at, _)| at);
        }
        went = Some(Went::To(at));
        if let Some(op) = ops.get(at)
            && *left != 0
            && ends_thread(op)
        {
            thread::count(state, op);
            return Ok(Some(Went::Ended));
        }
        state.follow_control();
    }
    Ok(went)
}

/// The host code with which threads of a kernel begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    ip: u32,
    key: Key,
    variant: usize,
    number: u32,
}

impl Start {
    /// That of a thread at the op at `at`, if there is some.
    pub fn of(state: &State, routine: &Routine, at: usize) -> Option<Self> {
        let key = Key::of(state)?;
        let mut variants = routine.native().variants.iter().enumerate();
        variants.find_map(|(variant, own)| {
            let translation = own.code.get()?.as_ref()?;
            let fits = own.key.get()?.channels == key.channels;
            let number = translation.entry(at, key.control).filter(|_| fits)?;
            Some(Self {
                ip: state.ip,
                key,
                variant,
                number,
            })
        })
    }

    /// Whether a thread begins with it.
    #[inline(always)]
    pub fn fits(&self, state: &State) -> bool {
        self.ip == state.ip && Key::of(state) == Some(self.key)
    }
}

/// Runs a thread that begins. Gives what [`run`] does, or nothing if it is to be called: the thread may
/// have gone on.
///
/// # Errors
/// As [`run`].
#[inline(always)]
pub(super) fn begin(
    state: &mut State,
    routine: &Routine,
    start: &Start,
    env: &GroupEnv<'_>,
    left: &mut usize,
) -> Result<Option<Went>, Box<Fault>> {
    let native = routine.native();
    let variant = native.variants.get(start.variant);
    let code = variant.and_then(|variant| variant.code.get());
    let (Some(Some(translation)), Some(graph)) = (code, native.graph.get()) else {
        return Ok(None);
    };
    let code = (graph, translation, start.number, start.key.channels);
    let mut at = usize::MAX;
    execute(state, routine, code, &mut at, env, left)?;
    let end = graph.ends.get(at).copied().unwrap_or_default();
    if end != 0 && *left != 0 {
        state.counters.instructions += 1;
        state.counters.channels += u64::from(end);
        return Ok(Some(Went::Ended));
    }
    state.follow_control();
    Ok(None)
}

/// Runs host code from the start of a block at `at` on; false if there is none. Then `at` may be where
/// the thread is.
#[inline(always)]
fn enter(
    state: &mut State,
    routine: &Routine,
    at: &mut usize,
    env: &GroupEnv<'_>,
    patience: u32,
    left: &mut usize,
) -> Result<bool, Box<Fault>> {
    let native = routine.native();
    let Some(key) = Key::of(state) else {
        return Ok(false);
    };
    let found = native.code(key, *at, (routine, state.rules), patience);
    let Some((translation, number)) = found else {
        return Ok(false);
    };
    let Some(graph) = native.graph.get() else {
        return Ok(false);
    };
    let code = (graph, translation, number, key.channels);
    execute(state, routine, code, at, env, left)
}

/// Runs the code of a block; false if nothing is executed. Then `at` may be where the thread is.
#[inline(always)]
fn execute(
    state: &mut State,
    routine: &Routine,
    (graph, translation, number, channels): (&Graph, &Translation, u32, Channels),
    at: &mut usize,
    env: &GroupEnv<'_>,
    left: &mut usize,
) -> Result<bool, Box<Fault>> {
    let mut frame = Frame {
        regs: state.regs.bytes_mut().as_mut_ptr(),
        context: core::ptr::null_mut(),
        step: take_step,
        branch: take_branch,
        entries: core::ptr::null(),
        local: env.slm.words().as_ptr().cast_mut().cast(),
        local_bytes: 4 * env.slm.words().len() as u32,
        windows: env.state.windows().of(env.memory),
        general: env.bases.general.get(),
        left: *left as u64,
        instructions: 0,
        channels: 0,
        active: state.active,
        parked: state.parked,
        next_wake: state.next_wake,
        at: 0,
    };
    let mut run = Run {
        state,
        routine,
        graph,
        translation,
        env,
        channels,
        fault: None,
    };
    frame.context = (&raw mut run).cast::<c_void>();
    // SAFETY: the operands of ops lie in the register bytes, which have padding after them
    // (`Registers`); the callbacks find what they need in `context`, which outlives the call, and
    // return numbers of blocks of the code. Windows are as long as the view that they are from says
    // (`Windows::of`), which is not refreshed during the run.
    let Some(next) = (unsafe { translation.code.run(&mut frame, number) }) else {
        return Ok(false);
    };
    let Run { state, fault, .. } = run;
    if let Some(next) = finish(state, routine, graph, &mut frame, next, fault.is_some()) {
        *at = next;
    }
    state.counters.instructions += frame.instructions;
    state.counters.channels += frame.channels;
    *left = frame.left as usize;
    match fault {
        Some(fault) => {
            state.follow_control();
            Err(fault.into())
        }
        None => Ok(frame.instructions != 0),
    }
}

/// Whether an op ends the thread, and does nothing else.
fn ends_thread(op: &Op) -> bool {
    let Action::Send(send) = &op.action else {
        return false;
    };
    let ends = matches!(
        send.meaning,
        Some(Meaning::EndOfThread | Meaning::Gateway(Gateway::EndOfThread))
    );
    ends && send.eot && send.spans.is_some()
}

/// Brings the instruction pointer to the op that is next, and takes back what was counted with a
/// block but not executed. Returns the op's number if it is known.
fn finish(
    state: &mut State,
    routine: &Routine,
    graph: &Graph,
    frame: &mut Frame,
    next: Next,
    faulted: bool,
) -> Option<usize> {
    let ops = routine.ops();
    let op = |index: u32| ops.get(index as usize);
    let mut uncount = |from: u32, within: u32| {
        let number = graph.of_op.get(within as usize);
        let Some(Part { block, .. }) = number.and_then(|&number| graph.blocks.get(number as usize))
        else {
            return;
        };
        let branches = matches!(block.end, End::Branch(_));
        let end = block.first as usize + block.steps.len() + usize::from(branches);
        for op in ops.get(from as usize..end).unwrap_or_default() {
            frame.left += 1;
            frame.instructions -= 1;
            frame.channels -= u64::from(op.exec_size);
        }
    };
    match next {
        Next::Op(index) => {
            let ip = op(index).map_or(state.ip, |op| op.ip);
            if faulted {
                uncount(index, index);
                state.ip = ip;
            } else {
                thread::pass(state, ip);
            }
            Some(index as usize)
        }
        Next::After(index) => {
            uncount(index + 1, index);
            let ip = op(index).map_or(state.ip, |op| op.next_ip);
            thread::pass(state, ip);
            None
        }
        Next::Told => None,
    }
}

/// What [`run`] put into the frame.
///
/// # Safety
/// `frame` is that of a run that has not returned.
unsafe fn context<'a>(frame: &Frame) -> &'a mut Run<'a> {
    // SAFETY: `context` points to the `Run` of `run`, which nothing else uses meanwhile.
    unsafe { &mut *frame.context.cast::<Run<'a>>() }
}

/// # Safety
/// Called by host code that [`run`] started.
unsafe extern "sysv64" fn take_step(frame: &mut Frame, number: u32) -> u32 {
    // SAFETY: as promised.
    let run = unsafe { context(frame) };
    let Some(op) = run.routine.ops().get(number as usize) else {
        return 2;
    };
    if let Action::Send(_) = op.action {
        run.learn(op, number);
    }
    run.state.follow_control();
    let control = run.state.control;
    match thread::step(run.state, op, run.env) {
        Err(fault) => {
            run.fault = Some(fault);
            1
        }
        Ok(()) if run.state.control != control => 2,
        Ok(()) => 0,
    }
}

/// # Safety
/// Called by host code that [`run`] started.
unsafe extern "sysv64" fn take_branch(frame: &mut Frame, number: u32) -> u32 {
    // SAFETY: as promised.
    let run = unsafe { context(frame) };
    let Some(op) = run.routine.ops().get(number as usize) else {
        return Frame::LEAVE;
    };
    if let Err(fault) = flow::execute(run.state, op) {
        run.state.ip = op.ip;
        run.fault = Some(fault);
        frame.left += 1;
        frame.instructions -= 1;
        frame.channels -= u64::from(op.exec_size);
        return Frame::LEAVE;
    }
    let state = &*run.state;
    frame.active = state.active;
    frame.parked = state.parked;
    frame.next_wake = state.next_wake;
    if Key::of(state).map(|key| key.channels) != Some(run.channels) {
        return Frame::LEAVE;
    }
    let block = run.routine.block_of(number as usize);
    let next = block.and_then(|block| run.routine.successor(block, state.ip));
    let control = state.regs.dword(regs::CONTROL);
    let number = next.and_then(|next| run.translation.entry(next.first, control));
    number.unwrap_or(Frame::LEAVE)
}

/// Executes `op` alone as host code, for each set of channels that fits. What is not translated
/// gives nothing.
#[cfg(test)]
pub(super) fn alone(start: &State, op: &Op) -> Vec<(&'static str, State)> {
    unsafe extern "sysv64" fn refuse(_: &mut Frame, _: u32) -> u32 {
        1
    }
    let Step::Vector(step) = step(op, 0, start.rules) else {
        return Vec::new();
    };
    if !start.usual_fp || !eu_native::is_supported() {
        return Vec::new();
    }
    let run = |channels| {
        let mut state = start.clone();
        let block = Block {
            first: 0,
            ip: 0,
            last_ip: 0,
            modes: state.fp_modes,
            steps: vec![Step::Vector(step.clone())],
            channels: 0,
            end: End::Leave,
        };
        let layout = Layout {
            channels,
            flags: regs::FLAG as u32,
            control: regs::CONTROL as u32,
        };
        let code = Code::new(&[block], layout).expect("enough registers");
        let mut frame = Frame {
            regs: state.regs.bytes_mut().as_mut_ptr(),
            context: core::ptr::null_mut(),
            step: refuse,
            branch: refuse,
            entries: core::ptr::null(),
            local: core::ptr::null_mut(),
            local_bytes: 0,
            windows: core::ptr::null(),
            general: 0,
            left: 10,
            instructions: 0,
            channels: 0,
            active: state.active,
            parked: state.parked,
            next_wake: state.next_wake,
            at: 0,
        };
        // SAFETY: as in `run`; `refuse` needs nothing.
        let next = unsafe { code.run(&mut frame, 0) };
        (next == Some(Next::Op(1))).then_some(state)
    };
    let all = run(Channels::All(start.active)).map(|state| ("host code for all", state));
    let any = run(Channels::Any).map(|state| ("host code for any", state));
    all.into_iter().chain(any).collect()
}

#[cfg(test)]
mod tests {
    use devinfo::Family;

    use super::*;
    use crate::{Thread, ThreadStart};

    #[test]
    fn channels_that_a_function_was_not_called_with_are_interpreted() {
        let mut thread = Thread::new(&ThreadStart {
            family: Family::Gen12Lp,
            payload: &[],
            ip: 0,
            dispatch_mask: 0xffff,
            simd: 16,
            grf_count: 128,
            sr0: 0,
            msg0: 0,
            thread_slot: 0,
            cr0: 0,
        });
        let state = thread.state_mut();
        let channels = |state: &State| Key::of(state).map(|key| key.channels);
        assert_eq!(channels(state), Some(Channels::All(0xffff)));
        state.call_mask = 0xff;
        assert_eq!(channels(state), None);
        state.active = 0xf;
        assert_eq!(channels(state), Some(Channels::Any));
        state.active = 0;
        assert_eq!(channels(state), None);
    }
}

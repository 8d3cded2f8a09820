//! Functions with comparisons before their accesses.
//!
//! The comparisons of a block are gathered, and one branch at its end leads to the reports, which look
//! closer.

mod aligned;
mod components;
mod copies;
mod counted;
mod events;
mod gaps;
mod marks;
mod orders;
mod packets;
mod parts;
mod relative;
mod texels;
mod together;
mod touched;
mod unwritten;

use std::collections::{HashMap, HashSet};

use devinfo::report;
use spirv::{Op, StorageClass};

use super::build::{Builder, push};
use super::flow::{self, Flow};
use super::layout::{Kind, Layout};
use super::reach::{Index, Part, Reach, Step, arithmetic, compare, part, step};
use crate::module::{Instruction, Module};
use components::Components;
use counted::Counted;
use events::Events;
use texels::Images;
use unwritten::Unwritten;

/// The most comparisons that wait for their branch: their operands keep registers.
const TOGETHER: usize = 8;

/// What of a store says that it stays, and its alignment: `Volatile | Aligned`, 16.
const STORE: [u32; 2] = [3, 16];

/// What may be wrong with an access.
#[derive(Clone, Debug)]
enum Fault {
    /// It leaves its variable.
    Leaves(Reach),
    /// Its address, which is this value, is no multiple of so many bytes. The kind is that of the report.
    Misaligned {
        address: u32,
        alignment: u64,
        kind: u32,
    },
    /// A texel's coordinate is not below the image's size, both of 32 bits.
    Outside { coordinate: u32, size: u32 },
    /// An index is not below a count, both of 64 bits: there is no such work-item in the group, or packet in
    /// the reservation.
    NoSuch { index: u32, count: u32 },
}

/// An access that may be wrong.
#[derive(Clone, Debug)]
struct Doubt {
    /// Whether it may, and whether it is worth a closer look.
    doubtful: u32,
    fault: Fault,
    bytes: u64,
    what: u32,
    place: Place,
}

/// Where in the source an instruction is from: the words that say so.
#[derive(Clone, Debug, Default)]
struct Place {
    line: Vec<u32>,
    scope: Vec<u32>,
}

/// An access: a pointer, the bytes, and whether it writes.
type Touched = (u32, u64, bool);

struct Rewriter<'a> {
    layout: &'a Layout,
    flow: &'a Flow,
    builder: &'a mut Builder,
    /// Indices that were converted to more bits, by what they are now.
    narrow: HashMap<u32, Index>,
    /// Sets of extended instructions: OpenCL's, and that of its debug information.
    sets: [u32; 2],
    words: Vec<u32>,
    reaches: HashMap<u32, Reach>,
    /// Ids for the values of pointers between which a phi chooses.
    values: HashMap<u32, [u32; 3]>,
    /// Pointers that were pointers to another type.
    casts: HashMap<u32, u32>,
    counted: Counted<'a>,
    /// Offsets of instructions whose accesses have been compared before their loops.
    settled: HashSet<usize>,
    /// Alignments of pointers that are less than their types say.
    loose: HashMap<u32, u64>,
    doubts: Vec<Doubt>,
    /// Kernels.
    entries: HashSet<u32>,
    /// The module moves vectors of three in ways that may store their fourth components.
    moves_threes: bool,
    /// Groups may be one sub-group.
    has_small_groups: bool,
    function: u32,
    /// The instruction is before the function's first block.
    heads: bool,
    /// It is before the first one of the function that does something.
    declares: bool,
    unwritten: Unwritten,
    /// Variables whose lives have ended right before.
    ended: Vec<u32>,
    images: Images,
    events: Events,
    components: Components,
    /// By reservation of a pipe, how many packets it is of.
    reservations: HashMap<u32, u32>,
    /// How many operands have been told that must be the same for all of a work-group.
    operands: u32,
    /// By type, a variable of the function that nothing writes.
    sources: HashMap<u32, u32>,
    place: Place,
    /// By a block, the last of those that it became.
    ends: HashMap<u32, u32>,
    block: u32,
    /// Parameters that come after the module's own.
    parameters: Vec<u32>,
    added: bool,
}

/// All functions, with comparisons; `None` if they need none.
pub(super) fn functions(
    module: &Module,
    layout: &Layout,
    flow: &Flow,
    builder: &mut Builder,
) -> Option<Vec<u32>> {
    let mut all = Rewriter {
        layout,
        flow,
        builder,
        narrow: narrow(module, layout),
        sets: ["OpenCL.std", "OpenCL.DebugInfo.100"].map(|name| set(module, name)),
        words: Vec::new(),
        reaches: HashMap::new(),
        values: HashMap::new(),
        casts: HashMap::new(),
        counted: Counted::of(module, layout, set(module, "OpenCL.DebugInfo.100")),
        settled: HashSet::new(),
        loose: HashMap::new(),
        doubts: Vec::new(),
        entries: marks::kernels(module),
        moves_threes: gaps::moves_threes(module, layout),
        has_small_groups: orders::has_small_groups(module),
        function: 0,
        heads: false,
        declares: false,
        unwritten: Unwritten::of(module, layout),
        ended: Vec::new(),
        images: Images::of(module, flow),
        events: Events::of(module, layout),
        components: Components::default(),
        reservations: HashMap::new(),
        operands: 0,
        sources: HashMap::new(),
        place: Place::default(),
        ends: HashMap::new(),
        block: 0,
        parameters: Vec::new(),
        added: false,
    };
    let types: HashMap<u32, Vec<u32>> = module
        .instructions()
        .filter(|one| one.op() == Some(Op::TypeFunction))
        .map(|one| (one.word(0), one.operands.to_vec()))
        .collect();
    let mut inside = false;
    for one in module.instructions() {
        inside |= one.op() == Some(Op::Function);
        if inside {
            all.instruction(&one, &types)?;
        }
    }
    all.patch();
    all.added.then_some(all.words)
}

/// The id of a set of extended instructions; 0, which is none, if the module has not got it.
fn set(module: &Module, name: &str) -> u32 {
    let mut all = module.instructions();
    let found = all.find(|one| one.op() == Some(Op::ExtInstImport) && one.text(1) == name);
    found.map_or(0, |one| one.word(0))
}

/// What conversions from 32 bits to 64 convert.
fn narrow(module: &Module, layout: &Layout) -> HashMap<u32, Index> {
    let conversions = module.instructions().filter_map(|one| {
        let signed = match one.op()? {
            Op::SConvert => true,
            Op::UConvert => false,
            _ => return None,
        };
        let id = one.word(2);
        let ty = layout.kind(layout.type_of(id)?)?;
        let wide = layout.kind(one.word(0))?;
        let index = Index {
            id,
            bits: 32,
            signed,
        };
        let widens = matches!(
            (ty, wide),
            (Kind::Integer { bits: 32 }, Kind::Integer { bits: 64 })
        );
        widens.then_some((one.word(1), index))
    });
    conversions.collect()
}

impl Rewriter<'_> {
    fn instruction(&mut self, one: &Instruction<'_>, types: &HashMap<u32, Vec<u32>>) -> Option<()> {
        let op = one.op().unwrap_or(Op::Nop);
        let declares = matches!(op, Op::Label | Op::Variable | Op::Line | Op::NoLine);
        let declares = declares || matches!(op, Op::Function | Op::FunctionParameter);
        if self.declares && !declares && !(op == Op::ExtInst && one.word(2) == self.sets[1]) {
            self.declares = false;
            if self.entries.contains(&self.function) {
                self.mark();
            }
            self.begin_lives();
        }
        self.place.follow(one, self.sets[1]);
        match op {
            Op::Function => {
                self.function = one.word(1);
                (self.heads, self.declares) = (true, true);
                let flow = self.flow;
                let added = flow
                    .parameters
                    .get(&one.word(1))
                    .map_or(&[][..], Vec::as_slice);
                let mut operands = one.operands.to_vec();
                if !added.is_empty() {
                    let ty = self
                        .builder
                        .function_type(types.get(&one.word(3))?, added.len());
                    *operands.get_mut(3)? = ty;
                }
                push(&mut self.words, op, &operands);
                for parameter in added.iter().copied() {
                    let ids = [0; 3].map(|_| self.builder.id());
                    let t = self.builder.types;
                    for (ty, id) in [t.wide, t.wide, t.four].into_iter().zip(ids) {
                        push(&mut self.parameters, Op::FunctionParameter, &[ty, id]);
                    }
                    self.values.insert(parameter, ids);
                    self.reaches.insert(parameter, Reach::of_values(ids));
                }
                return Some(());
            }
            Op::Label => {
                self.words.append(&mut self.parameters);
                self.block = one.word(0);
            }
            // What comes before one of these must not come after it.
            Op::FunctionCall | Op::ControlBarrier => self.flush(),
            Op::LoopMerge | Op::SelectionMerge => {
                self.look_ahead();
                self.flush();
            }
            Op::Branch | Op::BranchConditional | Op::Switch | Op::Return | Op::ReturnValue => {
                self.look_ahead();
                // A merge stands directly before its branch; what was gathered has been flushed there.
                self.flush();
            }
            Op::Kill | Op::Unreachable => self.flush(),
            _ => {}
        }
        self.end_lives(op);
        self.aligned(op, one);
        self.texel(op, one);
        self.tell(op, one);
        self.tell_alike(op, one);
        self.item(op, one);
        self.reservation(op, one);
        self.packet(op, one);
        self.tell_local_block(op, one);
        let joins = self.tell_order(op, one);
        self.gaps(op, one);
        if !self.settled.contains(&one.offset) {
            let touched = self.touched(op, one);
            touched.into_iter().for_each(|touched| self.doubt(touched));
        }
        let is_done = match op {
            Op::FunctionCall => {
                self.call(one);
                true
            }
            Op::Store => self.store_component(one).is_some() || self.store_three(one).is_some(),
            Op::GroupAsyncCopy => self.copy_by_others(one).is_some(),
            Op::LifetimeStop => self.will_end(one.word(0)).is_some(),
            _ if relative::is_relative(op) => self.shuffle_relative(op, one).is_some(),
            _ => false,
        };
        if !is_done {
            push_raw(&mut self.words, one);
        }
        if joins {
            self.fence();
        }
        self.tell_done(op, one);
        self.components.follow(op, one);
        if op == Op::Bitcast {
            self.casts.insert(one.word(1), one.word(2));
        }
        if op == Op::Label && std::mem::take(&mut self.heads) {
            self.declare_unwritten();
        }
        if op == Op::LifetimeStart {
            self.begin_life(one.word(0));
        }
        self.loosen(op, one);
        self.define(op, one);
        if self.doubts.len() >= TOGETHER && op != Op::Phi && op != Op::Variable {
            self.flush();
        }
        Some(())
    }

    /// A call has values of its pointers besides.
    fn call(&mut self, one: &Instruction<'_>) {
        let mut operands = one.operands.to_vec();
        let flow = self.flow;
        if let Some(traced) = flow.parameters.get(&one.word(2)) {
            let all = flow.all_parameters.get(&one.word(2));
            let arguments = one.operands.get(3..).unwrap_or_default();
            let pairs = all.into_iter().flatten().zip(arguments);
            for (_, argument) in pairs.filter(|(parameter, _)| traced.contains(parameter)) {
                let reach = self.reach(*argument);
                operands.extend(reach.values(self.builder, &mut self.words));
            }
        }
        push(&mut self.words, Op::FunctionCall, &operands);
    }

    /// Where a pointer is.
    fn reach(&mut self, pointer: u32) -> Reach {
        if let Some(known) = self.reaches.get(&pointer) {
            return known.clone();
        }
        match self.flow.variables.get(&pointer) {
            Some(variable) => Reach::of(variable.size, self.builder.name(&variable.name)),
            None => Reach::endless(self.builder),
        }
    }

    /// The index of an access.
    fn index(&mut self, id: u32) -> Option<Index> {
        if let Some(narrow) = self.narrow.get(&id) {
            return Some(*narrow);
        }
        let Kind::Integer { bits } = *self.layout.kind(self.layout.type_of(id)?)? else {
            return None;
        };
        let signed = true;
        if matches!(bits, 32 | 64) {
            return Some(Index { id, bits, signed });
        }
        let wide = self.builder.id();
        push(
            &mut self.words,
            Op::SConvert,
            &[self.builder.types.wide, wide, id],
        );
        let bits = 64;
        Some(Index {
            id: wide,
            bits,
            signed,
        })
    }

    /// A pointer's place, so many elements on.
    fn moved(&mut self, reach: Reach, index: u32, part: &Part) -> Option<Reach> {
        Some(match *part {
            Part::At(bytes) => reach.moved(bytes),
            Part::Index(bytes, count) => {
                let index = self.index(index)?;
                reach.stepped(Step {
                    index,
                    bytes,
                    count,
                })
            }
        })
    }

    /// Where a chain of indices leads.
    fn chain(&mut self, op: Op, one: &Instruction<'_>) -> Option<Reach> {
        let mut reach = self.reach(one.word(2));
        if reach.is_endless() {
            return Some(reach);
        }
        let (_, mut ty) = self.layout.pointee(one.word(2))?;
        let mut indices = one.operands.get(3..).unwrap_or_default();
        if let (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, [first, rest @ ..]) = (op, indices)
        {
            let part = step(self.layout.constant(*first), self.layout.size(ty)?, None)?;
            reach = self.moved(reach, *first, &part)?;
            indices = rest;
        }
        for index in indices {
            let (part, inner) = part(self.layout, ty, *index)?;
            reach = self.moved(reach, *index, &part)?;
            ty = inner;
        }
        Some(reach)
    }

    /// Remembers where a pointer is that an instruction makes.
    fn define(&mut self, op: Op, one: &Instruction<'_>) {
        let id = one.word(1);
        if !self.flow.traced.contains(&id) || self.flow.variables.contains_key(&id) {
            return;
        }
        // The second word of stores, copies and lines is no result.
        if self.layout.type_of(id) != Some(one.word(0)) {
            return;
        }
        let reach = match op {
            Op::Phi => {
                let ids = self.value_ids(id);
                let t = self.builder.types;
                for (part, ty) in [t.wide, t.wide, t.four].into_iter().enumerate() {
                    let mut operands = vec![ty, ids[part]];
                    for [value, from] in flow::choices(one) {
                        operands.extend([self.chosen(value)[part], from]);
                    }
                    push(&mut self.words, Op::Phi, &operands);
                }
                self.reaches.insert(id, Reach::of_values(ids));
                return;
            }
            Op::Select => self.select(one),
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => match self.chain(op, one) {
                Some(reach) => reach,
                None => Reach::endless(self.builder),
            },
            Op::FunctionParameter => return,
            _ => match flow::base(op, one) {
                Some(base) => self.reach(base),
                None => Reach::endless(self.builder),
            },
        };
        self.reaches.insert(id, reach.clone());
        if self.flow.chosen.contains(&id) {
            let ids = self.value_ids(id);
            let values = reach.values(self.builder, &mut self.words);
            let t = self.builder.types;
            let zeros = [
                self.builder.wide(0),
                self.builder.wide(0),
                self.builder.name(""),
            ];
            for part in 0..3 {
                let ty = [t.wide, t.wide, t.four][part];
                let operands = [ty, ids[part], values[part], zeros[part]];
                push(&mut self.words, Op::BitwiseOr, &operands);
            }
        }
    }

    /// The ids that a pointer's values have, or will have.
    fn value_ids(&mut self, pointer: u32) -> [u32; 3] {
        if let Some(known) = self.values.get(&pointer) {
            return *known;
        }
        let ids = [0; 3].map(|_| self.builder.id());
        self.values.insert(pointer, ids);
        ids
    }

    /// The values of a pointer that a phi chooses, which may come later.
    fn chosen(&mut self, pointer: u32) -> [u32; 3] {
        let traced = self.flow.traced.contains(&pointer);
        if traced && !self.flow.variables.contains_key(&pointer) {
            return self.value_ids(pointer);
        }
        let reach = self.reach(pointer);
        // Constants: no code.
        reach.values(self.builder, &mut Vec::new())
    }

    fn select(&mut self, one: &Instruction<'_>) -> Reach {
        let [a, b] = [one.word(3), one.word(4)].map(|pointer| self.reach(pointer));
        let [a, b] = [a, b].map(|reach| reach.values(self.builder, &mut self.words));
        let t = self.builder.types;
        let pick = |all: &mut Self, ty: u32, a: u32, b: u32| {
            let id = all.builder.id();
            push(&mut all.words, Op::Select, &[ty, id, one.word(2), a, b]);
            id
        };
        let offset = pick(self, t.wide, a[0], b[0]);
        let size = pick(self, t.wide, a[1], b[1]);
        // A choice of vectors needs a vector of truths; that of two names is the first, if both are
        // there.
        let name = if a[2] == b[2] {
            a[2]
        } else {
            self.builder.name("")
        };
        Reach::of_values([offset, size, name])
    }

    fn doubt(&mut self, (pointer, bytes, writes): Touched) {
        let reach = self.reach(pointer);
        if let Some((storage, _)) = self.layout.pointee(pointer) {
            self.doubt_of(reach, storage, bytes, writes);
        }
    }

    /// An access is compared with the size of its variable.
    fn doubt_of(&mut self, reach: Reach, storage: u32, bytes: u64, writes: bool) {
        if let Some(doubtful) = reach.doubtful(bytes, self.builder, &mut self.words) {
            self.add(doubtful, Fault::Leaves(reach), storage, bytes, writes);
        }
    }

    fn add(&mut self, doubtful: u32, fault: Fault, storage: u32, bytes: u64, writes: bool) {
        let of = |kind: StorageClass, bit| if storage == kind as u32 { bit } else { 0 };
        let what = bytes.min(report::BYTES.into()) as u32
            | if writes { report::WRITES } else { 0 }
            | of(StorageClass::Workgroup, report::LOCAL)
            | of(StorageClass::Function, report::PRIVATE)
            | of(StorageClass::CrossWorkgroup, report::GLOBAL)
            | of(StorageClass::UniformConstant, report::GLOBAL);
        self.doubts.push(Doubt {
            doubtful,
            fault,
            bytes,
            what,
            place: self.place.clone(),
        });
    }

    /// The branch to the reports of what was gathered, if there is something.
    fn flush(&mut self) {
        let doubts = std::mem::take(&mut self.doubts);
        let Some((first, rest)) = doubts.split_first() else {
            return;
        };
        self.added = true;
        let mut any = first.doubtful;
        for doubt in rest {
            let of = [any, doubt.doubtful];
            any = compare(self.builder, &mut self.words, Op::LogicalOr, of);
        }
        let [reports, on] = [0; 2].map(|_| self.builder.id());
        push(&mut self.words, Op::BranchConditional, &[any, reports, on]);
        push(&mut self.words, Op::Label, &[reports]);
        doubts.iter().for_each(|doubt| self.report(doubt));
        push(&mut self.words, Op::Branch, &[on]);
        push(&mut self.words, Op::Label, &[on]);
        self.ends.insert(self.block, on);
        let place = self.place.clone();
        self.say(&place);
    }

    /// Says again where the source is, which a new block has forgotten.
    fn say(&mut self, place: &Place) {
        self.words.extend_from_slice(&place.line);
        let mut scope = place.scope.clone();
        if let Some(id) = scope.get_mut(2) {
            *id = self.builder.id();
        }
        self.words.extend(scope);
    }

    fn report(&mut self, doubt: &Doubt) {
        self.say(&doubt.place);
        let t = self.builder.types;
        let words = &mut self.words;
        let builder = &mut *self.builder;
        let ([offset, size, name], broken, kind) = match &doubt.fault {
            Fault::Leaves(reach) => {
                let values = reach.values(builder, words);
                (values, reach.leaves(doubt.bytes, builder, words), 0)
            }
            Fault::Misaligned {
                address,
                alignment,
                kind,
            } => {
                let size = builder.wide(*alignment);
                let values = [*address, size, builder.name("")];
                (values, doubt.doubtful, *kind)
            }
            Fault::Outside { coordinate, size } => {
                let mut wide = |op, narrow: u32| {
                    let id = builder.id();
                    push(words, op, &[t.wide, id, narrow]);
                    id
                };
                let offset = wide(Op::SConvert, *coordinate);
                let size = wide(Op::UConvert, *size);
                ([offset, size, builder.name("")], doubt.doubtful, 0)
            }
            Fault::NoSuch { index, count } => {
                ([*index, *count, builder.name("")], doubt.doubtful, 0)
            }
        };
        let what = doubt.what | kind;
        let narrow = |builder: &mut Builder, words: &mut Vec<u32>, wide: u32| {
            let id = builder.id();
            push(words, Op::UConvert, &[t.word, id, wide]);
            id
        };
        let low = narrow(builder, words, offset);
        let half = builder.wide(32);
        let high = builder.id();
        push(words, Op::ShiftRightLogical, &[t.wide, high, offset, half]);
        let high = narrow(builder, words, high);
        let size = narrow(builder, words, size);
        let [no, yes] = [what, what | report::BROKEN].map(|what| builder.word(what));
        let what = builder.id();
        push(words, Op::Select, &[t.word, what, broken, yes, no]);
        let all = builder.id();
        push(
            words,
            Op::CompositeConstruct,
            &[t.four, all, low, high, size, what],
        );
        let mask = builder.wide(report::SLOTS - 1);
        let slot = arithmetic(builder, words, Op::BitwiseAnd, [offset, mask]);
        let bytes = builder.wide(report::SLOT);
        let slot = arithmetic(builder, words, Op::IMul, [slot, bytes]);
        for (at, value) in [(report::NAME, name), (0, all)] {
            let at = builder.wide(report::ADDRESS + at);
            let address = arithmetic(builder, words, Op::IAdd, [slot, at]);
            let pointer = builder.id();
            push(words, Op::ConvertUToPtr, &[t.to_four, pointer, address]);
            push(words, Op::Store, &[&[pointer, value], &STORE[..]].concat());
        }
    }

    /// Phis name the blocks that control comes from: the last parts of those that were divided.
    fn patch(&mut self) {
        let mut at = 0;
        while let Some(&first) = self.words.get(at) {
            let count = (first >> 16).max(1) as usize;
            if first & 0xffff == Op::Phi as u32 {
                let blocks = self
                    .words
                    .iter_mut()
                    .take(at + count)
                    .skip(at + 4)
                    .step_by(2);
                for block in blocks {
                    *block = self.ends.get(block).copied().unwrap_or(*block);
                }
            }
            at += count;
        }
    }
}

/// Adds an instruction as it was.
fn push_raw(words: &mut Vec<u32>, one: &Instruction<'_>) {
    words.push((one.operands.len() as u32 + 1) << 16 | u32::from(one.opcode));
    words.extend_from_slice(one.operands);
}

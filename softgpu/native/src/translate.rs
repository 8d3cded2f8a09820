//! Blocks and masks.
//!
//! rbx is the frame, r12 the register bytes, r13d the enabled channels; eax, ecx, edx, esi, edi, ebp and
//! r8 to r11 are temporary; r14d and r15d are flags (`flags`). Vector registers hold values, which are in memory
//! too, or owed to it (`owed`).

use core::mem::offset_of;
use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use dynasmrt::x64::X64Relocation;
use dynasmrt::{AssemblyOffset, DynamicLabel, DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use eu_lanes::{Accumulator, HostIsa, Modes};

use crate::aside::Aside;
use crate::block::is_last;
use crate::branch::Place;
use crate::carried::Carries;
use crate::copies::Entries;
use crate::detours::Detour;
use crate::evex::general;
use crate::frame::Frame;
use crate::live::Lives;
use crate::masks::predicates;
use crate::model::{Block, Channels, End, Layout, Masking, Rounding, Step, Target, VectorStep};
use crate::moves;
use crate::owed::Debts;
use crate::products::Share;
use crate::registers::Pool;
use crate::vector::{Job, SCRATCH, Written};
use crate::wide::{Copying, KEPT, KEPT_COUNT};

/// Set in [`Frame::at`] when the op is executed, and the one after it is next.
pub(crate) const AFTER: u32 = 1 << 31;

/// Where the mask of an op is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// All of its channels.
    All,
    /// In esi.
    InEsi,
}

/// MXCSR with a rounding mode, and exceptions masked.
pub(crate) const fn mxcsr(rounding: Rounding) -> u32 {
    0x1f80 | (host(rounding) as u32) << 13
}

/// The number of a rounding mode in MXCSR, and in the instructions that have one.
pub(crate) const fn host(rounding: Rounding) -> u8 {
    match rounding {
        Rounding::Nearest => 0,
        Rounding::Down => 1,
        Rounding::Up => 2,
        Rounding::Zero => 3,
    }
}

/// The instructions of [`Translator::change`].
const ADD: u8 = 0;
const SUBTRACT: u8 = 5;

/// An offset in the frame that has one byte.
const fn near(offset: usize) -> i8 {
    assert!(offset < 128);
    offset as i8
}

pub(crate) const LEFT: i8 = near(offset_of!(Frame, left));
pub(crate) const ALLOWED: i8 = near(offset_of!(Frame, allowed));
pub(crate) const CHANNELS: i8 = near(offset_of!(Frame, channels));
pub(crate) const ACTIVE: i8 = near(offset_of!(Frame, active));
pub(crate) const PARKED: i8 = near(offset_of!(Frame, parked));
pub(crate) const NEXT_WAKE: i8 = near(offset_of!(Frame, next_wake));
pub(crate) const LOWEST_WAKE: i8 = near(offset_of!(Frame, lowest_wake));
pub(crate) const AT: i32 = offset_of!(Frame, at) as i32;
pub(crate) const REGS: i32 = offset_of!(Frame, regs) as i32;
const STEP: i32 = offset_of!(Frame, step) as i32;
pub(crate) const BRANCH: i32 = offset_of!(Frame, branch) as i32;
pub(crate) const ENTRIES: i32 = offset_of!(Frame, entries) as i32;

/// A translation while it is made.
pub(crate) struct Translator {
    pub(crate) ops: VecAssembler<X64Relocation>,
    pub(crate) isa: HostIsa,
    pub(crate) pool: Pool,
    /// The registers of AVX-512.
    pub(crate) wide: Pool,
    /// Its mask registers that keep masks.
    pub(crate) kept: Pool,
    /// What of these is to be stored.
    pub(crate) debts: Debts,
    /// Where 32 register bytes are stored alone.
    pub(crate) halves: BTreeSet<u32>,
    pub(crate) layout: Layout,
    /// The channels that the present block is for.
    pub(crate) channels: Channels,
    /// The floating-point modes that it is for.
    pub(crate) modes: Modes,
    /// The same, which the host's rounding mode is except in callbacks.
    pub(crate) rounding: Rounding,
    /// Not all blocks round to nearest.
    pub(crate) rounds: bool,
    /// The flag that the present step writes is a predicate of one that follows.
    pub(crate) predicates: bool,
    /// And nothing else needs it.
    pub(crate) replaced: bool,
    /// A flag that was to be replaced is not in memory.
    pub(crate) stale: bool,
    /// See [`Whole`].
    pub(crate) whole: Option<Whole>,
    /// The lanes of masks that the stack has.
    pub(crate) spilled: u16,
    literals: BTreeMap<(u64, usize), DynamicLabel>,
    tables: BTreeMap<Vec<u64>, DynamicLabel>,
    bits: BTreeMap<(usize, usize), DynamicLabel>,
    offsets: BTreeMap<(u32, u8), DynamicLabel>,
    pub(crate) labels: Vec<DynamicLabel>,
    pub(crate) leave: DynamicLabel,
    pub(crate) park: DynamicLabel,
    pub(crate) park_ahead: DynamicLabel,
    pub(crate) wake: DynamicLabel,
    pub(crate) next_thread: DynamicLabel,
    /// Where a thread waits, and where one has ended.
    pub(crate) turns: [DynamicLabel; 2],
    pub(crate) detours: Vec<Detour>,
    pub(crate) asides: Vec<(DynamicLabel, Aside)>,
    /// What copies many registers with AVX-512, and with AVX2.
    pub(crate) copies: BTreeMap<Copying, DynamicLabel>,
    /// See [`copies`](Self::copies).
    pub(crate) narrow_copies: Entries,
    /// Those that wake channels at a place.
    pub(crate) wakes: BTreeMap<Place, DynamicLabel>,
    pub(crate) carries: Carries,
}

/// Accumulator elements whose registers are the low halves of their whole values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    low: (u32, u32),
    wide: (u32, u32),
}

impl Whole {
    pub fn of(accumulator: &Accumulator, lanes: usize) -> Self {
        let lanes = lanes as u32;
        Self {
            low: (accumulator.low, accumulator.low + 4 * lanes),
            wide: (accumulator.wide, accumulator.wide + 8 * lanes),
        }
    }

    /// Whether they have those of an op.
    pub fn has(&self, accumulator: &Accumulator, lanes: usize) -> bool {
        let other = Self::of(accumulator, lanes);
        self.low.0 <= other.low.0
            && other.low.1 <= self.low.1
            // Whose whole value is where.
            && other.wide.0 == self.wide.0 + 2 * (other.low.0 - self.low.0)
    }

    /// What is known after a job has written its accumulator elements.
    pub fn after(
        before: Option<Self>,
        (job, accumulator): (&Job<'_>, Accumulator),
        written: Written,
    ) -> Option<Self> {
        if job.step.request.output.element.bytes() != 4 {
            return None;
        }
        match written {
            Written::All => Some(Self::of(&accumulator, job.lanes)),
            // What is not written is as it was.
            Written::Masked => before.filter(|before| before.has(&accumulator, job.lanes)),
        }
    }

    fn overlaps(&self, range: &Range<u32>) -> bool {
        [self.low, self.wide]
            .into_iter()
            .any(|(start, end)| start < range.end && range.start < end)
    }
}

impl Translator {
    pub fn new(layout: Layout, blocks: &[Block], isa: HostIsa) -> Self {
        let mut ops = VecAssembler::new(0);
        let labels = (0..blocks.len()).map(|_| ops.new_dynamic_label()).collect();
        let [leave, park, park_ahead, wake] = [(); 4].map(|()| ops.new_dynamic_label());
        let next_thread = ops.new_dynamic_label();
        let turns = [(); 2].map(|()| ops.new_dynamic_label());
        Self {
            ops,
            isa,
            pool: Pool::new(0, Pool::COUNT),
            wide: Pool::new(Pool::COUNT, Pool::COUNT),
            kept: Pool::new(KEPT, KEPT_COUNT),
            debts: Debts::default(),
            halves: blocks.iter().flat_map(Block::halves).collect(),
            layout,
            channels: Channels::Any,
            modes: Modes::default(),
            rounding: Rounding::Nearest,
            rounds: blocks.iter().any(Block::rounds),
            predicates: false,
            replaced: false,
            stale: false,
            whole: None,
            spilled: 0,
            literals: BTreeMap::new(),
            tables: BTreeMap::new(),
            bits: BTreeMap::new(),
            offsets: BTreeMap::new(),
            labels,
            leave,
            park,
            park_ahead,
            wake,
            next_thread,
            turns,
            detours: Vec::new(),
            asides: Vec::new(),
            copies: BTreeMap::new(),
            narrow_copies: Entries::default(),
            wakes: BTreeMap::new(),
            carries: Carries::default(),
        }
    }

    /// The same; results are stored where they have to be, and not at once.
    pub fn lazy(layout: Layout, blocks: &[Block], isa: HostIsa) -> Self {
        Self {
            debts: Debts::new(Lives::of(blocks, &layout)),
            ..Self::new(layout, blocks, isa)
        }
    }

    /// The code that enters a block, whose address is the second argument, and that leaves. The third
    /// is what MXCSR is in the block.
    pub fn frame(&mut self) {
        let leave = self.leave;
        dynasm!(self.ops
            ; .arch x64
            ; push rbx
            ; push r12
            ; push r13
            ; push r14
            ; push r15
            ; push rbp
            // Calls find the stack aligned.
            ; sub rsp, SCRATCH + 8
            ; mov rbx, rdi
            ; mov r12, [rbx + REGS]
            ; mov r13d, [BYTE rbx + ACTIVE]
        );
        self.reload_flags();
        if self.rounds {
            dynasm!(self.ops ; mov [rsp], edx ; ldmxcsr [rsp]);
        }
        dynasm!(self.ops
            ; jmp rsi
            ; =>leave
            ; vzeroupper
        );
        if self.rounds {
            self.round(Rounding::Nearest);
        }
        dynasm!(self.ops
            ; add rsp, SCRATCH + 8
            ; pop rbp
            ; pop r15
            ; pop r14
            ; pop r13
            ; pop r12
            ; pop rbx
            ; ret
        );
    }

    /// Translates `blocks[number]`.
    pub fn block(&mut self, blocks: &[Block], number: usize) {
        let (Some(block), Some(&label)) = (blocks.get(number), self.labels.get(number)) else {
            return;
        };
        let branches = matches!(block.end, End::Branch(_));
        let count = block.steps.len() as i32 + i32::from(branches);
        self.channels = block.enabled;
        self.modes = block.modes;
        self.rounding = block.rounding;
        self.stale = false;
        self.spilled = 0;
        self.begin_block(block, number as u32, label);
        let own = Target {
            ip: block.ip,
            block: Some(number as u32),
        };
        if self.channels == Channels::Any
            && let Some(own) = Place::of(blocks, own)
        {
            // Those that wait at the begin wake. Where some wait further on, the caller goes on.
            let begin = self.aside(Aside::Begin(own, block.first));
            let end = block.end_ip as i32;
            dynasm!(self.ops ; cmp DWORD [BYTE rbx + NEXT_WAKE], end ; jb =>begin);
        }
        if count > 0 {
            let ends = self.aside(Aside::End(block.first, count));
            self.change(SUBTRACT, LEFT, count);
            dynasm!(self.ops ; jb =>ends);
            self.change(ADD, CHANNELS, block.channels as i32);
        }
        self.begin_debts(block, number);
        let shares = self.products(&block.steps);
        // How many of those that follow are done with one before them.
        let mut done = 0;
        for (index, (step, share)) in block.steps.iter().zip(shares).enumerate() {
            let op = block.first + index as u32;
            let rest = &block.steps[index..];
            self.begin_step(index);
            if done == 0 && !self.finds_registers(step, share) {
                self.settle_step(step);
            }
            match step {
                _ if done > 0 => done -= 1,
                Step::Nothing => {}
                Step::Memory(step) => self.memory(step, op),
                Step::Block(step) => self.block_access(step, op),
                Step::Atomic(step) => self.atomic(step, op),
                Step::Indirect(step) => self.indirect(step, op),
                Step::Staged(step) => self.staged(step, op),
                Step::Fence(step) => self.fence(step, is_last(&rest[1..], &block.end)),
                Step::Signal(step) => self.signal(step, op),
                Step::Control(value, rounding) => self.control(*value, *rounding),
                Step::Vector(_) if share == Share::First => {}
                Step::Vector(step) if matches!(share, Share::Second | Share::Accumulates) => {
                    self.product_of(step, share == Share::Accumulates, op);
                }
                Step::Vector(step) if step.changes_nothing() => {}
                Step::Vector(step) if let Some(more) = self.move_registers(step, rest) => {
                    done = more
                }
                Step::Vector(step) => {
                    let rest = &rest[1..];
                    let known = step.asks_who_executes();
                    let step = known.as_ref().unwrap_or(step);
                    self.predicates = step.flag_bit.is_some_and(|bit| predicates(rest, bit));
                    self.replaced = self.predicates && self.is_replaced(step, rest);
                    let done = self.one_channel(step)
                        || self.wide_vector(step)
                        || self.words(step)
                        || self.vector(step);
                    if !done {
                        self.call(op);
                    }
                }
                Step::Call => self.call(op),
            }
        }
        self.end_debts(block.steps.len());
        let last = block.first + block.steps.len() as u32;
        match &block.end {
            End::Leave => self.leave_at(last),
            End::Thread(channels) => self.end_thread(*channels, last),
            End::Next(next) => self.next(*next, last, (blocks, number)),
            End::Branch(branch) => self.branch(branch, last, (blocks, number)),
        }
    }

    /// `add` or `sub` of a number, which may have one byte, and a qword of the frame: the assembler has four bytes.
    fn change(&mut self, digit: u8, at: i8, by: i32) {
        let place = 0x40 | digit << 3 | general::RBX;
        match i8::try_from(by) {
            Ok(by) => {
                for byte in [0x48, 0x83, place, at as u8, by as u8] {
                    self.ops.push(byte);
                }
            }
            Err(_) => {
                for byte in [0x48, 0x81, place, at as u8] {
                    self.ops.push(byte);
                }
                self.ops.push_i32(by);
            }
        }
    }

    /// Whether a step looks for what it reads in host registers, and tells what they hold after it.
    fn finds_registers(&self, step: &Step, share: Share) -> bool {
        self.isa >= HostIsa::Avx512
            && match step {
                Step::Vector(step) => {
                    let known = step.asks_who_executes();
                    share == Share::None
                        && step.request.accumulator.is_none()
                        && self.is_wide(known.as_ref().unwrap_or(step))
                }
                Step::Memory(step) => step.is_usual() && step.channels > 1,
                Step::Nothing | Step::Control(..) => true,
                _ => false,
            }
    }

    /// Copies registers if a step does, with those after it that go on with it: their number.
    fn move_registers(&mut self, step: &VectorStep, steps: &[Step]) -> Option<usize> {
        if self.isa < HostIsa::Avx512 {
            let (copy, count) = moves::run(steps)?;
            let done = self.narrow_move(copy, &step.masking, step.request.lanes);
            return done.then_some(count - 1);
        }
        let (copy, count) = moves::run(steps).or_else(|| Some((step.moves()?, 1)))?;
        if count > 1 {
            for at in [copy.from, copy.to] {
                self.settle(at..at + copy.bytes);
            }
        }
        let done = self.wide_move(copy, &step.masking, step.request.lanes);
        if done && count > 1 {
            // This step does not say who reads what the others write.
            self.settle(copy.to..copy.to + copy.bytes);
        }
        done.then_some(count - 1)
    }

    /// Leaves; `at` is next.
    pub(crate) fn leave_at(&mut self, at: u32) {
        let leave = self.leave;
        dynasm!(self.ops ; mov DWORD [rbx + AT], at as i32 ; jmp =>leave);
    }

    /// Stores to cr0.0.
    fn control(&mut self, value: u32, rounding: Rounding) {
        if rounding != self.rounding {
            self.round(rounding);
            self.rounding = rounding;
        }
        let at = self.layout.control;
        dynasm!(self.ops ; mov DWORD [r12 + at as i32], value as i32);
        self.forget(at..at + 4);
    }

    /// Sets the host's rounding mode.
    pub(crate) fn round(&mut self, rounding: Rounding) {
        let label = self.literal(mxcsr(rounding).into(), 4);
        dynasm!(self.ops ; ldmxcsr [=>label]);
    }

    /// Sets the host's rounding mode to what callbacks expect.
    pub(crate) fn round_for_call(&mut self) {
        if self.rounding != Rounding::Nearest {
            self.round(Rounding::Nearest);
        }
    }

    /// Sets the host's rounding mode to the block's.
    pub(crate) fn round_after_call(&mut self) {
        if self.rounding != Rounding::Nearest {
            self.round(self.rounding);
        }
    }

    /// Calls back for a step.
    pub(crate) fn call(&mut self, op: u32) {
        self.settle_all();
        self.call_back(op);
        self.forget_all();
    }

    pub(crate) fn call_back(&mut self, op: u32) {
        let done = self.ops.new_dynamic_label();
        let over = self.ops.new_dynamic_label();
        self.round_for_call();
        dynasm!(self.ops
            ; vzeroupper
            ; mov rdi, rbx
            ; mov esi, op as i32
            ; call QWORD [rbx + STEP]
            ; test eax, eax
            ; jz =>done
            ; cmp eax, 1
            ; jne =>over
        );
        self.leave_at(op);
        dynasm!(self.ops ; =>over);
        self.leave_at(op | AFTER);
        dynasm!(self.ops ; =>done);
        self.reload_flags();
        self.round_after_call();
    }

    /// Registers hold nothing that is known.
    pub(crate) fn forget_all(&mut self) {
        self.pool.clear();
        self.wide.clear();
        self.kept.clear();
        self.whole = None;
    }

    /// Register bytes change: registers no longer hold them.
    pub(crate) fn forget(&mut self, range: Range<u32>) {
        self.whole = self.whole.filter(|whole| !whole.overlaps(&range));
        self.pool.written(range.clone());
        self.kept.written(range.clone());
        self.wide.written(range);
    }

    /// Computes which of an op's channels are written.
    pub(crate) fn mask(&mut self, masking: &Masking, lanes: u8) -> Chosen {
        let size = u32::MAX >> (32 - u32::from(lanes.clamp(1, 32)));
        let offset = u32::from(masking.channel_offset);
        let known = match self.channels {
            _ if masking.no_mask => Some(size),
            Channels::All(active) => Some(active >> offset & size),
            Channels::Any => None,
        };
        if known == Some(size) && masking.predicate.is_none() {
            return Chosen::All;
        }
        match known {
            Some(mask) => dynasm!(self.ops ; mov esi, mask as i32),
            None if offset == 0 && size == 0xff => dynasm!(self.ops ; movzx esi, r13b),
            None if offset == 0 && size == 0xffff => dynasm!(self.ops ; movzx esi, r13w),
            None => {
                dynasm!(self.ops ; mov esi, r13d);
                if offset != 0 {
                    dynasm!(self.ops ; shr esi, offset as i8);
                }
                if size != u32::MAX {
                    dynasm!(self.ops ; and esi, size as i32);
                }
            }
        }
        if let Some(predicate) = masking.predicate {
            self.predicate_to_ecx(predicate, offset, lanes.into());
            dynasm!(self.ops ; and esi, ecx);
        }
        Chosen::InEsi
    }

    /// The place of a value of `lane` bytes.
    pub(crate) fn literal(&mut self, value: u64, lane: usize) -> DynamicLabel {
        let ops = &mut self.ops;
        *self
            .literals
            .entry((value, lane))
            .or_insert_with(|| ops.new_dynamic_label())
    }

    /// The place of these, as many as a vector register has.
    pub(crate) fn table(&mut self, qwords: &[u64]) -> DynamicLabel {
        let ops = &mut self.ops;
        *self
            .tables
            .entry(qwords.to_vec())
            .or_insert_with(|| ops.new_dynamic_label())
    }

    /// The place of 32 bytes whose lanes of `lane` bytes have one bit each, from bit `first` on.
    pub(crate) fn lane_bits(&mut self, first: usize, lane: usize) -> DynamicLabel {
        let ops = &mut self.ops;
        *self
            .bits
            .entry((first, lane))
            .or_insert_with(|| ops.new_dynamic_label())
    }

    /// The place of 64 bytes whose dwords are the offsets of consecutive elements of so many bytes,
    /// where the first one is there.
    pub(crate) fn offsets(&mut self, first: u32, element: u8) -> DynamicLabel {
        let ops = &mut self.ops;
        *self
            .offsets
            .entry((first, element))
            .or_insert_with(|| ops.new_dynamic_label())
    }

    /// The code, with its constants after it, and where its blocks begin; `None` if it ran out of registers, which would
    /// be a fault of the planner.
    pub fn finish(mut self) -> Option<(Vec<u8>, Vec<AssemblyOffset>)> {
        for detour in core::mem::take(&mut self.detours) {
            self.detour(&detour);
        }
        self.translate_carries();
        self.translate_asides();
        self.translate_copies();
        self.translate_narrow_copies();
        self.ops.align(32, 0xcc);
        for (&(first, lane), &label) in &self.bits {
            dynasm!(self.ops ; =>label);
            for index in 0..32 / lane {
                let bit = 1u64.checked_shl((first + index) as u32).unwrap_or_default();
                match lane {
                    2 => self.ops.push_u16(bit as u16),
                    8 => self.ops.push_u64(bit),
                    _ => self.ops.push_u32(bit as u32),
                }
            }
        }
        for (qwords, &label) in &self.tables {
            dynasm!(self.ops ; =>label);
            for qword in qwords {
                self.ops.push_u64(*qword);
            }
        }
        for (&(first, element), &label) in &self.offsets {
            dynasm!(self.ops ; =>label);
            for index in 0..16 {
                self.ops.push_u32(first + index * u32::from(element));
            }
        }
        for (&(value, lane), &label) in &self.literals {
            dynasm!(self.ops ; =>label);
            if lane == 8 {
                self.ops.push_u64(value);
            } else {
                self.ops.push_u32(value as u32);
            }
        }
        let pools = [&self.pool, &self.wide, &self.kept];
        if pools.iter().any(|pool| pool.is_exhausted()) {
            return None;
        }
        let labels = self.ops.labels();
        let starts = self
            .labels
            .iter()
            .map(|label| labels.resolve_dynamic(*label));
        let starts = starts.collect::<Result<_, _>>().ok()?;
        Some((self.ops.finalize().ok()?, starts))
    }
}

impl core::fmt::Debug for Translator {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Translator").finish_non_exhaustive()
    }
}

//! Results that only a host register has: they are owed to the register bytes in memory.
//!
//! The registers of AVX-512 hold what was computed and loaded. It is stored where too few registers are left, where something reads it that does not look at host registers, where host code is left, and at the end of a
//! block. What nothing reads any more by then (`live`) is never stored: most results are read once, soon, and by
//! operations that find them in their registers, and a store of a whole register takes the host's processor longer than
//! most operations do.

use core::ops::Range;

use crate::evex::{Lanes, Operand, VMOVDQU32_STORE, VMOVQ_STORE};
use crate::live::{DWORDS, Lives};
use crate::model::{Block, Step};
use crate::registers::{Content, Pool, Zmm};
use crate::translate::Translator;
use crate::wide::BYTES;

/// How many registers are free of what is owed where a step begins: it takes what it needs from these. Where it has
/// several ways, each must leave what is owed where the others have it.
const ROOM: u8 = 11;

/// What a register holds that memory has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owed {
    pub register: Zmm,
    pub at: u32,
    pub bytes: u8,
}

impl Owed {
    /// The register bytes.
    pub fn range(&self) -> Range<u32> {
        self.at..self.at + u32::from(self.bytes)
    }
}

/// When the present block's results are stored.
#[derive(Debug, Default)]
pub(crate) struct Debts {
    /// `None` if at once.
    lives: Option<Lives>,
    /// See [`Lives::uses`].
    uses: Vec<u32>,
    /// The present step has several ways.
    parted: bool,
    /// What was owed where they part.
    before: Vec<Owed>,
}

impl Debts {
    pub fn new(lives: Lives) -> Self {
        Self {
            lives: Some(lives),
            ..Self::default()
        }
    }
}

impl Translator {
    /// Begins a block.
    pub(crate) fn begin_debts(&mut self, block: &Block, number: usize) {
        self.wide.now = 0;
        let lives = self.debts.lives.as_ref();
        self.debts.uses =
            lives.map_or_else(Vec::new, |lives| lives.uses(number, block, &self.layout));
    }

    /// Goes on with the step of this number: stores what was not used for the longest time where too much is owed.
    pub(crate) fn begin_step(&mut self, index: usize) {
        self.wide.now = index as u32;
        while let Some(owed) = self.wide.crowds(Pool::COUNT - ROOM) {
            self.pay(owed);
        }
    }

    /// A register for a new value, pinned. There is one that owes nothing, or the translation is given up.
    pub(crate) fn wide_take(&mut self) -> Zmm {
        if self.wide.evicts().is_some() {
            self.wide.give_up();
        }
        self.wide.take()
    }

    fn pay(&mut self, owed: Owed) {
        let store = if owed.bytes < 16 {
            VMOVQ_STORE
        } else {
            VMOVDQU32_STORE
        };
        let value = (owed.register, Lanes::All);
        self.evex(
            store,
            owed.bytes.into(),
            value,
            0,
            Operand::registers(owed.at),
        );
        self.wide.paid(owed.register);
    }

    /// Stores what is owed of these register bytes.
    pub(crate) fn settle(&mut self, range: Range<u32>) {
        if self.debts.parted && self.wide.owes(&range).is_some() {
            // Other ways would not know.
            return self.wide.give_up();
        }
        while let Some(owed) = self.wide.owes(&range) {
            self.pay(owed);
        }
    }

    /// Stores all that is owed.
    pub(crate) fn settle_all(&mut self) {
        self.settle(0..u32::MAX);
    }

    /// Stores what a step reads or writes that does not look at host registers.
    pub(crate) fn settle_step(&mut self, step: &Step) {
        if !self.wide.is_in_debt() {
            return;
        }
        let mut touched = Vec::new();
        if !step.touches(self.channels, &mut |touch| touched.push(touch.bytes())) {
            return self.settle_all();
        }
        let one = matches!(step, Step::Vector(step) if step.request.lanes == 1);
        for bytes in touched {
            // Lanes may have a little more than the elements, and registers of AVX2 have 32 bytes.
            let first = bytes.start & !7;
            let unit = if one { 8 } else { 32 };
            self.settle(first..first + (bytes.end - first).next_multiple_of(unit));
        }
    }

    /// Before a step that looks for them in pieces of so many bytes: stores what is not to be found so.
    pub(crate) fn settle_pieces(&mut self, range: Range<u32>, bytes: usize) {
        for at in range.clone().step_by(bytes.max(1)) {
            if !self.finds(at, bytes) {
                self.settle(at..range.end.min(at + bytes as u32));
            }
        }
    }

    /// Whether so many register bytes from there on are in a register, or in the halves of one.
    fn finds(&self, at: u32, bytes: usize) -> bool {
        let held = |at, bytes| self.wide.held(Content::Bytes(at, bytes)).is_some();
        let longer = [64u8, 32, 16, 8].into_iter();
        let mut longer = longer.filter(|&longer| usize::from(longer) >= bytes);
        longer.any(|bytes| held(at, bytes))
            || bytes == 32 && at.checked_sub(32).is_some_and(|lower| held(lower, 64))
            || bytes == BYTES && held(at, 32) && held(at + 32, 32)
    }

    /// These register bytes are what `register` holds now. They are stored at once, or owed.
    pub(crate) fn hold(&mut self, register: Zmm, at: u32, bytes: usize) {
        if let Some(other) = self.wide.owed_by(register) {
            self.pay(other);
        }
        self.wide.set(register, Content::Bytes(at, bytes as u8));
        let owed = Owed {
            register,
            at,
            bytes: bytes as u8,
        };
        let end = at + bytes as u32;
        let general = self.layout.general..self.layout.general + 4 * DWORDS as u32;
        let owes = general.contains(&at) && end <= general.end && !self.has_flags(&(at..end));
        match self.debts.uses.get(self.wide.now as usize) {
            Some(&last) if owes && !self.debts.parted => self.wide.owe(register, last),
            _ => self.pay(owed),
        }
    }

    /// All of `range` is written: what is owed of parts of it is not any more. What is owed of more than that is stored.
    pub(crate) fn replace(&mut self, range: &Range<u32>) {
        for owed in self.wide.all_owed() {
            let own = owed.range();
            let is_part = range.start <= own.start && own.end <= range.end;
            if own.start < range.end && range.start < own.end && !is_part {
                self.pay(owed);
            }
        }
    }

    /// Begins a step that has several ways.
    pub(crate) fn part_ways(&mut self) {
        self.debts.parted = true;
        self.debts.before = self.wide.all_owed();
    }

    /// All ways have come to one place.
    pub(crate) fn join_ways(&mut self) {
        self.debts.parted = false;
    }

    /// The ways of a step meet: what was owed where they parted.
    pub(crate) fn meet_ways(&mut self) -> Vec<Owed> {
        self.debts.parted = false;
        core::mem::take(&mut self.debts.before)
    }

    /// On the way to the caller: stores what is owed.
    pub(crate) fn pay_detour(&mut self, owed: &[Owed]) {
        for &one in owed {
            self.pay(one);
        }
    }

    /// Ends a block: what is read in those that may follow is stored.
    pub(crate) fn end_debts(&mut self, steps: usize) {
        self.wide.now = steps as u32;
        self.settle_all();
        self.debts.uses.clear();
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::{
        Element, HostIsa, Input, Modes, Modifiers, Operation, Output, Place, Region, Request,
    };

    use super::*;
    use crate::model::{Channels, End, Layout, Masking, Rounding, VectorStep};

    /// A sum of sixteen dwords of two registers.
    fn sum(to: u32, sources: [u32; 2]) -> Step {
        let source = |register: u32| Input {
            element: Element::Ud,
            place: Place::Registers(Region {
                at: 2048 + 64 * register,
                width: 16,
                vertical: 0,
                horizontal: 4,
            }),
            modifiers: Modifiers::default(),
        };
        Step::Vector(Box::new(VectorStep {
            request: Request {
                operation: Operation::Add,
                lanes: 16,
                sources: [Some(source(sources[0])), Some(source(sources[1])), None],
                output: Output {
                    element: Element::Ud,
                    at: Some(2048 + 64 * to),
                    stride: 4,
                },
                condition: None,
                saturate: false,
                accumulator: None,
            },
            masking: Masking::OF_TESTS,
            flag_bit: None,
        }))
    }

    /// How many stores of whole registers the code of a block has.
    fn stores(steps: &[Step], end: End, lazy: bool) -> usize {
        let layout = Layout {
            general: 2048,
            observed: false,
            ..Layout::OF_TESTS
        };
        let blocks = [Block {
            first: 0,
            enabled: Channels::All(0xffff),
            twin: None,
            ip: 0,
            end_ip: 16,
            modes: Modes::default(),
            rounding: Rounding::Nearest,
            steps: steps.to_vec(),
            channels: 0,
            end,
        }];
        let mut translator = match lazy {
            true => Translator::lazy(layout, &blocks, HostIsa::Avx512),
            false => Translator::new(layout, &blocks, HostIsa::Avx512),
        };
        translator.frame();
        translator.threads();
        translator.turns();
        translator.block(&blocks, 0);
        let (code, _) = translator.finish().expect("it assembles");
        // `vmovdqu32` to memory.
        let is_store = |code: &&[u8]| code[0] == 0x62 && code[4] == 0x7f;
        code.windows(5).filter(is_store).count()
    }

    #[test]
    fn what_nothing_reads_any_more_is_not_stored() {
        let mut chain: Vec<_> = (1..40).map(|to| sum(to, [to - 1, 0])).collect();
        assert_eq!(stores(&chain, End::Thread(8), false), 39);
        assert_eq!(stores(&chain, End::Thread(8), true), 0);
        // Whoever goes on may read all of it.
        assert_eq!(stores(&chain, End::Leave, true), 39);
        // So may the caller, of what was there before its step.
        chain.insert(20, Step::Call);
        assert_eq!(stores(&chain, End::Thread(8), true), 20);
    }

    #[test]
    fn what_is_read_at_last_gives_its_register_up_first() {
        // More results than registers, all of which are read in the end.
        let mut many: Vec<_> = (1..30).map(|to| sum(to, [0, 0])).collect();
        many.extend((1..30).map(|from| sum(60, [from, 60])));
        let stored = stores(&many, End::Thread(8), true);
        assert!((14..29).contains(&stored), "{stored}");
    }
}

//! Sources: from registers and constants to lanes.

use dynasmrt::{DynasmLabelApi, dynasm};
use eu_lanes::{Element, Input, Place, Region};

use super::BYTES;
use crate::evex::{
    Evex, LEFT, Lanes, Operand, RIGHT, RIGHT_SIGNED, VBROADCASTI32X8, VMOVDQU32_LOAD, VPABSD,
    VPABSQ, VPANDD, VPBROADCAST_GENERAL, VPBROADCASTD, VPBROADCASTQ, VPERMI2D, VPMOVQD, VPMOVSXBD,
    VPMOVSXBQ, VPMOVSXDQ, VPMOVSXWD, VPMOVSXWQ, VPMOVZXBD, VPMOVZXBQ, VPMOVZXDQ, VPMOVZXWD,
    VPMOVZXWQ, VPSHIFTD, VPSHIFTQ, VPSUBD, VPSUBQ, VPXORD, general,
};
use crate::load::{bytes_before, sign};
use crate::plan::Reading;
use crate::registers::{Content, Zmm};
use crate::translate::Translator;
use crate::vector::Job;

/// Where the elements of one register's lanes are, from the first one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// All the same.
    Splat,
    /// Next to each other.
    Dense,
    /// As far from each other as lanes.
    Spaced,
    /// In every other dword, for lanes of dwords.
    Alternate,
}

impl Shape {
    fn of(job: &Job<'_>, element: Element, region: Region, chunk: usize) -> Option<Self> {
        let first = chunk * job.chunk;
        let count = job.lanes.min(job.chunk);
        let base = region.offset(first);
        let follows = |step: usize| (0..count).all(|i| region.offset(first + i) == base + i * step);
        let size = element.bytes();
        let lane = job.plan.lane;
        match () {
            () if follows(0) => Some(Self::Splat),
            () if follows(size) && size <= lane => Some(Self::Dense),
            () if follows(lane) && size <= lane => Some(Self::Spaced),
            () if follows(8) && lane == 4 && size <= 4 => Some(Self::Alternate),
            () => None,
        }
    }
}

/// Elements that are parts of lanes.
#[derive(Clone, Copy, Debug)]
struct Part {
    element: Element,
    lane: usize,
    /// See [`bytes_before`].
    before: u32,
}

impl Part {
    /// Those of which the first is there.
    fn at(at: u32, element: Element, lane: usize) -> Self {
        Self {
            element,
            lane,
            before: bytes_before(at, element.bytes(), lane),
        }
    }
}

/// The instruction that makes lanes of narrower elements.
const fn extension(lane: usize, element: Element) -> Evex {
    match (lane, element.bytes(), element.is_signed()) {
        (4, 1, false) => VPMOVZXBD,
        (4, 1, true) => VPMOVSXBD,
        (4, _, false) => VPMOVZXWD,
        (4, _, true) => VPMOVSXWD,
        (_, 1, false) => VPMOVZXBQ,
        (_, 1, true) => VPMOVSXBQ,
        (_, 2, false) => VPMOVZXWQ,
        (_, 2, true) => VPMOVSXWQ,
        (_, _, false) => VPMOVZXDQ,
        (_, _, true) => VPMOVSXDQ,
    }
}

impl Translator {
    /// Whether all sources have a form here.
    pub(super) fn loads_wide(job: &Job<'_>) -> bool {
        let mut sources = job.step.request.sources.iter().flatten();
        sources.all(|source| match source.place {
            Place::Constant(_) => true,
            Place::Each(_) => job.plan.lane == 4,
            Place::Registers(region) => {
                let halves = job.plan.reading == Reading::Float && source.element == Element::Hf;
                let wider = source.element.bytes() > job.plan.lane;
                let shaped = |chunk| Shape::of(job, source.element, region, chunk).is_some();
                !halves && !wider && (0..job.chunks()).all(shaped)
            }
        })
    }

    /// The lanes of the sources, modifiers applied, in pinned registers; 0 where there is no source.
    pub(super) fn wide_sources(&mut self, job: &Job<'_>, chunk: usize) -> [Zmm; 3] {
        let mut registers = [0; 3];
        let needed = if job.number_of_bits().is_some() { 1 } else { 3 };
        let sources = job.step.request.sources.iter().flatten().take(needed);
        for (register, source) in registers.iter_mut().zip(sources) {
            *register = self.wide_source(job, source, chunk);
        }
        registers
    }

    fn wide_source(&mut self, job: &Job<'_>, input: &Input, chunk: usize) -> Zmm {
        let lane = job.plan.lane;
        let region = match input.place {
            Place::Constant(raw) => {
                let value = self.constant_lane(job, input, raw);
                return self.wide_constant(value, lane);
            }
            Place::Each(elements) => {
                let values = elements.map(|raw| self.constant_lane(job, input, raw.into()));
                return self.wide_table(values);
            }
            Place::Registers(region) => region,
        };
        let plain = self.wide_load(job, input.element, region, chunk);
        self.modify(job, input, plain)
    }

    /// Dwords of which that of lane `i` is the value `i` modulo 8.
    fn wide_table(&mut self, values: [u64; 8]) -> Zmm {
        let pair = |index: usize| values[index] & u64::from(u32::MAX) | values[index + 1] << 32;
        let label = self.table(&[pair(0), pair(2), pair(4), pair(6)]);
        let register = self.wide_take();
        dynasm!(self.ops ; lea rbp, [=>label]);
        let table = Operand::Memory(general::RBP, 0);
        self.evex(VBROADCASTI32X8, BYTES, (register, Lanes::All), 0, table);
        register
    }

    /// A general register's low bytes in every lane.
    pub(super) fn broadcast_general(&mut self, register: Zmm, from: u8, lane: usize) {
        let instruction = VPBROADCAST_GENERAL.of(lane);
        let to = (register, Lanes::All);
        self.evex(instruction, BYTES, to, 0, Operand::Register(from));
    }

    /// Applies the modifiers of a source, and the modes.
    fn modify(&mut self, job: &Job<'_>, input: &Input, plain: Zmm) -> Zmm {
        let (lane, width) = (job.plan.lane, job.width());
        let reading = job.plan.reading;
        let flushes = reading == Reading::Float && input.element == Element::F && self.flushes();
        if input.modifiers.is_empty() && !flushes {
            return plain;
        }
        let out = self.wide_take();
        let to = (out, Lanes::All);
        let mut from = plain;
        let ones = u64::MAX >> (64 - 8 * lane);
        let absolute = input.modifiers.absolute;
        if absolute && reading == Reading::Float {
            let magnitude = self.wide_constant(sign(lane) - 1, lane);
            self.evex(VPANDD, width, to, from, Operand::Register(magnitude));
            self.wide.release(magnitude);
            from = out;
        }
        if absolute && reading == Reading::Integer && input.element.is_signed() {
            let instruction = if lane == 8 { VPABSQ } else { VPABSD };
            self.evex(instruction, width, to, 0, Operand::Register(from));
            from = out;
        }
        if input.modifiers.negate {
            match reading {
                Reading::Float | Reading::Bits => {
                    let bits = if reading == Reading::Bits {
                        ones
                    } else {
                        sign(lane)
                    };
                    let bits = self.wide_constant(bits, lane);
                    self.evex(VPXORD, width, to, from, Operand::Register(bits));
                    self.wide.release(bits);
                }
                Reading::Integer => {
                    let zero = self.wide_constant(0, 4);
                    let instruction = if lane == 8 { VPSUBQ } else { VPSUBD };
                    self.evex(instruction, width, to, zero, Operand::Register(from));
                    self.wide.release(zero);
                }
            }
            from = out;
        }
        if from != out {
            self.evex(VMOVDQU32_LOAD, width, to, 0, Operand::Register(from));
        }
        if flushes {
            self.wide_flush(out, width);
        }
        self.wide.release(plain);
        out
    }

    /// The elements of a region as lanes, in a pinned register.
    fn wide_load(&mut self, job: &Job<'_>, element: Element, region: Region, chunk: usize) -> Zmm {
        let (lane, size, width) = (job.plan.lane, element.bytes(), job.width());
        let at = region.at + region.offset(chunk * job.chunk) as u32;
        match Shape::of(job, element, region, chunk) {
            Some(Shape::Splat) => return self.wide_splat(element, at, lane),
            Some(Shape::Dense) if size == lane => return self.wide_bytes(at, width),
            _ => {}
        }
        let out = self.wide_take();
        let to = (out, Lanes::All);
        match Shape::of(job, element, region, chunk) {
            Some(Shape::Dense) => {
                let bytes = width / lane * size;
                let known = self.known_bytes(at, bytes);
                if known.is_none() {
                    self.settle(at..at + bytes as u32);
                }
                let from = known.map_or(Operand::registers(at), Operand::Register);
                self.evex(extension(lane, element), width, to, 0, from);
                if let Some(known) = known {
                    self.wide.release(known);
                }
            }
            Some(Shape::Alternate) => {
                let place = Part::at(at, element, lane);
                self.alternate(out, at - place.before, width);
                self.extend(out, out, place, width);
            }
            _ => {
                let place = Part::at(at, element, lane);
                let from = self.wide_bytes(at - place.before, width);
                self.extend(out, from, place, width);
                self.wide.release(from);
            }
        }
        out
    }

    /// Every other dword from there on. Upper halves of qwords are taken from these, as [`Part`]s are.
    pub(super) fn alternate(&mut self, out: Zmm, at: u32, width: usize) {
        let upper = at & 4;
        let (at, to) = (at - upper, (out, Lanes::All));
        if width == BYTES {
            let [low, high] = [at, at + BYTES as u32].map(|at| self.wide_bytes(at, BYTES));
            let places = self.offsets(upper / 4, 2);
            dynasm!(self.ops ; lea rbp, [=>places]);
            let places = Operand::Memory(general::RBP, 0);
            self.evex(VMOVDQU32_LOAD, BYTES, to, 0, places);
            self.evex(VPERMI2D, BYTES, to, low, Operand::Register(high));
            self.wide.release(low);
            self.wide.release(high);
            return;
        }
        let qwords = self.wide_bytes(at, 2 * width);
        let mut from = qwords;
        if upper != 0 {
            let shift = (RIGHT, Lanes::All);
            let register = Operand::Register(from);
            self.evex_with(VPSHIFTQ, 2 * width, shift, out, register, 32);
            from = out;
        }
        let narrow = (from, Lanes::All);
        self.evex(VPMOVQD, 2 * width, narrow, 0, Operand::Register(out));
        self.wide.release(qwords);
    }

    /// Parts of lanes, extended by their type.
    fn extend(&mut self, out: Zmm, from: Zmm, part: Part, width: usize) {
        let Part {
            element,
            lane,
            before,
        } = part;
        let bits = 8 * (lane - element.bytes()) as u8;
        if bits == 0 {
            if from != out {
                let to = (out, Lanes::All);
                self.evex(VMOVDQU32_LOAD, width, to, 0, Operand::Register(from));
            }
            return;
        }
        let (left, right) = match (lane, element.is_signed()) {
            (8, false) => (VPSHIFTQ, (VPSHIFTQ, RIGHT)),
            (8, true) => (VPSHIFTQ, (VPSHIFTD.of(8), RIGHT_SIGNED)),
            (_, false) => (VPSHIFTD, (VPSHIFTD, RIGHT)),
            (_, true) => (VPSHIFTD, (VPSHIFTD, RIGHT_SIGNED)),
        };
        let all = Lanes::All;
        let mut from = Operand::Register(from);
        let up = bits - 8 * before as u8;
        if up != 0 {
            self.evex_with(left, width, (LEFT, all), out, from, up);
            from = Operand::Register(out);
        }
        let (instruction, right) = right;
        self.evex_with(instruction, width, (right, all), out, from, bits);
    }

    /// One element in every lane, in a pinned register.
    fn wide_splat(&mut self, element: Element, at: u32, lane: usize) -> Zmm {
        let size = element.bytes();
        let content = Content::Splat(at, size as u8);
        // A narrower element is extended by its type, which `content` does not name.
        let names = size == lane;
        if names && let Some(known) = self.wide.find(content) {
            return known;
        }
        self.settle(at..at + size as u32);
        let register = self.wide_take();
        if names {
            let instruction = if lane == 8 {
                VPBROADCASTQ
            } else {
                VPBROADCASTD
            };
            let to = (register, Lanes::All);
            self.evex(instruction, BYTES, to, 0, Operand::registers(at));
            self.wide.set(register, content);
        } else {
            self.scalar(element, at as i32);
            self.broadcast_general(register, general::RAX, lane);
        }
        register
    }
}

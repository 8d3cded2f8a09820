//! Operations on words with AVX2, sixteen at a time: those of which the low half of each result depends on the low halves
//! of the sources alone. Compilers compute the addresses of private arrays in registers so.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use eu_lanes::{Element, HostIsa, Input, Operation, Place};

use crate::model::{Masking, VectorStep};
use crate::registers::{Content, Ymm};
use crate::translate::{Chosen, Translator};

/// Words of a register.
const CHUNK: usize = 16;

/// Bytes of a lane.
const LANE: usize = 2;

/// Bytes of half a register.
const HALF: u8 = 16;

/// Where words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// Each channel has this one.
    Constant(u16),
    /// Channel `i` has the one of this number, modulo 8.
    Each([u16; 8]),
    /// Each channel has the one at this place.
    Splat(u32),
    /// They follow each other.
    Packed(u32),
    /// They are the halves of dwords that follow each other, the low ones or the high ones.
    OfDwords(u32),
}

impl Words {
    /// The low words of a source, of which the sign is left to the operation; `None` if it has no form here.
    fn of(input: &Input, lanes: usize) -> Option<Self> {
        let element = input.element;
        if element.is_float() || element.bytes() == 8 || input.modifiers.absolute {
            return None;
        }
        let region = match input.place {
            Place::Constant(raw) => return Some(Self::Constant(element.extend(raw) as u16)),
            Place::Each(elements) => {
                let word = |raw: u32| element.extend(raw.into()) as u16;
                return Some(Self::Each(elements.map(word)));
            }
            Place::Registers(region) => region,
        };
        let follows = |step| (0..lanes).all(|lane| region.offset(lane) == step * lane);
        match element.bytes() {
            1 => None,
            _ if follows(0) => Some(Self::Splat(region.at)),
            2 if follows(2) => Some(Self::Packed(region.at)),
            _ => follows(4).then_some(Self::OfDwords(region.at)),
        }
    }
}

/// Whether `-` is a complement.
const fn has_bits(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Not | Operation::And | Operation::Or | Operation::Xor
    )
}

impl Translator {
    /// Translates an operation on words; false if it has no form here.
    pub(crate) fn words(&mut self, step: &VectorStep) -> bool {
        let request = &step.request;
        let lanes = usize::from(request.lanes);
        let output = &request.output;
        let computes = match request.operation {
            Operation::Shl => {
                let count = request.sources[1].as_ref().and_then(Input::value);
                count.is_some_and(|count| count & 31 < 16)
            }
            Operation::Mov | Operation::Add | Operation::Add3 | Operation::Mul | Operation::Mad => {
                true
            }
            operation => has_bits(operation),
        };
        let plain = computes
            && self.isa < HostIsa::Avx512
            && matches!(output.element, Element::W | Element::Uw)
            && output.stride == 2
            && matches!(lanes, 8 | 16 | 32)
            && !request.saturate
            && request.condition.is_none()
            && request.accumulator.is_none()
            && step.flag_bit.is_none();
        let Some(at) = output.at.filter(|_| plain) else {
            return false;
        };
        let end = at + (LANE * lanes) as u32;
        if self.has_flags(&(at..end)) {
            return false;
        }
        let mut sources = [None; 3];
        for (slot, source) in sources.iter_mut().zip(request.sources.iter().flatten()) {
            let Some(words) = Words::of(source, lanes) else {
                return false;
            };
            *slot = Some((words, source.modifiers.negate));
        }
        let chunks = lanes.div_ceil(CHUNK);
        let mut results = [0; 2];
        for (chunk, result) in results.iter_mut().enumerate().take(chunks) {
            *result = self.compute_words(step, &sources, chunk);
        }
        let mut masked = None;
        if !self.is_whole(&step.masking, request.lanes) {
            masked = Some(self.word_masks(&step.masking, lanes, chunks));
        }
        for (chunk, &result) in results.iter().enumerate().take(chunks) {
            let at = at + 32 * chunk as u32;
            let mask = masked.map(|masks| masks[chunk]);
            self.store_words(result, at, lanes.min(CHUNK), mask);
        }
        self.pool.release_all();
        true
    }

    /// The lanes of the channels that are written, in pinned registers.
    fn word_masks(&mut self, masking: &Masking, lanes: usize, chunks: usize) -> [Ymm; 2] {
        let mut masks = [0; 2];
        let mut in_esi = false;
        for (chunk, out) in masks.iter_mut().enumerate().take(chunks) {
            let first = CHUNK * chunk;
            let mask = self.lane_mask(masking, lanes, first, LANE);
            if let Some(known) = mask.and_then(|mask| self.kept_mask(mask)) {
                *out = known;
                continue;
            }
            if !in_esi && self.mask(masking, lanes as u8) == Chosen::All {
                // All of them, after all.
                dynasm!(self.ops ; mov esi, -1);
            }
            in_esi = true;
            *out = self.mask_of_esi(masking, lanes, first, LANE);
        }
        masks
    }

    /// What is computed of the words of one register, in a pinned register.
    fn compute_words(
        &mut self,
        step: &VectorStep,
        sources: &[Option<(Words, bool)>; 3],
        chunk: usize,
    ) -> Ymm {
        let operation = step.request.operation;
        let lanes = usize::from(step.request.lanes);
        let needed = if operation == Operation::Shl { 1 } else { 3 };
        let mut loaded = [0; 3];
        let mut count = 0;
        for &(words, negates) in sources.iter().flatten().take(needed) {
            loaded[count] = self.load_words((words, negates), has_bits(operation), lanes, chunk);
            count += 1;
        }
        let [a, b, c] = loaded;
        if operation == Operation::Mov {
            return a;
        }
        let out = self.pool.take();
        match operation {
            Operation::Not => {
                let ones = self.constant(u64::from(u32::MAX), 4);
                dynasm!(self.ops ; vpxor Ry(out), Ry(a), Ry(ones));
                self.pool.release(ones);
            }
            Operation::And => dynasm!(self.ops ; vpand Ry(out), Ry(a), Ry(b)),
            Operation::Or => dynasm!(self.ops ; vpor Ry(out), Ry(a), Ry(b)),
            Operation::Xor => dynasm!(self.ops ; vpxor Ry(out), Ry(a), Ry(b)),
            Operation::Add => dynasm!(self.ops ; vpaddw Ry(out), Ry(a), Ry(b)),
            Operation::Add3 => dynasm!(self.ops
                ; vpaddw Ry(out), Ry(a), Ry(b)
                ; vpaddw Ry(out), Ry(out), Ry(c)
            ),
            Operation::Mul => dynasm!(self.ops ; vpmullw Ry(out), Ry(a), Ry(b)),
            Operation::Mad => dynasm!(self.ops
                ; vpmullw Ry(out), Ry(b), Ry(c)
                ; vpaddw Ry(out), Ry(out), Ry(a)
            ),
            _ => {
                let count = step.request.sources[1].as_ref().and_then(Input::value);
                let count = (count.unwrap_or_default() & 31) as i8;
                dynasm!(self.ops ; vpsllw Ry(out), Ry(a), count);
            }
        }
        for &used in &loaded[..count] {
            self.pool.release(used);
        }
        out
    }

    /// The words of a source, negated or complemented if it says so, in a pinned register.
    fn load_words(
        &mut self,
        (words, negates): (Words, bool),
        bits: bool,
        lanes: usize,
        chunk: usize,
    ) -> Ymm {
        let twice = |word: u16| u64::from(word) * 0x1_0001;
        let change = |word: u16| match (negates, bits) {
            (false, _) => word,
            (true, false) => word.wrapping_neg(),
            (true, true) => !word,
        };
        let half = lanes < CHUNK;
        let begin = |at: u32, bytes: u32| at + chunk as u32 * bytes;
        let plain = match words {
            Words::Constant(word) => return self.constant(twice(change(word)), 4),
            Words::Each(words) => {
                let words = words.map(|word| u64::from(change(word)));
                let four = |first: usize| {
                    let words = words[first..first + 4].iter().rev();
                    words.fold(0, |all, word| all << 16 | word)
                };
                let [low, high] = [four(0), four(4)];
                let label = self.table(&[low, high, low, high]);
                let out = self.pool.take();
                dynasm!(self.ops ; vmovdqu Ry(out), [=>label]);
                return out;
            }
            Words::Splat(at) => {
                let out = self.pool.take();
                dynasm!(self.ops ; vpbroadcastw Ry(out), [r12 + at as i32]);
                out
            }
            Words::Packed(at) if half => {
                let lengths = [32, HALF].into_iter();
                let known = lengths.filter_map(|bytes| self.pool.find(Content::Bytes(at, bytes)));
                known.last().unwrap_or_else(|| {
                    let out = self.pool.take();
                    dynasm!(self.ops ; vmovdqu Rx(out), [r12 + at as i32]);
                    out
                })
            }
            Words::Packed(at) => self.packed_words(begin(at, 32)),
            Words::OfDwords(at) => {
                let out = self.pool.take();
                self.halves_of_dwords(out, begin(at, 64));
                if half {
                    dynasm!(self.ops ; vpackusdw Ry(out), Ry(out), Ry(out));
                } else {
                    let high = self.pool.take();
                    self.halves_of_dwords(high, begin(at, 64) + 32);
                    dynasm!(self.ops ; vpackusdw Ry(out), Ry(out), Ry(high));
                    self.pool.release(high);
                }
                dynasm!(self.ops ; vpermq Ry(out), Ry(out), 0xd8u8 as i8);
                out
            }
        };
        if !negates {
            return plain;
        }
        let out = self.pool.take();
        if bits {
            let ones = self.constant(u64::from(u32::MAX), 4);
            dynasm!(self.ops ; vpxor Ry(out), Ry(plain), Ry(ones));
            self.pool.release(ones);
        } else {
            let zero = self.constant(0, 4);
            dynasm!(self.ops ; vpsubw Ry(out), Ry(zero), Ry(plain));
            self.pool.release(zero);
        }
        self.pool.release(plain);
        out
    }

    /// Sixteen words that follow each other, in a pinned register. A load of both halves would wait for stores of each.
    fn packed_words(&mut self, at: u32) -> Ymm {
        let halves = [at, at + u32::from(HALF)];
        let [low, high] = halves.map(|at| self.pool.find(Content::Bytes(at, HALF)));
        if low.is_none() && high.is_none() {
            return self.bytes(at);
        }
        let out = self.pool.take();
        if low.is_none() {
            dynasm!(self.ops ; vmovdqu Rx(out), [r12 + at as i32]);
        }
        let from = low.unwrap_or(out);
        match high {
            Some(high) => dynasm!(self.ops ; vinserti128 Ry(out), Ry(from), Rx(high), 1),
            None => dynasm!(self.ops ; vinserti128 Ry(out), Ry(from), [r12 + at as i32 + 16], 1),
        }
        for used in [low, high].into_iter().flatten() {
            self.pool.release(used);
        }
        self.pool.set(out, Content::Bytes(at, 32));
        out
    }

    /// The halves of eight dwords that begin there, extended with zeroes. Whole dwords are loaded: see
    /// [`bytes_before`](crate::load::bytes_before).
    fn halves_of_dwords(&mut self, out: Ymm, at: u32) {
        let high = at & 2;
        let dwords = self.bytes(at - high);
        if high == 0 {
            let low = self.constant(0xffff, 4);
            dynasm!(self.ops ; vpand Ry(out), Ry(dwords), Ry(low));
            self.pool.release(low);
        } else {
            dynasm!(self.ops ; vpsrld Ry(out), Ry(dwords), 16);
        }
        self.pool.release(dwords);
    }

    /// Stores eight words or sixteen, those of a mask if there is one.
    fn store_words(&mut self, result: Ymm, at: u32, lanes: usize, mask: Option<Ymm>) {
        let to = at as i32;
        let content = Content::Bytes(at, 32);
        let mut value = result;
        if let Some(mask) = mask {
            value = self.pool.take();
            let known = self.pool.find(content).filter(|_| lanes == CHUNK);
            let before = known.unwrap_or(value);
            match known {
                Some(_) => {}
                None if lanes == CHUNK => dynasm!(self.ops ; vmovdqu Ry(value), [r12 + to]),
                None => dynasm!(self.ops ; vmovdqu Rx(value), [r12 + to]),
            }
            dynasm!(self.ops ; vpblendvb Ry(value), Ry(before), Ry(result), Ry(mask));
            if let Some(known) = known {
                self.pool.release(known);
            }
        }
        self.forget(at..at + (LANE * lanes) as u32);
        if lanes < CHUNK {
            dynasm!(self.ops ; vmovdqu [r12 + to], Rx(value));
        } else {
            dynasm!(self.ops ; vmovdqu [r12 + to], Ry(value));
        }
        // What is known to hold something else holds that still.
        if !self.pool.holds(value) {
            let bytes = (LANE * lanes) as u8;
            self.pool.set(value, Content::Bytes(at, bytes));
        }
        if value != result {
            self.pool.release(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::{Modifiers, Output, Region, Request};

    use super::*;
    use crate::model::{Channels, Layout};

    /// Sixteen words are one register, under one mask, that is made once.
    #[test]
    fn words_have_short_code() {
        let from = |at, element: Element| Input {
            element,
            place: Place::Registers(Region {
                at,
                width: 16,
                vertical: 64,
                horizontal: element.bytes() as u16,
            }),
            modifiers: Modifiers::default(),
        };
        let step = |element| VectorStep {
            request: Request {
                operation: Operation::Add,
                lanes: 16,
                sources: [
                    Some(from(2048, element)),
                    Some(from(4096, Element::W)),
                    None,
                ],
                output: Output {
                    element: Element::Uw,
                    at: Some(8192),
                    stride: 2,
                },
                condition: None,
                saturate: false,
                accumulator: None,
            },
            masking: Masking::OF_TESTS,
            flag_bit: None,
        };
        let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx2);
        translator.channels = Channels::Any;
        let mut length = |element| {
            let before = translator.ops.offset().0;
            assert!(translator.words(&step(element)));
            translator.ops.offset().0 - before
        };
        assert!(length(Element::Uw) <= 100);
        assert!(length(Element::Uw) <= 24, "all is known");
        assert!(length(Element::Ud) <= 70);
    }
}

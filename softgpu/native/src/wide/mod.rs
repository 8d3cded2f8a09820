//! Operations on channels with AVX-512: sixteen dwords or eight qwords at a time, under mask registers.
//!
//! What has no form here is translated as for AVX2. Values live in zmm16 to zmm31, which nothing else uses;
//! k1 may have the channels of a chunk that are written, k2 and k3 are temporary, the others keep masks (`masks`); edi
//! collects flags.

mod accumulator;
mod compute;
mod held;
mod load;
mod masked;
mod masks;
mod memory;
mod moves;
mod pieces;
mod store;
mod strides;
mod waits;

pub(crate) use masks::{KEPT, KEPT_COUNT};
pub(crate) use moves::Copying;

use dynasmrt::{DynasmApi, dynasm};
use eu_lanes::{Accumulator, HostIsa};

use crate::evex::{
    K, LEFT, Lanes, Operand, RIGHT, RIGHT_SIGNED, VMAXPS, VMINPS, VPANDD, VPMAXSD, VPMINSD,
    VPMINUD, VPSHIFTD, VPTERNLOGD, VPTESTNMD, general,
};
use crate::model::VectorStep;
use crate::plan::{Kind, Order};
use crate::registers::{Content, Zmm};
use crate::store::Target;
use crate::translate::Translator;
use crate::vector::{EXPONENT, Job, SIGN, Written};

/// The channels that are written.
const WRITTEN: K = K(1);
/// Temporary ones.
const FIRST: K = K(2);
const SECOND: K = K(3);

/// The bytes of a register.
pub(crate) const BYTES: usize = 64;

impl Translator {
    /// Whether an operation that uses no accumulator has a form here.
    pub(crate) fn is_wide(&self, step: &VectorStep) -> bool {
        let job = self.job(step, BYTES);
        job.is_some_and(|job| Self::has_wide_form(&job, None))
    }

    fn has_wide_form(job: &Job<'_>, accumulator: Option<Accumulator>) -> bool {
        let output = &job.step.request.output;
        let target = output.at.map(|at| Target::of(output, at));
        job.lanes * job.plan.lane >= 16
            && !job.to_halves()
            && Self::computes_wide(job)
            && Self::loads_wide(job)
            && accumulator.is_none_or(|own| Self::accumulates_wide(job, own))
            && target.is_none_or(|target| Self::stores_wide(job, target))
    }

    /// Translates an operation; false if it has no form here.
    pub(crate) fn wide_vector(&mut self, step: &VectorStep) -> bool {
        if self.isa < HostIsa::Avx512 {
            return false;
        }
        let job = self.job(step, BYTES);
        job.is_some_and(|job| self.wide_translated(&job, step.request.accumulator))
    }

    /// Translates a job that uses these accumulator elements; false if it has no form here.
    pub(crate) fn wide_translated(
        &mut self,
        job: &Job<'_>,
        accumulator: Option<Accumulator>,
    ) -> bool {
        let step = job.step;
        let request = &step.request;
        let target = request.output.at.map(|at| Target::of(&request.output, at));
        if !Self::has_wide_form(job, accumulator) {
            return false;
        }
        // What flags take is in esi.
        let written = if step.flag_bit.is_none() && self.keeps_written(job) {
            Written::Masked
        } else {
            self.written(job)
        };
        let relates = matches!(job.plan.kind, Kind::Compare(_));
        let mut found = [None; 4];
        // Nothing but the blend needs a result.
        let blends = written == Written::Masked
            && step.flag_bit.is_none()
            && accumulator.is_none()
            && target.is_some_and(|target| Self::stores_packed(job, target));
        let mut results = [0; 4];
        // Nothing is computed for flags that all channels set.
        let needed = [
            target.is_some(),
            accumulator.is_some(),
            request.condition.is_some(),
        ]
        .contains(&true);
        let chunks = if needed { job.chunks() } else { 0 };
        for (chunk, result) in results.iter_mut().enumerate().take(chunks) {
            let sources = self.wide_sources(job, chunk);
            if let Kind::Compare(order) = job.plan.kind {
                let [a, b, _] = sources;
                self.wide_relate(
                    FIRST,
                    request.condition,
                    (order, job.width()),
                    (job.plan.lane, [a, b]),
                );
                if let Some(bit) = step.flag_bit {
                    self.collect(FIRST, chunk * job.chunk);
                    found[chunk] = self.note_comparison(job, chunk * job.chunk, bit);
                }
                if target.is_some() {
                    *result = self.wide_take();
                    let to = (*result, Lanes::Zero(FIRST));
                    let instruction = VPTERNLOGD.of(job.plan.lane);
                    self.evex_with(
                        instruction,
                        job.width(),
                        to,
                        *result,
                        Operand::Register(*result),
                        0xff,
                    );
                }
            } else {
                let served = self.served_lanes(job, chunk, written);
                *result = self.wide_compute(job, chunk, sources, (blends, served));
                self.wide_finish(job, *result);
            }
            for source in sources {
                if source != 0 && source != *result {
                    self.wide.release(source);
                }
            }
        }
        match (accumulator, target) {
            (Some(own), _) => self.wide_store_accumulated(job, &results, written, own),
            (None, Some(target)) => self.wide_store(job, &results, written, target),
            (None, None) => {}
        }
        if let Some(bit) = step.flag_bit {
            self.wide_flags(job, &results, (written, bit), relates);
            for (register, mask) in found.into_iter().flatten() {
                self.kept.set(register, Content::Mask(mask));
            }
        }
        self.pool.release_all();
        self.wide.release_all();
        self.kept.release_all();
        true
    }

    /// The lanes for which floats are multiplied and divided: those that are written. What others hold may be denormal
    /// numbers, integers for instance, which the host's processor multiplies by microcode.
    fn served_lanes(&mut self, job: &Job<'_>, chunk: usize, written: Written) -> Lanes {
        let slow = matches!(
            job.plan.kind,
            Kind::Multiply | Kind::MultiplyAdd | Kind::Divide | Kind::Inverse | Kind::SquareRoot
        );
        match job.plan.float && slow && written == Written::Masked {
            true => {
                let lanes = job.lanes.min(job.chunk);
                Lanes::Zero(self.written_lanes(job, chunk * job.chunk, lanes))
            }
            false => Lanes::All,
        }
    }

    /// What a result becomes after it is computed.
    fn wide_finish(&mut self, job: &Job<'_>, out: Zmm) {
        let (lane, width) = (job.plan.lane, job.width());
        if let Some(limits) = job.plan.limits {
            let to = (out, Lanes::All);
            let [low, high] = limits
                .constants(lane)
                .map(|limit| self.wide_constant(limit, lane));
            let least = match limits.order {
                Order::Unsigned => VPMINUD,
                _ => {
                    self.evex(VPMAXSD.of(lane), width, to, out, Operand::Register(low));
                    VPMINSD
                }
            };
            self.evex(least.of(lane), width, to, out, Operand::Register(high));
            self.wide.release(low);
            self.wide.release(high);
        }
        if !job.plan.float {
            return;
        }
        if job.plan.lane == 4 && self.flushes() {
            self.wide_flush(out, width);
        }
        if job.step.request.saturate {
            let (zero, one) = (self.wide_constant(0, 4), self.wide_constant(0x3f80_0000, 4));
            self.evex(
                VMAXPS,
                width,
                (out, Lanes::All),
                out,
                Operand::Register(zero),
            );
            self.evex(
                VMINPS,
                width,
                (out, Lanes::All),
                out,
                Operand::Register(one),
            );
            self.wide.release(zero);
            self.wide.release(one);
        }
    }

    /// Denormals become zeroes of their sign.
    fn wide_flush(&mut self, out: Zmm, width: usize) {
        let exponent = self.wide_constant(EXPONENT, 4);
        let sign = self.wide_constant(SIGN, 4);
        self.evex(
            VPTESTNMD,
            width,
            (FIRST.0, Lanes::All),
            out,
            Operand::Register(exponent),
        );
        self.evex(
            VPANDD,
            width,
            (out, Lanes::Merge(FIRST)),
            out,
            Operand::Register(sign),
        );
        self.wide.release(exponent);
        self.wide.release(sign);
    }

    /// Sets the flag's bits of the written channels. Those of a comparison are in edi.
    fn wide_flags(
        &mut self,
        job: &Job<'_>,
        results: &[Zmm; 4],
        (written, bit): (Written, u8),
        relates: bool,
    ) {
        let request = &job.step.request;
        let shift = u32::from(bit) + u32::from(job.step.masking.channel_offset);
        let all = written == Written::All;
        let size = u32::MAX >> (32 - job.lanes as u32);
        if request.condition.is_none() {
            return self.set_all_flags(shift, job.lanes as u32, all);
        }
        if !relates {
            let element = request.output.element;
            let narrow = !job.plan.float && job.plan.lane == 4 && element.bytes() < 4;
            let order = match (job.plan.float, element.is_signed()) {
                (true, _) => Order::Float,
                (false, true) => Order::Signed,
                (false, false) => Order::Unsigned,
            };
            let zero = self.wide_constant(0, 4);
            for (chunk, &result) in results.iter().enumerate().take(job.chunks()) {
                let width = job.width();
                // Of a narrow destination, its own bits count.
                let mut value = result;
                if narrow {
                    value = self.wide_take();
                    let bits = 32 - 8 * element.bytes() as u8;
                    let right = if element.is_signed() {
                        RIGHT_SIGNED
                    } else {
                        RIGHT
                    };
                    self.evex_with(
                        VPSHIFTD,
                        width,
                        (LEFT, Lanes::All),
                        value,
                        Operand::Register(result),
                        bits,
                    );
                    self.evex_with(
                        VPSHIFTD,
                        width,
                        (right, Lanes::All),
                        value,
                        Operand::Register(value),
                        bits,
                    );
                }
                self.wide_relate(
                    FIRST,
                    request.condition,
                    (order, width),
                    (job.plan.lane, [value, zero]),
                );
                self.collect(FIRST, chunk * job.chunk);
                if value != result {
                    self.wide.release(value);
                }
            }
            self.wide.release(zero);
        }
        dynasm!(self.ops ; mov eax, edi);
        if job.lanes < 8 {
            dynasm!(self.ops ; and eax, size as i32);
        }
        self.set_flags(shift, job.lanes as u32, all);
    }

    /// A mask's bits go to edi, from this bit on.
    fn collect(&mut self, mask: K, first: usize) {
        if first == 0 {
            self.mask_to(general::RDI, mask);
        } else {
            self.mask_to(general::RBP, mask);
            dynasm!(self.ops ; shl ebp, first as i8 ; or edi, ebp);
        }
    }

    /// The bits of esi from this one on become a mask.
    fn mask_from_esi(&mut self, mask: K, first: usize) {
        if first == 0 {
            self.mask_from(mask, general::RSI);
        } else {
            dynasm!(self.ops ; mov ebp, esi ; shr ebp, first as i8);
            self.mask_from(mask, general::RBP);
        }
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::{Element, Input, Modifiers, Operation, Output, Place, Region, Request};

    use super::*;
    use crate::model::{Block, Channels, End, Grouping, Layout, Masking, Predicate, Step};

    /// A step on packed dwords, or on regions.
    fn step(operation: Operation, lanes: u8, horizontal: u16) -> VectorStep {
        let source = |at| Input {
            element: Element::Ud,
            place: Place::Registers(Region {
                at,
                width: lanes,
                vertical: 0,
                horizontal,
            }),
            modifiers: Modifiers::default(),
        };
        VectorStep {
            request: Request {
                operation,
                lanes,
                sources: [Some(source(0)), Some(source(256)), None],
                output: Output {
                    element: Element::Ud,
                    at: Some(512),
                    stride: 4,
                },
                condition: None,
                saturate: false,
                accumulator: None,
            },
            masking: Masking::OF_TESTS,
            flag_bit: None,
        }
    }

    #[test]
    fn operations_have_wide_forms_where_the_host_has_the_instructions() {
        let is_wide =
            |isa, step: &VectorStep| Translator::new(Layout::OF_TESTS, &[], isa).wide_vector(step);
        for lanes in [4, 8, 16, 32] {
            for operation in [Operation::Add, Operation::Xor, Operation::Select] {
                let step = step(operation, lanes, 4);
                assert!(is_wide(HostIsa::Avx512, &step), "{operation:?} {lanes}");
                assert!(!is_wide(HostIsa::Avx2, &step), "{operation:?} {lanes}");
            }
        }
        let mut bytes = step(Operation::Add, 8, 4);
        bytes.request.output.element = Element::Ub;
        bytes.request.output.stride = 1;
        assert!(is_wide(HostIsa::Avx512, &bytes));
        // Single channels, and elements that are too far from each other.
        assert!(!is_wide(HostIsa::Avx512, &step(Operation::Add, 1, 4)));
        assert!(!is_wide(HostIsa::Avx512, &step(Operation::Add, 16, 12)));
    }

    /// How often these bytes are in the code of some steps, for any channels.
    fn count(steps: &[VectorStep], bytes: &[u8]) -> usize {
        let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx512);
        for step in steps {
            assert!(translator.wide_vector(step));
        }
        let (code, _) = translator.finish().expect("it assembles");
        code.windows(bytes.len())
            .filter(|code| code == &bytes)
            .count()
    }

    #[test]
    fn the_mask_of_what_executes_is_made_once() {
        let add = step(Operation::Add, 16, 4);
        let mut selected = add;
        selected.masking.predicate = Some(Predicate {
            flag_bit: 0,
            inverse: false,
            grouping: Grouping::Own,
        });
        // `kmovd`.
        let masks = [0xc5, 0xfb, 0x92];
        assert_eq!(count(&[add, add, add], &masks), 1);
        assert_eq!(count(&[add, selected, selected, add], &masks), 2);
    }

    #[test]
    fn what_was_stored_in_halves_is_loaded_in_halves() {
        let halves = |lanes| {
            let block = Block {
                first: 0,
                enabled: Channels::Any,
                twin: None,
                ip: 0,
                end_ip: 0,
                modes: eu_lanes::Modes::default(),
                rounding: crate::model::Rounding::Nearest,
                steps: vec![Step::Vector(Box::new(step(Operation::Add, lanes, 4)))],
                channels: 0,
                end: End::Leave,
            };
            block.halves().collect::<Vec<_>>()
        };
        assert_eq!(halves(8), [512]);
        assert!(halves(16).is_empty());
        let load = |stored: &[u32]| {
            let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx512);
            translator.halves.extend(stored);
            translator.wide_bytes(256, BYTES);
            translator.finish().expect("it assembles").0
        };
        assert_eq!(load(&[224, 320]), load(&[]));
        assert_ne!(load(&[288]), load(&[]));
        assert_eq!(load(&[288]), load(&[256]));
    }

    #[test]
    fn what_registers_hold_is_not_loaded() {
        let loads = |held: &[(u32, u8)], at, bytes| {
            let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx512);
            translator.halves.extend([256, 288]);
            for &(at, bytes) in held {
                let register = translator.wide.take();
                translator.wide.set(register, Content::Bytes(at, bytes));
                translator.wide.release(register);
            }
            translator.wide_bytes(at, bytes);
            // Instructions of registers only have seven bytes at the most, those with a place in memory eight.
            translator.ops.offset().0 > 7
        };
        assert!(loads(&[], 256, BYTES));
        assert!(loads(&[(256, 32)], 256, BYTES));
        assert!(!loads(&[(256, 32), (288, 32)], 256, BYTES));
        assert!(!loads(&[(256, 64)], 288, 32));
        assert!(!loads(&[(256, 64)], 256, 32));
    }

    /// Those of other channels may be denormal numbers, which take long.
    #[test]
    fn floats_are_multiplied_for_the_channels_that_execute() {
        let zeroed = |channels| {
            let mut multiply = step(Operation::Mul, 16, 4);
            for source in multiply.request.sources.iter_mut().flatten() {
                source.element = Element::F;
            }
            multiply.request.output.element = Element::F;
            let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx512);
            translator.channels = channels;
            assert!(translator.wide_vector(&multiply));
            let (code, _) = translator.finish().expect("it assembles");
            // `vmulps` with a mask that zeroes others.
            let is_one = |code: &[u8]| code[0] == 0x62 && code[4] == 0x59 && code[3] & 0x87 > 0x80;
            code.windows(6).filter(|code| is_one(code)).count()
        };
        assert_eq!(zeroed(Channels::Any), 1);
        assert_eq!(zeroed(Channels::All(0xffff)), 0);
    }

    /// See [`bytes_before`](crate::load::bytes_before).
    #[test]
    fn upper_halves_of_qwords_come_and_go_with_the_lower_ones() {
        let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx512);
        let mut upper = step(Operation::Mov, 16, 4);
        upper.request.sources = [upper.request.sources[0], None, None];
        upper.request.output = Output {
            element: Element::Ud,
            at: Some(516),
            stride: 8,
        };
        assert!(translator.wide_vector(&upper));
        let whole = |at| Content::Bytes(at, 64);
        assert!(
            [512, 576]
                .map(whole)
                .iter()
                .all(|&qwords| translator.wide.holder(qwords).is_some())
        );
        let before = translator.ops.offset().0;
        let out = translator.wide.take();
        translator.alternate(out, 516, BYTES);
        // The places of the upper halves, and what puts these together.
        assert_eq!(translator.ops.offset().0 - before, 7 + 8 + 6);
    }

    /// The words at that place of a register, added to themselves.
    fn words(at: u32, lanes: u8) -> VectorStep {
        let mut words = step(Operation::Add, lanes, 4);
        for (source, at) in words.request.sources.iter_mut().flatten().zip([at; 2]) {
            source.element = Element::Uw;
            let Place::Registers(region) = &mut source.place else {
                unreachable!("the steps here are of registers");
            };
            region.at = at;
        }
        words.request.output = Output {
            element: Element::Uw,
            at: Some(at),
            stride: 4,
        };
        words
    }

    /// The same of the upper words of dwords, with both kinds of instructions.
    #[test]
    fn upper_words_come_and_go_with_their_dwords() {
        for (isa, lanes) in [(HostIsa::Avx512, 16), (HostIsa::Avx2, 8)] {
            let mut translator = Translator::new(Layout::OF_TESTS, &[], isa);
            // Loaded, and then found in a register.
            for at in [514, 514] {
                let (step, dwords) = (words(at, lanes), Content::Bytes(512, 4 * lanes));
                let (done, holder) = match isa {
                    HostIsa::Avx512 => {
                        let done = translator.wide_vector(&step);
                        (done, translator.wide.holder(dwords))
                    }
                    _ => (translator.vector(&step), translator.pool.holder(dwords)),
                };
                assert!(done && holder.is_some(), "{isa:?}");
            }
        }
    }

    #[test]
    fn the_accumulator_takes_qwords_as_they_are() {
        let is_wide = |step: &VectorStep| {
            Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx512).wide_vector(step)
        };
        for operation in [
            Operation::Addc,
            Operation::Subb,
            Operation::Mul,
            Operation::Mov,
        ] {
            let mut step = step(operation, 8, 4);
            if operation == Operation::Mov {
                step.request.sources[1] = None;
            }
            step.request.accumulator = Some(Accumulator {
                low: 512,
                wide: 640,
                writes: true,
            });
            assert!(is_wide(&step), "{operation:?}");
            // Its low half would be part of a register that has the whole one.
            step.request.output.stride = 12;
            step.request.output.at = Some(768);
            assert!(!is_wide(&step), "{operation:?}");
        }
    }
}

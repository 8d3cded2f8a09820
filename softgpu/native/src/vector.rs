//! Operations on channels.

use dynasmrt::{DynasmApi, dynasm};
use eu_lanes::{Accumulator, Element, Input, Modes, Place};

use crate::load::sign;
use crate::masks::ON_STACK;
use crate::model::{Masking, Rounding, VectorStep};
use crate::plan::{Conversion, Factors, Kind, Limits, Order, Plan, Reading};
use crate::registers::Ymm;
use crate::store::Target;
use crate::translate::{Chosen, Translator, host};

/// The stack bytes that translations use: the first ones for whatever they need, and from here on for masks.
pub(crate) const SCRATCH: i32 = MASKS + 32 * ON_STACK as i32;
pub(crate) const MASKS: i32 = 128;

pub(crate) const SIGN: u64 = 1 << 31;
pub(crate) const MAGNITUDE: u64 = SIGN - 1;
pub(crate) const EXPONENT: u64 = 0x7f80_0000;

/// The channels that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    All,
    /// Those in esi, or of a mask that is kept (see `goes_without_esi`).
    Masked,
}

/// One operation, while it is translated.
pub(crate) struct Job<'a> {
    pub step: &'a VectorStep,
    pub plan: Plan,
    pub lanes: usize,
    /// Lanes of a register.
    pub chunk: usize,
    /// Of a product in two steps, it is both.
    pub whole: bool,
}

impl Job<'_> {
    /// The bytes of the lanes of one register.
    pub fn width(&self) -> usize {
        self.lanes.min(self.chunk) * self.plan.lane
    }

    /// Whether results are halves, computed as singles.
    pub fn to_halves(&self) -> bool {
        self.plan.float && self.step.request.output.element == Element::Hf
    }

    pub fn chunks(&self) -> usize {
        self.lanes.div_ceil(self.chunk)
    }

    /// Which channels are written. The predicate of a selection says what, instead.
    pub fn written_masking(&self) -> Masking {
        let selects = self.plan.kind == Kind::Select;
        Masking {
            predicate: self.step.masking.predicate.filter(|_| !selects),
            ..self.step.masking
        }
    }

    /// What the factors are of a product of qwords, of which the first is this source.
    pub fn factors(&self, first: usize) -> Factors {
        Factors::of(self.step.request.sources.iter().flatten().skip(first))
    }

    /// Whether the high half of source 1 is 0.
    pub fn is_half(&self) -> bool {
        let second = self.step.request.sources[1].as_ref();
        second.is_some_and(|second| match second.place {
            Place::Constant(_) => second.value().is_some_and(|value| value >> 16 == 0),
            Place::Registers(_) | Place::Each(_) => {
                second.element.bytes() <= 2 && second.fits_unsigned()
            }
        })
    }

    /// By how many bits a shift or rotation goes, if that is a number.
    pub fn number_of_bits(&self) -> Option<u8> {
        let shifts = matches!(
            self.plan.kind,
            Kind::ShiftLeft
                | Kind::ShiftRight
                | Kind::ShiftRightSigned
                | Kind::RotateLeft
                | Kind::RotateRight
        );
        let count = self.step.request.sources[1].as_ref().filter(|_| shifts)?;
        let bits = if self.plan.lane == 8 { 63 } else { 31 };
        Some((count.value()? & bits) as u8)
    }

    /// Whether each lane is stored as it is, next to the one before.
    pub fn is_packed(&self) -> bool {
        let output = &self.step.request.output;
        let lane = self.plan.lane;
        output.at.is_some()
            && output.element.bytes() == lane
            && usize::from(output.stride) == lane
            && self.lanes > 1
    }
}

impl Translator {
    /// An operation in registers of so many bytes, if it can be translated.
    pub(crate) fn job<'a>(&self, step: &'a VectorStep, bytes: usize) -> Option<Job<'a>> {
        let plan = Plan::of(&step.request)?;
        let doubles = plan.reading == Reading::Float && plan.lane == 8;
        let flushes = match plan.kind {
            // Their modes are those of singles, too.
            Kind::Convert(Conversion::SingleToDouble)
            | Kind::Convert(Conversion::DoubleToSingle) => self.flushes(),
            _ => false,
        };
        let rounds = match plan.kind {
            // The difference of equal numbers may be below zero otherwise.
            Kind::Fraction | Kind::Convert(Conversion::IntegerToDouble) => {
                self.rounding == Rounding::Nearest
            }
            _ => true,
        };
        if flushes || !rounds || doubles && self.modes.contains(Modes::FLUSH_DOUBLE) {
            return None;
        }
        Some(Job {
            step,
            plan,
            lanes: usize::from(step.request.lanes),
            chunk: bytes / plan.lane,
            whole: false,
        })
    }

    /// Translates an operation; false if it is none that can be.
    pub(crate) fn vector(&mut self, step: &VectorStep) -> bool {
        let Some(job) = self.job(step, 32) else {
            return false;
        };
        self.translated(&job, step.request.accumulator);
        true
    }

    /// Translates a job that uses these accumulator elements.
    pub(crate) fn translated(&mut self, job: &Job<'_>, accumulator: Option<Accumulator>) {
        let step = job.step;
        let written = if self.goes_without_esi(job) {
            Written::Masked
        } else {
            self.written(job)
        };
        let mut results = [0; 4];
        for (chunk, result) in results.iter_mut().enumerate().take(job.chunks()) {
            *result = self.result(job, chunk);
        }
        match accumulator {
            Some(accumulator) => self.store_accumulated(job, &results, written, accumulator),
            None => {
                if let Some(at) = step.request.output.at {
                    self.store(job, &results, written, Target::of(&step.request.output, at));
                }
            }
        }
        if let Some(bit) = step.flag_bit {
            self.flags(job, &results, written, bit);
        }
        self.pool.release_all();
    }

    /// Computes the mask of the channels that are written, into esi unless it is all.
    pub(crate) fn written(&mut self, job: &Job<'_>) -> Written {
        match self.mask(&job.written_masking(), job.lanes as u8) {
            Chosen::All => Written::All,
            Chosen::InEsi => Written::Masked,
        }
    }

    /// Whether the written channels are only needed as masks that are kept.
    fn goes_without_esi(&mut self, job: &Job<'_>) -> bool {
        if self.replaced {
            return self.keeps_mask(job);
        }
        let stores = job.step.flag_bit.is_none() && job.step.request.accumulator.is_none();
        // What is kept of flags is forgotten where they are stored, before the mask is taken.
        stores
            && !self.stores_flags(job.step)
            && job.is_packed()
            && (self.keeps_mask(job) || self.pins_masks(job))
    }

    /// Whether the written channels are those that execute, whose lanes are kept, so that esi need not have them.
    fn keeps_mask(&self, job: &Job<'_>) -> bool {
        let masking = job.written_masking();
        let mut chunks = 0..job.chunks();
        masking.predicate.is_none()
            && chunks.all(|chunk| {
                let mask = self.lane_mask(&masking, job.lanes, chunk * job.chunk, job.plan.lane);
                mask.is_some_and(|mask| mask.executes)
            })
    }

    /// Whether the written channels are those of a predicate whose lanes are kept, which then stay until the end of
    /// the step, so that esi need not have them.
    fn pins_masks(&mut self, job: &Job<'_>) -> bool {
        let masking = job.written_masking();
        // Few enough that registers are left.
        masking.predicate.is_some()
            && job.chunks() <= 2
            && (0..job.chunks()).all(|chunk| {
                let mask = self.lane_mask(&masking, job.lanes, chunk * job.chunk, job.plan.lane);
                mask.and_then(|mask| self.kept_mask(mask)).is_some()
            })
    }

    /// The result of one register's lanes, in a pinned register.
    fn result(&mut self, job: &Job<'_>, chunk: usize) -> Ymm {
        let request = &job.step.request;
        let mut sources = [0; 3];
        let mut count = 0;
        let needed = match job.number_of_bits() {
            Some(_) => 1,
            None => sources.len(),
        };
        for source in request.sources.iter().flatten().take(needed) {
            sources[count] = self.source(job, source, chunk);
            count += 1;
        }
        let [a, b, c] = sources;
        let out = self.compute(job, chunk, a, b, c);
        for source in &sources[..count] {
            if *source != out {
                self.pool.release(*source);
            }
        }
        if let Some(limits) = job.plan.limits {
            self.limit(out, job.plan.lane, limits);
        }
        if job.plan.float {
            if job.plan.lane == 4 && !job.to_halves() && self.flushes() {
                self.flush(out, out);
            }
            if request.saturate {
                let (zero, one) = (self.constant(0, 4), self.constant(0x3f80_0000, 4));
                dynasm!(self.ops
                    ; vmaxps Ry(out), Ry(out), Ry(zero)
                    ; vminps Ry(out), Ry(out), Ry(one)
                );
                self.pool.release(zero);
                self.pool.release(one);
            }
            if job.to_halves() {
                self.round_to_halves(out);
            }
        }
        out
    }

    /// What is beyond a limit becomes it.
    fn limit(&mut self, out: Ymm, lane: usize, limits: Limits) {
        let [low, high] = limits
            .constants(lane)
            .map(|limit| self.constant(limit, lane));
        match (lane, limits.order) {
            (8, _) => {
                let beyond = self.pool.take();
                dynasm!(self.ops
                    ; vpcmpgtq Ry(beyond), Ry(low), Ry(out)
                    ; vblendvpd Ry(out), Ry(out), Ry(low), Ry(beyond)
                    ; vpcmpgtq Ry(beyond), Ry(out), Ry(high)
                    ; vblendvpd Ry(out), Ry(out), Ry(high), Ry(beyond)
                );
                self.pool.release(beyond);
            }
            (_, Order::Unsigned) => dynasm!(self.ops ; vpminud Ry(out), Ry(out), Ry(high)),
            _ => dynasm!(self.ops
                ; vpmaxsd Ry(out), Ry(out), Ry(low)
                ; vpminsd Ry(out), Ry(out), Ry(high)
            ),
        }
        self.pool.release(low);
        self.pool.release(high);
    }

    /// Singles become halves, in the low bits of their lanes.
    fn round_to_halves(&mut self, out: Ymm) {
        let rounding = host(self.rounding) as i8;
        dynasm!(self.ops; vcvtps2ph Rx(out), Ry(out), rounding);
        if self.modes.contains(Modes::FLUSH_HALF) {
            let exponent = self.constant(0x7c00_7c00, 4);
            let magnitude = self.constant(0x7fff_7fff, 4);
            let zero = self.constant(0, 4);
            let small = self.pool.take();
            dynasm!(self.ops
                ; vpand Rx(small), Rx(out), Rx(exponent)
                ; vpcmpeqw Rx(small), Rx(small), Rx(zero)
                ; vpand Rx(small), Rx(small), Rx(magnitude)
                ; vpandn Rx(out), Rx(small), Rx(out)
            );
            for used in [exponent, magnitude, zero, small] {
                self.pool.release(used);
            }
        }
        dynasm!(self.ops; vpmovzxwd Ry(out), Rx(out));
    }

    pub(crate) fn flushes(&self) -> bool {
        self.modes.contains(Modes::FLUSH_SINGLE)
    }

    /// `out` becomes `from` with denormals replaced by zeroes of their sign.
    fn flush(&mut self, out: Ymm, from: Ymm) {
        let exponent = self.constant(EXPONENT, 4);
        let zero = self.constant(0, 4);
        let magnitude = self.constant(MAGNITUDE, 4);
        let t = self.pool.take();
        dynasm!(self.ops
            ; vpand Ry(t), Ry(from), Ry(exponent)
            ; vpcmpeqd Ry(t), Ry(t), Ry(zero)
            ; vpand Ry(t), Ry(t), Ry(magnitude)
            ; vpandn Ry(out), Ry(t), Ry(from)
        );
        for used in [exponent, zero, magnitude, t] {
            self.pool.release(used);
        }
    }

    /// A source's lanes, modifiers applied, in a pinned register.
    fn source(&mut self, job: &Job<'_>, input: &Input, chunk: usize) -> Ymm {
        let lane = job.plan.lane;
        let region = match input.place {
            Place::Constant(raw) => {
                let value = self.constant_lane(job, input, raw);
                return self.constant(value, lane);
            }
            Place::Each(elements) => {
                let values = elements.map(|raw| self.constant_lane(job, input, raw.into()));
                return self.constant_lanes(values, lane, chunk);
            }
            Place::Registers(region) => region,
        };
        let modifiers = input.modifiers;
        let halves = job.plan.reading == Reading::Float && input.element == Element::Hf;
        let plain = if halves {
            self.load_halves(job, region, chunk)
        } else {
            self.load(job, input.element, region, chunk)
        };
        let flush =
            job.plan.reading == Reading::Float && input.element == Element::F && self.flushes();
        if modifiers.is_empty() && !flush {
            return plain;
        }
        let out = self.pool.take();
        let mut from = plain;
        match job.plan.reading {
            Reading::Float => {
                if modifiers.absolute {
                    let magnitude = self.constant(sign(lane) - 1, lane);
                    dynasm!(self.ops; vpand Ry(out), Ry(from), Ry(magnitude));
                    self.pool.release(magnitude);
                    from = out;
                }
                if modifiers.negate {
                    let sign = self.constant(sign(lane), lane);
                    dynasm!(self.ops; vpxor Ry(out), Ry(from), Ry(sign));
                    self.pool.release(sign);
                    from = out;
                }
                if flush {
                    self.flush(out, from);
                }
            }
            Reading::Bits => {
                if modifiers.negate {
                    let ones = self.constant(u64::MAX >> (64 - 8 * lane), lane);
                    dynasm!(self.ops; vpxor Ry(out), Ry(from), Ry(ones));
                    self.pool.release(ones);
                } else {
                    dynasm!(self.ops; vmovdqa Ry(out), Ry(from));
                }
            }
            Reading::Integer => {
                let absolute = modifiers.absolute && input.element.is_signed();
                if absolute {
                    if lane == 8 {
                        let zero = self.constant(0, 4);
                        let sign = self.pool.take();
                        dynasm!(self.ops
                            ; vpcmpgtq Ry(sign), Ry(zero), Ry(from)
                            ; vpxor Ry(out), Ry(from), Ry(sign)
                            ; vpsubq Ry(out), Ry(out), Ry(sign)
                        );
                        self.pool.release(zero);
                        self.pool.release(sign);
                    } else {
                        dynasm!(self.ops; vpabsd Ry(out), Ry(from));
                    }
                    from = out;
                }
                if modifiers.negate {
                    let zero = self.constant(0, 4);
                    if lane == 8 {
                        dynasm!(self.ops; vpsubq Ry(out), Ry(zero), Ry(from));
                    } else {
                        dynasm!(self.ops; vpsubd Ry(out), Ry(zero), Ry(from));
                    }
                    self.pool.release(zero);
                } else if from != out {
                    dynasm!(self.ops; vmovdqa Ry(out), Ry(from));
                }
            }
        }
        self.pool.release(plain);
        out
    }
}

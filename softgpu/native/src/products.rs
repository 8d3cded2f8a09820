//! Products of dwords that code computes with the accumulator in two steps: by the low half of the second factor, and
//! then, with `mach` or `macl`, by its high half. Compilers do so wherever they multiply. Where nothing else reads the
//! accumulator before it is written again, the second step alone computes the product.

use dynasmrt::{DynasmApi, dynasm};
use eu_lanes::{Element, HostIsa, Input, Operation, Place, Region, Request};

use crate::known::Executing;
use crate::model::{Grouping, Masking, Step, VectorStep};
use crate::plan::{Factors, Kind, Plan, Reading};
use crate::registers::Ymm;
use crate::translate::Translator;
use crate::vector::Job;
use crate::wide::BYTES;

/// What becomes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// It is no such product.
    None,
    /// The first one of a product: nothing.
    First,
    /// The second one: all of it, and the accumulator need not have it.
    Second,
    /// The same, and the accumulator has it.
    Accumulates,
}

impl Translator {
    /// The shares of a block's steps.
    pub(crate) fn products(&self, steps: &[Step]) -> Vec<Share> {
        let mut shares = vec![Share::None; steps.len()];
        let flags = Executing::before(steps, self.layout.flags);
        for first in 0..steps.len() {
            if let Some((second, share)) = self.product(steps, first, &flags) {
                shares[first] = Share::First;
                shares[second] = share;
            }
        }
        shares
    }

    /// The second step of the product of which `first` is the first one, and its share.
    fn product(&self, steps: &[Step], first: usize, flags: &[Executing]) -> Option<(usize, Share)> {
        let begin = self.begins(steps.get(first)?)?;
        let request = &begin.request;
        let second = self.next_use(steps, first, Some(request))?;
        let Step::Vector(end) = &steps[second] else {
            return None;
        };
        let [accumulator, other] = [request, &end.request].map(|request| request.accumulator);
        let alike = (end.request.lanes, other?.low) == (request.lanes, accumulator?.low);
        // All channels of the second one have the first one's.
        let same = begin.masking == end.masking && begin.masking.predicate.is_none();
        // Or the first one has all channels if any executes, and the second one is for those.
        let last = end.masking.channel_offset + end.request.lanes;
        let any = is_of_any(begin, &flags[first]) && !end.masking.no_mask && last <= 16;
        let follows = same || any || self.is_whole(&begin.masking, request.lanes);
        if !alike || !follows || !is_by_parts(request, &end.request) {
            return None;
        }
        if self.is_replaced_whole(steps, second, request, any.then_some(flags))
            && self.product_job(end, 32).is_some()
        {
            return Some((second, Share::Second));
        }
        // What the first one leaves in the accumulator the second one replaces.
        let replaces = other?.writes && (same || self.is_whole(&end.masking, request.lanes));
        let computes = self.whole_job(end, 32).is_some();
        (replaces && computes).then_some((second, Share::Accumulates))
    }

    /// Whether the accumulator elements of `request` are written whatever they were after the step `at`, before anything
    /// reads them.
    fn is_replaced_whole(
        &self,
        steps: &[Step],
        at: usize,
        request: &Request,
        flags: Option<&[Executing]>,
    ) -> bool {
        let Some(last) = self.next_use(steps, at, None) else {
            return false;
        };
        let Some(again) = self.begins(&steps[last]) else {
            return false;
        };
        // If none executes, nothing wrote them.
        let any = flags.is_some_and(|flags| is_of_any(again, &flags[last]));
        let low = |request: &Request| request.accumulator.map(|own| own.low);
        (any || self.is_whole(&again.masking, again.request.lanes))
            && (again.request.lanes, low(&again.request)) == (request.lanes, low(request))
    }

    /// The step, if it multiplies into accumulator elements, whatever they were, in host code alone.
    fn begins<'a>(&self, step: &'a Step) -> Option<&'a VectorStep> {
        let Step::Vector(step) = step else {
            return None;
        };
        let request = &step.request;
        let accumulator = request.accumulator.filter(|own| own.writes)?;
        let explicit = request.output.at == Some(accumulator.low)
            && request.output.element.bytes() == 4
            && request.operation == Operation::Mul;
        let fits = explicit
            && !request
                .sources
                .iter()
                .flatten()
                .any(|one| self.reads_accumulator(one))
            && self.job(step, 32).is_some();
        fits.then_some(step)
    }

    /// Whether an op serves all of its channels.
    pub(crate) fn is_whole(&self, masking: &Masking, lanes: u8) -> bool {
        self.channels.all_served(masking, lanes)
    }

    const fn reads_accumulator(&self, source: &Input) -> bool {
        match source.place {
            Place::Registers(region) => region.at < self.layout.accumulators,
            Place::Constant(_) | Place::Each(_) => false,
        }
    }

    /// The next step after `at` that uses the accumulator, if those between are host code alone and leave the factors
    /// of `of` as they are.
    fn next_use(&self, steps: &[Step], at: usize, of: Option<&Request>) -> Option<usize> {
        for (index, step) in steps.iter().enumerate().skip(at + 1) {
            let step = match step {
                Step::Nothing => continue,
                Step::Vector(step) => step,
                _ => return None,
            };
            let request = &step.request;
            let sources = || request.sources.iter().flatten();
            let written = request.output.at.map(|to| {
                let bytes = u32::from(request.output.stride) * u32::from(request.lanes) + 8;
                to..to + bytes
            });
            let into = written
                .as_ref()
                .is_some_and(|bytes| bytes.start < self.layout.accumulators);
            if request.accumulator.is_some()
                || into
                || sources().any(|one| self.reads_accumulator(one))
            {
                return Some(index);
            }
            self.job(step, 32)?;
            let lanes = of.map_or(0, |of| usize::from(of.lanes));
            let changes = |region: Region| {
                let lanes = 0..lanes;
                lanes
                    .map(|lane| region.at + region.offset(lane) as u32)
                    .any(|at| {
                        let overlaps =
                            |bytes: &core::ops::Range<u32>| at < bytes.end && bytes.start < at + 4;
                        written.as_ref().is_some_and(overlaps)
                    })
            };
            let factors = of.iter().flat_map(|of| of.sources.iter().flatten());
            let mut regions = factors.filter_map(|source| match source.place {
                Place::Registers(region) => Some(region),
                Place::Constant(_) | Place::Each(_) => None,
            });
            if regions.any(changes) {
                return None;
            }
        }
        None
    }

    /// The second step of a product as a job that computes all of it, in registers of so many bytes.
    fn product_job<'a>(&self, step: &'a VectorStep, bytes: usize) -> Option<Job<'a>> {
        let request = &step.request;
        let kind = match request.operation {
            Operation::Macl => Kind::Multiply,
            Operation::Mach => {
                Kind::ProductHigh(match Factors::of(request.sources.iter().flatten()) {
                    Factors::Unsigned => false,
                    Factors::Signed => true,
                    Factors::Qwords => return None,
                })
            }
            _ => return None,
        };
        let usual = self.job(step, bytes)?;
        let plan = Plan {
            kind,
            reading: Reading::Integer,
            lane: 4,
            float: false,
            limits: None,
        };
        Some(Job {
            plan,
            chunk: bytes / 4,
            ..usual
        })
    }

    /// The same, of which the accumulator takes all.
    fn whole_job<'a>(&self, step: &'a VectorStep, bytes: usize) -> Option<Job<'a>> {
        let multiplies = matches!(step.request.operation, Operation::Macl | Operation::Mach);
        let job = self.job(step, bytes).filter(|_| multiplies)?;
        Some(Job { whole: true, ..job })
    }

    /// Translates the second step of a product, the op of this number.
    pub(crate) fn product_of(&mut self, step: &VectorStep, accumulates: bool, op: u32) {
        (self.predicates, self.replaced) = (false, false);
        let accumulator = step.request.accumulator.filter(|_| accumulates);
        let job = |own: &Self, bytes| match accumulates {
            false => own.product_job(step, bytes),
            true => own.whole_job(step, bytes),
        };
        if self.isa >= HostIsa::Avx512
            && let Some(job) = job(self, BYTES)
            && self.wide_translated(&job, accumulator)
        {
            return;
        }
        match job(self, 32) {
            Some(job) => self.translated(&job, accumulator),
            None => self.call(op),
        }
    }

    /// The high halves of the products of dwords.
    pub(crate) fn product_high(&mut self, out: Ymm, [a, b]: [Ymm; 2], signed: bool) {
        let (x, y) = (self.pool.take(), self.pool.take());
        let high = self.constant(u64::MAX << 32, 8);
        self.shift_right(x, a, 32);
        self.shift_right(y, b, 32);
        if signed {
            dynasm!(self.ops
                ; vpmuldq Ry(x), Ry(x), Ry(y)
                ; vpmuldq Ry(y), Ry(a), Ry(b)
            );
        } else {
            dynasm!(self.ops
                ; vpmuludq Ry(x), Ry(x), Ry(y)
                ; vpmuludq Ry(y), Ry(a), Ry(b)
            );
        }
        self.shift_right(y, y, 32);
        dynasm!(self.ops
            ; vpand Ry(x), Ry(x), Ry(high)
            ; vpor Ry(out), Ry(x), Ry(y)
        );
        for used in [x, y, high] {
            self.pool.release(used);
        }
    }
}

/// Whether a step has all its channels if any of the first sixteen of the thread executes, and else none.
fn is_of_any(step: &VectorStep, flags: &Executing) -> bool {
    let by = step.masking.predicate;
    let last = step.masking.channel_offset + step.request.lanes;
    let any = by
        .is_some_and(|by| by.grouping == Grouping::Own && !by.inverse && flags.is_any(by.flag_bit));
    any && step.masking.no_mask && last <= 16
}

/// Whether `first` multiplies by the low halves of what `second` multiplies by, and both the same.
fn is_by_parts(first: &Request, second: &Request) -> bool {
    let ([Some(a), Some(low), None], [Some(same), Some(b), None]) = (first.sources, second.sources)
    else {
        return false;
    };
    let dword = |input: &Input| matches!(input.element, Element::D | Element::Ud);
    let plain = [a, low, b].iter().all(|input| input.modifiers.is_empty());
    let parts = match (low.place, b.place) {
        (Place::Constant(_), Place::Constant(whole)) => {
            low.value() == Some((whole & 0xffff) as i64)
        }
        (Place::Registers(low), Place::Registers(whole)) => {
            let lanes = 0..usize::from(first.lanes);
            let mut places = lanes
                .map(|lane| [low, whole].map(|region| region.at as usize + region.offset(lane)));
            places.all(|[low, whole]| low == whole)
        }
        _ => false,
    };
    a == same && plain && dword(&a) && dword(&b) && low.element == Element::Uw && parts
}

//! Results that the accumulator takes: as their low parts, and whole; and what is a result besides. Compare
//! `store_accumulated`.

use eu_lanes::Accumulator;

use crate::evex::{Lanes, Operand, RIGHT, VPSHIFTQ};
use crate::plan::Kind;
use crate::registers::Zmm;
use crate::store::{Target, Targets};
use crate::translate::{Translator, Whole};
use crate::vector::{Job, Written};

impl Translator {
    /// Whether these accumulator elements have a form here.
    pub(super) fn accumulates_wide(job: &Job<'_>, accumulator: Accumulator) -> bool {
        let [low, wide] = accumulator.targets(job.step.request.output.element);
        // Of a product in two steps the second one adds to what the accumulator has.
        let adds = matches!(job.plan.kind, Kind::MultiplyHigh | Kind::MultiplyLow) && !job.whole;
        !adds && job.plan.lane == 8 && Self::stores_wide(job, low) && Self::stores_wide(job, wide)
    }

    /// Stores results to the accumulator, and what is a result besides.
    pub(super) fn wide_store_accumulated(
        &mut self,
        job: &Job<'_>,
        results: &[Zmm; 4],
        written: Written,
        accumulator: Accumulator,
    ) {
        if accumulator.writes {
            let kept = match job.plan.kind.kept() {
                Some(bits) => self.wide_shifted(job, results, bits),
                None => *results,
            };
            let before = self.whole;
            for target in accumulator.targets(job.step.request.output.element) {
                self.wide_store(job, &kept, written, target);
            }
            self.whole = Whole::after(before, (job, accumulator), written);
        }
        let output = &job.step.request.output;
        let (Some(at), Some(high)) = (output.at, job.plan.kind.is_high()) else {
            return;
        };
        let halves = if high {
            self.wide_shifted(job, results, 32)
        } else {
            *results
        };
        self.wide_store(job, &halves, written, Target::of(output, at));
    }

    /// The results' qwords, shifted right by so many bits, in pinned registers.
    fn wide_shifted(&mut self, job: &Job<'_>, results: &[Zmm; 4], bits: u8) -> [Zmm; 4] {
        let mut shifted = *results;
        for register in shifted.iter_mut().take(job.chunks()) {
            let whole = Operand::Register(*register);
            *register = self.wide_take();
            let shift = (RIGHT, Lanes::All);
            self.evex_with(VPSHIFTQ, job.width(), shift, *register, whole, bits);
        }
        shifted
    }
}

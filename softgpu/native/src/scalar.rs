//! Integer operations on one channel, in general registers: eax has the first source and the result, ecx and edi
//! the others. If the channel is not written, they are jumped over.

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use eu_lanes::{Element, Input, Place};

use crate::model::{Channels, Masking, VectorStep};
use crate::plan::{Kind, Order, Reading};
use crate::store::Target;
use crate::translate::Translator;
use crate::vector::{Job, Written};

/// The registers of the sources.
const SOURCES: [u8; 3] = [0, 1, 7];

/// Whether a kind of operation has a form here.
fn computes(job: &Job<'_>) -> bool {
    match job.plan.kind {
        Kind::Move
        | Kind::Not
        | Kind::And
        | Kind::Or
        | Kind::Xor
        | Kind::Add
        | Kind::Add3
        | Kind::Multiply
        | Kind::MultiplyAdd
        | Kind::Min(Order::Signed | Order::Unsigned)
        | Kind::Max(Order::Signed | Order::Unsigned) => true,
        Kind::ShiftLeft | Kind::ShiftRight | Kind::ShiftRightSigned => {
            job.number_of_bits().is_some()
        }
        _ => false,
    }
}

impl Translator {
    /// Translates an operation on one channel; false if it has no form here.
    pub(crate) fn one_channel(&mut self, step: &VectorStep) -> bool {
        let request = &step.request;
        let Some(job) = self.job(step, 32) else {
            return false;
        };
        let Some(at) = request.output.at else {
            return false;
        };
        let fits = job.lanes == 1
            && job.plan.lane == 4
            && !job.plan.float
            && job.plan.limits.is_none()
            && matches!(job.plan.reading, Reading::Integer | Reading::Bits)
            && request.accumulator.is_none()
            && request.condition.is_none()
            && step.flag_bit.is_none()
            && request.output.element.bytes() <= 4
            && computes(&job);
        if !fits {
            return false;
        }
        let skip = self.unless_written(&step.masking);
        self.compute_one(&job, Target::of(&request.output, at));
        dynasm!(self.ops ; =>skip);
        true
    }

    /// Goes to the label, unless the first channel of an op is written.
    fn unless_written(&mut self, masking: &Masking) -> DynamicLabel {
        let skip = self.ops.new_dynamic_label();
        let offset = u32::from(masking.channel_offset);
        let executes = match self.channels {
            _ if masking.no_mask => true,
            Channels::All(active) => active >> offset & 1 != 0,
            Channels::Any => false,
        };
        if !executes {
            dynasm!(self.ops ; test r13d, 1i32.wrapping_shl(offset) ; jz =>skip);
        }
        if let Some(predicate) = masking.predicate {
            self.unless_holds(predicate, offset, skip);
        }
        skip
    }

    /// Computes the result of a job, and stores it.
    fn compute_one(&mut self, job: &Job<'_>, target: Target) {
        let request = &job.step.request;
        if job.plan.kind == Kind::Move
            && let Some(source) = &request.sources[0]
            && let Place::Constant(raw) = source.place
        {
            let value = self.constant_lane(job, source, raw) as u32;
            if self.number_to_flags(value, target) {
                return;
            }
        }
        let shift = job.number_of_bits();
        let needed = if shift.is_some() { 1 } else { SOURCES.len() };
        for (register, source) in
            (SOURCES.into_iter()).zip(request.sources.iter().flatten().take(needed))
        {
            self.one_source(job, source, register);
        }
        match job.plan.kind {
            Kind::Not => dynasm!(self.ops ; not eax),
            Kind::And => dynasm!(self.ops ; and eax, ecx),
            Kind::Or => dynasm!(self.ops ; or eax, ecx),
            Kind::Xor => dynasm!(self.ops ; xor eax, ecx),
            Kind::Add => dynasm!(self.ops ; add eax, ecx),
            Kind::Add3 => dynasm!(self.ops ; add eax, ecx ; add eax, edi),
            Kind::Multiply => dynasm!(self.ops ; imul eax, ecx),
            Kind::MultiplyAdd => dynasm!(self.ops ; imul ecx, edi ; add eax, ecx),
            Kind::Min(Order::Signed) => dynasm!(self.ops ; cmp eax, ecx ; cmovg eax, ecx),
            Kind::Min(_) => dynasm!(self.ops ; cmp eax, ecx ; cmova eax, ecx),
            Kind::Max(Order::Signed) => dynasm!(self.ops ; cmp eax, ecx ; cmovl eax, ecx),
            Kind::Max(_) => dynasm!(self.ops ; cmp eax, ecx ; cmovb eax, ecx),
            Kind::ShiftLeft => dynasm!(self.ops ; shl eax, shift.unwrap_or_default() as i8),
            Kind::ShiftRight => dynasm!(self.ops ; shr eax, shift.unwrap_or_default() as i8),
            Kind::ShiftRightSigned => {
                dynasm!(self.ops ; sar eax, shift.unwrap_or_default() as i8);
            }
            // A move is done.
            _ => {}
        }
        if self.eax_to_flags(target, Written::All) {
            return;
        }
        let to = target.at as i32;
        match target.size {
            1 => dynasm!(self.ops ; mov [r12 + to], al),
            2 => dynasm!(self.ops ; mov [r12 + to], ax),
            _ => dynasm!(self.ops ; mov [r12 + to], eax),
        }
        let bytes = target.at..target.at + target.size as u32;
        self.forget(bytes.clone());
        if self.has_flags(&bytes) {
            self.reload_flags();
        }
    }

    /// A source, modifiers applied, in a general register.
    fn one_source(&mut self, job: &Job<'_>, input: &Input, register: u8) {
        let region = match input.place {
            Place::Constant(raw) => {
                let value = self.constant_lane(job, input, raw);
                return dynasm!(self.ops ; mov Rd(register), value as i32);
            }
            Place::Each(elements) => {
                let value = self.constant_lane(job, input, elements[0].into());
                return dynasm!(self.ops ; mov Rd(register), value as i32);
            }
            Place::Registers(region) => region,
        };
        let at = (region.at + region.offset(0) as u32) as i32;
        match input.element {
            element if self.flag_to(register, element, at as u32) => {}
            Element::Ub => dynasm!(self.ops ; movzx Rd(register), BYTE [r12 + at]),
            Element::B => dynasm!(self.ops ; movsx Rd(register), BYTE [r12 + at]),
            Element::Uw | Element::Hf => dynasm!(self.ops ; movzx Rd(register), WORD [r12 + at]),
            Element::W => dynasm!(self.ops ; movsx Rd(register), WORD [r12 + at]),
            _ => dynasm!(self.ops ; mov Rd(register), [r12 + at]),
        }
        if job.plan.reading == Reading::Bits {
            if input.modifiers.negate {
                dynasm!(self.ops ; not Rd(register));
            }
            return;
        }
        if input.modifiers.absolute && input.element.is_signed() {
            dynasm!(self.ops
                ; mov edx, Rd(register)
                ; neg Rd(register)
                ; cmovs Rd(register), edx
            );
        }
        if input.modifiers.negate {
            dynasm!(self.ops ; neg Rd(register));
        }
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::{HostIsa, Modifiers, Operation, Output, Region, Request};

    use super::*;
    use crate::model::{Grouping, Layout, Predicate};

    /// A step for all channels of an op, without a predicate.
    fn step(operation: Operation, element: Element, lanes: u8) -> VectorStep {
        VectorStep {
            request: Request {
                operation,
                lanes,
                sources: [0, 64, 128].map(|at| {
                    let region = Region {
                        at,
                        width: 1,
                        vertical: 0,
                        horizontal: 0,
                    };
                    Some(Input {
                        element,
                        place: Place::Registers(region),
                        modifiers: Modifiers::default(),
                    })
                }),
                output: Output {
                    element,
                    at: Some(256),
                    stride: 4,
                },
                condition: None,
                saturate: false,
                accumulator: None,
            },
            masking: Masking {
                no_mask: true,
                ..Masking::OF_TESTS
            },
            flag_bit: None,
        }
    }

    #[test]
    fn one_channel_is_computed_in_general_registers() {
        let is_one =
            |step| Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx2).one_channel(&step);
        for operation in [
            Operation::Mov,
            Operation::Add,
            Operation::Mad,
            Operation::And,
        ] {
            assert!(is_one(step(operation, Element::D, 1)), "{operation:?}");
            assert!(!is_one(step(operation, Element::D, 2)), "{operation:?}");
            assert!(!is_one(step(operation, Element::Q, 1)), "{operation:?}");
        }
        assert!(!is_one(step(Operation::Add, Element::F, 1)));
    }

    #[test]
    fn flags_are_taken_from_their_registers() {
        let length = |at, element| {
            let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx2);
            let mut step = step(Operation::Mov, element, 1);
            if let Some(source) = &mut step.request.sources[0] {
                let Place::Registers(region) = &mut source.place else {
                    unreachable!("it is a register");
                };
                region.at = at;
            }
            assert!(translator.one_channel(&step));
            translator.ops.offset().0
        };
        let flags = Layout::OF_TESTS.flags;
        for at in [flags, flags + 4] {
            assert!(length(at, Element::Ud) < length(flags + 8, Element::Ud));
        }
    }

    #[test]
    fn a_predicate_of_one_channel_is_a_jump() {
        let length = |predicate| {
            let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx2);
            let mut step = step(Operation::Mov, Element::D, 1);
            step.masking.predicate = predicate;
            assert!(translator.one_channel(&step));
            translator.ops.offset().0
        };
        let (test, jump) = (7, 6);
        for grouping in [Grouping::Own, Grouping::Any(8)] {
            for inverse in [false, true] {
                let predicate = Predicate {
                    flag_bit: 16,
                    inverse,
                    grouping,
                };
                assert_eq!(length(Some(predicate)), length(None) + test + jump);
            }
        }
    }
}

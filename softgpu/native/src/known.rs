//! Operations whose outcome their operands tell, which compilers write for what they do besides: Intel's puts a
//! selection of a register from itself before branches of Gen12LP, and compares a value with itself to learn which
//! channels execute.

use eu_lanes::{Condition, Element, Input, Modifiers, Operation, Place, Request};

use crate::model::{Grouping, Step, VectorStep};

impl VectorStep {
    /// Whether it leaves everything as it is: it puts what is there to where it is.
    pub(crate) fn changes_nothing(&self) -> bool {
        let request = &self.request;
        let selects = matches!(
            request.operation,
            Operation::Select | Operation::SelectCompare
        );
        let [first, second, _] = &request.sources;
        selects
            && self.flag_bit.is_none()
            && request.accumulator.is_none()
            && !request.saturate
            && [first, second]
                .iter()
                .all(|source| is_output(source, request))
    }

    /// Which channels execute goes to the flag that it writes, if all of them compare so.
    pub(crate) fn asks_who_executes(&self) -> Option<Self> {
        let request = &self.request;
        let holds = matches!(
            request.condition,
            Some(Condition::Eq | Condition::Le | Condition::Ge)
        );
        let [Some(first), second, _] = &request.sources else {
            return None;
        };
        let alike = holds
            && request.operation == Operation::Compare
            && request.output.at.is_none()
            && request.accumulator.is_none()
            && self.flag_bit.is_some()
            && !first.element.is_float()
            && second.as_ref() == Some(first);
        if !alike {
            return None;
        }
        let nothing = Input {
            element: Element::Ud,
            place: Place::Constant(0),
            modifiers: Modifiers::default(),
        };
        let mut known = *self;
        known.request.operation = Operation::Mov;
        known.request.sources = [Some(nothing), None, None];
        known.request.output.element = Element::Ud;
        known.request.condition = None;
        Some(known)
    }
}

/// What a half of a flag register says of the channels that execute, the first sixteen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Says {
    /// Nothing that is known.
    #[default]
    Nothing,
    /// It is zero.
    Zero,
    /// It has those that execute.
    Which,
    /// It is all ones if any executes, else zero.
    Any,
}

/// Flags of which it is known what they say of the channels that execute. Intel's compiler makes them for operations on
/// all channels, if any executes: it clears one, has a comparison set it where channels execute, and then sets all of
/// it if any bit is set.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Executing {
    /// Those of f0.0, f0.1, f1.0 and f1.1.
    halves: [Says; 4],
}

impl Executing {
    /// Before each step of a block, with flags from this byte on.
    pub fn before(steps: &[Step], flags: u32) -> Vec<Self> {
        let mut now = Self::default();
        let mut all = Vec::with_capacity(steps.len());
        for step in steps {
            all.push(now);
            now.execute(step, flags);
        }
        all
    }

    /// Whether the half from this bit on is all ones if any of the first sixteen channels executes, else zero.
    pub fn is_any(&self, flag_bit: u8) -> bool {
        let half = self.halves.get(usize::from(flag_bit / 16));
        flag_bit.is_multiple_of(16) && half == Some(&Says::Any)
    }

    fn execute(&mut self, step: &Step, flags: u32) {
        let step = match step {
            Step::Vector(step) => step,
            Step::Call | Step::Indirect(_) | Step::Staged(_) | Step::Control(..) => {
                return *self = Self::default();
            }
            _ => return,
        };
        let before = *self;
        // Whatever it writes is not known any more.
        if let Some(bit) = step.flag_bit {
            let first = bit + step.masking.channel_offset;
            self.forget(first.into()..u32::from(first) + u32::from(step.request.lanes));
        }
        let output = &step.request.output;
        let Some(at) = output.at else {
            if let Some(bit) = step.flag_bit.filter(|_| step.asks_who_executes().is_some()) {
                let masking = &step.masking;
                let first = step.request.lanes == 16
                    && masking.channel_offset == 0
                    && !masking.no_mask
                    && masking.predicate.is_none();
                let half = usize::from(bit / 16);
                if first && bit.is_multiple_of(16) && before.halves.get(half) == Some(&Says::Zero) {
                    self.halves[half] = Says::Which;
                }
            }
            return;
        };
        let bytes = u32::from(output.stride) * u32::from(step.request.lanes) + 8;
        let begin = at.saturating_sub(flags);
        if at + bytes <= flags || begin >= 8 {
            return;
        }
        self.forget(8 * begin..8 * (at + bytes - flags));
        let word = step.request.lanes == 1
            && output.element.bytes() == 2
            && at >= flags
            && (at - flags).is_multiple_of(2)
            && step.flag_bit.is_none()
            && step.request.condition.is_none()
            && step.request.operation == Operation::Mov
            && step.masking.no_mask;
        let value = step.request.sources[0].and_then(|source| source.value());
        if let Some(value) = value.filter(|_| word) {
            // Only this half.
            let half = (begin / 2) as usize;
            *self = before;
            let by = step.masking.predicate;
            self.halves[half] = match (value & 0xffff, by) {
                (0, None) => Says::Zero,
                (0xffff, Some(by))
                    if usize::from(by.flag_bit) == 16 * half
                        && by.grouping == Grouping::Any(16)
                        && !by.inverse
                        && matches!(before.halves[half], Says::Which | Says::Any) =>
                {
                    Says::Any
                }
                _ => Says::Nothing,
            };
        }
    }

    /// Nothing is known of these bits.
    fn forget(&mut self, bits: core::ops::Range<u32>) {
        for (half, says) in self.halves.iter_mut().enumerate() {
            let own = 16 * half as u32..16 * half as u32 + 16;
            if own.start < bits.end && bits.start < own.end {
                *says = Says::Nothing;
            }
        }
    }
}

/// Whether a source is the destination, whose elements are moved as they are.
fn is_output(source: &Option<Input>, request: &Request) -> bool {
    let (Some(source), Some(at)) = (source, request.output.at) else {
        return false;
    };
    let Place::Registers(region) = source.place else {
        return false;
    };
    let stride = usize::from(request.output.stride);
    source.element == request.output.element
        && !source.element.is_float()
        && source.modifiers.is_empty()
        && region.at == at
        && (0..usize::from(request.lanes)).all(|lane| region.offset(lane) == lane * stride)
}

#[cfg(test)]
mod tests {
    use eu_lanes::{Output, Region};

    use super::*;
    use crate::model::{Masking, Predicate};

    /// Where the flags are.
    const FLAGS: u32 = 1024;

    fn words(at: u32, horizontal: u16) -> Input {
        Input {
            element: Element::Uw,
            place: Place::Registers(Region {
                at,
                width: 16,
                vertical: 0,
                horizontal,
            }),
            modifiers: Modifiers::default(),
        }
    }

    /// A step on words, to a destination.
    fn step(operation: Operation, lanes: u8, sources: [Option<Input>; 3], at: u32) -> VectorStep {
        VectorStep {
            request: Request {
                operation,
                lanes,
                sources,
                output: Output {
                    element: Element::Uw,
                    at: Some(at),
                    stride: 2,
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
    fn a_register_that_is_selected_from_itself_stays() {
        let selects = |first, second, at| {
            let sources = [Some(first), Some(second), Some(words(64, 0))];
            step(Operation::SelectCompare, 4, sources, at)
        };
        assert!(selects(words(0, 2), words(0, 2), 0).changes_nothing());
        assert!(!selects(words(0, 2), words(8, 2), 0).changes_nothing());
        assert!(!selects(words(0, 2), words(0, 2), 8).changes_nothing());
        assert!(!selects(words(0, 0), words(0, 2), 0).changes_nothing());
        let mut sets_flags = selects(words(0, 2), words(0, 2), 0);
        sets_flags.flag_bit = Some(0);
        assert!(!sets_flags.changes_nothing());
    }

    /// A comparison with itself, into f0.1.
    fn asks(condition: Condition) -> VectorStep {
        let mut asks = step(Operation::Compare, 16, [Some(words(64, 0)); 3], 0);
        asks.request.sources[2] = None;
        asks.request.output.at = None;
        asks.request.condition = Some(condition);
        asks.flag_bit = Some(16);
        asks
    }

    #[test]
    fn a_value_that_is_compared_with_itself_tells_who_executes() {
        assert!(asks(Condition::Eq).asks_who_executes().is_some());
        assert!(asks(Condition::Lt).asks_who_executes().is_none());
        let mut differs = asks(Condition::Eq);
        differs.request.sources[1] = Some(words(66, 0));
        assert!(differs.asks_who_executes().is_none());
    }

    #[test]
    fn a_flag_is_known_to_tell_whether_any_executes_until_it_is_written() {
        let sets = |value, predicate| {
            let value = Input {
                place: Place::Constant(value),
                ..words(0, 0)
            };
            let mut sets = step(Operation::Mov, 1, [Some(value), None, None], FLAGS + 2);
            sets.masking.no_mask = true;
            sets.masking.predicate = predicate;
            Step::Vector(Box::new(sets))
        };
        let any = Predicate {
            flag_bit: 16,
            inverse: false,
            grouping: Grouping::Any(16),
        };
        let who = Step::Vector(Box::new(asks(Condition::Eq)));
        let all = sets(0xffff, Some(any));
        let is_any = |steps: &[Step]| {
            let mut steps = steps.to_vec();
            steps.push(Step::Nothing);
            let before = Executing::before(&steps, FLAGS);
            before.last().is_some_and(|now| now.is_any(16))
        };
        let zero = sets(0, None);
        assert!(is_any(&[zero.clone(), who.clone(), all.clone()]));
        assert!(!is_any(&[zero.clone(), who.clone()]));
        assert!(!is_any(&[who.clone(), all.clone()]));
        assert!(!is_any(&[zero.clone(), all.clone()]));
        assert!(!is_any(&[
            zero.clone(),
            who.clone(),
            sets(0xfff, Some(any))
        ]));
        assert!(!is_any(&[
            zero.clone(),
            who.clone(),
            all.clone(),
            Step::Call
        ]));
        assert!(!is_any(&[zero, who.clone(), all, who]));
    }
}

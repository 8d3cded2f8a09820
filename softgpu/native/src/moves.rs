//! Copies of registers. Compilers that keep arrays in registers copy them whole, one register after the other, where
//! channels part: those of neighbours are one copy of all.

use eu_lanes::{Operation, Place};

use crate::model::{Step, VectorStep};

/// A copy of consecutive dwords of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    /// Where they are in the register bytes.
    pub from: u32,
    /// Where they go.
    pub to: u32,
    /// How many bytes they have.
    pub bytes: u32,
}

impl VectorStep {
    /// What it copies, if it is a copy.
    pub(crate) fn moves(&self) -> Option<Move> {
        let request = &self.request;
        let [Some(source), None, None] = request.sources else {
            return None;
        };
        let (Place::Registers(region), output) = (source.place, request.output) else {
            return None;
        };
        let (is, to) = (source.element, output.element);
        let alike = is == to || !is.is_float() && !to.is_float();
        let dwords = is.bytes() == 4 && to.bytes() == 4 && output.stride == 4;
        let dense = (0..usize::from(request.lanes)).all(|lane| region.offset(lane) == 4 * lane);
        let plain = request.operation == Operation::Mov
            && request.condition.is_none()
            && request.accumulator.is_none()
            && !request.saturate
            && self.flag_bit.is_none()
            && source.modifiers.is_empty();
        (alike && dwords && dense && plain).then_some(Move {
            from: region.at,
            to: output.at?,
            bytes: 4 * u32::from(request.lanes),
        })
    }
}

/// The copy that several steps are together, from the first one on, for the same channels of each; and how many they are.
pub(crate) fn run(steps: &[Step]) -> Option<(Move, usize)> {
    let Some(Step::Vector(first)) = steps.first() else {
        return None;
    };
    let one = first.moves().filter(|one| [32, 64].contains(&one.bytes))?;
    let mut all = one;
    let mut count = 1;
    for step in &steps[1..] {
        let Step::Vector(next) = step else { break };
        let follows = Some(Move {
            from: one.from + all.bytes,
            to: one.to + all.bytes,
            bytes: one.bytes,
        });
        // It would read what has been written.
        let apart = one.from.abs_diff(one.to) >= all.bytes + one.bytes;
        if next.masking != first.masking || next.moves() != follows || !apart {
            break;
        }
        all.bytes += one.bytes;
        count += 1;
    }
    (count > 1).then_some((all, count))
}

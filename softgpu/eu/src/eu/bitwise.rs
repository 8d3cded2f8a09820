//! States of the bytes that functions of bits make.

use crate::check::{UNWRITTEN, WRITTEN};

/// The state of a byte of the result of `function`, which makes each bit of the same bit of its operands: what
/// operands have there and its states, and how the states of those join that the result depends on. Compilers
/// choose between two values by a mask, and masks are known.
pub(super) fn state(
    function: impl Fn([u8; 3]) -> u8,
    values: [u8; 3],
    states: [u8; 3],
    join: impl Fn(u8, u8) -> u8,
) -> u8 {
    const ALL: [u8; 2] = [0, 0xff];
    // Each bit of an operand that nothing has written may be anything.
    let choices = |index: usize| match states[index] {
        UNWRITTEN => ALL,
        _ => [values[index]; 2],
    };
    let matters = |index: usize| {
        let [one, other] = [(index + 1) % 3, (index + 2) % 3];
        choices(one).into_iter().any(|a| {
            choices(other).into_iter().any(|b| {
                let [low, high] = ALL.map(|own| {
                    let mut operands = [0; 3];
                    (operands[index], operands[one], operands[other]) = (own, a, b);
                    function(operands)
                });
                low != high
            })
        })
    };
    (0..3)
        .filter(|index| matters(*index))
        .fold(WRITTEN, |state, index| join(state, states[index]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTER: u8 = 9;

    fn of(function: impl Fn([u8; 3]) -> u8, values: [u8; 3], states: [u8; 3]) -> u8 {
        state(function, values, states, |a, b| match (a, b) {
            (UNWRITTEN, _) | (_, UNWRITTEN) => UNWRITTEN,
            (a, b) => a.max(b),
        })
    }

    #[test]
    fn what_decides_alone_needs_no_other() {
        let (no, yes) = (UNWRITTEN, WRITTEN);
        let and = |mask: u8, states| of(|[a, b, _]| a & b, [0, mask, 0], states);
        assert_eq!(and(0, [no, yes, yes]), yes);
        assert_eq!(and(4, [no, yes, yes]), no);
        assert_eq!(and(0, [no, no, yes]), no);
        assert_eq!(and(0, [POINTER, yes, yes]), yes);
        assert_eq!(and(0xf0, [POINTER, yes, yes]), POINTER);
        let or = |mask: u8| of(|[a, b, _]| a | b, [0, mask, 0], [no, yes, yes]);
        assert_eq!([or(0xff), or(0xf7)], [yes, no]);
    }

    #[test]
    fn a_choice_by_a_mask_depends_on_what_is_chosen() {
        let (no, yes) = (UNWRITTEN, WRITTEN);
        let choice = |mask: u8, states| of(|[m, a, b]| m & a | !m & b, [mask, 3, 5], states);
        assert_eq!(choice(0, [yes, no, yes]), yes);
        assert_eq!(choice(0xff, [yes, no, yes]), no);
        assert_eq!(choice(0xff, [yes, yes, no]), yes);
        assert_eq!(choice(0x0f, [yes, yes, no]), no);
        assert_eq!(choice(0, [no, yes, yes]), no);
    }
}

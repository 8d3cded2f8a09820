//! Where an access is in a variable, and how a variable is cut into cells.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use super::super::known::Known;
use crate::ir::{Bin, Function, Op, Value};

/// The most terms of an address, and steps to find them.
const TERMS: usize = 8;
const STEPS: usize = 32;
/// An address in a variable: a sum of values times numbers, and a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) number: u32,
    pub(super) terms: SmallVec<[(Value, u32); 4]>,
    /// The distance of the places that it may be, if there are several.
    pub(super) stride: u32,
}

impl Place {
    /// A pointer into the variable that `base` points to.
    pub(super) fn of(
        function: &Function,
        known: &Known,
        pointer: Value,
        base: Value,
    ) -> Option<Place> {
        let mut place = Place::default();
        let mut bases = 0u32;
        let mut work = vec![(pointer, 1u32)];
        let mut steps = 0;
        while let Some((value, times)) = work.pop() {
            steps += 1;
            if steps > STEPS || place.terms.len() > TERMS {
                return None;
            }
            if value == base {
                bases = bases.wrapping_add(times);
                continue;
            }
            if let Some(bits) = function.bits(value) {
                let number = (bits as u32).wrapping_mul(times);
                place.number = place.number.wrapping_add(number);
                continue;
            }
            let source = function.source(value).map(|(_, data)| data);
            let by = |value: Value| function.bits(value).map(|bits| bits as u32);
            match source.map(|data| (&data.op, data.args.as_slice())) {
                Some((Op::Bin(Bin::Add), &[a, b])) => work.extend([(a, times), (b, times)]),
                Some((Op::Bin(Bin::Sub), &[a, b])) => {
                    work.extend([(a, times), (b, times.wrapping_neg())]);
                }
                Some((Op::Bin(Bin::Shl), &[a, b])) if by(b).is_some() => {
                    work.push((a, times.wrapping_shl(by(b).unwrap_or(0))));
                }
                Some((Op::Bin(Bin::Mul), &[a, b])) if by(b).is_some() => {
                    work.push((a, times.wrapping_mul(by(b).unwrap_or(0))));
                }
                _ => match place.terms.iter_mut().find(|(term, _)| *term == value) {
                    Some((_, sum)) => *sum = sum.wrapping_add(times),
                    None => place.terms.push((value, times)),
                },
            }
        }
        place.terms.retain(|(_, times)| *times != 0);
        for (value, times) in &place.terms {
            let zeroes = known.zeroes[value.index()];
            let distance = times.cast_signed().unsigned_abs().checked_shl(zeroes)?;
            place.stride = gcd(place.stride, distance.max(1));
        }
        (bases == 1).then_some(place)
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}

/// What is read or written of a variable.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) place: Place,
    pub(super) bytes: u32,
}

impl Element {
    /// The first byte that it may be, and how many places there are.
    pub(super) fn range(&self, size: u32) -> Option<(u32, u32)> {
        let (first, stride) = match self.place.stride {
            0 => (self.place.number, size),
            stride => {
                let number = i64::from(self.place.number.cast_signed());
                (number.rem_euclid(i64::from(stride)) as u32, stride)
            }
        };
        let room = size.checked_sub(first.checked_add(self.bytes)?)?;
        Some((first, room / stride.max(1) + 1))
    }
}

/// Cells, with the bytes of each.
pub(super) type Cells = SmallVec<[(u32, u32); 2]>;

/// How a variable is cut into cells: each so many bytes the same way.
pub(super) struct Layout {
    pub(super) period: u32,
    /// The first byte and the bytes of each cell of a period.
    pub(super) fields: Vec<(u32, u32)>,
    pub(super) cells: u32,
}

impl Layout {
    pub(super) fn of(size: u32, elements: &[&Element]) -> Option<Layout> {
        let strides = elements.iter().map(|element| element.place.stride);
        let period = strides.fold(0, gcd);
        if period == 0 || period > size {
            // Nothing is indexed, or each index has only one place in the variable.
            return None;
        }
        let ranges: Option<Vec<(u32, u32)>> = elements
            .iter()
            .map(|element| Some((element.range(size)?.0, element.bytes)))
            .collect();
        let ranges = ranges?;
        let ends = ranges.iter().flat_map(|(at, bytes)| [*at, at + bytes]);
        let mut cuts: BTreeSet<u32> = ends.map(|end| end % period).collect();
        cuts.extend([0, period]);
        let is_used = |byte: u32| {
            let mut ranges = ranges.iter();
            ranges.any(|(at, bytes)| (byte + period - at % period) % period < *bytes)
        };
        let mut fields = Vec::new();
        let mut from = 0;
        for to in cuts.into_iter().skip(1) {
            while from < to {
                // The largest integer that is aligned there.
                let aligned = 1 << from.trailing_zeros().min(2);
                let bytes = (1..=to - from).rev().find(|n| aligned % n == 0);
                let bytes = bytes.unwrap_or(1);
                if is_used(from) {
                    fields.push((from, bytes));
                }
                from += bytes;
            }
        }
        let cells = size.div_ceil(period).checked_mul(fields.len() as u32)?;
        Some(Layout {
            period,
            fields,
            cells,
        })
    }

    /// The cells of an element that begins at a byte, with the bytes of each.
    pub(super) fn cells(&self, first: u32, bytes: u32) -> Option<Cells> {
        let mut out = SmallVec::new();
        let mut at = first;
        while at < first + bytes {
            let field = self
                .fields
                .binary_search_by_key(&(at % self.period), |f| f.0);
            let field = field.ok()?;
            let cell = at / self.period * self.fields.len() as u32 + field as u32;
            let bytes = self.fields[field].1;
            out.push((cell, bytes));
            at += bytes;
        }
        Some(out)
    }
}

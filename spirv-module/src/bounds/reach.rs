//! Where in its variable a pointer is.

use spirv::Op;

use super::build::{Builder, push};
use super::layout::{Kind, Layout};

/// An offset in bytes: a sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offset {
    fixed: i64,
    /// A value of 64 bits.
    value: Option<u32>,
    steps: Vec<Step>,
}

/// An index, and the bytes of each of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub index: Index,
    pub bytes: u64,
    /// The elements of the array that it is of, if it is of one.
    pub count: Option<u64>,
}

/// A number that the program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Index {
    pub id: u32,
    pub bits: u32,
    pub signed: bool,
}

/// A size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Fixed(u64),
    /// The value with this id, of 64 bits.
    Value(u32),
}

/// Where a pointer is, and the size and name of what it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    offset: Offset,
    size: Size,
    /// Four dwords.
    name: u32,
}

/// The size of what is not known.
const ENDLESS: u64 = u64::MAX;

impl Reach {
    /// Of a pointer to a variable.
    pub fn of(size: u64, name: u32) -> Self {
        Self {
            offset: Offset::default(),
            size: Size::Fixed(size),
            name,
        }
    }

    /// Of a pointer that comes from no variable.
    pub fn endless(builder: &mut Builder) -> Self {
        Self::of(ENDLESS, builder.name(""))
    }

    pub fn is_endless(&self) -> bool {
        self.size == Size::Fixed(ENDLESS)
    }

    /// Of a pointer whose offset, size and name are these values.
    pub fn of_values([offset, size, name]: [u32; 3]) -> Self {
        Self {
            offset: Offset {
                value: Some(offset),
                ..Offset::default()
            },
            size: Size::Value(size),
            name,
        }
    }

    /// Offset, size and name as values.
    pub fn values(&self, builder: &mut Builder, words: &mut Vec<u32>) -> [u32; 3] {
        let size = match self.size {
            Size::Fixed(size) => builder.wide(size),
            Size::Value(id) => id,
        };
        [self.offset.value(builder, words), size, self.name]
    }

    /// Moved by an index.
    pub fn stepped(mut self, step: Step) -> Self {
        self.offset.steps.push(step);
        self
    }

    /// Moved by so many bytes.
    pub fn moved(mut self, bytes: i64) -> Self {
        self.offset.fixed = self.offset.fixed.wrapping_add(bytes);
        self
    }

    /// The values that it is computed from.
    pub fn used(&self) -> impl Iterator<Item = u32> {
        let size = match self.size {
            Size::Fixed(_) => None,
            Size::Value(id) => Some(id),
        };
        let steps = self.offset.steps.iter().map(|step| step.index.id);
        steps
            .chain(self.offset.value)
            .chain(size)
            .chain([self.name])
    }

    /// The same where an index has a value; `None` if that is too far away.
    pub fn with(mut self, index: u32, value: i64) -> Option<Self> {
        let (there, others) = self
            .offset
            .steps
            .into_iter()
            .partition(|step: &Step| step.index.id == index);
        self.offset.steps = others;
        let there: Vec<Step> = there;
        for step in there {
            let bytes = i64::try_from(step.bytes).ok()?.checked_mul(value)?;
            self.offset.fixed = self.offset.fixed.checked_add(bytes)?;
        }
        Some(self)
    }

    /// Whether an access of so many bytes may leave it, as a truth value that costs little; `None` if it
    /// certainly does not.
    pub fn doubtful(&self, bytes: u64, builder: &mut Builder, words: &mut Vec<u32>) -> Option<u32> {
        let Size::Fixed(size) = self.size else {
            return Some(self.leaves(bytes, builder, words));
        };
        if self.is_endless() {
            return None;
        }
        let Some(last) = size
            .checked_sub(bytes)
            .and_then(|last| i64::try_from(last).ok())
        else {
            return Some(builder.always());
        };
        let Offset {
            fixed,
            value,
            ref steps,
        } = self.offset;
        match (value, steps.as_slice()) {
            (None, []) => (!(0..=last).contains(&fixed)).then(|| builder.always()),
            (None, [step]) => Some(step.outside(fixed, last, builder, words)),
            (None, steps) if inside_by_counts(fixed, last, steps) => {
                let outside = steps.iter().map(|step| {
                    let last = step.count.unwrap_or(1) - 1;
                    let last = step.index.constant(last, builder);
                    compare(builder, words, Op::UGreaterThan, [step.index.id, last])
                });
                let outside: Vec<u32> = outside.collect();
                outside
                    .into_iter()
                    .reduce(|any, one| compare(builder, words, Op::LogicalOr, [any, one]))
            }
            _ => Some(self.leaves(bytes, builder, words)),
        }
    }

    /// Whether an access of so many bytes leaves it, as a truth value.
    pub fn leaves(&self, bytes: u64, builder: &mut Builder, words: &mut Vec<u32>) -> u32 {
        let [offset, size, _] = self.values(builder, words);
        let bytes = builder.wide(bytes);
        let after = arithmetic(builder, words, Op::IAdd, [offset, bytes]);
        let ends = compare(builder, words, Op::UGreaterThan, [after, size]);
        let starts = compare(builder, words, Op::UGreaterThan, [offset, size]);
        compare(builder, words, Op::LogicalOr, [ends, starts])
    }
}

/// Whether the sum of a number and of steps that stay inside their arrays is between zero and `last`.
fn inside_by_counts(fixed: i64, last: i64, steps: &[Step]) -> bool {
    let farthest = |step: &Step| {
        let steps = step.count?.checked_sub(1)?;
        i64::try_from(steps.checked_mul(step.bytes)?).ok()
    };
    let mut sum = Some(fixed).filter(|fixed| *fixed >= 0);
    for step in steps {
        let far = farthest(step);
        sum = sum.and_then(|sum| sum.checked_add(far?));
    }
    sum.is_some_and(|sum| sum <= last)
}

impl Step {
    /// Whether the sum of a number and of this step is not between zero and `last`.
    fn outside(&self, fixed: i64, last: i64, builder: &mut Builder, words: &mut Vec<u32>) -> u32 {
        let Some(bytes) = i64::try_from(self.bytes).ok().filter(|bytes| *bytes > 0) else {
            let inside = (0..=last).contains(&fixed);
            return if inside {
                builder.never()
            } else {
                builder.always()
            };
        };
        // The least and the largest index that is inside.
        let before = fixed.wrapping_neg();
        let partial = i64::from(before.rem_euclid(bytes) != 0);
        let least = before.div_euclid(bytes).wrapping_add(partial);
        let least = if self.index.signed {
            least
        } else {
            least.max(0)
        };
        let most = last.wrapping_sub(fixed).div_euclid(bytes);
        if most < least {
            return builder.always();
        }
        let mut value = self.index.id;
        if least != 0 {
            let from = self.index.constant(least.cast_unsigned(), builder);
            let (id, ty) = (builder.id(), self.index.ty(builder));
            push(words, Op::ISub, &[ty, id, value, from]);
            value = id;
        }
        let span = most.wrapping_sub(least).cast_unsigned();
        let span = self.index.constant(span, builder);
        compare(builder, words, Op::UGreaterThan, [value, span])
    }
}

impl Index {
    /// Its type: of 32 or 64 bits.
    fn ty(self, builder: &Builder) -> u32 {
        match self.bits {
            64 => builder.types.wide,
            _ => builder.types.word,
        }
    }

    /// A constant of its type.
    fn constant(self, value: u64, builder: &mut Builder) -> u32 {
        match self.bits {
            64 => builder.wide(value),
            _ => builder.word(value as u32),
        }
    }
}

impl Offset {
    /// Its value, of 64 bits.
    fn value(&self, builder: &mut Builder, words: &mut Vec<u32>) -> u32 {
        let mut sum = self.value;
        for step in &self.steps {
            let mut value = step.index.id;
            if step.index.bits != 64 {
                let op = if step.index.signed {
                    Op::SConvert
                } else {
                    Op::UConvert
                };
                let id = builder.id();
                push(words, op, &[builder.types.wide, id, value]);
                value = id;
            }
            let bytes = builder.wide(step.bytes);
            value = arithmetic(builder, words, Op::IMul, [value, bytes]);
            sum = Some(match sum {
                Some(sum) => arithmetic(builder, words, Op::IAdd, [sum, value]),
                None => value,
            });
        }
        let fixed = builder.wide(self.fixed.cast_unsigned());
        match sum {
            Some(sum) if self.fixed == 0 => sum,
            Some(sum) => arithmetic(builder, words, Op::IAdd, [sum, fixed]),
            None => fixed,
        }
    }
}

/// What an operation makes of two numbers of 64 bits.
pub(super) fn arithmetic(builder: &mut Builder, words: &mut Vec<u32>, op: Op, of: [u32; 2]) -> u32 {
    let id = builder.id();
    push(words, op, &[builder.types.wide, id, of[0], of[1]]);
    id
}

/// The truth of a comparison.
pub(super) fn compare(builder: &mut Builder, words: &mut Vec<u32>, op: Op, of: [u32; 2]) -> u32 {
    let id = builder.id();
    push(words, op, &[builder.types.truth, id, of[0], of[1]]);
    id
}

/// An element, a component or a member of what a pointer points to.
pub(super) enum Part {
    /// So many bytes on.
    At(i64),
    /// An index away: the bytes of a step, and the elements of the array.
    Index(u64, Option<u64>),
}

/// The part of a type that an index names, and its type.
pub(super) fn part(layout: &Layout, ty: u32, index: u32) -> Option<(Part, u32)> {
    let constant = layout.constant(index);
    let (inner, count) = match *layout.kind(ty)? {
        Kind::Structure(_) => {
            let member = usize::try_from(constant?).ok()?;
            let (at, inner) = layout.member(ty, member)?;
            return Some((Part::At(i64::try_from(at).ok()?), inner));
        }
        Kind::Array { element, count } => (element, count),
        Kind::Vector { component, count } => (component, count),
        _ => return None,
    };
    Some((step(constant, layout.size(inner)?, Some(count))?, inner))
}

/// So many elements of so many bytes.
pub(super) fn step(index: Option<i64>, bytes: u64, count: Option<u64>) -> Option<Part> {
    match index {
        Some(index) => {
            let bytes = i64::try_from(bytes).ok()?;
            Some(Part::At(index.checked_mul(bytes)?))
        }
        None => Some(Part::Index(bytes, count)),
    }
}

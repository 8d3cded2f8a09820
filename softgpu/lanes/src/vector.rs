//! A routine with its operands.

use crate::level::{Baseline, Best, Routine};
use crate::operand::{Destination, Reading, Source};
use crate::request::{Condition, Operation, Request};
use crate::select;

/// Floating-point modes of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes(u8);

impl Modes {
    /// Denormal halves count as zero.
    pub const FLUSH_HALF: Self = Self(1);
    /// Denormal singles count as zero.
    pub const FLUSH_SINGLE: Self = Self(2);
    /// Denormal doubles count as zero.
    pub const FLUSH_DOUBLE: Self = Self(4);

    /// The modes with `other` added if `on`.
    #[must_use]
    pub const fn with(self, other: Self, on: bool) -> Self {
        Self(if on { self.0 | other.0 } else { self.0 })
    }

    #[inline(always)]
    /// Whether one of the modes of `other` is on.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether float lanes of this many bytes are flushed.
    #[inline(always)]
    pub(crate) const fn flushes_words(self, bytes: usize) -> bool {
        self.contains(if bytes == 8 {
            Self::FLUSH_DOUBLE
        } else {
            Self::FLUSH_SINGLE
        })
    }
}

/// Which channels an operation serves; bit `i` is its channel `i`.
#[derive(Clone, Copy, Debug)]
pub struct Enabled {
    /// Channels that write their results and flags.
    pub mask: u32,
    /// Channels whose predicate holds: `Select` takes source 0 there.
    pub chosen: u32,
}

/// What a routine works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub sources: [Source; 3],
    pub destination: Destination,
    pub condition: Option<Condition>,
    pub saturate: bool,
    /// The destination type's range, for results that are clamped to it.
    pub range: (i64, i64),
    /// Where the accumulator's low dwords and its whole values are.
    pub accumulator: (u32, u32),
    /// The accumulator is written.
    pub accumulates: bool,
    /// The table of `bfn`.
    pub table: u8,
}

/// The signature of routines.
pub(crate) type Run = unsafe fn(&mut [u8], &Call, Enabled, Modes) -> u32;

/// An operation that has a routine.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    run: Run,
    call: Call,
}

impl Vector {
    /// The routine for a request, if there is one.
    pub fn new(request: &Request) -> Option<Self> {
        select::select::<Best>(request)
    }

    /// Like [`Vector::new`], but compiled for the baseline, which processors without AVX2 run.
    pub fn baseline(request: &Request) -> Option<Self> {
        select::select::<Baseline>(request)
    }

    /// Prepares the call of `run`.
    pub(crate) fn with(
        run: Run,
        request: &Request,
        reading: Reading,
        input: usize,
        output: usize,
    ) -> Option<Self> {
        let mut sources = [Source::NONE; 3];
        for (slot, source) in sources.iter_mut().zip(&request.sources) {
            if let Some(source) = source {
                *slot = Source::new(
                    source.element,
                    source.place,
                    source.modifiers,
                    reading,
                    input,
                    request.lanes,
                )?;
            }
        }
        let to = &request.output;
        let size = to.element.bytes();
        let destination = Destination {
            element: to.element,
            packed: to.at.is_some() && size == output && usize::from(to.stride) == output,
            null: to.at.is_none(),
            at: to.at.unwrap_or(0),
            stride: to.stride,
        };
        let accumulator = request.accumulator.unwrap_or_default();
        Some(Self {
            run,
            call: Call {
                sources,
                destination,
                condition: request.condition,
                saturate: request.saturate,
                range: to.element.range(),
                accumulator: (accumulator.low, accumulator.wide),
                accumulates: accumulator.writes,
                table: match request.operation {
                    Operation::Bfn(table) => table,
                    _ => 0,
                },
            },
        })
    }

    /// Executes the operation on register bytes. Returns the channels that meet the condition
    /// (meaningless if the request had none).
    #[inline(always)]
    pub fn run(&self, bytes: &mut [u8], enabled: Enabled, modes: Modes) -> u32 {
        // SAFETY: `select` picks only routines whose processor features it found.
        unsafe { (self.run)(bytes, &self.call, enabled, modes) }
    }
}

/// A routine compiled for some level; see [`Routine`].
pub(crate) trait Compiled {
    /// Whether the processor has fused multiply-adds.
    fn fuses() -> bool;
    /// The code of a routine: `R`, or for a rarely used level `F`, of which there are fewer.
    fn of<R: Routine, F: Routine>() -> Run;
}

//! Hosts for which there are no translations: everything is interpreted.

use core::num::NonZero;

use super::lines::Lines;
use super::program::Compile;
use super::routine::Routine;
use super::state::State;
use super::thread::{Counters, ThreadStart, Went};
use super::turns::Turns;
use crate::{Fault, GroupEnv};

/// The translations of a routine: none.
#[derive(Debug, Default)]
pub(super) struct Native;

/// Runs nothing.
///
/// # Errors
/// None.
pub(super) fn run(
    _: &mut Turns<'_>,
    _: &Routine,
    _: usize,
    _: &GroupEnv<'_>,
    _: Compile,
    _: &mut usize,
) -> Result<Option<Went>, Box<Fault>> {
    Ok(None)
}

/// The host code with which threads of a kernel begin: none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start;

impl Start {
    /// None.
    pub fn of(_: &State, _: &Routine, _: usize) -> Option<Self> {
        None
    }

    /// Never.
    pub fn fits(&self, _: &State, _: &Routine) -> bool {
        false
    }

    /// None.
    pub fn id(&self) -> Option<NonZero<u64>> {
        None
    }

    /// None.
    pub fn settled(&self) -> &Lines {
        &Lines::NONE
    }
}

/// Lines of register bytes that are zeroed before a thread begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Clean;

impl Clean {
    /// Nothing begins.
    pub fn new(_: &Lines, _: usize) -> Self {
        Self
    }

    /// None.
    pub fn offsets(&self) -> &[u32] {
        &[]
    }
}

/// What a relay came to.
#[derive(Debug)]
pub(super) struct Relayed {
    /// How many threads ended.
    pub ended: usize,
    /// What they have executed.
    pub executed: Counters,
    /// Of the thread after them: how many ops it may still execute, or its fault.
    pub last: Option<Result<usize, Box<Fault>>>,
}

/// Runs nothing.
pub(super) fn relay<'s>(
    _: &mut State,
    _: &Routine,
    _: &Start,
    _: (&ThreadStart<'s>, impl Iterator<Item = ThreadStart<'s>>),
    _: (&Clean, usize),
    _: &GroupEnv<'_>,
) -> Option<Relayed> {
    None
}

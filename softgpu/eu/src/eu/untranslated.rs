//! Hosts for which there are no translations: everything is interpreted.

use super::routine::Routine;
use super::state::State;
use super::thread::Went;
use crate::{Fault, GroupEnv};

/// The translations of a routine: none.
#[derive(Debug, Default)]
pub(super) struct Native;

/// Runs nothing.
///
/// # Errors
/// None.
pub(super) fn run(
    _: &mut State,
    _: &Routine,
    _: usize,
    _: &GroupEnv<'_>,
    _: u32,
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
    pub fn fits(&self, _: &State) -> bool {
        false
    }
}

/// Runs nothing.
///
/// # Errors
/// None.
pub(super) fn begin(
    _: &mut State,
    _: &Routine,
    _: &Start,
    _: &GroupEnv<'_>,
    _: &mut usize,
) -> Result<Option<Went>, Box<Fault>> {
    Ok(None)
}

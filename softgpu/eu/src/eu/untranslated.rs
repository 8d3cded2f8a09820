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

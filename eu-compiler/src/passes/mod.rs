//! The passes over the intermediate representation, in their order.
//!
//! Each takes a function that [`verify`](crate::ir::verify) accepts and leaves one.

mod access;
mod adjacent;
mod atomics;
mod chain;
pub mod divergence;
mod divide;
mod dots;
mod generic;
mod invariant;
mod known;
mod legalize;
mod memory;
mod private;
mod reducible;
mod shared;
mod simplify;
mod split;
mod structure;
mod surfaces;
mod unroll;

use crate::error::Error;
use crate::ir::{Function, print, verify};
use crate::target::Target;

/// A pass: its name and what it does.
type Pass = (
    &'static str,
    fn(&mut Function, &Target) -> Result<(), String>,
);

/// All of them.
const PASSES: &[Pass] = &[
    ("reducible", reducible::run),
    ("simplify", simplify::run),
    ("memory", memory::run),
    ("cleanup", simplify::run),
    ("unroll", unroll::run),
    ("generic", generic::run),
    ("atomics", atomics::run),
    ("private", private::run),
    ("chain", chain::run),
    ("adjacent", adjacent::run),
    ("access", access::run),
    ("surfaces", surfaces::run),
    ("dots", dots::run),
    ("legalize", legalize::run),
    ("split", split::run),
    ("final", simplify::run),
    ("structure", structure::run),
    ("shared", shared::run),
    ("invariant", invariant::run),
];

/// The names of the passes, after "front".
pub fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once("front").chain(PASSES.iter().map(|pass| pass.0))
}

/// Runs all passes. `show` gets the function after the pass of that name.
///
/// # Errors
/// What a pass cannot do, or breaks.
pub fn run(
    function: &mut Function,
    target: &Target,
    kernel: &str,
    mut show: impl FnMut(&'static str, String),
    wanted: Option<&str>,
) -> Result<(), Error> {
    let mut check = |pass: &'static str, function: &Function| -> Result<(), Error> {
        if wanted == Some(pass) {
            show(pass, print(function));
        }
        verify(function).map_err(|error| Error::Internal {
            kernel: kernel.to_owned(),
            pass,
            what: error.to_string(),
        })
    };
    structure::prune(function);
    check("front", function)?;
    for (name, pass) in PASSES {
        pass(function, target).map_err(|what| Error::Limit {
            kernel: kernel.to_owned(),
            what,
        })?;
        check(name, function)?;
    }
    Ok(())
}

//! The passes over the intermediate representation, in their order.
//!
//! Each takes a function that [`verify`](crate::ir::verify) accepts and leaves one. What the front end
//! made and what selection gets is always verified; what each pass leaves is in builds with debug
//! assertions, as for tests, and where a pass is shown.

mod access;
mod adjacent;
mod arrays;
mod atomics;
mod broadcasts;
mod chain;
mod contents;
mod copies;
pub mod divergence;
mod divide;
mod dots;
mod flatten;
mod generic;
mod invariant;
mod known;
mod legalize;
mod memory;
mod narrow;
mod places;
mod private;
mod reducible;
mod shared;
mod shifts;
mod simplify;
mod split;
mod structure;
mod surfaces;
mod tables;
mod unroll;
mod whole;

use crate::error::Error;
use crate::ir::{Function, VerifyError, print, verify};
use crate::target::Target;

/// A pass.
struct Pass {
    name: &'static str,
    run: fn(&mut Function, &Target) -> Result<(), String>,
    /// Whether it makes something else of a function for sub-groups of another width.
    knows_width: fn(&Function) -> bool,
}

impl Pass {
    const fn new(
        name: &'static str,
        run: fn(&mut Function, &Target) -> Result<(), String>,
    ) -> Self {
        Self {
            name,
            run,
            knows_width: |_| false,
        }
    }

    const fn knowing_width(self, knows_width: fn(&Function) -> bool) -> Self {
        Self {
            knows_width,
            ..self
        }
    }
}

/// All of them.
const PASSES: &[Pass] = &[
    Pass::new("reducible", reducible::run),
    Pass::new("simplify", simplify::run),
    Pass::new("memory", memory::run),
    Pass::new("narrow", narrow::run),
    Pass::new("cleanup", simplify::run),
    Pass::new("unroll", unroll::run),
    Pass::new("flatten", flatten::run),
    Pass::new("generic", generic::run),
    Pass::new("atomics", atomics::run),
    Pass::new("tables", tables::run),
    Pass::new("contents", contents::run),
    Pass::new("copies", copies::run),
    Pass::new("arrays", arrays::run).knowing_width(arrays::knows_width),
    Pass::new("chain", chain::run),
    Pass::new("adjacent", adjacent::run),
    Pass::new("private", private::run).knowing_width(private::knows_width),
    Pass::new("access", access::run).knowing_width(access::knows_width),
    Pass::new("broadcasts", broadcasts::run),
    Pass::new("surfaces", surfaces::run),
    Pass::new("dots", dots::run),
    Pass::new("legalize", legalize::run),
    Pass::new("split", split::run),
    Pass::new("final", simplify::run),
    Pass::new("shifts", shifts::run),
    Pass::new("structure", structure::run),
    Pass::new("shared", shared::run),
    Pass::new("invariant", invariant::run).knowing_width(|_| true),
];

/// The names of the passes, after "front".
pub fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once("front").chain(PASSES.iter().map(|pass| pass.name))
}

/// A function on its way through the passes.
#[derive(Clone, Debug)]
pub struct Passing<'a> {
    kernel: &'a str,
    /// How many passes it has been through.
    done: usize,
    wanted: Option<&'a str>,
    /// What it was after the pass that is wanted.
    pub shown: Option<String>,
}

impl<'a> Passing<'a> {
    /// Begins, with what the front end made.
    ///
    /// # Errors
    /// The function breaks a rule.
    pub fn begin(
        function: &mut Function,
        kernel: &'a str,
        wanted: Option<&'a str>,
    ) -> Result<Self, VerifyError> {
        let mut passing = Self {
            kernel,
            done: 0,
            wanted,
            shown: None,
        };
        structure::prune(function);
        passing.show("front", function);
        verify(function)?;
        Ok(passing)
    }

    /// Runs the passes whose results are the same for every width, as far as they come first.
    ///
    /// # Errors
    /// What a pass cannot do, or breaks.
    pub fn common(&mut self, function: &mut Function, target: &Target) -> Result<(), Error> {
        self.run(function, target, |pass, function| {
            !(pass.knows_width)(function)
        })
    }

    /// Runs the other passes.
    ///
    /// # Errors
    /// What a pass cannot do, or breaks.
    pub fn finish(&mut self, function: &mut Function, target: &Target) -> Result<(), Error> {
        self.run(function, target, |_, _| true)
    }

    fn run(
        &mut self,
        function: &mut Function,
        target: &Target,
        may: impl Fn(&Pass, &Function) -> bool,
    ) -> Result<(), Error> {
        while let Some(pass) = PASSES.get(self.done).filter(|pass| may(pass, function)) {
            (pass.run)(function, target).map_err(|what| Error::Limit {
                kernel: self.kernel.to_owned(),
                what,
            })?;
            self.done += 1;
            self.show(pass.name, function);
            // Each in a build for tests and where someone looks; otherwise what selection gets.
            if cfg!(debug_assertions) || self.wanted.is_some() || self.done == PASSES.len() {
                self.verify(pass.name, function)?;
            }
        }
        Ok(())
    }

    fn show(&mut self, pass: &str, function: &Function) {
        if self.wanted == Some(pass) {
            self.shown = Some(print(function));
        }
    }

    fn verify(&self, pass: &'static str, function: &Function) -> Result<(), Error> {
        verify(function).map_err(|error| Error::Internal {
            kernel: self.kernel.to_owned(),
            pass,
            what: error.to_string(),
        })
    }
}

//! The checker: finds accesses that nothing orders.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use devinfo::Family;

use super::access::{Access, Space, View};
use super::fixpoint::fixpoint;
use super::flow::Flow;
use super::pending::{Conflict, Facts, State, Waits};
use super::pipe;
use super::program::Program;
use crate::disasm;

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Conflict::ReadAfterWrite => "read after write",
            Conflict::WriteAfterWrite => "write after write",
            Conflict::WriteAfterRead => "write after read",
        })
    }
}

/// An instruction in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number in the program.
    pub index: usize,
    /// Bytes from the start of the kernel.
    pub offset: usize,
    /// The instruction in IGA syntax.
    pub text: String,
}

/// Two accesses of a register that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// What they do.
    pub kind: Conflict,
    /// The first register that they share: `r12`, `f0`, `acc0`, `mme0`, `a0` or `state` (see the
    /// rule on `cr0` and the like in [`crate::swsb`]).
    pub register: String,
    /// The earlier instruction, which may still be under way.
    pub earlier: Place,
    /// The later one, which should wait.
    pub later: Place,
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {}: {:#06x} `{}` does not wait for {:#06x} `{}`",
            self.kind,
            self.register,
            self.later.offset,
            self.later.text,
            self.earlier.offset,
            self.earlier.text
        )
    }
}

/// What [`check`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The hazards, in the order of the later instruction; one for each pair of instructions.
    pub hazards: Vec<Hazard>,
    /// Whether all paths were checked. The checker gives up on a program built to exhaust the
    /// analysis.
    pub complete: bool,
}

/// No more hazards than this are reported.
const MOST: usize = 1000;

/// The hazards in a kernel's `code`. Families with a hardware scoreboard (to Gen11) have none.
pub fn check(family: Family, code: &[u8]) -> Report {
    check_program(&Program::decode(family, code))
}

/// The hazards in a program.
pub fn check_program(program: &Program) -> Report {
    if !pipe::has_scoreboard(program.family()) {
        return Report {
            hazards: Vec::new(),
            complete: true,
        };
    }
    let facts = Facts::new(program, View::Sure);
    let flow = Flow::new(program, View::Sure);
    let step =
        |index: usize, state: &mut State, found: &mut dyn FnMut(usize, &Access, Conflict)| {
            state.wait(&facts, &Waits::of(program, index));
            state.meet(&facts, index, |entry, access, conflict| {
                found(entry.producer as usize, access, conflict);
            });
            state.issue(&facts, index);
        };
    let mut pairs: BTreeMap<(usize, usize), (Conflict, Access)> = BTreeMap::new();
    let report = |block: usize, mut state: State| {
        let block = &flow.blocks[block];
        for index in block.start..block.end {
            step(index, &mut state, &mut |earlier, access, conflict| {
                if pairs.len() < MOST {
                    pairs.entry((index, earlier)).or_insert((conflict, *access));
                }
            });
        }
    };
    let follow = |index: usize, state: &mut State| step(index, state, &mut |_, _, _| {});
    if fixpoint(&flow, &facts, follow, report).is_err() {
        return Report::default();
    }
    let hazards = pairs
        .into_iter()
        .filter_map(|((later, earlier), (kind, access))| {
            Some(Hazard {
                kind,
                register: register(program.family(), &access),
                earlier: place(program, earlier)?,
                later: place(program, later)?,
            })
        })
        .collect();
    Report {
        hazards,
        complete: true,
    }
}

fn place(program: &Program, index: usize) -> Option<Place> {
    let placed = program.instructions().get(index)?;
    let mut text = String::new();
    disasm::print::instruction(
        &mut text,
        program.family(),
        &placed.instruction,
        &disasm::print::Distances,
    );
    Some(Place {
        index,
        offset: placed.offset,
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

fn register(family: Family, access: &Access) -> String {
    let start = u32::from(access.start);
    let grf = family.grf_bytes() as u32;
    match access.space {
        Space::Grf => alloc::format!("r{}", start / grf),
        Space::Flag => alloc::format!("f{}", start / 4),
        Space::Accumulator => alloc::format!("acc{}", start / grf),
        Space::Exponent => alloc::format!("mme{}", (start / grf).saturating_sub(2)),
        Space::Scalar => String::from("s0"),
        Space::Address => String::from("a0"),
        Space::State => String::from("state"),
    }
}

//! Register allocation: a place in the register file for each virtual register.
//!
//! A virtual register lives from its first to its last instruction in the order of the code, and,
//! if it is used in a loop and outside of it, through the whole loop: lanes that wait for others
//! keep what they have. The places are given by linear scan over bytes.

use crate::code::Code;

/// Where each virtual register is: its first byte in the register file.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// The first byte.
    pub places: Vec<u32>,
}

/// The units of places, in bytes.
const UNIT: u32 = 4;

/// The life of a virtual register, in instructions.
#[derive(Clone, Copy, Debug)]
struct Life {
    var: usize,
    first: usize,
    last: usize,
}

/// Gives places.
///
/// # Errors
/// The bytes that would be needed at once.
pub fn allocate(code: &Code, grf: u32, registers: u32) -> Result<Allocation, u32> {
    let mut lives = lives(code);
    lives.sort_by_key(|life| (life.first, life.var));
    let units = (grf * registers / UNIT) as usize;
    let mut busy = vec![false; units];
    // r0 is the header, until the end.
    busy[..(grf / UNIT) as usize].fill(true);
    let mut places = vec![u32::MAX; code.vars.len()];
    let mut active: Vec<Life> = Vec::new();
    let mut used = grf;
    let span = |var: usize, places: &[u32]| {
        let from = (places[var] / UNIT) as usize;
        from..from + code.vars[var].size.div_ceil(UNIT) as usize
    };
    // What a thread starts with is there from the beginning.
    let (fixed, free): (Vec<Life>, Vec<Life>) = lives
        .into_iter()
        .partition(|life| code.vars[life.var].fixed.is_some());
    for life in fixed {
        places[life.var] = code.vars[life.var].fixed.unwrap_or(0);
        busy[span(life.var, &places)].fill(true);
        used += code.vars[life.var].size;
        active.push(Life { first: 0, ..life });
    }
    for life in free {
        active.retain(|old| {
            let ends = old.last < life.first;
            if ends {
                // r0 stays until the end.
                if places[old.var] >= grf {
                    busy[span(old.var, &places)].fill(false);
                }
                used -= code.vars[old.var].size;
            }
            !ends
        });
        let var = &code.vars[life.var];
        used += var.size;
        let count = var.size.div_ceil(UNIT) as usize;
        let step = (var.align.max(UNIT) / UNIT) as usize;
        // Small ones from the end, so that they do not cut the free space into pieces.
        let fits = |from: usize| busy[from..from + count].iter().all(|unit| !unit);
        let starts = (0..units.saturating_sub(count) + 1).step_by(step);
        let found = if var.size < grf {
            starts.rev().find(|from| fits(*from))
        } else {
            starts.into_iter().find(|from| fits(*from))
        };
        let Some(from) = found else {
            return Err(used.max(grf * registers + var.size));
        };
        places[life.var] = from as u32 * UNIT;
        busy[from..from + count].fill(true);
        active.push(life);
    }
    Ok(Allocation { places })
}

fn lives(code: &Code) -> Vec<Life> {
    let mut first = vec![usize::MAX; code.vars.len()];
    let mut last = vec![0; code.vars.len()];
    for (index, inst) in code.insts.iter().enumerate() {
        inst.vars(|var| {
            first[var.index()] = first[var.index()].min(index);
            last[var.index()] = last[var.index()].max(index);
        });
    }
    // What a thread starts with is there from the first instruction on.
    for (var, data) in code.vars.iter().enumerate() {
        if data.fixed.is_some() && first[var] != usize::MAX {
            first[var] = 0;
        }
    }
    // Inner loops come after the outer ones, so that what an inner one lengthens reaches the outer.
    let mut changed = true;
    while changed {
        changed = false;
        for (header, start, end) in code.loops.iter().rev() {
            for var in 0..code.vars.len() {
                let (a, b) = (first[var], last[var]);
                if a == usize::MAX || b < *start || a > *end {
                    continue;
                }
                let own = code.vars[var].header == Some(*header);
                let crosses = a < *start || b > *end || own;
                if !crosses {
                    continue;
                }
                if a > *start {
                    first[var] = *start;
                    changed = true;
                }
                if b < *end {
                    last[var] = *end;
                    changed = true;
                }
            }
        }
    }
    (0..code.vars.len())
        .filter(|var| first[*var] != usize::MAX)
        .map(|var| Life {
            var,
            first: first[var],
            last: last[var],
        })
        .collect()
}

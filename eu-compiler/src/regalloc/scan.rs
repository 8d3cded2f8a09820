//! Places by linear scan: lives in the order of their begins get the first place that is free. If
//! none is, what costs least goes to memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::UNIT;
use super::lives::Life;
use crate::code::Code;

/// Nobody's.
const FREE: u32 = u32::MAX;
/// r0, and what is behind the last register.
const TAKEN: u32 = u32::MAX - 1;

/// What a scan gives.
pub struct Scanned {
    /// The place of each virtual register, in bytes.
    pub places: Vec<u32>,
    /// Those that found none.
    pub spilled: Vec<usize>,
}

/// Scans.
///
/// # Errors
/// An instruction needs more registers than a thread has.
pub fn scan(
    code: &Code,
    lives: &[Life],
    costs: &[f32],
    grf: u32,
    registers: u32,
) -> Result<Scanned, ()> {
    let mut file = File::new(code, grf, registers);
    let mut spilled = Vec::new();
    let mut ends: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
    let (fixed, free): (Vec<&Life>, Vec<&Life>) = lives
        .iter()
        .partition(|life| code.vars[life.var].fixed.is_some());
    for life in fixed {
        let place = code.vars[life.var].fixed.unwrap_or(0);
        file.put(life.var, place);
        ends.push(Reverse((life.last, life.var)));
    }
    for life in free {
        while let Some(Reverse((end, var))) = ends.peek().copied()
            && end < life.first
        {
            ends.pop();
            file.free(var);
        }
        let place = match file.find(life.var) {
            Some(place) => place,
            None => {
                let stays = code.vars[life.var].stays;
                let own = if stays {
                    f32::INFINITY
                } else {
                    costs[life.var]
                };
                let (cost, place) = file.cheapest(life.var, costs).unwrap_or((f32::INFINITY, 0));
                if cost >= own {
                    if stays {
                        return Err(());
                    }
                    spilled.push(life.var);
                    continue;
                }
                spilled.extend(file.evict(life.var, place));
                place
            }
        };
        file.put(life.var, place);
        ends.push(Reverse((life.last, life.var)));
    }
    Ok(Scanned {
        places: file.places,
        spilled,
    })
}

/// The register file.
struct File<'a> {
    code: &'a Code,
    /// Units of a register.
    row: usize,
    /// Who has each unit.
    owners: Vec<u32>,
    /// Taken units of each register, a bit each.
    masks: Vec<u16>,
    places: Vec<u32>,
    /// Behind the whole registers that were given last: what was freed just now is taken last.
    next: usize,
}

impl<'a> File<'a> {
    fn new(code: &'a Code, grf: u32, registers: u32) -> File<'a> {
        let row = (grf / UNIT) as usize;
        let mut owners = vec![FREE; registers as usize * row];
        owners[..row].fill(TAKEN);
        let mut masks = vec![0; registers as usize];
        masks[0] = u16::MAX;
        File {
            code,
            row,
            owners,
            masks,
            places: vec![u32::MAX; code.vars.len()],
            next: 1,
        }
    }

    fn span(&self, var: usize, place: u32) -> std::ops::Range<usize> {
        let from = (place / UNIT) as usize;
        let to = from + self.code.vars[var].size.div_ceil(UNIT) as usize;
        from.min(self.owners.len())..to.min(self.owners.len())
    }

    fn put(&mut self, var: usize, place: u32) {
        self.places[var] = place;
        for unit in self.span(var, place) {
            if self.owners[unit] != TAKEN {
                self.owners[unit] = var as u32;
                self.masks[unit / self.row] |= 1 << (unit % self.row);
            }
        }
    }

    fn free(&mut self, var: usize) {
        for unit in self.span(var, self.places[var]) {
            if self.owners[unit] == var as u32 {
                self.owners[unit] = FREE;
                self.masks[unit / self.row] &= !(1 << (unit % self.row));
            }
        }
    }

    /// Whole registers that it needs, if it needs whole ones, and the distance of places.
    fn whole(&self, var: usize) -> Option<(usize, usize)> {
        let data = &self.code.vars[var];
        let grf = self.row as u32 * UNIT;
        (data.size >= grf || data.align >= grf).then(|| {
            let step = (data.align / grf).max(1) as usize;
            (data.size.div_ceil(grf) as usize, step)
        })
    }

    /// A part of a register: units, and the distance of places.
    fn part(&self, var: usize) -> (usize, usize) {
        let data = &self.code.vars[var];
        let units = data.size.div_ceil(UNIT) as usize;
        (units, (data.align / UNIT).max(1) as usize)
    }

    fn find(&mut self, var: usize) -> Option<u32> {
        let rows = self.masks.len();
        if let Some((count, step)) = self.whole(var) {
            let end = rows.checked_sub(count)? + 1;
            let next = self.next.min(end).next_multiple_of(step);
            let found = self
                .run(next, end, count, step)
                .or_else(|| self.run(0, end, count, step))?;
            self.next = found + count;
            return Some((found * self.row) as u32 * UNIT);
        }
        // From the end, where something is already: they do not cut the free registers into pieces.
        let (count, step) = self.part(var);
        let need = (1u16 << count) - 1;
        let fits = |mask: u16| {
            let mut starts = (0..=self.row - count).step_by(step);
            starts.find(|start| mask >> start & need == 0)
        };
        let full = u16::MAX >> (16 - self.row);
        let partly = |mask: u16| mask != 0 && mask != full;
        let all = || (0..rows).rev();
        let found = all()
            .filter(|row| partly(self.masks[*row]))
            .find_map(|row| Some((row, fits(self.masks[row])?)));
        let empty = || all().find(|row| self.masks[*row] == 0).map(|row| (row, 0));
        let (row, start) = found.or_else(empty)?;
        Some((row * self.row + start) as u32 * UNIT)
    }

    /// Free registers that follow each other.
    fn run(&self, from: usize, end: usize, count: usize, step: usize) -> Option<usize> {
        let mut start = from;
        while start < end {
            match (start..start + count)
                .rev()
                .find(|row| self.masks[*row] != 0)
            {
                None => return Some(start),
                Some(taken) => start = (taken + 1).next_multiple_of(step),
            }
        }
        None
    }

    /// The place whose owners cost least.
    fn cheapest(&self, var: usize, costs: &[f32]) -> Option<(f32, u32)> {
        let (count, step) = match self.whole(var) {
            Some((count, step)) => (count * self.row, step * self.row),
            None => self.part(var),
        };
        let cost = |start: usize| {
            let mut sum = 0.0;
            let mut last = FREE;
            for &owner in &self.owners[start..start + count] {
                if owner == last || owner == FREE {
                    continue;
                }
                last = owner;
                let stays = owner == TAKEN || self.code.vars[owner as usize].stays;
                sum += if stays {
                    f32::INFINITY
                } else {
                    costs[owner as usize]
                };
            }
            sum
        };
        let end = self.owners.len().checked_sub(count)? + 1;
        (0..end)
            .step_by(step)
            .filter(|start| count > self.row || start % self.row + count <= self.row)
            .map(|start| (cost(start), start as u32 * UNIT))
            .filter(|(cost, _)| cost.is_finite())
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Takes a place from its owners.
    fn evict(&mut self, var: usize, place: u32) -> Vec<usize> {
        let mut owners: Vec<usize> = self.owners[self.span(var, place)]
            .iter()
            .filter(|owner| **owner != FREE)
            .map(|owner| *owner as usize)
            .collect();
        owners.dedup();
        for owner in &owners {
            self.free(*owner);
        }
        owners
    }
}

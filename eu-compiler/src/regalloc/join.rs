//! Copies that are not needed: the copied register and the copy become one, or the one a part of
//! the other.
//!
//! That is right where neither is written while the other one's value is still wanted. There are
//! several ways to know, for the bytes that both would share: the copy begins to live where it is
//! made; or it is a phi that takes the value for the next round of its loop; or it is a phi that
//! lanes elsewhere have a value in already, which they keep because writes are masked. Where none of these
//! is seen in the order of the code, the ways of a lane say it ([`Flow::are_apart`]).

use std::borrow::Cow;
use std::ops::Range;

use isa_encoder::Opcode;

use super::flow::{Event, Flow};
use super::lives::{Nest, Use, Uses};
use crate::code::{Code, Inst, Operand, Place, Predicate, Var, What};
use crate::ir::Block;

/// More uses than this are not compared.
const MOST: usize = 256;

/// Joins what it can, and takes the copies out.
pub fn join(code: &mut Code, grf: u32) {
    let uses = Uses::new(code, grf);
    let nest = Nest::new(code);
    let mut copies: Vec<(u32, Place, Place)> = Vec::new();
    for (at, inst) in code.insts.iter().enumerate() {
        if let Some((to, from)) = copied(inst) {
            copies.push((at as u32, to, from));
        }
    }
    // Inner loops first.
    copies.sort_by(|a, b| {
        let weight = |at| nest.weight(at);
        weight(b.0).total_cmp(&weight(a.0)).then(a.0.cmp(&b.0))
    });
    let mut join = Join {
        homes: (0..code.vars.len() as u32).map(|var| (var, 0)).collect(),
        uses: (0..code.vars.len())
            .map(|var| Cow::Borrowed(uses.of(var)))
            .collect(),
        flow: Flow::new(code),
        nest,
        code,
    };
    for (at, to, from) in copies {
        join.copy(at, to, from);
    }
    let homes = join.homes;
    let home = |var: Var| find(&homes, var.0);
    for inst in &mut code.insts {
        inst.places(|place| {
            let (root, offset) = home(place.var);
            place.var = Var(root);
            place.byte = place.byte.wrapping_add_signed(offset);
        });
        if let What::Define(var) = &mut inst.what {
            *var = Var(home(*var).0);
        }
    }
    code.retain(|inst| copied(inst).is_none_or(|(to, from)| to != from));
}

/// Where a copy of whole elements goes and comes from.
pub(super) fn copied(inst: &Inst) -> Option<(Place, Place)> {
    let plain = matches!(inst.what, What::Alu(Opcode::Mov))
        && inst.predicate == Predicate::None
        && inst.cond.is_none()
        && !inst.saturate;
    match (inst.dst, inst.srcs[0]) {
        (
            Some(Operand::Var {
                place: to,
                ty: one,
                stride: a,
                ..
            }),
            Some(Operand::Var {
                place: from,
                ty: other,
                stride: b,
                neg: false,
                abs: false,
            }),
        ) if plain && one == other && one.is_integer() && (a == 1 && b == 1 || inst.exec == 1) => {
            Some((to, from))
        }
        _ => None,
    }
}

/// The register that one became a part of, and where it begins there.
fn find(homes: &[(u32, i32)], mut var: u32) -> (u32, i32) {
    let mut offset = 0;
    loop {
        let (next, more) = homes[var as usize];
        if next == var {
            return (var, offset);
        }
        offset += more;
        var = next;
    }
}

struct Join<'a> {
    code: &'a mut Code,
    nest: Nest,
    flow: Flow,
    homes: Vec<(u32, i32)>,
    /// Of each register that is none's part.
    uses: Vec<Cow<'a, [Use]>>,
}

/// A register that may share bytes with another: its uses of those, and where they begin in it.
struct Side<'a> {
    uses: Vec<&'a Use>,
    start: i64,
}

impl Side<'_> {
    fn first(&self) -> u32 {
        self.uses.first().map_or(0, |used| used.at)
    }

    fn last(&self) -> u32 {
        self.uses.last().map_or(0, |used| used.at)
    }

    /// The bytes of a use, from the begin of those that both share.
    fn bytes(&self, used: &Use) -> Range<i64> {
        i64::from(used.bytes.start) - self.start..i64::from(used.bytes.end) - self.start
    }
}

const fn meet(a: &Range<i64>, b: &Range<i64>) -> bool {
    a.start < b.end && b.start < a.end
}

impl Join<'_> {
    fn copy(&mut self, at: u32, to: Place, from: Place) {
        let ((b, to), (a, from)) = (self.root(to), self.root(from));
        if a == b {
            return;
        }
        let delta = to - from;
        let (one, other) = (self.code.vars[a], self.code.vars[b]);
        let fixed = [one, other].iter().any(|var| var.fixed.is_some());
        if fixed || self.uses[a].len() + self.uses[b].len() > MOST {
            return;
        }
        // One is a part of the other, at a place where it may be.
        let (a_in_b, b_in_a) = (
            delta >= 0 && delta + i64::from(one.size) <= i64::from(other.size),
            delta <= 0 && i64::from(other.size) - delta <= i64::from(one.size),
        );
        let (part, whole, offset) = match (a_in_b, b_in_a) {
            (true, _) => (a, b, delta),
            (_, true) => (b, a, -delta),
            _ => return,
        };
        let (small, big) = (self.code.vars[part], self.code.vars[whole]);
        if small.stays {
            return;
        }
        if offset % i64::from(small.align) != 0 || big.align % small.align != 0 {
            return;
        }
        // A single element in a register of many keeps all of them busy.
        if small.size < big.size && small.size < 16 {
            return;
        }
        let Some(header) = self.outer(small.header, big.header) else {
            return;
        };
        if !self.agree(at, a, b, delta) && !self.are_apart(at, a, b, delta) {
            return;
        }
        self.homes[part] = (whole as u32, offset as i32);
        self.code.vars[whole].header = header;
        let part = std::mem::take(&mut self.uses[part]);
        let moved = part.iter().map(|used| {
            let by = offset as u32;
            Use {
                bytes: used.bytes.start + by..used.bytes.end + by,
                ..*used
            }
        });
        let uses = self.uses[whole].to_mut();
        uses.extend(moved);
        uses.sort_by_key(|used| used.at);
    }

    /// The header of the outer one of two loops, if one is within the other.
    fn outer(&self, one: Option<Block>, other: Option<Block>) -> Option<Option<Block>> {
        let (Some(a), Some(b)) = (one, other) else {
            return Some(one.or(other));
        };
        let (x, y) = (self.nest.headed(a)?, self.nest.headed(b)?);
        if x.first <= y.first && y.last <= x.last {
            return Some(one);
        }
        (y.first <= x.first && x.last <= y.last).then_some(other)
    }

    /// What `a` and `b`, into which it is copied, would share, in bytes of `b`, and both sides of it.
    fn sides(&self, a: usize, b: usize, delta: i64) -> (Range<i64>, Side<'_>, Side<'_>) {
        let (size_a, size_b) = (
            i64::from(self.code.vars[a].size),
            i64::from(self.code.vars[b].size),
        );
        let shared = delta.max(0)..(delta + size_a).min(size_b);
        let side = |var: usize, start: i64| {
            let bytes = |used: &Use| i64::from(used.bytes.start)..i64::from(used.bytes.end);
            let range = start..start + shared.end - shared.start;
            Side {
                uses: self.uses[var]
                    .iter()
                    .filter(|used| meet(&bytes(used), &range))
                    .collect(),
                start,
            }
        };
        let (a_side, b_side) = (side(a, shared.start - delta), side(b, shared.start));
        (shared, a_side, b_side)
    }

    /// Whether an instruction copies `a` to `b`.
    fn is_copy(&self, at: u32, a: usize, b: usize, delta: i64) -> bool {
        let copied = self.roots(at);
        copied.is_some_and(|((to, to_byte), (from, from_byte))| {
            to == b && from == a && to_byte - from_byte == delta
        })
    }

    /// Whether `a` and `b` can share bytes because no lane needs both at once.
    fn are_apart(&mut self, at: u32, a: usize, b: usize, delta: i64) -> bool {
        let (shared, a_side, b_side) = self.sides(a, b, delta);
        let masked = |side: &Side<'_>| side.uses.iter().all(|used| !used.writes || !used.no_mask);
        // What is the same in all lanes is written for lanes that are elsewhere, too.
        let lanes = self.code.vars[a].size > 8 && self.code.vars[b].size > 8;
        if !lanes || !masked(&a_side) || !masked(&b_side) {
            return false;
        }
        let is_copy = |used: &&&Use| used.writes && self.is_copy(used.at, a, b, delta);
        let copies: Vec<u32> = b_side
            .uses
            .iter()
            .filter(is_copy)
            .map(|used| used.at)
            .collect();
        let chunks = self.chunks(&b_side, &copies);
        let whole = shared.end - shared.start;
        let mut events = Vec::with_capacity(a_side.uses.len() + b_side.uses.len());
        for (number, side) in [&a_side, &b_side].into_iter().enumerate() {
            for used in &side.uses {
                let bytes = side.bytes(used);
                let copies = match number {
                    0 => self.is_copy(used.at, b, a, -delta),
                    _ => self.is_copy(used.at, a, b, delta),
                };
                if used.writes && !copies && !self.is_of_its_lanes(&chunks, &bytes, used.at, whole)
                {
                    return false;
                }
                events.push(Event {
                    at: used.at,
                    side: number,
                    writes: used.writes,
                    bytes: bytes.start.max(0)..bytes.end.min(whole),
                    copies,
                    elementwise: is_elementwise(&self.code.insts[used.at as usize]),
                });
            }
        }
        if !copies.contains(&at) {
            return false;
        }
        events.sort_by_key(|event| event.at);
        self.flow.are_apart(self.code, &events)
    }

    /// Whether `a` and `b`, into which it is copied, can share bytes, by the order of the code.
    fn agree(&self, at: u32, a: usize, b: usize, delta: i64) -> bool {
        let (shared, a_side, b_side) = self.sides(a, b, delta);
        // The copies of these bytes from the one to the other.
        let is_copy = |used: &Use| self.is_copy(used.at, a, b, delta);
        let copies: Vec<u32> = {
            let found = b_side
                .uses
                .iter()
                .filter(|used| used.writes && is_copy(used));
            found.map(|used| used.at).collect()
        };
        // Chunks of one copy follow each other.
        let here = copies.iter().position(|c| *c == at);
        let Some(here) = here else { return false };
        let mut first = here;
        while first > 0 && copies[first] - copies[first - 1] <= 1 {
            first -= 1;
        }
        let mut last = here;
        while last + 1 < copies.len() && copies[last + 1] - copies[last] <= 1 {
            last += 1;
        }
        if first != 0 || last + 1 != copies.len() {
            // The same copy elsewhere, too.
            return false;
        }
        let (first, last) = (copies[first], copies[last]);
        let copied = b_side.uses.iter().filter(|used| copies.contains(&used.at));
        let copied = copied
            .filter(|used| used.writes)
            .map(|used| b_side.bytes(used));
        let whole = shared.end - shared.start;
        let whole = whole == copied.map(|bytes| bytes.end - bytes.start).sum::<i64>();
        let a_writes_end = a_side.uses.iter().rev().find(|used| used.writes);
        if a_writes_end.is_none_or(|used| used.at >= first) {
            return false;
        }
        let header = self.code.vars[b]
            .header
            .and_then(|header| self.nest.headed(header));
        let (mut b_first, b_last) = self.nest.extend(b_side.first(), b_side.last());
        if let Some(l) = header {
            b_first = b_first.min(l.first);
        }
        let (a_first, a_last) = self.nest.extend(a_side.first(), a_side.last());
        let extends = (a_first, a_last) != (a_side.first(), a_side.last())
            || (b_first, b_last) != (b_side.first(), b_side.last());
        let masked = |side: &Side<'_>| side.uses.iter().all(|used| !used.writes || !used.no_mask);
        let masked = self.code.vars[b].size <= 8 || masked(&a_side) && masked(&b_side);
        // Behind the copy both have the same, until one is written.
        let written = |until: u32| {
            let mut writes = b_side.uses.iter().filter(|used| used.writes);
            writes.any(|used| used.at > last && used.at <= until)
        };
        if b_first >= first {
            return (masked || !extends) && !written(a_last);
        }
        let keeps =
            self.code.vars[b].size <= 8 || self.keeps_lanes(&a_side, &b_side, &copies, &shared);
        let round = header.map(|l| l.first);
        let in_place = || self.in_place(&a_side, &b_side, (first, round), (a, b, delta));
        if !whole || !masked || !keeps || !in_place() {
            return false;
        }
        // The value for the next round.
        let next = header.is_some_and(|l| {
            l.first < a_side.first()
                && last <= l.last
                && b_side.last() <= last
                && self.nest.extend_within(a_side.first(), first, l) == a_side.first()
                && !written(a_side.last())
        });
        // Lanes elsewhere have their values already; those that have this one make the copy.
        let same_block = self.flow.block(a_side.first()) == self.flow.block(first);
        next || same_block && a_first == a_side.first() && a_last <= last
    }

    /// Whether what each lane writes of `a` before the copies is what it copies. Lanes elsewhere keep what
    /// they have in `b`, which other writes of these would overwrite: a message for half of the lanes
    /// writes its second element where the other half has its first.
    fn keeps_lanes(&self, a: &Side<'_>, b: &Side<'_>, copies: &[u32], shared: &Range<i64>) -> bool {
        let chunks = self.chunks(b, copies);
        let mut writes = a.uses.iter().filter(|used| {
            let is_before = copies.first().is_some_and(|first| used.at < *first);
            used.writes && is_before
        });
        let whole = shared.end - shared.start;
        writes.all(|used| self.is_of_its_lanes(&chunks, &a.bytes(used), used.at, whole))
    }

    /// The bytes that each of the copies writes.
    fn chunks(&self, b: &Side<'_>, copies: &[u32]) -> Vec<(Range<i64>, &Inst)> {
        b.uses
            .iter()
            .filter(|used| used.writes && copies.contains(&used.at))
            .map(|used| (b.bytes(used), &self.code.insts[used.at as usize]))
            .collect()
    }

    /// Whether an instruction writes, of so many bytes, those that the same lanes copy.
    fn is_of_its_lanes(
        &self,
        copies: &[(Range<i64>, &Inst)],
        bytes: &Range<i64>,
        at: u32,
        whole: i64,
    ) -> bool {
        let lane = |byte: i64| {
            let chunk = copies.iter().find(|(bytes, _)| bytes.contains(&byte));
            chunk.map(|(bytes, inst)| {
                let pitch = (bytes.end - bytes.start) / i64::from(inst.exec).max(1);
                i64::from(inst.from) + (byte - bytes.start) / pitch.max(1)
            })
        };
        let inst = &self.code.insts[at as usize];
        let from = i64::from(inst.from);
        let last = from + i64::from(inst.exec) - 1;
        lane(bytes.start.max(0)) == Some(from) && lane(bytes.end.min(whole) - 1) == Some(last)
    }

    /// Whether nothing of `b` that `a` has overwritten is read before the copy, in a round of the loop
    /// that begins with `round`.
    fn in_place(
        &self,
        a: &Side<'_>,
        b: &Side<'_>,
        (copy, round): (u32, Option<u32>),
        (a_root, b_root, delta): (usize, usize, i64),
    ) -> bool {
        // A copy the other way writes what is there.
        let is_back = |at: u32| {
            let copied = self.roots(at);
            copied.is_some_and(|((to, to_byte), (from, from_byte))| {
                to == a_root && from == b_root && from_byte - to_byte == delta
            })
        };
        let since = a.first();
        let written: Vec<(u32, Range<i64>)> = a
            .uses
            .iter()
            .filter(|used| used.writes && used.at < copy && !is_back(used.at))
            .map(|used| (used.at, a.bytes(used)))
            .collect();
        let between = b
            .uses
            .iter()
            .filter(|used| used.at >= since && used.at < copy);
        for used in between {
            let bytes = b.bytes(used);
            if is_back(used.at) {
                // It copies nothing once both are one: what it reads must be there still.
                let mut lost = written
                    .iter()
                    .filter(|(at, range)| *at < used.at && meet(range, &bytes));
                if lost.any(|(at, _)| self.flow.leads(*at, used.at, round)) {
                    return false;
                }
                continue;
            }
            if used.writes {
                return false;
            }
            for (at, range) in &written {
                if *at > used.at || !meet(range, &bytes) {
                    continue;
                }
                let inst = &self.code.insts[*at as usize];
                if *at < used.at || *range != bytes || !is_elementwise(inst) {
                    return false;
                }
            }
        }
        true
    }

    /// Where a copy goes and comes from: registers and bytes.
    #[allow(clippy::type_complexity, reason = "two places")]
    fn roots(&self, at: u32) -> Option<((usize, i64), (usize, i64))> {
        let (to, from) = copied(&self.code.insts[at as usize])?;
        Some((self.root(to), self.root(from)))
    }

    fn root(&self, place: Place) -> (usize, i64) {
        let (root, offset) = find(&self.homes, place.var.0);
        (root as usize, i64::from(place.byte) + i64::from(offset))
    }
}

/// Whether each element that it writes comes from the elements of its own channel.
fn is_elementwise(inst: &Inst) -> bool {
    let pitch = |operand: &Operand| match operand {
        Operand::Var { ty, stride, .. } => Some((*stride, ty.bytes())),
        _ => None,
    };
    let dst = inst.dst.as_ref().and_then(pitch);
    let mut sources = inst.srcs.iter().flatten();
    matches!(inst.what, What::Alu(_))
        && sources.all(|source| match pitch(source) {
            Some(source) => Some(source) == dst || source.0 == 0,
            // By address they are of any channel.
            None => !matches!(
                source,
                Operand::Indirect { .. } | Operand::Repeated { .. } | Operand::AddressOf(_)
            ),
        })
}

#[cfg(test)]
mod tests {
    use isa_encoder::Type as M;

    use super::*;

    /// What is the same in all lanes: its ways are not told apart, so that the order of the code has to say it.
    const SIZE: u32 = 4;
    const GRF: u32 = 32;
    const A: u32 = 0;
    const B: u32 = 1;
    const C: u32 = 2;

    fn operand(register: u32) -> Operand {
        Operand::Var {
            place: Place {
                var: Var(register),
                byte: 0,
            },
            ty: M::Ud,
            stride: 0,
            neg: false,
            abs: false,
        }
    }

    fn inst(opcode: Opcode, to: u32, srcs: &[Operand]) -> Inst {
        let mut inst = Inst::new(What::Alu(opcode), 1);
        inst.no_mask = true;
        inst.dst = Some(operand(to));
        for (place, src) in inst.srcs.iter_mut().zip(srcs) {
            *place = Some(*src);
        }
        inst
    }

    fn set(to: u32) -> Inst {
        inst(Opcode::Mov, to, &[Operand::Imm(1, M::Ud)])
    }

    fn copy(to: u32, from: u32) -> Inst {
        inst(Opcode::Mov, to, &[operand(from)])
    }

    fn sum(to: u32, a: u32, b: u32) -> Inst {
        inst(Opcode::Add, to, &[operand(a), operand(b)])
    }

    fn label(block: u32) -> Inst {
        Inst::new(What::Label(Block(block), false), 8)
    }

    /// How many copies are left of code with a loop, by its first and last instruction, for which `B` is a phi.
    fn copies_left(insts: Vec<Inst>, round: Option<(usize, usize)>) -> usize {
        let mut code = Code {
            insts,
            ..Code::default()
        };
        for _ in [A, B, C] {
            code.var(SIZE, SIZE);
        }
        if let Some((first, last)) = round {
            code.loops = vec![(Block(1), first, last)];
            code.vars[B as usize].header = Some(Block(1));
        }
        join(&mut code, GRF);
        code.insts
            .iter()
            .filter(|inst| copied(inst).is_some())
            .count()
    }

    #[test]
    fn a_copy_that_begins_a_life_goes() {
        assert_eq!(
            copies_left(vec![label(0), set(A), copy(B, A), sum(C, A, B)], None),
            0
        );
        // Both are wanted, and one is written.
        for written in [A, B] {
            let insts = vec![
                label(0),
                set(A),
                copy(B, A),
                sum(written, A, B),
                sum(C, A, B),
            ];
            assert_eq!(copies_left(insts, None), 1, "{written}");
        }
    }

    #[test]
    fn the_value_for_the_next_round_goes_where_it_is_made() {
        let again = || Inst::new(What::Jump(Block(1)), 1);
        let code = |between: Option<Inst>| {
            let mut insts = vec![label(0), set(B), label(1), sum(A, B, B), label(2)];
            insts.extend(between);
            insts.extend([copy(B, A), again()]);
            let last = insts.len() - 1;
            insts.push(label(3));
            copies_left(insts, Some((2, last)))
        };
        assert_eq!(code(None), 0);
        // The old one is read after the new one was made.
        assert_eq!(code(Some(sum(C, B, B))), 1);
    }

    #[test]
    fn a_phi_goes_where_its_value_is_made() {
        let code = |between: Option<Inst>| {
            let mut insts = vec![
                label(0),
                set(B),
                Inst {
                    predicate: Predicate::When,
                    ..Inst::new(What::Jump(Block(2)), 1)
                },
                label(1),
                set(A),
            ];
            insts.extend(between);
            insts.extend([copy(B, A), label(2), sum(C, B, B)]);
            copies_left(insts, None)
        };
        assert_eq!(code(None), 0);
        assert_eq!(code(Some(sum(C, B, B))), 1);
    }
}

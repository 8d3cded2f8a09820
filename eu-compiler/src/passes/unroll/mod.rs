//! Loops of a few rounds become their rounds, one behind the other, where it is known how many there
//! are. Then indices are numbers, and arrays that they index become values.
//!
//! The first round stays where the loop was; the others are copies. The block that leaves the loop goes
//! on in all rounds but the last.

mod known;

use hashbrown::HashMap;
use smallvec::SmallVec;

use self::known::Known;
use crate::ir::cfg::{Dominators, Loop, Loops};
use crate::ir::{Block, Function, Op, Space, Terminator, Type, Value, Values};
use crate::target::Target;

/// The most rounds.
const ROUNDS: usize = 64;
/// The most instructions of all rounds of a loop; with private memory, which may become values.
const MOST: usize = 320;
const MOST_PRIVATE: usize = 1280;
/// The same where numbers that are known in a round leave at most half of the instructions.
const MOST_LEFT: usize = 1536;
const MOST_LEFT_PRIVATE: usize = 4096;
/// The most instructions that a function gets.
const GROWTH: usize = 1 << 14;
/// How many loops may be in each other.
const DEPTH: usize = 3;

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let mut left = GROWTH;
    for _ in 0..DEPTH {
        if !round(function, &mut left)? {
            break;
        }
        super::simplify::run(function, target)?;
        super::memory::run(function, target)?;
        super::simplify::run(function, target)?;
    }
    Ok(())
}

/// Unrolls loops that contain no others, and those that tell the rounds of others in them. Says whether
/// there was one.
fn round(function: &mut Function, left: &mut usize) -> Result<bool, String> {
    let dominators = Dominators::new(function);
    let loops = Loops::new(function, &dominators)
        .map_err(|block| format!("a loop has several entries, one of them b{}", block.0))?;
    let mut rounds = Rounds {
        owner: vec![None; function.blocks.len()],
        last: HashMap::new(),
    };
    let mut changed = false;
    let plan = |function: &Function, index: usize, outer: Option<&Plan>| {
        Plan::of(function, &dominators, &loops, index, outer)
    };
    // Loops in which one was unrolled; and of each loop those that another in it asks for.
    let mut inner: Vec<Vec<usize>> = vec![Vec::new(); loops.all.len()];
    let mut done = vec![false; loops.all.len()];
    // Inner ones first.
    for (index, l) in loops.all.iter().enumerate().rev() {
        let contains = std::mem::take(&mut inner[index]);
        let found = plan(function, index, None).filter(|found| {
            // One that contains others must tell how many rounds these have, and arrays must gain.
            let tells = |inner: &usize| plan(function, *inner, Some(found)).is_some();
            !done[index]
                && found.size <= *left
                && (contains.is_empty() || found.private && contains.iter().any(tells))
        });
        if let Some(found) = found {
            *left -= found.size;
            rounds.unroll(function, &loops, index, &found);
            done[index] = true;
        }
        changed |= done[index];
        if let Some(parent) = l.parent {
            done[parent] |= done[index];
            inner[parent].push(index);
            inner[parent].extend(contains);
        }
    }
    if changed {
        rounds.replace(function);
        super::structure::prune(function);
    }
    Ok(changed)
}

/// What becomes of a loop.
struct Plan {
    /// The block that leaves it, where to, and where it stays.
    exit: Block,
    outside: Block,
    inside: Block,
    /// The rounds that stay.
    stays: usize,
    /// Instructions that it costs.
    size: usize,
    /// It accesses private memory.
    private: bool,
    /// What the values that change from round to round are in the first one.
    first: Vec<(Value, Option<u64>)>,
}

impl Plan {
    fn of(
        function: &Function,
        dominators: &Dominators,
        loops: &Loops,
        index: usize,
        outer: Option<&Plan>,
    ) -> Option<Plan> {
        let l = &loops.all[index];
        let within = |block: Block| loops.contains(index, block);
        let (mut cost, mut private) = (1, false);
        let blocks = loops.blocks(index);
        for block in blocks {
            for inst in &function.blocks[block.index()].insts {
                let op = &function.insts[inst.index()].op;
                cost += usize::from(!op.is_free());
                private |= match op {
                    Op::Load(access) | Op::Store(access) => access.space == Space::Private,
                    _ => false,
                };
            }
            if 2 * cost > MOST_LEFT_PRIVATE {
                return None;
            }
        }
        let (most, most_left) = match private {
            true => (MOST_PRIVATE, MOST_LEFT_PRIVATE),
            false => (MOST, MOST_LEFT),
        };
        if 2 * cost > most_left {
            return None;
        }
        let mut exits = blocks.iter().filter(|block| {
            let next = function.blocks[block.index()].end.successors();
            !next.iter().all(|next| within(*next))
        });
        let exit = *exits.next()?;
        let &[latch] = l.latches.as_slice() else {
            return None;
        };
        // The rounds of a loop in it are not its own.
        let own = loops.of(exit) == Some(index);
        if !own || exits.next().is_some() || !dominators.dominates(exit, latch) {
            return None;
        }
        let Terminator::Branch(value, yes, no) = function.blocks[exit.index()].end else {
            return None;
        };
        let (stay, inside, outside) = match (within(yes), within(no)) {
            (true, false) => (1, yes, no),
            (false, true) => (0, no, yes),
            _ => return None,
        };
        let around = outer.map_or(&[][..], |outer| &outer.first);
        let mut known = Known::begin(function, l, latch, around);
        let first = known.phis.iter().map(|(phi, bits, _)| (*phi, *bits));
        let first: Vec<_> = first.collect();
        let stays = (0..=ROUNDS).find_map(|round| {
            let here = known.value(function, value, 0);
            known.next(function);
            match here {
                Some(bits) => (bits != stay).then_some(Some(round)),
                None => Some(None),
            }
        })??;
        let mut size = (stays + 1) * cost;
        if size > most {
            let most = most_left.min(size / 2);
            let mut known = Known::begin(function, l, latch, around);
            size = 0;
            for _ in 0..=stays {
                size += known.round(function, blocks);
                if size > most {
                    return None;
                }
                known.next(function);
            }
        }
        Some(Plan {
            exit,
            outside,
            inside,
            stays,
            size,
            private,
            first,
        })
    }
}

struct Rounds {
    /// The loop that a block belongs to, copies included.
    owner: Vec<Option<usize>>,
    /// What the last round has of a value, and whose loop it is of.
    last: HashMap<Value, (usize, Value)>,
}

impl Rounds {
    fn unroll(&mut self, function: &mut Function, loops: &Loops, index: usize, plan: &Plan) {
        let (l, all) = (&loops.all[index], loops.blocks(index));
        let latch = l.latches[0];
        for block in all {
            self.owner[block.index()] = Some(index);
        }
        // Of each round, where its blocks and values are.
        let mut blocks: HashMap<Block, Block> = all.iter().map(|b| (*b, *b)).collect();
        let mut values: HashMap<Value, Value> = HashMap::new();
        // Copies are made before the first round changes.
        let mut rounds = vec![blocks.clone()];
        for _ in 0..plan.stays {
            let (before, known) = (blocks.clone(), values.clone());
            blocks = all
                .iter()
                .map(|block| (*block, function.add_block()))
                .collect();
            self.owner.resize(function.blocks.len(), Some(index));
            values = HashMap::new();
            let of = |values: &HashMap<Value, Value>, value: Value| {
                values.get(&value).copied().unwrap_or(value)
            };
            for &block in all {
                for inst in function.blocks[block.index()].insts.clone() {
                    let data = function.insts[inst.index()].clone();
                    let (op, args) = match &data.op {
                        Op::Phi(from) if block == l.header => {
                            let next = from.iter().position(|from| *from == latch);
                            let next = next.map_or(data.args[0], |place| data.args[place]);
                            let next = Values::from_slice(&[of(&known, next)]);
                            (Op::Phi(vec![before[&latch]]), next)
                        }
                        op => {
                            let op = match op {
                                Op::Phi(from) => {
                                    Op::Phi(from.iter().map(|from| blocks[from]).collect())
                                }
                                op => op.clone(),
                            };
                            let args = data.args.iter().map(|arg| of(&values, *arg));
                            (op, args.collect())
                        }
                    };
                    let types = data.results.iter().map(|v| function.ty(*v));
                    let types: SmallVec<[Type; 3]> = types.collect();
                    let copy = function.make(op, &args, &types, data.at);
                    let made = function.insts[copy.index()].results.clone();
                    values.extend(data.results.iter().copied().zip(made));
                    function.blocks[blocks[&block].index()].insts.push(copy);
                }
                let mut end = function.blocks[block.index()].end;
                if let Terminator::Branch(value, ..) = &mut end {
                    *value = of(&values, *value);
                }
                for next in end.successors() {
                    if let Some(copy) = blocks.get(&next).filter(|_| next != l.header) {
                        end.replace(next, *copy);
                    }
                }
                function.blocks[blocks[&block].index()].end = end;
            }
            // Phis of loops in it have values that come behind them.
            for block in all.iter().filter(|block| **block != l.header) {
                for inst in &function.blocks[blocks[block].index()].insts {
                    let data = &mut function.insts[inst.index()];
                    if let Op::Phi(_) = data.op {
                        data.args
                            .iter_mut()
                            .for_each(|arg| *arg = of(&values, *arg));
                    }
                }
            }
            rounds.push(blocks.clone());
        }
        self.link(function, l, plan, &rounds);
        let last = values.into_iter();
        self.last
            .extend(last.map(|(of, value)| (of, (index, value))));
    }

    /// Leads each round to the next, and the last one out.
    fn link(
        &mut self,
        function: &mut Function,
        l: &Loop,
        plan: &Plan,
        rounds: &[HashMap<Block, Block>],
    ) {
        let latch = l.latches[0];
        for (round, blocks) in rounds.iter().enumerate() {
            let next = rounds.get(round + 1).map(|next| next[&l.header]);
            let to = match (plan.inside == l.header, next) {
                // The last one ends here.
                (_, None) => plan.outside,
                (true, Some(next)) => next,
                (false, Some(_)) => blocks[&plan.inside],
            };
            function.blocks[blocks[&plan.exit].index()].end = Terminator::Jump(to);
            if latch != plan.exit {
                let end = &mut function.blocks[blocks[&latch].index()].end;
                match next {
                    Some(next) => end.replace(l.header, next),
                    // Nothing comes here.
                    None => *end = Terminator::Unreachable,
                }
            }
        }
        for inst in function.blocks[l.header.index()].insts.clone() {
            let data = &mut function.insts[inst.index()];
            if let Op::Phi(from) = &mut data.op
                && let Some(place) = from.iter().position(|from| *from == latch)
            {
                from.remove(place);
                data.args.remove(place);
            }
        }
        let left = rounds.last().map_or(plan.exit, |last| last[&plan.exit]);
        for inst in function.blocks[plan.outside.index()].insts.clone() {
            if let Op::Phi(from) = &mut function.insts[inst.index()].op {
                for from in from.iter_mut().filter(|from| **from == plan.exit) {
                    *from = left;
                }
            }
        }
    }

    /// Outside of a loop its values are those of its last round.
    fn replace(self, function: &mut Function) {
        let of = |owner: Option<usize>, value: &mut Value| {
            if let Some((index, last)) = self.last.get(value)
                && owner != Some(*index)
            {
                *value = *last;
            }
        };
        for &block in &function.order {
            let owner = self.owner.get(block.index()).copied().flatten();
            let data = &mut function.blocks[block.index()];
            for inst in &data.insts {
                let args = &mut function.insts[inst.index()].args;
                args.iter_mut().for_each(|arg| of(owner, arg));
            }
            if let Terminator::Branch(value, ..) = &mut data.end {
                of(owner, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::run;
    use crate::ir::cfg::{Dominators, Loops};
    use crate::ir::{
        Access, Bin, Cond, Constants, Convert, Cursor, Def, Function, Input, Op, Space, Symbol,
        Terminator, Type, Value, verify,
    };
    use crate::target::Target;

    /// `sum = input; for (i = from; i < to; i += step) sum = sum * 3 + i; store sum`, where `to` is a
    /// number or an input, and the loop asks first or last.
    fn sum(from: u64, to: Option<u64>, step: u64, asks_first: bool) -> Function {
        let mut function = Function::default();
        let [entry, header, body, end] = [(); 4].map(|()| function.add_block());
        let mut at = Cursor::new(&mut function, entry);
        let input = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
        let place = at.one(Op::Input(Input::Payload(4)), &[], Type::I32);
        let to = match to {
            Some(bits) => at.constant(Type::I32, bits),
            None => input,
        };
        let [first, step, three] = [from, step, 3].map(|bits| at.constant(Type::I32, bits));
        at.function.blocks[entry.index()].end = Terminator::Jump(header);
        at.block = header;
        let phi = |at: &mut Cursor<'_>, first: Value| {
            at.push(Op::Phi(vec![entry, body]), &[first, first], &[Type::I32])
        };
        let (counter, total) = (phi(&mut at, first), phi(&mut at, input));
        let [i, old] = [counter, total].map(|phi| at.function.result(phi));
        if asks_first {
            let more = at.one(Op::Icmp(Cond::Ult), &[i, to], Type::I1);
            at.function.blocks[header.index()].end = Terminator::Branch(more, body, end);
        } else {
            at.function.blocks[header.index()].end = Terminator::Jump(body);
        }
        at.block = body;
        let product = at.bin(Bin::Mul, old, three);
        let new = at.bin(Bin::Add, product, i);
        let next = at.bin(Bin::Add, i, step);
        at.function.insts[counter.index()].args[1] = next;
        at.function.insts[total.index()].args[1] = new;
        if asks_first {
            at.function.blocks[body.index()].end = Terminator::Jump(header);
        } else {
            let done = at.one(Op::Icmp(Cond::Ule), &[to, next], Type::I1);
            at.function.blocks[body.index()].end = Terminator::Branch(done, end, header);
        }
        at.block = end;
        let result = if asks_first { old } else { new };
        let access = Access::new(Space::Local, 4);
        at.push(Op::Store(access), &[place, result], &[]);
        at.function.blocks[end.index()].end = Terminator::Return;
        verify(&function).unwrap();
        function
    }

    /// Runs the pass; gives how many loops are left.
    fn unrolled(function: &mut Function) -> usize {
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(function, &target).unwrap();
        verify(function).unwrap();
        let dominators = Dominators::new(function);
        Loops::new(function, &dominators).unwrap().all.len()
    }

    /// What a function without branches stores, if the input is this.
    fn stored(function: &Function, input: u64) -> u64 {
        fn value(function: &Function, of: Value, input: u64) -> u64 {
            let inst = match function.def(of) {
                Def::Const(bits) => return bits,
                Def::Undef => panic!("undefined"),
                Def::Inst(inst) => &function.insts[inst.index()],
            };
            let arg = |index: usize| value(function, inst.args[index], input);
            match &inst.op {
                Op::Input(_) => input,
                Op::Bin(bin) => bin.evaluate(arg(0), arg(1), Type::I32).unwrap(),
                other => panic!("{other:?}"),
            }
        }
        let blocks = function.order.iter();
        let mut insts = blocks.flat_map(|block| &function.blocks[block.index()].insts);
        let store = insts.find(|inst| {
            let op = &function.insts[inst.index()].op;
            matches!(op, Op::Store(access) if access.space == Space::Local)
        });
        value(
            function,
            function.insts[store.unwrap().index()].args[1],
            input,
        )
    }

    #[test]
    fn a_known_number_of_rounds_is_unrolled() {
        for (from, to, step) in [(0, 5, 1), (0, 1, 1), (3, 30, 4), (0, 7, 7), (2, 6, 3)] {
            for asks_first in [true, false] {
                let mut function = sum(from, Some(to), step, asks_first);
                assert_eq!(
                    unrolled(&mut function),
                    0,
                    "{from} {to} {step} {asks_first}"
                );
                let rounds = (from..to).step_by(step as usize);
                let want = rounds.fold(11, |sum, i| (sum * 3 + i) & 0xffff_ffff);
                assert_eq!(
                    stored(&function, 11),
                    want,
                    "{from} {to} {step} {asks_first}"
                );
            }
        }
    }

    #[test]
    fn no_round_is_left_of_a_loop_that_asks_first() {
        let mut function = sum(9, Some(4), 1, true);
        assert_eq!(unrolled(&mut function), 0);
        assert_eq!(stored(&function, 11), 11);
    }

    /// The sum of 40 rounds with ten more operations in each, on the counter or on the sum.
    fn busy(on_counter: bool) -> Function {
        let mut function = sum(0, Some(40), 1, true);
        let [header, body] = [1, 2].map(|block| function.order[block]);
        let insts = &function.blocks[header.index()].insts;
        let [counter, total] = [insts[0], insts[1]];
        let mut value = function.result(if on_counter { counter } else { total });
        let old = function.insts[total.index()].args[1];
        let mut at = Cursor::new(&mut function, body);
        let (three, five) = (at.constant(Type::I32, 3), at.constant(Type::I32, 5));
        for _ in 0..5 {
            value = at.bin(Bin::Mul, value, three);
            value = at.bin(Bin::Xor, value, five);
        }
        let new = at.bin(Bin::Add, old, value);
        function.insts[total.index()].args[1] = new;
        verify(&function).unwrap();
        function
    }

    #[test]
    fn what_numbers_make_of_a_round_counts() {
        let mut function = busy(true);
        assert_eq!(unrolled(&mut function), 0);
        let want = (0..40u32).fold(11u32, |sum, i| {
            let value = (0..5).fold(i, |value, _| value.wrapping_mul(3) ^ 5);
            sum.wrapping_mul(3).wrapping_add(i).wrapping_add(value)
        });
        assert_eq!(stored(&function, 11), want.into());
        assert_eq!(unrolled(&mut busy(false)), 1);
    }

    /// The sum of 24 rounds, in which a number of a table among the constants says whether the sum goes on or
    /// begins with what is computed from that number.
    fn looks_up(is_known: bool) -> Function {
        let mut function = sum(0, Some(24), 1, true);
        function.program = Arc::new(Constants {
            bytes: (0..24).map(|n| if n % 8 == 0 { 200 } else { n }).collect(),
            addresses: [].into(),
        });
        let [entry, header, body] = [0, 1, 2].map(|block| function.order[block]);
        let insts = &function.blocks[header.index()].insts;
        let [counter, total] = [insts[0], insts[1]].map(|inst| function.result(inst));
        let total_phi = function.blocks[header.index()].insts[1];
        let next = function.insts[total_phi.index()].args[1];
        let mut at = Cursor::new(&mut function, entry);
        let table = [false, true].map(|high| {
            let of = Symbol::Constants;
            at.one(Op::Input(Input::Address { of, high }), &[], Type::I32)
        });
        let table = at.one(Op::Pair, &table, Type::I64);
        at.block = body;
        let index = if is_known { counter } else { total };
        let index = at.convert(Convert::ZExt, index, Type::I64);
        let place = at.bin(Bin::Add, table, index);
        let load = Op::Load(Access::new(Space::Global, 1));
        let found = at.one(load, &[place], Type::I8);
        let found = at.convert(Convert::ZExt, found, Type::I32);
        let limit = at.constant(Type::I32, 100);
        let is_small = at.one(Op::Icmp(Cond::Ult), &[found, limit], Type::I1);
        let mut long = at.bin(Bin::Add, limit, found);
        for _ in 0..4 {
            long = at.bin(Bin::Mul, long, found);
            long = at.bin(Bin::Xor, long, limit);
        }
        let chosen = at.one(Op::Select, &[is_small, next, long], Type::I32);
        function.insts[total_phi.index()].args[1] = chosen;
        verify(&function).unwrap();
        function
    }

    #[test]
    fn what_a_round_reads_of_the_constants_is_a_number() {
        assert_eq!(unrolled(&mut looks_up(true)), 0);
        assert_eq!(unrolled(&mut looks_up(false)), 1);
    }

    /// `sum = input; for (c = 0; c < 3; c++) for (x = c; x < to; x++) sum = sum * 3 + x; store sum`, where
    /// `to` is a number or an input; `x` is also written to private memory.
    fn triangle(to: Option<u64>) -> Function {
        let mut function = Function::default();
        let [entry, outer, inner, body, next, end] = [(); 6].map(|()| function.add_block());
        let mut at = Cursor::new(&mut function, entry);
        let input = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
        let place = at.one(Op::Input(Input::Payload(4)), &[], Type::I32);
        let [zero, one, three] = [0, 1, 3].map(|bits| at.constant(Type::I32, bits));
        let array = at.one(Op::Alloca { size: 4, align: 4 }, &[], Type::I32);
        let to = match to {
            Some(bits) => at.constant(Type::I32, bits),
            None => input,
        };
        at.function.blocks[entry.index()].end = Terminator::Jump(outer);
        let phi = |at: &mut Cursor<'_>, from: [_; 2], first: Value| {
            let phi = at.push(Op::Phi(from.to_vec()), &[first, first], &[Type::I32]);
            (phi, at.function.result(phi))
        };
        at.block = outer;
        let (c_phi, c) = phi(&mut at, [entry, next], zero);
        let (before_phi, before) = phi(&mut at, [entry, next], input);
        let more = at.one(Op::Icmp(Cond::Ult), &[c, three], Type::I1);
        at.function.blocks[outer.index()].end = Terminator::Branch(more, inner, end);
        at.block = inner;
        let (x_phi, x) = phi(&mut at, [outer, body], c);
        let (sum_phi, sum) = phi(&mut at, [outer, body], before);
        let more = at.one(Op::Icmp(Cond::Ult), &[x, to], Type::I1);
        at.function.blocks[inner.index()].end = Terminator::Branch(more, body, next);
        at.block = body;
        let product = at.bin(Bin::Mul, sum, three);
        let added = at.bin(Bin::Add, product, x);
        let x_next = at.bin(Bin::Add, x, one);
        at.push(Op::Store(Access::new(Space::Private, 4)), &[array, x], &[]);
        at.function.blocks[body.index()].end = Terminator::Jump(inner);
        at.block = next;
        let c_next = at.bin(Bin::Add, c, one);
        at.function.blocks[next.index()].end = Terminator::Jump(outer);
        for (phi, value) in [
            (c_phi, c_next),
            (before_phi, sum),
            (x_phi, x_next),
            (sum_phi, added),
        ] {
            at.function.insts[phi.index()].args[1] = value;
        }
        at.block = end;
        let access = Access::new(Space::Local, 4);
        at.push(Op::Store(access), &[place, before], &[]);
        at.function.blocks[end.index()].end = Terminator::Return;
        verify(&function).unwrap();
        function
    }

    #[test]
    fn a_loop_that_tells_the_rounds_of_another_is_unrolled() {
        for to in 0..6 {
            let mut function = triangle(Some(to));
            assert_eq!(unrolled(&mut function), 0, "{to}");
            let rounds = (0..3).flat_map(|c| c..to);
            let want = rounds.fold(11, |sum, x| (sum * 3 + x) & 0xffff_ffff);
            assert_eq!(stored(&function, 11), want, "{to}");
        }
        // Nobody knows where the inner one ends.
        assert_eq!(unrolled(&mut triangle(None)), 2);
    }

    #[test]
    fn other_loops_stay() {
        // Unknown, too many, without end.
        for (to, step) in [(None, 1), (Some(1000), 1), (Some(5), 0)] {
            for asks_first in [true, false] {
                assert_eq!(unrolled(&mut sum(0, to, step, asks_first)), 1);
            }
        }
    }
}

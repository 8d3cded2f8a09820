//! Both ways of a branch are gone, one behind the other, where they only compute a little: what meets
//! behind them is chosen. Lanes that go different ways would execute both in any case, and what stands
//! before and behind becomes one block, in which accesses meet their neighbours.

use super::structure::prune;
use crate::ir::{
    Bin, Block, Convert, Cursor, Def, Function, InstData, Op, Replaced, Terminator, Type, Un, Value,
};
use crate::target::Target;

/// The most instructions of both ways, choices included: about what it takes to part and to meet.
const MOST: usize = 6;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    prune(function);
    let predecessors = function.predecessors();
    let mut entries: Vec<usize> = predecessors.iter().map(|from| from.len()).collect();
    let mut replaced = Replaced::default();
    // Inner ones first.
    for block in function.order.clone().into_iter().rev() {
        flatten(function, block, &mut entries, &mut replaced);
    }
    prune(function);
    replaced.apply(function);
    Ok(())
}

/// A way from a branch.
struct Way {
    /// The blocks that it alone goes through.
    blocks: Vec<Block>,
    /// The block that it leads to, and the one that it comes from there.
    to: Block,
    from: Block,
    /// Instructions.
    cost: usize,
}

impl Way {
    fn of(function: &Function, entries: &[usize], branch: Block, first: Block) -> Option<Way> {
        let mut way = Way {
            blocks: Vec::new(),
            to: first,
            from: branch,
            cost: 0,
        };
        while entries[way.to.index()] == 1 {
            let block = &function.blocks[way.to.index()];
            let Terminator::Jump(next) = block.end else {
                break;
            };
            for inst in &block.insts {
                way.cost += cost(function, &function.insts[inst.index()])?;
            }
            if way.cost > MOST || way.blocks.contains(&next) {
                return None;
            }
            way.blocks.push(way.to);
            way.from = way.to;
            way.to = next;
        }
        Some(way)
    }
}

fn flatten(
    function: &mut Function,
    block: Block,
    entries: &mut [usize],
    replaced: &mut Replaced,
) -> Option<()> {
    let Terminator::Branch(condition, yes, no) = function.blocks[block.index()].end else {
        return None;
    };
    let yes = Way::of(function, entries, block, yes)?;
    let no = Way::of(function, entries, block, no)?;
    if yes.to != no.to || yes.from == no.from || yes.to == block {
        return None;
    }
    let insts = function.blocks[yes.to.index()].insts.iter().copied();
    let phis: Vec<_> = insts
        .take_while(|inst| matches!(function.insts[inst.index()].op, Op::Phi(_)))
        .collect();
    let comes = |data: &InstData, way: &Way| match &data.op {
        Op::Phi(from) => {
            let place = from.iter().position(|from| *from == way.from)?;
            Some(data.args[place])
        }
        _ => None,
    };
    let mut pairs = Vec::new();
    for inst in &phis {
        let data = &function.insts[inst.index()];
        pairs.push((comes(data, &yes)?, comes(data, &no)?));
    }
    let choices = pairs.iter().filter(|(a, b)| a != b).map(|(a, _)| *a);
    let choices: usize = choices.map(|value| weight(function.ty(value))).sum();
    if yes.cost + no.cost + choices > MOST {
        return None;
    }
    for part in yes.blocks.iter().chain(&no.blocks) {
        for inst in function.take(*part) {
            let data = &function.insts[inst.index()];
            match (&data.op, data.results.first()) {
                // Only one block leads here.
                (Op::Phi(_), Some(result)) => replaced.insert(*result, data.args[0]),
                _ => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    for (inst, (a, b)) in phis.into_iter().zip(pairs) {
        let value = choose(function, block, condition, a, b);
        let data = &mut function.insts[inst.index()];
        if let Op::Phi(from) = &mut data.op {
            let stays = |at: &Block| *at != yes.from && *at != no.from;
            let mut kept = from.iter().map(stays).collect::<Vec<_>>().into_iter();
            data.args.retain(|_| kept.next().unwrap_or(true));
            from.retain(|at| stays(at));
            from.push(block);
            data.args.push(value);
        }
    }
    function.blocks[block.index()].end = Terminator::Jump(yes.to);
    entries[yes.to.index()] -= 1;
    Some(())
}

fn choose(function: &mut Function, block: Block, condition: Value, a: Value, b: Value) -> Value {
    let undefined = |value| matches!(function.def(value), Def::Undef);
    if a == b || undefined(b) {
        return a;
    }
    if undefined(a) {
        return b;
    }
    let ty = function.ty(a);
    Cursor::new(function, block).one(Op::Select, &[condition, a, b], ty)
}

/// The instructions of a simple operation on a type.
const fn weight(ty: Type) -> usize {
    match ty {
        Type::I64 | Type::F64 => 2,
        _ => 1,
    }
}

/// What it costs to do something where it is not asked for; none if it must not or is much.
fn cost(function: &Function, data: &InstData) -> Option<usize> {
    let ty = function.ty(*data.results.first()?);
    Some(match &data.op {
        op if op.is_free() => 0,
        Op::Bin(Bin::Mul) if ty == Type::I64 => return None,
        Op::Bin(
            Bin::Add
            | Bin::Sub
            | Bin::Mul
            | Bin::And
            | Bin::Or
            | Bin::Xor
            | Bin::Shl
            | Bin::LShr
            | Bin::AShr
            | Bin::UMin
            | Bin::UMax
            | Bin::SMin
            | Bin::SMax
            | Bin::FAdd
            | Bin::FSub
            | Bin::FMul
            | Bin::FMin
            | Bin::FMax,
        )
        | Op::Un(Un::FNeg | Un::FAbs)
        | Op::Fma
        | Op::Icmp(_)
        | Op::Fcmp(_)
        | Op::Select
        | Op::Convert(Convert::ZExt | Convert::SExt) => weight(ty),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::ir::{
        Access, Bin, Block, Cond, Cursor, Function, Input, Op, Space, Terminator, Type, Value,
        print, verify,
    };
    use crate::target::Target;

    /// Two branches in each other around `body`, which gets the lane, and a store behind them.
    fn flattened(body: impl Fn(&mut Cursor<'_>, Value) -> Value) -> (usize, String) {
        let mut function = Function::default();
        let blocks: Vec<Block> = (0..5).map(|_| function.add_block()).collect();
        let [first, outer, inner, meets, last] = blocks[..] else {
            panic!("five blocks")
        };
        let mut at = Cursor::new(&mut function, first);
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let (one, four) = (at.constant(Type::I32, 1), at.constant(Type::I32, 4));
        let less = at.one(Op::Icmp(Cond::Ult), &[lane, four], Type::I1);
        at.block = outer;
        let odd = at.one(Op::Icmp(Cond::Eq), &[lane, one], Type::I1);
        at.block = inner;
        let found = body(&mut at, lane);
        at.block = meets;
        let phi = at.one(Op::Phi(vec![outer, inner]), &[one, found], Type::I32);
        at.block = last;
        let phi = at.one(Op::Phi(vec![first, meets]), &[lane, phi], Type::I32);
        at.push(Op::Store(Access::new(Space::Local, 4)), &[lane, phi], &[]);
        let ends = [
            Terminator::Branch(less, outer, last),
            Terminator::Branch(odd, inner, meets),
            Terminator::Jump(meets),
            Terminator::Jump(last),
            Terminator::Return,
        ];
        for (block, end) in blocks.iter().zip(ends) {
            function.blocks[block.index()].end = end;
        }
        function.order = blocks;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let branches = function
            .order
            .iter()
            .filter(|block| matches!(function.blocks[block.index()].end, Terminator::Branch(..)));
        (branches.count(), print(&function))
    }

    #[test]
    fn what_is_little_is_chosen() {
        let (branches, text) = flattened(|at, lane| at.bin(Bin::Mul, lane, lane));
        assert_eq!(branches, 0, "{text}");
        assert_eq!(text.matches("select").count(), 2, "{text}");
    }

    #[test]
    fn what_is_much_stays() {
        let (branches, text) =
            flattened(|at, lane| (0..8).fold(lane, |sum, _| at.bin(Bin::Add, sum, lane)));
        assert_eq!(branches, 2, "{text}");
    }

    #[test]
    fn what_may_not_be_done_stays() {
        let access = Access::new(Space::Local, 4);
        let (branches, text) = flattened(|at, lane| {
            at.push(Op::Store(access), &[lane, lane], &[]);
            lane
        });
        assert_eq!(branches, 2, "{text}");
        let (branches, text) = flattened(|at, lane| at.one(Op::Load(access), &[lane], Type::I32));
        assert_eq!(branches, 2, "{text}");
    }
}

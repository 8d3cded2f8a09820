//! Pointers that memory has in their generic form become offsets again where phis join them.
//!
//! A pointer into local or private memory that is stored is a generic one. A variable that became values
//! leaves phis of them. Where all that meets in one points into the same memory, it is a phi of offsets.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Def, Function, Inst, Op, Replaced, Space, Type, Value, Values};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    for space in [Space::Local, Space::Private] {
        let phis = phis(function, space);
        if !phis.is_empty() {
            rewrite(function, space, &phis);
        }
    }
    Ok(())
}

/// The phis behind conversions to offsets, in which only pointers into this memory meet.
fn phis(function: &Function, space: Space) -> BTreeSet<Inst> {
    let asks = |op: &Op| *op == Op::FromGeneric(space);
    let mut work: Vec<Value> = function
        .listed()
        .filter(|data| asks(&data.op))
        .map(|data| data.args[0])
        .collect();
    let mut phis = BTreeSet::new();
    let mut users: BTreeMap<Inst, Vec<Inst>> = BTreeMap::new();
    while let Some(value) = work.pop() {
        let Some((phi, args)) = phi(function, value).filter(|(phi, _)| phis.insert(*phi)) else {
            continue;
        };
        for arg in args {
            if let Some((source, _)) = self::phi(function, *arg) {
                users.entry(source).or_default().push(phi);
            }
        }
        work.extend_from_slice(args);
    }
    let fits = |arg: &Value| match function.def(*arg) {
        Def::Undef => true,
        Def::Const(bits) => bits == 0,
        Def::Inst(inst) => {
            let op = &function.insts[inst.index()].op;
            *op == Op::ToGeneric(space) || matches!(op, Op::Phi(_))
        }
    };
    let args = |phi: &Inst| &function.insts[phi.index()].args;
    let mut others: Vec<Inst> = phis.iter().copied().collect();
    others.retain(|phi| !args(phi).iter().all(fits));
    while let Some(other) = others.pop() {
        if phis.remove(&other) {
            others.extend(users.get(&other).into_iter().flatten());
        }
    }
    phis
}

/// The phi that gives a value, and what meets there.
fn phi(function: &Function, value: Value) -> Option<(Inst, &Values)> {
    let (inst, data) = function.source(value)?;
    matches!(data.op, Op::Phi(_)).then_some((inst, &data.args))
}

/// Makes phis of offsets. What still asks for a generic pointer gets it behind them.
fn rewrite(function: &mut Function, space: Space, phis: &BTreeSet<Inst>) {
    let mut offsets: BTreeMap<Value, Value> = BTreeMap::new();
    let mut made: BTreeMap<Inst, [Inst; 2]> = BTreeMap::new();
    let mut replaced = Replaced::default();
    for phi in phis {
        let data = function.insts[phi.index()].clone();
        let narrow = function.make(data.op, &data.args, &[Type::I32], data.at);
        let offset = function.result(narrow);
        let wide = function.make(Op::ToGeneric(space), &[offset], &[Type::I64], data.at);
        replaced.insert(data.results[0], function.result(wide));
        offsets.insert(data.results[0], offset);
        made.insert(*phi, [narrow, wide]);
    }
    for [narrow, _] in made.values() {
        let args = function.insts[narrow.index()].args.clone();
        let args = args.into_iter().map(|arg| match function.def(arg) {
            Def::Undef => function.undef(Type::I32),
            Def::Const(_) => function.constant(Type::I32, Space::NULL.into()),
            Def::Inst(inst) => match offsets.get(&arg) {
                Some(offset) => *offset,
                None => function.insts[inst.index()].args[0],
            },
        });
        let args = args.collect();
        function.insts[narrow.index()].args = args;
    }
    for block in function.order.clone() {
        let mut wide = Vec::new();
        let mut out = Vec::new();
        for inst in function.take(block) {
            if !matches!(function.insts[inst.index()].op, Op::Phi(_)) {
                out.append(&mut wide);
            }
            match made.get(&inst) {
                Some([narrow, generic]) => {
                    out.push(*narrow);
                    wide.push(*generic);
                }
                None => out.push(inst),
            }
        }
        out.append(&mut wide);
        function.blocks[block.index()].insts = out;
    }
    replaced.apply(function);
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::ir::{
        Access, Bin, Cond, Cursor, Function, Input, Op, Space, Terminator, Type, Value, print,
        verify,
    };
    use crate::passes::simplify;
    use crate::target::Target;

    /// A loop whose pointer begins as what `first` gives.
    fn looped(first: impl Fn(&mut Cursor<'_>, Value) -> Value) -> String {
        let mut function = Function::default();
        let [entry, header, end] = [(); 3].map(|()| function.add_block());
        let mut at = Cursor::new(&mut function, entry);
        let given = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
        let begin = first(&mut at, given);
        at.function.blocks[entry.index()].end = Terminator::Jump(header);
        at.block = header;
        let phi = at.push(Op::Phi(vec![entry, header]), &[], &[Type::I64]);
        let pointer = at.function.result(phi);
        let offset = at.one(Op::FromGeneric(Space::Local), &[pointer], Type::I32);
        let value = at.one(Op::Load(Access::new(Space::Local, 4)), &[offset], Type::I32);
        let four = at.constant(Type::I32, 4);
        let next = at.bin(Bin::Add, offset, four);
        let next = at.one(Op::ToGeneric(Space::Local), &[next], Type::I64);
        at.function.insts[phi.index()].args = [begin, next].into_iter().collect();
        let more = at.one(Op::Icmp(Cond::Ult), &[value, given], Type::I1);
        at.function.blocks[header.index()].end = Terminator::Branch(more, header, end);
        at.function.blocks[end.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        simplify::run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        print(&function)
    }

    #[test]
    fn a_pointer_of_a_loop_is_an_offset() {
        let of_this = looped(|at, given| at.one(Op::ToGeneric(Space::Local), &[given], Type::I64));
        assert!(!of_this.contains("generic"), "{of_this}");
        let null = looped(|at, _| at.constant(Type::I64, 0));
        assert!(!null.contains("generic"), "{null}");
        let unknown = looped(|at, given| at.one(Op::Pair, &[given, given], Type::I64));
        assert!(unknown.contains("from_generic"), "{unknown}");
        let of_another =
            looped(|at, given| at.one(Op::ToGeneric(Space::Private), &[given], Type::I64));
        assert!(of_another.contains("from_generic"), "{of_another}");
    }
}

//! Pointers that a condition chooses, all into one variable, become the variable's address and a
//! distance that is chosen: then they are indexes.

use std::collections::HashMap;

use crate::ir::cfg::reverse_postorder;
use crate::ir::{Bin, Block, Cursor, Function, Inst, Op, Replaced, Type, Value};

pub(super) fn run(function: &mut Function) {
    let bases = bases(function);
    let mut distances = Distances {
        known: HashMap::new(),
        bases: &bases,
    };
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        for inst in std::mem::take(&mut function.blocks[block.index()].insts) {
            let data = Parts::of(function, inst);
            match (&data.op, data.args.as_slice()) {
                (Op::Select, &[which, yes, no]) if distances.base(data.result).is_some() => {
                    let [yes, no] = [yes, no].map(|arg| distances.of(function, block, arg));
                    let mut here = Cursor::new(function, block);
                    let chosen = here.one(Op::Select, &[which, yes, no], Type::I32);
                    distances.known.insert(data.result, chosen);
                    distances.address(function, block, data.result, &mut replaced);
                }
                (Op::Icmp(_), &[a, b])
                    if distances.base(a).is_some() && distances.base(a) == distances.base(b) =>
                {
                    let args = [a, b].map(|arg| distances.of(function, block, arg));
                    function.insts[inst.index()].args = args.as_slice().into();
                    function.blocks[block.index()].insts.push(inst);
                }
                _ => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    replaced.apply(function);
}

/// An instruction's parts.
struct Parts {
    op: Op,
    args: Vec<Value>,
    result: Value,
}

impl Parts {
    fn of(function: &Function, inst: Inst) -> Parts {
        let data = &function.insts[inst.index()];
        Parts {
            op: data.op.clone(),
            args: data.args.to_vec(),
            result: function.result(inst),
        }
    }
}

/// The variable that each value points into; none for what is no pointer, or may point elsewhere.
fn bases(function: &Function) -> HashMap<Value, Option<Value>> {
    let mut bases: HashMap<Value, Option<Value>> = HashMap::new();
    for block in reverse_postorder(function) {
        for inst in &function.blocks[block.index()].insts {
            let data = &function.insts[inst.index()];
            let &[result] = data.results.as_slice() else {
                continue;
            };
            let of = |index: usize| bases.get(&data.args[index]).copied().flatten();
            let base = match &data.op {
                Op::Alloca { .. } => Some(result),
                Op::Bin(Bin::Add) => match (of(0), of(1)) {
                    (Some(base), None) | (None, Some(base)) => Some(base),
                    _ => None,
                },
                Op::Select => of(1).filter(|base| of(2) == Some(*base)),
                _ => None,
            };
            bases.insert(result, base);
        }
    }
    bases
}

/// How far pointers are from the begins of their variables.
struct Distances<'a> {
    /// Of pointers that are chosen.
    known: HashMap<Value, Value>,
    bases: &'a HashMap<Value, Option<Value>>,
}

impl Distances<'_> {
    fn base(&self, value: Value) -> Option<Value> {
        self.bases.get(&value).copied().flatten()
    }

    /// Computes a pointer's distance, at the end of a block.
    fn of(&self, function: &mut Function, block: Block, pointer: Value) -> Value {
        let (mut pointer, mut more) = (pointer, Vec::new());
        let mut sum = loop {
            if let Some(distance) = self.known.get(&pointer) {
                break *distance;
            }
            let source = function.source(pointer).map(|(_, data)| data);
            match source.map(|data| (&data.op, data.args.as_slice())) {
                Some((Op::Bin(Bin::Add), &[a, b])) => {
                    let (base, other) = match self.base(a) {
                        Some(_) => (a, b),
                        None => (b, a),
                    };
                    more.push(other);
                    pointer = base;
                }
                // The variable itself.
                _ => break function.constant(Type::I32, 0),
            }
        };
        for other in more.into_iter().rev() {
            sum = Cursor::new(function, block).bin(Bin::Add, sum, other);
        }
        sum
    }

    /// Computes a pointer that is chosen anew, of its variable and its distance.
    fn address(
        &self,
        function: &mut Function,
        block: Block,
        pointer: Value,
        replaced: &mut Replaced,
    ) {
        if let (Some(base), Some(distance)) = (self.base(pointer), self.known.get(&pointer)) {
            let address = Cursor::new(function, block).bin(Bin::Add, base, *distance);
            replaced.insert(pointer, address);
        }
    }
}

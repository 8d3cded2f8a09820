//! Sums of products of bytes as dot products of dwords, where there is an instruction for them.

use std::collections::BTreeMap;

use isa_encoder::{Opcode, has_opcode};

use crate::ir::{Bin, Block, Convert, Cursor, Function, Op, Replaced, Type, Value};
use crate::target::Target;

/// Bytes of a dword.
const BYTES: usize = 4;
/// More terms than a sum is looked at.
const MAX_TERMS: usize = 64;

/// A byte of a dword, extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Byte {
    of: Value,
    number: usize,
    signed: bool,
}

/// Two dwords with the signs of their bytes.
type Pair = [(u32, bool); 2];

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    if !has_opcode(target.platform.family, Opcode::Dp4a) {
        return Ok(());
    }
    let uses = uses(function);
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        let insts = function.take(block);
        for inst in insts {
            if let [result] = function.insts[inst.index()].results[..]
                && sum(function, result).is_some()
                && let Some(value) = dot(function, block, result, &uses)
            {
                replaced.insert(result, value);
            }
            function.blocks[block.index()].insts.push(inst);
        }
    }
    replaced.apply(function);
    Ok(())
}

/// How often each value is an operand.
fn uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.values.len()];
    for block in &function.order {
        for inst in &function.blocks[block.index()].insts {
            for arg in &function.insts[inst.index()].args {
                uses[arg.index()] += 1;
            }
        }
    }
    uses
}

/// The operands of a sum of dwords.
fn sum(function: &Function, value: Value) -> Option<[Value; 2]> {
    let (_, data) = function.source(value)?;
    let is_sum = data.op == Op::Bin(Bin::Add) && function.ty(value) == Type::I32;
    is_sum.then(|| [data.args[0], data.args[1]])
}

/// The byte that a value is.
fn byte(function: &Function, value: Value) -> Option<Byte> {
    let (_, data) = function.source(value)?;
    let signed = match data.op {
        Op::Convert(Convert::SExt) => true,
        Op::Convert(Convert::ZExt) => false,
        _ => return None,
    };
    let narrow = data.args[0];
    if function.ty(narrow) != Type::I8 || function.ty(value) != Type::I32 {
        return None;
    }
    let (_, data) = function.source(narrow)?;
    if data.op != Op::Convert(Convert::Trunc) {
        return None;
    }
    let wide = data.args[0];
    if function.ty(wide) != Type::I32 {
        return None;
    }
    let whole = Byte {
        of: wide,
        number: 0,
        signed,
    };
    let Some((_, data)) = function.source(wide) else {
        return Some(whole);
    };
    match (&data.op, data.args.get(1).map(|by| function.bits(*by))) {
        (Op::Bin(Bin::LShr | Bin::AShr), Some(Some(by @ (8 | 16 | 24)))) => Some(Byte {
            of: data.args[0],
            number: by as usize / 8,
            signed,
        }),
        _ => Some(whole),
    }
}

/// The dwords whose bytes of one number a value multiplies.
fn product(function: &Function, value: Value) -> Option<(Pair, usize)> {
    let (_, data) = function.source(value)?;
    if data.op != Op::Bin(Bin::Mul) {
        return None;
    }
    let a = byte(function, data.args[0])?;
    let b = byte(function, data.args[1])?;
    let mut pair = [a, b].map(|byte| (byte.of.0, byte.signed));
    pair.sort_unstable();
    (a.number == b.number).then_some((pair, a.number))
}

/// The sum by dot products, appended to the block; none if it has not all products of two dwords.
fn dot(function: &mut Function, block: Block, root: Value, uses: &[u32]) -> Option<Value> {
    let mut open = vec![root];
    let mut terms = Vec::new();
    while let Some(value) = open.pop() {
        match sum(function, value) {
            Some(parts) if value == root || uses[value.index()] == 1 => open.extend(parts),
            _ => terms.push(value),
        }
        if terms.len() + open.len() > MAX_TERMS {
            return None;
        }
    }
    let mut products: BTreeMap<Pair, [Option<usize>; BYTES]> = BTreeMap::new();
    for (index, term) in terms.iter().enumerate() {
        if let Some((pair, number)) = product(function, *term) {
            products.entry(pair).or_default()[number].get_or_insert(index);
        }
    }
    products.retain(|_, numbers| numbers.iter().all(Option::is_some));
    if products.is_empty() {
        return None;
    }
    let taken: Vec<usize> = products.values().flatten().copied().flatten().collect();
    let rest = terms.iter().enumerate();
    let rest = rest.filter(|(index, _)| !taken.contains(index));
    let rest: Vec<Value> = rest.map(|(_, term)| *term).collect();
    let (inst, _) = function.source(root)?;
    let word = function.insts[inst.index()].at;
    let mut at = Cursor {
        function,
        block,
        at: word,
    };
    let mut total = rest.first().copied();
    for term in rest.iter().skip(1) {
        total = total.map(|total| at.bin(Bin::Add, total, *term));
    }
    let mut total = match total {
        Some(total) => total,
        None => at.constant(Type::I32, 0),
    };
    for [(a, first), (b, second)] in products.into_keys() {
        let op = Op::DotBytes { first, second };
        total = at.one(op, &[total, Value(a), Value(b)], Type::I32);
    }
    Some(total)
}

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

#[cfg(test)]
mod tests {
    use super::super::simplify::sweep;
    use super::*;
    use crate::ir::{Access, Input, Space, Terminator, expression, verify};

    /// What the sum of a number and of the products of these bytes of two dwords becomes, with `how` bytes get
    /// larger.
    fn made(platform: &str, how: [Convert; 2], bytes: &[[u64; 2]]) -> String {
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor::new(&mut function, block);
        let [sum, a, b] = [0, 4, 8].map(|of| at.one(Op::Input(Input::Payload(of)), &[], Type::I32));
        let mut total = sum;
        for numbers in bytes {
            let mut factors = [a, b];
            for (index, factor) in factors.iter_mut().enumerate() {
                if numbers[index] != 0 {
                    let by = at.constant(Type::I32, 8 * numbers[index]);
                    *factor = at.bin(Bin::LShr, *factor, by);
                }
                let byte = at.convert(Convert::Trunc, *factor, Type::I8);
                *factor = at.convert(how[index], byte, Type::I32);
            }
            let product = at.bin(Bin::Mul, factors[0], factors[1]);
            total = at.bin(Bin::Add, total, product);
        }
        at.push(Op::Store(Access::new(Space::Local, 4)), &[sum, total], &[]);
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name(platform).unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        sweep(&mut function);
        verify(&function).unwrap();
        let stored = function.listed().last().unwrap().args[1];
        expression(&function, stored)
    }

    #[test]
    fn products_of_all_bytes_are_one_instruction() {
        let all = [[1, 1], [0, 0], [3, 3], [2, 2]];
        for (first, sign) in [(Convert::ZExt, 'u'), (Convert::SExt, 's')] {
            let want = format!("(dot_bytes.{sign}s payload.0 payload.4 payload.8)");
            assert_eq!(made("tgl", [first, Convert::SExt], &all), want);
        }
        let without = made("skl", [Convert::ZExt; 2], &all);
        assert!(!without.contains("dot_bytes"), "{without}");
    }

    #[test]
    fn other_sums_stay() {
        // A byte is missing, or is multiplied with another one, or one is there twice.
        let sums: [&[[u64; 2]]; 3] = [
            &[[0, 0], [1, 1], [2, 2]],
            &[[0, 0], [1, 1], [2, 3], [3, 2]],
            &[[0, 0], [1, 1], [2, 2], [2, 2]],
        ];
        for bytes in sums {
            let sum = made("tgl", [Convert::ZExt; 2], bytes);
            assert!(!sum.contains("dot_bytes"), "{sum}");
        }
        // What is more than a product of each stays beside it.
        let more = made(
            "tgl",
            [Convert::ZExt; 2],
            &[[0, 0], [1, 1], [2, 2], [3, 3], [3, 3]],
        );
        assert!(more.starts_with("(dot_bytes.uu (add "), "{more}");
        assert_eq!(more.matches("mul").count(), 1, "{more}");
    }
}

//! What every function obeys, before and after every pass.

use super::cfg::{Dominators, reverse_postorder};
use super::function::{Def, Function, InstData, Terminator};
use super::ids::{Block, Inst, Value};
use super::op::{Convert, Op, Space};
use super::types::Type;

/// A rule that a function breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("b{block}: {what}")]
pub struct VerifyError {
    /// The block.
    pub block: u32,
    /// The word of the SPIR-V module that the instruction comes from, if one breaks the rule.
    pub at: Option<u32>,
    /// A use that its definition does not dominate, as a module may have it.
    pub undominated: bool,
    /// What is wrong.
    pub what: String,
}

/// Checks a function.
///
/// # Errors
/// The first rule that is broken: an operand of a wrong type, a use that its definition does not
/// dominate, a phi that does not fit its block.
pub fn verify(function: &Function) -> Result<(), VerifyError> {
    let order = reverse_postorder(function);
    let dominators = Dominators::new(function);
    let predecessors = function.predecessors();
    // Where each value is defined: block and place.
    let mut place: Vec<Option<(Block, usize)>> = vec![None; function.values.len()];
    for &block in &order {
        for (index, inst) in function.blocks[block.index()].insts.iter().enumerate() {
            for result in &function.insts[inst.index()].results {
                place[result.index()] = Some((block, index));
            }
        }
    }
    // The last phi that each block was seen in.
    let mut named: Vec<Option<Inst>> = vec![None; function.blocks.len()];
    for &block in &order {
        let broken = |at: Option<u32>, undominated: bool, what: String| {
            Err(VerifyError {
                block: block.0,
                at,
                undominated,
                what,
            })
        };
        let seen = |value: Value, at: Block, index: usize| match function.def(value) {
            Def::Const(_) | Def::Undef => value.index() < function.values.len(),
            Def::Inst(_) => match place[value.index()] {
                Some((from, before)) if from == at => before < index,
                Some((from, _)) => dominators.dominates(from, at),
                None => false,
            },
        };
        let data = &function.blocks[block.index()];
        let mut phis = true;
        for (index, &inst) in data.insts.iter().enumerate() {
            let instruction = &function.insts[inst.index()];
            let fail = |what: String| broken(Some(instruction.at), false, what);
            let unseen = |what: String| broken(Some(instruction.at), true, what);
            if let Op::Phi(blocks) = &instruction.op {
                if !phis {
                    return fail("a phi after another instruction".to_owned());
                }
                let from = &predecessors[block.index()];
                for from in blocks {
                    named[from.index()] = Some(inst);
                }
                let names = |from: &Block| named[from.index()] == Some(inst);
                if blocks.len() != from.len() || !from.iter().all(names) {
                    return fail(format!("a phi of {blocks:?}, predecessors are {from:?}"));
                }
                for (from, arg) in blocks.iter().zip(&instruction.args) {
                    if !seen(*arg, *from, usize::MAX) {
                        return unseen(format!("v{} does not reach the phi", arg.0));
                    }
                }
            } else {
                phis = false;
                if let Some(arg) = instruction
                    .args
                    .iter()
                    .find(|arg| !seen(**arg, block, index))
                {
                    return unseen(format!("v{} is used before it is defined", arg.0));
                }
            }
            if let Err(what) = types(function, inst) {
                return fail(what);
            }
        }
        if let Terminator::Branch(value, ..) = data.end {
            if function.ty(value) != Type::I1 {
                return broken(None, false, format!("v{} is no condition", value.0));
            }
            if !seen(value, block, usize::MAX) {
                let what = format!("v{} decides before it is defined", value.0);
                return broken(None, true, what);
            }
        }
    }
    Ok(())
}

/// Checks the types of an instruction.
fn types(function: &Function, inst: Inst) -> Result<(), String> {
    let data = &function.insts[inst.index()];
    let arg = |index: usize| data.args.get(index).map(|value| function.ty(*value));
    let result = data.results.first().map(|value| function.ty(*value));
    let counts =
        |args: usize, results: usize| data.args.len() == args && data.results.len() == results;
    let fits = match &data.op {
        Op::Phi(_) => {
            data.results.len() == 1 && data.args.iter().all(|a| Some(function.ty(*a)) == result)
        }
        Op::Input(_) | Op::Alloca { .. } => counts(0, 1),
        Op::Bin(_) | Op::Saturated { .. } => counts(2, 1) && arg(0) == result && arg(1) == result,
        Op::Lifetime { .. } => counts(1, 0),
        Op::Copy(_) => counts(2, 0),
        Op::Un(_) => counts(1, 1) && arg(0) == result,
        Op::Fma => counts(3, 1) && (0..3).all(|i| arg(i) == result),
        Op::DotBytes { .. } => {
            counts(3, 1) && result == Some(Type::I32) && (0..3).all(|i| arg(i) == result)
        }
        Op::Icmp(_) | Op::Fcmp(_) => counts(2, 1) && arg(0) == arg(1) && result == Some(Type::I1),
        Op::Select => {
            counts(3, 1) && arg(0) == Some(Type::I1) && arg(1) == result && arg(2) == result
        }
        Op::Convert(how) => {
            counts(1, 1)
                && match (how, arg(0), result) {
                    (Convert::Bitcast, Some(from), Some(to)) => from.bits() == to.bits(),
                    (Convert::Trunc, Some(from), Some(to)) => from.bits() > to.bits(),
                    (Convert::ZExt | Convert::SExt, Some(from), Some(to)) => {
                        from.bits() < to.bits()
                    }
                    _ => true,
                }
        }
        Op::Number => counts(1, 1) && arg(0) == Some(Type::I64) && result == Some(Type::I64),
        Op::Pair => counts(2, 1) && arg(0) == Some(Type::I32) && result == Some(Type::I64),
        Op::Pack => {
            let bits = data.args.len() as u32 * arg(0).map_or(0, Type::bits);
            result.is_some_and(|ty| !ty.is_float() && ty.bits() == bits)
                && data.args.iter().all(|a| Some(function.ty(*a)) == arg(0))
        }
        Op::Array { .. } => counts(0, 1) && result == Some(Type::I32),
        Op::Element { .. } => counts(1, 1) && is_array(function, data),
        Op::ElementAt { .. } => {
            counts(2, 1) && is_array(function, data) && arg(1) == Some(Type::I32)
        }
        Op::SetElement { .. } => counts(2, 0) && is_array(function, data),
        Op::SetElementAt { .. } => {
            counts(3, 0) && is_array(function, data) && arg(1) == Some(Type::I32)
        }
        Op::ToGeneric(Space::Global) => {
            counts(1, 1) && arg(0) == Some(Type::I64) && result == Some(Type::I64)
        }
        Op::ToGeneric(_) => counts(1, 1) && arg(0) == Some(Type::I32) && result == Some(Type::I64),
        Op::PointsInto(_) => counts(1, 1) && arg(0) == Some(Type::I64) && result == Some(Type::I1),
        Op::FromGeneric(_) => {
            counts(1, 1) && arg(0) == Some(Type::I64) && result == Some(Type::I32)
        }
        Op::High => counts(1, 1) && arg(0) == Some(Type::I64) && result == Some(Type::I32),
        Op::Load(_) | Op::BlockLoad(_) => data.args.len() == 1 && !data.results.is_empty(),
        Op::Store(_) | Op::BlockStore(_) => data.args.len() >= 2 && data.results.is_empty(),
        Op::ImageBlockLoad(_) => data.args.len() == 2 && !data.results.is_empty(),
        Op::ImageBlockStore(_) => data.args.len() >= 3 && data.results.is_empty(),
        Op::ImageLoad { .. } | Op::ImageSample { .. } => {
            (1..=3).contains(&data.args.len()) && data.results.len() == 4
        }
        Op::Offset(_) => counts(1, 1) && arg(0) == Some(Type::I32) && result == Some(Type::I32),
        Op::ImageStore(_) => (5..=7).contains(&data.args.len()) && data.results.is_empty(),
        Op::Atomic(..) | Op::AtomicOnce(..) => data.results.len() <= 1,
        Op::Barrier | Op::Fence { .. } => counts(0, 0),
        Op::Ballot => counts(1, 1) && arg(0) == Some(Type::I1) && result == Some(Type::I32),
        Op::Shuffle | Op::Broadcast => {
            counts(2, 1) && arg(0) == result && arg(1) == Some(Type::I32)
        }
        Op::ShuffleTwo => {
            counts(3, 1) && arg(0) == result && arg(1) == result && arg(2) == Some(Type::I32)
        }
        Op::Reduce(_) | Op::Cluster(..) => {
            arg(0) == result && (counts(1, 1) || counts(2, 2) && result == Some(Type::I32))
        }
        Op::Scan { .. } => {
            let halves = result == Some(Type::I32) && (counts(2, 2) || counts(2, 4));
            arg(0) == result && (counts(1, 1) || counts(1, 2) || halves)
        }
    };
    match fits {
        true => Ok(()),
        false => Err(format!("operands or results do not fit {:?}", data.op)),
    }
}

/// Whether an array has the cells of an access, and a cell has room for it.
fn is_array(function: &Function, access: &InstData) -> bool {
    let cells = access
        .args
        .first()
        .and_then(|value| function.source(*value));
    let cells = match cells {
        Some((_, data)) => match data.op {
            Op::Array { cells } => cells,
            _ => return false,
        },
        None => return false,
    };
    let last = match access.op {
        Op::SetElementAt { cell, step, count } => count
            .checked_sub(1)
            .and_then(|last| last.checked_mul(step)?.checked_add(cell)),
        Op::Element { cell } | Op::ElementAt { cell } | Op::SetElement { cell } => Some(cell),
        _ => None,
    };
    let value = access.results.first().or(access.args.last());
    let fits = value.is_some_and(|value| function.ty(*value).bits() <= 32);
    last.is_some_and(|last| last < cells) && fits
}

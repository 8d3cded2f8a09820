//! Instructions that are there already.

use std::hash::BuildHasher as _;

use hashbrown::DefaultHashBuilder;
use hashbrown::hash_table::{Entry, HashTable};

use super::fold_operation;
use crate::ir::cfg::Dominators;
use crate::ir::{
    Bin, Block, Cond, Convert, Function, Input, Inst, Op, Space, Surface, Type, Un, Value, Values,
};

/// The last one of each kind of instruction, and its block.
pub(super) struct Seen {
    insts: HashTable<(Inst, Block)>,
    hasher: DefaultHashBuilder,
}

impl Seen {
    /// With room for so many, so that none is hashed again.
    pub(super) fn with_room(count: usize) -> Self {
        Self {
            insts: HashTable::with_capacity(count),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Of a product of a sum and a number, makes a sum, if the product without the sum is there already: for
    /// `(x + a) * b`, `x * b`. Whether it was one.
    pub(super) fn distribute(
        &self,
        function: &mut Function,
        inst: Inst,
        block: Block,
        dominators: &Dominators,
    ) -> bool {
        let data = &function.insts[inst.index()];
        let (&Op::Bin(op @ (Bin::Mul | Bin::Shl)), &[sum, factor]) = (&data.op, &data.args[..])
        else {
            return false;
        };
        let ty = function.ty(sum);
        let Some((_, inner)) = function.source(sum) else {
            return false;
        };
        let (Op::Bin(Bin::Add), &[x, a]) = (&inner.op, &inner.args[..]) else {
            return false;
        };
        let known = [a, factor].map(|value| function.bits(value));
        let [Some(a), Some(b)] = known else {
            return false;
        };
        // As it is there, if it is.
        let (mut first, mut args) = (Op::Bin(op), Values::from_slice(&[x, factor]));
        let product = fold_operation(function, &mut first, &mut args, ty);
        let product = product.or_else(|| {
            let wanted = Key::of(&first).map(|key| (key, &args, ty));
            self.find(function, wanted, block, dominators)
        });
        match (product, op.evaluate(a, b, ty)) {
            (Some(product), Some(rest)) => {
                let rest = function.constant(ty, rest);
                let data = &mut function.insts[inst.index()];
                data.op = Op::Bin(Bin::Add);
                data.args = [product, rest].into_iter().collect();
                true
            }
            _ => false,
        }
    }

    /// The result of an instruction of this kind that is executed before the end of a block.
    fn find(
        &self,
        function: &Function,
        wanted: Option<(Key, &Values, Type)>,
        block: Block,
        dominators: &Dominators,
    ) -> Option<Value> {
        let hash = self.hasher.hash_one(wanted);
        let found = self
            .insts
            .find(hash, |(other, _)| key(function, *other) == wanted);
        let &(first, from) = found?;
        dominators
            .dominates(from, block)
            .then(|| function.result(first))
    }

    /// The result of an equal instruction that is executed before this one.
    pub(super) fn equal(
        &mut self,
        function: &Function,
        inst: Inst,
        block: Block,
        dominators: &Dominators,
    ) -> Option<Value> {
        let own = key(function, inst);
        own?;
        let entry = self.insts.entry(
            self.hasher.hash_one(own),
            |(other, _)| key(function, *other) == own,
            |(other, _)| self.hasher.hash_one(key(function, *other)),
        );
        match entry {
            Entry::Occupied(mut known) => {
                let (first, from) = *known.get();
                if dominators.dominates(from, block) {
                    return Some(function.result(first));
                }
                *known.get_mut() = (inst, block);
            }
            Entry::Vacant(place) => {
                place.insert((inst, block));
            }
        }
        None
    }
}

/// What is the same in equal instructions; nothing for those that are never equal.
fn key(function: &Function, inst: Inst) -> Option<(Key, &Values, Type)> {
    let data = &function.insts[inst.index()];
    let ty = function.ty(function.result(inst));
    Some((Key::of(&data.op)?, &data.args, ty))
}

/// What makes two instructions of the same operands equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Bin(Bin),
    Un(Un),
    Saturated(bool, bool),
    Fma,
    DotBytes(bool, bool),
    Icmp(Cond),
    Fcmp(Cond),
    Select,
    Convert(Convert),
    Input(Input),
    Pair,
    High,
    Number,
    PointsInto(Space),
    Offset(Surface),
}

impl Key {
    fn of(op: &Op) -> Option<Key> {
        Some(match op {
            Op::Bin(op) => Key::Bin(*op),
            Op::Un(op) => Key::Un(*op),
            Op::Saturated { add, signed } => Key::Saturated(*add, *signed),
            Op::Fma => Key::Fma,
            Op::DotBytes { first, second } => Key::DotBytes(*first, *second),
            Op::Icmp(cond) => Key::Icmp(*cond),
            Op::Fcmp(cond) => Key::Fcmp(*cond),
            Op::Select => Key::Select,
            Op::Convert(how) => Key::Convert(*how),
            Op::Input(input) => Key::Input(*input),
            Op::Pair => Key::Pair,
            Op::High => Key::High,
            Op::Number => Key::Number,
            Op::PointsInto(space) => Key::PointsInto(*space),
            Op::Offset(surface) => Key::Offset(*surface),
            _ => return None,
        })
    }
}

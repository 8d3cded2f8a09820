//! Sub-groups, barriers, fences.

use spirv::{BuiltIn, GroupOperation, MemorySemantics, Op as Spv, Scope};

use super::reader::Instruction;
use super::translate::{Translator, Val};
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Space, Type, Un, Value};

/// How a reduction or scan combines, and whether the operands are floats.
fn combination(op: Spv) -> Option<Bin> {
    Some(match op {
        Spv::GroupIAdd | Spv::GroupNonUniformIAdd => Bin::Add,
        Spv::GroupFAdd | Spv::GroupNonUniformFAdd => Bin::FAdd,
        Spv::GroupUMin | Spv::GroupNonUniformUMin => Bin::UMin,
        Spv::GroupSMin | Spv::GroupNonUniformSMin => Bin::SMin,
        Spv::GroupFMin | Spv::GroupNonUniformFMin => Bin::FMin,
        Spv::GroupUMax | Spv::GroupNonUniformUMax => Bin::UMax,
        Spv::GroupSMax | Spv::GroupNonUniformSMax => Bin::SMax,
        Spv::GroupFMax | Spv::GroupNonUniformFMax => Bin::FMax,
        Spv::GroupNonUniformIMul => Bin::Mul,
        Spv::GroupNonUniformFMul => Bin::FMul,
        Spv::GroupNonUniformBitwiseAnd | Spv::GroupNonUniformLogicalAnd => Bin::And,
        Spv::GroupNonUniformBitwiseOr | Spv::GroupNonUniformLogicalOr => Bin::Or,
        Spv::GroupNonUniformBitwiseXor | Spv::GroupNonUniformLogicalXor => Bin::Xor,
        _ => return None,
    })
}

impl Translator<'_> {
    /// Sub-groups and barriers; `false` if the instruction is none.
    pub(super) fn group(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        if let Some(op) = combination(i.op) {
            self.scope(i.word(2)?, i)?;
            let operation = GroupOperation::from_u32(i.word(3)?);
            let (inclusive, scan) = match operation {
                Some(GroupOperation::Reduce) => (false, false),
                Some(GroupOperation::InclusiveScan) => (true, true),
                Some(GroupOperation::ExclusiveScan) => (false, true),
                _ => return Err(i.unsupported(format!("{operation:?}"))),
            };
            let value = self.get(i.word(4)?, i)?;
            let mut values = Vec::new();
            for value in value.scalars {
                let ty = self.function.ty(value);
                // Truth values are 0 and 1 here.
                let (wide, back) = match ty {
                    Type::I1 => (self.here().convert(Convert::SExt, value, Type::I32), true),
                    _ => (value, false),
                };
                let op = match scan {
                    true => Op::Scan { op, inclusive },
                    false => Op::Reduce(op),
                };
                let ty = self.function.ty(wide);
                let all = self.one(op, &[wide], ty);
                values.push(if back { self.is_set(all) } else { all });
            }
            self.set(i.word(1)?, Val::many(values));
            return Ok(true);
        }
        match i.op {
            Spv::ControlBarrier => {
                let scope = self.number(i.word(0)?, i)?;
                let semantics = self.number(i.word(2)?, i)?;
                self.fence(semantics);
                match Scope::from_u32(scope as u32) {
                    Some(Scope::Workgroup) => {
                        self.abi.barrier = true;
                        self.here().push(Op::Barrier, &[], &[]);
                    }
                    // The lanes of a sub-group run together.
                    Some(Scope::Subgroup | Scope::Invocation) => {}
                    _ => return Err(i.unsupported(format!("a barrier of scope {scope}"))),
                }
            }
            Spv::MemoryBarrier => {
                let semantics = self.number(i.word(1)?, i)?;
                self.fence(semantics);
            }
            Spv::GroupAll | Spv::GroupNonUniformAll | Spv::SubgroupAllKHR => {
                let value = self.predicate(i)?;
                let not = self.not(value);
                let mask = self.one(Op::Ballot, &[not], Type::I32);
                let any = self.is_set(mask);
                let all = self.not(any);
                self.set(i.word(1)?, Val::one(all));
            }
            Spv::GroupAny | Spv::GroupNonUniformAny | Spv::SubgroupAnyKHR => {
                let value = self.predicate(i)?;
                let mask = self.one(Op::Ballot, &[value], Type::I32);
                let any = self.is_set(mask);
                self.set(i.word(1)?, Val::one(any));
            }
            Spv::GroupNonUniformElect => {
                let first = self.first_lane();
                let lane = self.lane();
                let is = self.one(Op::Icmp(Cond::Eq), &[lane, first], Type::I1);
                self.set(i.word(1)?, Val::one(is));
            }
            Spv::GroupNonUniformAllEqual => {
                let first = self.first_lane();
                let value = self.scalar(i.word(3)?, i)?;
                let ty = self.function.ty(value);
                let same = self.one(Op::Broadcast, &[value, first], ty);
                let compare = match ty.is_float() {
                    true => Op::Fcmp(Cond::Une),
                    false => Op::Icmp(Cond::Ne),
                };
                let differs = self.one(compare, &[value, same], Type::I1);
                let mask = self.one(Op::Ballot, &[differs], Type::I32);
                let any = self.is_set(mask);
                let all = self.not(any);
                self.set(i.word(1)?, Val::one(all));
            }
            Spv::GroupBroadcast
            | Spv::GroupNonUniformBroadcast
            | Spv::GroupNonUniformBroadcastFirst => {
                self.scope(i.word(2)?, i)?;
                let value = self.get(i.word(3)?, i)?;
                let lane = match i.op {
                    Spv::GroupNonUniformBroadcastFirst => self.first_lane(),
                    _ => {
                        let lane = self.get(i.word(4)?, i)?.scalars;
                        let lane = lane.first().copied().ok_or_else(|| i.invalid("no lane"))?;
                        self.resize(lane, Type::I32, false)
                    }
                };
                self.each_lane(i, &value, Op::Broadcast, lane)?;
            }
            Spv::SubgroupShuffleINTEL | Spv::GroupNonUniformShuffle => {
                let first = if i.op == Spv::SubgroupShuffleINTEL {
                    2
                } else {
                    3
                };
                let value = self.get(i.word(first)?, i)?;
                let lane = self.scalar(i.word(first + 1)?, i)?;
                let lane = self.resize(lane, Type::I32, false);
                self.each_lane(i, &value, Op::Shuffle, lane)?;
            }
            Spv::SubgroupShuffleXorINTEL
            | Spv::GroupNonUniformShuffleXor
            | Spv::GroupNonUniformShuffleUp
            | Spv::GroupNonUniformShuffleDown => {
                let first = if i.op == Spv::SubgroupShuffleXorINTEL {
                    2
                } else {
                    3
                };
                let value = self.get(i.word(first)?, i)?;
                let by = self.scalar(i.word(first + 1)?, i)?;
                let by = self.resize(by, Type::I32, false);
                let lane = self.lane();
                let op = match i.op {
                    Spv::GroupNonUniformShuffleUp => Bin::Sub,
                    Spv::GroupNonUniformShuffleDown => Bin::Add,
                    _ => Bin::Xor,
                };
                let lane = self.here().bin(op, lane, by);
                self.each_lane(i, &value, Op::Shuffle, lane)?;
            }
            Spv::SubgroupShuffleUpINTEL | Spv::SubgroupShuffleDownINTEL => self.shuffle_two(i)?,
            Spv::GroupNonUniformRotateKHR => {
                let value = self.get(i.word(3)?, i)?;
                let by = self.scalar(i.word(4)?, i)?;
                let lane = self.lane();
                let sum = self.here().bin(Bin::Add, lane, by);
                let lane = match i.word(5) {
                    Err(_) => {
                        let mask = self.constant(Type::I32, u64::from(self.simd) - 1);
                        self.here().bin(Bin::And, sum, mask)
                    }
                    Ok(size) => {
                        let size = self.number(size, i)?;
                        let mask = self.constant(Type::I32, size.wrapping_sub(1));
                        let within = self.here().bin(Bin::And, sum, mask);
                        let outside = self.not(mask);
                        let base = self.here().bin(Bin::And, lane, outside);
                        self.here().bin(Bin::Or, within, base)
                    }
                };
                self.each_lane(i, &value, Op::Shuffle, lane)?;
            }
            Spv::GroupNonUniformBallot
            | Spv::SubgroupBallotKHR
            | Spv::GroupNonUniformInverseBallot
            | Spv::GroupNonUniformBallotBitExtract
            | Spv::GroupNonUniformBallotBitCount
            | Spv::GroupNonUniformBallotFindLSB
            | Spv::GroupNonUniformBallotFindMSB => self.ballot(i)?,
            Spv::SubgroupBlockReadINTEL => {
                let types = self.result_types(i)?;
                let pointer = self.get(i.word(2)?, i)?;
                let (address, space) = self.block_address(&pointer, i)?;
                let inst = self.here().push(Op::BlockLoad(space), &[address], &types);
                let results = self.function.insts[inst.index()].results.clone();
                self.set(i.word(1)?, Val::many(results));
            }
            Spv::SubgroupBlockWriteINTEL => {
                let pointer = self.get(i.word(0)?, i)?;
                let (address, space) = self.block_address(&pointer, i)?;
                let mut args = vec![address];
                args.extend(self.get(i.word(1)?, i)?.scalars);
                self.here().push(Op::BlockStore(space), &args, &[]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn block_address(&self, pointer: &Val, i: &Instruction<'_>) -> Result<(Value, Space), Error> {
        match self.address(pointer, i)? {
            (_, Space::Private) => Err(i.unsupported("a block of private memory")),
            other => Ok(other),
        }
    }

    /// Only the sub-group has these functions.
    fn scope(&mut self, id: u32, i: &Instruction<'_>) -> Result<(), Error> {
        match Scope::from_u32(self.number(id, i)? as u32) {
            Some(Scope::Subgroup) => Ok(()),
            other => Err(i.unsupported(format!("it over the scope {other:?}"))),
        }
    }

    fn predicate(&mut self, i: &Instruction<'_>) -> Result<Value, Error> {
        let at = match i.op {
            Spv::SubgroupAllKHR | Spv::SubgroupAnyKHR => 2,
            _ => {
                self.scope(i.word(2)?, i)?;
                3
            }
        };
        self.scalar(i.word(at)?, i)
    }

    /// The number of the first active lane.
    fn first_lane(&mut self) -> Value {
        let yes = self.constant(Type::I1, 1);
        let mask = self.one(Op::Ballot, &[yes], Type::I32);
        self.un(Un::LowestBit, mask)
    }

    /// Each component of a value from a lane.
    fn each_lane(
        &mut self,
        i: &Instruction<'_>,
        value: &Val,
        op: Op,
        lane: Value,
    ) -> Result<(), Error> {
        let mut values = Vec::new();
        for value in &value.scalars {
            values.push(self.of_lane(op.clone(), *value, lane));
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    pub(super) fn of_lane(&mut self, op: Op, value: Value, lane: Value) -> Value {
        let ty = self.function.ty(value);
        if ty == Type::I1 {
            let wide = self.here().convert(Convert::ZExt, value, Type::I32);
            let wide = self.one(op, &[wide, lane], Type::I32);
            return self.is_set(wide);
        }
        self.one(op, &[value, lane], ty)
    }

    /// Shuffles over the lanes of two values, one behind the other.
    fn shuffle_two(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let (a, b) = (self.get(i.word(2)?, i)?, self.get(i.word(3)?, i)?);
        let by = self.scalar(i.word(4)?, i)?;
        let lane = self.lane();
        let simd = self.constant(Type::I32, u64::from(self.simd));
        // Up: `current` is behind `previous`, and a lane looks `by` lanes before its own.
        let at = match i.op {
            Spv::SubgroupShuffleUpINTEL => {
                let own = self.here().bin(Bin::Add, lane, simd);
                self.here().bin(Bin::Sub, own, by)
            }
            _ => self.here().bin(Bin::Add, lane, by),
        };
        let low = self.one(Op::Icmp(Cond::Ult), &[at, simd], Type::I1);
        let mut values = Vec::new();
        for (a, b) in a.scalars.iter().zip(&b.scalars) {
            let first = self.of_lane(Op::Shuffle, *a, at);
            let second = self.of_lane(Op::Shuffle, *b, at);
            let ty = self.function.ty(first);
            values.push(self.one(Op::Select, &[low, first, second], ty));
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    fn ballot(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let zero = self.constant(Type::I32, 0);
        if matches!(i.op, Spv::GroupNonUniformBallot | Spv::SubgroupBallotKHR) {
            let at = if i.op == Spv::SubgroupBallotKHR { 2 } else { 3 };
            let value = self.scalar(i.word(at)?, i)?;
            let mask = self.one(Op::Ballot, &[value], Type::I32);
            self.set(i.word(1)?, Val::many([mask, zero, zero, zero]));
            return Ok(());
        }
        let at = if i.op == Spv::GroupNonUniformBallotBitCount {
            4
        } else {
            3
        };
        let mask = self.get(i.word(at)?, i)?.scalars;
        let mask = mask.first().copied().ok_or_else(|| i.invalid("no mask"))?;
        let value = match i.op {
            Spv::GroupNonUniformInverseBallot | Spv::GroupNonUniformBallotBitExtract => {
                let lane = match i.word(4) {
                    Ok(id) if i.op == Spv::GroupNonUniformBallotBitExtract => self.scalar(id, i)?,
                    _ => self.lane(),
                };
                let moved = self.shift(Bin::LShr, mask, lane);
                let one = self.constant(Type::I32, 1);
                let bit = self.here().bin(Bin::And, moved, one);
                self.is_set(bit)
            }
            Spv::GroupNonUniformBallotBitCount => {
                let lanes = match GroupOperation::from_u32(i.word(3)?) {
                    Some(GroupOperation::Reduce) => None,
                    Some(GroupOperation::InclusiveScan) => Some(BuiltIn::SubgroupLeMask),
                    Some(GroupOperation::ExclusiveScan) => Some(BuiltIn::SubgroupLtMask),
                    other => return Err(i.unsupported(format!("{other:?}"))),
                };
                let mask = match lanes {
                    None => mask,
                    Some(which) => {
                        let lanes = self.lane_mask(which);
                        self.here().bin(Bin::And, mask, lanes)
                    }
                };
                self.un(Un::CountOnes, mask)
            }
            Spv::GroupNonUniformBallotFindLSB => self.un(Un::LowestBit, mask),
            _ => {
                let zeros = self.un(Un::LeadingZeros, mask);
                let top = self.constant(Type::I32, 31);
                self.here().bin(Bin::Sub, top, zeros)
            }
        };
        self.set(i.word(1)?, Val::one(value));
        Ok(())
    }

    /// The fence of memory semantics.
    fn fence(&mut self, semantics: u64) {
        let semantics = MemorySemantics::from_bits_truncate(semantics as u32);
        let local = semantics.contains(MemorySemantics::WORKGROUP_MEMORY);
        let global = semantics.contains(MemorySemantics::CROSS_WORKGROUP_MEMORY);
        let image = semantics.contains(MemorySemantics::IMAGE_MEMORY);
        if local || global || image {
            let op = Op::Fence {
                local,
                global,
                image,
            };
            self.here().push(op, &[], &[]);
        }
    }
}

//! Sub-groups, barriers, fences.

use spirv::{BuiltIn, GroupOperation, MemorySemantics, Op as Spv, Scope};

use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{self, Access, Bin, Cond, Convert, Op, Space, Terminator, Type, Un, Value};

/// The most work-items of a work-group.
const MAX_GROUP: u32 = 1024;

/// How a reduction or scan combines. Truth values are integers of one bit.
fn combination(op: Spv) -> Option<Bin> {
    Some(match op {
        Spv::GroupIAdd | Spv::GroupNonUniformIAdd => Bin::Add,
        Spv::GroupUMin | Spv::GroupNonUniformUMin => Bin::UMin,
        Spv::GroupSMin | Spv::GroupNonUniformSMin => Bin::SMin,
        Spv::GroupUMax | Spv::GroupNonUniformUMax => Bin::UMax,
        Spv::GroupSMax | Spv::GroupNonUniformSMax => Bin::SMax,
        Spv::GroupNonUniformIMul | Spv::GroupIMulKHR => Bin::Mul,
        Spv::GroupFAdd | Spv::GroupNonUniformFAdd => Bin::FAdd,
        Spv::GroupFMin | Spv::GroupNonUniformFMin => Bin::FMin,
        Spv::GroupFMax | Spv::GroupNonUniformFMax => Bin::FMax,
        Spv::GroupNonUniformFMul | Spv::GroupFMulKHR => Bin::FMul,
        Spv::GroupNonUniformBitwiseAnd
        | Spv::GroupBitwiseAndKHR
        | Spv::GroupNonUniformLogicalAnd
        | Spv::GroupLogicalAndKHR => Bin::And,
        Spv::GroupNonUniformBitwiseOr
        | Spv::GroupBitwiseOrKHR
        | Spv::GroupNonUniformLogicalOr
        | Spv::GroupLogicalOrKHR => Bin::Or,
        Spv::GroupNonUniformBitwiseXor
        | Spv::GroupBitwiseXorKHR
        | Spv::GroupNonUniformLogicalXor
        | Spv::GroupLogicalXorKHR => Bin::Xor,
        _ => return None,
    })
}

impl Translator<'_> {
    /// Sub-groups and barriers; `false` if the instruction is none.
    pub(super) fn group(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        if let Some(op) = combination(i.op) {
            let whole = self.is_work_group(i.word(2)?, i)?;
            let operation = GroupOperation::from_u32(i.word(3)?);
            let how = match operation {
                Some(GroupOperation::Reduce) => Op::Reduce(op),
                Some(GroupOperation::InclusiveScan) => Op::Scan {
                    op,
                    inclusive: true,
                },
                Some(GroupOperation::ExclusiveScan) => Op::Scan {
                    op,
                    inclusive: false,
                },
                Some(GroupOperation::ClusteredReduce) if !whole => {
                    let size = self.number(i.word(5)?, i)?;
                    if !size.is_power_of_two() {
                        return Err(i.invalid(format!("clusters of {size}; powers of two are")));
                    }
                    match u32::try_from(size) {
                        Ok(size) if size < self.simd() => Op::Cluster(op, size),
                        _ => Op::Reduce(op),
                    }
                }
                _ => return Err(i.unsupported(format!("{operation:?}"))),
            };
            let value = self.get(i.word(4)?, i)?;
            let mut values = Vec::new();
            for value in value.scalars {
                let ty = self.function.ty(value);
                // Truth values are ones and zeroes here.
                let wide = match ty {
                    Type::I1 => self.here().convert(Convert::SExt, value, Type::I32),
                    _ => value,
                };
                let all = match whole {
                    true => self.over_work_group(&how, op, wide, i)?,
                    // Each is a cluster.
                    false if matches!(how, Op::Cluster(_, 1)) => wide,
                    false => {
                        let ty = self.function.ty(wide);
                        self.one(how.clone(), &[wide], ty)
                    }
                };
                let is_truth = ty == Type::I1;
                values.push(if is_truth { self.is_set(all) } else { all });
            }
            self.set(i.word(1)?, Val::many(values));
            return Ok(true);
        }
        match i.op {
            Spv::ControlBarrier => {
                let scope = self.number(i.word(0)?, i)?;
                let semantics = self.semantics(i.word(2)?, i)?;
                let memory = self.memory_scope(i.word(1)?, i)?;
                self.fence(memory, semantics);
                match Scope::from_u32(scope as u32) {
                    Some(Scope::Workgroup) => {
                        self.barrier();
                    }
                    // The lanes of a sub-group run together.
                    Some(Scope::Subgroup | Scope::Invocation) => {}
                    _ => return Err(i.unsupported(format!("a barrier of scope {scope}"))),
                }
            }
            Spv::MemoryBarrier => {
                let scope = self.memory_scope(i.word(0)?, i)?;
                let semantics = self.semantics(i.word(1)?, i)?;
                self.fence(scope, semantics);
            }
            Spv::GroupAll | Spv::GroupAny if self.is_work_group(i.word(2)?, i)? => {
                let value = self.scalar(i.word(3)?, i)?;
                let wide = self.here().convert(Convert::SExt, value, Type::I32);
                let op = if i.op == Spv::GroupAll {
                    Bin::And
                } else {
                    Bin::Or
                };
                let all = self.over_work_group(&Op::Reduce(op), op, wide, i)?;
                let is = self.is_set(all);
                self.set(i.word(1)?, Val::one(is));
            }
            Spv::GroupAll | Spv::GroupNonUniformAll | Spv::SubgroupAllKHR => {
                let value = self.predicate(i)?;
                let not = self.not(value);
                let mask = self.one(Op::Ballot, &[not], Type::I32);
                let zero = self.constant(Type::I32, 0);
                let all = self.one(Op::Icmp(Cond::Eq), &[mask, zero], Type::I1);
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
                let mut differs = self.constant(Type::I1, 0);
                for value in self.get(i.word(3)?, i)?.scalars {
                    let ty = self.function.ty(value);
                    let same = self.one(Op::Broadcast, &[value, first], ty);
                    let compare = match ty.is_float() {
                        true => Op::Fcmp(Cond::Une),
                        false => Op::Icmp(Cond::Ne),
                    };
                    let other = self.one(compare, &[value, same], Type::I1);
                    differs = self.here().bin(Bin::Or, differs, other);
                }
                let mask = self.one(Op::Ballot, &[differs], Type::I32);
                let zero = self.constant(Type::I32, 0);
                let all = self.one(Op::Icmp(Cond::Eq), &[mask, zero], Type::I1);
                self.set(i.word(1)?, Val::one(all));
            }
            Spv::GroupBroadcast if self.is_work_group(i.word(2)?, i)? => {
                self.work_group_broadcast(i)?;
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
                let by = self.resize(by, Type::I32, false);
                let lane = self.lane();
                let sum = self.here().bin(Bin::Add, lane, by);
                let lane = match i.word(5) {
                    Err(_) => {
                        let mask = self.constant(Type::I32, u64::from(self.simd()) - 1);
                        self.here().bin(Bin::And, sum, mask)
                    }
                    Ok(size) => {
                        let size = self.number(size, i)?;
                        if !size.is_power_of_two() {
                            let what = format!("a cluster of {size}, which is no power of two");
                            return Err(i.invalid(what));
                        }
                        let size = size.min(self.simd().into());
                        let mask = self.constant(Type::I32, size - 1);
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

    /// Whether a function is over the work-group, and not the sub-group.
    fn is_work_group(&mut self, id: u32, i: &Instruction<'_>) -> Result<bool, Error> {
        match Scope::from_u32(self.number(id, i)? as u32) {
            Some(Scope::Subgroup) => Ok(false),
            Some(Scope::Workgroup) => Ok(true),
            other => Err(over(other, i)),
        }
    }

    /// Only the sub-group has these functions.
    fn scope(&mut self, id: u32, i: &Instruction<'_>) -> Result<(), Error> {
        match Scope::from_u32(self.number(id, i)? as u32) {
            Some(Scope::Subgroup) => Ok(()),
            other => Err(over(other, i)),
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
        let by = self.resize(by, Type::I32, false);
        let lane = self.lane();
        // Up: `current` is behind `previous`, and a lane looks `by` lanes before its own.
        let at = match i.op {
            Spv::SubgroupShuffleUpINTEL => {
                let simd = self.constant(Type::I32, u64::from(self.simd()));
                let own = self.here().bin(Bin::Add, lane, simd);
                self.here().bin(Bin::Sub, own, by)
            }
            _ => self.here().bin(Bin::Add, lane, by),
        };
        let mut values = Vec::new();
        for (a, b) in a.scalars.iter().zip(&b.scalars) {
            let ty = self.function.ty(*a);
            values.push(self.one(Op::ShuffleTwo, &[*a, *b, at], ty));
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
        // Bits beyond the largest sub-group do not count.
        let those = self.constant(Type::I32, u64::from(u32::MAX >> (32 - self.simd())));
        let counted = self.here().bin(Bin::And, mask, those);
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
                    None => counted,
                    Some(which) => {
                        let lanes = self.lane_mask(which);
                        self.here().bin(Bin::And, counted, lanes)
                    }
                };
                self.un(Un::CountOnes, mask)
            }
            Spv::GroupNonUniformBallotFindLSB => self.un(Un::LowestBit, counted),
            _ => {
                let zeros = self.un(Un::LeadingZeros, counted);
                let top = self.constant(Type::I32, 31);
                self.here().bin(Bin::Sub, top, zeros)
            }
        };
        let ty = self.component(i.word(0)?, i)?;
        let value = match ty {
            Type::I1 => value,
            _ => self.resize(value, ty, false),
        };
        self.set(i.word(1)?, Val::one(value));
        Ok(())
    }

    pub(super) fn barrier(&mut self) {
        self.abi.barrier = true;
        self.here().push(Op::Barrier, &[], &[]);
    }

    /// A barrier that shows local memory.
    fn local_barrier(&mut self) {
        let op = Op::Fence {
            scope: ir::Scope::WorkGroup,
            local: true,
            global: false,
            image: false,
        };
        self.here().push(op, &[], &[]);
        self.barrier();
    }

    /// The place of a sub-group's value in local memory, which is the same for all functions of the
    /// work-group.
    fn slot(&mut self, sub_group: Value) -> Value {
        const BYTES: u32 = 8;
        let size = BYTES * MAX_GROUP / self.simd();
        let base = match self.group_slots {
            Some(base) => base,
            None => {
                let base = self.abi.slm.next_multiple_of(BYTES);
                self.abi.slm = base + size;
                self.group_slots = Some(base);
                base
            }
        };
        let by = self.constant(Type::I32, u64::from(BYTES.trailing_zeros()));
        let base = self.constant(Type::I32, u64::from(base));
        let offset = self.here().bin(Bin::Shl, sub_group, by);
        self.here().bin(Bin::Add, base, offset)
    }

    /// Shows a value of each sub-group to all of the work-group.
    fn publish(&mut self, value: Value, i: &Instruction<'_>) -> Result<(), Error> {
        let own = self.builtin_component(BuiltIn::SubgroupId, 0, i)?;
        let place = self.slot(own);
        // What others published before has been read.
        self.local_barrier();
        let access = self.slot_access(value);
        self.here().push(Op::Store(access), &[place, value], &[]);
        self.local_barrier();
        Ok(())
    }

    /// What the first sub-group of the work-group has, in all of them.
    pub(super) fn of_first_sub_group(
        &mut self,
        value: Value,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        self.publish(value, i)?;
        let first = self.constant(Type::I32, 0);
        let place = self.slot(first);
        let (ty, access) = (self.function.ty(value), self.slot_access(value));
        Ok(self.one(Op::Load(access), &[place], ty))
    }

    fn slot_access(&self, value: Value) -> Access {
        Access::new(Space::Local, self.function.ty(value).bytes())
    }

    /// A reduction or scan over the work-group: of each sub-group, then of the sub-groups.
    fn over_work_group(
        &mut self,
        how: &Op,
        op: Bin,
        value: Value,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let ty = self.function.ty(value);
        let types: &[Type] = match how {
            Op::Reduce(_) => &[ty],
            _ => &[ty, ty],
        };
        let own = self.here().push(how.clone(), &[value], types);
        let own = self.function.insts[own.index()].results.clone();
        let sum = own[types.len() - 1];
        self.publish(sum, i)?;
        let count = match how {
            Op::Reduce(_) => BuiltIn::NumSubgroups,
            // Those before this one.
            _ => BuiltIn::SubgroupId,
        };
        let count = self.builtin_component(count, 0, i)?;
        let before = self.block;
        let [header, body, exit] = [(); 3].map(|()| self.function.add_block());
        self.end(Terminator::Jump(header));
        self.block = header;
        let phi = |s: &mut Self, ty: Type| s.here().push(Op::Phi(Vec::new()), &[], &[ty]);
        let (number, total) = (phi(self, Type::I32), phi(self, ty));
        let [at, so_far] = [number, total].map(|inst| self.function.result(inst));
        let more = self.one(Op::Icmp(Cond::Ult), &[at, count], Type::I1);
        self.end(Terminator::Branch(more, body, exit));
        self.block = body;
        let place = self.slot(at);
        let access = self.slot_access(value);
        let next = self.one(Op::Load(access), &[place], ty);
        let sum = self.here().bin(op, so_far, next);
        let one = self.constant(Type::I32, 1);
        let following = self.here().bin(Bin::Add, at, one);
        self.end(Terminator::Jump(header));
        let identity = op
            .identity(ty)
            .ok_or_else(|| i.unsupported("its operation"))?;
        let zero = self.constant(Type::I32, 0);
        let identity = self.constant(ty, identity);
        for (inst, args) in [(number, [zero, following]), (total, [identity, sum])] {
            let data = &mut self.function.insts[inst.index()];
            data.op = Op::Phi(vec![before, body]);
            data.args = args.into_iter().collect();
        }
        self.block = exit;
        Ok(match how {
            Op::Reduce(_) => so_far,
            _ => self.here().bin(op, so_far, own[0]),
        })
    }

    /// The value of a work-item of the work-group, which all name by the same local id.
    fn work_group_broadcast(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let value = self.get(i.word(3)?, i)?;
        let mut id = self.get(i.word(4)?, i)?.scalars.to_vec();
        let zero = self.constant(Type::I32, 0);
        id.resize(3, zero);
        let id = [id[0], id[1], id[2]].map(|part| self.resize(part, Type::I32, false));
        let item = self.index_in_group(id);
        let by = self.constant(Type::I32, u64::from(self.simd().trailing_zeros()));
        let sub_group = self.here().bin(Bin::LShr, item, by);
        let within = self.constant(Type::I32, u64::from(self.simd()) - 1);
        let lane = self.here().bin(Bin::And, item, within);
        let mut values = Vec::new();
        for value in value.scalars {
            let own = self.of_lane(Op::Broadcast, value, lane);
            let is_truth = self.function.ty(own) == Type::I1;
            let own = match is_truth {
                true => self.here().convert(Convert::ZExt, own, Type::I32),
                false => own,
            };
            self.publish(own, i)?;
            let place = self.slot(sub_group);
            let ty = self.function.ty(own);
            let access = self.slot_access(own);
            let theirs = self.one(Op::Load(access), &[place], ty);
            values.push(if is_truth {
                self.is_set(theirs)
            } else {
                theirs
            });
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    /// The fence of memory semantics.
    fn fence(&mut self, scope: u64, semantics: u64) {
        let semantics = MemorySemantics::from_bits_truncate(semantics as u32);
        let local = semantics.contains(MemorySemantics::WORKGROUP_MEMORY);
        let global = semantics.contains(MemorySemantics::CROSS_WORKGROUP_MEMORY);
        let image = semantics.contains(MemorySemantics::IMAGE_MEMORY);
        if local || global || image {
            let op = Op::Fence {
                scope: fence_scope(scope),
                local,
                global,
                image,
            };
            self.here().push(op, &[], &[]);
        }
    }
}

/// No function of groups is over the scope.
fn over(scope: Option<Scope>, i: &Instruction<'_>) -> Error {
    i.unsupported(match scope {
        Some(scope) => format!("it over the scope {scope:?}"),
        None => "it over a scope that SPIR-V does not have".to_owned(),
    })
}

/// The scope of a fence by its number in SPIR-V.
pub(super) fn fence_scope(scope: u64) -> ir::Scope {
    match Scope::from_u32(scope as u32) {
        Some(Scope::Subgroup | Scope::Invocation) => ir::Scope::SubGroup,
        Some(Scope::Workgroup) => ir::Scope::WorkGroup,
        _ => ir::Scope::Device,
    }
}

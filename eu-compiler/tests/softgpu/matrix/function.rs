//! The functions: their names, the types that the specifications give them, their instructions.

use spirv::{BuiltIn, Capability, GroupOperation, Op, Scope};

use super::assembler::{Assembler, Id};
use super::element::{ALL, Combine, Element};

/// Over what a reduction or scan goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Over {
    Reduce,
    Inclusive,
    Exclusive,
    /// Neighbours, so many.
    Cluster(u32),
}

impl Over {
    const fn name(self) -> &'static str {
        match self {
            Over::Reduce => "reduce",
            Over::Inclusive => "scan_inclusive",
            Over::Exclusive => "scan_exclusive",
            Over::Cluster(_) => "clustered_reduce",
        }
    }

    const fn operation(self) -> u32 {
        (match self {
            Over::Reduce => GroupOperation::Reduce,
            Over::Inclusive => GroupOperation::InclusiveScan,
            Over::Exclusive => GroupOperation::ExclusiveScan,
            Over::Cluster(_) => GroupOperation::ClusteredReduce,
        }) as u32
    }
}

/// What a cell calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// Of all work-items of the sub-group, or of the work-group.
    Group(Set, Over, Combine),
    /// Of those that come there.
    NonUniform(Over, Combine),
    /// The same of truth values.
    Logical(Over, Combine),
    /// Of truth values of the work-group.
    GroupLogical(Over, Combine),
    Broadcast(Set),
    All(Set),
    Any(Set),
    NonUniformBroadcast,
    BroadcastFirst,
    NonUniformAll,
    NonUniformAny,
    AllEqual,
    Elect,
    Ballot,
    InverseBallot,
    BitExtract,
    BitCount(Over),
    FindLsb,
    FindMsb,
    LaneMask(BuiltInMask),
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    IntelShuffle,
    IntelShuffleXor,
    IntelShuffleUp,
    IntelShuffleDown,
    Rotate,
    ClusteredRotate(u32),
    BlockRead,
    BlockWrite,
    ImageRead,
    ImageWrite,
    Number(Number),
}

/// Whose work-items take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Set {
    SubGroup,
    WorkGroup,
}

/// Masks of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BuiltInMask {
    Eq,
    Ge,
    Gt,
    Le,
    Lt,
}

/// Sizes and ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    Size,
    MaxSize,
    Count,
    EnqueuedCount,
    Id,
    LocalId,
}

/// Inputs of a cell's call.
pub struct Inputs {
    /// The work-item's element or vector.
    pub x: Id,
    /// A second one.
    pub y: Id,
    /// A lane or distance of its own.
    pub lane: Id,
    /// Pointers to the block and to where it goes, or images.
    pub block: Id,
    pub out: Id,
    /// The block's place in an image.
    pub place: Id,
}

use Function as F;

const SHORT: [u32; 6] = [1, 2, 3, 4, 8, 16];

impl Set {
    const fn name(self) -> &'static str {
        match self {
            Set::SubGroup => "sub_group",
            Set::WorkGroup => "work_group",
        }
    }

    const fn scope(self) -> Scope {
        match self {
            Set::SubGroup => Scope::Subgroup,
            Set::WorkGroup => Scope::Workgroup,
        }
    }
}

impl Function {
    /// As OpenCL C has it, without prefixes and suffixes of types.
    pub fn name(self) -> String {
        let combined = |prefix: &str, over: Over, how: &str| {
            let size = match over {
                Over::Cluster(size) => format!(", {size}"),
                _ => String::new(),
            };
            format!("{prefix}_{}_{how}{size}", over.name())
        };
        let text = match self {
            F::Group(set, over, how) => return combined(set.name(), over, how.name()),
            F::NonUniform(over @ Over::Cluster(_), how) => {
                return combined("sub_group", over, how.name());
            }
            F::Logical(over @ Over::Cluster(_), how) => {
                return combined("sub_group", over, &format!("logical_{}", how.name()));
            }
            F::GroupLogical(over, how) => {
                return combined("work_group", over, &format!("logical_{}", how.name()));
            }
            F::NonUniform(over, how) => {
                return combined("sub_group_non_uniform", over, how.name());
            }
            F::Logical(over, how) => {
                let how = format!("logical_{}", how.name());
                return combined("sub_group_non_uniform", over, &how);
            }
            F::Broadcast(set) => return format!("{}_broadcast", set.name()),
            F::All(set) => return format!("{}_all", set.name()),
            F::Any(set) => return format!("{}_any", set.name()),
            F::NonUniformBroadcast => "sub_group_non_uniform_broadcast",
            F::BroadcastFirst => "sub_group_broadcast_first",
            F::NonUniformAll => "sub_group_non_uniform_all",
            F::NonUniformAny => "sub_group_non_uniform_any",
            F::AllEqual => "sub_group_non_uniform_all_equal",
            F::Elect => "sub_group_elect",
            F::Ballot => "sub_group_ballot",
            F::InverseBallot => "sub_group_inverse_ballot",
            F::BitExtract => "sub_group_ballot_bit_extract",
            F::BitCount(Over::Inclusive) => "sub_group_ballot_inclusive_scan",
            F::BitCount(Over::Exclusive) => "sub_group_ballot_exclusive_scan",
            F::BitCount(_) => "sub_group_ballot_bit_count",
            F::FindLsb => "sub_group_ballot_find_lsb",
            F::FindMsb => "sub_group_ballot_find_msb",
            F::LaneMask(BuiltInMask::Eq) => "get_sub_group_eq_mask",
            F::LaneMask(BuiltInMask::Ge) => "get_sub_group_ge_mask",
            F::LaneMask(BuiltInMask::Gt) => "get_sub_group_gt_mask",
            F::LaneMask(BuiltInMask::Le) => "get_sub_group_le_mask",
            F::LaneMask(BuiltInMask::Lt) => "get_sub_group_lt_mask",
            F::Shuffle => "sub_group_shuffle",
            F::ShuffleXor => "sub_group_shuffle_xor",
            F::ShuffleUp => "sub_group_shuffle_up",
            F::ShuffleDown => "sub_group_shuffle_down",
            F::IntelShuffle => "intel_sub_group_shuffle",
            F::IntelShuffleXor => "intel_sub_group_shuffle_xor",
            F::IntelShuffleUp => "intel_sub_group_shuffle_up",
            F::IntelShuffleDown => "intel_sub_group_shuffle_down",
            F::Rotate => "sub_group_rotate",
            F::ClusteredRotate(size) => return format!("sub_group_clustered_rotate, {size}"),
            F::BlockRead => "intel_sub_group_block_read",
            F::BlockWrite => "intel_sub_group_block_write",
            F::ImageRead => "intel_sub_group_block_read, image2d_t",
            F::ImageWrite => "intel_sub_group_block_write, image2d_t",
            F::Number(Number::Size) => "get_sub_group_size",
            F::Number(Number::MaxSize) => "get_max_sub_group_size",
            F::Number(Number::Count) => "get_num_sub_groups",
            F::Number(Number::EnqueuedCount) => "get_enqueued_num_sub_groups",
            F::Number(Number::Id) => "get_sub_group_id",
            F::Number(Number::LocalId) => "get_sub_group_local_id",
        };
        text.to_owned()
    }

    /// All functions.
    pub fn all() -> Vec<Function> {
        use Combine::{Add, And, Max, Min, Mul, Or, Xor};
        let overs = [Over::Reduce, Over::Inclusive, Over::Exclusive];
        let clusters = [
            Over::Cluster(1),
            Over::Cluster(4),
            Over::Cluster(8),
            Over::Cluster(16),
        ];
        let mut all = Vec::new();
        for set in [Set::SubGroup, Set::WorkGroup] {
            for over in overs {
                all.extend([Add, Min, Max].map(|how| F::Group(set, over, how)));
            }
            all.extend([F::Broadcast(set), F::All(set), F::Any(set)]);
        }
        // cl_khr_work_group_uniform_arithmetic.
        for over in overs {
            let group = |how| F::Group(Set::WorkGroup, over, how);
            all.extend([Mul, And, Or, Xor].map(group));
            all.extend([And, Or, Xor].map(|how| F::GroupLogical(over, how)));
        }
        for over in overs.into_iter().chain(clusters) {
            for how in [Add, Mul, Min, Max, And, Or, Xor] {
                all.push(F::NonUniform(over, how));
            }
            all.extend([And, Or, Xor].map(|how| F::Logical(over, how)));
        }
        all.extend([
            F::NonUniformBroadcast,
            F::BroadcastFirst,
            F::NonUniformAll,
            F::NonUniformAny,
            F::AllEqual,
            F::Elect,
            F::Ballot,
            F::InverseBallot,
            F::BitExtract,
            F::BitCount(Over::Reduce),
            F::BitCount(Over::Inclusive),
            F::BitCount(Over::Exclusive),
            F::FindLsb,
            F::FindMsb,
        ]);
        use BuiltInMask::{Eq, Ge, Gt, Le, Lt};
        all.extend([Eq, Ge, Gt, Le, Lt].map(F::LaneMask));
        all.extend([
            F::Shuffle,
            F::ShuffleXor,
            F::ShuffleUp,
            F::ShuffleDown,
            F::IntelShuffle,
            F::IntelShuffleXor,
            F::IntelShuffleUp,
            F::IntelShuffleDown,
            F::Rotate,
            F::ClusteredRotate(4),
            F::ClusteredRotate(8),
            F::BlockRead,
            F::BlockWrite,
            F::ImageRead,
            F::ImageWrite,
        ]);
        use Number::{Count, EnqueuedCount, Id, LocalId, MaxSize, Size};
        all.extend([Size, MaxSize, Count, EnqueuedCount, Id, LocalId].map(F::Number));
        all
    }

    /// The elements that it is for; those with one stand for truth values and numbers.
    pub fn elements(self) -> Vec<Element> {
        let integers = || ALL.into_iter().filter(|of| !of.is_float()).collect();
        let large = || {
            ALL.into_iter()
                .filter(|of| of.bits() >= 32 || of.is_float())
                .collect()
        };
        let unsigned = vec![Element::U8, Element::U16, Element::U32, Element::U64];
        match self {
            F::NonUniform(_, Combine::And | Combine::Or | Combine::Xor) => integers(),
            F::Group(Set::WorkGroup, _, how) if how.is_bitwise() => {
                let large: Vec<Element> = large();
                large.into_iter().filter(|of| !of.is_float()).collect()
            }
            F::Group(Set::WorkGroup, ..) | F::Broadcast(Set::WorkGroup) => large(),
            F::Group(..)
            | F::NonUniform(..)
            | F::Broadcast(_)
            | F::NonUniformBroadcast
            | F::BroadcastFirst
            | F::AllEqual
            | F::Shuffle
            | F::ShuffleXor
            | F::ShuffleUp
            | F::ShuffleDown
            | F::Rotate
            | F::ClusteredRotate(_)
            | F::IntelShuffle
            | F::IntelShuffleXor
            | F::IntelShuffleUp
            | F::IntelShuffleDown => ALL.to_vec(),
            _ if self.is_block() => unsigned,
            _ => vec![Element::U32],
        }
    }

    /// The components that a vector of an element may have.
    pub fn counts(self, of: Element) -> &'static [u32] {
        let has_vectors = of.bits() < 64 && of != Element::F16;
        match self {
            F::IntelShuffle | F::IntelShuffleXor | F::IntelShuffleUp | F::IntelShuffleDown
                if has_vectors =>
            {
                &SHORT
            }
            // The types of cl_khr_subgroup_extended_types and cl_khr_subgroup_ballot.
            F::Broadcast(Set::SubGroup) | F::NonUniformBroadcast => &SHORT,
            _ if !self.is_block() => &[1],
            // Rows of an image: the long extension and that of short end at eight.
            _ if of.bits() == 8 || of.bits() == 16 && !self.has_image() => &[1, 2, 4, 8, 16],
            _ => &[1, 2, 4, 8],
        }
    }

    /// Whether some of the sub-group's work-items may call it alone.
    pub fn may_diverge(self) -> bool {
        !matches!(
            self,
            F::Group(..)
                | F::GroupLogical(..)
                | F::Broadcast(_)
                | F::All(_)
                | F::Any(_)
                | F::Number(_)
                | F::LaneMask(_)
        ) && !self.is_block()
    }

    /// Whether it reads or writes a block.
    pub fn is_block(self) -> bool {
        matches!(self, F::BlockRead | F::BlockWrite) || self.has_image()
    }

    /// Whether the block is one of an image.
    pub fn has_image(self) -> bool {
        matches!(self, F::ImageRead | F::ImageWrite)
    }

    /// Whether a sub-group with fewer work-items than lanes may call it.
    pub fn may_be_partial(self) -> bool {
        !self.is_block()
    }

    /// The lane whose value a shuffle gives to a lane that names `by`, a lane or a distance; one
    /// past the last if there is none.
    pub fn asked(self, lane: usize, simd: usize, by: usize) -> Option<usize> {
        Some(match self {
            F::Shuffle | F::IntelShuffle => by,
            F::ShuffleXor | F::IntelShuffleXor => lane ^ by,
            F::ShuffleUp => lane.checked_sub(by).unwrap_or(simd),
            F::ShuffleDown => lane + by,
            F::IntelShuffleUp => (simd + lane - by) % simd,
            F::IntelShuffleDown => (lane + by) % simd,
            _ => return None,
        })
    }

    /// Whether lanes ask lanes that are not there, or do not call: the distance, or the lane that is
    /// asked, is the same for all. What they get is undefined, and nothing else is
    /// (`cl_khr_subgroup_ballot` on `sub_group_non_uniform_broadcast`, `cl_khr_subgroup_rotate`).
    pub fn asks_absent(self) -> bool {
        let broadcast = self == F::NonUniformBroadcast;
        broadcast || matches!(self, F::Rotate | F::ClusteredRotate(_))
    }

    /// What it gives for elements: their type and how many.
    pub fn result(self, of: Element, count: u32) -> (Element, u32) {
        match self {
            F::Ballot | F::LaneMask(_) => (Element::U32, 4),
            F::AllEqual => (Element::U32, 1),
            _ => (of, count),
        }
    }

    /// Calls it.
    pub fn call(self, a: &mut Assembler, of: Element, count: u32, inputs: &Inputs) -> Id {
        let ty = a.vector(of, count);
        let Inputs { x, y, lane, .. } = *inputs;
        let scope = a.scope(Scope::Subgroup);
        let (truth, uint) = (a.bool(), a.uint());
        let khr = |a: &mut Assembler, capabilities: &[Capability]| {
            a.capability(Capability::GroupNonUniform);
            for capability in capabilities {
                a.capability(*capability);
            }
        };
        let intel = |a: &mut Assembler, capability: Capability| {
            a.extension("SPV_INTEL_subgroups");
            a.capability(capability);
        };
        let uniform = |a: &mut Assembler| {
            a.extension("SPV_KHR_uniform_group_instructions");
            a.capability(Capability::GroupUniformArithmeticKHR);
        };
        // Truth values are odd numbers.
        let odd = |a: &mut Assembler| {
            let (one, zero) = (a.number(1), a.number(0));
            let bit = a.value(Op::BitwiseAnd, uint, &[x, one]);
            a.value(Op::INotEqual, truth, &[bit, zero])
        };
        let as_number = |a: &mut Assembler, truth: Id| {
            let (one, zero) = (a.number(1), a.number(0));
            a.value(Op::Select, uint, &[truth, one, zero])
        };
        let voted = |a: &mut Assembler, op: Op, operands: &[Id]| {
            let result = a.value(op, truth, operands);
            as_number(a, result)
        };
        match self {
            F::Group(set, over, how) => {
                a.capability(Capability::Groups);
                if how == Combine::Mul || how.is_bitwise() {
                    uniform(a);
                }
                let scope = a.scope(set.scope());
                a.value(group_op(of, how), ty, &[scope, over.operation(), x])
            }
            F::GroupLogical(over, how) => {
                uniform(a);
                let value = odd(a);
                let scope = a.scope(Scope::Workgroup);
                let op = match how {
                    Combine::And => Op::GroupLogicalAndKHR,
                    Combine::Or => Op::GroupLogicalOrKHR,
                    _ => Op::GroupLogicalXorKHR,
                };
                voted(a, op, &[scope, over.operation(), value])
            }
            F::NonUniform(over, how) => {
                let operands = combined(a, over, scope, x);
                a.value(non_uniform_op(of, how), ty, &operands)
            }
            F::Logical(over, how) => {
                let value = odd(a);
                let operands = combined(a, over, scope, value);
                let op = match how {
                    Combine::And => Op::GroupNonUniformLogicalAnd,
                    Combine::Or => Op::GroupNonUniformLogicalOr,
                    _ => Op::GroupNonUniformLogicalXor,
                };
                voted(a, op, &operands)
            }
            F::Broadcast(set) => {
                a.capability(Capability::Groups);
                let scope = a.scope(set.scope());
                let at = match set {
                    Set::SubGroup => a.number(FROM),
                    Set::WorkGroup => a.long(FROM_ITEM),
                };
                a.value(Op::GroupBroadcast, ty, &[scope, x, at])
            }
            F::All(set) | F::Any(set) => {
                a.capability(Capability::Groups);
                let scope = a.scope(set.scope());
                let value = odd(a);
                let op = match self {
                    F::All(_) => Op::GroupAll,
                    _ => Op::GroupAny,
                };
                voted(a, op, &[scope, value])
            }
            F::NonUniformBroadcast => {
                khr(a, &[Capability::GroupNonUniformBallot]);
                let from = a.number(FROM);
                a.value(Op::GroupNonUniformBroadcast, ty, &[scope, x, from])
            }
            F::BroadcastFirst => {
                khr(a, &[Capability::GroupNonUniformBallot]);
                a.value(Op::GroupNonUniformBroadcastFirst, ty, &[scope, x])
            }
            F::NonUniformAll | F::NonUniformAny => {
                khr(a, &[Capability::GroupNonUniformVote]);
                let value = odd(a);
                let op = match self {
                    F::NonUniformAll => Op::GroupNonUniformAll,
                    _ => Op::GroupNonUniformAny,
                };
                voted(a, op, &[scope, value])
            }
            F::AllEqual => {
                khr(a, &[Capability::GroupNonUniformVote]);
                voted(a, Op::GroupNonUniformAllEqual, &[scope, x])
            }
            F::Elect => {
                khr(a, &[]);
                voted(a, Op::GroupNonUniformElect, &[scope])
            }
            F::Ballot => {
                khr(a, &[Capability::GroupNonUniformBallot]);
                let value = odd(a);
                let four = a.vector(Element::U32, 4);
                a.value(Op::GroupNonUniformBallot, four, &[scope, value])
            }
            F::InverseBallot | F::BitExtract | F::BitCount(_) | F::FindLsb | F::FindMsb => {
                khr(a, &[Capability::GroupNonUniformBallot]);
                let four = a.vector(Element::U32, 4);
                let zero = a.number(0);
                // The same mask in all lanes, except where it is each lane's own.
                let mask = match self {
                    F::InverseBallot => a.number(MASK),
                    _ => x,
                };
                let mask = a.value(Op::CompositeConstruct, four, &[mask, zero, zero, zero]);
                match self {
                    F::InverseBallot => voted(a, Op::GroupNonUniformInverseBallot, &[scope, mask]),
                    F::BitExtract => {
                        voted(a, Op::GroupNonUniformBallotBitExtract, &[scope, mask, lane])
                    }
                    F::BitCount(over) => {
                        let operands = [scope, over.operation(), mask];
                        a.value(Op::GroupNonUniformBallotBitCount, uint, &operands)
                    }
                    F::FindLsb => a.value(Op::GroupNonUniformBallotFindLSB, uint, &[scope, mask]),
                    _ => a.value(Op::GroupNonUniformBallotFindMSB, uint, &[scope, mask]),
                }
            }
            F::LaneMask(which) => {
                khr(a, &[Capability::GroupNonUniformBallot]);
                let four = a.vector(Element::U32, 4);
                let which = match which {
                    BuiltInMask::Eq => BuiltIn::SubgroupEqMask,
                    BuiltInMask::Ge => BuiltIn::SubgroupGeMask,
                    BuiltInMask::Gt => BuiltIn::SubgroupGtMask,
                    BuiltInMask::Le => BuiltIn::SubgroupLeMask,
                    BuiltInMask::Lt => BuiltIn::SubgroupLtMask,
                };
                let variable = a.built_in(which, four);
                a.load(four, variable, 16)
            }
            F::Shuffle | F::ShuffleXor => {
                khr(a, &[Capability::GroupNonUniformShuffle]);
                let op = match self {
                    F::Shuffle => Op::GroupNonUniformShuffle,
                    _ => Op::GroupNonUniformShuffleXor,
                };
                a.value(op, ty, &[scope, x, lane])
            }
            F::ShuffleUp | F::ShuffleDown => {
                khr(a, &[Capability::GroupNonUniformShuffleRelative]);
                let op = match self {
                    F::ShuffleUp => Op::GroupNonUniformShuffleUp,
                    _ => Op::GroupNonUniformShuffleDown,
                };
                a.value(op, ty, &[scope, x, lane])
            }
            F::IntelShuffle | F::IntelShuffleXor => {
                intel(a, Capability::SubgroupShuffleINTEL);
                let op = match self {
                    F::IntelShuffle => Op::SubgroupShuffleINTEL,
                    _ => Op::SubgroupShuffleXorINTEL,
                };
                a.value(op, ty, &[x, lane])
            }
            F::IntelShuffleUp | F::IntelShuffleDown => {
                intel(a, Capability::SubgroupShuffleINTEL);
                let op = match self {
                    F::IntelShuffleUp => Op::SubgroupShuffleUpINTEL,
                    _ => Op::SubgroupShuffleDownINTEL,
                };
                a.value(op, ty, &[x, y, lane])
            }
            F::Rotate | F::ClusteredRotate(_) => {
                khr(a, &[Capability::GroupNonUniformRotateKHR]);
                a.extension("SPV_KHR_subgroup_rotate");
                let mut operands = vec![scope, x, a.number(BY)];
                if let F::ClusteredRotate(size) = self {
                    operands.push(a.number(size));
                }
                a.value(Op::GroupNonUniformRotateKHR, ty, &operands)
            }
            F::BlockRead => {
                intel(a, Capability::SubgroupBufferBlockIOINTEL);
                a.value(Op::SubgroupBlockReadINTEL, ty, &[inputs.block])
            }
            F::BlockWrite => {
                intel(a, Capability::SubgroupBufferBlockIOINTEL);
                a.op(Op::SubgroupBlockWriteINTEL, &[inputs.out, x]);
                x
            }
            F::ImageRead => {
                intel(a, Capability::SubgroupImageBlockIOINTEL);
                let operands = [inputs.block, inputs.place];
                a.value(Op::SubgroupImageBlockReadINTEL, ty, &operands)
            }
            F::ImageWrite => {
                intel(a, Capability::SubgroupImageBlockIOINTEL);
                let operands = [inputs.out, inputs.place, x];
                a.op(Op::SubgroupImageBlockWriteINTEL, &operands);
                x
            }
            F::Number(number) => {
                let which = match number {
                    Number::Size => BuiltIn::SubgroupSize,
                    Number::MaxSize => BuiltIn::SubgroupMaxSize,
                    Number::Count => BuiltIn::NumSubgroups,
                    Number::EnqueuedCount => BuiltIn::NumEnqueuedSubgroups,
                    Number::Id => BuiltIn::SubgroupId,
                    Number::LocalId => BuiltIn::SubgroupLocalInvocationId,
                };
                let variable = a.built_in(which, uint);
                a.load(uint, variable, 4)
            }
        }
    }
}

/// The lane, the work-item, the distance and the mask that are the same for all.
pub const FROM: u32 = 2;
pub const FROM_ITEM: u32 = 11;
pub const BY: u32 = 3;
pub const MASK: u32 = 0x5a3c_96e1;

fn combined(a: &mut Assembler, over: Over, scope: Id, value: Id) -> Vec<Id> {
    a.capability(Capability::GroupNonUniform);
    a.capability(match over {
        Over::Cluster(_) => Capability::GroupNonUniformClustered,
        _ => Capability::GroupNonUniformArithmetic,
    });
    let mut operands = vec![scope, over.operation(), value];
    if let Over::Cluster(size) = over {
        operands.push(a.number(size));
    }
    operands
}

fn group_op(of: Element, how: Combine) -> Op {
    match (how, of.is_float(), of.is_signed()) {
        (Combine::Add, true, _) => Op::GroupFAdd,
        (Combine::Add, ..) => Op::GroupIAdd,
        (Combine::Mul, true, _) => Op::GroupFMulKHR,
        (Combine::Mul, ..) => Op::GroupIMulKHR,
        (Combine::And, ..) => Op::GroupBitwiseAndKHR,
        (Combine::Or, ..) => Op::GroupBitwiseOrKHR,
        (Combine::Xor, ..) => Op::GroupBitwiseXorKHR,
        (Combine::Min, true, _) => Op::GroupFMin,
        (Combine::Min, _, true) => Op::GroupSMin,
        (Combine::Min, ..) => Op::GroupUMin,
        (_, true, _) => Op::GroupFMax,
        (_, _, true) => Op::GroupSMax,
        _ => Op::GroupUMax,
    }
}

fn non_uniform_op(of: Element, how: Combine) -> Op {
    match (how, of.is_float(), of.is_signed()) {
        (Combine::Add, true, _) => Op::GroupNonUniformFAdd,
        (Combine::Add, ..) => Op::GroupNonUniformIAdd,
        (Combine::Mul, true, _) => Op::GroupNonUniformFMul,
        (Combine::Mul, ..) => Op::GroupNonUniformIMul,
        (Combine::Min, true, _) => Op::GroupNonUniformFMin,
        (Combine::Min, _, true) => Op::GroupNonUniformSMin,
        (Combine::Min, ..) => Op::GroupNonUniformUMin,
        (Combine::Max, true, _) => Op::GroupNonUniformFMax,
        (Combine::Max, _, true) => Op::GroupNonUniformSMax,
        (Combine::Max, ..) => Op::GroupNonUniformUMax,
        (Combine::And, ..) => Op::GroupNonUniformBitwiseAnd,
        (Combine::Or, ..) => Op::GroupNonUniformBitwiseOr,
        (Combine::Xor, ..) => Op::GroupNonUniformBitwiseXor,
    }
}

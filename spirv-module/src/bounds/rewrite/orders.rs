//! What the source says of order: code tells the semantics and the scope of what comes next, where machine code
//! shows neither, or more than the program asks for.

use devinfo::report;
use spirv::{ExecutionMode, MemorySemantics, Op, Scope, StorageClass};

use super::Rewriter;
use crate::bounds::build::push;
use crate::module::{Instruction, Module};
use crate::types::needs_all;
use crate::valid::exchanges;

/// What an instruction is, and the words with its scope and semantics.
#[derive(Clone, Copy, Debug)]
enum Order {
    Barrier {
        scope: usize,
    },
    Fence,
    Atomic {
        pointer: usize,
        /// That it reads alone, or writes alone.
        kind: u32,
    },
    /// What compilers make of it has barriers and fences of its own; what it is for the program.
    Whole {
        kind: u32,
    },
}

/// Whether all work-items of its scope must reach it, as a function of a group.
pub(super) fn is_collective(op: Op) -> bool {
    needs_all(op)
        || matches!(
            op,
            Op::GroupReserveReadPipePackets
                | Op::GroupReserveWritePipePackets
                | Op::GroupCommitReadPipe
                | Op::GroupCommitWritePipe
                | Op::GroupIMulKHR
                | Op::GroupFMulKHR
                | Op::GroupBitwiseAndKHR
                | Op::GroupBitwiseOrKHR
                | Op::GroupBitwiseXorKHR
                | Op::GroupLogicalAndKHR
                | Op::GroupLogicalOrKHR
                | Op::GroupLogicalXorKHR
        )
}

/// Whether it commits a pipe's packets for a group. It has no result.
pub(super) fn commits(op: Op) -> bool {
    matches!(op, Op::GroupCommitReadPipe | Op::GroupCommitWritePipe)
}

fn order(op: Op) -> Option<Order> {
    let atomic = |pointer, kind| Some(Order::Atomic { pointer, kind });
    match op {
        Op::ControlBarrier => Some(Order::Barrier { scope: 1 }),
        Op::MemoryBarrier => Some(Order::Fence),
        Op::AtomicLoad => atomic(2, report::LOADS),
        Op::AtomicStore | Op::AtomicFlagClear => atomic(0, report::STORES),
        _ if exchanges(op) => atomic(2, 0),
        Op::AtomicFlagTestAndSet => atomic(2, 0),
        Op::GroupAsyncCopy => Some(Order::Whole {
            kind: report::COPIES,
        }),
        Op::ReserveReadPipePackets
        | Op::ReserveWritePipePackets
        | Op::CommitReadPipe
        | Op::CommitWritePipe
        | Op::ReadPipe
        | Op::WritePipe
        | Op::ReservedReadPipe
        | Op::ReservedWritePipe => Some(Order::Whole { kind: 0 }),
        Op::GroupWaitEvents => Some(Order::Whole {
            kind: report::JOINS | report::AWAITS,
        }),
        _ if is_collective(op) => Some(Order::Whole {
            kind: report::JOINS,
        }),
        _ => None,
    }
}

/// Whether a kernel requires groups that may be one sub-group: Intel's compiler leaves their barriers out.
pub(super) fn has_small_groups(module: &Module) -> bool {
    let modes = module.instructions().filter(|one| {
        one.op() == Some(Op::ExecutionMode) && one.word(1) == ExecutionMode::LocalSize as u32
    });
    let sizes = modes.map(|one| {
        let size = [2, 3, 4].map(|place| one.word(place));
        size.into_iter().fold(1u32, u32::saturating_mul)
    });
    let widths = devinfo::PLATFORMS.iter().flat_map(|one| one.simd_widths);
    let widest = widths.copied().max().unwrap_or(0);
    sizes.into_iter().any(|size| size <= widest.into())
}

impl Rewriter<'_> {
    /// Tells what an instruction asks for. Whether a fence must follow it: machine code shows it where it does not
    /// show a barrier, that of a sub-group, or of a group that is one.
    pub(super) fn tell_order(&mut self, op: Op, one: &Instruction<'_>) -> bool {
        let Some(order) = order(op) else {
            return false;
        };
        let whole = [everything().bits(), Scope::CrossDevice as u32];
        let ([semantics, scope], kind) = match order {
            Order::Barrier { scope } => (self.asked(one, scope), report::JOINS),
            Order::Fence => (self.asked(one, 0), 0),
            Order::Atomic { pointer, kind } => {
                let asked = self.asked(one, pointer + 1);
                let pointer = one.word(pointer);
                (
                    asked,
                    report::ATOMIC | kind | self.scoped(pointer) | self.emulated(pointer),
                )
            }
            Order::Whole { kind } => {
                let sub_group = Some(Scope::Subgroup as i64);
                // Sub-groups need neither barriers nor fences for theirs.
                let scope = one.word(if commits(op) { 0 } else { 2 });
                if op != Op::GroupWaitEvents && self.layout.constant(scope) == sub_group {
                    return false;
                }
                let words = whole.map(|word| self.builder.word(word));
                (words, kind)
            }
        };
        let otherwise = match op {
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                self.known(one.word(5), everything().bits())
            }
            _ => semantics,
        };
        let more = match self.events.bits(one) {
            Some(events) => self.builder.word(events),
            None => otherwise,
        };
        self.store_report([semantics, scope, more], report::ORDERS | kind);
        let sub_group = Some(Scope::Subgroup as i64);
        let alone = op == Op::ControlBarrier && self.layout.constant(one.word(0)) == sub_group;
        kind & report::JOINS != 0 && (self.has_small_groups || alone)
    }

    /// Tells that what comes next is no part of the operation.
    pub(super) fn tell_done(&mut self, op: Op, one: &Instruction<'_>) {
        let is_emulated = match order(op) {
            Some(Order::Atomic { pointer, .. }) => self.emulated(one.word(pointer)) != 0,
            _ => false,
        };
        if op == Op::GroupAsyncCopy || is_emulated || self.is_local_block(op, one) {
            let none = self.builder.word(0);
            self.store_report([none; 3], report::ORDERS | report::DONE);
        }
    }

    /// Tells that a block of shared local memory comes next.
    pub(super) fn tell_local_block(&mut self, op: Op, one: &Instruction<'_>) {
        if self.is_local_block(op, one) {
            let none = self.builder.word(0);
            self.store_report([none; 3], report::ORDERS | report::LOCAL_BLOCK);
        }
    }

    fn is_local_block(&self, op: Op, one: &Instruction<'_>) -> bool {
        let pointer = match op {
            Op::SubgroupBlockReadINTEL => one.word(2),
            Op::SubgroupBlockWriteINTEL => one.word(0),
            _ => return false,
        };
        let storage = self.layout.pointee(pointer).map(|(storage, _)| storage);
        storage == Some(StorageClass::Workgroup as u32)
    }

    /// A fence.
    pub(super) fn fence(&mut self) {
        let semantics = MemorySemantics::ACQUIRE_RELEASE
            | MemorySemantics::WORKGROUP_MEMORY
            | MemorySemantics::CROSS_WORKGROUP_MEMORY;
        let scope = self.builder.word(Scope::Workgroup as u32);
        let semantics = self.builder.word(semantics.bits());
        push(&mut self.words, Op::MemoryBarrier, &[scope, semantics]);
    }

    /// The semantics and the scope of an instruction, which has the scope in this word and the semantics in the
    /// next one.
    fn asked(&mut self, one: &Instruction<'_>, scope: usize) -> [u32; 2] {
        let semantics = self.known(one.word(scope + 1), everything().bits());
        [
            semantics,
            self.known(one.word(scope), Scope::CrossDevice as u32),
        ]
    }

    /// A number of 32 bits, or the `most` that it may be.
    fn known(&mut self, id: u32, most: u32) -> u32 {
        match (self.layout.constant(id), self.layout.type_of(id)) {
            (Some(known), _) => self.builder.word(known as u32),
            (None, Some(ty)) if ty == self.builder.types.word => id,
            _ => self.builder.word(most),
        }
    }

    /// Whether an atomic operation is one of OpenCL C 2.0 and later, where the program chooses the scope: these
    /// take generic pointers, and those of OpenCL C 1.2 do not.
    fn scoped(&self, pointer: u32) -> u32 {
        let generic = StorageClass::Generic as u32;
        match self.layout.pointee(pointer) {
            Some((storage, _)) if storage == generic => report::SCOPED,
            _ => 0,
        }
    }

    /// Whether compilers may make an atomic operation of plain accesses: data ports lack those of 64 bits in shared
    /// local memory.
    fn emulated(&self, pointer: u32) -> u32 {
        let Some((storage, ty)) = self.layout.pointee(pointer) else {
            return 0;
        };
        let storages = [StorageClass::Workgroup, StorageClass::Generic];
        let may_be_local = storages.iter().any(|one| *one as u32 == storage);
        match self.layout.size(ty) {
            Some(8) if may_be_local => report::EMULATED,
            _ => 0,
        }
    }
}

// What is told has the numbers of SPIR-V.
const _: () = {
    let numbers = [
        (report::ACQUIRE, MemorySemantics::ACQUIRE.bits()),
        (report::RELEASE, MemorySemantics::RELEASE.bits()),
        (report::BOTH, MemorySemantics::ACQUIRE_RELEASE.bits()),
        (
            report::CONSISTENT,
            MemorySemantics::SEQUENTIALLY_CONSISTENT.bits(),
        ),
        (
            report::LOCAL_MEMORY,
            MemorySemantics::WORKGROUP_MEMORY.bits(),
        ),
        (
            report::GLOBAL_MEMORY,
            MemorySemantics::CROSS_WORKGROUP_MEMORY.bits(),
        ),
        (report::IMAGE_MEMORY, MemorySemantics::IMAGE_MEMORY.bits()),
        (report::ALL_DEVICES, Scope::CrossDevice as u32),
        (report::DEVICE, Scope::Device as u32),
        (report::WORK_GROUP, Scope::Workgroup as u32),
    ];
    let mut at = 0;
    while at < numbers.len() {
        assert!(numbers[at].0 == numbers[at].1);
        at += 1;
    }
};

/// Acquires and releases all memory.
fn everything() -> MemorySemantics {
    MemorySemantics::ACQUIRE_RELEASE
        | MemorySemantics::WORKGROUP_MEMORY
        | MemorySemantics::CROSS_WORKGROUP_MEMORY
        | MemorySemantics::IMAGE_MEMORY
}

//! Queues: an exec queue with a timeline sync object or, where work may run for ever, a user fence.

use super::calls;
use super::fence::{FencePage, FenceSlot};
use crate::generic;
use crate::uapi::drm::SyncobjCreateFlags;
use crate::uapi::xe::EngineClassInstance;
use crate::uapi::xe::exec::{Sync, SyncFlags, SyncType};
use crate::{
    AddressSpaceId, ErrorKind, ErrorReport, KmdError, KmdResult, Node, QueueStatus, Seqno,
    Submission,
};

/// What completions of a queue are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Completion {
    /// Points of a timeline sync object.
    Timeline(u32),
    /// A value in the address space's fence page.
    Memory(FenceSlot),
}

/// One queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    /// The exec queue.
    pub(super) id: u32,
    /// What its submissions complete.
    pub(super) completion: Completion,
    /// Its address space.
    pub(super) space: AddressSpaceId,
    /// The last submission.
    pub(super) last: Seqno,
}

impl Queue {
    /// Makes the exec queue, and a timeline unless `slot` takes its place.
    pub(super) fn create(
        node: &dyn Node,
        placements: &[EngineClassInstance],
        priority: Option<u64>,
        space: AddressSpaceId,
        slot: Option<FenceSlot>,
    ) -> KmdResult<Self> {
        let id = calls::exec_queue_create(node, space.get(), placements, priority)?;
        let completion = match slot {
            Some(slot) => Ok(Completion::Memory(slot)),
            None => {
                generic::syncobj_create(node, SyncobjCreateFlags::empty()).map(Completion::Timeline)
            }
        };
        match completion {
            Ok(completion) => Ok(Self {
                id,
                completion,
                space,
                last: Seqno::new(0),
            }),
            Err(error) => {
                calls::exec_queue_destroy(node, id)?;
                Err(error)
            }
        }
    }

    /// Destroys the exec queue and the timeline.
    pub(super) fn destroy(self, node: &dyn Node) -> KmdResult<()> {
        calls::exec_queue_destroy(node, self.id)?;
        match self.completion {
            Completion::Timeline(timeline) => generic::syncobj_destroy(node, timeline),
            Completion::Memory(_) => Ok(()),
        }
    }

    /// Hands the batch to the kernel. `wait` are points of timelines; `fences` is the address
    /// space's fence page, if it has one.
    pub(super) fn submit(
        &mut self,
        node: &dyn Node,
        submission: &Submission<'_>,
        wait: &[(u32, u64)],
        fences: Option<&FencePage>,
    ) -> KmdResult<Seqno> {
        let seqno = Seqno::new(self.last.get() + 1);
        let timeline = |handle: u32, point, flags| Sync {
            ty: SyncType::TimelineSyncobj as u32,
            flags,
            addr: u64::from(handle),
            timeline_value: point,
            ..Default::default()
        };
        let mut syncs: Vec<_> = wait
            .iter()
            .map(|&(handle, point)| timeline(handle, point, SyncFlags::empty()))
            .collect();
        syncs.push(match (self.completion, fences) {
            (Completion::Timeline(handle), _) => timeline(handle, seqno.get(), SyncFlags::SIGNAL),
            (Completion::Memory(slot), Some(page)) => Sync {
                ty: SyncType::UserFence as u32,
                flags: SyncFlags::SIGNAL,
                addr: page.gpu_address(slot).canonical(),
                timeline_value: seqno.get(),
                ..Default::default()
            },
            (Completion::Memory(_), None) => {
                return Err(KmdError::NoSuchAddressSpace(self.space));
            }
        });
        calls::exec(node, self.id, submission.batch.canonical(), &syncs)?;
        self.last = seqno;
        Ok(seqno)
    }
}

/// Whether the kernel banned the queue.
pub(super) fn status(node: &dyn Node, id: u32) -> KmdResult<QueueStatus> {
    if !calls::exec_queue_banned(node, id)? {
        return Ok(QueueStatus::Ok);
    }
    Ok(match node.error_report(id) {
        Some(report) => match report.kind {
            ErrorKind::Hang => QueueStatus::Hung(report),
            ErrorKind::PageFault | ErrorKind::Other => QueueStatus::Faulted(report),
        },
        None => QueueStatus::Banned(ErrorReport {
            kind: ErrorKind::Other,
            summary: "the kernel banned the queue after a hang or a fault; its log and \
                      /sys/class/drm/card*/device/devcoredump/data may tell where"
                .to_owned(),
            details: Vec::new(),
            address: None,
            instruction: None,
        }),
    })
}

//! Queues: an exec queue with a timeline sync object or, where work may run for ever, a user fence.

use std::sync::Arc;

use smallvec::SmallVec;

use super::calls;
use super::fence::FenceSlot;
use crate::node::error_report;
use crate::queues::{Order, Timeline};
use crate::uapi::xe::EngineClassInstance;
use crate::uapi::xe::exec::{Sync, SyncFlags, SyncType};
use crate::{
    AddressSpaceId, ErrorKind, ErrorReport, KmdResult, Node, QueueStatus, Seqno, Submission,
};

/// What completions of a queue are.
#[derive(Debug)]
pub(super) enum Completion {
    /// Points of a timeline sync object.
    Timeline(Timeline),
    /// A value in the address space's fence page.
    Memory(FenceSlot),
}

/// One queue.
#[derive(Debug)]
pub(super) struct Queue {
    /// The exec queue.
    pub(super) id: u32,
    /// What its submissions complete.
    pub(super) completion: Completion,
    /// Its address space.
    pub(super) space: AddressSpaceId,
    /// The submissions.
    pub(super) order: Order,
}

impl Queue {
    /// Makes the exec queue, and a timeline unless `slot` takes its place.
    pub(super) fn create(
        node: &Arc<dyn Node>,
        placements: &[EngineClassInstance],
        priority: Option<u64>,
        space: AddressSpaceId,
        slot: Option<FenceSlot>,
    ) -> KmdResult<Self> {
        // First, because it is dropped by itself if the rest fails.
        let completion = match slot {
            Some(slot) => Completion::Memory(slot),
            None => Completion::Timeline(Timeline::new(node.clone())?),
        };
        let id = calls::exec_queue_create(node.as_ref(), space.get(), placements, priority)?;
        Ok(Self {
            id,
            completion,
            space,
            order: Order::default(),
        })
    }

    /// Destroys the exec queue; the timeline goes with the last that names it.
    pub(super) fn destroy(&self, node: &dyn Node) -> KmdResult<()> {
        calls::exec_queue_destroy(node, self.id)
    }

    /// Hands a batch to the kernel. `wait` are queues with timelines, and their points.
    pub(super) fn submit(
        &self,
        node: &dyn Node,
        submission: &Submission<'_>,
        wait: &[(Arc<Queue>, Seqno)],
    ) -> KmdResult<Seqno> {
        let turn = self.order.submit();
        let sync = |completion: &Completion, seqno: Seqno, flags| {
            let (ty, addr) = match completion {
                Completion::Timeline(timeline) => {
                    (SyncType::TimelineSyncobj, u64::from(timeline.handle()))
                }
                Completion::Memory(slot) => (SyncType::UserFence, slot.gpu_address().canonical()),
            };
            Sync {
                ty: ty as u32,
                flags,
                addr,
                timeline_value: seqno.get(),
                ..Default::default()
            }
        };
        let wait = wait
            .iter()
            .map(|(queue, seqno)| sync(&queue.completion, *seqno, SyncFlags::empty()));
        let signal = sync(&self.completion, turn.seqno(), SyncFlags::SIGNAL);
        let syncs: SmallVec<[_; 4]> = wait.chain([signal]).collect();
        calls::exec(node, self.id, submission.batch.canonical(), &syncs)?;
        Ok(turn.made())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Completion::Memory(slot) = &self.completion {
            slot.retire(&self.order);
        }
    }
}

/// Whether the kernel banned the queue.
pub(super) fn status(node: &dyn Node, id: u32) -> KmdResult<QueueStatus> {
    if !calls::exec_queue_banned(node, id)? {
        return Ok(QueueStatus::Ok);
    }
    Ok(match error_report(node, id) {
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

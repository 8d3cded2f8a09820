//! Queues: a context with one engine, and a timeline sync object.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::calls::{self, ContextSettings, ExecFences, Execution, FencePoint};
use crate::node::error_report;
use crate::object::Object;
use crate::queues::{Order, Timeline};
use crate::uapi::i915 as uapi;
use crate::uapi::i915::EngineClassInstance;
use crate::uapi::i915::context::{ContextParam, MAX_USER_PRIORITY, MIN_USER_PRIORITY};
use crate::uapi::i915::exec::{ExecFenceFlags, ExecFlags, ExecObject};
use crate::{
    AddressSpaceId, EngineClass, EngineDescription, ErrorKind, ErrorReport, KmdResult, Node,
    Priority, QueueStatus, Seqno,
};

/// One queue.
#[derive(Debug)]
pub(super) struct Queue {
    /// The context.
    pub(super) context: u32,
    /// Its points are the seqnos.
    pub(super) timeline: Timeline,
    /// The address space of the context.
    pub(super) space: AddressSpaceId,
    /// The submissions.
    pub(super) order: Order,
    /// The lists of the last submission, empty: kept for their capacity.
    lists: Mutex<Lists>,
}

/// What a submission names.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Everything that is bound; the batch's own object last, where the kernel looks for it.
    pub(super) objects: Vec<ExecObject>,
    /// The handles of `objects`, kept open.
    pub(super) kept: Vec<Arc<Object>>,
}

/// What a submission consists of, collected before the kernel is called.
#[derive(Debug)]
pub(super) struct Batch {
    /// What it names.
    pub(super) lists: Lists,
    /// Where the batch begins in its object.
    pub(super) start: u32,
    /// Its bytes.
    pub(super) length: u32,
    /// The queues and points to wait for.
    pub(super) wait: Vec<(Arc<Queue>, Seqno)>,
}

impl Queue {
    /// Makes the context and the timeline.
    pub(super) fn create(
        node: &Arc<dyn Node>,
        engine: EngineDescription,
        priority: Priority,
        space: AddressSpaceId,
    ) -> KmdResult<Self> {
        let class = match engine.class {
            EngineClass::Render => uapi::EngineClass::Render,
            EngineClass::Copy => uapi::EngineClass::Copy,
            EngineClass::VideoDecode => uapi::EngineClass::Video,
            EngineClass::VideoEnhance => uapi::EngineClass::VideoEnhance,
            EngineClass::Compute => uapi::EngineClass::Compute,
        };
        // First, because it is dropped by itself if the rest fails.
        let timeline = Timeline::new(node.clone())?;
        let context = calls::context_create(
            node.as_ref(),
            &ContextSettings {
                vm: Some(space.get()),
                engines: &[EngineClassInstance {
                    engine_class: class as u16,
                    engine_instance: engine.instance,
                }],
                // A hung context is lost: results after it would be wrong.
                recoverable: false,
                priority: match priority {
                    Priority::Low => Some(MIN_USER_PRIORITY),
                    Priority::Normal => None,
                    Priority::High => Some(MAX_USER_PRIORITY),
                },
            },
        )?;
        // So that closing the queue ends an endless GPU kernel. Linux refuses where it cannot
        // preempt; there its hang check must do.
        let persistence =
            calls::context_setparam(node.as_ref(), context, ContextParam::Persistence, 0);
        if let Err(error) = persistence {
            tracing::debug!(%error, "context stays persistent");
        }
        Ok(Self {
            context,
            timeline,
            space,
            order: Order::default(),
            lists: Mutex::default(),
        })
    }

    /// Destroys the context; the timeline goes with the last that names it.
    pub(super) fn destroy(&self, node: &dyn Node) -> KmdResult<()> {
        calls::context_destroy(node, self.context)
    }

    /// The lists of the last submission.
    pub(super) fn lists(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a batch to the kernel. `prepare` is called when it is the submission's turn.
    pub(super) fn submit(
        &self,
        node: &dyn Node,
        prepare: impl FnOnce() -> KmdResult<Batch>,
    ) -> KmdResult<Seqno> {
        let turn = self.order.submit();
        let mut batch = prepare()?;
        let wait = batch.wait.iter().map(|(queue, seqno)| FencePoint {
            handle: queue.timeline.handle(),
            point: seqno.get(),
            flags: ExecFenceFlags::WAIT,
        });
        let signal = FencePoint {
            handle: self.timeline.handle(),
            point: turn.seqno().get(),
            flags: ExecFenceFlags::SIGNAL,
        };
        let points: SmallVec<[_; 4]> = wait.chain([signal]).collect();
        let submitted = calls::execbuffer2(
            node,
            &Execution {
                objects: &batch.lists.objects,
                batch_start: batch.start,
                batch_length: batch.length,
                context: self.context,
                flags: ExecFlags::NO_RELOC.with_engine(0),
                fences: ExecFences::Timeline(&points),
                in_fence: None,
                out_fence: false,
            },
        );
        batch.lists.objects.clear();
        batch.lists.kept.clear();
        *self.lists() = batch.lists;
        submitted?;
        Ok(turn.made())
    }
}

/// Whether the context was hit by a reset.
pub(super) fn status(node: &dyn Node, context: u32) -> KmdResult<QueueStatus> {
    let stats = calls::reset_stats(node, context)?;
    if stats.batch_active == 0 && stats.batch_pending == 0 {
        return Ok(QueueStatus::Ok);
    }
    let guilty = stats.batch_active > 0;
    let report = error_report(node, context).unwrap_or_else(|| ErrorReport {
        kind: if guilty {
            ErrorKind::Hang
        } else {
            ErrorKind::Other
        },
        summary: if guilty {
            "a batch did not end and the GPU was reset; the kernel's log and \
             /sys/class/drm/card*/error may tell where"
                .to_owned()
        } else {
            "a GPU reset that another context caused discarded its work".to_owned()
        },
        details: Vec::new(),
        address: None,
        instruction: None,
    });
    Ok(match (guilty, report.kind) {
        (true, ErrorKind::Hang) => QueueStatus::Hung(report),
        (true, ErrorKind::PageFault | ErrorKind::Other) => QueueStatus::Faulted(report),
        (false, _) => QueueStatus::Banned(report),
    })
}
